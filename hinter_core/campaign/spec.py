"""A campaign: all settings of a test of a data set, and the source of its texts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from hinter_core.campaign.record import file_content, parser_content, words_content
from hinter_core.campaign.settings import CAMPAIGN_OPTIONS, IN_TURN, SOURCES, CampaignSettings
from hinter_core.campaign.sources.base import CampaignSource
from hinter_core.data.rows import Rows
from hinter_core.errors import InputError
from hinter_core.options import Unchosen
from hinter_core.relations.changes.words import WORDS
from hinter_core.relations.registry import relation_names
from hinter_core.terms.dictionary import Dictionary

VERSION = 3  # of stored tables; version 2 had only substitutions
READABLE = (2, VERSION)
IDENTITY_VERSION = 4  # changes only when the same settings give other mutants
_WITHOUT_CONTENT = 2  # identities that do not know what is in word lists and parsers


@dataclass(frozen=True)
class Campaign(CampaignSettings):
    """What to test, and on what data; the settings are declared in ``campaign/settings.py``."""

    def __post_init__(self) -> None:
        """Test all attributes of a source, unless some are chosen; name relations by their names.

        Raises:
            InputError: an unknown relation.
        """
        object.__setattr__(self, "relations", relation_names(self.relations))
        if isinstance(self.attributes, Unchosen) and (usual := self.source.usual):
            object.__setattr__(self, "attributes", usual)

    @property
    def source(self) -> CampaignSource:
        """What gives the texts: data, mutants by hand, templates or a grammar."""
        named = [name for name in SOURCES if getattr(self, name)]
        return self._source(named[-1] if named else "data")

    def _source(self, kind: str) -> CampaignSource:
        module, _, name = SOURCES[kind].source.partition(":")
        made = getattr(import_module(f"hinter_core.campaign.sources.{module}"), name)
        return cast("CampaignSource", made(self, getattr(self, kind)))

    @property
    def title(self) -> str:
        """Short name of the data."""
        return self.source.title

    @property
    def prioritised(self) -> bool:
        """Whether models are asked by priority."""
        return self.prioritise != IN_TURN

    def table(self) -> Rows:
        """Open the rows to test.

        Raises:
            InputError: several sources are named; see :meth:`CampaignSource.rows`.
        """
        named = [name for name in SOURCES if getattr(self, name)]
        if len(named) > 1:
            raise InputError(
                f"Name either {' or '.join(named)}: each of them gives the texts of a campaign."
            )
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
        found: list[str] = []

        def note(_: str, path: str) -> str:
            found.append(path)
            return path

        self.with_files(note)
        return found

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
            value = _content(value)
        elif name == "relations":  # never the default, which is left out
            value = [*value, file_content(WORDS)]
        return f"{name}={json.dumps(value, ensure_ascii=False)}"


def _content(files: str | Sequence[str]) -> str | list[str]:
    """Hash the content of a file, or of each of several."""
    if isinstance(files, str):
        return file_content(Path(files))
    return [file_content(Path(file)) for file in files]
