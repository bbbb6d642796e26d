"""From a text to verdicts: test cases, the pipeline that runs them, and what to test first."""
