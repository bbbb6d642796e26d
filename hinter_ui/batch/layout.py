"""The widgets of the Batch tab: where each stands, without what it does."""

from collections.abc import Callable, Iterable
from typing import Any, Literal

import gradio as gr

from hinter_core.generators.grammars.reading import shipped_grammars
from hinter_core.generators.templates.template import ATTRIBUTES
from hinter_core.options import CampaignOption
from hinter_core.types import Verdict
from hinter_ui.batch.form import (
    COLUMNS,
    DATA,
    GRAMMAR,
    HANDWRITTEN,
    SETTINGS,
    SOURCES,
    TEMPLATES,
    BatchForm,
    hub_choices,
)
from hinter_ui.html.markup import Markup
from hinter_ui.html.wording import relation_choices, verdict_choices
from hinter_ui.shared.library import find_kept
from hinter_ui.shared.links import DEFAULT_PARSER, PARSERS
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import Labels, browser_note, html, offstage, plot

TICK = 1.5  # seconds between two looks at what runs

# The buttons of an open campaign, each with its look.
_ACTIONS: dict[str, Literal["primary", "secondary", "stop"]] = {
    "cancel": "stop", "resume": "primary", "retry": "primary", "results": "primary",
    "file": "secondary", "delete": "secondary", "keep": "secondary", "really": "stop",
    "close": "secondary",
}  # fmt: skip


class BatchLayout:
    """Build the widgets inside the current tab and keep those that events use.

    ``first`` is the preview of the sample; ``fields`` are those of the form, by name.
    """

    def __init__(self, services: Services, first: Callable[[], Markup]) -> None:
        labels = self._labels = services.labels_of("batch")
        self._services = services
        # A box off stage and no state of the server: the page's address follows it.
        self.current = offstage("batch-current")
        self.kept = find_kept()
        self.noted = browser_note("hinter-batch", "batch")
        self.timer = gr.Timer(TICK, active=False)
        self.job = JobLayout(labels, services)
        labels.heading("new")
        self.fields: dict[str, Any] = {}
        with gr.Row(elem_classes="tab-columns batch-columns made-from"):
            with gr.Column(min_width=0, elem_classes="data-side"):
                self._data(first)
            with gr.Column(min_width=0, elem_classes="batch-side"):
                self._settings()
        labels.heading("campaigns")
        self.table = html("campaigns", script="batch.list")
        # The controls that say what the data are, and all of the form, in its order.
        self.data = [self.fields[name] for name in DATA]
        self.form = [*self.data, *(self.fields[name] for name in SETTINGS)]
        # What follows from a choice of data.
        self.of_data = [
            *self.data, self.columns, self.of_templates, self.of_grammar, *self.making,
            self.preview,
        ]  # fmt: skip
        # What changes while a campaign is open.
        self.watched = [self.current, self.timer, self.table, *self.job.watched]

    def _data(self, first: Callable[[], Markup]) -> None:
        labels, fields, local = self._labels, self.fields, self._services.access.local
        offered = [key for key, source in SOURCES.items() if local or not source.here_only]
        fields["source"] = labels.choice(
            gr.Radio,
            "batch-source",
            lambda: [(labels.say(f"sources.{key}"), key) for key in offered],
            value="sample",
        )
        fields["upload"] = labels.make(gr.File, "batch-upload", height=130, visible=False)
        fields["path"] = labels.make(gr.Textbox, "batch-path", visible=False, max_lines=1)
        fields["hub"] = labels.choice(
            gr.Dropdown, "batch-hub", hub_choices, value="", allow_custom_value=True,
            visible=False,
        )  # fmt: skip
        for name in (HANDWRITTEN, TEMPLATES):
            fields[name] = labels.make(gr.File, f"batch-{name}", height=130, visible=False)
        with gr.Column(min_width=0, visible=False) as self.of_templates:
            fields["mining_log"] = labels.make(gr.File, "batch-mining-log", height=110)
            fields["classes"] = labels.chips("batch-classes", ATTRIBUTES, value=list(ATTRIBUTES))
            fields["names"] = labels.make(gr.File, "batch-names", height=110)
        with gr.Column(min_width=0, visible=False) as self.of_grammar:
            fields[GRAMMAR] = labels.make(
                gr.Dropdown, "batch-grammar", choices=[("", ""), *shipped_grammars()], value="",
            )  # fmt: skip
            fields["own_grammar"] = labels.make(gr.File, "batch-own-grammar", height=130)
            fields["tested"] = labels.chips("batch-tested", (), value=[])
        detected = [(labels.say("choices.detected"), "")]
        with gr.Row(
            visible=False, elem_classes="option-grid", elem_id="batch-columns"
        ) as self.columns:
            for name in COLUMNS:
                fields[name] = labels.make(
                    gr.Dropdown, f"batch-{name.replace('_', '-')}", choices=detected, value="",
                    allow_custom_value=True, min_width=150,
                )  # fmt: skip
        self.preview = labels.html("batch-preview", first, "batch.ticked")

    def _settings(self) -> None:
        labels, fields = self._labels, self.fields
        fields |= _chosen(labels, self._services)
        shown = [option for option in SETTINGS.values() if not option.advanced]
        folded = [option for option in SETTINGS.values() if option.advanced]
        # What says which mutants are made is hidden where they are given.
        with gr.Column(min_width=0) as making:
            fields["attributes"].render()
            fields["order"].render()
            fields["relations"].render()
        fields["models"].render()
        with gr.Row(elem_classes="option-grid") as bounding:
            self._generic(option for option in shown if option.part == "mutants")
        with labels.make(gr.Accordion, "batch-more", open=False):
            with gr.Column(min_width=0) as choosing:
                self._generic(option for option in folded if option.part == "mutants")
                fields["guide"].render()
                fields["dictionaries"].render()
            others = [option for option in folded if option.part == "run"]
            self._generic(option for option in others if option.type is bool)
            with gr.Row(elem_classes="option-grid"):
                self._generic(option for option in others if option.type is not bool)
            fields["parser"].render()
        self.making = [making, bounding, choosing]
        with gr.Row(elem_classes="start-row"):
            self.estimate = labels.make(
                gr.Button, "batch-estimate", min_width=120, elem_classes="makes"
            )
            self.start = labels.make(gr.Button, "batch-start", variant="primary", min_width=120)
        self.told = html("batch-told", script="page.madeFrom")

    def _generic(self, options: Iterable[CampaignOption]) -> None:
        """Make the fields of settings that have none yet, by their types."""
        for option in options:
            if option.name not in self.fields:
                about = "choices.empty" if option.default is None else ""
                value = BatchForm().settings[option.name]
                name = f"batch-{option.name}"
                self.fields[option.name] = self._labels.option(option, name, about, value=value)


def _chosen(labels: Labels, services: Services) -> dict[str, Any]:
    """Make the fields of settings whose choices the app knows; not yet in the page."""
    default = BatchForm().settings
    names = [name for name in services.dictionaries() if name != "placebo"]
    later: dict[str, Any] = {"render": False}
    open_ended = later | {"allow_custom_value": True}
    return {
        "attributes": labels.chips(
            "batch-attributes", names, value=list(default["attributes"]), **later
        ),
        "order": labels.make(gr.Radio, "batch-order", value=default["order"], **later),
        "relations": labels.choice(
            gr.Dropdown, "batch-relations", relation_choices, value=list(default["relations"]),
            multiselect=True, **later,
        ),
        "models": labels.choice(
            gr.Dropdown, "batch-models", services.model_choices, value=list(default["models"]),
            multiselect=True, **open_ended,
        ),
        "guide": labels.choice(
            gr.Dropdown, "batch-guide",
            lambda: [(labels.say("choices.no_guide"), ""), *services.model_choices()], value="",
            **open_ended,
        ),
        "dictionaries": labels.make(
            gr.File, "batch-dictionaries", file_count="multiple", height=110, **later
        ),
        "parser": labels.make(
            gr.Dropdown, "batch-parser", value=DEFAULT_PARSER, choices=PARSERS, **open_ended
        ),
    }  # fmt: skip


class JobLayout:
    """The box of the open campaign, hidden at first; ``buttons`` by what they do."""

    def __init__(self, labels: Labels, services: Services) -> None:
        with gr.Column(visible=False, min_width=0, elem_id="job", elem_classes="job") as self.box:
            self.title = html("job-title", script="page.copyLink")
            self.progress = html("job-progress", script="batch.told")
            self.curve = plot("job-curve", visible=False)
            with gr.Row(elem_classes="downloads job-actions"):
                self.buttons = {
                    name: labels.make(
                        gr.Button, f"job-{name}", variant=variant, size="sm", min_width=90,
                        visible=name in ("file", "close"),
                    )
                    for name, variant in _ACTIONS.items()
                }  # fmt: skip
            self.notice = html("job-notice")
            with labels.make(gr.Accordion, "job-again", open=False, visible=False) as self.again:
                self._again(labels, services)
            with labels.make(gr.Accordion, "job-mutants", open=False, visible=False) as self.export:
                self._export(labels)
            self.findings = html("job-findings", script="page.findings")
            self.payload = offstage("batch-payload")
            self.place = offstage("batch-place")
        # What changes while the campaign is open.
        self.watched = [
            self.box, self.title, self.progress, self.curve, self.findings, self.notice, self.again,
            self.models, self.requests, self.budget, self.export, *self.buttons.values(),
        ]  # fmt: skip

    def _again(self, labels: Labels, services: Services) -> None:
        self.models = labels.choice(
            gr.Dropdown, "job-models", services.model_choices, value=[],
            multiselect=True, allow_custom_value=True,
        )  # fmt: skip
        with gr.Row(elem_classes="option-grid"):
            self.requests, self.budget = (
                labels.option(option, f"job-{option.name}", "choices.this_run", value=0)
                for option in (SETTINGS["requests"], SETTINGS["budget"])
            )
        with gr.Row(elem_classes="downloads job-actions"):
            self.go_on = labels.make(
                gr.Button, "job-go-on", variant="primary", size="sm", min_width=120
            )

    def _export(self, labels: Labels) -> None:
        self.verdicts = labels.choice(
            gr.Dropdown, "job-verdicts", verdict_choices, value=[Verdict.HIDDEN.value],
            multiselect=True,
        )  # fmt: skip
        with gr.Row(elem_classes="downloads"):
            self.write = labels.make(gr.Button, "job-export", size="sm", min_width=150)
            self.hand_over = labels.make(gr.Button, "job-hand-over", size="sm", min_width=180)
