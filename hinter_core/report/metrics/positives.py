"""Errors with and without the invariant (HInter, Figures 7 and 8; metric 7), and by validity."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hinter_core.campaign.tables import Attributes
from hinter_core.report.counts import LEAST_VALIDITIES, ModelCounts, named_sets, text_rate
from hinter_core.report.metric import metric
from hinter_core.report.section import Counted, Rows, Section
from hinter_core.statistics.format import rate_in_words
from hinter_core.statistics.rates import Rate
from hinter_core.types import Verdict

_ASK = (
    "Discarded mutants were not put to the models. A campaign with discarded: true (--discarded; "
    "in Python, discarded=True) does so and counts the false positives that the invariant avoids."
)
_NOTE = (
    "A false positive is a flipped answer to a mutant that the invariant discarded. This is the "
    "paper's definition; no person judged these mutants."
)


@dataclass(frozen=True)
class Positives:
    """Errors with and without the invariant.

    ``kept`` and ``discarded``: numbers of mutants (Figure 7). ``true``: flipped answers of kept and
    answered mutants (true positives); ``false``: of discarded mutants that were answered (false
    positives, metric 7). ``fake``: share of false positives in all errors of a test without the
    invariant (Figure 8); ``without``: error rate of such a test.

    The paper's *true* and *false* follow from the invariant, not from a person's judgement.
    """

    name: str
    attributes: Attributes
    kept: int
    discarded: int
    true: Rate
    false: Rate
    fake: Rate
    without: Rate

    @property
    def asked(self) -> bool:
        """Whether the model answered a discarded mutant."""
        return self.false.of > 0


def positives(tally: ModelCounts) -> list[Positives]:
    """Return a row for all mutants, intersectional and atomic ones, and each set of attributes."""
    each, (atomic, several), _ = named_sets(tally.verdicts)
    lines = [("all", (), tally.real), several, atomic, *each]
    return [_positives_of(*line, tally) for line in lines if line[2]]


def _positives_of(
    name: str, attributes: Attributes, parts: Sequence[Attributes], tally: ModelCounts
) -> Positives:
    verdicts = tally.verdicts_of(parts)
    discarded = verdicts[Verdict.DISCARDED]
    sums = tally.by_text(parts)
    fake = without = Rate(0, 0)
    if any(sum_.asked for (sum_,) in sums):
        fake = text_rate(sums, lambda s: (s.turned, s.turned + s.errors))
        without = text_rate(sums, lambda s: (s.turned + s.errors, s.asked + s.cases))
    true = text_rate(sums, lambda s: (s.errors, s.cases))
    false = text_rate(sums, lambda s: (s.turned, s.asked))
    kept = verdicts.total() - discarded
    return Positives(name, attributes, kept, discarded, true, false, fake, without)


def positives_section(lines: Sequence[Positives]) -> Section:
    """Report kept and discarded mutants, and true and false positives where both were tested."""
    with_discarded = any(one.asked for one in lines)
    columns = ["Mutants", "Kept", "Discarded", "Discarded, of all"]
    if with_discarded:
        columns += ["True positives", "False positives", "False, of errors", "Error rate with it",
                    "Error rate without it"]  # fmt: skip
    rows: Rows = []
    for one in lines:
        share = Rate(one.discarded, one.kept + one.discarded)
        rows.append([one.name, one.kept, one.discarded, share])
        if with_discarded:
            rows[-1] += [Counted(one.true), Counted(one.false), one.fake, one.true, one.without]
    words = [_positives_in_words(one) for one in lines]
    title, note = "With and without the invariant", _NOTE if with_discarded else _ASK
    return Section("invariant", title, [note], columns, rows, in_words=words)


def _positives_in_words(line: Positives) -> str:
    total = line.kept + line.discarded
    words = f"{line.name}: of {total:,} mutants the invariant kept {line.kept:,} and discarded "
    words += f"{line.discarded:,}."
    if not line.asked:
        return words
    words += f" Kept ones show {line.true.hits:,} errors, discarded ones {line.false.hits:,}"
    if not line.fake.of:
        return words + "."
    words += f": without the invariant {rate_in_words(line.fake)} errors would be false"
    if line.true.hits and line.false.hits:
        words += f", {line.false.hits / line.true.hits:.1f} for each true one"
    return words + "."


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
    levels = tally.texts_by_validity()
    return [
        AtLeast(
            least,
            text_rate(texts, lambda errors, cases, _: (errors, cases)),
            text_rate(texts, lambda errors, _, hidden: (hidden, errors)),
        )
        for least, texts in zip(LEAST_VALIDITIES, levels, strict=True)
        if any(cases for _, cases, _ in texts)
    ]


def validity_score_sections(levels: Sequence[AtLeast]) -> Iterable[Section]:
    """Report the rates as a function of the least score."""
    if len(levels) < 2:
        return
    rows: Rows = [
        [f"at least {one.least:g}" if one.least else "any", one.errors.of, one.errors, one.hidden]
        for one in levels
    ]
    words = (
        "The validity score of a mutant is the probability that people call it a fair test. If the "
        "rates fall as the least score rises, unfair mutants cause part of the errors."
    )
    columns = ["Validity", "Cases", "Error rate", "Hidden, of errors"]
    title = "Error rates by validity of the intersectional mutants"
    yield Section("validity-score", title, [words], columns, rows)


metric("positives", 90, positives, positives_section)
metric("by_validity", 110, by_validity, validity_score_sections)
