"""Validity score: how probably people call a mutant a fair test, a soft one, or an unfair one.

The invariant says yes or no. Some mutants that it keeps are no fair tests all the same: of an
*unfair* one, a replaced word is no person there, or the sentence is broken; of a *soft* one, the
text contradicts the change elsewhere. The three probabilities add up to 1. They are a multinomial
logistic model of what is known of the source and the edits, fitted to mutants that people judged
blind (``python -m benchmarks --validity`` fits it and prints its error).

Every feature is a risk: more of it never makes a mutant fairer, and a mutant has no less of it than
its parts. So no part is less fair than the whole, whose verdict needs its parts.

Nothing is parsed for it; the encoder has read the source. Departure: the papers
have no such score. Grammatical acceptability and the plausibility of the words under a masked model
were measured as further parts; they tell nothing of these labels (AUC 0.49 and 0.47) and are left
out.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from math import exp, log, log1p
from typing import NamedTuple

from hinter_core.language.people import FEMALE, MALE, PRONOUNS, people_words
from hinter_core.language.sentences import split_sentences
from hinter_core.mutation.people import People
from hinter_core.mutation.plan import Plan
from hinter_core.relations.soft import contradictions
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.terms.senses import person_sense
from hinter_core.types import (
    Edit,
    GrammaticalForm,
    MentionKind,
    Mutant,
    Occurrence,
    Outcome,
    Sense,
    Sentence,
    Span,
    Splice,
    Term,
)

_TEXTS = 8  # whose sentences are kept
_EDITS = 4096  # whose answers are kept

_DOUBT = 0.01  # least probability that counts, of a person and of none
_GENDERS = (FEMALE, MALE)
_WORD = re.compile(r"[^\W\d_]+")
_AFTER_THE = re.compile(r"\bthe\s$", re.IGNORECASE)
_NAME_BEFORE = re.compile(r"[\w,]\s[A-Z][\w-]+\s$")
_NAME_AFTER = re.compile(r"[\s-][A-Z]")
_SEEN = 40  # characters before and after a word


class EditFeatures(NamedTuple):
    """What is known of an edit; more of each is a risk. Numbers of words are log(1 + number).

    Of the words that it replaces, ``doubt``: log odds that the least probable is not about people,
    from -4.6 to 4.6; ``ambiguous``: it is not always a person (*white*); ``adjective``, ``plural``:
    their form; ``after_the``: one follows *the*; ``capitals``: one stands in a name or title.

    Of the people whom it changes, ``unlisted``: coreference lists none of them; ``named``: one has
    a name; ``mentions``: how often they are spoken of; ``doubts``: words that may speak of them.

    Of the text, ``near``: other words of the replaced gender in the same sentences or the next
    ones; ``far``: elsewhere; ``against``: words that contradict the change, such as a country;
    ``people``: people in it; ``length``: hundreds of characters.

    ``age``, ``religion``: what it changes, since texts say these in many other words, too;
    ``neutral``: it replaces a gender by none, or by one that takes other pronouns.
    """

    doubt: float
    ambiguous: float
    adjective: float
    plural: float
    after_the: float
    capitals: float
    unlisted: float
    named: float
    mentions: float
    doubts: float
    near: float
    far: float
    against: float
    people: float
    length: float
    age: float
    religion: float
    neutral: float


class MutantFeatures(NamedTuple):
    """What is known of a mutant beside the most of each feature of its edits.

    ``places``: changed places; ``apart``: hundreds of characters between the first and the last;
    ``discarded``: the invariant discards it.
    """

    places: float
    apart: float
    discarded: float


FEATURES = (*EditFeatures._fields, *MutantFeatures._fields)


def _weights(**given: float) -> tuple[float, ...]:
    return tuple(given.get(name, 0.0) for name in FEATURES)


# Log odds of soft and of unfair against fair.
SOFT_INTERCEPT = -2.596
SOFT = _weights(
    doubt=0.172, plural=0.338, after_the=0.609, near=0.333, far=0.001, against=1.234, people=0.454,
    length=0.571, age=0.346, religion=0.724, neutral=0.113, places=0.185, apart=0.026,
)  # fmt: skip
UNFAIR_INTERCEPT = -3.117
UNFAIR = _weights(
    doubt=0.514, plural=0.636, after_the=0.251, named=0.161, mentions=0.292, against=1.252,
    people=0.723, length=0.343, age=0.533, religion=1.542, places=0.110, apart=0.257,
    discarded=2.022,
)  # fmt: skip


class Grades(NamedTuple):
    """The probabilities that people call a mutant fair, soft and unfair; they add up to 1."""

    fair: float
    soft: float
    unfair: float

    @property
    def in_words(self) -> str:
        """``fair 82 % · soft 11 % · unfair 7 %``."""
        parts = self._asdict().items()
        return " \u00b7 ".join(f"{name} {100 * part:.0f}\u00a0%" for name, part in parts)


def validity_of(plan: Plan, mutant: Mutant, *, kept: bool) -> Grades:
    """Return the validity score of a mutant of a plan; ``kept``: the invariant's answer."""
    return graded(features_of(plan, mutant, kept=kept))


def validity_of_outcome(plan: Plan, outcome: Outcome) -> Grades:
    """Return the validity score of a judged mutant of a plan."""
    return validity_of(plan, outcome.mutant, kept=outcome.conformance.by_invariant)


def graded(features: Sequence[float]) -> Grades:
    """Return the grades of a mutant with these :data:`FEATURES`."""
    soft = exp(SOFT_INTERCEPT + sum(w * x for w, x in zip(SOFT, features, strict=True) if w))
    unfair = exp(UNFAIR_INTERCEPT + sum(w * x for w, x in zip(UNFAIR, features, strict=True) if w))
    every = 1 + soft + unfair
    return Grades(1 / every, soft / every, unfair / every)


def suffices(grades: Grades, least: float) -> bool:
    """Whether a mutant is fair enough for a least score.

    Neither probability is higher for a mutant than for its parts.
    """
    return grades.fair >= least


def features_of(plan: Plan, mutant: Mutant, *, kept: bool) -> tuple[float, ...]:
    """Return the :data:`FEATURES` of a mutant of a plan."""
    people = plan.people if plan.settings.coherent else None  # else nobody was looked for
    doubts = plan.doubts
    edits = [
        _of_edit(plan.text, edit, people, len(doubts.get(edit, ())) if doubts else 0)
        for edit in mutant.edits
    ]
    most = tuple(map(max, zip(*edits, strict=True))) if edits else _NONE
    places = [splice.start for splice in mutant.splices]
    apart = (max(places) - min(places)) / 100 if places else 0.0
    return (*most, log1p(len(places)), log1p(apart), float(not kept))


_NONE = EditFeatures(-log(1 / _DOUBT - 1), *[0.0] * (len(EditFeatures._fields) - 1))


@lru_cache(maxsize=_EDITS // 16)  # each keeps the people of its text, with their parses
def _of_edit(text: str, edit: Edit, people: People | None, doubts: int) -> EditFeatures:
    form, around = edit.source.form, [text[max(0, a - _SEEN) : a] for a, _ in edit.spans]
    after = [text[end : end + 2] for _, end in edit.spans]
    replaced = edit.source.group if edit.source.group != edit.target.group else ""
    near, far = _left(text, replaced, edit.spans) if replaced in _GENDERS else (0, 0)
    return EditFeatures(
        doubt=-_log_odds(_least(text, edit.attribute, edit.source, edit.spans)),
        ambiguous=float(is_ambiguous(edit.source)),
        adjective=float(form is GrammaticalForm.ADJECTIVE),
        plural=float(form is GrammaticalForm.NOUN_PL),
        after_the=float(any(map(_AFTER_THE.search, around))),
        capitals=float(any(map(_NAME_BEFORE.search, around)) or any(map(_NAME_AFTER.match, after))),
        near=log1p(near),
        far=log1p(far),
        against=log1p(len(contradictions(text, _alone(edit)))),
        length=log1p(len(text) / 100),
        age=float(edit.attribute == "age"),
        religion=float(edit.attribute == "religion"),
        neutral=float(replaced in _GENDERS and edit.target.group not in _GENDERS),
        doubts=log1p(doubts),
        **_of_people(edit, people),
    )


def _alone(edit: Edit) -> Mutant:
    """Return what changes at the places of an edit."""
    return Mutant((edit,), "", tuple(Splice(a, b, "", "", a) for a, b in edit.spans))


def _of_people(edit: Edit, people: People | None) -> dict[str, float]:
    """Return what coreference tells of the people whom an edit changes."""
    every = people.entities if people is not None else ()
    changed = people.of_edit(edit) if people is not None else frozenset()
    listed = [every[number] for number in changed if number < len(every)]
    mentions = [mention for entity in listed for mention in entity.mentions]
    return {
        "unlisted": float(bool(changed) and not listed),
        "named": float(any(mention.kind is MentionKind.NAME for mention in mentions)),
        "mentions": log1p(len(mentions)),
        "people": log1p(sum(entity.person for entity in every)),
    }


@lru_cache(maxsize=_EDITS)
def _left(text: str, group: str, spans: tuple[Span, ...]) -> tuple[int, int]:
    """Return how many words of a replaced gender are left, near the changed ones and elsewhere."""
    starts = [sentence.start for sentence in _sentences(text)]
    changed = {bisect_right(starts, start) for start, _ in spans}
    found = [
        not changed.isdisjoint(range(number - 1, number + 2))
        for start, end in _gendered(text).get(group, ())
        if all(end <= low or high <= start for low, high in spans)
        for number in [bisect_right(starts, start)]
    ]
    return sum(found), len(found) - sum(found)


@lru_cache(maxsize=_TEXTS)
def _gendered(text: str) -> dict[str, list[Span]]:
    """Return the pronouns, nouns, titles and given names of each gender."""
    words, found = people_words(), dict[str, list[Span]]()
    for match in _WORD.finditer(text):
        word = match.group().lower()
        form = PRONOUNS.get(word)
        gender = form.gender if form else words.nouns.get(word) or words.titles.get(word)
        if not form and not gender and match.group()[0].isupper():
            gender = words.names.get(match.group())
        if gender:
            found.setdefault(gender, []).append(match.span())
    return found


def person_probability(text: str, mutant: Mutant) -> float | None:
    """Return the least probability, from 0 to 1, that a replaced word of ``text`` is about people.

    None if there is no word to ask about.
    """
    found = (_least(text, edit.attribute, edit.source, edit.spans) for edit in mutant.edits)
    return min((one for one in found if one is not None), default=None)


@lru_cache(maxsize=_EDITS)
def _least(text: str, attribute: str, term: Term, spans: tuple[Span, ...]) -> float | None:
    """Return the least probability of a term's places; None if there is none to ask about."""
    places = (
        Occurrence(attribute, span, text[slice(*span)], (term,))
        for span in spans
        # Others are pronouns that go with the word, or places of insertions.
        if fold(text[slice(*span)]) == fold(term.text)
    )
    found = (person_sense.person_probability(text, place) for place in places)
    return min((one for one in found if one is not None), default=None)


def is_ambiguous(term: Term) -> bool:
    """Whether a word is not always a person: its own entry says so, or a shipped one."""
    return term.sense is Sense.ASK or fold(term.text) in _ambiguous()


@lru_cache(maxsize=1)
def _ambiguous() -> frozenset[str]:
    """Return the words of the shipped dictionaries that are not always a person."""
    return frozenset(
        fold(term.text)
        for dictionary in load_shipped().values()
        for term in dictionary.terms
        if term.sense is Sense.ASK
    )


@lru_cache(maxsize=_TEXTS)
def _sentences(text: str) -> list[Sentence]:
    return split_sentences(text)


def _log_odds(probability: float | None) -> float:
    """Return the log odds; where nothing was asked, those of a clear person."""
    clear = 1 - _DOUBT if probability is None else probability
    bounded = min(max(clear, _DOUBT), 1 - _DOUBT)
    return log(bounded / (1 - bounded))
