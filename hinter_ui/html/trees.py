"""Dependency trees as inline SVG, the source's beside the mutant's.

Words with tags under them and arcs with relations above. Arcs are stacked by nesting and not by
distance, so that a sentence of sixty words stays low; the SVG keeps its natural width and scrolls
inside its card.
"""

from collections.abc import Iterable, Mapping, Sequence

from hinter_core.annotation.project.types import AnnotationItem
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import TestResult
from hinter_core.relations.soft import clashes
from hinter_core.relations.validity import (
    is_ambiguous,
    person_probability,
)
from hinter_core.types import EditKind, Layer, Outcome, Parse, Sentence, Verdict
from hinter_ui.html import glossary
from hinter_ui.html.marked import Piece, differences
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.wording import SIGNS, Words, hue, listed, validity_in_words

say = Words("check")
_page = Words("annotate")

_SOFT = 0.2  # probability that is worth a sentence
_MOST = 4  # pairs of sentences
_HALF_PAGE = 520  # pixels
_LONGEST = 1_000  # characters of an item's sentence that is drawn
_NO_ATTRIBUTE = "changed"  # colours an edited word alike, whatever was changed

_STEP = 22  # height of one level of arcs
_TOP = 20
_GAP = 14
_BEND = 9
_EM = 9.9  # width of an average bold character at 15 px, in a wide font
_NARROW = frozenset("iljfrtI.,;:'!|()[]-\u2019")
_WIDE = frozenset("mwMW@%\u2014\u2026")
_SMALL_EM = 7.2  # the same at 11.5 px

SentencePair = tuple[Sentence, Sentence]
Edited = tuple[int, int, str]  # first and last character of an edited word, and its attribute


# -- a mutant of the pipeline -------------------------------------------------------------------


def changed_sentences(result: TestResult, judged: Outcome) -> list[SentencePair]:
    """Return the sentence pairs that differ, the one that broke the invariant first.

    There are no pairs where the numbers of sentences differ.
    """
    found = _differing(result.plan.sentences, split_sentences(judged.mutant.text))
    broken = judged.conformance.sentence
    return [pair for _, pair in sorted(found.items(), key=lambda item: item[0] != broken)]


def _differing(old: Sequence[Sentence], new: Sequence[Sentence]) -> dict[int, SentencePair]:
    """Return the sentence pairs that differ by index; none where the numbers differ."""
    pairs = enumerate(zip(old, new, strict=False)) if len(old) == len(new) else ()
    return {number: (a, b) for number, (a, b) in pairs if a.text != b.text}


def trees(result: TestResult, judged: Outcome, parses: Mapping[str, Parse]) -> Markup:
    """Draw the changed sentences of a mutant, whose ``parses`` are given, under the reason."""
    pairs = changed_sentences(result, judged)
    published = result.plan.settings.published
    reason = join(
        [_reason(judged, pairs, parses, published), _clash(result.plan.text, judged),
         _validity(result.plan, judged)]
    )  # fmt: skip
    if not pairs:
        return tag("div", reason, _by_count(result, judged), class_="trees")
    rows = [
        _row(judged, left, right, parses, broken=number == 0 and not judged.conformance.kept)
        for number, (left, right) in enumerate(pairs[:_MOST])
    ]
    left_out = len(pairs) - _MOST
    more = tag("p", say.count("trees.more", left_out), class_="quiet") if left_out > 0 else None
    return tag("div", reason, *rows, more, class_="trees")


def pair(judged: Outcome, parses: Mapping[str, Parse], sides: SentencePair) -> Markup:
    """Draw one sentence and its mutant alone."""
    row = _row(judged, *sides, parses, broken=not judged.conformance.kept)
    return tag("div", row, class_="trees")


def _clash(text: str, judged: Outcome) -> Markup:
    words = ", ".join(f"\u201c{word}\u201d" for word in clashes(text, judged.mutant)[:3])
    if not words or not judged.conformance.kept:
        return Markup("")
    return tag("p", "\u26a0 ", say("trees.clash", words=words), class_="reason clash")


def _validity(plan: Plan, judged: Outcome) -> Markup:
    found, person = judged.validity, person_probability(plan.text, judged.mutant)
    words = [f"\u201c{e.source.text}\u201d" for e in judged.mutant.edits if is_ambiguous(e.source)]
    why = "trees.ambiguous" if words else "trees.clear"
    if person is not None and person < 1 / 2:
        why = "trees.doubtful"
    elif found.soft > max(found.unfair, _SOFT):
        why = "trees.maybe_soft"
    said = tag("strong", glossary.sentence(say, "trees.validity", grades=validity_in_words(*found)))
    why = why if judged.conformance.kept else "trees.not_kept"
    more = glossary.sentence(say, why, named=listed(words, "or"))
    return tag("p", said, " ", more, class_="reason validity")


def _reason(
    judged: Outcome, pairs: Sequence[SentencePair], parses: Mapping[str, Parse], published: bool
) -> Markup:
    answer = judged.conformance
    if not answer.kept:
        head = glossary.sentence(say, "trees.discarded", layer=answer.layer)
        sign = f"{SIGNS[Verdict.DISCARDED]} "
        return tag("p", tag("strong", sign, head), " ", isolated(answer.reason), ".",
                   class_="reason lost")  # fmt: skip
    grown = max(
        (abs(len(parses[a.text].tags) - len(parses[b.text].tags)) for a, b in pairs), default=0
    )
    head = glossary.sentence(say, "trees.kept")
    if any(edit.change.kind is not EditKind.SUBSTITUTE for edit in judged.mutant.edits):
        return tag("p", tag("strong", "\u2713 ", head), " ", say("trees.stays"),
                   class_="reason kept")  # fmt: skip
    if not published:
        return tag("p", tag("strong", "\u2713 ", head), " ", say("trees.forms"),
                   class_="reason kept")  # fmt: skip
    why = say.count("trees.grown", grown) if grown else say("trees.same")
    return tag("p", tag("strong", "\u2713 ", head), " ", why, class_="reason kept")


def _row(
    judged: Outcome, left: Sentence, right: Sentence, parses: Mapping[str, Parse], *, broken: bool
) -> Markup:
    mismatches = judged.conformance.mismatches if broken else ()
    edited = [splice for splice in judged.mutant.splices if splice.attribute]
    cards = []
    for side, sentence, spans, lost in (
        ("source", left, [(s.start, s.end, s.attribute) for s in edited],
         [(m.layer, m.source_index) for m in mismatches]),
        ("mutant", right, [(s.at, s.at + len(s.new), s.attribute) for s in edited],
         [(m.layer, m.mutant_index) for m in mismatches]),
    ):  # fmt: skip
        title = say(f"trees.title_{side}", text=sentence.text)
        tree = Tree(parses[sentence.text], _inside(sentence, spans), lost)
        cards.append((say(f"trees.{side}"), say(f"trees.scroll_{side}"), title, tree))
    return _beside(cards)


def _beside(cards: Sequence[tuple[str, str, str, "Tree"]]) -> Markup:
    """Cards side by side, from caption label, title and tree of each."""
    figures = []
    for caption, label, title, tree in cards:
        scroll = tag("div", tree.svg(title), class_="tree-scroll", tabindex="0", role="region",
                     aria_label=label)  # fmt: skip
        head = tag("figcaption", caption, class_="quiet")
        figures.append(tag("figure", head, scroll, class_="card tree-card"))
    # Long sentences stand one above the other, so that both show as many words as fit.
    wide = max(tree.width for *_, tree in cards) > _HALF_PAGE
    return tag("div", *figures, class_="tree-row wide" if wide else "tree-row")


def _by_count(result: TestResult, judged: Outcome) -> Markup:
    mutant = split_sentences(judged.mutant.text)
    cards = []
    for side, sentences in (("source", result.plan.sentences), ("mutant", mutant)):
        words = say.count(f"trees.{side}_sentences", len(sentences))
        lines = tag("ol", join(tag("li", s.text, dir="auto") for s in sentences[:20]))
        cards.append(
            tag("figure", tag("figcaption", words, class_="quiet"), lines, class_="card tree-card")
        )
    return tag("div", *cards, class_="tree-row")


# -- an item of annotators ----------------------------------------------------------------------


def pair_trees(item: AnnotationItem, parses: ParseStore) -> Markup:
    """Draw the sentences of an item that differ, for an annotator's page.

    Raises:
        ParserError: they cannot be parsed.
    """
    pairs, none = _pairs(item)
    if none:
        return tag("p", _page(f"screen.{none}"), class_="quiet")
    parsed = parses.parse(sentence.text for pair in pairs[:_MOST] for sentence in pair)
    old, new = (_changed(pieces) for pieces in differences(item.source, item.mutant, item.edits))
    rows = []
    for left, right in pairs[:_MOST]:
        cards = []
        for side, sentence, spans in (("tree_source", left, old), ("tree_mutant", right, new)):
            caption = _page(f"screen.{side}")
            title = _page("screen.tree_title", side=caption, sentence=sentence.text)
            tree = Tree(parsed[sentence.text], _inside(sentence, spans))
            cards.append((caption, caption, title, tree))
        rows.append(_beside(cards))
    more = None
    if len(pairs) > _MOST:
        more = tag("p", _page("screen.tree_more", n=len(pairs) - _MOST), class_="quiet")
    return tag("div", *rows, more, class_="trees")


def _pairs(item: AnnotationItem) -> tuple[list[SentencePair], str]:
    """Return the sentences that differ, or the key of why there are none to show."""
    old, new = split_sentences(item.source), split_sentences(item.mutant)
    if item.source and len(old) != len(new):
        return [], "trees_many"
    found = _differing(old, new).values() if item.source else ()
    pairs = [pair for pair in found if max(len(side.text) for side in pair) <= _LONGEST]
    return pairs, "" if pairs else "trees_none"


def _changed(pieces: Iterable[Piece]) -> list[Edited]:
    spans, at = [], 0
    for piece in pieces:
        if piece.changed:
            spans.append((at, at + len(piece.text), _NO_ATTRIBUTE))
        at += len(piece.text)
    return spans


def _inside(sentence: Sentence, spans: Iterable[Edited]) -> list[Edited]:
    """Return the spans of a text that touch a sentence, by their offsets in it."""
    return [
        (max(start, sentence.start) - sentence.start, end - sentence.start, attribute)
        for start, end, attribute in spans
        if start < sentence.end and end > sentence.start
    ]


# -- one tree -----------------------------------------------------------------------------------


class Tree:
    """The drawing of one sentence's parse.

    ``edited`` are spans of characters with their attributes, ``broken`` the tokens where a layer of
    the invariant was broken. ``width`` is the natural width in pixels.
    """

    def __init__(
        self, parse: Parse, edited: Iterable[Edited] = (), broken: Iterable[tuple[Layer, int]] = ()
    ) -> None:
        self.parse = parse
        self.attributes = {
            i: attribute
            for start, end, attribute in edited
            for i, (a, b) in enumerate(parse.spans)
            if a < end and start < b
        }
        lost = list(broken)
        self.tags = {i for layer, i in lost if layer is Layer.POS}
        self.labels = {i for layer, i in lost if layer is Layer.DEPENDENCY}
        self.centres, self.width = self._laid_out()
        self.levels = self._levels()
        self.base = _TOP + _STEP * max(self.levels.values(), default=1) + 8

    def svg(self, title: str) -> Markup:
        """The tree, with a title and a description for those who hear it."""
        parse = self.parse
        if not parse.words:
            return tag("p", say("trees.empty"), class_="quiet")
        height = self.base + 46
        red_last = sorted(self.levels, key=lambda token: token in self.labels)
        return tag(
            "svg",
            tag("title", title),
            tag("desc", self._described()),
            *map(self._arc, red_last),
            *(self._root(i) for i, head in enumerate(parse.heads) if head == i),
            *map(self._word, range(len(parse.words))),
            class_="tree",
            role="img",
            width=round(self.width),
            height=height,
            viewBox=f"0 0 {self.width:.0f} {height}",
            aria_label=title,
        )

    def _laid_out(self) -> tuple[list[float], float]:
        """The middle of every word, and the width of all."""
        parse, centres, right = self.parse, list[float](), 0.0
        for i, word in enumerate(parse.words):
            need = max(_width(word), len(parse.tags[i]) * _SMALL_EM + 14, 26.0)
            centre = right + _GAP + need / 2
            for token, head in ((i, i - 1), (i - 1, i)):
                if i and parse.heads[token] == head:  # a short arc has room for its label
                    room = len(parse.labels[token]) * _SMALL_EM + 30
                    centre = max(centre, centres[-1] + room)
            centres.append(centre)
            right = centre + need / 2
        return centres, right + _GAP

    def _levels(self) -> dict[int, int]:
        """The level of each token's arc, short ones first, above those within it or crossing it."""
        heads = self.parse.heads
        ends = {i: (min(i, head), max(i, head)) for i, head in enumerate(heads) if head != i}
        levels: dict[int, int] = {}
        for token in sorted(ends, key=lambda i: (ends[i][1] - ends[i][0], ends[i][0])):
            low, high = ends[token]
            under = [n for i, n in levels.items() if ends[i][0] < high and low < ends[i][1]]
            levels[token] = 1 + max(under, default=0)
        return levels

    def _arc(self, token: int) -> Markup:
        base, head, label = self.base, self.parse.heads[token], self.parse.labels[token]
        rightwards = token > head
        # Arcs leave a word on the side they go to, and arrive in its middle.
        start = self.centres[head] + (5 if rightwards else -5)
        end = self.centres[token]
        top = base - _STEP * self.levels[token]
        bend = min(_BEND, abs(end - start) / 2)
        turn = bend if rightwards else -bend
        path = (
            f"M{start:.1f} {base} V{top + bend:.1f} Q{start:.1f} {top} {start + turn:.1f} {top} "
            f"H{end - turn:.1f} Q{end:.1f} {top} {end:.1f} {top + bend:.1f} V{base - 4}"
        )
        wrong = token in self.labels
        words = f"\u2260 {label}" if wrong else label
        text = tag("text", words, x=f"{(start + end) / 2:.1f}", y=f"{top + 4}", class_="relation")
        line = tag("path", d=path, class_="line")
        return tag("g", line, self._arrow(end, class_="head"), text,
                   class_="arc wrong" if wrong else "arc")  # fmt: skip

    def _arrow(self, x: float, **attributes: str) -> Markup:
        y = self.base - 6
        path = f"M{x - 3.5:.1f} {y} L{x:.1f} {self.base} L{x + 3.5:.1f} {y} Z"
        return tag("path", d=path, **attributes)

    def _root(self, token: int) -> Markup:
        x = self.centres[token]
        line = tag("path", d=f"M{x:.1f} {self.base - 16} V{self.base - 4}", class_="line")
        return tag("g", line, self._arrow(x), class_="arc root")

    def _word(self, i: int) -> Markup:
        x, base, word, pos = self.centres[i], self.base, self.parse.words[i], self.parse.tags[i]
        parts: list[Markup] = []
        if i in self.attributes:
            width = _width(word) + 6
            parts.append(
                tag("rect", x=f"{x - width / 2:.1f}", y=base + 4, width=f"{width:.1f}", height=20,
                    rx=4, class_="edited", style=f"--h:{hue(self.attributes[i])}")
            )  # fmt: skip
        wrong = i in self.tags
        parts += [
            tag("text", word, x=f"{x:.1f}", y=base + 19, class_="word"),
            tag("text", f"\u2260 {pos}" if wrong else pos, x=f"{x:.1f}", y=base + 38,
                class_="pos wrong" if wrong else "pos"),
        ]  # fmt: skip
        return tag("g", *parts, class_="token wrong" if self._broken(i) else "token")

    def _broken(self, i: int) -> bool:
        return i in self.tags or i in self.labels

    def _described(self) -> str:
        """The tree in words: each word with tag, relation and head."""
        parse, parts = self.parse, []
        for i, (word, head) in enumerate(zip(parse.words, parse.heads, strict=True)):
            relation = say("trees.root")
            if head != i:
                relation = say("trees.of", relation=parse.labels[i], word=parse.words[head])
            wrong = f" ({say('trees.differs')})" if self._broken(i) else ""
            parts.append(f"{word}: {parse.tags[i]}, {relation}{wrong}")
        return "; ".join(parts)


def _width(word: str) -> float:
    """A guess at a word's width in pixels that is seldom too small."""
    narrow = sum(c in _NARROW for c in word)
    wide = sum(c in _WIDE or ord(c) > 0x2E80 for c in word)
    return (len(word) - 0.4 * narrow + 0.55 * wide) * _EM
