"""The widgets of the Explore tab: where each stands, without what it does."""

from collections.abc import Iterable
from typing import Any

import gradio as gr

from hinter_core.files.source import ENDINGS
from hinter_core.options import CampaignOption
from hinter_core.types import SUBSTITUTE
from hinter_ui.explore.actions import ExampleText
from hinter_ui.html.markup import tag
from hinter_ui.html.wording import name_of, relation_choices, verdict_choices
from hinter_ui.shared.links import DEFAULT_MODEL, DEFAULT_PARSER, FIELDS
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import Labels, html


class ExploreLayout:
    """Build the widgets inside the current tab and keep those that events use."""

    def __init__(self, services: Services, examples: Iterable[ExampleText]) -> None:
        labels = services.labels_of("explore")
        with gr.Row(elem_classes="top"):
            with gr.Column(min_width=0, elem_classes="text-side"):
                self._text_side(labels, examples)
            with gr.Column(min_width=0, elem_classes="settings-side"):
                self._controls(labels, services)
            with gr.Column(min_width=0, elem_classes="change-side"):
                self._change(labels)
        self.notice = html("notice", script="explore.returned")
        self.address = gr.Textbox(elem_classes="offstage", elem_id="address", show_label=False)
        self.payload = gr.Textbox(elem_classes="offstage", elem_id="payload", show_label=False)
        with gr.Column(visible=False, elem_classes="results") as self.results:
            self._results(labels)
        # Controls beside the text that decide what is found.
        deciding = [self.fields[name] for name in FIELDS if name not in ("limit", "requests")]
        self.settings: list[Any] = [self.attributes, self.models, self.parser, *deciding]
        # Follows from the text and the settings alone.
        self.looked = [
            self.preview, self.who, self.pair, *self.slots, self.choosing, self.asking, self.models,
        ]  # fmt: skip
        self.shown = [
            self.pair, *self.slots, self.results, self.banner, self.model_switch, self.square,
            self.plot_box, self.plot, self.trees, self.table, self.link,
        ]  # fmt: skip
        # Says which figures belong to what the controls say.
        self.standing: list[Any] = [self.stale, self.progress, self.address]
        # Where the work on an answer shows; a box would take all that it holds with it.
        self.drawn = [self.preview, self.banner, self.square, self.plot, self.trees, self.table]
        self.filters: list[Any] = [
            self.verdict_filter, self.attribute_filter, self.group_filter, self.row_order,
        ]  # fmt: skip
        # All that an example or a link sets.
        controls = [self.text, *self.settings]
        self.everything = list(dict.fromkeys([*controls, *self.looked, *self.shown, *self.filters]))
        # The inputs of ExploreForm.of, in its order.
        self.form = [
            self.text, self.attributes, self.models, self.parser,
            *(self.fields[name] for name in FIELDS), *self.slots,
        ]  # fmt: skip

    def _text_side(self, labels: Labels, examples: Iterable[ExampleText]) -> None:
        self.text = labels.make(gr.Textbox, "text", lines=4, max_lines=14)
        with gr.Row(elem_classes="chips", elem_id="examples"):
            labels.html(
                "chip-label", lambda: tag("span", labels.say("form.examples"), class_="quiet")
            )
            self.example_buttons = [
                gr.Button(e.title, size="sm", elem_classes="chip", min_width=0) for e in examples
            ]
        self.preview = html("preview", script="explore.typed")
        with labels.make(gr.Accordion, "people", open=False) as self.people:
            self.who = html("who")

    def _controls(self, labels: Labels, services: Services) -> None:
        names = list(services.dictionaries())
        with gr.Column(min_width=0) as self.choosing:  # the slots of a template choose themselves
            self.attributes = labels.choice(
                gr.CheckboxGroup,
                "attributes",
                lambda: [(name_of(name), name) for name in names],
                value=["race", "gender"],
                elem_classes="attribute-chips",
            )
        self.models = labels.make(
            gr.Dropdown,
            "models",
            choices=list(services.model_choices()),
            value=[DEFAULT_MODEL],
            multiselect=True,
            allow_custom_value=True,
        )
        self.scan = labels.make(gr.Button, "scan", variant="primary")
        self.cancel = labels.make(gr.Button, "cancel", variant="stop", visible=False)
        self.progress = html("progress", script="explore.offers")
        with labels.make(gr.Accordion, "more", open=False):
            self._settings(labels)

    def _settings(self, labels: Labels) -> None:
        asking = ("repeat", "requests")  # for models that answer in words: they cost, and may waver
        self.fields: dict[str, Any] = {"order": labels.make(gr.Radio, "order", value=2)}
        self.fields["relations"] = labels.choice(
            gr.Dropdown, "relations", relation_choices, value=[SUBSTITUTE], multiselect=True
        )
        others = [o for name, o in FIELDS.items() if name not in (*self.fields, *asking)]
        self._fields(labels, (option for option in others if option.type is bool))
        self.parser = labels.make(
            gr.Dropdown,
            "parser",
            choices=[DEFAULT_PARSER, "en_core_web_sm", "en_core_web_trf"],
            value=DEFAULT_PARSER,
            allow_custom_value=True,
        )
        with gr.Row(elem_classes="option-grid"):
            self._fields(labels, (option for option in others if option.type is not bool))
        with gr.Column(visible=False, min_width=0, elem_id="asking") as self.asking:
            self._fields(labels, (FIELDS[name] for name in asking))
        self.upload = labels.make(gr.File, "upload", file_types=list(ENDINGS), height=110)
        self.upload_note = html("upload-note")

    def _fields(self, labels: Labels, options: Iterable[CampaignOption]) -> None:
        for option in options:
            self.fields[option.name] = labels.option(option, option.name.replace("_", "-"))

    def _change(self, labels: Labels) -> None:
        empty: dict[str, Any] = {"choices": [], "allow_custom_value": True}
        self.pair = labels.make(gr.Dropdown, "pair", visible=False, **empty)
        with gr.Row(elem_classes="change", elem_id="change"):
            self.slots = [
                gr.Dropdown(
                    label=labels.say("form.replacement", n=number),
                    visible=number < 3,
                    min_width=210,
                    elem_id=f"slot-{number}",
                    **empty,
                )
                for number in (1, 2, 3)
            ]
        self.check = labels.make(gr.Button, "check", variant="primary")

    def _results(self, labels: Labels) -> None:
        self.stale = html("stale", script="explore.offers")
        self.banner = html("banner")
        self.model_switch = labels.make(gr.Radio, "model-switch", choices=[], visible=False)
        self.square = html("square")
        with gr.Column(elem_classes="plot-box") as self.plot_box:
            labels.heading("how")
            self.plot = gr.Plot(show_label=False, container=False, elem_id="plot")
        labels.heading("why")
        self.trees = html("trees", script="explore.trees")
        labels.heading("all")
        with gr.Row(elem_classes="filters", elem_id="filters"):
            self._filters(labels)
        self.table = html("table", script="explore.table")
        with gr.Row(elem_classes="downloads"):
            self.csv = labels.make(gr.Button, "csv", size="sm", min_width=140)
            self.json = labels.make(gr.Button, "json", size="sm", min_width=140)
            self.link = html("link", script="page.copyLink")

    def _filters(self, labels: Labels) -> None:
        self.verdict_filter = labels.choice(
            gr.Dropdown, "verdict-filter", verdict_choices, value=[], multiselect=True,
            min_width=160,
        )  # fmt: skip
        every: dict[str, Any] = {"choices": [(labels.say("form.any"), "")], "value": ""}
        self.attribute_filter = labels.make(gr.Dropdown, "attribute-filter", min_width=130, **every)
        self.group_filter = labels.make(gr.Dropdown, "group-filter", min_width=160, **every)
        self.row_order = labels.make(gr.Dropdown, "row-order", value="verdict", min_width=160)
