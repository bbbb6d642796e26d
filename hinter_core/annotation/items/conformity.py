"""What the invariant says of items that came without its word, as pairs that people wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hinter_core.annotation.project.coding import item_from_json, item_to_json
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import AnnotationItem
from hinter_core.errors import InputError
from hinter_core.language.clean import clean
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences
from hinter_core.pipeline.pipeline import chunks
from hinter_core.relations import invariant
from hinter_core.types import Conformance, Sentence

_BATCH = 64  # items whose sentences are parsed at once


def conform_pairs(items: Iterable[AnnotationItem], parses: ParseStore) -> Iterator[AnnotationItem]:
    """The items with ``kept``, ``layer`` and ``reason`` filled where they have a source.

    The two texts are held against each other as those of a mutant by hand: cleaned, split, and
    parsed where they differ (HInter, Algorithm 3). What has no source, was asked before, or has no
    letter in one of its texts, stays as it is.
    """
    for batch in chunks(items, _BATCH):
        split = [_split(item) for item in batch]
        said = iter(invariant.check_all([both for both in split if both], parses))
        for item, both in zip(batch, split, strict=True):
            yield _answered(item, next(said)) if both else item


def _split(item: AnnotationItem) -> tuple[list[Sentence], list[Sentence]] | None:
    if not item.source or item.kept is not None:
        return None
    try:
        source, mutant = clean(item.source)[0], clean(item.mutant)[0]
    except InputError:
        return None
    return split_sentences(source), split_sentences(mutant)


def _answered(item: AnnotationItem, said: Conformance) -> AnnotationItem:
    layer = said.layer.value if said.layer else ""
    return replace(item, kept=said.kept, layer=layer, reason=said.reason)


def fill_invariant(store: AnnotationStore, parses: ParseStore) -> tuple[int, int]:
    """Ask the invariant about every pair of a project that it was not asked about.

    Returns how many it kept and how many it discarded.

    Raises:
        AnnotationError: the file cannot be read or written.
    """
    kept = discarded = 0
    with store.database.read() as connection:
        rows = connection.execute(
            "SELECT content FROM items WHERE removed_at IS NULL ORDER BY number"
        ).fetchall()
    items = (item_from_json(json.loads(row["content"])) for row in rows)
    wanted = (item for item in items if _split(item) is not None)
    for batch in chunks(conform_pairs(wanted, parses), _BATCH):
        with store.database.write() as connection:
            connection.executemany(
                "UPDATE items SET content = ? WHERE id = ?",
                [(json.dumps(item_to_json(i), ensure_ascii=False), i.id) for i in batch],
            )
        kept += sum(item.kept is True for item in batch)
        discarded += sum(item.kept is False for item in batch)
    return kept, discarded
