"""Prediction cache on disk: an answer is stored before it is used and never paid for twice.

SQLite in WAL mode, shared by any number of processes. The key of a row is a versioned hash of the
model's identity (model, revision, dtype, prompt, decoding) and the text; the text itself is not
stored. What is no model's answer (time-out, error, content filter, text too long, exhausted budget)
is not stored.
"""

import hashlib
import json
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any

from hinter_core.errors import HinterError
from hinter_core.language.clean import whole_values
from hinter_core.storage import data_place, open_database, transaction
from hinter_core.types import Failure, Prediction

_KEY_VERSION = b"hinter-prediction-1"
# Failures of a text itself: asking the same model again cannot help.
LASTING = frozenset({Failure.TOO_LONG, Failure.NO_MASK})
# Failures that may not occur again, at the latest with another window; they are not kept.
PASSING = LASTING | {Failure.ERROR, Failure.TIMED_OUT, Failure.OVER_BUDGET, Failure.NOT_ASKED}
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError)  # what a damaged row may raise
_SCHEMA = """
CREATE TABLE IF NOT EXISTS predictions (
    key BLOB PRIMARY KEY,
    model TEXT NOT NULL,
    answer TEXT NOT NULL,
    created REAL NOT NULL
) WITHOUT ROWID
"""
AGAIN = "#again-"  # between an identity and the index of a repetition


class CacheError(HinterError):
    """The cache file cannot be opened, read or written."""


@dataclass(frozen=True, slots=True)
class CacheStats:
    """Contents of a cache: number of answers by model identity, and bytes on disk."""

    path: Path
    answers: Mapping[str, int]
    size: int


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """Answers that were used again: their number, and the Unix time of the oldest."""

    number: int = 0
    oldest: float = inf

    def __add__(self, other: "KeptAnswers") -> "KeptAnswers":
        return KeptAnswers(self.number + other.number, min(self.oldest, other.oldest))

    @property
    def in_words(self) -> str:
        """Say how many answers were not asked for now, and how old they are."""
        kept = f"{self.number:,} answers are from earlier checks or runs, the oldest of {self.day}"
        if self.number == 1:
            kept = f"1 answer is from an earlier check or run, of {self.day}"
        return f"{kept}; the model was not asked again"

    @property
    def day(self) -> str:
        """The time of the oldest answer."""
        return f"{datetime.fromtimestamp(self.oldest, UTC):%Y-%m-%d %H:%M} UTC"


def default_path() -> Path:
    """Return ``HINTER_CACHE``, or ``predictions.sqlite`` among all data."""
    return data_place("predictions.sqlite", "HINTER_CACHE")


def prediction_key(identity: str, text: str) -> bytes:
    """Return the 32-byte key of a model's answer to a text."""
    digest = hashlib.sha256(_KEY_VERSION)
    for part in (identity, text):
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.digest()


class PredictionCache:
    """Answers of any number of models in one file; safe to share between threads and processes.

    Raises:
        CacheError: the file cannot be opened, read or written, or is no cache.
    """

    def __init__(self, path: Path) -> None:
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

    def get(
        self, identity: str, texts: Iterable[str], since: float = 0.0
    ) -> dict[str, tuple[Prediction, float]]:
        """Return the answers stored since a Unix time, each with its own; skip unreadable ones."""
        answers: dict[str, tuple[Prediction, float]] = {}
        query = "SELECT answer, created FROM predictions WHERE key = ? AND created >= ?"
        with self._opened() as database:
            for text in texts:
                values = prediction_key(identity, text), since
                row = database.execute(query, values).fetchone()
                if row is not None:
                    with suppress(*_UNREADABLE):
                        answers[text] = answer_from_json(row[0]), row[1]
        return answers

    def put(self, identity: str, answers: Mapping[str, Prediction]) -> None:
        """Store answers; temporary failures are left out."""
        now = time.time()
        rows = [
            (prediction_key(identity, text), identity, answer_to_json(answer), now)
            for text, answer in answers.items()
            if answer.failure not in PASSING
            # What a content filter refused, the model did not answer.
            and (answer.failure is not Failure.REFUSED or answer.reply)
        ]
        if rows:
            with self._opened() as database, transaction(database):
                database.executemany("INSERT OR REPLACE INTO predictions VALUES (?, ?, ?, ?)", rows)

    def stats(self) -> CacheStats:
        """Count the answers by model, repetitions included, and the bytes on disk."""
        with self._opened() as database:
            rows = database.execute(
                "SELECT model, COUNT(*) FROM predictions GROUP BY model ORDER BY model"
            ).fetchall()
        answers: Counter[str] = Counter()
        for model, number in rows:
            answers[model.partition(AGAIN)[0]] += number
        return CacheStats(self.path, answers, self.path.stat().st_size)

    def verify(self) -> list[str]:
        """List faults: those of SQLite's integrity check and unreadable answers."""
        with self._opened() as database:
            checked = database.execute("PRAGMA integrity_check")
            faults = [fault for (fault,) in checked if fault != "ok"]
            for key, answer in database.execute("SELECT key, answer FROM predictions"):
                try:
                    answer_from_json(answer)
                except _UNREADABLE:
                    faults.append(f"answer {key.hex()[:12]} cannot be read")
        return faults

    def prune(self, *, older_than_days: float | None = None, model: str | None = None) -> int:
        """Delete answers by age, by model, or both; return their number."""
        conditions, values = ["1 = 1"], list[object]()
        if older_than_days is not None:
            conditions.append("created < ?")
            values.append(time.time() - older_than_days * 86400)
        if model is not None:
            again = model + AGAIN
            conditions.append("(model = ? OR substr(model, 1, ?) = ?)")
            values += [model, len(again), again]
        query = f"DELETE FROM predictions WHERE {' AND '.join(conditions)}"  # noqa: S608
        with self._opened() as database:
            deleted = database.execute(query, values).rowcount
            database.execute("VACUUM")
        return deleted

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Yield the database to one thread; its errors become cache errors."""
        try:
            with self._lock:
                yield self._db
        except sqlite3.OperationalError as error:  # locked, or the disk is full
            raise CacheError(
                f"The prediction cache {self.path} failed ({error}); try again, or set "
                "HINTER_CACHE to another file."
            ) from error
        except sqlite3.Error as error:
            raise CacheError(
                f"The prediction cache {self.path} is damaged ({error}); delete the file."
            ) from error


def answer_to_json(answer: Prediction) -> str:
    """Write an answer as a line of JSON."""
    values: dict[str, Any] = {"labels": answer.labels, "scores": dict(answer.scores)}
    if answer.failure:
        values |= {"failure": answer.failure.value, "detail": answer.detail}
    if answer.reply:
        values["reply"] = answer.reply
    if answer.cut:
        values["cut"] = True
    if answer.masks:
        values["masks"] = [dict(mask) for mask in answer.masks]
    if answer.clusters:
        values["clusters"] = answer.clusters
    return json.dumps(values, ensure_ascii=False)


def answer_from_json(text: str) -> Prediction:
    """Read such a line; damaged ones raise ValueError, KeyError, TypeError or AttributeError."""
    values = whole_values(json.loads(text))
    failure = Failure(values["failure"]) if "failure" in values else None
    return Prediction(
        tuple(values["labels"]),
        _numbers(values["scores"]),
        failure,
        values.get("detail", ""),
        values.get("reply", ""),
        tuple(map(_numbers, values.get("masks", ()))),
        tuple(
            tuple((int(start), int(end)) for start, end in cluster)
            for cluster in values.get("clusters", ())
        ),
        bool(values.get("cut", False)),
    )


def _numbers(scores: Mapping[str, float]) -> dict[str, float]:
    return {str(name): float(score) for name, score in scores.items()}
