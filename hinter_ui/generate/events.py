"""The events of the Generate tab: a grammar is chosen, written, checked, drawn from and tested."""

from pathlib import Path
from typing import Any, ClassVar

import gradio as gr
from gradio.utils import get_upload_folder

from hinter_core.errors import InputError
from hinter_ui.generate import html
from hinter_ui.generate.actions import FIRST, GenerateState, draw, hand_over, say, text_of
from hinter_ui.generate.layout import GenerateLayout
from hinter_ui.generate.updates import GenerateUpdates
from hinter_ui.shared.events import TabEvents, Updates
from hinter_ui.shared.services import Services


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    first = draw(text_of(FIRST))
    GenerateEvents(services, GenerateLayout(services, lambda: html.drawn(first))).wire()


class GenerateEvents(TabEvents):
    """From the widgets of the tab to its actions and back."""

    room = "generate"
    failure = "errors.not_done"
    options: ClassVar = {"concurrency_limit": 2}  # a grammar may take seconds to read

    def __init__(self, services: Services, ui: GenerateLayout) -> None:
        super().__init__(services, ui.notice)
        self.ui = ui
        self.updates = GenerateUpdates(ui)

    def wire(self) -> None:
        """Connect every widget with what it does."""
        ui, links = self.ui, self.services.links
        seen = [ui.drawn, ui.again, ui.test, ui.notice]
        self.on(ui.grammar.input, self.choose, [ui.grammar], [ui.text, *seen])
        # The last of what was typed is checked once the one before it is.
        self.on(ui.text.input, self.check, [ui.text], seen, trigger_mode="always_last")
        self.on(ui.check.click, self.check, [ui.text], seen)
        self.on(ui.again.click, self.again, [ui.text], seen)
        links["batch"].follow(self.on(ui.test.click, self.test, [ui.text], []).success)
        links["results"].follow(self.on(ui.words.click, self.words, [], []).success)
        self.services.lead("repair", self.on(ui.repair.click, self.test, [ui.text], []).success)

    def choose(self, request: gr.Request, name: Any) -> Updates:
        """Show a grammar that comes with HInter."""
        text = text_of(str(name or ""))
        return {self.ui.text: text} | self._drawn(request, text, 0)

    def check(self, request: gr.Request, text: Any) -> Updates:
        """Check what was written."""
        return self._drawn(request, text, self.session(request).of(GenerateState).seed)

    def again(self, request: gr.Request, text: Any) -> Updates:
        """Draw other sentences."""
        return self._drawn(request, text, self.session(request).of(GenerateState).seed + 1)

    def _drawn(self, request: gr.Request, text: Any, seed: int) -> Updates:
        self.session(request).of(GenerateState).seed = seed
        return self.updates.drawn(text, seed)

    def test(self, request: gr.Request, text: Any) -> Updates:
        """Hand the grammar over to another tab."""
        session = self.session(request)
        session.grammar = ""
        hand_over(session, str(text or ""), Path(get_upload_folder()))
        return {self.notice: ""}

    def words(self, request: gr.Request) -> Updates:
        """Say what is missing for a diagnosis, if anything."""
        session = self.session(request)
        if not (session.tested or session.campaign):
            raise InputError(say("errors.untested"))
        return {self.notice: ""}
