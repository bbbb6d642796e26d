"""One module per metric of a report: how it is computed, and how it is described."""
