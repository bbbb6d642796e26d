"""Dictionaries: terms of sensitive attributes, and the directed pairs between them.

A dictionary file is a table with a header. A *term file* has the columns ``term,group`` and
optionally ``form,concept,sense,use``; terms with equal concept and form and different groups are
pairs, and a term whose use is ``source`` is put into no text.
A *pair file* has ``source,target`` and optionally ``source_group,target_group,form``, as HInter's
and MutaInt's dictionaries; two columns without a header are pairs, too, as published lists have
them. Every fault is reported with file, line and what to do.

Source: HInter, section 4 "Bias dictionary" (116 race, 230 gender, 98 body words).
"""

import threading
import tomllib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Self

from cachetools import LRUCache, cachedmethod

from hinter_core.errors import DictionaryError, InputError, hint
from hinter_core.files.columns import as_text, mended
from hinter_core.files.containers import Record
from hinter_core.files.source import Source, open_source
from hinter_core.storage import DICTIONARIES
from hinter_core.types import GrammaticalForm, Pair, Sense, Term

_REGEX_CHARACTERS = set("\\^$*+?{}[]|()")
_ADJECTIVES = (GrammaticalForm.ADJECTIVE, GrammaticalForm.COMPARATIVE, GrammaticalForm.SUPERLATIVE)
_PAIR = ("source", "target")
# Names that a header may have, and what they stand for.
_HEADER = {name: name for name in (
    "term", "group", "form", "concept", "sense", "use", *_PAIR, "source_group", "target_group",
)} | {f"{word}{place}": name for place, name in zip("12", _PAIR, strict=True)
      for word in ("term", "word", "term_", "word_", "term ", "word ")} | {
    "original": "source", "from": "source", "replacement": "target", "to": "target",
}  # fmt: skip
# A first row with one of these is a header that is not understood, and no pair of words.
_OTHER = frozenset({"word", "words", "terms", "name", "kind", "type", "class", "category", "label",
                    "attribute", "identity", "text", "value", "id", "count"})  # fmt: skip
_SOURCE = "source"  # the use of a term that texts have and no mutant is given
_MAX_BYTES = 5_000_000
_KEPT_PAIRS = 250_000


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
        """Directed pairs by source term, derived as they are asked for."""
        if not self.listed:
            return _DerivedPairs(self.attribute, self.terms)
        by_source: dict[Term, list[Pair]] = defaultdict(list)
        for pair in self.listed:
            by_source[pair.source].append(pair)
        return {term: tuple(pairs) for term, pairs in by_source.items()}

    @cached_property
    def by_form(self) -> Mapping[tuple[str, GrammaticalForm], tuple[Term, ...]]:
        """Terms by concept and form."""
        terms: dict[tuple[str, GrammaticalForm], tuple[Term, ...]] = defaultdict(tuple)
        for term in self.terms:
            terms[term.concept, term.form] += (term,)
        return dict(terms)

    @cached_property
    def has_pronouns(self) -> bool:
        """Whether pronouns are among the terms that change."""
        return any(term.form.is_pronoun for term in self.pairs_from)

    @cached_property
    def words_by_group(self) -> Mapping[str, tuple[str, ...]]:
        """The words that change, in lower case."""
        by_group: dict[str, list[str]] = defaultdict(list)
        for term in self.pairs_from:
            by_group[term.group].append(term.text.lower())
        return {group: tuple(words) for group, words in by_group.items()}

    @property
    def is_useful(self) -> bool:
        """Whether there is any pair."""
        return any(True for _ in self.pairs_from)

    @property
    def pair_count(self) -> int:
        """Number of directed pairs; those that are derived are counted without being made."""
        pairs = self.pairs_from
        return pairs.count() if isinstance(pairs, _DerivedPairs) else len(self.listed)

    @property
    def target_groups(self) -> set[str]:
        """Groups of the terms that are put in place of others."""
        if self.listed:
            return {pair.target.group for pair in self.listed}
        pairs = self.pairs_from
        others = (pair.target for term in pairs if term.source_only for pair in pairs[term])
        return {term.group for term in (*others, *pairs) if not term.source_only}


class _DerivedPairs(Mapping[Term, tuple[Pair, ...]]):
    """Pairs of the terms that share concept and form and differ in group and text.

    Their number grows with the square of the terms, so pairs are made for single terms, and no more
    than ``_KEPT_PAIRS`` are kept.
    """

    def __init__(self, attribute: str, terms: Iterable[Term]) -> None:
        self._attribute = attribute
        self._slots: dict[tuple[str, GrammaticalForm], list[Term]] = defaultdict(list)
        self._alike: Counter[tuple[str, GrammaticalForm, str, str]] = Counter()
        self._terms = dict.fromkeys(terms)
        for term in self._terms:
            if term.source_only:
                continue
            self._slots[term.concept, term.form].append(term)
            group, text = term.group, term.text.lower()
            for detail in ((group, ""), ("", text), (group, text)):
                self._alike[term.concept, term.form, *detail] += 1
        self._made: LRUCache[Hashable, tuple[Pair, ...]] = LRUCache(_KEPT_PAIRS, getsizeof=len)
        self._lock = threading.Lock()

    def __getitem__(self, term: Term) -> tuple[Pair, ...]:
        return self._pairs(term)

    @cachedmethod(attrgetter("_made"), lock=attrgetter("_lock"))
    def _pairs(self, term: Term) -> tuple[Pair, ...]:
        if not self._partners(term):
            raise KeyError(term)
        text = term.text.lower()
        return tuple(
            Pair(self._attribute, term, other)
            for other in self._slots[term.concept, term.form]
            if other.group != term.group and other.text.lower() != text
        )

    def __iter__(self) -> Iterator[Term]:
        return (term for term in self._terms if self._partners(term))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, term: object) -> bool:
        return isinstance(term, Term) and self._partners(term) > 0

    def __reduce__(self) -> tuple[type[Self], tuple[str, list[Term]]]:
        return type(self), (self._attribute, list(self._terms))

    def count(self) -> int:
        """Return the number of pairs."""
        return sum(map(self._partners, self._terms))

    def _partners(self, term: Term) -> int:
        """Return the number of terms that may stand in place of one."""
        if term not in self._terms:
            return 0
        concept, form, group, text = term.concept, term.form, term.group, term.text.lower()
        of_group, of_text, of_both = (
            self._alike[concept, form, *detail]
            for detail in ((group, ""), ("", text), (group, text))
        )
        return len(self._slots[concept, form]) - of_group - of_text + of_both


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
    return {
        attribute: replace(
            load_file(folder / table["file"], attribute=attribute, groups=table.get("groups", {})),
            label=table.get("label", attribute),
            description=table.get("description", ""),
            content_note=table.get("content_note", ""),
            placebo=table.get("kind") == "placebo",
        )
        for attribute, table in tables.items()
    }


def by_concept(dictionary: Dictionary) -> list[Dictionary]:
    """Split a dictionary by concept into attributes ``ATTRIBUTE-CONCEPT``.

    So two neutral replacements in one text can be combined like two attributes.
    """
    concepts: dict[str, list[Term]] = defaultdict(list)
    for term in dictionary.terms:
        concepts[term.concept].append(term)
    return [
        replace(dictionary, attribute=f"{dictionary.attribute}-{concept}", terms=tuple(terms))
        for concept, terms in sorted(concepts.items())
    ]


@cache
def neutral_words() -> tuple[Dictionary, ...]:
    """Return the placebo that comes with HInter, by concept."""
    return tuple(by_concept(load_shipped()["placebo"]))


def load_file(
    path: str | Path, *, attribute: str | None = None, groups: Mapping[str, str] | None = None
) -> Dictionary:
    """Load and validate a dictionary; its columns are described at the top of this module.

    ``attribute`` defaults to the file's name. ``groups``: allowed groups (None: any).

    Raises:
        DictionaryError: up to ten faulty lines, each with what to do.
    """
    return read_file(path, attribute=attribute, groups=groups)[0]


def read_file(
    path: str | Path, *, attribute: str | None = None, groups: Mapping[str, str] | None = None
) -> tuple[Dictionary, list[str]]:
    """Load a dictionary as :func:`load_file` does, and say how its file was read."""
    file = _File(Path(path))
    attribute = attribute or file.path.name.partition(".")[0]
    terms: tuple[Term, ...]
    listed: tuple[Pair, ...] = ()
    if {"term", "group"} <= set(file.columns):
        terms = _with_plurals(tuple(file.terms(groups)))
    elif {"source", "target"} <= set(file.columns):
        listed = tuple(file.pairs(attribute))
        terms = tuple(dict.fromkeys(pair.source for pair in listed))
    else:
        raise DictionaryError(
            f"{path}, line 1: the header must name the columns 'term,group' or 'source,target'; "
            f"found '{','.join(file.columns)}'."
        )
    if file.faults:
        more = len(file.faults) - 10
        tail = [f"... and {more} more."] if more > 0 else []
        raise DictionaryError("\n".join(file.faults[:10] + tail))
    dictionary = Dictionary(attribute, terms, attribute, groups, listed=listed)
    if not dictionary.is_useful:
        raise DictionaryError(
            f"{path}: no two terms can be exchanged. Give terms of different groups the same "
            "form and concept."
        )
    return dictionary, file.reading


def _with_plurals(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Add the plural nouns that stand after "the" where other peoples of their concept do.

    So *the French* and *the Danes* are exchanged, but not in *two Danes*; and *the kids*, who may
    be some of them, become no *elderly*.
    """
    listed = {(t.text, t.concept) for t in terms if t.form is GrammaticalForm.COLLECTIVE}
    concepts = {concept for text, concept in listed if text[:1].isupper()}
    return terms + tuple(
        replace(term, form=GrammaticalForm.COLLECTIVE)
        for term in terms
        if term.form is GrammaticalForm.NOUN_PL
        and term.concept in concepts
        and (term.text, term.concept) not in listed
    )


class _File:
    """The lines of a dictionary file; ``faults`` grow as they are read, so that all are reported.

    Raises:
        DictionaryError: the file cannot be read, or has no terms.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults: list[str] = []
        source, records = self._read()
        self.columns = self._named(source)
        self.reading = [source.in_words(), *source.notes]
        # A published list of pairs is read as it is.
        self._published = not source.has_header
        self._lines = list(self._rows(records))
        self._first: dict[tuple[object, ...], int] = {}  # line by what must not occur twice

    def _read(self) -> tuple[Source, list[tuple[int, Record]]]:
        try:
            if self.path.is_file() and self.path.stat().st_size > _MAX_BYTES:
                raise DictionaryError(f"{self.path}: larger than 5 MB; split it.")
            source = open_source(self.path, _HEADER, only_known=True)
            records = list(source.numbered())
        except (OSError, InputError) as error:
            named = str(self.path) in str(error)
            raise DictionaryError(str(error) if named else f"{self.path}: {error}") from error
        if not records:
            raise DictionaryError(
                f"{self.path}: no terms; give a header 'term,group' and a line per term."
            )
        return source, records

    def _named(self, source: Source) -> dict[str, str]:
        """Return the columns by what they hold; without a header, two columns hold pairs."""
        if source.has_header:
            names = {name.casefold(): name for name in source.names}
            return {**{_HEADER[n]: column for n, column in names.items() if n in _HEADER}, **names}
        assert source.sniffed
        first = {cell.strip().casefold() for cell in source.sniffed.rows[0]}
        if len(source.names) != len(_PAIR) or first & _OTHER:
            raise DictionaryError(
                f"{self.path}, line 1: the header must name the columns 'term,group' or "
                f"'source,target'; found '{','.join(source.sniffed.rows[0])}'."
            )
        return dict(zip(_PAIR, source.names, strict=True))

    def _rows(self, records: Iterable[tuple[int, Record]]) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield line numbers and cells by column."""
        for line, (values, fault) in records:
            cells: dict[str, str] = {}
            for name, column in self.columns.items():
                text, how = mended(as_text(values.get(column)))
                cells[name] = text.strip()
                fault = fault or ("" if how is not None else "it is neither UTF-8 nor Windows-1252")
            if fault:
                self._fault(line, f"{fault}; quote cells that hold the separator.")
            elif any(cells.values()):
                yield line, cells

    def terms(self, groups: Mapping[str, str] | None) -> Iterator[Term]:
        """Yield the terms of a term file."""
        for line, row in self._lines:
            text, group = row["term"], row["group"]
            self._fault(line, _wrong(text))
            if not group:
                self._fault(line, f"'{text}' has no group; fill the cell.")
            elif groups is not None and group not in groups:
                self._fault(line, f"unknown group '{group}'; use one of {', '.join(groups)}.")
            form, sense = self._form_and_sense(line, row)
            first = self._first.setdefault((text.casefold(), form), line)
            if first != line:
                self._fault(
                    line, f"duplicate '{text}' ({form}), first on line {first}; delete one."
                )
            use = row.get("use", "")
            if use not in ("", _SOURCE):
                self._fault(line, f"unknown use '{use}'; use '{_SOURCE}' or leave it empty.")
            yield Term(text, group, form, row.get("concept", ""), sense, use == _SOURCE)

    def pairs(self, attribute: str) -> Iterator[Pair]:
        """Yield the pairs of a pair file."""
        for line, row in self._lines:
            source, target = row["source"], row["target"]
            self._fault(line, _wrong(source))
            self._fault(line, _wrong(target))
            form, sense = self._form_and_sense(line, row)
            key = (source.casefold(), target.casefold(), form)
            first = self._first.setdefault(key, line)
            fault = ""
            if source and source.casefold() == target.casefold():
                fault = f"'{source}' is replaced by itself; delete the line."
            elif first != line:
                fault = f"duplicate pair '{source}' to '{target}', first on line {first}."
            if fault and self._published:
                self.reading.append(f"Left out, line {line}: {fault}")
                continue
            self._fault(line, fault)
            yield Pair(
                attribute,
                Term(source, row.get("source_group") or source, form, "", sense),
                Term(target, row.get("target_group") or target, form, "", sense),
            )

    def _fault(self, line: int, message: str) -> None:
        self.faults += [f"{self.path}, line {line}: {message}"] if message else []

    def _form_and_sense(self, line: int, row: Mapping[str, str]) -> tuple[GrammaticalForm, Sense]:
        form, sense = row.get("form") or "any", row.get("sense")
        if form not in list(GrammaticalForm):
            self._fault(line, f"unknown form '{form}'; use one of {', '.join(GrammaticalForm)}.")
            form = "any"
        if sense and sense not in list(Sense):
            self._fault(line, f"unknown sense '{sense}'; use 'person', 'ask' or leave it empty.")
        if sense not in list(Sense):
            sense = Sense.ASK if form in _ADJECTIVES else Sense.PERSON
        return GrammaticalForm(form), Sense(sense)


def _wrong(text: str) -> str:
    """Return what is wrong with a term, and what to do; "" if nothing is."""
    bad = sorted(_REGEX_CHARACTERS & set(text.replace("+", "") if text[:1].isalnum() else text))
    if not text:
        return "empty term; fill the cell or delete the line."
    if text.startswith("#"):
        return f"'{text}' is a hashtag, which no text is changed in; give the word alone."
    if '"' in text:
        return f"'{text}' has a quotation mark; quote the cell, or remove the mark."
    if bad:
        return f"'{text}' contains {' '.join(bad)}; terms are plain words."
    if not unicodedata.is_normalized("NFC", text):
        return f"'{text}' is not in Unicode NFC; retype it in composed form."
    if any(unicodedata.category(c) in ("Cc", "Cf") for c in text):
        return f"'{text!a}' contains an invisible character; retype the term."
    return (
        ""
        if any(map(str.isalpha, text))
        else f"'{text}' contains no letter; terms are plain words."
    )


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
            meant = hint([name], known, f"choose from {', '.join(known)}.")
            raise DictionaryError(f"Unknown attribute '{name}'; {meant}")
    return [known[name] for name in names]
