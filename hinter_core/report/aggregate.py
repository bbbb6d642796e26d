"""Count a campaign by SQL: sums by text, group and word pair, and mutants beside their parts.

Shards are read in chunks (:data:`hinter_core.campaign.reader.CHUNK`), once each, and only sums are
kept; all mutants of a text lie in one shard. Word pairs and sets of attributes are compared by
64-bit hashes (:mod:`hinter_core.report.mutants.narrow`).
"""

from collections import Counter
from collections.abc import Iterable

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import NOTHING, TESTED, UNUSABLE
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
    Cluster,
    ModelCounts,
    TextSums,
    UnusedRow,
)
from hinter_core.report.mutants.narrow import SWAP, Chunk, read_chunk
from hinter_core.types import NO_INTERACTION, HiddenGrade, Layer

_EXAMPLES = 12
_LISTED = 1000  # unusable rows, and texts with nothing to test

_STATE = f"""
CREATE TYPE verdict AS ENUM ('benign', 'biased', 'hidden', 'discarded', 'unanswered');
CREATE TABLE swaps (swap UBIGINT PRIMARY KEY,
    edit STRUCT({" VARCHAR, ".join(SWAP)} VARCHAR), word UBIGINT, direction UBIGINT);
CREATE TABLE sets (set UBIGINT PRIMARY KEY, attributes VARCHAR[], sensitive INTEGER);
CREATE TABLE groups (key UBIGINT PRIMARY KEY, set UBIGINT, groups VARCHAR[]);
CREATE TABLE made_of (set UBIGINT, n_edits INTEGER, lost VARCHAR, number BIGINT);
CREATE TABLE atomic (swap UBIGINT, made BIGINT, discarded BIGINT, soft BIGINT);
CREATE TABLE pairs (set UBIGINT, swap UBIGINT, kept BOOLEAN);
CREATE TABLE combined (set UBIGINT, pairs UBIGINT);
CREATE TABLE by_shard (model INTEGER, shard INTEGER, set UBIGINT, verdict verdict, number BIGINT,
    places BIGINT);
CREATE TABLE by_text (model INTEGER, set UBIGINT, row BIGINT,
    {" INTEGER, ".join(TextSums._fields)} INTEGER);
CREATE TABLE clusters (model INTEGER, key UBIGINT, errors BIGINT, cases BIGINT, hidden BIGINT,
    texts BIGINT);
CREATE TABLE explained (model INTEGER, key UBIGINT, errors BIGINT);
CREATE TABLE flips (model INTEGER, key UBIGINT, before UBIGINT, after UBIGINT, errors BIGINT,
    hidden BIGINT);
CREATE TABLE by_validity (model INTEGER, set UBIGINT, row BIGINT, level INTEGER, errors BIGINT,
    cases BIGINT, hidden BIGINT);
CREATE VIEW tokens AS SELECT swap, list_transform(list_filter(list_distinct(string_split(
    lower(concat_ws(' ', edit.source, edit.target)), ' ')), lambda word: word <> ''),
    lambda word: md5_number_lower(word)) AS words FROM swaps;
CREATE TABLE by_word (model INTEGER, n_edits INTEGER, compared UBIGINT, neutral BOOLEAN,
    word UBIGINT, weight DOUBLE, errors DOUBLE, hidden DOUBLE);
CREATE TABLE shared (model INTEGER, n_edits INTEGER, compared UBIGINT, neutral BOOLEAN,
    weight_squares DOUBLE, errors_squares DOUBLE, errors_products DOUBLE, hidden_squares DOUBLE,
    hidden_products DOUBLE);
CREATE TABLE words (model INTEGER, swap UBIGINT, cases BIGINT);
CREATE TABLE changes (model INTEGER, change UBIGINT, errors BIGINT, cases BIGINT, texts BIGINT);
CREATE TABLE truth (model INTEGER, set UBIGINT, whole BOOLEAN, first BOOLEAN, second BOOLEAN,
    number BIGINT);
CREATE TABLE grades (model INTEGER, set UBIGINT, grade VARCHAR, number BIGINT);
CREATE TABLE slices (model INTEGER, set UBIGINT, slice VARCHAR, number BIGINT);
CREATE TABLE named_labels (labels UBIGINT PRIMARY KEY, names VARCHAR[]);
CREATE TABLE unchanged (model INTEGER, row BIGINT, labels UBIGINT, failed BOOLEAN);
CREATE TABLE answered (model INTEGER, set UBIGINT, row BIGINT, labels UBIGINT, changed BOOLEAN,
    number BIGINT);
CREATE TABLE erring (model INTEGER, key UBIGINT, row BIGINT, s1 UBIGINT, s2 UBIGINT);
"""
_BY_WORD = ("weight", "errors", "hidden")


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
    _count_texts(reader, counts)
    where = _only(attributes)
    follow = not reader.store.campaign().mutants
    for _, chunk in reader.ahead(lambda shards: read_chunk(reader, shards)):
        _read_mutants(reader, chunk, where)
        _read_kept(reader, chunk, counts, follow=follow)
        for name in chunk.judged:
            _read_answers(models[name], chunk, where, counts)
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


def _read_mutants(reader: CampaignReader, chunk: Chunk, where: str) -> None:
    """Make the table ``made`` of a chunk's mutants, and add its sums and names."""
    run = reader.run
    for name in ("mutants", "swaps", "groups", "labels"):
        reader.connection.register(f"read_{name}", getattr(chunk, name))
    run("INSERT OR IGNORE INTO swaps SELECT * FROM read_swaps")
    run("INSERT OR IGNORE INTO named_labels SELECT * FROM read_labels")
    run(f"INSERT OR IGNORE INTO groups SELECT key, set, groups FROM read_groups {where}")
    run(
        "INSERT OR IGNORE INTO sets SELECT set, attributes, len(list_filter(attributes, lambda "
        f"name: NOT starts_with(name, '{PLACEBO}'))) FROM read_groups {where}"
    )
    run(
        f"CREATE OR REPLACE TEMP VIEW made AS SELECT *, coalesce(layer = "
        f"'{Layer.SOFT}', false) AS soft FROM read_mutants {_within(where)}"
    )
    each = " UNION ALL ".join(
        f"SELECT set, s{i} AS swap, kept FROM made WHERE s{i} IS NOT NULL"
        for i in range(1, chunk.width + 1)
    )
    run(f"INSERT INTO pairs SELECT set, swap, bool_or(kept) FROM ({each}) GROUP BY ALL")
    run(
        "INSERT INTO atomic SELECT s1, count(*), count_if(NOT kept), count_if(soft) FROM made "
        'WHERE "order" = 1 GROUP BY 1'
    )
    run(
        'INSERT INTO made_of SELECT set, any_value("order"), CASE WHEN NOT kept THEN '
        "coalesce(layer, '') END AS lost, count(*) FROM made GROUP BY set, lost"
    )
    pairs = "hash(s1, s2)"
    for i in range(3, chunk.width + 1):  # the same in a chunk of another width
        pairs = f"CASE WHEN s{i} IS NULL THEN {pairs} ELSE hash({pairs}, s{i}) END"
    run(
        f"INSERT INTO combined SELECT DISTINCT set, {pairs} FROM made JOIN sets USING (set) "
        'WHERE sensitive > 1 AND sensitive = "order"'
    )


def _read_kept(
    reader: CampaignReader, chunk: Chunk, counts: CampaignCounts, *, follow: bool
) -> None:
    """Add the kept mutants, those with the text of an earlier one, and the texts they are of.

    ``follow``: a mutant's text follows from its edits, as it does unless it was written by hand.
    """
    alike = follow and "change" in chunk.mutants.column_names
    ((same, kept, texts),) = reader.run(
        f"SELECT {'count(*) - count(DISTINCT hash(row, change))' if alike else '0'}, count(*), "
        'count(DISTINCT row) FROM made JOIN sets USING (set) WHERE kept AND sensitive = "order"'
    )
    counts.same = counts.same[0] + same, counts.same[1] + kept * follow
    counts.kept_texts += texts


def _within(where: str) -> str:
    return "SEMI JOIN sets USING (set)" if where else ""


def _read_answers(model: ModelCounts, chunk: Chunk, where: str, counted: CampaignCounts) -> None:
    """Add the sums over a chunk for one model; ``counted``: what is known of the texts."""
    run, number, width = model.reader.run, model.number, chunk.width
    for name in ("judged", "originals"):
        model.reader.connection.register(f"read_{name}", getattr(chunk, name)[model.name])
    run(
        f"INSERT INTO unchanged SELECT {number}, row, labels, failure IS NOT NULL FROM "
        "read_originals"
    )
    levels = " + ".join(f"(validity >= {least})::INTEGER" for least in LEAST_VALIDITIES[1:])
    beyond = "CASE WHEN shift > 0 THEN interaction ELSE -interaction END"
    audit = "audit IS NOT FALSE AND " if model.reader.rates else ""
    swaps = ", ".join(f"s{i}" for i in range(1, width + 1))
    run(
        'CREATE OR REPLACE TEMP TABLE judged AS SELECT set, key, row, "order"::INTEGER AS n_edits, '
        "shard::INTEGER AS shard, place, places, try_cast(verdict::VARCHAR AS verdict) AS verdict, "
        f"changed, failure, labels, coalesce(across_people, false) AS apart, {levels} AS level, "
        f"CASE WHEN {beyond} > {NO_INTERACTION} THEN '{HiddenGrade.MORE}' WHEN {beyond} IS NOT "
        f"NULL THEN '{HiddenGrade.THRESHOLD}' ELSE '' END AS grade, "
        f"{swaps} FROM read_judged {_within(where)} "
        f"WHERE {audit}verdict IS NOT NULL"
    )
    run(
        f"INSERT INTO by_shard SELECT {number}, shard, set, verdict, count(*), sum(places) FROM "
        "judged GROUP BY ALL"
    )
    # Alike texts are one text: their answers depend on each other, as intervals must know.
    by_text = "(SELECT * REPLACE (coalesce(first, row) AS row) FROM judged LEFT JOIN alike USING "
    by_text = f"{by_text} (row))" if counted.alike else "judged"
    run(
        f"CREATE OR REPLACE TEMP TABLE summed AS SELECT set, key, row, count_if({ERROR}) AS "
        f"errors, count_if({CASE}) AS cases, count_if(verdict = 'hidden') AS hidden, "
        "count_if(verdict = 'discarded') AS discarded, count(*) AS mutants, "
        "count_if(verdict = 'discarded' AND changed) AS turned, "
        "count_if(verdict = 'discarded' AND changed IS NOT NULL) AS asked "
        f"FROM {by_text} GROUP BY ALL"
    )
    sums = ", ".join(f"sum({name})" for name in TextSums._fields)
    run(f"INSERT INTO by_text SELECT {number}, set, row, {sums} FROM summed GROUP BY set, row")
    run(
        f"INSERT INTO clusters SELECT {number}, key, errors, cases, hidden, count(*) FROM summed "
        "WHERE cases > 0 GROUP BY ALL"
    )
    run(
        f"INSERT INTO flips SELECT {number}, key, o.labels, j.labels, count(*), count_if(verdict = "
        f"'hidden') FROM judged j JOIN read_originals o USING (row) WHERE {ERROR} GROUP BY ALL"
    )
    run(
        f"INSERT INTO by_validity SELECT {number}, set, row, level, count_if({ERROR}), count(*), "
        f"count_if(verdict = 'hidden') FROM {by_text} WHERE n_edits > 1 AND level IS NOT NULL AND "
        f"{CASE} GROUP BY ALL"
    )
    run(
        f"INSERT INTO words SELECT {number}, s1, count(*) FROM judged WHERE n_edits = 1 AND {CASE} "
        "GROUP BY s1"
    )
    run(
        f"INSERT INTO changes SELECT {number}, change, errors, cases, count(*) FROM (SELECT row, "
        f"unnest([word, direction]) AS change, count_if({ERROR}) AS errors, count(*) AS cases "
        f"FROM {by_text} JOIN swaps ON swap = s1 WHERE n_edits = 1 AND {CASE} GROUP BY row, change)"
        " GROUP BY ALL"
    )
    run(
        f"INSERT INTO grades SELECT {number}, set, grade, count(*) FROM judged "
        "WHERE verdict = 'hidden' GROUP BY ALL"
    )
    if counted.labels:
        run(
            f"INSERT INTO answered SELECT {number}, set, row, labels, changed, count(*) FROM "
            f"judged WHERE {CASE} AND failure IS NULL GROUP BY ALL"
        )
    for i in range(3, width + 1):
        run(f"ALTER TABLE erring ADD COLUMN IF NOT EXISTS s{i} UBIGINT")
    run(
        f"INSERT INTO erring BY NAME SELECT {number} AS model, key, row, {swaps} FROM judged "
        f"WHERE n_edits > 1 AND {ERROR}"
    )
    lost = run(
        "SELECT failure, count(*) FROM judged WHERE failure IS NOT NULL AND verdict <> 'discarded' "
        "GROUP BY 1 ORDER BY min(shard::BIGINT << 32 | place)"
    )
    model.failures.update(dict(lost))
    _read_lattice(model, width)
    _read_words(model, width)
    counts = run(
        "FROM (SELECT min(apart) AS two, -CASE WHEN two THEN count(*) ELSE count_if(NOT apart) END "
        "AS number, min(shard) AS shard, arg_min(place, (apart::BIGINT << 1 | "
        f"(grade = '{HiddenGrade.THRESHOLD}')::BIGINT) << 40 | place) AS place, any_value("
        "coalesce(first, row)) AS text FROM judged JOIN sets USING (set) LEFT JOIN alike USING "
        f"(row) WHERE verdict = 'hidden' AND NOT {has_placebo('attributes')} GROUP BY row, set) "
        "ORDER BY row_number() OVER (PARTITION BY text ORDER BY two, number, place) > 1, two, "
        f"number, place LIMIT {_EXAMPLES}"
    )
    model.clusters = _each_text_first([*model.clusters, *counts])[:_EXAMPLES]


def _each_text_first(clusters: Iterable[Cluster]) -> list[Cluster]:
    """Sort clusters, the first of each text before the others."""
    first: dict[int, Cluster] = {}
    ordered = sorted(clusters)
    for one in ordered:
        first.setdefault(one[-1], one)
    return sorted(ordered, key=lambda one: first[one[-1]] is not one)


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
        "CREATE OR REPLACE TEMP TABLE whole AS SELECT j.set, j.key, j.row, j.n_edits, "
        f"{ERROR} AS errs, {flips} FROM judged j {joins} WHERE n_edits > 1 AND {CASE}"
    )
    if width > 1:
        run(
            f"INSERT INTO truth SELECT {number}, set, errs, f1, f2, count(*) FROM whole "
            "WHERE n_edits = 2 AND f1 IS NOT NULL AND f2 IS NOT NULL GROUP BY ALL"
        )
    any_flips = " OR ".join(f"coalesce(f{i}, false)" for i in numbers)
    run(
        f"INSERT INTO explained SELECT {number}, key, count(*) FROM whole "
        f"WHERE errs AND ({any_flips}) GROUP BY key"
    )
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
        f"verdict = 'hidden' AS hides, sensitive, {swaps} FROM judged JOIN sets "
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
        f"set, n_edits, sensitive = 0 AS neutral, errs, hides, unnest(CASE WHEN n_edits = 1 "
        f"THEN w1.words ELSE list_distinct(flatten([{lists_of_words}])) END) AS word FROM sides "
        f"SEMI JOIN neutral USING (row, n_edits) {joins} WHERE sensitive IN (0, n_edits)) "
        "GROUP BY ALL"
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
    reader.run(
        "CREATE OR REPLACE TEMP TABLE alike AS FROM (SELECT row, min(row) OVER (PARTITION BY text) "
        f"AS first FROM ({reader.tables().texts}) WHERE outcome = $outcome) WHERE row <> first",
        outcome=TESTED,
    )
    ((counts.alike,),) = reader.run("SELECT count(*) FROM alike")
    for outcome, listed in ((UNUSABLE, counts.faults), (NOTHING, counts.idle)):
        rows = reader.run(
            f"SELECT row, coalesce(id, ''), detail FROM rows WHERE outcome = $outcome "
            f"ORDER BY shard, row LIMIT {_LISTED}",
            outcome=outcome,
        )
        listed += [UnusedRow(*row) for row in rows]


def _count_mutants(reader: CampaignReader, counts: CampaignCounts) -> None:
    for names, order, lost, number in reader.run(
        "SELECT attributes, n_edits, lost, sum(number)::BIGINT FROM made_of JOIN sets USING (set) "
        "GROUP BY ALL ORDER BY lost"
    ):
        if order > 1 and not is_placebo(tuple(names)):
            counts.made[order] += number
            if lost is not None:
                counts.lost[lost] += number
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

    def by_set(rows: str) -> dict[Attributes, int]:
        select = f"SELECT attributes, count(*) FROM {rows} JOIN sets USING (set) GROUP BY 1"
        return {tuple(names): number for names, number in reader.run(select)}

    counts.combined = by_set("(SELECT DISTINCT set, pairs FROM combined)")
    counts.met = by_set("groups")


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
    at = {(shard, place): -alike for _, alike, shard, place, _ in model.clusters}
    records = {(one.shard, one.place): one for one in model.reader.at(at, (model.name,))}
    model.examples = [(records[place], alike) for place, alike in at.items()]
