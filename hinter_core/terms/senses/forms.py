"""Grammatical forms: those that a known word may have, and those that fit a word in its sentence.

A form fits by the part-of-speech tag and the relation; where the parser is weak, by what is around.
Relations of Universal Dependencies and of spaCy's English pipelines are both supported.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache

from hinter_core.language.trees import SentenceTree, dependent, head_of, tokens_at
from hinter_core.storage import shipped_words
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.terms.senses import cases
from hinter_core.terms.senses.lexicon import (
    FINITE,
    NOUN_TAGS,
    NOUNS,
    listed_nouns,
    person_nouns,
)
from hinter_core.types import GrammaticalForm, Parse, Span, Term

_FORM = GrammaticalForm
_TAGS = {
    form: frozenset(tags.split())
    for form, tags in {
        _FORM.ADJECTIVE: "JJ VBN VBG AFX",
        _FORM.COMPARATIVE: "JJR",
        _FORM.SUPERLATIVE: "JJS",
        _FORM.NOUN_SG: "NN NNP",
        _FORM.NOUN_PL: "NNS NNPS",
        _FORM.COLLECTIVE: "NNS NNPS JJ JJS NNP VBN",
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
MODIFIER = frozenset({"amod", "compound", "nmod", "nn", "nummod"})
SUBJECT = frozenset({"nsubj", "nsubjpass", "nsubj:pass", "nsubj:outer"})
_OBJECT = frozenset({"obj", "dobj", "iobj", "obl", "pobj"})
_COMPARED = (_FORM.COMPARATIVE, _FORM.SUPERLATIVE)
_COMPARED_TAGS = frozenset({"JJ", "JJR", "JJS", "RBR", "RBS", "NN", "NNP"})
_QUOTES = frozenset("\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb") | {"``", "''"}
_ONE = frozenset("a an another each every one".split())
_SEVERAL = frozenset(
    "two three four five six many several some few most both these those all other".split()
)
_OF_ONE = frozenset({"VBZ", "was", "has", "is"})
_CHOSEN = (
    _FORM.PRONOUN_OBJECT, _FORM.PRONOUN_POSSESSIVE, _FORM.PRONOUN_POSSESSIVE_ABSOLUTE
)  # fmt: skip
_PLAIN_PRONOUNS = (_FORM.PRONOUN_SUBJECT, _FORM.PRONOUN_OBJECT)
_CALLS = ("vocative", "discourse")
_IN_NOUN_PHRASES = frozenset("JJ JJR JJS HYPH VBG VBN CD".split())
_NOUN_PHRASES_GO_ON = tuple((tag,) for tag in (*NOUN_TAGS, "JJ", "HYPH", "CC", ","))
_AFTER_ADJECTIVES = NOUN_TAGS | {"JJ", "JJR", "JJS", "CD", "HYPH", "POS", "VBG"}
# The dictionaries have only pronouns that stand for one person; a user's may have these, too.
_PRONOUNS = {
    _FORM.PRONOUN_SUBJECT: "i you we they",
    _FORM.PRONOUN_OBJECT: "me you us them",
    _FORM.PRONOUN_POSSESSIVE: "my your our their its",
    _FORM.PRONOUN_POSSESSIVE_ABSOLUTE: "mine yours ours theirs",
    _FORM.PRONOUN_REFLEXIVE: "myself yourself yourselves ourselves themselves themself itself",
}
# Subjects whose verb in the present has no -s.
WITHOUT_S = frozenset(_PRONOUNS[_FORM.PRONOUN_SUBJECT].split())
_WITH_S = ("he", "she")
_NO_FORMS: frozenset[GrammaticalForm] = frozenset()
_ADVERB = frozenset({_FORM.ADVERB})


def _words() -> Mapping[str, frozenset[str]]:
    return shipped_words("grammar")


def known_forms(text: str) -> frozenset[GrammaticalForm]:
    """Return the forms that a word may have; empty if it is unknown.

    ``any`` is the form of shipped terms that name no person, such as *mosque*. Unknown words in -ly
    are adverbs, but for a list of adjectives.
    """
    word = fold(text)
    forms = _known().get(word, _NO_FORMS)
    if not forms and text.islower() and len(word) > 4 and word.endswith("ly"):
        return _NO_FORMS if word in _words()["adjectives_in_ly"] else _ADVERB
    return forms


@lru_cache(maxsize=1)
def _known() -> Mapping[str, frozenset[GrammaticalForm]]:
    forms: dict[str, set[GrammaticalForm]] = defaultdict(set)
    for dictionary in load_shipped().values():
        for term in dictionary.terms:
            forms[fold(term.text)].add(term.form)
    for noun, form in listed_nouns():
        forms[fold(noun)].add(form)
    for form, words in _PRONOUNS.items():
        for word in words.split():
            forms[word].add(form)
    return {word: frozenset(listed) for word, listed in forms.items()}


# -- in a sentence --------------------------------------------------------------------------------


def forms_at(
    parse: Parse, span: Span, forms: Iterable[GrammaticalForm]
) -> tuple[GrammaticalForm, ...]:
    """Return those of ``forms`` that fit the word at ``span``, best first."""
    tokens = tokens_at(parse, span)
    if not tokens:
        return ()
    terms = tuple(Term("", "", form) for form in forms)
    return tuple(term.form for term in fitting(parse, tokens, terms))


def tag_allows(form: GrammaticalForm, tag: str, word: str) -> bool:
    """Whether an unknown word of this form may have this tag.

    A parser often takes such a word for a noun or a name; it seldom takes another for an adverb.
    """
    if form in (_FORM.PRONOUN_SUBJECT, _FORM.PRONOUN_OBJECT, _FORM.PREP_PHRASE, _FORM.ANY):
        return True
    if tag in _TAGS[form] or (form is not _FORM.VERB and tag == "FW"):
        return True
    if form is _FORM.NOUN_PL:
        return tag in NOUN_TAGS and word[:1].isupper()
    if form is _FORM.NOUN_SG:
        return tag == "JJ" or (tag == "NNPS" and not word.endswith("s"))
    taken = form in (_FORM.ADJECTIVE, _FORM.COMPARATIVE, _FORM.SUPERLATIVE, _FORM.TITLE, _FORM.NAME)
    return taken and tag in ("NN", "NNP", "JJ")


class _Fit(Enum):
    YES = 1
    IN_NEED = 2  # if no other form fits
    NO = 3


def fitting(parse: Parse, tokens: Sequence[int], terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms whose form fits the word at ``tokens``, best first."""
    place = _Place(parse, tokens, terms)
    fits = [(place.fit(term.form), term) for term in terms]
    best = next((one for one in (_Fit.YES, _Fit.IN_NEED) if one in (f for f, _ in fits)), None)
    best_fits = [term for fit, term in fits if fit is best]
    return tuple(sorted(best_fits, key=lambda term: term.form is not _FORM.COLLECTIVE))


class _Place:
    """A word in its sentence, and what the choice among several terms depends on."""

    def __init__(self, parse: Parse, tokens: Sequence[int], terms: Sequence[Term]) -> None:
        forms, head = {term.form for term in terms}, head_of(parse, tokens)
        self._parse, self._head, self._several = parse, head, len(terms) > 1
        self._tag, self._label = parse.tags[head], parse.labels[head]
        self._counted = _counted(parse, tokens[0], head)
        self._before_name = _before_name(parse, head)
        both = {_FORM.PRONOUN_OBJECT, _FORM.PRONOUN_POSSESSIVE} <= forms
        self._possesses = both and cases.possesses(parse, head)
        pronoun = not forms.isdisjoint(_CHOSEN)
        self._before_own = pronoun and "own" in parse.words[head + 1 : head + 2]
        described = both and (cases.described(parse, head) or cases.ends_phrase(parse, head))
        self._described = described or (
            both and (cases.to_somebody(parse, head) or cases.goes(parse, head))
        )
        absolute = {_FORM.PRONOUN_POSSESSIVE, _FORM.PRONOUN_POSSESSIVE_ABSOLUTE} <= forms
        self._owns = absolute and cases.owns(parse, head)
        self._alone = absolute and cases.ends_phrase(parse, head)
        # "if you are Puerto Rican", but "she is a Puerto Rican"
        described = _FORM.ADJECTIVE in forms and not self._counted
        self._describes = (
            described
            and (dependent(parse, head, {"cop"}) is not None or apposed(parse, head))
            and dependent(parse, head, {"det", "nmod:poss"}) is None
        )
        self._title = self._several and _FORM.TITLE in forms
        self._modifies = self._label in MODIFIER and _FORM.ADJECTIVE in forms and not self._counted
        self._modifies = self._modifies and not _before_abbreviation(parse, head)
        self._collective = _FORM.COLLECTIVE in forms and _of_all(parse, tokens)
        self._number = None
        if _FORM.NOUN_PL in forms and not forms.isdisjoint((_FORM.ADJECTIVE, _FORM.NOUN_SG)):
            self._number = _number(parse, tokens, collective=self._collective)

    def fit(self, form: GrammaticalForm) -> _Fit:
        if form is _FORM.COLLECTIVE or (self._collective and form is not _FORM.NOUN_PL):
            return _Fit.YES if self._collective and form is _FORM.COLLECTIVE else _Fit.NO
        if self._number is not None and form in (_FORM.ADJECTIVE, *NOUNS):
            return _Fit.YES if form is self._number else _Fit.NO
        return self._fit_alone(form)

    def _fit_alone(self, form: GrammaticalForm) -> _Fit:
        tag = self._tag
        if form in (_FORM.ANY, _FORM.PREP_PHRASE):
            return _Fit.YES
        if form in _COMPARED:  # the surface shows the degree better than the tagger
            return _Fit.YES if tag in _COMPARED_TAGS else _Fit.NO
        if form is _FORM.TITLE and self._before_name:
            return _Fit.YES
        if self._title and (form is _FORM.TITLE or self._before_name):
            return _Fit.NO
        if form in NOUNS:
            return self._noun(form)
        if form is _FORM.ADJECTIVE:
            return self._adjective()
        decided = self._pronoun() if form in _CHOSEN else None
        if decided is not None:
            return _Fit.YES if form is decided else _Fit.NO
        if tag in _TAGS[form]:
            if _relation_fits(form, self._label):
                return _Fit.YES
            return _Fit.IN_NEED if form in _PLAIN_PRONOUNS else _Fit.NO
        # Tag and relation disagree; as an object it cannot be possessive.
        needed = form is _FORM.PRONOUN_OBJECT and tag == "PRP$" and self._label in _OBJECT
        return _Fit.IN_NEED if needed else _Fit.NO

    def _pronoun(self) -> GrammaticalForm | None:
        """Return the case that what follows a pronoun tells; None if it tells nothing."""
        if self._before_own or cases.before_style(self._parse, self._head):
            return _FORM.PRONOUN_POSSESSIVE
        if self._described:
            return _FORM.PRONOUN_OBJECT
        if self._possesses or (self._owns and self._tag == "PRP$"):
            return _FORM.PRONOUN_POSSESSIVE
        return _FORM.PRONOUN_POSSESSIVE_ABSOLUTE if self._alone else None

    def _noun(self, form: GrammaticalForm) -> _Fit:
        if self._modifies or (form is _FORM.NOUN_SG and self._describes):
            return _Fit.NO  # "Pakistani film": the adjective, whatever the tagger calls it
        if self._tag in _TAGS[form] or (
            form is _FORM.NOUN_SG and self._tag == "JJ" and self._counted
        ):
            return _Fit.YES
        called = form is _FORM.NOUN_SG and self._tag == "UH" and self._label in _CALLS
        acts = form is _FORM.NOUN_PL and self._tag == "VBZ" and self._acts()
        # The surface form shows the number better than the tagger.
        return _Fit.IN_NEED if self._tag in NOUN_TAGS or called or acts else _Fit.NO

    def _acts(self) -> bool:
        """Whether a word that is no verb is a subject: "omg lads at my school said hi"."""
        before, after = self._parse.tags[: self._head], self._parse.tags[self._head + 1 :]
        first = {"UH", ",", "."}.issuperset(before) and not FINITE.isdisjoint(after)
        return self._label in SUBJECT or first

    def _adjective(self) -> _Fit:
        if (self._counted and self._several) or _of_plurals(self._parse, self._head):
            return _Fit.NO  # "an Iraqi in our class"
        if self._tag in _TAGS[_FORM.ADJECTIVE]:
            return _Fit.YES
        if self._tag in ("VB", "VBP") and self._parse.words[self._head - 1].lower() in _WITH_S:
            return _Fit.IN_NEED  # "she black": a verb would have an -s
        acts = self._describes or _acts_as_adjective(self._parse, self._head)
        acts = acts or self._noted()
        noun = self._tag in NOUN_TAGS and acts
        return _Fit.IN_NEED if noun else _Fit.NO

    def _noted(self) -> bool:
        """Whether a word in small letters is no second name: "Claimant unmarried, two kids"."""
        words, before = self._parse.words, max(0, self._head - 1)
        role = fold(words[before]) in person_nouns()
        return role and self._tag == "NNP" and words[self._head].islower()


def apposed(parse: Parse, head: int) -> bool:
    """Whether a word stands between commas: "Ann Roe, Italian, 57"."""
    beside = parse.words[max(0, head - 1) : head] + parse.words[head + 1 : head + 2]
    loose = parse.labels[head] in ("appos", "list", "conj", "parataxis")
    return head > 0 and loose and beside[0] == "," and beside[1:] in ((), (",",), (".",), (";",))


def _of_all(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a word after "the" means all of a people: "the Danes are", not "the Swiss is"."""
    if not after_the(parse, tokens):
        return False
    after = tokens[-1] + 1
    return _OF_ONE.isdisjoint((*parse.tags[after : after + 1], *parse.words[after : after + 1]))


def _number(parse: Parse, tokens: Sequence[int], *, collective: bool) -> GrammaticalForm | None:
    """Return the number of a word that has one form for both, by its determiner: "two Swiss".

    None if a noun follows, or nothing tells.
    """
    after = parse.tags[tokens[-1] + 1 : tokens[-1] + 2]
    if after and (after[0] in _AFTER_ADJECTIVES or after[0] == "HYPH"):
        return None
    at = tokens[0] - 1
    while at > 0 and parse.tags[at] in cases.DESCRIBING and fold(parse.words[at]) not in _SEVERAL:
        at -= 1
    before = fold(parse.words[at]) if at >= 0 else ""
    if before in _ONE:
        return _FORM.NOUN_SG
    following = parse.words[tokens[-1] + 1 : tokens[-1] + 2]
    if collective or before in _SEVERAL or following == ("who",):
        return _FORM.NOUN_PL
    singular = before == "the" and not _OF_ONE.isdisjoint((*after, *following))
    return _FORM.NOUN_SG if singular else None


def _of_plurals(parse: Parse, head: int) -> bool:
    """Whether a word is one of several nouns: "Native Americans and Chinese"."""
    governor, after = parse.heads[head], parse.tags[head + 1 : head + 2]
    joined = parse.labels[head] == "conj" and parse.tags[governor] in ("NNS", "NNPS")
    return joined and parse.words[head][:1].isupper() and after not in _NOUN_PHRASES_GO_ON


def _before_abbreviation(parse: Parse, head: int) -> bool:
    """Whether a letter and a slash follow, which are no noun: "male c/o pain"."""
    letter = parse.words[head + 1 : head + 2]
    return len("".join(letter)) == 1 and parse.words[head + 2 : head + 3] == ("/",)


def _before_name(parse: Parse, head: int) -> bool:
    """Whether a name follows: "Rabbi Stern", and not "a rabbi"."""
    tags, words = parse.tags, parse.words
    return head + 1 < len(tags) and tags[head + 1] == "NNP" and words[head + 1][:1].isupper()


def _counted(parse: Parse, first: int, head: int) -> bool:
    """Whether a word has the article of one thing and no noun after it: "an Iraqi"."""
    at = first - 1
    only = parse.words[max(0, at) : first] == ("only",)  # "the only Sikh in the office"
    while at > 0 and parse.tags[at] in cases.DESCRIBING:
        at -= 1
    article = parse.words[at].lower() if at >= 0 else ""
    followed = _noun_follows(parse, head)
    if only and article != "of":
        return not followed
    if article in ("the", "this", "that") and parse.words[head][:1].isupper():
        # "the Brazilian collapsed", "said the old Cuban, not looking up"
        after = "".join(parse.tags[head + 1 : head + 2])
        described = at < first - 1 and not followed and after not in ("VBP", "CC")
        return described or after in ("VBZ", "VBD", "MD")
    return article in _ONE and not followed


def _noun_follows(parse: Parse, head: int) -> bool:
    """Whether the noun of an adjective may still come."""
    after, beyond, later = (*parse.tags[head + 1 : head + 4], ".", ".", ".")[:3]
    if after == "CC":  # "a newlywed and her mother", but "a black and white picture"
        ended = beyond in ("JJ", "RB") and later in (".", ",")  # "a Sikh and chatty."
        return beyond not in ("DT", "PRP$") and not ended
    if after == "VBG" or "living" in parse.words[head + 1 : head + 2]:
        # "a Kenyan living in Oslo", but "a Danish moving company"
        return beyond not in ("IN", "TO", "RB", "DT", "PRP$")
    if after == ",":  # "a plain, shy clerk", but "a Buddhist, meditates" and "a Sikh, late forties"
        return beyond in ("JJ", "VBN", "RB") and later not in ("NNS", "NNPS", "VBG")
    return after in NOUN_TAGS or after in _IN_NOUN_PHRASES


def _acts_as_adjective(parse: Parse, head: int) -> bool:
    """Whether a word tagged as a noun is a modifier, or a predicate without article."""
    if parse.labels[head] in MODIFIER or stands_alone(parse, [head]):
        return True
    if dependent(parse, head, {"det"}) is not None:
        return False
    predicate = fold(parse.words[parse.heads[head]]) in _words()["becoming"]  # "died penniless"
    return predicate or dependent(parse, head, {"cop"}) is not None


def _relation_fits(form: GrammaticalForm, label: str) -> bool:
    possessive = label in ("nmod:poss", "poss")
    match form:
        case _FORM.PRONOUN_POSSESSIVE:
            return possessive
        case _FORM.PRONOUN_POSSESSIVE_ABSOLUTE:
            return not possessive
        case _FORM.PRONOUN_OBJECT:
            return label not in SUBJECT and label != "expl"
        case _:
            return True


def may_stand_alone(word: str) -> bool:
    """Whether "the" makes an adjective a word for people: "the poor", "the French"."""
    return _FORM.COLLECTIVE in known_forms(word)


def stands_alone(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether an adjective stands for people: "the poor suffer", "the French"."""
    word = " ".join(parse.words[i] for i in tokens).replace(" - ", "-")
    return may_stand_alone(word) and after_the(parse, tokens)


def after_the(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a word follows "the" and has no noun after it: "the Danes", "the very poor"."""
    first = tokens[0]
    article = [i for i in range(max(0, first - 2), first) if fold(parse.words[i]) == "the"]
    if first > 2 and parse.tags[first - 1] == "CC" and may_stand_alone(parse.words[first - 2]):
        # "the British and Japanese", but "the British and Japanese officers"
        joined = fold(parse.words[first - 3]) == "the"
        return joined and parse.tags[tokens[-1] + 1 : tokens[-1] + 2] not in _NOUN_PHRASES_GO_ON
    if not article or parse.tags[first - 1] not in ("DT", "RB", "RBS"):
        return False
    after = tokens[-1] + 1
    if after >= len(parse.words):
        return True
    if _opens(parse, after) or parse.words[after] == "/":
        return False  # the Swedish "Oscar", "the Japanese/Asian horror films"
    following = parse.tags[after]
    if following in _AFTER_ADJECTIVES:
        return False
    if following != "CC":
        return True
    # "the poor and the rich", but "the old and dusty house"
    beyond = (*parse.tags[after + 1 :], ".", ".")[:2]
    return beyond[0] == "DT" or (beyond[0] == "JJ" and beyond[1] not in _AFTER_ADJECTIVES)


def _opens(parse: Parse, token: int) -> bool:
    """Whether a token is a quotation mark before a word: it has no blank after it."""
    if token + 1 >= len(parse.words) or parse.words[token] not in _QUOTES:
        return False
    return parse.spans[token][1] == parse.spans[token + 1][0]


def of_person_noun(tree: SentenceTree, token: int) -> bool:
    """Whether an adjective stands before a noun that is always a person, and no part of another."""
    noun, parse = tree.parse.heads[token], tree.parse
    alone = parse.labels[noun] not in ("compound", "flat") and not tree.children(noun, "compound")
    person = parse.tags[noun] in ("NN", "NNS") and tree.lower[noun] in person_nouns()
    return parse.labels[token] == "amod" and token < noun and alone and person
