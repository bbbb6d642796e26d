"""Languages: a people's word that says how well somebody speaks."""

from __future__ import annotations

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import Dictionary


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Poor English, asylum seeker.", False),
        ("Good Danish; needs an interpreter.", False),
        ("She met a good Russian.", True),
        ("The Danish clerk spoke.", True),
    ],
)
def test_how_well_somebody_speaks_is_no_people(
    text: str, found: bool, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = make_plan(text, [shipped["nationality"]], Settings(), parses)
    assert bool(plan.occurrences) is found, [r.in_words for r in plan.rejected]
