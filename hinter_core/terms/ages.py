"""Ages that words say: years of nouns and adjectives, and numbers of years in a text.

``ages.toml`` lists them, and where words for an age say none.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from hinter_core.language.reading.notes import sex_marks
from hinter_core.storage import shipped_lists
from hinter_core.terms.dictionary import load_shipped
from hinter_core.types import GrammaticalForm, Span

Years = tuple[int, int]  # from, and up to

_OLDEST = 130
_GROUPS = {"children": (0, 14), "young": (12, 36), "middle-aged": (34, 65), "older": (55, _OLDEST)}
_NOUNS = (GrammaticalForm.NOUN_SG, GrammaticalForm.NOUN_PL)
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
# From thirteen on: "at twelve" is a time of the day.
_IN_WORDS = (
    rf"((?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_ONES)}))?\b|(?:{'|'.join(_TEENS[3:])})\b)"
)
_NTHS = {f"{one}th": number for number, one in enumerate(_ONES, 1)}
_NTHS |= {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9}
_NTHS |= {f"{teen}th": number for number, teen in enumerate(_TEENS[3:], 13)}
_NTHS |= {f"{ten[:-1]}ieth": 10 * number for number, ten in enumerate(_TENS, 2)}
_END = (
    r"(?=[.,;:!?)]|\s+(?:(?:and|or)(?!\s\d)|but|who|with|now|today|when|then|this|next)\b"
    r"|\s+in\s(?-i:[A-Z])|$)"
)
_SUBJECT = r"(?=[.,;:!?)]|\s(?:he|she|they|I|we|you|was|has|had|is|who)\b|$)"
_OLD = r"[\s-](?:years?|yrs?)[\s-](?:olds?|of\sage)\b"
# "A man of 45 years" has that age, but "a cook of 20 years" and "20 years of service" are of a job.
_NO_TENURE = r"(?!['\u2019]|\s(?:of|at|in|as|experience|service|standing)\b)"
_SAID = re.compile(
    rf"(?<!there)(?<!there )(?:\b(?:is|was|were|be|am|are)|['\u2019](?:m|s|re))"
    rf" {_ABOUT}{_NUMBER}{_END}"
    rf"|\bat\s{_IN_WORDS}{_SUBJECT}|\bat\s(1[3-9]|2[0-4])(?=,?\s(?:he|she|they|I)\b)"
    rf"|\b(?:age\sof|turned)\s+{_NUMBER}\b|\b[Aa]t\s(2[5-9]|[3-9]\d)(?=[.,;)]|$)"
    rf"|(?P<now>\b(?:I['\u2019]?m|I\sam|s?he(?:['\u2019]?s|\sis|(?=\s\d\d)))\s{_ABOUT}{_NUMBER}{_END}"
    rf"|\baged?\s+{_NUMBER}\b|\b{_NUMBER}{_OLD}"
    rf"|\b(?:{_SOMEBODY})\s+of\s+{_ABOUT}{_NUMBER}\b(?:\s+years\b{_NO_TENURE}"
    r"|(?!\s+(?!(?:wa|i|ha)s\b)\w+s\b))"
    rf"|(?<=[A-Za-z],\s){_IN_WORDS}(?=,\s[A-Za-z])"
    r"|(?<=[A-Za-z],\s)(\d\d)(?=,\s[A-Za-z]|\.\s|\.?$)|(?<=[\u2022*-]\s)(\d\d)(?=,\s[a-z]))"
    rf"|(?P<surely>\bage:\s*{_NUMBER}\b|\b{_NUMBER}(?:\s|-)?(?:y/?o|y\.o)\b)",
    re.IGNORECASE | re.MULTILINE,
)
# "20-30" and "20 to 30" are nobody's age.
_SPAN = re.compile(r"\s?(?:[-\u2013]|to|or)\s?\d|\s+years?\b(?!\sold)")
_OF_MANY = re.compile(
    r"(?:\d\s?[-\u2013]|\b(?:to|or|and|between|under|over|least|most|than|below|above))[\s-]$"
    r"|\b(?:when|since|until|till|before|after|once)\b[^.!?;]{0,30}$",
    re.IGNORECASE,
)
# Before "age", what makes it nobody's: "combined age 161".
_OF_NOBODY = re.compile(
    r"\b(?:average|combined|drinking|joint|legal|maximum|mean|median|minimum|pension|retirement"
    r"|total|voting)\s(?:age\s)?$",
    re.IGNORECASE,
)
# "In her ninety-first year", but not "in her thirtieth year as a nurse".
_NTH_YEAR = re.compile(
    rf"\bin\s(?:his|her|their|my|your)\s(?:(1[3-9]|[2-9]\d)(?:st|nd|rd|th)"
    rf"|((?:(?:{'|'.join(_TENS)})[\s-])?(?:{'|'.join(_NTHS)})))\syear\b"
    r"(?!\s(?:as|at|for|in|of|on|with)\b)",
    re.IGNORECASE,
)
_DECADE = re.compile(
    rf"(?:\b(?:his|her|their|my|your)\s+(?:(?:early|mid|late)[\s-]+)?"
    rf"|(?<!the )\b(?:early|mid|late)[\s-])(?:({_DECADES})ies|([2-9])0['\u2019]?s)\b",
    re.IGNORECASE,
)
# What takes so many years at least.
_WORKED = re.compile(
    rf"\b{_NUMBER}(?:\+|\splus)?\syears(?:['\u2019]|\sof)\s(?:\w+\s)?(?:experience|service)\b"
    rf"|\b(?:work(?:ed|s|ing)?|been\s(?:an?|his|her|its|my|our|the|their|your)\s\w+)\b(?:(?!\b(?:that|which|where|who)\b)[^.!?;]){{0,40}}?"
    rf"\bfor\s(?:(?:about|almost|nearly|over|more\sthan|some|the\s(?:last|past))\s)?{_NUMBER}\syears\b"
    r"|\b(retired)\b",
    re.IGNORECASE,
)
AT_WORK: Years = (14, _OLDEST)
_RETIRED = 50
_LEAST_NTH = 13  # "in her third year" is of a school or a job
_COMING_OF_AGE: Years = (19, 21)
_BEFORE = 40  # characters before a number that show that it is nobody's
_ALONE = re.compile(_NUMBER)
_WORD = re.compile(r"[^\W\d_]+")
YEAR_OLD = re.compile(r"(\d+|[a-z-]+?)[\s-]years?[\s-]olds?$|aged (\d+)$")


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
    nouns = (term for term in load_shipped()["occupation"].terms if term.form in _NOUNS)
    years |= {term.text.lower(): AT_WORK for term in nouns}
    for between, words in shipped_lists("ages")["years"].items():
        years |= dict.fromkeys(words, _between(between))
    return years


def _of_term(term: str, group: str) -> Years:
    """Return the years of a term: its number, its decade, or those of its group."""
    if match := YEAR_OLD.match(term):
        return _of_number(number_of(next(filter(None, match.groups()))))
    decade = next((10 * n for n, ten in enumerate(_TENS, 2) if term.startswith(ten)), 0)
    return (decade, decade + 10) if decade else _GROUPS.get(group, (0, _OLDEST))


@lru_cache(maxsize=1)
def _states() -> tuple[tuple[re.Pattern[str], Years], ...]:
    listed = (
        (years, "|".join(map(re.escape, words)))
        for years, words in shipped_lists("ages")["states"].items()
    )
    return tuple(
        (re.compile(rf"\b(?:{words})s?\b", re.IGNORECASE), _between(years))
        for years, words in listed
    )


def said_states(text: str) -> Iterator[tuple[Span, Years]]:
    """Yield what a text says that people have at some ages alone: "28 weeks pregnant"."""
    straight = text.replace("\u2019", "'")
    for pattern, years in _states():
        yield from ((match.span(), years) for match in pattern.finditer(straight))


def _between(years: str) -> Years:
    low, _, high = years.partition("-")
    return int(low), int(high)


def years_of(word: str, group: str = "") -> Years | None:
    """Return the years that a word says; those of a term's group if it is unknown.

    A number alone says some only as a term: "two days".
    """
    word = word.lower().rstrip(".")
    if group and _ALONE.fullmatch(word):
        return _of_number(number_of(word))
    return _years().get(word, _GROUPS.get(group))


def _of_number(number: int) -> Years:
    """Return the years of a number; at 18 and 19, a teenager is a man or a woman, and no boy."""
    return _COMING_OF_AGE if number in range(18, 20) else (number, number + 1)


def agree(one: Years, other: Years) -> bool:
    """Whether somebody may have both ages."""
    return one[0] < other[1] and other[0] < one[1]


class Stated(NamedTuple):
    """A number of years in a text; ``surely``: somebody's, whatever is around it."""

    number: Span
    words: str
    surely: bool


def said_years(text: str) -> Iterator[tuple[Span, Years]]:
    """Yield the ages that a text says: "aged 12", "in her thirties", "ten years of experience"."""
    for match in _numbers(text):
        yield match.span(), _of_number(number_of(_number(match).words))
    for span, years in _before_marks(text):
        yield span, _of_number(int(text[slice(*years)]))
    for match in _DECADE.finditer(text):
        ten = match.group(1)
        number = _NUMBERS[f"{ten.lower()}y"] if ten else 10 * int(match.group(2))
        yield match.span(), (number, number + 10)
    for match in _NTH_YEAR.finditer(text):
        nth = number_of(match.group(1) or match.group(2))
        if nth >= _LEAST_NTH:
            yield match.span(), (nth - 1, nth + 1)
    for match in _WORKED.finditer(text):
        worked = match.group(1) or match.group(2)
        yield match.span(), (number_of(worked) + AT_WORK[0] if worked else _RETIRED, _OLDEST)


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """Yield what says a number of years of somebody, not of several people together."""
    for match in _SAID.finditer(text):
        start = match.start()
        if not _OF_NOBODY.search(text[max(0, start - _BEFORE) : start]):
            yield match


def _before_marks(text: str) -> Iterator[tuple[Span, Span]]:
    """Yield the numbers of years before marks of sex, each with its mark: "70M", "45 y F"."""
    said = {match.start() for match in _numbers(text)}
    for mark in sex_marks(text):
        if mark.years is not None and mark.years[0] not in said:
            yield (mark.years[0], mark.span[1]), mark.years


def _number(match: re.Match[str]) -> Stated:
    groups = range(1, _SAID.groups + 1)
    named = _SAID.groupindex.values()
    group = next(n for n in groups if match.group(n) and n not in named)
    return Stated(match.span(group), match.group(group), match["surely"] is not None)


def stated(text: str) -> Iterator[tuple[Span, Stated]]:
    """Yield the numbers of years that people have now, each with the words around it."""
    for match in _numbers(text):
        one = _number(match)
        start = one.number[0]
        before = text[max(0, start - _BEFORE) : start]
        now = match["now"] is not None or one.surely
        if now and not _SPAN.match(text, match.end()) and not _OF_MANY.search(before):
            yield match.span(), one
    for span, number in _before_marks(text):
        yield span, Stated(number, text[slice(*number)], True)


def number_of(words: str) -> int:
    """Return the number that figures or words say: "12", "twenty-five", "ninety-first"."""
    known = _NUMBERS | _NTHS
    return int(words) if words.isdigit() else sum(known[w] for w in _WORD.findall(words.lower()))
