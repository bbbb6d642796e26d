"""What a campaign found: aggregates, sections, figures, and every format they are written in."""
