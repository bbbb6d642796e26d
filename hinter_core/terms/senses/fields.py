"""Forms and CVs: values of fields, roles in lists and series of pronouns are said of a person.

What follows "Nationality:" or "Gender:" in a line is a value. A label stands for an attribute
(``labels.toml``), and its value is a term of that attribute, or of another that has the same word:
*Pakistani* is a race, too, but *Mayan* no citizenship. In a list without verbs, no sentence says
who somebody is ("- Foreman at a steel works"), nor in a series of pronouns ("she/her").
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from hinter_core.language.people import FEMALE, MALE, PRONOUNS
from hinter_core.storage import shipped_lists
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.lexicon import FINITE
from hinter_core.types import (
    Edit,
    GrammaticalForm,
    Occurrence,
    Parse,
    RejectedEdit,
    Sense,
    Span,
    Term,
)

_LONGEST = 120  # characters of a line before a value
_VALUES = (GrammaticalForm.ADJECTIVE, GrammaticalForm.NOUN_SG)
_MARKS = frozenset("-*\u2022\u2023\u2013\u25aa\u25e6\u00b7")
_AFTER_ROLE = frozenset(", ; ( and & / . \u2013 \u2014".split())
_FEW = 4  # words of an item before its noun, and the mark
# As items alone, these may name anything.
_GENERAL = frozenset("man woman girl boy lady gentleman king queen prince princess lord".split())
_PEOPLES = {"race", "nationality"}
_OCCUPATION, LANGUAGE = "occupation", "language"
_SERIES = re.compile(r"(?<![\w/])[a-z]{2,4}(?: ?/ ?[a-z]{2,4}){1,2}(?![\w/])", re.IGNORECASE)
_LETTERS = re.compile(r"[a-z]+", re.IGNORECASE)
_CASES = (
    (GrammaticalForm.PRONOUN_SUBJECT,),
    (GrammaticalForm.PRONOUN_OBJECT, GrammaticalForm.PRONOUN_POSSESSIVE),
    (GrammaticalForm.PRONOUN_POSSESSIVE_ABSOLUTE, GrammaticalForm.PRONOUN_POSSESSIVE),
)
_LABEL = re.compile(
    r"(?:^|(?<=[\n,;|\u2022*]))[\s\u2022*-]*(?P<label>[^\W\d_][\w /-]{1,30}):[ \t]+"
)
# Before a value in its line, only other values and a word that goes with it: "Irish, practising ".
_BEFORE = re.compile(
    r"(?:[\w'-]+(?: [\w'-]+)?(?: \([^)]*\))?(?:,| and| or|/|;| &) ?){0,3}(?:[a-z]\w+ )?"
)
_AFTER = re.compile(r"[ \t]*(?:$|[\n,;|/&)(.]|(?:and|or|since|by|from|in|at|of|but)\b)")


@lru_cache(maxsize=1)
def _attributes() -> Mapping[str, str]:
    lists = shipped_lists("labels")
    return {label: attribute for attribute, labels in lists.items() for label in labels}


def field_at(text: str, span: Span) -> tuple[str, str]:
    """Return the label in whose value a word stands, and the attribute of the label; or ""."""
    start = max(0, span[0] - _LONGEST)
    line = text[max(start, text.rfind("\n", start, span[0]) + 1) : span[0]]
    *_, last = (None, *_LABEL.finditer(line))
    if last is None or not _AFTER.match(text, span[1]):
        return "", ""
    attribute = _attributes().get(last["label"].strip().casefold(), "")
    value = attribute and _BEFORE.fullmatch(line, last.end())
    return (last["label"].strip(), attribute) if value else ("", "")


def series_of(text: str) -> Iterator[tuple[Span, ...]]:
    """Yield the places of pronouns that are one person's, written as a series: "(she/her)"."""
    for match in _SERIES.finditer(text) if "/" in text else ():
        words = [*_LETTERS.finditer(text, match.start(), match.end())]
        forms = [PRONOUNS.get(word[0].lower()) for word in words]
        genders = {form.gender if form else "" for form in forms}
        if len(genders) == 1 and genders <= {FEMALE, MALE}:
            yield tuple(word.span() for word in words)


def pronouns_at(text: str, span: Span) -> tuple[GrammaticalForm, ...]:
    """Return the forms that a word may have in a series of pronouns; () if it is in none."""
    series = next((places for places in series_of(text) if span in places), ())
    return _CASES[series.index(span)] if series else ()


def value_of(text: str, span: Span, one: Occurrence) -> Term | None:
    """Return the reading of a word that a form says of somebody; None if it says none."""
    if one.terms[0].form.is_pronoun:
        forms = pronouns_at(text, span)
        return next((term for form in forms for term in one.terms if term.form is form), None)
    attribute = field_at(text, span)[1] if ":" in text else ""
    if not attribute:
        return None
    fitting = [term for form in _VALUES for term in one.terms if term.form is form]
    if attribute not in (one.attribute, _OCCUPATION):
        fitting = [term for term in fitting if _listed(attribute, term.text)]
    elif attribute != one.attribute:
        fitting = [t for t in fitting if t.form is _VALUES[1] and t.sense is Sense.PERSON]
    return fitting[0] if fitting else None


def heads_item(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a noun is what an item of a list is: "- Foreman at a steel works"."""
    head, words = tokens[-1], parse.words
    if words[0] not in _MARKS or head == 0 or not FINITE.isdisjoint(parse.tags):
        return False
    first = 1 + max(at for at in range(head) if at == 0 or words[at] == ",")
    before, after = words[first:head], words[head + 1 : head + 2]
    if first == 1 and parse.heads[head] != head:
        return False  # behind a comma may be a place of work: "- Waitress, Queen's Inn"
    return (
        (first == 1 or words[head].islower())
        and len(before) < _FEW
        and all(map(str.isalpha, before))
        and "DT" not in parse.tags[first:head]
        and (not after or after[0] in _AFTER_ROLE or parse.tags[head + 1] == "IN")
        and (bool(before) or fold(words[head]) not in _GENERAL)
    )


def is_line(parse: Parse) -> bool:
    """Whether a sentence is a line of a list or a form: an item or a field."""
    words = parse.words
    colon = words.index(":", 0, _FEW) if ":" in words[:_FEW] else 0
    return words[0] in _MARKS or fold(" ".join(words[:colon])) in _attributes()


def heads_fragment(parse: Parse, head: int) -> bool:
    """Whether a noun is all that a line says: "An energetic cook of ten years"."""
    whole = parse.heads[head] == head and FINITE.isdisjoint(parse.tags)
    begins = fold(parse.words[0]) in ("a", "an") or parse.tags[0] == "JJ"
    return whole and begins and ":" not in parse.words[:head]


def with_fitting(text: str, edits: dict[str, list[Edit]]) -> list[RejectedEdit]:
    """Take out the edits of peoples that do not fit the labels before them, and return these."""
    refused = list[RejectedEdit]()
    for attribute in _PEOPLES.intersection(edits) if ":" in text else ():
        spans = {span for edit in edits[attribute] for span in edit.spans}
        labels = {span: field_at(text, span) for span in spans}
        kept = list[Edit]()
        for edit in edits[attribute]:
            asked = [label for label, other in map(labels.__getitem__, edit.spans)
                     if {other, attribute} == _PEOPLES and not _same(other, edit)]  # fmt: skip
            if asked:
                why = (
                    f"\u201c{edit.target.text}\u201d does not fit the label \u201c{asked[0]}\u201d"
                )
                refused.append(RejectedEdit(edit, why))
            else:
                kept.append(edit)
        edits[attribute] = kept
    return refused


def _same(attribute: str, edit: Edit) -> bool:
    return _listed(attribute, edit.source.text) == _listed(attribute, edit.target.text)


def _listed(attribute: str, word: str) -> bool:
    return word.casefold() in _words(attribute)


@lru_cache(maxsize=16)
def _words(attribute: str) -> frozenset[str]:
    terms = load_shipped()[attribute].terms
    return frozenset(term.text.casefold() for term in terms if term.form in _VALUES)
