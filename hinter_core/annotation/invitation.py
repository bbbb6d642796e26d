"""Links that invite annotators to a project, and whether others can open them."""

import re
import secrets
import shutil
import socket
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from hinter_core.annotation.backup import ENDING, annotations_folder
from hinter_core.annotation.project.store import opened
from hinter_core.annotation.project.types import AnnotationError
from hinter_core.storage import make_private

PORT = 7860  # of the app, unless it is told otherwise
_NAME = re.compile(r"[A-Za-z0-9_-]{16,64}")  # cannot be guessed


def link(address: str, name: str) -> str:
    """Return the link for annotators to a project, under the address of the app."""
    return f"{address.rstrip('/')}/?{urlencode({'annotate': name})}"


def machine_address() -> str:
    """Return the address of this machine in its network, or "" if it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # An address for documentation (RFC 5737); nothing is sent before data is.
            probe.connect(("192.0.2.1", 9))
            address = str(probe.getsockname()[0])
        except OSError:
            return ""
    return "" if is_loopback(address) else address


def is_loopback(host: str) -> bool:
    """Whether a name or address is that of a machine for itself."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def elsewhere(address: str) -> str:
    """Return an address of the app by which others reach this machine, or "" if there is none."""
    parts, machine = urlsplit(address), machine_address()
    port = f":{parts.port}" if parts.port else ""
    return parts._replace(netloc=f"{machine}{port}").geturl() if machine else ""


class Reached(NamedTuple):
    """The address of the app for others.

    ``network``: it is that of this machine in its network; ``alone``: it serves this machine only.
    """

    address: str
    network: bool
    alone: bool


def reach(page: str, *, local: bool) -> Reached:
    """Return how others reach the app that its owner opened at ``page``.

    ``local``: the app listens to this machine alone.
    """
    loopback = is_loopback(urlsplit(page).hostname or "")
    address = (not local and elsewhere(page)) or page if loopback else page
    return Reached(address, loopback and address != page, loopback and address == page)


def is_served(project: Path) -> bool:
    """Whether an app of this machine shows a project to everybody who has the link."""
    here = project.resolve().parent == annotations_folder().resolve()
    return here and project.suffix == ENDING and bool(_NAME.fullmatch(project.stem))


def serve_from_here(project: Path) -> Path:
    """Move a project to the app's folder, under a name that cannot be guessed.

    Raises:
        AnnotationError: no project, one that is in use, or a folder that cannot be written.
    """
    with opened(project) as store, store.read() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if any(Path(f"{project}{more}").exists() for more in ("-wal", "-shm")):
        raise AnnotationError(f"{project} is in use; stop the app or the command that has it open.")
    target = annotations_folder() / f"{secrets.token_urlsafe(16)}{ENDING}"
    try:
        make_private(target.parent)
        shutil.move(project, target)
    except OSError as error:
        raise AnnotationError(
            f"{project} cannot be moved to {target}: {error.strerror}."
        ) from error
    return target
