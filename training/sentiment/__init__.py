"""Recipe for the embedded sentiment classifier and its masked language model."""
