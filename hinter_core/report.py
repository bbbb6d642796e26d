"""The report of a campaign: the tables of the papers, each number with its interval.

Sources: HInter, section 4 (metrics 1-7) and Table 9; MutaInt, Tables 3-6 (individual and group
bias, truth table). A *case* is a mutant that the invariant kept and the model answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from hinter_core.campaign import Campaign
from hinter_core.shards import CampaignStore
from hinter_core.statistics import Rate, adjusted, binomial, clustered, mcnemar, wilson
from hinter_core.tally import Attributes, Counted, Tally, count
from hinter_core.types import Verdict

_MOST_WORDS = 25


@dataclass(frozen=True)
class Line:
    """One row of the main table: what mutants of these attributes showed.

    ``errors``: of all cases (metric 1). ``hidden``: of the intersectional errors (metric 5; None
    for atomic mutants). ``discarded``: of all mutants (metric 4). ``sources``: original texts with
    at least one error, of those with a case (metrics 2 and 6).
    """

    attributes: Attributes
    mutants: int
    errors: Rate
    hidden: Rate | None
    discarded: Rate
    unanswered: int
    sources: Rate


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
class Group:
    """Error rate of mutants turned into one group (or one of each attribute).

    ``above``: higher than the mean over all groups of these attributes, as published (GAB, GIB).
    ``p_value``: of a one-sided exact test against that mean, adjusted over all groups (BH).
    """

    attributes: Attributes
    groups: tuple[str, ...]
    errors: int
    cases: int
    mean: float
    above: bool
    p_value: float


@dataclass(frozen=True)
class ModelReport:
    """All tables of one model."""

    model: str
    lines: list[Line]
    atomic: Line
    intersectional: Line
    truths: list[Truth]
    groups: list[Group]
    words: list[tuple[tuple[str, str, str], Counted]]
    failures: Counter[str]
    examples: list[dict[str, Any]]


@dataclass(frozen=True)
class Report:
    """A campaign's report. ``coverage``: word pairs tested, of those the dictionaries hold."""

    campaign: Campaign
    identity: str
    texts: Counter[str]
    faults: list[tuple[int, str]]
    coverage: dict[str, tuple[int, int]]
    models: list[ModelReport]


def make_report(store: CampaignStore) -> Report:
    """Count a campaign's tables and make its report.

    Raises:
        HinterError: no campaign, or tables or dictionaries that cannot be read.
    """
    counts, campaign = count(store), store.campaign()
    held = {d.attribute: d.pair_count for d in campaign.vocabulary()}
    return Report(
        campaign,
        store.read()["identity"],
        counts.texts,
        counts.faults,
        {name: (len(counts.pairs.get(name, ())), of) for name, of in held.items()},
        [_of_model(name, tally) for name, tally in counts.models.items()],
    )


def _of_model(name: str, tally: Tally) -> ModelReport:
    order = sorted(tally.verdicts, key=lambda a: (len(a), a))
    lines = [_line(attributes, [attributes], tally) for attributes in order]
    atomic = [a for a in order if len(a) == 1]
    higher = [a for a in order if len(a) > 1]
    words = sorted(tally.words.items(), key=lambda item: (-item[1].errors, item[0]))
    return ModelReport(
        name,
        lines,
        _line(("atomic",), atomic, tally),
        _line(("intersectional", "all"), higher, tally),
        [_truth(attributes, rows) for attributes, rows in sorted(tally.truth.items())],
        _groups(tally),
        [item for item in words if item[1].errors][:_MOST_WORDS],
        tally.failures,
        tally.examples,
    )


def _line(name: Attributes, parts: Iterable[Attributes], tally: Tally) -> Line:
    """The sums over some sets of attributes; a text that errs in two of them counts once."""
    verdicts: Counter[str] = Counter()
    sources: dict[int, tuple[int, int]] = {}
    for part in parts:
        verdicts += tally.verdicts[part]
        for row, counted in tally.sources[part].items():
            errors, cases = sources.get(row, (0, 0))
            sources[row] = (errors + counted.errors, cases + counted.cases)
    hidden = verdicts[Verdict.HIDDEN.value]
    errors = hidden + verdicts[Verdict.BIASED.value]
    mutants = sum(verdicts.values())
    return Line(
        name,
        mutants,
        clustered(sources.values()),
        wilson(hidden, errors) if len(name) > 1 else None,
        wilson(verdicts[Verdict.DISCARDED.value], mutants),
        verdicts[Verdict.UNANSWERED.value],
        wilson(sum(e > 0 for e, _ in sources.values()), len(sources)),
    )


def _truth(attributes: Attributes, rows: Mapping[tuple[bool, bool, bool], int]) -> Truth:
    only_whole = rows.get((True, False, False), 0)
    only_part = sum(n for (whole, *parts), n in rows.items() if not whole and any(parts))
    return Truth(attributes, dict(rows), only_whole, only_part, mcnemar(only_whole, only_part))


def _groups(tally: Tally) -> list[Group]:
    found = []
    for attributes, by_group in sorted(tally.groups.items(), key=lambda i: (len(i[0]), i[0])):
        shares = [c.errors / c.cases for c in by_group.values()]
        mean = fmean(shares) if shares else 0.0
        for groups, counted in sorted(by_group.items()):
            p_value = binomial(counted.errors, counted.cases, mean)
            above = counted.errors / counted.cases > mean
            found.append((attributes, groups, counted, mean, above, p_value))
    p_values = adjusted([item[-1] for item in found])
    return [
        Group(attributes, groups, counted.errors, counted.cases, mean, above, p_value)
        for (attributes, groups, counted, mean, above, _), p_value in zip(
            found, p_values, strict=True
        )
    ]
