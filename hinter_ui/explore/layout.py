"""The widgets of the Explore tab: what stands where, and nothing of what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from hinter_core.types import Verdict
from hinter_ui.explore.examples import ExampleText
from hinter_ui.explore.table import ORDERS
from hinter_ui.html.markup import tag
from hinter_ui.html.words import name_of
from hinter_ui.shared.links import DEFAULT_MODEL, DEFAULT_PARSER
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import heading, html


@dataclass(frozen=True)
class ExploreLayout:
    """Handles to all widgets that events touch."""

    text: gr.Textbox
    example_buttons: list[gr.Button]
    preview: gr.HTML
    attributes: gr.CheckboxGroup
    models: gr.Dropdown
    order: gr.Radio
    person_sense: gr.Checkbox
    parser: gr.Dropdown
    limit: gr.Number
    asking: gr.Column
    repeat: gr.Number
    requests: gr.Number
    upload: gr.File
    upload_note: gr.HTML
    pair: gr.Dropdown
    slots: list[gr.Dropdown]
    check: gr.Button
    scan: gr.Button
    cancel: gr.Button
    notice: gr.HTML
    progress: gr.HTML
    results: gr.Column
    model_switch: gr.Radio
    banner: gr.HTML
    square: gr.HTML
    plot_box: gr.Column
    plot: gr.Plot
    trees: gr.HTML
    verdict_filter: gr.Dropdown
    attribute_filter: gr.Dropdown
    group_filter: gr.Dropdown
    row_order: gr.Dropdown
    table: gr.HTML
    csv: gr.Button
    json: gr.Button
    payload: gr.Textbox
    link: gr.HTML

    @property
    def settings(self) -> list[Any]:
        """The controls beside the text that decide what is found."""
        return [
            self.attributes,
            self.models,
            self.order,
            self.person_sense,
            self.parser,
            self.repeat,
        ]

    @property
    def looked(self) -> list[Any]:
        """What follows from the text and the settings alone."""
        return [self.preview, self.pair, *self.slots, self.asking]

    @property
    def shown(self) -> list[Any]:
        """Where results stand."""
        return [
            self.progress,
            self.results,
            self.banner,
            self.model_switch,
            self.square,
            self.plot_box,
            self.plot,
            self.trees,
            self.table,
            self.link,
        ]

    @property
    def filters(self) -> list[Any]:
        """The filter of the table."""
        return [self.verdict_filter, self.attribute_filter, self.group_filter, self.row_order]

    @property
    def everything(self) -> list[Any]:
        """All that an example or a link sets."""
        return [self.text, *self.settings, *self.looked, *self.shown, *self.filters]

    @property
    def form(self) -> list[Any]:
        """The inputs that make a :class:`hinter_ui.shared.links.ExploreForm`, in its order."""
        return [
            self.text,
            self.attributes,
            self.models,
            self.order,
            self.person_sense,
            self.parser,
            self.limit,
            self.repeat,
            self.requests,
            *self.slots,
        ]


def lay_out(services: Services, examples: tuple[ExampleText, ...]) -> ExploreLayout:
    """Build the widgets inside the current tab."""
    widgets: dict[str, Any] = {}
    with gr.Row(elem_classes="top"):
        with gr.Column(min_width=0, elem_classes="text-side"):
            _text_side(widgets, examples)
        with gr.Column(min_width=0, elem_classes="settings-side"):
            _controls(widgets, services)
        with gr.Column(min_width=0, elem_classes="change-side"):
            _change(widgets)
    widgets["notice"] = html("notice")
    widgets["payload"] = gr.Textbox(elem_classes="offstage", elem_id="payload", show_label=False)
    with gr.Column(visible=False, elem_classes="results") as results:
        _results(widgets)
    return ExploreLayout(results=results, **widgets)


def _text_side(widgets: dict[str, Any], examples: tuple[ExampleText, ...]) -> None:
    widgets["text"] = gr.Textbox(
        label="Text about people",
        placeholder="Type or paste a review, a clause, the facts of a case \u2026",
        lines=4,
        max_lines=14,
        elem_id="text",
    )
    with gr.Row(elem_classes="chips", elem_id="examples"):
        html("chip-label", tag("span", "Examples", class_="quiet"))
        widgets["example_buttons"] = [
            gr.Button(e.title, size="sm", elem_classes="chip", min_width=0) for e in examples
        ]
    widgets["preview"] = html("preview")


def _controls(widgets: dict[str, Any], services: Services) -> None:
    widgets["attributes"] = gr.CheckboxGroup(
        choices=[(name_of(name), name) for name in services.dictionaries()],
        value=["race", "gender"],
        label="Attributes",
        elem_id="attributes",
        elem_classes="attribute-chips",
    )
    widgets["models"] = gr.Dropdown(
        choices=list(services.model_choices()),
        value=[DEFAULT_MODEL],
        multiselect=True,
        allow_custom_value=True,
        label="Models under test",
        info="Choose some, or type hf:ORG/NAME",
        elem_id="models",
    )
    widgets["scan"] = gr.Button("Find hidden bias", variant="primary", elem_id="scan")
    widgets["cancel"] = gr.Button("Cancel", variant="stop", visible=False, elem_id="cancel")
    widgets["progress"] = html("progress")
    with gr.Accordion("More settings", open=False, elem_id="more"):
        _settings(widgets)


def _settings(widgets: dict[str, Any]) -> None:
    widgets["order"] = gr.Radio(
        [("two attributes", 2), ("three attributes", 3)],
        value=2,
        label="Changed at once, at most",
        elem_id="order",
    )
    widgets["person_sense"] = gr.Checkbox(
        value=True,
        label="Only words about people",
        info="Off: literal mode, where \u201cblack comedy\u201d counts too",
        elem_id="person-sense",
    )
    widgets["parser"] = gr.Dropdown(
        choices=[DEFAULT_PARSER, "en_core_web_sm", "en_core_web_trf"],
        value=DEFAULT_PARSER,
        allow_custom_value=True,
        label="Parser",
        info="The embedded one, or an installed spaCy pipeline",
        elem_id="parser",
    )
    widgets["limit"] = gr.Number(
        value=500,
        precision=0,
        label="At most this many intersectional mutants",
        elem_id="limit",
    )
    # For models that answer in words: they cost, and they may contradict themselves.
    with gr.Column(visible=False, min_width=0, elem_id="asking") as asking:
        widgets["repeat"] = gr.Number(
            value=0,
            precision=0,
            label="Ask the original again, so many times",
            info="Shows whether the model flips on an unchanged text",
            elem_id="repeat",
        )
        widgets["requests"] = gr.Number(
            value=0,
            precision=0,
            label="At most this many requests to an API",
            info="A scan stops asking there; 0: no limit",
            elem_id="requests",
        )
    widgets["asking"] = asking
    widgets["upload"] = gr.File(
        label="Your own dictionary (CSV: term,group or source,target)",
        file_types=[".csv"],
        height=110,
        elem_id="upload",
    )
    widgets["upload_note"] = html("upload-note")


def _change(widgets: dict[str, Any]) -> None:
    widgets["pair"] = gr.Dropdown(
        label="Attributes to change together",
        choices=[],
        allow_custom_value=True,
        visible=False,
        elem_id="pair",
    )
    with gr.Row(elem_classes="change", elem_id="change"):
        widgets["slots"] = [
            gr.Dropdown(
                label=f"Replacement {i + 1}",
                choices=[],
                allow_custom_value=True,
                visible=i < 2,
                min_width=210,
                elem_id=f"slot-{i + 1}",
            )
            for i in range(3)
        ]
    widgets["check"] = gr.Button("Check", variant="primary", elem_id="check")


def _results(widgets: dict[str, Any]) -> None:
    widgets["banner"] = html("banner")
    widgets["model_switch"] = gr.Radio(
        [], label="Model shown below", visible=False, elem_id="model-switch"
    )
    widgets["square"] = html("square")
    with gr.Column(elem_classes="plot-box") as box:
        heading(
            "How far beyond the sum of its parts?",
            "on a log-odds scale, where effects that just add up are parallel",
        )
        widgets["plot"] = gr.Plot(show_label=False, container=False, elem_id="plot")
    widgets["plot_box"] = box
    heading("Why does a mutant count?", "parts of speech and relations, sentence by sentence")
    widgets["trees"] = html("trees", script="explore.trees")
    heading("All mutants", "choose one to see it above")
    with gr.Row(elem_classes="filters", elem_id="filters"):
        _filters(widgets)
    widgets["table"] = html("table", script="explore.table")
    with gr.Row(elem_classes="downloads"):
        widgets["csv"] = gr.Button("Download CSV", size="sm", elem_id="csv", min_width=140)
        widgets["json"] = gr.Button("Download JSON", size="sm", elem_id="json", min_width=140)
        widgets["link"] = html("link", script="page.copyLink")


def _filters(widgets: dict[str, Any]) -> None:
    widgets["verdict_filter"] = gr.Dropdown(
        [v.value for v in Verdict],
        value=[],
        multiselect=True,
        label="Verdicts",
        min_width=160,
        elem_id="verdict-filter",
    )
    widgets["attribute_filter"] = gr.Dropdown(
        [("any", "")], value="", label="Attribute", min_width=130, elem_id="attribute-filter"
    )
    widgets["group_filter"] = gr.Dropdown(
        [("any", "")], value="", label="Group", min_width=160, elem_id="group-filter"
    )
    widgets["row_order"] = gr.Dropdown(
        [(label, key) for key, label in ORDERS.items()],
        value="verdict",
        label="Ordered by",
        min_width=160,
        elem_id="row-order",
    )
