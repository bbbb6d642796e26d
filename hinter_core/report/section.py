"""The unit of all reports: a heading with sentences and an optional table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, count

from hinter_core.campaign.tables import Attributes
from hinter_core.statistics.format import p_in_short, percent, points
from hinter_core.statistics.rates import Difference, Estimate, Rate

_NONE = "\u2013"
_LONGEST = 24  # characters of a model's name in tables


class Share(float):
    """A proportion that is written with two decimals, as it may be small."""


class PValue(float):
    """A p-value."""


@dataclass(frozen=True)
class Amount(Estimate):
    """An estimated number with its interval, such as of calls: ``57.3 [12.0, 130.1]``."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A rate that is written ``12 of 80``; with ``share``: ``12 of 80, 15.0 % [9.0, 24.4]``."""

    rate: Rate
    share: bool = False


Cell = str | int | float | Rate | Estimate | Difference | Counted | None
Rows = list[list[Cell]]


@dataclass(frozen=True)
class Section:
    """A heading, sentences and an optional table; ``model`` is empty if it covers all models.

    ``cells``: the values of the table. A value that is not known is None; one that does not apply
    is "".
    """

    key: str
    title: str
    sentences: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    cells: Sequence[Sequence[Cell]] = ()
    model: str = ""

    @cached_property
    def rows(self) -> list[list[str]]:
        """The cells as text."""
        return [list(map(written, row)) for row in self.cells]


def written(cell: Cell) -> str:
    """Format a cell for a table that people read."""
    if isinstance(cell, Counted):
        counts = f"{cell.rate.hits:,} of {cell.rate.of:,}"
        return f"{counts}, {percent(cell.rate)}" if cell.share else counts
    if isinstance(cell, Amount):
        return _amount(cell)
    if isinstance(cell, Rate | Estimate):
        return percent(cell)
    if isinstance(cell, Difference):
        return points(cell)
    if isinstance(cell, Share):
        return f"{100 * cell:.2f}\u00a0%"
    if isinstance(cell, PValue):
        return p_in_short(cell)
    if isinstance(cell, float):
        return f"{cell:.3f}"
    return _NONE if cell is None else f"{cell:,}" if isinstance(cell, int) else cell


def _amount(cell: Amount) -> str:
    if cell.value is None:
        return _NONE
    if cell.low is None or cell.high is None:
        return f"{cell.value:,.1f}"
    return f"{cell.value:,.1f} [{cell.low:,.1f},\u00a0{cell.high:,.1f}]"


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Return a short and unambiguous name for each model, for tables; most stay as they are.

    A long name loses its options and the folders before its last part; where two would be the same,
    a number follows.
    """
    every = list(names)
    taken = {name for name in every if len(name) <= _LONGEST}
    found = {}
    for name in every:
        short = name
        if len(name) > _LONGEST:
            kind, _, source = name.partition("?")[0].partition(":")
            last = source.rstrip("/").rpartition("/")[2] or kind
            last = f"{kind}: {source}" if " " in source else last  # rules written out
            stem = last if len(last) <= _LONGEST else f"{last[: _LONGEST - 1].rstrip()}\u2026"
            numbered = (f"{stem} ({n})" for n in count(2))
            short = next(one for one in chain([stem], numbered) if one not in taken)
            taken.add(short)
        found[name] = short
    return found


def names_section(full: Mapping[str, str]) -> list[Section]:
    """Report the full names of models by their short ones; nothing if all are short."""
    if not full:
        return []
    words = ["Short names of models in the other tables and sentences."]
    return [Section("models", "Models", words, ["Name", "Model"], list(full.items()))]


def joined(names: Attributes) -> str:
    """Join names: ``race × gender``."""
    return " \u00d7 ".join(names)


def ordered(keys: Iterable[Attributes]) -> list[Attributes]:
    """Sort sets of attributes by size, then by name."""
    return sorted(keys, key=lambda attributes: (len(attributes), attributes))
