"""Mutants of several changes beside those of each change alone.

MutaInt's truth table (Table 6), HInter's Figures 10 (pies) and 11 (overlap of texts); and, which no
paper has, intersections of one person apart from those of two people.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import acos, pi, sqrt

from hinter_core.campaign.tables import VERDICT_SUMS, Attributes, has_placebo, is_placebo
from hinter_core.report.counts import (
    NO_PART_ERRS,
    WHOLE_ERRS,
    ModelCounts,
    Sums,
    TextSums,
    each_text,
)
from hinter_core.report.metric import metric
from hinter_core.report.section import Cell, Rows, Section, Share, joined, ordered
from hinter_core.statistics.clustered import cluster_rate
from hinter_core.statistics.format import hidden_in_words, rate_in_words
from hinter_core.statistics.rates import Rate
from hinter_core.types import Verdict


@dataclass(frozen=True)
class TruthTable:
    """MutaInt's Table 6 for one pair of attributes.

    ``rows``: numbers of mutants by (whole flips, first alone flips, second alone flips).
    ``only_whole``: the whole flips and no part does; ``only_part``: the reverse. ``unknown``: cases
    in no row, as a part has no verdict. Departures: discarded mutants are in no row either, while
    the paper has no invariant. And the paper tests the difference of the last two (McNemar), but
    noise alone makes them differ, as two parts have two chances to flip; :class:`PlaceboExcess`
    compares hidden mutants with placebo mutants instead.
    """

    attributes: Attributes
    rows: dict[tuple[bool, bool, bool], int]
    only_whole: int
    only_part: int
    unknown: int = 0


@dataclass(frozen=True)
class Overlap:
    """HInter's Figure 11: original texts with errors by a single change, by several, by both.

    Of the texts that have a case with all these ``attributes`` changed together.
    """

    attributes: Attributes
    only_atomic: int
    both: int
    only_together: int
    neither: int

    @property
    def texts(self) -> int:
        """Number of these texts."""
        return self.only_atomic + self.both + self.only_together + self.neither


@dataclass(frozen=True)
class PeopleRate:
    """Rates of the intersectional mutants of one person, or of two people (``across``)."""

    across: bool
    mutants: int
    discarded: Rate
    errors: Rate
    hidden: Rate


@dataclass(frozen=True)
class Pie:
    """Errors of one kind by the verdicts of the other kind (Figure 10).

    ``kind``: ``intersectional`` (by each attribute alone) or ``atomic`` (by the mutants that
    contain this change). The paper has two slices; the third holds errors whose counterparts have
    no verdict.
    """

    name: str
    kind: str
    attributes: Attributes
    slices: dict[str, int]


def truth_tables(tally: ModelCounts) -> list[TruthTable]:
    """Return the truth table of each pair of attributes."""
    flips: dict[Attributes, dict[tuple[bool, bool, bool], int]] = defaultdict(dict)
    for names, whole, first, second, number in tally.sums(
        "SELECT attributes, whole, first, second, sum(number)::BIGINT FROM truth "
        "JOIN sets USING (set)"
    ):
        flips[tuple(names)][whole, first, second] = number
    tables = []
    for attributes in ordered(names for names in flips if not is_placebo(names)):
        rows = flips[attributes]
        only_part = sum(n for (whole, *parts), n in rows.items() if not whole and any(parts))
        only_whole = rows.get((True, False, False), 0)
        verdicts = tally.verdicts[attributes]
        lost = verdicts[Verdict.DISCARDED] + verdicts[Verdict.UNANSWERED]
        cases = verdicts.total() - lost
        unknown = cases - sum(rows.values())
        tables.append(TruthTable(attributes, rows, only_whole, only_part, unknown))
    return tables


def overlaps(tally: ModelCounts) -> list[Overlap]:
    """Count the original texts with errors by one change, by several, by both."""
    return [_overlap(attributes, tally) for attributes in tally.real if len(attributes) > 1]


def _overlap(attributes: Attributes, tally: ModelCounts) -> Overlap:
    sums = tally.by_text([attributes], [(attribute,) for attribute in attributes])
    cases: Sums = Counter({sums_of: texts for sums_of, texts in sums.items() if sums_of[0].cases})
    seen = each_text(cases, lambda together, alone: (alone.errors > 0, together.errors > 0))
    return Overlap(
        attributes, seen[True, False], seen[True, True], seen[False, True], seen[False, False]
    )


def pies(tally: ModelCounts) -> list[Pie]:
    """Return both pies of all mutants, then one for each set of attributes with an error."""
    by_attributes: dict[Attributes, dict[str, int]] = defaultdict(dict)
    for names, name, number in tally.sums(
        "SELECT attributes, slice, sum(number)::BIGINT FROM slices JOIN sets USING (set)"
    ):
        by_attributes[tuple(names)][name] = number
    sums = {"intersectional": Counter[str](), "atomic": Counter[str]()}
    each = []
    for attributes in filter(by_attributes.__contains__, tally.real):
        slices = by_attributes[attributes]
        kind = "intersectional" if len(attributes) > 1 else "atomic"
        sums[kind].update(slices)
        each.append(Pie(joined(attributes), kind, attributes, slices))
    return [*(Pie(kind, kind, (), dict(counts)) for kind, counts in sums.items() if counts), *each]


def truth_section(truths: Sequence[TruthTable]) -> Section:
    """Report all truth tables in one table; with several pairs, their sum too."""
    rows: Rows = [row for truth in truths for row in _truth_rows(truth)]
    if len(truths) > 1:
        rows += _rows("all pairs", _sums(truths))
    sentences = [
        f"{joined(truth.attributes)}: {truth.only_whole:,} of {sum(truth.rows.values()):,} mutants "
        f"change the answer although neither part does; {truth.only_part:,} do not although a part "
        "does."
        for truth in truths
    ]
    note = (
        "Share within outcome is that of the mutants with the same outcome together (MutaInt, "
        "Table 6); share is that of all. Kept mutants alone count, where the paper has no "
        "invariant. Rows without a mutant are left out."
    )
    notes = [note]
    if unknown := sum(truth.unknown for truth in truths):
        cases = unknown + sum(sum(truth.rows.values()) for truth in truths)
        notes.append(
            f"{unknown:,} of {cases:,} cases are in no row, as one of their parts has no verdict."
        )
    columns = ["Attributes", "Together", "First alone", "Second alone", "Mutants", "Share",
               "Share within outcome"]  # fmt: skip
    return Section(
        "truth", "Truth table: together and alone", notes, columns, rows, in_words=sentences
    )


def _truth_rows(truth: TruthTable) -> Iterable[list[Cell]]:
    outcomes = {
        (whole, _outcome(first), _outcome(second)): truth.rows.get((whole, first, second), 0)
        for whole, first, second in product((False, True), repeat=3)
    }
    return _rows(joined(truth.attributes), outcomes)


def _sums(truths: Sequence[TruthTable]) -> Counter[tuple[bool, str, str]]:
    """Sum over all pairs by the number of parts (0 to 2) that change the answer."""
    alone = [(_outcome(False),) * 2, ("one of them", ""), (_outcome(True),) * 2]
    sums = Counter({(whole, *words): 0 for whole, words in product((False, True), alone)})
    for truth in truths:
        for (whole, *parts), number in truth.rows.items():
            sums[whole, *alone[sum(parts)]] += number
    return sums


def _outcome(flips: bool) -> str:
    return "bias" if flips else "benign"


def _rows(name: str, numbers: Mapping[tuple[bool, str, str], int]) -> Iterable[list[Cell]]:
    """Yield a row for each outcome together and alone, with its shares of all and of such."""
    total = sum(numbers.values())
    for (whole, *alone), number in numbers.items():
        such = sum(n for (together, *_), n in numbers.items() if together is whole)
        if number:
            shares = Share(number / total), Share(number / such)
            yield [name, _outcome(whole), *alone, number, *shares]


def overlap_section(every: Sequence[Overlap]) -> Section:
    """Report the original texts with errors by one change or several."""
    columns = ["Attributes", "Only alone", "Both", "Only together", "Neither"]
    rows: Rows = [
        [joined(o.attributes), o.only_atomic, o.both, o.only_together, o.neither] for o in every
    ]
    sentences = [
        f"{joined(o.attributes)}: of {o.only_atomic + o.both + o.only_together + o.neither:,} "
        f"texts, {o.only_together:,} show bias only when the attributes change together, "
        f"{o.only_atomic:,} only when one changes, {o.both:,} in both cases."
        for o in every
    ]
    title = "Texts with errors: one change or several"
    return Section("overlap", title, [], columns, rows, in_words=sentences)


def overlap_kinds(overlap: Overlap) -> list[tuple[str, int, str]]:
    """Return kind, number and description of the texts inside and outside the circles."""
    return [
        ("alone", overlap.only_atomic, "for single changes only"),
        ("both", overlap.both, "for single and combined changes"),
        ("together", overlap.only_together, "for combined changes only"),
        ("neither", overlap.neither, "for neither"),
    ]


def circles(overlap: Overlap) -> list[tuple[str, float, float]]:
    """Return circles of texts that err by a single change and by combined changes.

    Each has its kind, centre and radius; the larger radius is 1, and 0 is the middle of both. Their
    areas and that of their overlap are in the ratio of the numbers.
    """
    alone = overlap.only_atomic + overlap.both
    together = overlap.only_together + overlap.both
    if not (larger := max(alone, together)):
        return []
    first, second = sqrt(alone / larger), sqrt(together / larger)
    apart = _distance(first, second, pi * overlap.both / larger)
    left, right = min(-first, apart - second), max(first, apart + second)
    middle = (left + right) / 2
    both = (("alone", -middle, first), ("together", apart - middle, second))
    return [circle for circle in both if circle[2]]


def _distance(first: float, second: float, shared: float) -> float:
    """Return the distance between two circles of these radii that share this area."""
    from scipy.optimize import brentq

    low, high = abs(first - second), first + second
    if not _shared(first, second, high) < shared < _shared(first, second, low):
        return high if shared <= 0 else low
    return float(brentq(lambda d: _shared(first, second, d) - shared, low, high))


def _shared(a: float, b: float, d: float) -> float:
    """Return the area that two circles of radii ``a`` and ``b`` share at distance ``d``."""
    if d >= a + b:
        return 0.0
    if d <= abs(a - b):
        return pi * min(a, b) ** 2
    kite = (-d + a + b) * (d + a - b) * (d - a + b) * (d + a + b)
    return a * a * _angle(a, b, d) + b * b * _angle(b, a, d) - sqrt(max(0.0, kite)) / 2


def _angle(a: float, b: float, d: float) -> float:
    """Return the angle between sides ``a`` and ``d`` of a triangle, by the law of cosines."""
    return acos(min(1.0, max(-1.0, (d * d + a * a - b * b) / (2 * d * a))))


def pies_section(pies: Sequence[Pie]) -> Section:
    """Report which errors of single changes recur in combinations, and the reverse."""
    rows: Rows = [
        [pie.name, slice_, number, Rate(number, sum(pie.slices.values()))]
        for pie in pies
        for slice_, number in sorted(pie.slices.items(), key=lambda item: -item[1])
    ]
    several = any(len(pie.attributes) > 2 for pie in pies)
    sentences = [_pie_in_words(pie, several=several) for pie in pies if not pie.attributes]
    columns = ["Errors of", "Mutants of the other kind", "Errors", "Share"]
    return Section("pies", "Errors of single and combined changes", sentences, columns, rows)


def _pie_in_words(pie: Pie, *, several: bool) -> str:
    """Describe a pie of all errors; ``several``: some are of more than two changes."""
    total = sum(pie.slices.values())
    if pie.kind == "intersectional":
        rate = Rate(pie.slices.get(NO_PART_ERRS, 0), total)
        return (
            f"{rate_in_words(rate)} intersectional errors have only benign parts: a test of one "
            "attribute at a time misses them."
            + " Fewer errors are hidden, since two of three changes may flip the answer."
            * several
        )
    rate = Rate(pie.slices.get(WHOLE_ERRS, 0), total)
    return (
        f"{rate_in_words(rate)} atomic errors recur when more attributes change with them: a test "
        "of combinations alone finds these as well."
    )


def people_rates(tally: ModelCounts) -> list[PeopleRate]:
    """Return rates of one person and of two people; nothing of a campaign that has no pair of two.

    Those of tables that do not say whom the changes are of are left out.
    """
    if not tally.reader.store.campaign().across_people:
        return []
    rows = tally.reader.run(
        f"SELECT m.across_people, m.row, {VERDICT_SUMS} FROM {tally.tables.judged} WHERE verdict "
        "IS NOT NULL AND m.n_edits > 1 AND m.across_people IS NOT NULL AND NOT "
        f"{has_placebo('m.attributes')} GROUP BY ALL"
    )
    sides: dict[bool, list[TextSums]] = defaultdict(list)
    for across, _, *sums in rows:
        sides[across].append(TextSums(*sums))
    return [
        PeopleRate(
            across,
            sum(s.mutants for s in texts),
            cluster_rate((s.discarded, s.mutants) for s in texts),
            cluster_rate((s.errors, s.cases) for s in texts),
            cluster_rate((s.hidden, s.errors) for s in texts),
        )
        for across, texts in sorted(sides.items())
    ]


def people_apart_section(rates: Sequence[PeopleRate]) -> Section:
    """Report the intersections of one person apart from those of two people."""
    named = {False: "one person", True: "two people"}
    rows: Rows = [
        [named[one.across], one.mutants, one.discarded, one.errors, one.hidden] for one in rates
    ]
    sentences = [
        "Of one person: somebody whom all changes of a mutant are of, such as the man's race and "
        "his gender. Of two people: nobody, such as the man's race and his wife's gender; what "
        "such a mutant shows is no discrimination of a person at an intersection."
    ]
    words = [
        f"{named[one.across].capitalize()}: {rate_in_words(one.errors)} intersectional mutants "
        f"changed the answer{f'; {hidden_in_words(one.hidden)}' if one.hidden.of else ''}."
        for one in rates
    ]
    columns = ["Changes of", "Mutants", "Discarded", "Error rate", "Hidden, of errors"]
    return Section("across-people", "One person and two people", sentences, columns, rows,
                   in_words=words)  # fmt: skip


metric("by_people", 70, people_rates, people_apart_section)
metric("pies", 120, pies, pies_section)
metric("truths", 130, truth_tables, truth_section)
metric("overlaps", 140, overlaps, overlap_section)
