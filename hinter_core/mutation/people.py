"""The people of a text, and which of them a word or an edit speaks of.

A word that stands for somebody is of that person. A modifier is of the person whose phrase it
modifies ("the Muslim woman", "a man of Jewish faith", "a man with a disability"), also where
coreference listed no mention; a modifier of joined nouns of all of them ("young men and women"). A
predicate is of its subject ("she is German", "she looks Asian"). Several people who are named
together, such as *the women*, count as one person of their own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from hinter_core.language.coreference import parse_text, resolve
from hinter_core.language.parsing import ParseStore
from hinter_core.language.people import FEMALE, GODS, MALE, PRONOUNS, RELATIVES, people_words
from hinter_core.language.reading.notes import sex_marks
from hinter_core.language.trees import (
    ParsedSentence,
    SentenceTree,
    governing,
    is_role,
    said_of_either,
    said_of_somebody,
    subject_of,
)
from hinter_core.mutation.unresolved import settled
from hinter_core.terms.ages import stated
from hinter_core.terms.senses.fields import field_at
from hinter_core.terms.senses.forms import of_person_noun
from hinter_core.terms.senses.person_sense import reading_at
from hinter_core.types import Edit, Entity, Mention, MentionKind, Occurrence, Pair, Span

_CLIMBED = 16  # words from a modifier up to the word for its person
_DESCRIBES = frozenset(
    """amod compound flat nmod:desc nummod det acl acl:relcl appos nmod:unmarked advmod goeswith
    conj discourse list""".split()
)
_HAS = frozenset("of with from in".split())  # "a man of Jewish faith"
_IS = frozenset("of with from as".split())  # "he comes from a Muslim town", "as a Muslim"
_OF = frozenset("of from".split())  # "she is with a man" is about two people
_OWNING = frozenset("has have had having use uses used using need needs needed wears".split())
_LIKELY = 0.5
_OWNED = re.compile(r"(?:my|our|his|her|their|your)\s", re.IGNORECASE)
_OWNERS = frozenset("his her their my our your the".split())
_NOTED = 3  # sentences between a mark of sex and its person
_CRY = re.compile(r"\b(?:my|oh|thank|dear|good|by|for|to|of|in)\s$", re.IGNORECASE)
_ACTS = re.compile(r"\s[a-z]")
_OWN_WORDS = ("det", "amod", "nmod:poss", "case")
_LIMITS = ("det", "amod", "nmod:poss", "compound")
_PHRASE = re.compile(r"(?:with|without|in|on|of|from|under|over|at|by)\s")
_PLURAL = frozenset({"NNS", "NNPS"})
_WITHIN = frozenset({"amod", "compound", "flat"})
# They bring somebody new into a text; of whom the others speak, the number does not tell.
_NEW = frozenset("a an another one two three four five six seven eight nine ten some".split())
_ANY = frozenset("any each every no all both".split())
Word = tuple[SentenceTree, int]  # a sentence and the number of its token


class People:
    """Resolves a text when somebody first asks, and never again.

    A person is the number of an entity of :attr:`entities`; a word for somebody whom coreference
    did not list has a number beyond them, by its place.
    """

    def __init__(self, text: str, parses: ParseStore) -> None:
        self._text = text
        self._parses = parses
        self._of_spans: dict[Span, tuple[int, ...]] = {}
        self._of_edits: dict[tuple[Span, ...], frozenset[int]] = {}
        self._parts: dict[tuple[Span, ...], list[tuple[Span, ...]]] = {}
        self._nouns: dict[Span, Word | None] = {}

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """The people and things of the text."""
        return settled(self._text, resolve(self._text, self._parses), self.parsed)

    def plural(self, person: int) -> bool:
        """Whether a person is several people."""
        return any(entity.plural for entity in self.entities[person : person + 1])

    def mentions(self, person: int) -> tuple[Mention, ...]:
        """Return all mentions of a person; none if coreference did not list them."""
        return next((entity.mentions for entity in self.entities[person : person + 1]), ())

    def at(self, occurrence: Occurrence) -> int | None:
        """Return the person that an occurrence speaks of; None if the text contradicts itself."""
        for person in self.of_span(occurrence.span):
            entity = self.entities[person] if person < len(self.entities) else None
            if entity is None or (entity.person and entity.gender != "mixed"):
                return person
        return None

    def of_edit(self, edit: Edit) -> frozenset[int]:
        """Return everybody whom an edit changes: it changes its term wherever it stands.

        What changes no word of the text, such as an appended sentence, is of nobody in it.
        """
        if edit.spans not in self._of_edits:
            persons = (person for span in edit.spans for person in self.of_span(span))
            self._of_edits[edit.spans] = frozenset(persons)
        return self._of_edits[edit.spans]

    def parted(self, edits: Iterable[Edit]) -> Iterator[Edit]:
        """Yield edits of a noun or adjective apart for people who are surely others.

        "A Black man came, and another Black man left" are two people. Where nothing but coreference
        says so, the edit stays whole: of nouns that it keeps apart, a third speak of one person.
        """
        for edit in edits:
            whole = len(edit.spans) < 2 or not isinstance(edit.change, Pair)
            if whole or edit.source.form.is_pronoun:
                yield edit
            else:
                yield from (replace(edit, spans=spans) for spans in self._apart(edit.spans))

    def _apart(self, spans: tuple[Span, ...]) -> list[tuple[Span, ...]]:
        if spans not in self._parts:
            parts: list[list[Span]] = []
            for span in sorted(spans):
                fitting = [p for p in parts if not any(self._others(one, span) for one in p)]
                own = [p for p in fitting if any(self._share(one, span) for one in p)]
                if fitting:
                    (own or fitting)[-1].append(span)
                else:
                    parts.append([span])
            self._parts[spans] = [tuple(part) for part in parts]
        return self._parts[spans]

    def _share(self, one: Span, other: Span) -> bool:
        return not set(self.of_span(one)).isdisjoint(self.of_span(other))

    def _others(self, earlier: Span, later: Span) -> bool:
        """Whether a word speaks of other people than an earlier one, as its phrase shows."""
        if self._share(earlier, later):
            return False
        one, two = self._noun(earlier), self._noun(later)
        if one is None or two is None or _restates(one, two):
            return False
        before, after = _counts(*one), _counts(*two)
        differ = one[0].parse.tags[one[1]] in _PLURAL, two[0].parse.tags[two[1]] in _PLURAL
        return bool(after & _NEW) or (differ[0] is not differ[1] and not (before | after) & _ANY)

    def _noun(self, span: Span) -> Word | None:
        """Return the noun that a word is or describes."""
        if span not in self._nouns:
            noun = next(iter(self._words(span)), None)
            if noun is not None:
                tree, token = noun
                while tree.parse.labels[token] in _WITHIN and tree.parse.heads[token] != token:
                    token = tree.parse.heads[token]
                noun = tree, token
            self._nouns[span] = noun
        return self._nouns[span]

    def of_span(self, span: Span) -> tuple[int, ...]:
        """Return the people of whom the words of a span speak, the likeliest first."""
        if span not in self._of_spans:
            at = self._measures.get(span, span)
            persons = [p for word in self._words(at) for p in self._people(*word)]
            if all(person >= len(self.entities) for person in persons):
                persons = [*self._named_after(span), *persons]
            if not self._somebody_of(persons):
                marked = (bearer for mark, _, bearer in self._marks if mark == span)
                said = self._bearer(span, self._text[slice(*span)].lower())
                persons = [*marked, *said, *persons]
            beside = self._beside(span, persons)
            if beside is not None and self._somebody_of([beside]):
                persons = [beside, *persons]
            persons = [*self._of_form(span), *persons]
            self._of_spans[span] = tuple(dict.fromkeys(persons))
        return self._of_spans[span]

    def _beside(self, span: Span, known: Iterable[int]) -> int | None:
        """Return whom a phrase right behind somebody is of: "we paid the cook with a limp".

        Where the parse sees nobody, also whom "a lady, hard of hearing", "a wheelchair-using man"
        or "he uses a wheelchair" is about.
        """
        if _PHRASE.match(self._text, span[0]):
            return self._by_place.get(span[0] - 1)
        if self._somebody_of(known):
            return None
        start, end = span
        for tree, token in self._words(span):
            label, above = tree.parse.labels[token], tree.parse.heads[token]
            after = tree.tokens_at((end + 1, end + 2))
            if tree.parse.tags[token] == "JJ" and self._text[start - 2 : start] == ", ":
                return self._by_place.get(start - 2)
            if after and self._text[end : end + 1] == " " and "-" in self._text[start:end]:
                return next(iter(self._people(tree, after[0])), None)
            if label == "obj" and tree.lower[above] in _OWNING:
                owner = governing(tree, above)
                return None if owner is None else self._entity(tree, owner)
        return None

    def _somebody_of(self, persons: Iterable[int]) -> bool:
        """Whether one of some numbers is that of a person who is listed."""
        return any(one.person for n in persons for one in self.entities[n : n + 1])

    def unseen(self, edit: Edit) -> bool:
        """Whether nothing tells of whom an edit is: neither an entity nor a noun for a person."""
        noun = people_words().person_noun(edit.source.text.lower())
        return not noun and not self._somebody_of(self.of_edit(edit))

    @cached_property
    def _measures(self) -> dict[Span, Span]:
        """The words around numbers of years, which say whose they are: "34-year-old"."""
        return {one.number: span for span, one in stated(self._text)}

    def _named_after(self, span: Span) -> list[int]:
        """Return the person whose name follows a word that is no mention: "actress Jane Doe"."""
        if self._text[span[1] : span[1] + 1] != " " or span[0] == span[1]:
            return []
        after = (span[1] + 1, MentionKind.NAME)
        return [
            number
            for number, entity in enumerate(self.entities)
            if entity.person and any((m.head[0], m.kind) == after for m in entity.mentions)
        ]

    def _of_form(self, span: Span) -> list[int]:
        """Return whose form a text is, for the value of a field: "Gender: female"."""
        tree = self.tree_at(span[0])
        if tree is None or ":" not in tree.parse.words:
            return []
        if any(tree.parse.tags[token] in _PLURAL for _, token in self._words(span)):
            return []  # "Marital status: married, two children"
        line = self._text[tree.start : tree.start + tree.parse.spans[-1][1]]
        if not field_at(line, (span[0] - tree.start, span[1] - tree.start))[1]:
            return []
        singular = [(n, e) for n, e in enumerate(self.entities) if e.person and not e.plural]
        kinds = [(n, {mention.kind for mention in one.mentions}) for n, one in singular]
        named = [n for n, kind in kinds if MentionKind.NAME in kind]
        meant = [n for n, kind in kinds if MentionKind.PRONOUN in kind]
        # Fields without a name or a pronoun are of somebody whom no word stands for.
        nobody = [] if meant else [len(self.entities) + len(self._text)]
        return named[:1] or (meant if len(meant) == 1 else nobody)

    def marks(self, person: int) -> list[tuple[Span, str]]:
        """Return the marks of a person's sex, with what they say: "73 y/o F"."""
        return [(span, says) for span, says, bearer in self._marks if bearer == person]

    @cached_property
    def _marks(self) -> list[tuple[Span, str, int]]:
        return [
            (mark.span, mark.says, bearer)
            for mark in sex_marks(self._text)
            for bearer in self._bearer(mark.span, mark.says, mark.end)
        ]

    def open_between(self, persons: Collection[int]) -> Span | None:
        """Return a pronoun that may mean a person or another one: "Her daughter says she fell"."""
        return next((span for span, two in self._open if not two.isdisjoint(persons)), None)

    @cached_property
    def _open(self) -> list[tuple[Span, frozenset[int]]]:
        """Pronouns after what somebody's relative says, with both people, if of one gender."""
        found: list[tuple[Span, frozenset[int]]] = []
        for span, ends in said_of_either(self.parsed):
            people = {number for end in ends if (number := self._by_place.get(end)) is not None}
            gender = PRONOUNS[self._text[slice(*span)].lower()].gender
            if len(people) == 2 and all(self.entities[n].gender == gender for n in people):
                found.append((span, frozenset(people)))
        return found

    def _bearer(self, span: Span, gender: str, end: int = -1) -> list[int]:
        """Return the person of a gender whom a note speaks of: "B: male, 30. His manner ..."."""
        if gender not in (FEMALE, MALE):
            return []
        noun = self._by_place.get(end)
        if end >= 0 and (noun is None or not self.entities[noun].person):
            return []
        if noun is not None and self.entities[noun].gender == gender:
            return [noun]
        near: list[tuple[bool, int, int]] = []
        for number, entity in enumerate(self.entities):
            alone = entity.person and not entity.plural and entity.gender == gender
            if alone and not self._relative(entity.mentions[0]):
                place = entity.mentions[0].head[0]
                away = self.sentence_at(place) - self.sentence_at(span[0])
                if abs(away) <= _NOTED:
                    near.append((place < span[0], abs(place - span[0]), number))
        return [number for _, _, number in sorted(near)[:1]]

    def _relative(self, mention: Mention) -> bool:
        """Whether somebody is only named as somebody else's: "Daughter says", "her husband"."""
        start, end = mention.head
        before = self._text[mention.span[0] : start].lower().split()
        owned = not before or before[0] in _OWNERS
        kin = self._text[start:end].lower() in RELATIVES and not self._text.startswith(" of", end)
        return kin and owned and mention.kind is MentionKind.NOUN

    def of_animal(self, occurrence: Occurrence) -> str:
        """Return why an occurrence speaks of no person but of an animal or a god, or ""."""
        animal = self._animal(occurrence)
        return f"speaks of \u201c{animal}\u201d, which is no person" if animal else ""

    def _animal(self, occurrence: Occurrence) -> str:
        """Return the pet or god before a pronoun that no word for a person stands for, or "".

        "My cat is fat. He licked the can." Coreference lists no things as what a pronoun stands
        for. Where another animal comes before ("The dog ran off. She called the police"), nothing
        tells whose the pronoun is, nor in a cry ("my God!").
        """
        person = self.at(occurrence) if occurrence.terms[0].form.is_pronoun else None
        mentions = self.mentions(person) if person is not None else ()
        if not mentions or any(mention.kind is not MentionKind.PRONOUN for mention in mentions):
            return ""
        earlier = [
            mention
            for entity in self.entities
            for mention in entity.mentions
            if mention.span[0] < mentions[0].span[0] and mention.kind is not MentionKind.PRONOUN
        ]
        for mention in sorted(earlier, key=lambda mention: mention.span, reverse=True):
            word = self._text[slice(*mention.head)]
            reading = reading_at(self._text, mention.head)
            kind = reading[0].kinds(reading[1]) if reading else {}
            if kind.get("animal", 0.0) > _LIKELY:
                return word if _OWNED.match(self._text, mention.span[0]) else ""
            if word in GODS:
                before, after = self._text[: mention.head[0]], self._text[mention.head[1] :]
                return word if _ACTS.match(after) and not _CRY.search(before) else ""
            if kind.get("person", 0.0) + kind.get("name", 0.0) > _LIKELY:
                return ""
        return ""

    # -- from a span to its words ---------------------------------------------------------------

    @cached_property
    def parsed(self) -> tuple[ParsedSentence, ...]:
        """The sentences of the text with their parses."""
        return parse_text(self._text, self._parses)

    def sentence_at(self, place: int) -> int:
        """Return the number of the sentence at a place in the text."""
        return bisect_right(self.parsed, place, key=lambda one: one.sentence.start) - 1

    def tree_at(self, place: int) -> SentenceTree | None:
        """Return the tree of the sentence at a place in the text."""
        number = self.sentence_at(place)
        if number < 0 or place > self.parsed[number].sentence.end:
            return None
        return self.parsed[number].tree

    def _words(self, span: Span) -> list[Word]:
        """Return the topmost word of a span; beside an insertion, the word for somebody."""
        start, end = span
        tree = self.tree_at(start)
        if tree is None:
            return []
        if start == end:
            beside = tree.tokens_at((start - 2, end + 2)) if end < len(self._text) else []
            of_people = [n for n in beside if self._entity(tree, n) is not None]
            return [(tree, n) for n in (of_people or beside)[-1:]]
        word = tree.word_at(span)
        return [(tree, word)] if word is not None else []

    def joined(self, span: Span) -> list[str]:
        """Return the words that are joined with a word: "women, Danes and nurses"."""
        return [
            tree.parse.words[other]
            for tree, token in self._words(span)
            for other in (*tree.children(token, "conj"), tree.parse.heads[token])
            if "conj" in (tree.parse.labels[token], tree.parse.labels[other])
        ]

    def unlimited(self, span: Span) -> bool:
        """Whether nothing before a noun tells whom it means: "trust people", "ninety people"."""
        return any(not tree.children(token, *_LIMITS) for tree, token in self._words(span))

    def said_of_somebody(self, span: Span) -> bool:
        """Whether a word surely says what somebody is: "He is a good man", "the Jewish lady"."""
        reading, words = reading_at(self._text, span), self._words(span)
        names = reading[0].names if reading else ()
        return any(
            said_of_somebody(tree.parse, token, names) or of_person_noun(tree, token)
            for tree, token in words
        )

    @cached_property
    def _by_place(self) -> dict[int, int]:
        """Entities by the ends of their head words; of joined phrases those of their parts."""
        by_place: dict[int, int] = {}
        for number, entity in enumerate(self.entities):
            for mention in entity.mentions:
                start, end = mention.head
                if mention.kind is MentionKind.NAME:
                    # All words of a name stand for its person, and the title before it.
                    title = self._text[mention.span[0] : start].rstrip()
                    if title:
                        by_place.setdefault(mention.span[0] + len(title), number)
                    length = 0
                    for word in self._text[start:end].split(" "):
                        by_place[start + length + len(word)] = number
                        length += len(word) + 1
                if mention.kind is not MentionKind.NOUN or mention.span != mention.head:
                    by_place[end] = number
                else:
                    by_place.setdefault(end, number)  # one word, or several people that are joined
        return by_place

    def _entity(self, tree: SentenceTree, token: int) -> int | None:
        return self._by_place.get(tree.place(token)[1])

    # -- from a word to its people --------------------------------------------------------------

    def _people(self, tree: SentenceTree, token: int) -> list[int]:
        """Climb from a word to the word for the person whom it describes."""
        seen: list[int] = []
        while token not in seen and len(seen) < _CLIMBED:
            seen.append(token)
            if self._somebody(tree, token):
                described = self._joined(tree, token) if len(seen) > 1 else []
                return [*self._same(tree, token), self._number(tree, token), *described]
            above = self._described(tree, token)
            if above is None:
                break
            token = above
        return [self._number(tree, token)]

    def _number(self, tree: SentenceTree, token: int) -> int:
        entity = self._entity(tree, token)
        return len(self.entities) + tree.place(token)[0] if entity is None else entity

    def _somebody(self, tree: SentenceTree, token: int) -> bool:
        entity = self._entity(tree, token)
        # "German" is a name, too; as a modifier it is no person.
        modifier = tree.parse.labels[token] == "amod"
        return entity is not None and not modifier and self.entities[entity].person

    def _described(self, tree: SentenceTree, token: int) -> int | None:
        """Return the word that a word tells of, which is no person's own; None if there is none."""
        label, above = tree.parse.labels[token], tree.parse.heads[token]
        subject = subject_of(tree, token)
        if subject is not None:
            return subject
        owner = next(
            (o for o in tree.children(token, "nmod:poss") if self._somebody(tree, o)), None
        )
        if owner is not None:
            return owner
        cases = tree.words_below(token, "case")
        if label == "xcomp":
            objects = tree.children(above, "obj", "iobj")
            return objects[0] if objects else governing(tree, above)
        if label in _DESCRIBES or (label == "nmod" and cases & _HAS):
            return above if above != token else None
        another = tree.parse.tags[token] == "JJ" and tree.children(token, "det")  # "with a local"
        if label == "advcl" or (label.startswith("obl") and cases & _IS and not another):
            return governing(tree, above)
        return governing(tree, token) if tree.parse.tags[token][:2] == "VB" else None

    def _same(self, tree: SentenceTree, token: int) -> list[int]:
        """Return whom a noun is said to be: "she is not a nurse", "as a woman, she ..."."""
        label, above = tree.parse.labels[token], tree.parse.heads[token]
        cases, other = tree.words_below(token, "case"), None
        if label.startswith("obl") and "as" in cases:
            other = None if is_role(tree, token) else governing(tree, above)
        elif label == "appos":
            joined = any(one < token for one in tree.children(above, "conj"))
            alone = not (joined or self.plural(self._number(tree, above)))
            many = alone and tree.parse.tags[token] in _PLURAL  # "Ann Lee, two kids, rents"
            other = None if many or tree.ends_list(token) else above
        elif cases <= _OF:
            other = subject_of(tree, token)
        if other in (None, token) or not self._somebody(tree, other):
            return []
        number = self._number(tree, other)
        words = tree.parse.tags[token] == "PRP" and self.plural(number)  # "my pronouns are she/her"
        return [] if words else [number]

    def _joined(self, tree: SentenceTree, token: int) -> list[int]:
        """Return those who share a modifier with the first of them: "young men and women"."""
        return [
            self._number(tree, other)
            for other in tree.children(token, "conj")
            if self._somebody(tree, other) and not tree.children(other, *_OWN_WORDS)
        ]


def _restates(one: Word, other: Word) -> bool:
    """Whether a noun says again who another is: "a good man, a man of honour"."""
    tree, token = other
    said = tree.parse.labels[token] in ("appos", "parataxis")
    return said and one[0] is tree and one[1] == tree.parse.heads[token]


def _counts(tree: SentenceTree, token: int) -> set[str]:
    """Return the articles and numbers before a noun."""
    return tree.words_below(token, "det", "nummod")
