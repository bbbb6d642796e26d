"""The Annotate tab: owners create projects and view them."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from hinter_core.annotation.project.questions import FOLDER
from hinter_core.errors import InputError
from hinter_ui.annotate import html as present
from hinter_ui.annotate.actions import KINDS, AnnotateActions, Made, ProjectForm, say
from hinter_ui.annotate.layout import AnnotateLayout
from hinter_ui.annotate.updates import AnnotateUpdates
from hinter_ui.html import notice
from hinter_ui.html.wording import chosen, numeral
from hinter_ui.inside import get_upload_folder
from hinter_ui.shared.events import TabEvents, Updates
from hinter_ui.shared.library import find_kept, known
from hinter_ui.shared.services import Services
from hinter_ui.shared.wiring import after_event, attempt, page_address, parts_of, place_in, scripted

_LONGEST_YAML = 200_000  # bytes
_LONGEST_QUERY = 200  # characters


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    ui = AnnotateLayout(local=services.access.local)
    services.labels.append(ui)
    AnnotateEvents(services, ui).wire()


class AnnotateEvents(TabEvents):
    """The owner's side; annotators have a page of their own."""

    room = "projects"
    failure = "errors.title"

    def __init__(self, services: Services, ui: AnnotateLayout) -> None:
        super().__init__(services, ui.notice)
        self.ui = ui
        self.kept = find_kept()
        self.actions = AnnotateActions(services, services.projects)
        self.updates = AnnotateUpdates(ui, self.actions)

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self) -> None:
        """Connect every widget with its event."""
        ui, fields = self.ui, self.ui.fields
        shown = [*ui.shown, ui.links, ui.told, ui.editor]
        linked = self.services.addresses.names("annotate", tab="annotate")
        self.on(linked.change, self.open_page, [linked], shown)
        sources = [fields[name] for name in ("source", "campaign", "directory")]
        many = ("many", "outcomes", "attributes", "validity")
        asked = [*sources, fields["file"], fields["labels"], ui.offered]
        drawn = [*asked, *(fields[name] for name in many), ui.check, ui.table]
        # One event for all of them: an answer to older values must not come last.
        looked = [self.tab.select, fields["source"].input, fields["campaign"].input,
                  fields["directory"].submit, fields["directory"].blur,
                  fields["file"].upload]  # fmt: skip
        self.on(
            partial(gr.on, looked), self.look, [self.kept, *asked], drawn,
            trigger_mode="always_last",
        )  # fmt: skip
        questions = fields["questions"]
        self.on(ui.buttons["defaults"].click, self.defaults, [fields["language"]], [questions])
        self.on(ui.upload.upload, self.upload, [ui.upload], [questions])
        made = self.on(ui.buttons["create"].click, self.create, ui.form, shown, notice=ui.told)
        opened = self.on(ui.table.select, self.open, [], shown)
        closed = self.on(ui.buttons["close"].click, self.close, [], shown)
        deleted = self.on(
            ui.buttons["delete"].click, self.delete, [ui.current, fields["confirm"]],
            [*shown, fields["confirm"]],
        )  # fmt: skip
        for event in (made, opened, closed, deleted):
            scripted(event.success, "projects.opened", [ui.current])
        self.on(
            ui.timer.tick, self.tick, [ui.current, ui.seen, ui.busy], ui.shown,
            trigger_mode="once", js=after_event("projects.watched"),
        )  # fmt: skip
        self.on(ui.buttons["refresh"].click, self.refresh, [ui.current], ui.shown)
        self.on(ui.buttons["switch"].click, self.switch, [ui.current], ui.shown)
        self.on(ui.news.select, self.refresh, [ui.current], ui.shown)
        for listed in (ui.people, ui.disputes, ui.decided, ui.comments, ui.removed, ui.notice):
            self.on(listed.select, self.decide, [ui.current], ui.shown)
        self.on(ui.editor.select, self.edit, [ui.current], [*ui.shown, ui.editor])
        self.on(ui.listing.select, self.look_through, [ui.current], ui.shown)
        self.on(ui.more.upload, self.add_file, [ui.current, ui.more], ui.shown)
        removal = fields["removal"]
        removed = partial(gr.on, [ui.buttons["remove"].click, removal.submit])
        self.on(removed, self.remove, [ui.current, removal], [*ui.shown, removal])
        for kind in KINDS:
            self.download(ui.buttons[kind].click, self._writer(kind), [ui.current], ui.place)

    # -- coming in ------------------------------------------------------------------------------

    def open_page(self, request: gr.Request, linked: Any) -> Updates:
        """Open a project by its owner's link."""
        ui, query = self.ui, dict(request.query_params or {}) | parts_of(linked)
        self.session(request)
        name = str(query.get("annotate") or "")[:64]
        key = str(query.get("owner") or query.get("key") or "")[:100]
        if not name or not key:
            return {ui.notice: ""}
        if self.services.access.local and key == "here":
            key = ""
        view, failure = attempt(self.actions.view, name, key, title=say("told.not_yours"))
        return {ui.notice: failure} if failure else self.updates.opened(view, page_address(request))

    def look(self, request: gr.Request, kept: Any, *asked: Any) -> Updates:
        """Show another source of mutants, or look again for something to draw from."""
        session = self.session(request)
        source, campaign, directory, file, labels, offered = (str(one or "") for one in asked)
        form = ProjectForm(source, campaign, directory.strip(), file, labels=labels)
        shown = self.updates.sources(session, form, known(session, kept), offered)
        return shown | self.updates.listed()

    # -- making ---------------------------------------------------------------------------------

    def defaults(self, language: Any) -> Updates:
        """Put the default questions into the form."""
        path = FOLDER / f"questions.{chosen(language)}.yaml"
        return {self.ui.fields["questions"]: path.read_text(encoding="utf-8")}

    def upload(self, request: gr.Request, file: Any) -> Updates:
        """Put the questions of a file into the form."""
        path = Path(str(file))
        self.session(request)
        if path.stat().st_size > _LONGEST_YAML:
            raise InputError(say("errors.large"))
        try:
            return {self.ui.fields["questions"]: path.read_text(encoding="utf-8")}
        except UnicodeDecodeError as error:
            raise InputError(say("errors.encoding")) from error

    def create(self, request: gr.Request, *values: Any) -> Updates:
        """Create a project and open it."""
        session = self.session(request)
        self.services.require_opening(session)
        made = self.actions.make(session, ProjectForm.of(*values))
        view = self.actions.view(made.id, made.key)
        updates = {self.ui.notice: self.updates.made(made), self.ui.told: ""}
        return self.updates.opened(view, page_address(request), made.key) | updates

    # -- a project ------------------------------------------------------------------------------

    def open(self, event: gr.EventData, request: gr.Request) -> Updates:
        """Open a project of the list."""
        self.session(request)
        data: dict[str, Any] = event._data or {}
        view = self.actions.view(str(data.get("project", "")), "")
        return self.updates.opened(view, page_address(request)) | {self.ui.notice: ""}

    def close(self, request: gr.Request) -> Updates:
        """Go back to all projects."""
        self.session(request)
        return self.updates.shut() | {self.ui.notice: "", self.ui.links: ""}

    def tick(self, request: gr.Request, current: Any, seen: Any, busy: Any) -> Updates:
        """Refresh the project if it has changed; while the owner is at work, only say so."""
        name, key = _parts(current)
        if not name:
            return {self.ui.timer: gr.update(active=False)}
        stamp = self.actions.stamp(name, key)
        if stamp == seen:
            return {self.ui.seen: gr.skip()}
        if busy and seen:
            new = json.loads(stamp)[0] - json.loads(str(seen))[0]
            return (
                {self.ui.news: present.page().news(numeral(new))}
                if new > 0
                else {self.ui.seen: gr.skip()}
            )
        return self.refresh(request, current)

    def refresh(self, request: gr.Request, current: Any) -> Updates:
        """Show the current state of the project."""
        self.session(request)
        return self.updates.shown(self.actions.view(*_parts(current), *_sought(current)))

    def switch(self, request: gr.Request, current: Any) -> Updates:
        """Close or open the project for annotators."""
        self.session(request)
        self.actions.switch(*_parts(current))
        return self.refresh(request, current) | {self.ui.notice: ""}

    def decide(self, event: gr.EventData, request: gr.Request, current: Any) -> Updates:
        """Store a decision on a disagreement, or remove or restore a text."""
        self.session(request)
        data: dict[str, Any] = event._data or {}
        if "person" in data:
            return self._managed(request, current, data)
        if "remove" in data:
            return self._removed(request, current, data["remove"])
        if "restore" in data:
            self.actions.restore(*_parts(current), str(data["restore"]))
            return self.refresh(request, current) | self._told("restored")
        named = (str(data.get(part, "")) for part in ("item", "question", "value"))
        self.actions.decide(*_parts(current), *named)
        return self.refresh(request, current) | self._told("decided")

    def edit(self, event: gr.EventData, request: gr.Request, current: Any) -> Updates:
        """Store what the owner wrote into the settings."""
        self.session(request)
        data: dict[str, Any] = event._data or {}
        self.actions.edit(*_parts(current), {name: str(value) for name, value in data.items()})
        view = self.actions.view(*_parts(current), *_sought(current))
        return self.updates.shown(view) | self.updates.edited(view) | self._told("edited")

    def look_through(self, event: gr.EventData, request: gr.Request, current: Any) -> Updates:
        """Find texts, add some that are typed, or remove one."""
        self.session(request)
        data: dict[str, Any] = event._data or {}
        query = str(data.get("query", ""))[:_LONGEST_QUERY]
        current = " ".join((*_parts(current), str(place_in(data, "page", 0)), query))
        if data.get("do") == "remove":
            return self._removed(request, current, data.get("item", ""))
        if data.get("do") == "add":
            made = self.actions.add(*_parts(current), lines=str(data.get("new", "")))
            return self._added(request, current, made)
        return self.refresh(request, current) | {self.ui.notice: ""}

    def add_file(self, request: gr.Request, current: Any, file: Any) -> Updates:
        """Add the texts of a file, with its judgements, and list all texts."""
        self.session(request)
        made = self.actions.add(*_parts(current), file=str(file))
        return self._added(request, " ".join(_parts(current)), made)

    def _added(self, request: gr.Request, current: Any, made: Made) -> Updates:
        message = self.updates.made(made, "added")
        return self.refresh(request, current) | {self.ui.notice: message}

    def _managed(self, request: gr.Request, current: Any, data: dict[str, Any]) -> Updates:
        """Exclude, erase or merge a person, or give a new pass-phrase."""
        given = {name: str(value) for name, value in data.items()}
        person, what = given["person"], given.get("do", "")
        phrase = self.actions.manage(*_parts(current), person, what, given)
        message = say(f"person.told.{what}", name=person, phrase=phrase)
        return self.refresh(request, current) | {self.ui.notice: notice.info([message])}

    def remove(self, request: gr.Request, current: Any, item: Any) -> Updates:
        """Remove a text by its id."""
        return self._removed(request, current, item or "") | {self.ui.fields["removal"]: ""}

    def _removed(self, request: gr.Request, current: Any, item: Any) -> Updates:
        name = str(item).strip()
        self.actions.remove(*_parts(current), name)
        return self.refresh(request, current) | {self.ui.notice: present.page().just_removed(name)}

    def delete(self, request: gr.Request, current: Any, typed: Any) -> Updates:
        """Delete the project, if its name was typed."""
        self.session(request)
        name, key = _parts(current)
        title = self.actions.view(name, key).project.name
        if str(typed or "").strip() != title:
            raise InputError(say("told.other_name", name=title))
        self.actions.delete(name, key)
        cleared = {self.ui.fields["confirm"]: "", self.ui.links: ""}
        return self.updates.shut() | self._told("deleted") | cleared

    def _told(self, key: str) -> Updates:
        return {self.ui.notice: notice.info([say(f"told.{key}")])}

    def _writer(self, kind: str) -> Any:
        def write(request: gr.Request, current: Any) -> Path:
            session, folder = self.session(request), Path(get_upload_folder())
            return self.actions.write(session, *_parts(current), kind, folder)

        return write


def _parts(current: Any) -> tuple[str, str]:
    """Return a project's name and its owner's key, from the page's note of them."""
    name, key, *_ = *str(current or "").split(" ", 3), "", ""
    return name, key


def _sought(current: Any) -> tuple[str, int]:
    """Return what the owner looks for among the texts, and the page, from the same note."""
    _, _, page, query, *_ = *str(current or "").split(" ", 3), *[""] * 4
    return query[:_LONGEST_QUERY], int(page) if page.isdecimal() else 0
