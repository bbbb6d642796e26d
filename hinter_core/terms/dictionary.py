"""Dictionaries: terms of sensitive attributes, and the directed pairs between them.

A dictionary file is a CSV with a header. A *term file* has the columns ``term,group`` and
optionally ``form,concept,sense``; terms with equal concept and form and different groups are pairs.
A *pair file* has ``source,target`` and optionally ``source_group,target_group,form``, as HInter's
and MutaInt's dictionaries. Every fault is reported with file, line and what to do.

Source: HInter, section 4 "Bias dictionary" (116 race, 230 gender, 98 body words).
"""

import csv
import io
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from hinter_core.errors import DictionaryError
from hinter_core.storage import DICTIONARIES
from hinter_core.types import GrammaticalForm, Pair, Sense, Term

_REGEX_CHARACTERS = set("\\^$*+?{}[]|()")
_ADJECTIVES = (GrammaticalForm.ADJECTIVE, GrammaticalForm.COMPARATIVE, GrammaticalForm.SUPERLATIVE)
_MAX_BYTES = 5_000_000


@dataclass(frozen=True)
class Dictionary:
    """The terms of one attribute; pairs are ``listed`` (in a pair file) or else derived.

    ``groups``: display labels by group. ``description`` and ``content_note``: what the terms are,
    and what a reader may want to know before reading them.
    """

    attribute: str
    terms: tuple[Term, ...]
    label: str = ""
    groups: Mapping[str, str] | None = None
    placebo: bool = False
    listed: tuple[Pair, ...] = ()
    description: str = ""
    content_note: str = ""

    @cached_property
    def pairs_from(self) -> Mapping[Term, tuple[Pair, ...]]:
        """Directed pairs by source term."""
        by_source: dict[Term, list[Pair]] = defaultdict(list)
        for pair in self._pairs():
            by_source[pair.source].append(pair)
        return {term: tuple(pairs) for term, pairs in by_source.items()}

    def _pairs(self) -> Iterator[Pair]:
        if self.listed:
            yield from self.listed
            return
        slots: dict[tuple[str, GrammaticalForm], list[Term]] = defaultdict(list)
        for term in self.terms:
            slots[term.concept, term.form].append(term)
        for term in self.terms:
            for other in slots[term.concept, term.form]:
                if other.group != term.group and other.text.lower() != term.text.lower():
                    yield Pair(self.attribute, term, other)

    @property
    def is_useful(self) -> bool:
        """Whether there is any pair; faster than deriving all."""
        return next(self._pairs(), None) is not None

    @property
    def pair_count(self) -> int:
        """Number of directed pairs."""
        return sum(len(pairs) for pairs in self.pairs_from.values())


def load_shipped(folder: Path = DICTIONARIES) -> dict[str, Dictionary]:
    """Load all dictionaries of the ``attributes.toml`` in ``folder``, by attribute.

    Raises:
        DictionaryError: a file is missing or broken.
    """
    return dict(_load_shipped(folder))


@lru_cache(maxsize=4)
def _load_shipped(folder: Path) -> dict[str, Dictionary]:
    index = folder / "attributes.toml"
    try:
        tables = tomllib.loads(index.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DictionaryError(f"{index}: {error}. Restore the file.") from error
    loaded = {}
    for attribute, table in tables.items():
        dictionary = load_file(
            folder / table["file"], attribute=attribute, groups=dict(table.get("groups", {}))
        )
        loaded[attribute] = replace(
            dictionary,
            label=table.get("label", attribute),
            description=table.get("description", ""),
            content_note=table.get("content_note", ""),
            placebo=table.get("kind") == "placebo",
        )
    return loaded


def by_concept(dictionary: Dictionary) -> list[Dictionary]:
    """Split a dictionary by concept into attributes ``ATTRIBUTE-CONCEPT``.

    So two neutral replacements in one text can be combined like two attributes.
    """
    concepts: dict[str, list[Term]] = {}
    for term in dictionary.terms:
        concepts.setdefault(term.concept, []).append(term)
    return [
        replace(dictionary, attribute=f"{dictionary.attribute}-{concept}", terms=tuple(terms))
        for concept, terms in sorted(concepts.items())
    ]


def load_file(
    path: str | Path, *, attribute: str | None = None, groups: Mapping[str, str] | None = None
) -> Dictionary:
    """Load and validate a CSV dictionary; its columns are described at the top of this module.

    ``attribute`` defaults to the file's stem. ``groups``: allowed groups (None: any).

    Raises:
        DictionaryError: up to ten faulty lines, each with what to do.
    """
    path = Path(path)
    attribute = attribute or path.stem
    rows = _read_rows(path)
    header = rows[0][1]
    listed: tuple[Pair, ...] = ()
    if {"term", "group"} <= set(header):
        terms = _read_terms(path, rows, groups)
    elif {"source", "target"} <= set(header):
        terms, listed = _read_pairs(path, rows, attribute)
    else:
        raise DictionaryError(
            f"{path}, line 1: the header must name the columns 'term,group' or 'source,target'; "
            f"found '{','.join(header)}'."
        )
    dictionary = Dictionary(attribute, terms, attribute, groups, listed=listed)
    if not dictionary.is_useful:
        raise DictionaryError(
            f"{path}: no two terms can be exchanged. Give terms of different groups the same "
            "form and concept."
        )
    return dictionary


def _read_rows(path: Path) -> list[tuple[int, list[str]]]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise DictionaryError(f"{path}: larger than 5 MB; split it into several files.")
        content = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DictionaryError(
            f"{path}: {error.strerror or error}. Check the path of the dictionary."
        ) from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise DictionaryError(f"{path}, line {line}: not UTF-8; save the file as UTF-8.") from error
    reader = csv.reader(io.StringIO(content), strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        rows.extend(
            (reader.line_num, [cell.strip() for cell in cells])
            for cells in reader
            if any(cell.strip() for cell in cells)
        )
    except csv.Error as error:
        raise DictionaryError(
            f"{path}, line {reader.line_num}: {error}; quote the cell or remove stray quotes."
        ) from error
    if len(rows) < 2:
        raise DictionaryError(f"{path}: no terms; give a header 'term,group' and a line per term.")
    return rows


class _Faults:
    """Collects the faults of one file, so that one run shows all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._messages: list[str] = []

    def add(self, line: int, message: str) -> None:
        self._messages.append(f"{self._path}, line {line}: {message}")

    def raise_any(self) -> None:
        if self._messages:
            more = len(self._messages) - 10
            tail = [f"... and {more} more."] if more > 0 else []
            raise DictionaryError("\n".join(self._messages[:10] + tail))

    def check_term(self, line: int, text: str) -> None:
        if not text:
            self.add(line, "empty term; fill the cell or delete the line.")
        elif bad := sorted(_REGEX_CHARACTERS & set(text)):
            self.add(line, f"'{text}' contains {' '.join(bad)}; terms are plain words.")
        elif not unicodedata.is_normalized("NFC", text):
            self.add(line, f"'{text}' is not in Unicode NFC; retype it in composed form.")
        elif any(unicodedata.category(c) in ("Cc", "Cf") for c in text):
            self.add(line, f"'{text!a}' contains an invisible character; retype the term.")
        elif not any(c.isalnum() for c in text):
            self.add(line, f"'{text}' contains no letter; terms are plain words.")


def _records(
    faults: _Faults, rows: list[tuple[int, list[str]]]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line numbers and cells by column; short lines are padded, long ones are faults."""
    header = rows[0][1]
    for line, cells in rows[1:]:
        if len(cells) > len(header):
            faults.add(
                line,
                f"{len(cells)} cells where the header has {len(header)}; quote cells with commas.",
            )
        else:
            filled = cells + [""] * (len(header) - len(cells))
            yield line, dict(zip(header, filled, strict=True))


def _form(faults: _Faults, line: int, value: str) -> GrammaticalForm:
    try:
        return GrammaticalForm(value or "any")
    except ValueError:
        allowed = ", ".join(form.value for form in GrammaticalForm)
        faults.add(line, f"unknown form '{value}'; use one of {allowed}.")
        return GrammaticalForm.ANY


def _sense(faults: _Faults, line: int, value: str, form: GrammaticalForm) -> Sense:
    if not value:
        return Sense.ASK if form in _ADJECTIVES else Sense.PERSON
    try:
        return Sense(value)
    except ValueError:
        faults.add(line, f"unknown sense '{value}'; use 'person', 'ask' or leave it empty.")
        return Sense.PERSON


def _read_terms(
    path: Path, rows: list[tuple[int, list[str]]], groups: Mapping[str, str] | None
) -> tuple[Term, ...]:
    faults = _Faults(path)
    seen: dict[tuple[str, GrammaticalForm], int] = {}
    terms: list[Term] = []
    for line, row in _records(faults, rows):
        text, group = row["term"], row["group"]
        faults.check_term(line, text)
        if not group:
            faults.add(line, f"'{text}' has no group; fill the cell.")
        elif groups is not None and group not in groups:
            faults.add(line, f"unknown group '{group}'; use one of {', '.join(groups)}.")
        form = _form(faults, line, row.get("form", ""))
        if first := seen.get((text.casefold(), form)):
            faults.add(line, f"duplicate '{text}' ({form}), first on line {first}; delete one.")
        seen.setdefault((text.casefold(), form), line)
        sense = _sense(faults, line, row.get("sense", ""), form)
        terms.append(Term(text, group, form, row.get("concept", ""), sense))
    faults.raise_any()
    return tuple(terms)


def _read_pairs(
    path: Path, rows: list[tuple[int, list[str]]], attribute: str
) -> tuple[tuple[Term, ...], tuple[Pair, ...]]:
    faults = _Faults(path)
    seen: dict[tuple[str, str, GrammaticalForm], int] = {}
    pairs: list[Pair] = []
    for line, row in _records(faults, rows):
        source, target = row["source"], row["target"]
        faults.check_term(line, source)
        faults.check_term(line, target)
        if source and source.casefold() == target.casefold():
            faults.add(line, f"'{source}' is replaced by itself; delete the line.")
        form = _form(faults, line, row.get("form", ""))
        key = (source.casefold(), target.casefold(), form)
        if first := seen.get(key):
            faults.add(line, f"duplicate pair '{source}' to '{target}', first on line {first}.")
        seen.setdefault(key, line)
        sense = _sense(faults, line, row.get("sense", ""), form)
        source_group = row.get("source_group") or source
        target_group = row.get("target_group") or target
        terms = (
            Term(text, group, form, "", sense)
            for text, group in ((source, source_group), (target, target_group))
        )
        pairs.append(Pair(attribute, *terms))
    faults.raise_any()
    return tuple(dict.fromkeys(pair.source for pair in pairs)), tuple(pairs)


def choose(
    attributes: Iterable[str], shipped: Mapping[str, Dictionary] | None = None
) -> list[Dictionary]:
    """Return the dictionaries of these attributes, in order, without repetitions.

    Raises:
        DictionaryError: an unknown attribute, or none at all.
    """
    known = load_shipped() if shipped is None else shipped
    names = list(dict.fromkeys(name.strip() for name in attributes if name.strip()))
    if not names:
        raise DictionaryError(f"No attribute given; choose from {', '.join(known)}.")
    for name in names:
        if name not in known:
            raise DictionaryError(f"Unknown attribute '{name}'; choose from {', '.join(known)}.")
    return [known[name] for name in names]
