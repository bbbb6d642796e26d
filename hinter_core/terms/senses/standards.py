"""Standards of law: "a reasonable man" and "the average woman" are measures of conduct, nobody.

Who is somebody's father or friend may be reasonable, too, so what a sentence says that somebody is
counts as a person.
"""

from collections.abc import Sequence

from hinter_core.terms.matching import fold
from hinter_core.terms.senses.forms import dependent
from hinter_core.types import Parse

_NOUNS = frozenset(
    """man men woman women person people gentleman gentlemen businessman businessmen businesswoman
    citizen citizens juror jurors layman laymen employer landlord parent parents adult adults
    workman policeman policemen""".split()
)
# With any article, and those that only "the" makes a standard.
_MEASURES = frozenset(
    """reasonable reasonably prudent right-thinking fair-minded hypothetical notional""".split()
)
_WITH_THE = frozenset("ordinary average common".split())
_OWNERS = frozenset("my our your his her their its these those two three four several".split())
_ANY = frozenset("a an any no every the".split())
_BEFORE = frozenset("JJ RB CC HYPH , VBG VBN".split())  # tags between an article and its noun
_FAR = 6  # words


def standard_at(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the standard that a noun, or an adjective before it, is part of, or ""."""
    token, words = tokens[-1], [fold(word) for word in parse.words]
    noun = next((at for at in range(token, len(words))[:_FAR] if words[at] in _NOUNS), None)
    said_of = noun is not None and dependent(parse, noun, {"cop"}) is not None
    if noun is None or said_of or parse.labels[noun] == "appos":
        return ""
    first = noun
    while first and parse.tags[first - 1] in _BEFORE:
        first -= 1
    before = " ".join(words[first:noun]).replace(" - ", "-").split()
    article = words[first - 1] if first else ""
    plural = parse.tags[noun] == "NNS" and article not in _OWNERS
    measures = _MEASURES | (_WITH_THE if article in ("the", "every") else frozenset())
    if token < first or measures.isdisjoint(before) or not (article in _ANY or plural):
        return ""
    return f"{next(word for word in before if word in measures)} {parse.words[noun]}"
