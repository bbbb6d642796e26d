"""Ages that words say: years of nouns and adjectives, and numbers of years in a text.

``ages.toml`` lists them, and where words for an age say none.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from hinter_core.storage import shipped_lists
from hinter_core.terms.dictionary import load_shipped
from hinter_core.types import GrammaticalForm, Span

Years = tuple[int, int]  # from, and up to

_GROUPS = {"children": (0, 14), "young": (12, 36), "middle-aged": (34, 65), "older": (58, 130)}
_COMPARED = (GrammaticalForm.COMPARATIVE, GrammaticalForm.SUPERLATIVE)
_ONES = "one two three four five six seven eight nine".split()
_TEENS = """ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen""".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBERS = {word: number for number, word in enumerate([*_ONES, *_TEENS], 1)} | {
    word: 10 * number for number, word in enumerate(_TENS, 2)
}
_NUMBER = rf"(\d{{1,3}}|(?:(?:{'|'.join(_TENS)})[\s-])?(?:{'|'.join(_NUMBERS)}))"
_ABOUT = "(?:(?:about|only|just|not|over|under|nearly|barely|almost|perhaps|some) )?"
_SOMEBODY = "man|woman|boy|girl|lad|lass|lady|gentleman|person|child|youth|maiden|fellow"
_DECADES = "|".join(ten[:-1] for ten in _TENS)
_END = r"(?=[.,;:!?)]|\s+(?:and|or|but|who|with)\b|$)"
_SAID = re.compile(
    rf"(?<!there )\b(?:is|was|were|be|am|are|'m|'s) {_ABOUT}{_NUMBER}{_END}"
    rf"|\b(?:aged?|age of|turned)\s+{_NUMBER}\b"
    rf"|\b{_NUMBER}[\s-]years?[\s-](?:old|of\sage)\b"
    rf"|\b(?:{_SOMEBODY})\s+of\s+{_ABOUT}{_NUMBER}\b(?!\s+\w+s\b)"
    r"|(?<=[a-z]),\s(\d\d),\s(?=[a-z])",
    re.IGNORECASE,
)
_DECADE = re.compile(
    rf"\b(?:his|her|their|my|your)\s+(?:(?:early|mid|late)[\s-]+)?({_DECADES})ies\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+")
_YEAR_OLD = re.compile(r"(\d+|[a-z-]+?)[\s-]years?[\s-]olds?$|aged (\d+)$")


@lru_cache(maxsize=1)
def age_words() -> Mapping[str, frozenset[str]]:
    """Load the lists of lower-case words that ``ages.toml`` explains."""
    return {name: frozenset(words) for name, words in shipped_lists("ages")["words"].items()}


@lru_cache(maxsize=1)
def _years() -> Mapping[str, Years]:
    """Load the years of nouns and adjectives, with the terms of the dictionary of ages."""
    years = {
        term.text.lower(): _of_term(term.text.lower(), term.group)
        for term in load_shipped()["age"].terms
        if term.form not in _COMPARED
    }
    for between, words in shipped_lists("ages")["years"].items():
        low, _, high = between.partition("-")
        years |= dict.fromkeys(words, (int(low), int(high)))
    return years


def _of_term(term: str, group: str) -> Years:
    """Return the years of a term: its number, its decade, or those of its group."""
    if match := _YEAR_OLD.match(term):
        number = number_of(next(filter(None, match.groups())))
        return number, number + 1
    decade = next((10 * n for n, ten in enumerate(_TENS, 2) if term.startswith(ten)), 0)
    return (decade, decade + 10) if decade else _GROUPS.get(group, (0, 130))


def years_of(word: str, group: str = "") -> Years | None:
    """Return the years that a word says; those of a term's group if it is unknown."""
    return _years().get(word.lower().rstrip("."), _GROUPS.get(group))


def agree(one: Years, other: Years) -> bool:
    """Whether somebody may have both ages."""
    return one[0] < other[1] and other[0] < one[1]


def said_years(text: str) -> Iterator[tuple[Span, Years]]:
    """Yield the ages that a text says in numbers: "aged 12", "in her thirties"."""
    for match in _SAID.finditer(text):
        number = number_of(next(filter(None, match.groups())))
        yield match.span(), (number, number + 1)
    for match in _DECADE.finditer(text):
        number = _NUMBERS[f"{match.group(1).lower()}y"]
        yield match.span(), (number, number + 10)


def number_of(words: str) -> int:
    """Return the number that figures or words say: "12", "twenty-five"."""
    return int(words) if words.isdigit() else sum(_NUMBERS[w] for w in _WORD.findall(words.lower()))
