"""What makes follow-ups of a row: substitution by dictionaries, or mutants that a person wrote."""
