"""Count a campaign by SQL: sums by text, group and word pair, and mutants beside their parts.

Shards are read in chunks (:data:`hinter_core.campaign.reader.CHUNK`), of which only sums are kept;
all mutants of a text lie in one shard. Word pairs and sets of attributes are compared by 64-bit
hashes.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hinter_core.campaign.reader import ANSWER_COLUMNS, MUTANT_COLUMNS, CampaignReader, MutantRecord
from hinter_core.campaign.store import NOTHING, UNUSABLE
from hinter_core.campaign.tables import Attributes, has_placebo, is_placebo, lists
from hinter_core.statistics.clustered import Clusters
from hinter_core.types import NO_INTERACTION, HiddenGrade

Groups = tuple[str, ...]
_EXAMPLES = 12
_LISTED = 1000  # unusable rows, and texts with nothing to test

# Slices of the pie of intersectional errors (HInter, Figure 10a) ...
PART_ERRS = "a part errs too"
NO_PART_ERRS = "every part is benign"
PART_UNKNOWN = "no part errs, but one has no verdict"
# ... and of that of atomic errors (Figure 10b).
WHOLE_ERRS = "a whole errs too"
NO_WHOLE_ERRS = "every whole is benign"
NO_WHOLE = "in no whole with a verdict"


class Swap(NamedTuple):
    """A word pair as stored in the tables."""

    attribute: str
    source: str
    target: str
    source_group: str
    target_group: str
    form: str


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
    turned: int
    asked: int


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

    ``verdicts``: by attributes. ``truth``: for order 2, numbers of (whole flips, first part flips,
    second part flips) where all three are cases. ``wholes``: errors of several edits by the
    verdicts of their single edits; ``atoms``: errors of one edit by the verdicts of mutants that
    contain it. ``grades``: of hidden mutants, by attributes; "" without scores. ``groups``: by
    attributes and target groups; ``hidden_groups``: the same with hidden mutants as errors, of
    several attributes. ``words``: errors and cases of atomic
    mutants by word pair. ``examples``: hidden mutants, one per text and attributes.
    """

    reader: CampaignReader
    number: int
    verdicts: dict[Attributes, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    truth: dict[Attributes, Counter[tuple[bool, bool, bool]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    wholes: dict[Attributes, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    atoms: dict[Attributes, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    grades: dict[Attributes, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    groups: dict[Attributes, dict[Groups, Clusters]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    hidden_groups: dict[Attributes, dict[Groups, Clusters]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    words: dict[Swap, tuple[int, int]] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    examples: list[MutantRecord] = field(default_factory=list)

    def by_text(self, *parts: Iterable[Attributes]) -> Sums:
        """Count the texts with the same sums, for each list of sets of attributes."""
        sums = ", ".join(
            f"coalesce(sum({name}) FILTER (attributes IN {lists(part)}), 0)::BIGINT"
            for part in map(list, parts)
            for name in TextSums._fields
        )
        found = self.reader.run(
            f"SELECT *, count(*) FROM (SELECT {sums} FROM by_text JOIN sets USING (set) "
            f"WHERE model = {self.number} GROUP BY row) GROUP BY ALL"
        )
        size = len(TextSums._fields)
        return Counter(
            {
                tuple(TextSums(*row[i : i + size]) for i in range(0, len(row) - 1, size)): row[-1]
                for row in found
            }
        )

    def verdicts_of(self, parts: Iterable[Attributes]) -> Counter[str]:
        """Add up the verdicts of some sets of attributes."""
        return sum((self.verdicts[part] for part in parts), Counter())

    def with_cases(self) -> set[Attributes]:
        """Return the sets of attributes with a kept and answered mutant."""
        cases = ("benign", "biased", "hidden")
        return {names for names, by in self.verdicts.items() if any(by[name] for name in cases)}

    def by_shard(self) -> list[tuple[int, Attributes, str, int]]:
        """Count mutants by shard, attributes and verdict."""
        found = self.reader.run(
            "SELECT shard, attributes, verdict, number FROM by_shard JOIN sets USING (set) "
            f"WHERE model = {self.number} ORDER BY shard"
        )
        return [(shard, tuple(names), verdict, number) for shard, names, verdict, number in found]


def each_text(sums: Sums, numbers: Callable[..., tuple[int, ...]]) -> Counter[tuple[int, ...]]:
    """Count the texts with the same ``numbers``, a function of their sums."""
    found: Counter[tuple[int, ...]] = Counter()
    for own, texts in sums.items():
        found[numbers(*own)] += texts
    return found


@dataclass
class CampaignCounts:
    """Sums over a campaign; ``models`` by name, if tested.

    ``texts``: by outcome. ``possible`` and ``tested``: intersectional mutants by order. ``faults``:
    unusable rows; ``idle``: texts with nothing to test; the first 1,000 of each. ``repeated``: rows
    by id that is not unique. ``labels``: number of distinct labels. ``pairs``: by attributes and
    attribute, word pairs made and kept. ``met``: by attributes, number of target groups (one per
    attribute). ``discarded``: by attribute and target group, atomic mutants made and discarded.
    """

    texts: Counter[str] = field(default_factory=Counter)
    possible: Counter[int] = field(default_factory=Counter)
    tested: Counter[int] = field(default_factory=Counter)
    faults: list[UnusedRow] = field(default_factory=list)
    idle: list[UnusedRow] = field(default_factory=list)
    labels: int = 0
    repeated: dict[str, int] = field(default_factory=dict)
    pairs: dict[Attributes, dict[str, tuple[int, int]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    met: dict[Attributes, int] = field(default_factory=dict)
    discarded: dict[str, dict[str, tuple[int, int]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    models: dict[str, ModelCounts] = field(default_factory=dict)


_STATE = f"""
CREATE TYPE verdict AS ENUM ('benign', 'biased', 'hidden', 'discarded', 'unanswered');
CREATE TABLE swaps (swap UBIGINT PRIMARY KEY,
    edit STRUCT({" VARCHAR, ".join(Swap._fields)} VARCHAR));
CREATE TABLE sets (set UBIGINT PRIMARY KEY, attributes VARCHAR[]);
CREATE TABLE groups (key UBIGINT PRIMARY KEY, set UBIGINT, groups VARCHAR[]);
CREATE TABLE made_of (set UBIGINT, n_edits INTEGER, number BIGINT);
CREATE TABLE atomic (swap UBIGINT, made BIGINT, discarded BIGINT);
CREATE TABLE pairs (set UBIGINT, swap UBIGINT, kept BOOLEAN);
CREATE TABLE by_shard (model INTEGER, shard INTEGER, set UBIGINT, verdict verdict, number BIGINT);
CREATE TABLE by_text (model INTEGER, set UBIGINT, row BIGINT,
    {" INTEGER, ".join(TextSums._fields)} INTEGER);
CREATE TABLE clusters (model INTEGER, key UBIGINT, errors BIGINT, cases BIGINT, texts BIGINT,
    error_squares HUGEINT, products HUGEINT, case_squares HUGEINT, hidden BIGINT,
    hidden_squares HUGEINT, hidden_products HUGEINT);
CREATE TABLE words (model INTEGER, swap UBIGINT, errors BIGINT, cases BIGINT);
CREATE TABLE truth (model INTEGER, set UBIGINT, whole BOOLEAN, first BOOLEAN, second BOOLEAN,
    number BIGINT);
CREATE TABLE grades (model INTEGER, set UBIGINT, grade VARCHAR, number BIGINT);
CREATE TABLE slices (model INTEGER, set UBIGINT, slice VARCHAR, number BIGINT);
"""
_HASH = f"hash({', '.join(f'{{0}}.{name}' for name in Swap._fields)})"
_CASE, _ERROR = "verdict IN ('benign', 'biased', 'hidden')", "verdict IN ('biased', 'hidden')"


def count(reader: CampaignReader) -> CampaignCounts:
    """Count all complete shards; sums by text stay in the reader's database.

    Raises:
        StoreError: tables that cannot be read or do not fit together.
    """
    counts = CampaignCounts()
    reader.run(_STATE)
    asked = {
        name: ModelCounts(reader, number)
        for number, (name, identity) in enumerate(reader.models.items())
        if any(reader.store.answers(shard, identity).exists() for shard in reader.shards)
    }
    width = 2
    for shards in reader.chunks(MUTANT_COLUMNS, (*ANSWER_COLUMNS, "shift", "interaction")):
        width = _read_mutants(reader, shards, width)
        for name, model in asked.items():
            _read_answers(model, shards, name, width)
    _count_texts(reader, counts)
    _count_mutants(reader, counts)
    for model in asked.values():
        _count_answers(model)
    counts.models = asked
    return counts


def _read_mutants(reader: CampaignReader, shards: Sequence[int], width: int) -> int:
    """Make the tables of a chunk's mutants; return the maximum of ``width`` and their edits."""
    _make_table(reader, shards, width)
    most = reader.run("SELECT max(n_edits) FROM made")[0][0] or 0
    if most > width:
        _make_table(reader, shards, width := most)
    each = " UNION ALL ".join(
        f"SELECT set, s{i} AS swap, kept, shard, place FROM made WHERE n_edits >= {i}"
        for i in range(1, width + 1)
    )
    reader.run(
        "CREATE OR REPLACE TEMP TABLE met AS SELECT set, swap, bool_or(kept) AS kept, "
        f"min(shard::BIGINT << 32 | place) AS id FROM ({each}) GROUP BY ALL"
    )
    reader.run("INSERT INTO pairs SELECT set, swap, kept FROM met")
    alone = "SELECT s1, count(*), count_if(NOT kept) FROM made WHERE n_edits = 1 GROUP BY 1"
    reader.run(f"INSERT INTO atomic {alone}")
    reader.run("INSERT INTO made_of SELECT set, any_value(n_edits), count(*) FROM made GROUP BY 1")
    _name_swaps(reader)
    _name_sets(reader, width)
    return width


def _make_table(reader: CampaignReader, shards: Sequence[int], width: int) -> None:
    """Make the table ``made`` of a chunk's mutants, with columns for ``width`` edits."""
    numbers = range(1, width + 1)

    def joined(part: str) -> str:  # faster than a list; what an edit lacks is left out
        return f"concat_ws(chr(31), {', '.join(f'edits[{i}].{part}' for i in numbers)})"

    swaps = ", ".join(
        f"CASE WHEN n_edits >= {i} THEN {_HASH.format(f'edits[{i}]')} END AS s{i}" for i in numbers
    )
    reader.run(
        "CREATE OR REPLACE TEMP TABLE made AS SELECT shard, place, row, kept, n_edits, "
        f"hash({joined('attribute')}) AS set, hash({joined('attribute')}, "
        f"{joined('target_group')}) AS key, {swaps} FROM ({reader.tables(shards).mutants})"
    )


def _name_swaps(reader: CampaignReader) -> None:
    """Store the words of new word pairs."""
    reader.run(
        "CREATE OR REPLACE TEMP TABLE fresh AS SELECT DISTINCT (id >> 32)::INTEGER AS shard, "
        "id & 4294967295 AS place FROM (SELECT min(id) AS id FROM met ANTI JOIN swaps USING (swap) "
        "GROUP BY swap)"
    )
    shards = [shard for (shard,) in reader.run("SELECT DISTINCT shard FROM fresh")]
    if shards:
        reader.run(
            f"INSERT OR IGNORE INTO swaps SELECT {_HASH.format('e')} AS swap, any_value("
            f"{{{', '.join(f'{name}: e.{name}' for name in Swap._fields)}}}) FROM (SELECT "
            f"unnest(edits) AS e FROM ({reader.tables(shards).mutants}) SEMI JOIN fresh "
            "USING (shard, place)) GROUP BY 1"
        )


def _name_sets(reader: CampaignReader, width: int) -> None:
    """Store the attributes and groups of new sets."""
    numbers = range(1, width + 1)
    firsts = ", ".join(f"any_value(s{i}) AS s{i}" for i in numbers)
    joins = " ".join(f"LEFT JOIN swaps w{i} ON w{i}.swap = s{i}" for i in numbers)

    def each(part: str) -> str:
        names = ", ".join(f"w{i}.edit.{part}" for i in numbers)
        return f"list_filter([{names}], lambda name: name IS NOT NULL)"

    reader.run(
        f"INSERT INTO sets SELECT set, {each('attribute')} FROM (SELECT set, {firsts} FROM made "
        f"ANTI JOIN sets USING (set) GROUP BY set) {joins}"
    )
    reader.run(
        f"INSERT INTO groups SELECT key, set, {each('target_group')} FROM (SELECT key, "
        f"any_value(set) AS set, {firsts} FROM made ANTI JOIN groups USING (key) GROUP BY key) "
        f"{joins}"
    )


def _read_answers(model: ModelCounts, shards: Sequence[int], name: str, width: int) -> None:
    """Add the sums over a chunk for one model."""
    run, number = model.reader.run, model.number
    answers = model.reader.tables(shards, (name,)).answers
    run(
        "CREATE OR REPLACE TEMP TABLE judged AS SELECT made.*, try_cast(a.verdict AS verdict) AS "
        f"verdict, a.changed, a.failure FROM made JOIN ({answers}) a USING (shard, place) "
        "WHERE a.verdict IS NOT NULL"
    )
    run(
        f"INSERT INTO by_shard SELECT {number}, shard, set, verdict, count(*) FROM judged "
        "GROUP BY ALL"
    )
    run(
        f"CREATE OR REPLACE TEMP TABLE summed AS SELECT set, key, row, count_if({_ERROR}) AS "
        f"errors, count_if({_CASE}) AS cases, count_if(verdict = 'hidden') AS hidden, "
        "count_if(verdict = 'discarded') AS discarded, count(*) AS mutants, "
        "count_if(verdict = 'discarded' AND changed) AS turned, "
        "count_if(verdict = 'discarded' AND changed IS NOT NULL) AS asked FROM judged GROUP BY ALL"
    )
    sums = ", ".join(f"sum({name})" for name in TextSums._fields)
    run(f"INSERT INTO by_text SELECT {number}, set, row, {sums} FROM summed GROUP BY set, row")
    run(
        f"INSERT INTO clusters SELECT {number}, key, sum(errors), sum(cases), count(*), "
        "sum(errors * errors), sum(errors * cases), sum(cases * cases), sum(hidden), "
        "sum(hidden * hidden), sum(hidden * cases) FROM summed "
        "WHERE cases > 0 GROUP BY key"
    )
    run(
        f"INSERT INTO words SELECT {number}, s1, count_if({_ERROR}), count(*) FROM judged "
        f"WHERE n_edits = 1 AND {_CASE} GROUP BY s1"
    )
    beyond = "CASE WHEN shift > 0 THEN interaction ELSE -interaction END"
    run(
        f"INSERT INTO grades SELECT {number}, set, CASE WHEN {beyond} > {NO_INTERACTION} THEN "
        f"'{HiddenGrade.MORE}' WHEN {beyond} IS NOT NULL THEN '{HiddenGrade.THRESHOLD}' ELSE '' "
        f"END AS grade, count(*) FROM made JOIN (SELECT shard, place, shift, interaction FROM "
        f"({answers}) WHERE verdict = 'hidden') USING (shard, place) GROUP BY ALL"
    )
    lost = run(
        "SELECT failure, count(*) FROM judged WHERE failure IS NOT NULL AND verdict <> 'discarded' "
        "GROUP BY 1 ORDER BY min(shard::BIGINT << 32 | place)"
    )
    model.failures.update(dict(lost))
    _read_lattice(model, width)
    if len(model.examples) < _EXAMPLES:
        places = run(
            "SELECT min(shard), min(place) FROM judged JOIN sets USING (set) WHERE verdict = "
            f"'hidden' AND NOT {has_placebo('attributes')} GROUP BY row, set ORDER BY 1, 2 "
            f"LIMIT {_EXAMPLES - len(model.examples)}"
        )
        found = {(one.shard, one.place): one for one in model.reader.at(places)}
        model.examples += [found[shard, place] for shard, place in places]


def _read_lattice(model: ModelCounts, width: int) -> None:
    """Compare mutants of several edits with each of their edits alone.

    MutaInt's truth table (Table 6) for pairs, and HInter's Figure 10 for all orders.
    """
    run, number, numbers = model.reader.run, model.number, range(1, width + 1)
    run(
        f"CREATE OR REPLACE TEMP TABLE alone AS SELECT row, s1 AS swap, arg_min({_ERROR}, place) "
        f"AS flips FROM judged WHERE n_edits = 1 AND {_CASE} GROUP BY ALL"
    )
    flips = ", ".join(f"a{i}.flips AS f{i}, s{i}" for i in numbers)
    joins = " ".join(
        f"LEFT JOIN alone a{i} ON a{i}.row = j.row AND a{i}.swap = j.s{i}" for i in numbers
    )
    run(
        f"CREATE OR REPLACE TEMP TABLE whole AS SELECT j.set, j.row, j.n_edits, {_ERROR} AS errs, "
        f"{flips} FROM judged j {joins} WHERE n_edits > 1 AND {_CASE}"
    )
    if width > 1:
        run(
            f"INSERT INTO truth SELECT {number}, set, errs, f1, f2, count(*) FROM whole "
            "WHERE n_edits = 2 AND f1 IS NOT NULL AND f2 IS NOT NULL GROUP BY ALL"
        )
    any_flips = " OR ".join(f"coalesce(f{i}, false)" for i in numbers)
    known = " + ".join(f"(f{i} IS NOT NULL)::INTEGER" for i in numbers)
    run(
        f"INSERT INTO slices SELECT {number}, set, CASE WHEN {any_flips} THEN '{PART_ERRS}' WHEN "
        f"{known} = n_edits THEN '{NO_PART_ERRS}' ELSE '{PART_UNKNOWN}' END, count(*) FROM whole "
        "WHERE errs GROUP BY ALL"
    )
    held = " UNION ALL ".join(
        f"SELECT row, s{i} AS swap, errs FROM whole WHERE f{i}" for i in numbers
    )
    run(
        f"INSERT INTO slices SELECT {number}, set, CASE WHEN w.errs THEN '{WHOLE_ERRS}' WHEN "
        f"w.errs IS NULL THEN '{NO_WHOLE}' ELSE '{NO_WHOLE_ERRS}' END, count(*) FROM judged j "
        f"LEFT JOIN (SELECT row, swap, bool_or(errs) AS errs FROM ({held}) GROUP BY ALL) w "
        f"ON w.row = j.row AND w.swap = j.s1 WHERE n_edits = 1 AND {_ERROR} GROUP BY ALL"
    )


def _count_texts(reader: CampaignReader, counts: CampaignCounts) -> None:
    reader.run(
        "CREATE OR REPLACE TEMP TABLE rows AS SELECT shard, row, id, label, outcome, detail, "
        f"possible FROM ({reader.tables().texts})"
    )
    outcomes = reader.run("SELECT outcome, count(*) FROM rows GROUP BY 1 ORDER BY min(row)")
    counts.texts = Counter(dict(outcomes))
    possible = reader.run(
        "SELECT number + 1, sum(possible)::BIGINT FROM (SELECT generate_subscripts(possible, 1) AS "
        "number, unnest(possible) AS possible FROM rows) GROUP BY 1 ORDER BY 1"
    )
    counts.possible = Counter(dict(possible))
    ((counts.labels,),) = reader.run("SELECT count(DISTINCT label) FROM rows WHERE label <> ''")
    repeated = reader.run(
        "SELECT id, count(*) FROM rows WHERE id <> '' GROUP BY 1 HAVING count(*) > 1 "
        "ORDER BY min(shard), min(row)"
    )
    counts.repeated = dict(repeated)
    for outcome, listed in ((UNUSABLE, counts.faults), (NOTHING, counts.idle)):
        rows = reader.run(
            f"SELECT row, coalesce(id, ''), detail FROM rows WHERE outcome = $outcome "
            f"ORDER BY shard, row LIMIT {_LISTED}",
            outcome=outcome,
        )
        listed += [UnusedRow(*row) for row in rows]


def _count_mutants(reader: CampaignReader, counts: CampaignCounts) -> None:
    for names, order, number in reader.run(
        "SELECT attributes, n_edits, sum(number)::BIGINT FROM made_of JOIN sets USING (set) "
        "GROUP BY ALL"
    ):
        if order > 1 and not is_placebo(tuple(names)):
            counts.tested[order] += number
    for names, attribute, made, kept in reader.run(
        "SELECT attributes, edit.attribute, count(*), count_if(kept) FROM (SELECT set, swap, "
        "bool_or(kept) AS kept FROM pairs GROUP BY ALL) JOIN sets USING (set) JOIN swaps "
        "USING (swap) GROUP BY ALL"
    ):
        counts.pairs[tuple(names)][attribute] = made, kept
    for attribute, group, made, discarded in reader.run(
        "SELECT edit.attribute, edit.target_group, sum(made)::BIGINT, sum(discarded)::BIGINT "
        "FROM atomic JOIN swaps USING (swap) GROUP BY ALL ORDER BY ALL"
    ):
        if not is_placebo((attribute,)):
            counts.discarded[attribute][group] = made, discarded
    counts.met = {
        tuple(names): number
        for names, number in reader.run(
            "SELECT attributes, count(*) FROM groups JOIN sets USING (set) GROUP BY 1"
        )
    }


def _count_answers(model: ModelCounts) -> None:
    def rows(sql: str) -> Iterable[tuple[Any, ...]]:
        return model.reader.run(f"{sql} WHERE model = {model.number} GROUP BY ALL ORDER BY ALL")

    for names, verdict, number in rows(
        "SELECT attributes, verdict::VARCHAR, sum(number)::BIGINT FROM by_shard "
        "JOIN sets USING (set)"
    ):
        model.verdicts[tuple(names)][verdict] = number
    for names, *flips, number in rows(
        "SELECT attributes, whole, first, second, sum(number)::BIGINT FROM truth "
        "JOIN sets USING (set)"
    ):
        whole, first, second = flips
        model.truth[tuple(names)][whole, first, second] = number
    for names, name, number in rows(
        "SELECT attributes, slice, sum(number)::BIGINT FROM slices JOIN sets USING (set)"
    ):
        (model.atoms if len(names) == 1 else model.wholes)[tuple(names)][name] = number
    for names, grade, number in rows(
        "SELECT attributes, grade, sum(number)::BIGINT FROM grades JOIN sets USING (set)"
    ):
        model.grades[tuple(names)][grade] = number
    sums = ", ".join(
        f"sum(clusters.{name})::BIGINT"
        for name in (
            "errors", "error_squares", "products", "hidden", "hidden_squares", "hidden_products",
            "cases", "texts", "case_squares",
        )
    )  # fmt: skip
    for names, groups, *numbers in rows(
        f"SELECT attributes, groups, {sums} FROM clusters JOIN groups USING (key) "
        "JOIN sets USING (set)"
    ):
        cases, texts, squares = numbers[6:]
        kinds = [(model.groups, numbers[:3]), (model.hidden_groups, numbers[3:6])]
        for by_group, (hits, hit_squares, products) in kinds[: len(names)]:
            by_group[tuple(names)][tuple(groups)] = Clusters(
                hits, cases, texts, hit_squares, products, squares
            )
    for edit, errors, cases in rows(
        "SELECT edit, sum(errors)::BIGINT, sum(cases)::BIGINT FROM words JOIN swaps USING (swap)"
    ):
        model.words[Swap(**edit)] = errors, cases
