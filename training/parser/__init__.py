"""The recipe of the embedded parser."""
