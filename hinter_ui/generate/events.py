"""The page of the Generate tab: its widgets, its HTML, and its events."""

from pathlib import Path
from typing import Any, ClassVar

import gradio as gr

from hinter_core.errors import InputError
from hinter_core.generators.grammars.answers import usual_model
from hinter_core.generators.grammars.reading import shipped_grammars
from hinter_ui.generate.actions import (
    FIRST,
    DrawnSentences,
    GenerateState,
    draw,
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


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    GenerateEvents(services, GenerateLayout(services)).wire()


class GenerateLayout:
    """The widgets, built inside the current tab."""

    def __init__(self, services: Services) -> None:
        first = draw(text_of(FIRST))
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
                self.drawn = labels.html("generate-drawn", lambda: drawn(first))
                self.again = labels.make(gr.Button, "generate-again", size="sm")
                with gr.Row(elem_classes="start-row"):
                    self.test = labels.make(
                        gr.Button, "generate-test", variant="primary", min_width=120
                    )
                    self.words = labels.make(gr.Button, "generate-words", min_width=120)
                    self.repair = labels.make(gr.Button, "generate-repair", min_width=120)
                self.notice = html("generate-notice")


def drawn(found: DrawnSentences) -> Markup:
    """Show the size of a grammar, sentences, and variants of the first of them."""
    rules, terminals = found.grammar.size
    facts = (
        say("size", rules=rules, terminals=terminals),
        say("task", task=say(f"tasks.{found.grammar.task}"), model=usual_model(found.grammar)),
    )
    count = tag("strong", say.count("sentences", found.count))
    head = tag("p", count, *(f" \u00b7 {fact}" for fact in facts))
    about = tag("p", isolated(found.grammar.about), class_="quiet") if found.grammar.about else None
    rows = [
        tag(
            "tr",
            tag("td", sentence(row, found.grammar)),
            tag("td", isolated(row.label), class_="row-label"),
        )
        for row in found.rows
    ]
    grid = table(say("drawn"), [say("columns.sentence"), say("columns.label")], rows)
    first = found.rows[0].text
    items = [
        tag("li", tag("span", name_of(edit.attribute), " ", class_="quiet-inline"),
            changed(first, (edit,)))
        for edit in found.variants
    ]  # fmt: skip
    variants = tag("ul", *items, class_="plain") if items else tag("p", say("none"))
    return tag(
        "div", head, about, tag("div", grid, class_="rows-table"), tag("h3", say("variants")),
        variants, class_="data-preview", role="status",
    )  # fmt: skip


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
        found, failure = attempt(draw, str(text or ""), seed, title=say("errors.title"))
        sound = gr.update(interactive=not failure)
        return {
            self.ui.drawn: failure or drawn(found),
            self.ui.again: sound, self.ui.test: sound, self.ui.notice: "",
        }  # fmt: skip

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
