"""Settings of the app in environment variables, read and checked before it starts."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from hinter_core.annotation.backup import DATASET
from hinter_core.annotation.backup import FOLDER as ANNOTATIONS
from hinter_core.errors import InputError, hint
from hinter_core.models.huggingface.limits import LARGEST, largest_model
from hinter_core.models.server.endpoint import KEYS, bare
from hinter_core.storage import DATA, data_place, make_private, mirrored_folder
from hinter_ui.html.wording import Words, listed

say = Words("shared")

PROXIES = "HINTER_PROXIES"
ENDPOINTS = "HINTER_ENDPOINTS"
KEEP = "HINTER_KEEP_DAYS"
TOKEN = "HINTER_TOKEN"  # noqa: S105 -- the name of the setting
CAMPAIGNS_FOLDER, REPAIRS_FOLDER = "HINTER_CAMPAIGNS", "HINTER_REPAIRS"
_CLASSES, _CACHE = "HINTER_CLASSES", "HINTER_CACHE"
_PORT, _UPLOADS = "GRADIO_SERVER_PORT", "GRADIO_TEMP_DIR"
_PREFIX = "HINTER_"
_KEEP_DAYS = 7  # on a public host
_LONGEST = 5  # digits of a number
NAMES = (
    ANNOTATIONS, CAMPAIGNS_FOLDER, DATA, DATASET, ENDPOINTS, KEEP, KEYS, LARGEST, PROXIES,
    REPAIRS_FOLDER, TOKEN, _CACHE, _CLASSES,
)  # fmt: skip


def check_environment() -> list[str]:
    """Read all settings of the app; return warnings of names that none has.

    Raises:
        HinterError: a value that means nothing, or a folder that cannot be written.
    """
    for read in (proxies, endpoints, keep_days, largest_model, _port):
        read()
    uploads = Path(os.environ.get(_UPLOADS) or tempfile.gettempdir())
    for place, setting in (*_places(), (uploads, _UPLOADS)):
        _require_writable(place if setting != _CACHE else place.parent, setting)
    strange = sorted(name for name in os.environ if name.startswith(_PREFIX) and name not in NAMES)
    known = f"use {', '.join(NAMES)}."
    return [
        say("environment.unknown", name=name, hint=hint([name], NAMES, known)) for name in strange
    ]


def proxies() -> int:
    """Return how many proxies stand before the app; a Space has one."""
    default = int(bool(os.environ.get("SPACE_ID")))
    return _whole(PROXIES, default, range(10), "access.proxies")


def keep_days() -> int:
    """Return how many days a public host keeps a campaign."""
    return _whole(KEEP, _KEEP_DAYS, range(1, 10**_LONGEST), "environment.keep_days")


def endpoints() -> tuple[str, ...]:
    """Return the servers that a public host may ask, if they are named; OpenAI is none by itself.

    Raises:
        InputError: one is no address.
    """
    urls = tuple(bare(url) for url in os.environ.get(ENDPOINTS, "").split(",") if url.strip())
    for url in urls:
        if not is_plain(url):
            # What stands before an @ may be a password.
            value = url.rpartition("@")[2]
            raise InputError(say("environment.endpoints", name=ENDPOINTS, value=value))
    return urls


def is_plain(url: str) -> bool:
    """Whether this is an address with nothing but a scheme, a host, a port and a path."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 -- reading it checks it
    except ValueError:
        return False
    beyond = parts.username or parts.password or parts.query or parts.fragment
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not beyond


def _port() -> int:
    return _whole(_PORT, 0, range(1, 65_536), "environment.port")


def _whole(name: str, default: int, allowed: range, words: str) -> int:
    """Read a whole number.

    Raises:
        InputError: it is none, or not among those ``allowed``.
    """
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    plain = value.isascii() and value.isdigit() and len(value) <= _LONGEST
    if not plain or int(value) not in allowed:
        raise InputError(say(words, name=name, value=value))
    return int(value)


def _places() -> list[tuple[Path, str]]:
    """Return where data lie, each place with the setting that names it."""
    named = {
        CAMPAIGNS_FOLDER: "campaigns", ANNOTATIONS: "annotations", _CLASSES: "classes",
        REPAIRS_FOLDER: "repairs", _CACHE: "predictions.sqlite",
    }  # fmt: skip
    return [(data_place(name, setting), setting) for setting, name in named.items()]


def summary(*, local: bool, servers: Sequence[str], before: int) -> str:
    """Say in a line how the app is served; the token is no part of it.

    ``servers``: that models may be asked on; ``before``: the number of proxies.
    """
    places = [place if os.environ.get(setting) else place.parent for place, setting in _places()]
    if bucket := mirrored_folder():
        places.append(bucket)
    token = "set" if os.environ.get(TOKEN) else "unset"
    words = {
        "places": listed(list(dict.fromkeys(map(str, places)))), "servers": listed(servers),
        "token": say(f"environment.{token}", name=TOKEN),
    }  # fmt: skip
    if local:
        return say("environment.local", **words)
    return say.count("environment.public", before, **words)


def _require_writable(folder: Path, setting: str) -> None:
    try:
        make_private(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        variable = setting if os.environ.get(setting) or setting == _UPLOADS else DATA
        words = say("campaigns.folder", folder=folder, reason=error.strerror, variable=variable)
        raise InputError(words) from error
