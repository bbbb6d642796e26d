"""Preview a campaign: its data set, and a forecast of its work.

A forecast plans a few texts, drawn at random, scales their counts to all texts, and measures times
on a few mutants. Models whose answers cost are not tested.
"""

import os
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from random import Random

from hinter_core.campaign.running.run import RunScope, rows_of
from hinter_core.campaign.running.worker import CampaignParts, load_parts
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.tables import is_placebo
from hinter_core.data.handwritten import HandwrittenSource, HandwrittenTable
from hinter_core.data.rows import Row, Rows, Table, alike_labels
from hinter_core.errors import first_names
from hinter_core.files.columns import Columns, listed, unlabelled_in_words
from hinter_core.generators.grammars.cases import GrammarTable
from hinter_core.generators.grammars.grammar import Grammar
from hinter_core.generators.templates.corpus import MiningCounts
from hinter_core.generators.templates.template import TemplateRow, TemplateTable
from hinter_core.language.reading.english import has_english, other_language
from hinter_core.models.budget import Cost, total
from hinter_core.pipeline.case import FollowUp, ask_originals, conform, judge
from hinter_core.pipeline.words import layer_in_words
from hinter_core.statistics.clustered import POWER, texts_needed
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import matcher_for
from hinter_core.terms.occurrences import find_occurrences

MOST = 10_000  # rows to preview
_NAMED = 20  # unusable rows listed
_SHOWN = 60  # characters of a label
_LABELS = 12  # named
_MATCHED = 300  # texts whose words are looked up: a long one takes a thousandth of a second
_LOOKED_AT = 80  # texts of a forecast: few texts have placebo mutants of two changes
_DRAWN_FROM = 100_000  # texts, the first ones: more take long to read
_TRIED = 160  # mutants of a forecast
_COMPARED = 100  # mutants of a forecast that are compared with their sources
_OF_SET = 50  # mutants of a set of attributes that are compared
_OF_TEXT = 10  # mutants of a text, one of which is to be kept
_RATES = (0.10, 0.05)  # errors of sensitive and of placebo mutants that a campaign is to tell apart
_ALIKE = 0.1  # correlation of the errors of one text, as is common in campaigns of the sample


@dataclass
class Preview:
    """A preview of a data set.

    ``source``: the file, or the data set of the Hub at its commit. ``chosen``: the columns to read;
    ``found``: those detected automatically. ``count``: all rows, if known. The rest is about the
    first ``looked_at`` rows, which are all if ``complete``: ``unusable``: unusable rows, the first
    of them in ``faults``; ``repeated``: rows with the id of an earlier one; ``mended``: rows that
    were read as Windows-1252 in a file that is UTF-8; ``foreign``: usable texts that seem not
    to be English, and are not changed; ``words``: of the first 300 usable texts,
    how many have words of these attributes and of no other (a word may be one that is not changed,
    such as a name of a work); ``mutants``: handwritten ones; ``classes``:
    numbers of templates by attribute; ``mined``: how many texts were refused, and why, once a log
    is read; ``grammar``: the grammar that makes the rows, and ``sentences`` how many it can make.
    ``reading``: sentences on how a file was understood.
    """

    source: str
    names: tuple[str, ...]
    chosen: Columns
    found: tuple[str, ...]
    encoding: str
    count: int | None
    rows: list[Row] = field(default_factory=list)
    looked_at: int = 0
    complete: bool = False
    labels: Counter[str] = field(default_factory=Counter)
    unusable: int = 0
    faults: list[Row] = field(default_factory=list)
    repeated: int = 0
    mended: int = 0
    foreign: int = 0
    words: Counter[frozenset[str]] = field(default_factory=Counter)
    mutants: int | None = None
    classes: Counter[str] | None = None
    mined: MiningCounts | None = None
    grammar: Grammar | None = None
    sentences: int = 0
    reading: tuple[str, ...] = ()

    @property
    def words_by_attribute(self) -> Counter[str]:
        """How many of the texts whose words were looked up have words of each attribute."""
        counts = Counter[str]()
        for attributes, number in self.words.items():
            counts.update(dict.fromkeys(attributes, number))
        return counts

    def together(self, attributes: Collection[str]) -> int:
        """How many of these texts have words of two or more of some attributes."""
        return sum(n for there, n in self.words.items() if len(there & set(attributes)) > 1)


def preview(campaign: Campaign, rows: int = 5, most: int = MOST) -> Preview:
    """Preview the first ``most`` rows of a campaign's data, including the first ``rows`` rows.

    Raises:
        InputError: see :meth:`hinter_core.campaign.spec.Campaign.table`.
    """
    table = campaign.table()
    reading = iter(table.rows())
    given = (campaign.text_column, campaign.label_column, campaign.id_column)
    chosen = (table.columns.text, table.columns.label, table.columns.id)
    seen = Preview(
        (isinstance(table, Table) and table.pinned) or campaign.source.name,
        tuple(table.names),
        table.columns,
        tuple(column for column, name in zip(chosen, given, strict=True) if column and not name),
        table.source.encoding if isinstance(table, Table) and table.source else "",
        table.count,
        mutants=0 if isinstance(table, HandwrittenTable) else None,
        classes=Counter() if isinstance(table, TemplateTable) else None,
        grammar=table.grammar if isinstance(table, GrammarTable) else None,
        sentences=table.source.count if isinstance(table, GrammarTable) else 0,
        reading=_reading(table),
    )
    of_texts = isinstance(table, Table)
    words = matcher_for([one for one in load_shipped().values() if not one.placebo])
    find = words.find if campaign.literal else partial(find_occurrences, matcher=words)
    ids: set[str] = set()
    for row in islice(reading, most):
        seen.looked_at += 1
        if len(seen.rows) < rows:
            seen.rows.append(row)
        seen.repeated += row.id in ids
        ids.add(row.id)
        seen.mended += row.mended and seen.encoding == "utf-8"
        if of_texts and not row.fault:
            english, looked_up = has_english(row.text), seen.words.total() < _MATCHED
            found = find(row.text)[0] if looked_up or not english else []
            # Where no small word is English, words of attributes are.
            foreign = other_language(row.text) or not (english or found)
            seen.foreign += bool(foreign) and not campaign.literal
            if looked_up:
                seen.words[frozenset(one.attribute for one in found)] += 1
        if isinstance(row, HandwrittenSource):
            seen.mutants = (seen.mutants or 0) + len(row.variants)
        if isinstance(row, TemplateRow) and row.template and seen.classes is not None:
            seen.classes.update(row.template.attributes)
        if row.fault:
            seen.unusable += 1
            if len(seen.faults) < _NAMED:
                seen.faults.append(row)
        elif row.label:
            seen.labels[row.label] += 1
    seen.complete = seen.looked_at < most or next(reading, None) is None
    if seen.complete:
        seen.count = seen.looked_at
    return seen


def _reading(table: Rows) -> tuple[str, ...]:
    """Say how a file was understood."""
    if not isinstance(table, Table | HandwrittenTable) or not table.source:
        return ()
    words, columns = [table.source.in_words(), *table.source.notes], table.columns
    if columns.why:
        words.append(f"The texts are in '{columns.text}', since {columns.why}.")
    if columns.flags:
        words.append(f"Each of {listed(columns.flags)} is a label, where it is 1.")
    return tuple(words)


def labels_in_words(table: Rows) -> list[str]:
    """Say that rows seem to have no labels, or some that are alike; nothing of the Hub's.

    A source that was added is not started once more for it, as it may be slow.
    """
    if not isinstance(table, Table) or table.pinned:
        return []
    held = table.source is not None or table.count is not None
    first = islice(table.rows(), MOST) if held else ()
    unlabelled = unlabelled_in_words(table.columns, table.names)
    return [*filter(None, [unlabelled]), *alike_labels(row.label for row in first if row.label)]


def preview_in_words(seen: Preview) -> list[str]:
    """Describe the preview in lines, without its rows."""
    columns = seen.chosen
    named = [("texts", columns.text), ("labels", columns.label), ("ids", columns.id)]
    how = [
        f"{what} from '{name}'{' (detected)' if name in seen.found else ''}"
        for what, name in named
        if name
    ]
    total = (
        f"{seen.count:,} rows" if seen.count is not None else f"more than {seen.looked_at:,} rows"
    )
    if not seen.complete:
        total += f", of which the first {seen.looked_at:,} were read"
    lines = [
        f"{seen.source}: {total}{f'; {seen.encoding.upper()}' if seen.encoding else ''}",
        f"columns: {', '.join(seen.names)}; {', '.join(how)}",
    ]
    if (seen.encoding or seen.reading) and (unlabelled := unlabelled_in_words(columns, seen.names)):
        lines.append(unlabelled)
    lines += [f"read as: {seen.reading[0]}", *seen.reading[1:]] if seen.reading else []
    if seen.mutants is not None:
        lines.append(f"mutants: {seen.mutants:,}")
    if seen.labels:
        each = [f"{label[:_SHOWN]} ({number:,})" for label, number in seen.labels.most_common()]
        lines.append(f"labels: {first_names(each, _LABELS)}")
    lines += alike_labels(seen.labels)
    if seen.words:
        each = [f"{name} in {number:,}" for name, number in seen.words_by_attribute.most_common()]
        number = seen.words.total()
        there = f"{', '.join(each) or 'none'}; of two or more attributes in "
        there += f"{seen.together(seen.words_by_attribute):,}, perhaps of different people"
        lines.append(f"words of attributes, in the first {number:,} usable texts: {there}")
        lines.append("  how many texts have something to test, hinter run --estimate says")
    if seen.mended:
        lines.append(f"not UTF-8, read as Windows-1252: {seen.mended:,}")
    if seen.foreign:
        lines.append(f"not English, it seems, and not changed: {seen.foreign:,}")
    if seen.repeated:
        lines.append(f"id of an earlier row: {seen.repeated:,} (row numbers tell them apart)")
    if seen.unusable:
        lines.append(f"unusable, to be listed in the report: {seen.unusable:,}")
        by_fault: dict[str, list[str]] = {}
        for row in seen.faults:
            by_fault.setdefault(row.fault, []).append(f"{row.number:,}")
        lines += [
            f"  {'row' if len(rows) == 1 else 'rows'} {', '.join(rows)}: {fault}"
            for fault, rows in by_fault.items()
        ]
        if seen.unusable > len(seen.faults):
            lines.append(f"  and {seen.unusable - len(seen.faults):,} more")
    return lines


@dataclass(frozen=True)
class Forecast:
    """A forecast; ``texts`` in total, ``looked_at`` of them planned, ``tested`` with mutants.

    ``unusable``: rows of all that have no usable text; counted if the rows are ``counted``, and
    estimated from the first 100,000 if they are more. None of them is planned.

    ``mutants`` (by order), ``parses`` (distinct sentences) and ``seconds`` are estimates for all
    texts; so are ``predictions`` (distinct texts times models, and repetitions) and ``costs`` (by
    model, if it costs), in which discarded mutants count, although they are not tested: these two
    are upper bounds if the forecast is ``whole``, as it looked at all texts. ``unseen``: by model,
    the share of mutants with a change past what the model reads. ``power``: how many texts an
    excess over placebo needs, in a sentence; ``placebo``: placebo mutants of that order that a gate
    counts, which are kept and in a text with kept intersectional mutants. ``kept``:
    of ``compared`` intersectional mutants (atomic ones at order 1), those that are not discarded;
    ``discard``: why most of the others are. ``by_attributes``: the share that is kept of some
    mutants of any order, by the attributes that they change.
    """

    texts: int
    looked_at: int
    tested: int
    mutants: dict[int, int]
    parses: int
    predictions: int
    seconds: float
    costs: dict[str, Cost]
    unseen: dict[str, float] = field(default_factory=dict)
    unusable: int = 0
    power: str = ""
    placebo: int = 0
    kept: int = 0
    compared: int = 0
    discard: str = ""
    by_attributes: dict[str, float] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether all usable texts were looked at."""
        return self.looked_at == self.usable

    @property
    def usable(self) -> int:
        """Number of rows with a usable text."""
        return self.texts - self.unusable

    @property
    def counted(self) -> bool:
        """Whether the unusable rows were counted."""
        return self.texts <= _DRAWN_FROM


def forecast(work: RunScope, *, elsewhere: bool = False) -> Forecast:
    """Estimate a campaign from some of its texts, without writing or paying.

    ``elsewhere``: its workers run on other machines; those here share the cores of this one.

    Raises:
        HinterError: a parser, model or dictionary is not available.
    """
    campaign, parts = work.campaign, load_parts(work.campaign)
    generator = parts.generator
    rows, unusable = _drawn(work)
    started = time.perf_counter()
    cases = generator.test_cases(parts.plans(rows)).values()
    follow_ups = list(generator.follow_ups(cases))
    planning = time.perf_counter() - started
    scale = (work.texts - unusable) / len(rows) if rows else 0.0
    planned_parses = parts.parses.parsed
    each, tried = _seconds_each(parts, follow_ups, campaign.discarded)
    tried_parses = (parts.parses.parsed - planned_parses) / tried if tried else 0.0
    orders = Counter(one.mutant.order for one in follow_ups)
    order = min(2, max(orders, default=0))  # the one that rates are compared at
    of_order = [one for one in follow_ups if one.mutant.order == order]
    compared = _compared(parts, of_order, campaign.seed)
    texts = {one.mutant.text for one in follow_ups} | {case.plan.text for case in cases}
    asked = [*texts, *(case.plan.text for case in cases for _ in range(campaign.repeat))]
    costs = {
        store.model.name: _scaled(total(store.cost_of(text) for text in asked), scale)
        for store in parts.models
        if store.model.capabilities.costs
    }
    at_once = campaign.workers if elsewhere else min(campaign.workers, os.cpu_count() or 1)
    return Forecast(
        texts=work.texts,
        looked_at=len(rows),
        tested=len(cases),
        mutants={order: round(number * scale) for order, number in sorted(orders.items())},
        parses=round((planned_parses + tried_parses * len(follow_ups)) * scale),
        predictions=round(len(asked) * len(parts.models) * scale),
        seconds=(planning + each * len(follow_ups)) * scale / at_once,
        costs=costs,
        unseen={
            store.model.name: sum(not one.case.sees(one, store) for one in follow_ups)
            / max(1, len(follow_ups))
            for store in parts.models
        },
        unusable=unusable,
        power=_power(of_order, order, len(rows)),
        placebo=round(_counted(parts, of_order) * scale),
        kept=sum(one.conformance.kept for one in compared),
        compared=len(compared),
        discard=_discard(compared),
        by_attributes=_kept_shares(parts, follow_ups, campaign.seed),
    )


def _counted(parts: CampaignParts, of_order: Sequence[FollowUp]) -> int:
    """Count placebo mutants as a gate does: kept, and in a text with kept sensitive mutants."""
    made: dict[int, tuple[list[FollowUp], list[FollowUp]]] = {}
    for one in of_order:
        made.setdefault(one.case.number, ([], []))[_neutral(one)].append(one)
    looked_at = [
        (real[:: -(-len(real) // _OF_TEXT)], neutral)
        for real, neutral in made.values()
        if real and neutral
    ]
    conform([one for sides in looked_at for side in sides for one in side], parts.parses)
    kept = [[sum(one.conformance.kept for one in side) for side in sides] for sides in looked_at]
    return sum(neutral for real, neutral in kept if real)


def _compared(parts: CampaignParts, of_order: Sequence[FollowUp], seed: int) -> list[FollowUp]:
    """Compare some sensitive mutants, drawn at random, with their sources."""
    made = [one for one in of_order if not _neutral(one)]
    drawn = Random(seed).sample(made, min(len(made), _COMPARED))
    conform(drawn, parts.parses)
    return drawn


def _kept_shares(
    parts: CampaignParts, follow_ups: Sequence[FollowUp], seed: int
) -> dict[str, float]:
    """Return the share of mutants that are kept, of some for each set of attributes; least first.

    One that few mutants change is lost in a sample of all.
    """
    made: dict[str, list[FollowUp]] = {}
    for one in follow_ups:
        if not _neutral(one):
            made.setdefault(" + ".join(sorted(e.attribute for e in one.mutant.edits)), []).append(
                one
            )
    random = Random(seed)
    drawn = {name: random.sample(of, min(len(of), _OF_SET)) for name, of in made.items()}
    conform([one for of in drawn.values() for one in of], parts.parses)
    shares = {name: sum(one.conformance.kept for one in of) / len(of) for name, of in drawn.items()}
    return dict(sorted(shares.items(), key=lambda share: share[1]))


def _discard(compared: Sequence[FollowUp]) -> str:
    layers = Counter(one.conformance.layer for one in compared if not one.conformance.kept)
    layer = max(layers, key=layers.__getitem__, default=None)
    return layer_in_words(layer) if layer else ""


def _neutral(one: FollowUp) -> bool:
    return is_placebo(tuple(edit.attribute for edit in one.mutant.edits))


def _drawn(work: RunScope) -> tuple[list[Row], int]:
    """Draw usable rows at random, or all if they are few; and return how many are unusable.

    Each usable row read has the same chance (reservoir sampling, Vitter 1985, algorithm R).
    """
    random, drawn, usable, unusable = Random(work.campaign.seed), list[Row](), 0, 0
    for row in islice(rows_of(work), _DRAWN_FROM):
        if row.fault:
            unusable += 1
            continue
        place = usable if usable < _LOOKED_AT else random.randint(0, usable)
        usable += 1
        if place < _LOOKED_AT:
            drawn[place : place + 1] = [row]
    share = unusable / max(1, usable + unusable)
    drawn.sort(key=lambda row: row.number)
    return drawn, unusable if work.texts <= _DRAWN_FROM else round(work.texts * share)


def _power(of_order: Sequence[FollowUp], order: int, looked_at: int) -> str:
    """Estimate the number of texts needed to detect an excess over placebo."""
    if not order:
        return ""
    sides = Counter[int](), Counter[int]()
    for one in of_order:
        sides[_neutral(one)][one.case.number] += 1
    rows = [(sides[False][row], sides[True][row]) for row in sides[False] | sides[True]]
    rows += [(0, 0)] * (looked_at - len(rows))
    needed = texts_needed(rows, _RATES, _ALIKE)
    if needed is None:
        both = "two of these: " * (order > 1) + "a day, a number, a given name"
        return (
            f"no text has placebo mutants of order {order}, so bias cannot be told from noise; add "
            f"texts with {both}"
        )
    high, low = (f"{100 * rate:.0f} %" for rate in _RATES)
    return (
        f"to tell {high} errors of order {order} from {low} of placebo mutants takes roughly "
        f"{needed:,} texts like these ({100 * POWER:.0f} % power; mutants of one text correlated "
        f"by {_ALIKE:g}), and more if a few words make all errors"
    )


def _seconds_each(
    parts: CampaignParts, follow_ups: Sequence[FollowUp], discarded: bool
) -> tuple[float, int]:
    """Return the seconds per mutant and the number of tried mutants, without models that cost."""
    # Parts come before wholes, text by text, so the first mutants can be judged alone.
    tried = follow_ups[:_TRIED]
    if not tried:
        return 0.0, 0
    started = time.perf_counter()
    conform(tried, parts.parses)
    cases = list(dict.fromkeys(one.case for one in tried))
    for store in parts.models:
        if not store.model.capabilities.costs:
            ask_originals(cases, store)
            judge(tried, store, discarded=discarded)
    return (time.perf_counter() - started) / len(tried), len(tried)


def _scaled(cost: Cost, scale: float) -> Cost:
    return Cost(
        round(cost.requests * scale),
        round(cost.prompt_tokens * scale),
        round(cost.completion_tokens * scale),
        cost.money * scale,
    )
