"""A project's items and judgements as rows, and in a file of any known format.

What is exported can be imported again. Rows are flat: one a judgement with its item, or one an item
that nobody has judged.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hinter_core.annotation.evaluation.ratings import majority_judgements
from hinter_core.annotation.files.argilla import argilla_of
from hinter_core.annotation.files.columns import ANSWER
from hinter_core.annotation.files.label_studio import labelling_config, tasks_of
from hinter_core.annotation.project.coding import item_to_json
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import AnnotationItem, Judgement, Project
from hinter_core.data.tables import parquet_rows, row_writer
from hinter_core.errors import InputError
from hinter_core.storage import write_whole

FORMATS = ("csv", "tsv", "jsonl", "parquet", "label-studio", "argilla", "dataset")
_NATIVE = ("jsonl", "label-studio", "argilla")  # that hold lists and objects as they are
_JUDGEMENT = ("annotator", "showing", "status")
_REST = ("comment", "seconds", "at")
_TYPES = {"kept": "bool", "weight": "float64", "seconds": "float64", "showing": "int64"}
_ENDINGS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".parquet": "parquet",
            ".json": "label-studio"}  # fmt: skip


class Exported:
    """What to export: ``history`` has every row ever written and not only those that count.

    ``anonymous``: annotators are numbers, in the order in which they joined. ``items_only``:
    nothing of what was judged. ``consensus``: of each item what stands, as if one annotator
    named ``consensus`` had said it: the owner's decision, else what most said.

    Raises:
        InputError: a consensus is wanted with its history, or without judgements.
    """

    def __init__(
        self, store: AnnotationStore, *, history: bool = False, anonymous: bool = False,
        items_only: bool = False, consensus: bool = False,
    ) -> None:  # fmt: skip
        if consensus and (history or items_only):
            raise InputError(
                "A consensus goes with neither the history nor items alone; ask for one of them."
            )
        self.project: Project = store.project()
        self._store, self._history, self._items_only = store, history, items_only
        self.consensus = consensus
        people = store.annotators() if anonymous and not consensus else []
        self._numbers = {person.name: f"annotator {n}" for n, person in enumerate(people, 1)}

    @property
    def history(self) -> bool:
        """Whether every row is wanted."""
        return self._history and not self._items_only

    def columns(self) -> list[str]:
        """The names of the columns of :meth:`rows`."""
        of_item = list(_item_values(AnnotationItem("", "")))
        if self._items_only:
            return of_item
        answers = [f"{ANSWER}{question.id}" for question in self.project.questions]
        return [*of_item, *_JUDGEMENT, *answers, *_REST]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Rows by column, with lists and objects as they are."""
        judged: dict[str, list[Judgement]] = {}
        if not self._items_only:
            for judgement in self._judgements():
                judged.setdefault(judgement.item, []).append(judgement)
        for item in self._store.items():
            values = _item_values(item)
            for judgement in judged.get(item.id, ()):
                yield values | self._judged(judgement)
            if item.id not in judged:
                yield values if self._items_only else values | self._unjudged()

    def _judgements(self) -> Iterable[Judgement]:
        every = self._store.judgements(history=self._history)
        if not self.consensus:
            return every
        return majority_judgements(list(every), self._store.adjudications())

    def _judged(self, judgement: Judgement) -> dict[str, Any]:
        answers = {
            f"{ANSWER}{q.id}": judgement.answers.get(q.id, "") for q in self.project.questions
        }
        return {
            "annotator": self._numbers.get(judgement.annotator, judgement.annotator),
            "showing": judgement.showing, "status": judgement.status.value, **answers,
            "comment": judgement.comment, "seconds": judgement.seconds, "at": judgement.at,
        }  # fmt: skip

    def _unjudged(self) -> dict[str, Any]:
        names = [
            name for name in self.columns() if name not in _item_values(AnnotationItem("", ""))
        ]
        return dict.fromkeys(names, "") | {"showing": None, "seconds": None}


def _item_values(item: AnnotationItem) -> dict[str, Any]:
    values = item_to_json(item)
    return {"item": values.pop("id"), "source": values.pop("source"), **values}


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with lists and objects as words, for tables of cells."""
    plain = dict(row)
    names = plain["attributes"]
    sums = all(name == name.strip() and name and not set(name) & set("+,;[") for name in names)
    plain["attributes"] = "+".join(names) if sums else json.dumps(names, ensure_ascii=False)
    for name in ("edits", "verdicts", "origin"):
        plain[name] = json.dumps(plain[name], ensure_ascii=False) if plain[name] else ""
    return plain


def format_by_name(path: Path) -> str:
    """The format that a file's name asks for.

    Raises:
        InputError: it asks for none.
    """
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if not suffixes:
        return "dataset"
    if suffixes[-1] not in _ENDINGS:
        raise InputError(
            f"{path} is of no known format; end it in {', '.join(_ENDINGS)}, or give --format "
            f"({', '.join(FORMATS)})."
        )
    return _ENDINGS[suffixes[-1]]


def export_file(wanted: Exported, path: Path, kind: str = "") -> int:
    """Write a file, or a folder for ``dataset``; returns the number of rows.

    Raises:
        InputError: the format is unknown, cannot hold what is wanted, or the file is there or
            cannot be written.
    """
    kind = kind or format_by_name(path)
    if kind not in FORMATS:
        raise InputError(f"There is no format '{kind}'; use {', '.join(FORMATS)}.")
    if wanted.history and kind in ("label-studio", "argilla"):
        raise InputError(f"{kind} holds no history; use csv, jsonl, parquet or dataset.")
    if path.exists():
        raise InputError(f"{path} is there already; choose another name.")
    rows = list(wanted.rows())
    try:
        if kind == "dataset":
            write_folder(wanted, rows, path)
        else:
            _write(path, _encoded(wanted, rows, kind))
            if kind == "label-studio":
                _write(
                    path.with_name(f"{path.name}.xml"), labelling_config(wanted.project).encode()
                )
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror or error}.") from error
    return len(rows)


def _write(path: Path, content: bytes) -> None:
    """A whole file or none."""
    with write_whole(path) as part:
        part.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def _encoded(wanted: Exported, rows: Sequence[Mapping[str, Any]], kind: str) -> bytes:
    if kind == "parquet":
        return parquet_of(wanted.columns(), rows)
    if kind in ("csv", "tsv"):
        return _cells(wanted.columns(), rows, kind).encode()
    if kind == "label-studio":
        return (json.dumps(tasks_of(rows), ensure_ascii=False, indent=1) + "\n").encode()
    lines: Iterable[Mapping[str, Any]] = argilla_of(rows) if kind == "argilla" else rows
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def _cells(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], kind: str) -> str:
    buffer = io.StringIO()
    # With "\n" alone as the end of a line, a cell with "\r" in it would stand without quotes.
    write = row_writer(buffer, kind, columns, "\r\n")
    for row in rows:
        write({name: _cell(value) for name, value in flat(row).items()})
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value


def parquet_of(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as a Parquet file; the types of its columns are the same whatever the rows hold."""
    buffer = io.BytesIO()
    with parquet_rows(buffer, columns, _TYPES) as write:
        for row in rows:
            write(flat(row))
    return buffer.getvalue()


def write_folder(wanted: Exported, rows: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """A folder that ``datasets.load_dataset`` reads, with a card."""
    for name, content in folder_files(wanted, rows).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, content)


def folder_files(wanted: Exported, rows: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
    """The files of a data set by their path in it."""
    card = _CARD.format(
        name=" ".join(wanted.project.name.split()),
        rows=len(rows),
        items=len({row["item"] for row in rows}),
        each=_EACH_CONSENSUS if wanted.consensus else _EACH_JUDGEMENT,
        questions="\n".join(
            f"- `{ANSWER}{q.id}`: {' '.join(q.ask.split())} ({', '.join(q.values)})"
            for q in wanted.project.questions
        ),
    )
    return {
        "README.md": card.encode(),
        "data/train.parquet": parquet_of(wanted.columns(), rows),
    }


_EACH_JUDGEMENT = (
    "Each row is one\njudgement with its item; `showing` 2 is a hidden repeat for the same person."
)
_EACH_CONSENSUS = (
    "Each row is one\nitem with what stands of it: the owner's decision, else what most said, with "
    "the votes as `comment`."
)
_CARD = """---
configs:
  - config_name: default
    data_files: data/train.parquet
tags:
  - annotation
  - fairness
---
# {name}

What people said of mutants: {rows} rows about {items} items, exported from HInter. {each} Texts may
name groups of people.

Questions:

{questions}
"""
