"""Answers come in the order in which they were given, and none is lost."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Route, expect


def test_what_is_asked_while_the_stream_of_answers_closes_is_answered(explore: Any) -> None:
    explore.open()
    page, held = explore.page, list[Route]()
    page.route("**/queue/data*", lambda route: held.append(route), times=1)
    explore.unfold("people")
    while not held:
        page.wait_for_timeout(20)
    answers = held[0].fetch()  # until the server has closed the stream
    with page.expect_response("**/queue/join*"):
        explore.press("Job application")
    page.wait_for_timeout(300)  # the page has read the number of the question
    held[0].fulfill(response=answers)
    expect(explore.square).to_contain_text("salesman")


def test_of_two_answers_the_newer_one_stays(explore: Any) -> None:
    explore.planted()
    explore.scan_to_end()
    expect(explore.progress).to_contain_text("complete")
    replace = "(element, words) => { element.querySelector('[id^=html-]').innerHTML = words; }"
    explore.progress.evaluate(replace, "<!--1-->scanning")
    expect(explore.progress).not_to_contain_text("scanning")
    expect(explore.progress).to_contain_text("complete")
    explore.progress.evaluate(replace, f"<!--{2**52}-->newer")
    expect(explore.progress).to_have_text("newer")
