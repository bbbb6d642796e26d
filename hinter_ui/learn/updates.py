"""What the Learn tab shows: from a journey to updates of the widgets."""

from __future__ import annotations

from itertools import zip_longest

import gradio as gr

from hinter_ui.html import charts
from hinter_ui.html.glossary import glossary, query
from hinter_ui.html.markup import Markup
from hinter_ui.html.wording import words_of
from hinter_ui.learn import html as frame
from hinter_ui.learn import html as shown
from hinter_ui.learn.actions import LessonActions
from hinter_ui.learn.handout import path_of
from hinter_ui.learn.journey import Journey
from hinter_ui.learn.layout import LearnLayout
from hinter_ui.learn.lesson import load_lesson
from hinter_ui.shared.events import Updates

_NOTHING = Markup("")


def first_page() -> dict[str, str]:
    """What stands on the page before anything was asked for; no model is needed for it."""
    journey = Journey()
    return {
        "head": frame.head(journey.section, journey.say),
        "steps": _steps(journey),
        "join": frame.joining("", "", journey.say),
        "step": _opening(journey, shown.quoted(journey.step.scene.text)),
        "foot": _foot(journey),
    }


class LearnUpdates:
    """Updates of the tab's widgets, by widget."""

    def __init__(self, ui: LearnLayout, actions: LessonActions) -> None:
        self.ui = ui
        self.actions = actions

    def moved(self, journey: Journey) -> Updates:
        """Another part, step or language: all of what is visible now."""
        ui = self.ui
        updates: Updates = {
            ui.head: frame.head(journey.section, journey.say),
            ui.lesson: gr.update(visible=journey.section == "lesson"),
            ui.glossary_box: gr.update(visible=journey.section == "glossary"),
            ui.teach: gr.update(visible=journey.section == "teach"),
            ui.timer: gr.Timer(active=False),
            ui.address: address(journey),
        }
        if journey.section == "lesson":
            return updates | self._lesson(journey) | self.shown(journey)
        if journey.section == "glossary":
            updates[ui.glossary] = glossary(journey.language, journey.entry)
        return updates

    def _lesson(self, journey: Journey) -> Updates:
        ui, step = self.ui, journey.step
        journey.seen.add(step.key)
        updates: Updates = {
            ui.join: frame.joining(journey.code, journey.told, journey.say),
            ui.step: _opening(journey, self._evidence(journey)),
            ui.foot: _foot(journey),
        }
        tried = step.scenes if step.key in ("atomic", "square", "hunt") else ()
        for place, (case, box) in enumerate(zip(ui.cases, ui.boxes, strict=True)):
            there = place < len(tried)
            updates[box] = gr.update(visible=there)
            updates[case] = _NOTHING
            if there:
                updates[case] = self._case(journey, place)
        return updates

    def _case(self, journey: Journey, place: int) -> Markup:
        scene, say = journey.step.scenes[place], journey.say
        menus = frame.sentence(scene, journey.words_of(scene), place, say)
        if journey.step.key != "hunt":
            return menus
        return frame.case(scene.key, menus, say)

    def _evidence(self, journey: Journey) -> Markup:
        """What is known before the guess."""
        step, say = journey.step, journey.say
        if step.key == "attribute":
            return shown.quoted(step.scene.text)
        if step.key not in ("guess", "hidden", "broken", "plot"):
            return _NOTHING
        trying = self.actions.judge(step.scene)
        if step.key == "broken":
            judged = trying.judged()
            assert judged is not None
            check = words_of(journey.language, "check")
            changed = shown.mutant(step.scene.text, judged.mutant.splices, check)
            return shown.quoted(step.scene.text, changed)
        return shown.answers(trying, say, revealed=step.key == "hidden")

    def shown(self, journey: Journey) -> Updates:
        """What came of a guess or of the words chosen."""
        ui, step, say = self.ui, journey.step, journey.say
        replied = frame.reply(step, journey.guess, say) if journey.guess else _NOTHING
        updates: Updates = {
            ui.steps: _steps(journey),
            ui.reply: replied,
            ui.result: self._result(journey) if journey.open else _NOTHING,
            ui.after: frame.after(step, say) if journey.open else _NOTHING,
            ui.plot_box: gr.update(visible=False),
        }
        if step.key == "plot" and journey.open:
            trying = self.actions.judge(step.scene)
            judged = trying.judged()
            assert judged is not None
            check = words_of(journey.language, "check")
            updates[ui.plot] = charts.figure(trying.check, judged, trying.model, check)
            updates[ui.plot_box] = gr.update(visible=True)
        hunted = step.scenes if step.key == "hunt" else ()
        for box, scene in zip_longest(ui.verdicts, hunted):
            updates[box] = _NOTHING
            if scene is not None:
                trying = self.actions.judge(scene, journey.words_of(scene))
                if trying.found:
                    journey.found.add(scene.key)
                updates[box] = shown.verdict(trying, say, found=scene.key in journey.found)
        if hunted:  # counted when all were looked at
            updates |= {ui.steps: _steps(journey), ui.result: self._result(journey)}
        return updates

    def _result(self, journey: Journey) -> Markup:
        step, say, actions = journey.step, journey.say, self.actions
        match step.key:
            case "attribute":
                return shown.found_words([actions.plan(scene) for scene in step.scenes], say)
            case "atomic" | "square":
                return shown.cards(actions.judge(step.scene, journey.words_of(step.scene)), say)
            case "guess":
                return shown.answers(actions.judge(step.scene), say, revealed=True, alone=True)
            case "hidden":
                return shown.judgements(actions.judge(step.scene), say)
            case "broken":
                return shown.broken(actions.judge(step.scene), say, actions)
            case "plot":
                return shown.sums(actions.judge(step.scene), say)
            case "hunt":
                return shown.tally(len(journey.found), step, say)
        words = [(word,) for word in step.scene.menus[0].words]
        return shown.swaps([actions.judge(step.scene, word) for word in words], say)


def address(journey: Journey) -> str:
    """The address that opens what is shown."""
    if journey.section == "glossary":
        return query(journey.entry, journey.language)
    if journey.section == "teach":
        lang = "" if journey.language == "en" else f"&lang={journey.language}"
        return f"?teach={journey.key}{lang}"
    return frame.query_of(journey.step, journey.language, journey.code)


def handouts(ui: LearnLayout, journey: Journey) -> Updates:
    """The buttons that download the handout in the language chosen."""
    return {
        button: gr.update(
            label=journey.teach(f"handouts.{kind}"), value=str(path_of(journey.language, kind))
        )
        for kind, button in (("pdf", ui.pdf), ("md", ui.md))
    }


def _steps(journey: Journey) -> Markup:
    return frame.steps(load_lesson(), journey.number, journey.done, journey.say)


def _opening(journey: Journey, evidence: Markup) -> Markup:
    step, say = journey.step, journey.say
    asked = frame.question(step, journey.guess, journey.code, say)
    return frame.opening(step, journey.number, len(load_lesson()), evidence, asked, say)


def _foot(journey: Journey) -> Markup:
    link = frame.query_of(journey.step, journey.language)
    return frame.foot(load_lesson(), journey.number, link, journey.say)
