"""Mutants of a campaign as rows that a person can read, change and run again (see ``by_hand``).

Rows come shard by shard, text by text; nothing larger than the mutants of one text is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.store import CampaignStore, named
from hinter_core.data.handwritten import write_edits
from hinter_core.data.tables import format_of, write_rows
from hinter_core.errors import InputError
from hinter_core.types import Verdict

_FIXED = (
    "row", "id", "label", "source", "mutant", "ask", "edits", "groups", "order", "kept", "why",
)  # fmt: skip
_NUMBERS = {"row": "int64", "order": "int64"}
_OF_MODEL = ("verdict", "answer", "answer to source")


@dataclass(frozen=True)
class ExportFilter:
    """Which mutants: with one of ``verdicts`` of some model, changing exactly ``attributes``.

    Empty: any. ``models``: only these have columns, and a say. ``limit``: at most so many;
    ``parts``: with each, the smaller mutants that it is made of, without which hidden bias cannot
    be told when they are run again (they do not count towards the limit).
    """

    verdicts: tuple[Verdict, ...] = ()
    attributes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    limit: int | None = None
    parts: bool = True


def write_mutants(store: CampaignStore, path: Path, wanted: ExportFilter) -> int:
    """Write mutants to a CSV, TSV, JSONL or Parquet file; returns their number.

    Raises:
        HinterError: no campaign or nothing in it yet, a model that was not asked, a file that is
            there already, of no known format, or that cannot be written.
    """
    kind = format_of(path)
    if kind == "text":
        raise InputError(f"{path}: mutants have columns; use .csv, .tsv, .jsonl or .parquet.")
    if path.exists():
        raise InputError(f"{path} is there already, and may hold work by hand; name another file.")
    models = _models(store, wanted)
    if not store.known():
        raise InputError(f"{store.folder} has no mutants yet; run the campaign first.")
    columns = (*_FIXED, *(f"{what}: {name}" for name in models for what in _OF_MODEL))
    written = 0
    with named(path), write_rows(path, kind, columns, _NUMBERS) as write:
        for row in mutant_rows(store, wanted):
            write(row)
            written += 1
    return written


def mutant_rows(store: CampaignStore, wanted: ExportFilter) -> Iterator[dict[str, Any]]:
    """The mutants as rows; see :data:`_FIXED` for columns, and three for each model.

    Raises:
        HinterError: no campaign, a model that was not asked, or tables that cannot be read.
    """
    left = wanted.limit
    with CampaignReader(store, _models(store, wanted)) as reader:
        for _, group in groupby(reader.records(), key=attrgetter("row")):
            if left == 0:
                return
            chosen, taken = _chosen(list(group), wanted, left)
            left = None if left is None else left - taken
            yield from (_as_row(record, reader.models) for record in chosen)


def _models(store: CampaignStore, wanted: ExportFilter) -> list[str]:
    """The models wanted."""
    asked = list(store.read()["models"])
    for name in wanted.models:
        if name not in asked:
            there = ", ".join(asked) or "none was"
            raise InputError(f"'{name}' was not asked in this campaign; of the models, {there}.")
    return list(wanted.models or asked)


def _chosen(
    mutants: Sequence[MutantRecord], wanted: ExportFilter, left: int | None
) -> tuple[list[MutantRecord], int]:
    """What is taken of one text's mutants, in their order, and how many were wanted themselves."""
    keys = [frozenset(map(_edit_key, mutant.stored_edits)) for mutant in mutants]
    own = [place for place, mutant in enumerate(mutants) if _fits(mutant, wanted)][:left]
    taken = set(own)
    if wanted.parts:
        inside = {
            frozenset(part)
            for place in own
            for size in range(1, len(keys[place]))
            for part in combinations(keys[place], size)
        }
        taken |= {place for place, key in enumerate(keys) if key in inside}
    return [mutants[place] for place in sorted(taken)], len(own)


def _edit_key(edit: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in edit.values())


def _fits(mutant: MutantRecord, wanted: ExportFilter) -> bool:
    if wanted.attributes and sorted(mutant.attributes) != sorted(wanted.attributes):
        return False
    verdicts = {answer.verdict for answer in mutant.answers.values()}
    return not wanted.verdicts or any(verdict.value in verdicts for verdict in wanted.verdicts)


def _as_row(record: MutantRecord, models: Iterable[str]) -> dict[str, Any]:
    edits, groups = write_edits(record.stored_edits)
    row = {
        "row": record.row,
        "id": record.id,
        "label": record.label,
        "source": record.text,
        "mutant": record.mutant,
        "ask": "yes" if record.ask else "",
        "edits": edits,
        "groups": groups,
        "order": record.order,
        "kept": "yes" if record.kept else "no",
        "why": record.reason,
    }
    for name in models:
        answer = record.answers.get(name)
        values: tuple[Any, ...] = ("", "", "")
        if answer:
            values = (
                answer.verdict,
                _written(answer.labels, answer.failure),
                _written(answer.original, answer.original_failure),
            )
        row |= {f"{what}: {name}": v for what, v in zip(_OF_MODEL, values, strict=True)}
    return row


def _written(labels: Sequence[str], failure: str | None) -> str:
    return f"({failure})" if failure else ", ".join(labels)
