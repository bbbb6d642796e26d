"""Columns of a campaign's tables, edits as rows, and the views that queries see."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

from hinter_core.campaign.parquet import alike
from hinter_core.pipeline.export import edit_to_json
from hinter_core.types import (
    SUBSTITUTE,
    Change,
    Edit,
    EditKind,
    GrammaticalForm,
    HiddenGrade,
    Pair,
    Term,
    Verdict,
    hidden_grade,
)


def text_schema() -> Any:
    """Return the columns of the table of texts."""
    import pyarrow as pa

    return pa.schema(
        [
            ("row", pa.int64()),
            ("id", pa.string()),
            ("label", pa.string()),
            ("text", pa.string()),
            ("outcome", pa.string()),
            ("detail", pa.string()),
            ("possible", pa.list_(pa.int64())),  # mutants of order 2 and up, before any limit
            ("mutants", pa.int64()),
            # Of texts from a template or grammar; null for texts of rows.
            ("origin", pa.struct([("kind", pa.string()), ("name", pa.string())])),
            ("slots", pa.list_(pa.struct([("name", pa.string()), ("span", pa.list_(pa.int32()))]))),
        ]
    )


def mutant_schema() -> Any:
    """Return the columns of the table of mutants."""
    import pyarrow as pa

    edit = pa.struct(
        [
            ("attribute", pa.string()),
            ("source", pa.string()),
            ("target", pa.string()),
            ("source_group", pa.string()),
            ("target_group", pa.string()),
            ("form", pa.string()),
            ("spans", pa.list_(pa.int32())),
            ("kind", pa.string()),  # null in version 2, which had only substitutions
            ("texts", pa.list_(pa.string())),  # of others than pairs: the new text at each span
            # Beside another change of the same places: the target of that one, and the texts then.
            ("joint", pa.struct([("target", pa.string()), ("texts", pa.list_(pa.string()))])),
            ("relation", pa.string()),  # null: exchanged words
        ]
    )
    return pa.schema(
        [
            ("row", pa.int64()),
            ("order", pa.int8()),
            ("edits", pa.list_(edit)),
            ("kept", pa.bool_()),
            ("layer", pa.string()),
            ("sentence", pa.int32()),
            ("reason", pa.string()),
            ("text", pa.string()),  # of a handwritten mutant; others follow from their edits
            ("ask", pa.bool_()),
            ("validity", pa.float32()),  # null in tables from before it was computed
            ("soft", pa.float32()),  # these, too; validity alone was known before them
            ("unfair", pa.float32()),
            ("relation", pa.string()),  # null in tables from before there was a choice
            ("across_people", pa.bool_()),  # null in older tables, and if nobody knows who is who
        ]
    )


def answer_schema() -> Any:
    """Return the columns of the table of a model's answers; ``mutant`` is -1 for originals."""
    import pyarrow as pa

    return pa.schema(
        [
            ("row", pa.int64()),
            ("mutant", pa.int64()),
            ("verdict", pa.string()),
            ("changed", pa.bool_()),  # relative to the answer to the original; null without one
            ("labels", pa.list_(pa.string())),
            ("scores", pa.map_(pa.string(), pa.float32())),
            ("shift", pa.float32()),
            ("distance", pa.float32()),
            ("interaction", pa.float32()),
            ("failure", pa.string()),
            ("detail", pa.string()),
            ("reply", pa.string()),
            ("masks", pa.list_(pa.map_(pa.string(), pa.float32()))),  # probabilities by word
            ("clusters", pa.list_(pa.list_(pa.int32()))),  # offsets of mentions, flattened
            # Of originals: further answers that are usable, and how many of them differ.
            ("repeated", pa.int32()),
            ("differing", pa.int32()),
            # Null in runs that are not prioritised: in the random share, and when it was asked.
            ("audit", pa.bool_()),
            ("sequence", pa.int32()),
        ]
    )


def edits_to_rows(edits: Sequence[Edit]) -> list[dict[str, Any]]:
    """Convert the edits of a mutant; of texts for two edits at once, those that apply."""
    rows = []
    targets = {edit.target.text for edit in edits}
    for edit in edits:
        other = edit.change.relation if edit.change.relation != SUBSTITUTE else None
        row = edit_to_json(edit) | {
            "form": edit.source.form.value, "spans": list(chain(*edit.spans)), "relation": other,
        }  # fmt: skip
        rows.append(row)
        joint = edit.change.joint if isinstance(edit.change, Change) else ()
        for target, texts in joint if len(edits) > 1 else ():
            if target in targets:
                row["joint"] = {"target": target, "texts": list(texts)}
    return rows


def edit_from_row(row: Mapping[str, Any]) -> Edit:
    """Read an edit from a stored row; without a kind it is a substitution (version 2)."""
    form = GrammaticalForm(row["form"])
    source = Term(row["source"], row["source_group"], form)
    target = Term(row["target"], row["target_group"], form)
    flat = row["spans"]
    spans = tuple(zip(flat[::2], flat[1::2], strict=True))
    kind = EditKind(row.get("kind") or EditKind.SUBSTITUTE)
    if kind is EditKind.SUBSTITUTE and not row.get("texts"):
        return Edit(Pair(row["attribute"], source, target), spans)
    texts, together = tuple(row.get("texts") or ()), row.get("joint")
    joint = ((together["target"], tuple(together["texts"])),) if together else ()
    relation = row.get("relation") or SUBSTITUTE
    return Edit(Change(kind, row["attribute"], source, target, texts, joint, relation), spans)


Attributes = tuple[str, ...]
TIMES = " \u00d7 "  # between attributes that change together
# Validity of a mutant ``m``; in tables from before the score, the invariant's answer.
VALIDITY = "coalesce(m.validity, m.kept::FLOAT)"
PLACEBO = "placebo"  # attributes of neutral changes begin with it
# A case is a mutant that was kept and answered.
CASE, ERROR = "verdict IN ('benign', 'biased', 'hidden')", "verdict IN ('biased', 'hidden')"
_COUNTED = ("verdict", "changed")  # columns that rates are counted from
# Of mutants: errors, cases, hidden and discarded ones, and all.
VERDICT_SUMS = (
    f"count_if({ERROR}), count_if({CASE}), count_if(verdict = 'hidden'), "
    "count_if(verdict = 'discarded'), count(*)"
)


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
    "masks": "probability by word at each [MASK] (list of maps)",
    "failure": "why there is no usable answer",
    "detail": "details of the failure",
    "reply": "what a language model wrote",
}
_REPEATED = {
    "repeated": "usable further answers to the same text, with the setting repeat; else NULL",
    "differing": "how many of these differ from the first answer",
}
_JUDGED = {
    "verdict": "benign, biased, hidden, discarded or unanswered",
    "changed": "whether the answer differs from the answer to the unchanged text",
    "shift": "change of the predicted label's score",
    "distance": "probability that must move before the answer changes; NULL in older campaigns",
    "interaction": "effect of the combination beyond its parts",
    "audit": "of a prioritised run: whether it belongs to the random share that rates are of",
    "sequence": "of a prioritised run: when it was asked, from 0; NULL: not asked, or discarded",
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
    "texts": "the new text at each place (list); null for an exchange of one pair",
    "relation": "metamorphic relation of the change; NULL: words exchanged",
}
_MUTANT = {
    "attributes": "attributes changed (list)",
    "n_edits": "number of changes: 1 is atomic, 2 and more are intersectional",
    "kept": "whether the invariant kept the mutant",
    "layer": "layer of the invariant that discarded it",
    "reason": "why it was discarded",
    "handwritten": "text of a handwritten mutant; other texts follow from their edits",
    "validity": "how probably people call it a fair test, 0 to 1",
    "soft": "how probably they say that its text contradicts it elsewhere; NULL in older campaigns",
    "unfair": "how probably they call it unfair; NULL in older campaigns",
    "relation": "metamorphic relation, or several with +; NULL in older campaigns: substitute",
    "across_people": "whether the changes are of different people; NULL in older campaigns",
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
        {"model": "name of the model", "shard": _PLACE["shard"], "row": _PLACE["row"], **_ANSWER,
         **_REPEATED},
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
    """Subqueries with the columns of :data:`VIEWS`, over some files; made when they are asked for.

    ``files``: by kind. ``model``: SQL for the model of a file of answers. ``unbiased``: answers
    outside the random share of a prioritised run have no verdict.

    Raises:
        StoreError: a file is missing or damaged; by each property.
    """

    files: Mapping[str, Sequence[Path]]
    model: str
    unbiased: bool

    @cached_property
    def texts(self) -> str:
        """The texts."""
        return f"SELECT {_columns('texts')} FROM {_files('texts', self.files['texts'])}"

    @cached_property
    def mutants(self) -> str:
        """The mutants."""
        return f"SELECT {_columns('mutants')} FROM {_files('mutants', self.files['mutants'])}"

    @cached_property
    def answers(self) -> str:
        """The answers to mutants."""
        answers = f"SELECT {_columns('answers', self.model)} FROM {self._answers}"
        if not self.unbiased:
            return f"{answers} WHERE mutant >= 0"
        audit = (f"CASE WHEN audit IS NOT FALSE THEN {one} END AS {one}" for one in _COUNTED)
        return f"SELECT * REPLACE ({', '.join(audit)}) FROM ({answers} WHERE mutant >= 0)"

    @cached_property
    def originals(self) -> str:
        """The answers to unchanged texts."""
        return f"SELECT {_columns('originals', self.model)} FROM {self._answers} WHERE mutant < 0"

    @cached_property
    def _answers(self) -> str:
        return _files("answers", self.files["answers"])

    @property
    def judged(self) -> str:
        """The mutants ``m``, each with the answers ``a`` to it."""
        return f"({self.mutants}) m JOIN ({self.answers}) a USING (shard, place)"

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


def _files(kind: str, paths: Sequence[Path]) -> str:
    """Return a subquery over files of one kind, with all columns of the current version."""
    if not paths:
        return f"(SELECT *, '' AS file, 0 AS number FROM memory.no_{kind})"
    names, by_name = ", ".join(quoted(str(path)) for path in paths), str(not alike(paths)).lower()
    return (
        "(SELECT *, parse_filename(filename) AS file, file_row_number AS number "
        f"FROM read_parquet([{names}], union_by_name = {by_name}, filename = true, "
        f"file_row_number = true) UNION ALL BY NAME SELECT * FROM memory.no_{kind})"
    )


def _columns(view: str, model: str = "") -> str:
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


class StoredAnswer(NamedTuple):
    """A model's answer to a mutant; ``original``: labels of the unchanged text."""

    verdict: str | None
    labels: tuple[str, ...]
    failure: str | None
    detail: str | None
    shift: float | None
    interaction: float | None
    audit: bool | None
    sequence: int | None
    original: tuple[str, ...]
    original_failure: str | None

    @property
    def grade(self) -> HiddenGrade | None:
        """Whether hidden bias exceeds its parts."""
        return hidden_grade(self.verdict, self.shift, self.interaction)

    @property
    def moved(self) -> float | None:
        """The shift of a probability, if it alone makes the answer another one."""
        flips = self.verdict in (Verdict.BIASED, Verdict.HIDDEN)
        return self.shift if flips and list(self.labels) == list(self.original) else None


def shifted(shift: float | None) -> str:
    """Return the shift of a probability, to follow an answer; "" without one."""
    return "" if shift is None or isnan(shift) else f" ({shift:+.2f})"


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
