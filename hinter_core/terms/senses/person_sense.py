"""Person sense: decide which occurrences of terms are about a person, and in which form.

"black comedy", "white wine" and "old film" are not about people. A reading of a term is valid if
its part-of-speech tag fits the term's form; an ambiguous term must also refer to or modify a
person. Relations of Universal Dependencies and of spaCy's English pipelines are both supported.

Departure: the paper replaces every occurrence of the string, as ``literal=True`` does upstream.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hinter_core.terms.matching import fold
from hinter_core.terms.senses.colours import is_colour
from hinter_core.terms.senses.forms import (
    MODIFIER,
    SUBJECT,
    dependent,
    fitting,
    head_of,
    stands_alone,
    tokens_at,
)
from hinter_core.terms.senses.lexicon import FINITE, NOUN_TAGS, lexicon, names_person
from hinter_core.terms.senses.other_senses import acts_as_participle, is_thing_here, other_sense
from hinter_core.terms.senses.proper_names import surname
from hinter_core.types import GrammaticalForm, Parse, Sense, Span, Term

_FORM = GrammaticalForm
_KINDS = {
    "JJ": "an adjective", "NN": "a noun", "NNS": "a plural noun", "NNP": "a name",
    "NNPS": "a name", "VB": "a verb", "VBD": "a verb", "VBZ": "a verb", "VBP": "a verb",
    "VBG": "a verb form", "VBN": "a verb form", "RB": "an adverb", "IN": "a preposition",
    "PRP": "a pronoun", "PRP$": "a possessive", "UH": "an interjection",
}  # fmt: skip
_RELATIVE = frozenset({"acl:relcl", "relcl"})
_CLAUSE = frozenset({"xcomp", "ccomp", "acomp", "oprd", "advcl", "conj"})
_COMPOUND = frozenset({"compound", "nn"})
_ENDS = frozenset(". , : -RRB- ''".split())
_LOVERS = frozenset("lover lovers fan fans buff buffs fanatic fanatics freak freaks".split())
_COMMON_OR_NAME = (("NN",), ("NNS",), ("NNP",))
_BEARERS = NOUN_TAGS | {"PRP"}
_PERSON_PRONOUNS = frozenset(
    """i me you he him himself she her herself we us they them themself themselves who whom someone
    somebody anyone anybody everyone everybody nobody myself yourself ourselves""".split()
)


@dataclass(frozen=True, slots=True)
class TermReading:
    """The valid readings of an occurrence, or the reason why there is none."""

    terms: tuple[Term, ...]
    reason: str = ""


def read(parse: Parse, span: Span, terms: Iterable[Term], *, people: bool = True) -> TermReading:
    """Choose the valid reading among ``terms`` at ``span`` (offsets in the parsed sentence).

    ``people``: the terms are about people; otherwise only their form has to fit.
    """
    tokens = tokens_at(parse, span)
    if not tokens:  # a sentence may be cut inside a tag
        return TermReading((), "is no word of its sentence")
    surface = " ".join(parse.words[i] for i in tokens)
    head = head_of(parse, tokens)
    found = fitting(parse, tokens, tuple(terms))
    if not found:
        tag = parse.tags[head]
        kind = _KINDS.get(tag, "another part of speech")
        return TermReading((), f"here \u201c{surface}\u201d is {kind} ({tag})")
    term = next((t for t in found if t.sense is Sense.PERSON), found[0])
    why = None
    if people and term.form is not _FORM.ANY:
        plural = term.form is _FORM.COLLECTIVE
        asked = replace(term, form=_FORM.NOUN_PL) if plural else term
        why = other_sense(parse, tokens, head, asked)
        if why is None and (term.sense is Sense.ASK or term.form is _FORM.PREP_PHRASE):
            why = _no_person(parse, tokens, head, surface, asked.form)
    return TermReading((), why) if why else TermReading((term,))


def surname_at(parse: Parse, span: Span) -> str:
    """Return the name of which capitalised words at ``span`` are the second part, or ""."""
    tokens = tokens_at(parse, span)
    return surname(parse, tokens) if tokens else ""


def _no_person(
    parse: Parse, tokens: Sequence[int], head: int, surface: str, form: GrammaticalForm
) -> str | None:
    """Return the reason why an ambiguous term at ``head`` is not about a person, else None."""
    label, governor = parse.labels[head], parse.heads[head]
    if parse.tags[head] in ("PRP", "PRP$"):
        return f"\u201c{surface}\u201d may mean several people"
    if form is _FORM.PREP_PHRASE:  # "the cook from Chad", "she came from Chad"
        subject = dependent(parse, governor, SUBJECT)
        about = (governor, subject) if subject is not None else (governor,)
        person = any(_is_person(parse, token) for token in (*about, max(0, tokens[0] - 1)))
        return None if person else "describes no person here"
    if form in (_FORM.NOUN_SG, _FORM.NOUN_PL, _FORM.TITLE):
        person = form is _FORM.TITLE or _noun_means_person(parse, head)
        return None if person else f"\u201c{surface}\u201d may be no person here"
    if stands_alone(parse, tokens, head):
        return None
    if is_colour(parse, tokens):
        return f"\u201c{surface}\u201d describes no person here"
    if label in MODIFIER and governor != head and not _in_preposition(parse, head):
        if _of_works(parse, tokens[-1] + 1):
            return "modifies a work, which is no person"
        bearer, verb = _modified(parse, tokens, governor), "modifies"
        bearer = _whole(parse, bearer)  # "the British class system"
    else:
        found, verb = _bearer(parse, head), "describes"
        if found is None:
            return f"\u201c{surface}\u201d describes no person here"
        bearer = found
    # A capitalised word that an adjective modifies is seldom a person's name: "Asian Cinema".
    named = verb == "describes"
    if _is_person(parse, _counted_by(parse, bearer), named=named) or (
        named and _is_name(parse, bearer)
    ):
        return None
    counted = parse.tags[bearer] == "CD" and parse.labels[bearer] not in _COMPOUND
    if named and counted and any(_is_person(parse, i) for i in range(bearer)):
        return None  # "of the families, nine were Vietnamese"
    return f"{verb} \u201c{parse.words[bearer]}\u201d, which is no person"


def _of_works(parse: Parse, after: int) -> bool:
    """Whether works follow, and who they are for: "British kids' shows", "Japanese film lovers"."""
    words = (*map(fold, parse.words[after : after + 3]), "", "", "")
    if parse.tags[after + 1 : after + 2] == ("POS",):
        return words[2] in lexicon().made_for
    return words[0] in lexicon().made_for and words[1] in _LOVERS


def _modified(parse: Parse, tokens: Sequence[int], governor: int) -> int:
    """Return the noun after an adjective whose governor the parser took for another one."""
    after = tokens[-1] + 1
    while parse.words[after : after + 1] == ("/",) and parse.tags[after + 1 : after + 2] == ("JJ",):
        after += 2  # "Japanese/Asian horror films"
    if after > tokens[-1] + 1 and parse.tags[after : after + 1] in _COMMON_OR_NAME:
        return _last_noun(parse, after)
    verb = parse.tags[governor].startswith("VB") or not any(t in FINITE for t in parse.tags)
    if verb and after < governor and parse.tags[after] in _BEARERS:
        return after
    if governor > after and acts_as_participle(parse, governor, governor - 1):
        return governor - 1
    return governor


def _last_noun(parse: Parse, token: int) -> int:
    """Return the last of the common nouns that stand side by side."""
    while parse.tags[token + 1 : token + 2] in (("NN",), ("NNS",)):
        token += 1
    return token


def _whole(parse: Parse, token: int) -> int:
    """Return the noun that a compound is about: "Chinese gangster movies" -> movies."""
    governor = parse.heads[token]
    if parse.labels[token] not in _COMPOUND or governor <= token:
        return token
    if acts_as_participle(parse, governor, token):
        return token
    if fold(parse.words[token]) in lexicon().groups:
        return governor
    # "the old clerk marks papers" may be parsed as a compound, too.
    acts = (*parse.tags[governor + 1 : governor + 2], ".")[0] not in _ENDS
    verb = acts and parse.tags[governor] == "NNS" and not any(tag in FINITE for tag in parse.tags)
    common = parse.tags[token] == "NN" and parse.tags[governor] in ("NN", "NNS")
    return governor if common and governor == token + 1 and not verb else token


def _in_preposition(parse: Parse, head: int) -> bool:
    """Whether a preposition governs the word: "the lady in black"."""
    return parse.labels[head] == "nmod" and dependent(parse, head, {"case"}) is not None


def _counted_by(parse: Parse, token: int) -> int:
    """Return what a quantifier counts: "half of the jurors" is about jurors."""
    counted = _of(parse, token) if fold(parse.words[token]) in lexicon().quantifiers else None
    return token if counted is None else counted


def _of(parse: Parse, token: int) -> int | None:
    """Return the noun after "of" that depends on a token."""
    for i, governor in enumerate(parse.heads):
        if governor == token and parse.labels[i] in ("nmod", "obl"):
            case = dependent(parse, i, {"case"})
            if case is not None and fold(parse.words[case]) == "of":
                return i
    return None


def _is_name(parse: Parse, token: int) -> bool:
    """Whether a subject may be a person's name; a weak parser knows few of them."""
    capital = parse.words[token][:1].isupper() and parse.tags[token] in ("NNP", "NNPS")
    article = token > 0 and parse.tags[token - 1] == "DT"
    subject = parse.labels[token] in SUBJECT
    return subject and capital and not article and parse.entities[token] in ("", "PERSON", "PER")


def _bearer(parse: Parse, head: int) -> int | None:
    """Return the token that a predicate adjective describes: "she looked old" -> she."""
    beside = _beside(parse, head)
    if beside is not None:
        return beside
    seen: set[int] = set()
    token = head
    while token not in seen:
        seen.add(token)
        subject = dependent(parse, token, SUBJECT)
        if subject is not None:
            if parse.words[subject].lower() in ("who", "that", "which") and (
                parse.labels[token] in _RELATIVE
            ):
                return parse.heads[token]
            return subject
        label, governor = parse.labels[token], parse.heads[token]
        if label in _RELATIVE or label in ("acl", "appos"):
            return governor
        if label in ("conj", "advcl", "advmod", "parataxis") and (
            parse.tags[governor] in _BEARERS and governor != token
        ):
            return governor  # "A woman, old and angry"
        if label == "conj" and parse.labels[governor] in MODIFIER:
            return parse.heads[governor]  # "black and white viewers"
        as_predicate = label == "obl" and _has_as(parse, token)  # "described as stocky"
        if label in _CLAUSE or label in ("advmod", "obj") or as_predicate:
            child = dependent(parse, governor, {"obj", "dobj", "iobj"})
            if child not in (None, token) and (label in ("xcomp", "oprd") or as_predicate):
                return child  # "called her old"
            if label == "obj" and parse.words[token][:1].isupper():
                return None  # "learning Korean"
            if label == "obj" and token and parse.tags[token - 1] == "PRP":
                return token - 1  # "wanted her thinner"
            token = governor
            continue
        return None
    return None


def _beside(parse: Parse, head: int) -> int | None:
    """Return a bearer that the words beside an adjective show better than its relation."""
    chosen = _of(parse, head) if parse.tags[head] == "JJS" else None
    if chosen is not None and parse.tags[chosen] != "CD":
        return chosen  # "the oldest of the prisoners", but "she is the oldest of six"
    after = head + 1
    following = tuple(map(fold, parse.words[after : after + 2]))
    if following in (("of", "a"), ("of", "an")):  # "as black of a comedy"
        return next((i for i in range(after, len(parse.tags)) if parse.tags[i] == "NN"), None)
    if parse.labels[head] == "conj" and parse.tags[after : after + 1] in (("NN",), ("NNS",)):
        return _whole(parse, after)  # "Black and white residents"
    return None


def _has_as(parse: Parse, token: int) -> bool:
    case = dependent(parse, token, {"case", "mark"})
    return case is not None and fold(parse.words[case]) == "as"


def _is_person(parse: Parse, token: int, *, named: bool = True) -> bool:
    """Whether a noun or pronoun is a person; with ``named``, also a recognised name."""
    word, tag = fold(parse.words[token]), parse.tags[token]
    if tag in ("PRP", "PRP$", "WP", "NN") and word in _PERSON_PRONOUNS:
        return True
    if word == "one" and token and fold(parse.words[token - 1]) in ("no", "every", "any", "some"):
        return True
    if is_thing_here(parse, token):
        return False
    if named and tag in ("NNP", "NNPS") and parse.entities[token] in ("PERSON", "PER"):
        return True
    if names_person(word):
        return True
    if word in lexicon().animals or word in lexicon().vessels:
        return False  # "a white shark who bites"
    return _has_who(parse, token) and not _worn(parse, token)


def _worn(parse: Parse, token: int) -> bool:
    """Whether a noun after "in" is around a person, who is then meant: "in a coat who ..."."""
    case = dependent(parse, token, {"case"})
    return case is not None and fold(parse.words[case]) == "in"


def _has_who(parse: Parse, token: int) -> bool:
    return any(
        head == token
        and parse.labels[i] in _RELATIVE
        and any(parse.heads[j] == i and parse.words[j].lower() == "who" for j in range(i))
        for i, head in enumerate(parse.heads)
    )


def _noun_means_person(parse: Parse, head: int) -> bool:
    """Whether an ambiguous noun is a person; its context may show a thing or another noun."""
    label, governor = parse.labels[head], parse.heads[head]
    if label in MODIFIER and not _in_preposition(parse, head) and governor > head:
        return label == "nmod:poss" or _is_person(parse, governor)
    return True
