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
    ORDERS,
    FindingFilter,
    Side,
    find,
    findings_of,
    group_findings,
    page_of_findings,
    write_findings,
)
from hinter_core.campaign.parquet import StoreError
from hinter_core.campaign.store import CampaignStore
from hinter_core.files.memory import MEMORY
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.relations.validity import validity_of
from hinter_core.report.model import make_report
from tests.examples import DEEP
from tests.findings import many, matching

HIDDEN = 'scripted:negative if "white" and "woman"; positive otherwise'
Make = Callable[..., CampaignStore]
PEOPLE = ("black man", "white man", "old black woman", "old Syrian man", "=nurse, the black man")
TEXTS = [f"The {who} had soup on day {n}." for n in range(2) for who in PEOPLE]
ALL = 10**6


@pytest.fixture(scope="module")
def side(make: Make) -> Side:
    store = make(TEXTS, ["race", "gender", "age", "placebo-1"], 2, HIDDEN)
    return Side(store, HIDDEN)


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
    monkeypatch.setattr(reader, "_FEW", piece)
    monkeypatch.setattr(reader, "_TOGETHER", min(piece, 2))
    wanted = FindingFilter(("biased", "hidden", "benign"))
    whole = matching(side, wanted)
    pages = [group_findings(side, wanted, start=start, limit=10) for start in range(0, 60, 10)]
    assert len({tuple(numbers) for groups, *numbers in pages if groups}) == 1
    flat = [page_of_findings(side, wanted, start, 25) for start in range(0, len(whole) + 25, 25)]
    assert [one for page, _ in flat for one in page] == whole
    assert {total for _, total in flat} == {len(whole)}
    groups = [group for page, *_ in pages for group in page]
    assert len(groups) == pages[0][1]
    paged = [one for own in findings_of(side, groups, ALL) for one in own]
    assert sorted(paged, key=lambda one: (one.shard, one.place)) == whole
    for group, own in zip(groups, findings_of(side, groups, 3), strict=True):
        of_group = [
            one for one in whole if (one.row, one.attributes) == (group.row, group.attributes)
        ]
        verdicts = Counter(one.verdict for one in of_group)
        numbers = (len(of_group), verdicts["hidden"], verdicts["biased"])
        assert (group.mutants, group.hidden, group.biased) == numbers
        hidden = min(3, group.hidden)
        assert [one.verdict for one in own][:hidden] == ["hidden"] * hidden
    assert len({(f.shard, f.place) for f in whole}) == len(whole) == many(side, wanted)
    assert [group.hidden for group in groups] == sorted((g.hidden for g in groups), reverse=True)
    for finding in whole[:: 1 if DEEP else 5]:
        assert find(side, finding.shard, finding.place) == finding
    for finding in whole:
        judged = "negative" if "white" in finding.mutant and "woman" in finding.mutant else ""
        assert finding.labels == (judged or "positive",)
        assert (finding.labels != finding.original) is (finding.verdict != "benign")


def test_findings_have_a_validity_and_can_be_filtered_by_it(side: Side) -> None:
    every = FindingFilter(("biased", "hidden", "benign", "discarded"))
    whole = matching(side, every)
    scores = sorted({finding.validity for finding in whole})
    assert len(scores) > 1
    assert 0 < scores[0] < scores[-1] < 1
    for finding in whole:
        plan = Plan.of_text(finding.text, Settings())
        again = validity_of(plan, finding.made, kept=finding.kept).fair
        assert replace(finding, stored_validity=None).validity == again
        assert finding.soft is not None
        assert finding.unfair is not None
        assert finding.validity + finding.soft + finding.unfair == pytest.approx(1, abs=1e-5)
    least = scores[len(scores) // 2]
    wanted = replace(every, validity=least)
    found = matching(side, wanted)
    assert found == [finding for finding in whole if finding.validity >= least]
    assert 0 < len(found) < len(whole)


def test_what_is_discarded_says_why(side: Side) -> None:
    wanted = FindingFilter(("discarded",))
    found = matching(side, wanted)
    assert found
    assert all(finding.labels is None and finding.why for finding in found)


def test_search_finds_words_groups_texts_and_rows(side: Side) -> None:
    def rows(search: str) -> Counter[int]:
        wanted = FindingFilter(search=search)
        found = matching(side, wanted)
        return Counter(finding.row for finding in found)

    every = rows("")
    assert set(rows("Old BLACK")) == {row for row, text in enumerate(TEXTS, 1) if "old bl" in text}
    assert rows("4") == rows("row 4") == rows("Zeile 4") == {4: every[4]}
    assert rows("old-black") == rows("Old black")
    assert set(rows("s\u00fdr-ian")) == set(every)  # the spellings of a changed word are one
    assert rows("- .") == {}
    assert sum(rows("syrian").values()) < sum(every.values())
    assert set(rows("syrian")) == set(every)  # a group that every text is turned into or from
    assert rows("no such (word") == {}


def test_csv_holds_all_and_runs_nothing(side: Side) -> None:
    stream = io.StringIO()
    write_findings(side, FindingFilter(), stream)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue())))
    assert len(rows) == many(side, FindingFilter())
    assert Counter(row["verdict"] for row in rows)["hidden"] == many(
        side, FindingFilter(("hidden",))
    )
    assert not [v for row in rows for v in row.values() if v.startswith(("=", "+", "@"))]


def test_there_is_nothing_beyond_the_tables(side: Side) -> None:
    assert find(side, 0, ALL) is None
    assert find(side, 0, -1) is None
    assert find(side, 99, 0) is None
    assert group_findings(side, FindingFilter(), start=ALL) == ([], 0, 0)
    assert group_findings(side, FindingFilter(search="no such (word")) == ([], 0, 0)


def test_groups_are_sorted_as_asked(side: Side) -> None:
    wanted = FindingFilter(("biased", "hidden", "benign", "discarded"))
    validities: dict[tuple[int, tuple[str, ...]], list[float]] = {}
    for one in matching(side, wanted):
        validities.setdefault((one.row, one.attributes), []).append(one.validity)
    least = {
        (one.row, one.attributes): min(validities[one.row, one.attributes])
        for one in group_findings(side, wanted, limit=ALL)[0]
    }
    keys = {
        "hidden": lambda g: (-g.hidden, -g.biased),
        "flips": lambda g: -(g.hidden + g.biased),
        "validity": lambda g: least[g.row, g.attributes],
        "row": lambda g: g.row,
    }
    assert set(keys) == set(ORDERS)
    for order, key in keys.items():
        groups, number, _ = group_findings(side, wanted, order, limit=ALL)
        found = list(map(key, groups))
        assert found == sorted(found)
        assert number == len(groups) == len(least)


def test_the_answers_of_many_models_take_little_memory(make: Make) -> None:
    models = [f'scripted:negative if "{n}"; positive otherwise' for n in range(40)]
    store = make(TEXTS[:1], ["race", "gender"], 2, *models)
    with reader.CampaignReader(store) as opened:
        found = list(opened.records())
        assert [list(one.answers) for one in found] == [models] * len(found)
        (one,) = opened.at([(0, 1)], models[7:8])
        assert one.answers == {models[7]: found[1].answers[models[7]]}
        opened.connection.execute("SET memory_limit = '200 KB'")
        try:
            with pytest.raises(StoreError, match=r"Read fewer models or attributes at a time"):
                list(opened.records())
        finally:
            opened.connection.execute(f"SET memory_limit = '{MEMORY}'")
