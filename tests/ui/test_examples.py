"""The example texts of Explore: each shows what it promises."""

from __future__ import annotations

import re

import pytest

from hinter_ui.explore.actions import ExploreActions
from hinter_ui.explore.examples import ExampleText, load_examples
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

EXAMPLES = load_examples()


@pytest.fixture(scope="module")
def actions() -> ExploreActions:
    return ExploreActions(Services())


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.title for e in EXAMPLES])
def test_example_shows_what_it_promises(actions: ExploreActions, example: ExampleText) -> None:
    session = Session()
    check = actions.check(session, example.form)
    verdict = check.outcomes[next(iter(check.outcomes))][-1].verdict.value
    if example.shows:
        assert verdict == example.shows


def test_the_job_application_speaks_of_one_person(actions: ExploreActions) -> None:
    (example,) = (one for one in EXAMPLES if one.title == "Job application")
    mutant = actions.check(Session(), example.form).mutants[-1].text
    assert "saleswoman" in mutant
    assert not {"his", "he", "him"} & set(re.findall(r"\w+", mutant.lower()))


def test_both_models_have_an_example_of_hidden_bias() -> None:
    kinds = {e.form.models[0].partition(":")[0] for e in EXAMPLES if e.shows == "hidden"}
    assert kinds >= {"embedded", "scripted"}


def test_examples_cover_the_domains() -> None:
    assert {e.domain for e in EXAMPLES} >= {"review", "contract", "case", "job ad"}
