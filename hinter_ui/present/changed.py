"""A mutant in its text: what was taken out, what was put in, and some words around."""

from __future__ import annotations

from collections.abc import Sequence

from hinter_core.by_hand import mutant_of
from hinter_core.types import Edit, Splice
from hinter_ui.present.markup import Markup, isolated, join, tag
from hinter_ui.present.words import term

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


def answers(before: Sequence[str], after: Sequence[str] | None) -> Markup:
    """The answer to the original and to the mutant."""
    first = isolated(_labels(before))
    if after is None:
        return tag("span", "not asked or no answer", class_="quiet-inline")
    if tuple(before) == tuple(after):
        return join([first, tag("span", " (unchanged)", class_="quiet-inline")])
    return join([first, " \u2192 ", tag("strong", isolated(_labels(after)))])


def _labels(labels: Sequence[str]) -> str:
    return ", ".join(labels) or "no label"
