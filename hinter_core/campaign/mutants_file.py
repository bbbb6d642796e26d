"""Export mutants to a file that people can edit and test again.

Only the mutants of one text are in memory at a time.
"""

from collections.abc import Iterable, Mapping, Sequence
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
    """A filter of mutants; by default all.

    ``verdicts``: of any model. ``attributes``: exactly these are changed. ``models``: only these
    have columns and are filtered by. ``limit``: maximum number of mutants. ``parts``: include the
    smaller mutants that each contains, which do not count towards the limit; hidden bias can only
    be recognised with them.
    """

    verdicts: tuple[Verdict, ...] = ()
    attributes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    limit: int | None = None
    parts: bool = True


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
    models = _models(store, wanted)
    if not store.known():
        raise InputError(f"{store.folder} has no mutants yet; run the campaign first.")
    columns = (*_FIXED, *(f"{what}: {name}" for name in models for what in _OF_MODEL))
    written, left = 0, wanted.limit
    with (
        named(path),
        write_rows(path, kind, columns, _NUMBERS) as write,
        CampaignReader(store, models) as reader,
    ):
        for _, group in groupby(reader.records(), key=attrgetter("row")):
            if left == 0:
                break
            chosen, taken = _chosen(list(group), wanted, left)
            left = None if left is None else left - taken
            for record in chosen:
                write(_as_row(record, models))
            written += len(chosen)
    return written


def _models(store: CampaignStore, wanted: ExportFilter) -> list[str]:
    asked = list(store.read()["models"])
    for name in wanted.models:
        if name not in asked:
            known = ", ".join(asked) or "none"
            raise InputError(f"'{name}' was not tested in this campaign; its models: {known}.")
    return list(wanted.models or asked)


def _chosen(
    mutants: Sequence[MutantRecord], wanted: ExportFilter, left: int | None
) -> tuple[list[MutantRecord], int]:
    """Return the mutants of one text to export, and how many of them match the filter."""
    keys = [frozenset(map(_edit_key, mutant.stored_edits)) for mutant in mutants]
    matching = [place for place, mutant in enumerate(mutants) if _fits(mutant, wanted)][:left]
    taken = set(matching)
    if wanted.parts:
        inside = {
            frozenset(part)
            for place in matching
            for size in range(1, len(keys[place]))
            for part in combinations(keys[place], size)
        }
        taken |= {place for place, key in enumerate(keys) if key in inside}
    return [mutants[place] for place in sorted(taken)], len(matching)


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
        values = (
            answer.verdict if answer else "",
            _written(answer.labels, answer.failure) if answer else "",
            _written(answer.original, answer.original_failure) if answer else "",
        )
        row |= {f"{what}: {name}": v for what, v in zip(_OF_MODEL, values, strict=True)}
    return row


def _written(labels: Sequence[str], failure: str | None) -> str:
    return f"({failure})" if failure else ", ".join(labels)
