"""Terms of sensitive attributes: dictionaries, matching, and which mean a person."""
