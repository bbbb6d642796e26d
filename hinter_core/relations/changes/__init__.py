"""What the metamorphic relations do to a text: remove, add, negate, move, say otherwise."""
