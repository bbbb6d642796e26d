"""The events of the Generate tab."""

from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import gradio as gr

from hinter_core.errors import InputError
from hinter_ui.generate.actions import (
    YAML,
    DrawnSentences,
    GenerateState,
    SentenceForm,
    draw,
    examples,
    hand_over,
    say,
    shipped_as,
    text_of,
)
from hinter_ui.generate.html import drawn
from hinter_ui.generate.layout import GenerateLayout
from hinter_ui.inside import get_upload_folder
from hinter_ui.shared.events import TabEvents, Updates
from hinter_ui.shared.services import Services
from hinter_ui.shared.wiring import attempt, private

_PARTS = ("sentences", "people", "words")


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    GenerateEvents(services, GenerateLayout(services)).wire()


def grammar_of(start: str, text: Any, *written: Any) -> str:
    """Return the grammar of the form, or that of the editor."""
    return str(text or "") if start == YAML else SentenceForm(*map(str, written)).grammar()


class GenerateEvents(TabEvents):
    """From the widgets of the tab to its actions and back."""

    room = "generate"
    failure = "errors.not_done"
    options: ClassVar = {"concurrency_limit": 2}  # a grammar may take seconds to read

    def __init__(self, services: Services, ui: GenerateLayout) -> None:
        super().__init__(services, ui.notice)
        self.ui = ui

    def wire(self) -> None:
        """Connect every widget with what it does."""
        ui, links = self.ui, self.services.links
        seen = [ui.drawn, ui.again, ui.test, ui.notice, ui.kept, ui.grammar]
        whole = [ui.start, *ui.source, ui.form, ui.editor, *seen]
        private(ui.kept.change, self.resume, [ui.kept], whole)
        self.on(ui.start.input, self.begin, [ui.start, *ui.source], whole)
        self.on(ui.grammar.input, self.choose, [ui.grammar, *ui.written], [ui.text, *seen])
        # The last of what was typed is checked once the one before it is.
        # gradio tells `input` of a textbox of typed characters only, not of what is pasted.
        typed = partial(gr.on, [ui.text.input, *(box.change for box in ui.written)])
        self.on(typed, self.check, ui.source, seen, trigger_mode="always_last")
        self.on(ui.check.click, self.check, ui.source, seen)
        self.on(ui.again.click, self.again, ui.source, seen)
        links["batch"].follow(self.on(ui.test.click, self.test, ui.source, []).success)
        links["results"].follow(self.on(ui.changed.click, self.words, [], []).success)
        self.services.lead("repair", self.on(ui.repair.click, self.test, ui.source, []).success)

    def state(self, request: gr.Request) -> GenerateState:
        """Return what the tab keeps of the page."""
        session = self.session(request).of(GenerateState)
        session.page = str(request.session_hash)
        return session

    def resume(self, request: gr.Request, kept: Any) -> Updates:
        """Show what was written on this page before it was loaded again, once."""
        session = self.state(request)
        if session.resumed:
            return {self.ui.notice: gr.skip()}
        start, text = session.resume(kept)
        if not start:
            return {self.ui.notice: gr.skip()}
        form = session.form_of(start if start != YAML else next(iter(examples())))
        return {self.ui.start: start} | self._begun(request, start, text, form or SentenceForm())

    def begin(
        self, request: gr.Request, start: Any, kept: Any, text: Any, *written: Any
    ) -> Updates:
        """Begin with an example, or write what the form makes as YAML."""
        session, text = self.state(request), str(text or "")
        shown, session.start = session.shown(kept, written), str(start)
        session.keep(shown, text, [*map(str, written)])
        if form := session.form_of(session.start):
            return self._begun(request, session.start, text, form)
        form = SentenceForm(*map(str, written))
        made, _ = attempt(form.grammar)
        # What the visitor has written as YAML stays.
        session.written = made if made and session.replaceable(text) else text
        return self._begun(request, YAML, session.written, form)

    def _begun(self, request: gr.Request, start: str, text: str, form: SentenceForm) -> Updates:
        ui, parts = self.ui, [getattr(form, name) for name in _PARTS]
        shown = {
            ui.form: gr.update(visible=start != YAML), ui.editor: gr.update(visible=start == YAML),
            ui.text: text, **dict(zip(ui.written, parts, strict=True)),
        }  # fmt: skip
        return shown | self._drawn(request, 0, start, text, *parts)

    def choose(self, request: gr.Request, name: Any, *written: Any) -> Updates:
        """Show a grammar that comes with HInter."""
        text = text_of(str(name or ""))
        return {self.ui.text: text} | self._drawn(request, 0, YAML, text, *written)

    def check(self, request: gr.Request, kept: Any, *source: Any) -> Updates:
        """Check what was written."""
        session = self.state(request)
        return self._drawn(request, session.seed, session.shown(kept, source[1:]), *source)

    def again(self, request: gr.Request, kept: Any, *source: Any) -> Updates:
        """Draw other sentences."""
        session = self.state(request)
        return self._drawn(request, session.seed + 1, session.shown(kept, source[1:]), *source)

    def _drawn(
        self, request: gr.Request, seed: int, start: str, text: Any, *written: Any
    ) -> Updates:
        session = self.state(request)
        session.seed = seed

        def made() -> DrawnSentences:
            return draw(grammar_of(start, text, *written), seed)

        sentences, failure = attempt(made, title=say("errors.title"))
        if session.start not in ("", start):  # another example was chosen meanwhile
            return {self.ui.notice: gr.skip()}
        sound = gr.update(interactive=not failure)
        return {
            self.ui.drawn: failure or drawn(sentences),
            self.ui.again: sound, self.ui.test: sound, self.ui.notice: "",
            self.ui.grammar: shipped_as(str(text or "")) or None,
            self.ui.kept: session.keep(start, str(text or ""), [*map(str, written)]),
        }  # fmt: skip

    def test(self, request: gr.Request, kept: Any, *source: Any) -> Updates:
        """Hand the grammar over to another tab."""
        session = self.session(request)
        session.grammar = ""
        start = self.state(request).shown(kept, source[1:])
        hand_over(session, grammar_of(start, *source), Path(get_upload_folder()))
        return {self.notice: ""}

    def words(self, request: gr.Request) -> Updates:
        """Say what is missing for a diagnosis, if anything."""
        session = self.session(request)
        if not (session.tested or session.campaign):
            raise InputError(say("errors.untested"))
        return {self.notice: ""}
