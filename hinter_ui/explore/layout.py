"""The widgets of the Explore tab: where each stands, without what it does."""

from collections.abc import Iterable
from typing import Any

import gradio as gr

from hinter_core.files.source import ENDINGS
from hinter_core.options import CampaignOption
from hinter_core.types import SUBSTITUTE
from hinter_ui.explore.examples import ExampleText
from hinter_ui.html.markup import tag
from hinter_ui.html.wording import relation_choices, translated, verdict_choices
from hinter_ui.shared.links import DEFAULT_MODEL, DEFAULT_PARSER, FIELDS, PARSERS
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import Labels, html, offstage


class ExploreLayout:
    """Build the widgets inside the current tab and keep those that events use.

    The text stands beside its verdict, settings below the text, and what opens on demand below all.
    A narrow page has text, verdict and settings in this order. ``folds``: what opens, by name.
    """

    def __init__(self, services: Services, examples: Iterable[ExampleText]) -> None:
        labels = services.labels_of("explore")
        self.folds: dict[str, Any] = {}
        with gr.Row(elem_classes="top"):
            with gr.Column(min_width=0, elem_classes="text-side"):
                self._text_side(labels, examples)
            with gr.Column(min_width=0, elem_classes="result-side"):
                self.notice = html("notice", script="explore.returned")
                with gr.Column(visible=False, min_width=0, elem_classes="results") as self.results:
                    self._results(labels)
            with gr.Column(min_width=0, elem_classes="settings-side"):
                self._settings_side(labels, services)
        self.address = offstage("address")
        self.payload = offstage("payload")
        self._more_of_it(labels)
        # Controls beside the text that decide what is found.
        deciding = [self.fields[name] for name in FIELDS if name not in ("limit", "requests")]
        self.settings: list[Any] = [self.attributes, self.models, self.parser, *deciding]
        # Follows from the text and the settings alone.
        self.looked = [
            self.preview, self.who, self.pairs, self.choosing, self.asking, self.models,
        ]  # fmt: skip
        self.shown = [
            self.results, self.details, self.banner, self.square, self.picture,
            self.model_switch, self.threshold, self.link, self.pairs, self.folds["how"], self.plot,
            self.trees,
        ]  # fmt: skip
        self.listed = [self.found, self.table]
        # Says which figures belong to what the controls say.
        self.standing: list[Any] = [self.stale, self.progress, self.address]
        # Where the work on an answer shows; a box would take all that it holds with it.
        self.drawn = [self.preview, self.banner, self.square]
        self.filters: list[Any] = [
            self.verdict_filter, self.attribute_filter, self.group_filter, self.row_order,
        ]  # fmt: skip
        # All that an example or a link sets.
        controls = [self.text, *self.settings]
        self.judged = [*self.looked, *self.shown, *self.listed, *self.filters]
        self.everything = list(dict.fromkeys([*controls, *self.judged]))
        # The inputs of ExploreForm.of, in its order.
        self.form = [
            self.text, self.attributes, self.models, self.parser,
            *(self.fields[name] for name in FIELDS),
        ]  # fmt: skip

    def _text_side(self, labels: Labels, examples: Iterable[ExampleText]) -> None:
        self.text = labels.make(gr.Textbox, "text", lines=3, max_lines=8)
        with gr.Row(elem_classes="chips", elem_id="examples"):
            labels.html(
                "chip-label", lambda: tag("span", labels.say("form.examples"), class_="quiet")
            )
            self.example_buttons = [self._example(labels, example) for example in examples]
        self.preview = html("preview", script="explore.typed")
        self.scan = labels.make(gr.Button, "scan", variant="primary")
        self.cancel = labels.make(gr.Button, "cancel", variant="stop", visible=False)
        self.progress = html("progress", script="explore.offers explore.newest")
        self.pairs = html("pairs", script="explore.pairs")

    def _example(self, labels: Labels, example: ExampleText) -> gr.Button:
        def texts() -> dict[str, Any]:
            return {"value": translated(example.title)}

        return labels.write(gr.Button, texts, size="sm", elem_classes="chip", min_width=0)

    def _settings_side(self, labels: Labels, services: Services) -> None:
        labels.fold("settings-fold", "narrow.settings")
        with gr.Column(min_width=0) as self.choosing:  # the slots of a template choose themselves
            names = list(services.dictionaries())
            self.attributes = labels.chips("attributes", names, value=["race", "gender"])
        self.models = labels.choice(
            gr.Dropdown,
            "models",
            services.model_choices,
            value=[DEFAULT_MODEL],
            multiselect=True,
            allow_custom_value=True,
        )
        with self._fold(labels, "people"):
            self.who = html("who")
        with labels.make(gr.Accordion, "more", open=False):
            self._settings(labels)

    def _results(self, labels: Labels) -> None:
        self.stale = html("stale", script="explore.offers explore.newest")
        self.banner = html("banner")
        self.found = html("found", script="explore.picks")
        self.model_switch = labels.make(gr.Radio, "model-switch", choices=[], visible=False)
        self.square = html("square")
        self.picture = html("picture", script="explore.picture")
        labels.fold("threshold-fold", "narrow.threshold")
        self.threshold = labels.make(
            gr.Slider, "threshold", minimum=0.01, maximum=0.99, step=0.01, value=0.5, visible=False,
            buttons=[],
        )  # fmt: skip
        self.link = html("link", script="page.copyLink")

    def _more_of_it(self, labels: Labels) -> None:
        """Fold what takes room; gradio draws what a closed part holds once it is opened."""
        with gr.Column(visible=False, min_width=0, elem_classes="result-folds") as self.details:
            with self._fold(labels, "all"):
                with gr.Row(elem_classes="filters", elem_id="filters"):
                    self._filters(labels)
                self.table = html("table", script="explore.picks")
                with gr.Row(elem_classes="downloads"):
                    self.csv = labels.make(gr.Button, "csv", size="sm", min_width=140)
                    self.json = labels.make(gr.Button, "json", size="sm", min_width=140)
            with self._fold(labels, "how"):
                self.plot = gr.Plot(show_label=False, container=False, elem_id="plot")
            with self._fold(labels, "why"):
                self.trees = html("trees")

    def _fold(self, labels: Labels, key: str) -> Any:
        self.folds[key] = labels.make(gr.Accordion, key, open=False)
        return self.folds[key]

    def _settings(self, labels: Labels) -> None:
        asking = ("repeat", "requests")  # for models that answer in words: they cost, and may waver
        self.fields: dict[str, Any] = {"order": labels.make(gr.Radio, "order", value=2)}
        self.fields["relations"] = labels.choice(
            gr.Dropdown, "relations", relation_choices, value=[SUBSTITUTE], multiselect=True
        )
        others = [o for name, o in FIELDS.items() if name not in (*self.fields, *asking)]
        self._fields(labels, (option for option in others if option.type is bool))
        self.parser = labels.make(
            gr.Dropdown, "parser", choices=PARSERS, value=DEFAULT_PARSER, allow_custom_value=True
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

    def _filters(self, labels: Labels) -> None:
        self.verdict_filter = labels.choice(
            gr.Dropdown, "verdict-filter", verdict_choices, value=[], multiselect=True,
            min_width=160,
        )  # fmt: skip
        every: dict[str, Any] = {"choices": [(labels.say("form.any"), "")], "value": ""}
        self.attribute_filter = labels.make(gr.Dropdown, "attribute-filter", min_width=130, **every)
        self.group_filter = labels.make(gr.Dropdown, "group-filter", min_width=160, **every)
        self.row_order = labels.make(gr.Dropdown, "row-order", value="verdict", min_width=160)
