"""Export: the JSON of the command line, rows, and cells that are safe in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json

import pytest

from hinter_core.data.tables import rows_to_csv
from hinter_core.language.parsing import ParseStore
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.export import check_to_json, check_to_rows, prediction_to_json
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Failure, Prediction, Verdict
from tests.conftest import MakePipeline

RULES = "scripted:negative 0.7 if race=white and gender=female; positive otherwise"


@pytest.fixture(scope="module")
def check(race: Dictionary, gender: Dictionary, parses: ParseStore) -> TestResult:
    from hinter_core.models.registry import load_model
    from hinter_core.models.store import PredictionStore
    from hinter_core.pipeline.pipeline import Pipeline

    store = PredictionStore(load_model(RULES))
    return Pipeline([race, gender], parses, [store]).check("A black man left. The man had wine.")


def test_json_has_the_promised_fields_and_survives_a_round_trip(check: TestResult) -> None:
    made = json.loads(json.dumps(check_to_json(check, RULES)))
    assert {"text", "model", "parser", "original", "mutants", "counts"} <= set(made)
    assert made["original"] == {
        "labels": ["positive"], "scores": {"negative": 0.1, "positive": 0.9},
    }  # fmt: skip
    assert set(made["counts"]) == {v.value for v in Verdict}
    assert sum(made["counts"].values()) == len(made["mutants"])
    for mutant in made["mutants"]:
        assert {"edits", "order", "text", "valid", "reason", "labels", "scores", "verdict"} <= set(
            mutant
        )
        assert mutant["order"] == len(mutant["edits"])
        assert mutant["verdict"] in set(Verdict)
        assert mutant["valid"] is (mutant["verdict"] != "discarded")
        assert bool(mutant["reason"]) is (mutant["verdict"] in ("discarded", "unanswered"))
        assert mutant["text"] != made["text"]
    assert made["counts"]["hidden"] >= 1


def test_spans_cover_the_words_replaced(check: TestResult) -> None:
    made = check_to_json(check, RULES)
    for mutant in made["mutants"]:
        for edit in mutant["edits"]:
            assert {"attribute", "source", "target", "source_group", "target_group"} <= set(edit)
            assert edit["spans"]
            for start, end in edit["spans"]:
                assert made["text"][start:end].lower() == edit["source"].lower()
    spans = {tuple(map(tuple, e["spans"])) for m in made["mutants"] for e in m["edits"]}
    assert spans == {((2, 7),), ((8, 11), (22, 25))}


def test_rejected_terms_are_exported_with_their_reason(
    race: Dictionary, gender: Dictionary, make_pipeline: MakePipeline
) -> None:
    pipeline = make_pipeline([race, gender], "vader")
    made = check_to_json(pipeline.check("The black man drank white wine."), "vader")
    (rejected,) = made["rejected"]
    assert rejected["surface"] == "white"
    assert made["text"][slice(*rejected["span"])] == "white"
    assert rejected["reason"] == "is part of the expression \u201cwhite wine\u201d"


def test_rows_have_one_shape_and_three_columns_an_attribute(check: TestResult) -> None:
    rows = check_to_rows(check)
    assert len(rows) == len(check.mutants)
    assert len({tuple(row) for row in rows}) == 1
    intersectional = [r for r in rows if r["order"] == 2]
    assert all(r["race"] and r["gender"] for r in intersectional)
    atomic = [r for r in rows if r["order"] == 1]
    assert all(bool(r["race"]) is not bool(r["gender"]) for r in atomic)
    assert {r["race from"] for r in intersectional} == {"black"}
    assert {r["verdict"] for r in rows} <= set(Verdict)


def test_csv_round_trip_and_no_formula(check: TestResult) -> None:
    rows = check_to_rows(check)
    back = list(csv.DictReader(io.StringIO(rows_to_csv(rows))))
    assert [r["text"] for r in back] == [r["text"] for r in rows]
    assert rows_to_csv([]) == ""
    risky = ["=1+1", "+1", "-1", "@x", "\tx"]
    written = rows_to_csv([{"text": value, "shift": -0.5} for value in [*risky, "a=b", "plain"]])
    cells = list(csv.DictReader(io.StringIO(written)))
    assert [c["text"] for c in cells] == [f"'{v}" for v in risky] + ["a=b", "plain"]
    assert {c["shift"] for c in cells} == {"-0.5"}
    assert rows_to_csv([{"=size": 1}]) == "'=size\n1\n"  # a dictionary may be called so


def test_a_failure_is_exported_by_name() -> None:
    lost = Prediction(failure=Failure.TIMED_OUT, detail="after 60 s")
    assert prediction_to_json(lost) == {
        "labels": [], "scores": {}, "failure": "timed out", "detail": "after 60 s",
    }  # fmt: skip
    assert prediction_to_json(None) == {"labels": [], "scores": {}}
