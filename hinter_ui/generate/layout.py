"""The widgets of the Generate tab."""

from typing import Any

import gradio as gr

from hinter_core.generators.grammars.reading import shipped_grammars
from hinter_ui.generate.actions import FIRST, draw, examples
from hinter_ui.generate.html import drawn
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import browser_note, html


class GenerateLayout:
    """The widgets, built inside the current tab."""

    def __init__(self, services: Services) -> None:
        start, form = next(iter(examples().items()))
        first = draw(form.grammar())
        labels = services.labels_of("generate")
        labels.heading("generate")
        with gr.Row(elem_classes="tab-columns"):
            with gr.Column(min_width=0):
                self.start = labels.make(gr.Radio, "generate-start", value=start)
                with gr.Column(min_width=0) as self.form:
                    self.sentences, self.people, self.words = (
                        labels.make(
                            gr.Textbox, f"generate-{name}", value=getattr(form, name),
                            lines=lines, max_lines=12,
                        )
                        for name, lines in (("sentences", 4), ("people", 3), ("words", 2))
                    )  # fmt: skip
                with gr.Column(min_width=0, visible=False) as self.editor:
                    self.grammar = labels.make(
                        gr.Dropdown, "generate-grammar", choices=list(shipped_grammars()),
                        value=FIRST,
                    )  # fmt: skip
                    self.text = labels.make(
                        gr.Code, "generate-text", value=form.grammar(), language="yaml", lines=12,
                        wrap_lines=True,
                    )  # fmt: skip
                    self.check = labels.make(gr.Button, "generate-check", size="sm")
            with gr.Column(min_width=0):
                with gr.Row(elem_classes="start-row"):
                    self.test = labels.make(
                        gr.Button, "generate-test", variant="primary", scale=2, min_width=150
                    )
                    self.again = labels.make(gr.Button, "generate-again", scale=1, min_width=100)
                self.notice = html("generate-notice")
                self.drawn = labels.html("generate-drawn", lambda: drawn(first))
                with gr.Row(elem_classes="start-row"):
                    self.changed = labels.make(gr.Button, "generate-changed", size="sm")
                    self.repair = labels.make(gr.Button, "generate-repair", size="sm")
        self.kept = browser_note("hinter-grammar", "grammar")
        self.written: list[Any] = [self.sentences, self.people, self.words]
        self.source = [self.kept, self.text, *self.written]
