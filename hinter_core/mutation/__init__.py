"""Edits as spans, the lattice of their combinations, and the plan of a text."""
