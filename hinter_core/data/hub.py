"""Data sets of the Hugging Face Hub by name: ``hf:ORG/NAME?config=...&split=...&revision=...``.

A name is pinned to one commit before a campaign begins, so that a resumed run reads the same rows.
Some well-known data sets have a short name (:data:`PRESETS`).
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from hinter_core.data.rows import Table
from hinter_core.errors import InputError, ModelError, first_line
from hinter_core.files.columnar import (
    choose_split,
    label_names,
    named_records,
    unbroken,
)
from hinter_core.files.columns import LOOKED_AT, Columns, find_columns
from hinter_core.files.containers import Record
from hinter_core.models.registry import read_name, write_name
from hinter_core.options import Option
from hinter_core.storage import ASSETS

PREFIX = "hf:"
_OPTIONS = (
    Option("config", "", "The part of the data set, where it has several."),
    Option("split", "", "train, test, ...; not given: test, or the only one there is."),
    Option("revision", "", "A commit, tag or branch; not given: what is there now."),
)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SECONDS = 10.0  # to wait for an answer of the Hub


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
        return write_name("hf", self.repo, asdict(self), _OPTIONS)


@dataclass(frozen=True, slots=True)
class Preset:
    """A data set of the papers: its columns, and better names for its ``labels``."""

    of: HubName
    label: str
    about: str
    labels: Mapping[str, str] = field(default_factory=dict)
    text: str = "text"


PRESETS = {
    name: Preset(HubName(table.pop("repo"), table.pop("config", ""), "test"), **table)
    for name, table in tomllib.loads(
        (ASSETS / "hub_datasets.toml").read_text(encoding="utf-8")
    ).items()
}


def on_hub(data: str) -> bool:
    """Whether a campaign's ``data`` names a data set of the Hub."""
    return data.startswith(PREFIX) or data.partition("?")[0] in PRESETS


def read_hub_name(data: str) -> HubName:
    """Parse ``hf:...`` or the name of a preset, which may have options, too.

    Raises:
        InputError: no name, or an unknown option.
    """
    short, _, options = data.partition("?")
    preset = PRESETS.get(short)
    try:
        name = read_name(data if preset is None else f"hf:x?{options}", _OPTIONS)
    except ModelError as error:
        raise InputError(str(error)) from error
    given = HubName(name.source, *name.settings.values())
    if preset is not None:
        known = preset.of
        config, split = given.config or known.config, given.split or known.split
        given = HubName(known.repo, config, split, given.revision)
    if not given.repo:
        raise InputError(f"Name the data set in '{data}': hf:ORG/NAME, as on its page of the Hub.")
    return given


def pin(name: HubName) -> HubName:
    """Return the same name at the commit that its revision stands for now.

    Raises:
        InputError: the Hub has no such data set, or not for this user, or cannot be reached; or
            there is a folder of that name.
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
        info = HfApi().dataset_info(name.repo, revision=name.revision or None, timeout=_SECONDS)
    except GatedRepoError as error:
        raise _gated(name) from error
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
        raise _unreachable(name, error) from error
    return replace(name, revision=str(info.sha))


def _revisions(noted: str, data: str) -> tuple[HubName, HubName] | None:
    """Return both names if they are of one data set, maybe at different commits."""
    if not (on_hub(noted) and on_hub(data)):
        return None
    before, now = read_hub_name(noted), read_hub_name(data)
    return (before, now) if replace(now, revision=before.revision) == before else None


def as_before(data: str, noted: str) -> str:
    """Return ``data`` at the commit of ``noted``, if it is the same data set without a revision."""
    both = _revisions(noted, data)
    return str(both[0]) if both and not both[1].revision else data


def moved(noted: str, data: str) -> str:
    """Explain that ``data`` is ``noted`` at another commit; "" if it is not."""
    both = _revisions(noted, data)
    if both is None or both[0] == both[1]:
        return ""
    before, now = both[0].revision, both[1].revision
    return (
        f"the data set has changed since: it was at {before} and now is at {now}; add "
        f"&revision={before} to go on with the rows there were"
    )


def open_hub(name: HubName, text: str = "", label: str = "", ident: str = "") -> Table:
    """Find split and columns of a data set, whose count is that of its card.

    Only the first rows are read. All rows are refused if their number is not that of the card.

    Raises:
        InputError: no such data set, configuration, split or column, or no network.
    """
    name, stream = _opened(name)
    head = [(values, "") for values in islice(unbroken(name, stream), LOOKED_AT)]
    if not head:
        raise InputError(f"{name} holds no row.")
    names = tuple(stream.column_names or head[0][0])
    same = (p for p in PRESETS.values() if (p.of.repo, p.of.config) == (name.repo, name.config))
    preset = next(same, None)
    if preset is not None:
        text = text or (preset.text if preset.text in names else "")
        label = label or (preset.label if preset.label in names else "")
    columns = find_columns(str(name), head, names, Columns(text, label, ident))
    label_of = label_names(
        (stream.features or {}).get(columns.label), preset.labels if preset else {}
    )
    known = (stream.info.splits or {}).get(name.split)
    count = known.num_examples or None if known else None

    def records() -> Iterator[Record]:
        number = 0
        for values in unbroken(name, stream):
            number += 1
            named = {} if columns.flags else {columns.label: label_of(values.get(columns.label))}
            yield {**values, **named}, ""
        if count is not None and number != count:
            raise InputError(
                f"The card of {name} promises {count:,} rows and there are {number:,}; download "
                "the data set and give its file as data."
            )

    return Table(records, names, columns, count, pinned=str(name))


def hub_records(name: HubName) -> Iterator[Record]:
    """Return the rows of a split as values by column, labels by name."""
    return named_records(*_opened(name))


def _opened(name: HubName) -> tuple[HubName, Any]:
    """Pin a name, choose its split and return the stream of its rows."""
    try:
        import datasets
        from datasets.exceptions import DatasetNotFoundError
    except ImportError as error:
        raise InputError("Data sets of the Hub need datasets: pip install datasets") from error
    name = pin(name)
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)  # what it logs, it raises, too
    try:
        splits: Mapping[str, Any] = datasets.load_dataset(
            name.repo, name.config or None, revision=name.revision, streaming=True
        )
    except DatasetNotFoundError as error:  # its page is open, its files are not
        raise _gated(name) from error
    except ConnectionError as error:
        raise _unreachable(name, error) from error
    except Exception as error:  # made by others, data sets fail in many ways
        raise _unreadable(name, error) from error
    split = name.split or choose_split(list(splits))
    if split not in splits:
        what = f"has no split '{split}'" if split else "has several splits"
        raise InputError(
            f"{name} {what}; choose one of {', '.join(splits)}, as in "
            f"{HubName(name.repo, name.config, next(iter(splits)))}"
        )
    return replace(name, split=split), splits[split]


def _gated(name: HubName) -> InputError:
    return InputError(
        f"The data set '{name.repo}' is gated: accept its terms on its page of the Hugging Face "
        "Hub, and log in with: hf auth login"
    )


def _unreachable(name: HubName, error: Exception) -> InputError:
    return InputError(
        f"The Hugging Face Hub cannot be reached for the data set '{name.repo}' "
        f"({type(error).__name__}); check your network, or download the data set and give its file "
        "as data."
    )


def _unreadable(name: HubName, error: Exception) -> InputError:
    """Explain why a data set cannot be opened; lists the configurations if one must be chosen."""
    import datasets

    try:
        configs: Sequence[str] = datasets.get_dataset_config_names(
            name.repo, revision=name.revision
        )
    except Exception:  # noqa: BLE001 -- then the first error says more
        configs = []
    if configs and name.config not in configs:
        what = f"has no configuration '{name.config}'" if name.config else "has several parts"
        return InputError(
            f"The data set '{name.repo}' {what}; choose one of {', '.join(configs[:20])}, as in "
            f"hf:{name.repo}?config={configs[0]}"
        )
    return InputError(
        f"The data set '{name.repo}' cannot be read ({first_line(error)}); only data sets of "
        "plain files (Parquet, JSON, CSV, text) can, and none that runs a script."
    )
