"""Recipe for the embedded acceptability classifier."""
