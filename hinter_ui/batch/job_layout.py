"""The widgets of an open campaign in the Batch tab: what it does, and what can be done with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import gradio as gr

from hinter_core.types import Verdict
from hinter_ui.explore.scripts import LINK_JS
from hinter_ui.results.scripts import FINDINGS_JS
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import html

_ACTIONS: dict[str, tuple[str, Literal["primary", "secondary", "stop"]]] = {
    "cancel": ("Stop", "stop"),
    "resume": ("Resume", "primary"),
    "retry": ("Ask again what has no answer", "primary"),
    "results": ("See results", "primary"),
    "file": ("Campaign file (YAML)", "secondary"),
    "delete": ("Delete", "secondary"),
    "really": ("Delete for good", "stop"),
    "close": ("Close", "secondary"),
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


def lay_out_job(services: Services) -> JobLayout:
    """Build the box of the open campaign, hidden."""
    widgets: dict[str, Any] = {}
    with gr.Column(visible=False, min_width=0, elem_id="job", elem_classes="job") as box:
        widgets["title"] = html("job-title", script=LINK_JS)
        widgets["progress"] = html("job-progress")
        with gr.Row(elem_classes="downloads job-actions"):
            widgets["buttons"] = {
                name: _button(name, words, variant) for name, (words, variant) in _ACTIONS.items()
            }
        widgets["notice"] = html("job-notice")
        _again(widgets, services)
        _export(widgets)
        widgets["findings"] = html("job-findings", script=FINDINGS_JS)
        for name in ("payload", "place"):
            widgets[name] = gr.Textbox(
                elem_classes="offstage", elem_id=f"batch-{name}", show_label=False
            )
    return JobLayout(box=box, **widgets)


def _button(name: str, words: str, variant: Literal["primary", "secondary", "stop"]) -> gr.Button:
    return gr.Button(
        words,
        variant=variant,
        size="sm",
        min_width=90,
        visible=name in ("file", "close"),
        elem_id=f"job-{name}",
    )


def _again(widgets: dict[str, Any], services: Services) -> None:
    title = "Ask another model, or change what may be spent"
    with gr.Accordion(title, open=False, visible=False, elem_id="job-again") as box:
        widgets["models"] = gr.Dropdown(
            choices=list(services.model_choices()),
            value=[],
            multiselect=True,
            allow_custom_value=True,
            label="Models",
            info="Add some: they are asked about the same mutants, and nothing is parsed again. "
            "What a model has answered stays, also when you take it out here",
            elem_id="job-models",
        )
        with gr.Row(elem_classes="option-grid"):
            for name, label in (
                ("requests", "At most this many requests"),
                ("budget", "Budget"),
            ):
                widgets[name] = gr.Number(
                    0,
                    label=label,
                    info="In this run, to models that cost; 0: no bound",
                    min_width=150,
                    elem_id=f"job-{name}",
                )
        with gr.Row(elem_classes="downloads job-actions"):
            widgets["go_on"] = gr.Button(
                "Go on with these", variant="primary", size="sm", min_width=120, elem_id="job-go-on"
            )
    widgets["again"] = box


def _export(widgets: dict[str, Any]) -> None:
    title = "Export mutants, or run them again"
    with gr.Accordion(title, open=False, visible=False, elem_id="job-mutants") as box:
        widgets["verdicts"] = gr.Dropdown(
            [verdict.value for verdict in Verdict],
            value=[Verdict.HIDDEN.value],
            multiselect=True,
            label="Verdicts",
            info="Of any model; empty: all. With each mutant come the smaller ones it is made of",
            elem_id="job-verdicts",
        )
        with gr.Row(elem_classes="downloads"):
            widgets["write"] = gr.Button(
                "Export mutants (CSV)", size="sm", min_width=150, elem_id="job-export"
            )
            widgets["hand_over"] = gr.Button(
                "Run these on other models", size="sm", min_width=180, elem_id="job-hand-over"
            )
    widgets["export"] = box
