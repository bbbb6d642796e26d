"""Mutants of a campaign as rows that a person can read, change and run again (see ``by_hand``).

Rows come shard by shard, text by text; nothing larger than the mutants of one text is held.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from hinter_core.campaign.schema import plan_from_row, stored_follow_up
from hinter_core.campaign.store import (
    TESTED,
    CampaignStore,
    StoreError,
    named,
    read_batches,
    read_table,
)
from hinter_core.data.handwritten import write_edits
from hinter_core.data.records import format_of
from hinter_core.data.tables import write_rows
from hinter_core.errors import InputError
from hinter_core.mutation.plan import Settings
from hinter_core.pipeline.case import TestCase
from hinter_core.types import Verdict

_BATCH = 2048
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
    models, left = _models(store, wanted), wanted.limit
    for shard in store.known():
        texts = {
            text["row"]: text
            for text in read_table(store.texts(shard)).to_pylist()
            if text["outcome"] == TESTED
        }
        originals: dict[tuple[int, str], str] = {}
        joined = _joined(store, shard, models, originals)
        for row, group in groupby(joined, key=itemgetter("row")):
            if left == 0:
                return
            chosen, taken = _chosen(list(group), wanted, list(models), left)
            left = None if left is None else left - taken
            yield from _as_rows(texts[row], chosen, list(models), originals)


def _models(store: CampaignStore, wanted: ExportFilter) -> dict[str, str]:
    """Identities of the models wanted, by name."""
    asked = {name: model["identity"] for name, model in store.read()["models"].items()}
    for name in wanted.models:
        if name not in asked:
            there = ", ".join(asked) or "none was"
            raise InputError(f"'{name}' was not asked in this campaign; of the models, {there}.")
    return {name: asked[name] for name in wanted.models or asked}


def _joined(
    store: CampaignStore,
    shard: int,
    models: Mapping[str, str],
    originals: dict[tuple[int, str], str],
) -> Iterator[dict[str, Any]]:
    """Mutants of a shard with each model's answer, if there is one; in the order of the table."""
    answers: dict[str, Iterator[Mapping[str, Any]]] = {}
    for name, identity in models.items():
        path = store.answers(shard, identity)
        if path.exists():
            answers[name] = _answers(path, name, originals)
    for batch in read_batches(store.mutants(shard), (), _BATCH):
        for mutant in batch.to_pylist():
            mutant["answers"] = {name: next(stream, None) for name, stream in answers.items()}
            if any(
                answer is None or answer["row"] != mutant["row"]
                for answer in mutant["answers"].values()
            ):
                name = store.mutants(shard).name
                raise StoreError(f"Answers do not fit {name}; hinter verify says which.")
            yield mutant


def _answers(
    path: Path, name: str, originals: dict[tuple[int, str], str]
) -> Iterator[Mapping[str, Any]]:
    """Answers to mutants; those to the unchanged texts are noted on the way."""
    columns = ("row", "mutant", "verdict", "labels", "failure")
    for batch in read_batches(path, columns, _BATCH):
        for answer in batch.to_pylist():
            if answer["mutant"] < 0:
                originals[answer["row"], name] = _said(answer)
            else:
                yield answer


def _said(answer: Mapping[str, Any]) -> str:
    if answer["failure"]:
        return f"({answer['failure']})"
    return ", ".join(answer["labels"])


def _chosen(
    mutants: Sequence[dict[str, Any]], wanted: ExportFilter, models: Sequence[str], left: int | None
) -> tuple[list[dict[str, Any]], int]:
    """What is taken of one text's mutants, in their order, and how many were wanted themselves."""
    keys = [frozenset(map(_edit_key, mutant["edits"])) for mutant in mutants]
    own = [place for place, mutant in enumerate(mutants) if _fits(mutant, wanted, models)][:left]
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
    return tuple(tuple(v) if isinstance(v, list) else v for v in edit.values())


def _fits(mutant: Mapping[str, Any], wanted: ExportFilter, models: Sequence[str]) -> bool:
    attributes = sorted(edit["attribute"] for edit in mutant["edits"])
    if wanted.attributes and attributes != sorted(wanted.attributes):
        return False
    verdicts = {mutant["answers"][name]["verdict"] for name in models if name in mutant["answers"]}
    return not wanted.verdicts or any(verdict.value in verdicts for verdict in wanted.verdicts)


def _as_rows(
    text: Mapping[str, Any],
    mutants: Sequence[Mapping[str, Any]],
    models: Sequence[str],
    originals: Mapping[tuple[int, str], str],
) -> Iterator[dict[str, Any]]:
    case = TestCase(plan_from_row(text, Settings()), number=text["row"])
    for mutant in mutants:
        edits, groups = write_edits(mutant["edits"])
        row = {
            "row": text["row"],
            "id": text["id"],
            "label": text["label"],
            "source": text["text"],
            "mutant": stored_follow_up(mutant, case).mutant.text,
            "ask": "yes" if mutant.get("ask") else "",
            "edits": edits,
            "groups": groups,
            "order": mutant["order"],
            "kept": "yes" if mutant["kept"] else "no",
            "why": mutant["reason"],
        }
        for name in models:
            answer = mutant["answers"].get(name)
            values = (
                (answer["verdict"], _said(answer), originals.get((text["row"], name), ""))
                if answer
                else ("", "", "")
            )
            row |= {f"{what}: {name}": v for what, v in zip(_OF_MODEL, values, strict=True)}
        yield row
