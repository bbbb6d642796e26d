"""Mine templates: find the slots of a text for gender, occupation and country of origin.

Sources: BiasFinder, Algorithms 1 (gender), 2 (occupation) and 3 (country of origin).

Departures: a person who is mentioned once counts, too, as a missed link would leave half of the
mentions behind (the published filter sees only clusters). A noun of no gender may be among the
mentions (*the doctor*), as it agrees with both. Others may be named, by names of the other gender,
where no pronoun that changes could then mean them. Words that tell the gender outside the slots
refuse a text. Names are given, family or full names, and stay so.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from hinter_core.generators.templates.occupation import Dropped, find_occupation
from hinter_core.generators.templates.template import (
    ATTRIBUTES,
    COUNTRY,
    GENDER,
    OCCUPATION,
    LetterCase,
    SlotKind,
    Template,
    TemplateSlot,
    case_of,
    gendered,
)
from hinter_core.generators.templates.words import (
    Placed,
    RefusedText,
    TextWords,
    could_mean,
    is_role,
)
from hinter_core.language.coreference import Resolver, SieveResolver
from hinter_core.language.people import FEMALE, MALE, PRONOUNS, people_words
from hinter_core.language.trees import ParsedSentence, Word
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.names import GENDERS
from hinter_core.terms.senses.forms import forms_at
from hinter_core.types import Entity, GrammaticalForm, Mention, MentionKind, Span

_FORM = GrammaticalForm
_MOST_WORDS = 400  # in a sentence; longer ones are lists and tables, and slow to resolve
_CASES = {"subj": "subject", "obj": "object", "poss": "possessive", "abs": "absolute",
          "refl": "reflexive"}  # fmt: skip
_AMBIGUOUS = {
    "her": (_FORM.PRONOUN_OBJECT, _FORM.PRONOUN_POSSESSIVE),
    "his": (_FORM.PRONOUN_POSSESSIVE, _FORM.PRONOUN_POSSESSIVE_ABSOLUTE),
}
_OF_FORM = {
    _FORM.PRONOUN_OBJECT: "object",
    _FORM.PRONOUN_POSSESSIVE: "possessive",
    _FORM.PRONOUN_POSSESSIVE_ABSOLUTE: "absolute",
}
_NAME = re.compile(r"[^\W\d_][\w.'\u2019-]*(?:\s+[^\W\d_][\w.'\u2019-]*){0,3}")
_EXCLAIMED = frozenset({"man", "boy", "girl", "woman", "brother", "lady", "sir"})
_ALSO_GENDERED = frozenset(
    """male female masculine feminine macho pregnant lesbian lesbians chick babe dude femme vixen
    damsel hunk stud blonde brunette tomboy playboy womanizer womaniser virile motherly
    fatherly""".split()
)
_GLUED = re.compile(r"\b(?:he|him|his|himself|she|her|hers|herself)\b", re.IGNORECASE)
_DEFINITE = frozenset({"the", "this", "that"})


class Refusal(StrEnum):
    """Why a text is no template of a class."""

    UNUSABLE = "the row has no usable text"
    LONG_SENTENCE = f"a sentence has more than {_MOST_WORDS} words"
    NOBODY = "nobody is named or has a gender"
    SEVERAL = "several people"
    MIXED = "words of both genders for one person"
    NO_GENDER = "no pronoun, noun or title tells the gender"
    NO_PRONOUN = "no pronoun tells the gender"
    NO_NAME = "the person has no name"
    COMPOUND = "a gendered noun is part of another word or name"
    NAME = "the name is part of a longer one, or is no name"
    UNKNOWN_NAME = "a single name that is not known as a given name"
    GENERIC = "a noun that stands for people in general"
    NO_COUNTERPART = "a gendered noun has no counterpart"
    ELSEWHERE = "the name also stands outside the mentions"
    UNKNOWN_PRONOUN = "a pronoun whose person is not known"
    GENDER_ELSEWHERE = "another word tells the gender"
    DOUBTFUL = "a changed pronoun could mean another person"
    ORIGIN = "another word tells the origin"


TAKEN = "taken"


@dataclass(frozen=True, slots=True)
class MinedText:
    """The templates of a text, and by attribute ``taken`` or why there is none."""

    templates: tuple[Template, ...]
    reasons: dict[str, str]


def refused(why: str) -> MinedText:
    """Return that a text is refused as a whole."""
    return MinedText((), dict.fromkeys(ATTRIBUTES, why))


def mine(
    ident: str,
    text: str,
    sentences: Sequence[ParsedSentence],
    resolver: Resolver | None = None,
    label: str = "",
) -> MinedText:
    """Find the templates of a text.

    One template serves gender, country and occupation if all are the same person's; otherwise the
    occupation has a template of its own.
    """
    if any(len(one.parse.words) > _MOST_WORDS for one in sentences):
        return refused(Refusal.LONG_SENTENCE)
    words = TextWords(text, sentences)
    entities = _whole_names(words, (resolver or SieveResolver()).resolve(text, sentences))
    reasons: dict[str, str] = {}
    person, placed = None, list[Placed]()
    try:
        person, others = _only_person(words, entities)
        placed = list(_slots(words, person))
        _require_no_rest(words, person, placed)
        _require_no_doubt(words, placed, others)
        reasons[GENDER] = TAKEN
    except RefusedText as why:
        reasons[GENDER] = str(why)
    reasons[COUNTRY] = _country(words, person, placed, reasons[GENDER])
    job: Dropped | None = None
    try:
        job = find_occupation(words, entities, person)
        reasons[OCCUPATION] = TAKEN
    except RefusedText as why:
        reasons[OCCUPATION] = str(why)
    return MinedText(tuple(_templates(ident, label, text, person, placed, job, reasons)), reasons)


def _templates(
    ident: str,
    label: str,
    text: str,
    person: Entity | None,
    placed: Sequence[Placed],
    job: Dropped | None,
    reasons: dict[str, str],
) -> Iterator[Template]:
    attributes = tuple(name for name in (GENDER, COUNTRY) if reasons[name] == TAKEN)
    gender = person.gender if person else ""
    joined = [*placed, *job.placed] if job else []
    together = job is not None and job.person is person and _apart([span for span, _ in joined])
    if attributes and person:
        slots = joined if together else list(placed)
        if GENDER not in attributes:  # what else tells it stays, too
            kinds = (SlotKind.NAME, SlotKind.ARTICLE, SlotKind.OCCUPATION)
            jobs = job.placed if job and together else ()
            slots = [one for one in slots if one in jobs or (one[1] and one[1].kind in kinds)]
        names = (GENDER, OCCUPATION, COUNTRY) if together else (GENDER, COUNTRY)
        taken = tuple(name for name in names if reasons[name] == TAKEN)
        yield _template(ident, label, text, slots, taken, gender)
    if job and not (attributes and together):
        yield _template(f"{ident}-occupation", label, text, job.placed, (OCCUPATION,), "")


def _apart(spans: Sequence[Span]) -> bool:
    ordered = sorted(spans)
    return all(a[1] <= b[0] for a, b in pairwise(ordered))


def _template(
    ident: str,
    label: str,
    text: str,
    placed: Sequence[Placed],
    attributes: tuple[str, ...],
    gender: str,
) -> Template:
    pieces, slots, words, last = [""], list[TemplateSlot](), list[str](), 0
    for (start, end), slot in sorted(placed, key=lambda one: one[0]):
        pieces[-1] += text[last:start]
        last = end
        if slot is not None:
            slots.append(slot)
            words.append(text[start:end])
            pieces.append("")
    pieces[-1] += text[last:]
    return Template(ident, tuple(pieces), tuple(slots), attributes, gender, tuple(words), label)


# -- the person -----------------------------------------------------------------------------------


def _only_person(words: TextWords, entities: Sequence[Entity]) -> tuple[Entity, list[Entity]]:
    """Return the one person with a name or gender (Algorithm 1, line 4), and who is only named."""
    people = [e for e in entities if not e.plural and _is_person(words, e)]
    if not people:
        raise RefusedText(Refusal.NOBODY)
    person, *others = sorted(people, key=lambda e: not any(_tells(words, m) for m in e.mentions))
    if not all(_only_named(other, person) for other in others):
        raise RefusedText(Refusal.SEVERAL)
    if person.gender == "mixed":
        raise RefusedText(Refusal.MIXED)
    if not person.person and all(m.kind is MentionKind.NOUN for m in person.mentions):
        raise RefusedText(Refusal.GENERIC)  # "man in space"; "boy, was I tired"
    if person.gender not in GENDERS or not any(_tells(words, m) for m in person.mentions):
        raise RefusedText(Refusal.NO_GENDER)
    return person, others


def _only_named(other: Entity, person: Entity) -> bool:
    """Whether another person is only named, by a name of the other gender: no pronoun is theirs."""
    named = all(mention.kind is MentionKind.NAME for mention in other.mentions)
    return named and {other.gender, person.gender} == set(GENDERS)


def _is_person(words: TextWords, entity: Entity) -> bool:
    """Whether a mention is a person's name, a gendered pronoun, or has a gendered noun."""
    names = (m for m in entity.mentions if m.kind is MentionKind.NAME)
    named = entity.person and any(not words.is_place(mention.head) for mention in names)
    return named or any(_tells(words, mention) for mention in entity.mentions)


def _whole_names(words: TextWords, entities: Sequence[Entity]) -> list[Entity]:
    """Join the given name to a family name where the parser made two phrases of them."""
    joined: dict[Span, Span] = {}
    inside: set[int] = set()
    for entity in entities:
        for mention in entity.mentions if entity.person else ():
            first = place = words.place_of(mention.head[0])
            while mention.kind is MentionKind.NAME and words.is_name_part(first - 1, place):
                first -= 1
            if first < place:
                joined[mention.head] = (words.tokens[first].span[0], mention.head[1])
                inside.update(range(first, place))
    whole = []
    for entity in entities if joined else ():
        if all(words.place_of(mention.head[0]) in inside for mention in entity.mentions):
            continue
        mentions = tuple(
            replace(m, head=head, span=(min(m.span[0], head[0]), m.span[1]))
            for m in entity.mentions
            for head in [joined.get(m.head, m.head)]
        )
        whole.append(replace(entity, mentions=mentions))
    return whole or list(entities)


def _tells(words: TextWords, mention: Mention) -> bool:
    """Whether a mention says a gender by a pronoun, noun or title; a name alone is too weak."""
    head = words.text[slice(*mention.head)].lower()
    if mention.kind is MentionKind.PRONOUN:
        form = PRONOUNS.get(head)
        return form is not None and form.gender in GENDERS
    known = people_words()
    if mention.kind is MentionKind.NOUN:
        return known.nouns.get(head) in GENDERS
    before = (token.lower for token in words.inside((mention.span[0], mention.head[0])))
    return any((known.titles.get(w.rstrip(".")) or known.nouns.get(w)) in GENDERS for w in before)


# -- its slots ------------------------------------------------------------------------------------


def _slots(words: TextWords, person: Entity) -> Iterator[Placed]:
    named = [m for m in person.mentions if m.kind is MentionKind.NAME]
    names = [words.text[slice(*m.head)].split() for m in named]
    families = frozenset(_titled(words, named))
    if not _one_name(names):
        raise RefusedText(Refusal.SEVERAL)
    if names and not families and not any(_is_known(name) for name in names):
        raise RefusedText(Refusal.UNKNOWN_NAME)
    _require_known_names(words, person)
    described = any(mention.kind is not MentionKind.PRONOUN for mention in person.mentions)
    for mention in person.mentions:
        if words.in_title(mention.head[0]):
            raise RefusedText(Refusal.NAME)
        if mention.kind is MentionKind.PRONOUN:
            yield from _pronoun(words, mention, described)
        elif mention.kind is MentionKind.NAME:
            _require_whole(words, mention)
            yield from _before_name(words, mention)
            yield from words.article_before(mention.head[0])
            yield mention.head, _name(words, mention, names, families)
        else:
            yield from _noun(words, words.at(mention.head[0]), person.gender)


def _pronoun(words: TextWords, mention: Mention, described: bool) -> Iterator[Placed]:
    token = words.at(mention.head[0])
    form = PRONOUNS.get(token.lower)
    if form is None or form.gender not in GENDERS:
        return
    after = words.after(token)
    if token.token and token.text.istitle() and after and after.text.istitle():
        raise RefusedText(Refusal.UNKNOWN_PRONOUN)  # in a title: "Dear John, She Wrote"
    if not described and words.follows_a_name(token):
        raise RefusedText(Refusal.UNKNOWN_PRONOUN)  # "Lee played his role": the name was not seen
    case = _CASES[form.case]
    if token.lower in _AMBIGUOUS:
        forms = forms_at(token.parse, token.parse.spans[token.token], _AMBIGUOUS[token.lower])
        possessive = "possessive" if token.tag == "PRP$" else "object"
        case = _OF_FORM[forms[0]] if forms else possessive
        if after is not None and (after.lower == "own" or token.label == "nmod:poss"):
            case = "possessive"
    yield token.span, TemplateSlot(SlotKind.PRONOUN, case, case_of(token.text, token.lower))


def _require_known_names(words: TextWords, person: Entity) -> None:
    """Refuse a text in which an unresolved name precedes a pronoun or "the man".

    The name may be the person's: parsers tag some names of people as companies.
    """
    names, since = _own_names(words, person), 0
    for mention in sorted(person.mentions, key=lambda one: one.head):
        place = words.place_of(mention.head[0])
        first = words.at(mention.span[0]).lower
        if mention.kind is MentionKind.NAME or (
            mention.kind is MentionKind.NOUN and first not in _DEFINITE
        ):
            since = place - words.tokens[place].token  # the subject of the sentence may be meant
        elif _tells(words, mention) and any(
            words.may_name(other) and words.tokens[other].lower not in names
            for other in range(since, place)
        ):
            raise RefusedText(Refusal.UNKNOWN_PRONOUN)


def _own_names(words: TextWords, person: Entity) -> set[str]:
    """Return the words of a person's names in lower case."""
    named = (m for m in person.mentions if m.kind is MentionKind.NAME)
    return {part.lower() for m in named for part in words.text[slice(*m.head)].split()}


def _one_name(names: Sequence[Sequence[str]]) -> bool:
    """Whether each name shares a word with the longest one, as names of one person do."""
    longest = {word.lower() for word in max(names, key=len, default=())}
    return all(longest & {word.lower() for word in name} for name in names)


def _is_known(name: Sequence[str]) -> bool:
    """Whether words are a person's name beyond doubt: a parser takes *Murder* for one, too."""
    return len(name) > 1 or name[0].capitalize() in people_words().names


def _require_whole(words: TextWords, mention: Mention) -> None:
    """Refuse a name that is longer than its mention, or is not written like a name."""
    name = words.text[slice(*mention.head)]
    single = " " not in name and not name[:1].isupper()
    hyphen = "-" in words.around(mention.head)
    if not _NAME.fullmatch(name) or single or hyphen:
        raise RefusedText(Refusal.NAME)
    before, after = words.place_of(mention.head[0]) - 1, words.place_of(mention.head[1] - 1) + 1
    parse = words.tokens[before + 1].parse
    if before >= 0 and is_role(words.tokens[before]):
        before -= 1  # "The Talented Mr. Keller"
    for place in (before, after):
        if not 0 <= place < len(words.tokens) or words.tokens[place].parse is not parse:
            continue
        beside = words.tokens[place]
        capital = beside.text[:1].isupper() and beside.token > 0 and beside.text != "I"
        if (capital or beside.tag in ("NNP", "NNPS")) and not is_role(beside):
            raise RefusedText(Refusal.NAME)


def _titled(words: TextWords, mentions: Sequence[Mention]) -> Iterator[str]:
    """Yield single names that have a title somewhere: of "Ms. Doe", doe."""
    for mention in mentions:
        before = words.inside((mention.span[0], mention.head[0]))
        if any(token.lower.rstrip(".") in people_words().titles for token in before):
            yield words.text[slice(*mention.head)].lower()


def _name(
    words: TextWords,
    mention: Mention,
    names: Sequence[Sequence[str]],
    families: Collection[str],
) -> TemplateSlot:
    """Return the slot of a name: given, family or full, as the person's other names show."""
    written = words.text[slice(*mention.head)]
    case = LetterCase.UPPER if written.isupper() and len(written) > 1 else LetterCase.PLAIN
    parts = written.split()
    if len(parts) > 1:
        return TemplateSlot(SlotKind.NAME, "full", case)
    full = [one for one in names if len(one) > 1]
    family = written.lower() in families or any(one[-1].lower() == written.lower() for one in full)
    given = any(one[0].lower() == written.lower() for one in full)
    detail = "family" if family and not given else ""
    return TemplateSlot(SlotKind.NAME, detail, case)


def _before_name(words: TextWords, mention: Mention) -> Iterator[Placed]:
    """Yield the titles and nouns before a name: "the actress Jane Doe", "Mrs. Doe"."""
    before = list(words.inside((mention.span[0], mention.head[0])))
    if sum(people_words().titles.get(token.lower.rstrip(".")) in GENDERS for token in before) > 1:
        raise RefusedText(Refusal.SEVERAL)  # "Mr. or Mrs. Doe"
    for token in before:
        title = gendered(words.with_stop(token), SlotKind.TITLE)
        known = people_words()
        if title is not None and token.text[:1].isupper():
            end = token.span[0] + len(words.with_stop(token))
            slot = TemplateSlot(SlotKind.TITLE, words.with_stop(token))
            yield (token.span[0], end), slot
        elif token.text[:1].isupper() and known.titles.get(token.lower.rstrip(".")) in GENDERS:
            raise RefusedText(Refusal.COMPOUND)  # "Princess Diana"
        elif known.nouns.get(token.lower) in GENDERS:
            yield from _noun(words, token, known.nouns[token.lower])


def _noun(words: TextWords, token: Word, gender: str) -> Iterator[Placed]:
    """Yield the slot of a gendered noun, and of the article before it."""
    start, end = words.compound(token)
    noun = " ".join(words.text[start:end].split())
    both = gendered(noun, SlotKind.NOUN)
    marked = people_words().nouns.get(token.lower)
    generic = marked not in GENDERS and not token.lower.endswith("man")
    if both is None and (marked in GENDERS or (start, end) != token.span):
        if marked in GENDERS:
            raise RefusedText(
                Refusal.COMPOUND if (start, end) != token.span else Refusal.NO_COUNTERPART
            )
        return
    if both is None or (generic and (start, end) == token.span):
        return  # of no gender: the doctor, the poet
    if both[gender if gender in GENDERS else MALE].lower() != noun.lower():
        raise RefusedText(Refusal.MIXED)
    if token.tag.startswith("NNP") or (token.token and token.text.istitle()):
        raise RefusedText(Refusal.COMPOUND)  # "The Godfather", "Uncle Tom"
    if token.lower in _EXCLAIMED and words.is_bare(token, shared=False):
        raise RefusedText(Refusal.GENERIC)  # "man in space"; "boy, was I tired"
    if words.after_capital(token):
        raise RefusedText(Refusal.COMPOUND)  # "the Cabin boy"
    yield from words.article_before(start)
    plain = both[gender]
    case = case_of(words.text[start:end], plain)
    yield (start, end), TemplateSlot(SlotKind.NOUN, plain, case)


def _require_no_rest(words: TextWords, person: Entity, placed: Sequence[Placed]) -> None:
    """Refuse a text that reveals the person's gender or name outside the slots."""
    covered = [span for span, _ in placed]
    names = _own_names(words, person)
    nouns = people_words().nouns
    for match in _GLUED.finditer(words.text):  # "the real(her" is one token
        if not any(start <= match.start() < end for start, end in covered):
            raise RefusedText(Refusal.UNKNOWN_PRONOUN)
    for token in words.tokens:
        if any(start <= token.span[0] < end for start, end in covered):
            continue
        if len(token.text) > 2 and token.lower in names and token.text[:1].isupper():
            raise RefusedText(Refusal.ELSEWHERE)
        gender = nouns.get(token.lower) if token.tag not in ("NNS", "NNPS") else ""
        if gender in (MALE, FEMALE) or token.lower in _ALSO_GENDERED:
            raise RefusedText(Refusal.GENDER_ELSEWHERE)


def _require_no_doubt(words: TextWords, placed: Sequence[Placed], others: Sequence[Entity]) -> None:
    """Refuse a pronoun that could mean a named person once it has that person's gender."""
    names = [words.at(one.head[1] - 1) for other in others for one in other.mentions]
    for (start, _), slot in placed:
        pronoun = slot is not None and slot.kind is SlotKind.PRONOUN
        if pronoun and any(could_mean(words.at(start), name) for name in names):
            raise RefusedText(Refusal.DOUBTFUL)


# -- country of origin ----------------------------------------------------------------------------


def _country(words: TextWords, person: Entity | None, placed: Sequence[Placed], gender: str) -> str:
    """Return ``taken``, or why the text is no template for the country (Algorithm 3)."""
    if not (person and placed and gender in (TAKEN, Refusal.GENDER_ELSEWHERE, Refusal.DOUBTFUL)):
        return gender
    if not any(slot and slot.kind is SlotKind.NAME for _, slot in placed):
        return Refusal.NO_NAME
    if not any(slot and slot.kind is SlotKind.PRONOUN for _, slot in placed):
        return Refusal.NO_PRONOUN
    for mention in person.mentions:
        head = words.at(mention.head[0])
        of_it = (t for t in words.tokens if t.parse is head.parse and t.lower in _origins())
        for token in of_it:
            inside = mention.span[0] <= token.span[0] < mention.span[1]
            if inside or (head.head.token == token.token and head.label.startswith("nsubj")):
                return Refusal.ORIGIN
    return TAKEN


@lru_cache(maxsize=1)
def _origins() -> frozenset[str]:
    terms = (t for name in ("nationality", "race") for t in load_shipped()[name].terms)
    return frozenset(term.text.lower() for term in terms if term.text[:1].isupper())
