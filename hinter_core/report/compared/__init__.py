"""Compare models and campaigns: two models on the same mutants, several campaigns in one table."""
