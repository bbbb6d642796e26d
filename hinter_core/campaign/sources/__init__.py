"""Sources of a campaign's texts and mutants: a module for each kind."""
