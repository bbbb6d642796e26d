"""Define the views of a campaign's tables: columns, descriptions and SQL."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hinter_core.campaign.store import alike

Attributes = tuple[str, ...]
PLACEBO = "placebo"  # attributes of neutral changes begin with it


@dataclass(frozen=True)
class TableView:
    """A view: the meaning of a row and of each column."""

    row: str
    columns: Mapping[str, str]


_PLACE = {
    "shard": "number of the file that holds it",
    "place": "index of the mutant in its shard, from 0",
    "row": "row of the text in the data, from 1",
}
_ANSWER = {
    "labels": "labels that the model gave (list)",
    "scores": "score by label (map)",
    "failure": "why there is no usable answer",
    "detail": "details of the failure",
    "reply": "what a language model wrote",
}
_JUDGED = {
    "verdict": "benign, biased, hidden, discarded or unanswered",
    "changed": "whether the answer differs from the answer to the unchanged text",
    "shift": "change of the predicted label's score",
    "margin": "distance to another answer",
    "interaction": "effect of the combination beyond its parts",
}
_EDIT = {
    "attribute": "sensitive attribute, or placebo-N for a neutral change",
    "source": "word replaced",
    "target": "word put in its place",
    "source_group": "group of the word replaced",
    "target_group": "group of the new word",
    "form": "grammatical form of both words",
    "spans": "begin and end of every occurrence in the text (flat list)",
    "kind": "kind of change; NULL and substitute: replacement",
    "texts": "for other kinds: the new text at each place (list)",
}
_MUTANT = {
    "attributes": "attributes changed (list)",
    "n_edits": "number of changes: 1 is atomic, 2 and more are intersectional",
    "kept": "whether the invariant kept the mutant",
    "layer": "layer of the invariant that discarded it",
    "reason": "why it was discarded",
    "handwritten": "text of a handwritten mutant; other texts follow from their edits",
}
_TEXT = {
    "id": "id of the row, from the data",
    "label": "label of the row, from the data",
    "text": "the unchanged text",
}
VIEWS = {
    "texts": TableView(
        "a row of the data",
        {
            "shard": _PLACE["shard"],
            "row": _PLACE["row"],
            **_TEXT,
            "outcome": "tested, nothing to test, or unusable",
            "detail": "why it was not tested",
            "possible": "possible mutants of order 2, 3, ... before any limit (list)",
            "mutants": "mutants made",
            "origin": "kind and name of the generator of the text; NULL for a row of data",
            "slots": "filled slots of the text, with names (list)",
        },
    ),
    "mutants": TableView(
        "a mutant",
        {
            **_PLACE,
            **_MUTANT,
            "edits": "the changes (list of structs, see the view edits)",
            "sentence": "index of the sentence that violates the invariant, from 0",
            "ask": "whether models are tested on it although it was discarded",
        },
    ),
    "edits": TableView(
        "one change of a mutant",
        {**_PLACE, "number": "index among the mutant's changes, from 1", **_EDIT,
         "kept": _MUTANT["kept"]},
    ),
    "answers": TableView(
        "a model's answer to a mutant",
        {"model": "name of the model", **_PLACE, **_JUDGED, **_ANSWER},
    ),
    "originals": TableView(
        "a model's answer to an unchanged text",
        {"model": "name of the model", "shard": _PLACE["shard"], "row": _PLACE["row"], **_ANSWER},
    ),
    "findings": TableView(
        "a mutant with its text and a model's answers to both",
        {"model": "name of the model", **_PLACE, **_TEXT, **_MUTANT,
         "changes": "the changes in words, as race: black -> white; gender: man -> woman",
         **_JUDGED, "original": "labels given to the unchanged text (list)",
         "labels": "labels given to the mutant (list)", "failure": _ANSWER["failure"]},
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Tables:
    """Subqueries with the columns of :data:`VIEWS`, over some shards and models."""

    texts: str
    mutants: str
    answers: str
    originals: str

    def named(self) -> Mapping[str, str]:
        """Return the SQL of every view."""
        words_of_edit = ", ".join(f"e.{name}" for name in _EDIT)
        edits = (
            f"SELECT shard, place, row, number, {words_of_edit}, kept FROM (SELECT shard, place, "
            "row, kept, generate_subscripts(edits, 1) AS number, unnest(edits) AS e FROM mutants)"
        )
        words = "e.attribute || ': ' || e.source || ' -> ' || e.target"
        derived = {
            "changes": f"array_to_string(list_transform(m.edits, lambda e: {words}), '; ')",
            "original": "o.labels",
        }
        columns = ", ".join(
            f"{derived[name]} AS {name}" if name in derived else f"{_table_of(name)}.{name}"
            for name in VIEWS["findings"].columns
        )
        findings = (
            f"SELECT {columns} FROM mutants m JOIN answers a USING (shard, place) JOIN texts t ON "
            "t.shard = m.shard AND t.row = m.row LEFT JOIN originals o ON o.shard = m.shard AND "
            "o.row = m.row AND o.model = a.model"
        )
        base = {name: getattr(self, name) for name in ("texts", "mutants", "answers", "originals")}
        return {**base, "edits": edits, "findings": findings}


def _table_of(column: str) -> str:
    if column in _TEXT:
        return "t"
    return "m" if column in _PLACE or column in _MUTANT else "a"


def files_of(kind: str, paths: Sequence[Path]) -> str:
    """Return a subquery over files of one kind, with all columns of the current version.

    Raises:
        StoreError: a file is missing or damaged.
    """
    if not paths:
        return f"(SELECT *, '' AS file, 0 AS number FROM no_{kind})"
    names, by_name = ", ".join(quoted(str(path)) for path in paths), str(not alike(paths)).lower()
    return (
        "(SELECT *, parse_filename(filename) AS file, file_row_number AS number "
        f"FROM read_parquet([{names}], union_by_name = {by_name}, filename = true, "
        f"file_row_number = true) UNION ALL BY NAME SELECT * FROM no_{kind})"
    )


def columns_of(view: str, model: str = "") -> str:
    """Return the columns of a view, computed from those of its files."""
    derived = {
        "model": model,
        "shard": "split_part(file, '.', 1)::INTEGER",
        "place": "number" if view == "mutants" else "mutant",
        "attributes": "list_transform(edits, lambda e: e.attribute)",
        "n_edits": '"order"::INTEGER',
        "handwritten": "text",
    }
    return ", ".join(
        f"{derived[name]} AS {name}" if name in derived else name for name in VIEWS[view].columns
    )


def is_placebo(attributes: Attributes) -> bool:
    """Whether mutants of these attributes include a neutral change."""
    return any(attribute.startswith(PLACEBO) for attribute in attributes)


def has_placebo(attributes: str) -> str:
    """Return :func:`is_placebo` as SQL over a column of attributes."""
    return f"len(list_filter({attributes}, lambda name: starts_with(name, '{PLACEBO}'))) > 0"


def lists(every: Iterable[Attributes]) -> str:
    """Return sets of attributes for SQL ``IN``; the first one matches no mutant."""
    named = ("[" + ", ".join(map(quoted, names)) + "]" for names in every)
    return "(" + ", ".join(["['']", *named]) + ")"


def quoted(text: str) -> str:
    """Quote a string for SQL."""
    return "'" + text.replace("'", "''") + "'"
