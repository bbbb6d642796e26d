"""Data sets of the Hugging Face Hub by name: ``hf:ORG/NAME?config=...&split=...&revision=...``.

A name is pinned to one commit before a campaign begins, so that a resumed run meets the same rows.
Some well-known data sets have a short name of their own (:data:`PRESETS`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from hinter_core.data.rows import LOOKED_AT, Columns, Row, find_columns, make_row
from hinter_core.data.tables import Record
from hinter_core.errors import InputError, ModelError
from hinter_core.models.naming import read_name, write_name
from hinter_core.options import Option

PREFIX = "hf:"
_OPTIONS = (
    Option("config", "", "The part of the data set, where it has several."),
    Option("split", "", "train, test, ...; not given: test, or the only one there is."),
    Option("revision", "", "A commit, tag or branch; not given: what is there now."),
)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SECONDS = 10.0  # to wait for the Hub before one is told that it does not answer


@dataclass(frozen=True, slots=True)
class HubName:
    """A data set of the Hub, one of its configurations and splits, at one revision."""

    repo: str
    config: str = ""
    split: str = ""
    revision: str = ""

    @property
    def pinned(self) -> bool:
        """Whether the revision is a commit, which cannot change."""
        return bool(_COMMIT.fullmatch(self.revision))

    def __str__(self) -> str:
        values = {"config": self.config, "split": self.split, "revision": self.revision}
        return write_name("hf", self.repo, values, _OPTIONS)


@dataclass(frozen=True, slots=True)
class Preset:
    """A data set of the papers under a short name.

    ``text`` and ``label`` are its columns; ``labels`` gives better names to labels.
    """

    name: str
    of: HubName
    text: str
    label: str
    about: str
    labels: Mapping[str, str] = field(default_factory=dict)


def _lex_glue(
    config: str, label: str, about: str, labels: Mapping[str, str] | None = None
) -> Preset:
    of = HubName("coastalcph/lex_glue", config, "test")
    return Preset(f"lex_glue/{config}", of, "text", label, about, labels or {})


# The Hub names articles of the Convention by number only ...
_ARTICLES = {a: f"Article {a}" for a in ("2", "3", "5", "6", "8", "9", "10", "11", "14")}
_ARTICLES["P1-1"] = "Protocol 1, Article 1"
# ... and the Supreme Court's issue areas as its database numbers them.
_ISSUES = (
    "Criminal Procedure", "Civil Rights", "First Amendment", "Due Process", "Privacy", "Attorneys",
    "Unions", "Economic Activity", "Judicial Power", "Federalism", "Interstate Relations",
    "Federal Taxation", "Miscellaneous", "Private Action",
)  # fmt: skip
_AREAS = {str(number): issue for number, issue in enumerate(_ISSUES, start=1)}

PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "imdb", HubName("stanfordnlp/imdb", "", "test"), "text", "label",
            "film reviews, positive or negative", {"neg": "negative", "pos": "positive"},
        ),
        _lex_glue("ecthr_a", "labels", "European human rights cases: articles violated", _ARTICLES),
        _lex_glue("ecthr_b", "labels", "the same cases: articles that were claimed", _ARTICLES),
        _lex_glue("scotus", "label", "US Supreme Court opinions: issue area", _AREAS),
        _lex_glue("eurlex", "labels", "EU laws: EuroVoc concepts, by their numbers"),
        _lex_glue("ledgar", "label", "contract provisions: their subject"),
    )
}  # fmt: skip


def on_hub(data: str) -> bool:
    """Whether a campaign's ``data`` names a data set of the Hub."""
    return data.startswith(PREFIX) or data.partition("?")[0] in PRESETS


def read_hub_name(data: str) -> HubName:
    """The data set that ``data`` names: ``hf:...``, or a preset, which may have options too.

    Raises:
        InputError: no name, or an option that there is not.
    """
    short, _, options = data.partition("?")
    preset = PRESETS.get(short)
    try:
        name = read_name(data if preset is None else f"hf:x?{options}", _OPTIONS)
    except ModelError as error:
        raise InputError(str(error)) from error
    given = HubName(name.source, *(name.string(option.name) for option in _OPTIONS))
    if preset is not None:
        given = replace(
            preset.of,
            config=given.config or preset.of.config,
            split=given.split or preset.of.split,
            revision=given.revision,
        )
    if not given.repo:
        raise InputError(f"Name the data set in '{data}': hf:ORG/NAME, as on its page of the Hub.")
    return given


def preset_of(name: HubName) -> Preset | None:
    """What is known of a data set beforehand: its columns and the names of its labels."""
    same = (p for p in PRESETS.values() if (p.of.repo, p.of.config) == (name.repo, name.config))
    return next(same, None)


def pin(name: HubName) -> HubName:
    """The same name at the commit that its revision stands for now.

    Raises:
        InputError: the Hub has no such data set, or not for you, or cannot be reached; or a folder
            of that name lies here.
    """
    if Path(name.repo).exists():  # datasets would read it in place of the Hub's
        raise InputError(
            f"'{name.repo}' is on this machine, too, and would be read in place of the data set of "
            "the Hub; start from another directory, or give the path of a file in it as data."
        )
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, HFValidationError, RepositoryNotFoundError
    from huggingface_hub.errors import RevisionNotFoundError as NoRevisionError

    try:
        found = HfApi().dataset_info(name.repo, revision=name.revision or None, timeout=_SECONDS)
    except GatedRepoError as error:
        raise gated(name) from error
    except NoRevisionError as error:
        raise InputError(
            f"The data set '{name.repo}' has no revision '{name.revision}' (any more); its page on "
            "the Hub lists those there are. What a campaign has done stays; it cannot go on with "
            "other rows, so start another directory."
        ) from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise InputError(
            f"There is no data set '{name.repo}' that you may read; check the name (hf:ORG/NAME) "
            "and, for a private or gated one, log in with: hf auth login"
        ) from error
    except Exception as error:  # whatever keeps us from the Hub
        raise unreachable(name, error) from error
    return replace(name, revision=str(found.sha))


def as_before(data: str, noted: str) -> str:
    """``data``, if it names no revision, at the commit where ``noted`` had the same data set."""
    if on_hub(data) and on_hub(noted):
        given, before = read_hub_name(data), read_hub_name(noted)
        if not given.revision and replace(given, revision=before.revision) == before:
            return str(before)
    return data


def moved(noted: str, data: str) -> str:
    """In words, that ``data`` is ``noted`` at another commit; empty where it is not."""
    if not (on_hub(noted) and on_hub(data)):
        return ""
    before, now = read_hub_name(noted), read_hub_name(data)
    if before == now or replace(now, revision=before.revision) != before:
        return ""
    return (
        f"the data set has changed since: it was at {before.revision} and now is at "
        f"{now.revision}; add &revision={before.revision} to go on with the rows there were"
    )


def gated(name: HubName) -> InputError:
    """The error for a data set that asks for terms to be accepted."""
    return InputError(
        f"The data set '{name.repo}' is gated: accept its terms on its page of the Hugging Face "
        "Hub, and log in with: hf auth login"
    )


def unreachable(name: HubName, error: Exception) -> InputError:
    """The error for a Hub that does not answer."""
    why = type(error).__name__
    return InputError(
        f"The Hugging Face Hub cannot be reached for the data set '{name.repo}' ({why}); check "
        "your network, or download the data set and give its file as data."
    )


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
