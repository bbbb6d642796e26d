"""Example texts: own sentences from ``assets/examples/examples.toml``, with what they show."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hinter_core.storage import ASSETS
from hinter_ui.shared.links import ExploreForm

EXAMPLES = ASSETS / "examples" / "examples.toml"


@dataclass(frozen=True)
class ExampleText:
    """A text worth trying. ``shows`` is the verdict it promises, or empty."""

    title: str
    domain: str
    form: ExploreForm
    shows: str = ""


@lru_cache(maxsize=1)
def load_examples(path: Path = EXAMPLES) -> tuple[ExampleText, ...]:
    """All examples, in the file's order."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["example"]
    return tuple(
        ExampleText(
            title=t["title"],
            domain=t["domain"],
            form=ExploreForm(
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
