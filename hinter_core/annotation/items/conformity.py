"""Run the invariant on imported items that have no verdict yet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hinter_core.annotation.project.coding import item_to_json
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
    """Yield the items, with ``kept``, ``layer`` and ``reason`` if they have a source.

    Both texts are cleaned, split and, where they differ, parsed (HInter, Algorithm 3). Items
    without source, with a verdict, or with a text without letters are unchanged.
    """
    for batch in chunks(items, _BATCH):
        split = [_split(item) for item in batch]
        verdicts = iter(invariant.check_all([both for both in split if both], parses))
        for item, both in zip(batch, split, strict=True):
            yield _with_verdict(item, next(verdicts)) if both else item


def _split(item: AnnotationItem) -> tuple[list[Sentence], list[Sentence]] | None:
    if not item.source or item.kept is not None:
        return None
    try:
        source, mutant = clean(item.source)[0], clean(item.mutant)[0]
    except InputError:
        return None
    return split_sentences(source), split_sentences(mutant)


def _with_verdict(item: AnnotationItem, verdict: Conformance) -> AnnotationItem:
    layer = verdict.layer.value if verdict.layer else ""
    return replace(item, kept=verdict.kept, layer=layer, reason=verdict.reason)


def fill_invariant(store: AnnotationStore, parses: ParseStore) -> tuple[int, int]:
    """Run the invariant on the pairs of a project without verdict; count kept and discarded ones.

    Raises:
        AnnotationError: the file cannot be read or written.
    """
    kept = discarded = 0
    wanted = [item for item in store.items() if _split(item) is not None]
    for batch in chunks(conform_pairs(wanted, parses), _BATCH):
        with store.database.write() as connection:
            connection.executemany(
                "UPDATE items SET content = ? WHERE id = ?",
                [(json.dumps(item_to_json(i), ensure_ascii=False), i.id) for i in batch],
            )
        kept += sum(item.kept is True for item in batch)
        discarded += sum(item.kept is False for item in batch)
    return kept, discarded
