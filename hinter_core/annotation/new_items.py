"""Which item a row of a file is about: one that the project has, or a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hinter_core.annotation.coding import fingerprint
from hinter_core.annotation.entries import Entry
from hinter_core.annotation.store import AnnotationStore, check_item
from hinter_core.annotation.values import AnnotationError, Item

_SHOWN = 40  # characters of an id in a message


@dataclass(frozen=True)
class _Known:
    """Items of a project, by id and by their texts, and which of them were taken out."""

    by_id: dict[str, str]  # to the fingerprint
    by_texts: dict[str, str]  # to the id
    removed: frozenset[str]


def _known(store: AnnotationStore) -> _Known:
    with store.database.read() as connection:
        rows = connection.execute("SELECT id, fingerprint, removed_at FROM items").fetchall()
    return _Known(
        {row["id"]: row["fingerprint"] for row in rows},
        {row["fingerprint"]: row["id"] for row in rows},
        frozenset(row["id"] for row in rows if row["removed_at"]),
    )


@dataclass
class Found:
    """``targets``: the id of each row's item, by the row's number, where the row can be used.

    ``added`` items are new, ``known`` ones were there; ``problems`` by number of the row.
    """

    targets: dict[int, str] = field(default_factory=dict)
    added: int = 0
    known: int = 0
    problems: list[tuple[int, str]] = field(default_factory=list)


def add_items(store: AnnotationStore, entries: Sequence[Entry]) -> Found:
    """Add what is new."""
    known = _known(store)
    there = set(known.by_id)
    found = Found()
    new: dict[str, Item] = {}
    met: dict[str, int] = {}  # items that come with no judgement
    for entry in entries:
        try:
            ident = _target(entry, known, new)
        except AnnotationError as error:
            found.problems.append((entry.number, str(error)))
            continue
        if not ident:
            continue
        found.targets[entry.number] = ident
        if entry.given is None and entry.item is not None and not entry.faults:
            first = met.setdefault(ident, entry.number)
            if first != entry.number:
                found.problems.append((entry.number, f"it repeats the item of row {first}"))
    found.added = store.add(new.values()).added
    found.known = len({ident for ident in found.targets.values() if ident in there})
    return found


def _target(entry: Entry, known: _Known, new: dict[str, Item]) -> str:
    """The id of a row's item, which is noted if it is new; "" for a row without any."""
    item, ident = entry.item, entry.ident
    if item is None:
        if ident and (ident not in known.by_id or ident in known.removed) and ident not in new:
            what = "was taken out" if ident in known.removed else "is not in the project"
            raise AnnotationError(f"the item '{ident[:_SHOWN]}' {what}, and there is no text")
        return ident
    check_item(item)
    texts = fingerprint(item)
    if known.by_id.get(item.id, texts) != texts:
        raise AnnotationError(
            f"the item '{item.id[:_SHOWN]}' has other texts here than in the project; if these are "
            "no ids of items, say --map item="
        )
    same = known.by_texts.get(texts)
    if same is None:
        new[item.id] = item
        known.by_id[item.id], known.by_texts[texts] = texts, item.id
        return item.id
    if same in known.removed:
        raise AnnotationError(f"the item '{same[:_SHOWN]}' was taken out of the project")
    return same
