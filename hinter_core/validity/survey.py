"""Judge a sample of a campaign's mutants and keep what a checker says beside its tables.

``validity-KEY.parquet`` in the campaign's directory has one row a mutant of the sample; KEY is of
the checker's identity. Only sentences that the edits changed are judged, in the mutant and in its
source: all others are the same on both sides.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from hinter_core.campaign.reader import kept_at
from hinter_core.campaign.store import CampaignStore, StoreError, TableWriter, read_table
from hinter_core.errors import InputError
from hinter_core.validity.base import Acceptability, Checker
from hinter_core.validity.sample import Drawn, draw

_PATTERN = "validity-*.parquet"
_NOTE = b"hinter-validity"
_AT_ONCE = 256  # sentences between two reports of progress


def schema(note: Mapping[str, Any]) -> Any:
    """Columns of the table; ``note`` names the checker and the sample.

    ``valid``: all changed sentences of the mutant are acceptable (null: no judgement); ``score``:
    the lowest of them; ``source_valid`` and ``source_score`` the same of its source.
    """
    import pyarrow as pa

    return pa.schema(
        [
            ("shard", pa.int32()),
            ("mutant", pa.int64()),
            ("row", pa.int64()),
            ("attributes", pa.list_(pa.string())),
            ("kept", pa.bool_()),
            ("valid", pa.bool_()),
            ("score", pa.float32()),
            ("reason", pa.string()),
            ("source_valid", pa.bool_()),
            ("source_score", pa.float32()),
            ("source_reason", pa.string()),
            ("source_sentences", pa.list_(pa.string())),
        ],
        metadata={_NOTE: json.dumps(dict(note), ensure_ascii=False).encode()},
    )


def survey(
    store: CampaignStore,
    checker: Checker,
    most: int,
    seed: int,
    told: Callable[[int, int], None] = lambda *_: None,
) -> Path:
    """Draw, judge and write; returns the file. ``told`` hears of sentences done, of all.

    Raises:
        InputError: the sample is below 1, or the campaign has no mutants yet.
        HinterError: the checker cannot be asked, or the directory not be read or written.
    """
    if most < 1:
        raise InputError("The sample is at least 1 mutant.")
    spec = store.read()
    with store.alone():
        drawn = draw(store, most, seed)
        if not drawn:
            raise InputError(f"{store.folder} has no mutants yet; run the campaign first.")
        found = _checked(drawn, checker, told)
        note = {
            "campaign": spec["identity"],
            "checker": checker.name,
            "identity": checker.identity,
            "sample": most,
            "seed": seed,
        }
        key = sha256(checker.identity.encode()).hexdigest()[:10]
        path = store.folder / f"validity-{key}.parquet"
        with TableWriter(path, schema(note)) as writer:
            writer.write([_row(item, found) for item in drawn])
    return path


def _checked(
    drawn: Sequence[Drawn], checker: Checker, told: Callable[[int, int], None]
) -> dict[str, Acceptability]:
    """Each distinct sentence once."""
    sentences = sorted({s for item in drawn for s in (*item.sentences, *item.sources)})
    found: dict[str, Acceptability] = {}
    for start in range(0, len(sentences), _AT_ONCE):
        some = sentences[start : start + _AT_ONCE]
        found.update(zip(some, checker.check(some), strict=True))
        told(len(found), len(sentences))
    return found


def _row(item: Drawn, found: Mapping[str, Acceptability]) -> dict[str, Any]:
    own = _together([found[s] for s in item.sentences])
    source = _together([found[s] for s in item.sources])
    return {
        "shard": item.shard,
        "mutant": item.mutant,
        "row": item.row,
        "attributes": list(item.attributes),
        "kept": item.kept,
        "valid": own.acceptable,
        "score": own.score,
        "reason": own.reason or None,
        "source_valid": source.acceptable,
        "source_score": source.score,
        "source_reason": source.reason or None,
        "source_sentences": item.sources,
    }


def _together(judged: Sequence[Acceptability]) -> Acceptability:
    """One judgement of several sentences: as good as the worst of them."""
    scores = [one.score for one in judged if one.score is not None]
    score = min(scores) if scores else None
    for wanted in (False, None):
        for one in judged:
            if one.acceptable is wanted:
                return Acceptability(wanted, score, one.reason)
    # Where no sentence differs (a change of white space at an end), nothing was to judge.
    return Acceptability(True if judged else None, score, "" if judged else "no sentence differs")


def surveys(store: CampaignStore) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """What each checker was asked and said: its note and its rows, by name.

    Raises:
        StoreError: a file that cannot be read, or that is no such table.
    """
    found = []
    for path in sorted(store.folder.glob(_PATTERN)):
        table = read_table(path)
        note = (table.schema.metadata or {}).get(_NOTE)
        if note is None or not set(schema({}).names) <= set(table.schema.names):
            raise StoreError(f"{path} is no table of judgements; delete it.")
        found.append((dict(json.loads(note)), table.to_pylist()))
    return sorted(found, key=lambda item: str(item[0]["checker"]))


def faults(store: CampaignStore) -> list[str]:
    """Judgements that cannot be read or are not of this campaign's mutants."""
    try:
        every = surveys(store)
    except StoreError as error:
        return [str(error)]
    identity = store.read()["identity"]
    kept = kept_at(store, ((row["shard"], row["mutant"]) for _, rows in every for row in rows))
    found = []
    for note, rows in every:
        name = f"Judgements of {note['checker']}"
        if note["campaign"] != identity:
            found.append(f"{name} are of another campaign")
            continue
        for row in rows:
            if kept.get((row["shard"], row["mutant"])) is not row["kept"]:
                found.append(f"{name} do not fit the mutants of shard {row['shard']}")
                break
    return found
