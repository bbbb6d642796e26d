"""Two versions of a text, each cut into pieces that both have and pieces that differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from hinter_core.errors import HinterError
from hinter_core.mutation.edits import mutant_of
from hinter_core.types import Edit, Splice
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.wording import Words
from hinter_ui.html.words import ARROW, spoken, term

_WORD = re.compile(r"\s+|\w+(?:['\u2019]\w+)*|[^\w\s]")
_MOST = 800  # words that are compared one by one


@dataclass(frozen=True)
class Piece:
    """A part of a text; ``changed``: the other version has something else there."""

    text: str
    changed: bool = False


@lru_cache(maxsize=1024)  # many people look at the same texts
def differences(
    source: str, mutant: str, edits: tuple[Edit, ...] = ()
) -> tuple[list[Piece], list[Piece]]:
    """The pieces of both texts; by the edits where they make the mutant, else word by word."""
    splices = _splices(source, mutant, edits)
    if splices:
        return _by_splices(source, mutant, splices)
    return _by_words(_WORD.findall(source), _WORD.findall(mutant))


def _splices(source: str, mutant: str, edits: Sequence[Edit]) -> Sequence[Splice]:
    if not edits:
        return ()
    try:
        made = mutant_of(source, edits)
    except (HinterError, IndexError):
        return ()
    return made.splices if made.text == mutant else ()


def _by_splices(
    source: str, mutant: str, splices: Sequence[Splice]
) -> tuple[list[Piece], list[Piece]]:
    ordered = sorted(splices, key=lambda splice: splice.start)
    old = _cut(source, [(s.start, s.end) for s in ordered])
    new = _cut(mutant, [(s.at, s.at + len(s.new)) for s in ordered])
    return old, new


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> list[Piece]:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [Piece(text[at:start]), Piece(text[start:end], changed=True)]
        at = end
    return [piece for piece in (*pieces, Piece(text[at:])) if piece.text]


def _by_words(old: Sequence[str], new: Sequence[str]) -> tuple[list[Piece], list[Piece]]:
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(left), len(right)) > _MOST:
        codes: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(left), 0, len(right))]
    else:
        codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    first, last = "".join(old[:head]), "".join(old[len(old) - tail :])
    sides: tuple[list[Piece], list[Piece]] = ([Piece(first)], [Piece(first)])
    for kind, a, b, c, d in codes:
        sides[0].append(Piece("".join(left[a:b]), kind != "equal"))
        sides[1].append(Piece("".join(right[c:d]), kind != "equal"))
    for side in sides:
        side.append(Piece(last))
    return _joined(sides[0]), _joined(sides[1])


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many words both begin with."""
    count = 0
    for left, right in zip(old, new, strict=False):
        if left != right:
            break
        count += 1
    return count


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Changed words with only blanks between them as one piece, and no empty ones."""
    found: list[Piece] = []
    for piece in pieces:
        if not piece.text:
            continue
        blank = len(found) > 1 and not found[-1].text.strip() and not found[-1].changed
        if piece.changed and blank and found[-2].changed:
            found[-2:] = [Piece(found[-2].text + found[-1].text + piece.text, changed=True)]
        elif found and found[-1].changed == piece.changed:
            found[-1] = Piece(found[-1].text + piece.text, piece.changed)
        else:
            found.append(piece)
    return found


_AROUND = 70  # characters shown on either side of a change
_DOTS = "\u2026"


def changed(text: str, edits: Sequence[Edit], by_hand: str | None = None) -> Markup:
    """The text with its changes marked, cut around them; ``by_hand``: what a person made of it."""
    splices = mutant_of(text, edits, by_hand).splices
    parts: list[object] = []
    at = _word_before(text, splices[0].start - _AROUND) if splices else 0
    if at:
        parts.append(_DOTS + " ")
    for splice in splices:
        parts += [_between(text[at : splice.start]), _one(splice, whole=by_hand is not None)]
        at = splice.end
    end = _word_after(text, at + _AROUND)
    parts.append(text[at:end] + (f" {_DOTS}" if end < len(text) else ""))
    return tag("span", isolated_all(parts), class_="changed")


def _word_before(text: str, place: int) -> int:
    """Where the word begins that stands at a place."""
    return max(0, text.rfind(" ", 0, place) + 1) if place > 0 else 0


def _word_after(text: str, place: int) -> int:
    """Where the word ends that stands at a place."""
    end = text.find(" ", place)
    return len(text) if end < 0 or place >= len(text) else end


def isolated_all(parts: Sequence[object]) -> Markup:
    """Parts of one text, whose writing direction stays its own."""
    return tag("bdi", join(parts))


def _between(text: str) -> str:
    """What lies between two changes, without its middle where that is long."""
    if len(text) <= 3 * _AROUND:
        return text
    start, end = _word_after(text, _AROUND), _word_before(text, len(text) - _AROUND)
    return f"{text[:start]} {_DOTS} {text[end:]}"


def _one(splice: Splice, *, whole: bool) -> Markup:
    if whole:  # all that a person changed; what belongs to which attribute is not known
        return join([tag("del", splice.old), " ", tag("ins", splice.new)])
    if not splice.attribute:  # a mended article
        return tag("ins", splice.new, class_="article")
    old = tag("del", splice.old)
    return join([old, " ", term(splice.new, splice.attribute)])


def answers(before: Sequence[str], after: Sequence[str] | None, say: Words | None = None) -> Markup:
    """The answer to the original and to the mutant."""
    say = spoken(say)
    none = say("answers.unlabelled")
    first = isolated(", ".join(before) or none)
    if after is None:
        return tag("span", say("answers.missing"), class_="quiet-inline")
    if tuple(before) == tuple(after):
        return join([first, " ", tag("span", say("answers.unchanged"), class_="quiet-inline")])
    return join([first, f" {ARROW} ", tag("strong", isolated(", ".join(after) or none))])
