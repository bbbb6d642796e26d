"""A dependency tree as inline SVG: words, tags under them, arcs with relations above.

Arcs are stacked by nesting and not by distance, so a sentence of sixty words stays low; the SVG
keeps its natural width and scrolls inside its card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hinter_core.types import Layer, Parse
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import Words
from hinter_ui.html.words import hue, spoken

_STEP = 22  # height of one level of arcs
_TOP = 20
_GAP = 14
_BEND = 9
_EM = 9.9  # width of an average bold character at 15 px, in a wide font
_NARROW = frozenset("iljfrtI.,;:'!|()[]-\u2019")
_WIDE = frozenset("mwMW@%\u2014\u2026")
_SMALL_EM = 7.2  # the same at 11.5 px


@dataclass(frozen=True)
class Marks:
    """What to point out in a tree: broken tags and relations, and edited words, by token."""

    tags: frozenset[int] = frozenset()
    labels: frozenset[int] = frozenset()
    edited: Mapping[int, str] = field(default_factory=dict)  # token -> attribute

    def broken(self, token: int) -> bool:
        """Whether any layer broke at the token."""
        return token in self.tags or token in self.labels


@dataclass(frozen=True)
class _Arc:
    token: int
    head: int
    level: int

    @property
    def ends(self) -> tuple[int, int]:
        return min(self.token, self.head), max(self.token, self.head)


def svg(parse: Parse, marks: Marks, title: str, say: Words | None = None) -> Markup:
    """The tree of one sentence with a title and a description for those who hear it."""
    say = spoken(say)
    if not parse.words:
        return tag("p", say("trees.empty"), class_="quiet")
    centres, width = _layout(parse)
    arcs = _levels(parse)
    base = _TOP + _STEP * max((a.level for a in arcs), default=1) + 8
    height = base + 46
    children = [
        tag("title", title),
        tag("desc", _described(parse, marks, say)),
        *(_arc(parse, arc, centres, base, marks) for arc in _red_last(arcs, marks)),
        *(_root(i, centres, base) for i, head in enumerate(parse.heads) if head == i),
        *(_word(parse, i, x, base, marks) for i, x in enumerate(centres)),
    ]
    return tag(
        "svg",
        *children,
        class_="tree",
        role="img",
        width=round(width),
        height=height,
        viewBox=f"0 0 {width:.0f} {height}",
        aria_label=title,
    )


def width_of(parse: Parse) -> float:
    """The natural width of a sentence's tree, in pixels."""
    return _layout(parse)[1]


def _layout(parse: Parse) -> tuple[list[float], float]:
    """The middle of every word, and the width of all."""
    centres: list[float] = []
    right = 0.0
    for i, word in enumerate(parse.words):
        pos = parse.tags[i]
        need = max(_wide(word), len(pos) * _SMALL_EM + 14, 26.0)
        centre = right + _GAP + need / 2
        for token, head in ((i, i - 1), (i - 1, i)):
            if i and parse.heads[token] == head:  # a short arc has room for its label
                room = len(parse.labels[token]) * _SMALL_EM + 30
                centre = max(centre, centres[-1] + room)
        centres.append(centre)
        right = centre + need / 2
    return centres, right + _GAP


def _wide(word: str) -> float:
    """A guess at a word's width that is seldom too small."""
    narrow = sum(c in _NARROW for c in word)
    wide = sum(c in _WIDE or ord(c) > 0x2E80 for c in word)
    return (len(word) - 0.4 * narrow + 0.55 * wide) * _EM


def _levels(parse: Parse) -> list[_Arc]:
    """Arcs from short to long, each above those within it or crossing it."""
    pairs = [(i, head) for i, head in enumerate(parse.heads) if head != i]
    pairs.sort(key=lambda p: (abs(p[0] - p[1]), min(p)))
    placed: list[_Arc] = []
    for token, head in pairs:
        low, high = min(token, head), max(token, head)
        under = [a.level for a in placed if a.ends[0] < high and low < a.ends[1]]
        placed.append(_Arc(token, head, 1 + max(under, default=0)))
    return placed


def _red_last(arcs: Sequence[_Arc], marks: Marks) -> list[_Arc]:
    return sorted(arcs, key=lambda a: a.token in marks.labels)


def _arc(parse: Parse, arc: _Arc, centres: Sequence[float], base: float, marks: Marks) -> Markup:
    rightwards = arc.token > arc.head
    # Arcs leave a word on the side they go to, and arrive in its middle.
    start = centres[arc.head] + (5 if rightwards else -5)
    end = centres[arc.token]
    top = base - _STEP * arc.level
    bend = min(_BEND, abs(end - start) / 2)
    turn = bend if rightwards else -bend
    path = (
        f"M{start:.1f} {base} V{top + bend:.1f} Q{start:.1f} {top} {start + turn:.1f} {top} "
        f"H{end - turn:.1f} Q{end:.1f} {top} {end:.1f} {top + bend:.1f} V{base - 4}"
    )
    wrong = arc.token in marks.labels
    label = parse.labels[arc.token]
    words = f"\u2260 {label}" if wrong else label
    kind = "arc wrong" if wrong else "arc"
    arrow = f"M{end - 3.5:.1f} {base - 6} L{end:.1f} {base} L{end + 3.5:.1f} {base - 6} Z"
    text = tag("text", words, x=f"{(start + end) / 2:.1f}", y=f"{top + 4}", class_="relation")
    lines = [tag("path", d=path, class_="line"), tag("path", d=arrow, class_="head")]
    return tag("g", *lines, text, class_=kind)


def _root(token: int, centres: Sequence[float], base: float) -> Markup:
    x = centres[token]
    line = tag("path", d=f"M{x:.1f} {base - 16} V{base - 4}", class_="line")
    arrow = tag("path", d=f"M{x - 3.5:.1f} {base - 6} L{x:.1f} {base} L{x + 3.5:.1f} {base - 6} Z")
    return tag("g", line, arrow, class_="arc root")


def _word(parse: Parse, i: int, x: float, base: float, marks: Marks) -> Markup:
    parts: list[Markup] = []
    if i in marks.edited:
        width = _wide(parse.words[i]) + 6
        style = f"--h:{hue(marks.edited[i])}"
        parts.append(
            tag("rect", x=f"{x - width / 2:.1f}", y=base + 4, width=f"{width:.1f}", height=20,
                rx=4, class_="edited", style=style)
        )  # fmt: skip
    wrong = i in marks.tags
    parts.append(tag("text", parse.words[i], x=f"{x:.1f}", y=base + 19, class_="word"))
    pos = f"\u2260 {parse.tags[i]}" if wrong else parse.tags[i]
    kind = "pos wrong" if wrong else "pos"
    parts.append(tag("text", pos, x=f"{x:.1f}", y=base + 38, class_=kind))
    return tag("g", *parts, class_="token wrong" if marks.broken(i) else "token")


def _described(parse: Parse, marks: Marks, say: Words) -> str:
    """The tree in words: each word with tag, relation and head."""
    parts = []
    for i, word in enumerate(parse.words):
        head = parse.heads[i]
        relation = say("trees.root")
        if head != i:
            relation = say("trees.of", relation=parse.labels[i], word=parse.words[head])
        wrong = f" ({say('trees.differs')})" if marks.broken(i) else ""
        parts.append(f"{word}: {parse.tags[i]}, {relation}{wrong}")
    return "; ".join(parts)


def marks_of(
    parse: Parse,
    edited: Sequence[tuple[int, int, str]],
    broken: Sequence[tuple[Layer, int]],
) -> Marks:
    """Marks from character spans of edits (start, end, attribute) and broken (layer, token)."""
    where = {
        i: attribute
        for start, end, attribute in edited
        for i, (a, b) in enumerate(parse.spans)
        if a < end and start < b
    }
    tags = frozenset(i for layer, i in broken if layer is Layer.POS and i >= 0)
    labels = frozenset(i for layer, i in broken if layer is Layer.DEPENDENCY and i >= 0)
    return Marks(tags, labels, where)
