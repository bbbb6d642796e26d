"""Downloads, and messages without the folders of this machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hinter_core.campaign.findings import ExportFilter, write_mutants
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import HinterError, InputError
from hinter_ui.html.wording import Words
from hinter_ui.shared.session import Session

say = Words("shared")


def without_folder(message: str, *folders: Path) -> str:
    """Name files in a message without the folders they lie in on this machine."""
    for folder in sorted(map(str, folders), key=len, reverse=True):
        if folder not in (".", "/", ""):
            message = message.replace(f"{folder}/", "").replace(f"{folder}\\", "")
    return message


@contextmanager
def discreet(hide: Callable[[str], str]) -> Iterator[None]:
    """Raise errors with the message that ``hide`` makes of theirs."""
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
        HinterError: there are none, a table cannot be read, or the disk is full.
    """
    path = session.new_folder(folder) / "hinter-mutants.csv"
    try:
        path.parent.mkdir(parents=True)
        written = write_mutants(store, path, wanted)
    except (HinterError, OSError) as error:
        said = error.strerror or "" if isinstance(error, OSError) else str(error)
        said = without_folder(said.replace(str(store.folder), say("campaigns.this")), path.parent)
        raise InputError(say("campaigns.not_written", reason=said)) from error
    if not written:
        raise InputError(say("campaigns.no_verdict"))
    return path
