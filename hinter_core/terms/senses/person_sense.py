"""Person sense: decide which occurrences of terms are about people, and in which form.

"black comedy", "the Chinese signed the treaty" and "she speaks German" are not about people. A term
counts if its form fits its place in the parse, and if the encoder
(:mod:`hinter_core.language.encoder`) says that its phrase is about people. The kind that it says
instead is the reason why a term does not count.

Terms that name no person, such as *church* (``any`` in the dictionaries), only have to fit.

Departure: the paper replaces every occurrence of the string, as ``literal=True`` does upstream.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hinter_core.language.encoder import SentenceReading, load_encoder
from hinter_core.language.people import people_words
from hinter_core.language.sentences import sentence_at, sentences_of
from hinter_core.language.trees import dependent, head_of, said_of_somebody, shown, tokens_at
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.conditions import (
    modifies,
    names_condition,
    not_had,
    of_somebody,
    set_phrase,
    suffered,
    with_degree,
)
from hinter_core.terms.senses.fields import LANGUAGE, field_at, heads_item, value_of
from hinter_core.terms.senses.forms import (
    MODIFIER,
    SUBJECT,
    apposed,
    fitting,
    known_forms,
)
from hinter_core.terms.senses.languages import is_language, is_taught
from hinter_core.terms.senses.lexicon import (
    FINITE,
    LOWER_THINGS,
    capitalised,
    expression_at,
    lexicon,
    person_nouns,
)
from hinter_core.terms.senses.pronouns import read_after
from hinter_core.terms.senses.standards import standard_at
from hinter_core.terms.unlisted import is_number
from hinter_core.types import GrammaticalForm, Occurrence, Parse, Sense, Sentence, Span, Term

PERSON_FROM = 0.5  # least probability of a word that counts
# A pronoun seldom is an animal's or a ship's, so doubt is no reason to leave it.
PRONOUN_FROM = 0.3
COLLECTIVE_FROM = (
    0.2  # "the old" without a noun is people by its form; "the Chinese" may be a state
)
_SURE_FROM = 0.9  # of what a word in a fragment without a verb is about
_FEW = frozenset("couple duo gang mob pair trio".split())  # of one age
_TOGETHER = frozenset("choir chorus ensemble troupe crew gang crowd congregation trio".split())
_FORM = GrammaticalForm
_TAGS = {
    "JJ": "an adjective", "NN": "a noun", "NNS": "a plural noun", "NNP": "a name",
    "NNPS": "a name", "VB": "a verb", "VBD": "a verb", "VBZ": "a verb", "VBP": "a verb",
    "VBG": "a verb form", "VBN": "a verb form", "RB": "an adverb", "IN": "a preposition",
    "PRP": "a pronoun", "PRP$": "a possessive", "UH": "an interjection",
}  # fmt: skip
_KINDS = {
    "name": "is part of a name",
    "organisation": "is about a state, a team or an organisation",
    "office": "is an office, whoever holds it",
    "work": "is part of a title",
    "event": "is about an event",
    "language": "is a language",
    "place": "is about a place",
    "thing": "is about a thing",
    "animal": "is about an animal",
    "time": "is about a time",
    "figure": "is a figure of speech",
}
# Kinds that words of a user's own are not asked to leave out: they may be about these.
_OF_OWN = frozenset({"organisation", "office", "event", "place", "thing", "animal", "time"})
# Always people, and no things or animals, whatever the encoder says: "women of color".
_SURE = frozenset("man men woman women".split())
# Kinds that the encoder may see in a noun that says what somebody is: "He is a good man."
_SEEMING = frozenset({"animal", "figure", "thing"})
_LENGTHS = frozenset("feet foot ft inch inches cm cms metres meters m how".split())
_UNITS = {
    "old": frozenset("year years yr yrs month months week weeks day days how".split()),
    "tall": _LENGTHS,
    "short": _LENGTHS,
}
_OF_A_PART = (_FORM.ADJECTIVE, _FORM.ANY)
_IN_PARTS = frozenset("in of on from".split())
_SIDES = frozenset("l r left right".split())
_BEFORE_PARTS = frozenset("DT PDT PRP$ JJ CD NN NNP".split())
_PART_WITHIN = 5  # words
_ARTICLES = frozenset("a an another".split())
_PREFIXES = frozenset("co non anti pro pan neo".split())


@dataclass(frozen=True, slots=True)
class TermReading:
    """The valid reading of an occurrence, or the reason why there is none.

    ``name``: the name of a person that the occurrence is part of.
    """

    terms: tuple[Term, ...]
    reason: str = ""
    name: str = ""


def reading_at(text: str, span: Span) -> tuple[SentenceReading, Span] | None:
    """Return the reading of the sentence around a span of a text, and the span in it."""
    sentence = sentence_at(sentences_of(text), span[0])
    if sentence is None or span[1] > sentence.end:
        return None
    # The encoder is unsure of words in a sentence that is shouted as a whole.
    small = sentence.text.capitalize() if sentence.text.isupper() else sentence.text
    read = small if len(small) == len(sentence.text) else sentence.text
    reading = load_encoder().read([read])[read]
    return reading, (span[0] - sentence.start, span[1] - sentence.start)


def person_probability(text: str, occurrence: Occurrence) -> float | None:
    """Return how probably an occurrence is about people, from 0 to 1.

    None where there is nothing to ask: pronouns and phrases are left to :func:`read`, a *man* is
    one, a term may name no person, words of a user's own may mean anything, and a field of a form
    ("Religion: Muslim") says its value of somebody.
    """
    term = occurrence.terms[0]
    sure = fold(occurrence.surface) in _SURE or term.form in (_FORM.ANY, _FORM.PREP_PHRASE)
    own = occurrence.attribute not in load_shipped() or _is_own(term)
    if sure or own or term.form.is_pronoun or value_of(text, occurrence.span, occurrence):
        return None
    reading = reading_at(text, occurrence.span)
    return None if reading is None else reading[0].person(reading[1])


def read(
    parse: Parse, span: Span, terms: Iterable[Term], reading: SentenceReading | None = None
) -> TermReading:
    """Choose the valid reading among ``terms`` at ``span`` (offsets in the parsed sentence).

    ``reading``: what the encoder says of the sentence; without it, only the form has to fit.
    """
    tokens = tokens_at(parse, span)
    if not tokens:  # a sentence may be cut inside a tag
        return TermReading((), "is no word of its sentence")
    surface = " ".join(parse.words[i] for i in tokens)
    head = head_of(parse, tokens)
    candidates = fitting(parse, tokens, tuple(terms))
    if not candidates:
        kind = _TAGS.get(parse.tags[head], "another part of speech")
        return TermReading((), f"here \u201c{surface}\u201d is {kind}")
    term = next((t for t in candidates if t.sense is Sense.PERSON), candidates[0])
    if reading is None:
        alone = set_phrase(parse, head) if term.sense is Sense.ASK else ""
        if phrase := alone or _expression(parse, tokens):
            return TermReading((), f"is part of the expression \u201c{phrase}\u201d")
        return TermReading((term,))
    if term.form in _OF_A_PART and (part := _body_part(parse, tokens)):
        return TermReading((), f"\u201c{surface}\u201d is about the body part \u201c{part}\u201d")
    had = names_condition(term)
    if term.form is _FORM.ANY and (term.sense is Sense.PERSON or (had and suffered(parse, head))):
        if (had or term.concept == "condition") and modifies(parse, head):
            whole = set_phrase(parse, head) or " ".join(parse.words[head : head + 2])
            return TermReading((), f"is part of \u201c{whole}\u201d")
        if had and (phrase := _expression(parse, tokens)):
            return TermReading((), f"is part of the expression \u201c{phrase}\u201d")
        against = not_had(parse, tokens, reading) if had else ""
        return TermReading(() if against else (term,), against)
    if term.form is _FORM.PREP_PHRASE and modifies(parse, tokens[-1]):  # "with cancer patients"
        whole = " ".join(parse.words[tokens[-1] : tokens[-1] + 2])
        return TermReading((), f"is part of \u201c{whole}\u201d")
    reason = _against(parse, tokens, term)
    return TermReading((), reason) if reason else _in_sense(parse, tokens, span, term, reading)


def read_in_text(
    occurrence: Occurrence,
    sentence: Sentence,
    sentences: Sequence[Sentence],
    parse: Parse,
    reading: SentenceReading | None,
) -> TermReading:
    """Choose the valid reading of an occurrence; whom a pronoun means, earlier sentences say."""
    span = (occurrence.span[0] - sentence.start, occurrence.span[1] - sentence.start)
    if is_number(occurrence.terms[0]):
        return TermReading(occurrence.terms)
    if reading is not None:
        if value := value_of(sentence.text, span, occurrence):
            return TermReading((value,))
        if field_at(sentence.text, span)[1] == LANGUAGE:
            return TermReading((), f"here \u201c{occurrence.surface}\u201d is a language")
    found = read(parse, span, occurrence.terms, reading)
    if reading is not None and found.terms and (job := _longer_job(parse, span, found.terms[0])):
        return TermReading((), f"is part of \u201c{job}\u201d")
    if found.terms or reading is None or not occurrence.terms[0].form.is_pronoun:
        return found
    return read(parse, span, occurrence.terms, read_after(sentences, sentence, span))


def _is_own(term: Term) -> bool:
    """Whether only a user's list says that a word in its form is about people."""
    return term.form not in known_forms(term.text) or fold(term.text) in _neutral()


@lru_cache(maxsize=1)
def _neutral() -> frozenset[str]:
    """Return the words of the shipped placebo."""
    shipped = load_shipped().values()
    return frozenset(fold(t.text) for one in shipped if one.placebo for t in one.terms)


def _against(parse: Parse, tokens: Sequence[int], term: Term) -> str:
    """Return the reason against a term that its spelling or the words beside it give, or ""."""
    surface = " ".join(parse.words[i] for i in tokens)
    if term.sense is Sense.ASK and term.form.is_pronoun:
        return f"\u201c{surface}\u201d may mean several people"
    if measure := _measured(parse, tokens):
        return f"here \u201c{surface}\u201d is part of the measure \u201c{measure}\u201d"
    if term.text[:1].isupper() and is_language(parse, tokens):
        return f"here \u201c{surface}\u201d is a language"
    if term.text[:1].isupper() and is_taught(parse, tokens, term):
        return f"here \u201c{surface}\u201d may be a language"
    if term.text[:1].isupper() and (thing := _thing(parse, tokens)):
        return f"\u201c{surface}\u201d is about the thing \u201c{thing}\u201d"
    if fold(surface) == "people" and _nation(parse, tokens[0]):
        return f"here \u201c{surface}\u201d is a nation"
    if term.form is _FORM.NOUN_PL and _one_of_them(parse, head_of(parse, tokens)):
        return f"here \u201c{surface}\u201d is one people"
    phrase = (
        _expression(parse, tokens)
        or _compound(parse, tokens)
        or standard_at(parse, tokens)
        or with_degree(parse, tokens, term)
    )
    if phrase and (not term.form.is_pronoun or " or " in phrase):  # "he or she"
        return f"is part of the expression \u201c{phrase}\u201d"
    if whole := _longer_people(parse, tokens, term):
        return f"is part of the name \u201c{whole}\u201d"
    if surface in LOWER_THINGS and any(w[:1].isupper() for w in parse.words if w != "I"):
        return f"\u201c{surface}\u201d in lower case is a thing"
    return ""


def _thing(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the thing of a people that somebody deals with: "a Chinese food vendor"."""
    noun = tokens[-1] + 1
    person = parse.heads[noun] if noun < len(parse.words) else noun
    named = person > noun and parse.tags[person].startswith("NN")
    return parse.words[noun] if named and fold(parse.words[noun]) in lexicon()["things"] else ""


def _body_part(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the part of a body that a word is about: "blind in one eye", "deaf L ear"."""
    first = tokens[-1] + 1
    beside = fold(parse.words[first]) if first < len(parse.words) else ""
    within = _PART_WITHIN if beside in _IN_PARTS else 2 if beside in _SIDES else 0
    for token in range(first + 1, min(first + within, len(parse.words))):
        if fold(parse.words[token]) in lexicon()["body_parts"]:
            return parse.words[token]
        if parse.tags[token] not in _BEFORE_PARTS:
            return ""
    return ""


def _nation(parse: Parse, people: int) -> bool:
    """Whether *people* is a nation as a whole: "the Danish people", not "Danish people"."""
    if people < 2 or fold(parse.words[people - 2]) != "the":
        return False
    return parse.words[people - 1][:1].isupper() and fold(parse.words[people - 1]) in capitalised()


def _one_of_them(parse: Parse, head: int) -> bool:
    """Whether a plural has the article of one: "a polite people", and not "a few people"."""
    article = dependent(parse, head, {"det"})
    if article is None or fold(parse.words[article]) not in _ARTICLES:
        return False
    between = {fold(word) for word in parse.words[article + 1 : head]}
    counted = not lexicon()["counts"].isdisjoint(between)
    return not counted and "," not in between  # "at one another, children"


def _measured(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the measure that an adjective ends, of which there is no other: "ten years old"."""
    word, at = fold(parse.words[tokens[-1]]), tokens[0] - 1
    while at >= 0 and parse.words[at] in ("-", "."):
        at -= 1
    unit = fold(parse.words[at]).rstrip(".").rpartition("-")[2] if at >= 0 else ""
    return f"{parse.words[at]} {word}" if unit in _UNITS.get(word, ()) else ""


def _expression(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the expression around a term: no other term makes one ("mother tongue")."""
    phrase = next(filter(None, (expression_at(parse.words, token) for token in tokens)), ())
    return " ".join(phrase).replace(" '", "'")


def _compound(parse: Parse, tokens: Sequence[int]) -> str:
    """Return the words around a term that name an office, a group or a thing, or "".

    There a noun for an age says nobody's ("a youth pastor"), a partner is no spouse, and a worker
    no workman.
    """
    lists, last = lexicon(), tokens[-1]
    word, end = fold(parse.words[last]) if len(tokens) == 1 else "", last
    if word in ("partner", "partners", "worker", "workers"):
        return _partner(parse, last, word)
    while parse.labels[end] in MODIFIER and parse.heads[end] > end:
        end = parse.heads[end]
    head, known = fold(parse.words[end]), people_words()
    group = head in known.collectives and head not in _FEW
    somebody = known.person_noun(head) or head in person_nouns()
    served = head in lists["serving"] or group or not somebody
    if end == last or word not in lists["young"] or not served:
        return ""
    return " ".join(parse.words[last : end + 1])


def _longer_job(parse: Parse, span: Span, term: Term) -> str:
    """Return the name of a job that a shipped term ends: "trapeze artist", "dental nurse".

    A template leaves out what stands before the job, and takes all jobs.
    """
    tokens = tokens_at(parse, span)
    at = tokens[0] - 1 if tokens else -1
    if at < 0 or term not in _occupations():
        return ""
    before, tag = fold(parse.words[at]), parse.tags[at]
    noun = tag in ("NN", "NNS") and parse.labels[at] in MODIFIER and parse.heads[at] > at
    longer = noun and before not in person_nouns() and not people_words().person_noun(before)
    longer = longer or before in lexicon()["specialities"]
    return " ".join(parse.words[at : tokens[-1] + 1]) if longer else ""


@lru_cache(maxsize=1)
def _occupations() -> frozenset[Term]:
    return frozenset(load_shipped()["occupation"].terms)


def _partner(parse: Parse, partner: int, word: str) -> str:
    """Return the words of a partnership that is no couple's: "law partner", "a partner at"."""
    before, after = fold(parse.words[partner - 1]) if partner else "", partner + 1
    compound = partner > 0 and parse.labels[partner - 1] == "compound"
    if before in lexicon()["partners"] or (compound and before not in lexicon()["spouses"]):
        return f"{parse.words[partner - 1]} {parse.words[partner]}"
    firm = word == "partner" and before in ("a", "the")
    firm = firm and parse.words[after : after + 1] in (("at",), ("in",))
    return " ".join(parse.words[partner : after + 1]) if firm else ""


def _longer_people(parse: Parse, tokens: Sequence[int], term: Term) -> str:
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
    at = first - 2 if first > 1 and parse.words[first - 1] == "-" else first - 1
    if at < 0:
        return ""
    before, word = parse.words[at], fold(parse.words[last])
    born = fold(before) in ("native", "african") and word in ("american", "americans")
    among = before[:1].isupper() and fold(before) in capitalised() and word in lexicon()["wholes"]
    longer = fold(before) in lexicon()["parts"] or born or among
    return f"{before} {parse.words[last]}" if longer else ""


def _in_sense(
    parse: Parse, tokens: Sequence[int], span: Span, term: Term, reading: SentenceReading
) -> TermReading:
    """Return the reading of a term by what the encoder says its phrase is about."""
    surface = " ".join(parse.words[i] for i in tokens)
    if term.form is _FORM.PREP_PHRASE:
        if max(map(of_somebody, _bearers(parse, tokens, reading))) >= PERSON_FROM:
            return TermReading((term,))
        return TermReading((), "describes no person here")
    kinds = reading.kinds(span)
    if term.form.is_pronoun:
        about, least = of_somebody(kinds), PRONOUN_FROM
    else:
        of_all = term.form is _FORM.COLLECTIVE and surface.islower()
        about, least = kinds["person"], COLLECTIVE_FROM if of_all else PERSON_FROM
    if about >= least or _before_name(surface, span, reading):
        return TermReading((term,))
    kind = max((one for one in kinds if one != "person"), key=kinds.__getitem__)
    sure = term.sense is Sense.PERSON and kind in _OF_OWN
    if _is_own(term) and (sure or _described(parse, tokens, reading) in person_nouns()):
        return TermReading((term,))
    if kind in _SEEMING and said_of_somebody(parse, head_of(parse, tokens), reading.names):
        return TermReading((term,))
    role = term.form is _FORM.NOUN_SG and fold(parse.words[tokens[-1]]) in person_nouns()
    if role and (heads_item(parse, tokens) or _noted(parse, tokens)):
        return TermReading((term,))
    grouped = kind == "organisation" and term.form is _FORM.ADJECTIVE
    if (kind in ("animal", "thing") and _of_person(parse, tokens, reading)) or (
        (grouped and _of_group(parse, tokens)) or (kind == "figure" and shown(parse, tokens[-1]))
    ):
        return TermReading((term,))
    fragment = FINITE.isdisjoint(parse.tags) or apposed(parse, head_of(parse, tokens))
    doubtful = fragment or (kind != "figure" and kinds[kind] < PERSON_FROM)
    if doubtful and kinds[kind] < _SURE_FROM and kind not in ("work", "organisation"):
        why = f"HInter does not see that \u201c{surface}\u201d is about a person here"
        return TermReading((), why)
    if kind != "name":
        return TermReading((), f"here \u201c{surface}\u201d {_KINDS[kind]}")
    name = _name_at(parse, span, reading)
    if name in ("", surface):
        return TermReading((), f"here \u201c{surface}\u201d is a name", name)
    return TermReading((), f"is part of the name \u201c{name}\u201d", name)


def _of_person(parse: Parse, tokens: Sequence[int], reading: SentenceReading) -> bool:
    """Whether a word is surely about somebody, or before a noun of a gender: "old woman"."""
    if fold(parse.words[tokens[-1]]) in _SURE:
        return True
    return bool(people_words().nouns.get(_described(parse, tokens, reading, {"amod"})))


def _noted(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a word for a marriage is all that a note says: "Widower."."""
    words = [fold(word) for word in parse.words if word[0].isalpha()]
    known = load_shipped()["marital-status"].terms
    return len(words) == len(tokens) and words[-1] in (term.text for term in known)


def _of_group(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether an adjective is of people who do something together: "the Jewish women's choir".

    Which team, club or school is a women's one is no property of its people, and the noun stays.
    """
    women = parse.heads[tokens[-1]]
    group = fold(parse.words[parse.heads[women]])
    return parse.labels[women] == "nmod:poss" and women > tokens[-1] and group in _TOGETHER


def _described(
    parse: Parse, tokens: Sequence[int], reading: SentenceReading, labels: Container[str] = MODIFIER
) -> str:
    """Return the noun for somebody that words stand before, in lower case, or ""."""
    noun = parse.heads[tokens[-1]]
    while "compound" in labels and parse.labels[noun] == "compound":
        noun = parse.heads[noun]  # "a Geordie cab driver"
    between = range(tokens[0], noun)
    described = noun > tokens[-1] and all(parse.labels[at] in labels for at in between)
    word = fold(parse.words[noun])
    alone = parse.words[noun + 1 : noun + 2] != ("-",)
    somebody = (word in _SURE and alone) or reading.person(parse.spans[noun]) >= PERSON_FROM
    return word if described and somebody else ""


def _before_name(surface: str, span: Span, reading: SentenceReading) -> bool:
    """Whether a title begins a name or stands before one: "Queen Victoria", not "Stephen King"."""
    title = surface[:1].isupper() and fold(surface).rstrip(".") in lexicon()["titles"]
    start, end = span
    return title and any(start <= a <= end + 2 and b > end for a, b in reading.names)


def _bearers(
    parse: Parse, tokens: Sequence[int], reading: SentenceReading
) -> list[Mapping[str, float]]:
    """Return the kinds of what a phrase may describe: "the cook from Chad", "she was from Chad"."""
    governor = parse.heads[head_of(parse, tokens)]
    subject = dependent(parse, governor, SUBJECT)
    places = {governor, max(0, tokens[0] - 1)} | ({subject} if subject is not None else set())
    return [reading.kinds(parse.spans[place]) for place in sorted(places - set(tokens))] or [{}]


def _name_at(parse: Parse, span: Span, reading: SentenceReading) -> str:
    """Return the words of the name around a span, or ""."""
    around = next(((a, b) for a, b in reading.names if a < span[1] and span[0] < b), None)
    if around is None:
        return ""
    return " ".join(parse.words[i] for i in tokens_at(parse, around))
