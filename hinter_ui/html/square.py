"""The intersectional square: the original, its parts and the whole, each with its answer.

At order 2 these are four cards; at order 3 the eight of the lattice; an atomic mutant has two.
"""

from __future__ import annotations

from collections.abc import Sequence

from hinter_core.mutation.lattice import subsets
from hinter_core.pipeline.case import TestResult
from hinter_core.types import Edit, Outcome, Prediction, Sentence, Splice, Verdict
from hinter_ui.html import glossary
from hinter_ui.html.charts import bars
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.wording import Words
from hinter_ui.html.words import (
    SIGNS,
    answer_of,
    capital,
    hue,
    in_order,
    name_of,
    product,
    signed,
    spoken,
    term,
)

_LONG = 300  # characters; longer texts show the sentences that change
_LONGEST_REPLY = 2_000  # characters


def square(check: TestResult, judged: Outcome, model: str, say: Words | None = None) -> Markup:
    """All cards of one mutant for one model, in the language of ``say``."""
    say = spoken(say)
    edits = in_order(judged.mutant.edits, check.plan.attributes)
    cards = [_original_card(check, edits, model, say)]
    told = False
    for part in subsets(edits):
        result = check.find(model, part)
        told |= bool(result and result.effect and result.effect.interaction is not None)
        whole = len(part) == len(edits)
        cards.append(_card(check, part, result, say, whole=whole, model=model))
    legend = tag("p", glossary.sentence(say, "square.legend"), class_="quiet") if told else None
    kind = f"square order-{len(edits)}"
    heading = tag("h2", say("square.title"), class_="sr-only")
    return tag("div", heading, tag("div", *cards, class_=kind), legend, class_="square-wrap")


def original(check: TestResult, model: str, say: Words | None = None) -> Markup:
    """The card of the unchanged text alone."""
    card = _original_card(check, (), model, spoken(say))
    return tag("div", tag("div", card, class_="square order-1"), class_="square-wrap")


def _original_card(check: TestResult, edits: Sequence[Edit], model: str, say: Words) -> Markup:
    prediction = check.originals[model]
    marks = _source_marks(check.plan.text, edits)
    body = _text(check.plan.text, marks, check.plan.sentences, say, original=True)
    foot = tag("p", say("square.source"), class_="foot")
    return _frame(say("square.original"), body, prediction, None, foot, "", say)


def _source_marks(text: str, edits: Sequence[Edit]) -> list[Splice]:
    spans = sorted((start, end, e.attribute) for e in edits for start, end in e.spans)
    return [Splice(a, b, text[a:b], "", 0, attribute) for a, b, attribute in spans]


def _card(
    check: TestResult,
    part: Sequence[Edit],
    judged: Outcome | None,
    say: Words,
    *,
    whole: bool,
    model: str,
) -> Markup:
    names = product([name_of(edit.attribute, say) for edit in part])
    title = capital(say("square.only", name=capital(names)) if len(part) == 1 else names)
    if judged is None:
        foot = tag("p", say("square.untried"), class_="foot")
        return _frame(title, Markup(""), None, None, foot, "", say)
    body = _text(check.plan.text, judged.mutant.splices, check.plan.sentences, say)
    verdict = judged.verdict
    frame = verdict.value if whole or verdict in (Verdict.BIASED, Verdict.HIDDEN) else ""
    if whole:
        frame += " whole"
    original = check.originals[model]
    return _frame(title, body, judged.prediction, original, _foot(judged, say), frame, say)


def _frame(
    title: str,
    body: Markup,
    prediction: Prediction | None,
    original: Prediction | None,
    foot: Markup,
    frame: str,
    say: Words,
) -> Markup:
    flipped = (
        prediction is not None
        and original is not None
        and prediction.answered
        and original.answered
        and set(prediction.labels) != set(original.labels)
    )
    label = tag(
        "span",
        isolated(answer_of(prediction, say)),
        class_="answer flipped" if flipped else "answer",
    )
    head = tag("header", tag("h3", title), label)
    scores = bars(prediction, flipped=flipped, say=say)
    said = _reply(prediction, say)
    return tag("article", head, body, scores, said, foot, class_=f"card cell {frame}".strip())


def _reply(prediction: Prediction | None, say: Words) -> Markup | None:
    """What a generative model said, word by word, where it said more than the label."""
    if prediction is None or prediction.reply.strip() in ("", *prediction.labels):
        return None
    said = tag("blockquote", isolated(prediction.reply.strip()[:_LONGEST_REPLY]))
    return tag("details", tag("summary", say("square.said")), said, class_="reply")


def _foot(judged: Outcome, say: Words) -> Markup:
    if not judged.conformance.kept:
        reason = isolated(judged.conformance.reason)
        sign = f"{SIGNS[Verdict.DISCARDED]} {say('square.discarded')}"
        return tag("p", tag("strong", sign), ": ", reason, class_="foot")
    parts: list[Markup | str] = [f"\u2713 {say('square.valid')}"]
    shift = f" ({signed(judged.effect.shift)})" if judged.effect else ""
    match judged.verdict:
        case Verdict.UNANSWERED:
            parts.append(tag("strong", f"{SIGNS[judged.verdict]} {say('square.unanswered')}"))
        case Verdict.BENIGN:
            parts.append(f"{say('square.same')}{shift}")
        case _:
            words = f"{SIGNS[judged.verdict]} {say('square.flips')}"
            flips = tag("strong", words, class_="alarm")
            parts.append(join([flips, shift]))
    if judged.effect and judged.effect.interaction is not None:
        parts.append(say("square.interaction", value=signed(judged.effect.interaction)))
    return tag("p", join(parts, " \u00b7 "), class_="foot")


def _text(
    text: str,
    splices: Sequence[Splice],
    sentences: Sequence[Sentence],
    say: Words,
    *,
    original: bool = False,
) -> Markup:
    """The text with its edits marked; a long one is cut to the sentences that change."""
    whole = _pieces(text, splices, 0, len(text), say, original=original)
    if len(text) <= _LONG:
        return tag("p", whole, class_="mutant", dir="auto")
    windows = _windows(splices, sentences)
    parts: list[Markup | str] = []
    position = 0
    for start, end in windows:
        if text[position:start].strip():
            gap = " \u2026 " if position else "\u2026 "
            parts.append(tag("span", gap, class_="gap", title=say("square.gap")))
        parts.append(_pieces(text, splices, start, end, say, original=original))
        position = end
    if text[position:].strip():
        parts.append(tag("span", " \u2026", class_="gap", title=say("square.gap")))
    full = tag("details", tag("summary", say("square.whole")), tag("p", whole, dir="auto"))
    return tag("div", tag("p", join(parts), class_="mutant", dir="auto"), full)


def _windows(splices: Sequence[Splice], sentences: Sequence[Sentence]) -> list[tuple[int, int]]:
    touched = [
        (s.start, s.end) for s in sentences if any(s.start <= x.start < s.end for x in splices)
    ]
    merged: list[tuple[int, int]] = []
    for start, end in touched:
        if merged and start - merged[-1][1] <= 2:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def _pieces(
    text: str, splices: Sequence[Splice], start: int, end: int, say: Words, *, original: bool
) -> Markup:
    parts: list[Markup | str] = []
    position = start
    for splice in splices:
        if not start <= splice.start < end:
            continue
        parts.append(text[position : splice.start])
        parts.append(_mark(splice, say, original=original))
        position = splice.end
    parts.append(text[position:end])
    return join(parts)


def _mark(splice: Splice, say: Words, *, original: bool) -> Markup:
    if original:
        return term(splice.old, splice.attribute, say=say)
    old = tag("del", splice.old)
    if not splice.attribute:  # a mended article
        return join([old, " ", tag("ins", splice.new, class_="article")])
    name = tag("span", f" ({name_of(splice.attribute, say)})", class_="sr-only")
    new = tag("ins", splice.new, name, class_="term", style=f"--h:{hue(splice.attribute)}")
    return join([old, " ", new])
