"""What gives a campaign its texts, and makes their mutants: a module for each kind."""
