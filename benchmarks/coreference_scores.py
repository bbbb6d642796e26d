"""Scores of coreference: MUC, B³, CEAF-e and LEA.

Entities are sets of hashable mentions. Sources: Vilain et al. 1995 (MUC), Bagga and Baldwin 1998
(B³), Luo 2005 (CEAF with phi 4), Moosavi and Strube 2016 (LEA, importance: size of the entity).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

Entities = Sequence[frozenset[Hashable]]
METRICS = ("MUC", "B3", "CEAF-e", "LEA")


@dataclass
class Parts:
    """Numerators and denominators of recall and precision, summed over documents."""

    recall: list[float] = field(default_factory=lambda: [0.0, 0.0])
    precision: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def add(self, recall: tuple[float, float], precision: tuple[float, float]) -> None:
        """Add those of a document."""
        for sums, more in ((self.recall, recall), (self.precision, precision)):
            sums[0] += more[0]
            sums[1] += more[1]

    def scores(self) -> tuple[float, float, float]:
        """Return recall, precision and F1 in percent."""
        r, p = (
            100 * above / below if below else 0.0 for above, below in (self.recall, self.precision)
        )
        return r, p, 2 * r * p / (r + p) if r + p else 0.0


class Scorer:
    """Sums all metrics over documents."""

    def __init__(self, singletons: bool = True) -> None:
        self.parts = {name: Parts() for name in METRICS}
        self.mentions = Parts()
        self._smallest = 1 if singletons else 2

    def add(self, gold: Entities, found: Entities) -> None:
        """Add the entities of a document; those that are too small are left out on both sides."""
        gold = [e for e in gold if len(e) >= self._smallest]
        found = [e for e in found if len(e) >= self._smallest]
        self.parts["MUC"].add(muc(gold, found), muc(found, gold))
        self.parts["B3"].add(b_cubed(gold, found), b_cubed(found, gold))
        similar = ceaf(gold, found)
        self.parts["CEAF-e"].add((similar, len(gold)), (similar, len(found)))
        self.parts["LEA"].add(lea(gold, found), lea(found, gold))
        a, b = frozenset().union(*gold), frozenset().union(*found)
        self.mentions.add((len(a & b), len(a)), (len(a & b), len(b)))

    def conll(self) -> float:
        """Return the mean F1 of MUC, B³ and CEAF-e."""
        return sum(self.parts[name].scores()[2] for name in METRICS[:3]) / 3


def _entity_of(entities: Entities) -> Mapping[Hashable, int]:
    return {mention: number for number, entity in enumerate(entities) for mention in entity}


def muc(key: Entities, response: Entities) -> tuple[float, float]:
    """Return links of the key that the response has, and all links of the key."""
    of = _entity_of(response)
    right = total = 0
    for entity in key:
        parts = {of[m] for m in entity if m in of}
        alone = sum(m not in of for m in entity)
        right += len(entity) - len(parts) - alone
        total += len(entity) - 1
    return right, total


def b_cubed(key: Entities, response: Entities) -> tuple[float, float]:
    """Return the summed shares of each mention's entity that are right, and the mentions."""
    of = _entity_of(response)
    right = 0.0
    for entity in key:
        common = Counter(of[m] for m in entity if m in of)
        right += sum(n * n for n in common.values()) / len(entity)
    return right, sum(map(len, key))


def ceaf(key: Entities, response: Entities) -> float:
    """Return the similarity of the best one-to-one alignment of entities."""
    import numpy
    from scipy.optimize import linear_sum_assignment

    if not key or not response:
        return 0.0
    of = _entity_of(response)
    similar = numpy.zeros((len(key), len(response)))
    for row, entity in enumerate(key):
        for column, common in Counter(of[m] for m in entity if m in of).items():
            similar[row, column] = 2 * common / (len(entity) + len(response[column]))
    return float(similar[linear_sum_assignment(similar, maximize=True)].sum())


def lea(key: Entities, response: Entities) -> tuple[float, float]:
    """Return the sizes of entities times the share of links resolved, and the sizes.

    An entity of one mention is resolved by an entity of this mention alone.
    """
    of = _entity_of(response)
    right = 0.0
    for entity in key:
        common = Counter(of[m] for m in entity if m in of)
        if len(entity) == 1:
            right += sum(len(response[number]) == 1 for number in common)
            continue
        links = len(entity) * (len(entity) - 1)
        right += len(entity) * sum(n * (n - 1) for n in common.values()) / links
    return right, sum(map(len, key))


def table(scorers: Iterable[tuple[str, Scorer]]) -> Iterable[str]:
    """Yield a Markdown table: recall / precision / F1 of each metric."""
    yield "| | mentions | " + " | ".join(METRICS) + " | CoNLL |"
    yield "|---" * (len(METRICS) + 3) + "|"
    for name, scorer in scorers:
        parts = [scorer.mentions, *scorer.parts.values()]
        cells = [" / ".join(f"{x:.1f}" for x in part.scores()) for part in parts]
        yield f"| {name} | " + " | ".join(cells) + f" | {scorer.conll():.1f} |"
