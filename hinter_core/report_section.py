"""A section of a report: a heading, sentences, perhaps a table; and how a rate is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hinter_core.statistics import Rate
from hinter_core.tally_columns import Attributes


@dataclass(frozen=True)
class Section:
    """A heading, sentences, and perhaps a table; ``model`` is empty where it is of all models."""

    key: str
    title: str
    sentences: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    model: str = ""


def percent(rate: Rate) -> str:
    """``15.0 % [9.0, 24.4]``, which a page breaks before the bracket only."""
    if rate.share is None:
        return "\u2013"
    share = f"{100 * rate.share:.1f}\u00a0%"
    if rate.low is None or rate.high is None:
        return share
    return f"{share} [{100 * rate.low:.1f},\u00a0{100 * rate.high:.1f}]"


def joined(names: Attributes) -> str:
    """``race × gender``."""
    return " \u00d7 ".join(names)


def ordered(keys: Iterable[Attributes]) -> list[Attributes]:
    """Fewer attributes first, then by name."""
    return sorted(keys, key=lambda attributes: (len(attributes), attributes))
