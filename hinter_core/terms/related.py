"""Related words: a people's country, cities and language, and what else says a group.

``related.csv`` lists them. A row stands for a people, a faith, or a group of another attribute.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from hinter_core.storage import shipped_rows
from hinter_core.terms.senses.lexicon import expression_at, expressions
from hinter_core.types import Span

_WORD = re.compile(r"[^\W\d_]+")
_AROUND = 40  # characters of an expression, before or after a word of it
_GAP = 2  # characters between the words of a name: "St. Petersburg"
_COLOURS = (("Black",), ("white",))  # of people, where they are terms
_OF_PEOPLES = ("origin", "religion")

Rows = frozenset[int]


class Related(NamedTuple):
    """Words of a text and the rows that list them; ``near``: rows that hold in a sentence only."""

    span: Span
    words: str
    rows: Rows
    near: Rows


@dataclass
class _Index:
    """The rows by group, and the listed words by their first word, longest first.

    Words in lower case are listed in the singular and count in the plural, too.
    """

    by_group: dict[tuple[str, str], set[int]] = field(default_factory=lambda: defaultdict(set))
    near: dict[int, str] = field(default_factory=dict)  # attributes by rows
    lemmas: dict[str, str] = field(default_factory=dict)
    rows: dict[tuple[str, ...], set[int]] = field(default_factory=lambda: defaultdict(set))
    named: dict[tuple[str, ...], set[int]] = field(default_factory=lambda: defaultdict(set))
    first: dict[str, list[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, words: str, row: int, *, names: bool) -> None:
        """Add words of a row; ``names``: they name the people or its country themselves.

        A name of others than a people says nothing of a text's other words: *trans man*, whom words
        for a female body fit.
        """
        pieces = tuple(_WORD.findall(words))
        if not names or row not in self.near:
            self.rows[pieces].add(row)
        if names:
            self.named[pieces].add(row)
        if pieces not in self.first[pieces[0].lower()]:
            self.first[pieces[0].lower()].append(pieces)


@lru_cache(maxsize=1)
def _index() -> _Index:
    index = _Index()
    for number, row in enumerate(shipped_rows("related")):
        of, people, places, cities, others = (
            [word for word in row[name].split(";") if word]
            for name in ("of", "people", "places", "cities", "words")
        )
        index.by_group[row["attribute"], of[0]].add(number)
        if row["attribute"] not in _OF_PEOPLES:
            index.near[number] = row["attribute"]
            people = [*people, *map(_plural, people)]
        else:
            plurals = {f"{word}s": word for word in of}
            if of[0][0].isupper():
                index.lemmas = {**dict.fromkeys(people, of[0]), **plurals, **index.lemmas}
            people = [*of, *people, *plurals]
        names = dict.fromkeys([*people, *places])
        if row["attribute"] != "origin":
            others = [*others, *map(_plural, filter(str.islower, others))]
        for words in (*names, *cities, *others):
            index.add(words, number, names=words in names)
    for phrases in index.first.values():
        phrases.sort(key=lambda words: (len(words), words[0][0].isupper()), reverse=True)
    return index


def _plural(noun: str) -> str:
    """Return the regular plural of a noun; of what has none, a word that no text has."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{noun}s"


@lru_cache(maxsize=64)
def related_words(text: str) -> tuple[Related, ...]:
    """Return the related words in a text, in order; the text is read once."""
    return tuple(
        Related(span, text[slice(*span)], frozenset(index.rows[words] - index.near.keys()),
                frozenset(index.rows[words] & index.near.keys()))
        for index in [_index()]
        for span, words in _found(text)
        if words not in _COLOURS and not _in_expression(text, span)
    )  # fmt: skip


def _in_expression(text: str, span: Span) -> bool:
    """Whether words stand in an expression that says nothing of a people: "an Indian summer"."""
    if expressions().keys().isdisjoint(text[slice(*span)].lower().split()):
        return False
    start = max(0, span[0] - _AROUND)
    tokens = [(m.group().lower(), m.start() + start) for m in
              re.finditer(r"[^\W\d_]+|'(?=s)", text[start : span[1] + _AROUND])]  # fmt: skip
    words = [word for word, _ in tokens]
    inside = (at for at, (_, begins) in enumerate(tokens) if span[0] <= begins < span[1])
    return any(expression_at(words, at) for at in inside)


def _found(text: str) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Yield listed words with their spans; those that are written with a capital need one."""
    index, free, lower = _index(), 0, text.islower()
    tokens = [(match.group(), *match.span()) for match in _WORD.finditer(text)]
    for place, (word, start, _) in enumerate(tokens):
        for words in index.first.get(word.lower(), ()) if start >= free else ():
            part = tokens[place : place + len(words)]
            if len(part) == len(words) and _alike(words, part, lower=lower):
                free = part[-1][2]
                yield (start, free), words
                break


def _alike(words: tuple[str, ...], part: Sequence[tuple[str, int, int]], *, lower: bool) -> bool:
    near = all(b[1] - a[2] <= _GAP for a, b in pairwise(part))
    return near and all(
        written == word
        or (written.lower() == word.lower() and (lower or written.isupper() or word.islower()))
        for word, (written, _, _) in zip(words, part, strict=True)
    )


@lru_cache(maxsize=4096)
def rows_of(attribute: str, text: str, group: str) -> Rows:
    """Return the rows of a term, by its group and by the peoples that it names."""
    index = _index()
    named = (row for _, words in _found(text) for row in index.named[words])
    # Where "police officers" become "policemen", no trade changes.
    own = {row for row in named if index.near.get(row, attribute) == attribute}
    return frozenset(index.by_group.get((attribute, group), set()) | own)


def says_faith(words: Related) -> bool:
    """Whether words say a faith: "Sabbath", "church"."""
    return not _of_faiths().isdisjoint(words.rows)


@lru_cache(maxsize=1)
def _of_faiths() -> Rows:
    faiths = (rows for (of, _), rows in _index().by_group.items() if of == "religion")
    return frozenset().union(*faiths)


@lru_cache(maxsize=4096)
def people_of(text: str) -> str:
    """Return the adjective of a word for a people: of *Danes* "Danish", of *Thais* "Thai"."""
    return _index().lemmas.get(text, text)
