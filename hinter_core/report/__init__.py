"""Reports of campaigns: aggregates, metrics, sections, figures, formats."""
