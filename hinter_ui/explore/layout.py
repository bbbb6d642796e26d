"""The widgets of the Explore tab: what stands where, and nothing of what it does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from hinter_core.types import Verdict
from hinter_ui.explore.examples import ExampleText
from hinter_ui.explore.html import ROOM
from hinter_ui.html.markup import tag
from hinter_ui.html.wording import Words
from hinter_ui.html.words import name_of, spoken
from hinter_ui.shared.links import DEFAULT_MODEL, DEFAULT_PARSER
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import Labels, html


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
    labels = Labels(ROOM)
    services.labels.append(labels)
    widgets: dict[str, Any] = {}
    with gr.Row(elem_classes="top"):
        with gr.Column(min_width=0, elem_classes="text-side"):
            _text_side(labels, widgets, examples)
        with gr.Column(min_width=0, elem_classes="settings-side"):
            _controls(labels, widgets, services)
        with gr.Column(min_width=0, elem_classes="change-side"):
            _change(labels, widgets)
    widgets["notice"] = html("notice")
    widgets["payload"] = gr.Textbox(elem_classes="offstage", elem_id="payload", show_label=False)
    with gr.Column(visible=False, elem_classes="results") as results:
        _results(labels, widgets)
    return ExploreLayout(results=results, **widgets)


def _text_side(labels: Labels, widgets: dict[str, Any], examples: tuple[ExampleText, ...]) -> None:
    widgets["text"] = labels.make(gr.Textbox, "text", lines=4, max_lines=14)
    with gr.Row(elem_classes="chips", elem_id="examples"):
        labels.html("chip-label", lambda say: tag("span", say("form.examples"), class_="quiet"))
        widgets["example_buttons"] = [
            gr.Button(e.title, size="sm", elem_classes="chip", min_width=0) for e in examples
        ]
    widgets["preview"] = html("preview")


def _controls(labels: Labels, widgets: dict[str, Any], services: Services) -> None:
    names = services.dictionaries()
    widgets["attributes"] = labels.write(
        gr.CheckboxGroup,
        lambda say: _attributes(say, names),
        value=["race", "gender"],
        elem_id="attributes",
        elem_classes="attribute-chips",
    )
    widgets["models"] = labels.make(
        gr.Dropdown,
        "models",
        choices=list(services.model_choices()),
        value=[DEFAULT_MODEL],
        multiselect=True,
        allow_custom_value=True,
    )
    widgets["scan"] = labels.make(gr.Button, "scan", variant="primary")
    widgets["cancel"] = labels.make(gr.Button, "cancel", variant="stop", visible=False)
    widgets["progress"] = html("progress")
    with labels.make(gr.Accordion, "more", open=False):
        _settings(labels, widgets)


def _attributes(say: Words, names: Iterable[str]) -> dict[str, Any]:
    choices = [(name_of(name, say), name) for name in names]
    return {"choices": choices, **say.branch("widgets.attributes")}


def _settings(labels: Labels, widgets: dict[str, Any]) -> None:
    widgets["order"] = labels.make(gr.Radio, "order", value=2)
    widgets["person_sense"] = labels.make(gr.Checkbox, "person-sense", value=True)
    widgets["parser"] = labels.make(
        gr.Dropdown,
        "parser",
        choices=[DEFAULT_PARSER, "en_core_web_sm", "en_core_web_trf"],
        value=DEFAULT_PARSER,
        allow_custom_value=True,
    )
    widgets["limit"] = labels.make(gr.Number, "limit", value=500, precision=0)
    # For models that answer in words: they cost, and they may contradict themselves.
    with gr.Column(visible=False, min_width=0, elem_id="asking") as asking:
        widgets["repeat"] = labels.make(gr.Number, "repeat", value=0, precision=0)
        widgets["requests"] = labels.make(gr.Number, "requests", value=0, precision=0)
    widgets["asking"] = asking
    widgets["upload"] = labels.make(gr.File, "upload", file_types=[".csv"], height=110)
    widgets["upload_note"] = html("upload-note")


def _change(labels: Labels, widgets: dict[str, Any]) -> None:
    widgets["pair"] = labels.make(
        gr.Dropdown, "pair", choices=[], allow_custom_value=True, visible=False
    )
    with gr.Row(elem_classes="change", elem_id="change"):
        widgets["slots"] = [
            gr.Dropdown(
                label=labels.say("form.replacement", n=i + 1),
                choices=[],
                allow_custom_value=True,
                visible=i < 2,
                min_width=210,
                elem_id=f"slot-{i + 1}",
            )
            for i in range(3)
        ]
    widgets["check"] = labels.make(gr.Button, "check", variant="primary")


def _results(labels: Labels, widgets: dict[str, Any]) -> None:
    widgets["banner"] = html("banner")
    widgets["model_switch"] = labels.make(gr.Radio, "model-switch", choices=[], visible=False)
    widgets["square"] = html("square")
    with gr.Column(elem_classes="plot-box") as box:
        labels.heading("how")
        widgets["plot"] = gr.Plot(show_label=False, container=False, elem_id="plot")
    widgets["plot_box"] = box
    labels.heading("why")
    widgets["trees"] = html("trees", script="explore.trees")
    labels.heading("all")
    with gr.Row(elem_classes="filters", elem_id="filters"):
        _filters(labels, widgets)
    widgets["table"] = html("table", script="explore.table")
    with gr.Row(elem_classes="downloads"):
        for kind in ("csv", "json"):
            widgets[kind] = labels.make(gr.Button, kind, size="sm", min_width=140)
        widgets["link"] = html("link", script="page.copyLink")


def _filters(labels: Labels, widgets: dict[str, Any]) -> None:
    widgets["verdict_filter"] = labels.write(
        gr.Dropdown, _verdicts, value=[], multiselect=True, min_width=160, elem_id="verdict-filter"
    )
    for name, width in (("attribute", 130), ("group", 160)):
        widgets[f"{name}_filter"] = labels.make(
            gr.Dropdown,
            f"{name}-filter",
            choices=[(labels.say("form.any"), "")],
            value="",
            min_width=width,
        )
    widgets["row_order"] = labels.make(gr.Dropdown, "row-order", value="verdict", min_width=160)


def _verdicts(say: Words) -> dict[str, Any]:
    names = spoken(say).branch("verdicts")
    choices = [(names[verdict.value], verdict.value) for verdict in Verdict]
    return {"choices": choices, **say.branch("widgets.verdict-filter")}
