"""The Batch tab."""
