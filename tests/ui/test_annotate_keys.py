"""Keys that are held down and taps on a phone judge no text that nobody has read."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from hinter_core.annotation.project.judging import Judging, Submission
from hinter_core.annotation.project.store import opened
from hinter_core.annotation.project.types import FIRST, Practice, Status
from tests.ui.annotators import PASS, Judge, Made

Judges = Callable[..., Judge]
Projects = Callable[..., Made]


@pytest.mark.parametrize("key", ["y", "s"])
def test_a_key_that_is_held_down_counts_once(judges: Judges, project: Projects, key: str) -> None:
    made, ann = project(6), judges()
    ann.join(made, "Ann")
    if key == "y":
        ann.press("yy")  # the next one is the last answer to this text
    ann.ready()
    for _ in range(20):  # without letting it go: the browser says that it repeats
        ann.page.keyboard.down(key)
    ann.page.wait_for_timeout(600)  # longer than a text takes until it can be answered
    for _ in range(20):
        ann.page.keyboard.down(key)
    ann.page.keyboard.up(key)
    given = ann.page.locator('.judge-question [aria-pressed="true"]')
    expect(given).to_have_count(0)
    expect(ann.progress).to_contain_text("1 judged" if key == "y" else "1 skipped")
    ann.all_saved()
    assert len(made.judged()) == 1


def test_a_held_key_does_not_press_a_button_again(judges: Judges, project: Projects) -> None:
    made, ann = project(4), judges()
    ann.join(made, "Ann")
    ann.ready()
    ann.page.locator("[data-act=skip]").focus()
    for _ in range(10):
        ann.page.keyboard.down("Enter")
        ann.page.wait_for_timeout(60)
    ann.page.keyboard.up("Enter")
    expect(ann.progress).to_contain_text("1 skipped")


def test_a_double_tap_answers_one_text(judges: Judges, project: Projects) -> None:
    made, ann = project(4), judges()
    ann.join(made, "Ann")
    ann.press("yy")
    ann.ready()
    last = ann.page.locator(".judge-question.current [data-value=yes]")
    box = last.bounding_box()
    assert box is not None
    ann.page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(ann.progress).to_contain_text("1 judged")
    expect(ann.page.locator('.judge-question [aria-pressed="true"]')).to_have_count(0)
    ann.judge("yny")  # and then everything goes on
    expect(ann.progress).to_contain_text("2 judged")
    ann.all_saved()
    assert [len(one.answers) for one in made.judged()] == [3, 3]


def test_a_double_tap_on_a_phone_answers_one_question(judges: Judges, project: Projects) -> None:
    made, ann = project(3), judges()
    ann.page.set_viewport_size({"width": 360, "height": 740})
    ann.join(made, "Ann")
    # On a narrow page, too, a question has its help, and all help begins with the instructions.
    expect(ann.page.locator(".judge-question.current")).to_contain_text("Could a person have")
    ann.page.get_by_role("button", name="Help").click()
    expect(ann.page.locator(".judge-help .instructions")).to_be_in_viewport()
    ann.page.keyboard.press("Escape")
    ann.ready()
    current = ann.page.locator(".judge-question.current [data-value=yes]")
    box = current.bounding_box()  # the next question stands at the same place
    assert box is not None
    ann.page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    ann.ready()
    expect(ann.page.locator('.judge-question [aria-pressed="true"]')).to_have_count(1)


def test_a_text_stands_alone_until_it_is_compared_and_space_says_all_fine(
    judges: Judges, project: Projects
) -> None:
    drill = Practice(
        "Waiter the left.", (("sense", "no"),), why="It has no verb where one belongs."
    )
    made, ann = project(10, as_shipped=True, practice=(drill,), completion="C0DE"), judges()
    ann.join(made, "Ann")
    # What is practised is answered, and not stored.
    expect(ann.text).to_have_text("Waiter the left.")
    ann.press("n")
    feedback = ann.page.locator(".judge-feedback")
    expect(feedback).to_contain_text("No: so would we.")
    expect(feedback).to_contain_text("It has no verb")
    ann.page.keyboard.press("Enter")
    expect(ann.text).to_contain_text("waiter number")
    ann.all_saved()
    ann.page.reload()  # once is enough
    expect(ann.text).to_contain_text("waiter number")
    marks, source = ann.page.locator(".judge-item :is(ins, del)"), ann.page.locator(".source")
    current = ann.page.locator(".judge-question.current")
    expect(marks).to_have_count(0)
    expect(source).to_have_count(0)
    expect(ann.page.locator(".judge-question:visible")).to_have_count(2)
    ann.press("y")
    ann.page.keyboard.press("ArrowRight")  # nobody looks ahead
    expect(current).to_contain_text("grammatical")
    expect(source).to_have_count(0)
    ann.press("u")
    expect(source).to_be_visible()
    expect(marks).to_have_count(2)
    expect(ann.page.locator(".judge-bar")).to_contain_text("mean the same")
    ann.judge("y")
    ann.judge("n")  # what makes no sense is asked nothing else
    ann.press(" ")
    expect(source).to_be_visible()
    ann.press("z")  # back to the last answer, and the text is alone again
    expect(source).to_have_count(0)
    ann.judge("n ")
    keys = 0
    for number in range(7):  # 5 of 7 are fine
        keys += len(said := "n" if number in (2, 5) else "  ")
        ann.judge(said)
    expect(ann.page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert keys == 12
    expect(ann.page.locator(".judge-room")).to_contain_text("C0DE")
    given = [tuple(one.answers.values()) for one in made.judged()]
    assert given == [
        ("yes", "unsure", "yes"), ("no",), ("yes", "no", "yes"),
        *(("no",) if number in (2, 5) else ("yes",) * 3 for number in range(7)),
    ]  # fmt: skip


def test_the_sign_of_a_change_stays_with_its_word_on_a_phone(
    judges: Judges, project: Projects
) -> None:
    made, ann = project(1), judges()
    ann.join(made, "Ann")
    for width in range(230, 400, 10):
        ann.page.set_viewport_size({"width": width, "height": 740})
        for change in ann.page.locator(".judge-words :is(del, ins)").all():
            lines = change.evaluate(
                """change => {
                  const word = document.createRange(), sign = change.querySelector('.sign');
                  const text = [...change.querySelectorAll('.unbroken')].at(-1).lastChild;
                  word.setStart(text, 0); word.setEnd(text, text.length);
                  const [a, b] = [sign, word].map(one => one.getBoundingClientRect());
                  return Math.abs(a.top + a.bottom - b.top - b.bottom) / 2;
                }"""
            )
            assert lines < 8, width


def test_a_german_project_speaks_german_on_a_phone(judges: Judges, project: Projects) -> None:
    made, ann = project(3, language="de"), judges()
    ann.page.set_viewport_size({"width": 360, "height": 740})
    ann.visit(made)
    room = ann.page.locator(".judge-room")
    expect(room).to_have_attribute("lang", "de")
    expect(room).to_contain_text("Wählen Sie einen Namen und einen Merksatz")
    ann.page.locator("[name=name]").focus()
    ann.type_in("Änne", "kurz")
    expect(ann.told).to_contain_text("mindestens 8 Zeichen")
    ann.page.locator("[name=name]").focus()
    ann.type_in("Änne", PASS)
    bar = ann.page.locator(".judge-question.current")
    expect(bar).to_contain_text("Ergibt dieser Text einen Sinn?")
    expect(ann.page.locator(".judge-question:visible")).to_have_count(1)
    assert ann.page.evaluate("document.documentElement.scrollWidth") <= 360
    box = bar.get_by_role("button", name="Ja").bounding_box()
    assert box is not None
    assert box["height"] >= 44
    assert box["y"] + box["height"] <= 740  # in sight without scrolling
    # "All fine" answers what is seen, and no question that has not been shown yet.
    for number in range(3):
        ann.ready()
        if number == 0:
            ann.page.locator("[data-act=fine]").click()
            expect(bar).to_contain_text("2 von 3")
        else:
            bar.get_by_role("button", name="Ja").click()
    expect(ann.progress).to_contain_text("1 beurteilt")
    ann.all_saved()
    assert len(made.judged()) == 1


@pytest.mark.parametrize("shipped", [False, True])
def test_a_fast_rhythm_of_keys_answers_no_wrong_question(
    judges: Judges, project: Projects, shipped: bool
) -> None:
    made, ann = project(4, as_shipped=shipped), judges()
    ann.join(made, "Ann")
    ann.ready()
    for key in "yyn" * 3:
        ann.page.keyboard.press(key)
        ann.page.wait_for_timeout(60)
    # The text that was read has its three answers; the next one, which was not, has none.
    expect(ann.progress).to_contain_text("1 judged")
    expect(ann.told).to_contain_text("before you can have read this text")
    ann.ready()
    expect(ann.page.locator('.judge-question [aria-pressed="true"]')).to_have_count(0)
    ann.judge("yny")
    expect(ann.told).to_be_hidden()
    ann.all_saved()
    assert [tuple(one.answers.values()) for one in made.judged()] == [
        ("yes", "yes", "no"), ("yes", "no", "yes"),
    ]  # fmt: skip


def test_an_unhurried_rhythm_of_keys_loses_none(judges: Judges, project: Projects) -> None:
    made, ann = project(3, as_shipped=True), judges()
    ann.join(made, "Ann")
    ann.ready()
    for key in "yyn" * 3:
        ann.page.keyboard.press(key)
        ann.page.wait_for_timeout(600)
    expect(ann.page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert [tuple(one.answers.values()) for one in made.judged()] == [("yes", "yes", "no")] * 3


def test_what_is_not_saved_yet_and_the_time_at_work_are_told(
    judges: Judges, project: Projects
) -> None:
    made, ann = project(3), judges()
    ann.join(made, "Ann")
    expect(ann.saved).to_have_text("All saved")
    ann.press("y")
    expect(ann.saved).to_have_text("This text is not saved yet")
    ann.press("yy")
    expect(ann.saved).to_have_text("All saved")
    # Who was away for hours worked five minutes at most, which stay over a reload.
    kept = ann.page.evaluate("Object.values(sessionStorage).find(one => one.includes('key'))")
    key = json.loads(kept)["key"]
    with opened(made.path) as store:
        judging = Judging(store)
        item = judging.upcoming(key)[0].item.id
        answers = {"sense": "yes", "same": "yes", "grammatical": "yes"}
        said = Submission(item, FIRST, Status.JUDGED, answers, "other", seconds=9000)
        judging.judge(key, said)
    ann.page.reload()
    expect(ann.page.locator(".judge-clock")).to_have_text("5 min")
