"""Find mutants of a campaign by one model's answers, by text, and write mutants to files.

Functions raise StoreError if a table cannot be read or tables do not fit together.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, TextIO

from hinter_core.campaign.parquet import named
from hinter_core.campaign.reader import ANSWER_COLUMNS, MUTANT_COLUMNS, CampaignReader, MutantRecord
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import (
    PLACEBO,
    VALIDITY,
    Attributes,
    edits_to_rows,
    has_placebo,
)
from hinter_core.data.handwritten import write_edits
from hinter_core.data.tables import cell_writer, format_of, write_rows
from hinter_core.errors import InputError
from hinter_core.language.clean import printable
from hinter_core.language.spelling import spelling
from hinter_core.mutation.edits import along_in_words, as_written, changes_in_words
from hinter_core.mutation.lattice import proper_subsets
from hinter_core.types import Failure, Verdict

ONLY_PLACEBO = (PLACEBO,)
_LISTED = 200  # mutants of a group
# What all spellings of these words share, nearly as ``language.spelling`` does.
_SPELLED = (
    "regexp_replace(strip_accents(lower(concat_ws(chr(31), e.source, e.target, e.source_group, "
    "e.target_group))), '[\\p{P}\\p{Z}]', '', 'g')"
)
_ROW = re.compile(r"^(?:row|Zeile)\s+(\d+)$", re.IGNORECASE)  # as findings are named in Results
_SEARCH = f"""(
    contains(replace(lower(t.text), '-', ' '), $plain) OR t.id = $search OR t.row::VARCHAR = $row
    OR (contains(lower(t.id), lower($search)) AND NOT regexp_full_match($search, '[0-9]+'))
    OR contains(replace(lower(coalesce(m.handwritten, '')), '-', ' '), $plain)
    OR len(list_filter(m.edits, lambda e: contains({_SPELLED}, $spelled))) > 0
)"""
AND = " + "
OR = " / "
_NEW = "list_transform(m.edits, lambda e: lower(e.target))"
_OLD = "list_transform(m.edits, lambda e: lower(e.source))"


@dataclass(frozen=True)
class Side:
    """A model in a campaign."""

    store: CampaignStore
    model: str

    @property
    def place(self) -> tuple[str, str]:
        """Key that is equal for equal sides."""
        return str(self.store.folder.resolve()), self.model


def choose_sides(
    first: CampaignStore, second: CampaignStore | None, models: Sequence[str] = ()
) -> tuple[Side, Side]:
    """Return two models of one campaign, or one model each of two campaigns.

    Default: the model that both campaigns tested, or the only two of one campaign. One name with
    two campaigns stands for both.

    Raises:
        HinterError: no campaign, an unknown name, or more than one way to choose.
    """
    if len(models) > 2:
        raise InputError(f"Name one or two models to compare, not {len(models)}.")
    of_first = first.read()["models"]
    if second is None or second.folder.resolve() == first.folder.resolve():
        names = list(models) or list(of_first)
        if len(names) != 2 or names[0] == names[1]:
            raise InputError(
                f"Give a second campaign, or name two models of this one (--model; in Python, "
                f"models): {', '.join(of_first) or 'it has tested none yet'}."
            )
        return _side(first, of_first, names[0]), _side(first, of_first, names[1])
    of_second = second.read()["models"]
    if not models:
        both = [name for name in of_first if name in of_second]
        alone = [*of_first, *of_second] if len(of_first) == len(of_second) == 1 else []
        models = both if len(both) == 1 else alone
    if not models:
        raise InputError(
            "Name the models (--model; in Python, models), once for both or once for each. The "
            f"first campaign tested {', '.join(of_first) or 'none'}, the second "
            f"{', '.join(of_second) or 'none'}."
        )
    return _side(first, of_first, models[0]), _side(second, of_second, models[-1])


def _side(store: CampaignStore, models: Mapping[str, Any], name: str) -> Side:
    if name not in models:
        raise InputError(
            f"{store.folder} has not tested the model {name}; it has tested "
            f"{', '.join(models) or 'none'}."
        )
    return Side(store, name)


@dataclass(frozen=True)
class FindingFilter:
    """A filter; by default all mutants except placebo ones.

    ``verdicts``: any of these. ``attributes``: exactly these are changed, or ``ONLY_PLACEBO``.
    ``search``: part of a changed word in any spelling, a group, the text or a handwritten mutant,
    case-insensitive; or the text's id or row, as ``103`` or ``row 103``; or ``she + nurse``, words
    that are all brought in; or ``Mx / Mx.``, spellings of a word. ``validity``: least validity
    score; tables older than it have 1 for mutants that were kept, else 0. ``orders``: least and
    largest number of changes. ``unasked``: also what a prioritised run did not ask (no verdict).
    """

    verdicts: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    search: str = ""
    validity: float = 0.0
    orders: tuple[int, int] | None = None
    unasked: bool = False

    def sql(self) -> tuple[str, dict[str, Any]]:
        """Return the condition and its parameters, for :meth:`CampaignReader.records`."""
        parameters: dict[str, Any] = {}
        unasked = f" OR a0.failure = '{Failure.NOT_ASKED}'" if self.unasked else ""
        parts = [f"(a0.verdict IS NOT NULL{unasked})"]
        if self.orders:
            parts.append(f"m.n_edits BETWEEN {self.orders[0]} AND {self.orders[1]}")
        if self.verdicts:
            parts.append("list_contains($verdicts, a0.verdict)")
            parameters["verdicts"] = list(self.verdicts)
        if self.attributes in ((), ONLY_PLACEBO):
            parts.append(("" if self.attributes else "NOT ") + has_placebo("m.attributes"))
        else:
            parts.append("list_sort(m.attributes) = $attributes")
            parameters["attributes"] = sorted(self.attributes)
        if self.search:
            together = self.search.lower().split(AND)
            words = {
                f"word{place}": [spelling.strip() for spelling in word.split(OR)]
                for place, word in enumerate(together)
            }
            parameters["search"] = self.search
            parameters["plain"] = self.search.lower().replace("-", " ")
            parameters["spelled"] = spelling(self.search)
            parameters["row"] = _ROW.sub(r"\1", self.search)
            if not (AND in self.search or OR in self.search):
                parts.append(_SEARCH)
            else:
                changed = _NEW if AND in self.search else f"list_concat({_OLD}, {_NEW})"
                every = (f"list_has_any({changed}, ${name})" for name in words)
                parts.append(f"({_SEARCH} OR ({' AND '.join(every)}))")
                parameters |= words
        if self.validity:
            parts.append(f"{VALIDITY} >= $validity")
            parameters["validity"] = self.validity
        return " AND ".join(parts), parameters


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """The matching mutants of one text that change the same attributes.

    ``hidden`` and ``biased`` of ``mutants``; ``places``: those in the shard, hidden ones first.
    """

    shard: int
    row: int
    attributes: Attributes
    mutants: int
    hidden: int
    biased: int
    places: tuple[int, ...]


# Orders of groups; each goes on with their place in the tables.
ORDERS = {
    "hidden": "hidden DESC, biased DESC, ",
    "flips": "hidden + biased DESC, ",
    "validity": "least, ",
    "row": "",
}


def group_findings(
    side: Side, wanted: FindingFilter, order: str = "hidden", start: int = 0, limit: int = 10
) -> tuple[list[FindingGroup], int, int]:
    """Return a page of groups, and the numbers of all groups and of all matching mutants."""
    with _opened(side) as reader:
        matching, parameters = _matching(reader, wanted)
        hidden = f"a0.verdict = '{Verdict.HIDDEN}'"
        sql = (
            "SELECT *, count(*) OVER (), sum(mutants) OVER ()::BIGINT FROM (SELECT m.shard, m.row, "
            f"m.attributes, count(*) AS mutants, count_if({hidden}) AS hidden, "
            f"count_if(a0.verdict = '{Verdict.BIASED}') AS biased, "
            f"list(m.place ORDER BY {hidden} DESC, m.place)[:{_LISTED}], min({VALIDITY}) AS least, "
            f"min(m.place) AS first {matching} GROUP BY m.shard, m.row, m.attributes) "
            f"ORDER BY {ORDERS[order]}shard, row, first LIMIT {limit} OFFSET {start}"
        )
        rows = reader.run(sql, **parameters)
    groups = [
        FindingGroup(shard, row, tuple(names), mutants, hidden, biased, tuple(places))
        for shard, row, names, mutants, hidden, biased, places, *_ in rows
    ]
    total, matching = rows[0][-2:] if rows else (0, 0)
    return groups, total, matching


def _matching(reader: CampaignReader, wanted: FindingFilter) -> tuple[str, dict[str, Any]]:
    """Return what follows SELECT for the matching mutants ``m``, and its parameters."""
    reader.check(reader.shards, (*MUTANT_COLUMNS, "validity"), ANSWER_COLUMNS)
    where, parameters = wanted.sql()
    tables = reader.tables()
    text = f"JOIN ({tables.texts}) t ON t.shard = m.shard AND t.row = m.row"
    return (
        f"FROM ({tables.mutants}) m JOIN ({tables.answers}) a0 USING (shard, place) "
        f"{text if wanted.search else ''} WHERE {where}",
        parameters,
    )


def page_of_findings(
    side: Side, wanted: FindingFilter, start: int, limit: int
) -> tuple[list[MutantRecord], int]:
    """Return up to ``limit`` findings in the order of the tables, and the number of all."""
    with _opened(side) as reader:
        matching, parameters = _matching(reader, wanted)
        ((total,),) = reader.run(f"SELECT count(*) {matching}", **parameters)
        places = reader.run(
            f"SELECT m.shard, m.place {matching} ORDER BY ALL LIMIT {limit} OFFSET {start}",
            **parameters,
        )
        return list(reader.at(places)), total


def findings_of(side: Side, groups: Sequence[FindingGroup], limit: int) -> list[list[MutantRecord]]:
    """Return the first mutants of each group, up to ``limit``."""
    places = [(one.shard, place) for one in groups for place in one.places[:limit]]
    with _opened(side) as reader:
        records = {(one.shard, one.place): one for one in reader.at(places)}
    return [[records[one.shard, place] for place in one.places[:limit]] for one in groups]


def find(side: Side, shard: int, place: int) -> MutantRecord | None:
    """Return the mutant at a place of a shard, or None."""
    with _opened(side) as reader:
        return next(reader.at([(shard, place)]), None)


def write_findings(side: Side, wanted: FindingFilter, stream: TextIO) -> None:
    """Write all findings as CSV."""
    write = cell_writer(stream)
    write(COLUMNS)
    with _opened(side) as reader:
        for finding in reader.records(None, *wanted.sql()):
            write(_cells(finding))


def _opened(side: Side) -> CampaignReader:
    return CampaignReader(side.store, (side.model,))


COLUMNS = (
    "model", "row", "id", "verdict", "grade", "order", "attributes", "change", "from", "to",
    "original answer", "answer", "shift", "interaction", "validity", "soft", "unfair", "reason",
    "mutant", "across people", "along",
)  # fmt: skip


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _cells(finding: MutantRecord) -> list[Any]:
    edits = finding.edits
    return [
        finding.model, finding.row, finding.id, finding.verdict, finding.answer.grade, len(edits),
        ", ".join(finding.attributes),
        changes_in_words(edits),
        ", ".join(edit.source.group for edit in edits),
        ", ".join(edit.target.group for edit in edits),
        ", ".join(finding.original), ", ".join(finding.labels or ()),
        finding.answer.shift, finding.answer.interaction, round(finding.validity, 3),
        _rounded(finding.soft), _rounded(finding.unfair), finding.why, finding.mutant,
        _yes(finding.across_people), along_in_words(finding.made),
    ]  # fmt: skip


_FIXED = (
    "row", "id", "label", "source", "mutant", "ask", "edits", "groups", "order", "kept", "why",
    "validity", "soft", "unfair", "across people",
)  # fmt: skip
_NUMBERS = {
    "row": "int64",
    "order": "int64",
    **dict.fromkeys(("validity", "soft", "unfair"), "float64"),
}
_OF_MODEL = ("verdict", "answer", "answer to source")


@dataclass(frozen=True)
class ExportFilter:
    """A filter of mutants; by default all.

    ``verdicts``: of any model. ``attributes``: exactly these are changed. ``models``: only these
    have columns and are filtered by. ``limit``: maximum number of mutants. ``parts``: include the
    smaller mutants that each contains, which do not count towards the limit; hidden bias can only
    be recognised with them. ``validity``: least validity score.
    """

    verdicts: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    limit: int | None = None
    parts: bool = True
    validity: float = 0.0


def write_mutants(store: CampaignStore, path: Path, wanted: ExportFilter) -> int:
    """Write mutants to a CSV, TSV, JSONL or Parquet file; return their number.

    Raises:
        HinterError: no campaign, no mutants, or an untested model; or the file exists, has no known
            format, or cannot be written.
    """
    kind = format_of(path)
    if kind == "text":
        raise InputError(f"{path}: mutants have columns; use .csv, .tsv, .jsonl or .parquet.")
    if path.exists():
        raise InputError(f"{path} already exists and may hold edits by hand; name another file.")
    models = tested_models(store, wanted.models)
    columns = (*_FIXED, *(f"{what}: {name}" for name in models for what in _OF_MODEL))
    written = 0
    with named(path), write_rows(path, kind, columns, _NUMBERS) as write:
        for chosen in _by_text(store, models, wanted):
            for record in chosen:
                write(dict(zip(columns, _values(record, models), strict=True)))
            written += len(chosen)
    return written


def _by_text(
    store: CampaignStore, models: Sequence[str], wanted: ExportFilter
) -> Iterator[list[MutantRecord]]:
    """Yield the chosen mutants of one text after the other."""
    if not store.known():
        raise InputError(f"{store.folder} has no mutants yet; run the campaign first.")
    left = wanted.limit
    with CampaignReader(store, models) as reader:
        for _, group in groupby(reader.records(), key=attrgetter("row")):
            if left == 0:
                break
            chosen, taken = _chosen(list(group), wanted, left)
            left = None if left is None else left - taken
            if chosen:
                yield chosen


def write_log(
    store: CampaignStore, stream: TextIO, wanted: ExportFilter, names: Mapping[str, str]
) -> None:
    """Write each text with its mutants, a line for each mutant and model, by its short name.

    A line that begins with ``#`` is a text, or a model's answer to it. The others have six columns,
    separated by tabs: row, model, verdict, answers before and after (or the reason why there is
    none), changes, mutant.

    Raises:
        HinterError: no campaign, no mutants, or an untested model.
    """
    models = tested_models(store, wanted.models)
    for chosen in _by_text(store, models, wanted):
        first = chosen[0]
        label = f", label {first.label}" if first.label else ""
        stream.write(printable(f"# row {first.row}, id {first.id}{label}: {first.text}") + "\n")
        for name, answer in first.answers.items():
            said = _written(answer.original, answer.original_failure) or NO_LABEL
            stream.write(printable(f"# {names[name]}: {said}") + "\n")
        for record in chosen:
            for cells in _log_lines(record, names):
                stream.write("\t".join(map(printable, cells)) + "\n")


NO_LABEL = "no label"


def _log_lines(record: MutantRecord, names: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of a mutant's lines, one for each model that was tested on its shard."""
    changes, mutant = write_edits(edits_to_rows(as_written(record.edits)))[0], record.mutant
    for name, answer in record.answers.items():
        before, after = (
            _written(labels, failure) or NO_LABEL
            for labels, failure in (
                (answer.original, answer.original_failure), (answer.labels, answer.failure),
            )
        )  # fmt: skip
        said = f"{before} -> {after}" if record.kept else f"discarded: {record.reason}"
        yield str(record.row), names[name], answer.verdict or "", said, changes, mutant


def tested_models(store: CampaignStore, names: Sequence[str]) -> list[str]:
    """Return the tested models, or only those named.

    Raises:
        HinterError: no campaign, or a model that was not tested in it.
    """
    models = list(store.read()["models"])
    for name in names:
        if name not in models:
            known = ", ".join(models) or "none"
            raise InputError(f"'{name}' was not tested in this campaign; its models: {known}.")
    return list(dict.fromkeys(names)) or models


def one_model(store: CampaignStore, name: str) -> str:
    """Return the name of a tested model; by default the first.

    Raises:
        HinterError: no campaign, or a model that was not tested in it.
    """
    tested = list(store.read()["models"])
    chosen = name or next(iter(tested), "")
    if chosen not in tested:
        raise InputError(
            f"{store.folder} has no answers of '{chosen}'; it has those of "
            f"{', '.join(tested) or 'no model'}."
        )
    return chosen


def _chosen(
    mutants: Sequence[MutantRecord], wanted: ExportFilter, left: int | None
) -> tuple[list[MutantRecord], int]:
    """Return the mutants of one text to export, and the number that match the filter."""
    keys = [frozenset(map(_edit_key, mutant.stored_edits)) for mutant in mutants]
    matching = [place for place, mutant in enumerate(mutants) if _fits(mutant, wanted)][:left]
    taken = set(matching)
    if wanted.parts:
        inside = {frozenset(part) for place in matching for part in proper_subsets(keys[place])}
        taken |= {place for place, key in enumerate(keys) if key in inside}
    return [mutants[place] for place in sorted(taken)], len(matching)


def _edit_key(edit: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what an edit does alone, equal in a mutant and in its parts."""
    return tuple(
        tuple(value) if isinstance(value, list) else value
        for name, value in edit.items()
        if name != "joint"
    )


def _fits(mutant: MutantRecord, wanted: ExportFilter) -> bool:
    if wanted.attributes and sorted(mutant.attributes) != sorted(wanted.attributes):
        return False
    if mutant.validity < wanted.validity:
        return False
    verdicts = (answer.verdict for answer in mutant.answers.values())
    return not wanted.verdicts or any(verdict in wanted.verdicts for verdict in verdicts)


def _values(record: MutantRecord, models: Iterable[str]) -> list[Any]:
    values = [
        record.row, record.id, record.label, record.text, record.mutant,
        "yes" if record.ask else "", *write_edits(record.stored_edits), record.order,
        _yes(record.kept), record.reason, round(record.validity, 3), _rounded(record.soft),
        _rounded(record.unfair), _yes(record.across_people),
    ]  # fmt: skip
    for name in models:
        if answer := record.answers.get(name):
            labels = _written(answer.labels, answer.failure)
            of_source = _written(answer.original, answer.original_failure)
            values += [answer.verdict, labels, of_source]
        else:
            values += [""] * len(_OF_MODEL)
    return values


def _yes(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _written(labels: Sequence[str], failure: str | None) -> str:
    return f"({failure})" if failure else ", ".join(labels)
