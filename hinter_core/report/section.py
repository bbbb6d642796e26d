"""The unit of all reports: a heading with sentences and an optional table."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hinter_core.campaign.tables import Attributes


@dataclass(frozen=True)
class Section:
    """A heading, sentences and an optional table; ``model`` is empty if it covers all models."""

    key: str
    title: str
    sentences: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    model: str = ""


def joined(names: Attributes) -> str:
    """Join names: ``race × gender``."""
    return " \u00d7 ".join(names)


def ordered(keys: Iterable[Attributes]) -> list[Attributes]:
    """Sort sets of attributes by size, then by name."""
    return sorted(keys, key=lambda attributes: (len(attributes), attributes))
