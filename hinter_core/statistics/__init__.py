"""Rates, differences, agreement and weighted samples with intervals, and their formatting."""
