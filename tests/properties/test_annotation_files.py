"""What is exported is imported again: any project, in every format."""

from __future__ import annotations

import string
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hinter_core.annotation.evaluation.answers import answers_of, majority_votes
from hinter_core.annotation.files.archive import archived, fill, settings_of
from hinter_core.annotation.files.columns import ColumnMapping
from hinter_core.annotation.files.exporting import FORMATS, Exported, export_file
from hinter_core.annotation.files.importing import import_file
from hinter_core.annotation.project.judging import Judging, Submission
from hinter_core.annotation.project.people import exclude
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import (
    AnnotationItem,
    Judgement,
    Practice,
    Project,
    Status,
)
from hinter_core.errors import InputError
from hinter_core.types import Edit, GrammaticalForm, Layer, Pair, Term
from tests.examples import examples

PACKED = {"csv": ".gz"}  # endings that some get besides
# Every example writes files to the disk for good; to make a failing one smaller would take long.
CALM = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
QUESTIONS = default_questions("en", ["good", "=bad"])[1]
# Texts as people and models write them: formulas, HTML, quotes, other scripts; no NUL.
text = st.text(
    st.sampled_from(string.ascii_letters + " =+-@'\"<>&;,\n\r\t\u00e9\u4f60\U0001f642\u00c3\u00af"),
    max_size=12,
)
filled = text.map(lambda t: f"{t}x")
names = st.text(string.ascii_letters + "=+ ,\u00e9", max_size=8).map(
    lambda t: " ".join(f"{t}a".split())
)
terms = st.builds(Term, filled, names, st.sampled_from(GrammaticalForm))
pairs = st.builds(
    lambda attribute, old, new: Pair(attribute, old, replace(new, form=old.form)),
    names, terms, terms,
)  # fmt: skip
edits = st.builds(Edit, pairs, st.just(((0, 3),)))
shares = st.none() | st.floats(0, 1)
items = st.builds(
    AnnotationItem,
    id=names, mutant=filled, source=st.just("") | filled,
    attributes=st.lists(names, max_size=2).map(tuple),
    edits=st.lists(edits, max_size=2).map(tuple),
    kept=st.sampled_from([None, True, False]),
    layer=st.sampled_from(["", *(layer.value for layer in Layer)]),
    validity=shares, soft=shares, unfair=shares, across_people=st.sampled_from([None, True, False]),
    reason=text, verdicts=st.dictionaries(names, names, max_size=2), label=text, group=text,
    stratum=text, weight=st.floats(0.5, 1e6),
    origin=st.dictionaries(names, st.integers() | names, max_size=2),
)  # fmt: skip


# What JSON can hold, halves of characters and numbers that are none included.
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | filled
    | st.text(st.characters(exclude_categories=()), max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip


@st.composite
def saying(draw: st.DrawFn) -> tuple[bool, str, float]:
    return draw(st.booleans()), draw(text), draw(st.floats(0, 1000))


def made(folder: Path) -> AnnotationStore:
    project = Project("Trial", QUESTIONS, share=0.5, repeats=0.5, gap=1)
    return AnnotationStore.create(folder / f"{uuid4().hex}.sqlite", project)[0]


def judge(store: AnnotationStore, data: st.DataObject) -> None:
    """Two people at work, some of what they say taken back."""
    desk = Judging(store)
    for name in ("Ann", "=Bo"):
        _, key = store.join_by_login(name, name)
        for number in range(data.draw(st.integers(0, 4))):
            found = desk.upcoming(key, 1)
            if not found:
                break
            skipped, comment, seconds = data.draw(saying())
            asked = [q for q in QUESTIONS if found[0].item.source or not q.pair]
            answers = {} if skipped else {q.id: data.draw(st.sampled_from(q.values)) for q in asked}
            status = Status.SKIPPED if skipped else Status.JUDGED
            desk.judge(key, Submission(found[0].item.id, found[0].showing, status, answers,
                                 f"{name}{number}", comment, seconds))  # fmt: skip
            if data.draw(st.integers(0, 4)) == 0:
                desk.undo(key, f"undo {name}{number}")


def decide(store: AnnotationStore, data: st.DataObject) -> None:
    """The owner decides on some questions, and takes some of it back."""
    for item in store.items():
        for question in QUESTIONS:
            if (item.source or not question.pair) and data.draw(st.booleans()):
                store.adjudicate(item.id, question.id, data.draw(st.sampled_from(question.values)))
                if data.draw(st.integers(0, 3)) == 0:
                    store.adjudicate(item.id, question.id, "")


def judged(
    folder: Path, given: list[AnnotationItem], data: st.DataObject, kind: str
) -> tuple[AnnotationStore, AnnotationStore, Path]:
    """A project that was judged, an empty one, and the file that goes from one to the other."""
    store = made(folder)
    store.add(given)
    judge(store, data)
    decide(store, data)
    if data.draw(st.booleans()):
        exclude(store, "Ann", "asleep")
    return store, made(folder), folder / f"out{FORMATS[kind].ending}{PACKED.get(kind, '')}"


def said(store: AnnotationStore, *, history: bool = False) -> list[Judgement]:
    """All but the numbers of the rows, that of excluded people included."""
    every = store.judgements(history=history, excluded=True)
    found = [replace(j, id=0, answers=dict(j.answers)) for j in every]
    return sorted(found, key=lambda j: (j.item, j.annotator, j.showing))


def counted(store: AnnotationStore) -> list[int]:
    """How many judgements count, and why the others do not."""
    judging = {one.annotator for one in store.judgements(excluded=True)}
    why = [one.excluded for one in store.annotators() if one.name in judging]
    return [len(list(store.judgements())), *map(len, sorted(why))]


@pytest.mark.parametrize("kind", FORMATS)
@examples(15, CALM)
@given(
    given=st.lists(items, min_size=1, max_size=4, unique_by=lambda item: item.id),
    data=st.data(),
)  # fmt: skip
def test_what_is_exported_is_imported_again(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    given: list[AnnotationItem],
    data: st.DataObject,
) -> None:
    store, other, path = judged(tmp_path_factory.mktemp("files"), given, data, kind)
    many = export_file(Exported(store), path, kind)
    done = import_file(other, str(path))
    assert done.problems == []
    assert done.rows == many
    assert list(other.items()) == list(store.items())
    assert said(other) == said(store)
    assert counted(other) == counted(store)
    assert other.adjudications() == store.adjudications()
    assert done.decisions == len(store.adjudications())
    again = import_file(other, str(path))
    assert again.decisions == 0
    assert (again.items, again.judgements, again.people) == (0, 0, [])
    assert import_file(store, str(path)).judgements == 0  # what it holds under other keys
    assert said(store) == said(other)
    store.close()
    other.close()


@pytest.mark.parametrize("kind", [name for name, one in FORMATS.items() if one.history])
@examples(8, CALM)
@given(
    given=st.lists(items, min_size=1, max_size=3, unique_by=lambda item: item.id),
    data=st.data(),
)  # fmt: skip
def test_so_is_every_row_ever_written(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    given: list[AnnotationItem],
    data: st.DataObject,
) -> None:
    store, other, path = judged(tmp_path_factory.mktemp("files"), given, data, kind)
    export_file(Exported(store, history=True), path, kind)
    assert import_file(other, str(path)).problems == []
    assert said(other) == said(store)
    assert len(said(other, history=True)) == len(said(store, history=True))
    store.close()
    other.close()


@pytest.mark.parametrize("kind", [name for name, one in FORMATS.items() if not one.whole])
@examples(8, CALM)
@given(
    given=st.lists(items, min_size=1, max_size=3, unique_by=lambda item: item.id),
    data=st.data(),
)  # fmt: skip
def test_so_is_what_stands_of_each_item(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    given: list[AnnotationItem],
    data: st.DataObject,
) -> None:
    store, other, path = judged(tmp_path_factory.mktemp("files"), given, data, kind)
    decided = data.draw(st.sampled_from(list(store.items())))
    question = data.draw(st.sampled_from([q for q in QUESTIONS if decided.source or not q.pair]))
    store.adjudicate(decided.id, question.id, question.values[-1])
    export_file(Exported(store, consensus=True), path, kind)
    assert import_file(other, str(path)).problems == []
    stands = majority_votes(store.judgements(), store.adjudications()).values()
    expected = {(one.item, one.question, one.value) for one in stands if one.value is not None}
    read = answers_of(other.judgements())
    assert {name for rows in read.values() for name in rows} == {"consensus"}
    assert expected == {
        (item, question, value)
        for item, rows in read.items()
        for question, value in rows["consensus"].items()
    }
    assert any(f"{question.id}: " in j.comment and "decided" in j.comment for j in said(other))
    store.close()
    other.close()


@examples(15, CALM)
@given(
    given=st.lists(items, min_size=1, max_size=4, unique_by=lambda item: item.id),
    data=st.data(),
)  # fmt: skip
def test_an_archive_holds_the_whole_project(
    tmp_path_factory: pytest.TempPathFactory, given: list[AnnotationItem], data: st.DataObject
) -> None:
    store, _, path = judged(tmp_path_factory.mktemp("files"), given, data, "project")
    drill = Practice("A text.", (("sense", "no"),), why=data.draw(text))
    store.change(gold=True, quota=data.draw(st.integers(0, 9)), practice=(drill,), note="N")
    gone = next(store.items()).id
    store.remove(gone)
    export_file(Exported(store), path)
    settings_ = settings_of(path)
    assert settings_ == store.project()
    assert settings_ is not None
    other, _ = AnnotationStore.create(path.with_name("other.sqlite"), settings_)
    fill(other, path)
    for one in (store, other):
        one.restore(gone)
    assert list(other.items()) == list(store.items())
    assert other.annotators() == store.annotators()
    assert list(other.judgements(history=True)) == list(store.judgements(history=True))
    assert other.adjudications() == store.adjudications()
    assert Judging(other).standings() == Judging(store).standings()
    store.close()
    other.close()


@pytest.mark.parametrize("kind", ["project", "parquet", "dataset"])
def test_settings_and_questions_come_back(tmp_path: Path, kind: str) -> None:
    store = made(tmp_path)
    store.change(name="Caf\u00e9", instructions="Go by\nyour impression.", copies=3, blind=False)
    path = tmp_path / f"out{FORMATS[kind].ending}"
    export_file(Exported(store), path, kind)
    assert settings_of(path) == store.project()
    store.close()


def test_an_archive_has_no_pass_phrase_and_no_key(tmp_path: Path) -> None:
    store = made(tmp_path)
    _, key = store.join("Ann", "correct horse")
    content = archived(store)
    with ZipFile(BytesIO(content)) as file:
        every = b"".join(file.read(name) for name in file.namelist())
    assert b"Ann" in every
    assert not {b"salt", b"secret", b"correct horse", key.encode()} & set(every.split(b'"'))
    with ZipFile(BytesIO(archived(store, anonymous=True))) as file:
        assert b"Ann" not in file.read("annotators.jsonl")
    store.close()


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", b"no archive", {"project.json": "{}"}, {"project.json": "[]"},
     {"other": "x"}],
)  # fmt: skip
def test_what_is_no_archive_is_one_sentence(
    tmp_path: Path, content: bytes | dict[str, str]
) -> None:
    path = tmp_path / "p.hinter-project"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with ZipFile(path, "w") as file:
            for name, text_ in content.items():
                file.writestr(name, text_)
    with pytest.raises(InputError, match=r"no archive that hinter"):
        settings_of(path)


@examples(30, CALM)
@given(cells=st.lists(anything, min_size=1, max_size=40))
def test_no_file_breaks_the_import(
    tmp_path_factory: pytest.TempPathFactory, cells: list[object]
) -> None:
    """Whatever rows hold, each is kept or named with what is wrong with it."""
    import json

    folder = tmp_path_factory.mktemp("files")
    store = made(folder)
    parts = ["item", "mutant", "kept", "edits", "verdicts", "origin", "annotator", "showing",
             "status", "answer.sense", "comment", "seconds", "at", "weight"]  # fmt: skip
    rows = [dict(zip(parts, cells[i:] + cells[:i], strict=False)) for i in range(len(cells))]
    path = folder / "rows.jsonl"
    lines = [{"mutant": "A first text."}, *rows]
    path.write_text("\n".join(json.dumps(row) for row in lines), encoding="utf-8")
    done = import_file(store, str(path),
                       ColumnMapping(annotator="Ann", columns={"sense": "answer.sense"})
                       if any("answer.sense" in row for row in rows) else None)  # fmt: skip
    named = {number for number, _ in done.problems}
    assert done.rows == len(lines)
    assert len(list(store.items())) == done.items >= 1
    assert len(said(store, history=True)) == done.judgements <= len(rows)
    assert done.items + len(named) + done.items_known <= 2 * len(lines)
    store.close()
