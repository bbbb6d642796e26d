"""What a word is about in its sentence: a person, or something else; and in which form."""
