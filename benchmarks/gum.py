"""Texts of UD English GUM with their words and mentions, read from CoNLL-U files."""

from __future__ import annotations

import gzip
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hinter_core.types import Span

_ENTITY = re.compile(r"\((?P<open>[^()]+)(?P<both>\))?|(?P<close>[^()|]+)\)")
_OPEN = dict[str, list[int]]


@dataclass
class GoldWord:
    """A word: its characters in the text, the index of its head (-1: a root), its Penn tag."""

    form: str
    span: Span
    head: int = -1
    tag: str = ""


@dataclass
class GoldMention:
    """Words ``first`` to ``last`` of a document; ``kind``: GUM's entity type, such as person."""

    first: int
    last: int
    entity: str
    kind: str


@dataclass
class GoldDocument:
    """A document whose text is put together from its words, with its mentions."""

    name: str
    text: str = ""
    words: list[GoldWord] = field(default_factory=list)
    mentions: list[GoldMention] = field(default_factory=list)

    def people(self) -> set[str]:
        """Return the entities that are mostly annotated as people."""
        kinds: dict[str, Counter[str]] = defaultdict(Counter)
        for mention in self.mentions:
            kinds[mention.entity][mention.kind] += 1
        return {name for name, found in kinds.items() if found.most_common(1)[0][0] == "person"}

    def head(self, first: int, last: int) -> int:
        """Return the word of a span whose own head is outside the span."""
        inside = range(first, last + 1)
        return next((n for n in inside if self.words[n].head not in inside), first)


def read_gum(path: Path) -> list[GoldDocument]:
    """Read the documents of a file; paragraphs and turns of speakers are apart by blank lines."""
    documents: list[GoldDocument] = []
    rows: list[list[str]] = []
    gap, speaker = "", ""
    for line in _lines(path):
        if line.startswith("# newdoc"):
            documents.append(GoldDocument(line.split("= ")[1]))
            gap, speaker = "", ""
        elif line.startswith("# newpar") and documents[-1].text:
            gap = "\n\n"
        elif line.startswith("# speaker"):
            gap = "\n\n" if documents[-1].text and line != speaker else gap
            speaker = line
        elif line[:1].isdigit():
            rows.append(line.split("\t"))
        elif not line and rows:
            _add_sentence(documents[-1], rows, gap)
            rows, gap = [], " "
    for document in documents:
        document.text = document.text.rstrip()
    return documents


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from (line.rstrip("\n") for line in lines)


def _add_sentence(document: GoldDocument, rows: Sequence[Sequence[str]], gap: str) -> None:
    document.text = document.text.rstrip() + gap
    first = len(document.words)
    opened: _OPEN = defaultdict(list)
    joined, until, outer = "", 0, ""  # the rest of a multi-word token, its last word, its MISC
    for row in rows:
        if "." in row[0]:
            continue  # an elided word
        if "-" in row[0]:
            joined, until, outer = row[1], int(row[0].split("-")[1]), row[9]
            continue
        number, form, misc = int(row[0]), row[1], row[9]
        if number < until:
            form = form if joined.startswith(form) else ""
            joined = joined[len(form) :]
        elif number == until:
            form, misc = joined, f"{misc}|{outer}"
        start = len(document.text)
        document.text += form
        _add_mentions(document, misc, opened)
        head = int(row[6])
        where = start, len(document.text)
        above = first + head - 1 if head else -1
        document.words.append(GoldWord(row[1], where, above, row[4]))
        if number >= until and "SpaceAfter=No" not in misc:
            document.text += " "


def _add_mentions(document: GoldDocument, misc: str, opened: _OPEN) -> None:
    place = len(document.words)
    found = re.search(r"(?:^|\|)Entity=([^|]*)", misc)
    for match in _ENTITY.finditer(found.group(1)) if found else ():
        if match["open"]:
            entity, kind = match["open"].split("-")[:2]
            document.mentions.append(GoldMention(place, place, entity, kind))
            if not match["both"]:
                opened[entity].append(len(document.mentions) - 1)
        elif opened[match["close"]]:
            document.mentions[opened[match["close"]].pop()].last = place
