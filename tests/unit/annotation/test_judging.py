"""Projects on disk, who judges what, and what is kept of it."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.annotation.project.database import VERSION, VERSIONS
from hinter_core.annotation.project.judging import Judging, Submission
from hinter_core.annotation.project.people import exclude
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.store import AnnotationStore, opened
from hinter_core.annotation.project.types import (
    AccessError,
    AnnotationError,
    AnnotationItem,
    GoneError,
    Project,
    Status,
)
from tests.examples import examples

PASS = "correct horse"
ANSWERS = {"sense": "yes", "same": "no", "grammatical": "unsure"}


def items(many: int, start: int = 0) -> list[AnnotationItem]:
    return [
        AnnotationItem(f"i{n}", f"mutant {n}", f"source {n}") for n in range(start, start + many)
    ]


def project(**changes: object) -> Project:
    plain = Project("Trial", default_questions()[1], share=0.0, repeats=0.0)
    return replace(plain, **changes)  # type: ignore[arg-type]


def made(folder: Path, many: int = 6, **changes: object) -> AnnotationStore:
    store, _ = AnnotationStore.create(folder / f"{uuid4().hex}.sqlite", project(**changes))
    store.add(items(many))
    return store


def said(of: str, of_showing: int = 1, **changes: object) -> Submission:
    plain = Submission(of, of_showing, Status.JUDGED, ANSWERS, uuid4().hex)
    return replace(plain, **changes)  # type: ignore[arg-type]


def judge_all(judging: Judging, key: str, most: int = 1000) -> list[tuple[str, int]]:
    met = []
    for _ in range(most):
        found = judging.upcoming(key)
        if not found:
            break
        met.append((found[0].item.id, found[0].showing))
        judging.judge(key, said(*met[-1]))
    return met


def test_a_project_is_kept_as_it_was_made(tmp_path: Path) -> None:
    store, key = AnnotationStore.create(tmp_path / "p.sqlite", project())
    store.close()
    with opened(tmp_path / "p.sqlite") as again:
        assert again.project() == project()
        again.admit_owner(key)
        with pytest.raises(AccessError):
            again.admit_owner("another")
    with pytest.raises(AnnotationError, match="already exists"):
        AnnotationStore.create(tmp_path / "p.sqlite", project())


def test_a_copy_of_the_file_alone_has_all_judgements(tmp_path: Path) -> None:
    store = made(tmp_path)
    judging = Judging(store)
    _, key = store.join("Ann", PASS)
    judged = judge_all(judging, key)
    copy = shutil.copy(store.path, tmp_path / "copy.sqlite")  # while it is open
    with opened(copy) as other:
        assert len(list(other.judgements())) == len(judged) > 0


def test_a_project_of_an_older_version_opens(tmp_path: Path) -> None:
    """As version 1 wrote it: people are neither excluded, nor have anything from a link."""
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as old:
        old.executescript(f"{VERSIONS[0]} PRAGMA user_version=1;")
        old.execute("INSERT INTO meta VALUES ('project', ?)", (project().to_json(),))
        old.execute("INSERT INTO annotators VALUES (1, 'Ann', 'ann', NULL, NULL, NULL, '2025')")
    old.close()
    with opened(path) as store:
        assert [(one.name, one.excluded) for one in store.annotators()] == [("Ann", "")]
        store.add(items(1))
    with opened(path) as store, store.read() as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == VERSION
    with sqlite3.connect(path) as later:
        later.execute(f"PRAGMA user_version = {VERSION + 1}")
    later.close()
    with pytest.raises(AnnotationError, match="of this version"):
        AnnotationStore.open(path)


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
def test_another_file_is_no_project(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "p.sqlite"
    path.write_bytes(content)
    with pytest.raises(AnnotationError, match=r"project"):
        AnnotationStore.open(path)
    with pytest.raises(AnnotationError, match="does not exist"):
        AnnotationStore.open(tmp_path / "none.sqlite")


def test_items_that_repeat_are_named_and_left_out(tmp_path: Path) -> None:
    store = made(tmp_path, 3)
    again = [
        AnnotationItem("i0", "another text"),
        AnnotationItem("new", " mutant 1", "source  1"),
        AnnotationItem("own", "alone"),
    ]
    assert store.add(again) == ["i0", "new"]
    assert [item.id for item in store.items()] == ["i0", "i1", "i2", "own"]
    with pytest.raises(AnnotationError, match="no text"):
        store.add([AnnotationItem("fine", "a text"), AnnotationItem("empty", " ")])
    assert len(list(store.items())) == 4  # all or none


def test_a_name_belongs_to_its_pass_phrase(tmp_path: Path) -> None:
    store = made(tmp_path)
    ann, key = store.join("Ann  Lee", PASS)
    assert store.join("ann lee", PASS)[0] == ann == store.whose(key)
    with pytest.raises(AccessError, match="taken"):
        store.join("ANN LEE", "another phrase")
    with pytest.raises(AccessError, match="at least 8"):
        store.join("Bo", "short")
    with pytest.raises(AccessError, match="name of 1 to"):
        store.join(" \n", PASS)
    store.leave(key)
    with pytest.raises(AccessError, match="join again"):
        store.whose(key)
    assert PASS.encode() not in store.path.read_bytes()


def test_a_login_and_a_pass_phrase_are_different_people(tmp_path: Path) -> None:
    store = made(tmp_path)
    store.join("Ann", PASS)
    with pytest.raises(AccessError, match="taken"):
        store.join_by_login("Ann", "hf:ann")
    bo, _ = store.join_by_login("Bo", "hf:bo")
    assert store.join_by_login("Bo", "hf:bo")[0] == bo
    with pytest.raises(AccessError, match="taken"):
        store.join("Bo", PASS)


def test_items_go_round_until_all_are_judged(tmp_path: Path) -> None:
    store = made(tmp_path, 7)
    judging, (_, ann), (_, bo) = Judging(store), store.join("Ann", PASS), store.join("Bo", PASS)
    first = judging.upcoming(ann, 3)
    assert [a.item.id for a in judging.upcoming(ann, 3)] == [a.item.id for a in first]
    of_bo = judge_all(judging, bo)
    of_ann = judge_all(judging, ann)
    assert not set(of_ann) & set(of_bo)
    assert {item for item, _ in [*of_ann, *of_bo]} == {f"i{n}" for n in range(7)}
    assert judging.progress(ann).judged + judging.progress(bo).judged == 7
    assert judging.progress(ann).left == judging.progress(bo).left == 0


def test_a_page_holds_more_than_is_kept_from_others(tmp_path: Path) -> None:
    store = made(tmp_path, 10)
    judging = Judging(store)
    ann, bo, cy = (store.join(name, PASS)[1] for name in ("Ann", "Bo", "Cy"))
    of_ann = [a.item.id for a in judging.upcoming(ann, 8)]
    of_bo = [a.item.id for a in judging.upcoming(bo, 8)]
    assert len(of_ann) == 8
    # Bo first gets what nobody has, then what Ann has not come to; never what is reserved.
    assert not set(of_bo[:2]) & set(of_ann)
    assert not set(of_bo) & set(of_ann[:3])
    assert len(of_bo) == 7
    # What Bo has judged is on Ann's page no more, but counts if Ann judged it offline.
    both = next(item for item in of_ann if item in of_bo)
    judging.judge(bo, said(both))
    assert both not in [a.item.id for a in judging.upcoming(ann, 8)]
    judging.judge(ann, said(both))
    assert judging.undo(ann, "undo")
    assert both in [a.item.id for a in judging.upcoming(ann, 8)]
    judging.judge(ann, said(both))
    assert sum(one.item == both for one in store.judgements()) == 2
    met = [item for key in (ann, bo, cy) for item, _ in judge_all(judging, key)]
    assert len(met) == len(set(met)) == 9
    assert judging.upcoming(ann) == judging.upcoming(bo) == judging.upcoming(cy) == []


@pytest.mark.parametrize(("share", "shared"), [(0.0, 0), (0.3, 3), (0.25, 2), (1.0, 10)])
def test_a_share_is_judged_by_everybody(tmp_path: Path, share: float, shared: int) -> None:
    store = made(tmp_path, 10, share=share)
    judging = Judging(store)
    people = [store.join(name, PASS)[1] for name in ("Ann", "Bo", "Cy")]
    met = Counter[str]()
    for person, key in enumerate(people):
        met.update(item for item, _ in judge_all(judging, key))
        # Those for all lack somebody until the last person has judged them.
        assert store.done() == ((10 if person == 2 else 10 - shared), 10)
    assert Counter(met.values()) == Counter({3: shared, 1: 10 - shared}) - Counter({3: 0, 1: 0})


def test_a_text_for_all_needs_two_people_and_all_who_may_judge(tmp_path: Path) -> None:
    store = made(tmp_path, 2, share=1.0)
    judging, (_, ann) = Judging(store), store.join("Ann", PASS)
    judge_all(judging, ann)
    assert store.done() == (0, 2)
    _, bo = store.join("Bo", PASS)
    first = judging.upcoming(bo)[0].item.id
    judging.judge(bo, said(first, status=Status.SKIPPED, answers={}))
    judge_all(judging, bo)
    assert store.done() == (1, 2)
    judging.return_skipped(bo)
    judge_all(judging, bo)
    assert store.done() == (2, 2)
    _, cy = store.join("Cy", PASS)
    assert store.done() == (0, 2)
    judge_all(judging, cy, 1)
    store.change(quota=1)  # Cy has judged enough
    assert store.done() == (2, 2)
    store.change(quota=0)
    exclude(store, "Cy", "was a test")
    assert store.done() == (2, 2)


def test_other_items_are_judged_as_often_as_wanted(tmp_path: Path) -> None:
    store = made(tmp_path, 5, copies=2)
    judging = Judging(store)
    met = Counter(
        item for name in ("Ann", "Bo", "Cy")
        for item, _ in judge_all(judging, store.join(name, PASS)[1])
    )  # fmt: skip
    assert set(met.values()) == {2}


def test_annotators_meet_items_in_orders_of_their_own(tmp_path: Path) -> None:
    store = made(tmp_path, 12, share=1.0)
    judging = Judging(store)
    orders = [judge_all(judging, store.join(name, PASS)[1]) for name in ("Ann", "Bo")]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])


@pytest.mark.parametrize("of_text", [[2] * 25, [10] + [1, 2] * 12])
@pytest.mark.parametrize("share", [0.0, 0.2])
def test_items_of_one_text_stand_apart(tmp_path: Path, of_text: list[int], share: float) -> None:
    store = made(tmp_path, 0, share=share, copies=1, repeats=0.0)
    store.add([
        AnnotationItem(f"{text}-{n}", f"mutant {n} of {text}", f"source {text}")
        for text, many in enumerate(of_text) for n in range(many)
    ])  # fmt: skip
    judging, met = Judging(store), dict[str, list[str]]()
    keys = {name: store.join(name, PASS)[1] for name in ("Ann", "Bo")}
    for _ in range(sum(of_text)):
        for name, key in keys.items():
            for item, _ in judge_all(judging, key, 1):
                met.setdefault(name, []).append(item.partition("-")[0])
    for texts in met.values():
        assert all(before != after for before, after in pairwise(texts))
    # Alone, each text of two stands half of the items apart, about.
    alone = made(tmp_path, 0, share=0.0)
    alone.add(store.items())
    met_alone = judge_all(Judging(alone), alone.join("C", PASS)[1])
    texts = [item.partition("-")[0] for item, _ in met_alone]
    twice = [text for text, many in Counter(texts).items() if many == 2]
    gaps = [len(texts) - 1 - texts[::-1].index(text) - texts.index(text) for text in twice]
    assert all(gap >= len(texts) // 4 for gap in gaps)


@pytest.mark.slow
@examples(25)
@given(
    many=st.integers(1, 30), gap=st.integers(1, 12), repeats=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 9),
)  # fmt: skip
def test_repeats_come_once_and_late(
    tmp_path_factory: pytest.TempPathFactory, many: int, gap: int, repeats: float, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("repeats")
    store = made(folder, many, share=1.0, repeats=repeats, gap=gap, seed=seed)
    judging, (_, key) = Judging(store), store.join("Ann", PASS)
    left = judging.progress(key).left
    met = judge_all(judging, key)
    assert len(met) == len(set(met)) == left
    again = [item for item, showing in met if showing == 2]
    assert len(again) == int(many * repeats + 0.5)
    last_new = max(place for place, (_, showing) in enumerate(met) if showing == 1)
    for item in again:
        first, second = met.index((item, 1)), met.index((item, 2))
        assert first < second
        assert second - first > gap or second > last_new
    store.close()


def test_equal_loads_have_equal_repeats(tmp_path: Path) -> None:
    store = made(tmp_path, 20, share=1.0, repeats=0.1, gap=3)
    judging = Judging(store)
    chosen = set()
    for name in ("Ann", "Bo", "Cy"):
        _, key = store.join(name, PASS)
        assert judging.progress(key).left == 22
        again = [item for item, showing in judge_all(judging, key) if showing == 2]
        assert len(again) == 2
        progress = judging.progress(key)
        assert (progress.judged, progress.again, progress.left) == (22, 2, 0)
        chosen |= set(again)
    assert len(chosen) > 2
    # A skipped text is no load, and an older project goes on by chance.
    _, key = store.join("Dee", PASS)
    for _ in range(6):
        first = judging.upcoming(key)[0].item.id
        judging.judge(key, said(first, status=Status.SKIPPED, answers={}))
    assert sum(showing == 2 for _, showing in judge_all(judging, key)) == 1
    settings = json.loads(store.project().to_json())
    del settings["even"]
    assert not Project.from_json(json.dumps(settings)).even


def test_undo_asks_again_with_what_was_said(tmp_path: Path) -> None:
    store = made(tmp_path, 4)
    judging, (_, key) = Judging(store), store.join("Ann", PASS)
    first = judging.upcoming(key)[0].item.id
    assert judging.undo(key, "u0") is False
    judging.judge(key, said(first, comment="hm"))
    assert judging.upcoming(key)[0].item.id != first
    assert judging.undo(key, "u1") is True
    assert judging.undo(key, "u1") is True  # sent twice: taken back once
    back = judging.upcoming(key)[0]
    assert (back.item.id, dict(back.earlier), back.comment) == (first, ANSWERS, "hm")
    judging.judge(key, said(first, answers={**ANSWERS, "same": "yes"}))
    assert [j.answers["same"] for j in store.judgements()] == ["yes"]
    assert [j.status.value for j in store.judgements(history=True)] == [
        "judged", "withdrawn", "judged",
    ]  # fmt: skip


def test_what_was_skipped_can_come_back(tmp_path: Path) -> None:
    store = made(tmp_path, 2)
    judging, (_, key) = Judging(store), store.join("Ann", PASS)
    for _ in range(2):
        item = judging.upcoming(key)[0].item.id
        judging.judge(key, said(item, status=Status.SKIPPED, answers={}))
    assert judging.upcoming(key) == []
    assert judging.progress(key).skipped == 2
    assert judging.return_skipped(key) == 2
    assert len(judge_all(judging, key)) == 2


def test_a_judgement_sent_twice_counts_once(tmp_path: Path) -> None:
    store = made(tmp_path)
    judging, (_, key) = Judging(store), store.join("Ann", PASS)
    one = said(judging.upcoming(key)[0].item.id)
    assert judging.judge(key, one) == judging.judge(key, one)
    assert len(list(store.judgements(history=True))) == 1


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"answers": {"sense": "yes"}}, "'same' is not answered"),
        ({"answers": {**ANSWERS, "same": "maybe"}}, "no answer 'maybe'"),
        ({"answers": {**ANSWERS, "other": "yes"}}, "no question 'other'"),
        ({"item": "i9"}, "removed"),
        ({"showing": 2}, "not given to you"),
        ({"comment": "x" * 5000}, "shorten it"),
        ({"key": ""}, "a key of 1 to 100 characters"),
        ({"seconds": float("nan")}, "seconds from 0 up, not nan"),
        ({"seconds": float("inf")}, "seconds from 0 up, not inf"),
        ({"seconds": -1.0}, "seconds from 0 up, not -1"),
    ],
)
def test_what_cannot_be_kept_is_refused(
    tmp_path: Path, changes: dict[str, object], why: str
) -> None:
    store = made(tmp_path)
    judging, (_, key) = Judging(store), store.join("Ann", PASS)
    with pytest.raises(AnnotationError, match=why):
        judging.judge(key, said(judging.upcoming(key)[0].item.id, **changes))
    assert list(store.judgements(history=True)) == []


def test_nobody_judges_for_another(tmp_path: Path) -> None:
    store = made(tmp_path, 6)
    judging, (_, ann), (_, bo) = Judging(store), store.join("Ann", PASS), store.join("Bo", PASS)
    own = judging.upcoming(ann, 1)[0].item.id
    other = {a.item.id for a in judging.upcoming(bo, 5)}
    assert own not in other
    with pytest.raises(AnnotationError, match="not given to you"):
        judging.judge(bo, said(own))
    with pytest.raises(AccessError):
        judging.judge("no key", said(own))
    one = said(own)
    judging.judge(ann, one)
    with pytest.raises(AnnotationError, match="already used"):
        judging.judge(bo, replace(one, item=next(iter(other))))


def test_a_closed_project_takes_nothing(tmp_path: Path) -> None:
    store = made(tmp_path)
    judging, (_, key) = Judging(store), store.join("Ann", PASS)
    item = judging.upcoming(key)[0].item.id
    store.change(closed=True)
    for act in (
        lambda: judging.judge(key, said(item)), lambda: judging.upcoming(key),
        lambda: judging.undo(key, "u"), lambda: judging.return_skipped(key),
    ):  # fmt: skip
        with pytest.raises(GoneError, match="closed"):
            act()
    store.change(closed=False)
    judging.judge(key, said(item))


def test_an_item_taken_out_counts_no_longer(tmp_path: Path) -> None:
    store = made(tmp_path)
    judging, (_, key) = Judging(store), store.join("Ann", PASS)
    first, second = (a.item.id for a in judging.upcoming(key, 2))
    judging.judge(key, said(first))
    store.remove(first)
    store.remove(second)
    with pytest.raises(GoneError, match="removed"):
        judging.judge(key, said(second))
    assert list(store.judgements()) == []
    assert {first, second} & {item for item, _ in judge_all(judging, key)} == set()


def test_the_file_itself_keeps_judgements(tmp_path: Path) -> None:
    store = made(tmp_path)
    judging, (_, key) = Judging(store), store.join("Ann", PASS)
    judging.judge(key, said(judging.upcoming(key)[0].item.id))
    store.close()
    with sqlite3.connect(store.path) as connection:
        for words in ("UPDATE judgements SET answers = '{}'", "DELETE FROM judgements"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(words)
    connection.close()


def test_questions_stay_once_they_are_answered(tmp_path: Path) -> None:
    store = made(tmp_path)
    judging, (_, key) = Judging(store), store.join("Ann", PASS)
    store.change(questions=default_questions("de")[1])
    judging.judge(key, said(judging.upcoming(key)[0].item.id))
    store.change(name="Another name")
    with pytest.raises(AnnotationError, match="new project"):
        store.change(questions=default_questions()[1])


def test_the_owner_decides_and_may_change_it(tmp_path: Path) -> None:
    store = made(tmp_path)
    store.adjudicate("i1", "sense", "no")
    store.adjudicate("i2", "sense", "no")
    store.adjudicate("i1", "sense", "yes")
    store.adjudicate("i2", "sense", "")
    assert store.adjudications() == {("i1", "sense"): "yes"}
    with pytest.raises(AnnotationError, match="no answer 'perhaps'"):
        store.adjudicate("i1", "sense", "perhaps")
    with pytest.raises(GoneError):
        store.adjudicate("gone", "sense", "yes")


@pytest.mark.slow
def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    store = made(tmp_path, 40, share=0.5)
    judging = Judging(store)
    sent: list[str] = []

    def work(name: str) -> None:
        _, key = store.join(name, PASS)
        for _ in range(15):
            found = judging.upcoming(key, 2)
            if not found:
                break
            one = said(found[0].item.id)
            judging.judge(key, one)
            sent.append(one.key)

    threads = [threading.Thread(target=work, args=(f"Ann {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as connection:
        kept = [row[0] for row in connection.execute("SELECT key FROM judgements")]
        twice = connection.execute(
            "SELECT item FROM judgements JOIN items ON number = item WHERE shared = 0 "
            "GROUP BY item HAVING COUNT(*) > 1"
        ).fetchall()
    assert sorted(kept) == sorted(sent)
    assert len(sent) == len(set(sent))
    assert twice == []


def test_a_certain_judgement_can_be_taken_back(tmp_path: Path) -> None:
    store = made(tmp_path, 3)
    judging, (_, key) = Judging(store), store.join("Ann", PASS)
    first = judge_all(judging, key)[0]
    assert judging.undo(key, "u", first) is True
    assert [a.item.id for a in judging.upcoming(key)] == [first[0]]
    assert judging.undo(key, "v", first) is False  # it does not stand any more
    assert judging.undo(key, "w", ("i9", 1)) is False


def test_an_item_is_read_by_those_who_were_given_it(tmp_path: Path) -> None:
    store = made(tmp_path)
    judging, (_, ann), (_, bo) = Judging(store), store.join("Ann", PASS), store.join("Bo", PASS)
    item = judging.upcoming(ann, 1)[0].item
    assert judging.given(ann, item.id) == item
    with pytest.raises(GoneError, match="not given"):
        judging.given(bo, item.id)
    store.remove(item.id)
    with pytest.raises(GoneError):
        judging.given(ann, item.id)


def test_the_owner_sees_how_far_everybody_is(tmp_path: Path) -> None:
    store = made(tmp_path, 4, share=1.0)
    judging, (_, ann), (_, bo) = Judging(store), store.join("Ann", PASS), store.join("Bo", PASS)
    judge_all(judging, ann, 3)
    told = {one.annotator.name: one for one in judging.standings()}
    assert told["Ann"] == judging.progress(ann)
    assert told["Bo"] == judging.progress(bo)
    assert told["Ann"].judged == 3
    assert told["Ann"].latest == max(j.at for j in store.judgements())
    assert told["Bo"].latest == ""


@pytest.mark.parametrize(
    ("judged", "skipped", "changes", "finished"),
    [
        (6, 0, {}, True),  # all there are
        (3, 3, {}, True),  # what is unpleasant may be skipped
        (2, 4, {}, False),
        (0, 6, {}, False),
        (2, 0, {"quota": 2}, True),
        (2, 1, {"quota": 2}, True),  # a skip besides takes nothing away
        (1, 5, {"quota": 2}, False),
        (6, 0, {"quota": 9}, True),  # there are no more
        (6, 0, {"closed": True}, True),
        (3, 0, {"closed": True}, False),
        (3, 0, {"closed": True, "quota": 4}, False),
        (3, 0, {"closed": True, "quota": 3}, True),
    ],
)
def test_who_has_done_enough_is_finished(
    tmp_path: Path, judged: int, skipped: int, changes: dict[str, object], finished: bool
) -> None:
    store = made(tmp_path)
    judging, key = Judging(store), store.join("Ann", PASS)[1]
    assert not judging.finished(key)
    for number in range(skipped + judged):
        status = Status.SKIPPED if number < skipped else Status.JUDGED
        judging.judge(key, said(judging.upcoming(key)[0].item.id, status=status))
    store.change(**changes)
    assert judging.finished(key) is finished


def test_without_a_judgement_nobody_is_finished(tmp_path: Path) -> None:
    store = made(tmp_path, 1)
    judging = Judging(store)
    (_, ann), (_, bo) = store.join("Ann", PASS), store.join("Bo", PASS)
    judging.upcoming(ann)  # reserves the only text
    for closed in (False, True):
        assert closed or judging.upcoming(bo) == []
        assert not judging.finished(bo)
        store.change(closed=True)
    store.change(closed=False)
    judging.judge(ann, said("i0"))
    assert (judging.finished(ann), judging.finished(bo)) == (True, False)
    store.remove("i0")  # a judgement of a text that is taken out was work, too
    assert judging.finished(ann)


def test_the_time_at_work_counts_no_absence(tmp_path: Path) -> None:
    store = made(tmp_path, 3)
    judging, (_, key) = Judging(store), store.join("Ann", PASS)
    for seconds in (20.0, 9000.0):
        judging.judge(key, said(judging.upcoming(key)[0].item.id, seconds=seconds))
    judging.undo(key, "back")
    assert judging.progress(key).seconds == 320
