"""Templates of pages escape what they are given exactly once, as tags do."""

from __future__ import annotations

import pytest

from hinter_core.annotation.invitation import Reached
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.types import Project
from hinter_ui.annotate import annotator
from hinter_ui.annotate import html as owner
from hinter_ui.html.markup import Markup, escape, tag
from hinter_ui.html.pages import macros_of
from hinter_ui.learn import html as lesson
from hinter_ui.learn import teachers
from hinter_ui.learn.classroom import ClassCounts
from hinter_ui.learn.lesson import Journey
from hinter_ui.shared.library import Listed

HOSTILE = '<img src=x onerror="a()"> {$title} `b` &amp;'


def pages() -> dict[str, Markup]:
    _, questions = default_questions("en", (HOSTILE, "positive"))
    said = dict.fromkeys(("instructions", "opening", "consent", "contact", "note"), HOSTILE)
    project = Project(HOSTILE, questions, **said)
    none: frozenset[str] = frozenset()
    seen = ClassCounts(HOSTILE, False, 1, {"guess": {}}, {"guess": {}}, none, none)
    there = Reached(HOSTILE, network=True, alone=False)
    presented = Journey(present="guess", key=HOSTILE)
    return {
        "join": annotator.page().join_form(project, HOSTILE),
        "screen": annotator.screen(project, HOSTILE),
        "problem": annotator.page().problem(HOSTILE),
        "listed": owner.page().listed([Listed("a", HOSTILE, True, "2024-05-01", 3, 4)]),
        "head": owner.head(project, 1, HOSTILE),
        "editor": owner.editor("a", "b", project),
        "removed": owner.page().just_removed(HOSTILE),
        "builder": teachers.builder((HOSTILE,), [(HOSTILE, HOSTILE)], ((HOSTILE,), ())),
        "made": teachers.page().made("?text=a", HOSTILE, there),
        "class": teachers.links(seen, "key", told=HOSTILE, there=there),
        "present": teachers.presenting(seen, presented, Markup(""), HOSTILE, there=there),
        "joined": lesson.page().joining(Journey(code=HOSTILE, told=HOSTILE)),
    }


@pytest.mark.parametrize("name", pages())
def test_a_page_shows_hostile_words_as_they_are(name: str) -> None:
    page = pages()[name]
    assert "<img" not in page
    assert "{$" not in page
    assert str(escape(HOSTILE)) in page
    assert "&amp;lt;" not in page


def test_what_is_html_already_stays_in_a_template_and_out_of_it() -> None:
    evidence = tag("b", HOSTILE)
    page = lesson.page().opening(Journey(), evidence)
    assert evidence in page
    macro = macros_of("teachers", **{name: getattr(teachers, name) for name in ("say", "lesson")})
    assert tag("div", macro.head()) == f"<div>{macro.head()}</div>"
