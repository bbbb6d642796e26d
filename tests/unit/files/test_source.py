"""Files of every kind give the same rows, whatever their names promise."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hinter_core.data.rows import Row, open_table
from hinter_core.errors import InputError
from hinter_core.files.source import open_source

TEXTS = [
    "The cook thanked his aunt, twice.",
    "A deaf man sang; he was loud.",
    'She said "no" | left.',
]
ROWS = [
    {"id": f"r{n}", "text": text, "label": "pos" if n else "neg"} for n, text in enumerate(TEXTS)
]
EXPECTED = [Row(n + 1, row["id"], row["text"], row["label"]) for n, row in enumerate(ROWS)]


def separated(mark: str, quote: Callable[[str], str]) -> str:
    lines = [
        ["id", "text", "label"],
        *([row["id"], quote(row["text"]), row["label"]] for row in ROWS),
    ]
    return "".join(mark.join(line) + "\r\n" for line in lines)


def doubled(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def escaped(cell: str) -> str:
    return '"' + cell.replace('"', '\\"') + '"'


def workbook(rows: list[list[object]]) -> bytes:
    from openpyxl import Workbook

    book, buffer = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(buffer)
    return buffer.getvalue()


def packed(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("__MACOSX/._x", b"\0")
        file.writestr("README.md", "about")
        file.writestr(name, content)
    return buffer.getvalue()


def arrow(*, stream: bool = False, compression: str | None = None) -> bytes:
    import pyarrow

    table, buffer = pyarrow.Table.from_pylist(ROWS), io.BytesIO()
    make = pyarrow.ipc.new_stream if stream else pyarrow.ipc.new_file
    options = pyarrow.ipc.IpcWriteOptions(compression=compression)
    with make(buffer, table.schema, options=options) as writer:
        writer.write_table(table)
    return buffer.getvalue()


CSV = separated(",", doubled).encode()
LISTED = json.dumps(ROWS).encode()
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
FILES = {
    "tabs.csv": separated("\t", str),
    "tabs-quoted.csv": separated("\t", doubled),
    "commas.tsv": CSV,
    "bars.csv": separated("|", doubled),
    "bars.psv": separated("|", escaped),
    "semicolons.csv": separated(";", doubled),
    "escaped.csv": separated(",", escaped),
    "sep.csv": "sep=;\r\n" + separated(";", doubled),
    "sep-tab.csv": "\ufeffsep=\t\n" + separated("\t", doubled),
    "tabs.txt": separated("\t", str),
    "commas.txt": CSV,
    "marked.csv": b"\xef\xbb\xbf" + CSV,
    "utf16.csv": CSV.decode().encode("utf-16"),
    "utf16-bare.tsv": separated("\t", str).encode("utf-16-le"),
    "utf32.csv": CSV.decode().encode("utf-32"),
    "blank-edges.csv": CSV.replace(b"id,text,label", b" id , text,label "),
    "blank-lines.csv": b"\r\n\r\n" + CSV.replace(b"\r\n", b"\r\n\r\n"),
    "list.json": LISTED,
    "list-spread.json": json.dumps(ROWS, indent=2),
    "lines.json": "\n".join(map(json.dumps, ROWS)),
    "list.jsonl": LISTED,
    "spread-one-after-another.json": "\n".join(json.dumps(row, indent=1) for row in ROWS),
    "columns.json": json.dumps(COLUMNS),
    "columns-by-row.json": json.dumps(
        {name: {str(n): cell for n, cell in enumerate(cells)} for name, cells in COLUMNS.items()}
    ),
    "by-id.json": json.dumps(
        {row["id"]: {"text": row["text"], "label": row["label"]} for row in ROWS}
    ),
    "split.json": json.dumps({"columns": list(ROWS[0]), "index": [0, 1, 2],
                              "data": [list(row.values()) for row in ROWS]}),
    "rows-of-cells.json": json.dumps([list(ROWS[0]), *(list(row.values()) for row in ROWS)]),
    "wrapped.json": json.dumps({"version": "1", "data": ROWS}),
    "splits.json": json.dumps({"train": ROWS[:1], "test": ROWS}),
    "rows.csv.gz": gzip.compress(CSV),
    "rows.tsv.bz2": bz2.compress(CSV),
    "rows.csv.xz": lzma.compress(CSV),
    "rows.csv.zip": packed("folder/rows.csv", CSV),
    "rows.zip": packed("rows.jsonl", "\n".join(map(json.dumps, ROWS)).encode()),
    "packed-without-saying.csv": gzip.compress(CSV),
    "rows.json.gz": gzip.compress(LISTED),
    "rows.xlsx": workbook([list(ROWS[0]), *(list(row.values()) for row in ROWS)]),
    "rows.arrow": arrow(),
    "rows.feather": arrow(compression="zstd"),
    "stream.arrow": arrow(stream=True),
    "packed.arrow": arrow(stream=True, compression="lz4"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_kind_gives_the_same_rows(tmp_path: Path, name: str) -> None:
    content = FILES[name]
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    table = open_table(path)
    assert list(table.rows()) == EXPECTED
    assert table.source.in_words()


@pytest.mark.parametrize("splits", [["train"], ["train", "test"]])
def test_a_saved_data_set_names_its_labels_and_its_split(tmp_path: Path, splits: list[str]) -> None:
    import datasets

    features = datasets.Features(
        text=datasets.Value("string"), label=datasets.ClassLabel(names=["calm", "angry"])
    )
    one = datasets.Dataset.from_dict({"text": TEXTS, "label": [1, 0, -1]}, features=features)
    datasets.DatasetDict(dict.fromkeys(splits, one)).save_to_disk(str(tmp_path / "saved"))
    table = open_table(tmp_path / "saved")
    assert [row.label for row in table.rows()] == ["angry", "calm", ""]
    assert splits[-1] in table.source.in_words()
    assert ("test is read" in " ".join(table.source.notes)) is (len(splits) > 1)
    single = open_table(tmp_path / "saved" / "train")
    assert [row.text for row in single.rows()] == TEXTS
    one.to_parquet(str(tmp_path / "named.parquet"))
    assert next(iter(open_table(tmp_path / "named.parquet").rows())).label == "angry"


def test_several_splits_without_a_test_are_named(tmp_path: Path) -> None:
    import datasets

    one = datasets.Dataset.from_dict({"text": TEXTS})
    datasets.DatasetDict(a=one, b=one).save_to_disk(str(tmp_path / "saved"))
    with pytest.raises(InputError, match=r"holds the splits a, b; name the folder .*saved/a"):
        open_table(tmp_path / "saved")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("two.zip", packed("a.csv", CSV) + b"", ""),
        ("a.csv.gz", CSV, "is no gzip file, as its name says"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "old workbook; save it as .xlsx"),
        ("a.xlsx", CSV, "is no workbook"),
        ("a.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is no table and no text"),
        ("a.txt", b"\0\xff" * 500, "is no table and no text"),
        ("a.jsonl", b"%PDF-1.7\n1 0 obj", "is no table and no text"),
        ("a.txt.gz", gzip.compress(bytes(range(256)) * 9, mtime=0), "is no table and no text"),
        ("a.csv", b"text,label\n\0,\0\n", ""),
        ("a.json", b'[{"text": "x"}, {"text":', "is no JSON file"),
        ("a.json", b'[{"text": "x"}] and more', "is no JSON file"),
        ("a.json", json.dumps({"a": ROWS, "b": ROWS}).encode(), "holds several tables"),
        ("a.parquet.gz", gzip.compress(b"PAR1" + b"x" * 20, mtime=0), "must be unpacked first"),
        ("a.arrow", b"ARROW1\0\0" + b"x" * 40, "no file of Arrow"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_why(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(content)
    if words:
        with pytest.raises(InputError, match=words):
            open_table(tmp_path / name)
    else:
        assert open_table(tmp_path / name).names


def test_a_zip_with_two_tables_names_them(tmp_path: Path) -> None:
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("train.csv", CSV)
        file.writestr("test.csv", CSV)
    with pytest.raises(InputError, match=r"holds 2 files \(train.csv, test.csv\); unpack it"):
        open_source(path)


def test_columns_without_a_name_or_with_one_name_are_renamed_and_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(",text,text,label,text\n0,He left his wife.,b,1,c\n1,She met a man.,e,0,f\n")
    source = open_source(path)
    assert source.names == ("column 1", "text", "text (2)", "label", "text (3)")
    assert any("without a name is called 'column 1'" in note for note in source.notes)
    assert sum("is there twice" in note for note in source.notes) == 2
    assert [row.text for row in open_table(path).rows()] == ["He left his wife.", "She met a man."]


@pytest.mark.parametrize(
    "content",
    [
        "0\tThe nurse met her aunt.\n1\tA man sang to his wife.\n",
        "The nurse met her aunt.;pos\nA man sang to his wife.;neg\nA boy ran.;pos\n",
        "3,1,The nurse was late again.\n4,0,A deaf man sang.\n",
    ],
)
def test_a_first_row_of_data_is_no_header(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    table = open_table(path)
    rows = list(table.rows())
    assert len(rows) == content.count("\n")
    assert all(not row.fault and " " in row.text for row in rows)
    assert "no header" in table.source.in_words()
    column = table.columns.text
    assert [row.text for row in open_table(path, text=column).rows()] == [row.text for row in rows]


def test_a_text_with_a_text_on_each_line_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("He came, and left.\nShe sang, too.\nA man; a boat.\n")
    assert [row.text for row in open_table(path).rows()] == path.read_text().splitlines()
