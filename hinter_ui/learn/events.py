"""The Learn tab: a lesson that asks before it shows, a glossary, and a page for teachers."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Any

import gradio as gr

from hinter_core.errors import HinterError
from hinter_ui.html.wording import chosen, speak
from hinter_ui.learn import teachers
from hinter_ui.learn.actions import LessonActions
from hinter_ui.learn.classroom import Classroom, ClassroomError, UnknownClassError
from hinter_ui.learn.layout import LearnLayout
from hinter_ui.learn.lesson import (
    LINKED,
    SECTIONS,
    Journey,
    load_lesson,
    number_of,
    query_of,
    questions,
    say,
)
from hinter_ui.learn.updates import LearnUpdates, address, first_page, handouts
from hinter_ui.shared.events import TabEvents, Told, Updates
from hinter_ui.shared.links import DEFAULT_MODEL, ExploreForm
from hinter_ui.shared.services import Services
from hinter_ui.shared.wiring import page_address, parts_of, scripted

_MOST_TEXT = 8_000  # characters of a text put into a link


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    classes = Classroom.at_home(questions())
    ui = LearnLayout(Journey(), first_page(), guess_counter(classes))
    LearnEvents(services, ui, classes).wire()


def guess_counter(classes: Classroom) -> Callable[[Any], str]:
    """Return a function for the browser that counts a guess in a class, past the queue."""

    def count_guess(data: Any) -> str:
        """Count ``data``: code, device, question, choice, language; answer the student."""
        code, device, question, choice, language = [*(data if isinstance(data, list) else []),
                                                    *[""] * 5][:5]  # fmt: skip
        speak(chosen(language), "learn")
        try:
            counted = classes.guess(code, device, question, choice)
        except HinterError as error:
            return str(error)
        return say("join.sent" if counted else "join.first")

    return count_guess


class LearnEvents(TabEvents):
    """From the widgets of the tab to the visitor's journey and back."""

    room = "learn"
    failure = "ui.failed"

    def __init__(self, services: Services, ui: LearnLayout, classes: Classroom) -> None:
        super().__init__(services, ui.notice)
        self.ui = ui
        self.classes = classes
        self.updates = LearnUpdates(ui, LessonActions(services))

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self) -> None:
        """Connect every widget with what it does."""
        ui = self.ui
        linked = self.services.addresses.names(*LINKED, "lang", tab="learn")
        shown = [self.tabs, *ui.everything]
        opened = self._on(linked.change, self.open_page, shown, inputs=[linked, ui.progress])
        scripted(opened.then, "learn.arrived", [ui.address])
        moving = [ui.head, ui.join, ui.steps, ui.foot]
        moved = self._on(partial(gr.on, [w.select for w in moving]), self.move, ui.everything)
        scripted(moved.then, "learn.moved", [ui.address])
        self._on(ui.step.select, self.guess, ui.shown, trigger_mode="multiple")
        # The page sends one choice at a time: gradio's "always_last" would drop the event's data.
        chosen_words = partial(gr.on, [case.select for case in ui.cases])
        judged = self._on(chosen_words, self.try_words, ui.shown, trigger_mode="multiple")
        scripted(judged.then, "page.answered", first=("learn",))
        kept = [ui.class_room, ui.chart, ui.timer, ui.address, ui.progress]
        teaching = partial(gr.on, [ui.class_room.select, ui.chart.select])
        taught = self._on(teaching, self.teach, kept)
        scripted(taught.then, "learn.taught", [ui.address])
        made = self._on(ui.builder.select, self.link, [ui.made], trigger_mode="multiple")
        scripted(made.then, "learn.full")
        scripted(made.then, "page.answered", first=("learn-builder",))
        self._on(ui.timer.tick, self.look, [ui.chart, ui.timer])
        self._on(ui.wait.tick, self.wait, ui.shown)

    def _on(
        self,
        event: Callable[..., Any],
        act: Callable[..., Any],
        outputs: list[Any],
        *,
        inputs: Sequence[Any] = (),
        **options: Any,
    ) -> Any:
        """Wire one event that takes the journey and returns it; its language is spoken."""
        state = self.ui.state

        @wraps(act)
        def run(*values: Any) -> Any:
            speak(values[-1].language, self.room)
            return act(*values)

        return self.on(event, run, [*inputs, state], [state, *outputs], **options)

    # -- opening and moving ---------------------------------------------------------------------

    def open_page(self, request: gr.Request, linked: Any, progress: Any, _: Journey) -> Updates:
        """Open the section, step or language that the link of a new page names, if any."""
        query = {str(k): str(v) for k, v in dict(request.query_params or {}).items()}
        query |= parts_of(linked)
        journey = Journey.from_query(query)
        if journey == Journey() and not query.get("class") and not progress:
            # The page began with this, and a visitor may have guessed already.
            return {self.ui.notice: gr.skip()}
        speak(journey.language, self.room)
        journey.page = page_address(request)
        if query.get("class"):
            self._join(journey, query["class"])
        journey.resume(progress)
        return {self.ui.state: journey} | self._shown(journey)

    def move(self, data: Told, request: gr.Request, journey: Journey) -> Updates:
        """Go to another part or step, or join or leave a class."""
        journey.told = journey.sure = journey.present = ""
        journey.page = page_address(request)
        match data.get("act"):
            case "return":
                journey.turn(str(data.get("query")))
                self._stages(journey)
            case "section" if data.get("section") in SECTIONS:
                journey.section, journey.entry = str(data["section"]), ""
            case "step":
                journey.section, journey.number = "lesson", number_of(data.get("step"))
                self._stages(journey)
            case "again":
                journey.start_again()
                journey.section, journey.number = "lesson", 0
            case "join":
                self._join(journey, data.get("code"))
            case "leave":
                journey.code = ""
        kept: Updates = {self.ui.progress: journey.progress()}
        return {self.ui.state: journey, self.ui.notice: "", **kept} | self._shown(journey)

    def _join(self, journey: Journey, code: Any) -> None:
        try:
            joined = self.classes.join(code)
            if joined != journey.code:  # what was guessed before does not count there
                journey.start_again()
            journey.code = joined
            self._stages(journey)
        except ClassroomError as error:
            journey.told = str(error)

    def _shown(self, journey: Journey) -> Updates:
        updates = self.updates.moved(journey)
        return updates | self._teaching(journey) if journey.section == "teach" else updates

    # -- trying ---------------------------------------------------------------------------------

    def guess(self, data: Told, journey: Journey) -> Updates:
        """Take a guess and show the answer."""
        self._stages(journey)
        journey.choose(data)
        return self._tried(journey)

    def wait(self, journey: Journey) -> Updates:
        """Show the answer to a class once its teacher does, or that it votes again."""
        before = journey.revealed, journey.again
        self._stages(journey)
        if before == (journey.revealed, journey.again):
            return {self.ui.state: journey}
        return self._tried(journey)

    def _stages(self, journey: Journey) -> None:
        if journey.code:
            journey.revealed, journey.again = self.classes.stages(journey.code)

    def try_words(self, data: Told, journey: Journey) -> Updates:
        """Judge the sentences of a step with the words chosen in each, by place."""
        words: Mapping[str, Any] = data.get("words") or {}
        for place, scene in enumerate(journey.step.scenes):
            if chosen_here := words.get(str(place)):
                journey.words[scene.key] = scene.checked(tuple(map(str, chosen_here)))
        return self._tried(journey)

    def _tried(self, journey: Journey) -> Updates:
        kept: Updates = {self.ui.state: journey, self.ui.notice: ""}
        return {**kept, self.ui.progress: journey.progress(), **self.updates.shown(journey)}

    # -- teaching -------------------------------------------------------------------------------

    def _teaching(self, journey: Journey) -> Updates:
        ui, attributes = self.ui, list(self.services.dictionaries())
        first = (ExploreForm().attributes, (DEFAULT_MODEL,))
        return {
            ui.teach_head: teachers.page().head(),
            ui.plan: teachers.plan(told=not journey.code or bool(journey.key)),
            ui.handouts: teachers.page().handouts(),
            ui.builder: teachers.builder(attributes, self.services.model_choices(), first),
            ui.made: self._link(journey, query_of(load_lesson()[0])),
            **handouts(ui, journey),
            **self._class(journey),
        }

    def _class(self, journey: Journey, message: str = "") -> Updates:
        ui = self.ui
        idle: Updates = {ui.timer: gr.Timer(active=False), ui.chart: ""}
        if not journey.key:
            code = self._running(journey.own)
            return {**idle, ui.class_room: teachers.page().invitation(code)}
        try:
            seen = self.classes.look(journey.key)
        except UnknownClassError:
            journey.key = ""
            code = self._running(journey.own)
            return {**idle, ui.class_room: teachers.page().gone(code)}
        journey.own = journey.key
        there = self.updates.actions.reached(journey)
        if journey.present:
            step = load_lesson()[number_of(journey.present)]
            evidence = self.updates.presented(step, revealed=step.key in seen.revealed)
            shown = teachers.presenting(seen, journey, evidence, message, there=there)
        else:
            shown = teachers.links(seen, journey.key, journey.sure, message, there=there)
        return {
            ui.class_room: shown,
            ui.chart: teachers.chart(seen, journey),
            ui.timer: gr.Timer(active=not seen.closed),
        }

    def _running(self, key: str) -> str:
        """Return the code of the class of a key, if it is open."""
        try:
            seen = self.classes.look(key)
        except UnknownClassError:
            return ""
        return "" if seen.closed else seen.code

    def teach(self, data: Told, request: gr.Request, journey: Journey) -> Updates:
        """Open, present, clear or close a class; what cannot be undone takes a second press."""
        act, question = str(data.get("act")), str(data.get("question") or "")
        sure, journey.sure, journey.page = journey.sure, "", page_address(request)
        message = ""
        match act:
            case "open-class":
                self.services.require_opening(self.session(request))
                _, journey.key = self.classes.open()
            case "own-class":
                journey.key = journey.own
            case "present":
                journey.present = question if question in questions() else ""
                journey.votes = False  # on the next question nobody has voted yet
            case "votes":
                journey.votes = not journey.votes
            case "reveal":
                self.classes.reveal(journey.key, question)
            case "vote-again":
                self.classes.vote_again(journey.key, question)
            case "clear" | "close" if sure != act:
                journey.sure = act
            case "clear":
                self.classes.clear(journey.key, question)
                message = teachers.say("class.cleared")
            case "close":
                self.classes.close(journey.key)
        shown = self._class(journey, message)
        kept: Updates = {self.ui.progress: journey.progress(), self.ui.address: address(journey)}
        return {self.ui.state: journey, self.ui.notice: "", **kept, **shown}

    def look(self, journey: Journey) -> Updates:
        """Bring the chart up to date."""
        try:
            seen = self.classes.look(journey.key)
        except UnknownClassError:
            return {self.ui.timer: gr.Timer(active=False)}
        return {self.ui.chart: teachers.chart(seen, journey)}

    def link(self, data: Told, journey: Journey) -> Updates:
        """Make the link that the builder's form describes."""
        if data.get("opens") != "check":
            step = load_lesson()[number_of(data.get("step"))]
            code = journey.key.partition(".")[0]
            query = query_of(step, code, chosen(data.get("language")))
            return self._made(journey, query, "class" if code else "")
        names = {name for _, name in self.services.model_choices()}
        form = ExploreForm(
            text=str(data.get("text") or "").strip()[:_MOST_TEXT],
            attributes=_known(data.get("attributes"), self.services.dictionaries()),
            models=_known(data.get("models"), names),
        )
        if not (form.text and form.attributes and form.models):
            return self._made(journey, "", "empty")
        query = form.query()
        return self._made(journey, f"?#{query}" if query else "", "" if query else "long")

    def _made(self, journey: Journey, query: str, told: str = "") -> Updates:
        words = teachers.say(f"links.{told}") if told else ""
        return {self.ui.made: self._link(journey, query, words)}

    def _link(self, journey: Journey, query: str, told: str = "") -> str:
        return teachers.page().made(query, told, self.updates.actions.reached(journey))


def _known(values: Any, names: Any) -> tuple[str, ...]:
    """Keep those of a browser's values that exist."""
    return tuple(value for value in values or () if value in names)
