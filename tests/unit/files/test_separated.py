"""Rows with separated cells: dialects, quotation marks that are not closed, columns without any."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinter_core.data.rows import open_table
from hinter_core.errors import InputError
from hinter_core.files import containers
from hinter_core.files.dialects import Dialect, sniff
from hinter_core.files.source import open_source

_TEXT = st.text(st.sampled_from("abe \"',;|\\\t\n\u00e9\u4f60."), max_size=30)
_FORMS: dict[str, dict[str, object]] = {
    "minimal": {},
    "all": {"quoting": csv.QUOTE_ALL},
    "escaped": {"quoting": csv.QUOTE_ALL, "doublequote": False, "escapechar": "\\"},
}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("form", _FORMS)
@given(texts=st.lists(_TEXT, min_size=1, max_size=12))
@settings(max_examples=25, deadline=None)
def test_any_table_in_any_dialect_is_read_back(separator: str, form: str, texts: list[str]) -> None:
    if form == "escaped" and not any('"' in text or "\\" in text for text in texts):
        texts = [*texts, 'She said "so".']
    rows = [[f"r{n}", f"The {text} end.", str(n % 2)] for n, text in enumerate(texts)]
    if form == "escaped":  # without a mark, nothing tells this dialect
        rows.append(["last", 'A "plain, old; | word"\tof hers', "1"])
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, **_FORMS[form])  # type: ignore[arg-type]
    writer.writerows([["id", "text", "label"], *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(stream.getvalue().encode())
        records = list(open_source(path).records())
    assert [list(values.values()) for values, _ in records] == rows
    assert not any(fault for _, fault in records)


RUNAWAY = {
    "tabs": "id\tpost\tlabel\n" + "".join(
        f"{n}\t{mark}The man next door is late\tOFF\n"
        for n, mark in enumerate(['"', "", '"', "", ""])),
    "closed by luck": 'id\tpost\tlabel\n1\t"My wife is late\tOFF\n2\tHe said hello"\tNOT\n'
                      "3\tA girl ran off\tNOT\n4\tA boy ran off\tOFF\n",
    "commas": 'id,post,label\n' + "".join(
        f'{n},"A man, old and kind",OFF\n' for n in range(4))
        + '4,"My wife is late,OFF\n'
        + "".join(f'{n},"The man, again",NOT\n' for n in range(5, 9)),
    "never closed": "id,post,label\n1,A man ran off,OFF\n2,A boy ran off,NOT\n"
                    '3,"She sang,NOT\n4,He ran,OFF\n',
}  # fmt: skip


@pytest.mark.parametrize("name", RUNAWAY)
def test_a_quotation_mark_that_is_not_closed_takes_in_no_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(RUNAWAY[name])
    rows = list(open_table(path).rows())
    assert len(rows) == RUNAWAY[name].count("\n") - 1
    assert not any("\n" in row.text or row.fault for row in rows)
    assert {row.label for row in rows} == {"OFF", "NOT"} or name == "tabs"


def test_texts_of_several_lines_are_no_rows(tmp_path: Path) -> None:
    text = "He left, late.\nShe stayed, and sang.\n\nThey met, again."
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "".join(f'"{text}",{n}\n' for n in (0, 1, 1)))
    assert [row.text for row in open_table(path).rows()] == [text] * 3


def test_a_mark_after_many_rows_without_any(tmp_path: Path) -> None:
    rows = [f"{n}\tThe man number {n} was kind\tOFF" for n in range(6_000)]
    rows[5_000] = '5000\t"The man was odd\tOFF'
    path = tmp_path / "a.tsv"
    path.write_text("id\ttext\tlabel\n" + "\n".join(rows) + "\n")
    found = list(open_table(path).rows())
    assert len(found) == 6_000
    assert found[5_000].text == '"The man was odd'


def test_lines_are_not_given_back_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line opens a quotation mark that only the file's end would close."""
    monkeypatch.setattr(containers, "_REREAD", 20_000)
    path = tmp_path / "a.csv"
    path.write_text("text,label,more\n" + 'x","\n' * 3_000)
    faults = [row.fault for row in open_table(path).rows()]
    assert len(faults) < 3_000
    assert "takes in" in faults[-1]


def test_hardly_anything_but_blank_lines_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers, "BLANK", (1_000, 10))
    for name in ("a.csv", "a.jsonl", "a.txt"):
        path = tmp_path / name
        path.write_text('{"text": "A man."}' + "\n" * 5_000)
        with pytest.raises(InputError, match="blank lines and hardly any others"):
            list(open_table(path).rows())
        row = '{"text": "A man."}'
        path.write_text(f"{row}\n\n\n" * 2_000)
        assert sum(1 for _ in open_table(path).rows()) >= 2_000


@pytest.mark.parametrize(
    ("lines", "separator", "quoting"),
    [
        (["a;b,c\n", "1;2\n", "3;4\n"], ";", "doubled"),
        (['text;"label, gold"\n', "A man, old;1\n", "A boy, sad;0\n"], ";", "doubled"),
        (["text;score\n", "A man left;0,5\n", "She sang;0,7\n"], ";", "doubled"),
        (['remark;"gold, label"\n', "A man, old;1\n", "A boy, sad;0\n"], ";", "doubled"),
        (["text\n", "He, too, left.\n", "She sang.\n"], "", "doubled"),
        (['a\tb\n', '"x\t1\n', 'y"\t2\n', '"z\t3\n'], "\t", "plain"),
        (['a,b\n', '"x \\"y\\", z",1\n', '"u",2\n'], ",", "escaped"),
    ],
)  # fmt: skip
def test_the_dialect_is_that_of_the_rows(lines: list[str], separator: str, quoting: str) -> None:
    found = sniff(lines, ",", {"text"}).dialect
    assert found == Dialect(separator, quoting)
