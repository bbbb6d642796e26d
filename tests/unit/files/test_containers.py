"""Files that unpack to far more than they hold: refused or cut off, in bounded memory."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import numpy
import pytest

from hinter_core.data.rows import open_table
from hinter_core.errors import InputError
from hinter_core.files import columnar, containers
from hinter_core.files.pages import sizes

MILLION = 1_000_000
PEAK = """
import json, resource, sys
from itertools import islice
from pathlib import Path
from hinter_core.files import columnar, containers
from hinter_core.data.rows import open_table
from hinter_core.errors import InputError
import pyarrow.parquet
containers.UNPACKED = 30_000_000  # smaller bombs are packed sooner
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
said = []
for name in sys.argv[1:]:
    try:
        said.append([row.fault for row in islice(open_table(Path(name)).rows(), 10_000)][-1])
    except InputError as error:
        said.append(str(error))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([said, (after - before) // 1024]))
"""


def zipped(path: Path, parts: Iterable[bytes]) -> Path:
    with gzip.open(path, "wb") as file:
        for part in parts:
            file.write(part)
    return path


@pytest.mark.slow
def test_bombs_take_no_memory(tmp_path: Path) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    def table(name: str, columns: dict[str, object], **options: object) -> Path:
        parquet.write_table(arrow.table(columns), tmp_path / name, **options)  # type: ignore[arg-type]
        return tmp_path / name

    head, much = b"text,label\nA man.,1\n", [b"x" * MILLION] * 60
    text = "a man " * MILLION
    zeros = arrow.array(numpy.zeros(12 * MILLION, dtype="int8"))
    zeros = arrow.ListArray.from_arrays([0, len(zeros)], zeros)
    bombs = [
        zipped(tmp_path / "line.csv.gz", [head, *much]),
        zipped(tmp_path / "quote.csv.gz", [head, b'"', *[b"a man\n" * 100_000] * 100]),
        zipped(tmp_path / "cells.csv.gz", [head, *[b'"\n",' * 200_000] * 60]),
        zipped(tmp_path / "line.jsonl.gz", [b'{"text": "A man."}\n{"text": "', *much]),
        zipped(tmp_path / "deep.jsonl.gz", [b'{"text": "A man."}\n', *[b"[" * MILLION] * 60]),
        zipped(tmp_path / "line.txt.gz", [b"A man.\n", *much]),
        table("same.parquet", {"text": [text] * 60}),
        table("page.parquet", {"text": ["x" * (40 * MILLION)]}, compression="zstd"),
        table("lists.parquet", {"text": ["A man."], "n": zeros}),
    ]
    assert sum(path.stat().st_size for path in bombs) < MILLION
    run = [sys.executable, "-c", PEAK, *map(str, bombs)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    said, mebibytes = json.loads(done.stdout)
    assert mebibytes < 250
    assert all(said), said
    for path, fault in zip(bombs, said, strict=True):
        refused = "unpacks to more than 200 times its size" in fault
        assert refused or path.name.split(".")[0] not in ("page", "lists"), (path, fault)


def varint(number: int, length: int = 0) -> bytes:
    """A number as Thrift writes it, in so many bytes if asked for."""
    left, out = number << 1, bytearray()
    while left > 127 or len(out) + 1 < length:
        out.append(left & 127 | 128)
        left >>= 7
    return bytes([*out, left])


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("nested", [False, True])
def test_a_parquet_file_that_lies_about_its_pages_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, nested: bool
) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    path = tmp_path / "lies.parquet"
    texts: list[object] = [["x" * 3 * MILLION]] if nested else ["x" * 3 * MILLION]
    parquet.write_table(
        arrow.table({"text": texts}), path, compression="zstd", data_page_version=version,
        use_dictionary=False, write_statistics=False,
    )  # fmt: skip
    size = parquet.read_metadata(path).row_group(0).column(0).total_uncompressed_size
    body, told = path.read_bytes(), varint(size)
    assert len(told) == 4
    footer = body.rindex(b"PAR1") - 4 - int.from_bytes(body[-8:-4], "little")
    assert body[footer:].count(told) >= 1
    path.write_bytes(body[:footer] + body[footer:].replace(told, varint(100, 4)))
    assert parquet.read_metadata(path).row_group(0).column(0).total_uncompressed_size == 100
    assert len(list(open_table(path).rows())) == 1  # small enough all the same
    monkeypatch.setattr(containers, "UNPACKED", MILLION)
    monkeypatch.setattr(containers, "RATIO", 1)
    with pytest.raises(InputError, match="unpacks to more than"):
        open_table(path)


@pytest.mark.parametrize("fill", [b"\0", b"\xff", b"\x1c", b"\x15\x15"])
def test_damaged_headers_of_pages_are_a_clear_error(tmp_path: Path, fill: bytes) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    path = tmp_path / "damaged.parquet"
    parquet.write_table(arrow.table({"text": ["A man."] * 100}), path, compression=None)
    place = parquet.read_metadata(path).row_group(0).column(0).dictionary_page_offset
    body = bytearray(path.read_bytes())
    body[place : place + 20] = (fill * 20)[:20]
    path.write_bytes(bytes(body))
    with pytest.raises(InputError, match="is no Parquet file"):
        open_table(path)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["snappy", "zstd", None])
def test_ordinary_pages_are_followed(tmp_path: Path, version: str, compression: str | None) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    path = tmp_path / "fine.parquet"
    rows = {
        "text": [f"The man {n} was kind. " + "x" * n for n in range(3_000)],
        "n": list(range(3_000)),
        "facts": [["a", "b"] * (n % 3) for n in range(3_000)],
        "deep": [{"a": [n, None], "b": "c"} for n in range(3_000)],
    }
    parquet.write_table(
        arrow.table(rows), path, compression=compression or "none", data_page_version=version,
        data_page_size=100, write_batch_size=20, row_group_size=1_000,
        write_page_checksum=True,
    )  # fmt: skip
    metadata = parquet.read_metadata(path)
    values, unpacked = Counter[int](), Counter[int]()
    dictionaries = sum(
        metadata.row_group(g).column(c).has_dictionary_page for g in range(3) for c in range(5)
    )
    pages = 0
    for _, column, size, count in sizes(path, metadata):
        values[column] += count
        unpacked[column] += size
        pages += 1
    assert pages > 100 + dictionaries
    for column in range(5):
        told = [metadata.row_group(group).column(column) for group in range(3)]
        assert values[column] == sum(one.num_values for one in told)
        assert unpacked[column] < sum(one.total_uncompressed_size for one in told)
    assert sum(not row.fault for row in open_table(path).rows()) == 3_000


def test_only_long_strings_of_many_rows_are_held_once(tmp_path: Path) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    path = tmp_path / "shared.parquet"
    rows = {"text": [f"Text {n}" for n in range(99)], "long": ["x" * 3 * MILLION] * 99}
    parquet.write_table(arrow.table(rows), path)
    metadata = parquet.read_metadata(path)
    assert columnar._shared(metadata, columnar._require_modest(path, metadata)) == ["long"]
    prefix = {"column_encoding": {"text": "DELTA_BYTE_ARRAY", "long": "PLAIN"}}
    parquet.write_table(
        arrow.table({**rows, "long": rows["text"]}), path, use_dictionary=False, **prefix
    )
    metadata = parquet.read_metadata(path)
    assert columnar._shared(metadata, columnar._require_modest(path, metadata)) == ["text"]


@pytest.mark.slow
def test_one_long_record_ends_no_table(tmp_path: Path) -> None:
    """A quotation mark that is closed beyond the longest record, and rows after it."""
    rows = [b"text,label", b"A man.,1", b'"' + b"long\n" * 500_000 + b'",0', b"A woman.,0"]
    found = list(open_table(zipped(tmp_path / "a.csv.gz", [b"\n".join(rows)])).rows())
    faults = [row.fault for row in found]
    assert faults[0] == ""
    assert any("a quotation mark in it may not be closed" in fault for fault in faults)
    assert next(row.text for row in found if not row.fault) == "A man."
    lines = [b'{"text": "A man."}', b'{"text": "' + b"x" * 3 * MILLION + b'"}', b'{"text": "He."}']
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join(lines))
    assert [row.fault for row in open_table(path).rows()] == [
        "", "it has 2,000,000 characters or more", "",
    ]  # fmt: skip


def test_a_first_line_without_an_end_is_no_header(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.csv.gz", [b"x" * 3 * MILLION, b"\nA man.\n"])
    with pytest.raises(InputError, match="names no columns: it has 2,000,000 characters"):
        open_table(path)


def test_a_table_that_is_packed_well_is_read(tmp_path: Path) -> None:
    rows = (f"The man {n} was kind.,1\n".encode() for n in range(50_000))
    path = zipped(tmp_path / "a.csv.gz", [b"text,label\n", *rows])
    assert sum(1 for row in open_table(path).rows() if not row.fault) == 50_000


def test_a_damaged_file_is_no_table(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "a.csv.gz", [b"text\n", b"A man.\n" * 100_000]).read_bytes()
    path = tmp_path / "b.csv.gz"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="is it whole"):
        list(islice(open_table(path).rows(), 200_000))
