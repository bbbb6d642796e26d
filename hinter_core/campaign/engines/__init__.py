"""Run all shards of a campaign; one module an engine."""
