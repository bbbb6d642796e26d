"""Annotators at work, and the owner who looks on, in a real Chromium."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from playwright.sync_api import Page, Request, Response, expect

from hinter_core.annotation.project.judging import Judging, Submission
from hinter_core.annotation.project.store import opened
from hinter_core.annotation.project.types import AnnotationItem, Status
from tests.forked import Commands
from tests.ui.annotate_server import Server
from tests.ui.annotators import PASS, Judge, Made, pairs
from tests.ui.conftest import App

SECRETS = {"kept": False, "layer": "part of speech", "reason": "a secret reason",
           "verdicts": {"a-secret-model": "hidden"}, "label": "a secret label",
           "stratum": "a secret stratum", "validity": 0.826437, "soft": 0.11, "unfair": 0.063563,
           "across_people": True}  # fmt: skip


def test_thirty_texts_by_keyboard_alone(
    judges: Callable[..., Judge], project: Callable[..., Made]
) -> None:
    made, ann = project(30), judges()
    ann.join(made, "Ann")
    expect(ann.progress).to_contain_text("at most 30 to go")
    said: dict[int, str] = {}
    for done in range(14):
        keys = "yny" if ann.number % 2 else "nyu"
        said[ann.judge(keys)] = keys
        if done == 5:  # a reload in the middle goes on where one was, half-answered text included
            ann.all_saved()
            ann.press("y")
            there = ann.number
            ann.page.reload()
            expect(ann.text).to_contain_text(f"number {there} ")
            expect(ann.page.locator(".judge-question.current")).to_contain_text("mean the same")
            ann.press("z")
            expect(ann.page.locator(".judge-question.current")).to_contain_text("make sense")
    # Undo takes the last answer back, and only that: the next key answers its question anew.
    last, current = list(said)[-1], ann.page.locator(".judge-question.current")
    given = ann.page.locator('.judge-question [aria-pressed="true"]')
    ann.press("z")
    expect(ann.text).to_contain_text(f"number {last} ")
    expect(current).to_contain_text("Is it grammatical?")
    expect(given).to_have_count(2)
    assert ann.judge("u") == last
    said[last] = said[last][:2] + "u"
    # Answer by answer, through a reload, into the text before.
    before = list(said)[-2]
    ann.press("z")
    ann.all_saved()
    ann.page.reload()
    expect(ann.text).to_contain_text(f"number {last} ")
    expect(given).to_have_count(2)
    ann.press("zz")
    expect(given).to_have_count(0)
    expect(current).to_contain_text("make sense")
    ann.press("z")
    expect(ann.text).to_contain_text(f"number {before} ")
    expect(given).to_have_count(2)
    assert ann.judge("n") == before
    said[before] = said[before][:2] + "n"
    assert ann.judge("nnn") == last
    said[last] = "nnn"
    # A skipped text comes back with what was answered before it was skipped.
    ann.press("n")
    there = ann.number
    ann.judge("s")
    ann.press("z")
    expect(ann.text).to_contain_text(f"number {there} ")
    expect(given).to_have_count(1)
    ann.press("z")
    expect(given).to_have_count(0)
    skipped = ann.judge("s")
    ann.press("c")
    ann.page.keyboard.type("odd, z s c t ?")
    ann.page.keyboard.press("Escape")
    commented = ann.judge("yyy")
    said[commented] = "yyy"
    while len(said) < 29:
        said[ann.judge("yyn")] = "yyn"
    expect(ann.page.get_by_role("heading", name="Thank you")).to_be_focused()
    ann.page.keyboard.press("Tab")
    ann.page.keyboard.press("Enter")  # the button that shows the skipped text again
    expect(ann.text).to_contain_text(f"number {skipped} ")
    said[skipped] = "unu"
    ann.press("unu")
    expect(ann.page.locator(".judge-room")).to_contain_text("You have judged all 30 texts")
    ann.press("z")  # even the last one can be taken back
    expect(ann.text).to_contain_text(f"number {skipped} ")
    expect(given).to_have_count(2)
    said[skipped] = "uny"
    ann.press("y")
    expect(ann.page.locator(".judge-room")).to_contain_text("You have judged all 30 texts")
    rows = made.judged()
    values = {"y": "yes", "n": "no", "u": "unsure"}
    assert {int(one.item[1:]): tuple(one.answers.values()) for one in rows} == {
        number: tuple(values[key] for key in keys) for number, keys in said.items()
    }
    assert {one.item: one.comment for one in rows if one.comment} == {
        f"i{commented}": "odd, z s c t ?"
    }
    assert all(0 < one.seconds < 60 for one in rows)


def test_two_at_once_and_the_owner_sees_how_far_they_agree(
    judges: Callable[..., Judge], project: Callable[..., Made], page: Page, app: App
) -> None:
    made = project(4)
    ann, bo = judges().join(made, "Ann"), judges().join(made, "Bo")
    for _ in range(4):
        ann.judge("yyy")
        bo.judge("yyn" if bo.number < 2 else "yyy")
    expect(bo.page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(ann.page.get_by_role("heading", name="Thank you")).to_be_visible()
    page.goto(app.url)
    page.get_by_role("tab", name="Annotate").click()
    listed = page.locator(".project-list li", has=page.get_by_role("button", name=made.name))
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    expect(listed).to_contain_text(f"made {today} · 4 of 4 texts have the judgements they need")
    page.get_by_role("button", name=made.name).click()
    expect(page.locator("#project-people tbody tr")).to_have_count(2)
    expect(page.locator("#project-people")).to_contain_text("judgements: 8")
    numbers = page.locator("#project-numbers")
    expect(numbers).to_contain_text("4 of 4 items have two answers or more")
    expect(numbers).to_contain_text("Ann and Bo")
    disputes = page.locator("#project-disputes li")
    expect(disputes).to_have_count(2)
    expect(disputes.first).to_contain_text("Is it grammatical? Yes: Ann; No: Bo")
    expect(page.locator("#project-people")).to_contain_text("As the other person")
    disputes.first.get_by_role("button", name="Decide: No", exact=True).click()
    expect(disputes).to_have_count(1)
    with opened(made.path) as store:
        assert list(store.adjudications().values()) == ["no"]
    # A decision can be changed and taken back.
    decided = page.locator("#project-decided li")
    decided.get_by_role("button", name="Yes", exact=True).click()
    expect(decided.get_by_role("button", name="Yes", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    decided.get_by_role("button", name="Undo").click()
    expect(disputes).to_have_count(2)
    expect(decided).to_have_count(0)
    with opened(made.path) as store:
        assert store.adjudications() == {}
    # By keys alone: down to the second text, its answer's letter decides, and a held key only once.
    disputes.first.get_by_role("button", name="Decide: Yes", exact=True).focus()
    page.keyboard.press("ArrowDown")
    expect(disputes.nth(1).get_by_role("button", name="Decide: Yes", exact=True)).to_be_focused()
    page.keyboard.down("n")
    page.keyboard.down("n")
    page.keyboard.up("n")
    expect(disputes).to_have_count(1)
    # What is typed about one person is about no other, and what was opened stays open.
    people = page.locator("#project-people")
    for name in ("Ann", "Bo"):
        people.get_by_text(f"Manage {name}").click()
    page.locator("[data-person=Ann] [name=reason]").fill("asleep")
    page.locator("[data-person=Bo] [name=reason]").fill("a robot")
    page.locator("[data-person=Bo] [data-do=exclude]").click()
    expect(people).to_contain_text("Bo is excluded: a robot")
    expect(page.locator("[data-person=Ann] [name=reason]")).to_have_value("asleep")
    page.locator("[data-person=Bo] [data-do=include]").click()
    expect(page.locator("[data-person=Bo] [name=reason]")).to_have_value("")
    for name in ("Ann", "Bo"):
        people.get_by_text(f"Manage {name}").click()
    # An item that is taken out counts no longer.
    out = disputes.first.get_by_role("button", name="Remove this text")
    told = page.locator("#annotate-notice")
    out.click()
    expect(people).to_contain_text("judgements: 6")
    # One click took it out, one brings it back: at once, or from the list after a reload.
    back = told.get_by_role("button", name="Undo")
    expect(back).to_be_in_viewport()
    back.click()
    expect(told).to_contain_text("The text is back")
    expect(people).to_contain_text("judgements: 8")
    out.click()
    expect(people).to_contain_text("judgements: 6")
    page.reload()
    removed = page.locator("#project-removed li")
    expect(removed).to_contain_text("waiter")
    removed.get_by_role("button", name="Put it back").click()
    expect(people).to_contain_text("judgements: 8")
    expect(removed).to_have_count(0)
    out.click()
    expect(people).to_contain_text("judgements: 6")
    # All texts can be looked through, more can be typed or come from a file.
    texts = page.locator("#project-texts")
    texts.get_by_role("searchbox").fill("number 2")
    page.keyboard.press("Enter")
    expect(texts.locator("li")).to_have_count(1)
    lines = [f"He left {n}. => She left {n}." for n in range(10)]
    texts.get_by_label("More texts").fill("\n".join(lines))
    texts.get_by_role("button", name="Add").click()
    expect(told).to_contain_text("Texts added: 10")
    with page.expect_file_chooser() as asked:
        page.locator("#project-more").click()
    more = {"name": "more.csv", "mimeType": "text/csv", "buffer": b"text\nA further one.\n"}
    asked.value.set_files([more])  # type: ignore[list-item]
    expect(texts).not_to_contain_text("A further one.")
    texts.get_by_role("button", name="Next").click()
    expect(texts).to_contain_text("A further one.")
    texts.locator("li", has_text="A further one.").get_by_role("button").click()
    expect(texts).not_to_contain_text("A further one.")
    # Charts come before prose.
    expect(numbers.locator("table, p").first).to_have_class("two-by-two")
    expect(numbers.locator(".forest tr")).to_have_count(2)
    # What was judged can be taken along.
    with page.expect_download() as got:
        page.locator("#annotate-jsonl").click()
    rows = [json.loads(line) for line in got.value.path().read_text("utf-8").splitlines()]
    kinds = [row["status"] for row in rows]
    assert (kinds.count("judged"), kinds.count("decided"), len(rows)) == (6, 1, 17)
    # While the owner is at work, lists stay as they are, and only the news is told.
    people.click()
    with opened(made.path) as store:
        judging = Judging(store)
        _, key = store.join_by_login("cy", "Cy")
        item = judging.upcoming(key, 1)[0].item
        answers = {"sense": "yes", "grammatical": "yes"}
        answers |= {"same": "yes"} if item.source else {}
        judging.judge(key, Submission(item.id, 1, Status.JUDGED, answers, uuid4().hex, "", 3.0))
    news = page.locator("#project-news")
    expect(news).to_contain_text("New judgements: 1")
    expect(people).to_contain_text("judgements: 6")
    news.get_by_role("button").click()
    expect(people).to_contain_text("judgements: 7")
    # Closed, nobody judges; deleted only by its name.
    page.locator("#annotate-switch").click()
    expect(page.locator("#project-head .badge")).to_have_text("closed")
    page.locator("#annotate-delete").click()
    expect(page.locator("#annotate-notice")).to_contain_text(made.name)
    box = page.locator("#annotate-confirm").locator("input, textarea")
    box.fill(made.name)
    page.locator("#annotate-delete").click()
    expect(page.locator("#annotate-list")).not_to_contain_text(made.name)
    assert not made.path.exists()


def test_nothing_but_the_texts_leaves_the_server_while_blind(
    judges: Callable[..., Judge], project: Callable[..., Made]
) -> None:
    made, ann = project(pairs(3, **SECRETS)), judges()
    heard: list[str] = []

    def hear(response: Response) -> None:
        if "/judge/" in response.url:
            heard.append(response.text())

    ann.page.on("response", hear)
    ann.join(made, "Ann")
    # A tree shows what differs from the other text, so that there is none.
    expect(ann.page.get_by_role("button", name="Trees")).to_have_count(0)
    ann.judge("yyy")
    ann.all_saved()
    ann.page.remove_listener("response", hear)
    wire = " ".join(heard)
    assert len(heard) >= 3
    assert "number" in wire
    # Long enough that no key of a session holds them by chance.
    for secret in ("secret", "part of speech", "verdict", "discarded", "Discarded", "kept it",
                   "826437", "83\u00a0%", "83\\u00a0%", "two people"):  # fmt: skip
        assert secret not in wire, secret
    seeing = project(pairs(1, **SECRETS), blind=False)
    bo = judges().join(seeing, "Bo")
    bo.press("t")
    expect(bo.page.locator(".judge-trees svg")).to_have_count(1)
    expect(bo.page.locator(".judge-told")).to_contain_text("a secret reason")
    expect(bo.page.locator(".judge-told")).to_contain_text("a-secret-model: hidden")
    expect(bo.page.locator(".judge-told")).to_contain_text("fair 83\u00a0%")
    expect(bo.page.locator(".judge-told")).to_contain_text("two people")


def test_who_judges_reads_nothing_of_the_study_and_is_led_nowhere(
    judges: Callable[..., Judge], project: Callable[..., Made], app: App
) -> None:
    made, ann = project(4), judges()
    bodies: list[Request] = []
    ann.page.on("requestfinished", lambda one: bodies.append(one))
    ann.page.goto(f"{app.url}/?annotate={made.id}", wait_until="commit")
    seen = []
    while not ann.page.locator(".judge-room").count():
        seen.append(ann.page.evaluate("document.title + document.body?.innerText"))
    ann.join(made, "Ann")
    seen.append(ann.page.locator("body").inner_text())
    # On a slow line all of it is short: the page and the form, each twice, then joining and texts.
    assert len(bodies) <= 6, bodies
    assert sum(one.sizes()["responseBodySize"] for one in bodies) < 45_000
    assert "Ann" in seen[-1]
    for word in ("flip", "bias", "Explore", "attributes", "Home", "API"):
        assert not [said for said in seen if word in said], word
    expect(ann.page.locator("a:visible, [role=tab]:visible, footer:visible")).to_have_count(0)
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("Judging")
    # A wrong link says so, on the same page.
    ann.page.goto(f"{app.url}/?annotate=")
    expect(ann.page.locator(".judge-room")).to_contain_text("no project with this code")


def test_html_stays_text(
    judges: Callable[..., Judge], project: Callable[..., Made], page: Page, app: App
) -> None:
    evil = "<img src=x onerror=window.pwned=1> {{constructor}} ${1+1}"
    items = [AnnotationItem("e", f"A number 1 nurse {evil} left.", f"A kind nurse {evil} left.")]
    made = project([*items, AnnotationItem("alone", f"Only number 2 {evil}.")])
    ann = judges().join(made, evil[:40])
    for _ in range(2):
        expect(ann.text).to_contain_text(evil)
        assert ann.page.locator(".judge-text img").count() == 0
        pair = ann.page.locator(".judge-question:visible").count()
        ann.press("c")
        ann.page.keyboard.type(evil)
        ann.page.keyboard.press("Escape")
        ann.press("y" * pair)
        ann.page.wait_for_timeout(100)
    expect(ann.page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert ann.page.evaluate("window.pwned") is None
    assert {one.comment for one in made.judged()} == {evil}
    page.goto(f"{app.url}/?annotate={made.id}&owner=here")
    expect(page.locator("#project-comments blockquote").first).to_have_text(evil)
    expect(page.locator("#project-people")).to_contain_text(evil[:40])
    assert page.evaluate("window.pwned") is None


def test_a_name_is_its_owners_and_a_closed_project_is_told(
    judges: Callable[..., Judge], project: Callable[..., Made]
) -> None:
    made = project(6)
    ann, other = judges().join(made, "Ann"), judges().visit(made)
    other.page.get_by_label("Your name").focus()
    other.type_in("ann", "quite another phrase")
    expect(other.told).to_contain_text("This name is taken")
    other.page.get_by_role("button", name="Show").click()
    expect(other.page.locator("[name=phrase]")).to_have_attribute("type", "text")
    other.page.get_by_label("Your name").focus()
    other.type_in("Ann", PASS)  # the same person on another device
    expect(other.text).to_be_visible()
    ann.judge("yyy")
    ann.all_saved()  # an item that is gone is told, and one goes on; so is a project that is closed
    with opened(made.path) as store:
        store.remove(f"i{ann.number}")
    ann.judge("yyy")
    expect(ann.told).to_contain_text("took this text out")
    made.change(closed=True)
    ann.judge("nnn")
    expect(ann.page.get_by_role("heading", name="This project is closed")).to_be_visible()
    expect(ann.page.locator(".judge-room")).to_contain_text("Not yet on the server: 1")
    assert len(made.judged()) == 1
    # Opened again, what waited on the device is sent.
    made.change(closed=False)
    ann.page.reload()
    expect(ann.text).to_be_visible()
    ann.all_saved()
    assert sorted(one.answers["sense"] for one in made.judged()) == ["no", "yes"]
    # Who leaves has to join again; a text that is half judged asks for a second press.
    leave = ann.page.get_by_role("button", name="Leave")
    ann.press("y")
    leave.click()
    expect(ann.told).to_contain_text("are lost if you leave now")
    leave.click()
    expect(ann.page.get_by_role("heading", name="You have left")).to_be_visible()
    ann.page.reload()
    expect(ann.page.get_by_label("Your name")).to_be_visible()


def test_a_server_that_is_killed_loses_nothing(
    judges: Callable[..., Judge], tmp_path_factory: pytest.TempPathFactory, commands: Commands
) -> None:
    server = Server(tmp_path_factory.mktemp("annotate"), commands)
    made = Made(server.folder, pairs(24))
    with server:
        ann = judges(server.url).join(made, "Ann")
        ann.judge("yyy")
        ann.judge("yyy")
        ann.all_saved()
        server.kill()
        ann.judge("nnn")
        ann.judge("s")
        offline, ahead = ann.page.locator(".judge-offline"), 13
        expect(offline).to_contain_text(f"texts loaded: {ahead + 1}. Judgements not yet saved: 2")
        for _ in range(ahead):
            ann.judge("nnn")
        ann.press("nnn")
        expect(offline).to_contain_text("no more texts are loaded")
        expect(offline).to_contain_text("Judgements not yet saved: 16")
        expect(ann.text).to_be_hidden()
        assert len(made.judged()) == 2
        # It still asks every few seconds, however long the server was away.
        with ann.page.expect_request("**/judge/work", timeout=10_000):
            pass
        server.start()
        ann.all_saved()
        expect(offline).to_be_hidden()
        ann.judge("yyy")
        ann.all_saved()
    statuses = sorted(one.status.value for one in made.judged())
    assert statuses == ["judged"] * 18 + ["skipped"]
    with opened(made.path) as store:
        assert len(list(store.judgements(history=True))) == 19


def test_a_project_is_made_from_a_file_and_joined(
    judges: Callable[..., Judge], page: Page, app: App, tmp_path: Path
) -> None:
    file = tmp_path / "pairs.csv"
    lines = [f'"The British number {n} waiter left.","The Syrian number {n} waiter left.",'
             f"{'good' if n else 'bad'}" for n in range(4)]  # fmt: skip
    file.write_text("\n".join(["mutant,source,label", *lines, '"",nothing,']), encoding="utf-8")
    page.goto(app.url)
    page.get_by_role("tab", name="Annotate").click()
    page.locator("#annotate-source").get_by_label("A file").check()
    page.locator("#annotate-file input[type=file]").set_input_files(file)
    expect(page.locator("#annotate-file").get_by_role("cell", name="pairs.csv")).to_be_visible()
    # The labels of the data are offered, and may be changed.
    labels = page.locator("#annotate-labels").locator("input, textarea")
    expect(labels).to_have_value("bad, good")
    labels.fill("")
    create = page.locator("#annotate-create")
    create.click()
    expect(page.locator("#annotate-told")).to_contain_text("Give the project a name")
    page.locator("#annotate-title").locator("input, textarea").fill("Waiters <b>1</b>")
    page.locator("#annotate-defaults").click()
    questions = page.locator("#annotate-questions textarea")
    expect(questions).to_have_value(re.compile("instructions:"))
    whole = questions.input_value()
    questions.fill("questions: [{id: sense}]")
    create.click()
    expect(page.locator("#annotate-told")).to_contain_text("needs an id")
    questions.fill(whole)
    create.press("Enter")
    expect(page.locator("#annotate-notice")).to_contain_text("Texts to judge: 4")
    expect(page.locator("#annotate-notice")).to_contain_text("Left out: rows: 1, judgements: 0")
    expect(page.locator("#project-head h2")).to_contain_text("Waiters <b>1</b>")
    expect(page.locator("#project-title")).to_be_focused()  # not a button that removes a text
    links = page.locator("#project-links a")
    expect(links).to_have_count(2)
    join, owner = (links.nth(n).get_attribute("href") for n in range(2))
    ann = judges()
    # A link that nobody else can open says so.
    expect(page.locator("#project-links [class*=error]")).to_contain_text("Only your own machine")
    assert join is not None
    ann.page.goto(join)
    expect(ann.page.get_by_role("heading", name="Judge for")).to_contain_text("Waiters <b>1</b>")
    ann.page.locator("[name=name]").focus()
    ann.type_in("Ann", PASS)
    expect(ann.text).to_contain_text("British")
    ann.judge("yyy")
    started = time.monotonic()
    expect(page.locator("#project-people tbody tr")).to_contain_text("Ann")  # it comes by itself
    assert time.monotonic() - started < 60
    expect(page.locator("#project-texts")).to_contain_text("judged by 1")
    page.reload()
    expect(page.locator("#project-head h2")).to_contain_text("Waiters")
    expect(page.locator("#project-links a")).to_have_count(1)  # the owner's link is told once
    # Its key is in the fragment: it opens the project, and no server hears of it in an address.
    assert owner is not None
    key = owner.split("#")[1]
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("about:blank")
    page.goto(f"{app.url}/{owner}")
    expect(page.locator("#project-head h2")).to_contain_text("Waiters")
    page.reload()
    expect(page.locator("#project-head h2")).to_contain_text("Waiters")
    assert not any(key in urlsplit(url)._replace(fragment="").geturl() for url in asked)
