"""What is done with the open campaign in the Batch tab: its buttons, and what they show."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder

from hinter_core.errors import HinterError
from hinter_ui.batch.actions import BatchActions
from hinter_ui.batch.layout import OPENED_JS
from hinter_ui.batch.updates import BatchUpdates, Updates
from hinter_ui.explore.scripts import download
from hinter_ui.html import notice
from hinter_ui.results.scripts import DOWNLOAD_JS
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.shelf import known
from hinter_ui.shared.wiring import FAILED, private, scripted

log = logging.getLogger(__name__)

_NOT_DONE = "That did not work."


class JobEvents:
    """The events of an open campaign; ``opened`` gives the updates that open another one."""

    def __init__(
        self,
        services: Services,
        desk: BatchActions,
        screen: BatchUpdates,
        opened: Callable[[Session, str, Any], Updates],
    ) -> None:
        self.services = services
        self.desk = desk
        self.screen = screen
        self.opened = opened
        self.ui = screen.ui

    def wire(self, tabs: gr.Tabs) -> None:
        """Connect the widgets."""
        ui, job, self.tabs = self.ui, self.ui.job, tabs
        looked, buttons = [ui.current, ui.kept], self.ui.job.buttons
        for name, act in (("cancel", self.cancel), ("resume", self.resume), ("retry", self.retry)):
            private(buttons[name].click, self._acting(act), looked, ui.watched)
        settings = [*looked, job.models, job.requests, job.budget]
        private(job.go_on.click, self._acting(self.desk.go_on), settings, ui.watched)
        private(buttons["delete"].click, self.ask_first, [], [buttons["delete"], buttons["really"]])
        gone = private(buttons["really"].click, self.delete, looked, [*ui.watched, ui.kept])
        scripted(gone.success, OPENED_JS, [ui.current])
        private(buttons["results"].click, self.see_results, [ui.current], [tabs])
        made = private(buttons["file"].click, self.file, [ui.current], [job.payload])
        save = download("application/yaml", "campaign.yaml")
        scripted(made.success, save, [job.payload])
        written = private(job.write.click, self.write, [ui.current, job.verdicts], [
            job.place, job.notice])  # fmt: skip
        scripted(written.success, DOWNLOAD_JS, [job.place])
        picked = private(job.findings.select, self.pick, [ui.current], [tabs, job.notice])
        self.services.doors["explore"].enter(picked.then)

    def _session(self, request: gr.Request) -> Session:
        return self.services.sessions.of(request.session_hash)

    def _told(self, act: Callable[..., object], *values: Any) -> str:
        """Do something; the notice of what went wrong, empty where nothing did."""
        try:
            act(*values)
        except HinterError as error:
            return notice.error(str(error), _NOT_DONE)
        except Exception:
            log.exception("An action of the Batch tab failed.")
            return notice.error(FAILED, _NOT_DONE)
        return ""

    def _acting(self, act: Callable[..., object]) -> Callable[..., Updates]:
        # Not wrapped: gradio would read the signature of ``act`` and leave out the request.
        def run(request: gr.Request, current: Any, kept: Any, *values: Any) -> Updates:
            session = self._session(request)
            told = self._told(act, session, str(current), *values)
            updates = self.screen.watched(session, str(current), kept)
            return updates | {self.ui.job.notice: told}

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

    def ask_first(self) -> Updates:
        """Deleting takes a second press."""
        buttons = self.ui.job.buttons
        return {
            buttons["delete"]: gr.update(visible=False),
            buttons["really"]: gr.update(visible=True),
        }

    def delete(self, request: gr.Request, current: Any, kept: Any) -> Updates:
        """Delete the campaign with its data."""
        if told := self._told(self.desk.delete, str(current)):
            return {self.ui.job.notice: told}
        names = [name for name in known(kept) if name != current]
        return {self.ui.kept: names} | self.opened(self._session(request), "", names)

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

    def _mutants(self, request: gr.Request, current: Any, verdicts: Any) -> tuple[str, str]:
        """A file of mutants, and the notice of why there is none."""
        session, made = self._session(request), list[Path]()
        chosen = [str(verdict) for verdict in verdicts or ()]
        folder = Path(get_upload_folder())
        told = self._told(
            lambda: made.append(self.desk.write(session, str(current), chosen, folder))
        )
        return (str(made[0]) if made else ""), told

    def write(self, request: gr.Request, current: Any, verdicts: Any) -> Updates:
        """Make a file of mutants; its place is told to the page, which fetches it."""
        path, told = self._mutants(request, current, verdicts)
        return {self.ui.job.place: path, self.ui.job.notice: told}

    def hand_over(self, request: gr.Request, current: Any, verdicts: Any) -> Updates:
        """Make a file of mutants for the form below."""
        self._session(request).hand, told = self._mutants(request, current, verdicts)
        return {self.ui.job.notice: told}

    def pick(self, event: gr.EventData, request: gr.Request, current: Any) -> Updates:
        """A finding to open in Explore."""
        session, data = self._session(request), event._data or {}
        numbers = [_number(data.get(name)) for name in ("model", "shard", "place")]

        def find() -> None:
            session.wanted = self.desk.form_of_finding(session, str(current), *numbers)

        if told := self._told(find):
            return {self.ui.job.notice: told}
        return {self.tabs: gr.Tabs(selected="explore"), self.ui.job.notice: ""}


def _number(value: Any) -> int:
    """A whole number that a page sent; -1 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else -1
