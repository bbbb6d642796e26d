"""Count a campaign by SQL: sums by text, group and word pair, and mutants beside their parts.

Shards are read in chunks (:data:`hinter_core.campaign.reader.CHUNK`), of which only sums are kept;
all mutants of a text lie in one shard. Word pairs and sets of attributes are compared by 64-bit
hashes.
"""

from collections import Counter
from collections.abc import Sequence

from hinter_core.campaign.reader import ANSWER_COLUMNS, MUTANT_COLUMNS, CampaignReader
from hinter_core.campaign.store import NOTHING, UNUSABLE
from hinter_core.campaign.tables import (
    CASE,
    ERROR,
    PLACEBO,
    Attributes,
    has_placebo,
    is_placebo,
    quoted,
)
from hinter_core.report.counts import (
    LEAST_VALIDITIES,
    NO_PART_ERRS,
    NO_WHOLE,
    NO_WHOLE_ERRS,
    PART_ERRS,
    PART_UNKNOWN,
    WHOLE_ERRS,
    CampaignCounts,
    ModelCounts,
    Swap,
    TextSums,
    UnusedRow,
)
from hinter_core.types import NO_INTERACTION, HiddenGrade, Layer

_EXAMPLES = 12
_ANSWERS = (*ANSWER_COLUMNS, "labels", "shift", "interaction")
_LISTED = 1000  # unusable rows, and texts with nothing to test

_STATE = f"""
CREATE TYPE verdict AS ENUM ('benign', 'biased', 'hidden', 'discarded', 'unanswered');
CREATE TABLE swaps (swap UBIGINT PRIMARY KEY,
    edit STRUCT({" VARCHAR, ".join(Swap._fields)} VARCHAR));
CREATE TABLE sets (set UBIGINT PRIMARY KEY, attributes VARCHAR[]);
CREATE TABLE groups (key UBIGINT PRIMARY KEY, set UBIGINT, groups VARCHAR[]);
CREATE TABLE made_of (set UBIGINT, n_edits INTEGER, number BIGINT);
CREATE TABLE atomic (swap UBIGINT, made BIGINT, discarded BIGINT, soft BIGINT);
CREATE TABLE pairs (set UBIGINT, swap UBIGINT, kept BOOLEAN);
CREATE TABLE combined (set UBIGINT, pairs UBIGINT);
CREATE TABLE by_shard (model INTEGER, shard INTEGER, set UBIGINT, verdict verdict, number BIGINT,
    places BIGINT);
CREATE TABLE by_text (model INTEGER, set UBIGINT, row BIGINT,
    {" INTEGER, ".join(TextSums._fields)} INTEGER);
CREATE TABLE clusters (model INTEGER, key UBIGINT, errors BIGINT, cases BIGINT, hidden BIGINT,
    texts BIGINT);
CREATE TABLE by_validity (model INTEGER, set UBIGINT, row BIGINT, level INTEGER, errors BIGINT,
    cases BIGINT, hidden BIGINT);
CREATE VIEW tokens AS SELECT swap, list_transform(list_filter(list_distinct(string_split(
    lower(concat_ws(' ', edit.source, edit.target)), ' ')), lambda word: word <> ''),
    lambda word: hash(word)) AS words FROM swaps;
CREATE TABLE by_word (model INTEGER, n_edits INTEGER, compared UBIGINT, neutral BOOLEAN,
    word UBIGINT, weight DOUBLE, errors DOUBLE, hidden DOUBLE);
CREATE TABLE shared (model INTEGER, n_edits INTEGER, compared UBIGINT, neutral BOOLEAN,
    weight_squares DOUBLE, error_squares DOUBLE, error_products DOUBLE, hidden_squares DOUBLE,
    hidden_products DOUBLE);
CREATE TABLE words (model INTEGER, swap UBIGINT, errors BIGINT, cases BIGINT);
CREATE TABLE truth (model INTEGER, set UBIGINT, whole BOOLEAN, first BOOLEAN, second BOOLEAN,
    number BIGINT);
CREATE TABLE grades (model INTEGER, set UBIGINT, grade VARCHAR, number BIGINT);
CREATE TABLE slices (model INTEGER, set UBIGINT, slice VARCHAR, number BIGINT);
"""
_BY_WORD = ("weight", "errors", "hidden")
_HASH = f"hash({', '.join(f'{{0}}.{name}' for name in Swap._fields)})"


def count(reader: CampaignReader, attributes: Attributes = ()) -> CampaignCounts:
    """Count all complete shards; sums by text stay in the reader's database.

    ``attributes``: only mutants that change no others, and placebo mutants (default: all).

    Raises:
        StoreError: tables that cannot be read or do not fit together.
    """
    counts = CampaignCounts()
    reader.run(_STATE)
    models = {
        name: ModelCounts(name, reader, number)
        for number, (name, identity) in enumerate(reader.models.items())
        if any(reader.written.answers(shard, identity) for shard in reader.shards)
    }
    width, where = 2, _only(attributes)
    for shards in reader.chunks((*MUTANT_COLUMNS, "validity", "layer"), _ANSWERS):
        width = _read_mutants(reader, shards, width, where)
        for name, model in models.items():
            _read_answers(model, shards, name, width)
    _count_texts(reader, counts)
    _count_mutants(reader, counts)
    for model in models.values():
        _count_answers(model)
    counts.models = models
    return counts


def _only(attributes: Attributes) -> str:
    if not attributes:
        return ""
    names = ", ".join(map(quoted, attributes))
    others = f"name NOT IN ({names}) AND NOT starts_with(name, '{PLACEBO}')"
    return f"WHERE len(list_filter(attributes, lambda name: {others})) = 0"


def _read_mutants(reader: CampaignReader, shards: Sequence[int], width: int, where: str) -> int:
    """Make the tables of a chunk's mutants; return the maximum of ``width`` and their edits."""
    _make_table(reader, shards, width, where)
    most = reader.run("SELECT max(n_edits) FROM made")[0][0] or 0
    if most > width:
        _make_table(reader, shards, width := most, where)
    each = " UNION ALL ".join(
        f"SELECT set, s{i} AS swap, kept, shard, place FROM made WHERE n_edits >= {i}"
        for i in range(1, width + 1)
    )
    reader.run(
        "CREATE OR REPLACE TEMP TABLE met AS SELECT set, swap, bool_or(kept) AS kept, "
        f"min(shard::BIGINT << 32 | place) AS id FROM ({each}) GROUP BY ALL"
    )
    reader.run("INSERT INTO pairs SELECT set, swap, kept FROM met")
    reader.run(
        "INSERT INTO atomic SELECT s1, count(*), count_if(NOT kept), count_if(soft) FROM made "
        "WHERE n_edits = 1 GROUP BY 1"
    )
    reader.run("INSERT INTO made_of SELECT set, any_value(n_edits), count(*) FROM made GROUP BY 1")
    _name_swaps(reader)
    _name_sets(reader, width)
    if width > 1:
        pairs = ", ".join(f"s{i}" for i in range(1, width + 1))
        reader.run(
            f"INSERT INTO combined SELECT DISTINCT set, hash({pairs}) FROM made JOIN sets "
            f"USING (set) WHERE n_edits > 1 AND NOT {has_placebo('attributes')}"
        )
    return width


def _make_table(reader: CampaignReader, shards: Sequence[int], width: int, where: str) -> None:
    """Make the table ``made`` of a chunk's mutants, with columns for ``width`` edits."""
    numbers = range(1, width + 1)

    def joined(part: str) -> str:  # faster than a list; what an edit lacks is left out
        return f"concat_ws(chr(31), {', '.join(f'edits[{i}].{part}' for i in numbers)})"

    swaps = ", ".join(
        f"CASE WHEN n_edits >= {i} THEN {_HASH.format(f'edits[{i}]')} END AS s{i}" for i in numbers
    )
    places = " + ".join(f"coalesce(len(edits[{i}].spans), 0)" for i in numbers)
    levels = " + ".join(f"(validity >= {least})::INTEGER" for least in LEAST_VALIDITIES[1:])
    reader.run(
        "CREATE OR REPLACE TEMP TABLE made AS SELECT shard, place, row, kept, n_edits, "
        "coalesce(across_people, false) AS apart, "
        f"coalesce(layer = '{Layer.SOFT}', false) AS soft, "
        f"({places}) // 2 AS places, {levels} AS level, "
        f"hash({joined('attribute')}) AS set, hash({joined('attribute')}, "
        f"{joined('target_group')}) AS key, {swaps} FROM ({reader.tables(shards).mutants}) {where}"
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
        f"INSERT INTO by_shard SELECT {number}, shard, set, verdict, count(*), sum(places) FROM "
        "judged GROUP BY ALL"
    )
    run(
        f"CREATE OR REPLACE TEMP TABLE summed AS SELECT set, key, row, count_if({ERROR}) AS "
        f"errors, count_if({CASE}) AS cases, count_if(verdict = 'hidden') AS hidden, "
        "count_if(verdict = 'discarded') AS discarded, count(*) AS mutants, "
        "count_if(verdict = 'discarded' AND changed) AS turned, "
        "count_if(verdict = 'discarded' AND changed IS NOT NULL) AS asked FROM judged GROUP BY ALL"
    )
    sums = ", ".join(f"sum({name})" for name in TextSums._fields)
    run(f"INSERT INTO by_text SELECT {number}, set, row, {sums} FROM summed GROUP BY set, row")
    run(
        f"INSERT INTO clusters SELECT {number}, key, errors, cases, hidden, count(*) FROM summed "
        "WHERE cases > 0 GROUP BY ALL"
    )
    run(
        f"INSERT INTO by_validity SELECT {number}, set, row, level, count_if({ERROR}), count(*), "
        f"count_if(verdict = 'hidden') FROM judged WHERE n_edits > 1 AND level IS NOT NULL AND "
        f"{CASE} GROUP BY ALL"
    )
    run(
        f"INSERT INTO words SELECT {number}, s1, count_if({ERROR}), count(*) FROM judged "
        f"WHERE n_edits = 1 AND {CASE} GROUP BY s1"
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
    _read_words(model, width)
    counts = run(
        "SELECT min(apart) AS two, -CASE WHEN two THEN count(*) ELSE count_if(NOT apart) END, "
        "min(shard), arg_min(place, apart::BIGINT << 40 | place) "
        f"FROM judged JOIN sets USING (set) WHERE verdict = 'hidden' AND NOT "
        f"{has_placebo('attributes')} GROUP BY row, set ORDER BY 1, 2, 3, 4 LIMIT {_EXAMPLES}"
    )
    model.clusters = sorted([*model.clusters, *counts])[:_EXAMPLES]


def _read_lattice(model: ModelCounts, width: int) -> None:
    """Compare mutants of several edits with each of their edits alone.

    MutaInt's truth table (Table 6) for pairs, and HInter's Figure 10 for all orders.
    """
    run, number, numbers = model.reader.run, model.number, range(1, width + 1)
    run(
        f"CREATE OR REPLACE TEMP TABLE alone AS SELECT row, s1 AS swap, arg_min({ERROR}, place) "
        f"AS flips FROM judged WHERE n_edits = 1 AND {CASE} GROUP BY ALL"
    )
    flips = ", ".join(f"a{i}.flips AS f{i}, s{i}" for i in numbers)
    joins = " ".join(
        f"LEFT JOIN alone a{i} ON a{i}.row = j.row AND a{i}.swap = j.s{i}" for i in numbers
    )
    run(
        f"CREATE OR REPLACE TEMP TABLE whole AS SELECT j.set, j.row, j.n_edits, {ERROR} AS errs, "
        f"{flips} FROM judged j {joins} WHERE n_edits > 1 AND {CASE}"
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
        f"ON w.row = j.row AND w.swap = j.s1 WHERE n_edits = 1 AND {ERROR} GROUP BY ALL"
    )


def _read_words(model: ModelCounts, width: int) -> None:
    """Add up by exchanged word the mutants that are compared with placebo mutants.

    They are compared by set of attributes, and all of an order (set 0), within the texts that have
    placebo mutants of the order: see :class:`hinter_core.statistics.clustered.WordSums`.
    """
    run, number, numbers = model.reader.run, model.number, range(1, width + 1)
    swaps = ", ".join(f"s{i}" for i in numbers)
    run(
        f"CREATE OR REPLACE TEMP TABLE sides AS SELECT row, set, n_edits, {ERROR} AS errs, "
        f"verdict = 'hidden' AS hides, len(list_filter(attributes, lambda name: "
        f"NOT starts_with(name, '{PLACEBO}'))) AS sensitive, {swaps} FROM judged JOIN sets "
        f"USING (set) WHERE {CASE}"
    )
    run(
        "CREATE OR REPLACE TEMP TABLE neutral AS SELECT row, n_edits, count(*) AS m FROM sides "
        "WHERE sensitive = 0 GROUP BY ALL"
    )
    if not run("SELECT count(*) FROM neutral")[0][0]:
        return
    joins = " ".join(f"LEFT JOIN tokens w{i} ON w{i}.swap = s{i}" for i in numbers)
    lists_of_words = ", ".join(f"w{i}.words" for i in numbers)
    run(
        "CREATE OR REPLACE TEMP TABLE exchanged AS SELECT row, set, n_edits, neutral, word, "
        "count_if(errs) AS errors, count_if(hides) AS hidden, count(*) AS cases FROM (SELECT row, "
        f"set, n_edits, sensitive = 0 AS neutral, errs, hides, unnest(list_distinct(flatten("
        f"[{lists_of_words}]))) AS word FROM sides SEMI JOIN neutral USING (row, n_edits) {joins} "
        "WHERE sensitive IN (0, n_edits)) GROUP BY ALL"
    )
    run(
        "CREATE OR REPLACE TEMP TABLE compared AS SELECT row, n_edits, set AS compared, n, m FROM "
        "(SELECT row, n_edits, set, count(*) AS n FROM sides WHERE sensitive = n_edits GROUP BY "
        "GROUPING SETS ((row, n_edits, set), (row, n_edits))) JOIN neutral USING (row, n_edits)"
    )
    sums = ", ".join(f"sum({name}) * any_value(share) AS {name}" for name in _BY_WORD)
    joined = "SELECT c.*, word, neutral, cases AS weight, errors, hidden, "
    run(
        "CREATE OR REPLACE TEMP TABLE within AS SELECT n_edits, coalesce(compared, 0) AS compared, "
        f"neutral, row, word, {sums} FROM ("
        f"{joined} m / (n + m) AS share FROM compared c JOIN exchanged e ON e.row = c.row AND "
        "e.n_edits = c.n_edits AND e.set = c.compared WHERE NOT neutral UNION ALL "
        f"{joined} m / (n + m) AS share FROM compared c JOIN exchanged e ON e.row = c.row AND "
        "e.n_edits = c.n_edits WHERE c.compared IS NULL AND NOT neutral UNION ALL "
        f"{joined} n / (n + m) AS share FROM compared c JOIN exchanged e ON e.row = c.row AND "
        "e.n_edits = c.n_edits WHERE neutral) GROUP BY ALL"
    )
    of = "n_edits, compared, neutral"
    sums = ", ".join(f"sum({name})" for name in _BY_WORD)
    run(f"INSERT INTO by_word SELECT {number}, {of}, word, {sums} FROM within GROUP BY {of}, word")
    run(
        f"INSERT INTO shared SELECT {number}, {of}, sum(weight * weight), sum(errors * errors), "
        "sum(errors * weight), sum(hidden * hidden), sum(hidden * weight) FROM within "
        f"GROUP BY {of}"
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
    for attribute, group, *numbers in reader.run(
        "SELECT edit.attribute, edit.target_group, sum(made)::BIGINT, sum(discarded)::BIGINT, "
        "sum(soft)::BIGINT FROM atomic JOIN swaps USING (swap) GROUP BY ALL ORDER BY ALL"
    ):
        if not is_placebo((attribute,)):
            counts.discarded[attribute][group] = tuple(numbers)
    counts.combined = {
        tuple(names): number
        for names, number in reader.run(
            "SELECT attributes, count(*) FROM (SELECT DISTINCT set, pairs FROM combined) "
            "JOIN sets USING (set) GROUP BY 1"
        )
    }
    counts.met = {
        tuple(names): number
        for names, number in reader.run(
            "SELECT attributes, count(*) FROM groups JOIN sets USING (set) GROUP BY 1"
        )
    }


def _count_answers(model: ModelCounts) -> None:
    for names, verdict, number, places in model.sums(
        "SELECT attributes, verdict::VARCHAR, sum(number)::BIGINT, sum(places)::BIGINT "
        "FROM by_shard JOIN sets USING (set)"
    ):
        model.verdicts[tuple(names)][verdict] = number
        model.replacements[tuple(names)] += places
    for names, grade, number in model.sums(
        "SELECT attributes, grade, sum(number)::BIGINT FROM grades JOIN sets USING (set)"
    ):
        model.grades[tuple(names)][grade] = number
    at = {(shard, place): -alike for _, alike, shard, place in model.clusters}
    records = {(one.shard, one.place): one for one in model.reader.at(at)}
    model.examples = [(records[place], alike) for place, alike in at.items()]
