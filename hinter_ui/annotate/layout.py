"""The widgets of the Annotate tab."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from hinter_core.annotation.items import OUTCOMES
from hinter_ui.annotate import html as present
from hinter_ui.annotate.actions import HERE_ONLY, KINDS, SOURCES, ProjectForm, say
from hinter_ui.annotate.endpoints import AnnotatorEndpoints
from hinter_ui.html.markup import tag
from hinter_ui.html.wording import languages
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import Labels, html
from hinter_ui.shared.wiring import whole

TICK = 4.0  # seconds between two looks at a project that is open
_FILES = [".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".gz"]


@dataclass(frozen=True)
class AnnotateLayout:
    """Handles to all widgets that events touch; ``fields`` and ``buttons`` by name."""

    login: gr.Column
    owner: gr.Column
    current: gr.Textbox
    seen: gr.Textbox
    timer: gr.Timer
    making: gr.Column
    fields: dict[str, Any]
    buttons: dict[str, gr.Button]
    upload: gr.UploadButton
    check: gr.HTML
    told: gr.HTML
    table: gr.HTML
    panel: gr.Column
    notice: gr.HTML
    links: gr.HTML
    head: gr.HTML
    people: gr.HTML
    disputes: gr.HTML
    comments: gr.HTML
    numbers: gr.HTML
    place: gr.Textbox

    @property
    def form(self) -> list[Any]:
        """All controls of the form, in its order."""
        return [self.fields[name] for name in ProjectForm.__dataclass_fields__]

    @property
    def shown(self) -> list[Any]:
        """The widgets that show the open project."""
        return [
            self.current, self.seen, self.timer, self.making, self.panel, self.notice, self.head,
            self.people, self.disputes, self.comments, self.numbers, self.buttons["switch"],
            self.table,
        ]  # fmt: skip


def lay_out(services: Services, endpoints: AnnotatorEndpoints) -> AnnotateLayout:
    """Build the widgets inside the current tab."""
    make = _Widgets(local=services.access.local)
    services.labels.append(make)
    gr.HTML(
        tag("div", class_="annotate-room"), elem_id="annotate-room", apply_default_css=False,
        js_on_load=whole("annotate"), server_functions=endpoints.functions(),
    )  # fmt: skip
    with gr.Column(visible=False, min_width=0, elem_id="annotate-login") as login:
        if signs_in():
            gr.LoginButton("Sign in with Hugging Face", size="md")  # annotate.js knows it
    widgets: dict[str, Any] = {
        "login": login,
        "current": gr.Textbox(elem_classes="offstage", show_label=False),
        "seen": gr.Textbox(elem_classes="offstage", show_label=False),
        "timer": gr.Timer(TICK, active=False),
    }
    with gr.Column(elem_id="annotate-owner", min_width=0) as widgets["owner"]:
        widgets["notice"] = html("annotate-notice")
        with gr.Column(visible=False, min_width=0, elem_id="project") as widgets["panel"]:
            widgets |= make.panel()
        with gr.Column(min_width=0) as widgets["making"]:
            make.html("annotate-new", lambda: present.heading("new"))
            with gr.Row(elem_classes="model-desk annotate-desk"):
                with gr.Column(min_width=0):
                    widgets |= make.items()
                    widgets |= make.questions()
                with gr.Column(min_width=0):
                    make.settings()
            widgets["told"] = html("annotate-told")
            if make.local:
                make.html("annotate-list-title", lambda: present.heading("list"))
            widgets["table"] = html("annotate-list", script="projects.act")
    return AnnotateLayout(fields=make.fields, buttons=make.buttons, **widgets)


def signs_in() -> bool:
    """Whether this is a Space on which visitors can sign in with Hugging Face."""
    return bool(os.environ.get("SPACE_ID") and os.environ.get("OAUTH_CLIENT_ID"))


class _Widgets(Labels):
    """Makes the parts of the tab; ``fields`` and ``buttons`` by name."""

    def __init__(self, *, local: bool) -> None:
        super().__init__(say.room)
        self.local = local
        self.fields: dict[str, Any] = {}
        self.buttons: dict[str, gr.Button] = {}

    def field(self, kind: Callable[..., Any], name: str, ident: str = "", **options: Any) -> None:
        def texts() -> dict[str, Any]:
            say = self.say
            found = dict(say.branch(f"fields.{name}"))
            if name == "source":
                known = [one for one in SOURCES if self.local or one not in HERE_ONLY]
                found["choices"] = [(say(f"sources.{one}"), one) for one in known]
            elif name == "language":
                found["value"] = say.language
            return found

        elem_id = f"annotate-{ident or name}"
        self.fields[name] = self.write(kind, texts, elem_id=elem_id, **options)

    def button(self, name: str, **options: Any) -> None:
        def texts() -> dict[str, Any]:
            return {"value": self.say(f"buttons.{name}")}

        options = {"size": "sm", "min_width": 120} | options
        self.buttons[name] = self.write(gr.Button, texts, elem_id=f"annotate-{name}", **options)

    def items(self) -> dict[str, Any]:
        self.field(gr.Radio, "source", value="campaign")
        self.field(gr.Dropdown, "campaign", choices=[])
        self.field(gr.Textbox, "directory", visible=False, max_lines=1)
        self.field(gr.File, "file", visible=False, file_types=_FILES, height=130)
        check = html("annotate-check")
        self.field(gr.Number, "many", value=200, minimum=1, precision=0)
        self.field(gr.Dropdown, "outcomes", choices=list(OUTCOMES), multiselect=True)
        self.field(gr.Dropdown, "attributes", choices=[], multiselect=True)
        return {"check": check}

    def questions(self) -> dict[str, Any]:
        self.field(gr.Textbox, "questions", lines=3, max_lines=16)
        with gr.Row(elem_classes="job-actions"):
            self.button("defaults")
            upload = self.write(
                gr.UploadButton, lambda: {"label": self.say("buttons.upload")},
                file_types=[".yaml", ".yml"], size="sm", elem_id="annotate-upload",
            )  # fmt: skip
        return {"upload": upload}

    def settings(self) -> None:
        self.field(gr.Textbox, "name", "title", max_lines=1)
        with gr.Row(elem_classes="option-grid"):
            listed = [(name, code) for code, name in languages("annotate").items()]
            self.field(gr.Dropdown, "language", choices=listed)
            self.field(gr.Textbox, "labels", max_lines=1, placeholder="positive, negative")
        with gr.Row(elem_classes="option-grid"):
            self.field(gr.Number, "share", value=20, minimum=0, maximum=100)
            self.field(gr.Number, "copies", value=1, minimum=1, precision=0)
            self.field(gr.Number, "repeats", value=5, minimum=0, maximum=100)
        self.field(gr.Checkbox, "blind", value=True)
        self.button("create", variant="primary", size="lg")

    def panel(self) -> dict[str, Any]:
        with gr.Row(elem_classes="job-actions"):
            self.button("close")
            self.button("refresh")
            # Its text depends on the project.
            self.buttons["switch"] = gr.Button(
                self.say("buttons.shut"), size="sm", elem_id="annotate-switch", min_width=120
            )
        widgets: dict[str, Any] = {
            "head": html("project-head"),
            "links": html("project-links", script="projects.act"),
            "people": html("project-people"),
            "disputes": html("project-disputes", script="projects.act"),
            "comments": html("project-comments", script="projects.act"),
            "numbers": html("project-numbers"),
        }
        self.html("project-take", lambda: present.subheading(self.say("project.take")))
        with gr.Row(elem_classes="job-actions"):
            for kind in KINDS:
                self.button(kind)
        widgets["place"] = gr.Textbox(elem_classes="offstage", show_label=False)
        self.html("project-manage", lambda: present.subheading(self.say("project.manage")))
        with gr.Row(elem_classes="manage-row"):
            self.field(gr.Textbox, "removal", max_lines=1)
            self.button("remove")
        with gr.Row(elem_classes="manage-row"):
            self.field(gr.Textbox, "confirm", max_lines=1)
            self.button("delete", variant="stop")
        return widgets
