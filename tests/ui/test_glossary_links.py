"""Where a term first helps a reader, it leads to the glossary."""

from __future__ import annotations

import re

import pytest

from hinter_core.types import Verdict
from hinter_ui.explore import html, table
from hinter_ui.html import glossary, sections, square, trees
from hinter_ui.html.highlight import preview
from hinter_ui.results import html as results
from hinter_ui.shared.services import Services


def entries_in(markup: str) -> list[str]:
    found = re.findall(r'class="gloss" href="\?glossary=([a-z-]+)"', markup)
    assert set(found) <= set(glossary.entries())
    return found


@pytest.fixture(scope="module")
def services() -> Services:
    return Services()


def test_explore_explains_its_terms(services: Services) -> None:
    from hinter_ui.learn.actions import LessonActions
    from hinter_ui.learn.lesson import load_lesson

    desk = LessonActions(services)
    scenes = {scene.key: scene for step in load_lesson() for scene in step.scenes}
    trying, lost = desk.judge(scenes["both"]), desk.judge(scenes["broken"])
    check, judged, broken = trying.check, trying.judged(), lost.judged()
    assert judged is not None
    assert broken is not None
    shown = html.banner(check, judged, trying.model, named=False)
    assert entries_in(shown) == [Verdict.HIDDEN.value]
    assert "<strong><a" in shown
    assert entries_in(square.square(check, judged, trying.model)) == ["interaction"]
    assert entries_in(preview(check.plan)) == ["atomic", "intersectional", "mutant"]
    rows = table.table(check, [trying.model], [0, 1, 2], 0, None)
    assert entries_in(rows) == ["verdict", "shift", "interaction"]
    assert entries_in(trees.trees(check, judged, desk.parses(trying))) == ["kept"]
    assert entries_in(trees.trees(lost.check, broken, desk.parses(lost))) == ["discarded"]


def test_results_explain_figures_and_columns() -> None:
    assert entries_in(results._figure("1 %", "errors", "")) == ["error-rate"]
    assert entries_in(results._figure("1", "excess", "")) == ["excess"]
    assert glossary.head("row <b>", {}) == "row &lt;b&gt;"
    for keys in (results._ENTRIES, sections.ENTRIES, sections.SECTION_ENTRIES):
        assert set(keys.values()) <= set(glossary.entries())
