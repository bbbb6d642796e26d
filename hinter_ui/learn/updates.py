"""From a journey through the lesson to updates of the widgets."""

from itertools import product, zip_longest

import gradio as gr

from hinter_core.annotation.invitation import reach
from hinter_ui.html.glossary import glossary, query
from hinter_ui.html.markup import Markup, join
from hinter_ui.html.square import figure
from hinter_ui.html.wording import DEFAULT
from hinter_ui.learn import html, teachers
from hinter_ui.learn.actions import LessonActions
from hinter_ui.learn.layout import LearnLayout
from hinter_ui.learn.lesson import Journey, Step, query_of
from hinter_ui.shared.events import Updates, visible

_NOTHING = Markup("")


def first_page() -> dict[str, str]:
    """Return the HTML shown before any event; it needs no model."""
    journey = Journey()
    return {
        "head": html.page().head(journey.section),
        "steps": html.page().steps(journey),
        "join": html.page().joining(journey),
        "step": html.page().opening(journey, html.quoted(journey.step.scene.text)),
        "foot": html.page().foot(journey, reach("", local=False)),
    }


class LearnUpdates:
    """Updates of the tab's widgets, by widget."""

    def __init__(self, ui: LearnLayout, actions: LessonActions) -> None:
        self.ui = ui
        self.actions = actions

    def moved(self, journey: Journey) -> Updates:
        """Show another part or step: all that is visible now."""
        ui = self.ui
        updates: Updates = {
            ui.head: html.page().head(journey.section),
            ui.timer: gr.Timer(active=False),
            ui.wait: gr.Timer(active=False),
            ui.address: address(journey),
        }
        boxes = (("lesson", ui.lesson), ("glossary", ui.glossary_box), ("teach", ui.teach))
        updates |= visible({box: journey.section == section for section, box in boxes})
        if journey.section == "lesson":
            return updates | self._lesson(journey) | self.shown(journey)
        if journey.section == "glossary":
            updates[ui.glossary] = glossary(journey.entry)
        return updates

    def _lesson(self, journey: Journey) -> Updates:
        ui, step = self.ui, journey.step
        updates: Updates = {
            ui.join: html.page().joining(journey),
            ui.step: html.page().opening(journey, self.evidence(step)),
            ui.foot: html.page().foot(journey, self.actions.reached(journey)),
        }
        tried = step.scenes if step.key in ("atomic", "square", "hunt") else ()
        for place, (case, box, scene) in enumerate(zip_longest(ui.cases, ui.boxes, tried)):
            updates[box] = gr.update(visible=scene is not None)
            updates[case] = _NOTHING
            if scene is not None:
                menus = html.sentence(scene, journey.words_of(scene), place)
                updates[case] = html.page().case(scene.key, menus) if step.key == "hunt" else menus
        return updates

    def presented(self, step: Step, *, revealed: bool) -> Markup:
        """Write what a class sees under a question, which may name its sentence itself."""
        named = step.key == "attribute"
        return _NOTHING if named else self.evidence(step, revealed=revealed)

    def evidence(self, step: Step, *, revealed: bool = False) -> Markup:
        """Write what is known before the guess; with ``revealed`` the answers in its table, too."""
        if step.key in ("attribute", "grammar", "limits"):
            return html.quoted(step.scene.text)
        if step.key not in ("guess", "hidden", "broken", "plot"):
            return _NOTHING
        trying = self.actions.judge(step.scene)
        if step.key == "broken":
            return html.quoted(step.scene.text, html.mutant(step.scene.text, trying.changed))
        return html.answers(trying, revealed=revealed)

    def shown(self, journey: Journey) -> Updates:
        """Show the result of a guess or of the chosen words."""
        ui, step = self.ui, journey.step
        updates: Updates = {
            ui.steps: html.page().steps(journey),
            ui.reply: html.page().reply(journey),
            ui.wait: gr.Timer(active=journey.waits),
            ui.result: self._result(journey) if journey.open else _NOTHING,
            ui.after: html.page().after(step) if journey.open and journey.tried else _NOTHING,
            ui.plot_box: gr.update(visible=False),
        }
        if step.key == "plot" and journey.open:
            trying = self.actions.judge(step.scene)
            updates[ui.plot] = figure(trying.check, trying.changed, trying.model)
            updates[ui.plot_box] = gr.update(visible=True)
        hunted = step.scenes if step.key == "hunt" else ()
        for box, scene in zip_longest(ui.verdicts, hunted):
            updates[box] = _NOTHING
            if scene is not None:
                trying = self.actions.judge(scene, journey.words_of(scene))
                if trying.found:
                    journey.found.add(scene.key)
                updates[box] = html.verdict(trying, found=scene.key in journey.found)
        if hunted:  # counted after all were judged
            updates |= {ui.steps: html.page().steps(journey), ui.result: self._result(journey)}
        return updates

    def _result(self, journey: Journey) -> Markup:
        step, actions = journey.step, self.actions
        match step.key:
            case "attribute":
                return html.found_words([actions.plan(scene) for scene in step.scenes])
            case "atomic" | "square":
                return html.cards(actions.judge(step.scene, journey.words_of(step.scene)))
            case "guess":
                return html.answers(actions.judge(step.scene), revealed=True, alone=True)
            case "hidden":
                trying = actions.judge(step.scene)
                answers = html.answers(trying, revealed=True, alone=True)
                return join([answers, html.judgements(trying)])
            case "broken":
                return html.broken(actions.judge(step.scene), actions)
            case "plot":
                tried = [actions.judge(scene) for scene in step.scenes]
                return join([html.sums(tried[0]), html.thresholds(tried)])
            case "hunt":
                return html.page().tally(len(journey.found), step)
        words = [(word,) for word in step.scene.menus[0].words]
        tried = [actions.judge(step.scene, word) for word in words]
        if step.grammar:
            return html.by_word(tried, actions.words_of(step))
        people = step.scenes[1]
        combined = product(*(menu.words for menu in people.menus))
        next(combined)  # the original
        return html.swaps(tried, [actions.judge(people, words) for words in combined])


def address(journey: Journey) -> str:
    """Return the address that opens what is shown."""
    if journey.section == "glossary":
        return query(journey.entry)
    if journey.section == "teach":
        language = journey.language
        spoken = "" if language == DEFAULT else f"&lang={language}"
        return f"?teach={spoken}" + (f"#{journey.key}" if journey.key else "")
    return query_of(journey.step, journey.code)


def handouts(ui: LearnLayout, journey: Journey) -> Updates:
    """Update the buttons that download the handout in the language chosen."""
    return {
        button: gr.update(
            label=teachers.say(f"handouts.{kind}"),
            value=str(teachers.path_of(journey.language, kind)),
        )
        for kind, button in (("pdf", ui.pdf), ("md", ui.md))
    }
