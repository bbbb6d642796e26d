"""Compute the tables of the papers for a campaign, with intervals.

Sources: HInter, section 4 (metrics 1-7), Table 9, Figures 4, 5, 7, 8, 10 and 11; MutaInt, Tables
3-6 (individual and group bias, truth table). A *case* is a mutant that the invariant kept and the
model answered.

Placebo mutants (attributes that begin with ``placebo``) are neutral changes. They have separate
rows and enter no other number; an error rate above theirs is excess.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from statistics import fmean
from threading import Thread
from typing import Any

from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import Attributes, is_placebo
from hinter_core.report.aggregate import (
    CampaignCounts,
    ModelCounts,
    Sums,
    TextSums,
    UnusedRow,
    count,
    each_text,
)
from hinter_core.report.discards import GroupDiscards, discards
from hinter_core.report.excess import PlaceboExcess, excesses
from hinter_core.report.section import joined, ordered
from hinter_core.report.validity import People, Validity, validities
from hinter_core.statistics.clustered import (
    Clusters,
    cluster_rate,
    cluster_wilson,
    one_sided_test,
)
from hinter_core.statistics.rates import Rate, benjamini_hochberg, wilson
from hinter_core.types import Verdict

_MOST = 25  # words and directions listed
ALPHA = 0.05


@dataclass(frozen=True)
class ReportRow:
    """One row of the main table: the rates of mutants of some attributes.

    ``name``: the attributes, or ``atomic``, ``intersectional``, ``placebo``. ``order``: number of
    edits, None for a sum over several. ``errors``: of cases (metric 1). ``hidden``: of errors
    (metric 5; None for atomic mutants). ``discarded``: of mutants (metric 4). ``sources`` and
    ``hidden_sources``: original texts with a (hidden) error, of those with a case (metrics 2, 6).
    ``verdicts``: numbers of mutants. ``grades``: of hidden mutants, by
    :class:`hinter_core.types.HiddenGrade`; "" without scores.
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
    grades: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class TruthTable:
    """MutaInt's Table 6 for one pair of attributes.

    ``rows``: numbers of mutants by (whole flips, first alone flips, second alone flips).
    ``only_whole``: the whole flips and no part does; ``only_part``: the reverse. Departure: the
    paper tests their difference (McNemar), but noise alone makes them differ, as two parts have two
    chances to flip; :class:`PlaceboExcess` compares hidden mutants with placebo mutants instead.
    """

    attributes: Attributes
    rows: dict[tuple[bool, bool, bool], int]
    only_whole: int
    only_part: int


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


@dataclass(frozen=True)
class GroupRate:
    """Error rate of mutants changed to one group (or one group per attribute).

    ``above``: above the mean over all groups of these attributes, as published (GAB, GIB).
    ``p_value``: of a one-sided test against that mean (:func:`one_sided_test`), adjusted over all
    groups (Benjamini-Hochberg). The test and the interval count ``texts``, not cases, as mutants of
    one text are not independent; the paper gives neither. With one text, p is 1.

    ``hidden``: hidden mutants, of cases, with ``hidden_p_value`` of the same test against the mean
    of hidden rates; None for one attribute. Departure: the published criterion also reports groups
    that err only because one of their parts does; hidden mutants are explained by no part.
    """

    attributes: Attributes
    groups: tuple[str, ...]
    errors: Rate
    texts: int
    mean: float
    above: bool
    p_value: float
    hidden: Rate | None = None
    hidden_p_value: float | None = None


@dataclass(frozen=True)
class WordEffect:
    """Error rate of atomic mutants that change one word, or a word of one group, to another."""

    attribute: str
    source: str
    target: str
    errors: Rate


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


@dataclass(frozen=True)
class Reach:
    """Number of tested mutants among the possible ones of an order.

    The possible ones include combinations of changes to the same words.
    """

    order: int
    tested: int
    possible: int


@dataclass(frozen=True)
class Coverage:
    """Share of the dictionaries that mutants of these attributes used, whatever their verdict.

    ``pairs``: by attribute, word pairs used, kept by the invariant, and in its dictionary.
    ``groups``: target groups (one per attribute) used, and possible.
    """

    attributes: Attributes
    pairs: dict[str, tuple[int, int, int]]
    groups: tuple[int, int]


@dataclass(frozen=True)
class ModelReport:
    """All tables of one model."""

    model: str
    lines: list[ReportRow]
    placebo: list[ReportRow]
    atomic: ReportRow
    intersectional: ReportRow
    positives: list[Positives]
    excess: list[PlaceboExcess]
    pies: list[Pie]
    truths: list[TruthTable]
    overlaps: list[Overlap]
    groups: list[GroupRate]
    words: list[WordEffect]
    directions: list[WordEffect]
    failures: Counter[str]
    examples: list[dict[str, Any]]


@dataclass(frozen=True)
class Report:
    """A campaign's report.

    ``faults``, ``idle``, ``repeated`` and ``labels`` (HInter, Table 4): see
    :class:`hinter_core.report.aggregate.CampaignCounts`. ``people``: judgements of annotators, if
    :func:`hinter_core.annotation.evaluation.correction.judged_by_people` added them.
    """

    campaign: Campaign
    identity: str
    texts: Counter[str]
    faults: list[UnusedRow]
    idle: list[UnusedRow]
    repeated: dict[str, int]
    labels: int
    reach: list[Reach]
    coverage: list[Coverage]
    discards: list[GroupDiscards]
    models: list[ModelReport]
    validity: list[Validity]
    people: People | None = None


def make_report(store: CampaignStore) -> Report:
    """Count a campaign's tables and compute its report.

    Raises:
        HinterError: no campaign, or tables that cannot be read.
    """
    # The import of the statistics takes as long as the queries for 300,000 mutants.
    Thread(target=import_module, args=("statsmodels.stats.proportion",)).start()
    with CampaignReader(store) as reader:
        return report_of(store, count(reader))


def report_of(store: CampaignStore, counts: CampaignCounts) -> Report:
    """Compute the report of a counted campaign; its reader must still be open."""
    return Report(
        store.campaign(),
        store.read()["identity"],
        counts.texts,
        counts.faults,
        counts.idle,
        counts.repeated,
        counts.labels,
        reach(counts),
        coverage(counts, store.scope()),
        discards(counts),
        [_of_model(name, model) for name, model in counts.models.items()],
        validities(store),
    )


def _of_model(model: str, tally: ModelCounts) -> ModelReport:
    every, truth = ordered(tally.verdicts), tally.truth
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
        excesses(real, pure, tally),
        pies([(joined(a), a) for a in real], tally),
        [_truth(a, truth[a]) for a in ordered(truth) if not is_placebo(a)],
        [_overlap(a, tally) for a in real if len(a) > 1],
        _groups(tally),
        _effects(((s.attribute, s.source, s.target), c) for s, c in tally.words.items()),
        _effects(
            ((s.attribute, s.source_group, s.target_group), c) for s, c in tally.words.items()
        ),
        tally.failures,
        [_example(model, record) for record in tally.examples],
    )


def _line(
    name: str, attributes: Attributes, parts: Sequence[Attributes], tally: ModelCounts
) -> ReportRow:
    verdicts = tally.verdicts_of(parts)
    sums = tally.by_text(parts)
    orders = {len(part) for part in parts}
    atomic = orders == {1} or name == "atomic"
    return ReportRow(
        name,
        attributes,
        orders.pop() if len(orders) == 1 else None,
        verdicts.total(),
        {verdict.value: verdicts[verdict.value] for verdict in Verdict},
        cluster_rate(each_text(sums, lambda s: (s.errors, s.cases))),
        None if atomic else cluster_rate(each_text(sums, lambda s: (s.hidden, s.errors))),
        cluster_rate(each_text(sums, lambda s: (s.discarded, s.mutants))),
        _texts(sums, lambda s: s.errors),
        None if atomic else _texts(sums, lambda s: s.hidden),
        dict(sum((tally.grades[part] for part in parts), Counter())),
    )


def _texts(sums: Sums, hits: Callable[[TextSums], int]) -> Rate:
    """Return the texts with a hit, of those with a case."""
    cases = [(own, texts) for (own,), texts in sums.items() if own.cases]
    return wilson(sum(n for own, n in cases if hits(own)), sum(n for _, n in cases))


def _truth(attributes: Attributes, rows: Mapping[tuple[bool, bool, bool], int]) -> TruthTable:
    only_whole = rows.get((True, False, False), 0)
    only_part = sum(n for (whole, *parts), n in rows.items() if not whole and any(parts))
    return TruthTable(attributes, dict(rows), only_whole, only_part)


def _overlap(attributes: Attributes, tally: ModelCounts) -> Overlap:
    sums = tally.by_text([attributes], [(attribute,) for attribute in attributes])
    cases: Sums = Counter({own: texts for own, texts in sums.items() if own[0].cases})
    seen = each_text(cases, lambda together, alone: (alone.errors > 0, together.errors > 0))
    return Overlap(
        attributes, seen[True, False], seen[True, True], seen[False, True], seen[False, False]
    )


def _groups(tally: ModelCounts) -> list[GroupRate]:
    every, hidden = _tested(tally.groups), _tested(tally.hidden_groups)
    return [
        GroupRate(
            attributes,
            groups,
            cluster_wilson(c),
            c.texts,
            mean,
            c.errors / c.cases > mean,
            p,
            *((cluster_wilson(own[0]), own[2]) if own else ()),
        )
        for (attributes, groups), (c, mean, p) in every.items()
        for own in [hidden.get((attributes, groups))]
    ]


_ByGroups = Mapping[Attributes, Mapping[tuple[str, ...], Clusters]]


def _tested(
    tallied: _ByGroups,
) -> dict[tuple[Attributes, tuple[str, ...]], tuple[Clusters, float, float]]:
    """Test the rate of each group against the mean of its attributes; return it with mean and p."""
    found = {}
    for attributes in ordered(a for a in tallied if not is_placebo(a)):
        by_group = tallied[attributes]
        mean = fmean(c.errors / c.cases for c in by_group.values())
        for groups, c in sorted(by_group.items()):
            found[attributes, groups] = (c, mean, one_sided_test(c, mean))
    p_values = benjamini_hochberg([p for *_, p in found.values()])
    return {
        key: (c, mean, p) for (key, (c, mean, _)), p in zip(found.items(), p_values, strict=True)
    }


def _effects(items: Iterable[tuple[tuple[str, str, str], tuple[int, int]]]) -> list[WordEffect]:
    """Sort changes by the lower end of their intervals, so that one case of one does not lead."""
    errors: Counter[tuple[str, str, str]] = Counter()
    cases: Counter[tuple[str, str, str]] = Counter()
    for key, (hits, of) in items:
        errors[key] += hits
        cases[key] += of
    effects = [
        WordEffect(*key, wilson(hits, cases[key]))
        for key, hits in errors.items()
        if hits and not is_placebo(key[:1])
    ]
    effects.sort(key=lambda e: (-(e.errors.low or 0), e.attribute, e.source, e.target))
    return effects[:_MOST]


def _example(model: str, record: MutantRecord) -> dict[str, Any]:
    answer = record.answers[model]
    return {
        "shard": record.shard,
        "row": record.row,
        "attributes": record.attributes,
        "edits": record.stored_edits,
        "mutant": record.handwritten,
        "labels": list(answer.labels),
        "grade": answer.grade,
        "id": record.id,
        "text": record.text,
        "original": list(answer.original),
    }


def _positives(real: Sequence[Attributes], tally: ModelCounts) -> list[Positives]:
    sums: list[tuple[str, Attributes, Sequence[Attributes]]] = [
        ("all", (), real),
        ("intersectional", (), [a for a in real if len(a) > 1]),
        ("atomic", (), [a for a in real if len(a) == 1]),
    ]
    each = [(joined(a), a, [a]) for a in real]
    return [_positives_of(*line, tally) for line in (*sums, *each) if line[2]]


def _positives_of(
    name: str, attributes: Attributes, parts: Sequence[Attributes], tally: ModelCounts
) -> Positives:
    verdicts = tally.verdicts_of(parts)
    discarded = verdicts[Verdict.DISCARDED.value]
    sums = tally.by_text(parts)
    fake = without = Rate(0, 0)
    if any(sum_.asked for (sum_,) in sums):
        fake = cluster_rate(each_text(sums, lambda s: (s.turned, s.turned + s.errors)))
        both = each_text(sums, lambda s: (s.turned + s.errors, s.asked + s.cases))
        without = cluster_rate(both)
    true = cluster_rate(each_text(sums, lambda s: (s.errors, s.cases)))
    false = cluster_rate(each_text(sums, lambda s: (s.turned, s.asked)))
    kept = verdicts.total() - discarded
    return Positives(name, attributes, kept, discarded, true, false, fake, without)


def pies(named: Sequence[tuple[str, Attributes]], tally: ModelCounts) -> list[Pie]:
    """Return both pies of all mutants, then one for each set of attributes with an error."""
    wholes: Counter[str] = Counter()
    atoms: Counter[str] = Counter()
    found = []
    for name, attributes in named:
        alone = len(attributes) == 1
        slices = (tally.atoms if alone else tally.wholes).get(attributes, Counter())
        (atoms if alone else wholes).update(slices)
        if slices:
            kind = "atomic" if alone else "intersectional"
            found.append(Pie(name, kind, attributes, dict(slices)))
    sums = (("intersectional", wholes), ("atomic", atoms))
    return [*(Pie(kind, kind, (), dict(slices)) for kind, slices in sums if slices), *found]


def reach(counts: CampaignCounts) -> list[Reach]:
    """Return a row for each order that has possible mutants."""
    return [Reach(n, counts.tested[n], of) for n, of in sorted(counts.possible.items()) if of]


def coverage(counts: CampaignCounts, scope: Mapping[str, tuple[int, int]]) -> list[Coverage]:
    """Return a row for each set of attributes of the mutants, and for each attribute alone.

    ``scope``: by attribute, numbers of word pairs and target groups in its dictionary.
    """
    alone: list[Attributes] = [(attribute,) for attribute in scope]
    return [
        Coverage(
            attributes,
            {
                a: (*counts.pairs.get(attributes, {}).get(a, (0, 0)), scope[a][0])
                for a in attributes
            },
            (counts.met.get(attributes, 0), prod(scope[a][1] for a in attributes)),
        )
        for attributes in ordered({*alone, *counts.pairs})
        if all(attribute in scope for attribute in attributes) and not is_placebo(attributes)
    ]
