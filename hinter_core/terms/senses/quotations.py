"""Words in quotation marks: titles of works, and words that are mentioned rather than used."""

from collections.abc import Sequence

from hinter_core.terms.matching import fold
from hinter_core.terms.senses.lexicon import lexicon
from hinter_core.types import Parse

QUOTES = frozenset("\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb") | {"``", "''"}
_NAMED_AS_WORDS = frozenset("word words term noun pronoun adjective verb".split())
_VERBS = frozenset({"VBZ", "VBD", "MD"})
_LONGEST_TITLE = 9  # words
_LONGEST_FRAGMENT = 4
_SMALL = frozenset("a an the of in on to and or nor but from with at for by as is vs v".split())


def opens(parse: Parse, token: int) -> bool:
    """Whether a token is a quotation mark before a word: it has no blank after it."""
    if not 0 <= token < len(parse.words) - 1 or parse.words[token] not in QUOTES:
        return False
    attached = token > 0 and parse.spans[token - 1][1] == parse.spans[token][0]
    before = parse.words[token - 1][-1:] if attached else ""
    return parse.spans[token][1] == parse.spans[token + 1][0] and not before.isalnum()


def quotation(parse: Parse, tokens: Sequence[int]) -> range | None:
    """Return the tokens between the quotation marks around some tokens, if they are few."""
    first, last = tokens[0], tokens[-1]
    near = range(first - 1, max(-1, first - _LONGEST_TITLE - 1), -1)
    start = next((i for i in near if parse.words[i] in QUOTES), None)
    if start is None or not opens(parse, start):
        return None
    beyond = range(last + 1, min(len(parse.words), start + _LONGEST_TITLE + 3))
    end = next((i for i in beyond if parse.words[i] in QUOTES and not opens(parse, i)), None)
    return None if end is None else range(start + 1, end)


def quoted_title(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the title in quotation marks around some tokens, or "": "The Egyptian"."""
    inside = quotation(parse, tokens)
    if inside is None:
        return ""
    words = [parse.words[i] for i in inside if parse.words[i][:1].isalnum()]
    if len(words) < 2:
        return ""
    lower = [word for word in words if word[0].islower()]
    if words[-1] in lower or any(word not in _SMALL for word in lower):
        return " ".join(words) if _careless_title(parse, inside) else ""
    return " ".join(words)


def _careless_title(parse: Parse, inside: range) -> bool:
    """Whether a few words without a verb begin with a capital inside a sentence: "Men of honor"."""
    words, tags = parse.words, parse.tags
    if len(inside) > _LONGEST_FRAGMENT or not words[inside[-1]][-1:].isalnum():
        return False
    if any(tags[i].startswith(("VB", "MD", "PRP", "UH")) for i in inside):
        return False
    after = (*tags, ".")[inside.stop + 1]
    within = words[inside.start - 2] not in (",", ":") if inside.start > 1 else after in _VERBS
    return words[inside.start][:1].isupper() and within


def mentioned(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether the term is quoted, alone or in a phrase, or named as a word: the word "lady"."""
    words, first, last = parse.words, tokens[0], tokens[-1]
    before = words[first - 1] if first else ""
    after = words[last + 1] if last + 1 < len(words) else ""
    around = {fold(words[i]) for i in range(max(0, first - 5), min(len(words), last + 6))}
    if before in QUOTES and after in QUOTES:
        outside = parse.tags[first - 2] if first > 1 else ""
        return outside not in ("DT", "JJ", "PRP$") or bool(around & lexicon().mentions)
    if _fragment(parse, tokens):
        return True
    if fold(before) in _NAMED_AS_WORDS:
        return True
    return fold(before) in lexicon().mentions and parse.labels[tokens[-1]] in ("appos", "obj")


def _fragment(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a quoted phrase without a verb is an expression: a list of "dancing men"."""
    inside = quotation(parse, tokens)
    if inside is None or inside.start < 2:
        return False
    words = [i for i in inside if parse.words[i][:1].isalnum()]
    lower = all(parse.words[i].islower() for i in words)
    outside = parse.tags[inside.start - 2]
    return lower and 1 < len(words) <= _LONGEST_FRAGMENT and outside == "IN"
