"""What a build server is told: the gate, the regression gate and JUnit agree."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from hinter_core.campaign.findings import choose_sides
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.report.compared.comparison import compare
from hinter_core.report.gate import GateOn, gate, junit, passed, regression_gate
from hinter_core.report.metrics.excess import PlaceboExcess
from hinter_core.report.model import Report, make_report
from hinter_core.report.mutants.sarif import hidden_findings, sarif
from hinter_core.statistics.rates import Difference, Rate

HIDDEN = 'scripted:negative if "white" and "woman"; positive otherwise'
NEVER = 'scripted:negative if "unicorn"; positive otherwise'
PEOPLE = ("black man", "Syrian man", "black woman", "Syrian woman")


@pytest.fixture(scope="module")
def store(make: Callable[..., CampaignStore]) -> CampaignStore:
    texts = [f"The {who} was kind to the {what}." for who in PEOPLE for what in ("cook", "guest")]
    return make(texts, ["race", "gender"], 2, HIDDEN, NEVER)


@pytest.fixture(scope="module")
def report(store: CampaignStore) -> Report:
    return make_report(store)


def test_the_plain_rate_says_which_model_does_not_pass(report: Report) -> None:
    errors = report.models[0].intersectional.errors
    share = errors.low
    assert share is not None
    assert share < (errors.share or 0)  # the point alone does not fail a model
    (fault,) = gate(report, 0.01, GateOn.RATE)
    assert fault.startswith(f"{HIDDEN}: intersectional errors ")
    assert gate(report, share, GateOn.RATE) == []
    assert len(gate(report, share - 1e-9, GateOn.RATE)) == 1
    with pytest.raises(InputError, match="between 0 and 1"):
        gate(report, 5)


def test_hidden_findings_alone_are_counted_and_named(store: CampaignStore, report: Report) -> None:
    hidden, (model, other) = hidden_findings(store, report), report.models
    number, cases = len(hidden[HIDDEN]), model.intersectional.errors.of
    assert number == model.intersectional.verdicts["hidden"] == 4
    assert hidden[NEVER] == []
    (fault,) = gate(report, 0, GateOn.HIDDEN, hidden)
    first, *named = fault.splitlines()
    share = f"{100 * number / cases:.1f} %"
    counted = f"{number} of {cases} intersectional mutants are hidden findings ({share})"
    assert first == f"{HIDDEN}: {counted}, more than 0 % allowed."
    assert [line.startswith("  row ") for line in named] == [True] * number
    twice = {HIDDEN: hidden[HIDDEN] * 2}
    (fault,) = gate(report, 0, GateOn.HIDDEN, twice)
    assert fault.splitlines()[6:] == [f"  and {2 * number - 5} more; --junit lists them"]
    assert gate(report, number / cases, GateOn.HIDDEN, hidden) == []
    (line,) = passed(report, 0, GateOn.HIDDEN)
    assert line.startswith(f"{NEVER}: 0 of {other.intersectional.errors.of} intersectional mutants")
    assert line.endswith("0 % allowed: passed.")
    for limit, kind in ((0, "failure"), (1, "system-out")):
        cases_of = outcomes(junit(report, limit, GateOn.HIDDEN, hidden))
        kinds = [kind for name, kind in cases_of[HIDDEN].items() if name.startswith("hidden, row ")]
        assert kinds == [kind] * number
        assert not any(name.startswith("hidden") for name in cases_of[NEVER])


def test_without_placebo_no_model_passes(report: Report) -> None:
    """Bias cannot be told from brittleness, unless no answer changed."""
    (fault,) = gate(report, 0)
    assert fault.startswith(f"{HIDDEN}: There are no placebo mutants of order 2")
    (line,) = passed(report, 0)
    assert line.startswith(f"{NEVER}: intersectional errors 0 of ")
    assert "not decided, and passed" in line
    assert "are not ruled out" in gate(report, 0, GateOn.UPPER)[1]
    (line,) = passed(report, 1)
    assert line.endswith("100 points allowed: passed.")


def with_excess(report: Report, low: float, cases: int) -> Report:
    """The report of the first model with an excess over placebo that it does not have."""
    difference = Difference(0.1, low, 0.2, 0.01)
    excess = PlaceboExcess("order 2", (), 2, Rate(30, 200), Rate(5, cases), difference)
    return replace(report, models=[report.models[0].with_metrics(excess=[excess])])


def test_the_gate_asks_for_the_lower_end_of_the_excess(report: Report) -> None:
    sure = with_excess(report, 0.03, 100)
    (fault,) = gate(sure, 0.02)
    assert fault.startswith(
        f"{HIDDEN}: errors of order 2 10.0 points higher (95 % interval 3.0 to 20.0)"
    )
    assert gate(sure, 0.03) == []
    (line,) = passed(sure, 0.03)
    assert "10.0 points higher" in line
    assert "3 points allowed: not decided, and passed" in line
    (fault,) = gate(sure, 0.03, GateOn.UPPER)
    assert "more than 3 points are not ruled out" in fault
    assert passed(sure, 0.03, GateOn.UPPER) == passed(sure, 0.02) == []
    assert gate(sure, 0.2, GateOn.UPPER) == []
    assert passed(sure, 0.2)[0].endswith("20 points allowed: passed.")
    assert "10.0 points higher" in junit(sure, 0.03)
    assert (
        "99 cases of placebo mutants of order 2, in texts that have other mutants of this order, "
        "too, are too few" in gate(with_excess(report, 0.03, 99), 0.5)[0]
    )


def test_what_was_not_measured_does_not_pass(make: Callable[..., CampaignStore]) -> None:
    atomic = make_report(make(["The black man was kind."], ["race", "gender"], 1, NEVER))
    nothing = make_report(make(["The soup was warm."], ["race", "gender"], 2, NEVER))
    for report in (atomic, nothing):
        for on in GateOn:
            (fault,) = gate(report, 1, on)
            assert ("nothing was measured" in fault) is (report is nothing)
            assert "no intersectional mutant was kept" in fault


def outcomes(xml: str) -> dict[str, dict[str, str]]:
    found = {}
    for suite in ElementTree.fromstring(xml):
        cases = {case.get("name", ""): next(part.tag for part in case) for case in suite}
        assert suite.get("tests") == str(len(cases))
        assert suite.get("failures") == str(list(cases.values()).count("failure"))
        found[suite.get("name", "")] = cases
    return found


@pytest.mark.parametrize("on", GateOn)
@pytest.mark.parametrize("share", [0.01, 0.02, 0.03, 1])
def test_junit_has_a_case_for_each_model_and_set_and_agrees_with_the_gate(
    report: Report, on: GateOn, share: float
) -> None:
    for one in (report, with_excess(report, 0.03, 100)):
        cases, faults = outcomes(junit(one, share, on)), gate(one, share, on)
        assert set(cases) == {model.model for model in one.models}
        names = {line.name for line in one.models[0].lines} | {"intersectional"}
        assert set(cases[HIDDEN]) == names
        for model, outcome in cases.items():
            failed = {name for name, kind in outcome.items() if kind == "failure"}
            at_fault = any(fault.startswith(f"{model}: ") for fault in faults)
            assert failed == ({"intersectional"} if at_fault else set())
    assert set(outcomes(junit(report))[HIDDEN].values()) == {"system-out"}


@pytest.mark.parametrize("on", GateOn)
def test_an_incomplete_campaign_does_not_pass(report: Report, on: GateOn) -> None:
    sure = with_excess(report, 0.03, 100)
    part = replace(sure, missing="The campaign is incomplete: 1 of 2 shards.")
    assert gate(sure, 1, on) == []
    assert gate(part, 1, on) == [part.missing]
    assert outcomes(junit(part, 1, on))["campaign"] == {"complete": "failure"}
    assert outcomes(junit(part))["campaign"] == {"complete": "skipped"}


@pytest.mark.parametrize("on", GateOn)
def test_a_model_that_seldom_answers_does_not_pass(report: Report, on: GateOn) -> None:
    sure = with_excess(report, 0.03, 100)
    line = sure.models[0].intersectional
    few, many = line.errors.of // 9, line.errors.of // 9 + 1  # a tenth of all, and one more

    def losing(number: int) -> Report:
        lost = replace(line, verdicts={**line.verdicts, "unanswered": number})
        return replace(sure, models=[replace(sure.models[0], intersectional=lost)])

    assert gate(losing(few), 1, on) == []
    (fault,) = gate(losing(many), 1, on)
    assert f"{many} of {many + line.errors.of:,} kept intersectional mutants have no" in fault
    assert outcomes(junit(losing(many), 1, on))[HIDDEN]["intersectional"] == "failure"
    assert f"; {many} unanswered" in junit(losing(many), 1, on)


def test_a_model_that_got_worse_is_told(make: Callable[..., CampaignStore]) -> None:
    texts = [f"The black man was kind to guest {n}." for n in range(12)]
    store = make(texts, ["race", "gender"], 2, HIDDEN, NEVER)
    better = compare(*choose_sides(store, None, (HIDDEN, NEVER)))
    worse = compare(*choose_sides(store, None, (NEVER, HIDDEN)))
    assert regression_gate(better, 0) == []
    (fault,) = regression_gate(worse, 0)
    assert fault.startswith("Model B: intersectional errors ")
    assert "points higher" in fault
    assert regression_gate(worse, 1) == []
    with pytest.raises(InputError, match="between 0 and 1"):
        regression_gate(worse, -1)


def test_a_rate_passes_that_may_be_below_the_limit(report: Report) -> None:
    """26.2 % [21.5, 31.0] may be 22 %, and is more than 21 %; one text has its share."""
    errors = Rate(262, 1000, 0.215, 0.31)
    line = replace(report.models[0].intersectional, errors=errors)
    one = replace(report, models=[replace(report.models[0], intersectional=line)])
    assert gate(one, 0.26, GateOn.RATE) == gate(one, 0.22, GateOn.RATE) == []
    (fault,) = gate(one, 0.21, GateOn.RATE)
    assert "262 of 1,000 (26.2 %, 95 % interval 21.5 to 31.0), more than 21 %" in fault
    alone = replace(line, errors=Rate(1, 2))
    one = replace(report, models=[replace(report.models[0], intersectional=alone)])
    assert gate(one, 0.5, GateOn.RATE) == []
    assert "(50.0 %), more than 49 %" in gate(one, 0.49, GateOn.RATE)[0]


def test_data_beneath_the_current_folder_are_placed_in_it(
    store: CampaignStore, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Path(store.campaign().data)
    for here, expected in (
        (data.parent.parent, {"uri": f"{data.parent.name}/{data.name}", "uriBaseId": "%SRCROOT%"}),
        (Path(__file__).parent, {"uri": quote(str(data))}),
    ):
        monkeypatch.chdir(here)
        (run,) = json.loads(sarif(store, report, ["It fails."]))["runs"]
        places = [one["locations"][0]["physicalLocation"] for one in run["results"]]
        assert len(places) > 1
        assert all(place["artifactLocation"] == expected for place in places)


def test_hidden_findings_are_told_to_code_scanning(store: CampaignStore, report: Report) -> None:
    faults = gate(report, 1)
    (run,) = json.loads(sarif(store, report, faults))["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    errors, warnings = (
        [one for one in run["results"] if one["level"] == level] for level in ("error", "warning")
    )
    assert [one["message"]["text"] for one in errors] == faults
    hidden = report.models[0].intersectional.verdicts["hidden"]
    assert len(warnings) == min(hidden, 200) > 0
    for one in warnings:
        assert one["ruleId"] in rules
        (place,) = one["locations"]
        assert place["physicalLocation"]["region"]["startLine"] >= 2
        assert place["physicalLocation"]["artifactLocation"]["uri"].endswith("texts.csv")
        assert one["message"]["text"].startswith(f"{HIDDEN}: ")
    assert json.loads(sarif(store, replace(report, models=[]), []))["runs"][0]["results"] == []
