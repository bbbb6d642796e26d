"""The widgets of the Learn tab: what stands where, and nothing of what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from hinter_ui.shared.scripts import on_load

CASES = 3  # texts of one step that are tried side by side
TICK = 2.0  # seconds between two looks at a class


@dataclass(frozen=True)
class LearnLayout:
    """Handles to all widgets that events touch."""

    state: gr.State
    head: gr.HTML
    lesson: gr.Column
    join: gr.HTML
    steps: gr.HTML
    notice: gr.HTML
    step: gr.HTML
    cases: list[gr.HTML]
    verdicts: list[gr.HTML]
    boxes: list[gr.Column]
    reply: gr.HTML
    result: gr.HTML
    plot_box: gr.Column
    plot: gr.Plot
    after: gr.HTML
    foot: gr.HTML
    glossary_box: gr.Column
    glossary: gr.HTML
    teach: gr.Column
    teach_head: gr.HTML
    plan: gr.HTML
    handouts: gr.HTML
    pdf: gr.DownloadButton
    md: gr.DownloadButton
    builder: gr.HTML
    made: gr.HTML
    class_room: gr.HTML
    chart: gr.HTML
    timer: gr.Timer
    address: gr.Textbox

    @property
    def shown(self) -> list[Any]:
        """What follows from a guess or a word."""
        return [
            self.steps, *self.verdicts, self.reply, self.result, self.plot_box, self.plot,
            self.after,
        ]  # fmt: skip

    @property
    def everything(self) -> list[Any]:
        """All that a move sets."""
        return [
            self.head, self.lesson, self.join, self.step, *self.cases, *self.boxes, self.foot,
            self.glossary_box, self.glossary, self.teach, self.teach_head, self.plan,
            self.handouts, self.pdf, self.md, self.builder, self.made, self.class_room, self.chart,
            self.timer, self.address, *self.shown,
        ]  # fmt: skip


def lay_out(state: Any, first: dict[str, str], count: Callable[..., str]) -> LearnLayout:
    """Build the widgets inside the current tab.

    ``first`` is what is shown before anything is asked for; ``count`` takes a guess for a class.
    """

    def html(name: str, script: str = "learn.act") -> gr.HTML:
        return gr.HTML(
            first.get(name, ""), elem_id=f"learn-{name}", apply_default_css=False,
            js_on_load=on_load(script) if script else None,
            server_functions=[count] if script == "learn.act" else None,
        )  # fmt: skip

    widgets: dict[str, Any] = {"state": gr.State(state)}
    with gr.Column(elem_id="learn", min_width=0):
        widgets["head"] = html("head")
        with gr.Column(elem_id="lesson", min_width=0) as widgets["lesson"]:
            _lesson(widgets, html)
        with gr.Column(visible=False, min_width=0) as widgets["glossary_box"]:
            widgets["glossary"] = html("glossary", "glossary.search")
        with gr.Column(visible=False, elem_id="teach", min_width=0) as widgets["teach"]:
            _teach(widgets, html)
    widgets["address"] = gr.Textbox(elem_classes="offstage", show_label=False)
    return LearnLayout(**widgets)


def _lesson(widgets: dict[str, Any], html: Callable[..., gr.HTML]) -> None:
    widgets["steps"] = html("steps")
    widgets["join"] = html("join")
    widgets["notice"] = html("notice", "")
    widgets["step"] = html("step")
    widgets |= {"cases": [], "verdicts": [], "boxes": []}
    for place in range(CASES):
        with gr.Column(visible=False, elem_classes="case", min_width=0) as box:
            widgets["cases"].append(html(f"case-{place}"))
            widgets["verdicts"].append(html(f"verdict-{place}", "learn.live"))
        widgets["boxes"].append(box)
    widgets["reply"] = html("reply", "learn.live")
    widgets["result"] = html("result", "")
    with gr.Column(visible=False, elem_classes="plot-box", min_width=0) as widgets["plot_box"]:
        widgets["plot"] = gr.Plot(show_label=False, container=False, elem_id="learn-plot")
    widgets["after"] = html("after", "")
    widgets["foot"] = html("foot")


def _teach(widgets: dict[str, Any], html: Callable[..., gr.HTML]) -> None:
    widgets["teach_head"] = html("teach-head", "")
    widgets["class_room"] = html("class")
    widgets["chart"] = html("chart")
    widgets["timer"] = gr.Timer(TICK, active=False)
    widgets["plan"] = html("plan", "")
    widgets["handouts"] = html("handouts", "")
    with gr.Row(elem_classes="downloads"):
        for kind in ("pdf", "md"):
            widgets[kind] = gr.DownloadButton(kind, size="sm", elem_id=f"learn-{kind}",
                                              min_width=180)  # fmt: skip
    widgets["builder"] = html("builder", "learn.form")
    widgets["made"] = html("made")
