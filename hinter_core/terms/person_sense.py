"""Person sense: decide which occurrences of terms are about a person, and in which form.

"black comedy", "white wine" and "old film" are not about people. A reading of a term is valid if
its part-of-speech tag fits the term's form; an ambiguous term must also refer to or modify a
person. Relations of Universal Dependencies and of spaCy's English pipelines are both supported.

Departure: the paper replaces every occurrence of the string, as ``literal=True`` does upstream.
"""

import csv
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hinter_core.storage import DICTIONARIES
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.types import GrammaticalForm, Parse, Sense, Span, Term

_FORM = GrammaticalForm
_TAGS = {
    form: frozenset(tags.split())
    for form, tags in {
        _FORM.ADJECTIVE: "JJ VBN VBG AFX",
        _FORM.COMPARATIVE: "JJR",
        _FORM.SUPERLATIVE: "JJS",
        _FORM.NOUN_SG: "NN NNP",
        _FORM.NOUN_PL: "NNS NNPS",
        _FORM.PRONOUN_SUBJECT: "PRP",
        _FORM.PRONOUN_OBJECT: "PRP",
        _FORM.PRONOUN_POSSESSIVE: "PRP$",
        _FORM.PRONOUN_POSSESSIVE_ABSOLUTE: "PRP PRP$",
        _FORM.PRONOUN_REFLEXIVE: "PRP",
        _FORM.TITLE: "NNP NN",
        _FORM.NAME: "NNP NNPS",
        _FORM.VERB: "VB VBP VBD VBZ VBG VBN",
        _FORM.ADVERB: "RB RBR RBS",
    }.items()
}
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_KINDS = {
    "JJ": "an adjective", "NN": "a noun", "NNS": "a plural noun", "NNP": "a name",
    "NNPS": "a name", "VB": "a verb", "VBD": "a verb", "VBZ": "a verb", "VBP": "a verb",
    "VBG": "a verb form", "VBN": "a verb form", "RB": "an adverb", "IN": "a preposition",
    "PRP": "a pronoun", "PRP$": "a possessive", "UH": "an interjection",
}  # fmt: skip
_MODIFIER = frozenset({"amod", "compound", "nmod", "nn", "nummod"})
_SUBJECT = frozenset({"nsubj", "nsubjpass", "nsubj:pass", "nsubj:outer"})
_OBJECT = frozenset({"obj", "dobj", "iobj", "obl", "pobj"})
_RELATIVE = frozenset({"acl:relcl", "relcl"})
_APPOSITION = frozenset({"appos", "flat", "compound"})
_CLAUSE = frozenset({"xcomp", "ccomp", "acomp", "oprd", "advcl", "conj"})
_ONE = frozenset("a an another each every one".split())
_PERSON_PRONOUNS = frozenset(
    """i me you he him himself she her herself we us they them themself themselves who whom someone
    somebody anyone anybody everyone everybody nobody myself yourself ourselves""".split()
)
_SPEECH = frozenset(
    """say says said tell tells told ask asks asked think thinks thought know knows knew smile
    smiled laugh laughed speak spoke apologize apologise apologized apologised reply replied
    explain explained believe believed want wants wanted hire hired marry married thank thanked
    greet greeted arrest arrested complain complained promise promised refuse refused
    remember remembered forget forgot""".split()
)
_PERSON_ENDINGS = re.compile(r"\w{2,}(?:m[ae]n|wom[ae]n|persons?|people|goers?|[^ckxw]ists)$")


@lru_cache(maxsize=1)
def person_nouns() -> frozenset[str]:
    """Load lower-case nouns for people from ``person_nouns.csv`` and the dictionaries."""
    nouns: set[str] = set()
    with (DICTIONARIES / "person_nouns.csv").open(encoding="utf-8", newline="") as lines:
        nouns.update(row["term"].lower() for row in csv.DictReader(lines))
    for dictionary in load_shipped().values():
        if not dictionary.placebo:
            nouns.update(
                term.text.split()[-1].lower()
                for term in dictionary.terms
                if term.form in (_FORM.NOUN_SG, _FORM.NOUN_PL) and term.sense is Sense.PERSON
            )
    return frozenset(nouns)


@dataclass(frozen=True, slots=True)
class TermReading:
    """The valid readings of an occurrence, or the reason why there is none."""

    terms: tuple[Term, ...]
    reason: str = ""


def read(parse: Parse, span: Span, terms: Iterable[Term]) -> TermReading:
    """Choose the valid readings among ``terms`` at ``span`` (offsets in the parsed sentence)."""
    tokens = _tokens(parse, span)
    if not tokens:
        return TermReading(())
    surface = " ".join(parse.words[i] for i in tokens)
    head = _head(parse, tokens)
    fitting = _fitting(parse, head, tuple(terms))
    if not fitting:
        tag = parse.tags[head]
        kind = _KINDS.get(tag, "another part of speech")
        return TermReading((), f"here \u201c{surface}\u201d is {kind} ({tag})")
    name = _name_around(parse, head, tokens)
    if name and fitting[0].form is not _FORM.TITLE:
        return TermReading((), f"part of the name \u201c{name}\u201d")
    certain = tuple(t for t in fitting if t.sense is Sense.PERSON)
    if certain:
        return TermReading(certain[:1])
    why = _no_person(parse, head, surface, fitting[0].form)
    return TermReading((), why) if why else TermReading(fitting[:1])


def forms_at(
    parse: Parse, span: Span, forms: Iterable[GrammaticalForm]
) -> tuple[GrammaticalForm, ...]:
    """Return those of ``forms`` that fit the word at ``span``, best first."""
    tokens = _tokens(parse, span)
    if not tokens:
        return ()
    terms = tuple(Term("", "", form) for form in forms)
    return tuple(term.form for term in _fitting(parse, _head(parse, tokens), terms))


def tag_allows(form: GrammaticalForm, tag: str, word: str) -> bool:
    """Whether an unknown word of this form may have this tag.

    A parser often takes such a word for a noun or a name; it seldom takes another for an adverb.
    """
    if form in (_FORM.PRONOUN_SUBJECT, _FORM.PRONOUN_OBJECT, _FORM.PREP_PHRASE, _FORM.ANY):
        return True
    if tag in _TAGS[form] or (form is not _FORM.VERB and tag == "FW"):
        return True
    if form is _FORM.NOUN_PL:
        return tag in _NOUNS and word[:1].isupper()
    if form is _FORM.NOUN_SG:
        return tag == "JJ" or (tag == "NNPS" and not word.endswith("s"))
    taken = form in (_FORM.ADJECTIVE, _FORM.COMPARATIVE, _FORM.SUPERLATIVE, _FORM.TITLE, _FORM.NAME)
    return taken and tag in ("NN", "NNP", "JJ", "NNPS")


def _tokens(parse: Parse, span: Span) -> list[int]:
    return [i for i, (a, b) in enumerate(parse.spans) if a < span[1] and b > span[0]]


def _head(parse: Parse, tokens: Sequence[int]) -> int:
    """Return the last token whose head lies outside, or that is the root."""
    heads = [i for i in tokens if parse.heads[i] not in tokens or parse.heads[i] == i]
    return heads[-1] if heads else tokens[-1]


def _fitting(parse: Parse, head: int, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return the terms whose form fits the tag (and, for pronouns, the relation)."""
    tag, label = parse.tags[head], parse.labels[head]
    modifies = label in _MODIFIER and any(t.form is _FORM.ADJECTIVE for t in terms)
    title = len(terms) > 1 and any(t.form is _FORM.TITLE for t in terms)
    before_name = _before_name(parse, head)
    counted = _counted(parse, head)
    strict, loose = [], []
    for term in terms:
        form = term.form
        noun = form in (_FORM.NOUN_SG, _FORM.NOUN_PL)
        if form in (_FORM.ANY, _FORM.PREP_PHRASE):
            strict.append(term)
        elif modifies and noun:
            continue  # "Pakistani film": the adjective, whatever the tagger calls it
        elif title and (form is _FORM.TITLE) is not before_name:
            continue
        elif form is _FORM.NOUN_SG and tag == "JJ" and counted:
            strict.append(term)
        elif form is _FORM.ADJECTIVE and counted and len(terms) > 1:
            continue  # "an Iraqi in our class"
        elif tag in _TAGS[form]:
            if _relation_fits(form, label):
                strict.append(term)
            elif form in (_FORM.PRONOUN_SUBJECT, _FORM.PRONOUN_OBJECT):
                loose.append(term)
        elif (
            # The surface form shows the number better than the tagger.
            (noun and tag in _NOUNS)
            # Tag and relation disagree; as an object it cannot be possessive.
            or (form is _FORM.PRONOUN_OBJECT and tag == "PRP$" and label in _OBJECT)
            # The tagger took it for a noun.
            or (form is _FORM.ADJECTIVE and tag in _NOUNS and _acts_as_adjective(parse, head))
        ):
            loose.append(term)
    return tuple(strict or loose)


def _before_name(parse: Parse, head: int) -> bool:
    """Whether a name follows: "Rabbi Stern", and not "a rabbi"."""
    tags, words = parse.tags, parse.words
    return head + 1 < len(tags) and tags[head + 1] == "NNP" and words[head + 1][:1].isupper()


def _counted(parse: Parse, head: int) -> bool:
    """Whether a word that modifies nothing has the article of one thing: "an Iraqi"."""
    if parse.labels[head] in _MODIFIER:
        return False
    article = _child(parse, head, {"det", "nummod"})
    return article is not None and parse.words[article].lower() in _ONE


def _acts_as_adjective(parse: Parse, head: int) -> bool:
    """Whether a word tagged as a noun is a modifier, or a predicate without article."""
    if parse.labels[head] in _MODIFIER:
        return True
    return _child(parse, head, {"cop"}) is not None and _child(parse, head, {"det"}) is None


def _relation_fits(form: GrammaticalForm, label: str) -> bool:
    possessive = label in ("nmod:poss", "poss")
    match form:
        case _FORM.PRONOUN_POSSESSIVE:
            return possessive
        case _FORM.PRONOUN_POSSESSIVE_ABSOLUTE:
            return not possessive
        case _FORM.PRONOUN_OBJECT:
            return label not in _SUBJECT and label != "expl"
        case _:
            return True


def _name_around(parse: Parse, head: int, tokens: list[int]) -> str:
    """Return the proper name that contains the tokens ("White House", "Jack White"), or ""."""
    first, last = tokens[0], tokens[-1]
    if parse.tags[head] not in ("NNP", "NNPS") or not parse.words[first][:1].isupper():
        return ""
    linked = [
        i
        for i in (first - 1, last + 1)
        if 0 <= i < len(parse.words)
        and parse.tags[i] in ("NNP", "NNPS")
        and (parse.heads[i] in tokens or parse.heads[head] in (i, parse.heads[i]))
        and {parse.labels[i], parse.labels[head]} & {"flat", "compound", "flat:name"}
    ]
    return " ".join(parse.words[i] for i in sorted({*linked, *tokens})) if linked else ""


def _no_person(parse: Parse, head: int, surface: str, form: GrammaticalForm) -> str | None:
    """Return the reason why an ambiguous term at ``head`` is not about a person, else None."""
    label, governor = parse.labels[head], parse.heads[head]
    if parse.tags[head] in ("PRP", "PRP$"):
        return f"\u201c{surface}\u201d may mean several people"
    if form is _FORM.PREP_PHRASE:  # "the cook from Chad", "she came from Chad"
        subject = _child(parse, governor, _SUBJECT)
        about = (governor, subject) if subject is not None else (governor,)
        person = any(_is_person(parse, token) for token in about)
        return None if person else "describes no person here"
    if parse.tags[head] in _NOUNS and label not in _MODIFIER:
        person = _noun_means_person(parse, head)
        return None if person else f"\u201c{surface}\u201d may be no person here"
    if label in _MODIFIER and governor != head:
        bearer, verb = governor, "modifies"
    else:
        found, verb = _bearer(parse, head), "describes"
        if found is None:
            return f"\u201c{surface}\u201d describes no person here"
        bearer = found
    if _is_person(parse, bearer):
        return None
    return f"{verb} \u201c{parse.words[bearer]}\u201d, which is no person"


def _bearer(parse: Parse, head: int) -> int | None:
    """Return the token that a predicate adjective describes: "she looked old" -> she."""
    seen: set[int] = set()
    token = head
    while token not in seen:
        seen.add(token)
        subject = _child(parse, token, _SUBJECT)
        if subject is not None:
            if parse.words[subject].lower() in ("who", "that", "which") and (
                parse.labels[token] in _RELATIVE
            ):
                return parse.heads[token]
            return subject
        label, governor = parse.labels[token], parse.heads[token]
        if label in _RELATIVE or label in ("acl", "appos"):
            return governor
        if label == "conj" and parse.labels[governor] in _MODIFIER:
            return parse.heads[governor]  # "black and white viewers"
        if label in _CLAUSE:
            child = _child(parse, governor, {"obj", "dobj"})
            if child is not None and label in ("xcomp", "oprd"):
                return child  # "called her old"
            token = governor
            continue
        return None
    return None


def _child(parse: Parse, token: int, labels: Collection[str]) -> int | None:
    own = (i for i, head in enumerate(parse.heads) if head == token and i != token)
    return next((i for i in own if parse.labels[i] in labels), None)


def _is_person(parse: Parse, token: int) -> bool:
    word, tag = fold(parse.words[token]), parse.tags[token]
    if tag in ("PRP", "PRP$", "WP", "NN") and word in _PERSON_PRONOUNS:
        return True
    if tag in ("NNP", "NNPS") and parse.entities[token] in ("PERSON", "PER"):
        return True
    if word in person_nouns() or (tag in ("NN", "NNS") and _PERSON_ENDINGS.match(word)):
        return True
    return _has_who(parse, token)


def _has_who(parse: Parse, token: int) -> bool:
    return any(
        head == token
        and parse.labels[i] in _RELATIVE
        and any(parse.heads[j] == i and parse.words[j].lower() == "who" for j in range(i))
        for i, head in enumerate(parse.heads)
    )


def _noun_means_person(parse: Parse, head: int) -> bool:
    """Whether the context shows that an ambiguous noun ("server", "cook") is a person."""
    label, governor = parse.labels[head], parse.heads[head]
    if _has_who(parse, head) or parse.entities[head] in ("PERSON", "PER"):
        return True
    if label in ("conj", *_APPOSITION) and governor != head and _is_person(parse, governor):
        return True
    subject = _child(parse, governor if label == "attr" else head, _SUBJECT)
    if subject is not None and _is_person(parse, subject):
        return True  # "she is a cook"
    if (label in _SUBJECT or label in ("obj", "dobj", "iobj")) and parse.words[
        governor
    ].lower() in _SPEECH:
        return True
    return any(
        _is_person(parse, i)
        if parse.labels[i] in ("appos", "conj")
        else parse.labels[i] in _MODIFIER and parse.words[i].lower() in person_nouns()
        for i, h in enumerate(parse.heads)
        if h == head and i != head
    )
