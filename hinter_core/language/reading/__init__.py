"""A text as a person reads it: the view, its capitals, its language."""
