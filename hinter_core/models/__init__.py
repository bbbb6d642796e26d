"""Models under test: protocol, registry of back-ends, and a store that predicts each text once."""
