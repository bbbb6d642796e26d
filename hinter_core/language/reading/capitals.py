"""Capitals that carry no meaning for the parser: words that are shouted, and names of groups.

*I hate WOMEN*, *a Deaf man*, *she is White*: parsers take such words for names, as texts that they
learned from have few of them. :func:`calm` writes them as the dictionaries do. Names keep their
capitals: *Jack White*, *the Black Student Union*. The length of a text stays.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from hinter_core.language.people import PRONOUNS, people_words
from hinter_core.storage import shipped_lists, shipped_rows, shipped_words

_WORD = re.compile(r"[A-Za-z]+(?:['\u2019][A-Za-z]+)*")
_CAPITAL = re.compile(r"(?<![A-Za-z])[A-Z]")
_SHOUTED = 0.8  # share of a sentence's words from which all of it is shouted
_RUN = 3  # shouted words in a row that are no acronyms
_NOT_ISSUED = frozenset({"placebo", "occupation"})  # attributes whose capitals are titles or names
_NOUNS = frozenset({"disability", "religion", "sexual-orientation", "race", "body"})
_JOINTS = frozenset({"and", "or", "nor", "&", ",", "/", "-", ""})
_NAMED = frozenset("name names surname called named".split())


def calm(sentence: str) -> str:
    """Return a sentence whose capitals say nothing but names and beginnings."""
    if _CAPITAL.search(sentence, 1) is None:
        return sentence
    words = list(_WORD.finditer(sentence))
    shouted = [len(m[0]) > 1 and m[0].isupper() for m in words]
    long = sum(len(m[0]) > 1 for m in words)
    if sum(shouted) > 1 and sum(shouted) >= _SHOUTED * long:
        return _written(sentence, list(_all_calm(words)))
    return _written(sentence, [*_emphasised(words, shouted), *_groups(sentence, words)])


def _written(sentence: str, changes: Sequence[tuple[int, str]]) -> str:
    letters = list(sentence)
    for start, word in changes:
        letters[start : start + len(word)] = word
    return "".join(letters)


def _all_calm(words: Sequence[re.Match[str]]) -> Iterator[tuple[int, str]]:
    """Yield the words of a sentence that is shouted as a whole."""
    known = _vocabulary()
    for number, match in enumerate(words):
        word = match[0]
        if word == "I" or not word.isupper():
            continue
        lower = word.lower()
        new = known.get(lower, lower)
        name = lower.capitalize() in people_words().names and lower not in _common()
        if lower.startswith(("i'", "i\u2019")) or number == 0 or name:
            new = lower[:1].upper() + lower[1:]
        yield match.start(), new


def _emphasised(
    words: Sequence[re.Match[str]], shouted: Sequence[bool]
) -> Iterator[tuple[int, str]]:
    """Yield single shouted words that dictionaries have, and runs of shouted words."""
    known = _vocabulary()
    for loud, numbers in groupby(range(len(words)), shouted.__getitem__):
        run = list(numbers) if loud else []
        for number in run:
            lower = words[number][0].lower()
            small = lower in _listed("emphasised") or lower in PRONOUNS
            word = small or (lower in known and len(lower) > 2)
            if lower not in _listed("acronyms") and (len(run) >= _RUN or word):
                new = known.get(lower, lower)
                yield words[number].start(), new if number else new[:1].upper() + new[1:]


def _groups(sentence: str, words: Sequence[re.Match[str]]) -> Iterator[tuple[int, str]]:
    """Yield capitalised words for groups that are in no name: "a Deaf man", "she is White"."""
    nouns, groups = _group_nouns(), _groups_of_people()
    number = 1  # the first word has a capital anyhow
    while number < len(words):
        if not (_titled(words[number][0]) and words[number][0].lower() in groups):
            number += 1
            continue
        first = last = number
        while last + 1 < len(words) and _joined(sentence, words, last + 1, groups):
            last += 1
        if not words[last][0][:1].isupper():
            last -= 1  # "Black and" is not joined to anything
        group = words[first : last + 1]
        if _stands_for_group(sentence, words, first, last, nouns):
            for match in group:
                lower = match[0].lower()
                if groups.get(lower, match[0]) == lower and _titled(match[0]):
                    yield match.start(), lower
        number = last + 1


def _titled(word: str) -> bool:
    return word[:1].isupper() and (word[1:].islower() or len(word) == 1)


def _joined(sentence: str, words: Sequence[re.Match[str]], at: int, groups: dict[str, str]) -> bool:
    """Whether a word goes on with the groups before it: "Black and Deaf", "Trans, Black"."""
    word = words[at][0]
    gap = sentence[words[at - 1].end() : words[at].start()].strip()
    if gap not in _JOINTS:
        return False
    if word in ("and", "or", "nor"):
        after = words[at + 1][0] if at + 1 < len(words) else ""
        return _titled(after) and after.lower() in groups
    return _titled(word) and word.lower() in groups


def _stands_for_group(
    sentence: str, words: Sequence[re.Match[str]], first: int, last: int, nouns: frozenset[str]
) -> bool:
    """Whether the words around show that a capital is no part of a name."""
    before, word = words[first - 1][0], words[last][0].lower()
    after = words[last + 1][0] if last + 1 < len(words) else ""
    gap = sentence[words[last].end() : words[last + 1].start()] if after else "."
    beside = not gap.strip(" -")
    left = sentence[words[first - 1].end() : words[first].start()].strip()
    if beside and after[:1].isupper() and after != "I":
        return False  # "the Black Student Union"
    determiner = before.lower() if not left else ""
    possessed = before.lower().rpartition("'")[2]
    if determiner and before[:1].isupper() and first > 1:
        return False  # "Jack White"
    determined = determiner in _listed("determiners")
    plural = word.endswith("s") and word in nouns
    people = beside and _person(after)
    if not {determiner, f"'{possessed}"}.isdisjoint(_listed("copulas")) or determiner == "as":
        return not {m[0].lower() for m in words[max(0, first - 4) : first]} & _NAMED
    if word in _gender_nouns():  # "the Queen" is one person, "the Godfather" a film; "a Woman" any
        return determined and determiner != "the" and not (beside and after[:1].isupper())
    if determined:
        return people or (beside and after[:1].islower()) or word in nouns
    lower = not determiner or before.islower() or before.lower() in _common()
    return lower and (people or plural)


def _person(word: str) -> bool:
    lower = word.lower()
    known = people_words()
    return lower in known.collectives or known.person_noun(lower)


@lru_cache(maxsize=1)
def _terms() -> tuple[tuple[str, str, str], ...]:
    """Return attribute, form and the term as it is written, of all dictionaries."""
    return tuple(
        (attribute, row["form"], row["term"])
        for attribute, table in shipped_lists("attributes").items()
        if attribute != "placebo"
        for row in shipped_rows(table["file"].removesuffix(".csv"))
    )


@lru_cache(maxsize=1)
def _vocabulary() -> dict[str, str]:
    """Return the words of the dictionaries as they are written, by their lower-case form."""
    known = {noun: noun for noun in people_words().nouns}
    capitals: dict[str, str] = {}
    for word in (word for *_, term in _terms() for word in term.split()):
        (known if word.islower() else capitals).setdefault(word.lower(), word)
    return known | capitals


@lru_cache(maxsize=1)
def _groups_of_people() -> dict[str, str]:
    """Return words for groups of people, as they are written: adjectives, and nouns of some."""
    groups: dict[str, str] = {}
    for attribute, form, term in _terms():
        word = "trans" if term.startswith("trans ") else term
        adjective = form == "adj" and attribute not in _NOT_ISSUED
        noun = form in ("noun-sg", "noun-pl") and attribute in _NOUNS
        trans = attribute == "gender" and word in ("trans", "transgender", "nonbinary")
        gendered = word in _gender_nouns()
        if (adjective or noun or trans or gendered) and " " not in word:
            groups[word.lower()] = (
                word if groups.get(word.lower()) != word.lower() else word.lower()
            )
    return groups


@lru_cache(maxsize=1)
def _gender_nouns() -> frozenset[str]:
    gendered = [(form, word) for attribute, form, word in _terms() if attribute == "gender"]
    nouns = {word for form, word in gendered if form in ("noun-sg", "noun-pl") and word.islower()}
    return frozenset(nouns - {word for form, word in gendered if form == "adj"})


@lru_cache(maxsize=1)
def _group_nouns() -> frozenset[str]:
    return frozenset(
        word.lower()
        for attribute, form, word in _terms()
        if form in ("noun-sg", "noun-pl") and attribute in _NOUNS
    ) | {"deaf", "blind", "disabled"}


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    """Return words that begin sentences and are no names, though some people are called so."""
    kinds = ("determiners", "emphasised", "called_so")
    return frozenset(PRONOUNS).union(*map(_listed, kinds))


def _listed(kind: str) -> frozenset[str]:
    return shipped_words("grammar")[kind]
