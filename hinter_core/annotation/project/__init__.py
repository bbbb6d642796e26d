"""An annotation project: items, questions, people, and one append-only SQLite file."""
