"""Sums over a campaign and over each of its models, as counted by SQL."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.tables import Attributes, Tables, has_placebo, is_placebo, lists
from hinter_core.report.section import joined, ordered
from hinter_core.statistics.clustered import WordSums, cluster_rate
from hinter_core.statistics.rates import Rate

Groups = tuple[str, ...]
Cluster = tuple[bool, int, int, int, int]

# Slices of the pie of intersectional errors (HInter, Figure 10a) ...
PART_ERRS = "a part errs too"
NO_PART_ERRS = "every part is benign"
PART_UNKNOWN = "no part errs, but one has no verdict"
# ... and of that of atomic errors (Figure 10b).
WHOLE_ERRS = "a whole errs too"
NO_WHOLE_ERRS = "every whole is benign"
NO_WHOLE = "in no whole with a verdict"


_FEW = 1000  # different sums of texts that are kept, as several metrics ask for them
LEAST_VALIDITIES = (0.0, 0.5, 0.8, 0.9, 0.95)  # scores by which mutants are counted


class TextSums(NamedTuple):
    """Sums over the mutants of one text.

    ``cases``: kept and answered, with ``errors`` and ``hidden`` among them. ``mutants``: with a
    verdict, with ``discarded`` among them. ``asked``: discarded and answered; ``turned``: of these,
    flipped answers (false positives of a test without the invariant).
    """

    errors: int
    cases: int
    hidden: int
    discarded: int
    mutants: int
    turned: int = 0
    asked: int = 0


Sums = Counter[tuple[TextSums, ...]]  # number of texts with these sums, one per list of sets


@dataclass(frozen=True, slots=True)
class UnusedRow:
    """A row without mutants, and the reason."""

    row: int
    id: str
    reason: str


@dataclass
class ModelCounts:
    """Sums over all mutants of one model.

    ``verdicts``: by attributes. ``replacements``: by attributes, changed places of all mutants with
    a verdict. ``grades``: of hidden mutants, by attributes; "" without scores. ``clusters``: hidden
    mutants of one text and the same attributes: whether all are of two people, minus their number,
    shard and place of the first, and the first row with the text; one of each text first, then
    those of one person, then by number. ``examples``: the first of each, with the number. What
    metrics need besides stays in the tables of :meth:`sums`.
    """

    name: str
    reader: CampaignReader
    number: int
    verdicts: dict[Attributes, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    replacements: Counter[Attributes] = field(default_factory=Counter)
    grades: dict[Attributes, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    failures: Counter[str] = field(default_factory=Counter)
    clusters: list[Cluster] = field(default_factory=list)
    examples: list[tuple[MutantRecord, int]] = field(default_factory=list)
    metrics: dict[str, Any] = field(default_factory=dict)
    _few: dict[tuple[tuple[Attributes, ...], ...], Sums] = field(default_factory=dict)

    @property
    def tables(self) -> Tables:
        """The tables of the campaign, with the answers of this model."""
        return self.reader.tables(models=(self.name,))

    @property
    def noted(self) -> Mapping[str, Any]:
        """What the campaign notes of the model: its task, if it tells one, and its labels."""
        noted: Mapping[str, Any] = self.reader.store.read()["models"][self.name]
        return noted

    @cached_property
    def real(self) -> list[Attributes]:
        """The sets of attributes of mutants that are no placebo, by size."""
        return [names for names in ordered(self.verdicts) if not is_placebo(names)]

    @cached_property
    def neutral(self) -> list[Attributes]:
        """The sets of attributes of mutants that are placebo alone, by size."""
        return [names for names in ordered(self.verdicts) if all(is_placebo((n,)) for n in names)]

    def sums(self, select: str) -> list[tuple[Any, ...]]:
        """Return what a query of the tables of sums selects of this model, grouped and sorted."""
        return self.reader.run(f"{select} WHERE model = {self.number} GROUP BY ALL ORDER BY ALL")

    def by_text(self, *parts: Iterable[Attributes]) -> Sums:
        """Count the texts with the same sums, for each list of sets of attributes.

        Texts without a mutant of them are left out.
        """
        chosen = tuple(map(tuple, parts))
        if chosen in self._few:
            return self._few[chosen]
        sums = ", ".join(
            f"coalesce(sum({name}){of}, 0)::BIGINT"
            for of in (f" FILTER (attributes IN {lists(p)})" * (len(chosen) > 1) for p in chosen)
            for name in TextSums._fields
        )
        rows = self.reader.run(
            f"SELECT *, count(*) FROM (SELECT {sums} FROM by_text JOIN sets USING (set) WHERE "
            f"model = {self.number} AND attributes IN {lists(chain(*chosen))} GROUP BY row) "
            "GROUP BY ALL"
        )
        size = len(TextSums._fields)
        texts_by_sums = Counter(
            {
                tuple(TextSums(*sums[i : i + size]) for i in range(0, len(sums), size)): texts
                for *sums, texts in rows
            }
        )
        if len(texts_by_sums) <= _FEW:
            self._few[chosen] = texts_by_sums
        return texts_by_sums

    def by_word(self, hits: str, order: int, attributes: Attributes = ()) -> list[WordSums]:
        """Return the sums by word of the mutants of an order and of its placebo mutants.

        ``hits``: ``errors`` or ``hidden``. ``attributes``: of the mutants (default: any).
        """
        compared = f"(SELECT set FROM sets WHERE attributes IN {lists([attributes])})"
        where = (
            f"WHERE model = {self.number} AND n_edits = {order} AND "
            f"compared = {compared if attributes else 0} AND neutral = "
        )
        moments = ", ".join(
            f"coalesce(sum({column}), 0)"
            for column in (f"{hits}_squares", f"{hits}_products", "weight_squares")
        )
        arms = []
        for side in ("false", "true"):
            sums = f"SELECT sum({hits}), sum(weight) FROM by_word {where}{side} GROUP BY word"
            (shared,) = self.reader.run(f"SELECT {moments} FROM shared {where}{side}")
            arms.append(WordSums(self.reader.run(sums), shared))
        return arms

    def texts_by_validity(self) -> list[Counter[tuple[int, int, int]]]:
        """Count the texts with the same errors, cases and hidden mutants, by the least score.

        Of intersectional mutants with a score; one counter for each of :data:`LEAST_VALIDITIES`.
        """
        sums = ", ".join(f"sum({name})::BIGINT" for name in ("errors", "cases", "hidden"))
        rows = self.reader.run(
            f"SELECT *, count(*) FROM (SELECT least, {sums} FROM by_validity JOIN sets USING (set) "
            f"JOIN range({len(LEAST_VALIDITIES)}) levels(least) ON level >= least WHERE model = "
            f"{self.number} AND NOT {has_placebo('attributes')} GROUP BY least, row) GROUP BY ALL"
        )
        texts_by_sums = [Counter[tuple[int, int, int]]() for _ in LEAST_VALIDITIES]
        for level, *numbers, texts in rows:
            texts_by_sums[level][tuple(numbers)] = texts
        return texts_by_sums

    def verdicts_of(self, parts: Iterable[Attributes]) -> Counter[str]:
        """Add up the verdicts of some sets of attributes."""
        return sum((self.verdicts[part] for part in parts), Counter())

    def with_cases(self) -> set[Attributes]:
        """Return the sets of attributes with a kept and answered mutant."""
        cases = ("benign", "biased", "hidden")
        return {names for names, by in self.verdicts.items() if any(by[name] for name in cases)}


NamedSets = list[tuple[str, Attributes, list[Attributes]]]


def named_sets(every: Iterable[Attributes]) -> tuple[NamedSets, NamedSets, NamedSets]:
    """Return the rows of a table by name, each with the sets of attributes that it adds up.

    Each set without placebo; ``atomic`` and ``intersectional``; and placebo alone by order.
    """
    known = ordered(every)
    real = [a for a in known if not is_placebo(a)]
    pure = [a for a in known if all(is_placebo((attribute,)) for attribute in a)]
    return (
        [(joined(a), a, [a]) for a in real],
        [
            ("atomic", (), [a for a in real if len(a) == 1]),
            ("intersectional", (), [a for a in real if len(a) > 1]),
        ],
        [
            (f"placebo, order {n}", (), [a for a in pure if len(a) == n])
            for n in sorted({len(a) for a in pure})
        ],
    )


def each_text(
    sums: Mapping[Any, int], numbers: Callable[..., tuple[int, ...]]
) -> Counter[tuple[int, ...]]:
    """Count the texts with the same ``numbers``, a function of their sums (a tuple)."""
    texts_by_numbers: Counter[tuple[int, ...]] = Counter()
    for text_sums, texts in sums.items():
        texts_by_numbers[numbers(*text_sums)] += texts
    return texts_by_numbers


def text_rate(sums: Mapping[Any, int], numbers: Callable[..., tuple[int, int]]) -> Rate:
    """Return the rate of hits among cases, which ``numbers`` makes of the sums of a text."""
    return cluster_rate(each_text(sums, numbers))


@dataclass
class CampaignCounts:
    """Sums over a campaign; ``models`` by name, if tested.

    ``texts``: by outcome; ``kept_texts``: those with a kept mutant. ``possible`` and ``made``:
    intersectional mutants by order; ``lost``: discarded ones by layer. ``faults``: unusable
    rows; ``idle``: texts with nothing to test; the first 1,000 of each. ``repeated``: rows by
    id that is not unique. ``alike``: tested texts that stand in a row before, too. ``same``:
    kept mutants with the text of an earlier one, and all. ``labels``: number of distinct
    labels. ``pairs``: by attributes and attribute, word pairs made and kept. ``met``: by
    attributes, number of target groups (one per attribute). ``combined``: by several
    attributes, number of combinations of word pairs. ``discarded``: by attribute and target
    group, atomic mutants made, discarded, and soft among these.
    """

    texts: Counter[str] = field(default_factory=Counter)
    possible: Counter[int] = field(default_factory=Counter)
    made: Counter[int] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    faults: list[UnusedRow] = field(default_factory=list)
    idle: list[UnusedRow] = field(default_factory=list)
    labels: int = 0
    repeated: dict[str, int] = field(default_factory=dict)
    alike: int = 0
    same: tuple[int, int] = (0, 0)
    kept_texts: int = 0
    pairs: dict[Attributes, dict[str, tuple[int, int]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    met: dict[Attributes, int] = field(default_factory=dict)
    combined: dict[Attributes, int] = field(default_factory=dict)
    discarded: dict[str, dict[str, tuple[int, ...]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    models: dict[str, ModelCounts] = field(default_factory=dict)
