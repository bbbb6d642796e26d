"""Findings for the code scanning of a build server, in SARIF 2.1.0."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from hinter_core import __version__
from hinter_core.campaign.findings import FindingFilter, Side, page_of_findings
from hinter_core.campaign.reader import MutantRecord
from hinter_core.campaign.settings import SAMPLE
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.tables import to_json
from hinter_core.report.model import Report
from hinter_core.types import Verdict

_MOST = 200  # findings of a model; servers cut off after some thousands in all
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {
    "gate": "The model makes more intersectional errors than allowed.",
    "hidden-bias": "Several changes together flip the answer, and none of the smaller ones does.",
}


def sarif(store: CampaignStore, report: Report, faults: list[str]) -> str:
    """Return SARIF: an error for each of the gate's ``faults``, a warning for each hidden finding.

    A finding lies in the line of the data that its row has in a table with a head.

    Raises:
        StoreError: a table cannot be read.
    """
    place = _place(store.campaign().data)
    results = [_result("gate", "error", fault.partition("\n")[0], place, 1) for fault in faults]
    results += [
        _result("hidden-bias", "warning", f"{model}: {one.in_words}", place, one.row + 1)
        for model, findings in hidden_findings(store, report).items()
        for one in findings
    ]
    rules = [{"id": name, "shortDescription": {"text": about}} for name, about in _RULES.items()]
    driver = {"name": "HInter", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "results": results}
    return to_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, 1) + "\n"


def _place(data: str) -> dict[str, str]:
    """Return the location of the data: beneath the current folder, relative to it."""
    if data == SAMPLE:
        return {"uri": "sample.csv"}
    path, here = Path(data).absolute(), Path.cwd()
    if path.is_relative_to(here) and path.is_file():
        return {"uri": quote(path.relative_to(here).as_posix()), "uriBaseId": "%SRCROOT%"}
    return {"uri": quote(data)}


def hidden_findings(store: CampaignStore, report: Report) -> dict[str, list[MutantRecord]]:
    """Return the first 200 hidden findings of each model.

    Raises:
        StoreError: a table cannot be read.
    """
    wanted = FindingFilter((Verdict.HIDDEN.value,))
    return {
        one.model: page_of_findings(Side(store, one.model), wanted, 0, _MOST)[0]
        for one in report.models
    }


def _result(rule: str, level: str, words: str, place: dict[str, str], line: int) -> dict[str, Any]:
    lies = {"artifactLocation": place, "region": {"startLine": line}}
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": words},
        "locations": [{"physicalLocation": lies}],
    }
