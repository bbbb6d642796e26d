"""``hinter prioritise`` on a small campaign: every format, and one clear sentence for bad input."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hinter_core.campaign.store import CampaignStore
from tests.unit.cli.conftest import Run

BIASED = 'scripted:negative if "Syrian"; positive otherwise'
QUICK = ("--orders", "random,adaptive,fault-based,diversity", "--metrics", "cosine,lexical")


@pytest.fixture(scope="module")
def folder(make: Callable[..., CampaignStore]) -> str:
    texts = [f"The {word} black man was old." for word in ("tall", "kind", "poor", "calm")]
    return str(make(texts, ["race", "gender"], 2, BIASED).folder)


@pytest.mark.slow
def test_a_table_and_every_file(run: Run, folder: str, tmp_path: Path) -> None:
    code, out, error = run("prioritise", folder, "--seeds", "3", *QUICK)
    assert code == 0, error
    assert "fault-based" in out
    assert "of the pairs that random needs" in out
    for ending in ("json", "csv", "tex", "md", "html"):
        path = tmp_path / f"orders.{ending}"
        code, out, error = run("prioritise", folder, "--seeds", "3", *QUICK, "--out", str(path))
        assert (code, str(path) in out) == (0, True), error
    found = json.loads((tmp_path / "orders.json").read_text())
    assert found["orders"]["fault-based"]["first"]["value"] == 1
    with (tmp_path / "orders.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["Order"] for row in rows][:2] == ["random (expected)", "random"]
    assert "\\toprule" in (tmp_path / "orders.tex").read_text()
    assert (tmp_path / "orders.md").read_text().startswith("# HInter: orders of test cases")
    page = (tmp_path / "orders.html").read_text()
    assert "<polyline " in page
    assert 'aria-label="Curves of faults found by pairs asked"' in page
    assert page.count('<figure class="drawing of-lines">') == 2
    code, out, error = run("prioritise", folder, "--level", "arm", "--seeds", "2", *QUICK)
    assert code == 0, error
    assert "arms by groups" in out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--orders", "best"), "'best' is no order"),
        (("--budget", "0"), "asks nothing"),
        (("--arm", "relation"), "add --level arm"),
        (("--seeds", "0"), "give 1 or more"),
        (("--model", "vader"), "no answers of 'vader'"),
        (("--metrics", "colour"), "'colour' is no metric"),
        (("--metrics", "tone=nosuch"), "nosuch"),
        (("--metrics", "cosine", "--weights", "cosine=much"), "no weight of a metric"),
        (("--out", "orders.docx"), "name a file that ends in"),
        (("--level", "arm", "--arm", "relation"), "All cases have the same relation"),
        (("--level", "arm", "--below", "0.02"), "leave out --level arm"),
    ],
)
def test_bad_input_is_one_sentence(
    run: Run, folder: str, given: tuple[str, ...], message: str
) -> None:
    code, out, error = run("prioritise", folder, "--seeds", "1", *given)
    assert (code, out) == (2, "")
    assert message in error
    assert error.count("\n") == 1


def test_no_campaign(run: Run, tmp_path: Path) -> None:
    code, _, error = run("prioritise", str(tmp_path))
    assert code == 2
    assert "is no campaign" in error
