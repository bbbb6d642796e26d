"""The teacher's page: a plan, handouts, a builder of links, and a class with its chart."""

from collections.abc import Sequence
from pathlib import Path

from hinter_core.annotation.invitation import Reached
from hinter_core.storage import ASSETS
from hinter_ui.html.glossary import linked
from hinter_ui.html.markup import Markup, join
from hinter_ui.html.notice import copy_button, qr_code, reached
from hinter_ui.html.pages import Macros, macros_of
from hinter_ui.html.square import bar
from hinter_ui.html.wording import DEFAULT, Words, capital, languages, name_of
from hinter_ui.learn.classroom import ClassCounts
from hinter_ui.learn.lesson import Journey, load_lesson, query_of
from hinter_ui.learn.lesson import say as lesson

say = Words("teach")

HANDOUTS = ASSETS / "handouts"


def page() -> Macros:
    """Return the parts of the teacher's page (``assets/html/teachers.html``)."""
    return macros_of(
        "teachers", say=say, lesson=lesson, linked=linked, query_of=query_of, languages=languages,
        copy_button=copy_button, reached=reached, bar=bar,
    )  # fmt: skip


def plan(*, told: bool) -> Markup:
    """Write the lesson plan, each line with a link to its step, and the answers, folded.

    Without ``told``, as for who sits in a class, there are no answers.
    """
    steps = {step.key: step for step in load_lesson()}
    questions = [step for step in steps.values() if step.choices]
    answers = page().answers(questions, steps["hunt"].scenes) if told else Markup("")
    return join([page().plan(steps), answers])


def path_of(language: str, ending: str) -> Path:
    """Return where a handout is; ``ending`` is ``md`` or ``pdf``."""
    return HANDOUTS / f"hinter-lesson-{language}.{ending}"


def builder(
    attributes: Sequence[str],
    models: Sequence[tuple[str, str]],
    chosen: tuple[tuple[str, ...], tuple[str, ...]],
) -> Markup:
    """Show a form whose link is made as it is filled in; ``chosen`` are attributes and models."""
    steps = {step.key: step for step in load_lesson()}
    named = [(capital(name_of(a)), a) for a in attributes]
    return page().builder(steps, named, models, chosen)


def links(
    seen: ClassCounts,
    key: str,
    sure: str = "",
    told: str = "",
    *,
    there: Reached,
) -> Markup:
    """Show the code and links of a class, and buttons to present, clear and close it.

    ``sure``: action that awaits confirmation; ``told``: result of the last action; ``there``: how
    students reach the app.
    """
    student = there.address + query_of(load_lesson()[0], seen.code)
    first = next(iter(seen.counts))
    return page().links(seen, student, key, sure, told, there, _code(student, there), first)


def _code(student: str, there: Reached, scale: int = 4) -> Markup | None:
    """Draw the link of a class; None where students cannot reach it."""
    reached = there.address and not there.alone
    return qr_code(student, say("class.code_title"), scale) if reached else None


def presenting(
    seen: ClassCounts, journey: Journey, evidence: Markup, message: str = "", *, there: Reached
) -> Markup:
    """Show one question to the class, with the buttons of its teacher.

    ``evidence``: what is known before the guess; ``there``: how students who come late reach it.
    """
    keys = list(seen.counts)
    number = keys.index(journey.present)
    around = ("", *keys, "")[number : number + 3 : 2]
    right = _right(seen).get(journey.present, ())
    language = "" if say.language == DEFAULT else f"&lang={say.language}"
    student = f"{there.address}?class={seen.code}{language}"  # short enough to be typed
    late = page().late(student, _code(student, there, scale=12))
    given = seen, journey, number, len(keys), around, right, evidence, message, late
    return page().presenting(*given)


def chart(seen: ClassCounts, journey: Journey) -> Markup:
    """Chart the guesses so far, of the question that is presented or of all."""
    if journey.present:
        shown = journey.votes or journey.present in seen.revealed
        return page().large(seen, journey.present, _right(seen), shown)
    return page().chart(seen, _right(seen))


def _right(seen: ClassCounts) -> dict[str, tuple[str, ...]]:
    """Return the right choices that the class is shown."""
    return {step.key: step.right for step in load_lesson() if step.key in seen.revealed}
