"""From grammars to updates of the Generate tab's widgets."""

from typing import Any

import gradio as gr

from hinter_ui.generate import html
from hinter_ui.generate.actions import draw, say
from hinter_ui.generate.layout import GenerateLayout
from hinter_ui.shared.events import Updates
from hinter_ui.shared.wiring import attempt


class GenerateUpdates:
    """Updates of the tab's widgets, by widget."""

    def __init__(self, ui: GenerateLayout) -> None:
        self.ui = ui

    def drawn(self, text: Any, seed: int) -> Updates:
        """Show what a grammar makes, or its fault."""
        found, failure = attempt(draw, str(text or ""), seed, title=say("errors.title"))
        sound = gr.update(interactive=not failure)
        return {
            self.ui.drawn: failure or html.drawn(found),
            self.ui.again: sound, self.ui.test: sound, self.ui.notice: "",
        }  # fmt: skip
