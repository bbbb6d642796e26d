"""Less usual tables: stated separators, marks, comments, objects, sheets, pointers, categories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from hinter_core.data.rows import Table, open_table
from hinter_core.errors import InputError
from hinter_core.files.columns import inner_names, value_of
from hinter_core.report.metrics.accuracy import label_reader
from hinter_core.terms.dictionary import load_file

TEXTS = ["The clerk, a widow, sang.", "A deaf man left, too.", "My wife, they say, ran."]
LABELS = ["bad", "good", "bad"]


def table_of(folder: Path, content: str, name: str = "a.csv") -> Table:
    path = folder / name
    path.write_text(content, encoding="utf-8", newline="")
    return open_table(path)


def read(table: Table) -> list[tuple[str, str, str]]:
    return [(row.text, row.label, row.fault) for row in table.rows()]


ROWS = [(text, label, "") for text, label in zip(TEXTS, LABELS, strict=True)]


@pytest.mark.parametrize("stated", ["SEP=;", "Sep=;", '"SEP=;"', "\n\nsep=;", "\nSEP=; "])
def test_a_stated_separator_in_any_case_and_place(tmp_path: Path, stated: str) -> None:
    body = "".join(f"{text};{label}\n" for text, label, _ in ROWS)
    assert read(table_of(tmp_path, f"{stated}\ntext;label\n{body}")) == ROWS


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("form", ["'{}'{}'{}'", "'{}'{}{}", "'{}'{} '{}'"])
def test_single_quotation_marks(tmp_path: Path, separator: str, form: str) -> None:
    body = "".join(form.format(text, separator, label) + "\n" for text, label, _ in ROWS)
    assert read(table_of(tmp_path, f"text{separator}label\n{body}")) == ROWS


def test_single_marks_within_a_cell_are_doubled_or_escaped(tmp_path: Path) -> None:
    for mark in ("''", "\\'"):
        body = "".join(f"'{text} She{mark}s here, now.','{label}'\n" for text, label, _ in ROWS)
        texts = [text for text, *_ in read(table_of(tmp_path, f"text,label\n{body}"))]
        assert texts == [f"{text} She's here, now." for text in TEXTS]


@pytest.mark.parametrize("text", ["'Tis cold for a nun", "'So' said the nun", "the nuns'"])
def test_an_apostrophe_is_no_quotation_mark(tmp_path: Path, text: str) -> None:
    table = table_of(tmp_path, "text,label\n" + f"{text},bad\n" * 3)
    assert read(table) == [(text, "bad", "")] * 3


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_blanks_after_the_separator(tmp_path: Path, separator: str) -> None:
    body = "".join(f'"{text}"{separator} "{label}"\n' for text, label, _ in ROWS)
    assert read(table_of(tmp_path, f"text{separator} label\n{body}")) == ROWS


@pytest.mark.parametrize("distinct", [1, 2, 4])
def test_the_values_of_a_category_are_no_texts(tmp_path: Path, distinct: int) -> None:
    body = "".join(
        f"a long and winding name of the department of number {n % distinct} here,The nun {n}"
        f" has sung.\n"
        for n in range(16)
    )
    assert table_of(tmp_path, f"department,remark\n{body}").columns.text == "remark"


@pytest.mark.parametrize(
    "code",
    [
        "R0lGODlhAQABAIAAAAUEBA" * 6 + "==",
        "R0lGODlhAQABAIAAAAUEBA" * 4 + " " + "AB9xR0lG" * 9,
        "data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    ],
)
def test_codes_are_no_texts(tmp_path: Path, code: str) -> None:
    body = "".join(f'"{code}","{text}"\n' for text in TEXTS)
    assert table_of(tmp_path, f"picture,remark\n{body}").columns.text == "remark"


def turn(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}, {"role": "assistant", "content": "Yes."}]


NESTED: dict[str, Any] = {
    "data.text": lambda t: {"id": 1, "data": {"text": t}, "annotations": [{"result": []}]},
    "body.messages": lambda t: {"custom_id": "r", "method": "POST", "body": {"messages": turn(t)}},
    "item.inner.remark": lambda t: {"key": "k", "item": {"inner": {"remark": t}}},
    "text": lambda t: {"meta": {"text": "Not this one, please."}, "text": t},
    "said": lambda t: {"said": t, "meta": {"text": "Not this one, please."}},
}


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_texts_in_objects(tmp_path: Path, name: str, ending: str) -> None:
    records = [NESTED[name](text) for text in TEXTS]
    lines = "\n".join(map(json.dumps, records))
    table = table_of(tmp_path, json.dumps(records) if ending == "json" else lines, f"a.{ending}")
    assert table.columns.text == name
    assert name in table.names
    assert [text for text, *_ in read(table)] == TEXTS


def test_a_dotted_column_may_be_named_and_brings_its_label(tmp_path: Path) -> None:
    records = [{"x": {"text": t, "note": "No."}, "y": {"label": la}} for t, la, _ in ROWS]
    table = table_of(tmp_path, json.dumps(records), "a.json")
    assert read(table) == ROWS
    assert open_table(tmp_path / "a.json", "X.Note").columns.text == "x.note"


def test_names_within_objects_are_bounded_and_a_dot_may_be_part_of_a_name() -> None:
    deep = {"a": {"b": {"c": {"d": {"e": 1}}}}, "f.g": 2}
    assert inner_names(deep) == ["a.b", "a.b.c", "a.b.c.d"]
    assert [value_of(deep, name) for name in ("f.g", "a.b.c.d.e", "a.x", "f.x.y")] == [
        2, 1, None, None,
    ]  # fmt: skip


def test_a_list_of_lists_without_a_header_loses_no_row(tmp_path: Path) -> None:
    rows = [[text, label] for text, label, _ in ROWS]
    assert [t for t, *_ in read(table_of(tmp_path, json.dumps(rows), "a.json"))] == TEXTS
    headed = [["text", "label"], *rows]
    assert read(table_of(tmp_path, json.dumps(headed), "a.json")) == ROWS
    alone = json.dumps([[text] for text in TEXTS])
    assert [t for t, *_ in read(table_of(tmp_path, alone, "a.json"))] == TEXTS
    numbers = json.dumps([[text, 1] for text in TEXTS])
    assert [t for t, *_ in read(table_of(tmp_path, numbers, "a.json"))] == TEXTS


@pytest.mark.parametrize("first", [[], [["Written in May"]], [["", None], ["One line"]]])
def test_the_first_sheet_with_a_table_is_read(tmp_path: Path, first: list[list[Any]]) -> None:
    book = Workbook()
    for row in first:
        book.active.append(row)
    sheet = book.create_sheet("Answers")
    for values in [["text", "label"], *([text, label] for text, label, _ in ROWS)]:
        sheet.append(values)
    book.save(tmp_path / "a.xlsx")
    table = open_table(tmp_path / "a.xlsx")
    assert read(table) == ROWS
    assert table.source.notes == ("The sheet 'Answers' is read, the first with a table.",)
    book.move_sheet("Answers", -1)
    book.save(tmp_path / "a.xlsx")
    assert open_table(tmp_path / "a.xlsx").source.notes == table.source.notes


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.csv.gz", "a.xlsx"])
def test_a_pointer_to_a_large_file_is_named(tmp_path: Path, name: str) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
    with pytest.raises(InputError, match=r"only a pointer of Git LFS .* git lfs pull\.$"):
        table_of(tmp_path, pointer, name)


@pytest.mark.parametrize("above", ["# jobs\n", "#\n# jobs, of two kinds\n\n", "#jobs;more\n# x\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_comments_above_a_header(tmp_path: Path, above: str, separator: str) -> None:
    path = tmp_path / "jobs.csv"
    body = "term,group\nmiller,old\nanalyst,new\n".replace(",", separator)
    path.write_text(above + body, encoding="utf-8")
    assert [term.text for term in load_file(path).terms] == ["miller", "analyst"]


def test_a_first_row_with_a_number_sign_is_no_comment(tmp_path: Path) -> None:
    table = table_of(tmp_path, "#,remark\n1,The nun sang.\n2,The nun ran.\n")
    assert list(table.names) == ["#", "remark"]


@pytest.mark.parametrize("known", [("0", "1"), ("false", "true")])
def test_truth_is_named_in_two_ways(known: tuple[str, str]) -> None:
    read_label = label_reader(known)
    for cell, place in {"TRUE": 1, "True": 1, "false": 0, "1": 1, "0.0": 0}.items():
        assert read_label(cell) == {known[place]}
    assert read_label("2") is None
    assert label_reader(("0", "1", "2"))("true") is None
