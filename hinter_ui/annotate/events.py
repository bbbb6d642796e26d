"""The Annotate tab: owners create projects and view them."""

import json
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from hinter_core.annotation.backup import lasting_warning
from hinter_core.annotation.files.archive import ARCHIVE
from hinter_core.annotation.files.importing import LEFT_OUT, Imported
from hinter_core.annotation.items import labels_of_campaign, labels_of_file
from hinter_core.annotation.project.questions import FOLDER
from hinter_core.errors import HinterError, InputError
from hinter_ui.annotate import html as present
from hinter_ui.annotate.actions import (
    KINDS,
    AnnotateActions,
    ProjectForm,
    View,
    attribute_choices,
    say,
)
from hinter_ui.annotate.layout import AnnotateLayout
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import chosen, numeral, translated
from hinter_ui.inside import get_upload_folder
from hinter_ui.shared.events import TabEvents, Told, Updates
from hinter_ui.shared.library import find_kept, known
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import after_event, attempt, page_address, parts_of, place_in, scripted

_LONGEST_YAML = 200_000  # bytes
_LONGEST_QUERY = 200  # characters
_Note = tuple[str, str, str, int]  # a project's name, its owner's key, what is sought, and the page


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
            self.download(
                ui.buttons[kind].click, partial(self._write, kind), [ui.current], ui.place
            )

    # -- coming in ------------------------------------------------------------------------------

    def open_page(self, request: gr.Request, _session: Session, linked: Any) -> Updates:
        """Open a project by its owner's link."""
        ui, query = self.ui, dict(request.query_params or {}) | parts_of(linked)
        name = str(query.get("annotate") or "")[:64]
        key = str(query.get("owner") or query.get("key") or "")[:100]
        if not name or not key:
            return {ui.notice: ""}
        if self.services.access.local and key == "here":
            key = ""
        view, failure = attempt(self.actions.view, name, key, title=say("told.not_yours"))
        return {ui.notice: failure} if failure else self._opened(view, request)

    def look(self, session: Session, kept: Any, *asked: Any) -> Updates:
        """Show another source of mutants, or look again for something to draw from."""
        source, campaign, directory, file, labels, offered = (str(one or "") for one in asked)
        form = ProjectForm(source, campaign, directory.strip(), file, labels=labels)
        return self._sources(session, form, known(session, kept), offered) | self._listed()

    # -- making ---------------------------------------------------------------------------------

    def defaults(self, language: Any) -> Updates:
        """Put the default questions into the form."""
        path = FOLDER / f"questions.{chosen(language)}.yaml"
        return {self.ui.fields["questions"]: path.read_text(encoding="utf-8")}

    def upload(self, _session: Session, file: Any) -> Updates:
        """Put the questions of a file into the form."""
        path = Path(str(file))
        if path.stat().st_size > _LONGEST_YAML:
            raise InputError(say("errors.large"))
        try:
            return {self.ui.fields["questions"]: path.read_text(encoding="utf-8")}
        except UnicodeDecodeError as error:
            raise InputError(say("errors.encoding")) from error

    def create(self, request: gr.Request, session: Session, *values: Any) -> Updates:
        """Create a project and open it."""
        self.services.require_opening(session)
        made = self.actions.make(session, ProjectForm.of(*values))
        view = self.actions.view(made.id, made.key)
        updates = {self.ui.notice: _report(made.done, "made"), self.ui.told: ""}
        return self._opened(view, request, made.key) | updates

    # -- a project ------------------------------------------------------------------------------

    def open(self, data: Told, request: gr.Request, _session: Session) -> Updates:
        """Open a project of the list."""
        view = self.actions.view(str(data.get("project", "")), "")
        return self._opened(view, request) | {self.ui.notice: ""}

    def close(self, _session: Session) -> Updates:
        """Go back to all projects."""
        return self._shut() | {self.ui.notice: "", self.ui.links: ""}

    def tick(self, request: gr.Request, current: Any, seen: Any, busy: Any) -> Updates:
        """Refresh the project if it has changed; while the owner is at work, only say so."""
        name, key, *_ = _note(current)
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
        return self.refresh(self.session(request), current)

    def refresh(self, _session: Session, current: Any) -> Updates:
        """Show the current state of the project."""
        return self._shown(self.actions.view(*_note(current)))

    def _acted(self, note: _Note, told: Markup | str = "") -> Updates:
        """Show the state of the project after something was done, and say that it was."""
        return self._shown(self.actions.view(*note)) | {self.ui.notice: told}

    def switch(self, _session: Session, current: Any) -> Updates:
        """Close or open the project for annotators."""
        note = _note(current)
        self.actions.switch(*note[:2])
        return self._acted(note)

    def decide(self, data: Told, _session: Session, current: Any) -> Updates:
        """Store a decision on a disagreement, or remove or restore a text."""
        note = _note(current)
        if "person" in data:
            return self._managed(note, data)
        if "remove" in data:
            return self._removed(note, data["remove"])
        if "restore" in data:
            self.actions.restore(*note[:2], str(data["restore"]))
            return self._acted(note, _done("restored"))
        named = (str(data.get(part, "")) for part in ("item", "question", "value"))
        self.actions.decide(*note[:2], *named)
        return self._acted(note, _done("decided"))

    def edit(self, data: Told, _session: Session, current: Any) -> Updates:
        """Store what the owner wrote into the settings."""
        note = _note(current)
        self.actions.edit(*note[:2], {name: str(value) for name, value in data.items()})
        view = self.actions.view(*note)
        return self._shown(view) | self._edited(view) | {self.ui.notice: _done("edited")}

    def look_through(self, data: Told, _session: Session, current: Any) -> Updates:
        """Find texts, add some that are typed, or remove one."""
        name, key, *_ = _note(current)
        query = str(data.get("query", ""))[:_LONGEST_QUERY]
        note = name, key, query, place_in(data, "page", 0)
        if data.get("do") == "remove":
            return self._removed(note, data.get("item", ""))
        if data.get("do") == "add":
            done = self.actions.add(name, key, lines=str(data.get("new", "")))
            return self._acted(note, _report(done, "added"))
        return self._acted(note)

    def add_file(self, _session: Session, current: Any, file: Any) -> Updates:
        """Add the texts of a file, with its judgements, and list all texts."""
        name, key, *_ = _note(current)
        done = self.actions.add(name, key, file=str(file))
        return self._acted((name, key, "", 0), _report(done, "added"))

    def _managed(self, note: _Note, data: Told) -> Updates:
        given = {name: str(value) for name, value in data.items()}
        person, what = given["person"], given.get("do", "")
        phrase = self.actions.manage(*note[:2], person, what, given)
        message = say(f"person.told.{what}", name=person, phrase=phrase)
        return self._acted(note, notice.info([message]))

    def remove(self, _session: Session, current: Any, item: Any) -> Updates:
        """Remove a text by its id."""
        return self._removed(_note(current), item or "") | {self.ui.fields["removal"]: ""}

    def _removed(self, note: _Note, item: Any) -> Updates:
        name = str(item).strip()
        self.actions.remove(*note[:2], name)
        return self._acted(note, present.page().just_removed(name))

    def delete(self, _session: Session, current: Any, typed: Any) -> Updates:
        """Delete the project, if its name was typed."""
        name, key, *_ = _note(current)
        title = self.actions.view(name, key).project.name
        if str(typed or "").strip() != title:
            raise InputError(say("told.other_name", name=title))
        self.actions.delete(name, key)
        cleared = {self.ui.fields["confirm"]: "", self.ui.links: ""}
        return self._shut() | {self.ui.notice: _done("deleted")} | cleared

    def _write(self, kind: str, session: Session, current: Any) -> Path:
        folder = Path(get_upload_folder())
        return self.actions.write(session, *_note(current)[:2], kind, folder)

    # -- updates of the widgets -----------------------------------------------------------------

    def _listed(self) -> Updates:
        """List the projects; on a public host there is no list."""
        projects = self.actions.projects
        table = present.page().listed(projects.listed()) if projects.local else ""
        return {self.ui.table: table}

    def _sources(self, session: Session, form: ProjectForm, names: Any, offered: str) -> Updates:
        """Show the fields of a source, and what can be drawn from it.

        The labels of its data take the place of those ``offered`` before, unless they were changed.
        """
        ui, fields, source = self.ui, self.ui.fields, form.source
        updates: Updates = {
            fields[name]: gr.update(visible=source == name) for name in ("directory", "file")
        }
        choices = self.actions.services.campaigns.offered(names)
        known = [name for _, name in choices]
        chosen = form.campaign if form.campaign in known else next(iter(known), None)
        updates[fields["campaign"]] = gr.update(
            choices=choices, value=chosen, visible=source == "campaign"
        )
        for name in ("many", "outcomes", "validity"):
            updates[fields[name]] = gr.update(visible=source != "file")
        status, sets, labels = "", list[tuple[str, str]](), list[str]()
        if source == "check":
            n = len(session.check.mutants) if session.check else 0
            status = _status(say("told.check", n=numeral(n)) if n else say("told.no_check"))
        elif source == "campaign" and not choices:
            status = _status(say("told.no_campaign"))
        elif source == "file" and Path(form.file).suffix not in ("", ARCHIVE):
            with suppress(HinterError):  # which is told when the project is made
                labels = labels_of_file(Path(form.file))
        elif source in ("campaign", "directory"):
            try:
                store = self.actions.campaign(replace(form, campaign=chosen or ""))
                sets = attribute_choices(store) if store else []
                labels = labels_of_campaign(store) if store else []
            except HinterError as error:
                status = notice.error(str(error), "")
        updates[ui.check] = status
        if form.labels == offered:
            updates[fields["labels"]] = updates[ui.offered] = ", ".join(labels)
        updates[fields["attributes"]] = gr.update(choices=sets, value=[], visible=bool(sets))
        return updates

    def _opened(self, view: View, request: gr.Request, key: str = "") -> Updates:
        """Show a project that has just been opened; its ``key`` is shown once, to its creator."""
        local = self.actions.services.access.local
        links = present.links(view.id, key, at=page_address(request), local=local)
        return self._shown(view) | self._edited(view) | {self.ui.links: links}

    def _edited(self, view: View) -> Updates:
        """Show the settings for the owner to change; not while a project is updated by itself."""
        return {self.ui.editor: present.editor(view.id, view.key, view.project)}

    def _shown(self, view: View) -> Updates:
        ui, project, evaluation = self.ui, view.project, view.found
        switch = say("buttons.reopen" if project.closed else "buttons.shut")
        backup = self.actions.services.backup
        lasting = (backup.problem if backup else "") or lasting_warning()
        return {
            ui.current: f"{view.id} {view.key} {view.texts.page} {view.texts.query}",
            ui.seen: self.actions.stamp(view.id, view.key),
            ui.timer: gr.update(active=True),
            ui.making: gr.update(visible=False),
            ui.panel: gr.update(visible=True),
            ui.head: present.head(project, view.size, lasting, view.done, evaluation.agreements),
            ui.news: "",
            ui.people: present.people(view.people, evaluation),
            ui.decided: present.decided(
                project.questions, view.decisions, view.items, evaluation.decided
            ),
            ui.disputes: present.disputes(
                project.questions,
                evaluation.disputed,
                view.items,
                view.answers,
                sum(one.judged > 0 for one in view.people),
            ),
            ui.comments: present.comments(view.comments, view.items),
            ui.listing: present.texts(view.texts),
            ui.numbers: present.numbers(evaluation),
            ui.removed: present.page().removed(view.removed),
            ui.buttons["switch"]: gr.update(value=switch),
        }

    def _shut(self) -> Updates:
        """Show the list and the form instead of a project."""
        ui = self.ui
        return self._listed() | {
            ui.current: "",
            ui.seen: "",
            ui.timer: gr.update(active=False),
            ui.making: gr.update(visible=True),
            ui.panel: gr.update(visible=False),
        }


def _note(current: Any) -> _Note:
    """Read the page's note of the project."""
    name, key, page, query, *_ = *str(current or "").split(" ", 3), *[""] * 4
    return name, key, query[:_LONGEST_QUERY], int(page) if page.isdecimal() else 0


def _report(done: Imported, key: str) -> Markup:
    """Report on the items of a new project, or on more of them."""
    lines = [say(f"told.{key}", n=numeral(done.items))]
    if done.items_known:
        lines.append(say("told.duplicates", n=numeral(done.items_known)))
    if done.problems:
        row, why = done.problems[0]
        numbers = {name: numeral(done.left_out[name]) for name in LEFT_OUT}
        lines.append(say("told.left_out", **numbers, first=f"{row}: {translated(why)}"))
    return notice.info([*lines, *done.notes])


def _done(key: str) -> Markup:
    return notice.info([say(f"told.{key}")])


def _status(text: str) -> Markup:
    return tag("p", text, class_="quiet", role="status")
