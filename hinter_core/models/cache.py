"""The prediction cache on disk: an answer is written before it is used, and never paid for twice.

SQLite in WAL mode, shared by any number of processes. A row is keyed by a versioned hash of the
model's identity (which names model, revision, dtype, prompt and decoding) and the text; the text
itself is not stored. Failures that may pass (a time-out, an error, a window that can be widened,
an exhausted budget) are not kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hinter_core.errors import HinterError
from hinter_core.storage import open_database, transaction, user_cache
from hinter_core.types import Failure, Prediction

_KEY_VERSION = b"hinter-prediction-1"
# Failures that another try may mend; they are asked again next time.
PASSING = frozenset({Failure.ERROR, Failure.TIMED_OUT, Failure.TOO_LONG, Failure.OVER_BUDGET})
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError)  # what a damaged row may raise
_SCHEMA = """
CREATE TABLE IF NOT EXISTS predictions (
    key BLOB PRIMARY KEY,
    model TEXT NOT NULL,
    answer TEXT NOT NULL,
    created REAL NOT NULL
) WITHOUT ROWID
"""
_READ_AT_ONCE = 500
AGAIN = "#again-"  # between an identity and the how-manieth time a text is asked anew


class CacheError(HinterError):
    """The cache file cannot be opened, read or written."""


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What a cache holds: answers by model identity, and bytes on disk."""

    path: Path
    answers: Mapping[str, int]
    size: int


def default_path() -> Path:
    """``HINTER_CACHE``, or ``predictions.sqlite`` in the user's cache folder."""
    named = os.environ.get("HINTER_CACHE")
    if named:
        return Path(named)
    return user_cache() / "predictions.sqlite"


def prediction_key(identity: str, text: str) -> bytes:
    """The 32-byte key of a model's answer to a text."""
    digest = hashlib.sha256(_KEY_VERSION)
    for part in (identity, text):
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.digest()


class PredictionCache:
    """Answers of any number of models in one file; safe to share between threads and processes."""

    def __init__(self, path: Path) -> None:
        """Open or make the cache at ``path``.

        Raises:
            CacheError: the file cannot be opened or is no cache.
        """
        self.path = path
        self._lock = threading.Lock()
        try:
            self._db = open_database(path)
            self._db.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise CacheError(
                f"Cannot open the prediction cache {path} ({error}); check that it is the cache's "
                "file, or set HINTER_CACHE to another file."
            ) from error

    def get(self, identity: str, texts: Iterable[str]) -> dict[str, Prediction]:
        """The answers known for ``texts``; one that cannot be read is as good as none."""
        keys = {prediction_key(identity, text): text for text in texts}
        ordered = list(keys)
        found: dict[str, Prediction] = {}
        with self._lock, _named_errors(self.path):
            for start in range(0, len(ordered), _READ_AT_ONCE):
                part = ordered[start : start + _READ_AT_ONCE]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, answer FROM predictions WHERE key IN ({marks})"  # noqa: S608
                for key, answer in self._db.execute(query, part):
                    with suppress(*_UNREADABLE):
                        found[keys[key]] = _from_json(answer)
        return found

    def put(self, identity: str, answers: Mapping[str, Prediction]) -> None:
        """Write answers; those of passing failures are left out."""
        now = time.time()
        rows = [
            (prediction_key(identity, text), identity, _to_json(answer), now)
            for text, answer in answers.items()
            if answer.failure not in PASSING
        ]
        if not rows:
            return
        with self._lock, _named_errors(self.path), transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO predictions VALUES (?, ?, ?, ?)", rows)

    def stats(self) -> CacheStats:
        """Answers by model, those to texts asked again included, and size on disk (bytes)."""
        with self._lock, _named_errors(self.path):
            rows = self._db.execute(
                "SELECT model, COUNT(*) FROM predictions GROUP BY model ORDER BY model"
            ).fetchall()
        answers: Counter[str] = Counter()
        for model, number in rows:
            answers[model.partition(AGAIN)[0]] += number
        return CacheStats(self.path, answers, self.path.stat().st_size)

    def verify(self) -> list[str]:
        """Faults found: the file's own check, and answers that cannot be read."""
        with self._lock, _named_errors(self.path):
            faults = [row[0] for row in self._db.execute("PRAGMA integrity_check")]
            faults = [fault for fault in faults if fault != "ok"]
            for key, answer in self._db.execute("SELECT key, answer FROM predictions"):
                try:
                    _from_json(answer)
                except _UNREADABLE:
                    faults.append(f"answer {key.hex()[:12]} cannot be read")
        return faults

    def prune(self, *, older_than_days: float | None = None, model: str | None = None) -> int:
        """Delete answers older than so many days, or of one model; returns how many."""
        conditions, values = ["1 = 1"], list[object]()
        if older_than_days is not None:
            conditions.append("created < ?")
            values.append(time.time() - older_than_days * 86400)
        if model is not None:
            again = model + AGAIN
            conditions.append("(model = ? OR substr(model, 1, ?) = ?)")
            values += [model, len(again), again]
        query = f"DELETE FROM predictions WHERE {' AND '.join(conditions)}"  # noqa: S608
        with self._lock, _named_errors(self.path):
            deleted = self._db.execute(query, values).rowcount
            self._db.execute("VACUUM")
        return deleted

    def close(self) -> None:
        """Close the file."""
        with self._lock, closing(self._db):
            pass


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into one that names the file."""
    try:
        yield
    except sqlite3.OperationalError as error:  # locked, or the disk is full
        raise CacheError(
            f"The prediction cache {path} failed ({error}); try again, or set "
            "HINTER_CACHE to another file."
        ) from error
    except sqlite3.Error as error:
        raise CacheError(
            f"The prediction cache {path} is damaged ({error}); delete the file."
        ) from error


def _to_json(answer: Prediction) -> str:
    values = {"labels": answer.labels, "scores": dict(answer.scores)}
    if answer.failure:
        values |= {"failure": answer.failure.value, "detail": answer.detail}
    if answer.reply:
        values["reply"] = answer.reply
    return json.dumps(values, ensure_ascii=False)


def _from_json(text: str) -> Prediction:
    values = json.loads(text)
    failure = Failure(values["failure"]) if "failure" in values else None
    scores = {str(label): float(score) for label, score in values["scores"].items()}
    return Prediction(
        tuple(values["labels"]),
        scores,
        failure,
        values.get("detail", ""),
        values.get("reply", ""),
    )
