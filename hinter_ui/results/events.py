"""The Results tab: a campaign's report to read, to filter, to compare and to take along."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.context import Context
from gradio.utils import get_upload_folder

from hinter_core.errors import HinterError
from hinter_ui.html import notice
from hinter_ui.results import html as present
from hinter_ui.results.actions import ResultsActions
from hinter_ui.results.layout import ResultsLayout, lay_out
from hinter_ui.results.scripts import DOWNLOAD_JS
from hinter_ui.results.updates import ResultsUpdates, Updates, attributes_of, wanted_of
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.shelf import find_kept, known
from hinter_ui.shared.wiring import guarded, private, scripted

_NOT_SHOWN = "This cannot be shown."


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    tab, page = Context.block, Context.root_block
    assert isinstance(tab, gr.Tab)
    assert isinstance(tab.parent, gr.Tabs)
    assert page is not None
    _Tab(services, lay_out(services), find_kept(page)).wire(tab, tab.parent, page)


class _Tab:
    """The events of the tab; ``kept`` are the campaigns whose names the browser keeps."""

    def __init__(self, services: Services, ui: ResultsLayout, kept: gr.BrowserState) -> None:
        self.services = services
        self.ui = ui
        self.kept = kept
        self.desk = ResultsActions(services)
        self.screen = ResultsUpdates(ui, self.desk)

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self, tab: gr.Tab, tabs: gr.Tabs, page: gr.Blocks) -> None:
        """Connect every widget with what it does."""
        ui, self.tabs = self.ui, tabs
        opened = [tabs, self.kept, *ui.everything]
        self._on(page.load, self.open_page, [self.kept], opened)
        self._on(tab.select, self.look, [self.kept], ui.everything)
        asked = partial(gr.on, [ui.open.click, ui.path.submit])
        self._on(asked, self.open, [self.kept, ui.campaign, ui.path], ui.everything)
        chosen = [self.kept, ui.campaign]
        self._on(ui.campaign.input, self.open, chosen, ui.everything)
        filtered = [ui.model, ui.attributes]
        changed = partial(gr.on, [widget.input for widget in filtered])
        self._on(changed, self.choose, filtered, [ui.which, *ui.of_model])
        self._wire_findings()
        self._wire_comparison()
        self._wire_batch()
        for kind, button in ui.downloads.items():
            made = self._on(button.click, self._write(kind), [], [ui.place])
            scripted(made.then, DOWNLOAD_JS, [ui.place])

    def _wire_findings(self) -> None:
        ui, door = self.ui, self.services.doors["explore"]
        filters = [ui.verdicts, ui.which, ui.search]
        # gradio tells `input` of a choice of several for what is added, not for what is taken away.
        typed = partial(gr.on, [ui.verdicts.change, ui.which.input, ui.search.change])
        self._on(typed, self.filter, filters, [ui.findings], trigger_mode="always_last")
        for listed in (ui.examples, ui.findings, ui.comparison):
            door.enter(self._on(listed.select, self.pick, [], [ui.findings, self.tabs]).then)

    def _wire_batch(self) -> None:
        """The mutants that pass the filter become the data of a new campaign."""
        door = self.services.doors.get("batch")
        if door is None:
            self.ui.hand_over.visible = False
            return
        made = self._on(self.ui.hand_over.click, self.hand_over, [], [self.ui.hand_over])
        door.enter(made.then)

    def _wire_comparison(self) -> None:
        ui = self.ui
        named = partial(gr.on, [ui.other.input, ui.other_path.submit, ui.other_path.blur])
        self._on(named, self.choose_other, [ui.other, ui.other_path], [ui.second])
        sides = [ui.other, ui.other_path, ui.first, ui.second]
        self._on(ui.compare.click, self.compare, sides, [ui.comparison], show_progress="minimal")

    def _on(
        self,
        event: Callable[..., Any],
        act: Callable[..., Any],
        inputs: list[Any],
        outputs: list[Any],
        **options: Any,
    ) -> Any:
        """Wire one private event; what fails is told in the notice, and what is shown stays."""
        told, settings = self.ui.notice, {"concurrency_limit": 4} | options
        act = guarded(act, told, _NOT_SHOWN)
        return private(event, act, inputs, [*outputs, told], **settings)

    def _session(self, request: gr.Request) -> Session:
        return self.services.sessions.of(request.session_hash)

    # -- opening --------------------------------------------------------------------------------

    def open_page(self, request: gr.Request, kept: Any) -> Updates:
        """A fresh page: the campaigns there are, and the one of its link."""
        query = dict(request.query_params or {})
        session, names = self._session(request), known(kept)
        session.campaign = str(query.get("results") or query.get("campaign") or "")[:64]
        if not query.get("results"):
            return self._offered(session, names)
        shown = self._opened(session, session.campaign, "", names)
        if session.campaign not in names and not self.services.access.local:
            shown |= {self.kept: [session.campaign, *names]}
        return shown | {self.tabs: gr.Tabs(selected="results")}

    def look(self, request: gr.Request, kept: Any) -> Updates:
        """The tab is turned to: what is open is brought up to date, or opened."""
        session, names = self._session(request), known(kept)
        reading = session.reading
        if reading and (reading.name == session.campaign or not reading.name):
            path = "" if reading.name else str(reading.store.folder)
            return self._opened(session, reading.name, path, names)
        if session.campaign:
            return self._opened(session, session.campaign, "", names)
        return self._offered(session, names)

    def _offered(self, session: Session, names: list[str]) -> Updates:
        """The campaigns to choose from, if there are others: a list that is open now stays so."""
        choices = self.desk.choices(names)
        if choices == session.offered:
            return {self.ui.notice: ""}
        session.offered = choices
        return {self.ui.campaign: gr.update(choices=choices)}

    def open(self, request: gr.Request, kept: Any, name: Any, path: Any = "") -> Updates:
        """Open the campaign that was chosen, or the one of a path."""
        session = self._session(request)
        return self._opened(session, str(name or ""), str(path or ""), known(kept))

    def _opened(self, session: Session, name: str, path: str, names: list[str]) -> Updates:
        choices = self.desk.choices([*names, name])
        reading = self.desk.open(session, name, path)
        session.offered = choices
        return self.screen.opened(reading, choices) | {self.ui.notice: ""}

    # -- choosing what is shown -----------------------------------------------------------------

    def choose(self, request: gr.Request, model: Any, attributes: Any) -> Updates:
        """Another model, or other attributes."""
        reading = self._session(request).reading
        if reading is None:
            return {self.ui.notice: ""}
        if any(model == known.model for known in reading.report.models):
            reading.model = str(model)
        reading.attributes = attributes_of(attributes)
        reading.counted, reading.page = None, 0
        return self.screen.of_model(reading) | {self.ui.notice: ""}

    def filter(self, request: gr.Request, verdicts: Any, which: Any, search: Any) -> Updates:
        """Another filter of the findings."""
        reading = self._session(request).reading
        wanted = wanted_of(verdicts, which, search)
        if reading is None or (wanted == reading.wanted and reading.counted is not None):
            return {self.ui.notice: ""}
        reading.wanted, reading.counted, reading.page = wanted, None, 0
        return {self.ui.findings: self.screen.table(reading), self.ui.notice: ""}

    def pick(self, event: gr.EventData, request: gr.Request) -> Updates:
        """A finding to open in Explore, or another page of findings."""
        session = self._session(request)
        data: dict[str, Any] = event._data or {}
        if "page" in data:
            reading = session.reading
            if reading is None:
                return {self.ui.notice: ""}
            reading.page = int(data["page"])
            return {self.ui.findings: self.screen.table(reading), self.ui.notice: ""}
        if "example" in data:
            session.wanted = self.desk.form_of_example(session, int(data["example"]))
        elif "change" in data:
            session.wanted = self.desk.form_of_change(session, int(data["change"]))
        else:
            session.wanted = self.desk.form_of_finding(
                session, int(data.get("shard", -1)), int(data.get("place", -1))
            )
        return {self.tabs: gr.Tabs(selected="explore"), self.ui.notice: ""}

    # -- comparing and taking along -------------------------------------------------------------

    def choose_other(self, request: gr.Request, name: Any, path: Any) -> Updates:
        """Offer the models of the other campaign."""
        session, name, path = self._session(request), str(name or ""), str(path or "")
        if name or path.strip():
            models = self.desk.models_of(name, path)
        elif session.reading:
            models = [model.model for model in session.reading.report.models]
        else:
            models = []
        mine = session.reading.model if session.reading else ""
        elsewhere = bool(name or path.strip())
        rest = [model for model in models if elsewhere or model != mine]
        value = mine if mine in rest else next(iter(rest), None)
        return {self.ui.second: gr.update(choices=models, value=value), self.ui.notice: ""}

    def compare(
        self, request: gr.Request, name: Any, path: Any, first: Any, second: Any
    ) -> Updates:
        """Compare what is open with another campaign, or two of its models."""
        session, ui = self._session(request), self.ui
        models = [str(first or ""), str(second or "")]
        try:
            self.desk.compare(session, str(name or ""), str(path or ""), models)
        except HinterError as error:
            return {ui.comparison: notice.error(str(error), "This cannot be compared.")}
        assert session.reading is not None
        assert session.reading.comparison is not None
        return {ui.comparison: present.comparison(session.reading.comparison), ui.notice: ""}

    def hand_over(self, request: gr.Request) -> Updates:
        """Make a file of mutants for the Batch tab."""
        session = self._session(request)
        session.hand = ""
        session.hand = str(self.desk.hand_over(session, Path(get_upload_folder())))
        return {self.ui.notice: ""}

    def _write(self, kind: str) -> Callable[[gr.Request], Updates]:
        def write(request: gr.Request) -> Updates:
            """Make a file; its place is told to the page, which fetches it."""
            path = self.desk.write(self._session(request), kind, Path(get_upload_folder()))
            return {self.ui.place: str(path), self.ui.notice: ""}

        return write
