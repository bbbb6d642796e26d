"""The teacher's page: a plan, handouts, a builder of links, and a class with its chart."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hinter_core.storage import ASSETS
from hinter_ui.html.glossary import linked
from hinter_ui.html.markup import Markup
from hinter_ui.html.notice import copy_button
from hinter_ui.html.pages import macros_of
from hinter_ui.html.square import bar
from hinter_ui.html.wording import Words, capital, languages, name_of
from hinter_ui.learn.classroom import ClassCounts
from hinter_ui.learn.lesson import load_lesson, query_of
from hinter_ui.learn.lesson import say as lesson

say = Words("teach")

HANDOUTS = ASSETS / "handouts"


def _page() -> Any:
    return macros_of(
        "teachers", say=say, lesson=lesson, linked=linked, query_of=query_of, languages=languages,
        copy_button=copy_button, bar=bar,
    )  # fmt: skip


def head() -> Markup:
    """Write the title of the page."""
    return Markup(_page().head())


def plan() -> Markup:
    """Write the lesson plan, each line with a link to its step."""
    return Markup(_page().plan({step.key: step for step in load_lesson()}))


def handouts() -> Markup:
    """Introduce the buttons that download the handout."""
    return Markup(_page().handouts())


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
    return Markup(_page().builder(steps, named, models, chosen))


def made(query: str, told: str = "") -> Markup:
    """Show the link that was made, or why there is none."""
    return Markup(_page().made(query, told))


def invitation() -> Markup:
    """Offer to open a class."""
    return Markup(_page().invitation())


def links(
    seen: ClassCounts, key: str, sure: str = "", told: str = "", *, answers: bool = False
) -> Markup:
    """Show the code and links of a class, and buttons to clear and close it.

    ``sure``: action that awaits confirmation; ``told``: result of the last action; ``answers``:
    whether the chart shows which choice is right.
    """
    student = query_of(load_lesson()[0], seen.code)
    return Markup(_page().links(seen, student, key, sure, told, answers))


def chart(seen: ClassCounts, *, answers: bool = False) -> Markup:
    """Chart the guesses so far; ``answers`` marks the choice that is right."""
    right = {step.key: step.right for step in load_lesson()} if answers else {}
    return Markup(_page().chart(seen, right))


def gone() -> Markup:
    """Say that the class of a link does not exist."""
    return Markup(_page().gone())
