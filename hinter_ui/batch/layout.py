"""The widgets of the Batch tab: what stands where, and nothing of what it does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import gradio as gr

from hinter_core.campaign.spec import CampaignOption
from hinter_core.types import Verdict
from hinter_ui.batch.form import DATA, SETTINGS, BatchForm
from hinter_ui.batch.html import ROOM
from hinter_ui.batch.sources import HUB_CHOICES, SOURCES
from hinter_ui.html.markup import Markup
from hinter_ui.html.wording import Words
from hinter_ui.html.words import name_of, spoken
from hinter_ui.shared.library import find_kept
from hinter_ui.shared.links import DEFAULT_PARSER
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import Labels, html, option_field

TICK = 1.5  # seconds between two looks at what runs


# The buttons of an open campaign, each with its look.
_ACTIONS: dict[str, Literal["primary", "secondary", "stop"]] = {
    "cancel": "stop",
    "resume": "primary",
    "retry": "primary",
    "results": "primary",
    "file": "secondary",
    "delete": "secondary",
    "really": "stop",
    "close": "secondary",
}


@dataclass(frozen=True)
class JobLayout:
    """Handles to the widgets of an open campaign; ``buttons`` by what they do."""

    box: gr.Column
    title: gr.HTML
    progress: gr.HTML
    findings: gr.HTML
    notice: gr.HTML
    buttons: dict[str, gr.Button]
    payload: gr.Textbox
    again: gr.Accordion
    models: gr.Dropdown
    requests: gr.Number
    budget: gr.Number
    go_on: gr.Button
    export: gr.Accordion
    verdicts: gr.Dropdown
    write: gr.Button
    hand_over: gr.Button
    place: gr.Textbox

    @property
    def watched(self) -> list[Any]:
        """What changes while the campaign is looked at."""
        return [
            self.box, self.title, self.progress, self.findings, self.notice, self.again,
            self.models, self.requests, self.budget, self.export, *self.buttons.values(),
        ]  # fmt: skip


@dataclass(frozen=True)
class BatchLayout:
    """Handles to all widgets that events touch; ``fields``: those of the form, by name."""

    current: gr.Textbox
    kept: gr.BrowserState
    timer: gr.Timer
    job: JobLayout
    columns: gr.Row
    making: list[gr.Column | gr.Row]
    preview: gr.HTML
    fields: dict[str, Any]
    told: gr.HTML
    estimate: gr.Button
    start: gr.Button
    table: gr.HTML

    @property
    def form(self) -> list[Any]:
        """All controls of the form, in its order."""
        return [self.fields[name] for name in (*DATA, *SETTINGS)]

    @property
    def watched(self) -> list[Any]:
        """What changes while a campaign is looked at."""
        return [self.current, self.timer, self.table, *self.job.watched]

    @property
    def data(self) -> list[Any]:
        """The controls that say what the data are, in the form's order."""
        return [self.fields[name] for name in DATA]

    @property
    def of_data(self) -> list[Any]:
        """What follows from a choice of data."""
        return [*self.data, self.columns, *self.making, self.preview]


def lay_out(services: Services, first: Markup) -> BatchLayout:
    """Build the widgets inside the current tab; ``first``: the preview of the sample."""
    labels = Labels(ROOM)
    services.labels.append(labels)
    widgets: dict[str, Any] = {
        # A box off stage and no state of the server: the page's address follows it.
        "current": gr.Textbox(elem_classes="offstage", elem_id="batch-current", show_label=False),
        "kept": find_kept(),
        "timer": gr.Timer(TICK, active=False),
    }
    widgets["job"] = _lay_out_job(labels, services)
    labels.heading("new")
    fields: dict[str, Any] = {}
    with gr.Row(elem_classes="model-desk batch-desk"):
        with gr.Column(min_width=0, elem_classes="data-side"):
            _data(labels, widgets, fields, services, first)
        with gr.Column(min_width=0, elem_classes="batch-side"):
            _settings(labels, widgets, fields, services)
    labels.heading("campaigns")
    widgets["table"] = html("campaigns", script="batch.list")
    return BatchLayout(fields=fields, **widgets)


def _data(
    labels: Labels,
    widgets: dict[str, Any],
    fields: dict[str, Any],
    services: Services,
    first: Markup,
) -> None:
    local = services.access.local
    offered = [key for key, source in SOURCES.items() if local or not source.here_only]

    def sources(say: Words) -> dict[str, Any]:
        choices = [(say(f"sources.{key}"), key) for key in offered]
        return {"choices": choices, **say.branch("widgets.batch-source")}

    fields["source"] = labels.write(gr.Radio, sources, value="sample", elem_id="batch-source")
    fields["upload"] = labels.make(gr.File, "batch-upload", height=130, visible=False)
    fields["path"] = labels.make(gr.Textbox, "batch-path", visible=False, max_lines=1)
    fields["hub"] = labels.make(
        gr.Dropdown,
        "batch-hub",
        choices=HUB_CHOICES,
        value="",
        allow_custom_value=True,
        visible=False,
    )
    fields["hand"] = labels.make(gr.File, "batch-hand", height=130, visible=False)
    with gr.Row(visible=False, elem_classes="option-grid", elem_id="batch-columns") as row:
        for name in ("text_column", "label_column"):
            fields[name] = labels.make(
                gr.Dropdown,
                f"batch-{name.replace('_', '-')}",
                choices=[(labels.say("choices.detected"), "")],
                value="",
                allow_custom_value=True,
                min_width=150,
            )
    widgets["columns"] = row
    widgets["preview"] = html("batch-preview", first)


def _settings(
    labels: Labels, widgets: dict[str, Any], fields: dict[str, Any], services: Services
) -> None:
    fields |= _chosen(labels.say, services)
    basic, advanced = (
        [option for option in SETTINGS.values() if option.advanced is folded]
        for folded in (False, True)
    )
    # What says which mutants are made is hidden where they are given.
    with gr.Column(min_width=0) as making:
        for name in ("attributes", "order"):
            fields[name].render()
    fields["models"].render()
    with gr.Row(elem_classes="option-grid") as bounding:
        _generic(fields, [option for option in basic if option.part == "mutants"])
    with labels.make(gr.Accordion, "batch-more", open=False):
        with gr.Column(min_width=0) as choosing:
            _generic(fields, [option for option in advanced if option.part == "mutants"])
            for name in ("guide", "dictionaries"):
                fields[name].render()
        others = [option for option in advanced if option.part == "run"]
        _generic(fields, [option for option in others if option.type is bool])
        with gr.Row(elem_classes="option-grid"):
            _generic(fields, [option for option in others if option.type is not bool])
        fields["parser"].render()
    widgets["making"] = [making, bounding, choosing]
    with gr.Row(elem_classes="start-row"):
        widgets["estimate"] = labels.make(gr.Button, "batch-estimate", min_width=120)
        widgets["start"] = labels.make(gr.Button, "batch-start", variant="primary", min_width=120)
    widgets["told"] = html("batch-told")


def _generic(fields: dict[str, Any], options: Iterable[CampaignOption]) -> None:
    """The fields of settings that have none yet, by their types."""
    for option in options:
        if option.name not in fields:
            empty = f" Empty: {option.unset}." if option.default is None else ""
            fields[option.name] = option_field(
                option,
                f"batch-{option.name}",
                info=option.help + empty,
                value=BatchForm().settings[option.name],
            )


def _chosen(say: Words, services: Services) -> dict[str, Any]:
    """The fields of settings whose choices the app knows; not yet in the page."""
    default, models = BatchForm().settings, list(services.model_choices())
    names = [name for name in services.dictionaries() if name != "placebo"]
    common: dict[str, dict[str, Any]] = {
        name: {"label": SETTINGS[name].title, "elem_id": f"batch-{name}", "render": False}
        for name in SETTINGS
    }
    return {
        "attributes": gr.CheckboxGroup(
            choices=[(name_of(name), name) for name in names],
            value=list(default["attributes"]),
            elem_classes="attribute-chips",
            **common["attributes"],
        ),
        "order": gr.Radio(
            [("one", 1), ("two", 2), ("three", 3), ("four", 4)],
            value=default["order"],
            **common["order"],
        ),
        "models": gr.Dropdown(
            choices=models,
            value=list(default["models"]),
            multiselect=True,
            allow_custom_value=True,
            info=say("choices.models"),
            **common["models"],
        ),
        "guide": gr.Dropdown(
            [(say("choices.no_guide"), ""), *models],
            value="",
            allow_custom_value=True,
            info=SETTINGS["guide"].help,
            **common["guide"],
        ),
        "dictionaries": gr.File(
            file_count="multiple",
            height=110,
            **common["dictionaries"] | {"label": say("choices.dictionaries")},
        ),
        "parser": gr.Dropdown(
            [DEFAULT_PARSER, "en_core_web_sm", "en_core_web_trf"],
            value=DEFAULT_PARSER,
            allow_custom_value=True,
            info=SETTINGS["parser"].help,
            **common["parser"],
        ),
    }


def _lay_out_job(labels: Labels, services: Services) -> JobLayout:
    """Build the box of the open campaign, hidden."""
    widgets: dict[str, Any] = {}
    with gr.Column(visible=False, min_width=0, elem_id="job", elem_classes="job") as box:
        widgets["title"] = html("job-title", script="page.copyLink")
        widgets["progress"] = html("job-progress")
        with gr.Row(elem_classes="downloads job-actions"):
            widgets["buttons"] = {
                name: labels.make(
                    gr.Button, f"job-{name}", variant=variant, size="sm", min_width=90,
                    visible=name in ("file", "close"),
                )
                for name, variant in _ACTIONS.items()
            }  # fmt: skip
        widgets["notice"] = html("job-notice")
        _again(labels, widgets, services)
        _export(labels, widgets)
        widgets["findings"] = html("job-findings", script="page.findings")
        for name in ("payload", "place"):
            widgets[name] = gr.Textbox(
                elem_classes="offstage", elem_id=f"batch-{name}", show_label=False
            )
    return JobLayout(box=box, **widgets)


def _again(labels: Labels, widgets: dict[str, Any], services: Services) -> None:
    with labels.make(gr.Accordion, "job-again", open=False, visible=False) as box:
        widgets["models"] = labels.make(
            gr.Dropdown,
            "job-models",
            choices=list(services.model_choices()),
            value=[],
            multiselect=True,
            allow_custom_value=True,
        )
        with gr.Row(elem_classes="option-grid"):
            for name in ("requests", "budget"):
                option = SETTINGS[name]
                info = f"{option.help} In this run; 0: {option.unset}."
                widgets[name] = option_field(option, f"job-{name}", info=info, value=0)
        with gr.Row(elem_classes="downloads job-actions"):
            widgets["go_on"] = labels.make(
                gr.Button, "job-go-on", variant="primary", size="sm", min_width=120
            )
    widgets["again"] = box


def _export(labels: Labels, widgets: dict[str, Any]) -> None:
    def verdicts(say: Words) -> dict[str, Any]:
        names = [(spoken(say)(f"verdicts.{verdict.value}"), verdict.value) for verdict in Verdict]
        return {"choices": names, **say.branch("widgets.job-verdicts")}

    with labels.make(gr.Accordion, "job-mutants", open=False, visible=False) as box:
        widgets["verdicts"] = labels.write(
            gr.Dropdown,
            verdicts,
            value=[Verdict.HIDDEN.value],
            multiselect=True,
            elem_id="job-verdicts",
        )
        with gr.Row(elem_classes="downloads"):
            widgets["write"] = labels.make(gr.Button, "job-export", size="sm", min_width=150)
            widgets["hand_over"] = labels.make(gr.Button, "job-hand-over", size="sm", min_width=180)
    widgets["export"] = box
