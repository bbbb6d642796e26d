"""Trees side by side: the source's and the mutant's changed sentences, and why they conform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hinter_core.annotation.project.types import AnnotationItem
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences
from hinter_core.pipeline.case import TestResult
from hinter_core.types import Outcome, Parse, Sentence, Verdict
from hinter_ui.html import glossary, tree
from hinter_ui.html.difference import Piece, differences
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.wording import Words
from hinter_ui.html.words import SIGNS, spoken

_MOST = 4  # pairs of sentences
_HALF_PAGE = 520  # pixels

SentencePair = tuple[Sentence, Sentence]


def changed_sentences(check: TestResult, judged: Outcome) -> list[SentencePair]:
    """Sentence pairs that differ, the one that broke the invariant first.

    Where the numbers of sentences differ there are no pairs.
    """
    source = check.plan.sentences
    mutant = split_sentences(judged.mutant.text)
    if len(source) != len(mutant):
        return []
    pairs = [
        (left, right, number == judged.conformance.sentence)
        for number, (left, right) in enumerate(zip(source, mutant, strict=True))
        if left.text != right.text
    ]
    return [(left, right) for left, right, _ in sorted(pairs, key=lambda p: not p[2])]


def trees(
    check: TestResult, judged: Outcome, parses: Mapping[str, Parse], say: Words | None = None
) -> Markup:
    """The section of trees for one mutant; ``parses`` holds its changed sentences."""
    say = spoken(say)
    pairs = changed_sentences(check, judged)
    reason = _reason(judged, pairs, parses, say)
    if not pairs:
        return tag("div", reason, _by_count(check, judged, say), class_="trees")
    rows = []
    for number, (left, right) in enumerate(pairs[:_MOST]):
        broken = number == 0 and not judged.conformance.kept
        rows.append(_row(judged, left, right, parses, say, broken=broken))
    left_out = len(pairs) - _MOST
    more = tag("p", say.count("trees.more", left_out), class_="quiet") if left_out > 0 else None
    return tag("div", reason, *rows, more, class_="trees")


def pair(judged: Outcome, parses: Mapping[str, Parse], sides: SentencePair, say: Words) -> Markup:
    """The trees of one sentence and its mutant alone, in the language of ``say``."""
    row = _row(judged, *sides, parses, say, broken=not judged.conformance.kept)
    return tag("div", row, class_="trees")


def _reason(
    judged: Outcome, pairs: Sequence[SentencePair], parses: Mapping[str, Parse], say: Words
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
    why = say.count("trees.grown", grown) if grown else say("trees.same")
    return tag("p", tag("strong", "\u2713 ", head), " ", why, class_="reason kept")


def _row(
    judged: Outcome,
    left: Sentence,
    right: Sentence,
    parses: Mapping[str, Parse],
    say: Words,
    *,
    broken: bool,
) -> Markup:
    mismatches = judged.conformance.mismatches if broken else ()
    source_edits, mutant_edits = _edited(judged, left, right)
    sides = (
        ("source", left, source_edits, [(m.layer, m.source_index) for m in mismatches]),
        ("mutant", right, mutant_edits, [(m.layer, m.mutant_index) for m in mismatches]),
    )
    cards = []
    for side, sentence, edited, lost in sides:
        parse = parses[sentence.text]
        marks = tree.marks_of(parse, edited, lost)
        drawing = tree.svg(parse, marks, say(f"trees.title_{side}", text=sentence.text), say)
        cards.append(_card(say(f"trees.{side}"), say(f"trees.scroll_{side}"), drawing))
    return _beside(cards, parses, left, right)


def _card(caption: str, spoken: str, drawing: Markup) -> Markup:
    scroll = tag("div", drawing, class_="tree-scroll", tabindex="0", role="region",
                 aria_label=spoken)  # fmt: skip
    head = tag("figcaption", caption, class_="quiet")
    return tag("figure", head, scroll, class_="card tree-card")


def _beside(
    cards: Sequence[Markup], parses: Mapping[str, Parse], left: Sentence, right: Sentence
) -> Markup:
    # Long sentences stand one above the other, so that both show as many words as fit.
    width = max(tree.width_of(parses[s.text]) for s in (left, right))
    return tag("div", *cards, class_="tree-row wide" if width > _HALF_PAGE else "tree-row")


def _edited(
    judged: Outcome, left: Sentence, right: Sentence
) -> tuple[list[tuple[int, int, str]], list[tuple[int, int, str]]]:
    source, mutant = [], []
    for s in judged.mutant.splices:
        if s.attribute and left.start <= s.start < left.end:
            source.append((s.start - left.start, s.end - left.start, s.attribute))
        if s.attribute and right.start <= s.at < right.end:
            start = s.at - right.start
            mutant.append((start, start + len(s.new), s.attribute))
    return source, mutant


def _by_count(check: TestResult, judged: Outcome, say: Words) -> Markup:
    mutant = split_sentences(judged.mutant.text)
    sides = (("source", check.plan.sentences), ("mutant", mutant))
    cards = [
        tag(
            "figure",
            tag("figcaption", say.count(f"trees.{side}_sentences", len(sentences)), class_="quiet"),
            tag("ol", join(tag("li", s.text, dir="auto") for s in sentences[:20])),
            class_="card tree-card",
        )
        for side, sentences in sides
    ]
    return tag("div", *cards, class_="tree-row")


_LONGEST = 1_000  # characters of a sentence that is drawn
_NO_ATTRIBUTE = "changed"  # colours an edited word alike, whatever was changed


def pair_trees(item: AnnotationItem, parses: ParseStore, words: Words) -> Markup:
    """The sentences of an item that differ, each with its tree.

    Raises:
        ParserError: they cannot be parsed.
    """
    pairs, told = _pairs(item)
    if told:
        return tag("p", words(f"screen.{told}"), class_="quiet")
    shown = pairs[:_MOST]
    texts = [sentence.text for pair in shown for sentence in pair]
    parsed = parses.parse(texts)
    old, new = (_changed(pieces) for pieces in differences(item.source, item.mutant, item.edits))
    rows = []
    for left, right in shown:
        cards = [
            _drawn(words, "tree_source", left, parsed[left.text], old),
            _drawn(words, "tree_mutant", right, parsed[right.text], new),
        ]
        rows.append(_beside(cards, parsed, left, right))
    more = None
    if len(pairs) > _MOST:
        more = tag("p", words("screen.tree_more", n=len(pairs) - _MOST), class_="quiet")
    return tag("div", *rows, more, class_="trees")


def _pairs(item: AnnotationItem) -> tuple[list[SentencePair], str]:
    """Sentences that differ, or why there are none to show."""
    if not item.source:
        return [], "trees_none"
    old, new = split_sentences(item.source), split_sentences(item.mutant)
    if len(old) != len(new):
        return [], "trees_many"
    pairs = [
        (left, right)
        for left, right in zip(old, new, strict=True)
        if left.text != right.text and max(len(left.text), len(right.text)) <= _LONGEST
    ]
    return pairs, "" if pairs else "trees_none"


def _changed(pieces: list[Piece]) -> list[tuple[int, int]]:
    spans, at = [], 0
    for piece in pieces:
        if piece.changed:
            spans.append((at, at + len(piece.text)))
        at += len(piece.text)
    return spans


def _drawn(
    words: Words, side: str, sentence: Sentence, parse: Parse, spans: list[tuple[int, int]]
) -> Markup:
    inside = [
        (max(start, sentence.start) - sentence.start, end - sentence.start, _NO_ATTRIBUTE)
        for start, end in spans
        if start < sentence.end and end > sentence.start
    ]
    caption = words(f"screen.{side}")
    title = words("screen.tree_title", side=caption, sentence=sentence.text)
    drawing = tree.svg(parse, tree.marks_of(parse, inside, ()), title)
    return _card(caption, caption, drawing)
