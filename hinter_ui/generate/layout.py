"""The widgets of the Generate tab: where each stands, without what it does."""

from collections.abc import Callable

import gradio as gr

from hinter_core.generators.grammars.reading import shipped_grammars
from hinter_ui.generate.actions import FIRST, text_of
from hinter_ui.html.markup import Markup
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import html


class GenerateLayout:
    """Build the widgets inside the current tab; ``first`` writes what the first grammar makes."""

    def __init__(self, services: Services, first: Callable[[], Markup]) -> None:
        labels = services.labels_of("generate")
        labels.heading("generate")
        with gr.Row(elem_classes="tab-columns"):
            with gr.Column(min_width=0):
                self.grammar = labels.make(
                    gr.Dropdown, "generate-grammar", choices=list(shipped_grammars()), value=FIRST
                )
                self.text = labels.make(
                    gr.Code, "generate-text", value=text_of(FIRST), language="yaml", lines=18,
                    wrap_lines=True,
                )  # fmt: skip
                self.check = labels.make(gr.Button, "generate-check", size="sm")
            with gr.Column(min_width=0):
                self.drawn = labels.html("generate-drawn", first)
                self.again = labels.make(gr.Button, "generate-again", size="sm")
                with gr.Row(elem_classes="start-row"):
                    self.test = labels.make(
                        gr.Button, "generate-test", variant="primary", min_width=120
                    )
                    self.words = labels.make(gr.Button, "generate-words", min_width=120)
                    self.repair = labels.make(gr.Button, "generate-repair", min_width=120)
                self.notice = html("generate-notice")
