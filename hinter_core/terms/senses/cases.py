"""Cases of *her* and *his*, as what stands around them tells: "her brother", "gave her books"."""

from collections.abc import Mapping

from hinter_core.storage import shipped_words
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.lexicon import FINITE, NOUN_TAGS, lexicon, person_nouns
from hinter_core.types import Parse

_AWAY = frozenset({"to", "away", "back", "up"})  # "gave her books to the library"
_OWNED = NOUN_TAGS | {"VB", "VBP"}  # "his make up": as a subject, "his" has a verb in -s
_BEFORE_OWNED = frozenset("RB RBR RBS JJ JJR JJS CD VBN HYPH".split())
# After a possessive, none of these stands.
_AFTER_PRONOUNS = frozenset({"DT", "PDT", "IN", "TO", "PRP", "RP", "WDT", "WP", "WRB", "."})
DESCRIBING = frozenset("JJ JJR JJS VBN CD".split())

_BEFORE_THINGS = DESCRIBING | {"$", "SYM"}


def _grammar() -> Mapping[str, frozenset[str]]:
    return shipped_words("grammar")


def before_style(parse: Parse, head: int) -> bool:
    """Whether a pronoun begins how somebody of rank is called: "I served Her Majesty"."""
    after = [word for word in parse.words[head + 1 : head + 3] if word[:1].isupper()]
    return any(fold(word) in lexicon()["styles"] for word in after)


def possesses(parse: Parse, head: int) -> bool:
    """Whether a pronoun stands before a described noun: "her very gifted brother".

    Or before the subject of a verb that was itself taken for one: "her looks were unfit".
    """
    tags, after = parse.tags, head + 1
    if "".join(parse.words[after : after + 1]).startswith("#"):
        return False  # "love her #sisters"
    if parse.words[after : after + 1] == ("home",) and not goes(parse, head):
        return True  # "lost her home"
    owned = parse.labels[head] in ("nmod:poss", "poss") and parse.heads[head] == after
    subject = parse.labels[head] == "nsubj" and bool(FINITE.intersection(tags[after : after + 1]))
    if (owned or subject) and FINITE.intersection(tags[after + 1 : after + 2]):
        return True
    while after < len(tags) and tags[after] in ("RB", "RBR", "RBS"):
        after += 1
    described = after
    while after < len(tags) and tags[after] in DESCRIBING:
        after += 1
    verb = fold(parse.words[parse.heads[head]])
    if after >= len(tags) or tags[after] not in NOUN_TAGS or verb in _grammar()["of_two_objects"]:
        return False
    counted = described + 1 < after and tags[after - 1] == "CD"  # "her last two years"
    if fold(parse.words[after]) in _grammar()["when"] and not counted:
        return False  # "met her last week"
    if described < after:
        return True
    # "deserved her prize": a noun without a determiner, after a verb of one object
    doing = verb in _grammar()["perceiving"] and tags[after] == "NN"
    return after == head + 1 and not doing and verb not in _grammar()["naming"]


def goes(parse: Parse, head: int) -> bool:
    """Whether a verb says where to somebody goes: "walked her home", "showed her round"."""
    tags, verb = parse.tags, fold(parse.words[head - 1]) if head else ""
    where = parse.words[head + 1 : head + 2] in (("home",), ("round",))
    if not where or tags[head + 1] == "JJ" or verb not in _grammar()["leading"]:
        return False
    beyond = (*map(fold, parse.words[head + 2 : head + 3]), "")[0]
    noun = bool(beyond) and tags[head + 2] in NOUN_TAGS  # "her home town"
    return not noun or beyond in _grammar()["when"]


def owns(parse: Parse, head: int) -> bool:
    """Whether a noun without a determiner follows "his": "his aunts", "his only covering"."""
    tags, after = parse.tags, head + 1
    if any(tag in _OWNED or tag == "VBG" for tag in tags[after : after + 1]):
        return True  # "his aunts", "his telling me"
    while after < len(tags) and tags[after] in _BEFORE_OWNED:
        after += 1
    noun = head + 1 < after < len(tags) and tags[after] in NOUN_TAGS | {"VBG"}
    return noun and fold(parse.words[after]) not in _grammar()["when"]


def ends_phrase(parse: Parse, head: int) -> bool:
    """Whether nothing follows that a possessive could own: "'tis his the crown", "to her."."""
    after = (*parse.tags[head + 1 :], ".", ".")[:2]
    finite = after[0] in FINITE or (after[0] == "VBN" and after[1] not in _OWNED | {"JJ"})
    of_it = finite and head > 1 and fold(parse.words[head - 1]) == "of"
    return of_it or (after[0] in _AFTER_PRONOUNS and after[1] != "HYPH")


def described(parse: Parse, head: int) -> bool:
    """Whether an adjective without a noun follows a pronoun: "shows her plump and stern"."""
    after = [*parse.tags[head + 1 : head + 4], ".", ".", "."]
    following = " ".join(parse.words[head + 1 : head + 2])
    if head and parse.tags[head - 1] == "IN" and following[:1].isupper():
        return False  # "about her Russian"
    if after[0] not in ("JJ", "JJR"):
        return False
    if after[1] == "CC" and after[2] in ("JJ", "JJR"):
        beyond = parse.tags[head + 4] if head + 4 < len(parse.tags) else "."
        return beyond not in NOUN_TAGS
    return after[1] in (".", "IN", ":")


def to_somebody(parse: Parse, head: int) -> bool:
    """Whether a verb gives or says things to a pronoun: "asked her rude things".

    Or a sum, or what one has by being granted it: "fined her 300 pounds", "granted her bail".
    """
    verb, words = fold(parse.words[head - 1]) if head else "", _grammar()
    if verb not in words["to_somebody"] | words["of_sums"]:
        return False
    after, counted = head + 1, False
    while after < len(parse.tags) and parse.tags[after] in _BEFORE_THINGS:
        counted = counted or parse.tags[after] == "CD"
        after += 1
    noun, beyond = (*map(fold, parse.words[after : after + 2]), "", "")[:2]
    if beyond in (*_AWAY, "'", "'s") or after >= len(parse.tags):
        return False  # "gave her books to the library", "paid her two months' rent"
    sum_of = noun in words["sums"] and (counted or beyond == "of")
    if verb in words["of_sums"] and (sum_of or (counted and parse.tags[after] == ".")):
        return True
    bare = after == head + 1 and noun in words["granted"]
    things = parse.tags[after] == "NNS" and noun not in person_nouns()
    return verb in words["to_somebody"] and (bare or things)
