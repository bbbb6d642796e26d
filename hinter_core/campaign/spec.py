"""A campaign: everything that decides the result of testing a whole data set, as one value.

The same value is written in YAML, made from command-line options or from a form. What changes
results is *identity*, what changes only how the work is done is *runtime*; every field declares
which. Models are runtime: any number of them may be asked about the same mutants later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hinter_core.data.handwritten import open_handwritten
from hinter_core.data.hub import on_hub, open_hub, pin, read_hub_name
from hinter_core.data.rows import Rows, open_table
from hinter_core.errors import InputError
from hinter_core.models.registry import split_names
from hinter_core.mutation.plan import Settings
from hinter_core.storage import ASSETS
from hinter_core.terms.dictionary import Dictionary, choose, load_file, load_shipped

VERSION = 3  # of what is stored: 2 had substitutions alone, and no kind of edit
READABLE = (2, VERSION)
_IDENTITY_VERSION = 2  # changes only when the same settings give other mutants
SAMPLE = "sample"  # as ``data``: the texts that come with HInter
SAMPLE_FILE = ASSETS / "samples" / "people.csv"
_BLOCK = 2**20


def _identity(default: Any) -> Any:
    return field(default=default, metadata={"identity": True})


def _runtime(default: Any) -> Any:
    return field(default=default, metadata={"identity": False})


@dataclass(frozen=True)
class Campaign:
    """What to test on what.

    ``data``: a file of rows, or a data set of the Hub; or else ``mutants``: a file of mutants by
    hand, of which these and no others are tested. ``sample``: at most so many rows, drawn by
    ``seed`` (with ``stratify``: alike from every label). ``order``, ``limit``, ``literal`` and
    ``repeat`` as in :class:`hinter_core.mutation.plan.Settings`; the limit counts for each text.
    ``guide``: the model by whose answers mutants of order 3 and higher are searched
    (:mod:`hinter_core.pipeline.prioritise`); without one they are part of the sample.
    ``atomic``: test every atomic mutant, not
    only the parts of intersectional ones. ``placebo``: as many neutral mutants
    of the same orders, so that brittleness is not taken for bias. ``discarded``: ask the models
    about discarded mutants too, to count what would be false positives without the invariant
    (HInter, RQ3.2); their verdict stays. ``shard``: texts in a unit of work. ``workers``:
    processes; ``requests`` and ``budget``: what may be spent.
    """

    data: str = _identity("")
    mutants: str = _identity("")
    text_column: str = _identity("")
    label_column: str = _identity("")
    id_column: str = _identity("")
    sample: int | None = _identity(None)
    stratify: bool = _identity(False)
    seed: int = _identity(0)
    attributes: tuple[str, ...] = _identity(("race", "gender"))
    dictionaries: tuple[str, ...] = _identity(())
    order: int = _identity(2)
    limit: int | None = _identity(None)
    literal: bool = _identity(False)
    atomic: bool = _identity(True)
    placebo: bool = _identity(True)
    repeat: int = _identity(0)
    guide: str = _identity("")
    parser: str = _identity("embedded")
    shard: int = _identity(16)
    discarded: bool = _identity(False)
    models: tuple[str, ...] = _runtime(("embedded",))
    workers: int = _runtime(1)
    requests: int | None = _runtime(None)
    budget: float | None = _runtime(None)

    @property
    def title(self) -> str:
        """What is tested, in short."""
        name = self.mutants or self.data
        return name if on_hub(name) else Path(name).name

    @property
    def settings(self) -> Settings:
        """What decides which mutants a text has."""
        return Settings(self.order, self.limit, self.literal, self.seed, self.repeat)

    def table(self) -> Rows:
        """The rows to test.

        Raises:
            InputError: see :func:`hinter_core.data.rows.open_table` and
                :func:`hinter_core.data.hub.open_hub`.
        """
        columns = (self.text_column, self.label_column, self.id_column)
        if self.mutants:
            if self.data:
                raise InputError("Name either data or a file of mutants; its sources are the data.")
            if self.guide:
                raise InputError(
                    "A guide searches among mutants that HInter makes; these are by hand, and all "
                    "of them are tested. Leave out the guide."
                )
            return open_handwritten(Path(self.mutants))
        if not self.data:
            raise InputError(
                "Name the data: a CSV, TSV, JSONL, Parquet or text file, a data set of the Hugging "
                "Face Hub (--data hf:ORG/NAME), or the texts that come with HInter "
                f"(--data {SAMPLE})."
            )
        if on_hub(self.data):
            return open_hub(read_hub_name(self.data), *columns)
        return open_table(_data_file(self.data), *columns)

    def pinned(self) -> Campaign:
        """This campaign with a data set of the Hub at the commit that it has now.

        Raises:
            InputError: see :func:`hinter_core.data.hub.pin`.
        """
        if not on_hub(self.data):
            return self
        name = read_hub_name(self.data)
        return replace(self, data=str(name if name.pinned else pin(name)))

    def vocabulary(self) -> list[Dictionary]:
        """The dictionaries of the attributes, own ones included; none for mutants by hand.

        Raises:
            DictionaryError: an unknown attribute, or a file with a fault.
        """
        if self.mutants:
            return []
        own = {loaded.attribute: loaded for loaded in map(load_file, map(Path, self.dictionaries))}
        names = dict.fromkeys((*self.attributes, *own))
        return choose(list(names), {**load_shipped(), **own})

    def identity(self) -> str:
        """A versioned hash over the settings and files that decide the mutants."""
        digest = hashlib.sha256(f"hinter-campaign-{_IDENTITY_VERSION}\n".encode())
        for item in fields(self):
            if item.metadata["identity"]:
                digest.update(self._written(item).encode() + b"\n")
        return digest.hexdigest()[:16]

    def _written(self, item: Field[Any]) -> str:
        value = getattr(self, item.name)
        if item.name == "data" and on_hub(value):
            value = self.pinned().data
        elif item.name in ("data", "mutants") and value:
            value = _content(_data_file(value))
        elif item.name == "dictionaries":
            value = [_content(Path(path)) for path in value]
        return f"{item.name}={json.dumps(value, ensure_ascii=False)}"


def _data_file(name: str) -> Path:
    return SAMPLE_FILE if name == SAMPLE else Path(name)


def _content(path: Path) -> str:
    """A hash of a file's content, so that it may move but not change."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}. Check the path.") from error
    return digest.hexdigest()


def from_mapping(values: Mapping[str, Any], where: str) -> Campaign:
    """A campaign from plain values.

    Raises:
        InputError: an unknown name, or a value of the wrong kind; ``where`` says in what file.
    """
    known = {item.name: item for item in fields(Campaign)}
    if unknown := sorted(set(values) - set(known)):
        raise InputError(f"{where}: unknown setting {', '.join(unknown)}; use {', '.join(known)}.")
    default = Campaign()
    return Campaign(
        **{
            name: _read(name, value, getattr(default, name), where)
            for name, value in values.items()
        }
    )


_NUMBERS = {"sample": int, "limit": int, "requests": int, "budget": float}  # may be left open
_LEAST = {"sample": 1, "limit": 1, "order": 1, "shard": 1, "workers": 1, "requests": 1}


def _read(name: str, value: Any, default: Any, where: str) -> Any:
    if isinstance(default, tuple):
        parts = value.split(",") if isinstance(value, str) and name != "models" else value
        parts = [parts] if isinstance(parts, str) else parts
        if not isinstance(parts, list | tuple) or not all(isinstance(p, str) for p in parts):
            raise InputError(f"{where}: {name} is a list of names.")
        if name == "models":  # their own settings may hold commas
            return tuple(one for part in parts for one in split_names(part))
        return tuple(p.strip() for p in parts if p.strip())
    if value is None and default is None:
        return None
    kind = _NUMBERS.get(name, type(default))
    fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
    if not fits or (isinstance(value, bool) and kind is not bool):
        words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
        raise InputError(f"{where}: {name} is {words[kind]}, not {value!r}.")
    if value < _LEAST.get(name, value):
        raise InputError(f"{where}: {name} is at least {_LEAST[name]}.")
    return value


def write_campaign(campaign: Campaign) -> str:
    """The text of a campaign file: what differs from the defaults, and what is tested on what."""
    import yaml

    default = asdict(Campaign())
    always = {"data", "attributes", "models"}
    values = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(campaign).items()
        if name in always or value != default[name]
    }
    return str(yaml.safe_dump(values, sort_keys=False, allow_unicode=True))


def load_campaign(path: Path) -> Campaign:
    """Read a campaign file; paths in it are taken from the file's own folder.

    Raises:
        InputError: no such file, no YAML, or a setting that is wrong.
    """
    import yaml

    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}. Check the path.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        first = str(error).splitlines()[0]
        raise InputError(f"{path} is no YAML ({first}).") from error
    if not isinstance(values, dict):
        raise InputError(f"{path} holds no settings; write lines such as 'data: reviews.csv'.")
    campaign = from_mapping(values, str(path))
    base = path.resolve().parent
    named = campaign.data in ("", SAMPLE) or on_hub(campaign.data)
    moved = {
        "data": campaign.data if named else str(base / campaign.data),
        "mutants": campaign.mutants and str(base / campaign.mutants),
        "dictionaries": tuple(str(base / own) for own in campaign.dictionaries),
    }
    return Campaign(**{**asdict(campaign), **moved})
