"""Compute the tables of the papers for a campaign, with intervals.

Sources: HInter, section 4 (metrics 1-7), Table 9, Figures 4, 5, 7, 8, 10 and 11; MutaInt, Tables
3-6 (individual and group bias, truth table). A *case* is a mutant that the invariant kept and the
model answered.

Placebo mutants (attributes that begin with ``placebo``) are neutral changes. They have separate
rows and enter no other number; an error rate above theirs is excess.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from threading import Thread
from typing import Any, Self, cast

from hinter_core.campaign.findings import tested_models
from hinter_core.campaign.progress import missing_in_words
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.record import builds_of
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import TESTED, CampaignStore
from hinter_core.campaign.tables import Attributes, is_placebo
from hinter_core.errors import InputError
from hinter_core.report import kept
from hinter_core.report.added import added_sections
from hinter_core.report.aggregate import count
from hinter_core.report.counts import (
    CampaignCounts,
    ModelCounts,
    Sums,
    TextSums,
    UnusedRow,
    named_sets,
    text_rate,
)
from hinter_core.report.metric import every_metric
from hinter_core.report.mutants.coverage import Coverage, Reach, coverage, reach
from hinter_core.report.mutants.discards import (
    GroupDiscards,
    Untested,
    discards,
    in_reasons,
    untested,
)
from hinter_core.report.mutants.validity import JudgedByPeople, Validity, validities
from hinter_core.report.section import Section, joined, ordered
from hinter_core.statistics.rates import Rate, wilson
from hinter_core.types import Verdict


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
class ModelReport:
    """The main table of a model, and its metrics: each is an attribute, too (``report.excess``)."""

    model: str
    lines: list[ReportRow]
    placebo: list[ReportRow]
    atomic: ReportRow
    intersectional: ReportRow
    metrics: Mapping[str, Any]

    @property
    def main(self) -> ReportRow:
        """The sum of intersectional mutants, or that of atomic ones if there are no others."""
        return self.intersectional if self.intersectional.mutants else self.atomic

    @property
    def in_words(self) -> str:
        """Mutants, errors and hidden errors, in a line."""
        line, audit = self.main, " of the audit" if self.metrics.get("priority") else ""
        hidden = f", {line.verdicts[Verdict.HIDDEN]:,} hidden" if line.hidden else ""
        return (
            f"{self.model}: {line.mutants:,} {line.name} mutants{audit}, "
            f"{line.errors.hits:,} errors in {line.errors.of:,} cases{hidden}"
        )

    def __repr__(self) -> str:
        return f"{self.in_words}; metrics: {', '.join(self.metrics)}"

    def __getattr__(self, name: str) -> Any:
        """Return the value of a metric."""
        try:
            return self.__dict__["metrics"][name]
        except KeyError:
            raise AttributeError(f"A report of a model has no metric '{name}'.") from None

    def with_metrics(self, **values: Any) -> Self:
        """Return the report with other values of some metrics."""
        return replace(self, metrics={**self.metrics, **values})


@dataclass(frozen=True, kw_only=True)
class Report:
    """A campaign's report.

    ``faults``, ``idle``, ``repeated``, ``alike``, ``same`` and ``labels`` (HInter, Table 4): see
    :class:`hinter_core.report.counts.CampaignCounts`. ``people``: judgements of annotators, if
    :func:`hinter_core.annotation.evaluation.correction.judged_by_people` added them. ``only``:
    mutants that change other attributes are left out; empty: none is. ``names``: full names of
    models by those used in the report, where they differ. ``added``: metrics of other packages.
    ``date`` and ``version``: when the last run ended, or began, and with which version of HInter.
    ``builds``: hashes of the program and word lists of all runs, and ``content``: hash of the data,
    or their name with a commit; empty in campaigns from before they were noted.
    ``missing``: what is not done yet, in words. ``rows``: of the data, if they were counted.
    ``barren``: texts of which every mutant was discarded; ``untested``: such attributes, and
    sets of them. ``lost``: discarded intersectional mutants by what discarded them, in words.
    """

    campaign: Campaign
    identity: str
    texts: Counter[str]
    faults: list[UnusedRow]
    idle: list[UnusedRow]
    repeated: dict[str, int]
    alike: int
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
    date: str = ""
    version: str = ""
    builds: list[str] = field(default_factory=list)
    content: str = ""
    missing: str = ""
    rows: int | None = None
    same: tuple[int, int] = (0, 0)
    barren: int = 0
    untested: list[Untested] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)

    @property
    def tested(self) -> int:
        """Number of texts with a kept mutant."""
        return self.texts[TESTED] - self.barren

    @property
    def sampled(self) -> bool:
        """Whether the texts are a sample; there may be no more than were asked for."""
        sample = self.campaign.sample
        if sample is None:
            return False
        if self.rows is not None:
            return self.rows > sample
        return bool(self.missing or self.texts.total() >= sample)


def make_report(
    store: CampaignStore, models: Sequence[str] = (), attributes: Attributes = ()
) -> Report:
    """Count a campaign's tables and compute its report, or return the one that was kept.

    ``models``: only these; ``attributes``: only mutants that change no others (default: all).

    Raises:
        HinterError: no campaign, tables that cannot be read, or an unknown model or attribute.
    """
    chosen = tested_models(store, models)
    key = "" if models or attributes else kept.key_of(store)
    if report := kept.read(store, key):
        return cast(Report, report)
    # The import of the statistics takes as long as the queries for 300,000 mutants.
    Thread(target=import_module, args=("scipy.stats",)).start()
    with CampaignReader(store, chosen, rates=True) as reader:
        require_attributes(reader, attributes)
        report = report_of(store, count(reader, attributes), attributes)
    kept.keep(store, key, report)
    return report


def require_attributes(reader: CampaignReader, attributes: Attributes) -> None:
    """Refuse attributes that no mutant of the campaign changes.

    Raises:
        InputError: the message names those that there are.
    """
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
    spec = store.read()
    run = (spec.get("runs") or [{}])[-1]
    readers = [tally.reader for tally in counts.models.values()]
    return Report(
        campaign=store.campaign(),
        identity=spec["identity"],
        date=run.get("finished") or run.get("started", ""),
        version=run.get("hinter", ""),
        builds=builds_of(spec),
        content=run.get("data", ""),
        texts=counts.texts,
        faults=counts.faults,
        idle=counts.idle,
        repeated=counts.repeated,
        alike=counts.alike,
        same=counts.same,
        labels=counts.labels,
        barren=0 if only else counts.texts[TESTED] - counts.kept_texts,
        reach=[] if only else reach(counts),
        coverage=coverage(counts, scope),
        discards=discards(counts),
        untested=untested(readers[0], counts) if readers and not only else [],
        lost=in_reasons(counts.lost),
        models=list(map(_of_model, counts.models.values())),
        validity=validities(store, list(counts.models), only),
        only=only,
        added=added_sections(store, list(counts.models), only),
        missing=missing_in_words(store),
        rows=(spec.get("size") or {}).get("rows"),
    )


def _of_model(tally: ModelCounts) -> ModelReport:
    each, (atomic, several), placebo = named_sets(tally.verdicts)
    pure = tally.neutral
    mixed = [a for a in ordered(tally.verdicts) if is_placebo(a) and a not in pure]
    return ModelReport(
        tally.name,
        [_line(*one, tally) for one in each],
        [_line(*one, tally) for one in (*placebo, *((joined(a), a, [a]) for a in mixed))],
        _line(*atomic, tally),
        _line(*several, tally),
        {one.name: one.of(tally) for one in every_metric()},
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
        {verdict.value: verdicts[verdict] for verdict in Verdict},
        text_rate(sums, lambda s: (s.errors, s.cases)),
        None if atomic else text_rate(sums, lambda s: (s.hidden, s.errors)),
        text_rate(sums, lambda s: (s.discarded, s.mutants)),
        _texts(sums, lambda s: s.errors),
        None if atomic else _texts(sums, lambda s: s.hidden),
        dict(sum((tally.grades[part] for part in parts), Counter())),
        sum(tally.replacements[part] for part in parts),
    )


def _texts(sums: Sums, hits: Callable[[TextSums], int]) -> Rate:
    """Return the texts with a hit, of those with a case."""
    cases = [(text_sums, texts) for (text_sums,), texts in sums.items() if text_sums.cases]
    return wilson(sum(n for text_sums, n in cases if hits(text_sums)), sum(n for _, n in cases))
