"""The widgets of the Annotate tab: what stands where, and nothing of what it does."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import gradio as gr

from hinter_core.annotation.items import OUTCOMES
from hinter_ui.annotate import html as present
from hinter_ui.annotate.actions import KINDS
from hinter_ui.annotate.endpoints import AnnotatorEndpoints
from hinter_ui.annotate.form import HERE_ONLY, ROOM, SOURCES, ProjectForm
from hinter_ui.html.markup import tag
from hinter_ui.html.wording import Words, languages, words_of
from hinter_ui.shared.scripts import whole
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import html

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
    headings: dict[str, gr.HTML]
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
        """What shows the project that is open."""
        return [
            self.current, self.seen, self.timer, self.making, self.panel, self.notice, self.head,
            self.people, self.disputes, self.comments, self.numbers, self.buttons["switch"],
            self.table,
        ]  # fmt: skip


def lay_out(services: Services, endpoints: AnnotatorEndpoints) -> AnnotateLayout:
    """Build the widgets inside the current tab, in English."""
    words, widgets = words_of("en", ROOM), dict[str, Any]()
    fields, buttons, headings = dict[str, Any](), dict[str, gr.Button](), dict[str, gr.HTML]()
    gr.HTML(
        tag("div", class_="annotate-room"), elem_id="annotate-room", apply_default_css=False,
        js_on_load=whole("annotate"), server_functions=endpoints.functions(),
    )  # fmt: skip
    with gr.Column(visible=False, min_width=0, elem_id="annotate-login") as login:
        if signs_in():
            gr.LoginButton("Sign in with Hugging Face", size="md")  # annotate.js knows it
    widgets["current"] = gr.Textbox(elem_classes="offstage", show_label=False)
    widgets["seen"] = gr.Textbox(elem_classes="offstage", show_label=False)
    widgets["timer"] = gr.Timer(TICK, active=False)
    with gr.Column(elem_id="annotate-owner", min_width=0) as owner:
        widgets["notice"] = html("annotate-notice")
        with gr.Column(visible=False, min_width=0, elem_id="project") as panel:
            _panel(words, widgets, fields, buttons)
        with gr.Column(min_width=0) as making:
            headings["new"] = html("annotate-new", present.heading(words, "new"))
            with gr.Row(elem_classes="model-desk annotate-desk"):
                with gr.Column(min_width=0):
                    _texts(words, widgets, fields, services)
                    _questions(words, widgets, fields, buttons)
                with gr.Column(min_width=0):
                    _how(words, fields, buttons)
            widgets["told"] = html("annotate-told")
            if services.access.local:
                headings["list"] = html("annotate-list-title", present.heading(words, "list"))
            widgets["table"] = html("annotate-list", script="projects.act")
    return AnnotateLayout(
        login=login, owner=owner, panel=panel, making=making, fields=fields, buttons=buttons,
        headings=headings, **widgets,
    )  # fmt: skip


def signs_in() -> bool:
    """Whether this is a Space on which visitors can sign in with Hugging Face."""
    return bool(os.environ.get("SPACE_ID") and os.environ.get("OAUTH_CLIENT_ID"))


def labels(words: Words, name: str) -> dict[str, Any]:
    """A field's label, and its remark where it has one."""
    return dict(words.branch(f"fields.{name}"))


def source_choices(words: Words, *, local: bool) -> list[tuple[str, str]]:
    """(label, name) of where mutants may come from."""
    return [(words(f"sources.{name}"), name) for name in SOURCES if local or name not in HERE_ONLY]


def _texts(
    words: Words, widgets: dict[str, Any], fields: dict[str, Any], services: Services
) -> None:
    local = services.access.local
    fields["source"] = gr.Radio(
        source_choices(words, local=local), value="campaign", elem_id="annotate-source",
        **labels(words, "source"),
    )  # fmt: skip
    fields["campaign"] = gr.Dropdown([], elem_id="annotate-campaign", **labels(words, "campaign"))
    fields["directory"] = gr.Textbox(
        visible=False, max_lines=1, elem_id="annotate-directory", **labels(words, "directory")
    )
    fields["file"] = gr.File(
        visible=False, file_types=_FILES, height=130, elem_id="annotate-file",
        **labels(words, "file"),
    )  # fmt: skip
    widgets["check"] = html("annotate-check")
    fields["many"] = gr.Number(
        200, minimum=1, precision=0, elem_id="annotate-many", **labels(words, "many")
    )
    fields["outcomes"] = gr.Dropdown(
        list(OUTCOMES), multiselect=True, elem_id="annotate-outcomes", **labels(words, "outcomes")
    )
    fields["attributes"] = gr.Dropdown(
        [], multiselect=True, elem_id="annotate-attributes", **labels(words, "attributes")
    )


def _questions(
    words: Words,
    widgets: dict[str, Any],
    fields: dict[str, Any],
    buttons: dict[str, gr.Button],
) -> None:
    fields["questions"] = gr.Textbox(
        lines=3, max_lines=16, elem_id="annotate-questions", **labels(words, "questions")
    )
    with gr.Row(elem_classes="job-actions"):
        buttons["defaults"] = _button(words, "defaults", size="sm")
        widgets["upload"] = gr.UploadButton(
            words("buttons.upload"), file_types=[".yaml", ".yml"], size="sm",
            elem_id="annotate-upload",
        )  # fmt: skip


def _how(words: Words, fields: dict[str, Any], buttons: dict[str, gr.Button]) -> None:
    fields["name"] = gr.Textbox(max_lines=1, elem_id="annotate-title", **labels(words, "name"))
    with gr.Row(elem_classes="option-grid"):
        fields["language"] = gr.Dropdown(
            [(name, code) for code, name in languages("annotate").items()], value="en",
            elem_id="annotate-language", **labels(words, "language"),
        )  # fmt: skip
        fields["labels"] = gr.Textbox(
            max_lines=1, placeholder="positive, negative", elem_id="annotate-labels",
            **labels(words, "labels"),
        )  # fmt: skip
    with gr.Row(elem_classes="option-grid"):
        fields["share"] = gr.Number(
            20, minimum=0, maximum=100, elem_id="annotate-share", **labels(words, "share")
        )
        fields["copies"] = gr.Number(
            1, minimum=1, precision=0, elem_id="annotate-copies", **labels(words, "copies")
        )
        fields["repeats"] = gr.Number(
            5, minimum=0, maximum=100, elem_id="annotate-repeats", **labels(words, "repeats")
        )
    fields["blind"] = gr.Checkbox(True, elem_id="annotate-blind", **labels(words, "blind"))
    buttons["create"] = _button(words, "create", variant="primary")


def _panel(
    words: Words,
    widgets: dict[str, Any],
    fields: dict[str, Any],
    buttons: dict[str, gr.Button],
) -> None:
    with gr.Row(elem_classes="job-actions"):
        buttons["close"] = _button(words, "close", size="sm")
        buttons["refresh"] = _button(words, "refresh", size="sm")
        buttons["switch"] = gr.Button(
            words("buttons.shut"), size="sm", elem_id="annotate-switch", min_width=120
        )
    widgets["head"] = html("project-head")
    widgets["links"] = html("project-links", script="projects.act")
    widgets["people"] = html("project-people")
    widgets["disputes"] = html("project-disputes", script="projects.act")
    widgets["comments"] = html("project-comments", script="projects.act")
    widgets["numbers"] = html("project-numbers")
    html("project-take", present.subheading(words("project.take")))
    with gr.Row(elem_classes="job-actions"):
        for kind in KINDS:
            buttons[kind] = _button(words, kind, size="sm")
    widgets["place"] = gr.Textbox(elem_classes="offstage", show_label=False)
    html("project-manage", present.subheading(words("project.manage")))
    with gr.Row(elem_classes="manage-row"):
        fields["removal"] = gr.Textbox(
            max_lines=1, elem_id="annotate-removal", **labels(words, "removal")
        )
        buttons["remove"] = _button(words, "remove", size="sm")
    with gr.Row(elem_classes="manage-row"):
        fields["confirm"] = gr.Textbox(
            max_lines=1, elem_id="annotate-confirm", **labels(words, "confirm")
        )
        buttons["delete"] = _button(words, "delete", size="sm", variant="stop")


def _button(words: Words, name: str, **options: Any) -> gr.Button:
    return gr.Button(words(f"buttons.{name}"), elem_id=f"annotate-{name}", min_width=120, **options)
