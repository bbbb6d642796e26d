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
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import attempt

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
        self.private(ui.kept.change, self.resume, [ui.kept], whole)
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

    def session(self, request: gr.Request) -> Session:
        """Return the session of the page, which knows the page's name."""
        session = super().session(request)
        session.of(GenerateState).page = str(request.session_hash)
        return session

    def resume(self, session: Session, kept: Any) -> Updates:
        """Show what was written on this page before it was loaded again, once."""
        state = session.of(GenerateState)
        if state.resumed:
            return {self.ui.notice: gr.skip()}
        start, text = state.resume(kept)
        if not start:
            return {self.ui.notice: gr.skip()}
        form = state.form_of(start if start != YAML else next(iter(examples())))
        return {self.ui.start: start} | self._begun(session, start, text, form or SentenceForm())

    def begin(self, session: Session, start: Any, kept: Any, text: Any, *written: Any) -> Updates:
        """Begin with an example, or write what the form makes as YAML."""
        state, text = session.of(GenerateState), str(text or "")
        shown, state.start = state.shown(kept, written), str(start)
        state.keep(shown, text, [*map(str, written)])
        if form := state.form_of(state.start):
            return self._begun(session, state.start, text, form)
        form = SentenceForm(*map(str, written))
        made, _ = attempt(form.grammar)
        # What the visitor has written as YAML stays.
        state.written = made if made and state.replaceable(text) else text
        return self._begun(session, YAML, state.written, form)

    def _begun(self, session: Session, start: str, text: str, form: SentenceForm) -> Updates:
        ui, parts = self.ui, [getattr(form, name) for name in _PARTS]
        shown = {
            ui.form: gr.update(visible=start != YAML), ui.editor: gr.update(visible=start == YAML),
            ui.text: text, **dict(zip(ui.written, parts, strict=True)),
        }  # fmt: skip
        return shown | self._drawn(session, 0, start, text, *parts)

    def choose(self, session: Session, name: Any, *written: Any) -> Updates:
        """Show a grammar that comes with HInter."""
        text = text_of(str(name or ""))
        return {self.ui.text: text} | self._drawn(session, 0, YAML, text, *written)

    def check(self, session: Session, kept: Any, *source: Any) -> Updates:
        """Check what was written."""
        state = session.of(GenerateState)
        return self._drawn(session, state.seed, state.shown(kept, source[1:]), *source)

    def again(self, session: Session, kept: Any, *source: Any) -> Updates:
        """Draw other sentences."""
        state = session.of(GenerateState)
        return self._drawn(session, state.seed + 1, state.shown(kept, source[1:]), *source)

    def _drawn(self, session: Session, seed: int, start: str, text: Any, *written: Any) -> Updates:
        state = session.of(GenerateState)
        state.seed = seed

        def made() -> DrawnSentences:
            return draw(grammar_of(start, text, *written), seed)

        sentences, failure = attempt(made, title=say("errors.title"))
        if state.start not in ("", start):  # another example was chosen meanwhile
            return {self.ui.notice: gr.skip()}
        sound = gr.update(interactive=not failure)
        return {
            self.ui.drawn: failure or drawn(sentences),
            self.ui.again: sound, self.ui.test: sound, self.ui.notice: "",
            self.ui.grammar: shipped_as(str(text or "")) or None,
            self.ui.kept: state.keep(start, str(text or ""), [*map(str, written)]),
        }  # fmt: skip

    def test(self, session: Session, kept: Any, *source: Any) -> Updates:
        """Hand the grammar over to another tab."""
        session.grammar = ""
        start = session.of(GenerateState).shown(kept, source[1:])
        hand_over(session, grammar_of(start, *source), Path(get_upload_folder()))
        return {self.notice: ""}

    def words(self, session: Session) -> Updates:
        """Say what is missing for a diagnosis, if anything."""
        if not (session.tested or session.campaign):
            raise InputError(say("errors.untested"))
        return {self.notice: ""}
