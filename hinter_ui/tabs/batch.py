"""The Batch tab: a whole data set, estimated, started, watched, and come back to."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gradio as gr
from gradio.context import Context

from hinter_core.errors import HinterError
from hinter_core.forecast import Forecast
from hinter_ui.batch_desk import BatchDesk
from hinter_ui.batch_form import BatchForm
from hinter_ui.batch_layout import OPENED_JS, BatchLayout, lay_out
from hinter_ui.batch_screen import BatchScreen, Updates
from hinter_ui.explore_scripts import download
from hinter_ui.models_load import Load
from hinter_ui.present import batch, models, notice
from hinter_ui.services import Services, Session

log = logging.getLogger(__name__)

_FAILED = "This failed inside HInter, not through you; the log has the details."
_NOT_STARTED = "This cannot be started."
_NO_DATA = "These data cannot be used."
_NOT_DONE = "That did not work."
_ESTIMATES = 2  # at once, for all visitors together: each loads models


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    tab, page = Context.block, Context.root_block
    assert isinstance(tab, gr.Tab)
    assert isinstance(tab.parent, gr.Tabs)
    assert page is not None
    desk = BatchDesk(services)
    ui = lay_out(services, batch.preview(desk.preview(BatchForm())))
    _Tab(services, desk, ui).wire(tab, tab.parent, page)


class _Tab:
    """The events of the tab."""

    def __init__(self, services: Services, desk: BatchDesk, ui: BatchLayout) -> None:
        self.services = services
        self.desk = desk
        self.ui = ui
        self.screen = BatchScreen(services, desk, ui)

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self, tab: gr.Tab, tabs: gr.Tabs, page: gr.Blocks) -> None:
        """Connect every widget with what it does."""
        ui = self.ui
        self.tabs, self.page = tabs, page
        self._on(page.load, self.open_page, [ui.kept], [tabs, *ui.watched, ui.kept])
        looked = [ui.current, ui.kept]
        self._on(tab.select, self.look, looked, ui.watched)
        self._on(ui.timer.tick, self.look, looked, ui.watched, trigger_mode="once")
        self._wire_data()
        self._on(
            ui.estimate.click,
            self.estimate,
            ui.fields,
            [ui.told, ui.estimate],
            concurrency_limit=_ESTIMATES,
        )
        started = [ui.told, *ui.watched, ui.kept]
        begun = self._on(ui.start.click, self.start, [ui.kept, *ui.fields], started)
        opened = self._on(ui.table.select, self.choose, [ui.kept], ui.watched)
        closed = self._on(ui.close.click, self.close, [ui.kept], ui.watched)
        for event in (begun, opened, closed):
            event.success(None, [ui.current], None, js=OPENED_JS, api_visibility="private")
        self._wire_actions(looked)

    def _wire_data(self) -> None:
        ui = self.ui
        read = ui.fields[:5]
        fresh = [ui.source.input, ui.upload.upload, ui.upload.clear, ui.path.submit, ui.path.blur]
        options = {"trigger_mode": "always_last"}
        self._on(partial(gr.on, fresh), self.look_at_data, read, ui.data, **options)
        chosen = [ui.fields[3].input, ui.fields[4].input]
        self._on(partial(gr.on, chosen), self.look_at_columns, read, [ui.preview], **options)

    def _wire_actions(self, looked: list[Any]) -> None:
        ui = self.ui
        for button, act in (
            (ui.cancel, self.cancel),
            (ui.resume, self.resume),
            (ui.retry, self.retry),
        ):
            self._on(button.click, self._acting(act), looked, ui.watched)
        self._on(ui.delete.click, self.ask_before_deleting, [], [ui.delete, ui.really])
        gone = self._on(ui.really.click, self.delete, looked, [*ui.watched, ui.kept])
        gone.success(None, [ui.current], None, js=OPENED_JS, api_visibility="private")
        self._on(ui.results.click, self.see_results, [ui.current], [self.tabs])
        made = self._on(ui.file.click, self.file, [ui.current], [ui.payload])
        save = download("application/yaml", "yaml").replace("hinter-check", "campaign")
        made.success(None, [ui.payload], None, js=save, api_visibility="private")

    def _on(
        self,
        event: Callable[..., Any],
        act: Callable[..., Any],
        inputs: list[Any],
        outputs: list[Any],
        **options: Any,
    ) -> Any:
        """Wire one private event without a progress overlay."""
        settings = {
            "api_visibility": "private",
            "concurrency_limit": 8,
            "show_progress": "hidden",
        } | options
        return event(act, inputs, outputs, **settings)

    def _session(self, request: gr.Request) -> Session:
        return self.services.sessions.of(request.session_hash)

    # -- data -----------------------------------------------------------------------------------

    def look_at_data(self, *values: Any) -> Updates:
        """Show the fields of a source and what its data look like; columns are found anew."""
        form = self._read(*values[:3], "", "")
        return self.screen.data(form) | self.screen.columns(form, *self._preview(form))

    def look_at_columns(self, *values: Any) -> Updates:
        """Show the data with the columns chosen."""
        return {self.ui.preview: self._preview(self._read(*values))[0]}

    def _read(self, *values: Any) -> BatchForm:
        rest = list(BatchForm.__dataclass_fields__)[5:]
        return BatchForm.of(*values, *(getattr(BatchForm(), name) for name in rest))

    def _preview(self, form: BatchForm) -> tuple[Any, tuple[str, ...]]:
        if not (form.source == "sample" or form.upload or form.path):
            return "", ()
        try:
            seen = self.desk.preview(form)
        except HinterError as error:
            return notice.error(str(error), _NO_DATA), ()
        except Exception:
            log.exception("Data could not be looked at.")
            return notice.error(_FAILED, _NO_DATA), ()
        return batch.preview(seen), seen.names

    def estimate(self, request: gr.Request, *values: Any) -> Iterator[Updates]:
        """What a campaign would do, told once a few texts were tried."""
        ui, session, found = self.ui, self._session(request), list[Forecast]()

        def work() -> str:
            found.append(self.desk.estimate(session, BatchForm.of(*values)))
            return ""

        load = Load(work)
        busy = gr.update(interactive=False)
        words = "Trying a few texts \u2026"
        yield {ui.told: models.working(words, 0), ui.estimate: busy}
        while not load.done.wait(1.0):
            yield {ui.told: models.working(words, load.seconds)}
        told = notice.error(load.error, _NOT_STARTED) if load.error else batch.estimate(found[0])
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
            return {self.ui.told: notice.error(_FAILED, _NOT_STARTED)}
        names = self.screen.known(kept)
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

    def _acting(self, act: Callable[[Session, str], object]) -> Callable[..., Updates]:
        # Not wrapped: gradio would read the signature of ``act`` and leave out the request.
        def run(request: gr.Request, current: Any, kept: Any) -> Updates:
            session, told = self._session(request), ""
            try:
                act(session, str(current))
            except HinterError as error:
                told = notice.error(str(error), _NOT_DONE)
            except Exception:
                log.exception("An action of the Batch tab failed.")
                told = notice.error(_FAILED, _NOT_DONE)
            return self.screen.watched(session, str(current), kept) | {self.ui.job_notice: told}

        return run

    def cancel(self, _: Session, name: str) -> None:
        """Stop the campaign."""
        self.desk.cancel(name)

    def resume(self, session: Session, name: str) -> None:
        """Go on with the campaign."""
        self.desk.resume(session, name)

    def retry(self, session: Session, name: str) -> None:
        """Ask again what had no answer."""
        self.desk.resume(session, name, retry=True)

    def ask_before_deleting(self) -> Updates:
        """Deleting takes a second press."""
        return {self.ui.delete: gr.update(visible=False), self.ui.really: gr.update(visible=True)}

    def delete(self, request: gr.Request, current: Any, kept: Any) -> Updates:
        """Delete the campaign with its data."""
        try:
            self.desk.delete(str(current))
        except HinterError as error:
            return {self.ui.job_notice: notice.error(str(error), _NOT_DONE)}
        names = [name for name in self.screen.known(kept) if name != current]
        return {self.ui.kept: names} | self._open(self._session(request), "", names)

    def see_results(self, request: gr.Request, current: Any) -> Updates:
        """Go on to the tab that reports on the campaign."""
        self._session(request).campaign = str(current)
        return {self.tabs: gr.Tabs(selected="results")}

    def file(self, current: Any) -> str:
        """The campaign file."""
        try:
            return self.desk.file_of(str(current))
        except HinterError as error:
            raise gr.Error(str(error), print_exception=False) from error

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
        names = self.screen.known(kept)
        updates = self._open(session, name, names) | {self.tabs: gr.Tabs(selected="batch")}
        found = self.screen.exists(name)
        if found and name not in names and not self.services.access.local:
            updates |= {self.ui.kept: [name, *names]}
        return updates
