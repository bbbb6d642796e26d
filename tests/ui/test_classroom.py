"""Classes: guesses counted once for each device, for their teacher alone, and for thirty days."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hinter_core.errors import InputError
from hinter_ui.html.wording import Words
from hinter_ui.learn import classroom
from hinter_ui.learn.classroom import Classroom, ClassroomError, ClosedClassError, UnknownClassError
from hinter_ui.learn.events import guess_counter
from hinter_ui.learn.lesson import questions
from tests.ui.conftest import Clock

QUESTIONS = {"guess": ("stays", "turns"), "plot": ("above", "below")}
DAY = 24 * 3600.0


@pytest.fixture
def classes(tmp_path: Path, clock: Clock) -> Classroom:
    return Classroom(tmp_path / "classes", QUESTIONS, clock)


def device(number: int) -> str:
    return f"device-{number:06}"


def test_a_guess_counts_once_for_a_device_and_the_first_one_holds(classes: Classroom) -> None:
    code, key = classes.open()
    for number, choice in enumerate(["stays", "stays", "turns"]):
        assert classes.guess(code, device(number), "guess", choice)
    assert not classes.guess(code, device(0), "guess", "turns")  # the answer is known now
    assert classes.guess(code, device(0), "guess", "stays")  # sent twice
    classes.guess(code, device(0), "plot", "below")
    seen = classes.look(key)
    assert seen.counts == {
        "guess": {"stays": 2, "turns": 1},
        "plot": {"above": 0, "below": 1},
    }
    assert (seen.code, seen.devices, seen.closed) == (code, 3, False)


def test_an_answer_is_shown_by_the_teacher_alone(classes: Classroom) -> None:
    code, key = classes.open()
    assert classes.stages(code) == (frozenset(), frozenset())
    classes.guess(code, device(1), "guess", "stays")
    classes.reveal(key, "guess")
    classes.reveal(key, "nosuch")
    assert classes.stages(code) == ({"guess"}, frozenset())
    with pytest.raises(ClassroomError, match="shown already"):
        classes.guess(code, device(2), "guess", "turns")
    assert classes.guess(code, device(2), "plot", "above")
    with pytest.raises(UnknownClassError):
        classes.reveal(f"{code}.wrong", "plot")
    classes.reveal(key)
    assert classes.look(key).revealed == set(QUESTIONS)
    classes.close(key)
    assert classes.stages(code)[0] == set(QUESTIONS) == classes.stages("NOSUCH")[0]


def test_a_second_vote_stands_beside_the_first(classes: Classroom) -> None:
    code, key = classes.open()
    for number, choice in enumerate(["stays", "stays", "turns"]):
        classes.guess(code, device(number), "guess", choice)
    classes.vote_again(key, "guess")
    assert classes.stages(code)[1] == {"guess"}
    assert classes.guess(code, device(0), "guess", "turns")
    assert not classes.guess(code, device(0), "guess", "stays")  # once in each vote
    classes.guess(code, device(0), "plot", "below")
    seen = classes.look(key)
    assert seen.counts["guess"] == {"stays": 2, "turns": 1}
    assert seen.second["guess"] == {"stays": 0, "turns": 1}
    assert seen.second["plot"] == {"above": 0, "below": 0}
    assert (seen.devices, seen.again) == (3, {"guess"})

    classes.reveal(key, "guess")
    classes.clear(key, "guess")  # one question begins anew
    seen = classes.look(key)
    assert sum(seen.counts["guess"].values()) == sum(seen.second["guess"].values()) == 0
    assert seen.counts["plot"] == {"above": 0, "below": 1}
    assert not seen.again
    assert not seen.revealed
    assert classes.guess(code, device(0), "guess", "stays")


def test_a_code_is_read_however_it_was_typed(classes: Classroom) -> None:
    code, _ = classes.open()
    assert classes.join(f" {code[:3].lower()}-{code[3:].lower()} ") == code
    for wrong in ("", "ABC", "0OI1LL", "ZZZZZZ", "x" * 500, None, 7, "' OR 1=1 --"):
        with pytest.raises(UnknownClassError, match="no class of that code"):
            classes.join(wrong)


def test_only_the_key_opens_the_chart(classes: Classroom) -> None:
    code, key = classes.open()
    other, other_key = classes.open()
    for wrong in (code, f"{code}.", f"{code}.{other_key.split('.')[1]}", "", None, key + "x"):
        with pytest.raises(UnknownClassError):
            classes.look(wrong)
        with pytest.raises(UnknownClassError):
            classes.clear(wrong)
        with pytest.raises(UnknownClassError):
            classes.close(wrong)
    assert not classes.look(key).closed
    assert other != code


def test_a_class_is_cleared_and_closed(classes: Classroom) -> None:
    code, key = classes.open()
    other, other_key = classes.open()
    classes.guess(code, device(1), "guess", "stays")
    classes.guess(other, device(1), "guess", "stays")
    classes.clear(key)
    assert classes.look(key).devices == 0
    assert classes.look(other_key).devices == 1
    classes.guess(code, device(1), "guess", "turns")
    classes.close(key)
    with pytest.raises(ClosedClassError):
        classes.guess(code, device(2), "guess", "stays")
    with pytest.raises(ClosedClassError):
        classes.join(code)
    assert classes.look(key).counts["guess"] == {"stays": 0, "turns": 1}
    assert classes.look(key).closed


@pytest.mark.parametrize(
    ("who", "question", "choice"),
    [
        ("device-000001", "no question", "stays"),
        ("device-000001", "guess", "below"),
        ("device-000001", "guess", None),
        ("device-000001", ["guess"], "stays"),
        ("", "guess", "stays"),
        ("<b>device</b>", "guess", "stays"),
        ("x" * 65, "guess", "stays"),
        (None, "guess", "stays"),
    ],
)
def test_what_is_no_guess_is_refused(
    classes: Classroom, who: object, question: object, choice: object
) -> None:
    code, key = classes.open()
    with pytest.raises(InputError):
        classes.guess(code, who, question, choice)
    assert classes.look(key).devices == 0


def test_a_class_is_gone_after_thirty_days_with_its_guesses(
    classes: Classroom, clock: Clock
) -> None:
    code, key = classes.open()
    classes.guess(code, device(1), "guess", "stays")
    clock.now += 29 * DAY
    young, young_key = classes.open()
    classes.guess(young, device(1), "guess", "stays")
    assert classes.look(key).devices == 1
    clock.now += 1 * DAY + 1
    with pytest.raises(UnknownClassError):
        classes.look(key)
    # An app that is started anew deletes it before anything else.
    Classroom(classes.path.parent, QUESTIONS, clock).look(young_key)
    with sqlite3.connect(classes.path) as db:
        assert db.execute("SELECT code FROM class").fetchall() == [(young,)]
        assert db.execute("SELECT code FROM guess").fetchall() == [(young,)]


def test_nothing_tells_who_guessed(classes: Classroom) -> None:
    first, key = classes.open()
    second, _ = classes.open()
    for code in (first, second):
        classes.guess(code, device(1), "guess", "stays")
    content = b"".join(path.read_bytes() for path in classes.path.parent.iterdir())
    assert device(1).encode() not in content
    assert key.split(".")[1].encode() not in content
    with sqlite3.connect(classes.path) as db:
        marks = [mark for (mark,) in db.execute("SELECT device FROM guess")]
        columns = [row[1] for row in db.execute("PRAGMA table_info(guess)")]
    assert len(set(marks)) == 2  # one device in two classes is not known to be the same
    assert columns == ["code", "question", "device", "choice"]


def test_hundreds_of_students_at_once_are_all_counted(tmp_path: Path) -> None:
    rooms = [Classroom(tmp_path, QUESTIONS) for _ in range(3)]  # as several processes would be
    code, key = rooms[0].open()

    def guess(number: int) -> None:
        rooms[number % 3].guess(code, device(number), "guess", "stays" if number % 4 else "turns")

    with ThreadPoolExecutor(40) as pool:
        list(pool.map(guess, range(300)))
    assert rooms[1].look(key).counts["guess"] == {"stays": 225, "turns": 75}


def test_a_full_house_and_a_folder_that_cannot_be_written(
    classes: Classroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classroom, "MOST_DEVICES", 2)
    code, key = classes.open()
    for number in range(2):
        classes.guess(code, device(number), "guess", "stays")
    with pytest.raises(InputError, match="full"):
        classes.guess(code, device(2), "guess", "stays")
    classes.guess(code, device(1), "guess", "turns")
    assert classes.look(key).counts["guess"] == {"stays": 2, "turns": 0}
    monkeypatch.setattr(classroom, "MOST_CLASSES", 1)
    with pytest.raises(InputError, match="Too many classes"):
        classes.open()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="HINTER_CLASSES"):
        Classroom(tmp_path / "file" / "below", QUESTIONS).open()


def test_the_folder_is_named_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HINTER_CLASSES", str(tmp_path / "named"))
    Classroom.at_home(QUESTIONS).open()
    assert (tmp_path / "named" / "classes.sqlite").exists()


def test_whatever_a_browser_sends_is_answered(classes: Classroom, clock: Clock) -> None:
    count = guess_counter(Classroom(classes.path.parent, questions(), clock))
    code, key = classes.open()
    own = [code, device(1), "guess", "stays"]
    for wrong in (None, "x", {}, [], own[:3], [[], {}, None, 1, 2], [*own[:3], "<b>", "en"]):
        assert "no guess of the lesson" in count(wrong)
    assert count([*own, "de", "more"]) == Words("learn", "de")("join.sent")
    assert count(["ZZZZZZ", *own[1:], "en"]) == Words("learn", "en")("join.unknown")
    assert classes.look(key).devices == 1
    classes.close(key)
    assert count([*own, "xx"]) == Words("learn", "en")("join.closed")
