"""What an earlier version wrote still opens, and says the same: see ``tests/data/before``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.cli.main import cli

BEFORE = Path(__file__).resolve().parents[1] / "data" / "before"
EXPECTED = BEFORE / "expected"


def hinter(*arguments: object) -> None:
    cli([str(argument) for argument in arguments], standalone_mode=False)


def expected(name: str) -> Any:
    return json.loads((EXPECTED / name).read_text(encoding="utf-8"))


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def assert_same(now: Any, then: Any, where: str = "") -> None:
    """All that was said before is said now; there may be more keys."""
    if isinstance(then, Mapping):
        assert isinstance(now, Mapping), where
        assert set(then) <= set(now), f"{where}: {set(then) - set(now)} is missing"
        for key, value in then.items():
            assert_same(now[key], value, f"{where}/{key}")
    elif isinstance(then, Sequence) and not isinstance(then, str):
        assert len(now) == len(then), where
        for place, (one, other) in enumerate(zip(now, then, strict=True)):
            assert_same(one, other, f"{where}[{place}]")
    elif isinstance(then, float):
        assert now == pytest.approx(then, rel=1e-6, abs=1e-9), where
    else:
        assert now == then, where


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BEFORE, tmp_path / "before"))


@pytest.mark.parametrize("name", ["campaign", "by-hand", "partial"])
def test_a_campaign_is_reported_as_before(name: str, before: Path) -> None:
    out = before / "report.json"
    hinter("report", before / name, "--json", "--out", out)
    assert_same(json.loads(out.read_text()), expected(f"{name}.report.json"))


def test_a_campaign_is_compared_and_exported_as_before(
    before: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hinter("compare", before / "campaign", "--json")
    assert_same(json.loads(capfd.readouterr().out), expected("campaign.comparison.json"))
    mutants, verdicts = before / "mutants.jsonl", ["--verdict", "hidden", "--verdict", "biased"]
    hinter("mutants", before / "campaign", *verdicts, "--out", mutants)
    assert_same(lines(mutants), lines(EXPECTED / "campaign.mutants.jsonl"))


def test_a_partial_campaign_is_resumed(before: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(before)
    hinter("run", "partial.yaml", "--out", "partial", "--resume")
    hinter("report", "partial", "--json", "--out", "resumed.json")
    hinter("mutants", "partial", "--out", "resumed.jsonl")
    assert_same(json.loads(Path("resumed.json").read_text()), expected("resumed.report.json"))
    assert_same(lines(Path("resumed.jsonl")), lines(EXPECTED / "resumed.mutants.jsonl"))
    hinter("verify", "partial")


def test_a_project_is_evaluated_and_exported_as_before(
    before: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    project, people = before / "project.sqlite", before / "people.json"
    hinter("annotate", "agreement", project, "--json")
    assert_same(json.loads(capfd.readouterr().out), expected("project.agreement.json"))
    hinter("report", before / "campaign", "--humans", project, "--json", "--out", people)
    assert_same(json.loads(people.read_text()), expected("campaign.report-people.json"))
    for name, more in {
        "export": [],
        "history": ["--history"],
        "consensus": ["--consensus"],
    }.items():
        out = before / f"{name}.jsonl"
        hinter("annotate", "export", project, out, *more)
        rows = [row for row in lines(out) if row.get("status") != "decided"]  # written since then
        assert_same(rows, lines(EXPECTED / f"project.{name}.jsonl"))


def test_annotators_and_owner_of_a_project_come_back(before: Path) -> None:
    then = expected("project.json")
    store = AnnotationStore.open(before / "project.sqlite")
    try:
        for name, secret in then["people"].items():
            person, _ = store.join(name, secret["pass_phrase"])
            assert person.name == name
        assert len(list(store.items())) == then["items"]
        assert len(list(store.judgements())) == then["judgements"]
        assert len(list(store.judgements(history=True))) == then["history"]
    finally:
        store.close()


def test_links_mean_what_they_meant() -> None:
    from hinter_core.mutation.settings import SETTINGS
    from hinter_ui.learn.lesson import Journey
    from hinter_ui.shared.links import ExploreForm

    links = json.loads((BEFORE / "links.json").read_text(encoding="utf-8"))
    for link in links["explore"]:
        form = ExploreForm.from_query(dict(parse_qsl(link["query"], keep_blank_values=True)))
        values = None if form is None else json.loads(json.dumps(asdict(form)))
        if values is not None:
            assert values.pop("coherent") is False  # settings since then
            assert values.pop("keep_soft") is True
            assert values.pop("across_people") is True
            assert values.pop("template") == ""
            assert values.pop("relations") == ["substitute"]
            assert values.pop("seed") == 0
            assert values.pop("threshold") == 0
            for name in SETTINGS.keys() & values.keys() - link["means"].keys():
                before = SETTINGS[name].default if name != "validity" else 0.0
                assert values.pop(name) == before
        assert values == link["means"], link["what"]
        assert not link["written"] or (form and form.query() == link["query"]), link["what"]
    for link in links["learn"]:
        given = dict(parse_qsl(link["query"]))
        journey = Journey.from_query(given)
        assert Journey.wanted(given) == link["wanted"]
        assert {key: getattr(journey, key) for key in link["means"]} == link["means"]
