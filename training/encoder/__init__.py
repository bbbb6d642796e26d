"""Recipe of ``assets/models/encoder``: kinds of words, and names of people."""
