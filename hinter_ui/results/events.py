"""The Results tab: a campaign's report to read, to filter, to compare and to take along."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import gradio as gr
from gradio.utils import get_upload_folder

from hinter_ui.html.wording import DEFAULT, words_of
from hinter_ui.results import html as present
from hinter_ui.results.actions import ResultsActions
from hinter_ui.results.layout import ResultsLayout, lay_out
from hinter_ui.results.open_report import OpenReport, ResultsState
from hinter_ui.results.updates import ResultsUpdates, attributes_of, wanted_of
from hinter_ui.shared.events import TabEvents, Updates
from hinter_ui.shared.library import find_kept, known
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import attempt

say = words_of(DEFAULT, present.ROOM)


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    ResultsEvents(services, lay_out(services)).wire()


class ResultsEvents(TabEvents):
    """From the widgets of the tab to its actions and back.

    ``kept`` are the campaigns whose names the browser keeps.
    """

    title = say("errors.title")
    options: ClassVar = {"concurrency_limit": 4}

    def __init__(self, services: Services, ui: ResultsLayout) -> None:
        super().__init__(services, ui.notice)
        self.ui = ui
        self.kept = find_kept()
        self.actions = ResultsActions(services)
        self.updates = ResultsUpdates(ui, self.actions)

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self) -> None:
        """Connect every widget with what it does."""
        ui = self.ui
        opened = [self.tabs, self.kept, *ui.everything]
        self.on(self.page.load, self.open_page, [self.kept], opened)
        self.on(self.tab.select, self.look, [self.kept], ui.everything)
        asked = partial(gr.on, [ui.open.click, ui.path.submit])
        self.on(asked, self.open, [self.kept, ui.campaign, ui.path], ui.everything)
        chosen = [self.kept, ui.campaign]
        self.on(ui.campaign.input, self.open, chosen, ui.everything)
        filtered = [ui.model, ui.attributes]
        changed = partial(gr.on, [widget.input for widget in filtered])
        self.on(changed, self.choose, filtered, [ui.which, *ui.of_model])
        self._wire_findings()
        self._wire_comparison()
        # The mutants that pass the filter become the data of a new campaign.
        made = self.on(ui.hand_over.click, self.hand_over, [], [])
        self.services.links["batch"].follow(made.then)
        for kind, button in ui.downloads.items():
            self.download(button.click, self._write(kind), [], ui.place)

    def _wire_findings(self) -> None:
        ui, explore = self.ui, self.services.links["explore"]
        filters = [ui.verdicts, ui.which, ui.search]
        # gradio tells `input` of a choice of several for what is added, not for what is taken away.
        typed = partial(gr.on, [ui.verdicts.change, ui.which.input, ui.search.change])
        self.on(typed, self.filter, filters, [ui.findings], trigger_mode="always_last")
        for listed in (ui.examples, ui.findings, ui.comparison):
            explore.follow(self.on(listed.select, self.pick, [], [ui.findings, self.tabs]).then)

    def _wire_comparison(self) -> None:
        ui = self.ui
        named = partial(gr.on, [ui.other.input, ui.other_path.submit, ui.other_path.blur])
        self.on(named, self.choose_other, [ui.other, ui.other_path], [ui.second])
        sides = [ui.other, ui.other_path, ui.first, ui.second]
        self.on(ui.compare.click, self.compare, sides, [ui.comparison], show_progress="minimal")

    # -- opening --------------------------------------------------------------------------------

    def open_page(self, request: gr.Request, kept: Any) -> Updates:
        """A fresh page: the campaigns there are, and the one of its link."""
        query = dict(request.query_params or {})
        session, names = self.session(request), known(kept)
        session.campaign = str(query.get("results") or query.get("campaign") or "")[:64]
        if not query.get("results"):
            return self._offered(session, names)
        shown = self._opened(session, session.campaign, "", names)
        if session.campaign not in names and not self.services.access.local:
            shown |= {self.kept: [session.campaign, *names]}
        return shown | self.show("results")

    def look(self, request: gr.Request, kept: Any) -> Updates:
        """The tab is turned to: what is open is brought up to date, or opened."""
        session, names = self.session(request), known(kept)
        reading = session.of(ResultsState).reading
        if reading and (reading.name == session.campaign or not reading.name):
            path = "" if reading.name else str(reading.store.folder)
            return self._opened(session, reading.name, path, names)
        if session.campaign:
            return self._opened(session, session.campaign, "", names)
        return self._offered(session, names)

    def _offered(self, session: Session, names: list[str]) -> Updates:
        """The campaigns to choose from, if there are others: a list that is open now stays so."""
        choices = self.actions.choices(names)
        state = session.of(ResultsState)
        if choices == state.offered:
            return {self.ui.notice: ""}
        state.offered = choices
        return {self.ui.campaign: gr.update(choices=choices)}

    def open(self, request: gr.Request, kept: Any, name: Any, path: Any = "") -> Updates:
        """Open the campaign that was chosen, or the one of a path."""
        session = self.session(request)
        return self._opened(session, str(name or ""), str(path or ""), known(kept))

    def _opened(self, session: Session, name: str, path: str, names: list[str]) -> Updates:
        choices = self.actions.choices([*names, name])
        reading = self.actions.open(session, name, path)
        session.of(ResultsState).offered = choices
        return self.updates.opened(reading, choices, session.words(present.ROOM)) | {
            self.ui.notice: ""
        }

    # -- choosing what is shown -----------------------------------------------------------------

    def choose(self, request: gr.Request, model: Any, attributes: Any) -> Updates:
        """Another model, or other attributes."""
        session = self.session(request)
        reading = session.of(ResultsState).reading
        if reading is None:
            return {self.ui.notice: ""}
        if any(model == known.model for known in reading.report.models):
            reading.model = str(model)
        reading.attributes = attributes_of(attributes)
        reading.counted, reading.page = None, 0
        return self.updates.of_model(reading, session.words(present.ROOM)) | {self.ui.notice: ""}

    def filter(self, request: gr.Request, verdicts: Any, which: Any, search: Any) -> Updates:
        """Another filter of the findings."""
        session = self.session(request)
        reading = session.of(ResultsState).reading
        wanted = wanted_of(verdicts, which, search)
        if reading is None or (wanted == reading.wanted and reading.counted is not None):
            return {self.ui.notice: ""}
        reading.wanted, reading.counted, reading.page = wanted, None, 0
        return self._table(session, reading)

    def pick(self, event: gr.EventData, request: gr.Request) -> Updates:
        """A finding to open in Explore, or another page of findings."""
        session = self.session(request)
        data: dict[str, Any] = event._data or {}
        if "page" in data:
            reading = session.of(ResultsState).reading
            if reading is None:
                return {self.ui.notice: ""}
            reading.page = int(data["page"])
            return self._table(session, reading)
        if "example" in data:
            session.wanted = self.actions.form_of_example(session, int(data["example"]))
        elif "change" in data:
            session.wanted = self.actions.form_of_change(session, int(data["change"]))
        else:
            session.wanted = self.actions.form_of_finding(
                session, int(data.get("shard", -1)), int(data.get("place", -1))
            )
        return self.show("explore") | {self.ui.notice: ""}

    def _table(self, session: Session, reading: OpenReport) -> Updates:
        found = self.updates.table(reading, session.words(present.ROOM))
        return {self.ui.findings: found, self.ui.notice: ""}

    # -- comparing and taking along -------------------------------------------------------------

    def choose_other(self, request: gr.Request, name: Any, path: Any) -> Updates:
        """Offer the models of the other campaign."""
        reading = self.session(request).of(ResultsState).reading
        name, path = str(name or ""), str(path or "")
        if name or path.strip():
            models = self.actions.models_of(name, path)
        elif reading:
            models = [model.model for model in reading.report.models]
        else:
            models = []
        mine = reading.model if reading else ""
        elsewhere = bool(name or path.strip())
        rest = [model for model in models if elsewhere or model != mine]
        value = mine if mine in rest else next(iter(rest), None)
        return {self.ui.second: gr.update(choices=models, value=value), self.ui.notice: ""}

    def compare(
        self, request: gr.Request, name: Any, path: Any, first: Any, second: Any
    ) -> Updates:
        """Compare what is open with another campaign, or two of its models."""
        ui, models, session = self.ui, [str(first or ""), str(second or "")], self.session(request)
        compare, names = self.actions.compare, (str(name or ""), str(path or ""))
        say = session.words(present.ROOM)
        title = say("errors.not_compared")
        found, failure = attempt(compare, session, *names, models, title=title)
        return {ui.comparison: failure or present.comparison(found, say), ui.notice: ""}

    def hand_over(self, request: gr.Request) -> Updates:
        """Make a file of mutants for the Batch tab."""
        session = self.session(request)
        session.hand = ""
        session.hand = str(self.actions.hand_over(session, Path(get_upload_folder())))
        return {self.ui.notice: ""}

    def _write(self, kind: str) -> Callable[[gr.Request], Path]:
        def write(request: gr.Request) -> Path:
            """Make a file."""
            return self.actions.write(self.session(request), kind, Path(get_upload_folder()))

        return write
