"""``hinter sql``: what the views hold, and that nothing else can be read or changed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from hinter_core.campaign.parquet import read_table
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import VIEWS
from hinter_core.report.model import make_report

from .conftest import Run

MODEL = 'scripted:negative if "white" and "woman"; positive otherwise'
OTHER = "scripted:negative if \"woman\"; 'good' otherwise"
TEXTS = ["The black man was kind.", "The white man left.", "It rained."]


@pytest.fixture(scope="module")
def store(make: Callable[..., CampaignStore]) -> CampaignStore:
    return make(TEXTS, ["race", "gender"], 2, MODEL, OTHER)


@pytest.mark.slow
def test_views_hold_what_the_report_counts(run: Run, store: CampaignStore) -> None:
    query = "SELECT model, verdict, count(*) AS n FROM findings GROUP BY ALL ORDER BY ALL"
    code, out, err = run("sql", str(store.folder), query, "--json")
    assert (code, err) == (0, "")
    found = {(row["model"], row["verdict"]): row["n"] for row in json.loads(out)}
    for model in make_report(store).models:
        counted = Counter[str]()
        for line in (model.atomic, model.intersectional):
            counted.update(line.verdicts)
        for verdict, mutants in counted.items():
            assert found.get((model.model, verdict), 0) == mutants
    out = run("sql", str(store.folder), "SELECT row, text FROM texts ORDER BY row", "--csv")[1]
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["text"] for row in rows] == TEXTS
    edits = run("sql", str(store.folder), "SELECT * FROM edits WHERE n_edits IS NULL")[2]
    assert "n_edits" in edits  # an unknown column is named
    made = sum(len(read_table(store.mutants(n))) for n in store.known())
    out = run("sql", str(store.folder), "SELECT count(*) AS n FROM mutants", "--json")[1]
    assert json.loads(out) == [{"n": made}]
    out = run("sql", str(store.folder), "SELECT * FROM texts WHERE false", "--json")[1]
    assert json.loads(out) == []


def test_every_view_has_the_columns_that_are_documented(run: Run, store: CampaignStore) -> None:
    code, out, _ = run("sql", str(store.folder), "--schema", "--csv")
    assert code == 0
    rows = [row for row in csv.DictReader(io.StringIO(out)) if row["column"]]
    assert [(row["view"], row["column"]) for row in rows] == [
        (name, column) for name, view in VIEWS.items() for column in view.columns
    ]
    assert all(row["type"] and row["meaning"] for row in rows)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{secret}')",
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM glob('{folder}/*')",
        "COPY texts TO '{made}'",
        "COPY (SELECT 1) TO '{texts}' (FORMAT parquet)",
        "ATTACH '{made}'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "CREATE TABLE mine AS SELECT 1",
        "DROP VIEW texts",
        "SELECT 1; SELECT 2",
        "",
        "SELEC 1",
        "SELECT nothing FROM texts",
    ],
)
def test_nothing_else_is_read_or_changed(
    run: Run, store: CampaignStore, tmp_path: Path, query: str
) -> None:
    secret, made, texts = tmp_path / "secret.csv", tmp_path / "made", store.texts(0)
    secret.write_text("a\n1\n")
    before = texts.read_bytes()
    query = query.format(secret=secret, made=made, texts=texts, folder=tmp_path)
    code, out, err = run("sql", str(store.folder), query)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert texts.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


DOCS = Path(__file__).parents[3] / "docs"
IN_DOCS = re.compile(r"```sql\n(.*?)```|hinter sql \w+ \"(SELECT[^\"]+)\"", re.DOTALL)
QUERIES = [
    query
    for page in sorted(DOCS.rglob("*.md"))
    for query in IN_DOCS.findall(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("query", ["".join(either) for either in QUERIES])
def test_the_queries_of_the_documents_run(run: Run, store: CampaignStore, query: str) -> None:
    code, _, err = run("sql", str(store.folder), query, "--json")
    assert (code, err) == (0, "")


def test_a_row_of_many_columns_is_a_line_for_each_value(run: Run, store: CampaignStore) -> None:
    code, out, _ = run("sql", str(store.folder), "SELECT * FROM findings LIMIT 2")
    assert code == 0
    lines = out.splitlines()
    assert [line for line in lines if line.startswith("Row")] == ["Row 1", "Row 2"]
    assert sum(line.startswith("text: The ") for line in lines) == 2
    few = run("sql", str(store.folder), "SELECT row, verdict FROM findings LIMIT 2")[1]
    assert few.split()[:2] == ["row", "verdict"]


def test_a_query_may_begin_with_a_comment(run: Run, store: CampaignStore) -> None:
    query = "-- all of them\nSELECT 1 AS one"
    code, _, err = run("sql", str(store.folder), query)
    assert (code, "needs -- and a blank before it" in err) == (2, True)
    assert run("sql", str(store.folder), "--csv", "--", query)[1].split() == ["one", "1"]


def test_a_query_that_takes_too_long_is_stopped(run: Run, store: CampaignStore) -> None:
    endless = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b"
    code, _, err = run("sql", str(store.folder), endless, "--timeout", "0.5")
    assert code == 2
    assert "stopped after 0.5 seconds" in err


def test_a_file_takes_what_was_asked(run: Run, store: CampaignStore, tmp_path: Path) -> None:
    out = tmp_path / "found.csv"
    query = "SELECT '=1+1' AS cell, [labels] AS nested FROM answers LIMIT 1"
    assert run("sql", str(store.folder), query, "--out", str(out))[0] == 0
    assert out.read_text("utf-8-sig").splitlines()[0] == "cell,nested"
    assert out.read_text().splitlines()[1].startswith("'=1+1,")
    assert run("sql", str(store.folder), query, "--csv", "--json")[0] == 2
    assert run("sql", str(tmp_path), query)[0] == 2


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("SELECT verdic FROM findings", 'Candidate bindings: "verdict"'),
        ("SELECT * FROM finding", 'Did you mean "findings"?'),
    ],
)
def test_a_misspelt_name_is_answered_with_those_alike(
    run: Run, store: CampaignStore, query: str, says: str
) -> None:
    code, _, err = run("sql", str(store.folder), query)
    assert code == 2
    assert says in err
    assert "SELECT" not in err
    assert len(err.splitlines()) == 1
