"""Items to judge: drawn from campaigns and checks, or brought in by people."""
