"""Read tables whose cells have types: Parquet, Arrow, workbooks (.xlsx) and saved data sets.

Labels that a data set stores as numbers with names (``ClassLabel``) are read by their names. What a
file unpacks to is bounded before it is read.
"""

import json
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any

from hinter_core.errors import InputError, first_line
from hinter_core.files.containers import LONGEST, Record, most_unpacked, too_much
from hinter_core.files.pages import PagesError, chunks, sizes

_VALUES = 10_000_000, 10_000  # of a column of Parquet: in a row group, and for each of its rows
_BATCH = 16  # rows that are read at once
_LARGE = 2_000_000  # bytes of a page whose strings may be far longer together than apart
_HIDDEN = -1  # the label of a row whose label is not published
_WORKBOOK, _WIDEST, _BLANK = 100_000_000, 2_000, 1_100_000  # bytes, columns, blank rows
ARROW_FILE, ARROW_STREAM = b"ARROW1", b"\xff\xff\xff\xff"


def label_names(feature: Any, better: Mapping[str, str] = {}) -> Callable[[Any], Any]:
    """Return a function from a stored label (a number, or a list of them) to its name or names.

    ``feature``: of the column, as :mod:`datasets` has it or as it is stored in a file.
    """
    names = class_names(feature)

    def one(value: Any) -> str:
        if value is None or value == _HIDDEN:
            return ""
        known = names and isinstance(value, int) and 0 <= value < len(names)
        named = names[value] if known else str(value)
        return better.get(named, named)

    def label_of(value: Any) -> str:
        return ", ".join(map(one, value)) if isinstance(value, list) else one(value)

    return label_of


def class_names(feature: Any) -> Any:
    """Return the names of a column of labels, or of lists of labels; None without any."""
    if isinstance(feature, Mapping):
        feature = feature.get("feature", feature)
        names = feature.get("names") if isinstance(feature, Mapping) else None
        return names if isinstance(names, list) and all(isinstance(n, str) for n in names) else None
    return getattr(getattr(feature, "feature", feature), "names", None)


def labels_by_column(features: Mapping[str, Any] | None) -> dict[str, Callable[[Any], Any]]:
    """Return :func:`label_names` of each column that has them."""
    return {name: label_names(one) for name, one in (features or {}).items() if class_names(one)}


def _named(schema: Any) -> dict[str, Callable[[Any], Any]]:
    """Return the names of labels by column, from what data sets note in a file's schema."""
    try:
        noted = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        features = noted["info"]["features"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return labels_by_column(features) if isinstance(features, Mapping) else {}


def _of_batches(schema: Any, batches: Iterator[Any], at_once: int = 1) -> Iterator[Record]:
    names = _named(schema)
    for batch in batches:
        for place in range(0, batch.num_rows, at_once):
            for values in batch.slice(place, at_once).to_pylist():
                yield {name: names.get(name, _cut)(value) for name, value in values.items()}, ""


def _cut(value: Any) -> Any:
    return value[: LONGEST + 1] if isinstance(value, str | bytes) else value


# -- Parquet ------------------------------------------------------------------------------------


def parquet_count(path: Path) -> int:
    """Return the number of rows that a file of Parquet states."""
    import pyarrow.parquet as parquet

    return int(parquet.read_metadata(path).num_rows)


def parquet_records(path: Path) -> Iterator[Record]:
    """Yield all records of a file of Parquet.

    Raises:
        InputError: it is damaged, or unpacks to far more than a table of texts.
    """
    import pyarrow.parquet as parquet
    from pyarrow import ArrowException

    try:
        metadata = parquet.read_metadata(path)
        shared = _shared(metadata, _require_modest(path, metadata))
        with parquet.ParquetFile(path, read_dictionary=shared) as file:
            batches = file.iter_batches(batch_size=_BATCH, use_threads=False)
            yield from _of_batches(file.schema_arrow, batches, at_once=1 if shared else _BATCH)
    except ArrowException as error:
        raise InputError(f"{path} is no Parquet file ({error}).") from error


def _shared(metadata: Any, largest: Mapping[int, int]) -> list[str]:
    """Return the columns whose long strings are stored once for many rows, and must be held once.

    Reading them so takes 30 times as long. ``largest``: bytes of the largest page, by column.
    """
    schema = metadata.schema
    beside = {n for _, n, chunk in chunks(metadata) if "DELTA_BYTE_ARRAY" in chunk.encodings}
    return [
        schema.column(place).path
        for place in range(len(schema))
        if schema.column(place).physical_type == "BYTE_ARRAY"
        and "." not in schema.column(place).path
        and (place in beside or largest.get(place, 0) > _LARGE)
    ]


def _require_modest(path: Path, metadata: Any) -> dict[int, int]:
    """Refuse a file of Parquet whose columns unpack to far more than texts do.

    Returns the bytes of the largest page of each column.

    Raises:
        InputError: it does, by its footer or by the headers of its pages; or these are damaged.
    """
    pages = (
        (number, place, chunk.total_uncompressed_size, chunk.num_values)
        for number, place, chunk in chunks(metadata)
    )
    most, (values, of_a_row) = most_unpacked(path), _VALUES
    largest = dict[int, int]()
    try:
        for source in (pages, sizes(path, metadata)):
            unpacked, counts = Counter[int](), Counter[tuple[int, int]]()
            largest = {}
            for number, place, size, count in source:
                unpacked[number] += size
                largest[place] = max(size, largest.get(place, 0))
                # Only lists have more values than the rows that are read at once.
                if metadata.schema.column(place).max_repetition_level:
                    counts[number, place] += count
                rows = metadata.row_group(number).num_rows
                bound = min(max(values, of_a_row * rows), 5 * values)
                if unpacked[number] > most or counts[number, place] > bound:
                    raise too_much(path)
    except PagesError as error:
        raise InputError(f"{path} is no Parquet file (the headers of its pages).") from error
    return largest


# -- Arrow --------------------------------------------------------------------------------------


def arrow_records(path: Path) -> Iterator[Record]:
    """Yield all records of a file of Arrow: of its file format (Feather), or a stream.

    Raises:
        InputError: it is damaged, or unpacks to far more than a table of texts.
    """
    import pyarrow
    from pyarrow import ipc

    try:
        with pyarrow.memory_map(str(path)) as raw:
            stream = raw.read(6) != ARROW_FILE
            raw.seek(0 if stream else 8)
            _require_modest_messages(path, ipc.MessageReader.open_stream(raw))
            raw.seek(0)
            opened = ipc.open_stream(raw) if stream else ipc.open_file(raw)
            batches = (
                iter(opened)
                if stream
                else (opened.get_batch(n) for n in range(opened.num_record_batches))
            )
            yield from _of_batches(opened.schema, _modest(path, batches))
    except (pyarrow.ArrowException, StopIteration) as error:
        raise InputError(f"{path} is no file of Arrow ({error}).") from error


def _modest(path: Path, batches: Iterator[Any]) -> Iterator[Any]:
    """Refuse more rows than a file of this size can hold texts; nulls take no room."""
    rows, most = 0, max(_VALUES[0], path.stat().st_size)
    for batch in batches:
        rows += batch.num_rows
        if rows > most:
            raise too_much(path)
        batch.validate(full=True)  # places beyond the buffers would end the process
        yield batch


def _require_modest_messages(path: Path, messages: Any) -> None:
    """Refuse messages whose compressed buffers say that they unpack to far more than texts."""
    most = most_unpacked(path)
    while True:
        try:
            message = messages.read_next_message()
        except StopIteration:
            return
        if message.type not in ("record batch", "dictionary batch", "record_batch"):
            continue
        unpacked = 0
        try:
            for start in _compressed(bytes(message.metadata)):
                (size,) = struct.unpack_from("<q", message.body, start)
                unpacked += max(size, 0)
        except (struct.error, IndexError, ValueError) as error:
            raise InputError(f"{path} is no file of Arrow (its messages).") from error
        if unpacked > most:
            raise too_much(path)


def _compressed(data: bytes) -> list[int]:
    """Return where the compressed buffers of a batch begin (Arrow's ``Message.fbs``)."""
    message = struct.unpack_from("<I", data, 0)[0]
    kind, header = _field(data, message, 1), _field(data, message, 2)
    batch = header + struct.unpack_from("<I", data, header)[0]
    if data[kind] == 2:  # a dictionary holds a batch
        inner = _field(data, batch, 1)
        batch = inner + struct.unpack_from("<I", data, inner)[0]
    buffers = _field(data, batch, 2)
    if not _field(data, batch, 3) or not buffers:
        return []
    start = buffers + struct.unpack_from("<I", data, buffers)[0]
    (count,) = struct.unpack_from("<I", data, start)
    if count > len(data):
        raise ValueError("more buffers than bytes")
    blocks = (struct.unpack_from("<qq", data, start + 4 + 16 * n) for n in range(count))
    return [offset for offset, length in blocks if length > 0]


def _field(data: bytes, table: int, number: int) -> int:
    """Return where a field of a flatbuffer's table lies; 0 if it is not given."""
    layout = table - struct.unpack_from("<i", data, table)[0]
    (size,) = struct.unpack_from("<H", data, layout)
    if 4 + 2 * number >= size:
        return 0
    offset: int = struct.unpack_from("<H", data, layout + 4 + 2 * number)[0]
    return table + offset if offset else 0


# -- workbooks ----------------------------------------------------------------------------------


def workbook_rows(path: Path) -> Iterator[tuple[str, list[Any]]]:
    """Yield the rows of a workbook's first sheet with several; blank rows are left out.

    Each comes with the name of the sheet, if there are several. Where all sheets have one row at
    most, it is the first of these.

    Raises:
        InputError: it is damaged, or far larger than a table of texts.
    """
    import zipfile

    from openpyxl import load_workbook

    with zipfile.ZipFile(path) as file:
        if sum(one.file_size for one in file.infolist()) > _WORKBOOK:
            raise InputError(
                f"{path} unpacks to more than {_WORKBOOK // 1_000_000} MB; save the sheet as CSV."
            )
    try:
        book = load_workbook(path, read_only=True, data_only=True)
        alone: list[tuple[str, list[Any]]] = []
        for sheet in book.worksheets:
            title = sheet.title if len(book.worksheets) > 1 else ""
            rows = zip(repeat(title), _filled(path, sheet))
            first = list(islice(rows, 2))
            if len(first) == 2:
                yield from chain(first, rows)
                return
            alone = alone or first
        yield from alone
    except InputError:
        raise
    except Exception as error:  # made by others, workbooks fail in many ways
        raise InputError(f"{path} cannot be read ({first_line(error)}); is it whole?") from error


def _filled(path: Path, sheet: Any) -> Iterator[list[Any]]:
    """Yield the rows of a sheet that are not blank."""
    blank = 0
    for row in sheet.iter_rows(values_only=True):
        if len(row) > _WIDEST or blank > _BLANK:
            raise InputError(
                f"{path} has more than {_WIDEST:,} columns, or {_BLANK:,} blank rows; save the "
                "sheet as CSV."
            )
        if any(cell is not None for cell in row):
            yield list(row)
        else:
            blank += 1


# -- saved data sets ----------------------------------------------------------------------------


def is_saved(path: Path) -> bool:
    """Whether a folder is a data set that ``datasets`` saved."""
    names = ("state.json", "dataset_dict.json")
    return path.is_dir() and any((path / name).is_file() for name in names)


def open_folder(folder: Path) -> Mapping[str, Any]:
    """Open the splits of a data set in a folder, saved by ``datasets`` or as plain files.

    Raises:
        InputError: there is no data set in it, or it cannot be read.
    """
    import datasets

    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    try:
        opened = (
            datasets.load_from_disk(str(folder))
            if is_saved(folder)
            else datasets.load_dataset(str(folder), streaming=True)
        )
    except Exception as error:  # made by others, data sets fail in many ways
        raise InputError(
            f"{folder} holds no data set that can be read ({first_line(error)}); name a file in "
            "it, or a folder of Parquet, JSON, or CSV files."
        ) from error
    return opened if isinstance(opened, Mapping) else {"": opened}


def named_records(name: object, stream: Any) -> Iterator[Record]:
    """Yield the rows of a data set, labels by their names.

    Raises:
        InputError: it breaks off.
    """
    label_of = labels_by_column(stream.features)
    for values in unbroken(name, stream):
        yield {**values, **{c: of(values.get(c)) for c, of in label_of.items()}}, ""


def unbroken(name: object, stream: Any) -> Iterator[Mapping[str, Any]]:
    """Yield rows; say where they break off.

    Raises:
        InputError: they do.
    """
    number = 0
    try:
        for values in stream:
            number += 1
            yield values
    except Exception as error:  # network, file formats and decoders fail alike
        raise InputError(
            f"{name} breaks off after row {number:,} ({first_line(error)}). Check your network; "
            "what is done stays, and a run goes on with --resume (in Python, resume=True)."
        ) from error


def choose_split(splits: Sequence[str]) -> str:
    """Return ``test``, or the only split; "" where one must be named."""
    return splits[0] if len(splits) == 1 else "test" if "test" in splits else ""
