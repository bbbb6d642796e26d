"""Standards of law, and people who are reasonable."""

from __future__ import annotations

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import choose, load_shipped


@pytest.mark.parametrize(
    ("text", "standard"),
    [
        ("A reasonable man in the position of the driver would have stopped.", "reasonable man"),
        ("The test is what the ordinary man would do.", "ordinary man"),
        ("The average woman would not buy it.", "average woman"),
        ("A reasonable and prudent woman would have seen it.", "reasonable woman"),
        ("Right-thinking men would shun the company.", "right-thinking men"),
        ("It was a straw man.", "straw man"),
        ("The deed binds the buyer and the heirs and assigns of each.", "heirs and assigns"),
        ("My father, a reasonable man, agreed.", ""),
        ("He is a reasonable man.", ""),
        ("An ordinary man walked in.", ""),
        ("The heirs sold the house.", ""),
    ],
)
def test_a_standard_is_nobody(text: str, standard: str, parses: ParseStore) -> None:
    plan = make_plan(text, choose(["gender"], load_shipped()), Settings(1), parses)
    assert any(standard and f"\u201c{standard}\u201d" in r.reason for r in plan.rejected) == bool(
        standard
    )
    assert bool(plan.edits.get("gender")) != bool(standard)
