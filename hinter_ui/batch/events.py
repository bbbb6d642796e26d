"""The Batch tab: a whole data set, estimated, started, watched, and come back to."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import gradio as gr
from gradio.context import Context

from hinter_core.campaign.estimate import Forecast
from hinter_core.errors import HinterError
from hinter_ui.batch import html
from hinter_ui.batch.actions import BatchActions
from hinter_ui.batch.form import DATA, BatchForm
from hinter_ui.batch.job import JobEvents
from hinter_ui.batch.layout import FORM_JS, OPENED_JS, BatchLayout, lay_out
from hinter_ui.batch.sources import HAND, SOURCES
from hinter_ui.batch.updates import BatchUpdates, Updates
from hinter_ui.html import notice
from hinter_ui.shared.background import Load
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.shelf import find_kept, known
from hinter_ui.shared.wiring import FAILED, TabLink, private, scripted

log = logging.getLogger(__name__)

_NOT_STARTED = "This cannot be started."
_NO_DATA = "These data cannot be used."
_ESTIMATES = 2  # at once, for all visitors together: each loads models


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    tab, page = Context.block, Context.root_block
    assert isinstance(tab, gr.Tab)
    assert isinstance(tab.parent, gr.Tabs)
    assert page is not None
    desk = BatchActions(services)
    ui = lay_out(services, find_kept(page), html.preview(desk.preview(BatchForm())))
    _Tab(services, desk, ui).wire(tab, tab.parent, page)


class _Tab:
    """The events of the tab."""

    def __init__(self, services: Services, desk: BatchActions, ui: BatchLayout) -> None:
        self.services = services
        self.desk = desk
        self.ui = ui
        self.screen = BatchUpdates(services, desk, ui)

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self, tab: gr.Tab, tabs: gr.Tabs, page: gr.Blocks) -> None:
        """Connect every widget with what it does."""
        ui = self.ui
        self.tabs, self.page = tabs, page
        private(page.load, self.open_page, [ui.kept], [tabs, *ui.watched, ui.kept])
        self.job = JobEvents(self.services, self.desk, self.screen, self._open)
        looked = [ui.current, ui.kept]
        private(tab.select, self.look, looked, ui.watched)
        private(ui.timer.tick, self.look, looked, ui.watched, trigger_mode="once")
        self._wire_data()
        private(
            ui.estimate.click,
            self.estimate,
            ui.form,
            [ui.told, ui.estimate],
            concurrency_limit=_ESTIMATES,
        )
        started = [ui.told, *ui.watched, ui.kept]
        begun = private(ui.start.click, self.start, [ui.kept, *ui.form], started)
        opened = private(ui.table.select, self.choose, [ui.kept], ui.watched)
        closed = private(ui.job.buttons["close"].click, self.close, [ui.kept], ui.watched)
        for event in (begun, opened, closed):
            scripted(event.success, OPENED_JS, [ui.current])
        self.job.wire(tabs)
        self._wire_doors()

    def _wire_data(self) -> None:
        ui, fields = self.ui, self.ui.fields
        files = [event for name in ("upload", HAND) for event in (
            fields[name].upload, fields[name].clear)]  # fmt: skip
        typed = [fields["path"].submit, fields["path"].blur, fields["hub"].input]
        fresh = [fields["source"].input, *files, *typed]
        options = {"trigger_mode": "always_last"}
        private(partial(gr.on, fresh), self.look_at_data, ui.data, ui.of_data, **options)
        chosen = [fields["text_column"].input, fields["label_column"].input]
        private(partial(gr.on, chosen), self.look_at_columns, ui.data, [ui.preview], **options)

    def _wire_doors(self) -> None:
        """Mutants of an open campaign, here or in Results, become the data of a new one."""
        outputs = [self.tabs, *self.ui.of_data]
        door = self.services.doors["batch"] = TabLink(self.run_by_hand, outputs, (FORM_JS,))
        ui = self.ui
        made = private(ui.job.hand_over.click, self.job.hand_over, [ui.current, ui.job.verdicts], [
            ui.job.notice])  # fmt: skip
        door.enter(made.success)

    def _session(self, request: gr.Request) -> Session:
        return self.services.sessions.of(request.session_hash)

    # -- data -----------------------------------------------------------------------------------

    def look_at_data(self, *values: Any) -> Iterator[Updates]:
        """Show the fields of a source and what its data look like; columns are found anew."""
        form = replace(self._read(*values), text_column="", label_column="")
        fields = self.screen.data(form)
        if form.source == "hub" and form.hub:
            yield fields | {self.ui.preview: notice.working("Asking the Hub \u2026", 0)}
        yield fields | self.screen.columns(form, *self._preview(form))

    def run_by_hand(self, request: gr.Request) -> Updates:
        """Fill in the mutants that were handed over."""
        session = self._session(request)
        path, session.hand = session.hand, ""
        if not path:
            return {self.tabs: gr.skip()}
        form = BatchForm(source=HAND, hand=path)
        updates = self.screen.data(form) | self.screen.by_hand(path)
        updates |= self.screen.columns(form, *self._preview(form))
        return updates | {self.tabs: gr.Tabs(selected="batch")}

    def look_at_columns(self, *values: Any) -> Updates:
        """Show the data with the columns chosen."""
        return {self.ui.preview: self._preview(self._read(*values))[0]}

    def _read(self, *values: Any) -> BatchForm:
        rest = list(BatchForm.__dataclass_fields__)[len(DATA) :]
        return BatchForm.of(*values, *(getattr(BatchForm(), name) for name in rest))

    def _preview(self, form: BatchForm) -> tuple[Any, tuple[str, ...]]:
        source = SOURCES.get(form.source)
        if source is None or (source.field and not getattr(form, source.field)):
            return "", ()
        try:
            seen = self.desk.preview(form)
        except HinterError as error:
            return notice.error(str(error), _NO_DATA), ()
        except Exception:
            log.exception("Data could not be looked at.")
            return notice.error(FAILED, _NO_DATA), ()
        return html.preview(seen), seen.names

    def estimate(self, request: gr.Request, *values: Any) -> Iterator[Updates]:
        """What a campaign would do, told once a few texts were tried."""
        ui, session, found = self.ui, self._session(request), list[Forecast]()

        def work() -> str:
            found.append(self.desk.estimate(session, BatchForm.of(*values)))
            return ""

        load = Load(work)
        busy = gr.update(interactive=False)
        words = "Trying a few texts \u2026"
        yield {ui.told: notice.working(words, 0), ui.estimate: busy}
        while not load.done.wait(1.0):
            yield {ui.told: notice.working(words, load.seconds)}
        told = notice.error(load.error, _NOT_STARTED) if load.error else html.estimate(found[0])
        yield {ui.told: told, ui.estimate: gr.update(interactive=True)}

    # -- a campaign -----------------------------------------------------------------------------

    def start(self, request: gr.Request, kept: Any, *values: Any) -> Updates:
        """Start a campaign and look at it."""
        session = self._session(request)
        try:
            entry = self.desk.start(session, BatchForm.of(*values))
        except HinterError as error:
            return {self.ui.told: notice.error(str(error), _NOT_STARTED)}
        except Exception:
            log.exception("A campaign could not be started.")
            return {self.ui.told: notice.error(FAILED, _NOT_STARTED)}
        names = known(kept)
        if not self.services.access.local:
            names = [entry.id, *names]
        return {self.ui.told: "", self.ui.kept: names} | self._open(session, entry.id, names)

    def _open(self, session: Session, name: str, kept: Any) -> Updates:
        session.watched.clear()
        return {self.ui.current: name} | self.screen.watched(session, name, kept)

    def choose(self, event: gr.EventData, request: gr.Request, kept: Any) -> Updates:
        """A campaign of the list."""
        data: dict[str, Any] = event._data or {}
        return self._open(self._session(request), str(data.get("campaign", "")), kept)

    def close(self, request: gr.Request, kept: Any) -> Updates:
        """Look at no campaign any more; it goes on."""
        return self._open(self._session(request), "", kept)

    def look(self, request: gr.Request, current: Any, kept: Any) -> Updates:
        """What has changed since the last look."""
        return self.screen.watched(self._session(request), str(current or ""), kept)

    def open_page(self, request: gr.Request, kept: Any) -> Updates:
        """A fresh page: the campaign of its link, if it has one."""
        session = self._session(request)
        name = str(dict(request.query_params or {}).get("campaign", ""))[:64]
        self.screen.with_results = any(
            isinstance(block, gr.Tab) and block.id == "results"
            for block in self.page.blocks.values()
        )
        if not name:
            return self.screen.watched(session, "", kept)
        names = known(kept)
        updates = self._open(session, name, names) | {self.tabs: gr.Tabs(selected="batch")}
        found = self.screen.exists(name)
        if found and name not in names and not self.services.access.local:
            updates |= {self.ui.kept: [name, *names]}
        return updates
