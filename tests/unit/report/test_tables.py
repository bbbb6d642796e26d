"""Tables as CSV with raw values and as LaTeX, of one campaign and of several."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.report.compared.campaigns import (
    ALL,
    campaigns_rows,
    campaigns_sections,
    campaigns_values,
    total,
)
from hinter_core.report.model import Report, make_report
from hinter_core.report.section import Counted, PValue, Section, Share, short_names
from hinter_core.report.sections import lines_of, sections
from hinter_core.report.tables import raw_rows, tables_of, to_csv, to_latex, write_tables
from hinter_core.statistics.rates import Difference, Rate

Make = Callable[..., CampaignStore]
HIDDEN = 'scripted:negative if "white" and "woman"; positive otherwise'
ALONE = 'scripted:negative if "woman"; positive otherwise'
STEERING = r"\input{x} 50 % & $1_000$ #1 ~^{}"


@pytest.fixture(scope="module")
def first(make: Make) -> CampaignStore:
    return make([f"The black man was kind. {STEERING}"], ["race", "gender", "=size"], 2, HIDDEN)


@pytest.fixture(scope="module")
def second(make: Make) -> CampaignStore:
    texts = ["The white man was kind.", "The black man was late."]
    return make(texts, ["race", "gender"], 2, HIDDEN, ALONE)


@pytest.fixture(scope="module")
def report(second: CampaignStore) -> Report:
    return make_report(second)


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_tables_of_several_models_are_one(report: Report) -> None:
    tables = {table.key: table for table in tables_of(sections(report))}
    flow = tables["flow"]
    assert flow.columns[0] == "Model"
    names = list(short_names([HIDDEN, ALONE]).values())
    assert [row[0] for row in flow.rows] == [names[0], names[0], names[1], names[1]]
    assert tables["models"].rows == [[names[0], HIDDEN], [names[1], ALONE]]
    assert set(tables) == {section.key for section in sections(report) if section.rows}


def test_short_names_are_unambiguous() -> None:
    names = [
        "vader", "hf:some-organisation/a-model@main?labels=no,yes&pool=mean",
        "hf:other/organisation/a-model@main?labels=yes,no", "a-model@main",
        "hf:org/a-model-with-a-very-long-name-indeed", "scripted:bad if age=old; good otherwise",
        "openai:gpt?base_url=http://localhost:8000/v1&prompt=sentiment",
    ]  # fmt: skip
    assert list(short_names(names).values()) == [
        "vader", "a-model@main (labels=no,yes)", "a-model@main (labels=yes,no)", "a-model@main",
        "a-model-with-a-very-lon\u2026", "scripted: bad if age=ol\u2026", "gpt",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (["judge=openai:one", "judge=openai:two"], ["judge=openai:one", "judge=openai:two"]),
        (["prompt=tone", ""], ["prompt=tone", ""]),
        (["x=1&y=1", "x=1&y=2", "x=2&y=2"], ["x=1, y=1", "x=1, y=2", "x=2, y=2"]),
        (["labels=a%2C b,c", "labels=a,b"], ["labels=a, b,c", "labels=a,b"]),
        (["prompt=" + 40 * "p" + "1", "prompt=" + 40 * "p" + "2"], ["", "2"]),
    ],
)
def test_short_names_of_one_model_say_how_they_differ(options: list[str], shown: list[str]) -> None:
    names = [f"openai:toy?base_url=http://localhost:8000/v1&{own}".rstrip("&") for own in options]
    assert list(short_names(names).values()) == [f"toy ({x})" if x else "toy" for x in shown]


def test_columns_that_a_model_lacks_are_empty() -> None:
    one = Section("a", "A", [], ["x", "y"], [[1, 2]], "m")
    two = Section("a", "A", [], ["x", "z"], [[3, 4]], "n")
    (table,) = tables_of([one, two])
    assert table.columns == ["Model", "x", "y", "z"]
    assert table.rows == [["m", "1", "2", ""], ["n", "3", "", "4"]]


def test_csv_has_raw_values(report: Report) -> None:
    (main,) = [table for table in tables_of(sections(report)) if table.key == "main"]
    rows = read(to_csv(main))
    short = short_names(model.model for model in report.models)
    lines = [(short[model.model], line) for model in report.models for line in lines_of(model)]
    assert len(rows) == len(lines)
    for row, (model, line) in zip(rows, lines, strict=True):
        assert (row["Model"], row["Attributes"]) == (model, line.name)
        assert int(row["Error rate hits"]) == line.errors.hits
        assert float(row["Error rate share"]) == line.errors.share
        assert (row["Hidden, of errors of"] == "") is (line.hidden is None)


def test_every_kind_of_value() -> None:
    cells = ["=1+1", 1234, 0.5, Share(0.00012), PValue(0.0004), Rate(1, 4), Counted(Rate(1, 4)),
             Difference(0.1, -0.1, 0.3), None, ""]  # fmt: skip
    table = Section("k", "T", [], list("abcdefghij"), [cells])
    (row,) = raw_rows(table)
    assert row == {
        "a": "=1+1", "b": 1234, "c": 0.5, "d": 0.00012, "e": 0.0004,
        "f hits": 1, "f of": 4, "f share": 0.25, "g hits": 1, "g of": 4, "g share": 0.25,
        "h": 0.1, "h low": -0.1, "h high": 0.3, "i": None, "j": None,
    }  # fmt: skip
    assert read(to_csv(table))[0]["a"] == "'=1+1"
    assert table.rows == [
        ["=1+1", "1,234", "0.500", "0.01\u00a0%", "< 0.001", "25.0\u00a0%", "1 of 4",
         "+10.0 [\u221210.0,\u00a0+30.0]", "\u2013", ""]
    ]  # fmt: skip


def cells_of(latex: str) -> list[list[str]]:
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    return [re.split(r"(?<!\\)&", line.removesuffix(r"\\")) for line in rows]


def test_latex_escapes_what_users_write() -> None:
    table = Section("k", "T", [], ["a_b", "n"], [[STEERING, 1], ["[1] \x1b[31m", 2], ["*", 3]])
    latex = to_latex([table])
    assert cells_of(latex)[0] == [r"a\_b ", " n "]
    assert all(len(row) == 2 for row in cells_of(latex))
    assert r"\input" not in latex
    assert r"\textbackslash input\{x\} 50 \% \& \$1\_000\$ \#1 " in latex
    assert r"{}[1] [31m & 2" in latex
    assert r"{}* & 3" in latex
    assert "\x1b" not in latex
    assert r"\begin{tabular}{lr}" in latex
    texts = replace(table, cells=[["soup " * 20, 1]])
    assert r"\begin{tabular}{p{5cm}r}" in to_latex([texts])
    long = replace(table, cells=[[str(n), n] for n in range(60)])
    assert r"\begin{longtable}{lr}" in to_latex([long])


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
def test_latex_compiles(first: CampaignStore, tmp_path: Path) -> None:
    text = to_latex(tables_of(sections(make_report(first))))
    (tmp_path / "tables.tex").write_text(
        r"\documentclass[landscape]{article}\usepackage[T1]{fontenc}\usepackage{booktabs}"
        r"\usepackage{longtable}\begin{document}" + text + r"\end{document}"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


def test_files_of_a_folder(report: Report, tmp_path: Path) -> None:
    number = write_tables(sections(report), tmp_path / "new" / "tables")
    names = {path.name for path in (tmp_path / "new" / "tables").iterdir()}
    assert len(names) == 2 * number
    assert {"main.csv", "main.tex", "truth.csv", "every-group.tex"} <= names
    starts = {name: (tmp_path / "new" / "tables" / name).read_bytes()[:3] for name in names}
    marked = {name for name, start in starts.items() if start == BOM_UTF8}
    assert marked == {name for name in names if name.endswith(".csv")}
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Cannot write"):
        write_tables(sections(report), tmp_path / "file")


def test_totals_are_sums_of_cases(first: CampaignStore, second: CampaignStore) -> None:
    reports = [make_report(first), make_report(second)]
    found = total([(first.folder, reports[0]), (second.folder, reports[1])])
    assert found.models == [HIDDEN, ALONE]
    names = list(found.reports)  # both files are called texts.csv
    assert names == [f"texts.csv ({store.folder})" for store in (first, second)]
    errors = [model.intersectional.errors for one in reports for model in one.models]
    both = found.rate("I", ALL, ALL)
    assert (both.hits, both.of) == (sum(r.hits for r in errors), sum(r.of for r in errors))
    assert both.low is None
    assert found.rate("I", names[1], ALONE) == reports[1].models[1].intersectional.errors
    assert found.rate("I", names[0], ALONE).of == 0  # not tested
    column = found.rate("H", ALL, HIDDEN)
    assert column.of == sum(one.models[0].intersectional.errors.hits for one in reports)
    table, full, _ = campaigns_sections(found)
    short = short_names(found.models)
    assert table.columns == ["Data", "Metric", short[HIDDEN], short[ALONE], "All models"]
    assert full.rows == [[short[HIDDEN], HIDDEN], [short[ALONE], ALONE]]
    assert [row[0] for row in table.rows] == [*3 * names[:1], *3 * names[1:], *3 * ["All data"]]
    assert table.rows[1][3] == "\u2013"
    assert f"{both.hits} of {both.of}" in table.sentences[-1]
    rows = list(campaigns_rows(found))
    assert {"data": "(all)", "model": "(all)", "metric": "I", "hits": both.hits} == {
        key: rows[-2][key] for key in ("data", "model", "metric", "hits")
    }
    values = json.loads(json.dumps(campaigns_values(found), allow_nan=False))
    assert [one["identity"] for one in values["reports"]] == [r.identity for r in reports]


def test_models_of_one_identity_share_a_row(second: CampaignStore) -> None:
    one, other = (make_report(second, [name]) for name in (HIDDEN, ALONE))
    found = total([(Path("a"), one), (Path("b"), other)])
    assert (list(found.reports), found.models) == (["texts.csv"], [HIDDEN, ALONE])
    with pytest.raises(InputError, match="would count twice; give one of them"):
        total([(Path("a"), one), (Path("b"), one)])


def test_only_some_models_and_attributes(first: CampaignStore, second: CampaignStore) -> None:
    assert [m.model for m in make_report(second, [ALONE]).models] == [ALONE]
    every, few = make_report(first), make_report(first, (), ("race", "gender"))
    names = {line.name for line in lines_of(few.models[0])}
    assert names == {"race", "gender", "gender \u00d7 race", "atomic", "intersectional"}
    by_name = {line.name: line for line in every.models[0].lines}
    for line in few.models[0].lines:
        assert line == by_name[line.name]
    alone = by_name["gender \u00d7 race"]
    assert few.models[0].intersectional.errors == alone.errors
    assert {c.attributes for c in few.coverage} <= {("race",), ("gender",), ("gender", "race")}
    keys = {section.key: section for section in sections(few)}
    assert "reach" not in keys
    assert "no other attribute than race, gender" in " ".join(keys["overview"].sentences)
    with pytest.raises(InputError, match=r"changes 'age'; it has =size, gender, race\."):
        make_report(first, (), ("age",))
    with pytest.raises(InputError, match="'vader' was not tested in this campaign; its models"):
        make_report(first, ["vader"])
