"""What judgements say: agreement, the invariant against people, corrected rates."""
