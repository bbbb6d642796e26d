"""The widgets of the Models tab: where each stands, without what it does.

Each kind of model has a form with the options that it declares.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import gradio as gr

from hinter_core.models.registry import Backend
from hinter_core.options import Option
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import translated
from hinter_ui.models import html as present
from hinter_ui.models.actions import EXAMPLES, addable, fitting, help_of, offered, sketch
from hinter_ui.shared.access import Access
from hinter_ui.shared.links import DEFAULT_MODEL
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import Labels, html, option_field

FIRST_KIND = "hf"
_FIRST_TEXT = "The waiter was friendly, and the soup was cold."


class ModelsLayout:
    """Build the widgets inside the current tab and keep those that events use."""

    def __init__(self, services: Services) -> None:
        labels = services.labels_of("models")
        with gr.Row(elem_classes="tab-columns"):
            with gr.Column(min_width=0, elem_classes="add-side"):
                self._add(labels, services.access)
            with gr.Column(min_width=0, elem_classes="try-side made-from"):
                self._try(labels, services)
        labels.heading("models")
        self.table = html("model-table", script="models.table")
        self.status = html("table-status")
        labels.heading("kinds")
        labels.html("model-kinds", lambda: present.kinds(_fitting(services.access)))

    def _add(self, labels: Labels, access: Access) -> None:
        labels.heading("add")
        kinds = addable(access)
        self.kind = labels.choice(
            gr.Radio,
            "model-kind",
            lambda: [(translated(backend.label), kind) for kind, backend in kinds.items()],
            value=FIRST_KIND,
        )
        self.forms = [KindForm(labels, kind, backend, access) for kind, backend in kinds.items()]

    def _try(self, labels: Labels, services: Services) -> None:
        labels.heading("try")
        self.model = labels.choice(
            gr.Dropdown,
            "try-model",
            services.model_choices,
            value=DEFAULT_MODEL,
            allow_custom_value=True,  # the choices grow while the page is open
        )
        self.text = labels.make(gr.Textbox, "try-text", value=_FIRST_TEXT, lines=3, max_lines=10)
        self.ask = labels.make(gr.Button, "ask", variant="primary", elem_classes="makes")
        with gr.Column(visible=False, elem_id="again-row") as self.again_row:
            labels.html("again-why", lambda: tag("p", labels.say("try.again"), class_="quiet"))
            with gr.Row(elem_classes="again-row"):
                self.times = labels.make(gr.Number, "times", value=5, precision=0, min_width=110)
                self.again = labels.make(gr.Button, "again", min_width=160, elem_classes="makes")
        self.answer = html("try-answer", script="page.madeFrom")


def _fitting(access: Access) -> dict[str, Backend]:
    return {k: replace(b, about=fitting(k, b.about, access)) for k, b in access.kinds().items()}


class KindForm:
    """The form of one kind of models; ``values`` are the fields of its options, in their order."""

    def __init__(self, labels: Labels, kind: str, backend: Backend, access: Access) -> None:
        self.kind = kind
        self.backend = backend
        self.access = access
        self._labels = labels
        say = labels.say
        shown = kind == FIRST_KIND
        with gr.Column(
            visible=shown, min_width=0, elem_id=f"form-{kind}", elem_classes="kind-form"
        ) as self.box:
            self.source = labels.write(
                gr.Textbox,
                lambda: {
                    "label": say("form.source", source=backend.source.partition("?")[0]),
                    "info": fitting(kind, backend.about, access),
                },
                placeholder=EXAMPLES.get(kind, ""),
                lines=1 if backend.options else 3,
                elem_id=f"source-{kind}",
            )
            self.values = self._options()
            self.key = self._key() if backend.takes_key else None
            self.name = labels.html(f"name-{kind}", self._first_name, "models.copyName")
            self.load = labels.write(
                gr.Button,
                lambda: {"value": say("form.load")},
                variant="primary",
                elem_id=f"load-{kind}",
            )
            self.status = html(f"status-{kind}")
        self.fields = [self.source, *self.values]

    def _options(self) -> list[Any]:
        """Make a field for each option, the advanced ones folded."""
        made: dict[str, Any] = {}
        options = self.backend.options
        with gr.Row(elem_classes="option-grid"):
            made |= {o.name: self._field(o) for o in options if not o.advanced}
        advanced = [option for option in options if option.advanced]
        if advanced:
            fold = self._labels.write(
                gr.Accordion,
                lambda: {"label": self._labels.say("form.options")},
                open=False,
                elem_id=f"advanced-{self.kind}",
            )
            with fold, gr.Row(elem_classes="option-grid"):
                made |= {o.name: self._field(o) for o in advanced}
        return [made[option.name] for option in options]

    def _field(self, option: Option) -> Any:
        def texts() -> dict[str, Any]:
            choices = offered(option, self.access)[0]
            labels = {"label": translated(option.title), "info": help_of(option, self.access)}
            return labels | ({"choices": choices, "value": choices[0][1]} if choices else {})

        elem_id = f"{self.kind}-{option.name.replace('_', '-')}"
        others = offered(option, self.access)[1]
        return self._labels.write(partial(option_field, option, elem_id, others=others), texts)

    def _key(self) -> gr.Textbox:
        say = self._labels.say
        about = "form.key_help_local" if self.access.local else "form.key_help"
        return self._labels.write(
            gr.Textbox,
            lambda: {"label": say("form.key"), "info": say(about)},
            type="password",
            max_lines=1,
            html_attributes=gr.InputHTMLAttributes(autocomplete="off", spellcheck=False),
            elem_id=f"key-{self.kind}",
        )

    def _first_name(self) -> Markup:
        defaults = [option.default for option in self.backend.options]
        return present.name_line(*sketch(self.access, self.kind, self.backend, "", defaults))
