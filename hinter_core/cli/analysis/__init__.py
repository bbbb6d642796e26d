"""Commands that look into a finished campaign: which words matter, and what to test first."""
