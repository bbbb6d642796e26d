"""Where the app keeps campaigns, and which of them a visitor may see.

Each lies in a folder of its own, under a name that cannot be guessed. The owner of this machine
sees all of them; on a public host one sees those whose name one has: the name is the key.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hinter_core.errors import InputError
from hinter_core.places import user_cache
from hinter_core.shards import CampaignStore

FOLDER = "HINTER_CAMPAIGNS"
_ID = re.compile(r"[A-Za-z0-9_-]{16,64}")


@dataclass(frozen=True)
class Entry:
    """A campaign on the shelf: the folder that holds all that belongs to it, by its name."""

    id: str
    folder: Path

    @property
    def store(self) -> CampaignStore:
        """The campaign's own directory; it may hold nothing yet."""
        return CampaignStore(self.folder / "campaign")


class Campaigns:
    """The folder of campaigns; ``shared`` is true where all visitors may see all of them."""

    def __init__(self, folder: Path, *, shared: bool) -> None:
        self.folder = folder
        self.shared = shared

    @classmethod
    def at_home(cls, *, shared: bool) -> Campaigns:
        """The folder that ``HINTER_CAMPAIGNS`` names, or one in the visitor's own cache."""
        named = os.environ.get(FOLDER)
        return cls(Path(named) if named else user_cache() / "campaigns", shared=shared)

    def new(self) -> Entry:
        """Room for one more.

        Raises:
            InputError: the folder cannot be written.
        """
        entry = self._entry(secrets.token_urlsafe(16))
        try:
            entry.folder.mkdir(parents=True)
        except OSError as error:
            raise InputError(
                f"Cannot write to {self.folder}: {error.strerror}. Name another folder in the "
                f"environment variable {FOLDER}."
            ) from error
        return entry

    def get(self, name: str) -> Entry:
        """The campaign of that name.

        Raises:
            InputError: there is none, or that is no name.
        """
        if not _ID.fullmatch(name) or not self._entry(name).folder.is_dir():
            raise InputError("There is no such campaign; it may have been deleted.")
        return self._entry(name)

    def seen_by(self, known: Iterable[str]) -> list[Entry]:
        """What a visitor may see, the latest first; ``known`` are the names their browser keeps."""
        if self.shared:
            names = {path.name for path in self.folder.glob("*") if _ID.fullmatch(path.name)}
        else:
            names = {name for name in known if _ID.fullmatch(name)}
        found = [self._entry(name) for name in names]
        there = [entry for entry in found if entry.folder.is_dir()]
        return sorted(there, key=lambda entry: entry.folder.stat().st_ctime, reverse=True)

    def _entry(self, name: str) -> Entry:
        return Entry(name, self.folder / name)
