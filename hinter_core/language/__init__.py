"""Text as language: cleaning, sentences, parses."""
