"""Metamorphic relations: which follow-ups conform, and what a changed answer means."""
