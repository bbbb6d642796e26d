"""Fill templates: the words of each class in all slots, in agreement; and the edits between them.

The source text of a template has a base value in every slot. An edit exchanges one value for
another in all its slots at once: gender changes the given name, pronouns, nouns, titles and their
articles; country of origin the names; occupation the occupation and its article.

Departures: BiasFinder compares mutants with each other only. The base makes each of them an edit of
one source text, so that two edits can be combined, and parts compared with wholes. The base values
are drawn, too: a famous name of the original would stand out among the others. They fit the text:
the base name is of no particular country, or of the country of the name that stood there. And the
values are HInter's own: 95 occupations and 29 countries, of which a name is drawn for each
template. The paper has 79 occupations, and one name of each gender from 26 countries.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from hinter_core.errors import InputError
from hinter_core.generators.templates.template import (
    COUNTRY,
    GENDER,
    OCCUPATION,
    PRONOUNS,
    SlotKind,
    Template,
    gendered,
    numbered,
    with_case,
)
from hinter_core.mutation.edits import article_for, substitution
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.names import ANYWHERE, GENDERS, NameList
from hinter_core.types import (
    Change,
    Edit,
    GrammaticalForm,
    Origin,
    OriginKind,
    Sense,
    Slot,
    Span,
    Term,
)

UNSTATED = "unspecified"  # country of a base name of no particular country
SAME_CLASS = "placebo-name"  # attribute of edits that exchange names of one class
_WORD = re.compile(r"[^\W_]+")
# Of one gender to many readers, though in form of none.
_NOT_NEUTRAL = frozenset({"midwife", "nanny", "housekeeper", "prosecutor"})


@lru_cache(maxsize=1)
def occupations() -> Mapping[str, str]:
    """Return gender-neutral occupations of one word, with their sectors.

    Those whose noun has other senses (*judge*, *cook*) are left out.
    """
    of_a_gender = {term.text for term in load_shipped()["gender"].terms if term.group in GENDERS}
    return {
        term.text: term.group
        for term in load_shipped()["occupation"].terms
        if term.form is GrammaticalForm.NOUN_SG
        and term.sense is Sense.PERSON
        and term.text.isalpha()
        and term.text not in of_a_gender | _NOT_NEUTRAL
    }


@dataclass(frozen=True, slots=True)
class Person:
    """The values that fill the slots of a template."""

    gender: str
    given: str
    family: str
    country: str
    occupation: str


@dataclass(frozen=True)
class TemplateValues:
    """Values for slots: ``names``, and ``per_class`` given names of each gender.

    BiasFinder, section 4.2, has 30 (N), whatever else is tested.
    """

    names: NameList
    per_class: int = 30

    def plan(self, template: Template, settings: Settings, attributes: Sequence[str]) -> Plan:
        """Return the template filled with base values, and all edits of these attributes.

        Raises:
            InputError: there is no name or no other value for a slot.
        """
        names = tuple(name for name in attributes if name in template.attributes)
        return _Filling(self, template, settings, names).plan(tuple(attributes))


def words_of(template: Template, person: Person) -> tuple[str, ...]:
    """Return the words that fill the slots of a template for a person."""
    words: list[str] = []
    for slot in template.slots:
        if slot.kind is SlotKind.NAME:
            names = {"": person.given, "family": person.family}
            word = names.get(slot.detail) or f"{person.given} {person.family}"
        elif slot.kind is SlotKind.PRONOUN:
            word = PRONOUNS[slot.detail][person.gender]
        elif slot.kind is SlotKind.OCCUPATION:
            word = person.occupation
        elif slot.kind is SlotKind.ARTICLE:
            word = ""  # after the words that follow it
        else:
            word = (gendered(slot.detail, slot.kind) or {})[person.gender]
        words.append(with_case(word, slot.case))
    for place in reversed(range(len(words))):
        if template.slots[place].kind is SlotKind.ARTICLE:
            words[place] = _article(template, words, place)
    return tuple(words)


def _article(template: Template, words: Sequence[str], place: int) -> str:
    after = template.pieces[place + 1]
    for word, piece in zip(words[place + 1 :], template.pieces[place + 2 :], strict=True):
        if _WORD.search(after):
            break
        after += word + piece
    following = _WORD.search(after)
    return with_case(
        article_for(following.group()) if following else "a", template.slots[place].case
    )


class _Filling:
    """One template, its base person, and the edits to other values."""

    def __init__(
        self,
        values: TemplateValues,
        template: Template,
        settings: Settings,
        names: tuple[str, ...],
    ) -> None:
        self._values, self._template, self._settings, self._own = values, template, settings, names
        self._rng = Random(f"{settings.seed} {template.id} {template.text}")
        self._taken = frozenset(_WORD.findall(" ".join(template.pieces)))
        self._base = self._draw()
        self._words = words_of(template, self._base)
        self.text, self._spans = template.filled(self._words)
        self._gender_edits: list[Edit] = []

    def plan(self, attributes: tuple[str, ...]) -> Plan:
        template = self._template
        slots = tuple(map(Slot, numbered(template.slots), self._spans))
        plan = Plan.of_text(
            self.text,
            self._settings,
            attributes,
            origin=Origin(OriginKind.TEMPLATE, template.id),
            slots=slots,
        )
        if GENDER in self._own:
            self._gender_edits = self._genders()
            plan.edits[GENDER] = self._gender_edits
        if COUNTRY in self._own:
            plan.edits[COUNTRY] = self._countries()
        if OCCUPATION in self._own:
            plan.edits[OCCUPATION] = self._occupations()
        if self._own and set(self._own) != {OCCUPATION}:
            plan.edits[SAME_CLASS] = self._same_class()
        return plan

    def _draw(self) -> Person:
        template, rng = self._template, self._rng
        gender = template.gender or rng.choice(GENDERS)
        country = self._home(gender)
        kinds = {slot.kind for slot in template.slots}
        given = family = occupation = ""
        parts = {slot.detail for slot in template.slots if slot.kind is SlotKind.NAME}
        if parts - {"family"}:
            given = self._given(country, gender)[0]
        if parts - {""}:
            family = self._family(country)
        if SlotKind.OCCUPATION in kinds:
            before = dict(zip((slot.kind for slot in template.slots), template.words, strict=False))
            if OCCUPATION not in self._own:
                occupation = before.get(SlotKind.OCCUPATION, "").lower()
            occupation = occupation or rng.choice(sorted(occupations()))
        return Person(gender, given, family, country, occupation)

    def _home(self, gender: str) -> str:
        """Return the country of the name that stood in the text; none in particular if unknown."""
        before = zip(self._template.slots, self._template.words, strict=False)
        known = {
            word for slot, word in before if slot.kind is SlotKind.NAME for word in word.split()
        }
        given = self._values.names.given
        home = next(
            (c for (c, g), names in given.items() if g == gender and known & {*names}), ANYWHERE
        )
        if (home, gender) in given:
            return home
        return self._rng.choice(self._values.names.countries or (ANYWHERE,))

    def _known_countries(self) -> tuple[str, ...]:
        countries = self._values.names.countries
        if len(countries) < 2:
            raise InputError(
                "the list of names has fewer than two countries with male and female names"
            )
        return countries

    def _given(self, country: str, gender: str) -> list[str]:
        """Return given names in random order, without those that the text has elsewhere."""
        names = self._values.names.given.get((country, gender), ())
        usable = [name for name in names if name not in self._taken]
        if not usable:
            raise InputError(_none_of(f"{gender} name", country))
        return self._rng.sample(usable, len(usable))

    def _class(self, gender: str) -> list[str]:
        """Return names of a gender that suit the base: of its country, then of none."""
        places = [self._base.country, ANYWHERE] if self._base.country else [ANYWHERE]
        known = [place for place in places if (place, gender) in self._values.names.given]
        return [name for place in known or places[:1] for name in self._given(place, gender)]

    def _families(self, country: str) -> list[str]:
        families = self._values.names.family
        names = families.get(country) or families.get(ANYWHERE, ())
        return [name for name in names if name not in self._taken]

    def _family(self, country: str) -> str:
        usable = self._families(country)
        if not usable:
            raise InputError(_none_of("family name", country))
        return self._rng.choice(usable)

    def _genders(self) -> list[Edit]:
        other = next(gender for gender in GENDERS if gender != self._base.gender)
        people = [replace(self._base, gender=other)]
        if self._base.given:
            names = self._class(other)[: self._values.per_class]
            people = [replace(people[0], given=name) for name in names]
        return self._edits(GENDER, ((person, other) for person in people))

    def _countries(self) -> list[Edit]:
        edits = []
        for country in self._known_countries():
            if country == self._base.country:
                continue
            given = self._given(country, self._base.gender)[0] if self._base.given else ""
            family = self._family(country) if self._base.family else ""
            person = replace(self._base, given=given, family=family, country=country)
            edit = self._edit(COUNTRY, person, country)
            edits += [self._with_joint(edit, person)] if edit else []
        return edits

    def _with_joint(self, edit: Edit, person: Person) -> Edit:
        """Add what a change of country writes beside each change of gender.

        A given name says both, so that one of the new gender and the new country takes its place.
        """
        if not (isinstance(edit.change, Change) and self._base.given and self._gender_edits):
            return edit
        other = self._gender_edits[0].target.group
        names = self._given(person.country, other)
        alone = dict(zip(self._spans, words_of(self._template, person), strict=True))
        joint: list[tuple[str, dict[Span, str]]] = []
        spans = set(edit.spans)
        for number, gender in enumerate(self._gender_edits):
            both = replace(person, gender=other, given=names[number % len(names)])
            words = dict(zip(self._spans, words_of(self._template, both), strict=True))
            joint.append((gender.target.text, words))
            # An article that neither change alone would write so.
            changed = dict(zip(gender.spans, gender.change.texts, strict=True))
            spans |= {span for span in words if words[span] != changed.get(span, alone[span])}
        ordered = tuple(sorted(spans))
        change = replace(
            edit.change,
            texts=tuple(alone[span] for span in ordered),
            joint=tuple((name, tuple(words[s] for s in ordered)) for name, words in joint),
        )
        return Edit(change, ordered)

    def _occupations(self) -> list[Edit]:
        others = (
            (replace(self._base, occupation=name), sector)
            for name, sector in occupations().items()
            if name != self._base.occupation
        )
        return self._edits(OCCUPATION, others)

    def _same_class(self) -> list[Edit]:
        """Return the placebo: other names of the base person's gender and country."""
        base = self._base
        if base.given:
            others = [name for name in self._class(base.gender) if name != base.given]
            people = [replace(base, given=name) for name in others]
        else:
            families = self._families(base.country) if base.family else ()
            people = [replace(base, family=name) for name in families if name != base.family]
        people = people[: self._values.per_class - 1]
        return self._edits(SAME_CLASS, ((person, base.gender) for person in people))

    def _edits(self, attribute: str, people: Iterable[tuple[Person, str]]) -> list[Edit]:
        edits = (self._edit(attribute, person, group) for person, group in people)
        return [edit for edit in edits if edit]

    def _edit(self, attribute: str, person: Person, group: str) -> Edit | None:
        """Return the edit from the base to a person; None if no word differs."""
        new = words_of(self._template, person)
        slots = zip(self._spans, self._words, new, strict=True)
        changed = {span: (old, word) for span, old, word in slots if old != word}
        if not changed:
            return None
        base = self._base
        before = {
            GENDER: base.gender,
            COUNTRY: base.country or UNSTATED,
            OCCUPATION: occupations().get(base.occupation, base.occupation),
            SAME_CLASS: group,
        }
        first, other = next(iter(changed.values()))
        source = self._term(attribute, base, before[attribute], first)
        target = self._term(attribute, person, group, other)
        words = {span: word for span, (_, word) in changed.items()}
        return substitution(attribute, source, target, words)

    @staticmethod
    def _term(attribute: str, person: Person, group: str, first: str) -> Term:
        if attribute == OCCUPATION:
            return Term(person.occupation, group, GrammaticalForm.NOUN_SG)
        name = person.given or (person.family if attribute != GENDER else "")
        if name:
            return Term(name, group, GrammaticalForm.NAME)
        return Term(first.lower(), group, GrammaticalForm.ANY)


def _none_of(what: str, country: str) -> str:
    of = f" of {country}" if country else ""
    return f"the list of names has no {what}{of} that the text does not use already"
