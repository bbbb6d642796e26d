"""Names that contain a word for a person: of works, places, organisations and other people.

"Men in Black", "The African Queen", "the British Board of Trade", "Jack White". Tokens are indices
in the parse.
"""

from collections.abc import Callable, Sequence

from hinter_core.terms.matching import fold
from hinter_core.terms.senses.languages import DETERMINERS, bare
from hinter_core.terms.senses.lexicon import (
    FINITE,
    PERSON_TAGS,
    capital,
    capitalised,
    lexicon,
    person_nouns,
)
from hinter_core.types import GrammaticalForm, Parse, Term

_FORM = GrammaticalForm
_NOUN_FORMS = frozenset({_FORM.NOUN_SG, _FORM.NOUN_PL})
_PRONOUNS = frozenset(
    {_FORM.PRONOUN_SUBJECT, _FORM.PRONOUN_OBJECT, _FORM.PRONOUN_POSSESSIVE,
     _FORM.PRONOUN_POSSESSIVE_ABSOLUTE, _FORM.PRONOUN_REFLEXIVE}
)  # fmt: skip
PROPER = frozenset({"NNP", "NNPS"})
_LINKS = frozenset(
    {("of",), ("in",), ("of", "the"), ("in", "the"), ("and", "the"), ("'s",), ("&",)}
)
_DESCRIBING = frozenset("JJ JJR JJS CD PRP$ DT POS NN".split())
_SUBJECT = ("nsubj", "nsubj:pass", "nsubjpass")
COLOURS = frozenset({"black", "white", "brown"})
_OF_LANDS = frozenset({"mother", "father"})
_NO_FIRST_NAMES = frozenset({"GPE", "NORP", "ORG"})
_BEFORE_NAMES = frozenset({"(", "[", ","})
# Titles that stage names have, too.
_NAMES = frozenset(
    """baron bishop cardinal dame dean duke emperor empress king lady lord major marshal pope prince
    princess queen saint speaker warden""".split()
)
# Before the name of a people, they make another one of it.
_PARTS = frozenset(
    """eastern western northern southern north south central southeastern southeast northeastern
    non pan anti pro non-south non-north""".split()
)
_PREFIXES = frozenset("co non anti pro pan neo".split())
_MAKING = frozenset("made produced owned financed directed funded style styled".split())
_OF_PEOPLES = frozenset("american americans indian indians asian asians european europeans".split())
_COMPANIES = frozenset("inc inc. llc l.l.c. corp corp. ltd ltd. co. l.p. llp".split())
_DIRECTIONS = frozenset("East West New Old".split())  # only with a capital
_BY = frozenset("by for from of".split())
_MODALS = frozenset("shall will may must can agrees warrants acknowledges covenants".split())
_BEFORE_TITLES = frozenset("young old poor good little big goodbye meet".split())
_BEFORE_RANKS = frozenset(
    "prime vice deputy chief crown grand high lord supreme associate acting former".split()
)
_TITLE_CASE = 0.6  # share of capitalised words from which a sentence is a heading


def longer_group(parse: Parse, tokens: Sequence[int], term: Term) -> str:
    """Return the name of a people that a term ends: "African American", "eastern European"."""
    first, last = tokens[0], tokens[-1]
    prefix = fold(parse.words[first]).partition("-")[0]
    if prefix in _PREFIXES and not fold(term.text).startswith(prefix):
        return parse.words[first]  # "co-worker"
    if not term.text[:1].isupper():
        return ""
    after = fold(parse.words[last + 1]) if last + 1 < len(parse.words) else ""
    if fold(term.text) == "american" and after in ("indian", "indians"):
        return f"{term.text} {after}"
    if after in _MAKING and parse.labels[last] not in ("conj", "nsubj"):
        return f"{parse.words[last]} {after}"  # "the Canadian made film"
    if first == 0:
        return ""
    at = first - 1
    if parse.words[at] == "-" and at:
        at -= 1
    before, own = parse.words[at], fold(parse.words[last])
    born = fold(before) in ("native", "african") and own in ("american", "americans")
    among = before[:1].isupper() and fold(before) in capitalised() and own in _OF_PEOPLES
    if fold(before) in _PARTS or born or among:
        return f"{before} {parse.words[last]}"
    return ""


def name_around(parse: Parse, tokens: Sequence[int], term: Term) -> str:
    """Return the name that contains the term, or ""."""
    if term.form is _FORM.TITLE:
        return _place_name(parse, tokens)
    alone = _company(parse, tokens) or _alone_surname(parse, tokens, term)
    if alone:
        return alone
    return _surname(parse, tokens) or _name(parse, tokens, term)


def surname(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the name of which capitalised words are the second part: "Marvin Black"."""
    first, last = tokens[0], tokens[-1]
    if not first or not capital(parse.words[last]) or parse.tags[first - 1] not in PROPER:
        return ""
    before = parse.words[first - 1]
    other = fold(before) in lexicon().titles | capitalised() | _PARTS | _BEFORE_TITLES
    place = parse.entities[first - 1] in _NO_FIRST_NAMES or before in _DIRECTIONS
    if other or place or not capital(before) or before.isupper() or _heading(parse):
        return ""
    return f"{before} {parse.words[last]}"


def _alone_surname(parse: Parse, tokens: Sequence[int], term: Term) -> str:
    """Return a surname that is a word for people elsewhere: "Carpenter has made a film"."""
    first, last = tokens[0], tokens[-1]
    if fold(parse.words[last]) not in lexicon().surnames:
        return ""
    after_proper = first > 0 and parse.tags[first - 1] in PROPER
    whole = f"{parse.words[first - 1]} {parse.words[last]}" if after_proper else ""
    if fold(term.text) in COLOURS and whole:
        careless = parse.entities[first - 1] in PERSON_TAGS  # "karen black"
        if careless or surname(parse, tokens):
            return whole
    if term.form not in _NOUN_FORMS:
        return ""
    if whole:  # "John carpenter"
        ranked = fold(parse.words[first - 1]) in lexicon().titles | capitalised()
        return "" if ranked else whole
    described = first > 0 and parse.tags[first - 1] in _DESCRIBING
    owner = parse.tags[last + 1 : last + 2] == ("POS",)
    subject = parse.labels[last] in _SUBJECT or owner
    alone = subject and not described and bare(parse, tokens, last)
    return parse.words[last] if capital(parse.words[last]) and alone else ""


def _company(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the firm that a capitalised word begins: "J. Baker, Inc."."""
    last = tokens[-1]
    after = [i for i in range(last + 1, min(last + 3, len(parse.words))) if parse.words[i] != ","]
    if not parse.words[last][:1].isupper() or not after:
        return ""
    firm = parse.words[after[0]]
    return f"{parse.words[last]} {firm}" if fold(firm) in _COMPANIES else ""


def _place_name(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the name of a place or thing that begins like a person's: "Lady Lake"."""
    run = _run(parse, tokens)
    after = tokens[-1] + 1
    if parse.entities[after : after + 1] == ("GPE",) and fold(parse.words[after - 1]) in _OF_LANDS:
        return " ".join(parse.words[i] for i in run)  # "Mother Russia"
    if fold(parse.words[run[-1]]) in lexicon().name_heads and run[-1] > tokens[-1]:
        return " ".join(parse.words[i] for i in range(tokens[0], run[-1] + 1))
    before = parse.words[tokens[0] - 1] if tokens[0] - 1 > opening(parse) else ""
    if before[:1].isupper() and fold(before) in _BEFORE_TITLES:
        return " ".join(parse.words[i] for i in run)  # "Young Mr. Lincoln"
    return ""


def _name(parse: Parse, tokens: Sequence[int], term: Term) -> str:
    """Return the name that contains the term ("Men in Black", "Jack White"), or ""."""
    words = parse.words
    if not words[tokens[0]][:1].isupper():
        return ""
    if _heading(parse):
        return _organisation(parse, tokens)
    run = _run(parse, tokens)
    before = [i for i in run if i < tokens[0]]
    after = [i for i in run if i > tokens[-1]]
    whole = " ".join(words[i] for i in range(run[0], run[-1] + 1))
    first = tokens[0]
    if first and words[first - 1] in _DIRECTIONS and term.text[:1].isupper():
        return f"{words[first - 1]} {words[first]}"  # "the East Germans"
    if (before or after) and any(fold(words[i]) in lexicon().name_heads for i in after):
        return whole
    if term.text[:1].isupper():
        noun = term.form in _NOUN_FORMS or _flat(parse, tokens)
        within = noun and _ends_name(parse, first, before)
        return whole if within or _capital_in_name(parse, tokens, term, before, after) else ""
    if tokens[0] == opening(parse) and not after:
        # The first word of a sentence; a title has more capitals: "Taxi Driver".
        staged = parse.tags[first] == "NNP" and fold(words[first]) in _NAMES  # "Queen played"
        return whole if staged or any(words[i][:1].isupper() for i in tokens[1:]) else ""
    if not before and not after:
        return "" if term.form in _PRONOUNS or _alone_is_person(parse, tokens) else whole
    if _rank(parse, tokens, before, after):
        return ""
    if tokens[0] == opening(parse) and parse.tags[after[0]] not in PROPER:
        linked = after[0] > tokens[-1] + 1  # "Father of the Bride"
        return whole if linked and parse.tags[after[0]] in ("NN", "NNS") else ""
    return whole


def _organisation(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the organisation that a term in a heading is part of: "Black Student Union"."""
    first, last = tokens[0], tokens[-1]
    heads = lexicon().name_heads
    for end in range(last + 1, min(last + 4, len(parse.words))):
        if not capital(parse.words[end]) or parse.tags[end].startswith("VB"):
            break
        if fold(parse.words[end]) in heads:
            return " ".join(parse.words[first : end + 1])
    before = tuple(map(fold, parse.words[max(0, first - 2) : first]))
    if before[1:] in (("of",), ("for",)) and before[0] in heads:
        return " ".join(parse.words[first - 2 : last + 1])
    return ""


def _surname(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the siblings whose surname a word for a people may be: "by the Polish brothers"."""
    first, after = tokens[0], tokens[-1] + 1
    siblings = " ".join(map(fold, parse.words[after : after + 1]))
    if siblings not in lexicon().siblings or not parse.words[first][:1].isupper():
        return ""
    while first > 1 and parse.tags[first - 1] == "CD":
        first -= 1
    before = tuple(map(fold, parse.words[max(0, first - 2) : first]))
    made = before[1:] == ("the",) and before[0] in _BY
    return f"{parse.words[tokens[-1]]} {siblings}" if made else ""


def _flat(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether an adjective is a surname: "Archie Punjabi"."""
    return parse.labels[tokens[-1]] == "flat" and parse.tags[tokens[-1]] in PROPER


def opening(parse: Parse) -> int:
    """Return the first token with a letter or a digit."""
    return next((i for i, word in enumerate(parse.words) if any(map(str.isalnum, word))), 0)


def _heading(parse: Parse) -> bool:
    verbs = [word for i, word in enumerate(parse.words) if parse.tags[i] in FINITE]
    if any(verb.islower() and verb != "is" for verb in verbs):
        return False  # a heading has capitals in its verbs
    long = [word for word in parse.words[1:] if len(word) > 3 and word[0].isalpha()]
    return len(long) > 3 and sum(word[0].isupper() for word in long) > _TITLE_CASE * len(long)


def _run(parse: Parse, tokens: Sequence[int]) -> list[int]:
    """Return the capitalised words around the term; links ("of the") may join two of them."""
    words, first = parse.words, opening(parse)

    def named(i: int) -> bool:
        inside = 0 <= i < len(words) and words[i] != "I" and capital(words[i])
        # The first word has a capital anyhow; it belongs to a name if it is tagged so.
        return inside and (i != first or parse.tags[i] in (*PROPER, "JJ"))

    found = list(tokens)
    for step in (-1, 1):
        at = tokens[0] if step < 0 else tokens[-1]
        while (following := _next_capital(words, at, step, named)) is not None:
            at = following
            found.append(at)
    return sorted(found)


def _next_capital(
    words: Sequence[str], at: int, step: int, capital: Callable[[int], bool]
) -> int | None:
    for length in (0, 1, 2):
        further = at + step * (length + 1)
        between = words[min(at, further) + 1 : max(at, further)]
        if (not length or tuple(map(fold, between)) in _LINKS) and capital(further):
            return further
    return None


def _ends_name(parse: Parse, first: int, before: Sequence[int]) -> bool:
    """Whether a capitalised word before a people's noun makes it a name: "Ten Little Indians"."""
    if not before or before[-1] != first - 1 or before[-1] == opening(parse):
        return False
    word = fold(parse.words[first - 1])
    return word not in capitalised() | lexicon().titles | lexicon().kin | _BEFORE_RANKS


def _capital_in_name(
    parse: Parse, tokens: Sequence[int], term: Term, before: Sequence[int], after: Sequence[int]
) -> bool:
    """Whether a term that is always capitalised is in a title or in a person's name."""
    words = parse.words
    if any(words[i] == "The" and i != opening(parse) for i in before):
        return True  # "saw The African Queen"
    if (before or after) and parse.entities[tokens[-1]] in PERSON_TAGS:
        return True  # "Christian Dior"
    first = tokens[0]
    joined = (
        first > 1 and parse.tags[first - 1] == "CC" and parse.entities[first - 2] in PERSON_TAGS
    )
    if joined and parse.labels[first] == "conj" and term.form is not _FORM.NOUN_PL:
        return True  # "Ann and Desi"
    if after and after[0] == tokens[-1] + 1 and parse.entities[tokens[-1]] == "ORG":
        return True  # "the Indian Air Force"
    article = tokens[0] > 1 and words[tokens[0] - 1] == "the" and words[tokens[0] - 2][:1].isupper()
    if article and tokens[0] - 2 != opening(parse) and not after:
        return True  # "Zorba the Greek"
    if not after or after[0] != tokens[-1] + 1:
        return False
    following = fold(words[after[0]])
    common = following in person_nouns() and following not in capitalised()
    return common and following not in lexicon().titles  # "The English Patient"


def _alone_is_person(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a capitalised noun between small words is a person: "the Tenant", "Mum"."""
    words, word, known = parse.words, fold(parse.words[tokens[-1]]), lexicon()
    before = words[tokens[0] - 1] if tokens[0] else ""
    after = words[tokens[-1] + 1] if tokens[-1] + 1 < len(words) else ""
    if parse.tags[tokens[-1]] in ("NNS", "NNPS") and before[:1].isalnum():
        return word in known.kin  # "the Kings"
    if word in known.kin or after in _MODALS:
        return True
    if not before[:1].isalnum():
        return before not in _BEFORE_NAMES or (before == "," and word in known.titles)
    if fold(before) == "the" and word not in known.titles | known.parties:
        return False  # "The Child is a dull film"
    if word not in known.titles:
        return fold(before) in DETERMINERS - {"a", "an"} or parse.tags[tokens[0] - 1] == "PRP$"
    determined = fold(before) in DETERMINERS or parse.tags[tokens[0] - 1] in ("PRP$", "POS")
    if word in _NAMES and not determined:
        return False  # "Queen played two songs"
    called = parse.labels[tokens[-1]] in ("vocative", *_SUBJECT) or after == ","
    return called or parse.tags[tokens[0] - 1] in ("JJ", "PRP$", "CD", "DT")


def _rank(parse: Parse, tokens: Sequence[int], before: Sequence[int], after: Sequence[int]) -> bool:
    """Whether the term is a title of a person: "Aunt May", "the Prime Minister"."""
    others = lexicon().titles | _BEFORE_RANKS | capitalised() if before else frozenset()
    for i in before:
        word = fold(parse.words[i])
        if not after and word not in others and i != opening(parse):
            return False  # "Stephen King"
        if parse.words[i] == "The" and i != opening(parse):
            return False
    if not after and before and before[0] == opening(parse) and len(before) == 1:
        first = before[0]
        if parse.tags[first] in PROPER and fold(parse.words[first]) not in others:
            return False
    return fold(parse.words[tokens[-1]]) in lexicon().titles and not (
        after and parse.tags[after[0]] not in PROPER
    )


def after_name(parse: Parse, first: int) -> bool:
    """Whether a surname stands right before a word: "the Coen brothers"."""
    before = first - 1
    if before < 0 or before == opening(parse) or parse.tags[before] not in PROPER:
        return False
    word = parse.words[before]
    return word[:1].isupper() and fold(word) not in capitalised()
