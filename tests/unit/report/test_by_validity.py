"""Error rates by validity: each row counts the mutants whose score is at least so high."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow.parquet as parquet

from hinter_core.campaign.findings import FindingFilter, Side
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.counts import LEAST_VALIDITIES
from hinter_core.report.model import make_report
from hinter_core.report.sections import sections
from tests.findings import many

MODEL = 'scripted:negative if "white" and "woman"; positive otherwise'
TEXTS = [
    text.format(color=color, who=who)
    for text in (
        "The {color} guest had soup and thanked a {who}.",
        "The {color} guest had soup and bread and thanked a {who}.",
        "The {color} {who} had soup.",
        "We talked to a {color} {who}.",
        "The {color} {who} had soup and bread. Another {who} and two men laughed at the {who}.",
    )
    for color, who in (("black", "man"), ("white", "man"), ("black", "woman"))
]


def test_rows_count_what_the_findings_hold(make: Callable[..., CampaignStore]) -> None:
    store = make(TEXTS, ["race", "gender"], 2, MODEL)
    (model,) = make_report(store).models
    assert len(model.by_validity) > 2
    assert [one.least for one in model.by_validity] == list(
        LEAST_VALIDITIES[: len(model.by_validity)]
    )
    side = Side(store, MODEL)
    together = tuple(model.lines[-1].attributes)
    assert len(together) == 2
    for one in model.by_validity:
        for verdicts, number in (
            (("hidden", "biased", "benign"), one.errors.of),
            (("hidden", "biased"), one.errors.hits),
            (("hidden",), one.hidden.hits),
        ):
            wanted = FindingFilter(verdicts, together, validity=one.least)
            assert many(side, wanted) == number
    cases = [one.errors.of for one in model.by_validity]
    assert cases == sorted(cases, reverse=True)
    assert cases[-1] < cases[0] == model.intersectional.errors.of
    assert "validity-score" in {section.key for section in sections(make_report(store))}


def test_a_campaign_without_scores_has_no_rows(make: Callable[..., CampaignStore]) -> None:
    store = make(TEXTS[:6], ["race", "gender"], 2, MODEL)
    for shard in store.known():
        path = store.mutants(shard)
        parquet.write_table(parquet.read_table(path).drop_columns("validity"), path)
    report = make_report(store)
    assert report.models[0].by_validity == []
    assert "validity-score" not in {section.key for section in sections(report)}
