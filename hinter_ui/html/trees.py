"""Why a mutant counts: its changed sentences drawn, under the reason."""

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
from hinter_core.types import EditKind, Outcome, Parse, Sentence, Verdict
from hinter_ui.html import glossary
from hinter_ui.html.aligned import Aligned, Edited, TreeSide
from hinter_ui.html.marked import Piece, differences
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.wording import SIGNS, Words, listed, quoted, translated, validity_in_words

say = Words("check")
_page = Words("annotate")

_SOFT = 0.2  # probability that is worth a sentence
_MOST = 4  # pairs of sentences
_LONGEST = 1_000  # characters of an item's sentence that is drawn
_NO_ATTRIBUTE = "changed"  # colours an edited word alike, whatever was changed

SentencePair = tuple[Sentence, Sentence]


# -- a mutant of the pipeline -------------------------------------------------------------------


def changed_sentences(result: TestResult, judged: Outcome) -> list[SentencePair]:
    """Return the sentence pairs that differ, the one that broke the invariant first.

    There are no pairs where the numbers of sentences differ.
    """
    changed = _differing(result.plan.sentences, split_sentences(judged.mutant.text))
    broken = judged.conformance.sentence
    return [pair for _, pair in sorted(changed.items(), key=lambda item: item[0] != broken)]


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
    words = ", ".join(quoted(word) for word in clashes(text, judged.mutant)[:3])
    if not words or not judged.conformance.kept:
        return Markup("")
    return tag("p", "\u26a0 ", say("trees.clash", words=words), class_="reason clash")


def _validity(plan: Plan, judged: Outcome) -> Markup:
    validity, person = judged.validity, person_probability(plan.text, judged.mutant, plan.people)
    words = [quoted(e.source.text) for e in judged.mutant.edits if is_ambiguous(e.source)]
    why = "trees.ambiguous" if words else "trees.clear"
    if person is not None and person < 1 / 2:
        why = "trees.doubtful"
    elif validity.soft > max(validity.unfair, _SOFT):
        why = "trees.maybe_soft"
    said = tag(
        "strong", glossary.sentence(say, "trees.validity", grades=validity_in_words(*validity))
    )
    why = why if judged.conformance.kept else "trees.not_kept"
    more = glossary.sentence(say, why, named=listed(words, "or"))
    return tag("p", said, " ", more, class_="reason validity")


def _reason(
    judged: Outcome, pairs: Sequence[SentencePair], parses: Mapping[str, Parse], published: bool
) -> Markup:
    answer = judged.conformance
    if not answer.kept:
        head = glossary.sentence(say, "trees.discarded", layer=translated(str(answer.layer)))
        sign = f"{SIGNS[Verdict.DISCARDED]} "
        return tag("p", tag("strong", sign, head), " ", isolated(translated(answer.reason)), ".",
                   class_="reason lost")  # fmt: skip
    grown = max(
        (abs(len(parses[a.text].tags) - len(parses[b.text].tags)) for a, b in pairs), default=0
    )
    if any(edit.change.kind is not EditKind.SUBSTITUTE for edit in judged.mutant.edits):
        why = say("trees.stays")
    elif not published:
        why = say("trees.forms")
    else:
        why = say.count("trees.grown", grown) if grown else say("trees.same")
    head = glossary.sentence(say, "trees.kept")
    return tag("p", tag("strong", "\u2713 ", head), " ", why, class_="reason kept")


def _row(
    judged: Outcome, left: Sentence, right: Sentence, parses: Mapping[str, Parse], *, broken: bool
) -> Markup:
    mismatches = judged.conformance.mismatches if broken else ()
    edited = [splice for splice in judged.mutant.splices if splice.attribute]
    old = _inside(left, [(s.start, s.end, s.attribute) for s in edited])
    new = _inside(right, [(s.at, s.at + len(s.new), s.attribute) for s in edited])
    lost = [(m.layer, m.source_index) for m in mismatches]
    gone = [(m.layer, m.mutant_index) for m in mismatches]
    one = TreeSide(say("trees.source"), left.text, parses[left.text], old, lost)
    other = TreeSide(say("trees.mutant"), right.text, parses[right.text], new, gone)
    return Aligned(one, other).figure()


def _by_count(result: TestResult, judged: Outcome) -> Markup:
    mutant = split_sentences(judged.mutant.text)
    cards = []
    for side, sentences in (("source", result.plan.sentences), ("mutant", mutant)):
        words = say.count(f"trees.{side}_sentences", len(sentences))
        lines = tag("ol", join(tag("li", s.text, dir="auto") for s in sentences[:20]))
        cards.append(
            tag("figure", tag("figcaption", words, class_="quiet"), lines, class_="card tree-card")
        )
    return tag("div", *cards, class_="tree-pair")


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

    def side(name: str, one: Sentence, spans: Sequence[Edited]) -> TreeSide:
        return TreeSide(_page(name), one.text, parsed[one.text], _inside(one, spans))

    rows = [
        Aligned(side("screen.tree_source", a, old), side("screen.tree_mutant", b, new)).figure()
        for a, b in pairs[:_MOST]
    ]
    left = len(pairs) - _MOST
    more = tag("p", _page("screen.tree_more", n=left), class_="quiet") if left > 0 else None
    return tag("div", *rows, more, class_="trees")


def _pairs(item: AnnotationItem) -> tuple[list[SentencePair], str]:
    """Return the sentences that differ, or the key of why there are none to show."""
    old, new = split_sentences(item.source), split_sentences(item.mutant)
    if item.source and len(old) != len(new):
        return [], "trees_many"
    differing = _differing(old, new).values() if item.source else ()
    pairs = [pair for pair in differing if max(len(side.text) for side in pair) <= _LONGEST]
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
