"""Names and other words for somebody that contradict a change: no Nigerian is Hiroshi Tanaka.

A name of the lists tells the peoples that bear it. One of no list tells those that the text names,
unless they speak English, whose names many peoples bear. A given name of no list may tell a reader
the sex, and so may words for the same person that coreference keeps apart. Departure: the papers
change words of one attribute and leave names alone; where names change with their people, nothing
is left to tell.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hinter_core.language.people import FEMALE, MALE, NEAR, PRONOUNS, people_words
from hinter_core.mutation.given_names import ORIGIN, GivenNames
from hinter_core.mutation.people import People
from hinter_core.mutation.unresolved import narrates
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold, overlap
from hinter_core.terms.names import ANYWHERE, countries_of, load_names, name_usage
from hinter_core.types import Edit, GrammaticalForm, Mention, MentionKind, Span, Term

_AT_HOME = frozenset({ANYWHERE, "african-american"})  # their surnames are English
_DEAR = re.compile(r"\s*(?:dear|hello|hi|to)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_INDEFINITE = re.compile(r"an?\s", re.IGNORECASE)
_GENDERS = (FEMALE, MALE)
_SIGNED = 2  # words before a name at most: "Regards, Mr Okonkwo"
_TEXTS = 8  # whose names are kept
_EDITS = 4096


@lru_cache(maxsize=_EDITS // 16)  # each keeps the people of its text
def names_against(text: str, people: People, edit: Edit) -> tuple[tuple[Span, str], ...]:
    """Return the longest names, with their places, that tell the people whom an edit replaces.

    Those that change with the edit, and those that the new people bear, too, tell nothing.
    """
    return tuple(_names_against(text, people, edit)) if edit.attribute in ORIGIN else ()


def _names_against(text: str, people: People, edit: Edit) -> Iterator[tuple[Span, str]]:
    names = _names(text, people)
    old, new = _borne(edit.source), _borne(edit.target)
    own = people.of_edit(edit) & names.bearers or _signed(text, people, edit)
    of_them = old - {ANYWHERE}
    # "Ms. Tran came. The patient is Vietnamese": a name of theirs, most likely of this person.
    others = () if own or _of_narrator(text, people, edit) else names.bearers
    theirs = {one for one in others if not of_them.isdisjoint(_told(names, one) or ())}
    for person in sorted(own | theirs):
        place, name = names.longest(person)
        if any(overlap(place, span) for span in edit.spans):
            continue
        told = _told(names, person)
        if told is None:
            tells, fits = _foreign(edit), not old.isdisjoint(new)
        else:
            tells = not told.isdisjoint(old) or bool(told and not old)
            fits = not told.isdisjoint(new)
        if tells and not fits:
            yield place, name


def names_of_no_list(text: str, people: People, edit: Edit) -> Iterator[tuple[Span, str]]:
    """Yield the names, with their places, of whom an edit changes to the other sex, that stay.

    They are of no list, so that nothing stands in for them: "Zebedeus is a nice girl".
    """
    if edit.attribute == "gender":
        names = _names(text, people)
        for person in sorted(people.of_edit(edit) & names.bearers):
            place, name = names.longest(person)
            stays = not any(overlap(place, span) for span in edit.spans)
            if stays and names.unlisted(person):
                yield place, name


def _signed(text: str, people: People, edit: Edit) -> frozenset[int]:
    """Return the one name of a text that stands alone, if it is of who says *I* in it.

    "Chidi Okonkwo. I am Nigerian" and "Regards, C. Okonkwo", but not "Dear Mr Okonkwo".
    """
    bearers = _names(text, people).bearers
    if len(bearers) != 1 or not _of_narrator(text, people, edit):
        return frozenset()
    start, end = _names(text, people).longest(*bearers)[0]
    before, after = text[:start].rpartition("\n")[2], text[end : end + 1]
    alone = after in ("", ".", "\n") and len(_WORD.findall(before)) <= _SIGNED
    return bearers if alone and not _DEAR.match(before) else frozenset()


def _of_narrator(text: str, people: People, edit: Edit) -> bool:
    """Whether an edit changes who says *I* in a text."""
    told = (one for n in people.of_edit(edit) for one in people.entities[n : n + 1])
    return any(narrates(text, one) for one in told)


@lru_cache(maxsize=_TEXTS)
def _names(text: str, people: People) -> GivenNames:
    return GivenNames(text, people.entities)


def _told(names: GivenNames, person: int) -> frozenset[str] | None:
    """Return the origins of a person's names; none of usual ones, None if no list has the name."""
    usage, given, family = name_usage(), names.of(person), names.surnames_of(person)
    of_given = {usage.country(word) for word in given} - {ANYWHERE, *usage.anywhere}
    of_family = frozenset[str]().union(*map(usage.of_family, family))
    first = frozenset[str]().union(*map(usage.of_family, given))
    if turned := first.intersection(map(usage.country, family)):  # "Li Wei"
        return turned
    if ANYWHERE in of_family or all(map(usage.gender, family)):  # "Christian Alexander"
        return frozenset(of_given)
    return of_family.union(of_given) or None


def _borne(term: Term) -> frozenset[str]:
    """Return the origins of the names that a people bears, or else those of its group."""
    word = people_said(term)
    return frozenset(countries_of(word)) or _of_groups().get(fold(word), frozenset())


def _foreign(edit: Edit) -> bool:
    """Whether a name of no list is likely one of the people whom an edit replaces."""
    word = people_said(edit.source)
    if known := countries_of(word):
        return _AT_HOME.isdisjoint(known)
    return edit.attribute == "nationality" or fold(word) in nationalities()


@lru_cache(maxsize=1)
def nationalities() -> frozenset[str]:
    """Return the shipped words of nationalities."""
    return frozenset(fold(term.text) for term in load_shipped()["nationality"].terms)


def people_said(term: Term) -> str:
    """Return the word of a term, or that for the people that a name is of."""
    return term.concept if term.form is GrammaticalForm.NAME else term.text


@lru_cache(maxsize=1)
def _of_groups() -> dict[str, frozenset[str]]:
    """Return the origins of the names that several peoples of a group share, by their words.

    Mexicans and Colombians bear Spanish ones.
    """
    shared = name_usage().anywhere - {*load_names().countries}
    terms = load_shipped()["race"].terms
    origins: dict[str, set[str]] = defaultdict(set)
    for term in terms:
        if term.concept == "race":  # a word for the whole group: Latino, not Russian
            origins[term.group].update(shared.intersection(countries_of(term.text)))
    return {fold(term.text): frozenset(origins[term.group]) for term in terms}


def left_behind(text: str, edit: Edit, people: People) -> Iterator[tuple[Span, str]]:
    """Yield words of a replaced gender that no other person of the text accounts for.

    Where a noun changes, a pronoun behind it that coreference gives to no noun and no name ("my
    grandma ... She's 90"). Where pronouns alone change, the noun or the name before them ("Seen Mr
    Pham. Says he is well"). Of somebody who is described and then named, the one that does not
    change ("A nurse has won her appeal. Amelia Rowe, 34, ...").
    """
    gender, changed = edit.source.group, people.of_edit(edit)
    several = edit.source.form is GrammaticalForm.NOUN_PL  # "her grandmothers"
    if several or gender not in _GENDERS or edit.target.group == gender:
        return
    own = [m for person in changed for m in people.mentions(person)]
    nouns = [m for m in own if m.kind is not MentionKind.PRONOUN]
    sentences = {people.sentence_at(start) for start, _ in edit.spans}
    first = min(start for start, _ in edit.spans)

    def near(place: int) -> bool:
        return any(abs(people.sentence_at(place) - one) <= NEAR for one in sentences)

    for number, entity in enumerate(people.entities):
        alone = entity.person and not entity.plural and entity.gender == gender
        named = any(m.kind is not MentionKind.PRONOUN for m in entity.mentions)
        if not alone or number in changed:
            continue
        both = (own, entity.mentions)
        apart = own and len({people.sentence_at(each[0].head[0]) for each in both}) > 1
        if apart and (_introduced(text, *both) or _introduced(text, *reversed(both))):
            says = [one for one in entity.mentions if _gender_of(text, one) == gender]
            yield from ((one.head, text[slice(*one.head)]) for one in says)
            continue
        if named is bool(nouns):
            continue
        # "His father died" is of two.
        owner = any(overlap(one.head, noun.span) for one in entity.mentions for noun in nouns)
        # The chaplain of "he met a chaplain and asked him" is a man because of "him" alone.
        says = [one for one in entity.mentions if _gender_of(text, one) == gender]
        for one in () if owner else says:
            kind = (one.kind is MentionKind.PRONOUN) is bool(nouns)
            if kind and (one.head[0] > first) is bool(nouns) and near(one.head[0]):
                yield one.head, text[slice(*one.head)]


def _introduced(text: str, first: Sequence[Mention], later: Sequence[Mention]) -> bool:
    """Whether somebody is first described and later named with a full name, as news do.

    "A Polish man has appeared in court ... Damian Wrobel denied it".
    """
    nouns = [one for one in first if one.kind is MentionKind.NOUN]
    names = [one for one in later if one.kind is not MentionKind.PRONOUN]
    described = bool(nouns) and _INDEFINITE.match(text, nouns[0].span[0]) is not None
    named = (
        bool(names) and names[0].kind is MentionKind.NAME and names[0].head[0] == names[0].span[0]
    )
    full = named and " " in text[slice(*names[0].head)]
    unnamed = all(one.kind is not MentionKind.NAME for one in first)
    starts = described and not text[: nouns[0].span[0]].strip()
    return starts and full and unnamed and first[0].span[0] < later[0].span[0]


def _gender_of(text: str, mention: Mention) -> str:
    """Return the gender that a pronoun, a noun or a name with its title says, or ""."""
    known, head = people_words(), text[slice(*mention.head)]
    if form := PRONOUNS.get(head.lower()):
        return form.gender
    if mention.kind is MentionKind.NOUN:
        return known.nouns.get(head.lower(), "")
    before = text[: mention.head[0]].split()[-1:]
    title = known.titles.get(before[0].rstrip(".").lower()) if before else ""
    return title or known.names.get(head.split(" ")[0], "")
