"""Templates: texts with slots for what says the gender, occupation or country of one person.

A template is written as a text with slots in guillemets, one JSON object a line::

    {"text": "«name» said that «pronoun:subject» is «a» «occupation»."}

- ``name`` is a given name, ``name:full`` a given and a family name, ``name:family`` the latter;
- ``pronoun:subject``, ``object``, ``possessive``, ``absolute`` (his, hers) and ``reflexive``;
- ``noun:actress``: a noun of the person's gender, of the same kind as this one;
- ``title:Mr.``: a title likewise; ``occupation``; ``a``: the article *a* or *an* before a slot.

A slot that begins with a capital is filled with one (``«Pronoun:subject»``), one in capitals with
capitals. ``««`` stands for a guillemet of the text.

Source: BiasFinder, Figures 6-9, where ``pro-spp``, ``gaw``, ``occupation`` and ``det`` are slots.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import Any

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.files.columns import Columns
from hinter_core.files.source import require_file
from hinter_core.language.clean import MAX_CHARACTERS, clean, whole_values, without_controls
from hinter_core.language.people import FEMALE, MALE
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.terms.names import GENDERS
from hinter_core.types import GrammaticalForm, Term

GENDER, OCCUPATION, COUNTRY = ATTRIBUTES = ("gender", "occupation", "country")
_OPEN, _CLOSE = "\u00ab", "\u00bb"
_SLOT = re.compile(f"{_OPEN}{_OPEN}|{_OPEN}([^{_OPEN}{_CLOSE}\n]{{0,80}}){_CLOSE}|{_OPEN}")
_LONGEST_ID = 200


class SlotKind(StrEnum):
    """Kind of value that fills a slot."""

    NAME = "name"
    PRONOUN = "pronoun"
    NOUN = "noun"
    TITLE = "title"
    OCCUPATION = "occupation"
    ARTICLE = "a"


class LetterCase(StrEnum):
    """Letter case of a slot's words."""

    PLAIN = "plain"
    CAPITAL = "capital"
    UPPER = "upper"


PRONOUNS: Mapping[str, Mapping[str, str]] = {
    "subject": {MALE: "he", FEMALE: "she"},
    "object": {MALE: "him", FEMALE: "her"},
    "possessive": {MALE: "his", FEMALE: "her"},
    "absolute": {MALE: "his", FEMALE: "hers"},
    "reflexive": {MALE: "himself", FEMALE: "herself"},
}
# What may stand behind the kinds of slots that hold no noun or title.
_DETAILS: Mapping[str, Collection[str]] = {
    SlotKind.NAME: ("", "full", "family"), SlotKind.PRONOUN: PRONOUNS, SlotKind.OCCUPATION: ("",),
    SlotKind.ARTICLE: ("",),
}  # fmt: skip
# Kinds of slots that each attribute needs one of, and those that it changes.
_NEEDS = {
    GENDER: (SlotKind.NAME, SlotKind.PRONOUN, SlotKind.NOUN, SlotKind.TITLE),
    OCCUPATION: (SlotKind.OCCUPATION,),
    COUNTRY: (SlotKind.NAME,),
}


@dataclass(frozen=True, slots=True)
class TemplateSlot:
    """A slot: ``detail`` is the case of a pronoun, the part of a name, or a noun or title."""

    kind: SlotKind
    detail: str = ""
    case: LetterCase = LetterCase.PLAIN

    @property
    def name(self) -> str:
        """The name as it is written between guillemets."""
        word = str(self.kind)
        if self.case is not LetterCase.PLAIN:
            word = word.upper() if self.case is LetterCase.UPPER else word.capitalize()
            if self.kind is SlotKind.ARTICLE and self.case is LetterCase.UPPER:
                word = "AN"
        return f"{word}:{self.detail}" if self.detail else word


@dataclass(frozen=True)
class Template:
    """A text with slots, all about one person.

    ``pieces``: the text around the slots, one more than there are ``slots``. ``attributes``: what
    may be tested. ``gender``: of the person in the text that it comes from; "" if any. ``words``:
    what stood in the slots there; empty for a template that was written by hand.
    """

    id: str
    pieces: tuple[str, ...]
    slots: tuple[TemplateSlot, ...]
    attributes: tuple[str, ...]
    gender: str = ""
    words: tuple[str, ...] = ()
    label: str = ""

    @property
    def text(self) -> str:
        """The template as it is written."""
        parts = [piece.replace(_OPEN, _OPEN * 2) for piece in self.pieces]
        return parts[0] + "".join(
            f"{_OPEN}{slot.name}{_CLOSE}{part}"
            for slot, part in zip(self.slots, parts[1:], strict=True)
        )

    @property
    def original(self) -> str:
        """The text with the words that stood in its slots; "" if it was written by hand."""
        return self.filled(self.words)[0] if self.words else ""

    def filled(self, words: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return the text with these words in its slots, and their spans."""
        text, spans = self.pieces[0], []
        for word, piece in zip(words, self.pieces[1:], strict=True):
            spans.append((len(text), len(text) + len(word)))
            text += word + piece
        return text, tuple(spans)


def read_template(text: str) -> tuple[tuple[str, ...], tuple[TemplateSlot, ...]]:
    """Parse a text with slots into the pieces around them, and the slots.

    Raises:
        InputError: an unknown slot, or a guillemet that is not closed.
    """
    pieces, slots, last = [""], [], 0
    for match in _SLOT.finditer(text):
        pieces[-1] += text[last : match.start()]
        last = match.end()
        if match.group() == _OPEN * 2:
            pieces[-1] += _OPEN
        elif match.group(1) is None:
            raise InputError(
                f"a slot is not closed at '{text[match.start() : match.start() + 30]}'; "
                f"write {_OPEN}name{_CLOSE}, or {_OPEN}{_OPEN} for a guillemet of the text"
            )
        else:
            slots.append(_read_slot(match.group(1)))
            pieces.append("")
    pieces[-1] += text[last:]
    return tuple(pieces), tuple(slots)


def is_template(text: str) -> bool:
    """Whether a text has a slot, not only words in guillemets."""
    return any(_is_slot(match.group(1)) for match in _SLOT.finditer(text))


def _is_slot(written: str | None) -> bool:
    try:
        return written is not None and _read_slot(written).kind is not SlotKind.ARTICLE
    except InputError:
        return False


def _read_slot(written: str) -> TemplateSlot:
    word, _, detail = (part.strip() for part in written.partition(":"))
    kind = "a" if word.lower() == "an" else word.lower()
    case = LetterCase.PLAIN
    if word.isupper() and len(word) > 1:
        case = LetterCase.UPPER
    elif word[:1].isupper():
        case = LetterCase.CAPITAL
    of_gender = kind in (SlotKind.NOUN, SlotKind.TITLE)
    if gendered(detail, SlotKind(kind)) if of_gender else detail in _DETAILS.get(kind, ()):
        return TemplateSlot(SlotKind(kind), detail, case)
    if of_gender and detail:
        raise InputError(
            f"'{detail}' is no {kind} of one gender with a counterpart in gender.csv; "
            "use another one, or write it as text"
        )
    raise InputError(
        f"unknown slot {_OPEN}{written}{_CLOSE}; use name, name:full, name:family, "
        f"{', '.join(f'pronoun:{case}' for case in PRONOUNS)}, noun:WORD, title:WORD, occupation "
        "or a"
    )


@lru_cache(maxsize=1)
def _counterparts() -> Mapping[tuple[str, str], Mapping[str, str]]:
    """Return, by kind and lower-case word, the word of each gender: the first of its concept."""
    kinds = {GrammaticalForm.NOUN_SG: SlotKind.NOUN, GrammaticalForm.TITLE: SlotKind.TITLE}
    by_concept: dict[tuple[str, str, bool], dict[str, str]] = {}
    terms = [t for t in load_shipped()["gender"].terms if t.form in kinds and t.group in GENDERS]
    for term in terms:
        by_concept.setdefault(_concept(term), {}).setdefault(term.group, term.text)
    counterparts: dict[tuple[str, str], Mapping[str, str]] = {}
    for term in terms:
        both = by_concept[_concept(term)]
        if len(both) == len(GENDERS):
            key = (str(kinds[term.form]), fold(term.text))
            counterparts.setdefault(key, {**both, term.group: term.text})
    return counterparts


def _concept(term: Term) -> tuple[str, str, bool]:
    return term.form, term.concept, term.text.endswith(".")


def gendered(word: str, kind: SlotKind) -> Mapping[str, str] | None:
    """Return the words of both genders for a noun or title, the word itself for its own."""
    return _counterparts().get((str(kind), fold(word)))


def template_from_json(values: object, default_id: str = "") -> Template:
    """Read a template from a JSON object.

    Raises:
        InputError: a value is missing or wrong; the message says which.
    """
    if not isinstance(values, dict):
        raise InputError('a template is an object such as {"text": "«name» smiled."}')
    text = values.get("text")
    if not isinstance(text, str) or not any(map(str.isalnum, text)):
        raise InputError("there is no 'text'")
    text = without_controls(text)
    pieces, slots = read_template(text)
    if not slots:
        raise InputError("the text has no slot; write «name» where the person's name stands")
    attributes = _attributes(values.get("attributes"), slots)
    gender = values.get("gender") or ""
    if gender not in ("", *GENDERS):
        raise InputError(f"gender is male or female, not '{gender}'")
    words = values.get("words") or ()
    texts = isinstance(words, list | tuple) and all(isinstance(word, str) for word in words)
    if words and (not texts or len(words) != len(slots)):
        raise InputError(f"words holds the original word of each of the {len(slots)} slots")
    ident = str(values.get("id") or default_id)[:_LONGEST_ID]
    label = values.get("label")
    return Template(
        ident,
        pieces,
        slots,
        attributes,
        gender,
        tuple(map(without_controls, words)),
        "" if label is None else str(label),
    )


def _attributes(given: object, slots: Sequence[TemplateSlot]) -> tuple[str, ...]:
    kinds = {slot.kind for slot in slots}
    able = tuple(name for name in ATTRIBUTES if kinds & set(_NEEDS[name]))
    if not given:
        if able:
            return able
        raise InputError("its slots say no gender, occupation or country; add one that does")
    if not isinstance(given, list | tuple):
        raise InputError('attributes is a list such as ["gender", "country"]')
    for name in given:
        if name not in ATTRIBUTES:
            raise InputError(f"unknown class '{name}'; use {', '.join(ATTRIBUTES)}")
        if name not in able:
            needed = " or ".join(map(str, _NEEDS[name]))
            raise InputError(f"the class '{name}' needs a slot of the kind {needed}")
    return tuple(name for name in ATTRIBUTES if name in given)


def template_to_json(template: Template) -> dict[str, Any]:
    """Return a template as plain values."""
    always = {
        "id": template.id, "text": template.text, "attributes": list(template.attributes),
    }  # fmt: skip
    known = {"gender": template.gender, "label": template.label, "words": list(template.words)}
    return always | {name: value for name, value in known.items() if value}


def case_of(word: str, plain: str) -> LetterCase:
    """Return the spelling in the text of a word with the usual form ``plain``."""
    if word == plain:
        return LetterCase.PLAIN
    if word.isupper() and sum(map(str.isalpha, word)) > 1:
        return LetterCase.UPPER
    return LetterCase.CAPITAL if word[:1].isupper() and plain[:1].islower() else LetterCase.PLAIN


def with_case(word: str, case: LetterCase) -> str:
    """Write a word as a slot demands."""
    if case is LetterCase.UPPER:
        return word.upper()
    return word[:1].upper() + word[1:] if case is LetterCase.CAPITAL else word


def numbered(slots: Sequence[TemplateSlot]) -> Iterator[str]:
    """Yield names of slots that differ: ``name``, ``name 2``, ..."""
    seen: dict[str, count[int]] = {}
    for slot in slots:
        number = next(seen.setdefault(slot.name, count(1)))
        yield slot.name if number == 1 else f"{slot.name} {number}"


_MOST_BYTES = 4 * MAX_CHARACTERS  # of a line
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class TemplateRow(Row):
    """A line of a file of templates; without a fault it has a ``template``."""

    template: Template | None = None


@dataclass(frozen=True)
class TemplateTable:
    """A file of templates, read line by line."""

    path: Path
    names = ("id", "text", "attributes", "gender", "words", "label")
    columns = Columns("text", "label", "id")
    count = None

    def classes(self) -> frozenset[str]:
        """Return the attributes that the templates are for."""
        found: set[str] = set()
        for row in self.rows():
            found.update(row.template.attributes if row.template else ())
            if len(found) == len(ATTRIBUTES):
                break
        return frozenset(found)

    def rows(self) -> Iterator[TemplateRow]:
        """Yield all templates, and faulty lines with their fault.

        Raises:
            InputError: the file cannot be read.
        """
        try:
            with self.path.open("rb") as lines:
                read = iter(partial(lines.readline, _MOST_BYTES), b"")
                for number, line in enumerate(filter(bytes.strip, read), start=1):
                    yield _row(number, line)
        except OSError as error:
            raise InputError(
                f"Cannot read {self.path}: {error.strerror}. Check the path."
            ) from error


def open_templates(path: Path) -> TemplateTable:
    """Open a file of templates.

    Raises:
        InputError: no such file, or it holds no usable template; the message has the first fault.
    """
    require_file(path)
    table, fault = TemplateTable(path), ""
    for row in table.rows():
        if not row.fault:
            return table
        fault = fault or f"holds no template. Line {row.number}: {row.fault}."
    raise InputError(
        f"{path} {fault or 'is empty.'} hinter templates mine makes such a file of ordinary texts; "
        'by hand, write lines such as {"text": "\u00abname\u00bb smiled."}.'
    )


def _row(number: int, line: bytes) -> TemplateRow:
    try:
        values = whole_values(json.loads(line.decode("utf-8-sig")))
        template = template_from_json(values, str(number))
        if len(template.text) > MAX_CHARACTERS:
            raise InputError(f"the text has more than {MAX_CHARACTERS:,} characters")
        clean(template.text)
    except UnicodeDecodeError:
        fault = "the line is not UTF-8"
    except (ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        fault = f"the line is no JSON ({reason})"
    except InputError as error:
        fault = str(error)[:_SHOWN]
    else:
        return TemplateRow(number, template.id, template.text, template.label, template=template)
    return TemplateRow(number, str(number), "", fault=fault)


def template_line(template: Template) -> str:
    """Return a template as a line of a file."""
    return json.dumps(template_to_json(template), ensure_ascii=False) + "\n"
