"""Tables of the mutants themselves, whatever a model answers."""
