"""People judge mutants: projects, what they are asked, what they said, and what follows from it."""
