"""Trees side by side: the source's and the mutant's changed sentences, and why they conform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hinter_core.sentences import split_sentences
from hinter_core.trial import Check
from hinter_core.types import Judged, Layer, Parse, Sentence, Verdict
from hinter_ui.present import glossary, tree
from hinter_ui.present.markup import Markup, isolated, join, tag
from hinter_ui.present.words import SIGNS, spoken
from hinter_ui.wording import Words

_MOST_SENTENCES = 4
_HALF_PAGE = 520  # pixels

SentencePair = tuple[Sentence, Sentence]


def changed_sentences(check: Check, judged: Judged) -> list[SentencePair]:
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


def trees(check: Check, judged: Judged, parses: Mapping[str, Parse]) -> Markup:
    """The section of trees for one mutant; ``parses`` holds its changed sentences."""
    pairs = changed_sentences(check, judged)
    if not pairs:
        return tag("div", _reason(judged, (), parses), _by_count(check, judged), class_="trees")
    rows = []
    for number, (left, right) in enumerate(pairs[:_MOST_SENTENCES]):
        broken = number == 0 and not judged.conformance.kept
        rows.append(_row(judged, left, right, parses, spoken(None), broken=broken))
    more = None
    if len(pairs) > _MOST_SENTENCES:
        more = tag("p", f"{len(pairs) - _MOST_SENTENCES} more sentences changed.", class_="quiet")
    return tag("div", _reason(judged, pairs, parses), *rows, more, class_="trees")


def pair(judged: Judged, parses: Mapping[str, Parse], sides: SentencePair, say: Words) -> Markup:
    """The trees of one sentence and its mutant alone, in the language of ``say``."""
    row = _row(judged, *sides, parses, say, broken=not judged.conformance.kept)
    return tag("div", row, class_="trees")


def _reason(judged: Judged, pairs: Sequence[SentencePair], parses: Mapping[str, Parse]) -> Markup:
    answer = judged.conformance
    if not answer.kept:
        word = glossary.link("discarded", "Discarded")
        head = tag("strong", f"{SIGNS[Verdict.DISCARDED]} ", word, f" ({answer.layer}): ")
        return tag("p", head, isolated(answer.reason), ".", class_="reason lost")
    grown = max(
        (abs(len(parses[a.text].tags) - len(parses[b.text].tags)) for a, b in pairs), default=0
    )
    words = "parts of speech and relations are those of the source"
    if grown:
        more = "a token" if grown == 1 else f"{grown} tokens"
        words += f", within the tolerance for a sentence that is {more} longer or shorter"
    return tag(
        "p",
        tag("strong", "\u2713 ", glossary.link("kept", "Kept"), ": "),
        words,
        ".",
        class_="reason kept",
    )


def _row(
    judged: Judged,
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
    cards = [_card(*side, parses[side[1].text], say) for side in sides]
    # Long sentences stand one above the other, so that both show as many words as fit.
    width = max(tree.width_of(parses[s.text]) for s in (left, right))
    return tag("div", *cards, class_="tree-row wide" if width > _HALF_PAGE else "tree-row")


def _card(
    side: str,
    sentence: Sentence,
    edited: Sequence[tuple[int, int, str]],
    broken: Sequence[tuple[Layer, int]],
    parse: Parse,
    say: Words,
) -> Markup:
    marks = tree.marks_of(parse, edited, broken)
    title = say(f"trees.title_{side}", text=sentence.text)
    drawing = tree.svg(parse, marks, title, say)
    scroll = tag(
        "div",
        drawing,
        class_="tree-scroll",
        tabindex="0",
        role="region",
        aria_label=say(f"trees.scroll_{side}"),
    )
    return tag(
        "figure",
        tag("figcaption", say(f"trees.{side}"), class_="quiet"),
        scroll,
        class_="card tree-card",
    )


def _edited(
    judged: Judged, left: Sentence, right: Sentence
) -> tuple[list[tuple[int, int, str]], list[tuple[int, int, str]]]:
    source, mutant = [], []
    for s in judged.mutant.splices:
        if s.attribute and left.start <= s.start < left.end:
            source.append((s.start - left.start, s.end - left.start, s.attribute))
        if s.attribute and right.start <= s.at < right.end:
            start = s.at - right.start
            mutant.append((start, start + len(s.new), s.attribute))
    return source, mutant


def _by_count(check: Check, judged: Judged) -> Markup:
    mutant = split_sentences(judged.mutant.text)
    sides = (("source", check.plan.sentences), ("mutant", mutant))
    cards = [
        tag(
            "figure",
            tag("figcaption", f"{side}: {len(sentences)} sentences", class_="quiet"),
            tag("ol", join(tag("li", s.text, dir="auto") for s in sentences[:20])),
            class_="card tree-card",
        )
        for side, sentences in sides
    ]
    return tag("div", *cards, class_="tree-row")
