"""Figures of speech: words for people that are cries, ages, beginnings of things, or old friends.

"Boy, was it dull", "ten years old", "the father of chemistry", "in my youth". Tokens are indices in
the parse.
"""

from collections.abc import Sequence

from hinter_core.terms.matching import fold
from hinter_core.terms.senses.lexicon import (
    NOUN_TAGS,
    PERSON_TAGS,
    capital,
    capitalised,
    lexicon,
    names_person,
)
from hinter_core.terms.senses.quotations import QUOTES
from hinter_core.types import Parse

_AUXILIARIES = frozenset("do does did is was are were has have had can could will would".split())
_BEFORE_NOUNS = (("DT",), ("PRP$",), ("POS",), ("JJ",), ("IN",))
_SUBJECTS = (("PRP",), ("EX",), ("DT",))
_BEFORE_CRIES = frozenset(
    {",", "oh", "(", "-", "--", "\u2014", "\u2013", "...", "\u2026", ";", ":"}
)
_MANY = frozenset({"host", "hosts"})
_FOUNDERS = frozenset(
    """father fathers mother mothers godfather godfathers godmother godmothers grandfather
    grandfathers grandmother grandmothers king queen prince princess""".split()
)
_RULERS = frozenset("king kings queen queens prince godfather godmother".split())
_IN_NOUN_PHRASES = frozenset("DT JJ JJS NN NNS NNP NNPS HYPH PRP$".split())
_UNITS = frozenset("year years yr yrs month months week weeks day days".split())
_LENGTHS = frozenset("feet foot ft ft. inch inches cm cms metres meters m".split())
_LONG_KNOWN = frozenset(
    """friend friends pal pals buddy buddies chum chums mate mates acquaintance acquaintances
    classmate classmates schoolmate schoolmates roommate roommates colleague colleagues comrade
    comrades boyfriend girlfriend flame love lover lovers rival rivals enemy enemies nemesis foe
    partner partners""".split()
)
_FAR = 3  # words from "old" to the friend
_PERSONS = frozenset("he she you i they".split())
_CALLING = frozenset("call calls called calling".split())


def figure_of_speech(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the words by which a term of any form is a figure of speech, or ""."""
    word, first, last = fold(parse.words[tokens[-1]]), tokens[0], tokens[-1]
    if word == "old":
        return _of_years(parse, first) or _long_known(parse, last)
    if word in ("tall", "short") and first and fold(parse.words[first - 1]) in _LENGTHS:
        return f"{parse.words[first - 1]} {word}"  # "four feet tall"
    if word == "youth":
        return _time_of_life(parse, first)
    if word in ("people", "peoples"):
        return _nation(parse, first)
    if word == "single":
        before = fold(parse.words[first - 1]) if first else ""
        return f"{before} single" if before in ("every", "each", "any") else ""
    return ""


def _of_years(parse: Parse, first: int) -> str:
    """Return the measure before *old*: "ten years old", "a 14 year - old boy", "how old"."""
    at = first - 1
    while at >= 0 and parse.words[at] in ("-", "."):
        at -= 1
    word = fold(parse.words[at]).rstrip(".") if at >= 0 else ""
    counted = word in _UNITS or word.rpartition("-")[2] in _UNITS or word == "how"
    return f"{parse.words[at]} old" if counted else ""


def _long_known(parse: Parse, last: int) -> str:
    """Return the friend that is *old*, and need not be: "an old college friend"."""
    for at in range(last + 1, min(last + 1 + _FAR, len(parse.words))):
        if fold(parse.words[at]) in _LONG_KNOWN:
            return f"old {parse.words[at]}"
        if parse.tags[at] not in ("NN", "NNP", "JJ", "HYPH"):
            break
    return ""


def _nation(parse: Parse, first: int) -> str:
    """Return the nation that *people* are: "the entire Russian people"."""
    at = first - 1
    while at > 0 and parse.tags[at] == "JJ" and fold(parse.words[at]) not in ("few", "many"):
        at -= 1
    if at >= 0 and fold(parse.words[at]) in ("a", "an", "one", "this"):
        return f"{parse.words[at]} people"  # "a great people"
    at = first - 1
    if at < 1 or fold(parse.words[at]) not in capitalised():
        return ""
    before = {fold(word) for word in parse.words[max(0, at - 2) : at]}
    return f"the {parse.words[at]} people" if "the" in before else ""


def _time_of_life(parse: Parse, first: int) -> str:
    """Return whose youth a time is: "in my misspent youth", "beauty and youth"."""
    at = first - 1
    while at >= 0 and parse.tags[at] in ("JJ", "VBN", "RB", "NN", "NNP"):
        at -= 1
    owner = parse.words[at] if at >= 0 else ""
    if at >= 0 and parse.tags[at] == "PRP$":
        return f"{owner} youth"
    bare = at == first - 1 and (at < 0 or parse.tags[at] not in ("DT", "CD", "WP$", "POS"))
    return "youth" if bare else ""


def figure_of_noun(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the words by which a noun is one: "a host of ideas", "a man's man"."""
    founded = _founded(parse, tokens) or _ruled(parse, tokens)
    if founded or _of_many(parse, tokens):
        return f"of {founded}".rstrip()
    word = parse.words[tokens[-1]]
    return f"{word}'s {word}" if _of_its_kind(parse, tokens) else ""


def _of_many(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a noun is a number of things: "a host of ideas", but "a host of the show"."""
    after = tokens[-1] + 1
    if fold(parse.words[tokens[-1]]) not in _MANY or parse.words[after : after + 1] != ("of",):
        return False
    end = after + 1
    while end < len(parse.tags) and parse.tags[end].startswith(("JJ", "RB", "VBG", "VBN")):
        end += 1
    return parse.tags[end : end + 1] in (("NNS",), ("NN",))


def _founded(parse: Parse, tokens: Sequence[int]) -> str:
    """Return whose origin or servant a noun is: "the father of chemistry", "a man of God"."""
    after = tokens[-1] + 1
    if parse.words[after : after + 1] != ("of",):
        return ""
    if " ".join(map(fold, parse.words[after + 1 : after + 2])) in lexicon().deities:
        return parse.words[after + 1]  # "the bride of Satan"
    if fold(parse.words[tokens[-1]]) not in _FOUNDERS:
        return ""
    end = _end_of_phrase(parse, after + 1)
    if end == after + 1 or parse.tags[end : end + 1] == ("POS",):
        return ""
    word = fold(parse.words[end - 1])
    known = lexicon()
    things = known.founded | (known.name_heads if parse.words[end - 1][:1].isupper() else set())
    return parse.words[end - 1] if word in things else ""


def _ruled(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the things that a ruler excels in: "the king of kung fu", "the queen of crime"."""
    after = tokens[-1] + 1
    if fold(parse.words[tokens[-1]]) not in _RULERS or parse.words[after : after + 1] != ("of",):
        return ""
    end = _end_of_phrase(parse, after + 1)
    if end == after + 1:
        return ""
    noun = parse.words[end - 1]
    ruled = fold(noun) in lexicon().realms or names_person(fold(noun)) or noun[:1].isupper()
    return "" if ruled else noun


def _end_of_phrase(parse: Parse, start: int) -> int:
    """Return the token after the noun phrase at ``start``, which may be empty."""
    while start < len(parse.tags) and parse.tags[start] in _IN_NOUN_PHRASES:
        start += 1
    return start


def is_cry(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether the term is a cry: "Man, that hurts", "and boy was it dull"."""
    words, first, last = tuple(map(fold, parse.words)), tokens[0], tokens[-1]
    if words[last] not in lexicon().interjections or last + 1 >= len(words):
        return False
    joined = first > 0 and parse.tags[first - 1] == "CC"
    start = first - joined  # of the clause
    starts = all(word in QUOTES for word in words[:start])
    after, beyond = (*words[last + 1 : last + 3], "")[:2]
    asked = after in _AUXILIARIES and parse.tags[last + 2 : last + 3] == ("PRP",)
    if asked and parse.tags[first - 1 : first] not in _BEFORE_NOUNS:
        return True  # "so boy was I wrong"
    if parse.tags[first - 1 : first] == ("PRP",) and after == ",":
        return True  # "look at yourself man, he ..."
    if not starts and not joined and words[first - 1] not in _BEFORE_CRIES:
        return False
    listed = _names_person_at(parse, start - 1 - (words[start - 1] == ",")) and not starts
    if listed or _names_person_at(parse, last + 2):
        return False  # "the girl and boy", "man, woman and child"
    if after in _AUXILIARIES and parse.tags[last + 2 : last + 3] in _SUBJECTS:
        return True
    if last + 2 == len(words):
        return not starts and not joined and parse.tags[last + 1] == "."  # "so slow, man!"
    if not starts and words[start - 1] not in _BEFORE_CRIES:
        return False
    if after == ",":
        return beyond not in ("you", "come", "get")
    return after in ("i", "that", "this", "what", "it", "oh", "the", "these", "those")


def _names_person_at(parse: Parse, token: int) -> bool:
    inside = 0 <= token < len(parse.words)
    return inside and parse.tags[token] in NOUN_TAGS and is_person_noun(parse, token)


def is_animal(parse: Parse, token: int) -> bool:
    """Whether a noun is an animal, and neither a name, a simile nor an insult for a person.

    "Mrs. Doe", "the girl looks like a cow", "he is a pig", "that bitch", "you called her a cow".
    """
    word = parse.words[token]
    if fold(word) not in lexicon().animals or parse.tags[token] not in NOUN_TAGS:
        return False
    if capital(word) and (token > 0 or parse.tags[token] == "NNP"):
        return False
    if fold(word) in lexicon().insults and not _has_clue(parse, token):
        return False
    before = tuple(map(fold, parse.words[max(0, token - 4) : token]))
    if {"like", "as", "such"} & set(before):
        return False
    called = bool(_CALLING & set(before)) and before[-1:] in (("a",), ("an",))
    return not called and not _of_person(parse, token)


def _has_clue(parse: Parse, token: int) -> bool:
    """Whether an insult means the animal: a word of breeding or keeping is in its sentence."""
    clues = lexicon().things["bitch"]
    return any(fold(word) in clues for i, word in enumerate(parse.words) if i != token)


def _of_person(parse: Parse, token: int) -> bool:
    """Whether an animal is said of a person: "my uncle is a pig"."""
    attribute = parse.labels[token] in ("attr", "oprd")  # the verb governs both
    governor = parse.heads[token] if attribute else token
    own = [i for i, head in enumerate(parse.heads) if head == governor and i != governor]
    if not attribute and not any(parse.labels[i] == "cop" for i in own):
        return False
    subjects = (fold(parse.words[i]) for i in own if parse.labels[i].startswith("nsubj"))
    return any(word in _PERSONS or names_person(word) for word in subjects)


def _of_its_kind(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a noun stands beside its own possessive: "a man's man"."""
    words, first, last = tuple(map(fold, parse.words)), tokens[0], tokens[-1]
    own = words[first : last + 1]
    size = len(own) + 1
    tags = parse.tags
    return (tags[last + 1 : last + 2] == ("POS",) and words[last + 2 : last + 1 + size] == own) or (
        tags[first - 1 : first] == ("POS",) and words[max(0, first - size) : first - 1] == own
    )


def is_person_noun(parse: Parse, token: int) -> bool:
    """Whether a noun is for people, or a person's name."""
    return names_person(fold(parse.words[token])) or parse.entities[token] in PERSON_TAGS
