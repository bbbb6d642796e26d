"""Single mutants: a filter lets through what the tables hold, a page at a time."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from hinter_core.campaign import reader
from hinter_core.campaign.findings import (
    ONLY_PLACEBO,
    FindingFilter,
    Side,
    count_findings,
    find,
    page_of_findings,
    write_findings,
)
from hinter_core.campaign.store import CampaignStore
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.relations.validity import validity_of
from hinter_core.report.model import make_report
from tests.examples import DEEP

HIDDEN = 'scripted:negative if "white" and "woman"; positive otherwise'
Make = Callable[..., CampaignStore]
PEOPLE = ("black man", "white man", "old black woman", "old Syrian man", "=nurse, the black man")
TEXTS = [f"The {who} had soup on day {n}." for n in range(2) for who in PEOPLE]
ALL = 10**6


@pytest.fixture(scope="module")
def side(make: Make) -> Side:
    store = make(TEXTS, ["race", "gender", "age", "placebo-1"], 2, HIDDEN)
    return Side(store, HIDDEN)


def many(side: Side, wanted: FindingFilter) -> int:
    return sum(held for _, held in count_findings(side, wanted))


@pytest.mark.parametrize("piece", [7, 2**16])
def test_filters_let_through_what_the_report_counts(
    side: Side, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr(reader, "CHUNK", piece)
    (model,) = make_report(side.store).models
    for line in model.lines:
        for verdict, counted in line.verdicts.items():
            assert many(side, FindingFilter((verdict,), line.attributes)) == counted
    real = sum(line.mutants for line in model.lines)
    assert many(side, FindingFilter()) == real
    placebo = sum(line.mutants for line in model.placebo)
    assert many(side, FindingFilter(attributes=ONLY_PLACEBO)) == placebo > 0


@pytest.mark.parametrize("piece", [7, 2**16])
def test_pages_together_are_everything_once(
    side: Side, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr(reader, "CHUNK", piece)
    wanted = FindingFilter(("biased", "hidden", "benign"))
    counted = count_findings(side, wanted)
    whole = page_of_findings(side, wanted, counted, 0, ALL)
    paged = [
        finding
        for start in range(0, len(whole) + 9, 9)
        for finding in page_of_findings(side, wanted, counted, start, 9)
    ]
    assert paged == whole
    assert len({(f.shard, f.place) for f in whole}) == len(whole) == many(side, wanted)
    for finding in whole[:: 1 if DEEP else 5]:
        assert find(side, finding.shard, finding.place) == finding
    for finding in whole:
        judged = "negative" if "white" in finding.mutant and "woman" in finding.mutant else ""
        assert finding.labels == (judged or "positive",)
        assert (finding.labels != finding.original) is (finding.verdict != "benign")


def test_findings_have_a_validity_and_can_be_filtered_by_it(side: Side) -> None:
    every = FindingFilter(("biased", "hidden", "benign", "discarded"))
    whole = page_of_findings(side, every, count_findings(side, every), 0, ALL)
    scores = sorted({finding.validity for finding in whole})
    assert len(scores) > 1
    assert 0 < scores[0] < scores[-1] < 1
    for finding in whole:
        plan = Plan.of_text(finding.text, Settings())
        again = validity_of(plan, finding._made, kept=finding.kept).fair
        assert replace(finding, stored_validity=None).validity == again
        assert finding.soft is not None
        assert finding.unfair is not None
        assert finding.validity + finding.soft + finding.unfair == pytest.approx(1, abs=1e-5)
    least = scores[len(scores) // 2]
    wanted = replace(every, validity=least)
    found = page_of_findings(side, wanted, count_findings(side, wanted), 0, ALL)
    assert found == [finding for finding in whole if finding.validity >= least]
    assert 0 < len(found) < len(whole)


def test_what_is_discarded_says_why(side: Side) -> None:
    wanted = FindingFilter(("discarded",))
    found = page_of_findings(side, wanted, count_findings(side, wanted), 0, ALL)
    assert found
    assert all(finding.labels is None and finding.why for finding in found)


def test_search_finds_words_groups_texts_and_rows(side: Side) -> None:
    def rows(search: str) -> Counter[int]:
        wanted = FindingFilter(search=search)
        found = page_of_findings(side, wanted, count_findings(side, wanted), 0, ALL)
        return Counter(finding.row for finding in found)

    every = rows("")
    assert set(rows("Old BLACK")) == {row for row, text in enumerate(TEXTS, 1) if "old bl" in text}
    assert rows("4") == {4: every[4]}
    assert sum(rows("syrian").values()) < sum(every.values())
    assert set(rows("syrian")) == set(every)  # a group that every text is turned into or from
    assert rows("no such (word") == {}


def test_csv_holds_all_and_runs_nothing(side: Side) -> None:
    stream = io.StringIO()
    written = write_findings(side, FindingFilter(), stream)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue())))
    assert len(rows) == written == many(side, FindingFilter())
    assert Counter(row["verdict"] for row in rows)["hidden"] == many(
        side, FindingFilter(("hidden",))
    )
    assert not [v for row in rows for v in row.values() if v.startswith(("=", "+", "@"))]


def test_there_is_nothing_beyond_the_tables(side: Side) -> None:
    assert find(side, 0, ALL) is None
    assert find(side, 0, -1) is None
    assert find(side, 99, 0) is None
    assert (
        page_of_findings(side, FindingFilter(), count_findings(side, FindingFilter()), ALL, 5) == []
    )
