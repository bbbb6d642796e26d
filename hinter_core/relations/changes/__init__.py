"""Changes of the metamorphic relations: remove, add, negate, move, paraphrase."""
