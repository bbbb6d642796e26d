"""The first view of a report, and its charts: every number is the report's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html import escape
from math import exp
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import hinter_core as hinter
from hinter_core.campaign.progress import Reason
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.counts import (
    NO_PART_ERRS,
    NO_WHOLE,
    NO_WHOLE_ERRS,
    PART_ERRS,
    PART_UNKNOWN,
    WHOLE_ERRS,
)
from hinter_core.report.figures import (
    FEW,
    bars,
    curves,
    error_pies,
    flow,
    heat_maps,
    kept_pies,
    plot,
)
from hinter_core.report.gate import GateOn, GateOutcome, gate
from hinter_core.report.metrics.excess import FEWEST_PLACEBO, PlaceboExcess
from hinter_core.report.metrics.groups import GroupRate
from hinter_core.report.metrics.lattice import Pie
from hinter_core.report.metrics.unanswered import Repetitions
from hinter_core.report.model import ModelReport, Report, make_report
from hinter_core.report.mutants.coverage import coverage_section
from hinter_core.report.page.html import marked, to_html
from hinter_core.report.page.opening import opening
from hinter_core.report.section import joined
from hinter_core.report.sections import sections
from hinter_core.statistics.format import percent
from hinter_core.statistics.rates import Difference, Rate
from hinter_core.types import Verdict

HIDDEN = 'scripted:negative if "white" and "woman"; positive otherwise'
NEVER = 'scripted:negative if "unicorn"; positive otherwise'
TEXTS = [
    "The black man was kind.",
    "The black man and the short white boy were kind to the black man.",
    "The short white man was kind.",
]


@pytest.fixture(scope="module")
def report(make: Callable[..., CampaignStore]) -> Report:
    return make_report(make(TEXTS, ["race", "gender"], 2, HIDDEN, NEVER))


def with_excess(report: Report, low: float | None, high: float, cases: int) -> Report:
    excess = PlaceboExcess(
        "order 2", (), 2, Rate(30, 200, 0.1, 0.2), Rate(5, cases), Difference(0.1, low, high, 0.01)
    )
    return replace(report, models=[report.models[0].with_metrics(excess=[excess])])


@pytest.mark.parametrize(
    ("low", "high", "cases", "outcome", "stopped"),
    [
        (0.06, 0.2, 100, GateOutcome.FAIL, True),
        (0.05, 0.2, 100, GateOutcome.FEW, False),
        (-0.3, 0.2, 100, GateOutcome.FEW, False),
        (-0.3, 0.05, 100, GateOutcome.PASS, False),
        (-0.3, -0.1, 100, GateOutcome.PASS, False),
        (0.06, 0.2, 99, GateOutcome.FEW, True),
        (None, 0.2, 100, GateOutcome.FEW, True),
    ],
)
def test_the_page_decides_and_says_where_a_gate_lets_pass(
    report: Report,
    low: float | None,
    high: float,
    cases: int,
    outcome: GateOutcome,
    stopped: bool,
) -> None:
    one = with_excess(report, low, high, cases)
    told = opening(one, 0.05)
    (card,) = told.cards
    assert card.key == outcome.name.lower()
    assert bool(gate(one, 0.05)) is stopped
    rates = [Rate(30, 200, 0.1, 0.2), Rate(5, cases)]
    if cases < FEWEST_PLACEBO:  # too few to compare with: the rate over all texts
        rates = [one.models[0].intersectional.errors]
    assert [bar["rate"] for bar in card.bars] == rates
    assert card.limit == "+5"
    unsure = any("neither shown nor ruled out" in words for words in told.caveats)
    assert unsure is (outcome is GateOutcome.FEW and not stopped)


def test_examples_are_of_the_model_with_the_best_evidence(report: Report) -> None:
    model = report.models[0]
    found = GroupRate(
        ("gender", "race"), ("female", "black"), Rate(9, 10, 0.6, 1.0), 20, 0.1, True, 1e-9
    )
    proven = replace(model, model="proven").with_metrics(groups=[found])
    many = {**model.intersectional.verdicts, Verdict.HIDDEN.value: 169}
    noisy = replace(
        model, model="noisy", intersectional=replace(model.intersectional, verdicts=many)
    ).with_metrics(groups=[])
    assert opening(replace(report, models=[noisy, proven])).model == "proven"
    assert opening(replace(report, models=[model, noisy])).model == "noisy"


def test_a_model_that_contradicts_itself_is_told_beside_the_rates(report: Report) -> None:
    said = {}
    for differing in (0, 9):
        again = Repetitions(23, differing and 5, 69, differing)
        model = report.models[0].with_metrics(repetitions=again)
        said[differing] = " ".join(opening(replace(report, models=[model])).caveats)
    assert "9 of 69 further answers to the same texts differ from the first one (13.0" in said[9]
    assert "same texts differ" not in said[0]


def test_what_a_campaign_hardly_tests_is_said_before_one_relies_on_it(report: Report) -> None:
    def said(words: str, **settings: Any) -> bool:
        campaign = replace(report.campaign, **settings)
        groups = [
            GroupRate(("gender", "race"), (gender, "black"), Rate(0, of), 20, 0.0, False, 1.0)
            for gender, of in (("trans", 90), ("female", 20), ("male", 10))
        ]
        models = [report.models[0].with_metrics(groups=groups)]
        told = opening(replace(report, campaign=campaign, models=models)).caveats
        return any(one.startswith(words) for one in told)

    most = "90 of 120 cases of gender \u00d7 race are changes to trans, so their rates say little"
    assert said(most, limit=None)
    assert not said(most, limit=40)
    three = ("race", "gender", "age")
    deep = "At most 2 attributes were changed at once. A bias that only 3 together show needs order"
    assert said(deep, attributes=three, order=2)
    assert not said(deep, attributes=three, order=3)
    assert not said(deep, attributes=three[:2], order=2)


def test_a_campaign_without_a_case_says_so(make: Callable[..., CampaignStore]) -> None:
    nothing = make_report(make(["The soup was warm."], ["race", "gender"], 2, HIDDEN))
    assert opening(nothing).hidden.endswith("so nothing is known of hidden bias.")


def test_an_interval_over_the_whole_range_is_no_excess(report: Report) -> None:
    for low, said in ((-1.0, True), (-0.99, False), (None, True)):  # one text has no interval
        one = with_excess(report, low, 1.0, 100)
        (section,) = (s for s in sections(one) if s.key == "excess")
        assert ("too few cases" in section.cells[0]) is said
        assert ("not known, as there are too few cases" in section.in_words[0]) is said
    assert opening(with_excess(report, None, 1.0, 100)).cards[0].difference == ""


def test_coverage_says_why_there_is_no_dictionary() -> None:
    for values, why in (
        ({"grammar": "hiring.yaml"}, "come from their slots."),
        ({"mutants": "mutants.csv"}, "handwritten mutants use none."),
        ({"data": "texts.csv"}, "when it is resumed."),
    ):
        assert coverage_section(Campaign(**values), []).sentences[0].endswith(why)


def test_a_limit_decides_and_stands_in_the_command(report: Report) -> None:
    one = with_excess(report, 0.06, 0.2, 100)
    heads = [opening(one, limit).cards[0].head for limit in (0.0, 0.05, 0.1, 0.2)]
    assert heads == ["Fail", "Fail", "Too few to say", "Pass"]
    assert opening(one, 0.1, "my folder").command == "hinter report 'my folder' --fail-over 0.1"


def test_the_plain_rate_decides_where_the_gate_is_on_it(report: Report) -> None:
    one = with_excess(report, 0.06, 0.2, 100)
    share = one.models[0].intersectional.errors.low or 0.0
    for limit in (share / 2, (share + 1) / 2):
        told = opening(one, limit, on=GateOn.RATE)
        passes = not gate(one, limit, GateOn.RATE)
        assert (told.cards[0].key == "pass") is passes is (limit > share)
        assert told.command.endswith(f"--fail-over {limit:g} --gate-on rate")
        assert "intersectional error rate" in told.method[-1]
        assert told.command in to_html(one, limit=limit, on=GateOn.RATE)


@pytest.mark.parametrize("cases", [30, 200])
def test_placebo_cases_are_asked_for_only_where_they_are_too_few(
    report: Report, cases: int
) -> None:
    one = with_excess(report, None, 0.2, cases)
    (excess,) = one.models[0].excess
    unknown = replace(excess, difference=Difference(0.1, None, None, None))
    told = opening(replace(one, models=[one.models[0].with_metrics(excess=[unknown])]))
    assert told.cards[0].key == "few"
    asked = [words for words in told.caveats if "that are needed" in words]
    assert bool(asked) is (cases < FEWEST_PLACEBO)


@pytest.mark.parametrize(("asked", "sampled"), [(2, True), (3, True), (20, False), (None, False)])
def test_all_texts_are_no_sample(report: Report, asked: int | None, sampled: bool) -> None:
    one = replace(report, campaign=replace(report.campaign, sample=asked))
    assert ("The texts are a sample of 3." in opening(one).caveats) is sampled
    overview = " ".join(sections(one)[0].sentences)
    assert (f"a sample of {asked} texts" in overview) is sampled
    if asked == 3:  # where the rows of the data were counted, as runs do
        assert not replace(one, rows=3).sampled
        assert replace(one, rows=4).sampled
    assert ("all texts" in overview) is not sampled


def test_examples_are_the_clusters_with_most_hidden_mutants(report: Report) -> None:
    model = report.models[0]
    told = opening(report)
    assert told.model == HIDDEN
    numbers = [one["alike"] for one in model.examples]
    assert sum(numbers) == model.intersectional.verdicts["hidden"]
    texts, (first, *_) = model.intersectional.hidden_sources, opening(report).cards
    assert texts
    hidden = f"; {sum(numbers):,} of these hidden, in {texts.hits} ({percent(texts)})."
    assert hidden in first.words[0]  # before why nothing is decided
    assert "From answer to answer: positive \u2192 negative" in " ".join(first.words)
    assert first.head == f"Not decided: {sum(numbers):,} hidden"
    # Without a hidden one, the head says what is known.
    none = replace(model.intersectional, verdicts={**model.intersectional.verdicts, "hidden": 0})
    cards = opening(replace(report, models=[replace(model, intersectional=none)])).cards
    share = percent(none.errors).partition(" [")[0]
    assert cards[0].head == f"Not decided: {share} changed"
    never = opening(report).cards[1]
    assert never.head == "No answer changed"
    assert "No answer changed, so there is nothing to decide." in never.words
    assert not any("placebo" in words for words in never.words)
    none_changed = replace(report, models=report.models[1:])
    unsure = with_excess(none_changed, -0.1, 0.1, 500)  # many placebo cases say no less
    assert opening(unsure).cards[0].head == "Too few to say"  # of them, 5 changed
    (excess,) = unsure.models[0].excess
    still = unsure.models[0].with_metrics(excess=[replace(excess, placebo=Rate(0, 500))])
    assert opening(replace(unsure, models=[still])).cards[0].head == never.head
    high = report.models[1].intersectional.errors.high or 0  # of the rate, not of few placebo cases
    assert any(f"the interval reaches {100 * high:+.1f}." in words for words in told.caveats)
    assert len({(one["row"], tuple(one["attributes"])) for one in model.examples}) == len(numbers)
    alone = [one["alike"] for one in model.examples if not one["across_people"]]
    assert numbers[: len(alone)] == sorted(alone, reverse=True)
    assert list(told.clusters) == model.examples[:3]
    several = replace(report, models=[model, replace(model, model="other")])
    page = to_html(several)
    assert '<h2>Examples <span class="quiet">' in page
    assert '<a href="#examples-2">other</a>.' in page
    assert 'id="examples-2"' in page
    for one in model.examples:
        pieces = marked(one)
        assert "".join(text for kind, text in pieces if kind in ("", "del")) == one["text"]


@pytest.mark.parametrize(("added", "more"), [("Kenyan", "Turkish"), ("Turkish", "Kenyan")])
def test_an_example_is_more_than_the_sum_where_there_is_one(
    tmp_path: Path, added: str, more: str
) -> None:
    def model(texts: list[str]) -> list[dict[str, float]]:
        odds = [
            -1.5 + (" woman " in text) + (added in text) + 2 * (more in text and " woman " in text)
            for text in texts
        ]
        scores = [1 / (1 + exp(-one)) for one in odds]
        return [{"negative": score, "positive": 1 - score} for score in scores]

    result = hinter.run(
        ["The Irish man was kind."], model, ["race", "gender"], out=tmp_path / "out",
        identity="added", limit=None,
    )  # fmt: skip
    assert set(result.findings(verdict="hidden").grade) == {"at the threshold", "more than the sum"}
    (example,) = make_report(CampaignStore(tmp_path / "out")).models[0].examples
    assert example["grade"] == "more than the sum"


def test_rates_are_drawn_as_they_are(report: Report) -> None:
    made = bars(report)
    assert made is not None
    lines = report.models[0].lines
    rows = dict(made["rows"])
    for line in lines:
        texts = "1 text" if line.sources.of == 1 else f"{line.sources.of} texts"
        label = f"{line.name} (n\u00a0{line.errors.of:,} in {texts})"
        bar = rows[label][0]
        assert bar["of"] == f"{line.errors.hits:,} of {line.errors.of:,}"
        assert bar["value"] == f"{100 * (line.errors.share or 0):.1f}\u00a0%"
        assert bar["few"] is (line.errors.of < FEW)
        width, low, rest = (float(bar[key][:-1]) for key in ("width", "low", "rest"))
        assert low <= width + 0.1
        assert width <= 100 - rest + 0.1
    assert [name for name, _ in made["legend"]] == [HIDDEN[:41] + "\u2026", NEVER[:41] + "\u2026"]


def test_each_part_of_the_errors_has_a_colour_of_its_own() -> None:
    parts = (PART_ERRS, NO_PART_ERRS, PART_UNKNOWN, WHOLE_ERRS, NO_WHOLE_ERRS, NO_WHOLE)
    pies = SimpleNamespace(pies=[Pie("intersectional", "", (), dict.fromkeys(parts, 1))])
    made = error_pies(cast("ModelReport", pies))
    assert made is not None
    assert len({part["colour"] for part in made["rows"][0]["parts"]}) == len(parts)


def test_shares_of_a_whole_add_up(report: Report) -> None:
    model = report.models[0]
    flows, kept = flow(model), kept_pies(model)
    assert flows
    assert kept
    for row, line in zip(flows["rows"], (model.atomic, model.intersectional), strict=True):
        assert row["total"] == f"{line.mutants:,}"
        numbers = {part["name"]: part["number"] for part in row["parts"]}
        assert numbers == {name: f"{n:,}" for name, n in line.verdicts.items() if n}
        assert sum(float(part["width"][:-1]) for part in row["parts"]) == pytest.approx(
            100, abs=0.1
        )
    assert [row["name"] for row in kept["rows"]] == ["all", "intersectional", "atomic"]


def test_a_heat_map_has_a_cell_for_every_pair_of_groups(report: Report) -> None:
    model = report.models[0]
    (name, made), *_ = heat_maps(model)
    cells = [cell for _, row in made["rows"] for cell in row if cell]
    own = [group for group in model.groups if " \u00d7 ".join(group.attributes) == name]
    assert sorted(cell["number"] for cell in cells) == sorted(
        f"n\u00a0{group.errors.of:,}" for group in own
    )
    assert sum(cell["few"] for cell in cells) == sum(group.errors.of < FEW for group in own)
    page = to_html(report)
    part = page.partition('class="part groups"')[2]
    note, folded = map(part.index, ("An error counts for the group", "<details class='in-words"))
    assert note < part.index(name) < folded
    made["rows"][0][1][0] = None  # two groups that no mutant joins
    (drawn,) = plot(made)["data"]
    for (_, row), words in zip(made["rows"], drawn["text"], strict=True):
        for cell, said in zip(row, words, strict=True):
            number, arrow, to = said.partition("<br>")[2].partition("<br>\u2192 ")
            assert number == (cell["number"] if cell else "")
            assert to == (cell["to"] if cell else "")
            assert bool(arrow) is bool(to)
            assert bool(said) is bool(cell)


def test_plotly_shows_the_same_numbers(report: Report) -> None:
    model, rates, verdicts = report.models[0], bars(report), flow(report.models[0])
    assert rates
    assert verdicts
    shown = {
        (trace["name"], label): share
        for trace in plot(rates)["data"]
        for label, share in zip(trace["y"], trace["x"], strict=True)
    }
    assert shown == pytest.approx(
        {(escape(one["name"]), label): 100 * one["rate"].share
         for label, own in rates["rows"] for one in own}
    )  # fmt: skip
    total = model.atomic.mutants + model.intersectional.mutants
    assert sum(number for trace in plot(verdicts)["data"] for number in trace["x"]) == total
    maps, cases = heat_maps(model), dict[str, int]()
    for group in model.groups:
        cases[joined(group.attributes)] = cases.get(joined(group.attributes), 0) + group.errors.of
    assert [cases[name] for name, _ in maps] == sorted((cases[n] for n, _ in maps), reverse=True)
    for name, chart in maps:
        figure = plot(chart)
        few = sum(g.errors.of < FEW for g in model.groups if joined(g.attributes) == name)
        strokes = "".join(shape["path"] for shape in figure["layout"]["shapes"]).count("M")
        assert strokes == 3 * few
        (trace,) = figure["data"]
        own = [g.errors.share for g in model.groups if joined(g.attributes) == name]
        values = [value for line in trace["z"] for value in line if value is not None]
        assert sorted(values) == pytest.approx(sorted(100 * (share or 0) for share in own))


def test_curves_are_lines_and_bands() -> None:
    one = ([0.0, 0.5], [0.0, 0.4], [0.0, 0.6])
    made = curves({"<b>": one, "chance": one}, [0, 10], "cases & more", "share", "chance")
    assert len(made["bands"]) == 1
    assert [name for *_, name in made["curves"]] == ["<b>", "chance"]
    assert [dashed for _, _, dashed, _ in made["curves"]] == [False, True]
    assert made["across"] == "cases & more"
    # Plotly takes a few tags for what they say.
    assert [trace["name"] for trace in plot(made)["data"]] == ["&lt;b&gt;", "&lt;b&gt;", "chance"]


@pytest.mark.parametrize(("lost", "first"), [(6, True), (1, False)])
def test_many_gaps_are_told_before_the_rates(report: Report, lost: int, first: bool) -> None:
    model = report.models[0]
    line = replace(model.intersectional, mutants=100, errors=Rate(30, 80))
    line = replace(line, verdicts={**line.verdicts, "unanswered": lost})
    reasons = [Reason(model.model, "over budget", "the budget is used up", lost)]
    gaps = replace(model.with_metrics(reasons=reasons), intersectional=line)
    one = replace(report, models=[gaps])
    told = " ".join(opening(one).cards[0].words)
    assert (f"left {lost} of 100 mutants unanswered." in told) is first
    places = [place for place, words in enumerate(sections(one)[0].sentences)
              if "unanswered, most often" in words or "changed the answer" in words]  # fmt: skip
    words = [sections(one)[0].sentences[place] for place in places]
    assert ("unanswered" in words[0]) is first
