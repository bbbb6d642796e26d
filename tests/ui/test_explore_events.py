"""The events of Explore, without a browser: what comes late takes nothing's place."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import gradio as gr
import pytest

from hinter_core.mutation.plan import Plan
from hinter_ui.explore.events import ExploreEvents
from hinter_ui.explore.examples import load_examples
from hinter_ui.explore.layout import ExploreLayout
from hinter_ui.explore.state import ExploreState
from hinter_ui.shared.access import Access
from hinter_ui.shared.events import Updates
from hinter_ui.shared.links import ExploreForm
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shell import build_app

PAIR = ("gender|waiter|waitress", "age|young|old")


def test_scans_and_checks_have_lanes_of_their_own() -> None:
    page = build_app(Services(Access()))
    lanes = {
        fn.name: fn.concurrency_id for fn in page.fns.values() if fn.name in ("scan", "choose_pair")
    }
    assert lanes == {"scan": "scan", "choose_pair": "judge"}


@pytest.mark.parametrize("first", ["example", "page"])
def test_an_older_answer_never_takes_the_place_of_a_newer_one(
    monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    examples = load_examples()[:2]
    with gr.Blocks(), gr.Tabs(), gr.Tab():
        services = Services()
        ui = ExploreLayout(services, examples)
        events = ExploreEvents(services, ui, examples)
    session = Session()

    def use(number: int) -> Updates:
        event = SimpleNamespace(target=SimpleNamespace(_id=ui.example_buttons[number]._id))
        return events.use(cast(gr.EventData, event), session)

    draw, newer = events._shown, list[Updates]()

    def slow(session: Session) -> Updates:
        drawn = draw(session)
        if not newer:  # the next example is pressed, and answered, while this one is drawn
            newer.append({})
            newer[0] = use(1)
        return drawn

    monkeypatch.setattr(events, "_shown", slow)
    older = use(0) if first == "example" else events.open_page(session, "")
    assert newer[0][ui.text] == examples[1].form.text
    assert not older


@pytest.mark.parametrize("typed", ["", " She sang."])
def test_a_look_that_ends_late_keeps_the_pair_chosen_meanwhile(
    monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    with gr.Blocks(), gr.Tabs(), gr.Tab():
        services = Services()
        ui = ExploreLayout(services, ())
        events = ExploreEvents(services, ui, ())
    session = Session()
    text = "The young British waiter left."
    form = ExploreForm(text=text, attributes=("race", "gender", "age"))
    monkeypatch.setattr(events, "form", lambda *_: form)
    plan, chosen = events.actions.plan, replace(form, text=text + typed, edits=PAIR)

    def slow(*of: Any) -> Plan:
        made = plan(*of)
        session.of(ExploreState).controls = chosen
        return made

    monkeypatch.setattr(events.actions, "plan", slow)
    looked = events.look(session, text, [], form.models)
    assert session.of(ExploreState).controls.text == chosen.text
    if not typed:
        changed = {key.split("|")[0] for key in session.of(ExploreState).controls.edits}
        assert changed == {"gender", "age"}
    assert bool(looked) == (not typed)  # what else was typed is looked at by an event of its own
    assert looked.get(ui.notice) == (None if typed else "")  # it was of the text before


def test_every_answer_says_which_figures_belong_to_what_the_controls_say() -> None:
    app = build_app(Services())
    own = {"stale", "progress", "address"}
    told = [
        {getattr(output, "elem_id", None) for output in event.outputs}
        for event in app.fns.values()
        if "ExploreEvents" in getattr(event.fn, "__qualname__", "") and event.outputs
        and len(event.outputs) > 1
    ]  # fmt: skip
    assert len(told) > 10
    assert all(own <= outputs for outputs in told)


def test_answers_are_numbered_in_the_order_in_which_they_were_given() -> None:
    with gr.Blocks(), gr.Tabs(), gr.Tab():
        services = Services()
        ui = ExploreLayout(services, ())
        events = ExploreEvents(services, ui, ())
    session, numbers = Session(), list[int]()
    for _ in range(3):
        told = events.updates.standing(session)
        number, address = told[ui.address].split(" ")
        assert address == ""
        assert told[ui.stale] == told[ui.progress] == f"<!--{number}-->"
        numbers.append(int(number))
    assert numbers == sorted(set(numbers))
    assert numbers[0] > 10**15  # of an app that began earlier


@pytest.mark.parametrize("kind", ["link", "finding", "empty", "German"])
def test_no_verdict_of_another_text_stands_beside_one_without_its_own(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    with gr.Blocks(), gr.Tabs(), gr.Tab():
        services = Services()
        ui = ExploreLayout(services, ())
        examples = load_examples()
        events = ExploreEvents(services, ui, examples)
    session = Session()
    events.updates.actions.check(session, examples[0].form)
    own = "openai:hirebot?base_url=http://127.0.0.1:1/v1&labels=invite,reject"
    form = replace(ExploreForm(), text="The British waiter left.", edits=PAIR[:1], models=(own,))
    if kind == "link":
        told = events._open(session, form)
    elif kind == "finding":
        session.wanted = form
        told = events.open_wanted(session)
    else:
        text = "" if kind == "empty" else "Der alte Mann hat die Frau nicht gesehen."
        monkeypatch.setattr(events, "form", lambda *_: ExploreForm(text=text))
        told = events.look(session, text, [], ["embedded"])
    assert "offer gone" in events.updates.standing(session)[ui.stale]
    if kind in ("link", "finding"):
        assert "<del>" in told[ui.notice]
        assert ("hirebot", own) in told[ui.models]["choices"]
    if kind == "link":
        assert "add this model in the Models tab: hirebot." in told[ui.notice]
