"""Generators of follow-ups: dictionaries, handwritten files, templates, grammars."""
