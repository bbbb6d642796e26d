"""Models under test: one protocol, a registry of back-ends, a store that asks each text once."""
