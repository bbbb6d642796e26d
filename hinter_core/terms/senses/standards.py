"""Standards of law: "a reasonable man" and "the average woman" are measures of conduct, nobody.

Who is somebody's father or friend may be reasonable, too, so what a sentence says that somebody is
counts as a person.
"""

from collections.abc import Sequence

from hinter_core.language.trees import dependent
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.lexicon import lexicon
from hinter_core.types import Parse

_OWNERS = frozenset("my our your his her their its these those two three four several".split())
_ANY = frozenset("a an any no every the".split())
_BEFORE = frozenset("JJ RB CC HYPH , VBG VBN".split())  # tags between an article and its noun
_FAR = 6  # words


def standard_at(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the standard that a noun, or an adjective before it, is part of, or ""."""
    token, words, lists = tokens[-1], [fold(word) for word in parse.words], lexicon()
    behind = range(token, len(words))[:_FAR]
    noun = next((at for at in behind if words[at] in lists["of_standards"]), None)
    said_of = noun is not None and dependent(parse, noun, {"cop"}) is not None
    if noun is None or said_of or parse.labels[noun] == "appos":
        return ""
    first = noun
    while first and parse.tags[first - 1] in _BEFORE:
        first -= 1
    before = " ".join(words[first:noun]).replace(" - ", "-").split()
    article = words[first - 1] if first else ""
    plural = parse.tags[noun] == "NNS" and article not in _OWNERS
    measures = lists["measures"]
    if article in ("the", "every"):
        measures = measures | lists["measures_with_the"]
    if token < first or measures.isdisjoint(before) or not (article in _ANY or plural):
        return ""
    return f"{next(word for word in before if word in measures)} {parse.words[noun]}"
