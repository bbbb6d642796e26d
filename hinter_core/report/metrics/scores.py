"""Error rates of mutants whose validity score is at least so high."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hinter_core.report.counts import LEAST_VALIDITIES, ModelCounts, each_text
from hinter_core.report.section import Rows, Section
from hinter_core.statistics.clustered import cluster_rate
from hinter_core.statistics.rates import Rate


@dataclass(frozen=True)
class AtLeast:
    """Rates of intersectional mutants with a validity score of ``least`` or more.

    ``errors``: of cases; ``hidden``: of errors. Placebo mutants are left out.
    """

    least: float
    errors: Rate
    hidden: Rate


def by_validity(tally: ModelCounts) -> list[AtLeast]:
    """Return a row for each least score; none without scores (campaigns from before)."""
    found = tally.texts_by_validity()
    return [
        AtLeast(
            least,
            cluster_rate(each_text(texts, lambda errors, cases, _: (errors, cases))),
            cluster_rate(each_text(texts, lambda errors, _, hidden: (hidden, errors))),
        )
        for least, texts in zip(LEAST_VALIDITIES, found, strict=True)
        if any(cases for _, cases, _ in texts)
    ]


def validity_score_sections(found: Sequence[AtLeast]) -> Iterable[Section]:
    """Report the rates as a function of the least score."""
    if len(found) < 2:
        return
    rows: Rows = [
        [f"at least {one.least:g}" if one.least else "any", one.errors.of, one.errors, one.hidden]
        for one in found
    ]
    words = (
        "The validity score of a mutant is the probability that people call it a fair test. If the "
        "rates fall as the least score rises, unfair mutants cause part of the errors."
    )
    columns = ["Validity", "Cases", "Error rate", "Hidden, of errors"]
    title = "Error rates by validity of the intersectional mutants"
    yield Section("validity-score", title, [words], columns, rows)
