"""Data as people give them: a path or name, tables of pandas and datasets, texts, rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from typing import Any

from hinter_core.data.rows import MEMORY, content_of_source
from hinter_core.errors import InputError
from hinter_core.extensions import SOURCES, Extension
from hinter_core.files.columnar import labels_by_column


@contextmanager
def named_data(given: Any) -> Iterator[str]:
    """Yield the name of data for a campaign; objects have one as long as the context lasts.

    The name holds a hash of the content, so that a campaign goes on with the same data alone.

    Raises:
        InputError: no data.
    """
    if given is None:
        yield ""
    elif isinstance(given, str | PathLike):
        yield fspath(given)
    else:
        rows = rows_of(given)
        with SOURCES.lent({MEMORY: Extension(MEMORY, rows)}):
            content = content_of_source(MEMORY)
        name = f"{MEMORY}-{content}"
        with SOURCES.lent({name: Extension(name, rows, {"content": content})}):
            yield name


def is_table(given: Any) -> bool:
    """Whether a value is a table of pandas or datasets, which gives the names of its columns."""
    return hasattr(given, "columns") or hasattr(given, "column_names")


def rows_of(given: Any) -> list[Any]:
    """Return the rows of a table of pandas or datasets, or of anything else with texts or rows.

    Raises:
        InputError: something else, several splits, or two columns of one name.
    """
    if hasattr(given, "to_dict") and hasattr(given, "columns"):  # pandas
        if again := list(given.columns[given.columns.duplicated()]):
            raise InputError(f"The column '{again[0]}' is there twice; give each its own name.")
        rows = given.astype(object).where(given.notna(), None).to_dict("records")
        return [one | named for one, named in zip(rows, _index_of(given), strict=True)]
    if hasattr(given, "column_names") and not isinstance(given, dict):  # datasets
        named = labels_by_column(given.features)
        return [row | {name: of(row[name]) for name, of in named.items()} for row in given]
    if hasattr(given, "column_names"):
        raise InputError(f"Choose one split of the data: {', '.join(given)}, as data['test'].")
    if isinstance(given, dict) or not isinstance(given, Iterable):
        raise InputError(
            "The data are no path, table or texts; give a file, a DataFrame, a datasets.Dataset, "
            "or a list of texts or rows."
        )
    if hasattr(given, "name") and hasattr(given, "tolist"):  # a column of pandas
        given = given.tolist()
    return list(given)


def _index_of(frame: Any) -> list[dict[str, str]]:
    """Return the index of each row as a column, unless it only numbers the rows from 0."""
    names = frame.index.tolist()
    numbers = names == list(range(len(names)))
    if numbers or frame.index.nlevels > 1 or not frame.index.is_unique or "index" in frame:
        return [{}] * len(names)
    return [{"index": str(name)} for name in names]
