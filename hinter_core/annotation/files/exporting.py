"""Export a project's items, judgements and decisions in any known format; import reads them again.

Rows are flat: one per judgement with its item, one with the owner's decisions on an item, or one
per item without either. Parquet and data sets hold the settings and questions, too, and an archive
the whole project.
"""

import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from hinter_core.annotation.evaluation.answers import majority_judgements
from hinter_core.annotation.files.archive import ARCHIVE, SETTINGS, archived
from hinter_core.annotation.files.columns import ANSWER
from hinter_core.annotation.files.platforms import argilla_of, labelling_config, tasks_of
from hinter_core.annotation.files.rows import DECIDED
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import AnnotationItem, Judgement, Project, as_json
from hinter_core.data.tables import encoding_of, parquet_rows, row_writer
from hinter_core.errors import InputError
from hinter_core.report.section import gathered
from hinter_core.storage import write_whole

_TYPES = {
    **dict.fromkeys(("kept", "across_people"), "bool"),
    **dict.fromkeys(("validity", "soft", "unfair", "weight", "seconds"), "float64"),
    "showing": "int64",
}
_Rows = Sequence[Mapping[str, Any]]


@dataclass
class Exported:
    """What to export.

    ``history``: also corrected and withdrawn judgements. ``anonymous``: annotators are numbers, in
    the order of joining. ``items_only``: no judgements. ``consensus``: one judgement per item, the
    majority or adjudicated answers, by the annotator ``consensus``.

    Raises:
        InputError: a consensus with its history, or without judgements.
    """

    store: AnnotationStore
    history: bool = False
    anonymous: bool = False
    items_only: bool = False
    consensus: bool = False
    project: Project = field(init=False)

    def __post_init__(self) -> None:
        if self.consensus and (self.history or self.items_only):
            raise InputError(
                "A consensus has no history and needs judgements; choose only one of these options."
            )
        self.project = self.store.project()

    def columns(self) -> list[str]:
        """Return the columns of :meth:`rows`."""
        return list(self._row(AnnotationItem("", "")))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield rows by column, with lists and objects as they are."""
        judged = gathered(() if self.items_only else self._judgements(), attrgetter("item"))
        people = [] if self.consensus else self.store.annotators()
        number = {person.name: n for n, person in enumerate(people, 1)}
        known = {person.name: person for person in people}
        decisions = self._decisions()
        for item in self.store.items():
            for judgement in judged.get(item.id, []):
                row, person = self._row(item, judgement), known.get(judgement.annotator)
                if person and self.anonymous:
                    # The reason may name the person.
                    row |= {
                        "annotator": f"annotator {number[person.name]}",
                        "annotator_excluded": "excluded" if person.excluded else "",
                    }
                elif person:
                    row |= {
                        "annotator_excluded": person.excluded,
                        "annotator_entry": person.entry if person.entry != "{}" else "",
                    }
                yield row
            if item.id in decisions:
                decided = {f"{ANSWER}{name}": value for name, value in decisions[item.id].items()}
                yield self._row(item) | {"status": DECIDED} | decided
            elif item.id not in judged:
                yield self._row(item)

    def _decisions(self) -> dict[str, dict[str, str]]:
        """Return the owner's decisions by item and question; a consensus holds them already."""
        decisions: dict[str, dict[str, str]] = {}
        if not (self.items_only or self.consensus):
            for (item, question), value in self.store.adjudications().items():
                decisions.setdefault(item, {})[question] = value
        return decisions

    def _judgements(self) -> Iterable[Judgement]:
        every = self.store.judgements(history=self.history, excluded=not self.consensus)
        if not self.consensus:
            return every
        return majority_judgements(list(every), self.store.adjudications())

    def _row(self, item: AnnotationItem, one: Judgement | None = None) -> dict[str, Any]:
        row = item.to_row()
        row = {"item": row.pop("id"), "source": row.pop("source"), **row}
        if self.items_only:
            return row
        answers = one.answers if one else {}
        return row | {
            "annotator": one.annotator if one else "",
            "showing": one.showing if one else None,
            "status": one.status.value if one else "",
            **{f"{ANSWER}{q.id}": answers.get(q.id, "") for q in self.project.questions},
            "comment": one.comment if one else "",
            "seconds": one.seconds if one else None,
            "at": one.at if one else "",
            "annotator_excluded": "",
            "annotator_entry": "",
        }


@dataclass(frozen=True, slots=True)
class Format:
    """A format of exports.

    ``ending``: of its files, "" for a folder; a name that could be of several is of the first.
    ``files``: returns the content by what follows the given name, "" or more. ``history``: there is
    a place for corrected and withdrawn judgements. ``whole``: it holds all of a project, so that
    only the names may be left out.
    """

    ending: str
    files: Callable[[Exported, _Rows], dict[str, bytes]]
    history: bool = True
    whole: bool = False


def export_file(wanted: Exported, path: Path, kind: str = "") -> int:
    """Write a file, or a folder for ``dataset``; return the number of rows.

    Raises:
        InputError: the format is unknown or cannot hold a history; the file exists, or cannot be
            written.
    """
    kind = kind or _format_by_name(path)
    if kind not in FORMATS:
        raise InputError(f"There is no format '{kind}'; use {', '.join(FORMATS)}.")
    if wanted.history and not wanted.items_only and not FORMATS[kind].history:
        able = ", ".join(name for name, one in FORMATS.items() if one.history)
        raise InputError(f"{kind} holds no history; use one of {able}.")
    if FORMATS[kind].whole:
        if wanted.consensus or wanted.items_only:
            raise InputError(f"{ARCHIVE} holds the whole project; choose another format.")
        wanted = replace(wanted, history=True)
    if path.exists():
        raise InputError(f"{path} already exists; choose another name.")
    rows = list(wanted.rows())
    try:
        for more, content in FORMATS[kind].files(wanted, rows).items():
            file = Path(f"{path}{more}")
            if not FORMATS[kind].ending:
                file.parent.mkdir(parents=True, exist_ok=True)
            with write_whole(file) as part:
                part.write_bytes(gzip.compress(content) if file.suffix == ".gz" else content)
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror or error}.") from error
    return len(rows)


def _format_by_name(path: Path) -> str:
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    kind = next((name for name, one in FORMATS.items() if one.ending == ending), "")
    if not kind:
        endings = dict.fromkeys(one.ending for one in FORMATS.values() if one.ending)
        raise InputError(
            f"{path} is of no known format; end it in {', '.join(endings)}, or give --format "
            f"({', '.join(FORMATS)})."
        )
    return kind


def _label_studio(wanted: Exported, rows: _Rows) -> dict[str, bytes]:
    """Return the tasks, and the configuration that shows them."""
    tasks = json.dumps(tasks_of(rows), ensure_ascii=False, indent=1) + "\n"
    return {"": tasks.encode(), ".xml": labelling_config(wanted.project).encode()}


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(as_json(row) + "\n" for row in rows).encode()


def _table(wanted: Exported, rows: _Rows, kind: str) -> bytes:
    columns, buffer = wanted.columns(), io.StringIO()
    # With "\n" alone as the end of a line, a cell with "\r" in it would stand without quotes.
    write = row_writer(buffer, kind, columns, "\r\n")
    for row in rows:
        kept = {True: "yes", False: "no"}.get(row["kept"])
        write(_flat(row) | {"kept": kept})
    return buffer.getvalue().encode(encoding_of(f".{kind}"))


def _parquet(wanted: Exported, rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Return a Parquet file, whose columns have the same types whatever the rows hold."""
    buffer = io.BytesIO()
    settings = {SETTINGS: wanted.project.to_json()}
    with parquet_rows(buffer, wanted.columns(), _TYPES, settings) as write:
        for row in rows:
            write(_flat(row))
    return buffer.getvalue()


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose lists and objects are strings, for tables."""
    flat, names = dict(row), row["attributes"]
    sums = all(name == name.strip() and name and not set(name) & set("+,;[") for name in names)
    flat["attributes"] = "+".join(names) if sums else as_json(names)
    for name in ("edits", "verdicts", "origin"):
        flat[name] = as_json(flat[name]) if flat[name] else ""
    return flat


def folder_files(wanted: Exported, rows: _Rows) -> dict[str, bytes]:
    """Return the files of a data set that ``datasets.load_dataset`` reads, by path, with a card."""
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
    return {"README.md": card.encode(), "data/train.parquet": _parquet(wanted, rows)}


_EACH_JUDGEMENT = (
    "Each row is one\njudgement with its item; `showing` 2 is a hidden repeat for the same person."
)
_EACH_CONSENSUS = (
    "Each row is one\nitem with its accepted answers: the owner's decision, else the majority; "
    "`comment` has the counts."
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

Judgements of mutants by people: {rows} rows about {items} items, exported from HInter. {each} Texts
may name groups of people.

Questions:

{questions}
"""

FORMATS = {
    "csv": Format(".csv", lambda wanted, rows: {"": _table(wanted, rows, "csv")}),
    "tsv": Format(".tsv", lambda wanted, rows: {"": _table(wanted, rows, "tsv")}),
    "jsonl": Format(".jsonl", lambda _, rows: {"": _lines(rows)}),
    "parquet": Format(".parquet", lambda wanted, rows: {"": _parquet(wanted, rows)}),
    "label-studio": Format(".json", _label_studio, history=False),
    "argilla": Format(".jsonl", lambda _, rows: {"": _lines(argilla_of(rows))}, history=False),
    "project": Format(
        ARCHIVE,
        lambda wanted, _: {"": archived(wanted.store, anonymous=wanted.anonymous)},
        whole=True,
    ),
    "dataset": Format(
        "", lambda wanted, rows: {f"/{n}": c for n, c in folder_files(wanted, rows).items()}
    ),
}
