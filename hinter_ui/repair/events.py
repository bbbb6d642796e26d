"""The events of the Repair tab: a repair is started, watched, stopped, and its model tested."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import gradio as gr

from hinter_core.errors import HinterError
from hinter_core.generators.grammars.reading import shipped_grammars
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup
from hinter_ui.inside import get_upload_folder
from hinter_ui.processes.record import RunState
from hinter_ui.repair import html
from hinter_ui.repair.actions import (
    FILES,
    USUAL,
    RepairActions,
    RepairForm,
    RepairStatus,
    RepairView,
    offered_grammars,
    say,
)
from hinter_ui.repair.layout import RepairLayout
from hinter_ui.shared.events import TabEvents, Told, Updates, visible
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import TabLink, after_event, parts_of, scripted


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    RepairEvents(services, RepairLayout(services)).wire()


class RepairEvents(TabEvents):
    """From the widgets of the tab to its actions and back."""

    room = "repair"
    failure = "titles.not_done"
    options: ClassVar = {"concurrency_limit": 4}

    def __init__(self, services: Services, ui: RepairLayout) -> None:
        super().__init__(services, ui.notice)
        self.ui = ui
        self.actions = RepairActions(services)

    def wire(self) -> None:
        """Connect every widget with what it does."""
        ui = self.ui
        linked = self.services.addresses.names("repair", tab="repair")
        self.on(linked.change, self.open_page, [linked], ui.watched)
        drawn = {"js": after_event("page.drawn", "repair", 0)}
        self.on(self.tab.select, self.look, [], ui.watched, **drawn)
        self.on(ui.timer.tick, self.look, [], ui.watched, trigger_mode="once")
        begun = self.on(ui.start.click, self.start, ui.form, ui.watched)
        scripted(begun.success, "page.reveal", first=("repair-title",))
        # A grammar of one's own takes the place of the one chosen, and the other way round.
        for used, other, value in (
            (ui.own_grammar.upload, ui.grammar, None),
            (ui.own_grammar.clear, ui.grammar, USUAL),
            (ui.grammar.input, ui.own_grammar, None),
        ):
            self.on(used, partial(self.replace, other, value), [], [other])
        self.on(ui.show.click, self.show_command, ui.form, [ui.command])
        opened = self.on(ui.table.select, self.choose, [], ui.watched)
        scripted(opened.success, "page.reveal", first=("repair-title",))
        for button, act in ((ui.resume, self.actions.resume), (ui.cancel, self.actions.cancel)):
            self.on(button.click, partial(self._acting, act), [], ui.watched)
        self.ask_first(ui.delete, ui.keep, ui.really)
        gone = self.on(ui.really.click, partial(self._acting, self.actions.delete), [], ui.watched)
        self.tell(gone, "gone")
        for kind, button in zip(FILES, ui.files, strict=True):
            self.download(button.click, partial(self._write, kind), [], ui.place)
        self.services.links["batch"].follow(self.on(ui.test.click, self.test, [], []).success)
        chosen = [ui.model, ui.grammar, ui.own_grammar]
        self.services.offer(
            "repair", TabLink(self.served(self.fill), [self.tabs, *chosen, *ui.watched])
        )

    def look(self, session: Session) -> Updates:
        """Show what has changed since the last look."""
        return self._watched(session)

    def open_page(self, session: Session, linked: Any) -> Updates:
        """Open the repair that the address of a fresh page names."""
        if name := parts_of(linked).get("repair", ""):
            session.of(RepairView).opened = name
        return self._watched(session)

    def fill(self, session: Session) -> Updates:
        """Fill in the model and grammar that another tab handed over."""
        ui = self.ui
        grammar, models, session.grammar, session.models = (
            session.grammar, session.models, "", (),
        )  # fmt: skip
        session.of(RepairView).shown = ""
        updates = self._watched(session) | self.show("repair")
        if models:
            choices = list(dict.fromkeys(["embedded", *models]))
            updates[ui.model] = gr.update(value=models[0], choices=choices)
        if grammar:
            of_visitor = grammar not in shipped_grammars()
            listed = grammar in offered_grammars()
            updates[ui.grammar] = gr.update(value=grammar if listed else None)
            updates[ui.own_grammar] = gr.update(value=grammar if of_visitor else None)
        return updates

    def start(self, session: Session, *values: Any) -> Updates:
        """Start a repair and show it."""
        self.actions.start(session, RepairForm.of(*values))
        return self._watched(session) | {self.notice: ""}

    def replace(self, grammar: Any, value: str | None) -> Updates:
        """Empty the field of a grammar that is not used, or choose the usual one."""
        return {grammar: value}

    def show_command(self, _session: Session, *values: Any) -> Updates:
        """Show the command that does what the form says."""
        words = self.actions.command(RepairForm.of(*values))
        return {self.ui.command: gr.update(value=words, visible=True), self.notice: ""}

    def choose(self, data: Told, session: Session) -> Updates:
        """Show a repair of the list."""
        session.of(RepairView).opened = str(data.get("repair", ""))
        return self._watched(session) | {self.notice: ""}

    def test(self, session: Session) -> Updates:
        """Open Batch with the repaired model and the old one."""
        self.actions.hand_over(session)
        return {self.notice: ""}

    def _acting(self, act: Callable[[Session], None], session: Session) -> Updates:
        act(session)
        session.of(RepairView).shown = ""
        return self._watched(session) | {self.notice: ""}

    def _write(self, kind: str, session: Session) -> Path:
        return self.actions.written(session, kind, Path(get_upload_folder()))

    # -- updates of the widgets ------------------------------------------------------------------

    def _watched(self, session: Session) -> Updates:
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
            ui.table: html.repairs(listed, opened=view.opened, local=self.actions.local),
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
        stopping = state is RunState.STOPPING
        title = html.title(status) if status else Markup("")
        if problem:
            title = notice.error(problem, say("titles.not_shown"))
        shown = {
            ui.job: status or problem,
            ui.resume: status and status.resumable,
            ui.delete: there and not busy,
            **dict.fromkeys((ui.test, *ui.files), state is RunState.DONE),
            **dict.fromkeys((ui.keep, ui.really), False),
        }
        return visible(shown) | {
            ui.title: title,
            ui.progress: html.progress(status) if status else "",
            ui.figures: html.figures(status) if status else "",
            ui.cancel: gr.update(
                visible=busy,
                interactive=not stopping,
                value=say("stopping" if stopping else "widgets.repair-cancel.value"),
            ),
        }
