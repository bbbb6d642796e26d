"""Run a campaign: shards, workers, engines, and what is asked first."""
