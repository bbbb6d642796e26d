"""Masked words: violations by threshold and by word.

Source: Astraea, Table V (rows of masked language models, for thresholds from 0.05 to 0.3). A mutant
violates a threshold if the probability of a word at a mask moves by more; *any* counts mutants of
which some word does.

Departures: rates have intervals that count texts, and the means over models are left to the reader.
"""

from collections import defaultdict
from dataclasses import dataclass

from hinter_core.campaign.tables import CASE, Attributes, lists
from hinter_core.models.base import MASKED
from hinter_core.report.counts import ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.section import Rows, Section, gathered, joined, ordered
from hinter_core.statistics.clustered import cluster_rate
from hinter_core.statistics.rates import Rate

TOLERANCES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
_ANY = ""  # word
_DIGITS = 6  # of a probability that are compared, as by the oracle


@dataclass(frozen=True)
class ToleranceRate:
    """Mutants of some attributes whose masked words move by more than ``tolerance``.

    ``errors``: any word does; ``by_word``: each of them.
    """

    attributes: Attributes
    tolerance: float
    errors: Rate
    by_word: dict[str, Rate]


def tolerance_rates(tally: ModelCounts) -> list[ToleranceRate]:
    """Return the rates of violations by attributes; none for other tasks."""
    tables, run = tally.tables, tally.reader.run
    masked = f"SELECT count(*) FROM ({tables.originals}) WHERE len(masks) > 0"
    if tally.noted.get("task") not in (None, MASKED) or not run(masked)[0][0]:
        return []
    run(
        "CREATE OR REPLACE TEMP TABLE moved AS WITH answered AS (SELECT m.shard, m.place, m.row, "
        f"m.attributes, o.masks AS before, a.masks AS after FROM {tables.judged} JOIN "
        f"({tables.originals}) o ON o.shard = m.shard AND o.row = m.row WHERE a.{CASE} AND "
        f"m.attributes IN {lists(tally.real)}"
        "), masks AS (SELECT *, generate_subscripts(before, 1) AS mask FROM answered), "
        "words AS (SELECT *, unnest(map_entries(before[mask])) AS entry FROM masks) "
        "SELECT shard, place, row, attributes, entry.key AS word, max(if(len(before) = len(after), "
        "round(abs(coalesce(map_extract(after[mask], entry.key)[1], 0) - entry.value), "
        f"{_DIGITS}), 1)) AS far FROM words GROUP BY ALL"
    )
    over = ", ".join(f"count_if(far > {least})" for least in TOLERANCES)
    each: dict[Attributes, dict[str, list[tuple[int, ...]]]] = defaultdict(dict)
    for attributes, word, *sums in run(
        f"SELECT attributes, word, count(*), {over} FROM moved GROUP BY attributes, word, row "
        "UNION ALL SELECT attributes, '', count(*), "
        f"{over} FROM (SELECT shard, place, row, attributes, max(far) AS far FROM moved "
        "GROUP BY ALL) GROUP BY attributes, row"
    ):
        each[tuple(attributes)].setdefault(word, []).append(tuple(sums))
    by_attributes = []
    for attributes in ordered(each):
        for number, tolerance in enumerate(TOLERANCES, start=1):
            rates = {
                word: cluster_rate([(sums[number], sums[0]) for sums in texts])
                for word, texts in each[attributes].items()
            }
            words = {word: rates[word] for word in sorted(rates.keys() - {_ANY})}
            by_attributes.append(ToleranceRate(attributes, tolerance, rates[_ANY], words))
    return by_attributes


def tolerance_section(rates: list[ToleranceRate]) -> Section:
    """Report violations by threshold, of any word and of each that has one."""
    rows: Rows = []
    for attributes, same in gathered(rates, lambda one: one.attributes).items():
        name, of = joined(attributes), same[0].errors.of
        rows.append([name, "any", of, *(one.errors for one in same)])
        words = [word for word, rate in same[0].by_word.items() if rate.hits]
        rows += [[name, word, of, *(one.by_word[word] for one in same)] for word in words]
    sentences = [
        "Mutants whose masked words become more or less probable by more than \u03c4 (Astraea, "
        "Table V), any word and each. All other tables go by the campaign's own \u03c4."
    ]
    columns = ["Attributes", "Word", "Cases", *(f"\u03c4 = {least:g}" for least in TOLERANCES)]
    return Section("tolerances", "Violations by threshold", sentences, columns, rows)


metric("tolerances", 50, tolerance_rates, tolerance_section)
