"""Read tables written as JSON: an object a line, a list of objects, or one object with columns.

Lists are read piece by piece. What must be held at once (columns, an object of rows) is bounded.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

from hinter_core.errors import InputError
from hinter_core.files.columns import KNOWN, LOOKED_AT, as_text
from hinter_core.files.containers import LONGEST, TOO_LONG, Record
from hinter_core.files.dialects import has_header, made_names

_CHUNK = 2**16
_LARGEST = 100_000_000  # characters that are held at once
_BETWEEN = re.compile(r"[\s,]*")
_NO_OBJECT = "it is no JSON object"


def is_json_line(line: str) -> bool:
    """Whether a line is a JSON object."""
    return line.lstrip().startswith("{") and isinstance(_loaded(line)[0], dict)


def _loaded(line: str) -> tuple[Any, str]:
    try:
        return json.loads(line), ""
    except (ValueError, RecursionError) as error:
        return None, f"it is no JSON ({error})"


def json_lines(lines: Iterable[str]) -> Iterator[Record]:
    """Yield the record of each line."""
    for line in lines:
        if len(line) >= LONGEST:
            yield {}, TOO_LONG
            continue
        values, fault = _loaded(line)
        yield _record(values) if not fault else ({}, fault)


def json_tree(text: TextIO, path: Path) -> Iterator[Record]:
    """Yield the records of a JSON file that is not one of lines.

    Raises:
        InputError: it is damaged, or an object that is too large to be held.
    """
    start = text.read(_CHUNK).lstrip("\ufeff \t\r\n")
    try:
        if start.startswith("["):
            yield from _of_list(_elements(start[1:], text))
            return
        whole = start + text.read(_LARGEST)
        if len(whole) > _LARGEST:
            raise InputError(f"{path} is too large to be read at once; write it as .jsonl instead.")
        try:
            tree = json.loads(whole)
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Extra data"):
                raise
            # Objects one after another, each of several lines.
            yield from map(_record, _elements(whole, None))
            return
        yield from _of_tree(tree, path)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON file ({error}); is it whole?") from error


def _elements(buffer: str, text: TextIO | None) -> Iterator[Any]:
    """Yield the elements of a list whose text is read on, or else values one after another.

    The buffer doubles while an element does not end in it, so that the time is linear.

    Raises:
        ValueError: the text ends, or an element is no JSON or is longer than a record may be.
    """
    decoder, place = json.JSONDecoder(), 0
    while True:
        match = _BETWEEN.match(buffer, place)
        place = match.end() if match else place
        if text and buffer.startswith("]", place):
            if (buffer[place + 1 :] + text.read(_CHUNK)).strip():
                raise ValueError("something follows the list")
            return
        fault = ValueError("the list does not end")
        if place < len(buffer):
            try:
                value, end = decoder.raw_decode(buffer, place)
            except ValueError as error:
                if text is None or len(buffer) - place > LONGEST:
                    raise
                fault = error
            else:
                if end < len(buffer) or text is None:
                    yield value
                    place = end
                    continue
        if text is None:
            return
        more = text.read(max(_CHUNK, len(buffer) - place))
        if not more:
            raise fault
        buffer, place = buffer[place:] + more, 0


def _record(value: Any) -> Record:
    return (value, "") if isinstance(value, dict) else ({}, _NO_OBJECT)


def _of_list(values: Iterator[Any]) -> Iterator[Record]:
    """Yield the records of a list of objects, of texts, or of rows below a header."""
    first = next(values, None)
    if isinstance(first, str):
        for value in chain([first], values):
            yield ({"text": value}, "") if isinstance(value, str) else ({}, "it is no text")
    elif isinstance(first, list) and first:
        some = [first, *islice(values, LOOKED_AT)]
        texts = [list(map(as_text, row)) for row in some if isinstance(row, list)]
        header = has_header(texts, KNOWN, only_known=False)
        names = texts[0] if header else made_names(len(first))
        yield from _rows(names, chain(some[int(header) :], values))
    elif first is not None:
        yield from map(_record, chain([first], values))


def _rows(names: Sequence[str], rows: Iterable[Any]) -> Iterator[Record]:
    for row in rows:
        if not isinstance(row, list) or len(row) != len(names):
            yield {}, f"it is no list of {len(names)} cells, as the first"
        else:
            yield dict(zip(names, row, strict=True)), ""


def _of_tree(tree: Any, path: Path) -> Iterator[Record]:
    if not isinstance(tree, dict) or not tree:
        yield _record(tree)
        return
    tables = {
        name: value
        for name, value in tree.items()
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value)
    }
    columns, data = tree.get("columns"), tree.get("data")
    if isinstance(columns, list) and isinstance(data, list) and not tables:
        yield from _rows([str(name) for name in columns], data)
    elif "test" in tables or (len(tables) == 1 and _only_lists(tree, tables)):
        yield from map(_record, tables.get("test") or next(iter(tables.values())))
    elif len(tables) > 1 and len(tables) == len(tree):
        raise InputError(
            f"{path} holds several tables ({', '.join(tables)[:200]}); write the one to test as a "
            "file of its own."
        )
    elif _are_columns(tree):
        for cells in zip(*tree.values(), strict=True):
            yield dict(zip(tree, cells, strict=True)), ""
    elif len(tree) > 1 and all(isinstance(one, dict) and one for one in tree.values()):
        yield from _of_objects(tree)
    else:
        yield tree, ""


def _only_lists(tree: Mapping[str, Any], tables: Mapping[str, Any]) -> bool:
    """Whether an object is nothing but a table with a few words about it."""
    return all(name in tables or not isinstance(value, list) for name, value in tree.items()) and (
        not any(name in tree for name in ("messages", "conversations", "text"))
    )


def _are_columns(tree: Mapping[str, Any]) -> bool:
    sizes = {len(value) if isinstance(value, list) else -1 for value in tree.values()}
    return len(sizes) == 1 and next(iter(sizes)) > 0


def _of_objects(tree: Mapping[str, Mapping[str, Any]]) -> Iterator[Record]:
    """Yield the records of columns by row, as pandas writes them, or of rows by their id."""
    inner = [tuple(one) for one in tree.values()]
    if len(set(inner)) == 1 and all(key.isdecimal() for key in inner[0]):
        for key in inner[0]:
            yield {name: cells[key] for name, cells in tree.items()}, ""
    else:
        for key, values in tree.items():
            yield ({**values} if "id" in values else {"id": key, **values}), ""
