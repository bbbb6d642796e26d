"""Grammars: sentences with words that say a sensitive attribute, made in any number."""
