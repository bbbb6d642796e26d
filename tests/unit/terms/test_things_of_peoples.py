"""A people's word before a thing: where the food is from, not who sells it."""

from __future__ import annotations

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import Dictionary

THINGS = [
    ("A Thai food vendor and her son were fined.", "Thai"),
    ("She married a French literature professor last June.", "French"),
    ("The Italian restaurant owner called his wife.", "Italian"),
    ("The Russian history teacher smiled at her pupils.", "Russian"),
    ("A Mexican food truck driver waved at us.", "Mexican"),
    ("The Moroccan rug dealer hugged his son.", "Moroccan"),
    ("He was a Chinese restaurant worker from Queens.", "Chinese"),
    ("The Greek salad chef is a woman.", "Greek"),
]
PEOPLE = [
    ("A Thai vendor of food and her son were fined.", "Thai"),
    ("She married a French professor of literature.", "French"),
    ("An Indian cricket fan hugged his daughter.", "Indian"),
    ("A Chinese delivery man was robbed near the bridge.", "Chinese"),
    ("My uncle, a Japanese car salesman, lost his job.", "Japanese"),
]


@pytest.mark.parametrize(("text", "word", "counts"), [
    *((*one, False) for one in THINGS), *((*one, True) for one in PEOPLE),
])  # fmt: skip
def test_a_people_before_a_thing_is_nobody(
    text: str, word: str, counts: bool, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = make_plan(text, [shipped["nationality"]], Settings(order=1), parses)
    assert (word in [one.surface for one in plan.occurrences]) is counts
    reasons = [one.reason for one in plan.rejected]
    assert counts or any("is about the thing" in reason for reason in reasons)


@pytest.mark.parametrize("text", [
    "He is a white wine drinker.", "She is a black cab driver and a mother.",
    "The white van man shouted.",
])  # fmt: skip
def test_a_colour_of_wine_and_cabs_is_nobody_s(
    text: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = make_plan(text, [shipped["race"]], Settings(order=1), parses)
    assert not plan.occurrences
