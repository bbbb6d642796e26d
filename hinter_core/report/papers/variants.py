"""Right answers of mutants: a change of the answer may also mend a wrong one.

Source: Astraea, Table I and section 7.1 (predictive oracle): the label of a sentence is that of its
variants, too, as the sensitive words do not matter for it. The label is that of the data or of the
grammar. Departure: where the answer is a link between words, which a variant writes otherwise, a
variant is right if the text's own answer was and did not change; of texts with a wrong answer
nothing is said.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from hinter_core.campaign.tables import Attributes, lists
from hinter_core.models.base import COREFERENCE
from hinter_core.report.counts import ModelCounts, text_rate
from hinter_core.report.metric import metric
from hinter_core.report.metrics.accuracy import label_key, label_reader
from hinter_core.report.section import Rows, Section, joined, ordered
from hinter_core.statistics.rates import Rate

_BOTH, _LOST, _GAINED, _NEITHER = "right", "lost", "gained", "wrong"


@dataclass(frozen=True)
class RightVariants:
    """Answers to the mutants of some attributes, against the labels of their texts.

    ``right``: of all mutants with an answer and a known label. ``lost``: the text's answer was
    right and the mutant's is wrong; ``gained``: the other way round; ``wrong``: neither is right.
    ``of_right``: only texts whose own answer was right are counted.
    """

    attributes: Attributes
    right: Rate
    lost: int
    gained: int
    wrong: int
    of_right: bool = False


def right_variants(tally: ModelCounts) -> list[RightVariants]:
    """Count right answers to mutants by their attributes; none without labels."""
    reader = tally.reader
    reader.run(
        "CREATE OR REPLACE TEMP TABLE variants AS SELECT set, row, label, u.labels AS before, "
        "a.labels AS after, changed, number FROM answered a JOIN unchanged u USING (model, row) "
        f"JOIN rows USING (row) WHERE model = {tally.number} AND label <> '' AND NOT failed"
    )
    alike = reader.run(
        "SELECT label, before, after, changed, b.names, a.names FROM (SELECT DISTINCT label, "
        "before, after, changed FROM variants) JOIN named_labels b ON b.labels = before "
        "JOIN named_labels a ON a.labels = after ORDER BY ALL"
    )
    if not alike:
        return []
    noted = tally.noted
    links = noted.get("task") == COREFERENCE
    answers = {name for row in alike for name in (*row[4], *([row[0]] if links else ()))}
    read = label_reader(noted["labels"] or sorted(answers))
    kinds = []
    for label, before, after, changed, first_names, names in alike:
        if not (gold := read(label)):
            continue
        first = gold == frozenset(map(label_key, first_names))
        second = first and not changed if links else gold == frozenset(map(label_key, names))
        if first or not links:
            kind = (_BOTH if second else _LOST) if first else _GAINED if second else _NEITHER
            kinds.append({"l": label, "b": before, "a": after, "c": changed, "k": kind})
    every = (_BOTH, _LOST, _GAINED, _NEITHER)
    sums = ", ".join(f"coalesce(sum(number) FILTER (k = '{kind}'), 0)::BIGINT" for kind in every)
    texts: dict[Attributes, Counter[tuple[int, ...]]] = defaultdict(Counter)
    for attributes, *numbers, times in reader.run(
        f"SELECT *, count(*) FROM (SELECT attributes, {sums} FROM variants JOIN sets USING (set) "
        "JOIN (SELECT unnest($kinds::STRUCT(l VARCHAR, b UBIGINT, a UBIGINT, c BOOLEAN, "
        "k VARCHAR)[], recursive := true)) ON l = label AND b = before AND a = after AND c IS NOT "
        f"DISTINCT FROM changed WHERE attributes IN {lists(tally.real)} GROUP BY attributes, row) "
        "GROUP BY ALL",
        kinds=kinds,
    ):
        texts[tuple(attributes)][tuple(numbers)] += times
    rates = []
    for attributes in ordered(texts):
        _, lost, gained, wrong = (
            sum(numbers[place] * times for numbers, times in texts[attributes].items())
            for place in range(4)
        )
        right = text_rate(texts[attributes], lambda *n: (n[0] + n[2], sum(n)))
        rates.append(RightVariants(attributes, right, lost, gained, wrong, links))
    return rates


def right_variants_section(variants: list[RightVariants]) -> Section:
    """Report right answers of mutants."""
    rows: Rows = [
        [joined(one.attributes), one.right.of, one.right, one.lost, one.gained, one.wrong]
        for one in variants
    ]
    columns = ["Attributes", "Cases", "Right", "Right before, wrong after",
               "Wrong before, right after", "Wrong both times"]  # fmt: skip
    if any(one.of_right for one in variants):
        note = (
            "These are the mutants of texts whose own answer was right: such a mutant is right if "
            "its answer did not change. Of the other texts nothing is said, as a mutant writes the "
            "words of the answer otherwise."
        )
        kept = [row[:4] for row in rows]
        return Section("variants", "Right answers that mutants kept", [note], columns[:4], kept)
    sentences = [
        "A mutant has the label of its text, as what changes does not matter for it (Astraea, "
        "predictive oracle). A flipped answer may be a right one that was lost, or a wrong one "
        "that was mended by chance."
    ]
    return Section("variants", "Right answers of mutants", sentences, columns, rows)


metric("variants", 40, right_variants, right_variants_section)
