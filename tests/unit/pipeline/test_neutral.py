"""Neutral swaps of one text: how many flip it, at the order of the test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hinter_core.pipeline.neutral import SWAPS, neutral_flips
from hinter_core.relations.base import NeutralFlips
from hinter_core.terms.dictionary import Dictionary
from tests.conftest import MakePipeline

TEXT = "The film was long. On Monday the black man left after breakfast."
EVEN = "scripted:positive 0.9 otherwise"


Flips = Callable[..., NeutralFlips]


@pytest.fixture
def flips(make_pipeline: MakePipeline, race: Dictionary, gender: Dictionary) -> Flips:
    def count(rules: str, text: str, order: int = 2, swaps: int = SWAPS) -> NeutralFlips:
        pipeline = make_pipeline([race, gender], rules)
        (found,) = neutral_flips(pipeline, pipeline.plan(text), order, swaps).values()
        return found

    return count


@pytest.mark.parametrize("order", [1, 2])
def test_an_even_model_never_flips(flips: Flips, order: int) -> None:
    found = flips(EVEN, TEXT, order)
    assert (found.order, found.flips) == (order, 0)
    assert 5 < found.answered <= SWAPS


def test_a_brittle_model_flips_on_what_says_nothing(flips: Flips) -> None:
    """It knows the film by its name: whatever else the film becomes flips the answer."""
    brittle = 'scripted:positive 0.9 if "film" and "Monday"; negative 0.9 otherwise'
    found = flips(brittle, TEXT, 1)
    assert 0 < found.flips < found.answered <= SWAPS
    assert flips(brittle, TEXT, 1) == found  # seeded


def test_people_are_not_swapped(flips: Flips) -> None:
    biased = "scripted:positive 0.9 if race=black; negative 0.9 otherwise"
    assert flips(biased, TEXT).flips == 0


def test_a_text_with_fewer_neutral_words_exchanges_fewer(flips: Flips) -> None:
    found = flips(EVEN, "On Monday the black man left.", 2)
    assert found.order == 1
    assert 0 < found.answered <= SWAPS
    assert flips(EVEN, TEXT, 2, 3).answered == 3


def test_a_text_without_neutral_words_is_told(flips: Flips) -> None:
    assert flips(EVEN, "The black man left.") == NeutralFlips(0)


def test_names_are_swapped_where_a_text_has_no_neutral_word(
    make_pipeline: MakePipeline, race: Dictionary, gender: Dictionary
) -> None:
    for rules, flips in (
        (EVEN, 0),
        ('scripted:positive 0.9 if "Kwame"; negative 0.9 otherwise', 6),
    ):
        pipeline = make_pipeline([race, gender], rules, origin_names=True)
        plan = pipeline.plan("Kwame met her.")
        (found,) = neutral_flips(pipeline, plan, 2, 6).values()
        assert (found.order, found.answered, found.flips) == (1, 6, flips)
