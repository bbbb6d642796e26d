"""A page whose browser learns of the widgets of a tab when that is opened for the first time.

gradio describes all widgets and events to every browser, which works on each of them before the
page can be used and fetches the scripts of all their kinds. Here it gets those of the first tab.
The others come with the answer to an event, as what ``gr.render`` makes does. The server knows all
of them from the start. A browser is told everything in the language of its page.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import gradio as gr

from hinter_ui.html.wording import DEFAULT, spoken
from hinter_ui.inside import add_root_url
from hinter_ui.shared.page import Page
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import html
from hinter_ui.shared.wiring import private

_RENDERED = 1_000  # numbers of what comes later begin here; gradio counts from 0
_FOR_PROGRAMS = ("api_info", "api_info_as_input", "api_info_as_output", "example_inputs")

_OF_TAB = ("id", "elem_id", "name", "interactive")

Described = dict[str, Any]


class PageOnDemand(Page):
    """The app; on it, visitors may sign in with Hugging Face if ``signs_in``."""

    def __init__(self, services: Services, *, signs_in: bool = False, **named: Any) -> None:
        self._signs_in = signs_in
        self._labels = services.labels
        self.openers: dict[int, int] = {}  # tabs that come later, and the events that ask for them
        # By language: what comes first, and what comes by each event.
        self._told: dict[str, tuple[Described, dict[int, Described]]] = {}
        self._tab_of: Mapping[int, int] = {}
        self._visitors: WeakKeyDictionary[Any, _Visitor] = WeakKeyDictionary()
        self.shown: dict[str, list[str]] = {}  # ids of what each tab shows at first
        super().__init__(services, **named)

    def open_on_demand(self, tabs: gr.Tabs) -> None:
        """Tell the browser of all tabs but the first when each is opened."""
        self.shown = {tab.id: _shown(tab) for tab in tabs.children}  # type: ignore[attr-defined]
        for tab in tabs.children[1:]:
            # A browser may lose the event while it draws another tab; then the box asks again.
            asks = html(f"opens-{tab.id}", script="page.opens")  # type: ignore[attr-defined]
            trigger = partial(gr.on, [tab.select, asks.select])  # type: ignore[attr-defined]
            private(trigger, _nothing, [], [], trigger_mode="multiple")
            self.openers[tab._id] = max(self.fns)

    @property
    def expects_oauth(self) -> bool:
        """Whether gradio is to answer ``/login/huggingface``, as it does for its own button."""
        return self._signs_in

    @property
    def config(self) -> Any:
        """What the browser is told at first, in the language spoken."""
        return self._in_language()[0]

    @config.setter
    def config(self, _: Any) -> None:
        """Begin anew: gradio sets it after a change of the page."""
        self._told = {}

    def get_config_file(self) -> Any:
        """Return nothing: gradio asks only to set :attr:`config`, which is made once it is read."""
        return {}

    def _in_language(self) -> tuple[Described, dict[int, Described]]:
        """Return what comes first in the language spoken, and what comes by each event."""
        if spoken() not in self._told:
            later = _Later(self.whole(), self.openers)
            self._tab_of = later.tab_of
            by_opener = {self.openers[tab]: by_opener for tab, by_opener in later.tabs()}
            self._told[spoken()] = later.first(), by_opener
        return self._told[spoken()]

    def whole(self) -> Described:
        """Describe all widgets and events."""
        whole: Described = {**super().get_config_file()}
        if spoken() != DEFAULT:
            texts = {widget: words for labels in self._labels for widget, words in labels.spoken()}
            for one in whole["components"]:
                one["props"] |= texts.get(one["id"], {})
        return whole

    def kinds(self) -> set[str]:
        """Return the kinds of widgets that the browser is told of at first."""
        kinds = {one["type"] for one in self.config["components"]}
        return kinds | ({"state"} if "api" in kinds else set())  # the one stands for the other

    async def process_api(
        self, block_fn: Any, inputs: Any, *args: Any, **named: Any
    ) -> dict[str, Any]:
        """Process an event; that of a tab which is opened answers with the tab."""
        answer = await super().process_api(block_fn, inputs, *args, **named)
        part = self._in_language()[1].get(getattr(block_fn, "_id", block_fn))
        if part:
            visitor = self._visitors.setdefault(named.get("state"), _Visitor())
            visitor.opened.add(part["layout"]["id"])
            shown_part = part | {
                "components": [visitor.changed_of(one) for one in part["components"]]
            }
            answer["render_config"] = add_root_url(shown_part, named.get("root_path") or "", None)
        return answer

    async def _written(self, block_fn: Any, widget: Any, answer: Any, state: Any) -> Any:
        written = await super()._written(block_fn, widget, answer, state)
        tab = self._tab_of.get(widget._id)
        if tab and not widget.stateful:
            self._visitors.setdefault(state, _Visitor()).keep(widget._id, tab, written)
        return written


class _Visitor:
    """What events have told a page of tabs that it has not opened yet."""

    def __init__(self) -> None:
        self.opened: set[int] = set()
        self._changed: dict[int, Described] = {}

    def keep(self, widget: int, tab: int, written: Any) -> None:
        """Keep what an event makes of a widget, until its tab is opened."""
        if tab not in self.opened:
            update = isinstance(written, dict) and "__type__" in written
            props = dict(written) if update else {"value": written}
            props.pop("__type__", None)
            self._changed.setdefault(widget, {}).update(props)

    def changed_of(self, one: Described) -> Described:
        """Describe a widget as events have changed it."""
        changed = self._changed.get(one["id"], {})
        return one | {"props": one["props"] | changed} if changed else one


def _shown(block: Any) -> list[str]:
    """Return the ids of what is not hidden, folded or in tabs of its own."""
    if getattr(block, "visible", True) in (False, "hidden"):
        return []
    shut = isinstance(block, gr.Tabs) or not getattr(block, "open", True)
    below = (
        [] if shut else [one for child in getattr(block, "children", ()) for one in _shown(child)]
    )
    return [block.elem_id, *below] if block.elem_id else below


def _nothing() -> None:
    """Do nothing: :meth:`PageOnDemand.process_api` answers."""


class _Later:
    """A description of the app, divided into what a browser is told at first and later."""

    def __init__(self, config: Described, openers: Mapping[int, int]) -> None:
        self._config = config
        self._openers = openers
        self._read = {one for event in config["dependencies"] for one in event["inputs"]}
        self._written = {one for event in config["dependencies"] for one in event["outputs"]}
        self._widgets = {one["id"]: self._told(one) for one in config["components"]}
        self._layouts = {
            node["id"]: node for node in _nodes(config["layout"]) if node["id"] in openers
        }
        self.tab_of = {
            node["id"]: tab
            for tab, layout in self._layouts.items()
            for below in layout.get("children", [])
            for node in _nodes(below)
        }
        self._place = self._places()

    def _places(self) -> dict[int, int | None]:
        """Return the tab with which each event is told of; None: it is told of at first."""
        places: dict[int, int | None] = {}
        for event in self._config["dependencies"]:
            number = event["id"]
            tabs = {self.tab_of.get(widget, widget) for widget, _ in event["targets"]}
            tab = tabs.pop() if len(tabs) == 1 else None
            early = number in self._openers.values() or event["api_visibility"] == "public"
            places[number] = None if early or tab not in self._openers else tab
            if event["trigger_after"] is not None:
                places[number] = places[event["trigger_after"]]
        return places

    def _told(self, widget: Described) -> Described:
        """Say whether visitors may change a widget, which browsers read from all events."""
        if "interactive" in widget["props"]:
            return widget
        number, shown = widget["id"], widget["props"].get("value")
        free = number in self._read or (number not in self._written and not shown)
        return widget | {"props": widget["props"] | {"interactive": free}}

    def first(self) -> Described:
        """Return what the browser is told at first."""
        config = self._config
        events = [one for one in config["dependencies"] if self._place[one["id"]] is None]
        public = {
            widget
            for event in events
            if event["api_visibility"] == "public"
            for widget in (*event["inputs"], *event["outputs"])
        }
        widgets = []
        for one in self._widgets.values():
            if one["id"] not in self.tab_of:
                widgets.append(one if one["id"] in public else _brief(one))
            elif one["id"] in public:  # for programs; the page has it later
                widgets.append(one | {"props": one["props"] | {"visible": False}})
        ids = {one["id"] for one in widgets}, {one["id"] for one in events}
        pages = {name: self._page(page, *ids) for name, page in config["page"].items()}
        layout = self._cut(config["layout"])
        return config | {
            "components": widgets, "dependencies": events, "layout": layout, "page": pages,
        }  # fmt: skip

    def _page(self, page: Described, widgets: set[int], events: set[int]) -> Described:
        return {
            "layout": self._cut(page["layout"]),
            "components": [number for number in page["components"] if number in widgets],
            "dependencies": [number for number in page["dependencies"] if number in events],
        }

    def _cut(self, node: Described) -> Described:
        below = [] if node["id"] in self._openers else node.get("children", [])
        return node | (
            {"children": [self._cut(one) for one in below]} if "children" in node else {}
        )

    def tabs(self) -> Iterator[tuple[int, Described]]:
        """Yield the tabs that come later, and what the browser is told of each."""
        root = self._config["layout"]["id"]
        for tab, opener in self._openers.items():
            widgets = self._widgets[tab]
            # What is left out stays as it is: the title may be in another language by now.
            kept = {name: widgets["props"][name] for name in _OF_TAB}
            events = [
                _also_at_load(one, tab, root)
                for one in self._config["dependencies"]
                if self._place[one["id"]] == tab
            ]
            [asking] = [one for one in self._config["dependencies"] if one["id"] == opener]
            events.append(asking | {"backend_fn": False, "js": None})  # never again
            within = [one for one, in_tab in self.tab_of.items() if in_tab == tab]
            told = [widgets | {"props": kept}, *(_brief(self._widgets[one]) for one in within)]
            part = {"layout": self._layouts[tab], "components": told, "dependencies": events}
            yield tab, part | {"render_id": _RENDERED + tab}


def _nodes(node: Described) -> Iterator[Described]:
    yield node
    for below in node.get("children", []):
        yield from _nodes(below)


def _brief(widget: Described) -> Described:
    """Leave out what only programs read."""
    return {name: value for name, value in widget.items() if name not in _FOR_PROGRAMS}


def _also_at_load(event: Described, tab: int, root: int) -> Described:
    """Let what is done as a tab is opened be done as it comes, too."""
    if not any(widget == tab for widget, _ in event["targets"]):
        return event
    return event | {"targets": [*event["targets"], (root, "load")]}
