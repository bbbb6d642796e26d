"""Words for the colour of people that are the colour of something else: "in black and white"."""

from collections.abc import Sequence

from hinter_core.terms.matching import fold
from hinter_core.terms.senses.lexicon import NOUN_TAGS, lexicon, names_person
from hinter_core.types import Parse

_ADJECTIVES = ("JJ", "JJR", "NN", "NNP")
_DESCRIBING = frozenset({"JJ", "JJR", "JJS", "HYPH", ",", "CC", "VBN", "VBG"})
_BEFORE = frozenset("in into".split())
_WEARING = frozenset(
    "wear wears wearing wore worn sported sports sporting painted dyed bleached".split()
)
_PAINTING = frozenset("paint paints painting painted dye dyes dyed bleach bleaches".split())
_PAINTED = frozenset("it them him her himself herself themselves faces face hair walls".split())
_SHOOTING = frozenset("use uses used using shoot shoots shot".split())
_BOTH = frozenset({"black", "white"})
_FUNNY = frozenset("funny comic comical witty hilarious humorous satirical bleak".split())
_FILMED = frozenset(
    """color colour colors colours colorized colourised technicolor photography photographed footage
    cinematography sepia monochrome""".split()
)
_SHADES = frozenset({"blacks", "whites"})
_AND = frozenset({"and", "&", "/", "n", "'n"})
_BEFORE_PAIRS = ("DT", "JJ", "IN", "RB", "VB", "CD")
_COPULAS = frozenset("is are was were be been both mostly".split())
_FAR = 4  # words between a colour and the noun that it may describe


def is_colour(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether an adjective for a colour is no skin: "wearing white", "black and white films"."""
    word = fold(parse.words[tokens[-1]])
    before = fold(parse.words[tokens[0] - 1]) if tokens[0] else ""
    after = tokens[-1] + 1
    following = fold(parse.words[after]) if after < len(parse.words) else ""
    if following in lexicon().wearing or before in _WEARING:
        return True
    if tokens[0] > 1 and fold(parse.words[tokens[0] - 2]) in _PAINTING and before in _PAINTED:
        return True  # "paints them white"
    if following == "and" and _FUNNY & set(map(fold, parse.words[after + 1 : after + 3])):
        return True  # "black and rippingly funny"
    if _alone_in_colour(parse, tokens):
        return True
    return word in _BOTH and _in_pair(parse, tokens)


def is_shade(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether the rest of the sentence shows a colour: "deep blacks and grays", "white to move"."""
    word = fold(parse.words[tokens[-1]])
    if word not in _BOTH | _SHADES:
        return False
    others = {fold(one) for i, one in enumerate(parse.words) if i not in tokens}
    if others & lexicon().things["chess"] or (
        word in _SHADES and others & lexicon().things["shade"]
    ):
        return not _before_person(parse, tokens[-1] + 1)
    return _beside_colour(parse, tokens)


def _beside_colour(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a list has other colours, and no person after them: "blue, white and gold flags"."""
    known = lexicon().colours
    for step in (-1, 1):
        at = (tokens[0] if step < 0 else tokens[-1]) + step
        while 0 <= at < len(parse.words) and (
            parse.tags[at] in (",", "CC", "RB") or fold(parse.words[at]) in _BOTH
        ):
            at += step
        near = 0 <= at < len(parse.words) and fold(parse.words[at]) in known
        if near and at not in (tokens[0] - 1, tokens[-1] + 1):
            return not _before_person(parse, max(at, tokens[-1]) + 1)
    return False


def _in_pair(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether "black and white" describes no person: "a black and white thriller"."""
    words = [fold(word) for word in parse.words]
    for first in (tokens[0], tokens[0] - 2):
        pair = words[max(0, first) : first + 3]
        if len(pair) == 3 and {pair[0], pair[2]} == _BOTH and pair[1] in _AND:
            if pair[1] == "/":
                return not _person_next(parse, first + 3)  # "a black/white squared band"
            if _FILMED & set(words):
                return not _before_person(parse, first + 3)
            described = first > 0 and parse.tags[first - 1].startswith(_BEFORE_PAIRS)
            copula = first > 0 and words[first - 1] in _COPULAS
            return described and not copula and not _before_person(parse, first + 3)
    return False


def _person_next(parse: Parse, token: int) -> bool:
    noun = parse.tags[token : token + 1] in (("NN",), ("NNS",))
    return noun and names_person(fold(parse.words[token]))


def _before_person(parse: Parse, start: int) -> bool:
    """Whether a noun for people follows soon, after adjectives only."""
    for at in range(start, min(start + _FAR, len(parse.words))):
        if parse.tags[at] in NOUN_TAGS:
            last = at
            while parse.tags[last + 1 : last + 2] and parse.tags[last + 1] in ("NN", "NNS"):
                last += 1
            return names_person(fold(parse.words[last])) or names_person(fold(parse.words[at]))
        if parse.tags[at] not in _DESCRIBING:
            break
    return False


def _alone_in_colour(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether adjectives without a noun are colours: "in black and white"."""
    first, after = tokens[0], tokens[-1] + 1
    if first > 1 and parse.tags[first - 1] == "CC" and parse.tags[first - 2] in _ADJECTIVES:
        first -= 2
    pair = "CC" in parse.tags[first:after] or parse.tags[after : after + 1] == ("CC",)
    while pair and first and parse.tags[first - 1] in ("JJ", "NN") and first > tokens[0] - 5:
        first -= 1  # "in glorious black and white"
    before = fold(parse.words[first - 1]) if first else ""
    if before not in _BEFORE and not (pair and before in _SHOOTING):
        return False
    tags = (*parse.tags, ".", ".")
    while tags[after] == "JJ" or (tags[after] in ("CC", ",") and tags[after + 1] in _ADJECTIVES):
        after += 1 if tags[after] == "JJ" else 2
    return after >= len(parse.tags) or parse.tags[after] not in NOUN_TAGS | {"HYPH"}
