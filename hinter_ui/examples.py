"""Example texts: own sentences from ``assets/examples/examples.toml``, with what they show."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hinter_ui.forms import Form

EXAMPLES = Path(__file__).resolve().parent.parent / "assets" / "examples" / "examples.toml"


@dataclass(frozen=True)
class Example:
    """A text worth trying. ``shows`` is the verdict it promises, or empty."""

    title: str
    domain: str
    form: Form
    shows: str = ""


@lru_cache(maxsize=1)
def load_examples(path: Path = EXAMPLES) -> tuple[Example, ...]:
    """All examples, in the file's order."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["example"]
    return tuple(
        Example(
            title=t["title"],
            domain=t["domain"],
            form=Form(
                text=t["text"],
                attributes=tuple(t["attributes"]),
                models=tuple(t["models"]),
                order=t.get("order", 2),
                literal=t.get("literal", False),
                edits=tuple(t.get("edits", ())),
            ),
            shows=t.get("shows", ""),
        )
        for t in tables
    )
