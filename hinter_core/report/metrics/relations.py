"""Rates by metamorphic relation, beside those of neutral changes of the same kind."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from hinter_core.campaign.tables import VERDICT_SUMS, has_placebo
from hinter_core.relations.family import beside
from hinter_core.report.counts import ModelCounts, TextSums
from hinter_core.report.metric import metric
from hinter_core.report.metrics.excess import FEWEST_PLACEBO
from hinter_core.report.section import PValue, Rows, Section
from hinter_core.statistics.clustered import cluster_rate, paired_difference
from hinter_core.statistics.format import difference_in_words, p_in_words, rate_in_words
from hinter_core.statistics.rates import Difference, Rate
from hinter_core.types import SUBSTITUTE

_JOIN = " + "
_FEWEST = 100  # cases of a combination in the table

_Key = tuple[str, int]  # relations, and order
_ByText = dict[int, TextSums]


@dataclass(frozen=True)
class RelationRate:
    """Rates of the mutants of a relation, or of several together, of one order.

    ``hidden``: of errors; None for order 1. ``placebo`` and ``excess``: neutral changes of the same
    kind on the same texts, and the difference within texts; None without any. The interval of the
    excess counts texts, not words.
    """

    relation: str
    order: int
    errors: Rate
    hidden: Rate | None
    discarded: Rate
    placebo: Rate | None = None
    excess: Difference | None = None


def relation_rates(tally: ModelCounts) -> list[RelationRate]:
    """Return the rates of each relation of a campaign that tests others than exchanges."""
    if tally.reader.store.campaign().relations == (SUBSTITUTE,):
        return []
    real, neutral = _sums(tally)
    return [
        _rate(key, texts, neutral.get(_beside(key), {})) for key, texts in sorted(
            real.items(), key=lambda item: (item[0][1], item[0][0])
        )
    ]  # fmt: skip


def _sums(tally: ModelCounts) -> tuple[dict[_Key, _ByText], dict[_Key, _ByText]]:
    rows = tally.reader.run(
        f"SELECT {has_placebo('m.attributes')}, coalesce(m.relation, '{SUBSTITUTE}'), m.n_edits, "
        f"m.row, {VERDICT_SUMS} FROM {tally.tables.judged} WHERE verdict IS NOT NULL GROUP BY ALL"
    )
    sides: tuple[dict[_Key, _ByText], ...] = (defaultdict(dict), defaultdict(dict))
    for placebo, relation, order, row, *sums in rows:
        sides[placebo][relation, order][row] = TextSums(*sums)
    return sides[0], sides[1]


def _beside(key: _Key) -> _Key:
    """Return the neutral changes that are compared with a relation."""
    names, order = key
    return _JOIN.join(sorted(set(map(beside, names.split(_JOIN))))), order


def _rate(key: _Key, texts: _ByText, neutral: _ByText) -> RelationRate:
    both = {row: counts for row, counts in neutral.items() if row in texts}
    pairs = Counter((*texts[row][:2], *counts[:2]) for row, counts in both.items())
    return RelationRate(
        *key,
        errors=cluster_rate((s.errors, s.cases) for s in texts.values()),
        hidden=cluster_rate((s.hidden, s.errors) for s in texts.values()) if key[1] > 1 else None,
        discarded=cluster_rate((s.discarded, s.mutants) for s in texts.values()),
        placebo=cluster_rate((s.errors, s.cases) for s in both.values()) if both else None,
        excess=paired_difference(pairs) if both else None,
    )


def relations_section(rates: list[RelationRate]) -> Section:
    """Report the relations, single changes first."""
    words = [_in_words(one) for one in rates if one.order == 1]
    sentences = [
        "The placebo of added and removed words are neutral words that are added and removed; "
        "other changes are compared with neutral exchanges. Excess is the difference within texts, "
        "in percentage points; its interval counts texts, not words."
    ]
    rows: Rows = [
        [one.relation, one.order, one.errors.of, one.discarded, one.errors, one.hidden or "",
         one.placebo or "", one.excess or "",
         "" if one.excess is None or one.excess.p_value is None else PValue(one.excess.p_value)]
        for one in rates if one.order == 1 or one.errors.of >= _FEWEST
    ]  # fmt: skip
    if (left := len(rates) - len(rows)) and rows:
        sentences.append(f"{left} combinations with fewer than {_FEWEST} cases are left out.")
    columns = ["Relation", "Changes", "Cases", "Discarded", "Error rate", "Hidden, of errors",
               "Placebo", "Excess", "p"]  # fmt: skip
    return Section("relations", "Relations", sentences, columns, rows, in_words=words)


def _in_words(one: RelationRate) -> str:
    words = f"{one.relation}: {rate_in_words(one.errors)} follow-ups changed the answer"
    if one.placebo is None or one.excess is None:
        return f"{words}; there is no neutral change of its kind beside it."
    if one.placebo.of < FEWEST_PLACEBO:
        return f"{words}; {one.placebo.of:,} neutral ones are too few to compare with."
    words += f", {rate_in_words(one.placebo)} neutral ones did; the rate is "
    p = one.excess.p_value
    return words + difference_in_words(one.excess) + ("." if p is None else f", p {p_in_words(p)}.")


metric("relations", 80, relation_rates, relations_section)
