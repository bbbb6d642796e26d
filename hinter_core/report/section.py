"""The unit of all reports: a heading with sentences and an optional table."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, count
from typing import TypeVar
from urllib.parse import unquote

from hinter_core.campaign.tables import TIMES, Attributes
from hinter_core.statistics.format import p_in_short, percent, points
from hinter_core.statistics.rates import Difference, Estimate, Rate

One = TypeVar("One")
Key = TypeVar("Key", bound=Hashable)
_NONE = "\u2013"
ARROW = " \u2192 "  # from what was replaced to what replaces it
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
    is "". ``in_words``: the table again, as sentences.
    """

    key: str
    title: str
    sentences: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    cells: Sequence[Sequence[Cell]] = ()
    model: str = ""
    in_words: list[str] = field(default_factory=list)

    @property
    def heading(self) -> str:
        """The title, and the model that the section is about."""
        return f"{self.title}: {self.model}" if self.model else self.title

    @property
    def every_sentence(self) -> list[str]:
        """The sentences, and the table in words."""
        return self.sentences + self.in_words

    @cached_property
    def rows(self) -> list[list[str]]:
        """The cells as text."""
        return [list(map(written, row)) for row in self.cells]


def written(cell: Cell) -> str:
    """Format a cell for a table that people read."""
    if isinstance(cell, Counted):
        counts = f"{cell.rate.hits:,} of {cell.rate.of:,}"
        return f"{counts}, {percent(cell.rate)}" if cell.share else counts
    if isinstance(cell, Amount) and cell.value is not None:
        ends = (cell.low, cell.high)
        interval = "" if None in ends else f" [{cell.low:,.1f},\u00a0{cell.high:,.1f}]"
        return f"{cell.value:,.1f}{interval}"
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


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Return a short and unambiguous name for each model, for tables; most stay as they are.

    A long name loses its options and the folders before its last part. Where two would be the same,
    the options by which they differ follow (*toy (prompt=tone)*), or else a number.
    """
    every = list(dict.fromkeys(names))
    stems = {name: _stem(name) if len(name) > _LONGEST else name for name in every}
    sharing = gathered(every, stems.__getitem__)
    taken = set(every)
    shortened = {}
    for name, stem in stems.items():
        short = stem
        if name != stem and len(sharing[stem]) > 1:
            difference = _difference(name, sharing[stem])
            stem = f"{stem} ({difference})" if difference else stem
            numbered = (f"{stem} ({n})" for n in count(2))
            short = next(one for one in chain([stem], numbered) if one not in taken)
        shortened[name] = short
        taken.add(short)
    return shortened


def _stem(name: str) -> str:
    kind, _, source = name.partition("?")[0].partition(":")
    last = source.rstrip("/").rpartition("/")[2] or kind
    return _cut(f"{kind}: {source}" if " " in source else last)  # with blanks: rules written out


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}\u2026"


def _difference(name: str, others: Sequence[str]) -> str:
    """Return what tells a name from others of its stem: one option, else the source, else all."""
    parts = {other: dict(_parts(other)) for other in others}
    keys = [*dict.fromkeys(key for of_one in parts.values() for key in of_one if key), ""]
    shown = {key: [_cut(of_one.get(key, "")) for of_one in parts.values()] for key in keys}
    differing = [key for key in keys if len(set(shown[key])) > 1]
    telling = [key for key in differing if len(set(shown[key])) == len(others)]
    place = list(parts).index(name)
    values = ((key, shown[key][place]) for key in telling[:1] or differing)
    return ", ".join(f"{key}={value}" if key else value for key, value in values if value)


def _parts(name: str) -> Iterator[tuple[str, str]]:
    """Yield the source of a model's name under the key "", then its options."""
    source, _, options = name.partition("?")
    yield "", "" if " " in source else source.partition(":")[2].rpartition("/")[0]
    for option in filter(None, options.split("&")):
        key, _, value = option.partition("=")
        yield key, unquote(value)


def names_section(full: Mapping[str, str]) -> list[Section]:
    """Report the full names of models by their short ones; nothing if all are short."""
    if not full:
        return []
    words = ["Short names of models in the other tables and sentences."]
    return [Section("models", "Models", words, ["Name", "Model"], list(full.items()))]


def joined(names: Attributes) -> str:
    """Join names: ``race × gender``."""
    return TIMES.join(names)


def ordered(keys: Iterable[Attributes]) -> list[Attributes]:
    """Sort sets of attributes by size, then by name."""
    return sorted(keys, key=lambda attributes: (len(attributes), attributes))


def gathered(items: Iterable[One], key: Callable[[One], Key]) -> dict[Key, list[One]]:
    """Return the items of each key, in their order."""
    by_key: dict[Key, list[One]] = {}
    for item in items:
        by_key.setdefault(key(item), []).append(item)
    return by_key
