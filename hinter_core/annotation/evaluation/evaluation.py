"""Everything that a project's judgements say: agreement, people, disputes, the invariant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hinter_core.annotation.evaluation.agreement import (
    Agreement,
    Between,
    OnQuestion,
    Quality,
    agreements,
    qualities,
)
from hinter_core.annotation.evaluation.invariant import (
    Score,
    against_people,
    score_section,
    true_positive_section,
)
from hinter_core.annotation.evaluation.ratings import (
    Consensus,
    disputed,
    majority_votes,
    ratings_of,
    validity,
)
from hinter_core.annotation.evaluation.true_positives import TruePositives, true_positives
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import (
    AnnotationError,
    AnnotationItem,
    Judgement,
    Project,
    Question,
    Status,
)
from hinter_core.report.section import Section, joined
from hinter_core.statistics.format import coefficient_in_short, coefficient_in_words, percent
from hinter_core.statistics.format import rate_in_words as rate_in_words


@dataclass(frozen=True)
class Evaluation:
    """A project's judgements in numbers.

    ``questions``: those that count. ``judgements``: that were made, hidden repeats among them.
    ``valid``, ``broken`` and ``undecided``: items by what people say together. ``decided``: answers
    that the owner decided. ``disputed``: answers that differ, the most disputed first.
    """

    project: str
    questions: list[str]
    items: int
    judgements: int
    annotators: list[str]
    valid: int
    broken: int
    undecided: int
    decided: int
    agreements: list[Agreement]
    qualities: list[Quality]
    disputed: list[Consensus]
    scores: list[Score]
    true_positives: list[TruePositives]


def evaluate(store: AnnotationStore, question: str = "") -> Evaluation:
    """A project in numbers; with ``question``, as if it had asked nothing else.

    Raises:
        AnnotationError: no such question, or a project that cannot be read.
    """
    project, items = store.project(), list(store.items())
    judgements, decisions = list(store.judgements()), store.adjudications()
    return evaluation(project, items, judgements, decisions, question)


def evaluation(
    project: Project,
    items: Sequence[AnnotationItem],
    judgements: Sequence[Judgement],
    decisions: dict[tuple[str, str], str],
    question: str = "",
) -> Evaluation:
    """The same of plain values, wherever they come from.

    Raises:
        AnnotationError: no such question.
    """
    questions = _asked(project, question)
    names = {one.id for one in questions}
    ratings = [one for one in ratings_of(judgements) if one.question in names]
    decisions = {key: value for key, value in decisions.items() if key[1] in names}
    found = majority_votes(ratings, decisions)
    valid = list(validity(items, questions, found).values())
    return Evaluation(
        project.name,
        [one.id for one in questions],
        len(items),
        sum(one.status is Status.JUDGED for one in judgements),
        sorted({one.annotator for one in judgements}),
        valid.count(True),
        valid.count(False),
        valid.count(None),
        len(decisions),
        agreements(ratings, questions, items),
        qualities(judgements, questions),
        disputed(found),
        against_people(items, questions, ratings, found),
        true_positives(items, questions, ratings),
    )


def _asked(project: Project, question: str) -> list[Question]:
    found = [one for one in project.questions if question in ("", one.id)]
    if not found:
        there = ", ".join(one.id for one in project.questions)
        raise AnnotationError(
            f"There is no question '{question}' in project \u201c{project.name}\u201d; choose one "
            f"of: {there}."
        )
    return found


_DISPUTED = 20  # disagreements shown; all are in JSON
_PAIRS = 30  # pairs of annotators shown, over all questions
_TABLES = 3  # pairs of annotators whose confusion is shown for each question
_FEW = 20  # items below which an interval is rough
_NONE = "\u2013"


def evaluation_sections(found: Evaluation) -> list[Section]:
    """All sections, in the order in which they are read."""
    sections = [_overview(found)]
    if found.judgements:
        sections += [_agreement(found.agreements), *_pairs(found.agreements)]
        sections += [*_confusions(found.agreements), _quality(found.qualities)]
        sections += [_disputed(found.disputed)]
        sections += [*score_section(found.scores), *true_positive_section(found.true_positives)]
    return sections


def _overview(found: Evaluation) -> Section:
    sentences = [
        f"Project \u201c{found.project}\u201d: {found.items:,} items, {found.judgements:,} "
        f"judgements by {_people(len(found.annotators))}, questions {', '.join(found.questions)}.",
        f"For people together, {found.valid:,} items are valid, {found.broken:,} are not, and "
        f"{found.undecided:,} are undecided (not judged, not sure, or a tie). The owner decided "
        f"{found.decided:,} answers.",
    ]
    if not found.judgements:
        sentences.append("Nothing was judged yet, so there is nothing to compare.")
    return Section("overview", "Judgements", sentences)


def _people(many: int) -> str:
    return "1 annotator" if many == 1 else f"{many:,} annotators"


def _agreement(found: Sequence[Agreement]) -> Section:
    columns = ["Question", "Attributes", "Items", "Annotators", "Same answer", "Fleiss' kappa",
               "Krippendorff's alpha"]  # fmt: skip
    rows = [
        [one.question, joined(one.attributes) or "all", f"{one.items:,} of {one.judged:,}",
         f"{len(one.annotators):,}", percent(one.same),
         coefficient_in_short(one.fleiss), coefficient_in_short(one.alpha)]
        for one in found
    ]  # fmt: skip
    sentences = [agreement_in_words(one) for one in found if not one.attributes]
    sentences += [
        "Kappa and alpha are 1 for full agreement and 0 for that of chance. Fleiss' kappa needs "
        "the same number of answers to each item and takes the items with the commonest number; "
        "alpha takes every item with two answers or more. Intervals are of 95 %; they draw items "
        "anew, those of one text or template together. The words slight, fair, moderate, "
        "substantial and almost perfect are those of Landis and Koch (1977), who call their limits "
        "arbitrary. Where nearly all answers are the same one, kappa is low though people agree: "
        "look at the same answers too.",
    ]
    return Section("agreement", "Agreement", sentences, columns, rows)


def agreement_in_words(one: Agreement) -> str:
    """What is known of the agreement on one question."""
    of = f", {joined(one.attributes)}" if one.attributes else ""
    words = f"{one.question}{of}: {one.items:,} of {one.judged:,} items have two answers or more"
    if one.same.of:
        words += f"; of all pairs of answers to one item, {rate_in_words(one.same)} are the same"
    scale = "as a scale, " if one.ordinal else ""
    words += f". Krippendorff's alpha ({scale}all of them): {coefficient_in_words(one.alpha)}"
    which = f" ({one.fleiss.items:,} items with {one.raters} answers each)" if one.raters else ""
    words += f". Fleiss' kappa{which}: {coefficient_in_words(one.fleiss)}."
    if 0 < one.items < _FEW:
        words += f" Fewer than {_FEW} items: take it for a hint only."
    return words


def _pairs(found: Sequence[Agreement]) -> Iterator[Section]:
    pairs = [(one.question, pair) for one in found if not one.attributes for pair in one.pairs]
    if not pairs:
        return
    hidden = len(pairs) - _PAIRS
    if hidden > 0:
        pairs = sorted(pairs, key=_how_alike)[:_PAIRS]
    columns = ["Question", "First", "Second", "Items", "Same answer", "Cohen's kappa"]
    rows = [
        [question, pair.first, pair.second, f"{pair.same.of:,}", percent(pair.same),
         coefficient_in_short(pair.kappa)]
        for question, pair in pairs
    ]  # fmt: skip
    sentences = [f"{question}: {between_in_words(pair)}" for question, pair in pairs]
    if hidden > 0:
        sentences.append(
            f"These are the {_PAIRS} with the lowest kappa; --json has the other {hidden:,}."
        )
    yield Section("pairs", "Two by two", sentences, columns, rows)


def _how_alike(pair: tuple[str, Between]) -> float:
    value = pair[1].kappa.value
    return 2.0 if value is None else value


def between_in_words(pair: Between) -> str:
    """How far two annotators agree."""
    return (
        f"{pair.first} and {pair.second} gave the same answer to {rate_in_words(pair.same)} items; "
        f"Cohen's kappa {coefficient_in_words(pair.kappa)}."
    )


def _confusions(found: Sequence[Agreement]) -> Iterator[Section]:
    """Who said what, where there are few pairs; each as a table."""
    for one in found:
        if one.attributes or len(one.pairs) > _TABLES:
            continue
        for pair in one.pairs:
            used = [n for n in range(len(pair.values)) if any(pair.table[n]) or _column(pair, n)]
            names = [pair.values[n] for n in used]
            rows = [
                [f"{pair.first}: {pair.values[n]}", *(f"{pair.table[n][m]:,}" for m in used)]
                for n in used
            ]
            words = f"A line for each answer of {pair.first}, a column for each of {pair.second}."
            columns = ["", *(f"{pair.second}: {name}" for name in names)]
            title = f"{one.question}, {pair.first} and {pair.second}"
            yield Section("confusion", title, [words], columns, rows)


def _column(pair: Between, place: int) -> bool:
    return any(line[place] for line in pair.table)


def _quality(found: Sequence[Quality]) -> Section:
    columns = ["Annotator", "Judged", "Skipped", "Seconds, median", "Question", "As most others",
               "Repeats alike", "Commonest answer"]  # fmt: skip
    rows = [
        [
            one.annotator, f"{one.judged:,}", percent(one.skipped),
            _NONE if one.seconds is None else f"{one.seconds:.1f}", on.question,
            percent(on.others), percent(on.repeats),
            f"{on.commonest}, {percent(on.share)}" if on.share.of else _NONE,
        ]
        for one in found
        for on in one.questions
    ]  # fmt: skip
    sentences = [quality_in_words(one) for one in found]
    sentences.append(
        "As most others: of the items where most of the other annotators agree, those with their "
        "answer. Repeats alike: items shown again, unannounced, that got the first answer again. "
        "Commonest answer: where nearly all answers are the same one, they may be given without a "
        "look, or the items may all be alike. None of this is a verdict on a person: who disagrees "
        "with all others may be the one who looks closely."
    )
    return Section("annotators", "Annotators", sentences, columns, rows)


def quality_in_words(one: Quality) -> str:
    """What is known of one annotator."""
    words = f"{one.annotator} judged {one.judged:,}"
    if one.skipped.of:
        words += f" and skipped {rate_in_words(one.skipped)}"
    if one.seconds is not None:
        words += f"; half of the judgements took {one.seconds:.1f} seconds or less"
    return words + "." + "".join(_on_in_words(on) for on in one.questions if on.share.of)


def _on_in_words(on: OnQuestion) -> str:
    words = f" {on.question}: {rate_in_words(on.share)} answers are \u201c{on.commonest}\u201d"
    if on.others.of:
        words += f"; as most others in {rate_in_words(on.others)}"
    if on.repeats.of:
        words += f"; repeats alike in {rate_in_words(on.repeats)}"
    return words + "."


def _disputed(found: Sequence[Consensus]) -> Section:
    if not found:
        return Section("disputed", "Disagreements", ["No answers differ that are not decided."])
    ties = sum(one.value is None for one in found)
    words = (
        f"{len(found):,} answers differ and are not decided by the owner, the most disputed "
        f"first; {ties:,} of them are ties, which count as undecided."
    )
    if len(found) > _DISPUTED:
        words += f" The first {_DISPUTED} are shown; --json has all."
    rows = [
        [one.item, one.question, _counts(one.counts), one.value or "tie",
         f"{100 * one.dispute:.0f}\u00a0%"]
        for one in found[:_DISPUTED]
    ]  # fmt: skip
    columns = ["Item", "Question", "Answers", "Stands", "Not with most"]
    return Section("disputed", "Disagreements", [words], columns, rows)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{value} {many}" for value, many in counts.items())
