"""Planning: find what can be mutated in a text, before any model is asked.

A plan holds the sentences, the accepted and rejected occurrences, and the lattice of mutants.
Predicting is a separate step (:mod:`hinter_core.pipeline.pipeline`), so that a budget, a search or
a person can choose among the possible mutants.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, filterfalse

from hinter_core.errors import InputError, IntersectionError, listed
from hinter_core.language.clean import clean
from hinter_core.language.encoder import load_encoder
from hinter_core.language.parsing import ParseStore
from hinter_core.language.reading.english import has_english, other_language
from hinter_core.language.sentences import sentence_at, sentences_of
from hinter_core.mutation.ages import Ages
from hinter_core.mutation.coherent import coherent_edits
from hinter_core.mutation.edits import (
    COLOURS,
    assemble,
    combined,
    edits_for,
    splices_of,
    splices_overlap,
    verbatim,
)
from hinter_core.mutation.forms import in_all_forms, misplaced, of_other_sex
from hinter_core.mutation.given_names import only_names_tell, with_names_of_origin
from hinter_core.mutation.lattice import Lattice
from hinter_core.mutation.people import People
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import LiteralMatcher, Matcher, matcher_for
from hinter_core.terms.occurrences import find_occurrences
from hinter_core.terms.senses.fields import with_fitting
from hinter_core.terms.senses.person_sense import read_in_text
from hinter_core.terms.unlisted import AGE, pairs_of
from hinter_core.types import (
    ROW,
    Edit,
    GrammaticalForm,
    Mutant,
    Occurrence,
    Origin,
    RejectedEdit,
    RejectedOccurrence,
    Sentence,
    Slot,
    Splice,
)

_LONGEST_SENTENCE = 10_000  # characters: the senses take the square of its words
_TOO_LONG = f"its sentence is longer than {_LONGEST_SENTENCE:,} characters"
_UNSEEN = "past the part of the text that the model sees"


@dataclass
class Plan:
    """A text with everything known before a model is asked.

    ``origin``: where the text comes from. ``slots``: the filled slots of its template or grammar.
    ``together``: combinations that are tested whatever their order. ``people``: who is in the text;
    None if its mutants are known from elsewhere or say nothing of people. ``refused``: edits that
    cannot be made coherent. ``of_nobody``: attributes whose changes are of no person, so that they
    combine with all others.
    """

    text: str
    attributes: tuple[str, ...]
    settings: Settings
    sentences: list[Sentence]
    occurrences: list[Occurrence]
    rejected: list[RejectedOccurrence]
    edits: dict[str, list[Edit]]
    notices: list[str] = field(default_factory=list)
    origin: Origin = ROW
    slots: tuple[Slot, ...] = ()
    together: list[tuple[Edit, ...]] = field(default_factory=list)
    people: People | None = None
    refused: list[RejectedEdit] = field(default_factory=list)
    of_nobody: set[str] = field(default_factory=set)
    _splices: dict[Edit, tuple[Splice, ...]] = field(default_factory=dict)
    _chosen: list[tuple[Edit, ...]] | None = None

    @classmethod
    def of_text(
        cls,
        text: str,
        settings: Settings,
        attributes: tuple[str, ...] = (),
        *,
        origin: Origin = ROW,
        slots: tuple[Slot, ...] = (),
    ) -> Plan:
        """Make a plan without edits, for a text whose mutants are known from elsewhere."""
        sentences = list(sentences_of(text))
        return cls(text, attributes, settings, sentences, [], [], {}, origin=origin, slots=slots)

    @property
    def missing(self) -> list[str]:
        """Attributes without an accepted term."""
        return [a for a in self.attributes if not self.edits.get(a)]

    @property
    def terms(self) -> list[Occurrence]:
        """The accepted occurrences, and the names that change alone, in the order of the text."""
        named = {
            (one.attribute, at): Occurrence(one.attribute, at, self.text[slice(*at)], (one.source,))
            for one in chain.from_iterable(self.edits.values())
            if one.source.form is GrammaticalForm.NAME and not self.slots
            for at in one.spans
        }
        return sorted([*self.occurrences, *named.values()], key=lambda one: one.span)

    @property
    def only_names_tell(self) -> bool:
        """Whether names alone can change an attribute without a term, if that is asked for."""
        if self.people is None or not self.settings.coherent or self.settings.origin_names:
            return False
        return only_names_tell(self.text, self.people, self.missing)

    @property
    def perhaps_foreign(self) -> bool:
        """Whether no term counts, and no word shows that the text is English."""
        return not self.slots and not any(self.edits.values()) and not has_english(self.text)

    @property
    def lattice(self) -> Lattice:
        """The combinations of the edits: of one person, or also across people."""
        apart = self.settings.across_people or self.people is None
        persons = None if apart else self._persons
        return Lattice({a: e for a, e in self.edits.items() if e}, self.settings.order, persons)

    @property
    def alone(self) -> list[Edit]:
        """Edits that are in no intersection, as nobody whom they change has another attribute."""
        if self.settings.order == 1 or self.settings.across_people or self.people is None:
            return []
        named = {a: e for a, e in self.edits.items() if e and a not in self.of_nobody}
        return Lattice(named, self.settings.order, self._persons).alone()

    def across_people(self, edits: Sequence[Edit]) -> bool | None:
        """Whether no person is changed by all of the edits; None if nobody knows who is who."""
        if self.people is None:
            return None
        changed = [persons for edit in edits if (persons := self._persons(edit))]
        return len(changed) > 1 and not frozenset.intersection(*changed)

    def _persons(self, edit: Edit) -> frozenset[int]:
        if self.people is None or edit.attribute in self.of_nobody:
            return frozenset()
        return self.people.of_edit(edit)

    @property
    def totals(self) -> list[int]:
        """Numbers of possible mutants by order, from 2 on: those whose edits do not overlap."""
        lattice, orders = self.lattice, range(2, self.settings.order + 1)
        return [lattice.count_possible(order, self.possible) for order in orders]

    @property
    def total(self) -> int:
        """Number of possible intersectional mutants."""
        return sum(self.totals)

    @property
    def only_across_people(self) -> bool:
        """Whether words of several attributes can change together, but not of one person."""
        apart = replace(self.settings, across_people=True, limit=None)
        return not self.total and next(replace(self, settings=apart).each(), None) is not None

    def mutant(self, edits: Sequence[Edit]) -> Mutant:
        """Make the mutant of these edits."""
        return assemble(self.text, edits, combined(self.text, edits, self._of))

    def possible(self, edits: Sequence[Edit]) -> bool:
        """Whether the edits touch different words."""
        return len(edits) < 2 or not splices_overlap(combined(self.text, edits, self._of))

    def _of(self, edit: Edit) -> tuple[Splice, ...]:
        if edit not in self._splices:
            self._splices[edit] = splices_of(self.text, edit)
        return self._splices[edit]

    def each(self) -> Iterator[tuple[Edit, ...]]:
        """Yield what :meth:`chosen` lists; without a limit, nothing is held in memory."""
        if self.settings.limit is None and self.settings.order > 1:
            every = self.lattice.every(self.possible)
            return chain(every, filterfalse(self._in_lattice, self.together))
        return iter(self.chosen())

    def combines(self, edits: Sequence[Edit]) -> bool:
        """Whether the edits make a mutant: of different words, and of one person if so wanted."""
        wanted = self.settings.across_people or not self.across_people(edits)
        return wanted and self.possible(edits)

    def _in_lattice(self, edits: Sequence[Edit]) -> bool:
        planned = all(edit in self.edits.get(edit.attribute, ()) for edit in edits)
        return planned and len(edits) <= self.settings.order and self.combines(edits)

    @property
    def highest(self) -> int:
        """The highest order of a mutant."""
        return max([self.settings.order, *map(len, self.together)])

    def atomic(self) -> Iterator[tuple[Edit, ...]]:
        """Yield the edit sets of all atomic mutants."""
        return ((edit,) for edits in self.edits.values() for edit in edits)

    def sample(self, limit: int | None, order: int | None = None) -> list[tuple[Edit, ...]]:
        """Draw intersectional edit sets, up to the settings' order or a lower ``order``."""
        lattice = replace(self.lattice, order=order or self.settings.order)
        text = self.text if self.settings.balanced else None
        return lattice.intersectional(limit, self.settings.seed, self.possible, groups_of=text)

    def chosen(self) -> list[tuple[Edit, ...]]:
        """Return the edit sets to test: intersectional ones, or atomic ones at order 1."""
        if self._chosen is None:
            if self.settings.order == 1:
                self._chosen = list(self.atomic())
            else:
                self._chosen = self.sample(self.settings.limit)
            self._chosen += [edits for edits in self.together if edits not in self._chosen]
        return self._chosen


def matcher_of(dictionaries: Sequence[Dictionary], settings: Settings) -> Matcher:
    """Return the matcher that these settings ask for."""
    return matcher_for(dictionaries, LiteralMatcher if settings.as_published else Matcher)


def make_plan(
    text: str,
    dictionaries: Sequence[Dictionary],
    settings: Settings,
    parses: ParseStore,
    *,
    matcher: Matcher | None = None,
    visible: Sequence[Callable[[str], int]] = (),
) -> Plan:
    """Find what can be mutated in ``text``.

    ``visible``: for each model, a function that counts the leading characters it sees; terms that
    a model does not see are rejected. ``matcher``: saves time if the same dictionaries serve many
    texts.

    Raises:
        InputError: the text is empty, blank, too long, or in another language than English.
    """
    text, notices = clean(text)
    about_people = any(not dictionary.placebo for dictionary in dictionaries)
    if about_people and not settings.literal and (language := other_language(text)):
        raise InputError(f"The text seems to be {language}; only English texts can be changed.")
    sentences = list(sentences_of(text))
    matcher = matcher or matcher_of(dictionaries, settings)
    occurrences, rejected = (
        matcher.find(text) if settings.literal else find_occurrences(text, matcher)
    )
    kept, outside = parted(occurrences, _outside(settings.window))
    rejected += outside
    if settings.literal:
        kept = [one for occurrence in kept if (one := _literal(occurrence)).terms]
    else:
        neutral = {d.attribute for d in dictionaries if d.placebo}
        kept, no_person = _with_sense(kept, sentences, parses, neutral)
        rejected += no_person
    people = People(text, parses) if about_people and not settings.literal else None
    if people is not None:
        kept, of_animals = parted(kept, people.of_animal)
        rejected += of_animals
    ages = Ages(text, people) if people and any(d.attribute == AGE for d in dictionaries) else None
    if ages is not None:
        kept, of_no_age = parted(kept, ages.figurative)
        rejected += of_no_age
    edits = edits_for(kept, {d.attribute: pairs_of(d, kept) for d in dictionaries})
    if settings.coherent and not settings.literal:
        notices += in_all_forms(text, dictionaries, edits)
    refused: list[RejectedEdit] = []
    if settings.coherent and people is not None:
        edits = {a: [*people.parted(of_attribute)] for a, of_attribute in edits.items()}
        edits, refused = _coherent(text, kept, dictionaries, edits, people)
        for attribute, made in edits.items():
            judged = [(e, of_other_sex(e, people) or misplaced(e, people)) for e in made]
            edits[attribute] = [edit for edit, why in judged if not why]
            refused += [RejectedEdit(edit, why) for edit, why in judged if why]
        if ages is not None and AGE in edits:
            edits[AGE], of_ages = ages.fitting(edits[AGE])
            refused += of_ages
        refused += with_fitting(text, edits)
        if settings.origin_names:
            refused += with_names_of_origin(text, dictionaries, edits, people)
    if settings.as_published:
        edits = {a: [verbatim(text, e) for e in of_attribute] for a, of_attribute in edits.items()}
    seen = min((sees(text) for sees in visible), default=len(text))
    if seen < len(text):
        edits, refused = _in_view(edits, seen), [r for r in refused if _begins(r.edit) <= seen]
        kept, rejected = _rejected_out_of_view(kept, rejected, edits, seen)
    return Plan(
        text=text,
        attributes=tuple(d.attribute for d in dictionaries),
        settings=settings,
        sentences=sentences,
        occurrences=kept,
        rejected=sorted(rejected, key=lambda r: r.occurrence.span),
        edits=edits,
        notices=notices,
        people=people,
        refused=refused,
        of_nobody={d.attribute for d in dictionaries if d.placebo},
    )


def _literal(occurrence: Occurrence) -> Occurrence:
    """Leave out the readings that only a place after *the* has, which the paper does not know."""
    terms = (t for t in occurrence.terms if t.form is not GrammaticalForm.COLLECTIVE)
    return replace(occurrence, terms=tuple(terms))


def _coherent(
    text: str,
    occurrences: Sequence[Occurrence],
    dictionaries: Sequence[Dictionary],
    edits: Mapping[str, list[Edit]],
    people: People,
) -> tuple[dict[str, list[Edit]], list[RejectedEdit]]:
    """Extend the edits of attributes with pronouns to all mentions of the people they change.

    Return the edits by attribute, and what is refused.
    """
    extended, refused = dict(edits), list[RejectedEdit]()
    by_name = {dictionary.attribute: dictionary for dictionary in dictionaries}
    for attribute in edits:
        dictionary = by_name[attribute]
        if dictionary.has_pronouns:
            of_attribute = [o for o in occurrences if o.attribute == attribute]
            coherent, not_made = coherent_edits(
                text, of_attribute, dictionary, edits[attribute], people
            )
            extended[attribute] = coherent
            refused += not_made
    return {a: coherent for a, coherent in extended.items() if coherent}, refused


def parted(
    occurrences: Iterable[Occurrence], against: Callable[[Occurrence], str]
) -> tuple[list[Occurrence], list[RejectedOccurrence]]:
    """Part the occurrences against which there is no reason from the others."""
    reasons = [(one, against(one)) for one in occurrences]
    kept = [one for one, why in reasons if not why]
    return kept, [RejectedOccurrence(one, why) for one, why in reasons if why]


def _outside(window: int | None) -> Callable[[Occurrence], str]:
    """Return what says why an occurrence is not in the window."""

    def against(one: Occurrence) -> str:
        past = window is not None and one.span[1] > window
        return f"past the first {window:,} characters" if past else ""

    return against


def _begins(edit: Edit) -> int:
    """Return the end of the first word that an edit changes."""
    return min((end for _, end in edit.spans), default=0)


def _in_view(edits: Mapping[str, list[Edit]], seen: int) -> dict[str, list[Edit]]:
    """Keep the edits of which every model sees a change; words past it change along."""
    in_view = {a: [e for e in made if _begins(e) <= seen] for a, made in edits.items()}
    return {attribute: made for attribute, made in in_view.items() if made}


def _rejected_out_of_view(
    kept: Sequence[Occurrence],
    rejected: Iterable[RejectedOccurrence],
    edits: Mapping[str, list[Edit]],
    seen: int,
) -> tuple[list[Occurrence], list[RejectedOccurrence]]:
    """Reject the occurrences that no model sees and no edit changes along, for this reason."""
    along = {(a, span) for a, made in edits.items() for edit in made for span in edit.spans}

    def against(one: Occurrence) -> str:
        return _UNSEEN if one.span[1] > seen and (one.attribute, one.span) not in along else ""

    kept, unseen = parted(kept, against)
    others = [r if r.occurrence.span[1] <= seen else replace(r, reason=_UNSEEN) for r in rejected]
    return kept, others + unseen


def _with_sense(
    occurrences: Sequence[Occurrence],
    sentences: Sequence[Sentence],
    parses: ParseStore,
    neutral: Collection[str],
) -> tuple[list[Occurrence], list[RejectedOccurrence]]:
    """Keep the readings that the parse allows (form and person sense)."""
    placed = []
    for occurrence in occurrences:
        sentence = sentence_at(sentences, occurrence.span[0])
        inside = sentence is not None and occurrence.span[1] <= sentence.end
        placed.append((occurrence, sentence if inside else None))
    shown = [s.text for _, s in placed if s and len(s.text) <= _LONGEST_SENTENCE]
    parsed = parses.parse(shown, entities=True)
    kept: list[Occurrence] = []
    rejected: list[RejectedOccurrence] = []
    about_people = any(occurrence.attribute not in neutral for occurrence in occurrences)
    readings = load_encoder().read(shown) if about_people else {}
    named: dict[str, str] = {}  # what is part of a longer name somewhere in the text
    for occurrence, sentence in placed:
        if sentence is None or len(sentence.text) > _LONGEST_SENTENCE:
            why = _TOO_LONG if sentence else "it spans two sentences"
            rejected.append(RejectedOccurrence(occurrence, why))
            continue
        kinds = None if occurrence.attribute in neutral else readings[sentence.text]
        parse = parsed[sentence.text]
        reading = read_in_text(occurrence, sentence, sentences, parse, kinds)
        if reading.terms:
            kept.append(replace(occurrence, terms=reading.terms))
        else:
            rejected.append(RejectedOccurrence(occurrence, reading.reason))
            if " " in reading.name:
                named.setdefault(occurrence.surface, reading.name)
    said = {occurrence.surface: occurrence.terms for occurrence in kept}
    for refused in [r for r in rejected if r.occurrence.surface.isupper()]:
        # A headline has no sentence that shows it: "SALESMAN WANTED", and below "a salesman".
        if terms := said.get(refused.occurrence.surface.lower()):
            rejected.remove(refused)
            kept.append(replace(refused.occurrence, terms=terms))
    kept.sort(key=lambda one: one.span)
    for occurrence in [o for o in kept if o.surface in named and _may_be_surname(o)]:
        kept.remove(occurrence)
        reason = f"a surname in this text: \u201c{named[occurrence.surface]}\u201d"
        rejected.append(RejectedOccurrence(occurrence, reason))
    return kept, rejected


def _may_be_surname(occurrence: Occurrence) -> bool:
    """Whether a capital is more than that of a people: "the Black gang", not "the Danes"."""
    return occurrence.surface.lower() in COLOURS or occurrence.terms[0].text.islower()


_MAX_UNLIMITED = 500_000  # combinations that are listed in memory


def require_mutable(plan: Plan, needs: str = "") -> None:
    """Refuse a plan without mutants.

    ``needs``: what a text must have, in words, for relations that do not just exchange terms.

    Raises:
        InputError: no accepted term, or too few attributes for an intersection; the message says
            why.
    """
    missing = plan.missing
    present = [a for a in plan.attributes if a not in missing]
    rejected = [r for r in plan.rejected if r.occurrence.attribute in missing]
    words = [*dict.fromkeys(r.in_words for r in rejected)]
    words += [r.in_words for r in plan.refused if r.edit.attribute in missing]
    why = f" ({'; '.join([needs] * bool(needs) + words[:3])})" if needs or words else ""
    names = " Names alone can be changed, too, with --origin-names (in Python, origin_names=True)."
    names *= plan.only_names_tell
    if not present:
        only = " Only English texts can be changed, and no common English word was found here."
        only = only if plan.perhaps_foreign else names
        raise InputError(
            f"No term of {listed(plan.attributes)} can be changed in this text{why}.{only}"
        )
    need = 1 if plan.settings.order == 1 else 2
    if len(present) < need:
        offers, none = ("offers a change", "offer") if needs else ("has a term", "have")
        none = none if len(missing) > 1 else offers.split()[0]
        raise IntersectionError(
            f"Only {present[0]} {offers} in this text; {listed(missing, 'and')} {none} none, so "
            f"there is no intersection{why}",
            f". Choose another attribute, or change one alone (order 1).{names}",
        )
    if plan.settings.limit is None and plan.total > _MAX_UNLIMITED:
        raise InputError(
            f"This text has {plan.total:,} combinations; give a limit to test a sample of them."
        )
    if need == 2 and next(plan.each(), None) is None:
        if plan.only_across_people:
            raise IntersectionError(
                f"The changes of {listed(present, 'and')} concern different people here",
                ", or it is not certain that they concern the same person. To combine them all the "
                "same, choose --across-people (in Python, across_people=True); or change one "
                "attribute alone.",
            )
        what = "changes" if needs else "terms"
        raise IntersectionError(
            f"The {what} of {listed(present, 'and')} share words here, so they cannot change "
            "together",
            ". Choose another attribute.",
        )
