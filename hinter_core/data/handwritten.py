"""Handwritten mutants: a file of sources and mutants that a person wrote or changed.

Each row has a ``source`` and a ``mutant``; both are tested verbatim. ``edits`` says what changed
(``race: black -> white; gender: man -> woman``) and ``groups`` the groups of these words. An
insertion has nothing before the arrow, a deletion nothing after it; ``=>`` stands for a rewriting,
``~>`` for a move. A mutant whose edits are a subset of another's is part of it, which decides about
hidden bias. ``ask``: yes if a mutant is asked even if the invariant discards it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from hinter_core.data.rows import Row
from hinter_core.data.tables import plain_cell
from hinter_core.errors import InputError
from hinter_core.files.columns import Columns, as_text, known_column, listed, mended, pairs_of
from hinter_core.files.source import Source, open_source
from hinter_core.language.clean import MAX_CHARACTERS, clean
from hinter_core.mutation.edits import difference
from hinter_core.types import Change, Edit, EditKind, Pair, Term

HANDWRITTEN = "by hand"  # the attribute of a change without a named edit
# The usual names of the columns of each part.
_PARTS = {
    "id": ["id"], "label": ["label"],
    "source": ["source", "source_text", "original", "original_text"],
    "mutant": ["mutant", "mutant_text", "mutated"],
    "edits": ["edits"], "groups": ["groups"], "ask": ["ask"],
}  # fmt: skip
_SHOWN = 60  # characters of a cell in a message, and of a change without a named edit
_ARROWS = {EditKind.MOVE: "~>", EditKind.REWRITE: "=>"}  # of other kinds: ``->``; plain letters
_KINDS = {arrow: kind for kind, arrow in _ARROWS.items()}
_YES, _NO = ("yes", "y", "true", "1", "x"), ("", "no", "n", "false", "0")
_ARROW = re.compile("->|~>|=>")
_MOST_CHANGES = 100  # of a mutant


@dataclass(frozen=True, slots=True)
class HandwrittenMutant:
    """A mutant verbatim; ``ask``: models are asked even if the invariant discards it."""

    text: str
    edits: tuple[Edit, ...]
    ask: bool = False


@dataclass(frozen=True, slots=True)
class HandwrittenSource(Row):
    """A source text with its mutants, parts before wholes; ``number`` is its first row."""

    variants: tuple[HandwrittenMutant, ...] = ()


@dataclass(frozen=True)
class HandwrittenTable:
    """A file of handwritten mutants, held in memory while it is read."""

    source: Source
    names: tuple[str, ...]
    mapping: Mapping[str, str]  # part of a row to its column
    columns = Columns("source", "label", "id")
    count = None

    def rows(self) -> Iterator[Row]:
        """Yield sources with their mutants, and faulty rows, by their first row.

        Raises:
            InputError: the file breaks off or cannot be read.
        """
        yield from self._grouped

    @cached_property
    def _grouped(self) -> list[Row]:
        given = list(self._cells())
        sources: dict[str, set[str]] = defaultdict(set)
        for _, cells, _ in given:
            if cells["source"].strip():
                sources[cells["id"]].add(cells["source"])
        first: dict[str, HandwrittenSource] = {}
        variants: dict[str, dict[tuple[str, frozenset[Edit]], tuple[int, HandwrittenMutant]]] = {}
        rows: list[Row] = []
        for number, cells, fault in given:
            ident, label = cells["id"] or str(number), cells["label"]
            try:
                source, variant = _read(cells, fault, sources)
                of_source = variants.setdefault(source, {})
                first.setdefault(source, HandwrittenSource(number, ident, source, label))
                key = (variant.text, frozenset(variant.edits))
                if key in of_source:
                    raise InputError(f"it repeats row {of_source[key][0]}")
                of_source[key] = number, variant
            except InputError as error:
                rows.append(Row(number, ident, "", label, str(error)))
        for source, of_source in variants.items():
            mutants = sorted(
                (mutant for _, mutant in of_source.values()), key=lambda m: len(m.edits)
            )
            rows.append(replace(first[source], variants=tuple(mutants)))
        return sorted(rows, key=lambda row: row.number)

    def _cells(self) -> Iterator[tuple[int, dict[str, str], str]]:
        undo = plain_cell if self.source.has_cells else str
        for number, (values, fault) in enumerate(self.source.records(), start=1):
            cells = {
                part: undo(mended(as_text(values.get(self.mapping.get(part, part))))[0])
                for part in _PARTS
            }
            yield number, cells, fault


def open_handwritten(path: Path, mapping: Sequence[str] = ()) -> HandwrittenTable:
    """Open a file of handwritten mutants, or of pairs of texts.

    ``mapping``: columns by part, as ``mutant=sent_more``.

    Raises:
        InputError: no such file, or it has no sources or no mutants, or not the columns named.
    """
    source = open_source(path, {*chain(*_PARTS.values())})
    if not source.head:
        raise InputError(f"{path} holds no row.")
    names, chosen = source.names, pairs_of(mapping, "--map (in Python, columns)")
    for part, column in chosen.items():
        if part not in _PARTS:
            raise InputError(f"There is no part '{part}'; a column can be {', '.join(_PARTS)}.")
        chosen[part] = known_column(names, column)
        if not chosen[part]:
            raise InputError(f"{path} has no column '{column}'; it has {listed(names)}.")
    for part, usual in _PARTS.items():
        usual_name = next(filter(None, (known_column(names, name) for name in usual)), "")
        if part not in chosen and usual_name not in chosen.values():
            chosen[part] = usual_name
    for needed in ("source", "mutant"):
        if not chosen.get(needed):
            raise InputError(
                f"{path} has no column '{needed}'; it has {listed(names)}. Name it with --map "
                f"{needed}=COLUMN (in Python, columns); or hinter mutants writes a file to begin "
                "with."
            )
    return HandwrittenTable(source, names, chosen)


def _read(
    cells: Mapping[str, str], fault: str, sources: Mapping[str, set[str]]
) -> tuple[str, HandwrittenMutant]:
    if fault:
        raise InputError(fault)
    source = cells["source"] if cells["source"].strip() else _source_of(cells["id"], sources)
    source, mutant = _text(source, "source"), _text(cells["mutant"], "mutant")
    if source == mutant:
        raise InputError("the mutant is the same as its source")
    edits = read_edits(cells["edits"], cells["groups"]) or (_unnamed(source, mutant),)
    ask = cells["ask"].strip().casefold()
    if ask not in (*_YES, *_NO):
        raise InputError(f"ask is yes or no, not '{ask[:_SHOWN]}'")
    return source, HandwrittenMutant(mutant, edits, ask in _YES)


def _source_of(ident: str, sources: Mapping[str, set[str]]) -> str:
    """Find the source of a row that gives only an id."""
    if not ident:
        raise InputError("there is no source text, and no id that says whose mutant it is")
    known = sources.get(ident, set())
    if len(known) != 1:
        what = "several sources have" if known else "no row with a source has"
        raise InputError(f"there is no source text, and {what} the id '{ident}'")
    return next(iter(known))


def _unnamed(source: str, mutant: str) -> Edit:
    """Make an edit for a change that is not named: its words."""
    made = difference(source, mutant)
    old, new = (" ".join(words.split())[:_SHOWN] or "nothing" for words in (made.old, made.new))
    return Edit(Pair(HANDWRITTEN, Term(old, HANDWRITTEN), Term(new, HANDWRITTEN)), ())


def _text(given: str, what: str) -> str:
    if not any(character.isalnum() for character in given):
        raise InputError(f"the {what} is empty")
    if len(given) > MAX_CHARACTERS:
        raise InputError(f"the {what} has {len(given):,} characters, more than {MAX_CHARACTERS:,}")
    return clean(given)[0]


def read_edits(edits: str, groups: str = "") -> tuple[Edit, ...]:
    """Parse edits as a person writes them; without groups, each word is its own group.

    Raises:
        InputError: a cell that cannot be parsed.
    """
    changes, belong = _changes(edits, "edits"), _changes(groups, "groups")
    if belong and [change[0] for change in belong] != [change[0] for change in changes]:
        raise InputError(
            "groups names other attributes than edits; leave it empty, or name the same"
        )
    if len(set(changes)) < len(changes):
        raise InputError("edits names one change twice")
    made = [
        _edit(attribute, Term(old, before), arrow, Term(new, after))
        for (attribute, old, arrow, new), (_, before, _, after) in zip(
            changes, belong or changes, strict=True
        )
    ]
    return tuple(sorted(made, key=lambda edit: edit.key))


def _edit(attribute: str, source: Term, arrow: str, target: Term) -> Edit:
    kind = _KINDS.get(arrow)
    if kind is None:
        if source.text and target.text:
            return Edit(Pair(attribute, source, target), ())
        kind = EditKind.DELETE if source.text else EditKind.INSERT
    return Edit(Change(kind, attribute, source, target), ())


def _changes(cell: str, what: str) -> list[tuple[str, str, str, str]]:
    """Parse attribute, words before, arrow and words after of each change."""
    parts = [part for part in cell.split(";") if part.strip()]
    if len(parts) > _MOST_CHANGES:
        raise InputError(f"{what} names {len(parts):,} changes, more than {_MOST_CHANGES}")
    changes = []
    for part in parts:
        attribute, _, words = part.partition(":")
        arrow = _ARROW.search(words)
        old, new = (words[: arrow.start()], words[arrow.end() :]) if arrow else ("", "")
        read = attribute.strip(), old.strip(), arrow.group() if arrow else "", new.strip()
        # Words that are inserted or deleted may belong to no group.
        if not read[0] or not read[2] or (what == "edits" and not (read[1] or read[3])):
            raise InputError(
                f"{what} cannot be read at '{part.strip()[:_SHOWN]}'; write race: black -> white"
            )
        changes.append(read)
    return changes


def write_edits(edits: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Write the cells of a mutant's edits and of their groups, from stored rows of edits."""
    return (
        "; ".join(_change(e, "source", "target") for e in edits),
        "; ".join(_change(e, "source_group", "target_group") for e in edits),
    )


def _change(edit: Mapping[str, Any], old: str, new: str) -> str:
    arrow = _ARROWS.get(EditKind(edit.get("kind") or EditKind.SUBSTITUTE), "->")
    # What would end a word is replaced.
    attribute, before, after = (
        _ARROW.sub("-", edit[column].replace(";", ",")) for column in ("attribute", old, new)
    )
    parts = (f"{attribute.replace(':', ' ')}:", before, arrow, after)
    return " ".join(part for part in parts if part)
