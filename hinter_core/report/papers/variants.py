"""Right answers of mutants: a change of the answer may also mend a wrong one.

Source: Astraea, Table I and section 7.1 (predictive oracle): the label of a sentence is that of its
variants, too, as the sensitive words do not matter for it. The label is that of the data or of the
grammar. Departure: where the answer is a link between words, which a variant writes otherwise, a
variant is right if the text's own answer was and did not change; of texts with a wrong answer
nothing is said.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from hinter_core.campaign.tables import CASE, Attributes, lists
from hinter_core.models.base import COREFERENCE
from hinter_core.report.counts import ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.metrics.accuracy import label_key, label_reader
from hinter_core.report.section import Rows, Section, joined, ordered
from hinter_core.statistics.clustered import cluster_rate
from hinter_core.statistics.rates import Rate

_BOTH, _LOST, _GAINED, _NEITHER = "right", "lost", "gained", "wrong"


@dataclass(frozen=True)
class RightVariants:
    """Answers to the mutants of some attributes, against the labels of their texts.

    ``right``: of all mutants with an answer and a known label. ``lost``: the text's answer was
    right and the mutant's is wrong; ``gained``: the other way round; ``wrong``: neither is right.
    """

    attributes: Attributes
    right: Rate
    lost: int
    gained: int
    wrong: int


def right_variants(tally: ModelCounts) -> list[RightVariants]:
    """Count right answers to mutants by their attributes; none without labels."""
    tables, reader = tally.tables, tally.reader
    rows = reader.run(
        "SELECT m.attributes, m.row, t.label, o.labels, a.labels, a.changed, count(*) FROM "
        f"{tables.judged} JOIN ({tables.originals}) o ON o.shard = m.shard AND o.row = m.row "
        "JOIN rows t ON t.shard = m.shard AND t.row = m.row WHERE t.label <> '' AND "
        f"a.{CASE} AND a.failure IS NULL AND "
        f"o.failure IS NULL AND m.attributes IN {lists(tally.real)} GROUP BY ALL"
    )
    if not rows:
        return []
    noted = reader.store.read()["models"][tally.name]
    links = noted.get("task") == COREFERENCE
    answers = {name for row in rows for name in (*(row[3] or ()), *([row[2]] if links else ()))}
    read = label_reader(noted["labels"] or sorted(answers))
    counts: dict[Attributes, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for attributes, row, label, before, after, changed, number in rows:
        gold = read(label)
        if not gold:
            continue
        first = gold == frozenset(map(label_key, before or ()))
        second = first and not changed if links else gold == frozenset(map(label_key, after or ()))
        if first or not links:
            kind = (_BOTH if second else _LOST) if first else _GAINED if second else _NEITHER
            counts[tuple(attributes)][row][kind] += number
    rates = []
    for attributes in ordered(counts):
        texts = list(counts[attributes].values())
        every = sum(texts, Counter[str]())
        right = cluster_rate([(text[_BOTH] + text[_GAINED], text.total()) for text in texts])
        rates.append(
            RightVariants(attributes, right, every[_LOST], every[_GAINED], every[_NEITHER])
        )
    return rates


def right_variants_section(variants: list[RightVariants]) -> Section:
    """Report right answers of mutants."""
    rows: Rows = [
        [joined(one.attributes), one.right.of, one.right, one.lost, one.gained, one.wrong]
        for one in variants
    ]
    sentences = [
        "A mutant has the label of its text, as what changes does not matter for it (Astraea, "
        "predictive oracle). A flipped answer may be a right one that was lost, or a wrong one "
        "that was mended by chance."
    ]
    columns = ["Attributes", "Cases", "Right", "Right before, wrong after",
               "Wrong before, right after", "Wrong both times"]  # fmt: skip
    return Section("variants", "Right answers of mutants", sentences, columns, rows)


metric("variants", 40, right_variants, right_variants_section)
