"""Compare mutants with placebo mutants: what flips on neutral changes too is no bias."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from hinter_core.campaign.tables import Attributes
from hinter_core.report.counts import ModelCounts, Sums, each_text, text_rate
from hinter_core.report.metric import metric
from hinter_core.report.section import Cell, PValue, Rows, Section, joined
from hinter_core.statistics.clustered import paired_difference
from hinter_core.statistics.format import (
    counted,
    difference_in_words,
    p_in_words,
    rate_in_words,
)
from hinter_core.statistics.rates import Difference, Rate

FEWEST_PLACEBO = 100  # cases, below which nothing is concluded from them


@dataclass(frozen=True)
class PlaceboExcess:
    """Error and hidden rates beyond those of placebo mutants of the same order and texts.

    ``name``: attributes, or the order if there are several sets of them. ``hidden``: of cases, as
    the hidden rates of placebo mutants; None for atomic mutants. The differences are those within
    texts (:func:`paired_difference`), not those of the pooled rates; their intervals know that
    words recur in several texts.
    """

    name: str
    attributes: Attributes
    order: int
    errors: Rate
    placebo: Rate
    difference: Difference
    hidden: Rate | None = None
    hidden_placebo: Rate | None = None
    hidden_difference: Difference | None = None

    @property
    def few(self) -> bool:
        """Whether the placebo mutants are too few for a conclusion."""
        return self.placebo.of < FEWEST_PLACEBO


def excesses(tally: ModelCounts) -> list[PlaceboExcess]:
    """Compare each order, and each set of its attributes, with the placebo mutants of the order."""
    comparisons = []
    for order in sorted({len(a) for a in tally.neutral}):
        neutral = [a for a in tally.neutral if len(a) == order]
        of = [a for a in tally.real if len(a) == order]
        if len(of) > 1:
            comparisons.append(_excess(f"order {order}", (), of, neutral, tally))
        comparisons += [_excess(joined(a), a, [a], neutral, tally) for a in of]
    return comparisons


def _excess(
    name: str,
    attributes: Attributes,
    real: Sequence[Attributes],
    placebo: Sequence[Attributes],
    tally: ModelCounts,
) -> PlaceboExcess:
    sums = tally.by_text(real, placebo)
    both: Sums = Counter({pair: n for pair, n in sums.items() if pair[0].cases and pair[1].cases})
    order = len(placebo[0])

    def beside(name: str) -> tuple[Rate, Rate, Difference]:
        hits = attrgetter(name)
        pairs = each_text(both, lambda a, b: (hits(a), a.cases, hits(b), b.cases))
        return (
            text_rate(both, lambda a, _: (hits(a), a.cases)),
            text_rate(both, lambda _, b: (hits(b), b.cases)),
            paired_difference(pairs, tally.by_word(name, order, attributes)),
        )

    errors = beside("errors")
    hidden = beside("hidden") if order > 1 else ()
    return PlaceboExcess(name, attributes, order, *errors, *hidden)


def excess_section(every: Sequence[PlaceboExcess]) -> Section:
    """Report the comparisons with placebo mutants in one table."""
    sentences = [
        "Placebo changes are neutral: a model whose answer flips on them is brittle, not biased. "
        "Excess is the difference within texts, in percentage points: a mean over texts, so that "
        "it is seldom the difference of the two rates beside it, which are of all cases together. "
        "Only texts that have both count. Hidden mutants are given as a share of all cases."
    ]
    rows: Rows = [
        [e.name, e.errors, e.placebo, *_points_and_p(e.difference), e.hidden or "",
         e.hidden_placebo or "", *_points_and_p(e.hidden_difference)]
        for e in every
    ]  # fmt: skip
    columns = ["Mutants", "Error rate", "Placebo", "Excess", "p", "Hidden", "Hidden, placebo",
               "Excess of hidden", "p, hidden"]  # fmt: skip
    few = [e for e in every if e.few]
    words = [excess_in_words(e) for e in every if not e.few or len(few) == 1]
    if len(few) > 1:
        words.append(
            f"{len(few):,} of {len(every):,} comparisons have fewer than {FEWEST_PLACEBO} placebo "
            "cases, too few to say how many answers flip on neutral changes."
        )
    return Section("excess", "Excess over placebo", sentences, columns, rows, in_words=words)


def excess_in_words(excess: PlaceboExcess) -> str:
    """Describe a comparison with placebo mutants in sentences."""
    if excess.few:
        are = "is" if excess.placebo.of == 1 else "are"
        return (
            f"{excess.name}: {counted(excess.placebo.of, 'placebo case')} {are} too few to say how "
            "many answers flip on neutral changes."
        )
    words = (
        f"{excess.name}, same texts: {rate_in_words(excess.errors)} sensitive changes and "
        f"{rate_in_words(excess.placebo)} placebo changes led to another answer. Within texts, the "
        f"rate of sensitive changes is {_tested(excess.difference)}."
    )
    if excess.hidden and excess.hidden_placebo and excess.hidden_difference:
        words += (
            f" Hidden are {rate_in_words(excess.hidden)} sensitive and "
            f"{rate_in_words(excess.hidden_placebo)} placebo changes: "
            f"{_tested(excess.hidden_difference)}."
        )
    return words


def _tested(difference: Difference) -> str:
    if _empty(difference):
        return "not known, as there are too few cases"
    words = difference_in_words(difference)
    return words if difference.p_value is None else f"{words}, p {p_in_words(difference.p_value)}"


def _empty(difference: Difference) -> bool:
    """Whether there is no interval, or it holds every difference there can be."""
    return difference.low is None or (difference.low, difference.high) == (-1, 1)


def _points_and_p(difference: Difference | None) -> tuple[Cell, Cell]:
    if difference and _empty(difference):
        return "too few cases", ""
    p = difference.p_value if difference else None
    return difference or "", "" if p is None else PValue(p)


metric("excess", 100, excesses, excess_section)
