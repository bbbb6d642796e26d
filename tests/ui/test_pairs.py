"""What a scan says it found, where nothing is hidden."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hinter_core.pipeline.case import TestResult
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.explore.pairs import found
from hinter_ui.html.marked import preview
from hinter_ui.shared.access import Access
from hinter_ui.shared.links import ExploreForm
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

FAIR = 'scripted:negative if "unicorn"; positive otherwise'
FORM = ExploreForm(text="The black man was kind.", models=(FAIR,), limit=40)


@pytest.fixture(scope="module")
def actions() -> ExploreActions:
    return ExploreActions(Services(Access(local=True)))


def scanned(actions: ExploreActions, form: ExploreForm) -> TestResult:
    *_, check = actions.scan(Session(), form)
    return check


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (FORM, "No hidden pair: no combination flips"),
        (replace(FORM, order=1), "Each change was tested alone."),
        (replace(FORM, validity=1.0), "No combination was tested: all "),
    ],
)
def test_no_finding_is_no_all_clear_where_nothing_was_tested(
    actions: ExploreActions, form: ExploreForm, said: str
) -> None:
    check = scanned(actions, form)
    shown = str(found(check, [FAIR], FAIR, None))
    assert said in shown
    assert ("No hidden pair" in shown) is (form is FORM)
    check.complete = False
    assert "No hidden pair so far." in str(found(check, [FAIR], FAIR, None))


@pytest.mark.parametrize("order", [1, 2])
def test_no_intersection_is_missed_where_none_is_asked_for(
    actions: ExploreActions, order: int
) -> None:
    form = replace(FORM, text="The waiter was kind.", order=order)
    shown = str(preview(actions.plan(Session(), form)))
    assert ("No intersection to test." in shown) is (order == 2)
