"""Rows of data sets: formats, columns, and rows that cannot be used."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from hinter_core.data.rows import Row, open_table
from hinter_core.errors import InputError
from hinter_core.files.columns import Columns

TEXTS = ["The waiter was kind.", "A woman left, \u00e9l\u00e9gante.", "She read: \u4f60\u597d."]


def write(path: Path, content: str | bytes) -> Path:
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def as_csv(separator: str = ",") -> str:
    rows = [f'{i}{separator}"{t}"{separator}{i % 2}' for i, t in enumerate(TEXTS)]
    return separator.join(("id", "review", "label")) + "\n" + "\n".join(rows) + "\n"


def as_jsonl() -> str:
    return "".join(
        json.dumps({"id": i, "review": t, "label": i % 2}) + "\n" for i, t in enumerate(TEXTS)
    )


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.tsv", "a.jsonl", "A.JSONL.GZ"])
def test_every_format_gives_the_same_rows(tmp_path: Path, name: str) -> None:
    lower = name.lower()
    content = as_jsonl() if "jsonl" in lower else as_csv("\t" if "tsv" in lower else ",")
    path = tmp_path / lower
    table = open_table(write(path, content))
    assert table.columns == Columns("review", "label", "id")
    assert list(table.rows()) == [
        Row(i + 1, str(i), text, str(i % 2)) for i, text in enumerate(TEXTS)
    ]


def test_parquet_with_lists_as_lexglue_has_them(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet as parquet

    table = pyarrow.table({"text": [["He left.", "She stayed there."]], "labels": [[3, 6]]})
    parquet.write_table(table, tmp_path / "a.parquet")
    (row,) = open_table(tmp_path / "a.parquet").rows()
    assert (row.text, row.label) == ("He left.\nShe stayed there.", "3, 6")


def test_plain_text_has_a_text_a_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "\ufeffOne man.\r\n\r\n  A woman. \n")
    assert [row.text for row in open_table(path).rows()] == ["One man.", "A woman."]


def test_the_column_of_texts_is_named_or_found(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "k,opinion,n\nold,A very long opinion of a man.,22\n")
    assert open_table(path).columns == Columns("opinion", "", "")
    assert open_table(path, text="k").columns.text == "k"
    with pytest.raises(InputError, match="no column 'texts'; it has k, opinion, n"):
        open_table(path, text="texts")


def test_a_bad_row_is_a_row_with_its_fault(tmp_path: Path) -> None:
    content = (
        b'text,label\nA man.,1\nragged\n,0\n"caf\xe9 and a w\x00oman",1\n'
        b"too,many,cells\n" + b"x" * 5_000_000 + b",1\nA woman.,0\n"
    )
    rows = list(open_table(write(tmp_path / "a.csv", content)).rows())
    assert [r.number for r in rows] == [1, 2, 3, 4, 5, 6, 7]
    assert [r.fault for r in rows] == [
        "",
        "it has 1 cells where the header has 2",
        "there is no text",
        "",
        "it has 3 cells where the header has 2",
        "it has 2,000,000 characters or more; a quotation mark in it may not be closed",
        "",
    ]
    assert rows[3].text == "caf\u00e9 and a woman"
    assert rows[5].text == ""
    assert rows[6].text == "A woman."


def test_a_text_without_a_word_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "text,n\nA man.,1\n\U0001f44d\U0001f44d,2\n ,3\n")
    faults = [row.fault for row in open_table(path, text="text").rows()]
    assert faults == ["", "the text has no word", "there is no text"]


def test_lines_that_are_no_json_are_faults(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"text": "A man."}\n{"text": \n[1]\n{"text": null}\n')
    faults = [row.fault for row in open_table(path).rows()]
    assert faults[0] == ""
    assert faults[1].startswith("it is no JSON")
    assert faults[2:] == ["it is no JSON object", "there is no text"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", "", "holds no row"),
        ("a.csv", "text\n", "holds no row"),
        ("a.docx", "x", "no known format"),
        ("a", "x", "no known format"),
        ("a.parquet", "no", "cannot be read|no Parquet"),
        ("a.csv", "a,b\n,\n", "no column of texts"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(
    tmp_path: Path, name: str, content: str, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        open_table(write(tmp_path / name, content))


def test_a_missing_or_broken_off_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        open_table(tmp_path / "none.csv")
    whole = gzip.compress(as_csv().encode() * 2000)
    (tmp_path / "half.csv.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="is it whole"):
        list(open_table(tmp_path / "half.csv.gz").rows())
