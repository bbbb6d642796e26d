"""Replay orders on the known verdicts of finished campaigns, and compare them."""
