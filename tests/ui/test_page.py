"""What the page costs its visitors: events, what they take with them, and what gradio does then."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import gradio as gr
import plotly.graph_objects as go
import pytest
from gradio.components.base import Component
from gradio.queueing import Event
from gradio.state_holder import SessionState

from hinter_core.errors import InputError
from hinter_ui import inside
from hinter_ui.shared.access import Access
from hinter_ui.shared.page import Page, TurnsQueue
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Visitor
from hinter_ui.shell import build_app

BOXES = {"column", "row", "tabs", "tabitem", "form", "accordion"}


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    return dict(gr.Blocks.get_config_file(build_app(Services(Access.at(None)))))


@pytest.mark.parametrize(
    ("owner", "name", "said"),
    [
        (gr.Blocks, "postprocess_data", "Blocks.postprocess_data"),
        (inside.BlocksConfig, "config_for_block", "BlocksConfig.config_for_block"),
        (inside.Queue, "get_events", "Queue.get_events"),
        (inside.Context, "root_block", "Context.root_block"),
    ],
)
def test_a_gradio_without_an_inner_name_is_refused_by_it(
    owner: Any, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = gr.Blocks().queue()
    inside.require(page)
    monkeypatch.delattr(owner, name)
    with pytest.raises(InputError, match=f"has no {said}, which HInter needs"):
        inside.require(page)


def test_what_a_page_lacks_is_named_too() -> None:
    page = gr.Blocks().queue()
    del page._queue.active_jobs, page.default_config
    with pytest.raises(InputError, match=r"Blocks\.default_config.*Queue\.active_jobs"):
        inside.require(page)


def test_the_inner_names_of_gradio_have_one_door() -> None:
    """Only what gradio documents is imported elsewhere."""
    root = Path(inside.__file__).parent
    inner = re.compile(r"from gradio\.(?!components)")
    assert [p.name for p in root.rglob("*.py") if inner.search(p.read_text("utf-8"))] == [
        "inside.py"
    ]


def asks(event: dict[str, Any]) -> bool:
    return bool(event["backend_fn"])


def test_a_fresh_page_asks_for_the_first_text_and_the_models_alone(config: dict[str, Any]) -> None:
    fresh = [e for e in config["dependencies"] if any(name == "load" for _, name in e["targets"])]
    assert sum(map(asks, fresh)) == 2
    # A link may set every control of Explore, so the first text has them all for outputs.
    assert sum(len(event["outputs"]) for event in fresh if asks(event)) <= 46


def test_no_progress_is_kept_that_is_not_shown_or_takes_a_box_along(config: dict[str, Any]) -> None:
    kinds = {one["id"]: one["type"] for one in config["components"]}
    events = [event for event in config["dependencies"] if asks(event) and event["targets"]]
    assert len(events) > 50
    for event in events:
        named = event["show_progress_on"]
        places = event["outputs"] if named is None else named
        hidden = event["show_progress"] == "hidden"
        assert not (places if hidden else BOXES & {kinds[p] for p in places}), event["targets"]


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    # Playwright has a loop in this thread.
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, work()).result()


def test_a_page_keeps_each_widget_once_however_often_events_change_it() -> None:
    with Page(Services(Access())) as page:
        box = gr.Dropdown(["one"], label="Box")
        box.change(lambda word: gr.update(choices=[word]), box, box)
    (event,) = page.fns.values()
    visitor = SessionState(page)
    before = set(visitor.blocks_config.blocks)

    async def change(words: list[str]) -> None:
        for word in words:
            await page.postprocess_data(event, gr.update(choices=[word]), visitor)
            assert await page.preprocess_data(event, [word], visitor) == [word]

    run(lambda: change(["two", "three", "four"]))
    assert set(visitor.blocks_config.blocks) == before
    # Nothing is described for each visitor, but the page is.
    assert not any(visitor.config_values.values())
    assert any(one["props"].get("label") == "Box" for one in page.config["components"])


def page_of_widgets() -> tuple[Page, Any]:
    with Page(Services(Access())) as page:
        widgets: list[Component] = [
            gr.Textbox(), gr.Dropdown(["one", "two"]), gr.Dropdown(["a", "b"], multiselect=True),
            gr.CheckboxGroup(["x", "y"]), gr.Checkbox(), gr.Slider(0, 5), gr.HTML(), gr.Plot(),
            gr.State(1), gr.Number(precision=0), gr.Radio(["r", "s"]), gr.Timer(active=False),
        ]  # fmt: skip
        widgets[0].change(lambda *values: values, widgets, widgets)  # type: ignore[attr-defined]
    (event,) = page.fns.values()
    return page, event


ANSWERS: list[list[Any]] = [
    ["word", "two", ["a"], ["x", "y"], True, 3, "<b>bold</b>", go.Figure(), 2, 4.0, "s", 2],
    [gr.skip()] * 12,
    [None] * 12,
    [
        gr.update(value="more", visible=False), gr.update(choices=["three"], value="three"),
        gr.update(choices=[("C", "c")], value=["c"]), gr.skip(), gr.update(value=False),
        gr.skip(), "", gr.update(visible=False), gr.skip(), gr.update(interactive=False),
        gr.update(label="New"), gr.Timer(active=True),
    ],
]  # fmt: skip
VALUES = ["typed", "three", ["c"], ["y"], False, 2, "", None, None, 7, "r", 1]


@pytest.mark.parametrize("answers", ANSWERS)
def test_events_bring_and_answer_what_gradio_would(answers: list[Any]) -> None:
    page, event = page_of_widgets()
    ours, plain = SessionState(page), SessionState(page)

    async def compare() -> None:
        for said in (answers, ANSWERS[-1]):
            wanted = await gr.Blocks.postprocess_data(page, event, deepcopy(said), plain)
            if said[6] == gr.skip():  # gradio sends the sign for "nothing" to HTML as a property
                wanted[6] = gr.skip()
            assert await page.postprocess_data(event, deepcopy(said), ours) == wanted
        read = await gr.Blocks.preprocess_data(page, event, [*VALUES], plain)
        assert await page.preprocess_data(event, [*VALUES], ours) == read

    run(compare)


def test_an_answer_may_name_its_widgets_or_be_nothing_at_all() -> None:
    page, event = page_of_widgets()
    visitor = SessionState(page)

    async def answer() -> None:
        named = await page.postprocess_data(event, {event.outputs[1]: "two"}, visitor)
        nothing = [None if widget.stateful else gr.skip() for widget in event.outputs]
        assert named == [gr.skip(), "two", *nothing[2:]]
        assert await page.postprocess_data(event, gr.skip(), visitor) == nothing

    run(answer)


def test_an_event_takes_no_thread_for_a_widget_and_makes_none_anew_that_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page, event = page_of_widgets()
    visitor, threads = SessionState(page), list[Any]()

    async def count(function: Callable[..., Any], *values: Any, **_: Any) -> Any:
        threads.append(function)
        return function(*values)

    monkeypatch.setattr(anyio.to_thread, "run_sync", count)
    inputs = [widget for widget in event.inputs if not isinstance(widget, gr.Plot)]
    event.inputs = inputs
    before = [visitor[widget._id] for widget in event.outputs]
    kept = [one for one in range(12) if one not in (1, 8)]

    async def change() -> None:
        said = [*ANSWERS[0]]
        said[1] = gr.update(choices=["three"])
        await page.postprocess_data(event, said, visitor)
        read = [VALUES[i] for i in range(12) if i != 7]
        read[2] = ["a"]
        await page.preprocess_data(event, read, visitor)

    run(change)
    assert threads == []
    after = [visitor[widget._id] for widget in event.outputs]
    assert [after[i] is before[i] for i in kept] == [True] * len(kept)
    assert after[1] is not before[1]


class Turns:
    """A queue with one kind of event that has eight places, and who asks for it."""

    def __init__(self, *, local: bool = False) -> None:
        with Page(Services(Access(local=local))) as self.page:
            box = gr.Textbox()
            box.change(str, box, box, concurrency_limit=8, concurrency_id="look")
        self.queue = self.page._queue
        self.queue.create_event_queue_for_fn(self.fn)
        self.queue.active_jobs = [None] * 40  # as once it is started

    @property
    def fn(self) -> Any:
        return next(iter(self.page.fns.values()))

    def wait(self, visitor: Visitor, many: int = 1) -> None:
        request = SimpleNamespace(state=SimpleNamespace(visitor=visitor))
        group = self.queue.event_queue_per_concurrency_id["look"]
        group.queue += [Event("page", self.fn, request, None) for _ in range(many)]  # type: ignore[arg-type]

    def begin(self) -> list[str]:
        """Begin all events that have a place; the browsers whose they are."""
        begun = []
        while found := self.queue.get_events():
            events, _, name = found
            self.queue.active_jobs[self.queue.active_jobs.index(None)] = events
            self.queue.event_queue_per_concurrency_id[name].current_concurrency += 1
            begun.append(events[0].request.state.visitor.browser)
        return begun


def in_network(network: str, browser: str = "") -> Visitor:
    return Visitor(f"192.0.2.{network}", browser)


def test_one_browser_has_half_of_the_places_and_its_network_all_but_one() -> None:
    turns = Turns()
    assert isinstance(turns.queue, TurnsQueue)
    turns.wait(in_network("1", "a"), 20)
    assert turns.begin() == ["a"] * 4
    turns.wait(in_network("1", "b"), 20)
    assert turns.begin() == ["b"] * 3
    turns.wait(in_network("2", "c"))
    assert turns.begin() == ["c"]
    assert turns.begin() == []  # no place is left


def test_whose_network_has_least_at_work_goes_first() -> None:
    turns = Turns()
    turns.wait(in_network("1", "a"), 20)
    for browser in "bcd":
        turns.wait(in_network("2", browser))
    turns.wait(in_network("3", "e"))
    assert turns.begin() == ["a", "b", "e", "a", "c", "a", "d", "a"]


def test_who_has_no_cookie_counts_as_one_browser() -> None:
    turns = Turns()
    turns.wait(in_network("1"), 20)
    assert turns.begin() == [""] * 4


def test_the_owner_of_the_machine_has_all_places() -> None:
    turns = Turns(local=True)
    turns.wait(in_network("1", "a"), 20)
    assert turns.begin() == ["a"] * 8


def test_one_visitor_has_so_many_events_waiting() -> None:
    turns = Turns()

    def push(visitor: Visitor) -> str:
        request = SimpleNamespace(state=SimpleNamespace(visitor=visitor))
        body = SimpleNamespace(fn_index=None)  # which gradio's own code refuses
        found: list[Any] = []

        async def ask() -> None:
            found.extend(await turns.queue.push(body, request, None))

        run(ask)
        return str(found[2])

    turns.wait(in_network("1", "a"), 31)
    assert push(in_network("1", "a")) == "error"
    turns.wait(in_network("1", "a"))
    assert push(in_network("1", "a")) == "queue_full"
    assert push(in_network("1", "b")) == "error"
    turns.wait(in_network("1", "c"), 68)
    assert push(in_network("1", "b")) == "queue_full"
    assert push(in_network("2", "d")) == "error"


def test_direct_calls_do_not_pass_the_queue() -> None:
    assert not build_app(Services(Access())).api_open
