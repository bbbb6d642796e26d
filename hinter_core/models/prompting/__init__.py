"""Prompts of generative models, and the parsing of their replies."""
