"""A campaign: all settings of a test of a data set, the source of its texts, and its file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Self, cast

from hinter_core.campaign.record import file_content, parser_content, words_content
from hinter_core.campaign.settings import CAMPAIGN_OPTIONS, IN_TURN, SOURCES, CampaignSettings
from hinter_core.campaign.sources.base import CampaignSource
from hinter_core.data.rows import Rows
from hinter_core.errors import InputError, hint
from hinter_core.models.registry import split_names
from hinter_core.options import Unchosen
from hinter_core.relations.changes.words import WORDS
from hinter_core.relations.registry import full_names, relation_names
from hinter_core.storage import yaml_loader
from hinter_core.terms.dictionary import Dictionary, load_shipped

VERSION = 3  # of stored tables; version 2 had only substitutions
READABLE = (2, VERSION)
IDENTITY_VERSION = 4  # changes only when the same settings give other mutants
_WITHOUT_CONTENT = 2  # identities that do not know what is in word lists and parsers


@dataclass(frozen=True)
class Campaign(CampaignSettings):
    """Specification of a campaign; its settings are declared in ``campaign/settings.py``."""

    def __post_init__(self) -> None:
        """Test all attributes of a source, unless some are chosen; name relations by their names.

        A relation may be unknown here, as results are read without the relation that made them.
        """
        object.__setattr__(self, "relations", full_names(self.relations))
        if isinstance(self.attributes, Unchosen) and (usual := self.source.usual):
            object.__setattr__(self, "attributes", usual)

    @property
    def source(self) -> CampaignSource:
        """Source of the texts: data, handwritten mutants, templates or a grammar."""
        return self._source(self._sources[-1])

    @property
    def _sources(self) -> list[str]:
        return [name for name in SOURCES if getattr(self, name)] or ["data"]

    def _source(self, kind: str) -> CampaignSource:
        module, _, name = SOURCES[kind].source.partition(":")
        made = getattr(import_module(f"hinter_core.campaign.sources.{module}"), name)
        return cast("CampaignSource", made(self, getattr(self, kind)))

    @property
    def title(self) -> str:
        """Short name of the data."""
        return self.source.title

    @property
    def applied(self) -> Self:
        """The settings that take effect: given mutants are not searched for people or graded."""
        applied = super().applied
        if self.source.makes:
            return applied
        return replace(
            applied, coherent=False, validity=0.0, keep_soft=True, across_people=True,
            origin_names=False,
        )  # fmt: skip

    @property
    def prioritised(self) -> bool:
        """Whether the run is prioritised."""
        return self.prioritise != IN_TURN

    def table(self) -> Rows:
        """Open the rows to test.

        Raises:
            InputError: several sources are named; see :meth:`CampaignSource.rows`.
        """
        if len(self._sources) > 1:
            either = " or ".join(self._sources)
            raise InputError(f"Name either {either}: each of them gives the texts of a campaign.")
        return self.source.rows()

    def pinned(self) -> Campaign:
        """Return this campaign with what follows from its source as it is now.

        A data set of the Hub is at its current commit. The attributes of a grammar are all that it
        has, unless some are chosen; so is the embedded model of its task.

        Raises:
            InputError: see :func:`hinter_core.data.hub.pin`; or a grammar cannot be read or has no
                such attribute.
        """
        return replace(self, **self.source.pinned())

    @property
    def replaced(self) -> str:
        """Say which shipped dictionaries the user's files of their names replace; "" if none."""
        names = sorted({Path(one).name.partition(".")[0] for one in self.dictionaries})
        lines = (
            f"Your {name} replaces the shipped dictionary of that name: its words alone change. "
            "Rename the file to use both."
            for name in names
            if name in load_shipped()
        )
        return " ".join(lines)

    def vocabulary(self) -> list[Dictionary]:
        """Load the dictionaries of the attributes; none where the texts say what changes.

        Raises:
            DictionaryError: an unknown attribute, or a file with a fault.
        """
        return self.source.vocabulary()

    def with_files(self, named: Callable[[str, str], str]) -> Campaign:
        """Return this campaign with its files named otherwise, by setting and path."""
        changed: dict[str, Any] = {}
        for name, option in CAMPAIGN_OPTIONS.items():
            value = getattr(self, name)
            if not option.file or not value:
                continue
            if isinstance(value, tuple):
                changed[name] = tuple(named(name, path) for path in value)
            elif not option.source or self._source(name).is_file:
                changed[name] = named(name, value)
        return replace(self, **changed)

    def files(self) -> list[str]:
        """Return the paths of its files."""
        paths: list[str] = []

        def note(_: str, path: str) -> str:
            paths.append(path)
            return path

        self.with_files(note)
        return paths

    def identity(self, version: int = IDENTITY_VERSION) -> str:
        """Return a hash of the settings and files that determine the mutants."""
        digest = hashlib.sha256(f"hinter-campaign-{version}\n".encode())
        if version > _WITHOUT_CONTENT:
            words = words_content() if self.source.makes else ""
            digest.update(f"words={words} parser={parser_content(self.parser)}\n".encode())
        for name, option in CAMPAIGN_OPTIONS.items():
            if option.identity and getattr(self, name) != option.before:
                digest.update(self._written(name).encode() + b"\n")
        return digest.hexdigest()[:16]

    def _written(self, name: str) -> str:
        value, option = getattr(self, name), CAMPAIGN_OPTIONS[name]
        if value and option.source:
            value = self._source(name).identity()
        elif value and option.file:
            files = [value] if isinstance(value, str) else value
            contents = [file_content(Path(file)) for file in files]
            value = contents[0] if isinstance(value, str) else contents
        elif name == "relations":  # never the default, which is left out
            value = [*value, file_content(WORDS)]
        return f"{name}={json.dumps(value, ensure_ascii=False)}"


def from_mapping(
    values: Mapping[str, Any],
    where: str,
    *,
    known: Iterable[str] = CAMPAIGN_OPTIONS,
    stored: bool = False,
) -> Campaign:
    """Create a campaign from plain values; one that was ``stored`` is read as it is.

    Its numbers may be out of range, and its relations unknown. ``known``: the settings that apply.

    Raises:
        InputError: an unknown name or a wrong value; the message begins with ``where``.
    """
    known, values = {name: CAMPAIGN_OPTIONS[name] for name in known}, dict(values)
    if values.pop("relation", "substitution") != "substitution":  # the only one there was
        raise InputError(f"{where}: unknown relation; write relations: and a list of names.")
    if unknown := sorted(map(str, set(values) - set(known))):
        meant = hint(unknown, known, f"use {', '.join(known)}.")
        raise InputError(f"{where}: unknown setting {', '.join(unknown)}; {meant}")
    if isinstance(models := values.get("models"), str | list | tuple):  # names may hold commas
        parts = [models] if isinstance(models, str) else models
        named = (split_names(part) if isinstance(part, str) else [part] for part in parts)
        values["models"] = [name for names in named for name in names]
    read = {}
    for name, value in values.items():
        option = replace(known[name], low=None, high=None) if stored else known[name]
        read[name] = option.read(value, f"{where}: ")
    if "relations" in read and not stored:
        read["relations"] = relation_names(read["relations"])
    return Campaign(**read)


def write_campaign(campaign: Campaign) -> str:
    """Return a campaign as YAML: data, attributes, models, and changed settings."""
    import yaml

    all_of_grammar = campaign.grammar and isinstance(campaign.attributes, Unchosen)
    always = ("data", "models") if all_of_grammar else ("data", "attributes", "models")
    values = {
        name: list(value) if isinstance(value, tuple) else value
        for name, option in CAMPAIGN_OPTIONS.items()
        if (value := getattr(campaign, name)) != option.default or name in always
    }
    return str(yaml.safe_dump(values, sort_keys=False, allow_unicode=True))


def load_campaign(path: Path) -> Campaign:
    """Read a campaign file; its paths are relative to its folder.

    Raises:
        InputError: no such file, no YAML, or a wrong setting.
    """
    import yaml

    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        values = yaml_loader(text, aliases=True).get_single_data()
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}. Check the path.") from error
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:  # a day that is none
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        if mark := getattr(error, "problem_mark", None):
            line = min(mark.line + 1, text.count("\n", 0, -1) + 1)  # not past the end
            reason = f"line {line}: {getattr(error, 'problem', '') or reason}"
        raise InputError(f"{path} is no YAML ({reason}).") from error
    if not isinstance(values, dict):
        raise InputError(
            f"{path} holds no settings; write lines such as 'data: reviews.csv'. A file of texts "
            "is named with --data."
        )
    base = path.resolve().parent
    return from_mapping(values, str(path)).with_files(lambda _, file: str(base / file))
