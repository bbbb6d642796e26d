"""Rows of a data set of the Hub, streamed: read from there as they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from hinter_core.errors import InputError
from hinter_core.hub import HubName, gated, pin, preset_of, unreachable
from hinter_core.records import Record
from hinter_core.rows import LOOKED_AT, Columns, Row, find_columns, make_row

_MISSING = -1  # the label of a row whose label is kept secret


@dataclass(frozen=True)
class HubTable:
    """A split of a data set at one commit; ``count`` as its card says.

    ``name`` has a commit and the split that was chosen.
    """

    name: HubName
    names: tuple[str, ...]
    columns: Columns
    count: int | None
    stream: Any
    label_of: Callable[[Any], Any]

    def rows(self) -> Iterator[Row]:
        """All rows, one after another; each call reads them anew.

        Raises:
            InputError: the Hub breaks off, or there are not as many rows as the card says.
        """
        number = 0
        for number, values in enumerate(_read(self.name, self.stream), start=1):
            label = {self.columns.label: self.label_of(values.get(self.columns.label))}
            yield make_row(self.columns, number, {**values, **label})
        if self.count is not None and number != self.count:
            raise InputError(
                f"The card of {self.name} promises {self.count:,} rows and there are {number:,}; "
                "download the data set and give its file as data."
            )


def open_hub(name: HubName, text: str = "", label: str = "", ident: str = "") -> HubTable:
    """Find split and columns of a data set; nothing but the first rows is read.

    Raises:
        InputError: no such data set, configuration, split or column, or no network.
    """
    name = pin(name)
    splits = _splits(name)
    split = _chosen_split(name, splits)
    name = HubName(name.repo, name.config, split, name.revision)
    stream = splits[split]
    head = [(values, "") for values in islice(_read(name, stream), LOOKED_AT)]
    if not head:
        raise InputError(f"{name} holds no row.")
    names = tuple(stream.column_names or head[0][0])
    known = preset_of(name)
    given = Columns(
        text or (known.text if known and known.text in names else ""),
        label or (known.label if known and known.label in names else ""),
        ident,
    )
    columns = find_columns(str(name), head, names, given)
    label_of = _label_names(stream.features, columns.label, known.labels if known else {})
    return HubTable(name, names, columns, _count(stream, split), stream, label_of)


def _chosen_split(name: HubName, splits: Mapping[str, Any]) -> str:
    split = name.split or ("test" if "test" in splits else "")
    if not split and len(splits) == 1:
        (split,) = splits
    if split not in splits:
        what = f"has no split '{split}'" if split else "has several splits"
        raise InputError(
            f"{name} {what}; choose one of {', '.join(splits)}, as in "
            f"{HubName(name.repo, name.config, next(iter(splits)))}"
        )
    return split


def _splits(name: HubName) -> Mapping[str, Any]:
    try:
        import datasets
        from datasets.exceptions import DatasetNotFoundError
    except ImportError as error:
        raise InputError("Data sets of the Hub need datasets: pip install datasets") from error
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)  # what it logs, it raises, too
    try:
        found: Mapping[str, Any] = datasets.load_dataset(
            name.repo, name.config or None, revision=name.revision, streaming=True
        )
    except DatasetNotFoundError as error:  # its page is open, its files are not
        raise gated(name) from error
    except ConnectionError as error:
        raise unreachable(name, error) from error
    except Exception as error:  # made by others, data sets fail in many ways
        raise _unreadable(name, error) from error
    return found


def _unreadable(name: HubName, error: Exception) -> InputError:
    """Why a data set cannot be opened; a configuration that is missing or unknown is named."""
    import datasets

    try:
        configs: Sequence[str] = datasets.get_dataset_config_names(
            name.repo, revision=name.revision
        )
    except Exception:  # noqa: BLE001 -- then the first error says more
        configs = []
    if configs and name.config not in configs:
        what = f"has no configuration '{name.config}'" if name.config else "has several parts"
        listed = ", ".join(configs[:20])
        return InputError(
            f"The data set '{name.repo}' {what}; choose one of {listed}, as in "
            f"hf:{name.repo}?config={configs[0]}"
        )
    why = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return InputError(
        f"The data set '{name.repo}' cannot be read ({why}); only data sets of plain files "
        "(Parquet, JSON, CSV, text) can, and none that runs a script."
    )


def _read(name: object, stream: Any) -> Iterator[Mapping[str, Any]]:
    number = 0
    try:
        for values in stream:
            number += 1
            yield values
    except Exception as error:  # network, file formats and decoders fail alike
        why = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"{name} breaks off after row {number:,} ({why}). Check your network; what is done "
            "stays, and a run goes on with --resume."
        ) from error


def _count(stream: Any, split: str) -> int | None:
    known = (stream.info.splits or {}).get(split)
    return known.num_examples or None if known else None


def _label_names(features: Any, column: str, better: Mapping[str, str]) -> Callable[[Any], Any]:
    """From a label as it is stored (a number, or a list of them) to its name or names."""
    feature = (features or {}).get(column)
    inner = getattr(feature, "feature", feature)  # of a list
    names = getattr(inner, "names", None)

    def one(value: Any) -> str:
        if value is None or value == _MISSING:
            return ""
        named = names[value] if names and isinstance(value, int) else str(value)
        return better.get(named, named)

    def label_of(value: Any) -> str:
        return ", ".join(map(one, value)) if isinstance(value, list) else one(value)

    return label_of


def hub_records(name: HubName) -> tuple[HubName, Iterator[Record]]:
    """All rows of a split as values by column, labels by their names.

    Raises:
        InputError: see :func:`open_hub`.
    """
    name = pin(name)
    splits = _splits(name)
    split = _chosen_split(name, splits)
    name = HubName(name.repo, name.config, split, name.revision)
    return name, _named_values(name, splits[split])


def folder_records(folder: Path) -> Iterator[Record]:
    """All rows of a data set in a folder: one that was saved, or one of plain files.

    Raises:
        InputError: there is no data set in it, or it cannot be read.
    """
    import datasets

    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    saved = (folder / "state.json").exists() or (folder / "dataset_dict.json").exists()
    try:
        found = (
            datasets.load_from_disk(str(folder))
            if saved
            else datasets.load_dataset(str(folder), streaming=True)
        )
    except Exception as error:  # made by others, data sets fail in many ways
        why = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"{folder} holds no data set that can be read ({why}); name a file in it, or a folder "
            "of Parquet, JSON, or CSV files."
        ) from error
    splits = found if isinstance(found, Mapping) else {"": found}
    for stream in splits.values():
        yield from _named_values(folder, stream)


def _named_values(name: object, stream: Any) -> Iterator[Record]:
    features = stream.features or {}
    label_of = {
        column: _label_names(features, column, {})
        for column, feature in features.items()
        if getattr(getattr(feature, "feature", feature), "names", None)
    }
    for values in _read(name, stream):
        named = {column: of(values.get(column)) for column, of in label_of.items()}
        yield {**values, **named}, ""
