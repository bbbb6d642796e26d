"""A new metric is one file: values, sections, and every format follow from its registration."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hinter_core.campaign.store import CampaignStore
from hinter_core.report import metric as registry
from hinter_core.report import metrics
from hinter_core.report.formats import FORMS, write_report
from hinter_core.report.metric import every_metric
from hinter_core.report.model import make_report
from hinter_core.report.sections import sections
from hinter_core.report.tables import table_files

MODEL = 'scripted:negative if "white" and "woman"; positive otherwise'
TEXTS = ["The black man had soup.", "We talked to a white man."]
FILE = '''
"""Cases by verdict."""

from hinter_core.report.metric import metric
from hinter_core.report.section import Section


def cases(tally):
    return tally.verdicts_of(tally.real)


def section(found):
    return Section("letters", "Cases by letter", ["Counted here."], ["Verdict", "Number"],
                   [[name, number] for name, number in sorted(found.items())])


metric("letters", 95, cases, section)
'''


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A file more among the metrics, as somebody would add it."""
    every_metric()
    (tmp_path / "letters.py").write_text(FILE, encoding="utf-8")
    name = f"{metrics.__name__}.letters"
    monkeypatch.setattr(metrics, "__path__", [*metrics.__path__, str(tmp_path)])
    monkeypatch.setattr(registry, "_REGISTERED", dict(registry._REGISTERED))
    registry._import_all.cache_clear()
    yield
    registry._import_all.cache_clear()
    sys.modules.pop(name, None)
    vars(metrics).pop("letters", None)


@pytest.mark.usefixtures("added")
def test_one_file_adds_a_metric_to_every_format(make: Callable[..., CampaignStore]) -> None:
    report = make_report(make(TEXTS, ["race", "gender"], 2, MODEL))
    (model,) = report.models
    assert sum(model.letters.values()) == model.atomic.mutants + model.intersectional.mutants
    keys = [section.key for section in sections(report)]
    assert keys.index("invariant") < keys.index("letters") < keys.index("groups")
    assert json.loads(write_report(report, "json"))["models"][0]["letters"] == model.letters
    for form in set(FORMS) - {"csv", "json"}:  # the CSV is the main table alone
        assert "Cases by letter" in write_report(report, form), form
    assert f"benign,{model.letters['benign']}" in table_files(sections(report))["letters.csv"]


def test_without_the_file_it_is_gone(make: Callable[..., CampaignStore]) -> None:
    assert "letters" not in [one.name for one in every_metric()]
    (model,) = make_report(make(TEXTS, ["race", "gender"], 2, MODEL)).models
    with pytest.raises(AttributeError, match="no metric 'letters'"):
        _ = model.letters


def test_no_two_metrics_stand_at_one_place() -> None:
    every = every_metric()
    assert len(every) > 15
    written = [one.place for one in every if one.name not in ("accuracy", "failures")]
    assert len(set(written)) == len(written)


def test_a_metric_is_computed_once(make: Callable[..., CampaignStore]) -> None:
    """Strict groups need the rates of groups: these are not computed again."""
    groups = next(one for one in every_metric() if one.name == "groups")
    calls = []
    counted = registry.metric(
        "counted", 500, lambda tally: calls.append(tally.name) or len(groups.of(tally))
    )
    try:
        report = make_report(make(TEXTS, ["race", "gender"], 2, MODEL))
    finally:
        registry._REGISTERED.pop("counted")
    assert calls == [MODEL]
    assert report.models[0].metrics[counted.name] == len(report.models[0].groups)
