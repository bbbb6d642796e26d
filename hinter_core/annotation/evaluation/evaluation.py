"""Evaluate a project's judgements and present them: agreement, annotators, disputes, invariant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from hinter_core.statistics.format import (
    coefficient_in_short,
    coefficient_in_words,
    percent,
    rate_in_words,
)


@dataclass(frozen=True)
class Evaluation:
    """Results of a project.

    ``questions``: the evaluated ones. ``judgements``: number, hidden repeats included. ``valid``,
    ``broken``, ``undecided``: items by majority or adjudicated validity. ``decided``: number of the
    owner's decisions. ``disputed``: differing answers, the most disputed first.
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
    """Evaluate a project, or one ``question`` of it.

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
    """Evaluate a project given as plain values.

    Raises:
        AnnotationError: no such question.
    """
    questions = _chosen(project, question)
    names = {one.id for one in questions}
    ratings = [one for one in ratings_of(judgements) if one.question in names]
    decisions = {key: value for key, value in decisions.items() if key[1] in names}
    votes = majority_votes(ratings, decisions)
    valid = list(validity(items, questions, votes).values())
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
        disputed(votes),
        against_people(items, questions, ratings, votes),
        true_positives(items, questions, ratings),
    )


def _chosen(project: Project, question: str) -> list[Question]:
    questions = [one for one in project.questions if question in ("", one.id)]
    if not questions:
        there = ", ".join(one.id for one in project.questions)
        raise AnnotationError(
            f"There is no question '{question}' in project \u201c{project.name}\u201d; choose one "
            f"of: {there}."
        )
    return questions


_DISPUTED = 20  # disagreements shown; all are in JSON
_PAIRS = 30  # pairs of annotators shown, over all questions
_TABLES = 3  # most pairs of annotators for which a question's confusion tables are shown
_FEW = 20  # fewer items give a rough interval
_NONE = "\u2013"


def evaluation_sections(result: Evaluation) -> list[Section]:
    """Present an evaluation as sections of a report."""
    sections = [_overview(result)]
    if result.judgements:
        sections += [_agreement(result.agreements), *_pairs(result.agreements)]
        sections += [*_confusions(result.agreements), _quality(result.qualities)]
        sections += [_disputed(result.disputed)]
        sections += [*score_section(result.scores), *true_positive_section(result.true_positives)]
    return sections


def _overview(result: Evaluation) -> Section:
    n = len(result.annotators)
    sentences = [
        f"Project \u201c{result.project}\u201d: {result.items:,} items, {result.judgements:,} "
        f"judgements by {n:,} annotator{'' if n == 1 else 's'}, questions "
        f"{', '.join(result.questions)}.",
        f"For people together, {result.valid:,} items are valid, {result.broken:,} are not, and "
        f"{result.undecided:,} are undecided (not judged, not sure, or a tie). The owner decided "
        f"{result.decided:,} answers.",
    ]
    if not result.judgements:
        sentences.append("Nothing was judged yet, so there is nothing to compare.")
    return Section("overview", "Judgements", sentences)


def _agreement(results: Sequence[Agreement]) -> Section:
    columns = ["Question", "Attributes", "Items", "Annotators", "Same answer", "Fleiss' kappa",
               "Krippendorff's alpha"]  # fmt: skip
    rows = [
        [one.question, joined(one.attributes) or "all", f"{one.items:,} of {one.judged:,}",
         f"{len(one.annotators):,}", percent(one.same),
         coefficient_in_short(one.fleiss), coefficient_in_short(one.alpha)]
        for one in results
    ]  # fmt: skip
    sentences = [agreement_in_words(one) for one in results if not one.attributes]
    sentences += [
        "Kappa and alpha are 1 for full agreement and 0 for that of chance. Fleiss' kappa needs "
        "the same number of answers to each item and takes the items with the commonest number; "
        "alpha takes every item with two answers or more. Intervals are 95 % bootstrap intervals "
        "over texts or templates. The words slight, fair, moderate, "
        "substantial and almost perfect are those of Landis and Koch (1977), who call their limits "
        "arbitrary. Where nearly all answers are the same one, kappa is low though people agree: "
        "look at the same answers too.",
    ]
    return Section("agreement", "Agreement", sentences, columns, rows)


def agreement_in_words(one: Agreement) -> str:
    """Describe the agreement on one question."""
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


def _pairs(results: Sequence[Agreement]) -> Iterator[Section]:
    pairs = [(one.question, pair) for one in results if not one.attributes for pair in one.pairs]
    if not pairs:
        return
    hidden = len(pairs) - _PAIRS
    if hidden > 0:
        pairs = sorted(pairs, key=_kappa)[:_PAIRS]
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


def _kappa(pair: tuple[str, Between]) -> float:
    value = pair[1].kappa.value
    return 2.0 if value is None else value


def between_in_words(pair: Between) -> str:
    """Describe the agreement of two annotators."""
    return (
        f"{pair.first} and {pair.second} gave the same answer to {rate_in_words(pair.same)} items; "
        f"Cohen's kappa {coefficient_in_words(pair.kappa)}."
    )


def _confusions(results: Sequence[Agreement]) -> Iterator[Section]:
    """Yield confusion tables of the questions with few pairs of annotators."""
    for one in results:
        if one.attributes or len(one.pairs) > _TABLES:
            continue
        for pair in one.pairs:
            used = [
                n
                for n in range(len(pair.values))
                if any(pair.table[n]) or any(line[n] for line in pair.table)
            ]
            names = [pair.values[n] for n in used]
            rows = [
                [f"{pair.first}: {pair.values[n]}", *(f"{pair.table[n][m]:,}" for m in used)]
                for n in used
            ]
            words = f"A line for each answer of {pair.first}, a column for each of {pair.second}."
            columns = ["", *(f"{pair.second}: {name}" for name in names)]
            title = f"{one.question}, {pair.first} and {pair.second}"
            yield Section("confusion", title, [words], columns, rows)


def _quality(results: Sequence[Quality]) -> Section:
    columns = ["Annotator", "Judged", "Skipped", "Seconds, median", "Question", "As most others",
               "Repeats alike", "Commonest answer"]  # fmt: skip
    rows = [
        [
            one.annotator, f"{one.judged:,}", percent(one.skipped),
            _NONE if one.seconds is None else f"{one.seconds:.1f}", on.question,
            percent(on.others), percent(on.repeats),
            f"{on.commonest}, {percent(on.share)}" if on.share.of else _NONE,
        ]
        for one in results
        for on in one.questions
    ]  # fmt: skip
    sentences = [quality_in_words(one) for one in results]
    sentences.append(
        "As most others: of the items where most of the other annotators agree, those with their "
        "answer. Repeats alike: items shown again, unannounced, that got the first answer again. "
        "Commonest answer: where nearly all answers are the same one, they may be given without a "
        "look, or the items may all be alike. None of this is a verdict on a person: who disagrees "
        "with all others may be the one who looks closely."
    )
    return Section("annotators", "Annotators", sentences, columns, rows)


def quality_in_words(one: Quality) -> str:
    """Describe the quality of one annotator's work."""
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


def _disputed(votes: Sequence[Consensus]) -> Section:
    if not votes:
        return Section("disputed", "Disagreements", ["No answers differ that are not decided."])
    ties = sum(one.value is None for one in votes)
    words = (
        f"{len(votes):,} answers differ and are not decided by the owner, the most disputed "
        f"first; {ties:,} of them are ties, which count as undecided."
    )
    if len(votes) > _DISPUTED:
        words += f" The first {_DISPUTED} are shown; --json has all."
    rows = [
        [one.item, one.question, ", ".join(f"{value} {n}" for value, n in one.counts.items()),
         one.value or "tie", f"{100 * one.dispute:.0f}\u00a0%"]
        for one in votes[:_DISPUTED]
    ]  # fmt: skip
    columns = ["Item", "Question", "Answers", "Accepted", "Other answers"]
    return Section("disputed", "Disagreements", [words], columns, rows)
