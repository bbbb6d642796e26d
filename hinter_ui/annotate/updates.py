"""What the owner's side of the Annotate tab shows: from projects to updates of the widgets."""

from __future__ import annotations

from typing import Any

import gradio as gr

from hinter_core.annotation.backup import lasting_warning
from hinter_core.errors import HinterError
from hinter_ui.annotate import html as present
from hinter_ui.annotate.actions import AnnotateActions, Made, View
from hinter_ui.annotate.form import ROOM, ProjectForm, attribute_choices
from hinter_ui.annotate.layout import AnnotateLayout, labels, source_choices
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup, join, tag
from hinter_ui.html.wording import Words, words_of
from hinter_ui.shared.events import Updates
from hinter_ui.shared.session import Session


class AnnotateUpdates:
    """Updates of the tab's widgets, by widget."""

    def __init__(self, ui: AnnotateLayout, actions: AnnotateActions) -> None:
        self.ui = ui
        self.actions = actions

    def words(self, session: Session) -> Words:
        """The words in the visitor's language."""
        return words_of(session.language, ROOM)

    def translated(self, words: Words) -> Updates:
        """All labels in another language."""
        ui = self.ui
        updates: Updates = {
            widget: gr.update(**labels(words, name)) for name, widget in ui.fields.items()
        }
        updates[ui.fields["language"]] = gr.update(
            value=words.language, **labels(words, "language")
        )
        choices = source_choices(words, local=self.actions.services.access.local)
        updates[ui.fields["source"]] = gr.update(choices=choices, **labels(words, "source"))
        for name, button in ui.buttons.items():
            if name != "switch":
                updates[button] = gr.update(value=words(f"buttons.{name}"))
        updates[ui.upload] = gr.update(label=words("buttons.upload"))
        for name, heading in ui.headings.items():
            updates[heading] = present.heading(words, name)
        return updates

    def listed(self, words: Words) -> Updates:
        """The projects there are."""
        projects = self.actions.projects
        if not projects.local:
            return {self.ui.table: ""}
        return {self.ui.table: present.listed(words, projects.listed())}

    def sources(self, session: Session, words: Words, form: ProjectForm, names: Any) -> Updates:
        """The fields of a source, and what can be drawn from it."""
        ui, fields, source = self.ui, self.ui.fields, form.source
        drawn = source in ("campaign", "directory")
        updates: Updates = {
            fields[name]: gr.update(visible=source == name)
            for name in ("campaign", "directory", "file")
        }
        choices = self.actions.campaigns(names)
        known = [name for _, name in choices]
        chosen = form.campaign if form.campaign in known else next(iter(known), None)
        updates[fields["campaign"]] = gr.update(
            choices=choices, value=chosen, visible=source == "campaign"
        )
        updates[fields["many"]] = gr.update(visible=source != "file")
        updates[fields["outcomes"]] = gr.update(visible=source != "file")
        updates[ui.check] = self._check(session, words) if source == "check" else ""
        sets: list[tuple[str, str]] = []
        if source == "campaign" and not choices:
            updates[ui.check] = tag("p", words("told.no_campaign"), class_="quiet", role="status")
        elif drawn:
            found = ProjectForm(source=source, campaign=chosen or "", directory=form.directory)
            sets, told = self._sets(found)
            updates[ui.check] = told
        updates[fields["attributes"]] = gr.update(choices=sets, value=[], visible=bool(sets))
        return updates

    def _check(self, session: Session, words: Words) -> Markup:
        many = len(session.check.mutants) if session.check else 0
        text = words("told.check", n=f"{many:,}") if many else words("told.no_check")
        return tag("p", text, class_="quiet", role="status")

    def _sets(self, form: ProjectForm) -> tuple[list[tuple[str, str]], Markup]:
        try:
            store = self.actions.campaign(form)
            return (attribute_choices(store) if store else []), Markup("")
        except HinterError as error:
            return [], notice.error(str(error), "")

    def made(self, words: Words, made: Made) -> Markup:
        """What came of a new project."""
        lines = [words("told.made", n=f"{made.items:,}")]
        if made.duplicates:
            lines.append(words("told.duplicates", n=f"{made.duplicates:,}"))
        if made.problems:
            row, why = made.problems[0]
            lines.append(words("told.problems", n=f"{len(made.problems):,}", first=f"{row}: {why}"))
        return notice.info(lines)

    def opened(self, words: Words, view: View, key: str = "") -> Updates:
        """A project that has just been opened; ``key`` where it is to be told."""
        local = self.actions.services.access.local
        links = present.links(words, view.id, key, local=local)
        return self.shown(words, view) | {self.ui.links: links}

    def shown(self, words: Words, view: View) -> Updates:
        """A project as it stands now."""
        ui, project, found = self.ui, view.project, view.found
        switch = words("buttons.reopen" if project.closed else "buttons.shut")
        return {
            ui.current: f"{view.id} {view.key}",
            ui.seen: self.actions.stamp(view.id, view.key),
            ui.timer: gr.update(active=True),
            ui.making: gr.update(visible=False),
            ui.panel: gr.update(visible=True),
            ui.head: present.head(words, project, view.size, self._lasting()),
            ui.people: present.people(words, view.people),
            ui.disputes: present.disputes(words, project.questions, found.disputed, view.items),
            ui.comments: present.comments(words, view.comments, view.items),
            ui.numbers: present.numbers(words, found),
            ui.buttons["switch"]: gr.update(value=switch),
        }

    def _lasting(self) -> str:
        backup = self.actions.services.backup
        return (backup.problem if backup else "") or lasting_warning()

    def shut(self, words: Words) -> Updates:
        """No project is open; all are listed."""
        ui = self.ui
        return self.listed(words) | {
            ui.current: "",
            ui.seen: "",
            ui.timer: gr.update(active=False),
            ui.making: gr.update(visible=True),
            ui.panel: gr.update(visible=False),
        }

    def told(self, *lines: str) -> Markup:
        """A remark above the project."""
        return join([notice.info(list(lines))])
