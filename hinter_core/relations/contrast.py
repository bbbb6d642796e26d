"""Contrasts: changes that make one side the other, or a word for both.

*Men live longer than men*, *the girls are lazy and the girls work hard*, *people drive better than
women*. Two phrases are the same if their words before a noun are the same, and all that is behind
it where both have something there: *white men* and *Black men* are two.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from hinter_core.language.people import PRONOUNS, people_words
from hinter_core.language.sentences import sentence_at
from hinter_core.relations.base import Compared
from hinter_core.terms.matching import fold
from hinter_core.types import Sentence, Splice

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_BEFORE = re.compile(r"(?:([^\W\d_][\w'\u2019-]*)\s+)?([^\W\d_][\w'\u2019-]*)\s+$")
_BEHIND = re.compile(
    r"\s+((?:aged|at|from|in|of|on|over|that|under|who|whose|with|without)\s+\w+(?:\s+\w+)?)",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\b(?:than|but|while|whilst|whereas|unlike|although|though|versus|vs|against|and|or|nor)\b"
    r"|;|\bnot\s+(?:(?:for|to|by|of|with|the)\s+){0,2}$",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"\W*(?:unlike|while|whilst|whereas|although|though|compared\s(?:to|with)|in\scontrast\sto)\b",
    re.IGNORECASE,
)
# Two of whom a text speaks for the first time may be alike: "a woman came and a woman left".
_COMPARES = re.compile(r"\b(?:than|unlike|versus|vs)\b|\bnot\s+(?:an?\s+)?$", re.IGNORECASE)
_DEFINITE = frozenset("the these those my your his her its our their".split())
_INDEFINITE = frozenset(
    "a an another any each every few many most no one other several some such".split()
)
_NO_PART = frozenset(  # what may stand before a phrase, and is no part of it
    """against although and are as at because but by compared do does did for from if in is like
    more nor not of on or over than that though to unlike versus vs was were when whereas whether
    while whilst with""".split()
)
_FEW = 3  # words from an adjective to its noun
_APOSTROPHES = ("'", "\u2019")
_SOME = frozenset("men women ladies gentlemen guys boys girls".split())
_PARTS = dict.fromkeys("people persons individuals humans".split(), _SOME)
_PARTS |= dict.fromkeys("children kids".split(), frozenset({"boys", "girls"}))


class _Phrase(NamedTuple):
    """A noun with its place, what is before it, and what is behind it."""

    at: int
    end: int
    determiner: str
    adjective: str
    behind: str


def not_apart(pair: Compared) -> str:
    """Return why a change leaves no contrast between two groups, or ""."""
    text = pair.mutant.text
    for splice in pair.mutant.splices:
        new = fold(splice.new)
        if not splice.attribute or not new or fold(splice.old) == new or new in PRONOUNS:
            continue
        sentence = sentence_at(pair.sentences, splice.at)
        if sentence is None:
            continue
        own = _phrase(text, splice.at, splice.at + len(splice.new), sentence)
        for word in (new, *sorted(_PARTS.get(new, ()))):
            for other in _others(pair, splice, word, sentence):
                if _same(own, other) and _contrasted(text, own, other, sentence):
                    said = f"\u201c{splice.new}\u201d"
                    both = word == new
                    where = "on both sides of a contrast" if both else "beside a part of them"
                    return f"{said} stands {where}"
    return ""


def _others(pair: Compared, splice: Splice, word: str, sentence: Sentence) -> Iterator[_Phrase]:
    """Yield where a word stands in a sentence and is not changed; an adjective of the same noun."""
    text, end = pair.mutant.text, splice.at + len(splice.new)
    if sentence.text.lower().count(word) <= splice.new.lower().count(word):
        return  # no pattern is compiled
    noun = _described(text, end)
    changed = [(one.at, one.at + len(one.new)) for one in pair.mutant.splices]
    for match in re.finditer(rf"\b{re.escape(word)}\b", sentence.text, re.IGNORECASE):
        at, stop = (sentence.start + place for place in match.span())
        owns = text[stop : stop + 1] in _APOSTROPHES or text[end : end + 1] in _APOSTROPHES
        if (
            not owns
            and noun == _described(text, stop)
            and not any(low < stop and at < high for low, high in changed)
        ):
            yield _phrase(text, at, stop, sentence)


def _described(text: str, end: int) -> str:
    """Return the words behind a place up to a noun for people; "" if there are none."""
    words: list[str] = []
    while len(words) < _FEW and (match := _WORD.match(text, end + 1)):
        words.append(fold(match[0]))
        end = match.end()
        if people_words().person_noun(words[-1]):
            return " ".join(words)
        if words[-1] in _NO_PART | _DEFINITE | _INDEFINITE:
            break
    return ""


def _phrase(text: str, start: int, end: int, sentence: Sentence) -> _Phrase:
    before = _BEFORE.search(text[max(sentence.start, start - 40) : start])
    first, last = (fold(word or "") for word in before.groups()) if before else ("", "")
    behind = _BEHIND.match(text, end)
    said = fold(behind[1]) if behind else ""
    if last in _DEFINITE | _INDEFINITE:
        return _Phrase(start, end, last, "", said)
    if not last or last in _NO_PART:
        return _Phrase(start, end, "", "", said)
    determiner = first if first in _DEFINITE | _INDEFINITE else ""
    return _Phrase(start, end, determiner, last, said)


def _same(one: _Phrase, other: _Phrase) -> bool:
    apart = one.behind and other.behind and one.behind != other.behind
    owners = {one.determiner, other.determiner}  # "my father and your mother"
    apart = apart or (len(owners) > 1 and owners <= _DEFINITE)
    return one.adjective == other.adjective and not apart


def _contrasted(text: str, one: _Phrase, other: _Phrase, sentence: Sentence) -> bool:
    first, last = sorted((one, other))
    between = text[first.end : last.at]
    if {one.determiner, other.determiner} & _INDEFINITE:
        return _COMPARES.search(between) is not None
    opened = _OPENS.match(text, sentence.start)
    return bool(_CONTRAST.search(between)) or (opened is not None and "," in between)
