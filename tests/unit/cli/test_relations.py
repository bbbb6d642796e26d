"""`hinter relations`: every registered relation, with the paper's number where it has one."""

from __future__ import annotations

import json

import pytest

from hinter_core.relations.family import SubstitutionRelation
from hinter_core.relations.registry import RELATIONS

from .conftest import Run


class Scores(SubstitutionRelation):
    """A relation that judges otherwise."""

    name = "scores"
    number = ""
    title = "compare scores"


def test_all_that_are_registered_are_listed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RELATIONS, "scores", Scores())
    code, out, _ = run("relations")
    assert code == 0
    lines = out.splitlines()
    assert [line.partition(" ")[0].rstrip(":") for line in lines[: len(RELATIONS)]] == [*RELATIONS]
    assert "remove-one (MR1): leave out one sensitive word; needs a modifier or title" in out
    assert "scores: compare scores; needs a term of a sensitive attribute." in lines
    _, out, _ = run("relations", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert rows["scores"] == {
        "name": "scores", "number": "", "does": "compare scores",
        "needs": "a term of a sensitive attribute",
    }  # fmt: skip
    assert rows["append"]["number"] == "MR11"
