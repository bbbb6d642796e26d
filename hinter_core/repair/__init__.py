"""Repair: a classifier learns from balanced test cases, and what changed is measured."""
