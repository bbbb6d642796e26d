"""Words that are half of a longer name: jobs, peoples, faiths with an article."""

from __future__ import annotations

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import GrammaticalForm


@pytest.mark.parametrize(
    ("text", "attribute", "whole"),
    [
        ("She had been a trapeze artist before the fall.", "occupation", "trapeze artist"),
        ("A paediatric nurse held his hand.", "occupation", "paediatric nurse"),
        ("The site manager came out.", "occupation", "site manager"),
        ("My landlord is a Greek Cypriot fellow.", "nationality", "greek cypriot"),
    ],
)
def test_half_of_a_name_does_not_change(
    text: str, attribute: str, whole: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = make_plan(text, [shipped[attribute]], Settings(order=1), parses)
    assert list(plan.occurrences) == []
    assert whole in plan.rejected[0].reason


@pytest.mark.parametrize(
    ("text", "attribute", "surface", "form"),
    [
        ("A student nurse held his hand.", "occupation", "nurse", GrammaticalForm.NOUN_SG),
        ("The nurse held his hand.", "occupation", "nurse", GrammaticalForm.NOUN_SG),
        ('"Late," said the old Cuban, not looking up.', "nationality", "Cuban",
         GrammaticalForm.NOUN_SG),
        ("The old Cuban waiter did not look up.", "nationality", "Cuban",
         GrammaticalForm.ADJECTIVE),
        ("My boss is a Mormon, late forties, and never loud.", "religion", "Mormon",
         GrammaticalForm.NOUN_SG),
        ("Is it fair that the only Christian in the office gets that shift?", "religion",
         "Christian", GrammaticalForm.NOUN_SG),
        ("He is the only Muslim doctor here.", "religion", "Muslim", GrammaticalForm.ADJECTIVE),
        ("The midwife is a born-again Christian and chatty.", "religion", "born-again Christian",
         GrammaticalForm.NOUN_SG),
    ],
)  # fmt: skip
def test_an_article_without_a_noun_behind_makes_a_noun(
    text: str,
    attribute: str,
    surface: str,
    form: GrammaticalForm,
    shipped: dict[str, Dictionary],
    parses: ParseStore,
) -> None:
    plan = make_plan(text, [shipped[attribute]], Settings(order=1), parses)
    (found,) = plan.occurrences
    assert (found.surface, {term.form for term in found.terms}) == (surface, {form})
