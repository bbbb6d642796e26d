"""Whom nouns and pronouns mean that coreference joined with nobody."""

from __future__ import annotations

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import Dictionary


@pytest.mark.parametrize(
    ("text", "expected", "never"),
    [
        ("ur boyfriend is bad, dump that man", "ur girlfriend is bad, dump that woman", "man"),
        ("My son left. That man is slow.", "My daughter left. That woman is slow.", "That man"),
        ("A woman saw another woman.", "A man saw another man.", "woman"),
        ("My son left. Another man paid.", "My daughter left. Another man paid.", "woman"),
        ("Ann Lee, two kids, lives here.", "Ann Lee, two boys, lives here.", "Alan"),
        # Whom the sentence before is about.
        (
            "An old waitress was fired. The cook said that she stole.",
            "An old waiter was fired. The cook said that he stole.",
            "she",
        ),
        (
            "My mum called. Her boss says she snores.",
            "My dad called. His boss says he snores.",
            "she",
        ),
        # A label of a form.
        ("Applicant: male, 34. He smokes.", "Applicant: female, 34. She smokes.", "He"),
        ("Tenant: female, 23. She sings.", "Tenant: male, 23. He sings.", "She"),
        # Who is spoken to.
        (
            'A kind boy got up. "Thank you, young man," I said.',
            'A kind girl got up. "Thank you, young woman," I said.',
            "man",
        ),
        (
            '"You are a bad girl," he said to his daughter.',
            '"You are a bad boy," he said to his son.',
            "daughter",
        ),
    ],
)
def test_that_man_is_who_was_named_and_another_is_one_more(
    text: str, expected: str, never: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = make_plan(text, [shipped["gender"]], Settings(order=1), parses)
    made = [plan.mutant((e,)).text for e in plan.edits["gender"]]
    assert expected in made
    first = expected.split()[1]
    assert not any(never in one.split(" ") for one in made if one.split()[1] == first)


def test_who_speaks_is_not_whom_they_call(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    text = 'My uncle smiled. "Sorry, sir," he told a stranger.'
    plan = make_plan(text, [shipped["gender"]], Settings(order=1), parses)
    made = {plan.mutant((e,)).text for e in plan.edits["gender"]}
    assert 'My aunt smiled. "Sorry, sir," she told a stranger.' in made


def test_a_man_who_may_be_named_before_does_not_change_alone(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = make_plan("My brother knew that man.", [shipped["gender"]], Settings(order=1), parses)
    reasons = {r.reason for r in plan.refused}
    assert "the text also says \u201cman\u201d, perhaps of the same person" in reasons
