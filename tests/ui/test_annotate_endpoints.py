"""What annotators' pages may ask of the server: by those who may, of what is theirs, in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from starlette.requests import Request

from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.types import (
    AccessError,
    AnnotationError,
    AnnotationItem,
    Practice,
    Project,
)
from hinter_ui.annotate.endpoints import AnnotatorEndpoints, Login, Throttle
from hinter_ui.shared.gate import visitor_of
from hinter_ui.shared.library import Annotations
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Visitor
from tests.ui.conftest import App

PASS = "a long enough phrase"
ANSWERS = {"sense": "yes", "same": "no", "grammatical": "unsure"}


class Room:
    """The counter of a project, asked as a page asks it."""

    def __init__(self, folder: Path, many: int = 6, **settings: Any) -> None:
        self.projects = Annotations(folder, lambda: False)
        asked = {"questions": default_questions(settings.get("language", "en"))[1]}
        self.id, self.key = self.projects.new(Project("Trial", **asked | settings))
        self.judging = self.projects.judging(self.id)
        self.judging.store.add(
            AnnotationItem(
                f"i{n}", f"The Syrian waiter number {n}.", f"The British waiter number {n}."
            )
            for n in range(many)
        )
        self.address = "192.0.2.1"
        self.counter = AnnotatorEndpoints(Services(), self.projects)

    def ask(
        self, act: str, told: Any = None, /, login: Login | None = None, **more: Any
    ) -> dict[str, Any]:
        told = {"project": self.id, **more} if told is None else told
        scope = {"type": "http", "headers": [], "client": (self.address, 1)}
        return self.counter.answer(act, told, login, visitor_of(Request(scope)).network)

    def join(self, name: str, phrase: str = PASS) -> str:
        return str(self.ask("join", name=name, phrase=phrase)["key"])

    def items(self, key: str) -> list[dict[str, Any]]:
        return list(self.ask("work", key=key, sent=[])["items"])

    def send(self, key: str, item: dict[str, Any], /, **more: Any) -> dict[str, Any]:
        said = {"id": uuid4().hex, "kind": "judged", "item": item["item"], "answers": ANSWERS,
                "showing": item["showing"]} | more  # fmt: skip
        return self.ask("work", key=key, sent=[said])

    def kept(self) -> list[Any]:
        return list(self.judging.store.judgements(history=True))


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def test_a_wrong_key_gets_an_error_value_and_nothing_else(room: Room) -> None:
    key = room.join("Ann")
    item = room.items(key)[0]
    for wrong in ("", "no key", key + "x", "\x00", None, 7, [], {}):
        for name in ("work", "trees"):
            answer = room.ask(name, key=wrong, item=item["item"], sent=[{"kind": "again"}])
            assert list(answer) == ["error"]
            assert answer["error"]["code"] == "signed-out"
    for told in (None, 3, "x", [], {"project": 5}, {"project": "../../etc/passwd"}, {}):
        answer = room.ask("work", told if told is not None else [])
        assert answer["error"]["code"] in ("failed", "no-project")
    assert room.ask("enter", project="x" * 30)["error"]["code"] == "no-project"
    assert room.kept() == []


def test_nobody_reads_or_writes_for_another(room: Room) -> None:
    room.judging.store.change(share=0.0)
    ann, bo = room.join("Ann"), room.join("Bo")
    of_ann, of_bo = room.items(ann), room.items(bo)
    alone = next(i for i in of_ann if i["item"] not in {one["item"] for one in of_bo})
    assert room.ask("trees", key=bo, item=alone["item"])["error"]["code"] == "not-given"
    answer = room.send(bo, alone)
    assert answer["done"][0]["error"]["code"] == "not-given"
    assert room.kept() == []
    done = room.send(ann, alone)["done"]
    assert done == [{"id": done[0]["id"]}]
    # Bo's undo does not reach Ann's judgement, by name or without.
    for more in ({}, {"item": alone["item"], "showing": 1}):
        room.ask("work", key=bo, sent=[{"id": uuid4().hex, "kind": "undo", **more}])
    assert [one.status.value for one in room.kept()] == ["judged"]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"answers": {"sense": "<b>"}}, "answers"), ({"answers": None}, "answers"),
        ({"answers": [1]}, "answers"), ({"showing": "1"}, "not-given"),
        ({"showing": 9}, "not-given"),
        ({"id": ""}, "key"), ({"id": None}, "key"), ({"id": "x" * 500}, "key"),
        ({"id": "", "kind": "undo"}, "key"), ({"comment": "x" * 5000}, "comment"),
        ({"item": "none"}, "gone"), ({"item": None}, "gone"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_told_and_work_goes_on(
    room: Room, said: dict[str, Any], code: str
) -> None:
    key = room.join("Ann")
    answer = room.send(key, room.items(key)[0], **said)
    assert answer["done"][0]["error"]["code"] == code
    assert len(answer["items"]) == 6
    assert room.kept() == []
    assert len(room.send(key, answer["items"][0], comment="\ud800 fine")["items"]) == 5
    assert len(room.kept()) == 1


@pytest.mark.parametrize(
    ("said", "kept"), [(12.5, 12.5), (float("nan"), 0), (-3, 0), (1e30, 86_400), ("soon", 0)]
)
def test_an_odd_duration_loses_no_judgement(room: Room, said: Any, kept: float) -> None:
    key = room.join("Ann")
    room.send(key, room.items(key)[0], seconds=said)
    assert [one.seconds for one in room.kept()] == [kept]


def test_texts_that_the_page_holds_are_not_sent_again(tmp_path: Path) -> None:
    room = Room(tmp_path, 30)
    key = room.join("Ann")
    first = room.items(key)
    assert len(first) == 16
    held = [f"{one['showing']} {one['item']}" for one in first]
    said = {"id": "1", "kind": "judged", "answers": ANSWERS, "item": first[0]["item"], "showing": 1}
    then = room.ask("work", key=key, sent=[said], held=held)["items"]
    assert [one["item"] for one in then[:15]] == [one["item"] for one in first[1:]]
    assert ["html" in one for one in then] == [False] * 15 + [True]
    # Whatever a page says of it, it gets what it needs.
    for nonsense in (None, 7, "x", [None, {}, [], "1"]):
        assert all("html" in one for one in room.ask("work", key=key, held=nonsense)["items"])


def test_what_is_sent_again_counts_once(room: Room) -> None:
    key = room.join("Ann")
    item = room.items(key)[0]
    for _ in range(3):
        room.send(key, item, id="the same")
    assert len(room.kept()) == 1
    many = [{"id": f"s{n}", "kind": "skipped", **{k: i[k] for k in ("item", "showing")}}
            for n, i in enumerate(room.items(key)[:3])]  # fmt: skip
    answer = room.ask("work", key=key, sent=[*many, *many])
    assert [one["id"] for one in answer["done"]] == ["s0", "s1", "s2"] * 2
    assert answer["progress"] == {"judged": 1, "skipped": 3, "left": 2, "seconds": 0.0}


def test_a_judgement_that_met_a_full_disk_is_not_called_done(room: Room) -> None:
    key, long = room.join("Ann"), "x" * 3900
    with room.judging.store.read() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        for item in (first := room.items(key)):  # some may find room in a page that is there
            answer = room.send(key, item, id=item["item"], comment=long)
            if "error" in answer:
                break
        assert answer["error"]["code"] == "failed"
        before = {one.item for one in room.kept()}
        assert item["item"] not in before
        connection.execute("PRAGMA max_page_count = 100000")
    for item in first:
        room.send(key, item, id=item["item"], comment=long)
    assert sorted(one.item for one in room.kept()) == sorted(item["item"] for item in first)


def test_guessing_is_slow(room: Room) -> None:
    now = [0.0]
    room.counter.throttle = Throttle(clock=lambda: now[0])
    room.join("Ann")

    def code(name: str, phrase: str) -> str:
        return str(room.ask("join", name=name, phrase=phrase).get("error", {}).get("code", "in"))

    assert [code("Ann", f"wrong guess {n}") for n in range(7)] == ["taken"] * 5 + ["slow"] * 2
    assert code(" ANN", PASS) == "slow"  # even with the right one, for a minute
    assert code("Bo", PASS) == "in"
    now[0] = 61.0
    assert [code("Ann", PASS) for _ in range(8)] == ["in"] * 8  # what is right does not count
    for n in range(6):
        room.join(f"P{n}")
    told = [code(f"P{n % 6}", "wrong again") for n in range(33)]
    assert told == ["taken"] * 30 + ["slow"] * 3
    assert code("somebody new", PASS) == "slow"
    # Mistakes that guess nothing are free.
    now[0] = 130.0
    assert [code("", PASS) for _ in range(40)] == ["name"] * 40
    assert [code("new", "short") for _ in range(40)] == ["short"] * 40


def test_a_stranger_who_guesses_locks_out_nobody_else(room: Room) -> None:
    now = [0.0]
    room.counter.throttle = Throttle(clock=lambda: now[0])
    for name in ("Ann", "Bo"):
        room.join(name)

    def code(name: str, phrase: str, address: str) -> str:
        room.address = address
        return str(room.ask("join", name=name, phrase=phrase).get("error", {}).get("code", "in"))

    for n in range(40):
        code(("Ann", "Bo", f"P{n}")[n % 3], "wrong guess", "198.51.100.7")
    assert code("Ann", PASS, "198.51.100.7") == "slow"
    assert code("Ann", PASS, "192.0.2.1") == "in"
    assert code("Bo", PASS, "192.0.2.1") == "in"
    # Addresses of one network of version 6 are one visitor's.
    told = [code("Ann", "wrong guess", f"2001:db8::{n:x}") for n in range(6)]
    assert told == ["taken"] * 5 + ["slow"]
    assert code("Ann", "wrong guess", "2001:db8:0:1::1") == "taken"
    # From everywhere at once, a name is guessed so often and no more.
    now[0] = 61.0
    told = [code("Ann", "wrong guess", f"203.0.113.{n}") for n in range(62)]
    assert told == ["taken"] * 60 + ["slow"] * 2


def test_what_a_visitor_says_of_their_address_gives_no_more_guesses(room: Room) -> None:
    room.join("Ann")
    told = {"project": room.id, "name": "Ann", "phrase": "wrong guess"}

    def code(spoofed: str, network: str) -> str:
        headers = [(b"x-forwarded-for", spoofed.encode())]
        scope = {"type": "http", "headers": headers, "client": ("10.0.0.1", 1)}
        scope["state"] = {"visitor": Visitor(network)}  # as the gate finds it
        found = room.counter.answer("join", told, None, visitor_of(Request(scope)).network)
        return str(found["error"]["code"])

    found = [code(f"192.0.2.{n}", "203.0.113.1") for n in range(80)]
    assert found == ["taken"] * 5 + ["slow"] * 75
    assert code("203.0.113.1", "203.0.113.2") == "taken"  # another person is not locked out


def test_who_is_signed_in_elsewhere_joins_without_a_pass_phrase(room: Room) -> None:
    ann = Login("Ann", "ann")
    form = room.ask("enter", {"project": room.id}, ann)["html"]
    assert "Join as Ann, signed in with Hugging Face" in form
    key = room.ask("join", {"project": room.id, "login": True}, ann)["key"]
    assert room.judging.store.whose(key).name == "Ann"
    assert room.ask("join", name="Ann", phrase=PASS)["error"]["code"] == "taken"
    # Without the other service's word, the wish alone is none.
    assert room.ask("join", login=True)["error"]["code"] == "name"


def test_errors_speak_the_projects_language(tmp_path: Path) -> None:
    room = Room(tmp_path, language="de")
    message = room.ask("join", name="Ann", phrase="kurz")["error"]["message"]
    assert "mindestens 8 Zeichen" in message
    room.judging.store.change(closed=True)
    key = room.join("Ann")
    assert "geschlossen" in room.ask("work", key=key, sent=[])["closed"]


def test_leaving_makes_the_key_worthless(room: Room) -> None:
    key = room.join("Ann")
    assert "You have left" in room.ask("leave", key=key)["html"]
    assert room.ask("work", key=key, sent=[])["error"]["code"] == "signed-out"
    assert "join-form" in room.ask("enter")["html"]


def test_a_strangers_owner_needs_the_key(room: Room) -> None:
    assert room.projects.listed() == []
    assert room.projects.owned(room.id, room.key) is room.judging
    acts: tuple[Callable[[str], Any], ...] = (
        lambda key: room.projects.owned(room.id, key),
        lambda key: room.projects.delete(room.id, key),
    )
    for act in acts:
        for wrong in ("", "here", room.key[:-1]):
            with pytest.raises(AccessError):
                act(wrong)
    room.projects.delete(room.id, room.key)
    with pytest.raises(AnnotationError, match="no such project"):
        room.projects.judging(room.id)


def test_nothing_else_is_reachable_by_these_calls(app: App) -> None:
    for name in ("", "answer", "work.__globals__", "_safe", "work/work"):
        assert httpx.post(f"{app.url}/judge/{name}", json={}).status_code == 404, name
    deep = "[" * 100_000
    for body in (b"", b"[]", b"{", b"\xff", deep.encode(), b'"' + b"x" * 2_000_000):
        reply = httpx.post(f"{app.url}/judge/work", content=body)
        assert (reply.status_code, list(reply.json())) == (200, ["error"])


def opened(folder: Path) -> Room:
    sense = default_questions()[1][:1]
    drill = (Practice("Cats the dogs.", (("sense", "no"),), why="It has <b>no</b> verb."),)
    return Room(
        folder, opening="## Read\n<script>alert(1)</script> ![](https://x.example/y.png) *well*",
        consent="I agree.", contact="ann@example.org", practice=drill, completion="C0DE", quota=2,
        questions=sense,
    )  # fmt: skip


def test_who_joins_reads_the_task_and_agrees(tmp_path: Path) -> None:
    room = opened(tmp_path)
    form = room.ask("enter")["html"]
    assert "<h2>Read</h2>" in form
    assert "<em>well</em>" in form
    assert "<script" not in form
    assert "<img" not in form
    for words in ("I agree.", "ann@example.org", "1 texts to practise"):
        assert words in form
    told = {"name": "Ann", "phrase": PASS}
    assert room.ask("join", **told)["error"]["code"] == "consent"
    assert room.judging.store.annotators() == []
    link = {"PROLIFIC_PID": "5f", "STUDY_ID": "s" * 500, "SESSION_ID": ["x"], "OTHER": "y"}
    joined = room.ask("join", **told, consent=True, entry=link)
    assert [one["expected"] for one in joined["practice"]] == [{"sense": "no"}]
    (person,) = room.judging.store.annotators()
    entry = json.loads(person.entry)
    assert sorted(entry) == ["PROLIFIC_PID", "STUDY_ID", "consent"]
    assert (entry["PROLIFIC_PID"], len(entry["STUDY_ID"])) == ("5f", 100)
    # The practice is done once, and the first consent stands.
    key = joined["key"]
    room.ask("work", key=key, sent=[{"id": "p", "kind": "practised"}])
    assert room.ask("enter", key=key)["practice"] == []
    again = room.ask("join", **told, consent=True, entry={"PROLIFIC_PID": "other"})
    assert again["practice"] == []
    assert json.loads(room.judging.store.annotators()[0].entry) == entry | {
        "practised": json.loads(room.judging.store.annotators()[0].entry)["practised"]
    }


def test_a_quota_ends_with_the_code(tmp_path: Path) -> None:
    room = opened(tmp_path)
    key = room.ask("join", name="Ann", phrase=PASS, consent=True)["key"]
    first, second = room.items(key)
    assert room.ask("work", key=key)["progress"]["left"] == 2
    room.send(key, first, answers={"sense": "yes"})
    done = room.send(key, second, answers={"sense": "no"})
    assert done["items"] == []
    assert "C0DE" in done["end"]
    # What is taken back can be judged again; a skip is no judgement.
    room.ask("work", key=key, sent=[{"id": "u", "kind": "undo"}])
    assert [one["item"] for one in room.items(key)] == [second["item"]]
    room.send(key, second, kind="skipped", answers={})
    assert len(room.items(key)) == 1


@pytest.mark.parametrize(
    ("language", "nothing", "left"),
    [("en", "no text for you now", "You skipped 2"), ("de", "gibt es keinen", "2 übersprungen")],
)
def test_who_judged_nothing_gets_no_code(
    tmp_path: Path, language: str, nothing: str, left: str
) -> None:
    room = Room(tmp_path, 2, language=language, completion="C0DE", share=0.0, repeats=0.0)
    ann, bo = room.join("Ann"), room.join("Bo")
    items = room.items(ann)  # both reserved
    end = room.ask("work", key=bo)["end"]
    assert (nothing in end, "C0DE" in end, 'data-act="again"' in end) == (True, False, False)
    for item in items:
        end = room.send(ann, item, kind="skipped", answers={}).get("end")
    assert (nothing in end, "C0DE" in end, left in end) == (True, False, True)
    assert 'data-act="again"' in end
    # Of two texts one judged and one skipped: a skip is everybody's right.
    room.ask("work", key=ann, sent=[{"id": "a", "kind": "again"}])
    first, second = room.items(ann)
    room.send(ann, first)
    end = room.send(ann, second, kind="skipped", answers={})["end"]
    assert (nothing in end, "<strong>C0DE</strong>" in end) == (False, True)
    # The study is full for who comes now.
    assert "C0DE" not in room.ask("work", key=bo)["end"]


def test_a_page_says_what_ends_a_text_and_what_a_rare_pronoun_is(tmp_path: Path) -> None:
    room = Room(tmp_path, 1, share=0.0, repeats=0.0)
    room.judging.store.add([AnnotationItem("rare", "The cook cooked hir soup, as xe said.")])
    ann = room.join("Ann")
    html = room.ask("enter", key=ann)["html"]
    assert [part.split("\u201d")[0] for part in html.split("After \u201c")[1:]] == ["No"]
    told = {one["item"]: "pronoun" in one["html"] for one in room.items(ann)}
    assert [item for item, has in told.items() if has] == ["rare"]
    rare = next(one for one in room.items(ann) if one["item"] == "rare")
    assert "\u201chir, xe\u201d are pronouns" in rare["html"]


def test_the_end_counts_texts_and_repeats_apart(tmp_path: Path) -> None:
    room = Room(tmp_path, 2, share=1.0, repeats=0.5)
    ann, end = room.join("Ann"), None
    while not end:
        end = room.send(ann, room.items(ann)[0]).get("end")
    assert "all 2 texts there are for you. You judged 1 of them twice." in end


def test_a_closed_project_gives_its_code_to_who_judged_enough(tmp_path: Path) -> None:
    room = opened(tmp_path)
    keys = [room.ask("join", name=n, phrase=PASS, consent=True)["key"] for n in ("Ann", "Bo")]
    (first, second), other = room.items(keys[0]), room.items(keys[1])[0]
    room.send(keys[0], first, answers={"sense": "yes"})
    room.send(keys[0], second, answers={"sense": "yes"})
    room.send(keys[1], other, answers={"sense": "yes"})
    room.judging.store.change(closed=True)
    assert "C0DE" in room.ask("work", key=keys[0])["closed"]
    late = {"id": "x", "kind": "skipped", "item": other["item"], "showing": 1}
    for sent in ([], [late]):
        assert "C0DE" not in room.ask("work", key=keys[1], sent=sent)["closed"]
    assert "C0DE" not in room.ask("enter")["html"]


def test_people_read_what_is_kept_of_them(tmp_path: Path) -> None:
    for language, words in (
        ("en", ("consent and practice", "numbers that its link names", "Hugging Face")),
        ("de", ("eingewilligt und geübt", "Nummern aus dessen Link", "Hugging Face")),
    ):
        form = Room(tmp_path / language, language=language).ask("enter")["html"]
        assert [word for word in words if word not in form] == []


def test_two_windows_of_one_person_do_not_overwrite_each_other(room: Room) -> None:
    key = room.join("Ann")
    item = room.items(key)[0]
    room.send(key, item)
    other = room.send(key, item, answers=ANSWERS | {"sense": "no"})
    assert other["done"][0]["error"]["code"] == "twice"
    assert [one.answers["sense"] for one in room.judging.store.judgements()] == ["yes"]
    # Taken back, it is judged anew.
    undo = {"id": uuid4().hex, "kind": "undo", "item": item["item"], "showing": 1}
    room.ask("work", key=key, sent=[undo])
    assert "error" not in room.send(key, item, answers=ANSWERS | {"sense": "no"})["done"][0]
    assert [one.answers["sense"] for one in room.judging.store.judgements()] == ["no"]


def test_a_closed_project_says_so_at_the_door(room: Room) -> None:
    assert "phrase" in room.ask("enter")["html"]
    room.judging.store.change(closed=True)
    page = room.ask("enter")["html"]
    assert "closed" in page
    assert "phrase" not in page


def test_the_owner_looks_as_an_annotator_and_leaves_no_trace(room: Room) -> None:
    for key in ("", "no key"):
        assert room.ask("enter", preview=True, key=key)["error"]["code"] == "failed"
    seen = room.ask("enter", preview=True, key=room.key)
    assert len(seen["items"]) == 6
    assert "phrase" in seen["opening"]
    assert room.judging.store.annotators() == []
    with room.judging.store.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM assignments").fetchone()[0] == 0


def test_blind_projects_have_no_trees_and_texts_stand_alone_first(room: Room) -> None:
    key = room.join("Ann")
    item = room.items(key)[0]
    assert room.ask("trees", key=key, item=item["item"])["error"]["code"] == "failed"
    assert "<ins" in item["html"]
    assert "British" not in item["alone"]
    assert "<ins" not in item["alone"]
