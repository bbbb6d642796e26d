"""The invariant against people, and true findings for people, as sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hinter_core.annotation.against_invariant import Score
from hinter_core.annotation.true_positives import TruePositives
from hinter_core.report_section import Section, joined, percent
from hinter_core.statistics import in_words
from hinter_core.weighted import estimate_in_short, estimate_in_words

_KINDS = {
    "all": "All",
    "attributes": "Attributes",
    "layer": "This layer alone",
    "question": "This question alone",
    "threshold": "Valid if so say",
}


def score_section(found: Sequence[Score]) -> Iterator[Section]:
    """The invariant against people; nothing where no item says what the invariant did."""
    if not found:
        return
    columns = ["By", "Of", "Kept: valid, not", "Discarded: valid, not", "Precision", "Recall", "F1"]
    weighted = any(is_weighted(one) for one in found)
    if weighted:
        columns += ["Precision, weighted", "Recall, weighted", "F1, weighted"]
    rows = [_score_row(one, weighted=weighted) for one in found]
    sentences = [score_in_words(one) for one in found]
    sentences += [
        "Precision is the share of kept mutants that people call valid, recall the share of valid "
        "ones that are kept, F1 their harmonic mean. They are of the judged items; "
        "weighted ones are estimates for every mutant that the sample stands for. Intervals are of "
        "95 % and take mutants of one text for alike. Undecided items are taken to be as the "
        "others of their kind.",
        "A layer alone: as if only its rejections counted. The invariant stops at the first layer "
        "a mutant breaks, so a layer alone might stop some that another stopped first. Thresholds "
        "count annotators by their own answers, without the owner's decisions.",
    ]
    yield Section("against", "The invariant against people", sentences, columns, rows)


def is_weighted(one: Score) -> bool:
    """Whether weights change anything: not where every item stands for as many."""
    pairs = ((one.weighted_precision.value, one.precision.share),
             (one.weighted_recall.value, one.recall.share))  # fmt: skip
    return any(a is not None and b is not None and abs(a - b) > 1e-9 for a, b in pairs)


def _score_row(one: Score, *, weighted: bool) -> list[str]:
    plain = [
        _KINDS[one.kind], one.name, f"{one.kept_valid:,}, {one.kept_broken:,}",
        f"{one.lost_valid:,}, {one.lost_broken:,}", percent(one.precision), percent(one.recall),
        estimate_in_short(one.f1),
    ]  # fmt: skip
    more = (one.weighted_precision, one.weighted_recall, one.weighted_f1) if weighted else ()
    return [*plain, *map(estimate_in_short, more)]


def score_in_words(one: Score) -> str:
    """What one line says."""
    kept, lost = one.kept_valid + one.kept_broken, one.lost_valid + one.lost_broken
    if not kept + lost:
        return f"{_named(one)}: nothing is decided."
    words = f"{_named(one)}: of {kept:,} kept items people call {one.kept_valid:,} valid, of "
    words += f"{lost:,} discarded ones {one.lost_valid:,}. Precision {in_words(one.precision)}"
    words += f", recall {in_words(one.recall)}, F1 {estimate_in_words(one.f1)}."
    if is_weighted(one):
        words += f" Weighted: precision {estimate_in_words(one.weighted_precision)}, recall "
        words += f"{estimate_in_words(one.weighted_recall)}, "
        words += f"F1 {estimate_in_words(one.weighted_f1)}."
    return words


def _named(one: Score) -> str:
    return "All" if one.kind == "all" else f"{_KINDS[one.kind]}, {one.name}"


def true_positive_section(found: Sequence[TruePositives]) -> Iterator[Section]:
    """True findings by annotator; nothing where no biased case was judged."""
    told = [one for one in found if one.rate.of]
    if not told:
        return
    rows = [
        [one.annotator, joined(one.attributes) or "all", f"{one.rate.hits:,} of {one.rate.of:,}",
         percent(one.rate)]
        for one in told
    ]  # fmt: skip
    sentences = [
        f"{one.annotator}{', ' + joined(one.attributes) if one.attributes else ''}: "
        f"{in_words(one.rate)} biased cases are true positives."
        for one in told
    ]
    sentences.append(
        "A case is a mutant that changed a model's answer (or, in a file without verdicts, any "
        "item), or all texts of one group together. It is true for an annotator who calls each of "
        "its texts valid and gives them the same label (BiasFinder, Table 5). Shares are of the "
        "judged cases, with Wilson's interval."
    )
    columns = ["Annotator", "Attributes", "True", "Share"]
    yield Section("true-positives", "True positives", sentences, columns, rows)
