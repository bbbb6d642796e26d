"""Keys that are held down and taps that come twice judge no text that nobody has read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.ui.annotators import Judge, Made

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
    ann.ready()
    current = ann.page.locator(".judge-question.current [data-value=yes]")
    box = current.bounding_box()  # the next question stands at the same place
    assert box is not None
    ann.page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    ann.ready()
    expect(ann.page.locator('.judge-question [aria-pressed="true"]')).to_have_count(1)
