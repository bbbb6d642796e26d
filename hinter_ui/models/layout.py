"""The widgets of the Models tab: what stands where, and nothing of what it does.

A form is drawn for each kind of model from the options that the kind declares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from hinter_core.models.registry import Backend
from hinter_core.options import Option
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import Words
from hinter_ui.models import html as present
from hinter_ui.models.form import EXAMPLES, addable, help_of, offered, sketch
from hinter_ui.shared.access import Access
from hinter_ui.shared.links import DEFAULT_MODEL
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import Labels, html, option_field

FIRST_KIND = "hf"
_FIRST_TEXT = "The waiter was friendly, and the soup was cold."


@dataclass(frozen=True)
class KindForm:
    """The fields of one kind; ``values`` in the order of its options."""

    kind: str
    backend: Backend
    box: gr.Column
    source: gr.Textbox
    values: list[Any]
    name: gr.HTML
    key: gr.Textbox | None
    load: gr.Button
    status: gr.HTML

    @property
    def fields(self) -> list[Any]:
        """Source and options."""
        return [self.source, *self.values]


@dataclass(frozen=True)
class ModelsLayout:
    """Handles to all widgets that events touch."""

    table: gr.HTML
    kind: gr.Radio
    forms: list[KindForm]
    status: gr.HTML
    model: gr.Dropdown
    text: gr.Textbox
    ask: gr.Button
    again_row: gr.Column
    times: gr.Number
    again: gr.Button
    answer: gr.HTML


def lay_out(services: Services) -> ModelsLayout:
    """Build the widgets inside the current tab."""
    labels = Labels(present.ROOM)
    services.labels.append(labels)
    widgets: dict[str, Any] = {}
    labels.heading("models")
    widgets["table"] = html("model-table", script="models.table")
    widgets["status"] = html("table-status")
    with gr.Row(elem_classes="model-desk"):
        with gr.Column(min_width=0, elem_classes="add-side"):
            _add(labels, widgets, services.access)
        with gr.Column(min_width=0, elem_classes="try-side"):
            _try(labels, widgets, services)
    labels.heading("kinds")
    html("model-kinds", present.kinds(services.access.kinds()))
    return ModelsLayout(**widgets)


def _add(labels: Labels, widgets: dict[str, Any], access: Access) -> None:
    labels.heading("add")
    kinds = addable(access)
    widgets["kind"] = labels.make(
        gr.Radio,
        "model-kind",
        choices=[(backend.label, kind) for kind, backend in kinds.items()],
        value=FIRST_KIND,
    )
    widgets["forms"] = [_form(labels, kind, backend, access) for kind, backend in kinds.items()]


def _form(labels: Labels, kind: str, backend: Backend, access: Access) -> KindForm:
    with gr.Column(
        visible=kind == FIRST_KIND, min_width=0, elem_id=f"form-{kind}", elem_classes="kind-form"
    ) as box:
        source = labels.write(
            gr.Textbox,
            lambda say: {"label": say("form.source", source=backend.source.partition("?")[0])},
            info=backend.about,
            placeholder=EXAMPLES.get(kind, ""),
            lines=1 if backend.options else 3,
            elem_id=f"source-{kind}",
        )
        values = _options(labels, kind, backend, access)
        key = _key(labels, kind, access) if backend.takes_key else None
        defaults = [option.default for option in backend.options]

        def named(say: Words) -> Markup:
            return present.name_line(*sketch(access, kind, backend, "", defaults, say), say)

        name = labels.html(f"name-{kind}", named, "models.copyName")
        load = labels.write(
            gr.Button,
            lambda say: {"value": say("form.load")},
            variant="primary",
            elem_id=f"load-{kind}",
        )
        status = html(f"status-{kind}")
    return KindForm(kind, backend, box, source, values, name, key, load, status)


def _options(labels: Labels, kind: str, backend: Backend, access: Access) -> list[Any]:
    """A field for each option, the advanced ones folded; in the order of the options."""
    made: dict[str, Any] = {}
    with gr.Row(elem_classes="option-grid"):
        made |= {o.name: _field(labels, kind, o, access) for o in backend.options if not o.advanced}
    advanced = [option for option in backend.options if option.advanced]
    if advanced:
        fold = labels.write(
            gr.Accordion,
            lambda say: {"label": say("form.options")},
            open=False,
            elem_id=f"advanced-{kind}",
        )
        with fold, gr.Row(elem_classes="option-grid"):
            made |= {o.name: _field(labels, kind, o, access) for o in advanced}
    return [made[option.name] for option in backend.options]


def _field(labels: Labels, kind: str, option: Option, access: Access) -> Any:
    def texts(say: Words) -> dict[str, Any]:
        choices = offered(option, access, say)[0]
        return {"info": help_of(option, say)} | ({"choices": choices} if choices else {})

    name, others = option.name.replace("_", "-"), offered(option, access, labels.say)[1]
    return labels.write(partial(option_field, option, f"{kind}-{name}", others=others), texts)


def _key(labels: Labels, kind: str, access: Access) -> gr.Textbox:
    help_key = "form.key_help_local" if access.local else "form.key_help"
    return labels.write(
        gr.Textbox,
        lambda say: {"label": say("form.key"), "info": say(help_key)},
        type="password",
        max_lines=1,
        html_attributes=gr.InputHTMLAttributes(autocomplete="off", spellcheck=False),
        elem_id=f"key-{kind}",
    )


def _try(labels: Labels, widgets: dict[str, Any], services: Services) -> None:
    labels.heading("try")
    widgets["model"] = labels.make(
        gr.Dropdown,
        "try-model",
        choices=list(services.model_choices()),
        value=DEFAULT_MODEL,
        allow_custom_value=True,  # the choices grow while the page is open
    )
    widgets["text"] = labels.make(gr.Textbox, "try-text", value=_FIRST_TEXT, lines=3, max_lines=10)
    widgets["ask"] = labels.make(gr.Button, "ask", variant="primary")
    with gr.Column(visible=False, elem_id="again-row") as row:
        labels.html("again-why", lambda say: tag("p", say("try.again"), class_="quiet"))
        with gr.Row(elem_classes="again-row"):
            widgets["times"] = labels.make(gr.Number, "times", value=5, precision=0, min_width=110)
            widgets["again"] = labels.make(gr.Button, "again", min_width=160)
    widgets["again_row"] = row
    widgets["answer"] = html("try-answer")
