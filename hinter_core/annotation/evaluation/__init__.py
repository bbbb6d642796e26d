"""Evaluation of judgements: agreement, precision of the invariant, corrected rates."""
