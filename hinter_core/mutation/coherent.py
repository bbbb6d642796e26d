"""Coherent mutation: all words that speak of one person change together.

"The man lost his hat" becomes "The woman lost her hat" by one edit; given names change, too, and
verbs agree with *they*. An edit that would leave a word behind that contradicts it, because nothing
stands in for that word, is not made and says why. Other people stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import islice

from hinter_core.language.people import NEAR, PRONOUNS, people_words
from hinter_core.language.reading.notes import turned
from hinter_core.mutation.ages import Ages
from hinter_core.mutation.agreement import verbs_for
from hinter_core.mutation.edits import (
    OVERLAP,
    assemble,
    carry_case,
    rewritten,
    splices_of,
    texts_of,
)
from hinter_core.mutation.given_names import GivenNames
from hinter_core.mutation.people import People
from hinter_core.mutation.unresolved import compared, general, greeted, narrates
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.names import BOTH
from hinter_core.terms.senses.lexicon import before_names, lexicon
from hinter_core.terms.unlisted import is_mark
from hinter_core.types import (
    Edit,
    GrammaticalForm,
    Mention,
    MentionKind,
    Occurrence,
    Pair,
    RejectedEdit,
    Span,
    Splice,
    Term,
)

_BINARY = ("female", "male")
_GIRLS_AND_BOYS = frozenset({"girl", "girls", "boy", "boys"})
_ADULTS = {"child": "person", "children": "people", "kid": "person", "kids": "people",
           "gentleman": "man"}  # fmt: skip
_TITLE = re.compile(r"(?<!\w)([A-Z]\w+)\.? $")
_NAME = re.compile(r"\.? (?=[A-Z])")
_OWNED = re.compile(r"\b(?:[Tt]he|[Mm]y|[Oo]ur|[Yy]our|[Hh]is|[Hh]er|[Tt]heir|\w+['\u2019]s) $")
_STYLE = re.compile(r" (?:(?:Royal|Imperial|Serene|Britannic) )?([A-Z]\w+)")
_OF_ONE_SEX = ("Ladyship", "Lordship")
_BARE_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Mx|Dr)\b(?!\.)")
_PAIR = re.compile(  # "female girls"; "women are women"
    r"\b((?:[\w-]+ )?[\w-]+) (?:is|are|was|were) (?:an? )?\1\b|\b([\w-]+) (?=([\w-]+))",
    re.IGNORECASE,
)
_IN_GENERAL = frozenset("people persons individuals".split())
_TRANS = frozenset("trans transgender non-binary nonbinary genderqueer".split())
_BEFORE = 24  # characters in which a title stands before a name
_NEUTRAL, _NEITHER = "neutral", "trans-and-non-binary"
_FORM = GrammaticalForm
# Singular *they*; its subject form is in no dictionary, as verbs have to agree with it.
_THEY = {
    _FORM.PRONOUN_SUBJECT: "they", _FORM.PRONOUN_OBJECT: "them", _FORM.PRONOUN_POSSESSIVE: "their",
    _FORM.PRONOUN_POSSESSIVE_ABSOLUTE: "theirs", _FORM.PRONOUN_REFLEXIVE: "themself",
}  # fmt: skip
_CASES = {
    "subj": _FORM.PRONOUN_SUBJECT, "obj": _FORM.PRONOUN_OBJECT, "poss": _FORM.PRONOUN_POSSESSIVE,
    "abs": _FORM.PRONOUN_POSSESSIVE_ABSOLUTE, "refl": _FORM.PRONOUN_REFLEXIVE,
}  # fmt: skip


def coherent_edits(
    text: str,
    occurrences: Iterable[Occurrence],
    dictionary: Dictionary,
    edits: Sequence[Edit],
    people: People,
) -> tuple[list[Edit], list[RejectedEdit]]:
    """Extend each edit of an attribute to the other mentions of the people that it changes.

    ``occurrences``: the accepted ones of ``dictionary``. ``people``: of the text. Edits that come
    out the same are one. Return the edits that are made, and those that are not.
    """
    extender = _Extender(text, occurrences, dictionary, people)
    accepted, refused = list[Edit](), list[RejectedEdit]()
    made: set[tuple[tuple[Span, str], ...]] = set()
    for literal in _in_one_style(text, sorted(edits, key=lambda one: is_mark(one.source))):
        edit = extender.natural(literal)
        extended = extender.extended(edit)
        if isinstance(extended, str):
            refused.append(RejectedEdit(edit, extended))
            continue
        splices = splices_of(text, extended)
        if twice := _said_twice(text, splices):
            refused.append(RejectedEdit(edit, f"\u201c{twice}\u201d says the same twice"))
            continue
        key = tuple(((s.start, s.end), s.new) for s in splices)
        if key not in made:
            made.add(key)
            accepted.append(extended)
    return accepted, refused


def _said_twice(text: str, splices: Sequence[Splice]) -> str:
    """Return words of a variant that say one thing twice, as the text does not: "female girls"."""
    mutant = assemble(text, (), splices)
    for splice in mutant.splices:
        start = max(0, splice.at - _BEFORE)
        for match in _PAIR.finditer(mutant.text, start, splice.at + len(splice.new) + _BEFORE):
            itself, first, second = match.groups()
            said = mutant.text[match.start() : match.end() if itself else match.end(3)]
            if said not in text and (itself or _twice(first.lower(), second.lower())):
                return said
    return ""


def _twice(adjective: str, noun: str) -> bool:
    """Whether a word says what the one after it says, too."""
    if adjective in ("baby", "infant"):
        return noun in _ADULTS
    gender = people_words().nouns.get(noun) if adjective in _BINARY else None
    return gender == adjective or (adjective in _TRANS and noun in _TRANS)


def _in_one_style(text: str, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Yield the edits without the titles that the text would spell otherwise: "Ms" becomes "Mr"."""
    targets: dict[tuple[tuple[Span, ...], str], set[str]] = {}
    for edit in edits:
        targets.setdefault((edit.spans, edit.source.text), set()).add(edit.target.text)
    for edit in edits:
        source = edit.source.text
        if _suits(edit.target.text, targets[edit.spans, source], _with_stop(text, source)):
            yield edit


def _with_stop(text: str, title: str) -> bool:
    """Whether what replaces a title has a full stop: as it has, or as others of the text have."""
    return title.endswith(".") or not (_BARE_TITLE.fullmatch(title) or _has_bare_titles(text))


@lru_cache(maxsize=8)
def _has_bare_titles(text: str) -> bool:
    return _BARE_TITLE.search(text) is not None


def _suits(title: str, titles: Container[str], stop: bool) -> bool:
    """Whether a title has a full stop or not, as wanted; or has no other spelling, as "Miss"."""
    twin = title.removesuffix(".") if title.endswith(".") else f"{title}."
    return title.endswith(".") is stop or twin not in titles


class _Direction:
    """What the terms of a dictionary say of gender, and the pairs that change it alike."""

    def __init__(self, text: str, dictionary: Dictionary) -> None:
        self._text = text
        self._pairs_of = dictionary.pairs_from
        self._by_form = dictionary.by_form
        by_group = dictionary.words_by_group
        self._words = {word: group for group in _BINARY for word in by_group.get(group, ())}

    def says(self, term: Term) -> str:
        """Return the gender that a term says: a "trans woman" is *she*."""
        last = term.text.lower().rpartition(" ")[2]
        return term.group if term.group in _BINARY else self._words.get(last, term.group)

    def contradicts(self, term: Term, wanted: str) -> bool:
        """Whether a term of a person of the wanted gender has to change."""
        gender = self.says(term)
        return gender != wanted and (
            gender in _BINARY or (gender == _NEITHER and term.form.is_pronoun)
        )

    def counterpart(self, change: Pair, terms: Sequence[Term]) -> Pair | None:
        """Return the pair that changes another mention in the same direction."""
        wanted = self.says(change.target)
        neopronoun = change.source.form.is_pronoun and self.says(change.target) == _NEITHER
        if wanted not in _BINARY and terms[0].form.is_pronoun and not neopronoun:
            they = Term(_THEY[terms[0].form], _NEUTRAL, terms[0].form, terms[0].concept)
            return Pair(change.attribute, terms[0], they)
        towards, group = self._towards(change.source, wanted), change.target.group
        series = [pair.target.text for pair in towards if pair.target.group == group]
        for term in terms:
            neutral = self._towards(term, _NEUTRAL)
            targets = self._towards(term, wanted) or (neutral if wanted in _BINARY else [])
            if term.group == _NEITHER and wanted in _BINARY and not term.form.is_pronoun:
                # Who is a "trans woman" becomes no "man" where another word changes.
                targets = [pair for pair in targets if pair.target.group == _NEITHER]
            if wanted == _NEITHER and not term.form.is_pronoun:
                # Who is a "transgender person" becomes no "non-binary sibling".
                kind = change.target.text.partition(" ")[0]
                alike = [pair for pair in targets if pair.target.text.partition(" ")[0] == kind]
                targets = alike or neutral or targets
            # Who becomes a "mum" becomes no "trans woman".
            targets = [pair for pair in targets if pair.target.group == group] or targets
            written = {pair.target.text for pair in targets}
            stop = _with_stop(self._text, term.text)
            targets = [pair for pair in targets if _suits(pair.target.text, written, stop)]
            if len(targets) == len(series) and change.target.text in series:
                # "xe" goes with "xem" and "ze" with "hir": the series keep their order.
                return targets[series.index(change.target.text)]
            if targets:
                return targets[0]
        return None

    def grown(self, change: Pair) -> Pair | None:
        """Return the pair to the word for a grown-up in place of another."""
        kind, _, noun = change.target.text.rpartition(" ")
        adult = f"{kind} {_ADULTS.get(noun, '')}".strip()
        terms = self._by_form.get(("adult", change.target.form), ())
        wanted = adult, change.target.group
        adults = (term for term in terms if (term.text, term.group) == wanted)
        return next((replace(change, target=term) for term in adults), None)

    def pronoun(self, form: GrammaticalForm, wanted: str, attribute: str) -> Pair | None:
        """Return the pair from a form of singular *they* to the pronoun of a gender."""
        they = Term(_THEY[form], _NEUTRAL, form)
        for term in self._pairs_of:
            if term.form is form and term.group == wanted:
                return Pair(attribute, they, term)
        return None

    def _towards(self, term: Term, wanted: str) -> list[Pair]:
        pairs = self._pairs_of.get(term, ())
        return [pair for pair in pairs if self.says(pair.target) == wanted]


class _Extender:
    """Extends the edits of one attribute in one text."""

    def __init__(
        self,
        text: str,
        occurrences: Iterable[Occurrence],
        dictionary: Dictionary,
        people: People,
    ) -> None:
        self._text, self._people = text, people
        self._ages = Ages(text, people)
        self._direction = _Direction(text, dictionary)
        self._names = GivenNames(text, people.entities)
        self._where: dict[int, list[Occurrence]] = {}
        self._of: dict[Span, int] = {}
        for occurrence in occurrences:
            if (person := self._people.at(occurrence)) is not None:
                self._where.setdefault(person, []).append(occurrence)
                self._of[occurrence.span] = person

    def natural(self, edit: Edit) -> Edit:
        """Return an edit to a usual word: no child of a grown girl, and "Sit down, young man"."""
        pair = edit.change
        grown = self._direction.grown(pair) if isinstance(pair, Pair) else None
        of_child = edit.source.text.lower() in _GIRLS_AND_BOYS
        fits = self._ages.grown if of_child else self._ages.called
        return replace(edit, change=grown) if grown and all(map(fits, edit.spans)) else edit

    def extended(self, edit: Edit) -> Edit | str:
        """Return an edit with all other mentions, or why it cannot be made."""
        pair = edit.change
        if not isinstance(pair, Pair):
            return edit
        wanted = self._direction.says(pair.target)
        if wanted == self._direction.says(pair.source):
            return edit
        if why := self._includes(edit) or self._style(edit):
            return why
        people = self._changed(edit)
        new = replaced = self._texts(edit)
        if isinstance(parts := self._mentions(edit, pair, people), str):
            return parts
        for part in parts:
            new = new | (self._title_left_out(part) or self._texts(part))
        for part in (edit, *parts):
            new = new | self._verbs(part)
        if isinstance(marks := self._marks(people, new, wanted), str):
            return marks
        new = new | marks
        if why := self._left(people, new, wanted) or self._meant(people, pair, wanted):
            return why
        renaming = self._names.renamed(people, wanted if wanted in _BINARY else BOTH)
        if renaming.reason:
            return renaming.reason
        new = new | renaming.texts
        if new.keys() == replaced.keys():
            return edit
        return rewritten(self._text, edit, new) or OVERLAP

    def _includes(self, edit: Edit) -> str:
        """Return why a word for people in general fits no list of several: "women, Danes"."""
        target = edit.target.text.lower()
        for other in map(self._people.joined, edit.spans if target in _IN_GENERAL else ()):
            if nouns := [word for word in other if people_words().person_noun(word.lower())]:
                return f"\u201c{target}\u201d would include \u201c{nouns[0]}\u201d"
        return ""

    def _style(self, edit: Edit) -> str:
        """Return why a pronoun cannot change: "Her Majesty" becomes "His Majesty" and no other."""
        for start, end in edit.spans if edit.source.form.is_pronoun else ():
            style = _STYLE.match(self._text, end)
            of_one = edit.target.group not in _BINARY or (style and style[1] in _OF_ONE_SEX)
            if style and of_one and style[1].lower() in lexicon()["styles"]:
                return f"\u201c{self._text[start : style.end()]}\u201d is an expression"
        return ""

    def _texts(self, edit: Edit) -> dict[Span, str]:
        return texts_of(splices_of(self._text, edit))

    def _title_left_out(self, edit: Edit) -> dict[Span, str]:
        """Return the place of a title that becomes none, up to its name: "Sister Ana" is "Alex"."""
        titles = before_names()
        (start, end), target = edit.spans[0], edit.target.text.rstrip(".").lower()
        if edit.source.text.rstrip(".").lower() not in titles or target in titles:
            return {}
        name = _NAME.match(self._text, end) if self._text[start].isupper() else None
        owned = _OWNED.search(self._text, max(0, start - _BEFORE), start)  # "my Aunt May"
        return {(start, name.end()): ""} if name and not owned else {}

    def _changed(self, edit: Edit) -> set[int]:
        """Return whom an edit changes, with those whom a group's noun names: "the brothers Al"."""
        people = {self._of[span] for span in edit.spans if span in self._of}
        for person in sorted(people):
            for mention in self._people.mentions(person) if self._people.plural(person) else ():
                people.update(self._names.after(mention.head[1]))
        return people.union(*(compared(self._text, self._people.entities, n) for n in people))

    def _mentions(self, edit: Edit, pair: Pair, people: set[int]) -> list[Edit] | str:
        """Return the changes of the other words of these people, or the word that stops them."""
        wanted = self._direction.says(pair.target)
        parts: list[Edit] = []
        for occurrence in (o for n in sorted(people) for o in self._where.get(n, ())):
            if occurrence.span in edit.spans or is_mark(occurrence.terms[0]):
                continue
            terms = [t for t in occurrence.terms if self._direction.contradicts(t, wanted)]
            if not terms:
                continue
            counterpart = self._direction.counterpart(pair, terms)
            if counterpart is None:
                return self._also(occurrence.span)
            parts.append(self.natural(Edit(counterpart, (occurrence.span,))))
            if why := self._style(parts[-1]):
                return why
        if wanted in _BINARY:
            parts += self._they(pair, people, wanted)
        return parts

    def _they(self, pair: Pair, people: set[int], wanted: str) -> Iterable[Edit]:
        """Yield the changes of a singular *they* to *she* or *he*."""
        for person in sorted(people):
            for mention in () if self._people.plural(person) else self._people.mentions(person):
                word = self._text[slice(*mention.head)].lower()
                form = PRONOUNS.get(word) if word in _THEY.values() else None
                if form is not None and mention.kind is MentionKind.PRONOUN:
                    pronoun = self._direction.pronoun(_CASES[form.case], wanted, pair.attribute)
                    if pronoun is not None:
                        yield Edit(pronoun, (mention.head,))

    def _verbs(self, edit: Edit) -> dict[Span, str]:
        """Return the verbs that have to agree where *they* comes or goes."""
        words = (edit.source.text.lower(), edit.target.text.lower())
        if "they" not in words:
            return {}
        rewritten_verbs: dict[Span, str] = {}
        for start, _ in edit.spans:
            tree = self._people.tree_at(start)
            places = [start - tree.start == at for at, _ in tree.parse.spans] if tree else []
            if tree is not None and True in places:
                verbs = verbs_for(tree, places.index(True), plural=words[1] == "they")
                rewritten_verbs |= {span: self._written(span, new) for span, new in verbs}
        return rewritten_verbs

    def _written(self, span: Span, verb: str) -> str:
        """Return a verb in the case and with the apostrophe of the one at a place."""
        surface = self._text[slice(*span)]
        if surface[0] in "'\u2019":
            verb = verb.replace("'", surface[0])
            return verb.upper() if surface.isupper() else verb
        return carry_case(surface, "", verb, starts_sentence=True)

    def _marks(
        self, people: set[int], new: Mapping[Span, str], wanted: str
    ) -> dict[Span, str] | str:
        """Return the marks of the other sex ("73 y/o F"), or the one that stops the change."""
        marks = (mark for n in sorted(people) for mark in self._people.marks(n))
        spans = [span for span, says in marks if says != wanted and span not in new]
        if spans and wanted not in _BINARY:
            return self._also(spans[0])
        return {span: turned(self._text[slice(*span)]) for span in spans}

    def _left(self, people: set[int], new: Mapping[Span, str], wanted: str) -> str:
        """Return the word of these people that stays and contradicts the change."""
        mentions = [m for n in sorted(people) for m in self._people.mentions(n)]
        named = [m for m in mentions if m.kind is MentionKind.NAME]
        said = [
            (m.head, _gender(self._text[slice(*m.head)].lower()))
            for m in mentions
            if m not in named  # "Ms. King"
        ]
        said += [
            (span, people_words().titles.get(self._text[slice(*span)].lower(), ""))
            for mention in named
            for span in self._titles(mention)
        ]
        for (start, end), gender in said:
            stays = all(end <= low or high <= start for low, high in new)
            if stays and gender in _BINARY and gender != wanted:
                return self._also((start, end))
        return ""

    def _meant(self, people: set[int], pair: Pair, wanted: str) -> str:
        """Return a word that may mean these people or others, or ""."""
        if either := self._people.open_between(people):
            return f"it is open who is meant by \u201c{self._text[slice(*either)]}\u201d"
        said = self._direction.says(pair.source)
        return self._perhaps_same(people, said) or self._perhaps_meant(people, said, wanted)

    def _perhaps_same(self, people: set[int], said: str) -> str:
        """Return a definite noun that nobody else can be: "the lady", where there is one woman.

        Or the one whom such a noun means, if it changes: "Anna ... that woman".
        """
        entities, (general_ones, known) = self._people.entities, self._alike.get(said, ([], []))
        others = [*islice((n for n in known if n not in people), 2)]
        if len(others) > 1:
            return ""
        changed = [entities[n].mentions[0] for n in sorted(people) if n in general_ones + known]
        nouns = (n for n in general_ones if n not in people)
        if not others and (number := next(nouns, None)) is not None:
            first = min((m.head[0] for n in people for m in self._people.mentions(n)), default=None)
            noun = entities[number].mentions[0].head
            read = all(greeted(self._text, mention) for mention in changed)  # a letter's reader
            return self._perhaps(noun) if first is not None and noun[0] > first and not read else ""
        bare = all(n in general_ones for n in people if n < len(entities)) and all(
            mention.span[1] == mention.head[1]
            and " " not in self._text[mention.span[0] : mention.head[0]].strip()
            for mention in changed
        )  # "the girl", and not "the old man", who may be somebody new
        if not others or not changed or not bare:
            return ""
        named = entities[others[0]].mentions[0]
        before = named.head < changed[0].head and not greeted(self._text, named)
        return self._perhaps(named.head) if before else ""

    @cached_property
    def _alike(self) -> dict[str, tuple[list[int], list[int]]]:
        """The people of each gender: those of whom a general noun speaks first, and the others."""
        alike: dict[str, tuple[list[int], list[int]]] = {gender: ([], []) for gender in _BINARY}
        for number, entity in enumerate(self._people.entities):
            alone = entity.person and not (entity.plural or narrates(self._text, entity))
            if alone and entity.gender in alike:
                alike[entity.gender][not general(self._text, entity)].append(number)
        return alike

    def _perhaps_meant(self, people: set[int], said: str, wanted: str) -> str:
        """Return what may be of somebody who changes: "a man ... the judge knew his past"."""
        binary, at = said in _BINARY, self._people.sentence_at
        entities, called = self._people.entities, (MentionKind.NAME, MentionKind.NOUN)
        known = [(n, e) for n, e in enumerate(entities) if e.person and not e.plural]
        known = [(n, e) for n, e in known if not binary or e.gender == said]
        nouns = [(m.head, n) for n, e in known for m in e.mentions if m.kind in called]
        for number, entity in known:
            pronoun = entity.mentions[0].head
            before = [one for one in nouns if one[0] < pronoun and entity.guessed]
            if entity.gender == wanted or not before:
                continue
            (noun, other), changed = max(before), number in people
            owned = self._text[slice(*pronoun)].lower() in ("his", "her")
            near = entities[other].gender == entity.gender and at(pronoun[0]) - at(noun[0]) <= NEAR
            if ((near and owned) or not (binary or changed)) and changed is not (other in people):
                return self._perhaps(noun if changed else pronoun)
        return ""

    def _titles(self, mention: Mention) -> Iterator[Span]:
        """Yield the words with a capital right before a name: "Brother John", "Sir William"."""
        start = mention.head[0]
        while (match := _TITLE.search(self._text, max(0, start - _BEFORE), start)) is not None:
            yield match.span(1)
            start = match.start(1)

    def _perhaps(self, span: Span) -> str:
        return self._also(span, ", perhaps")

    def _also(self, span: Span, how: str = "") -> str:
        said = self._text[slice(*span)]
        return f"the text also says \u201c{said}\u201d{how} of the same person"


def _gender(word: str) -> str:
    """Return the gender that a word in lower case says."""
    form = PRONOUNS.get(word)
    return form.gender if form is not None else people_words().nouns.get(word, "")
