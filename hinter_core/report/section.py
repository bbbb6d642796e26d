"""A section of a report: a heading, sentences, perhaps a table; and how a rate is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hinter_core.campaign.views import Attributes


@dataclass(frozen=True)
class Section:
    """A heading, sentences, and perhaps a table; ``model`` is empty where it is of all models."""

    key: str
    title: str
    sentences: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    model: str = ""


def joined(names: Attributes) -> str:
    """``race × gender``."""
    return " \u00d7 ".join(names)


def ordered(keys: Iterable[Attributes]) -> list[Attributes]:
    """Fewer attributes first, then by name."""
    return sorted(keys, key=lambda attributes: (len(attributes), attributes))
