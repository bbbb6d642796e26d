"""Recipes that made the embedded models; run from the repository root with python -m."""
