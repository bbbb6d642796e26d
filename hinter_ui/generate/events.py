"""The page of the Generate tab: its widgets, its HTML, and its events."""

from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import gradio as gr

from hinter_core.errors import InputError
from hinter_core.generators.grammars.generator import usual_model
from hinter_core.generators.grammars.reading import shipped_grammars
from hinter_ui.generate.actions import (
    FIRST,
    YAML,
    DrawnSentences,
    GenerateState,
    SentenceForm,
    draw,
    examples,
    hand_over,
    say,
    text_of,
)
from hinter_ui.html.marked import changed
from hinter_ui.html.markup import Markup, isolated, table, tag
from hinter_ui.html.sentences import sentence
from hinter_ui.html.wording import name_of
from hinter_ui.inside import get_upload_folder
from hinter_ui.shared.events import TabEvents, Updates
from hinter_ui.shared.services import Services
from hinter_ui.shared.widgets import html
from hinter_ui.shared.wiring import attempt

_PARTS = ("sentences", "people", "words")


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    GenerateEvents(services, GenerateLayout(services)).wire()


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
        self.written: list[Any] = [self.sentences, self.people, self.words]
        self.source = [self.start, self.text, *self.written]


def drawn(sentences: DrawnSentences) -> Markup:
    """Show the size of a grammar, sentences, and variants of the first of them."""
    rules, terminals = sentences.grammar.size
    facts = (
        say("size", rules=rules, terminals=terminals),
        say(
            "task",
            task=say(f"tasks.{sentences.grammar.task}"),
            model=usual_model(sentences.grammar),
        ),
    )
    count = tag("strong", say.count("sentences", sentences.count))
    head = tag("p", count, *(f" \u00b7 {fact}" for fact in facts))
    about = (
        tag("p", isolated(sentences.grammar.about), class_="quiet")
        if sentences.grammar.about
        else None
    )
    labelled = any(row.label for row in sentences.rows)
    rows = [
        tag(
            "tr",
            tag("td", sentence(row, sentences.grammar)),
            tag("td", isolated(row.label), class_="row-label") if labelled else None,
        )
        for row in sentences.rows
    ]
    columns = ["sentence", "label"] if labelled else ["sentence"]
    grid = table(say("drawn"), [say(f"columns.{one}") for one in columns], rows)
    first = sentences.rows[0].text
    items = [
        tag("li", tag("span", name_of(edit.attribute), " ", class_="quiet-inline"),
            changed(first, (edit,)))
        for edit in sentences.variants
    ]  # fmt: skip
    variants = tag("ul", *items, class_="plain") if items else tag("p", say("none"))
    return tag(
        "div", head, about, tag("div", grid, class_="rows-table"), tag("h3", say("variants")),
        variants, class_="data-preview", role="status",
    )  # fmt: skip


def grammar_of(start: Any, text: Any, *written: Any) -> str:
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
        seen = [ui.drawn, ui.again, ui.test, ui.notice]
        self.on(ui.start.input, self.begin, ui.source, [*ui.source, ui.form, ui.editor, *seen])
        self.on(ui.grammar.input, self.choose, [ui.grammar], [ui.text, *seen])
        # The last of what was typed is checked once the one before it is.
        # gradio tells `input` of a textbox of typed characters only, not of what is pasted.
        typed = partial(gr.on, [ui.text.input, *(box.change for box in ui.written)])
        self.on(typed, self.check, ui.source, seen, trigger_mode="always_last")
        self.on(ui.check.click, self.check, ui.source, seen)
        self.on(ui.again.click, self.again, ui.source, seen)
        links["batch"].follow(self.on(ui.test.click, self.test, ui.source, []).success)
        links["results"].follow(self.on(ui.changed.click, self.words, [], []).success)
        self.services.lead("repair", self.on(ui.repair.click, self.test, ui.source, []).success)

    def begin(self, request: gr.Request, start: Any, text: Any, *written: Any) -> Updates:
        """Begin with an example, or write what the form makes as YAML."""
        ui, form = self.ui, examples().get(str(start))
        shown = {ui.form: gr.update(visible=bool(form)), ui.editor: gr.update(visible=not form)}
        if form:
            filled = {
                box: getattr(form, name) for box, name in zip(ui.written, _PARTS, strict=True)
            }
            return shown | filled | self._drawn(request, form.grammar(), 0)
        made, _ = attempt(SentenceForm(*map(str, written)).grammar)
        session = self.session(request).of(GenerateState)
        # What the visitor has written as YAML stays.
        kept = made if made and session.replaceable(str(text or "")) else str(text or "")
        session.written = kept
        return shown | {ui.text: kept} | self._drawn(request, kept, 0)

    def choose(self, request: gr.Request, name: Any) -> Updates:
        """Show a grammar that comes with HInter."""
        text = text_of(str(name or ""))
        return {self.ui.text: text} | self._drawn(request, text, 0)

    def check(self, request: gr.Request, *source: Any) -> Updates:
        """Check what was written."""
        return self._drawn(request, source, self.session(request).of(GenerateState).seed)

    def again(self, request: gr.Request, *source: Any) -> Updates:
        """Draw other sentences."""
        return self._drawn(request, source, self.session(request).of(GenerateState).seed + 1)

    def _drawn(self, request: gr.Request, source: Any, seed: int) -> Updates:
        self.session(request).of(GenerateState).seed = seed

        def made() -> DrawnSentences:
            return draw(source if isinstance(source, str) else grammar_of(*source), seed)

        sentences, failure = attempt(made, title=say("errors.title"))
        sound = gr.update(interactive=not failure)
        return {
            self.ui.drawn: failure or drawn(sentences),
            self.ui.again: sound, self.ui.test: sound, self.ui.notice: "",
        }  # fmt: skip

    def test(self, request: gr.Request, *source: Any) -> Updates:
        """Hand the grammar over to another tab."""
        session = self.session(request)
        session.grammar = ""
        hand_over(session, grammar_of(*source), Path(get_upload_folder()))
        return {self.notice: ""}

    def words(self, request: gr.Request) -> Updates:
        """Say what is missing for a diagnosis, if anything."""
        session = self.session(request)
        if not (session.tested or session.campaign):
            raise InputError(say("errors.untested"))
        return {self.notice: ""}
