"""Compare two models, or two versions of one, on the same mutants.

If both sides answered the same mutants, only these are compared, so that different data or settings
do not appear as a difference of models. If they share none, the rates are those of different texts.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from hinter_core.campaign.findings import Side
from hinter_core.campaign.progress import missing_in_words
from hinter_core.campaign.reader import MUTANT_COLUMNS, CampaignReader
from hinter_core.campaign.record import builds_of
from hinter_core.campaign.store import TESTED
from hinter_core.campaign.tables import CASE, Attributes, has_placebo, is_placebo, lists, quoted
from hinter_core.errors import InputError
from hinter_core.report.aggregate import count
from hinter_core.report.counts import NamedSets, Sums, TextSums, each_text, named_sets, text_rate
from hinter_core.report.mutants.unusual import differences, size_of, unusual
from hinter_core.statistics.clustered import paired_difference
from hinter_core.statistics.rates import Difference, Rate, holm, independent_difference, mcnemar
from hinter_core.types import Verdict

_FEWEST_SHARED = 0.05  # of the smaller side's mutants, below which rates are compared
# Which side errs, in the words of JSON files since the first version, when B was A repaired.
ONLY_FIRST, ONLY_SECOND = "fixed", "newly biased"
BOTH, NEITHER = "both err", "neither errs"
NEW_HIDDEN = "newly hidden"  # an error of both, which smaller changes show on the first side
_EXAMPLES = 12  # of each kind
_TOGETHER = 1_000  # changes that are read at once

OnChange = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Contrast:
    """One set of attributes on both sides; differences are second rate minus first rate.

    ``errors`` and ``hidden`` (None for atomic mutants) are shares of cases, so that both sides have
    the same denominator. The next fields are None if the sides share no mutant. ``fixed`` and
    ``broken``: mutants with an error on the first or second side only. ``texts_fixed`` and
    ``texts_broken``: texts with an error on one side only. ``p_value``: of the exact McNemar test
    of these texts; mutants of one text are not independent. ``adjusted_p_value``: adjusted for the
    number of lines (Holm 1979).
    """

    name: str
    attributes: Attributes
    errors: tuple[Rate, Rate]
    difference: Difference
    hidden: tuple[Rate, Rate] | None
    hidden_difference: Difference | None
    fixed: int | None = None
    broken: int | None = None
    texts_fixed: int | None = None
    texts_broken: int | None = None
    p_value: float | None = None
    adjusted_p_value: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Two sides compared; ``first`` and ``second`` are unambiguous names, ``models`` their models.

    ``paired``: whether the mutants that they share are compared, and not rates of different ones.
    ``shared``: mutants on both sides, of ``mutants`` on each; ``cases``: kept and answered on both.
    ``verdicts``: shared mutants without placebo, by first and second verdict. ``changes``: examples
    of each kind of change. ``alike``: of mutants on which both sides err, or neither does.
    ``tested``: kept and answered on each side, shared or not. ``missing``: what unfinished
    campaigns lack, and ``settings``: in which settings, and builds of HInter, two differ, in words.
    """

    first: str
    second: str
    models: tuple[str, str]
    paired: bool
    shared: int
    mutants: tuple[int, int]
    cases: int
    lines: list[Contrast]
    verdicts: dict[tuple[str, str], int]
    changes: list[dict[str, Any]]
    alike: list[dict[str, Any]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    tested: tuple[int, int] = (0, 0)

    @property
    def cells(self) -> dict[str, int]:
        """Numbers of compared mutants without placebo, by which side errs."""
        cells = dict.fromkeys(_CELLS.values(), 0)
        for (first, second), number in self.verdicts.items():
            if {first, second} <= _CASES:
                cells[_CELLS[first != Verdict.BENIGN, second != Verdict.BENIGN]] += number
        return cells

    @property
    def newly_hidden(self) -> tuple[int, int]:
        """Shared mutants that are hidden bias on the second side alone; how many err on both."""
        pairs = [(first, n) for (first, second), n in self.verdicts.items()
                 if second == Verdict.HIDDEN != first]  # fmt: skip
        return sum(n for _, n in pairs), sum(n for first, n in pairs if first == Verdict.BIASED)

    @property
    def versions(self) -> bool:
        """Whether both sides are the same model, or versions of one: B can mend what A does."""
        first, second = (re.split("[?@]", model)[0] for model in self.models)
        return first == second


_CASES = {Verdict.BENIGN.value, Verdict.BIASED.value, Verdict.HIDDEN.value}
# By whether each side errs.
_CELLS = {
    (True, False): ONLY_FIRST, (False, True): ONLY_SECOND, (True, True): BOTH,
    (False, False): NEITHER,
}  # fmt: skip


Numbers = Counter[tuple[int, ...]]  # number of texts with the same numbers
_STATE = """
CREATE TABLE sets (set UBIGINT PRIMARY KEY, attributes VARCHAR[]);
CREATE TABLE sums (set UBIGINT, row BIGINT, cases INTEGER, first INTEGER, second INTEGER,
    first_hidden INTEGER, second_hidden INTEGER, fixed INTEGER, broken INTEGER);
CREATE TABLE verdicts (set UBIGINT, first VARCHAR, second VARCHAR, number BIGINT);
"""
_ANSWERS = ("row", "mutant", "verdict", "labels")
_PLACES = "shard, place, other_shard, other_place, [verdict, other_verdict]"
_NEWLY = "verdict <> 'hidden' AND other_verdict = 'hidden'"
# Kinds of examples: which pairs, and which of them come first.
_KINDS = (
    (ONLY_FIRST, "errs AND NOT other_errs", "verdict <> 'hidden'"),
    (ONLY_SECOND, "other_errs AND NOT errs", "other_verdict <> 'hidden'"),
    (BOTH, "errs AND other_errs", "-len(attributes)"),
    (NEITHER, "cases AND NOT errs AND NOT other_errs", "-len(attributes)"),
)
# Identifies a mutant across campaigns. Groups are excluded, as dictionaries may sort the same words
# differently, and so is the order of attributes, a setting. Handwritten mutants may have equal
# edits, so their text is included.
_KEY = (
    "md5_number_lower(list_sort(list_transform(m.edits, lambda e: [e.attribute, e.source, "
    "e.target, e.form, e.spans::VARCHAR]))::VARCHAR || coalesce(m.handwritten, ''))"
)


def _readers(first: Side, second: Side, stack: ExitStack) -> list[CampaignReader]:
    return [
        stack.enter_context(CampaignReader(side.store, (side.model,), rates=True))
        for side in (first, second)
    ]


class _Pairs:
    """Shared mutants of two sides, read chunk by chunk, and sums over them."""

    def __init__(self, first: Side, second: Side, stack: ExitStack) -> None:
        self.readers = _readers(first, second, stack)
        self.readers[0].read_beside(self.readers[1])
        self.run = self.readers[0].run
        self.same = first.store.folder.resolve() == second.store.folder.resolve()
        self.kept: dict[str, list[tuple[Any, ...]]] = {kind: [] for kind, *_ in _KINDS}
        self.run(_STATE)
        if not self.same:
            self._share_texts()

    def _share_texts(self) -> None:
        """Match rows of equal text; repeated texts are matched in their order."""
        first, second = (
            f"(SELECT shard, row, text, row_number() OVER (PARTITION BY text ORDER BY shard, row) "
            f"AS number FROM ({reader.tables().texts}) WHERE outcome = {quoted(TESTED)})"
            for reader in self.readers
        )
        self.run(
            "CREATE TABLE shared AS SELECT a.shard, a.row AS first, b.row AS second, b.shard AS "
            f"other FROM {first} a JOIN {second} b USING (text, number)"
        )

    def add(self, shards: Sequence[int], on_change: OnChange | None) -> None:
        """Add a chunk of the first side; ``on_change`` receives every changed mutant."""
        others = list(shards)
        if not self.same:
            others_with = self.run(
                "SELECT DISTINCT other FROM shared WHERE list_contains($shards, shard) ORDER BY 1",
                shards=others,
            )
            others = [shard for (shard,) in others_with]
        for reader, of_side in zip(self.readers, (shards, others), strict=True):
            reader.check(of_side, MUTANT_COLUMNS, _ANSWERS)
        self._pair(shards, others)
        self.run(
            "INSERT OR IGNORE INTO sets SELECT set, any_value(attributes) FROM pair GROUP BY set"
        )
        self.run(
            "INSERT INTO sums SELECT set, row, count_if(cases), count_if(errs), "
            "count_if(other_errs), count_if(cases AND verdict = 'hidden'), "
            "count_if(cases AND other_verdict = 'hidden'), count_if(errs AND NOT other_errs), "
            "count_if(other_errs AND NOT errs) FROM pair GROUP BY ALL"
        )
        self.run(
            "INSERT INTO verdicts SELECT set, verdict, other_verdict, count(*) FROM pair "
            "WHERE verdict IS NOT NULL AND other_verdict IS NOT NULL GROUP BY ALL"
        )
        if on_change:
            self._tell(on_change)
        self._add_examples()

    def _pair(self, shards: Sequence[int], others: Sequence[int]) -> None:
        first, second = (
            f"(SELECT m.*, a.verdict, a.labels, {_KEY} AS key FROM {tables.judged})"
            for tables in (self.readers[0].tables(shards), self.readers[1].tables(others))
        )
        joined = f"{first} x JOIN {second} y ON y.shard = x.shard AND y.place = x.place"
        if not self.same:
            once = "QUALIFY row_number() OVER (PARTITION BY row, key ORDER BY place) = 1"
            joined = (
                f"(SELECT * FROM {first} {once}) x JOIN shared s ON s.first = x.row "
                f"JOIN {second} y ON y.row = s.second AND y.key = x.key"
            )
        are = " AND ".join(f"{side}.{CASE}" for side in "xy")
        self.run(
            "CREATE OR REPLACE TABLE pair AS SELECT x.shard, x.place, x.row, y.shard AS "
            "other_shard, y.place AS other_place, y.row AS other_row, "
            "md5_number_lower(x.attributes::VARCHAR) AS set, "
            "x.attributes, x.verdict, y.verdict AS other_verdict, "
            f"coalesce({are}, false) AS cases, cases AND x.verdict <> 'benign' AS errs, "
            f"cases AND y.verdict <> 'benign' AS other_errs FROM {joined}"
        )

    def _tell(self, on_change: OnChange) -> None:
        """Pass on all errors of one side alone, and errors of both that only the second hides."""
        kind = f"if(errs, if(other_errs, '{NEW_HIDDEN}', '{ONLY_FIRST}'), '{ONLY_SECOND}')"
        places = self.run(
            f"SELECT {kind}, {_PLACES} FROM pair WHERE (errs <> other_errs OR (errs AND {_NEWLY})) "
            f"AND NOT {has_placebo('attributes')} ORDER BY other_shard, other_place"
        )
        for start in range(0, len(places), _TOGETHER):
            for change in self._read(places[start : start + _TOGETHER]):
                on_change(change)

    def _add_examples(self) -> None:
        """Keep the first examples, one per text and attributes; hidden or large ones come first."""
        for kind, which, first in _KINDS:
            found = self.run(
                f"SELECT {first} AS first, {_PLACES} FROM pair WHERE {which} AND NOT "
                f"{has_placebo('attributes')} QUALIFY row_number() OVER (PARTITION BY row, set "
                "ORDER BY first, other_shard, other_place) = 1 ORDER BY first, other_shard, "
                f"other_place LIMIT {_EXAMPLES}"
            )
            kept = sorted([*self.kept[kind], *found], key=lambda one: (one[0], one[3], one[4]))
            self.kept[kind] = kept[:_EXAMPLES]

    def examples(self, *groups: tuple[str, ...]) -> list[list[dict[str, Any]]]:
        """Return the examples of each group of kinds of changes, which are read together."""
        kinds = chain.from_iterable(groups)
        every = list(self._read([(kind, *one[1:]) for kind in kinds for one in self.kept[kind]]))
        return [[one for one in every if one["change"] in group] for group in groups]

    def _read(self, places: Sequence[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
        """Yield changes with both sides' answers, in the order of their kinds and places."""
        mutants, others = (
            {(one.shard, one.place): one for one in reader.at(row[at : at + 2] for row in places)}
            for reader, at in zip(self.readers, (1, 3), strict=True)
        )
        for kind, shard, place, other_shard, other_place, verdicts in places:
            one, two = mutants[shard, place], others[other_shard, other_place]
            yield {
                "change": kind, "attributes": one.attributes, "edits": one.stored_edits,
                "mutant": one.handwritten, "shard": shard, "row": one.row,
                "shard-1": other_shard, "row-1": two.row, "verdicts": verdicts,
                "labels": [list(one.labels or ()), list(two.labels or ())], "id": one.id,
                "text": one.text, "originals": [list(one.original), list(two.original)],
                "shifts": [one.answer.moved, two.answer.moved],
                "across_people": one.across_people,
            }  # fmt: skip

    def verdicts(self) -> dict[tuple[str, str], int]:
        """Count shared mutants by both verdicts, without placebo."""
        rows = self.run(
            "SELECT first, second, sum(number)::BIGINT FROM verdicts JOIN sets USING (set) "
            f"WHERE NOT {has_placebo('attributes')} GROUP BY ALL ORDER BY ALL"
        )
        return {(first, second): number for first, second, number in rows}

    def shared(self) -> int:
        """Count mutants with a verdict on both sides."""
        return int(self.run("SELECT coalesce(sum(number), 0)::BIGINT FROM verdicts")[0][0])

    def numbers(self, parts: Sequence[Attributes]) -> Numbers:
        """Count texts by their cases, and errors and hidden errors of both sides."""
        rows = self.run(
            "SELECT *, count(*) FROM (SELECT sum(cases)::BIGINT AS cases, sum(first)::BIGINT, "
            "sum(second)::BIGINT, sum(first_hidden)::BIGINT, sum(second_hidden)::BIGINT "
            f"FROM sums JOIN sets USING (set) WHERE attributes IN {lists(parts)} GROUP BY row) "
            "WHERE cases > 0 GROUP BY ALL"
        )
        return Counter({tuple(numbers): texts for *numbers, texts in rows})

    def flips(self) -> dict[Attributes, tuple[int, int]]:
        """Count errors of one side alone by attributes."""
        rows = self.run(
            "SELECT attributes, sum(fixed)::BIGINT, sum(broken)::BIGINT FROM sums "
            "JOIN sets USING (set) GROUP BY 1"
        )
        return {tuple(names): (fixed, broken) for names, fixed, broken in rows}

    def each(self, number: str, table: str) -> tuple[int, int]:
        """Return a number of one of the :class:`Tables` of each campaign."""
        first, second = (
            reader.run(f"SELECT {number} FROM ({getattr(reader.tables(), table)})")
            for reader in self.readers
        )
        return int(first[0][0]), int(second[0][0])


def compare(first: Side, second: Side, on_change: OnChange | None = None) -> Comparison:
    """Compare two sides; ``on_change`` receives every changed mutant.

    Raises:
        InputError: they have nothing in common.
        StoreError: a table that cannot be read, or tables that do not fit together.
    """
    if first.place == second.place:
        raise InputError("Both sides are the same model of the same campaign; name another.")
    names = (*_names(first, second), (first.model, second.model))
    with _paired(first, second, on_change) as pairs:
        lines = _lines(pairs)
        notes = _missing(first, second), _settings(first, second)
        shared, mutants = pairs.shared(), pairs.each("coalesce(sum(mutants), 0)::BIGINT", "texts")
        # Placebo mutants alone tell no bias; a few that happen to be shared tell next to nothing.
        if _FEWEST_SHARED * min(mutants) > shared or not any(line.attributes for line in lines):
            apart = _apart(first, second)
            return Comparison(*names, False, shared, mutants, 0, apart, {}, [], [], *notes)
        cases = sum(counts[0] * n for counts, n in pairs.numbers([*pairs.flips()]).items())
        changed, alike = pairs.examples((ONLY_FIRST, ONLY_SECOND), (BOTH, NEITHER))
        return Comparison(
            *names, True, shared, mutants, cases, lines, pairs.verdicts(), changed, alike, *notes,
            pairs.each(f"count_if({CASE})", "answers"),
        )  # fmt: skip


def paired_errors(first: Side, second: Side) -> Difference:
    """Subtract the first error rate from the second over all shared mutants without placebo."""
    with _paired(first, second) as pairs:
        real = [attributes for attributes in pairs.flips() if not is_placebo(attributes)]
        return _difference(pairs.numbers(real), 1) if real else Difference(None)


@contextmanager
def _paired(first: Side, second: Side, on_change: OnChange | None = None) -> Iterator[_Pairs]:
    with ExitStack() as stack:
        pairs = _Pairs(first, second, stack)
        for shards in pairs.readers[0].chunks(MUTANT_COLUMNS, _ANSWERS):
            pairs.add(shards, on_change)
        yield pairs


def _missing(first: Side, second: Side) -> list[str]:
    """Say what the campaigns lack."""
    if first.store.folder.resolve() == second.store.folder.resolve():
        said = [missing_in_words(first.store)]
    else:
        sides = zip("AB", (first, second), strict=True)
        said = [
            missing_in_words(side.store).replace("The campaign", f"The campaign of model {name}")
            for name, side in sides
        ]
    return [words for words in said if words]


def _settings(first: Side, second: Side) -> list[str]:
    """Name the settings, and the builds of HInter, in which the campaigns differ."""
    campaigns = [side.store.campaign() for side in (first, second)]
    own = differences([*size_of(campaign), *unusual(campaign)] for campaign in campaigns)
    each = [f"These settings are those of model {name} alone ({'; '.join(words)})."
            for name, words in zip("AB", own, strict=True) if words]  # fmt: skip
    said = ["The campaigns have different settings.", *each] if each else []
    builds = [builds_of(side.store.read()) for side in (first, second)]
    if all(builds) and builds[0] != builds[1]:
        a, b = (", ".join(names) for names in builds)
        said.append(
            f"The campaigns were made by different builds of HInter ({a}; {b}), which may make and "
            "keep other mutants."
        )
    return said


def _names(first: Side, second: Side) -> tuple[str, str]:
    if first.model != second.model:
        return first.model, second.model
    folders = [side.store.folder.resolve().parts[::-1] for side in (first, second)]
    apart = zip(*folders, strict=False)  # from the end: folders of one name may lie in unlike ones
    names = next((pair for pair in apart if pair[0] != pair[1]), ("A", "B"))
    return f"{first.model} in {names[0]}", f"{second.model} in {names[1]}"


def _sets(every: Iterable[Attributes]) -> NamedSets:
    return [line for kind in named_sets(every) for line in kind if line[2]]


def _lines(pairs: _Pairs) -> list[Contrast]:
    lines, flips = [], pairs.flips()
    for name, attributes, parts in _sets(flips):
        if numbers := pairs.numbers(parts):
            turned = sum(flips[part][0] for part in parts), sum(flips[part][1] for part in parts)
            atomic = all(len(part) == 1 for part in parts)
            lines.append(_line(name, attributes, numbers, turned, atomic=atomic))
    adjusted = iter(holm([line.p_value for line in lines if line.p_value is not None]))
    return [
        line if line.p_value is None else replace(line, adjusted_p_value=next(adjusted))
        for line in lines
    ]


def _line(
    name: str, attributes: Attributes, numbers: Numbers, flips: tuple[int, int], *, atomic: bool
) -> Contrast:
    fixed = sum(n for (_, a, b, *_), n in numbers.items() if a and not b)
    broken = sum(n for (_, a, b, *_), n in numbers.items() if b and not a)
    hidden, hidden_difference = (None, None) if atomic else _both(numbers, 3)
    return Contrast(
        name, attributes, *_both(numbers, 1), hidden, hidden_difference,
        *flips, fixed, broken, mcnemar(fixed, broken),
    )  # fmt: skip


_Beside = tuple[tuple[Rate, Rate], Difference]  # the rates of both sides, and their difference


def _both(numbers: Numbers, place: int) -> _Beside:
    first = text_rate(numbers, lambda *of: (of[place], of[0]))
    second = text_rate(numbers, lambda *of: (of[place + 1], of[0]))
    return (first, second), _difference(numbers, place)


def _difference(numbers: Numbers, place: int) -> Difference:
    return paired_difference(
        each_text(numbers, lambda *of: (of[place + 1], of[0], of[place], of[0]))
    )


def _unlike(sides: Iterable[Sums], numbers: Callable[[TextSums], tuple[int, int]]) -> _Beside:
    first, second = (text_rate(sums, numbers) for sums in sides)
    return (first, second), independent_difference(second, first)


def _apart(first: Side, second: Side) -> list[Contrast]:
    """Return rates of different mutants, by the attributes changed on both sides."""
    lines = []
    with ExitStack() as stack:
        sides = zip((first, second), _readers(first, second, stack), strict=True)
        models = [count(reader).models.get(side.model) for side, reader in sides]
        of = [model.with_cases() if model else set() for model in models]
        shared = {names for names in of[0] & of[1] if not is_placebo(names)}
        # Placebo mutants count as in the reports, whichever neutral words each side has.
        placebo = [{names for names in one if is_placebo(names)} for one in of]
        orders = set.intersection(*({len(names) for names in one} for one in placebo))
        shared |= {names for one in placebo for names in one if shared and len(names) in orders}
        for name, attributes, parts in _sets(shared):
            sums = [model.by_text(parts) for model in models if model]
            errors = _unlike(sums, lambda s: (s.errors, s.cases))
            hidden = _unlike(sums, lambda s: (s.hidden, s.cases))
            atomic = all(len(part) == 1 for part in parts)
            lines.append(Contrast(name, attributes, *errors, *((None, None) if atomic else hidden)))
    if not lines:
        raise InputError(
            "There is nothing to compare: the two sides share no answered mutant and no changed "
            "attributes. Run both on the same data or with the same attributes."
        )
    return lines
