"""Terms of sensitive attributes: dictionaries, matching, and whether they refer to a person."""
