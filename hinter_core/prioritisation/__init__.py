"""Choose what to test first: metrics of pairs, orders of test cases, measures, stopping rules."""
