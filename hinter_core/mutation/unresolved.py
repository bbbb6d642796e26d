"""Pronouns that coreference joined with nobody: whom they can only mean.

Where a text has one person of a gender, *he* in the same or the next sentence is that person,
unless grammar forbids it ("his father", "he saw the man"). Where it has two, it stays open. A
cluster in which the text contradicts itself (a man who is *she*) is two people, and so is one of a
pronoun that may mean somebody else ("the cook and the waiter quarrelled until she left"). If
somebody stands between it and the one person, it stays open ("the man's lawyer rang; he ..."). "The
girl" is the one girl or woman who was named right before.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, pairwise

from hinter_core.language.mentions import read_quotations
from hinter_core.language.people import PRONOUNS, people_words
from hinter_core.language.reading.notes import sex_marks
from hinter_core.language.trees import ParsedSentence, SentenceTree, sayers_of
from hinter_core.mutation.whole_names import (
    GENDERS,
    MIXED,
    Joined,
    in_order,
    says,
    with_addressed,
    with_whole_names,
)
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.senses.fields import heads_fragment, heads_item, is_line, series_of
from hinter_core.types import Entity, GrammaticalForm, Mention, MentionKind, Span

_ARGUMENTS = ("nsubj", "nsubj:pass", "obj", "iobj", "obl")
_NOT = frozenset({"not", "n't", "never"})
_ALIAS = re.compile(
    r""",?\s\(?(?:(?:also|better|usually|formerly|professionally|commonly)\s)?
    (?:known\sas|called|born|n[e\u00e9]e?|nicknamed|a\.?k\.?a\.?)\s["'\u201c]?""",
    re.VERBOSE,
)
GENERAL = frozenset("man woman lady gentleman girl boy lad lass fellow guy".split())
_DETERMINED = frozenset("a an another the this that his her my our your their no any".split())
_RESTATED = 3  # sentences back to a name that "the girl" says again
_GREETED = re.compile(r"\s*(?:dear|hello|hi)\s[^,]*$", re.IGNORECASE)
_ANOTHER = re.compile(r"[^.!?\n]*\banother\s(?:[\w-]+\s){0,2}$", re.IGNORECASE)
_HEADLINE = 80  # characters
_AND = 8  # characters before a name that may join it with another
_JOINED = re.compile(r"(?:\band|&|\bor)\s+$")  # "Mr and Mrs Khan, a young couple"
_LABEL = 12  # characters before pronouns that may say that they are some
_FIELD = re.compile(r"pronouns?:\s*$", re.IGNORECASE)
_APPOSITION = re.compile(
    r""",\san?\s(?:(?!(?:from|of|in|at|with|by|to)\b)[\w-]+\s){0,3}[a-z][\w-]*
    (?=[.;:!?]|,(?!\s(?:an?|the|and|or)\b))""",
    re.VERBOSE,
)


def settled(
    text: str, entities: Sequence[Entity], sentences: Sequence[ParsedSentence]
) -> tuple[Entity, ...]:
    """Return the entities with what can mean one person only joined to that person."""
    whole = with_whole_names(text, entities)
    parts = [part for entity in whole for part in _parts(text, entity)]
    parts = _with_names(text, parts, sentences)
    parts = _with_marks(text, parts, sentences)
    parts = _with_restated(text, parts, sentences)
    parts = with_addressed(text, _with_headlines(text, parts))
    if any(_loose(entity) for entity in parts):
        parts = _Joiner(text, parts, sentences).joined()
    return tuple(sorted(parts, key=lambda entity: entity.mentions[0].span))


def _sentence(sentences: Sequence[ParsedSentence], place: int) -> int:
    return bisect_right(sentences, place, key=lambda one: one.sentence.start) - 1


def _parts(text: str, entity: Entity) -> Iterator[Entity]:
    """Yield an entity, or its parts of one gender each; words of neither go with those before."""
    if not entity.person or not (entity.guessed or entity.gender == MIXED):
        yield entity
        return
    genders = [says(text, mention) for mention in entity.mentions]
    last = "" if entity.guessed else next((gender for gender in genders if gender), "")
    by_gender: dict[str, list[Mention]] = {}
    for mention, gender in zip(entity.mentions, genders, strict=True):
        last = gender if entity.guessed else gender or last
        by_gender.setdefault(last, []).append(mention)
    for gender, mentions in by_gender.items():
        guessed = entity.guessed and bool(gender)
        yield replace(entity, mentions=tuple(mentions), gender=gender, guessed=guessed)


def _with_names(
    text: str, entities: list[Entity], sentences: Sequence[ParsedSentence]
) -> list[Entity]:
    """Join a name with a noun before it, with what it is said to be, and with another name.

    "The actor Jane Doe", whatever the parse; "Jane Doe is a film and stage actor"; "Jane Doe, an
    actor, ..."; "Jane Doe, born Ann Roe".
    """
    entities = [*entities, *_unlisted(text, entities)]
    joined = Joined(entities)
    names = [
        (n, m) for n, e in enumerate(entities) for m in e.mentions if m.kind is MentionKind.NAME
    ]
    for number, mention in names:
        noun = joined.by_end.get(mention.head[0] - 1)
        before = text[mention.head[0] - 1 : mention.head[0]]
        if noun is not None and before == " " and entities[number].person and entities[noun].person:
            kinds = {m.head[1]: m.kind for m in entities[noun].mentions}
            if kinds[mention.head[0] - 1] is MentionKind.NOUN:
                joined.join(number, noun)
        alias = _ALIAS.match(text, mention.head[1])
        other = joined.by_start.get(alias.end()) if alias else None
        together = _JOINED.search(text, max(0, mention.span[0] - _AND), mention.span[0])
        if other is None and not together and (said := _APPOSITION.match(text, mention.head[1])):
            other = joined.by_end.get(said.end())
        if other is not None and entities[number].person:
            joined.join(number, other)
    for number, mention in names:
        tree = sentences[_sentence(sentences, mention.head[0])].tree
        for end in _predicates(tree, (mention.span[0], mention.head[1])):
            noun = joined.by_end.get(end)
            if noun is not None and entities[noun].person:
                joined.join(number, noun)
    roles = list(_roles(text, entities, sentences))
    first = min((entities[role].mentions[0].head[0] for role in roles), default=len(text))
    people = (number for number, one in names if entities[number].person and one.head[0] <= first)
    owner = next(people, None)
    for number in roles:
        joined.join(roles[0] if owner is None else owner, number)
    _join_series(text, joined, {m.head[1]: number for number, m in names}, owner)
    return list(joined)


def _unlisted(text: str, entities: Sequence[Entity]) -> Iterator[Entity]:
    """Yield the pronouns of a series that are no mentions: "my pronouns are he/him"."""
    known = {mention.head[0] for entity in entities for mention in entity.mentions}
    for span in chain.from_iterable(series_of(text)):
        if span[0] not in known:
            gender = PRONOUNS[text[slice(*span)].lower()].gender
            yield Entity((Mention(span, span, MentionKind.PRONOUN),), True, gender, False)


def _join_series(text: str, joined: Joined, names: Mapping[int, int], owner: int | None) -> None:
    """Join pronouns that are written as a series, with the name before: "Ann Lee (she/her)"."""
    for places in series_of(text):
        start = places[0][0]
        before = text[max(0, start - _LABEL) : start]
        said = before.rstrip(" ,([")
        whose = [
            names.get(start - len(before) + len(said), owner if _FIELD.search(before) else None)
        ]
        if people_words().person_noun(said.rpartition(" ")[2].lower()):
            whose = [joined.by_end.get(start - len(before) + len(said))]
        same = [joined.by_start.get(start) for start, _ in places]
        known = [number for number in (*whose, *same) if number is not None]
        for first, second in pairwise(known):
            joined.join(first, second)


def _roles(
    text: str, entities: Sequence[Entity], sentences: Sequence[ParsedSentence]
) -> Iterator[int]:
    """Yield who heads a line of a CV: whose CV it is, "- Foreman at a steel works"."""
    form = any(is_line(one.parse) for one in sentences)
    for number, entity in enumerate(entities if form else ()):
        known = entity.person or people_words().person_noun(
            text[slice(*entity.mentions[0].head)].lower()
        )
        if known and any(_is_role(mention, sentences) for mention in entity.mentions):
            yield number


def _is_role(mention: Mention, sentences: Sequence[ParsedSentence]) -> bool:
    if mention.kind is MentionKind.PRONOUN:
        return False
    tree = sentences[_sentence(sentences, mention.head[0])].tree
    head, tokens = tree.word_at(mention.head), tree.tokens_at(mention.head)
    if head is None:
        return False
    alone = mention.kind is MentionKind.NOUN and heads_fragment(tree.parse, head)
    return alone or heads_item(tree.parse, tokens)


def _predicates(tree: SentenceTree, name: Span) -> Iterator[int]:
    """Yield the ends of the nouns that a name is said to be."""
    labels, heads = tree.parse.labels, tree.parse.heads
    for token, verb in enumerate(heads):
        start, end = tree.place(token)
        inside = name[0] <= start and end <= name[1]
        if not inside or labels[token] != "nsubj" or not tree.children(verb, "cop"):
            continue
        denied = any(tree.lower[c] in _NOT for c in tree.below[verb])
        if denied or tree.children(verb, "case", "mark"):
            continue
        todo = [verb]
        while todo:
            noun = todo.pop()
            yield tree.place(noun)[1]
            todo += [c for c in tree.children(noun, "conj") if not tree.children(c, "nsubj", "cop")]


def _with_marks(
    text: str, entities: list[Entity], sentences: Sequence[ParsedSentence]
) -> list[Entity]:
    """Join a mark of sex with the noun beside it: "70M, Pakistani gentleman", "Ann, 34 y/o F".

    Or with who is then only *she* or *he*: "73 y/o F. Pt states that she fell", as is the noun of a
    label: "Applicant: female, 62 years old. She wants a loan".
    """
    joined = Joined(entities)
    for mark in (one for one in sex_marks(text) if one.stands_alone or one.labelled):
        end = mark.span[1]
        number = joined.by_end.get(mark.end if mark.labelled else end)
        if number is None or (mark.labelled and not _labels_person(text, entities[number])):
            continue
        later = [n for n, one in enumerate(entities) if one.mentions[0].head[0] > end]
        later = [n for n in later if entities[n].person and not entities[n].plural]
        alike = [n for n in later if entities[n].gender == mark.says]
        beside = [
            n
            for n in later
            if entities[n].gender in (mark.says, "")
            and text[end : entities[n].mentions[0].span[0]] == ", "
            and not mark.labelled
        ]
        spoken = [n for n in alike[:1] if _loose(entities[n])]
        away = [_sentence(sentences, entities[n].mentions[0].head[0]) for n in spoken]
        if away and away[0] - _sentence(sentences, end) > _RESTATED:
            spoken = []
        start = mark.years[0] if mark.years else 0
        before = joined.by_end.get(start - 2) if text[start - 2 : start] == ", " else None
        for other in [*(beside or spoken), *(n for n in (before,) if n is not None)]:
            if entities[other].person:
                joined.join(number, other)
    return list(joined)


def _labels_person(text: str, entity: Entity) -> bool:
    return entity.person or people_words().person_noun(
        text[slice(*entity.mentions[0].head)].lower()
    )


def _with_restated(
    text: str, entities: list[Entity], sentences: Sequence[ParsedSentence]
) -> list[Entity]:
    """Join "the girl" with the one of this gender: "Miss Chen came. The girl was late."

    "That man" also in one sentence: "your boyfriend is awful, dump that man". Not where somebody
    else may be meant, nor behind a pronoun, which a text would repeat.
    """
    joined = Joined(entities)
    for number, entity in enumerate(entities):
        noun = entity.mentions[0].head
        said = text[entity.mentions[0].span[0] : noun[0]].lower().split()
        said = said or [_before(text, entity.mentions[0])]
        if said not in (["the"], ["that"]) or not general(text, entity) or entity.guessed:
            continue
        known = [n for n, one in enumerate(entities) if n != number and one.person]
        known = [n for n in known if not (entities[n].plural or general(text, entities[n]))]
        alike = [n for n in known if entities[n].gender == entity.gender]
        open_ones = (entities[n] for n in known if not entities[n].gender)
        if len(alike) != 1 or any(_named_before(one, noun) for one in open_ones):
            continue
        last = max((m for m in entities[alike[0]].mentions if m.head < noun), default=None, key=_at)
        if last is None or last.kind is MentionKind.PRONOUN or greeted(text, last):
            continue
        apart = _sentence(sentences, noun[0]) - _sentence(sentences, last.head[0])
        in_one = not apart and said == ["that"] and "," in text[last.head[1] : noun[0]]
        if in_one or 0 < apart <= _RESTATED:
            joined.join(alike[0], number)
    return list(joined)


def _with_headlines(text: str, entities: list[Entity]) -> list[Entity]:
    """Join a headline with the same role below: "SALESMAN WANTED", "we seek a young salesman"."""
    joined = Joined(entities)
    nouns = [
        (_role(text[slice(*m.head)].lower()), n, m)
        for n, entity in enumerate(entities)
        for m in entity.mentions
        if entity.person and not entity.plural and m.kind is MentionKind.NOUN
    ]
    for role, number, mention in nouns:
        below = (n for same, n, m in nouns if same == role and m.head > mention.head)
        if _heads(text, mention) and (other := next(below, None)) is not None:
            joined.join(number, other)
    return list(joined)


def _heads(text: str, mention: Mention) -> bool:
    """Whether a noun stands in a line of capitals, or in a first one that is no sentence."""
    start, end = text.rfind("\n", 0, mention.head[0]) + 1, text.find("\n", mention.head[1])
    line = text[start : min(end, start + _HEADLINE + 1)].strip() if end >= 0 else ""
    if not 0 < len(line) <= _HEADLINE or line.endswith((".", "!", "?", ",", ";")):
        return False
    phrase = text[mention.span[0] : mention.head[0]].lower().split()
    first = not text[:start].strip() and _DETERMINED.isdisjoint(phrase)
    return first or (line.isupper() and not text.isupper())


@lru_cache(maxsize=1)
def _role_words() -> Mapping[str, str]:
    terms = load_shipped()["gender"].terms
    return {term.text: term.concept for term in terms if term.form is GrammaticalForm.NOUN_SG}


def _role(noun: str) -> str:
    """Return what *salesman* and *salesperson* share."""
    return _role_words().get(noun) or noun


def _at(mention: Mention) -> Span:
    return mention.head


def _named_before(entity: Entity, place: Span) -> bool:
    return any(m.head < place and m.kind is not MentionKind.PRONOUN for m in entity.mentions)


def general(text: str, entity: Entity) -> bool:
    """Whether an entity is first spoken of by a word for anybody of a gender: "that lady"."""
    first = entity.mentions[0]
    phrase = text[first.span[0] : first.head[0]].lower().split()
    noun = text[slice(*first.head)].lower()
    if noun in GENDERS:  # "Black female, NAD" in a note
        return not entity.plural and _DETERMINED.isdisjoint(phrase)
    definite = (phrase or [_before(text, first)])[0] in ("the", "this", "that")
    return definite and not entity.plural and noun in GENERAL


def _before(text: str, mention: Mention) -> str:
    """Return the word before a noun, in lower case, which may be no part of its mention."""
    before = text[max(0, mention.head[0] - _LABEL) : mention.head[0]].lower().split()
    return before[-1] if before else ""


def compared(text: str, entities: Sequence[Entity], person: int) -> set[int]:
    """Return the others of whom *another* makes a person one more: "a man met another man"."""
    if person >= len(entities) or entities[person].gender not in GENDERS:
        return set()
    alike = sorted(
        (one.mentions[0].head[0], number)
        for number, one in enumerate(entities)
        if one.gender == entities[person].gender and one.person and not one.plural
    )
    pairs = [{a, b} for (start, a), (end, b) in pairwise(alike) if _ANOTHER.match(text, start, end)]
    return set().union(*(pair for pair in pairs if person in pair))


def greeted(text: str, mention: Mention) -> bool:
    """Whether a letter begins with somebody: "Dear Ms Hale"."""
    line = text.rfind("\n", 0, mention.head[0]) + 1
    return _GREETED.match(text[line : mention.head[0]]) is not None


def narrates(text: str, entity: Entity) -> bool:
    """Whether an entity tells a text or reads it: *I*, *we* or *you* outside of quotations."""
    quoted = _quoted(text)
    forms = ((m, PRONOUNS.get(text[slice(*m.head)].lower())) for m in entity.mentions)
    return any(
        form is not None and form.person < 3
        and not any(start <= mention.head[0] < end for start, end in quoted)
        for mention, form in forms
    )  # fmt: skip


@lru_cache(maxsize=8)
def _quoted(text: str) -> tuple[Span, ...]:
    return tuple(quotation.span for quotation in read_quotations(text))


def _loose(entity: Entity) -> bool:
    """Whether an entity is one person of whom only pronouns of a gender speak."""
    return (
        entity.person
        and not entity.plural
        and entity.gender in GENDERS
        and all(mention.kind is MentionKind.PRONOUN for mention in entity.mentions)
    )


class _Joiner:
    """Joins pronouns to the one person whom they can mean."""

    def __init__(
        self, text: str, entities: list[Entity], sentences: Sequence[ParsedSentence]
    ) -> None:
        self._text = text
        self._entities = entities
        self._sentences = sentences

    def joined(self) -> list[Entity]:
        kept: list[Entity] = [entity for entity in self._entities if not _loose(entity)]
        known = [e for e in kept if e.person and not e.plural]
        for entity in filter(_loose, self._entities):
            people = [one for one in known if one.gender == entity.gender]
            possible = [
                one
                for one in people
                if not self._barred(entity, one) and not self._tells(entity, one)
            ]
            one = possible[0] if len(people) == len(possible) == 1 else None
            if one and self._near(entity, one) and not self._kept_open(one, entity):
                together = replace(one, mentions=in_order(one.mentions + entity.mentions))
                kept[kept.index(one)] = known[known.index(one)] = together
            else:
                kept.append(entity)
                if not people:
                    known.append(entity)
        return kept

    def _tells(self, pronouns: Entity, person: Entity) -> bool:
        """Whether a person is *I* where the pronouns stand: "I am a man. He was rude."."""
        quoted = any(a <= pronouns.mentions[0].head[0] < b for a, b in _quoted(self._text))
        return not quoted and narrates(self._text, person)

    def _number(self, place: int) -> int:
        return _sentence(self._sentences, place)

    def _near(self, pronouns: Entity, person: Entity) -> bool:
        """Whether a person is named before pronouns, in their sentence or the one before it."""
        named = [(m.head[0], self._number(m.head[0])) for m in person.mentions]
        spoken = [(m.head[0], self._number(m.head[0])) for m in pronouns.mentions]
        return any(
            before < after and number - sentence in (0, 1)
            for before, sentence in named
            for after, number in spoken
        )

    def _other_between(self, person: Entity, pronouns: Entity) -> bool:
        """Whether somebody is nearer to a guessed pronoun: "my mum's friend says she ..."."""
        start = pronouns.mentions[0].head[0]
        last = max((m.head[0] for m in person.mentions if m.head[0] < start), default=start)
        others = (one for one in self._entities if one.person and not one.plural)
        return pronouns.guessed and any(
            last < mention.head[0] < start and mention.kind is not MentionKind.PRONOUN
            for other in others
            for mention in other.mentions
        )

    def _kept_open(self, person: Entity, pronouns: Entity) -> bool:
        """Whether somebody else is nearer, who may be meant as well.

        Not where the other one says it of whom the sentence before is about: in both readings of
        "Ann left. The judge said that she lied", "she" may change with Ann.
        """
        head = pronouns.mentions[0].head
        number = self._number(head[0])
        tree = self._sentences[number].tree
        token = tree.word_at(head)
        named = (m.head[0] for m in person.mentions if m.kind is not MentionKind.PRONOUN)
        said = token is not None and sayers_of(tree, token)
        topic = said and all(self._number(place) < number for place in named)
        return not topic and self._other_between(person, pronouns)

    def _barred(self, pronouns: Entity, person: Entity) -> bool:
        """Whether grammar keeps pronouns and a person apart, in one place at least."""
        for pronoun in pronouns.mentions:
            form = PRONOUNS.get(self._text[slice(*pronoun.head)].lower())
            for mention in person.mentions:
                if _inside(pronoun.head, mention.span):
                    return True
                if self._number(mention.head[0]) != self._number(pronoun.head[0]):
                    continue
                if form is not None and form.case == "abs" and mention.kind is MentionKind.PRONOUN:
                    return True  # "her coat is red and hers is blue"
                free = form is None or form.case in ("refl", "poss", "abs")
                if (
                    not free
                    and self._clause(pronoun.head) == self._clause(mention.head) is not None
                ):
                    return True
        return False

    def _clause(self, head: Span) -> int | None:
        """Return the verb whose subject or object a word is."""
        tree = self._sentences[self._number(head[0])].tree
        for token in range(len(tree.lower)):
            if tree.place(token)[1] == head[1]:
                direct = tree.parse.labels[token] in _ARGUMENTS
                return tree.parse.heads[token] if direct else None
        return None


def _inside(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1] and inner != outer
