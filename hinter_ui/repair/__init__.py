"""The Repair tab: a classifier learns from balanced cases, and is measured before and after."""
