"""Files that a visitor takes along, and messages without the folders of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hinter_core.campaign.mutants_file import ExportFilter, write_mutants
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import HinterError, InputError
from hinter_ui.shared.session import Session


def without_folder(message: str, *folders: Path) -> str:
    """A message that names files without the folders they lie in on this machine."""
    for folder in sorted(map(str, folders), key=len, reverse=True):
        if folder not in (".", "/", ""):
            message = message.replace(f"{folder}/", "").replace(f"{folder}\\", "")
    return message


@contextmanager
def discreet(hide: Callable[[str], str]) -> Iterator[None]:
    """Errors in the words that ``hide`` makes of theirs, without the folders of this machine."""
    try:
        yield
    except HinterError as error:
        words = hide(str(error))
        if words == str(error):
            raise
        raise type(error)(words) from error


def write_for(session: Session, store: CampaignStore, wanted: ExportFilter, folder: Path) -> Path:
    """Write mutants to a file that is deleted when the page is closed.

    Raises:
        HinterError: there are none, a table cannot be read, or the disk is full; without the
            folders of this machine.
    """
    path = session.new_folder(folder) / "hinter-mutants.csv"
    try:
        path.parent.mkdir(parents=True)
        written = write_mutants(store, path, wanted)
    except (HinterError, OSError) as error:
        said = error.strerror or "" if isinstance(error, OSError) else str(error)
        said = without_folder(said.replace(str(store.folder), "this campaign"), path.parent)
        raise InputError(f"The mutants cannot be written: {said}") from error
    if not written:
        raise InputError("No mutant has such a verdict; choose others, or none for all.")
    return path
