"""The Annotate tab."""
