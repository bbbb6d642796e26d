"""The report of a campaign: the tables of the papers, each number with its interval.

Sources: HInter, section 4 (metrics 1-7), Table 9, Figures 4, 5, 7, 8, 10 and 11; MutaInt, Tables
3-6 (individual and group bias, truth table). A *case* is a mutant that the invariant kept and the
model answered.

Placebo mutants (attributes that begin with ``placebo``) change what should not matter. They have
lines of their own and enter no other number; what a model does more often than on them is excess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from hinter_core.campaign import Campaign
from hinter_core.report_people import People
from hinter_core.report_positives import Pie, Positives, pies, positives
from hinter_core.report_reach import Coverage, Reach, coverage, reach
from hinter_core.report_section import joined, ordered
from hinter_core.report_validity import Validity, validities
from hinter_core.shards import CampaignStore
from hinter_core.statistics import (
    Difference,
    Rate,
    adjusted,
    beyond,
    clustered,
    excess,
    mcnemar,
    of_clusters,
    wilson,
)
from hinter_core.tally import Counted, Tally, Unused, by_source, count
from hinter_core.tally_columns import Attributes, is_placebo
from hinter_core.types import Verdict

_MOST = 25  # words and directions listed
ALPHA = 0.05


@dataclass(frozen=True)
class Line:
    """One row of the main table: what mutants of these attributes showed.

    ``name``: the attributes, or ``atomic``, ``intersectional``, ``placebo``. ``order``: number of
    edits; None for a sum over several. ``errors``: of all cases (metric 1). ``hidden``: of the
    errors (metric 5; None for atomic mutants). ``discarded``: of all mutants (metric 4).
    ``sources`` and ``hidden_sources``: original texts with at least one (hidden) error, of those
    with a case (metrics 2 and 6). ``verdicts``: counts of mutants by verdict.
    """

    name: str
    attributes: Attributes
    order: int | None
    mutants: int
    verdicts: dict[str, int]
    errors: Rate
    hidden: Rate | None
    discarded: Rate
    sources: Rate
    hidden_sources: Rate | None


@dataclass(frozen=True)
class Excess:
    """Errors of a given order beyond those of placebo mutants of that order on the same texts."""

    order: int
    errors: Rate
    placebo: Rate
    difference: Difference


@dataclass(frozen=True)
class Truth:
    """Rows of MutaInt's Table 6 for one pair of attributes, and the test of their disagreement.

    ``rows``: (whole flips, first alone flips, second alone flips) with counts.
    ``only_whole``: whole flips where no part does; ``only_part``: a part does, the whole does not.
    """

    attributes: Attributes
    rows: dict[tuple[bool, bool, bool], int]
    only_whole: int
    only_part: int
    p_value: float


@dataclass(frozen=True)
class Overlap:
    """HInter's Figure 11: original texts that err by a single change, by changes together, by both.

    Of the texts that have a case with all these ``attributes`` changed together.
    """

    attributes: Attributes
    only_atomic: int
    both: int
    only_together: int
    neither: int


@dataclass(frozen=True)
class Group:
    """Error rate of mutants turned into one group (or one of each attribute).

    ``above``: higher than the mean over all groups of these attributes, as published (GAB, GIB).
    ``p_value``: of a one-sided test against that mean (:func:`hinter_core.statistics.beyond`),
    adjusted over all groups (BH). It and the interval count ``texts`` rather than cases, as mutants
    of one text are not independent; the paper gives neither. With one text there is no evidence:
    p is 1.
    """

    attributes: Attributes
    groups: tuple[str, ...]
    errors: Rate
    texts: int
    mean: float
    above: bool
    p_value: float


@dataclass(frozen=True)
class Turn:
    """Atomic mutants that turn one word, or any word of one group, into another."""

    attribute: str
    source: str
    target: str
    errors: Rate


@dataclass(frozen=True)
class ModelReport:
    """All tables of one model."""

    model: str
    lines: list[Line]
    placebo: list[Line]
    atomic: Line
    intersectional: Line
    positives: list[Positives]
    excess: list[Excess]
    pies: list[Pie]
    truths: list[Truth]
    overlaps: list[Overlap]
    groups: list[Group]
    words: list[Turn]
    directions: list[Turn]
    failures: Counter[str]
    examples: list[dict[str, Any]]


@dataclass(frozen=True)
class Report:
    """A campaign's report; ``faults`` and ``idle`` as in :class:`hinter_core.tally.Counts`.

    ``repeated``: ids that several texts have, and how many. ``labels``: different labels of the
    texts (HInter, Table 4), counted up to about 1,000. ``people``: what annotators say, where
    somebody asked for it (:func:`hinter_core.annotation.correction.judged_by_people`).
    """

    campaign: Campaign
    identity: str
    texts: Counter[str]
    faults: list[Unused]
    idle: list[Unused]
    repeated: dict[str, int]
    labels: int
    reach: list[Reach]
    coverage: list[Coverage]
    models: list[ModelReport]
    validity: list[Validity]
    people: People | None = None


def make_report(store: CampaignStore) -> Report:
    """Count a campaign's tables and make its report.

    Raises:
        HinterError: no campaign, or tables that cannot be read.
    """
    counts, campaign = count(store), store.campaign()
    return Report(
        campaign,
        store.read()["identity"],
        counts.texts,
        counts.faults,
        counts.idle,
        {ident: many for ident, many in counts.ids.items() if many > 1},
        len(counts.labels),
        reach(counts),
        coverage(counts, store.scope()),
        [_of_model(name, tally) for name, tally in counts.models.items()],
        validities(store),
    )


def _of_model(model: str, tally: Tally) -> ModelReport:
    every, truth = ordered(tally.verdicts), tally.parts.truth
    real = [attributes for attributes in every if not is_placebo(attributes)]
    pure = [a for a in every if all(is_placebo((attribute,)) for attribute in a)]
    mixed = [a for a in every if is_placebo(a) and a not in pure]
    return ModelReport(
        model,
        [_line(joined(a), a, [a], tally) for a in real],
        [
            *(
                _line(f"placebo, order {n}", (), [a for a in pure if len(a) == n], tally)
                for n in sorted({len(a) for a in pure})
            ),
            *(_line(joined(a), a, [a], tally) for a in mixed),
        ],
        _line("atomic", (), [a for a in real if len(a) == 1], tally),
        _line("intersectional", (), [a for a in real if len(a) > 1], tally),
        _positives(real, tally),
        [_excess(n, real, pure, tally) for n in sorted({len(a) for a in pure})],
        pies([(joined(a), a) for a in real], tally),
        [_truth(a, truth[a]) for a in ordered(truth) if not is_placebo(a)],
        [_overlap(a, tally) for a in real if len(a) > 1],
        _groups(tally),
        _turns(((s.attribute, s.source, s.target), c) for s, c in tally.words.items()),
        _turns(((s.attribute, s.source_group, s.target_group), c) for s, c in tally.words.items()),
        tally.failures,
        [example for example in tally.examples if not is_placebo(example["attributes"])],
    )


def _positives(real: Sequence[Attributes], tally: Tally) -> list[Positives]:
    parts = {
        "all": real,
        "intersectional": [a for a in real if len(a) > 1],
        "atomic": [a for a in real if len(a) == 1],
    }
    return [
        *(positives(name, (), of, tally) for name, of in parts.items() if of),
        *(positives(joined(a), a, [a], tally) for a in real),
    ]


def _line(name: str, attributes: Attributes, parts: Sequence[Attributes], tally: Tally) -> Line:
    verdicts: Counter[str] = Counter({verdict.value: 0 for verdict in Verdict})
    for part in parts:
        verdicts.update(tally.verdicts[part])
    sources = by_source(parts, tally.sources)
    discards = by_source(parts, tally.discards)
    orders = {len(part) for part in parts}
    atomic = orders == {1} or name == "atomic"
    texts = len(sources)
    return Line(
        name,
        attributes,
        orders.pop() if len(orders) == 1 else None,
        verdicts.total(),
        dict(verdicts),
        clustered((counted.errors, counted.cases) for counted in sources.values()),
        None if atomic else clustered((c.hidden, c.errors) for c in sources.values()),
        clustered((counted.errors, counted.cases) for counted in discards.values()),
        wilson(sum(counted.errors > 0 for counted in sources.values()), texts),
        None if atomic else wilson(sum(c.hidden > 0 for c in sources.values()), texts),
    )


def _excess(
    order: int, real: Sequence[Attributes], placebo: Sequence[Attributes], tally: Tally
) -> Excess:
    own = by_source((a for a in real if len(a) == order), tally.sources)
    other = by_source((a for a in placebo if len(a) == order), tally.sources)
    both = [(own[row], other[row]) for row in sorted(own.keys() & other.keys())]
    return Excess(
        order,
        clustered((a.errors, a.cases) for a, _ in both),
        clustered((b.errors, b.cases) for _, b in both),
        excess((a.errors, a.cases, b.errors, b.cases) for a, b in both),
    )


def _truth(attributes: Attributes, rows: Mapping[tuple[bool, bool, bool], int]) -> Truth:
    only_whole = rows.get((True, False, False), 0)
    only_part = sum(n for (whole, *parts), n in rows.items() if not whole and any(parts))
    return Truth(attributes, dict(rows), only_whole, only_part, mcnemar(only_whole, only_part))


def _overlap(attributes: Attributes, tally: Tally) -> Overlap:
    together = tally.sources.get(attributes, {})
    alone = by_source([(attribute,) for attribute in attributes], tally.sources)
    seen = Counter(
        (row in alone and alone[row].errors > 0, counted.errors > 0)
        for row, counted in together.items()
    )
    return Overlap(
        attributes, seen[True, False], seen[True, True], seen[False, True], seen[False, False]
    )


def _groups(tally: Tally) -> list[Group]:
    found = []
    for attributes in ordered(a for a in tally.groups.sums if not is_placebo(a)):
        by_group = tally.groups.sums[attributes]
        mean = fmean(c.errors / c.cases for c in by_group.values())
        for groups, c in sorted(by_group.items()):
            found.append((attributes, groups, c, mean, beyond(c, mean)))
    p_values = adjusted([item[-1] for item in found])
    return [
        Group(attributes, groups, of_clusters(c), c.texts, mean, c.errors / c.cases > mean, p)
        for (attributes, groups, c, mean, _), p in zip(found, p_values, strict=True)
    ]


def _turns(items: Iterable[tuple[tuple[str, str, str], Counted]]) -> list[Turn]:
    """The worst first: by the lower end of the interval, so that one case of one is no record."""
    summed: dict[tuple[str, str, str], Counted] = {}
    for key, counted in items:
        if not is_placebo(key[:1]):
            summed.setdefault(key, Counted())
            summed[key] += counted
    turns = [Turn(*key, wilson(c.errors, c.cases)) for key, c in summed.items() if c.errors]
    turns.sort(key=lambda t: (-(t.errors.low or 0), t.attribute, t.source, t.target))
    return turns[:_MOST]
