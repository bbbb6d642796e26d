"""The Annotate tab: people judge mutants by a link; the owner makes projects and looks at them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder

from hinter_core.annotation.project.questions import FOLDER
from hinter_core.errors import InputError
from hinter_ui.annotate.actions import KINDS, AnnotateActions
from hinter_ui.annotate.endpoints import AnnotatorEndpoints
from hinter_ui.annotate.form import ROOM, ProjectForm
from hinter_ui.annotate.layout import AnnotateLayout, lay_out, signs_in
from hinter_ui.annotate.updates import AnnotateUpdates
from hinter_ui.html.wording import DEFAULT, chosen, words_of
from hinter_ui.shared.events import TabEvents, Updates
from hinter_ui.shared.library import Annotations, find_kept, known
from hinter_ui.shared.services import Services
from hinter_ui.shared.wiring import attempt, scripted

_LONGEST_YAML = 200_000  # bytes


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    projects = Annotations.at_home(lambda: services.access.local)
    ui = lay_out(services, AnnotatorEndpoints(services, projects))
    AnnotateEvents(services, ui, projects).wire()


class AnnotateEvents(TabEvents):
    """The owner's side; annotators' pages ask the endpoints and nothing here."""

    title = words_of(DEFAULT, ROOM)("errors.title")

    def __init__(self, services: Services, ui: AnnotateLayout, projects: Annotations) -> None:
        super().__init__(services, ui.notice)
        self.ui = ui
        self.kept = find_kept()
        self.actions = AnnotateActions(services, projects)
        self.updates = AnnotateUpdates(ui, self.actions)

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self) -> None:
        """Connect every widget with what it does."""
        ui = self.ui
        sources = [ui.fields[name] for name in ("source", "campaign", "directory")]
        drawn = [*sources, *(ui.fields[n] for n in ("file", "many", "outcomes", "attributes")),
                 ui.check]  # fmt: skip
        words = [*ui.fields.values(), *ui.buttons.values(), ui.upload, *ui.headings.values()]
        everything = list(
            dict.fromkeys([self.tabs, ui.owner, ui.login, ui.links, ui.told, *ui.shown, *words])
        )
        self.on(self.page.load, self.open_page, [], everything)
        # One event for all of them: an answer to older values must not come last.
        looked = [self.tab.select, ui.fields["source"].input, ui.fields["campaign"].input,
                  ui.fields["directory"].submit, ui.fields["directory"].blur]  # fmt: skip
        self.on(
            partial(gr.on, looked), self.look, [self.kept, *sources], [*drawn, ui.table],
            trigger_mode="always_last",
        )  # fmt: skip
        questions = ui.fields["questions"]
        self.on(ui.buttons["defaults"].click, self.defaults, [ui.fields["language"]], [questions])
        self.on(ui.upload.upload, self.upload, [ui.upload], [questions])
        shown = [*ui.shown, ui.links, ui.told]
        made = self.on(ui.buttons["create"].click, self.create, ui.form, shown, notice=ui.told)
        opened = self.on(ui.table.select, self.open, [], shown)
        closed = self.on(ui.buttons["close"].click, self.close, [], shown)
        deleted = self.on(
            ui.buttons["delete"].click, self.delete, [ui.current, ui.fields["confirm"]],
            [*shown, ui.fields["confirm"]],
        )  # fmt: skip
        for event in (made, opened, closed, deleted):
            scripted(event.success, "projects.opened", [ui.current])
        self._wire_panel()

    def _wire_panel(self) -> None:
        ui = self.ui
        ticked = [ui.current, ui.seen]
        self.on(ui.timer.tick, self.tick, ticked, ui.shown, trigger_mode="once")
        self.on(ui.buttons["refresh"].click, self.refresh, [ui.current], ui.shown)
        self.on(ui.buttons["switch"].click, self.switch, [ui.current], ui.shown)
        for listed in (ui.disputes, ui.comments):
            self.on(listed.select, self.decide, [ui.current], ui.shown)
        removal = ui.fields["removal"]
        removed = partial(gr.on, [ui.buttons["remove"].click, removal.submit])
        self.on(removed, self.remove, [ui.current, removal], [*ui.shown, removal])
        for kind in KINDS:
            self.download(ui.buttons[kind].click, self._write(kind), [ui.current], ui.place)

    # -- coming in ------------------------------------------------------------------------------

    def open_page(self, request: gr.Request) -> Updates:
        """A fresh page: an annotator's by its link, the owner's by the owner's link, or neither."""
        ui, session = self.ui, self.session(request)
        query = dict(request.query_params or {})
        session.language = chosen(query.get("lang"))
        words = self.updates.words(session)
        name, key = str(query.get("annotate") or "")[:64], str(query.get("owner") or "")[:100]
        translated = self.updates.translated(words) if words.language != "en" else {}
        if not name:
            return {ui.notice: ""} | translated
        updates = self.show("annotate") | translated
        if not key:
            return updates | {
                ui.owner: gr.update(visible=False), ui.login: gr.update(visible=signs_in()),
            }  # fmt: skip
        if self.services.access.local and key == "here":
            key = ""
        view, failure = attempt(self.actions.view, name, key, title=words("told.not_yours"))
        if failure:
            return updates | {ui.notice: failure}
        return updates | self.updates.opened(words, view)

    def look(
        self, request: gr.Request, kept: Any, source: Any, campaign: Any, directory: Any
    ) -> Updates:
        """Another source of mutants, or the tab is turned to: there may be more to draw from."""
        session = self.session(request)
        words = self.updates.words(session)
        form = ProjectForm(
            source=str(source), campaign=str(campaign or ""), directory=str(directory or "").strip()
        )
        return self.updates.sources(session, words, form, known(kept)) | self.updates.listed(words)

    # -- making ---------------------------------------------------------------------------------

    def defaults(self, language: Any) -> Updates:
        """The default questions, to be changed."""
        path = FOLDER / f"questions.{chosen(language)}.yaml"
        return {self.ui.fields["questions"]: path.read_text(encoding="utf-8")}

    def upload(self, request: gr.Request, file: Any) -> Updates:
        """Questions from a file."""
        path, words = Path(str(file)), self.updates.words(self.session(request))
        if path.stat().st_size > _LONGEST_YAML:
            raise InputError(words("errors.large"))
        try:
            return {self.ui.fields["questions"]: path.read_text(encoding="utf-8")}
        except UnicodeDecodeError as error:
            raise InputError(words("errors.encoding")) from error

    def create(self, request: gr.Request, *values: Any) -> Updates:
        """Make a project and open it."""
        session, ui = self.session(request), self.ui
        words = self.updates.words(session)
        made = self.actions.make(session, ProjectForm.of(words, *values))
        view = self.actions.view(made.id, made.key)
        told = {ui.notice: self.updates.made(words, made), ui.told: ""}
        return self.updates.opened(words, view, made.key) | told

    # -- a project ------------------------------------------------------------------------------

    def open(self, event: gr.EventData, request: gr.Request) -> Updates:
        """A project of the list."""
        data: dict[str, Any] = event._data or {}
        view = self.actions.view(str(data.get("project", "")), "")
        words = self.updates.words(self.session(request))
        return self.updates.opened(words, view) | {self.ui.notice: ""}

    def close(self, request: gr.Request) -> Updates:
        """Back to all projects."""
        words = self.updates.words(self.session(request))
        return self.updates.shut(words) | {self.ui.notice: "", self.ui.links: ""}

    def tick(self, request: gr.Request, current: Any, seen: Any) -> Updates:
        """Look again, if anything has changed."""
        name, key = _parts(current)
        if not name:
            return {self.ui.timer: gr.update(active=False)}
        if self.actions.stamp(name, key) == seen:
            return {self.ui.seen: gr.skip()}
        return self.refresh(request, current)

    def refresh(self, request: gr.Request, current: Any) -> Updates:
        """Look again."""
        view = self.actions.view(*_parts(current))
        return self.updates.shown(self.updates.words(self.session(request)), view)

    def switch(self, request: gr.Request, current: Any) -> Updates:
        """Close or open the project for annotators."""
        self.actions.switch(*_parts(current))
        return self.refresh(request, current) | {self.ui.notice: ""}

    def decide(self, event: gr.EventData, request: gr.Request, current: Any) -> Updates:
        """A decision on a disagreement, or a text taken out."""
        data: dict[str, Any] = event._data or {}
        words = self.updates.words(self.session(request))
        if "remove" in data:
            self.actions.remove(*_parts(current), str(data["remove"]))
            told = words("told.removed")
        else:
            named = (str(data.get(part, "")) for part in ("item", "question", "value"))
            self.actions.decide(*_parts(current), *named)
            told = words("told.decided")
        return self.refresh(request, current) | {self.ui.notice: self.updates.told(told)}

    def remove(self, request: gr.Request, current: Any, item: Any) -> Updates:
        """A text taken out by its id."""
        self.actions.remove(*_parts(current), str(item or ""))
        words = self.updates.words(self.session(request))
        told = {self.ui.notice: self.updates.told(words("told.removed"))}
        return self.refresh(request, current) | told | {self.ui.fields["removal"]: ""}

    def delete(self, request: gr.Request, current: Any, typed: Any) -> Updates:
        """Delete the project, once its name was typed."""
        words = self.updates.words(self.session(request))
        name, key = _parts(current)
        title = self.actions.view(name, key).project.name
        if str(typed or "").strip() != title:
            raise InputError(words("told.other_name", name=title))
        self.actions.delete(name, key)
        told = {self.ui.notice: self.updates.told(words("told.deleted"))}
        return self.updates.shut(words) | told | {self.ui.fields["confirm"]: "", self.ui.links: ""}

    def _write(self, kind: str) -> Callable[[gr.Request, Any], Path]:
        def write(request: gr.Request, current: Any) -> Path:
            """Make a file."""
            session, folder = self.session(request), Path(get_upload_folder())
            return self.actions.write(session, *_parts(current), kind, folder)

        return write


def _parts(current: Any) -> tuple[str, str]:
    """A project's name and its owner's key, from the page's own note of them."""
    name, _, key = str(current or "").partition(" ")
    return name, key
