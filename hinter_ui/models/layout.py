"""The widgets of the Models tab: what stands where, and nothing of what it does.

A form is drawn for each kind of model from the options that the kind declares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from hinter_core.models.registry import Backend
from hinter_core.options import Option
from hinter_ui.html.markup import tag
from hinter_ui.models import html as present
from hinter_ui.models.form import EXAMPLES, addable, help_of, offered, sketch
from hinter_ui.shared.access import Access
from hinter_ui.shared.links import DEFAULT_MODEL
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import heading, html, option_field

FIRST_KIND = "hf"


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
    widgets: dict[str, Any] = {}
    heading("Models at hand", "what each can do is known once it is loaded")
    widgets["table"] = html("model-table", script="models.table")
    widgets["status"] = html("table-status")
    with gr.Row(elem_classes="model-desk"):
        with gr.Column(min_width=0, elem_classes="add-side"):
            _add(widgets, services.access)
        with gr.Column(min_width=0, elem_classes="try-side"):
            _try(widgets, services)
    heading("Kinds of models", "and how each is named, here and on the command line")
    html("model-kinds", present.kinds(services.access.kinds()))
    return ModelsLayout(**widgets)


def _add(widgets: dict[str, Any], access: Access) -> None:
    heading("Add a model", "")
    kinds = addable(access)
    widgets["kind"] = gr.Radio(
        [(backend.label, kind) for kind, backend in kinds.items()],
        value=FIRST_KIND,
        label="Kind",
        elem_id="model-kind",
    )
    widgets["forms"] = [_form(kind, backend, access) for kind, backend in kinds.items()]


def _form(kind: str, backend: Backend, access: Access) -> KindForm:
    with gr.Column(
        visible=kind == FIRST_KIND, min_width=0, elem_id=f"form-{kind}", elem_classes="kind-form"
    ) as box:
        source = gr.Textbox(
            label=f"What to load: {backend.source.partition('?')[0]}",
            info=backend.about,
            placeholder=EXAMPLES.get(kind, ""),
            lines=1 if backend.options else 3,
            elem_id=f"source-{kind}",
        )
        values = _options(kind, backend, access)
        key = _key(kind, access) if backend.takes_key else None
        defaults = [option.default for option in backend.options]
        first = sketch(access, kind, backend, "", defaults)
        name = html(f"name-{kind}", present.name_line(*first), script="models.copyName")
        load = gr.Button("Load", variant="primary", elem_id=f"load-{kind}")
        status = html(f"status-{kind}")
    return KindForm(kind, backend, box, source, values, name, key, load, status)


def _options(kind: str, backend: Backend, access: Access) -> list[Any]:
    """A field for each option, the advanced ones folded; in the order of the options."""
    made: dict[str, Any] = {}
    with gr.Row(elem_classes="option-grid"):
        made |= {o.name: _field(kind, o, access) for o in backend.options if not o.advanced}
    advanced = [option for option in backend.options if option.advanced]
    if advanced:
        fold = gr.Accordion("Advanced", open=False, elem_id=f"advanced-{kind}")
        with fold, gr.Row(elem_classes="option-grid"):
            made |= {o.name: _field(kind, o, access) for o in advanced}
    return [made[option.name] for option in backend.options]


def _field(kind: str, option: Option, access: Access) -> Any:
    choices, others = offered(option, access)
    name = option.name.replace("_", "-")
    return option_field(
        option, f"{kind}-{name}", info=help_of(option), choices=choices, others=others
    )


def _key(kind: str, access: Access) -> gr.Textbox:
    info = (
        "Sent to this server only. It stays in this app\u2019s memory until you close the page, "
        "and is written nowhere."
    )
    if access.local:
        info += " Leave it empty for a server of your own that asks for none."
    return gr.Textbox(
        label="Key",
        info=info,
        type="password",
        max_lines=1,
        html_attributes=gr.InputHTMLAttributes(autocomplete="off", spellcheck=False),
        elem_id=f"key-{kind}",
    )


def _try(widgets: dict[str, Any], services: Services) -> None:
    heading("Try it", "")
    widgets["model"] = gr.Dropdown(
        choices=list(services.model_choices()),
        value=DEFAULT_MODEL,
        label="Model",
        elem_id="try-model",
        allow_custom_value=True,  # the choices grow while the page is open
    )
    widgets["text"] = gr.Textbox(
        label="Text to ask about",
        value="The waiter was friendly, and the soup was cold.",
        lines=3,
        max_lines=10,
        elem_id="try-text",
    )
    widgets["ask"] = gr.Button("Ask", variant="primary", elem_id="ask")
    with gr.Column(visible=False, elem_id="again-row") as row:
        words = "This model may answer differently each time. Ask it the same text anew, to see "
        html("again-why", tag("p", words, "whether it flips on itself.", class_="quiet"))
        with gr.Row(elem_classes="again-row"):
            widgets["times"] = gr.Number(
                value=5, precision=0, label="How often", min_width=110, elem_id="times"
            )
            widgets["again"] = gr.Button("Ask again and again", elem_id="again", min_width=160)
    widgets["again_row"] = row
    widgets["answer"] = html("try-answer")
