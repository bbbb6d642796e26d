"""From repairs to updates of the Repair tab's widgets."""

import gradio as gr

from hinter_core.errors import HinterError
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup
from hinter_ui.processes.record import RunState
from hinter_ui.repair import html
from hinter_ui.repair.actions import RepairActions, RepairView
from hinter_ui.repair.layout import RepairLayout
from hinter_ui.repair.runs import RepairStatus, say
from hinter_ui.shared.events import Updates
from hinter_ui.shared.session import Session


class RepairUpdates:
    """Updates of the tab's widgets, by widget; only what has changed is sent."""

    def __init__(self, actions: RepairActions, ui: RepairLayout) -> None:
        self.actions = actions
        self.ui = ui

    def watched(self, session: Session) -> Updates:
        """Bring the open repair and the list up to date; the timer runs while something does."""
        ui, view = self.ui, session.of(RepairView)
        listed = self.actions.listed()
        if not view.opened:
            view.opened = next((one.id for one in listed if one.state.busy), "")
        status, problem = None, ""
        if view.opened and self.actions.local:
            try:
                status = self.actions.shown(session)
            except HinterError as error:
                problem, view.opened = str(error), ""
        updates = self._job(status, problem) | {
            ui.table: html.repairs(listed, local=self.actions.local),
            ui.timer: gr.Timer(active=any(one.state.busy for one in listed)),
        }
        written = repr([str(updates[box]) for box in (ui.title, ui.progress, ui.table)])
        if written == view.shown:
            return {ui.table: gr.skip()}
        view.shown = written
        return updates

    def _job(self, status: RepairStatus | None, problem: str) -> Updates:
        ui, state = self.ui, status.state if status else None
        there, busy = state is not None, state is not None and state.busy
        left = there and not busy and state is not RunState.DONE
        stopping = state is RunState.STOPPING
        title = html.title(status) if status else Markup("")
        if problem:
            title = notice.error(problem, say("titles.not_shown"))
        return {
            ui.job: gr.update(visible=bool(status or problem)),
            ui.title: title,
            ui.progress: html.progress(status) if status else "",
            ui.figures: html.figures(status) if status else "",
            ui.test: gr.update(visible=state is RunState.DONE),
            ui.resume: gr.update(visible=left),
            ui.cancel: gr.update(
                visible=busy,
                interactive=not stopping,
                value=say("stopping" if stopping else "widgets.repair-cancel.value"),
            ),
            ui.delete: gr.update(visible=there and not busy),
            ui.really: gr.update(visible=False),
        }
