"""The page of a report: what it says first, and the whole file."""
