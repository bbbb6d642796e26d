"""The recipe of the embedded person sense."""
