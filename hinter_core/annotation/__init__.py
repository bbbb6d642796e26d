"""Judgements of mutants by people: projects, items, questions, files, and their evaluation."""
