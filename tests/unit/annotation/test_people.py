"""Excluding, erasing and merging annotators: what counts, and what is left in the file."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from uuid import uuid4

import pytest

from hinter_core.annotation.evaluation.agreement import ALARMS, OnQuestion, Quality, qualities
from hinter_core.annotation.evaluation.evaluation import evaluate, evaluation_sections
from hinter_core.annotation.files.exporting import FORMATS, Exported, export_file
from hinter_core.annotation.files.importing import import_file
from hinter_core.annotation.project.judging import Judging, Submission
from hinter_core.annotation.project.people import (
    erase,
    exclude,
    include,
    merge,
    rename,
    reset_phrase,
)
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import (
    AccessError,
    AnnotationError,
    AnnotationItem,
    Project,
    Status,
)
from hinter_core.statistics.rates import wilson
from hinter_core.storage import snapshot

PHRASE = "correct horse"
QUESTIONS = default_questions()[1]


@pytest.fixture
def store(tmp_path: Path) -> AnnotationStore:
    project = Project("Trial", QUESTIONS, share=1.0, repeats=0.0)
    made, _ = AnnotationStore.create(tmp_path / "p.sqlite", project)
    texts = [f"The old man number {n} ate his soup and went home in the rain." for n in range(12)]
    made.add([AnnotationItem(f"i{n}", text, f"{text} Then.") for n, text in enumerate(texts)])
    return made


def work(store: AnnotationStore, name: str, value: str, many: int = 12, **more: object) -> str:
    _, key = store.join(name, PHRASE)
    judging = Judging(store)
    for _ in range(many):
        found = judging.upcoming(key)[0]
        answers = dict.fromkeys(("sense", "same", "grammatical"), value)
        judging.judge(key, Submission(found.item.id, found.showing, Status.JUDGED, answers,
                                      uuid4().hex, **more))  # fmt: skip
    return key


def by_annotator(store: AnnotationStore) -> dict[str, Quality]:
    found = qualities(list(store.judgements()), QUESTIONS, list(store.items()))
    return {one.annotator: one for one in found}


def names(store: AnnotationStore) -> set[str]:
    return {one.annotator for one in store.judgements()}


def test_an_excluded_person_does_not_count_and_may_come_back(store: AnnotationStore) -> None:
    work(store, "Ann", "yes")
    work(store, "Bo", "yes")
    work(store, "Cy", "no")
    before = evaluate(store)
    exclude(store, "cy", "clicked\nthrough")
    found = evaluate(store)
    assert (names(store), len(found.disputed)) == ({"Ann", "Bo"}, 0)
    assert found.excluded == [("Cy", "clicked through")]
    assert found.with_excluded is not None
    assert found.with_excluded.agreements == before.agreements
    (section,) = [one for one in evaluation_sections(found) if one.key == "excluded"]
    assert any("Cy" in line and "clicked through" in line for line in section.sentences)
    assert ["Judgements", "24", "36"] in section.rows
    with pytest.raises(AnnotationError, match="reason"):
        exclude(store, "Ann", " ")
    with pytest.raises(AnnotationError, match="Nobody"):
        exclude(store, "Dee", "a reason")
    include(store, "Cy")
    assert evaluate(store) == before


def test_items_of_an_excluded_person_go_to_others(tmp_path: Path) -> None:
    project = Project("Trial", QUESTIONS, share=0.0, repeats=0.0, copies=1)
    made, _ = AnnotationStore.create(tmp_path / "q.sqlite", project)
    made.add([AnnotationItem("one", "A text.", "The text.")])
    work(made, "Ann", "yes", 1)
    _, key = made.join("Bo", PHRASE)
    assert Judging(made).upcoming(key) == []
    exclude(made, "Ann", "a robot")
    assert [one.item.id for one in Judging(made).upcoming(key)] == ["one"]


@pytest.mark.parametrize("kind", FORMATS)
def test_exclusions_come_back_from_every_format(
    store: AnnotationStore, tmp_path: Path, kind: str
) -> None:
    work(store, "Ann", "yes", 3)
    work(store, "Bo", "no", 3)
    exclude(store, "Bo", '=never, "read"')
    path = tmp_path / f"out{FORMATS[kind].ending}"
    export_file(Exported(store), path, kind)
    other, _ = AnnotationStore.create(tmp_path / "o.sqlite", store.project())
    assert import_file(other, str(path)).problems == []
    excluded = {one.name: one.excluded for one in other.annotators()}
    assert excluded == {one.name: one.excluded for one in store.annotators()}
    assert names(other) == {"Ann"}
    anonymous = tmp_path / f"anonymous{FORMATS[kind].ending}"
    export_file(Exported(store, anonymous=True), anonymous, kind)
    last, _ = AnnotationStore.create(tmp_path / "l.sqlite", store.project())
    import_file(last, str(anonymous))
    assert sorted(one.excluded for one in last.annotators()) == ["", "excluded"]


@pytest.mark.parametrize("keep", [False, True])
def test_nothing_of_an_erased_person_is_left(
    store: AnnotationStore, tmp_path: Path, keep: bool
) -> None:
    work(store, "Ann", "yes", 4)
    work(store, "Zyxwv", "no", 5, comment="I am Vwxyz from Oslo")
    exclude(store, "Zyxwv", "asked by Zyxwv")
    traces = [b"Zyxwv", b"zyxwv", b"Vwxyz"]
    assert all(any(trace in body for body in _bytes(store)) for trace in traces)
    assert erase(store, "Zyxwv", keep=keep) == 5
    for body in [*_bytes(store), snapshot(store.path)]:
        assert not [trace for trace in traces if trace in body]
    for kind in FORMATS:
        path = tmp_path / f"out-{kind}{FORMATS[kind].ending}"
        export_file(Exported(store, history=FORMATS[kind].history), path, kind)
        files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
        assert not [t for t in traces for one in files if t in one.read_bytes()]
    left = list(store.judgements(history=True, excluded=True))
    assert len(left) == (9 if keep else 4)
    assert {one.annotator for one in left} == {"Ann"} | ({"erased 2"} if keep else set())
    assert not any(one.comment for one in left)
    with pytest.raises(sqlite3.IntegrityError), store.write() as connection:
        connection.execute("DELETE FROM judgements")  # the way is shut again
    with pytest.raises(AnnotationError, match="Nobody"):
        erase(store, "Zyxwv")


def _bytes(store: AnnotationStore) -> list[bytes]:
    found = [Path(f"{store.path}{more}") for more in ("", "-wal")]
    return [path.read_bytes() for path in found if path.exists()]


def test_two_names_of_one_person_become_one(store: AnnotationStore) -> None:
    work(store, "Ann", "yes", 12)
    key = work(store, "Anne", "no", 5)
    assert merge(store, "Anne", "Ann") == 5
    assert [one.name for one in store.annotators()] == ["Ann"]
    latest = list(store.judgements())
    assert len(latest) == 12
    assert sum(one.answers["sense"] == "no" for one in latest) == 5
    assert len(list(store.judgements(history=True))) == 17
    assert store.whose(key).name == "Ann"
    with pytest.raises(AnnotationError, match="one person already"):
        merge(store, "Ann", "ann")


@pytest.mark.parametrize(
    ("lost", "kept", "left"),
    [
        ({"consent": "2026-01-01", "PROLIFIC_PID": "5f\u00e9"}, {}, None),
        ({}, {"consent": "2026-01-02", "practised": "2026-01-03"}, None),
        ({"consent": "2026-01-01", "STUDY_ID": "s"}, {"consent": "2026-01-02", "SESSION_ID": "t"},
         {"consent": "2026-01-02", "STUDY_ID": "s", "SESSION_ID": "t"}),
    ],
)  # fmt: skip
def test_how_both_names_came_in_is_kept(
    store: AnnotationStore,
    lost: dict[str, str],
    kept: dict[str, str],
    left: dict[str, str] | None,
) -> None:
    keys = work(store, "Anne", "yes", 1), work(store, "Ann", "yes", 1)
    for key, noted in zip(keys, (lost, kept), strict=True):
        store.entry(key, **noted)
    merge(store, "Anne", "Ann")
    (person,) = store.annotators()
    assert json.loads(person.entry) == (left or lost | kept)


def test_a_new_pass_phrase_opens_and_the_old_one_does_not(store: AnnotationStore) -> None:
    key = work(store, "Ann", "yes", 2)
    phrase = reset_phrase(store, "Ann")
    assert len(phrase) >= 8
    with pytest.raises(AccessError):
        store.join("Ann", PHRASE)
    with pytest.raises(AccessError):
        store.whose(key)
    assert store.join("Ann", phrase)[0].name == "Ann"


def test_alarms_name_who_reads_too_fast_and_always_says_the_same(store: AnnotationStore) -> None:
    work(store, "Ann", "yes", seconds=9.0)
    work(store, "Bo", "no", seconds=0.4)
    by_name = by_annotator(store)
    assert (by_name["Ann"].fast.hits, by_name["Bo"].fast.hits) == (0, 12)
    assert "fast" in by_name["Bo"].alarms
    assert "fast" not in by_name["Ann"].alarms
    # Of two people who differ, either may be wrong; of three, one is apart from two.
    assert not any("apart" in one.alarms for one in by_name.values())
    work(store, "Cy", "yes", seconds=9.0)
    assert [name for name, one in by_annotator(store).items() if "apart" in one.alarms] == ["Bo"]
    found = evaluate(store)
    words = " ".join(line for one in evaluation_sections(found) for line in one.sentences)
    assert "faster than" in words


@pytest.mark.parametrize(
    ("shares", "alike"),
    [([], False), ([(20, 20)], True), ([(19, 19)], False), ([(20, 20), (16, 25)], False)],
)
def test_one_question_that_is_always_answered_alike_is_no_alarm(
    shares: list[tuple[int, int]], alike: bool
) -> None:
    none = wilson(0, 0)
    questions = [
        OnQuestion(f"q{n}", none, none, "yes", wilson(*share)) for n, share in enumerate(shares)
    ]
    assert ALARMS["alike"](Quality("Ann", 25, none, None, questions)) is alike


def test_decisions_are_gold_that_everybody_gets(store: AnnotationStore) -> None:
    store.change(gold=True, share=0.0)
    with store.write() as connection:
        connection.execute("UPDATE items SET shared = 0")
    for number in range(6):
        store.adjudicate(f"i{number}", "sense", "yes")
    work(store, "Ann", "yes", 12)
    work(store, "Bo", "no", 6)  # six are gold; Ann has the others
    _, key = store.join("Bo", PHRASE)
    assert Judging(store).upcoming(key) == []
    found = {one.annotator: one for one in evaluate(store).qualities}
    assert {name: (one.questions[0].gold.hits, one.questions[0].gold.of)
            for name, one in found.items()} == {"Ann": (6, 6), "Bo": (0, 6)}  # fmt: skip
    assert ["gold" in one.alarms for one in found.values()] == [False, True]


@pytest.mark.parametrize("kind", FORMATS)
def test_how_people_came_in_goes_along_unless_they_are_anonymous(
    store: AnnotationStore, tmp_path: Path, kind: str
) -> None:
    key = work(store, "Ann", "yes", 3)
    work(store, "Bo", "yes", 3)
    store.entry(key, PROLIFIC_PID="5f=\u00e9", consent="2026-01-01")
    for anonymous in (False, True):
        path = tmp_path / f"out{anonymous}{FORMATS[kind].ending}"
        export_file(Exported(store, anonymous=anonymous), path, kind)
        other, _ = AnnotationStore.create(tmp_path / f"{kind}{anonymous}", store.project())
        assert import_file(other, str(path)).problems == []
        entries = [one.entry for one in other.annotators()]
        assert entries == (["{}", "{}"] if anonymous else [store.annotators()[0].entry, "{}"])
    erase(store, "Ann", keep=True)
    assert store.annotators()[0].entry == "{}"


def test_a_renamed_person_keeps_judgements_and_pass_phrase(store: AnnotationStore) -> None:
    key = work(store, "You Idiot", "yes", 2)
    work(store, "Ben", "yes", 1)
    rename(store, "you idiot", " Person  7 ")
    assert names(store) == {"Person 7", "Ben"}
    assert not any(b"Idiot" in body for body in [*_bytes(store), snapshot(store.path)])
    assert Judging(store).upcoming(key)  # the page that is open goes on
    assert store.join("Person 7", PHRASE)[0].name == "Person 7"
    for new, told in (("ben", "taken"), ("consensus", "reserved"), (" ", "1 to 40")):
        with pytest.raises(AnnotationError, match=told):
            rename(store, "Person 7", new)
    assert names(store) == {"Person 7", "Ben"}
