"""Updates of the widgets on the owner's side of the Annotate tab."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr

from hinter_core.annotation.backup import lasting_warning
from hinter_core.annotation.files.archive import ARCHIVE
from hinter_core.annotation.files.importing import LEFT_OUT
from hinter_core.annotation.items import labels_of_campaign, labels_of_file
from hinter_core.errors import HinterError
from hinter_ui.annotate import html as present
from hinter_ui.annotate.actions import AnnotateActions, Made, ProjectForm, View, attribute_choices
from hinter_ui.annotate.layout import AnnotateLayout
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import Words, numeral, translated
from hinter_ui.shared.events import Updates
from hinter_ui.shared.session import Session

say = Words("projects")


class AnnotateUpdates:
    """Updates of the tab's widgets, by widget."""

    def __init__(self, ui: AnnotateLayout, actions: AnnotateActions) -> None:
        self.ui = ui
        self.actions = actions

    def listed(self) -> Updates:
        """List the projects; on a public host there is no list."""
        projects = self.actions.projects
        table = present.page().listed(projects.listed()) if projects.local else ""
        return {self.ui.table: table}

    def sources(
        self, session: Session, form: ProjectForm, names: Any, offered: str = ""
    ) -> Updates:
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

    def made(self, made: Made, key: str = "made") -> Markup:
        """Report on the items of a new project, or on more of them."""
        lines = [say(f"told.{key}", n=numeral(made.items))]
        if made.duplicates:
            lines.append(say("told.duplicates", n=numeral(made.duplicates)))
        if made.problems:
            row, why = made.problems[0]
            numbers = {name: numeral(made.left_out[name]) for name in LEFT_OUT}
            lines.append(say("told.left_out", **numbers, first=f"{row}: {translated(why)}"))
        lines += made.notes
        return notice.info(lines)

    def opened(self, view: View, page: str, key: str = "") -> Updates:
        """Show a project that has just been opened, at the address ``page`` of the app.

        ``key``: shown once, to its creator.
        """
        local = self.actions.services.access.local
        links = present.links(view.id, key, at=page, local=local)
        return self.shown(view) | self.edited(view) | {self.ui.links: links}

    def edited(self, view: View) -> Updates:
        """Show the settings for the owner to change; not while a project is updated by itself."""
        return {self.ui.editor: present.editor(view.id, view.key, view.project)}

    def shown(self, view: View) -> Updates:
        """Show the current state of a project."""
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

    def shut(self) -> Updates:
        """Show the list and the form instead of a project."""
        ui = self.ui
        return self.listed() | {
            ui.current: "",
            ui.seen: "",
            ui.timer: gr.update(active=False),
            ui.making: gr.update(visible=True),
            ui.panel: gr.update(visible=False),
        }


def _status(text: str) -> Markup:
    return tag("p", text, class_="quiet", role="status")
