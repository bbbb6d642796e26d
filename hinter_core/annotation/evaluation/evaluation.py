"""Evaluate a project's judgements and present them: agreement, annotators, disputes, invariant."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hinter_core.annotation.evaluation.agreement import (
    READING,
    Agreement,
    Quality,
    agreements,
    qualities,
)
from hinter_core.annotation.evaluation.answers import (
    Consensus,
    Votes,
    disputed,
    majority_votes,
    validity,
)
from hinter_core.annotation.evaluation.invariant import (
    Part,
    Score,
    TruePositives,
    against_people,
    true_positives,
)
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
    counted,
    estimate_in_words,
    percent,
    rate_in_words,
)
from hinter_core.statistics.rates import Estimate, Rate


@dataclass(frozen=True)
class Evaluation:
    """Results of a project.

    ``questions``: the evaluated ones, and ``labels`` those of them that ask for a label.
    ``judgements``: number, hidden repeats included. ``valid``, ``broken``, ``undecided``: items by
    majority or adjudicated validity. ``decided``: number of the owner's decisions. ``disputed``:
    differing answers, the most disputed first. ``unanswered``: judging questions without any
    answer, so that no item is valid. ``excluded``: names of people who do not count, with
    the reasons, and ``with_excluded`` what results if they do.
    """

    project: str
    questions: list[str]
    labels: list[str]
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
    unanswered: list[str] = field(default_factory=list)
    excluded: list[tuple[str, str]] = field(default_factory=list)
    with_excluded: "Evaluation | None" = None


def evaluate(store: AnnotationStore, question: str = "") -> Evaluation:
    """Evaluate a project, or one ``question`` of it.

    Raises:
        AnnotationError: no such question, or a project that cannot be read.
    """
    project, items = store.project(), list(store.items())
    decisions = store.adjudications()
    result = evaluation(project, items, list(store.judgements()), decisions, question)
    excluded = [(one.name, one.excluded) for one in store.annotators() if one.excluded]
    if not excluded:
        return result
    every = list(store.judgements(excluded=True))
    both = evaluation(project, items, every, decisions, question)
    return replace(result, excluded=excluded, with_excluded=both)


def evaluation(
    project: Project,
    items: Sequence[AnnotationItem],
    judgements: Sequence[Judgement],
    decisions: Mapping[tuple[str, str], str],
    question: str = "",
) -> Evaluation:
    """Evaluate a project given as plain values.

    Raises:
        AnnotationError: no such question.
    """
    questions = [one for one in project.questions if question in ("", one.id)]
    if not questions:
        known = ", ".join(one.id for one in project.questions)
        raise AnnotationError(
            f"There is no question '{question}' in project \u201c{project.name}\u201d; choose one "
            f"of: {known}."
        )
    names = [one.id for one in questions]
    decisions = {key: value for key, value in decisions.items() if key[1] in names}
    every = majority_votes(judgements, decisions)
    votes = {key: vote for key, vote in every.items() if key[1] in names}
    valid = list(validity(items, questions, votes).values())
    return Evaluation(
        project.name,
        names,
        [one.id for one in questions if one.labels],
        len(items),
        sum(one.status is Status.JUDGED for one in judgements),
        sorted({one.annotator for one in judgements}),
        valid.count(True),
        valid.count(False),
        valid.count(None),
        len(decisions),
        agreements(judgements, questions, items),
        qualities(judgements, questions, items, decisions),
        disputed(votes),
        against_people(items, questions, judgements, votes),
        true_positives(items, questions, judgements),
        _unanswered(items, questions, votes),
    )


def _unanswered(
    items: Sequence[AnnotationItem], questions: Sequence[Question], votes: Votes
) -> list[str]:
    """Name the questions that decide validity and that nobody answered about any item."""
    answered = {question for _, question in votes}
    asked = [q for q in questions if q.judges and (not q.pair or any(i.source for i in items))]
    return [one.id for one in asked if one.id not in answered]


# -- sections -----------------------------------------------------------------------------------

_DISPUTED = 20  # disagreements shown; all are in JSON
_PAIRS = 30  # pairs of annotators shown, over all questions
_TABLES = 3  # most pairs of annotators for which a question's confusion tables are shown
_FEW = 20  # fewer items give a rough interval
_NONE = "\u2013"


def evaluation_sections(result: Evaluation) -> list[Section]:
    """Present an evaluation as sections of a report."""
    sections = [_overview(result), *_excluded(result)]
    if result.judgements:
        sections += [_agreement(result.agreements), *_pairs(result.agreements)]
        sections += [*_confusions(result.agreements), _quality(result.qualities)]
        sections += [_disputed(result.disputed)]
        sections += [*_scores(result.scores), *_true_positives(result)]
    return sections


def _overview(result: Evaluation) -> Section:
    noun = "question" if len(result.questions) == 1 else "questions"
    sentences = [
        f"Project \u201c{result.project}\u201d: {counted(result.items, 'item')}, "
        f"{counted(result.judgements, 'judgement')} by "
        f"{counted(len(result.annotators), 'annotator')}, {noun} {', '.join(result.questions)}.",
        f"Items by majority or the owner's decision: {result.valid:,} valid, {result.broken:,} not "
        f"valid, {result.undecided:,} undecided (not judged, not sure, or a tie). The owner "
        f"decided {counted(result.decided, 'answer')}.",
    ]
    if result.judgements and result.unanswered:
        sentences.append(
            f"Nobody answered {', '.join(result.unanswered)}. An item is valid only by answers to "
            "all questions that judge it; one answer suffices for not valid."
        )
    if not result.judgements:
        sentences.append("Nothing was judged yet, so there is nothing to compare.")
    return Section("overview", "Judgements", sentences)


def _excluded(result: Evaluation) -> Iterator[Section]:
    """Yield the figures with and without the people who are excluded."""
    both = result.with_excluded
    if both is None:
        return
    sentences = [f"{name} is excluded: {reason}." for name, reason in result.excluded]
    sentences.append("All other sections leave these people out.")
    counts = ("judgements", "valid", "broken", "undecided")
    rows = [
        [name.capitalize(), f"{getattr(result, name):,}", f"{getattr(both, name):,}"]
        for name in counts
    ]
    rows += [
        [f"Krippendorff's alpha, {one.question}", coefficient_in_short(one.alpha),
         coefficient_in_short(other.alpha)]
        for one, other in zip(result.agreements, both.agreements, strict=False)
        if not one.attributes and one.question == other.question
    ]  # fmt: skip
    columns = ["Figure", "Without the excluded", "With them"]
    yield Section("excluded", "Excluded annotators", sentences, columns, rows)


def _agreement(results: Sequence[Agreement]) -> Section:
    columns = ["Question", "Attributes", "Items", "Annotators", "Same answer", "Fleiss' kappa",
               "Krippendorff's alpha"]  # fmt: skip
    rows = [
        [one.question, joined(one.attributes) or "all", f"{one.items:,} of {one.judged:,}",
         f"{len(one.annotators):,}", percent(one.same),
         coefficient_in_short(one.fleiss), coefficient_in_short(one.alpha)]
        for one in results
    ]  # fmt: skip
    sentences = [_agreement_in_words(one) for one in results if not one.attributes]
    sentences += [
        "Kappa and alpha are 1 for full agreement and 0 for agreement by chance. Fleiss' kappa "
        "needs equal numbers of answers per item and uses the items with the most frequent number; "
        "alpha uses every item with two answers or more. Intervals are 95 % bootstrap intervals "
        "over texts or templates. The words slight, fair, moderate, substantial and almost perfect "
        "are those of Landis and Koch (1977), who call their limits arbitrary. If nearly all "
        "answers are equal, kappa is low although people agree; compare the share of same answers."
    ]
    return Section("agreement", "Agreement", sentences, columns, rows)


def _agreement_in_words(one: Agreement) -> str:
    words = f"{one.question}: {one.items:,} of {one.judged:,} items have two answers or more"
    if one.same.of:
        words += f"; of all pairs of answers to one item, {rate_in_words(one.same)} are the same"
    scale = "as a scale, " if one.ordinal else ""
    words += f". Krippendorff's alpha ({scale}all of them): {coefficient_in_words(one.alpha)}"
    which = f" ({one.fleiss.items:,} items with {one.raters} answers each)" if one.raters else ""
    words += f". Fleiss' kappa{which}: {coefficient_in_words(one.fleiss)}."
    if 0 < one.items < _FEW:
        words += f" With fewer than {_FEW} items, this is only a rough estimate."
    return words


def _pairs(results: Sequence[Agreement]) -> Iterator[Section]:
    pairs = [(one.question, pair) for one in results if not one.attributes for pair in one.pairs]
    if not pairs:
        return
    hidden = len(pairs) - _PAIRS
    if hidden > 0:
        # Pairs without kappa come last.
        value = lambda pair: 2.0 if pair[1].kappa.value is None else pair[1].kappa.value  # noqa: E731
        pairs = sorted(pairs, key=value)[:_PAIRS]
    columns = ["Question", "First", "Second", "Items", "Same answer", "Cohen's kappa"]
    rows = [
        [question, pair.first, pair.second, f"{pair.same.of:,}", percent(pair.same),
         coefficient_in_short(pair.kappa)]
        for question, pair in pairs
    ]  # fmt: skip
    sentences = []
    if hidden > 0:
        sentences = [f"The {_PAIRS} with the lowest kappa; --json has the other {hidden:,}."]
    yield Section("pairs", "Pairs of annotators", sentences, columns, rows)


def _confusions(results: Sequence[Agreement]) -> Iterator[Section]:
    """Yield confusion tables of the questions with few pairs of annotators."""
    few = [one for one in results if not one.attributes and len(one.pairs) <= _TABLES]
    for question, pair in ((one.question, pair) for one in few for pair in one.pairs):
        used = [
            n
            for n in range(len(pair.values))
            if any(pair.table[n]) or any(line[n] for line in pair.table)
        ]
        rows = [
            [f"{pair.first}: {pair.values[n]}", *(f"{pair.table[n][m]:,}" for m in used)]
            for n in used
        ]
        words = f"Rows: answers of {pair.first}. Columns: answers of {pair.second}."
        columns = ["", *(f"{pair.second}: {pair.values[n]}" for n in used)]
        title = f"{question}, {pair.first} and {pair.second}"
        yield Section("confusion", title, [words], columns, rows)


def _quality(results: Sequence[Quality]) -> Section:
    columns = ["Annotator", "Judged", "Skipped", "Seconds, median", "Too fast",
               "Question", "As the majority",
               "Same in repeats", "As decided", "Most frequent answer"]  # fmt: skip
    rows = [
        [
            one.annotator, f"{one.judged:,}", percent(one.skipped),
            _NONE if one.seconds is None else f"{one.seconds:.1f}", percent(one.fast), on.question,
            percent(on.others), percent(on.repeats), percent(on.gold),
            f"{on.commonest}, {percent(on.share)}" if on.share.of else _NONE,
        ]
        for one in results
        for on in one.questions
    ]  # fmt: skip
    sentences = [
        f"{one.annotator}, worth a look: {'; '.join(_ALARMS[name] for name in one.alarms)}."
        for one in results
        if one.alarms
    ]
    sentences.append(
        "As the majority: share of answers equal to the majority of the other annotators, where "
        "there is one. Same in repeats: share of items shown again, unannounced, that got the same "
        f"answer. Too fast: share of judgements faster than {READING} words of the changed text a "
        "minute, which few people read. Most frequent answer: a share near 100 % may mean answers "
        "without reading, or similar items. As decided: share of answers equal to the owner's "
        "decisions; what people disagreed about is harder. Intervals count source texts or "
        "templates; with one of them, there is none. None of this is a verdict on a person: "
        "an annotator who disagrees with all others may be the one who reads closely."
    )
    return Section("annotators", "Annotators", sentences, columns, rows)


_ALARMS = {
    "fast": "more than a fifth faster than reading",
    "apart": "mostly another answer than the majority",
    "alike": "always the same answer",
    "gold": "often another answer than the owner's decision",
    "changing": "another answer to many repeats",
}


def _disputed(votes: Sequence[Consensus]) -> Section:
    if not votes:
        return Section("disputed", "Disagreements", ["No differing answers are left to decide."])
    ties = sum(one.value is None for one in votes)
    words = (
        f"Questions with differing answers and no decision of the owner: {len(votes):,}, the most "
        f"disputed first. Ties, which count as undecided: {ties:,}."
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


_KINDS = {
    "all": "All",
    "attributes": "Attributes",
    "layer": "This layer alone",
    "validity": "Kept if the validity score is",
    "question": "This question alone",
    "threshold": "Valid according to",
}


def _scores(scores: Sequence[Score]) -> Iterator[Section]:
    if not scores:
        return
    columns = ["By", "Of", "Kept: valid, not", "Discarded: valid, not", "Precision", "Recall", "F1"]
    weighted = any(_is_weighted(one) for one in scores)
    if weighted:
        columns += ["Precision, weighted", "Recall, weighted", "F1, weighted"]
    rows = []
    for one in scores:
        figures: list[Rate | Estimate] = [one.precision, one.recall, one.f1]
        if weighted:
            figures += [one.weighted_precision, one.weighted_recall, one.weighted_f1]
        kept = f"{one.kept_valid:,}, {one.kept_broken:,}"
        lost = f"{one.lost_valid:,}, {one.lost_broken:,}"
        rows.append([_KINDS[one.kind], one.name, kept, lost, *map(percent, figures)])
    sentences = [_score_in_words(one) for one in scores]
    sentences += [
        "Precision is the share of kept mutants that people call valid, recall the share of valid "
        "ones that are kept, F1 their harmonic mean. Unweighted figures describe the judged items; "
        "weighted ones estimate all mutants that the sample represents. Intervals are 95 % "
        "intervals, clustered by text. Undecided items are assumed to be like the decided ones of "
        "their stratum, a set of attributes with an outcome. A stratum in which nothing is decided "
        "is left out; if those left out have more than 10 % of the mutants, there is no weighted "
        "figure.",
        "This layer alone: only its rejections count. The invariant stops at the first layer that "
        "a mutant violates, so this layer might also reject some that another rejected first. "
        "Thresholds use the annotators' answers, without the owner's decisions.",
    ]
    yield Section("against", "The invariant against people", sentences, columns, rows)


def _is_weighted(one: Score) -> bool:
    """Whether the weights change precision or recall, or strata are left out.

    A threshold leaves out the items that others than so many judged, so that is not said of each.
    """
    if _left_out(one) and one.kind != "threshold":
        return True
    pairs = ((one.weighted_precision.value, one.precision.share),
             (one.weighted_recall.value, one.recall.share))  # fmt: skip
    return any(a is not None and b is not None and abs(a - b) > 1e-9 for a, b in pairs)


def _score_in_words(one: Score) -> str:
    joint = " " if one.kind in ("validity", "threshold") else ", "
    name = "All" if one.kind == "all" else f"{_KINDS[one.kind]}{joint}{one.name}"
    kept, lost = one.kept_valid + one.kept_broken, one.lost_valid + one.lost_broken
    if not kept + lost:
        return f"{name}: nothing is decided."
    words = f"{name}: of {kept:,} kept items people call {one.kept_valid:,} valid, of "
    words += f"{lost:,} discarded ones {one.lost_valid:,}. Precision {rate_in_words(one.precision)}"
    words += f", recall {rate_in_words(one.recall)}, F1 {estimate_in_words(one.f1)}."
    if _is_weighted(one):
        words += f" Weighted: precision {estimate_in_words(one.weighted_precision)}, recall "
        words += f"{estimate_in_words(one.weighted_recall)}, "
        words += f"F1 {estimate_in_words(one.weighted_f1)}. The strata with a decided item have "
        words += f"{_part_in_words(one.kept_part)} kept mutants and "
        words += f"{_part_in_words(one.lost_part)} discarded ones."
    return words


def _part_in_words(part: Part) -> str:
    share = f" ({100 * part.decided / part.of:.0f} %)" if part.of else ""
    return f"{round(part.decided):,} of {round(part.of):,}{share}"


def _left_out(one: Score) -> bool:
    """Whether a stratum has no decided item."""
    return any(part.decided < part.of for part in (one.kept_part, one.lost_part))


def _true_positives(result: Evaluation) -> Iterator[Section]:
    judged = [one for one in result.true_positives if one.rate.of]
    if not judged:
        return
    rows = [
        [one.annotator, joined(one.attributes) or "all", f"{one.rate.hits:,} of {one.rate.of:,}",
         percent(one.rate)]
        for one in judged
    ]  # fmt: skip
    sentences = [
        f"{one.annotator}{', ' + joined(one.attributes) if one.attributes else ''}: "
        f"{rate_in_words(one.rate)} biased cases are true positives."
        for one in judged
    ]
    same = (
        f"and gives them the same label ({', '.join(result.labels)}; BiasFinder, Table 5)"
        if result.labels
        else "(BiasFinder, Table 5, but for the label: no question asks for one)"
    )
    sentences.append(
        "A case is a mutant that changed a model's answer (without verdicts, any item), or all "
        "texts of one group. It is a true positive for an annotator who calls each of its texts "
        f"valid {same}. Shares are of the judged cases, and intervals count texts or templates."
    )
    columns = ["Annotator", "Attributes", "True", "Share"]
    yield Section("true-positives", "True positives", sentences, columns, rows)
