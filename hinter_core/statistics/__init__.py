"""Rates, differences, agreement and weighted samples, with their uncertainty, and in words."""
