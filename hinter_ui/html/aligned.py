"""A sentence and its mutant in one drawing: words in columns, source above, variant below.

The phrase around the changes is drawn, as inline SVG with arcs above; arcs of the variant that
differ from the source's are drawn below. The whole sentence follows on demand, word by word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise, zip_longest

from hinter_core.types import Layer, Parse
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import Words, hue

say = Words("check")

Edited = tuple[int, int, str]  # first and last character of an edited word, and its attribute
Column = tuple[int | None, int | None]  # tokens of the source and of the mutant

_AROUND = 2  # columns shown beside a change
_FAR = 5  # columns from a change to a head that is still shown
_STEP = 22  # height of one level of arcs
_TOP = 20
_GAP = 14
_CUT = 18  # width of the place of columns that are left out
_BEND = 9
_LEFT = 62  # pixels for the names of both rows
_ROW = 46  # height of a row of words with their tags
_EM = 9.9  # width of an average bold character at 15 px, in a wide font
_NARROW = frozenset("iljfrtI.,;:'!|()[]-\u2019")
_WIDE = frozenset("mwMW@%\u2014\u2026")
_SMALL_EM = 7.2  # the same at 11.5 px


@dataclass(frozen=True)
class TreeSide:
    """One of both sentences.

    ``edited``: spans of characters with their attributes; ``broken``: tokens at which a layer of
    the invariant was broken.
    """

    name: str
    text: str
    parse: Parse
    edited: Sequence[Edited] = ()
    broken: Sequence[tuple[Layer, int]] = ()

    @cached_property
    def attributes(self) -> Mapping[int, str]:
        """The attributes of the edited tokens."""
        return {
            token: attribute
            for start, end, attribute in self.edited
            for token, (a, b) in enumerate(self.parse.spans)
            if a < end and start < b
        }

    def is_wrong(self, layer: Layer, token: int) -> bool:
        """Whether a layer of the invariant was broken at a token."""
        return (layer, token) in self.broken

    def read(self, token: int) -> str:
        """The tag of a token and its relation to its head, in words."""
        head = self.parse.heads[token]
        word, relation = self.parse.words[head], self.parse.labels[token]
        said = say("trees.root") if head == token else say("trees.of", relation=relation, word=word)
        return f"{self.parse.tags[token]}, {said}"


class Aligned:
    """The drawing of both sides."""

    def __init__(self, source: TreeSide, mutant: TreeSide) -> None:
        self.sides = (source, mutant)
        self.columns = _columns(source.parse.words, mutant.parse.words)
        self._place = tuple(
            {column[side]: n for n, column in enumerate(self.columns) if column[side] is not None}
            for side in (0, 1)
        )
        self.differing = {n for n in range(len(self.columns)) if self._differs(n)}
        self.shown = self._phrase()
        self.centres, self.width = self._laid_out()
        self.arcs = [self._arcs_of(side) for side in (0, 1)]
        self.base = _TOP + _STEP * max((level for *_, level in self.arcs[0]), default=1) + 8

    def figure(self) -> Markup:
        """The drawing with its caption, and the whole sentence below it."""
        source, mutant = self.sides
        if not (source.parse.words and mutant.parse.words):
            return tag("p", say("trees.empty"), class_="quiet")
        title = say("trees.title", source=source.text, mutant=mutant.text)
        scroll = tag("div", self._svg(title), class_="tree-scroll", tabindex="0", role="region",
                     aria_label=say("trees.scroll"))  # fmt: skip
        whole = tag("details", tag("summary", say("trees.whole")), self._words(), class_="whole")
        return tag("figure", scroll, whole, class_="card tree-card")

    # -- what is shown --------------------------------------------------------------------------

    def _differs(self, n: int) -> bool:
        i, j = self.columns[n]
        if i is None or j is None:
            return True
        one, other = self.sides[0].parse, self.sides[1].parse
        return (
            one.words[i] != other.words[j] or one.tags[i] != other.tags[j]
            or self._arc_of(0, i) != self._arc_of(1, j)
        )  # fmt: skip

    def _arc_of(self, side: int, token: int) -> tuple[str, int]:
        parse = self.sides[side].parse
        return parse.labels[token], self._place[side][parse.heads[token]]

    def _phrase(self) -> list[int]:
        """Return the columns around what differs or was edited, and the heads near them."""
        marked = set(self.differing)
        for side in (0, 1):
            marked |= {self._place[side][token] for token in self.sides[side].attributes}
        shown = {n + beside for n in marked for beside in range(-_AROUND, _AROUND + 1)}
        for n in marked:
            for side, token in enumerate(self.columns[n]):
                if token is not None and abs((head := self._arc_of(side, token)[1]) - n) <= _FAR:
                    shown |= set(range(min(n, head), max(n, head) + 1))
        columns = sorted(n for n in shown if 0 <= n < len(self.columns))
        for a, b in pairwise(columns):  # one word is no gap
            if b - a == 2:
                shown.add(a + 1)
        whole = range(len(self.columns))
        return [n for n in whole if n in shown] or list(whole)

    def _laid_out(self) -> tuple[dict[int, float], float]:
        """The middle of every column shown, and the width of all."""
        centres: dict[int, float] = {}
        right, before = float(_LEFT), -1
        for n in self.shown:
            texts = [(s.parse.words[t], s.parse.tags[t]) for s, t in self._tokens(n)]
            need = max(26.0, *(max(_width(w), len(p) * _SMALL_EM + 22) for w, p in texts))
            if n != before + 1:
                right += _CUT
            centre = right + _GAP + need / 2
            if before in centres and n == before + 1:
                centre = max(centre, centres[before] + self._room(before, n))
            centres[n], right, before = centre, centre + need / 2, n
        if before != len(self.columns) - 1:
            right += _CUT
        return centres, right + _GAP

    def _room(self, a: int, b: int) -> float:
        """What a short arc needs for its label."""
        heights = [0.0]
        for side in (0, 1):
            for n, other in ((a, b), (b, a)):
                token = self.columns[n][side]
                if token is not None and self._arc_of(side, token)[1] == other:
                    heights.append(len(self.sides[side].parse.labels[token]) * _SMALL_EM + 30)
        return max(heights)

    def _arcs_of(self, side: int) -> list[tuple[int, int, int, int]]:
        """Token, column, column of the head, and level of each arc, short ones first.

        Of the mutant only those that differ.
        """
        ends = []
        for n in self.shown:
            token = self.columns[n][side]
            if token is None:
                continue
            label, head = self._arc_of(side, token)
            column = self.columns[n][0]
            same = side and column is not None and self._arc_of(0, column) == (label, head)
            if head != n and head in self.centres and not same:
                ends.append((token, n, head))
        levels: list[tuple[int, int, int, int]] = []
        for token, n, head in sorted(ends, key=lambda e: (abs(e[1] - e[2]), min(e[1:]))):
            low, high = sorted((n, head))
            under = [lv for _, a, b, lv in levels if min(a, b) < high and low < max(a, b)]
            levels.append((token, n, head, 1 + max(under, default=0)))
        return levels

    # -- drawing --------------------------------------------------------------------------------

    def _svg(self, title: str) -> Markup:
        below = max((level for *_, level in self.arcs[1]), default=0)
        foot = self.base + 2 * _ROW + 4
        height = foot + (_TOP + _STEP * below if below else 6)
        arcs = [(side, arc) for side in (0, 1) for arc in self.arcs[side]]
        red_last = sorted(arcs, key=lambda a: self.sides[a[0]].is_wrong(Layer.DEPENDENCY, a[1][0]))
        names = [tag("text", side.name, x=0, y=self.base + 19 + n * _ROW, class_="side")
                 for n, side in enumerate(self.sides)]  # fmt: skip
        return tag(
            "svg",
            tag("title", title),
            tag("desc", self._described()),
            *(self._arc(side, arc, foot) for side, arc in red_last),
            *map(self._root, self.shown),
            *names,
            *(self._column(n) for n in self.shown),
            *self._cuts(),
            class_="tree",
            role="img",
            width=round(self.width),
            height=height,
            viewBox=f"0 0 {self.width:.0f} {height}",
            aria_label=title,
        )

    def _arc(self, side: int, arc: tuple[int, int, int, int], foot: int) -> Markup:
        token, n, head, level = arc
        up = -1 if side == 0 else 1
        base = self.base if side == 0 else foot
        rightwards = n > head
        # Arcs leave a word on the side they go to, and arrive in its middle.
        start, end = self.centres[head] + (5 if rightwards else -5), self.centres[n]
        top = base + up * _STEP * level
        bend = min(_BEND, abs(end - start) / 2)
        turn = bend if rightwards else -bend
        corner = top - up * bend
        path = (
            f"M{start:.1f} {base} V{corner} Q{start:.1f} {top} {start + turn:.1f} {top} "
            f"H{end - turn:.1f} Q{end:.1f} {top} {end:.1f} {corner} V{base + up * 4}"
        )
        wrong = self.sides[side].is_wrong(Layer.DEPENDENCY, token)
        label = self.sides[side].parse.labels[token]
        text = tag("text", f"\u2260 {label}" if wrong else label, x=f"{(start + end) / 2:.1f}",
                   y=f"{top + 4}", class_="relation")  # fmt: skip
        kind = "arc wrong" if wrong else "arc differs" if n in self.differing and side else "arc"
        return tag("g", tag("path", d=path, class_="line"), _arrow(end, base, up), text,
                   class_=kind)  # fmt: skip

    def _root(self, n: int) -> Markup:
        token = self.columns[n][0]
        if token is None or self.sides[0].parse.heads[token] != token:
            return Markup("")
        x = self.centres[n]
        line = tag("path", d=f"M{x:.1f} {self.base - 16} V{self.base - 4}", class_="line")
        return tag("g", line, _arrow(x, self.base, -1), class_="arc root")

    def _column(self, n: int) -> Markup:
        words = [self._word(side, n) for side in (0, 1)]
        return tag("g", *words, class_="differs" if n in self.differing else None)

    def _word(self, side: int, n: int) -> Markup | None:
        token, tree_side = self.columns[n][side], self.sides[side]
        if token is None:
            return None
        x, y = self.centres[n], self.base + side * _ROW
        word, pos, parts = tree_side.parse.words[token], tree_side.parse.tags[token], list[Markup]()
        if token in tree_side.attributes:
            width = _width(word) + 6
            parts.append(
                tag("rect", x=f"{x - width / 2:.1f}", y=y + 4, width=f"{width:.1f}", height=20,
                    rx=4, class_="edited", style=f"--h:{hue(tree_side.attributes[token])}")
            )  # fmt: skip
        wrong = tree_side.is_wrong(Layer.POS, token)
        lost = wrong or tree_side.is_wrong(Layer.DEPENDENCY, token)
        parts += [
            tag("text", word, x=f"{x:.1f}", y=y + 19, class_="word"),
            tag("text", f"\u2260 {pos}" if wrong else pos, x=f"{x:.1f}", y=y + 37,
                class_="pos wrong" if wrong else "pos"),
        ]  # fmt: skip
        return tag("g", *parts, class_="token wrong" if lost else "token")

    def _cuts(self) -> list[Markup]:
        """Dots where columns are left out."""
        cuts, y = list[float](), self.base + 19
        for a, b in pairwise([-1, *self.shown, len(self.columns)]):
            if b - a > 1:
                left = self.centres.get(b)
                cuts.append(self.width - _CUT if left is None else self._left_of(b) - _CUT / 2)
        return [tag("text", "\u2026", x=f"{x:.1f}", y=y + row * _ROW, class_="word")
                for x in cuts for row in (0, 1)]  # fmt: skip

    def _left_of(self, n: int) -> float:
        widest = max(_width(side.parse.words[token]) for side, token in self._tokens(n))
        return self.centres[n] - widest / 2 - _GAP / 2

    # -- in words -------------------------------------------------------------------------------

    def _described(self) -> str:
        """What is drawn in words: each word with tag, relation and head, and what differs."""
        return "; ".join(self._described_column(n) for n in self.shown)

    def _described_column(self, n: int) -> str:
        parts = [f"{side.parse.words[token]}: {side.read(token)}" for side, token in self._said(n)]
        differs = f" ({say('trees.differs')})" if n in self.differing else ""
        return " / ".join(parts) + differs

    def _words(self) -> Markup:
        """The whole sentence, in lines as wide as the page."""
        return tag("ol", *map(self._item, range(len(self.columns))), class_="tree-words")

    def _item(self, n: int) -> Markup:
        rows = list[Markup]()
        for side, token in self._said(n):
            words = tag("ins" if side is self.sides[1] else "b", side.parse.words[token])
            read = tag("span", side.read(token), class_="quiet")
            rows.append(tag("span", words, " ", read))
        return tag("li", *rows, class_="differs" if n in self.differing else None)

    def _tokens(self, n: int) -> list[tuple[TreeSide, int]]:
        both = zip(self.sides, self.columns[n], strict=True)
        return [(side, token) for side, token in both if token is not None]

    def _said(self, n: int) -> list[tuple[TreeSide, int]]:
        """The tokens of a column, once where both are the same."""
        tokens = self._tokens(n)
        return tokens if n in self.differing else tokens[:1]


def _columns(old: Sequence[str], new: Sequence[str]) -> list[Column]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        column
        for _, a, b, c, d in matcher.get_opcodes()
        for column in zip_longest(range(a, b), range(c, d))
    ]


def _arrow(x: float, base: int, up: int) -> Markup:
    y = base + up * 6
    return tag("path", d=f"M{x - 3.5:.1f} {y} L{x:.1f} {base} L{x + 3.5:.1f} {y} Z", class_="head")


def _width(word: str) -> float:
    """A guess at a word's width in pixels that is seldom too small."""
    narrow = sum(c in _NARROW for c in word)
    wide = sum(c in _WIDE or ord(c) > 0x2E80 for c in word)
    return (len(word) - 0.4 * narrow + 0.55 * wide) * _EM
