"""The widgets of the Repair tab: where each stands, without what it does."""

from typing import Any

import gradio as gr

from hinter_core.repair.repair import REPAIR_OPTIONS
from hinter_ui.html.markup import Markup, tag
from hinter_ui.repair.actions import FIELDS, FILES, SHARES, USUAL, offered_grammars
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import Labels, html, offstage

TICK = 1.5  # seconds between two looks at what runs


class RepairLayout:
    """Build the widgets inside the current tab and keep those that events use."""

    def __init__(self, services: Services) -> None:
        labels = services.labels_of("repair")
        local = services.access.local
        self.timer = gr.Timer(TICK, active=False)
        with gr.Column(visible=False, elem_classes="job", elem_id="repair-job") as self.job:
            self.title = html("repair-title")
            self.progress = html("repair-progress")
            self.figures = html("repair-figures")
            with gr.Row(elem_classes="downloads"):
                self.files = [self._button(labels, f"repair-{name}", "secondary") for name in FILES]
            with gr.Row(elem_classes="start-row"):
                self.test = self._button(labels, "repair-test", "primary")
                self.resume = self._button(labels, "repair-resume", "primary")
                self.cancel = self._button(labels, "repair-cancel", "stop")
                self.delete = self._button(labels, "repair-delete", "secondary")
                self.keep = self._button(labels, "repair-keep", "secondary")
                self.really = self._button(labels, "repair-really", "stop")
        labels.heading("repair")

        def public() -> Markup:
            return Markup("") if local else tag("p", labels.say("public"), class_="notice info")

        labels.html("repair-public", public)
        with gr.Row(elem_classes="tab-columns made-from"):
            with gr.Column(min_width=0):
                self._what(labels)
            with gr.Column(min_width=0):
                self._how(labels, local=local)
        labels.heading("repairs")
        self.place = offstage()
        self.table = html("repairs", script="repair.list repair.opened")
        self.form = [
            self.model, self.grammar, self.own_grammar, self.data, self.share, self.unseen,
            *self.settings,
        ]  # fmt: skip
        self.watched = [
            self.timer, self.job, self.title, self.progress, self.figures, self.test, self.resume,
            self.cancel, self.delete, self.keep, self.really, *self.files, self.table,
        ]  # fmt: skip

    def _what(self, labels: Labels) -> None:
        self.model = labels.make(
            gr.Dropdown, "repair-model", choices=["embedded"], value="embedded",
            allow_custom_value=True,
        )  # fmt: skip
        self.grammar = labels.make(
            gr.Dropdown, "repair-grammar", choices=list(offered_grammars()), value=USUAL
        )
        self.own_grammar = labels.make(gr.File, "repair-own-grammar", height=130)
        self.data = labels.make(gr.File, "repair-data", height=150)

    def _how(self, labels: Labels, *, local: bool) -> None:
        low, high = SHARES
        self.share = labels.make(
            gr.Slider, "repair-share", minimum=low, maximum=high, step=1, value=high
        )
        self.unseen = labels.make(
            gr.Dropdown, "repair-unseen", choices=list(offered_grammars()), value=[],
            multiselect=True,
        )  # fmt: skip
        self.settings: list[Any] = []
        with (
            labels.make(gr.Accordion, "repair-more", open=False),
            gr.Row(elem_classes="option-grid"),
        ):
            for name in FIELDS:
                self.settings.append(labels.option(REPAIR_OPTIONS[name], f"repair-{name}"))
        with gr.Row(elem_classes="start-row"):
            self.start = labels.make(
                gr.Button, "repair-start", variant="primary", min_width=150, visible=local
            )
            self.show = labels.make(gr.Button, "repair-show", min_width=150, elem_classes="makes")
        self.notice = html("repair-notice", script="page.madeFrom")
        self.command = labels.make(
            gr.Code, "repair-command", language="shell", interactive=False, wrap_lines=True,
            lines=3, max_lines=8,
            visible=False,
        )  # fmt: skip

    def _button(self, labels: Labels, key: str, look: str) -> gr.Button:
        return labels.make(gr.Button, key, variant=look, size="sm", min_width=130, visible=False)
