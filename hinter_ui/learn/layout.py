"""The widgets of the Learn tab and their arrangement."""

from collections.abc import Callable
from typing import Any

import gradio as gr

from hinter_ui.shared.widgets import browser_note, html, offstage

CASES = 3  # texts of one step that are tried side by side
TICK = 2.0  # seconds between two looks at a class


class LearnLayout:
    """Build the widgets inside the current tab and keep those that events use.

    ``first``: HTML shown before any event; ``count``: server function that counts a guess.
    """

    def __init__(self, state: Any, first: dict[str, str], count: Callable[..., str]) -> None:
        self._first = first
        self._count = count
        self.state = gr.State(state)
        # The key of a class that is taught lies in this browser anyway (`hinter.unseen`).
        self.progress = browser_note("hinter-lesson", "lesson")
        with gr.Column(elem_id="learn", min_width=0):
            self.head = self._html("head", "learn.act", "learn.returned")
            with gr.Column(elem_id="lesson", min_width=0) as self.lesson:
                self._lesson()
            with gr.Column(visible=False, min_width=0) as self.glossary_box:
                self.glossary = self._html("glossary", "glossary.search")
            with gr.Column(visible=False, elem_id="teach", min_width=0) as self.teach:
                self._teach()
        self.address = offstage()
        # What follows from a guess or a word.
        self.shown = [
            self.steps, *self.verdicts, self.reply, self.result, self.plot_box, self.plot,
            self.after, self.wait, self.progress,
        ]  # fmt: skip
        # All that a move sets.
        self.everything = [
            self.head, self.lesson, self.join, self.step, *self.cases, *self.boxes, self.foot,
            self.glossary_box, self.glossary, self.teach, self.teach_head, self.plan,
            self.handouts, self.pdf, self.md, self.builder, self.made, self.class_room, self.chart,
            self.timer, self.address, *self.shown,
        ]  # fmt: skip

    def _lesson(self) -> None:
        box = self._html
        self.steps = box("steps")
        self.join = box("join")
        self.notice = box("notice", "")
        self.step = box("step")
        self.cases: list[gr.HTML] = []
        self.verdicts: list[gr.HTML] = []
        self.boxes: list[gr.Column] = []
        for place in range(CASES):
            with gr.Column(visible=False, elem_classes="case", min_width=0) as case:
                self.cases.append(box(f"case-{place}"))
                self.verdicts.append(box(f"verdict-{place}", "learn.live"))
            self.boxes.append(case)
        self.reply = box("reply", "learn.live")
        self.result = box("result")
        with gr.Column(visible=False, elem_classes="plot-box", min_width=0) as self.plot_box:
            self.plot = gr.Plot(show_label=False, container=False, elem_id="learn-plot")
        self.after = box("after", "")
        self.wait = gr.Timer(TICK * 2, active=False)
        self.foot = box("foot")

    def _teach(self) -> None:
        box = self._html
        self.teach_head = box("teach-head", "")
        self.class_room = box("class")
        self.chart = box("chart")
        self.timer = gr.Timer(TICK, active=False)
        self.plan = box("plan", "")
        self.handouts = box("handouts", "")
        with gr.Row(elem_classes="downloads"):
            self.pdf, self.md = (
                gr.DownloadButton(kind, size="sm", elem_id=f"learn-{kind}", min_width=180)
                for kind in ("pdf", "md")
            )
        self.builder = box("builder", "learn.form")
        self.made = box("made")

    def _html(self, name: str, *scripts: str) -> gr.HTML:
        scripts = scripts or ("learn.act",)
        counts = [self._count] if "learn.act" in scripts else None
        first = self._first.get(name, "")
        return html(f"learn-{name}", first, " ".join(scripts), server_functions=counts)
