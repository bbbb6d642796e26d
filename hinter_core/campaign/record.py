"""Provenance of a campaign: contents of its word lists and parser, versions, machine."""

import hashlib
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hinter_core import __version__
from hinter_core.errors import InputError
from hinter_core.language.encoder import FOLDER as ENCODER
from hinter_core.language.parsing import EMBEDDED
from hinter_core.models.cache import KeptAnswers
from hinter_core.storage import DICTIONARIES

_LIBRARIES = ("spacy", "torch", "transformers", "aiohttp", "numpy", "pyarrow", "duckdb")
_WORDS = (".csv", ".toml")


@lru_cache(maxsize=1)
def words_content() -> str:
    """Hash the shipped dictionaries, the other word lists and the encoder."""
    lists = [path for path in sorted(DICTIONARIES.iterdir()) if path.suffix in _WORDS]
    return _hash([*lists, *sorted(path for path in ENCODER.iterdir() if path.suffix != ".md")])


@lru_cache(maxsize=1)
def program_content() -> str:
    """Hash the program text, once: its files may change while it runs."""
    return _hash(sorted(Path(__file__).parents[1].rglob("*.py")))


def build_content() -> str:
    """Hash what makes, keeps and judges mutants: the program, the word lists and the encoder."""
    both = f"{program_content()} {words_content()}"
    return hashlib.sha256(both.encode()).hexdigest()[:12]


@lru_cache(maxsize=8)
def parser_content(name: str) -> str:
    """Hash the files of a parser; of an installed package, its name and version.

    The names of people in parses of the embedded one are those of the encoder.
    """
    folders = [EMBEDDED, ENCODER] if name == "embedded" else [Path(name)]
    if folders[0].is_dir():
        files = [path for folder in folders for path in folder.rglob("*")]
        return _hash(sorted(path for path in files if path.suffix != ".md"))
    installed = _version(name)  # whoever loads it says that it is not there
    return f"{name}-{installed}" if installed else name


def _hash(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        if path.is_file():
            digest.update(f"{path.name}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def circumstances() -> dict[str, Any]:
    """Return when and with which versions a run begins."""
    return {
        "started": now(),
        "hinter": __version__,
        "build": build_content(),
        "python": platform.python_version(),
        "platform": f"{sys.platform} {platform.machine()}",
        "libraries": {name: installed for name in _LIBRARIES if (installed := _version(name))},
    }


def now() -> str:
    """Return the time as ``2026-01-31T12:00:00.000+00:00``."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def begun(spec: Mapping[str, Any], *, fresh: bool = False) -> float | None:
    """Return the Unix time of the first run, or of the first with the setting ``fresh``."""
    runs = (run for run in spec.get("runs", []) if run.get("fresh") or not fresh)
    started = next((run["started"] for run in runs if "started" in run), None)
    return datetime.fromisoformat(started).timestamp() if started else None


def builds_of(spec: Mapping[str, Any]) -> list[str]:
    """Return the builds that ran a campaign, as far as they are noted, each once."""
    return list(dict.fromkeys(run["build"] for run in spec.get("runs", []) if "build" in run))


def kept_by_model(spec: Mapping[str, Any]) -> dict[str, KeptAnswers]:
    """Return how many answers of each model are from before the campaign, if there are any."""
    kept = {}
    for name, model in spec["models"].items():
        noted = [run.get("kept", {}).get(model["identity"]) for run in spec.get("runs", [])]
        every = sum((KeptAnswers(*one) for one in noted if one), KeptAnswers())
        if every.number:
            kept[name] = every
    return kept


@cache  # as it does not change, and takes 2 ms
def _version(package: str) -> str:
    """Return the version of a package; "" if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def file_content(path: Path) -> str:
    """Hash the content of a file, or of a saved data set, so that it may move but not change.

    Raises:
        InputError: the file cannot be read.
    """
    if path.is_dir():
        return _hash(sorted(path.rglob("*.arrow")))
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}. Check the path.") from error


@dataclass(frozen=True, slots=True)
class PriorityState:
    """Progress of a prioritised run for one model, as stored in the specification.

    ``cases``: mutants to be ordered; ``asked``: those answered, with ``faults`` changed answers
    among them; ``answers``: all so far, with unchanged texts, neutral changes and parts; equal
    texts are sent once. ``audited``: cases of the random share, ``audit_faults`` among them, and
    the bounds ``low`` and ``high`` of the rate of all cases, which hold whenever one stops.
    ``curve``: numbers of cases and of faults, as they grew. ``reason``: why it stopped; "" while it
    has not.
    """

    order: str
    cases: int
    asked: int = 0
    faults: int = 0
    answers: int = 0
    audited: int = 0
    audit_faults: int = 0
    low: float = 0.0
    high: float = 1.0
    curve: tuple[tuple[int, int], ...] = ()
    reason: str = ""


def priorities_of(spec: Mapping[str, Any]) -> dict[str, PriorityState]:
    """Return the state by model from a specification; empty if the run is not prioritised."""
    return {
        model: PriorityState(**{**noted, "curve": tuple(map(tuple, noted["curve"]))})
        for model, noted in spec.get("priority", {}).items()
    }


def is_whole(spec: Mapping[str, Any]) -> bool:
    """Whether a specification has all its parts, each of its kind."""
    models, scope = spec.get("models"), spec.get("scope", {})
    try:
        priorities_of(spec)
    except (AttributeError, KeyError, TypeError):
        return False
    return (
        isinstance(spec.get("identity"), str)
        and isinstance(spec.get("campaign"), dict)
        and isinstance(models, dict)
        and all(isinstance(m, dict) and {"identity", "labels"} <= set(m) for m in models.values())
        and isinstance(scope, dict)
        and all(isinstance(n, list) and list(map(type, n)) == [int, int] for n in scope.values())
    )
