"""What a scan says it found, where nothing is hidden."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import first_kept
from hinter_core.types import Grades, Verdict
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.explore.pairs import found, lower_score, pairs
from hinter_ui.html.marked import preview
from hinter_ui.shared.access import Access
from hinter_ui.shared.links import ExploreForm, find_edits, first_offers
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

FAIR = 'scripted:negative if "unicorn"; positive otherwise'
GAME = "The Catholic schoolboys were beaten 3-1 by the girls' team from Ohio."
LETTER = "The 72-year-old woman uses a wheelchair. The young man told her to come back."
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
        (FORM, "No hidden pair: none of the "),
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
    why = "discarded mostly because the validity score is below the minimum."
    assert (why in shown) is (form.validity == 1.0)
    check.complete = False
    assert "No hidden pair so far." in str(found(check, [FAIR], FAIR, None))


def test_the_fairest_are_tested_from_a_lower_score_where_all_are_discarded(
    actions: ExploreActions,
) -> None:
    assert lower_score(scanned(actions, FORM)) is None
    strict = replace(FORM, validity=0.99)
    score = lower_score(scanned(actions, strict))
    assert score is not None
    assert 0.2 < score < 0.99
    lowered = scanned(actions, replace(strict, validity=0.3))
    assert "Many of these are no fair tests" in str(found(lowered, [FAIR], FAIR, None))
    (judged,) = scanned(actions, replace(strict, validity=score)).outcomes.values()
    combined = [one for one in judged if one.mutant.order > 1]
    assert sum(one.verdict is not Verdict.DISCARDED for one in combined) >= 20


def test_no_lower_score_is_offered_where_none_is_worth_a_test(
    actions: ExploreActions, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = scanned(actions, replace(FORM, validity=0.99))
    assert lower_score(check) is not None
    monkeypatch.setattr(Grades, "fair", 0.004)
    assert lower_score(check) is None
    assert "The highest validity score among them is 0.00." in str(found(check, [FAIR], FAIR, None))


def test_a_tested_change_is_shown_before_a_discarded_pair(actions: ExploreActions) -> None:
    session, form = Session(), replace(FORM, text=GAME, attributes=("religion", "gender"))
    *_, check = actions.scan(session, form)
    assert {one.verdict for one in check.outcomes[FAIR] if one.mutant.order > 1} == {
        Verdict.DISCARDED
    }
    actions.show_better(session)
    shown, judged = actions.show(session), actions.judged(session)
    assert shown is not None
    assert judged is not None
    assert judged.verdict is Verdict.BENIGN
    assert "Benign alone; no combination was tested." in str(shown.banner)


def test_the_first_pair_is_one_that_the_invariant_keeps(actions: ExploreActions) -> None:
    form = replace(FORM, text=LETTER, attributes=("gender", "age", "disability"))
    plan = actions.plan(Session(), form)
    parses = actions._services.parses(form.parser)
    assert first_kept(plan, first_offers(plan, ("age", "gender"), 1)[:1], parses) is None
    result = actions.check(Session(), form)
    assert Verdict.DISCARDED not in {one.verdict for one in result.outcomes[FAIR]}


@pytest.mark.parametrize("order", [1, 2])
def test_no_intersection_is_missed_where_none_is_asked_for(
    actions: ExploreActions, order: int
) -> None:
    alone = replace(FORM, attributes=("gender",), order=order)
    shown = str(preview(actions.plan(Session(), alone)))
    assert ("Only gender is chosen." in shown) is (order == 2)
    form = replace(FORM, text="The waiter was kind.", order=order)
    shown = str(preview(actions.plan(Session(), form)))
    assert ("No intersection to test." in shown) is (order == 2)


def test_a_change_of_a_pronoun_names_the_noun_that_changes_with_it(actions: ExploreActions) -> None:
    text = "The old saleswoman fed her baby while her young husband slept."
    form = replace(FORM, text=text, attributes=("gender", "age"))
    plan = actions.plan(Session(), form)
    gender = next(one for one in actions.offered(form, plan) if one.attribute == "gender")
    said = [words for _, words, _ in gender.offered]
    assert any("saleswoman \u2192 salesperson, her \u2192 xyr" in one for one in said)
    assert not any(one.startswith("her \u2192 xyr") for one in said)


def test_replacements_stand_in_groups_each_spelling_once(actions: ExploreActions) -> None:
    form = replace(FORM, text="Ms Walsh, a Samoan woman, left.", attributes=("race", "gender"))
    plan = actions.plan(Session(), form)
    lists = {one.attribute: one for one in actions.offered(form, plan)}
    said = [words for one in lists.values() for _, words, _ in one.offered]
    for alike in ("Ms \u2192 Mr", "Samoan \u2192 M\u0101ori"):
        assert sum(words.replace(".", "").startswith(alike) for words in said) == 1
    page = str(pairs([lists["race"], lists["gender"]], 0))
    assert page.count("<optgroup") == page.count("</optgroup>") > 4
    assert page.count("<option ") == 2 + sum(len(one.offered) for one in lists.values())


@pytest.mark.parametrize("literal", [True, False])
@pytest.mark.parametrize("title", ["Mr", "Mr."])
def test_a_link_means_its_own_spelling_of_a_title_first(
    actions: ExploreActions, literal: bool, title: str
) -> None:
    form = ExploreForm(text="Ms Hale left.", literal=literal)
    (edit,) = find_edits(actions.plan(Session(), form), [f"gender|Ms|{title}|title"])
    # Of a person, "Mr" alone is offered, as the text writes titles without a full stop.
    assert edit.target.text == (title if literal else "Mr")
