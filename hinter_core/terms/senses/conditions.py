"""Conditions and aids: whether somebody of a sentence has what a word names, say a wheelchair."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from hinter_core.language.encoder import SentenceReading
from hinter_core.language.trees import dependent, dependents, head_of
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.forms import SUBJECT
from hinter_core.terms.senses.lexicon import FINITE, lexicon, person_nouns
from hinter_core.types import GrammaticalForm, Parse, Term

_SOMEBODY_FROM = 0.5  # least probability of a person or a name
_PARTS_OF_NOUNS = frozenset({"compound", "amod", "nmod:poss", "obl:unmarked", "nmod:unmarked"})
_WITH_SOMEBODY = SUBJECT | {"obj", "iobj", "obl", "nmod", "nmod:poss", "obl:agent", "appos", "conj"}
_CLIMBED = 5  # governors
# What people do with a condition: "suffers from depression", "was treated for anxiety".
_HAD = frozenset(
    """has have had having battled battles battling developed develops diagnosed lived lives living
    manages managing struggled struggles struggling suffer suffered suffering suffers
    treated""".split()
)
_FROM = frozenset("from with for by".split())


def modifies(parse: Parse, noun: int) -> bool:
    """Whether a noun stands before another that it is a part of: "wheelchair basketball".

    Or before one for a person, whatever the parse: "adhd kid lol".
    """
    somebody = "".join(map(fold, parse.words[noun + 1 : noun + 2])) in person_nouns()
    return somebody or (parse.labels[noun] in _PARTS_OF_NOUNS and parse.heads[noun] > noun)


def names_condition(term: Term) -> bool:
    """Whether a term is a shipped word for what somebody has, who is not named by it."""
    return term in _shipped(GrammaticalForm.ANY)


@lru_cache(maxsize=2)
def _shipped(form: GrammaticalForm) -> frozenset[Term]:
    """Return the shipped words for disabilities in one form."""
    return frozenset(term for term in load_shipped()["disability"].terms if term.form is form)


def with_degree(parse: Parse, tokens: Sequence[int], term: Term) -> str:
    """Return a disability with its degree, which suits no other: "completely deaf", or ""."""
    words = [parse.words[n] for n in (max(0, tokens[0] - 1), *tokens)]
    degree = fold(words[0]) in lexicon()["degrees"] and term in _shipped(GrammaticalForm.ADJECTIVE)
    return " ".join(words) if degree else ""


def suffered(parse: Parse, noun: int) -> bool:
    """Whether a noun is what is had: "she has depression", "who suffers from anxiety".

    It has no article: nobody "lived through the Depression".
    """
    label, verb = parse.labels[noun], fold(parse.words[parse.heads[noun]])
    case, article = (dependent(parse, noun, {one}) for one in ("case", "det"))
    if article is not None or (case is not None and fold(parse.words[case]) not in _FROM):
        return False
    of_something = "".join(parse.words[noun + 1 : noun + 2]) in ("about", "over")
    return verb in _HAD and (label == "obj" or label.startswith("obl")) and not of_something


def not_had(parse: Parse, tokens: Sequence[int], reading: SentenceReading) -> str:
    """Return why nobody of a sentence has a condition or an aid, or "".

    As in "the link between HIV and AIDS". In a note without a verb it is the patient's.
    """
    if FINITE.isdisjoint(parse.tags):
        return ""
    place, near = head_of(parse, tokens), {max(0, tokens[0] - 1)}
    for _ in range(_CLIMBED):
        near |= {place, *dependents(parse, place, _WITH_SOMEBODY)}
        place = parse.heads[place]
    had = any(_somebody_at(parse, one, reading) for one in near.difference(tokens))
    return "" if had else "is nobody's here"


def _somebody_at(parse: Parse, token: int, reading: SentenceReading) -> bool:
    """Whether a word is a person, a name or a pronoun of somebody."""
    if parse.tags[token] in ("PRP", "PRP$", "WP"):
        return fold(parse.words[token]) not in ("it", "its", "itself", "what")
    return of_somebody(reading.kinds(parse.spans[token])) >= _SOMEBODY_FROM


def set_phrase(parse: Parse, noun: int) -> str:
    """Return the compound or the phrase without article around a noun: "bus driver", "in town"."""
    before = noun - 1
    joined = dependent(parse, noun, {"compound"})
    if parse.labels[noun] == "compound" and parse.heads[noun] > noun:
        return " ".join(parse.words[noun : parse.heads[noun] + 1])
    if joined is not None and joined < noun:
        return " ".join(parse.words[joined : noun + 1])
    bare = before >= 0 and parse.tags[noun] == "NN" and parse.tags[before] in ("IN", "TO", "RP")
    return " ".join(parse.words[before : noun + 1]) if bare and parse.words[before] != "of" else ""


def of_somebody(kinds: Mapping[str, float]) -> float:
    """Return how probably a word is a person or a name."""
    return kinds.get("person", 0.0) + kinds.get("name", 0.0)
