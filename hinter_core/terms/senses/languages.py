"""Languages: where a people's word says what somebody speaks or teaches."""

from collections.abc import Sequence
from functools import lru_cache

from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.lexicon import lexicon
from hinter_core.types import Parse, Term

_DETERMINED = frozenset("a an the these those".split())


def is_language(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a people's word says what is spoken: "some Danish", "a Danish speaker".

    Or how well: "poor English", but not "the poor English".
    """
    first, last, lists = tokens[0], tokens[-1], lexicon()
    level = [fold(word) for word in parse.words[max(0, first - 2) : first]]
    ends = (*parse.tags[last + 1 : last + 2], ".")[0] in (",", ".", ":", "CC", "IN")
    if (
        ends
        and level[-1:]
        and level[-1] in lists["levels"]
        and fold(parse.words[last]) in _languages()
    ):
        return not _DETERMINED.intersection(level)
    after = fold(parse.words[last + 1]) if last + 1 < len(parse.words) else ""
    alone = not parse.labels[last].startswith(("amod", "compound", "nsubj"))
    some = first > 0 and fold(parse.words[first - 1]) in lists["some_language"]
    return after in lists["speakers"] or (alone and some and not parse.words[last].endswith("s"))


def is_taught(parse: Parse, tokens: Sequence[int], term: Term) -> bool:
    """Whether a people's word may say what somebody teaches: "a Chinese teacher", not a Kurdish."""
    after = fold(" ".join(parse.words[tokens[-1] + 1 : tokens[-1] + 2]))
    lists = lexicon()
    known = lists["school_languages"] if after in lists["teachers"] else _languages()
    return after in lists["teachers"] | lists["teaching"] and fold(term.text) in known


@lru_cache(maxsize=1)
def _languages() -> frozenset[str]:
    """Return the languages that somebody may speak: those of "Chinese-speaking"."""
    words = (fold(term.text).rpartition("-speaking") for term in load_shipped()["language"].terms)
    return frozenset(language for language, speaking, _ in words if speaking)
