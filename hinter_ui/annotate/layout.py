"""The widgets of the Annotate tab."""

from collections.abc import Callable
from typing import Any

import gradio as gr

from hinter_core.annotation.files.archive import ARCHIVE
from hinter_core.annotation.items import OUTCOMES
from hinter_core.files.source import ENDINGS
from hinter_ui.annotate import html as present
from hinter_ui.annotate.actions import HERE_ONLY, KINDS, SOURCES, ProjectForm
from hinter_ui.html.wording import languages
from hinter_ui.shared.widgets import Labels, html, offstage

TICK = 4.0  # seconds between two looks at a project that is open
_FILES = [*ENDINGS, ARCHIVE]


class AnnotateLayout(Labels):
    """Build the widgets inside the current tab and keep those that events use.

    ``fields`` and ``buttons`` are by name.
    """

    def __init__(self, *, local: bool) -> None:
        super().__init__("projects")
        self.local = local
        self.fields: dict[str, Any] = {}
        self.buttons: dict[str, gr.Button] = {}
        self.current = offstage()
        self.seen = offstage()
        self.offered = gr.State("")  # labels of the data, as they were written into the form
        self.busy = offstage()
        self.timer = gr.Timer(TICK, active=False)
        with gr.Column(elem_id="annotate-owner", min_width=0):
            self.notice = html("annotate-notice", script="projects.act")
            with gr.Column(visible=False, min_width=0, elem_id="project") as self.panel:
                self._panel()
            with gr.Column(min_width=0) as self.making:
                self._making()
        # All controls of the form, in its order.
        self.form = [self.fields[name] for name in ProjectForm.__dataclass_fields__]
        # What shows the open project.
        self.shown = [
            self.current, self.seen, self.timer, self.making, self.panel, self.notice, self.head,
            self.news, self.people, self.disputes, self.decided,
            self.comments, self.listing, self.numbers, self.removed,
            self.buttons["switch"], self.table,
        ]  # fmt: skip

    def _making(self) -> None:
        self.html("annotate-new", lambda: present.page().heading("new"))
        with gr.Row(elem_classes="tab-columns annotate-columns"):
            with gr.Column(min_width=0):
                self._items()
                self._questions()
            with gr.Column(min_width=0):
                self._settings()
        self.told = html("annotate-told")
        if self.local:
            self.html("annotate-list-title", lambda: present.page().heading("list"))
        self.table = html("annotate-list", script="projects.act")

    def _field(self, kind: Callable[..., Any], name: str, ident: str = "", **options: Any) -> None:
        def texts() -> dict[str, Any]:
            say = self.say
            words = dict(say.branch(f"fields.{name}"))
            if name == "source":
                known = [one for one in SOURCES if self.local or one not in HERE_ONLY]
                words["choices"] = [(say(f"sources.{one}"), one) for one in known]
            elif name == "language":
                words["value"] = say.language
            return words

        elem_id = f"annotate-{ident or name}"
        self.fields[name] = self.write(kind, texts, elem_id=elem_id, **options)

    def _button(self, name: str, **options: Any) -> None:
        def texts() -> dict[str, Any]:
            return {"value": self.say(f"buttons.{name}")}

        options = {"size": "sm", "min_width": 120} | options
        self.buttons[name] = self.write(gr.Button, texts, elem_id=f"annotate-{name}", **options)

    def _items(self) -> None:
        self._field(gr.Radio, "source", value="campaign")
        self._field(gr.Dropdown, "campaign", choices=[])
        self._field(gr.Textbox, "directory", visible=False, max_lines=1)
        self._field(gr.File, "file", visible=False, file_types=_FILES, height=130)
        self.check = html("annotate-check")
        self._field(gr.Number, "many", value=200, minimum=1, precision=0)
        self._field(gr.Dropdown, "outcomes", choices=list(OUTCOMES), multiselect=True)
        self._field(gr.Dropdown, "attributes", choices=[], multiselect=True)
        self._field(gr.Number, "validity", value=0, minimum=0, maximum=1, step=0.05)

    def _questions(self) -> None:
        self._field(gr.Textbox, "questions", lines=3, max_lines=16)
        with gr.Row(elem_classes="job-actions"):
            self._button("defaults")
            self.upload = self.write(
                gr.UploadButton, lambda: {"label": self.say("buttons.upload")},
                file_types=[".yaml", ".yml"], size="sm", elem_id="annotate-upload",
            )  # fmt: skip

    def _settings(self) -> None:
        self._field(gr.Textbox, "name", "title", max_lines=1)
        with gr.Row(elem_classes="option-grid"):
            listed = [(name, code) for code, name in languages("annotate").items()]
            self._field(gr.Dropdown, "language", choices=listed)
            self._field(gr.Textbox, "labels", max_lines=1, placeholder="positive, negative")
        with gr.Row(elem_classes="option-grid"):
            self._field(gr.Number, "share", value=20, minimum=0, maximum=100)
            self._field(gr.Number, "copies", value=1, minimum=1, precision=0)
            self._field(gr.Number, "repeats", value=5, minimum=0, maximum=100)
        self._field(gr.Checkbox, "blind", value=True)
        with gr.Row(elem_classes="start-row"):
            self._button("create", variant="primary", size="lg")

    def _panel(self) -> None:
        with gr.Row(elem_classes="job-actions"):
            self._button("close")
            self._button("refresh")
            # Its text depends on the project.
            self.buttons["switch"] = gr.Button(
                self.say("buttons.shut"), size="sm", elem_id="annotate-switch", min_width=120
            )
        self.head = html("project-head")
        parts = ("links", "editor", "news", "people", "disputes", "decided", "numbers", "comments",
                 "texts")  # fmt: skip
        (
            self.links, self.editor, self.news, self.people, self.disputes, self.decided,
            self.numbers, self.comments, self.listing,
        ) = (html(f"project-{name}", script="projects.act") for name in parts)  # fmt: skip
        self.more = self.write(
            gr.UploadButton, lambda: {"label": self.say("project.import")},
            file_types=_FILES[:-1], size="sm", elem_id="project-more",
        )  # fmt: skip
        self.html("project-take", lambda: present.page().subheading(self.say("project.take")))
        with gr.Row(elem_classes="job-actions"):
            for kind in KINDS:
                self._button(kind)
        self.place = offstage()
        self.html("project-manage", lambda: present.page().subheading(self.say("project.manage")))
        with gr.Row(elem_classes="manage-row"):
            self._field(gr.Textbox, "removal", max_lines=1)
            self._button("remove")
        self.removed = html("project-removed", script="projects.act")
        with gr.Row(elem_classes="manage-row"):
            self._field(gr.Textbox, "confirm", max_lines=1)
            self._button("delete", variant="stop")
