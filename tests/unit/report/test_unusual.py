"""Which settings a report names: those that took effect and are not the default."""

from __future__ import annotations

import pytest

from hinter_core.campaign.spec import Campaign
from hinter_core.report.mutants.unusual import unusual

PUBLISHED = ["published invariant", "no least validity score", "soft mutants kept"]
APART = "changes of different people combine"


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"data": "sample", "seed": 3, "limit": 5, "parser": "other"}, []),
        (
            {"data": "sample", "literal": True},
            ["literal mode, every occurrence of a term", APART, *PUBLISHED],
        ),
        ({"data": "sample", "invariant": "published"}, PUBLISHED),
        ({"data": "sample", "invariant": "published", "validity": 0.5},
         ["published invariant", "least validity score 0.5", "soft mutants kept"]),
        ({"data": "sample", "coherent": False, "origin_names": True},
         ["one word about a person changed alone"]),
        ({"data": "sample", "relations": ("MR1", "substitute"), "placebo": False},
         ["metamorphic relations remove-one, substitute", "no placebo mutants"]),
        ({"mutants": "a/b.csv", "literal": True, "validity": 0.2}, ["published invariant"]),
        ({"grammar": "a.yaml", "literal": True, "weights": "a/w.json"},
         [*PUBLISHED, "weights from the file w.json"]),
    ],
)  # fmt: skip
def test_a_setting_is_named_if_it_decided_something(
    settings: dict[str, object], named: list[str]
) -> None:
    campaign = Campaign(**settings)  # type: ignore[arg-type]
    assert list(unusual(campaign)) == named
    applied = campaign.applied
    assert applied.applied == applied
    assert (applied.published, applied.least_fair) == (campaign.published, applied.validity)
