"""Judge the grammar of a sample of a campaign's mutants; store the judgements beside its tables.

``validity-KEY.parquet`` in the campaign's directory has one row per mutant of the sample; KEY is a
hash of the checker's identity. Only sentences that the edits changed are judged, in the mutant and
in its source: all others are equal on both sides.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from hinter_core.campaign.parquet import StoreError, read_table, write_table
from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.language.sentences import split_sentences
from hinter_core.validity.checkers import Acceptability, Checker
from hinter_core.validity.draw import NOT_ASKED, balanced, strata

_NOTE = b"hinter-validity"
_AT_ONCE = 256  # sentences between two reports of progress


@dataclass(frozen=True)
class Drawn:
    """A mutant of the sample with its changed sentences, and the same sentences of its source."""

    record: MutantRecord
    sentences: list[str]
    sources: list[str]


def draw(store: CampaignStore, most: int, seed: int) -> list[Drawn]:
    """Draw up to ``most`` kept and up to ``most`` discarded mutants, without the placebo's.

    The sample is balanced over the sets of attributes, as in the paper (HInter, RQ2), and, other
    than there, over each attribute and text. Memory depends on the sample and not on the campaign.

    Raises:
        StoreError: a table that cannot be read.
    """
    with CampaignReader(store, ()) as reader:
        candidates = strata(reader, most, seed, by_layer=False)
        chosen: list[tuple[int, int]] = []
        for kept in (True, False):
            stratum = {key: at for key, at in candidates.items() if (key[1] == NOT_ASKED) is kept}
            drawn_of = balanced(stratum, most, seed).values()
            chosen += [one.place for some in drawn_of for one in some]
        drawn = []
        for record in reader.at(chosen):
            before, after = (
                [sentence.text for sentence in split_sentences(text)]
                for text in (record.text, record.mutant)
            )
            sources, sentences = changed(before, after)
            # The texts, which may be long, are not kept.
            drawn.append(Drawn(replace(record, text="", handwritten=None), sentences, sources))
        return drawn


def changed(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Return the sentences in which two texts differ: of the first, and of the second."""
    if len(before) == len(after):
        pairs = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
        return [a for a, _ in pairs], [b for _, b in pairs]
    return [a for a in before if a not in after], [b for b in after if b not in before]


def schema(note: Mapping[str, Any]) -> Any:
    """Return the columns of the table; ``note`` names the checker and the sample.

    ``valid``: all changed sentences of the mutant are acceptable (null: no judgement); ``score``:
    the lowest of them; ``source_valid`` and ``source_score``: the same for its source.
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
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Path:
    """Draw a sample, judge it and write the table; return its path.

    ``progress`` gets the number of sentences judged and the number of all.

    Raises:
        InputError: the sample is below 1, or the campaign has no mutants yet.
        HinterError: the checker fails, or the directory cannot be read or written.
    """
    if most < 1:
        raise InputError("The sample is at least 1 mutant.")
    spec = store.read()
    with store.alone():
        drawn = draw(store, most, seed)
        if not drawn:
            raise InputError(f"{store.folder} has no mutants yet; run the campaign first.")
        # Each distinct sentence is judged once.
        sentences = sorted({s for item in drawn for s in (*item.sentences, *item.sources)})
        judged: dict[str, Acceptability] = {}
        for start in range(0, len(sentences), _AT_ONCE):
            some = sentences[start : start + _AT_ONCE]
            judged.update(zip(some, checker.check(some), strict=True))
            progress(len(judged), len(sentences))
        note = {
            "campaign": spec["identity"],
            "checker": checker.name,
            "identity": checker.identity,
            "sample": most,
            "seed": seed,
        }
        key = sha256(checker.identity.encode()).hexdigest()[:10]
        path = store.folder / f"validity-{key}.parquet"
        write_table(path, [_row(item, judged) for item in drawn], schema(note))
    return path


def _row(item: Drawn, judged: Mapping[str, Acceptability]) -> dict[str, Any]:
    record = item.record
    mutant = _together([judged[s] for s in item.sentences])
    source = _together([judged[s] for s in item.sources])
    return {
        "shard": record.shard,
        "mutant": record.place,
        "row": record.row,
        "attributes": list(record.attributes),
        "kept": record.kept,
        "valid": mutant.acceptable,
        "score": mutant.score,
        "reason": mutant.reason or None,
        "source_valid": source.acceptable,
        "source_score": source.score,
        "source_reason": source.reason or None,
        "source_sentences": item.sources,
    }


def _together(judged: Sequence[Acceptability]) -> Acceptability:
    """Judge several sentences as one: as good as the worst of them."""
    score = min((one.score for one in judged if one.score is not None), default=None)
    for wanted in (False, None):
        for one in judged:
            if one.acceptable is wanted:
                return Acceptability(wanted, score, one.reason)
    # If no sentence differs (a change of white space at an end), there is nothing to judge.
    return Acceptability(True if judged else None, score, "" if judged else "no sentence differs")


def surveys(store: CampaignStore) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return note and rows of each checker's table, sorted by the checker's name.

    Raises:
        StoreError: a file that cannot be read, or that is no such table.
    """
    surveys_read = []
    for path in sorted(store.folder.glob("validity-*.parquet")):
        table = read_table(path)
        note = (table.schema.metadata or {}).get(_NOTE)
        if note is None or not set(schema({}).names) <= set(table.schema.names):
            raise StoreError(f"{path} is no table of judgements; delete it.")
        surveys_read.append((dict(json.loads(note)), table.to_pylist()))
    return sorted(surveys_read, key=lambda item: str(item[0]["checker"]))


def kept_at(store: CampaignStore, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bool]:
    """Return whether the invariant kept the mutants at these places, if they exist.

    Raises:
        StoreError: a table cannot be read.
    """
    with CampaignReader(store, ()) as reader:
        return {(record.shard, record.place): record.kept for record in reader.at(places)}


def faults(store: CampaignStore) -> list[str]:
    """List judgements that cannot be read or do not belong to this campaign's mutants."""
    try:
        every = surveys(store)
    except StoreError as error:
        return [str(error)]
    identity = store.read()["identity"]
    kept = kept_at(store, ((row["shard"], row["mutant"]) for _, rows in every for row in rows))
    faulty = []
    for note, rows in every:
        name = f"Judgements of {note['checker']}"
        if note["campaign"] != identity:
            faulty.append(f"{name} are of another campaign")
            continue
        for row in rows:
            if kept.get((row["shard"], row["mutant"])) is not row["kept"]:
                faulty.append(f"{name} do not fit the mutants of shard {row['shard']}")
                break
    return faulty
