"""Compute the tables of the papers for a campaign, with intervals.

Sources: HInter, section 4 (metrics 1-7), Table 9, Figures 4, 5, 7, 8, 10 and 11; MutaInt, Tables
3-6 (individual and group bias, truth table). A *case* is a mutant that the invariant kept and the
model answered.

Placebo mutants (attributes that begin with ``placebo``) are neutral changes. They have separate
rows and enter no other number; an error rate above theirs is excess.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from statistics import fmean
from threading import Thread
from typing import Any

from hinter_core.campaign.findings import tested_models
from hinter_core.campaign.progress import Reason, unanswered
from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.record import PriorityState
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import Attributes, is_placebo
from hinter_core.errors import InputError
from hinter_core.report.added import added_sections
from hinter_core.report.aggregate import count
from hinter_core.report.counts import (
    CampaignCounts,
    ModelCounts,
    Sums,
    TextSums,
    UnusedRow,
    each_text,
)
from hinter_core.report.metrics.accuracy import Accuracy, accuracy
from hinter_core.report.metrics.coverage import Coverage, Reach, coverage, reach
from hinter_core.report.metrics.discards import GroupDiscards, discards
from hinter_core.report.metrics.excess import PlaceboExcess, excesses
from hinter_core.report.metrics.group_fairness import WordScore, word_scores
from hinter_core.report.metrics.lattice import (
    Overlap,
    PeopleRate,
    Pie,
    TruthTable,
    overlap,
    people_rates,
    pies,
    truth_table,
)
from hinter_core.report.metrics.positives import AtLeast, Positives, by_validity, positives
from hinter_core.report.metrics.relations import RelationRate, relation_rates
from hinter_core.report.metrics.uncovering import UncoveringCases, uncovering_cases
from hinter_core.report.metrics.validity import JudgedByPeople, Validity, validities
from hinter_core.report.papers.masks import ToleranceRate, tolerance_rates
from hinter_core.report.papers.strict_groups import GroupInstance, known_groups, strict_groups
from hinter_core.report.papers.variants import RightVariants, right_variants
from hinter_core.report.section import Section, joined, ordered
from hinter_core.statistics.clustered import cluster_rate, one_sided_test
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
    :class:`hinter_core.types.HiddenGrade`; "" without scores. ``replacements``: places changed in
    all ``mutants``.
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
    replacements: int = 0


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
    accuracy: Accuracy | None = None
    by_validity: list[AtLeast] = field(default_factory=list)
    uncovering: list[UncoveringCases] = field(default_factory=list)
    word_scores: list[WordScore] = field(default_factory=list)
    relations: list[RelationRate] = field(default_factory=list)
    by_people: list[PeopleRate] = field(default_factory=list)
    priority: PriorityState | None = None
    strict_groups: list[GroupInstance] = field(default_factory=list)
    tolerances: list[ToleranceRate] = field(default_factory=list)
    variants: list[RightVariants] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """A campaign's report.

    ``faults``, ``idle``, ``repeated`` and ``labels`` (HInter, Table 4): see
    :class:`hinter_core.report.counts.CampaignCounts`. ``people``: judgements of annotators, if
    :func:`hinter_core.annotation.evaluation.correction.judged_by_people` added them. ``only``:
    mutants that change other attributes are left out; empty: none is. ``names``: full names of
    models by those used in the report, where they differ. ``added``: metrics of other packages.
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
    people: JudgedByPeople | None = None
    only: Attributes = ()
    names: dict[str, str] = field(default_factory=dict)
    added: list[Section] = field(default_factory=list)


def make_report(
    store: CampaignStore, models: Sequence[str] = (), attributes: Attributes = ()
) -> Report:
    """Count a campaign's tables and compute its report.

    ``models``: only these; ``attributes``: only mutants that change no others (default: all).

    Raises:
        HinterError: no campaign, tables that cannot be read, or an unknown model or attribute.
    """
    chosen = tested_models(store, models)
    # The import of the statistics takes as long as the queries for 300,000 mutants.
    Thread(target=import_module, args=("scipy.stats",)).start()
    with CampaignReader(store, chosen, rates=True) as reader:
        _require_attributes(reader, attributes)
        return report_of(store, count(reader, attributes), attributes)


def _require_attributes(reader: CampaignReader, attributes: Attributes) -> None:
    known = {*reader.store.campaign().attributes, *reader.store.scope()}
    if not set(attributes) <= known:  # handwritten mutants name their own
        known |= {
            name
            for (name,) in reader.run(
                f"SELECT DISTINCT unnest(attributes) FROM ({reader.tables().mutants})"
            )
        }
    for name in attributes:
        if name not in known:
            listed = ", ".join(sorted(name for name in known if not is_placebo((name,))))
            raise InputError(
                f"No mutant of this campaign changes '{name}'; it has {listed or 'none yet'}."
            )


def report_of(store: CampaignStore, counts: CampaignCounts, only: Attributes = ()) -> Report:
    """Compute the report of a counted campaign; its reader must still be open."""
    scope = {name: of for name, of in store.scope().items() if not only or name in only}
    return Report(
        store.campaign(),
        store.read()["identity"],
        counts.texts,
        counts.faults,
        counts.idle,
        counts.repeated,
        counts.labels,
        [] if only else reach(counts),
        coverage(counts, scope),
        discards(counts),
        [
            replace(_of_model(name, model), reasons=unanswered(store, (name,)))
            for name, model in counts.models.items()
        ],
        validities(store, list(counts.models), only),
        only=only,
        added=added_sections(store, list(counts.models), only),
    )


def _of_model(model: str, tally: ModelCounts) -> ModelReport:
    every = ordered(tally.verdicts)
    real = [attributes for attributes in every if not is_placebo(attributes)]
    pure = [a for a in every if all(is_placebo((attribute,)) for attribute in a)]
    mixed = [a for a in every if is_placebo(a) and a not in pure]
    groups = _groups(tally)
    above = known_groups((g.attributes, g.groups, g.errors, g.mean, g.above) for g in groups)
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
        positives(real, tally),
        excesses(real, pure, tally),
        pies([(joined(a), a) for a in real], tally),
        [truth_table(a, tally) for a in ordered(tally.truth) if not is_placebo(a)],
        [overlap(a, tally) for a in real if len(a) > 1],
        groups,
        _effects(((s.attribute, s.source, s.target), c) for s, c in tally.words.items()),
        _effects(
            ((s.attribute, s.source_group, s.target_group), c) for s, c in tally.words.items()
        ),
        tally.failures,
        [_example(model, record) for record in tally.examples],
        accuracy(tally, model),
        by_validity(tally),
        uncovering_cases(tally, model),
        word_scores(tally, model),
        relation_rates(tally, model),
        people_rates(tally, model),
        tally.reader.priority.get(model),
        strict_groups(tally, model, above),
        tolerance_rates(tally, model, real),
        right_variants(tally, model, real),
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
        sum(tally.replacements[part] for part in parts),
    )


def _texts(sums: Sums, hits: Callable[[TextSums], int]) -> Rate:
    """Return the texts with a hit, of those with a case."""
    cases = [(own, texts) for (own,), texts in sums.items() if own.cases]
    return wilson(sum(n for own, n in cases if hits(own)), sum(n for _, n in cases))


def _groups(tally: ModelCounts) -> list[GroupRate]:
    every, hidden = _tested(tally.groups), _tested(tally.hidden_groups)
    return [
        GroupRate(
            attributes,
            groups,
            errors,
            tally.groups[attributes][groups].total(),
            mean,
            (errors.share or 0.0) > mean,
            p,
            *((own[0], own[2]) if own else ()),
        )
        for (attributes, groups), (errors, mean, p) in every.items()
        for own in [hidden.get((attributes, groups))]
    ]


_ByGroups = Mapping[Attributes, Mapping[tuple[str, ...], Counter[tuple[int, ...]]]]


def _tested(
    tallied: _ByGroups,
) -> dict[tuple[Attributes, tuple[str, ...]], tuple[Rate, float, float]]:
    """Test the rate of each group against the mean of its attributes; return it with mean and p."""
    found = {}
    for attributes in ordered(a for a in tallied if not is_placebo(a)):
        rates = {groups: cluster_rate(texts) for groups, texts in tallied[attributes].items()}
        mean = fmean(rate.share or 0.0 for rate in rates.values())
        for groups, rate in sorted(rates.items(), key=lambda item: item[0]):
            p = one_sided_test(tallied[attributes][groups], mean)
            found[attributes, groups] = (rate, mean, p)
    p_values = benjamini_hochberg([p for *_, p in found.values()])
    return {
        key: (rate, mean, p)
        for (key, (rate, mean, _)), p in zip(found.items(), p_values, strict=True)
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
