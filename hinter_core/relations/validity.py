"""Validity score: how probably people call a mutant a fair test, a soft one, or an unfair one.

The invariant says yes or no. Some mutants that it keeps are no fair tests all the same: of an
*unfair* one, a replaced word is no person there, or the sentence is broken; of a *soft* one, the
text contradicts the change elsewhere. The three probabilities add up to 1. Each edit adds to the
odds of soft and of unfair against fair, by a log-linear model of what is known of the source and
the edit, fitted to mutants that people judged blind (``python -m benchmarks --validity`` fits it
and prints its error). So no part is less fair than the whole, whose verdict needs its parts.

No feature tells which group takes the place of another. Nothing is parsed for them; the encoder has
read the source. Departure: the papers have no such score. Grammatical acceptability and the
plausibility of the words under a masked model were measured as further parts; they tell nothing of
these labels (AUC 0.49 and 0.47) and are left out.
"""

import re
from bisect import bisect_right
from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import exp, log, log1p
from typing import NamedTuple

from hinter_core.language.people import FEMALE, MALE, PRONOUNS
from hinter_core.language.sentences import sentences_of
from hinter_core.mutation.people import People
from hinter_core.mutation.plan import Plan
from hinter_core.relations.soft import contradictions
from hinter_core.terms.ages import years_of
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.terms.senses import person_sense
from hinter_core.types import (
    Edit,
    Grades,
    GrammaticalForm,
    MentionKind,
    Mutant,
    Occurrence,
    Sense,
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
_CAPITAL = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_NUMBER = re.compile(r"\d+")
_KINDS = (
    "name", "organisation", "office", "work", "language", "place", "thing", "figure",
)  # fmt: skip
_MOST = 30.0  # log odds that count
_STAGES = ("children", "young", "middle-aged", "older")  # groups of the shipped words for an age
_PLAIN = 120  # characters of a plain sentence
_GROWN = 20  # years up to which somebody is called a girl or a boy


class EditFeatures(
    namedtuple(
        "EditFeatures",
        "doubt name organisation office work language place thing figure adjective plural pronoun "
        "child after_the capitals places changed named mentions near words years against people "
        "sentences in_capitals numbers steps age religion neutral disability disabled "
        "single faith occupation",
    )
):
    """Features of an edit, each a number. Counts are log(1 + count).

    Of the words that it replaces, ``doubt``: log odds that the least probable is not about people,
    from -4.6 to 4.6; ``name`` to ``figure``: the highest probability of each other kind
    (:data:`hinter_core.language.encoder.KINDS`); ``adjective``, ``plural``, ``pronoun``: their
    form; ``child``: they are about children; ``after_the``: one follows *the*; ``capitals``: one
    stands in a name or title; ``places``: their number.

    Of the people whom it changes, ``changed``: their number; ``named``: one has a name;
    ``mentions``: how often they are spoken of.

    Of the text, in the same sentences or the next ones, ``near``: other pronouns of the replaced
    gender; ``words``: other words for what it changes, of a gender the replaced one's, of a
    religion none (another faith is somebody else's); ``years``: numbers, if it changes an age.
    Anywhere, ``against``: words that contradict the change, such as a country; ``people``: people;
    ``sentences``, ``in_capitals`` (words that begin with one), ``numbers``; ``single``: whether it
    has one sentence only.

    ``steps``: how many stages of life lie between the old age and the new one. ``age``,
    ``religion``: what it replaces, since texts say these in many other words, too;
    ``neutral``: it replaces a gender by none, or by one that takes other pronouns;
    ``disability``: it replaces one; ``disabled``: how often the people who have it are spoken of;
    ``faith``: ``in_capitals``, if it replaces a religion; ``occupation``:
    it replaces one in more than a plain sentence, as texts tell what somebody does.
    """

    __slots__ = ()


FEATURES = EditFeatures._fields
_NONE = EditFeatures(*[0.0] * len(FEATURES))._replace(doubt=-log(1 / _DOUBT - 1))


# Log odds of soft and of unfair against fair that an edit adds.
SOFT_INTERCEPT = -1.176
SOFT = EditFeatures(
    doubt=0.417, name=0.304, organisation=0.456, office=-0.313, work=-0.563, language=0.085,
    place=-0.671, thing=0.731, figure=0.920, adjective=-0.333, plural=0.734, pronoun=0.372,
    child=-0.124, after_the=0.378, capitals=-0.099, places=0.620, changed=0.559, named=-0.338,
    mentions=-0.013, near=1.133, words=1.286, years=0.154, against=2.250, people=0.287,
    sentences=0.043, in_capitals=-0.227, numbers=-0.116, steps=0.724, age=-0.095, religion=1.247,
    neutral=-0.407, disability=1.004, disabled=0.549, single=-0.584, faith=0.706,
    occupation=2.566,
)  # fmt: skip
UNFAIR_INTERCEPT = -0.731
UNFAIR = EditFeatures(
    doubt=0.922, name=-1.187, organisation=-1.025, office=0.048, work=-1.202, language=-0.016,
    place=0.390, thing=-1.691, figure=-0.252, adjective=-0.669, plural=0.613, pronoun=1.327,
    child=0.378, after_the=0.103, capitals=-0.006, places=0.196, changed=1.833, named=0.141,
    mentions=0.086, near=0.653, words=0.508, years=0.206, against=1.521, people=0.053,
    sentences=0.184, in_capitals=-0.028, numbers=-0.425, steps=0.805, age=0.337, religion=0.387,
    neutral=-1.040, disability=1.464, disabled=0.207, single=0.050, faith=0.975, occupation=1.659,
)  # fmt: skip
# What both are multiplied by, as logarithms, if the invariant discards the mutant.
DISCARDED = (0.000, 1.448)


class Odds(NamedTuple):
    """Odds of soft and of unfair against fair."""

    soft: float
    unfair: float


def validity_of(plan: Plan, mutant: Mutant, *, kept: bool) -> Grades:
    """Return the validity score of a mutant of a plan; ``kept``: the invariant's answer."""
    people = plan.people if plan.settings.coherent else None  # else nobody was looked for
    filled = bool(plan.slots)
    return _graded([_odds_of(plan.text, edit, people, filled) for edit in mutant.edits], kept=kept)


def graded(edits: Iterable[Sequence[float]], *, kept: bool) -> Grades:
    """Return the grades of a mutant whose edits have these :data:`FEATURES`."""
    return _graded([_odds(features) for features in edits], kept=kept)


def _graded(edits: Sequence[Odds], *, kept: bool) -> Grades:
    each = edits or [_odds(_NONE)]
    soft, unfair = (
        sum(values) * (1.0 if kept else exp(more))
        for values, more in zip(zip(*each, strict=True), DISCARDED, strict=True)
    )
    every = 1 + soft + unfair
    return Grades(1 / every, soft / every, unfair / every)


def _odds(features: Sequence[float]) -> Odds:
    soft = SOFT_INTERCEPT + sum(w * x for w, x in zip(SOFT, features, strict=True) if w)
    unfair = UNFAIR_INTERCEPT + sum(w * x for w, x in zip(UNFAIR, features, strict=True) if w)
    return Odds(exp(max(-_MOST, min(soft, _MOST))), exp(max(-_MOST, min(unfair, _MOST))))


def features_of(plan: Plan, mutant: Mutant) -> list[EditFeatures]:
    """Return the features of the edits of a mutant of a plan."""
    people = plan.people if plan.settings.coherent else None
    return [_of_edit(plan.text, edit, people, bool(plan.slots)) for edit in mutant.edits]


@lru_cache(maxsize=_EDITS // 16)  # each keeps the people of its text, with their parses
def _odds_of(text: str, edit: Edit, people: People | None, filled: bool) -> Odds:
    return _odds(_of_edit(text, edit, people, filled))


def _of_edit(text: str, edit: Edit, people: People | None, filled: bool) -> EditFeatures:
    form, before = edit.source.form, [text[max(0, a - _SEEN) : a] for a, _ in edit.spans]
    near = _near(text, edit.spans)
    after = [text[end : end + 2] for _, end in edit.spans]
    replaced = edit.source.group if edit.source.group != edit.target.group else ""
    person = _person(text, edit, people)
    of_person = (
        person is not None or form.is_pronoun
    )  # neutral words and a user's own are of any kind
    whom, around = _of_people(edit, people), _of_text(text)
    said = edit.attribute if edit.source.text else ""  # nothing, if words are added
    # Whoever made a template or a grammar chose where any occupation fits.
    plain = filled or (around["single"] and len(text) <= _PLAIN)
    return EditFeatures(
        doubt=-_log_odds(person),
        **(_kinds(text, edit.source, edit.spans) if of_person else dict.fromkeys(_KINDS, 0.0)),
        adjective=float(form is GrammaticalForm.ADJECTIVE),
        plural=float(form is GrammaticalForm.NOUN_PL),
        pronoun=float(form.is_pronoun),
        child=float(any(map(_is_child, edit.source.text.lower().split()))),
        after_the=float(any(map(_AFTER_THE.search, before))),
        capitals=float(
            not text.isupper()
            and (any(map(_NAME_BEFORE.search, before)) or any(map(_NAME_AFTER.match, after)))
        ),
        places=log1p(len(edit.spans)),
        near=log1p(near(_pronouns(text).get(replaced, ()))),
        words=log1p(near(() if said == "religion" else _words(text, edit.attribute, replaced))),
        years=log1p(near(_numbers(text) if edit.attribute == "age" else ())),
        against=log1p(len(contradictions(text, _alone(edit), people))),
        steps=_steps(edit),
        age=float(said == "age"),
        religion=float(said == "religion"),
        neutral=float(replaced in _GENDERS and edit.target.group not in _GENDERS),
        disability=float(said == "disability"),
        disabled=whom["mentions"] if said == "disability" else 0.0,
        faith=around["in_capitals"] if said == "religion" else 0.0,
        occupation=float(said == "occupation" and not plain),
        **whom,
        **around,
    )


def _steps(edit: Edit) -> float:
    """Return how many stages of life lie between those of an edit: one from young to older."""
    groups = edit.source.group, edit.target.group
    if edit.attribute != "age" or not set(_STAGES).issuperset(groups):
        return 0.0
    first, last = map(_STAGES.index, groups)
    return max(0.0, abs(first - last) - 1.0)


def _is_child(word: str) -> bool:
    years = years_of(word)
    return years is not None and years[1] <= _GROWN


def _alone(edit: Edit) -> Mutant:
    """Return what changes at the places of an edit."""
    return Mutant((edit,), "", tuple(Splice(a, b, "", "", a) for a, b in edit.spans))


def _of_people(edit: Edit, people: People | None) -> dict[str, float]:
    """Return the features of the people that an edit changes, from coreference."""
    every = people.entities if people is not None else ()
    changed = people.of_edit(edit) if people is not None else frozenset()
    mentions = [m for number in changed if number < len(every) for m in every[number].mentions]
    return {
        "changed": log1p(len(changed)),
        "named": float(any(mention.kind is MentionKind.NAME for mention in mentions)),
        "mentions": log1p(len(mentions)),
        "people": log1p(sum(entity.person for entity in every)),
    }


@lru_cache(maxsize=_TEXTS)
def _of_text(text: str) -> dict[str, float]:
    sentences = len(sentences_of(text))
    return {
        "sentences": log1p(sentences),
        "single": float(sentences <= 1),
        "in_capitals": log1p(len(_CAPITAL.findall(text))),
        "numbers": log1p(len(_numbers(text))),
    }


def _near(text: str, spans: tuple[Span, ...]) -> Callable[[Iterable[Span]], int]:
    """Return what counts the other places in the sentences of ``spans`` and the next ones."""
    starts = [sentence.start for sentence in sentences_of(text)]
    changed = {bisect_right(starts, start) + by for start, _ in spans for by in (-1, 0, 1)}

    def count(places: Iterable[Span]) -> int:
        return sum(
            bisect_right(starts, start) in changed
            and all(end <= low or high <= start for low, high in spans)
            for start, end in places
        )

    return count


@lru_cache(maxsize=_TEXTS)
def _numbers(text: str) -> list[Span]:
    return [match.span() for match in _NUMBER.finditer(text)]


@lru_cache(maxsize=_TEXTS * 8)
def _words(text: str, attribute: str, group: str) -> list[Span]:
    """Return the words of a text that an attribute has; of a gender, nouns of that one."""
    groups = _one_word_terms().get(attribute, {})

    def says(word: str) -> bool:
        listed = groups.get(fold(word), ())
        if attribute == "gender":
            return group in listed
        return bool(listed) or (attribute == "age" and _is_child(word))

    return [match.span() for match in _WORD.finditer(text) if says(match.group().lower())]


@lru_cache(maxsize=1)
def _one_word_terms() -> dict[str, dict[str, frozenset[str]]]:
    """Return the groups of the shipped words of each attribute, less pronouns."""
    by_attribute: dict[str, dict[str, frozenset[str]]] = {}
    for attribute, dictionary in load_shipped().items():
        by_word = by_attribute.setdefault(attribute, {})
        for term in dictionary.terms:
            if " " not in term.text and not term.form.is_pronoun:
                word = fold(term.text)
                by_word[word] = by_word.get(word, frozenset()) | {term.group}
    return by_attribute


@lru_cache(maxsize=_TEXTS)
def _pronouns(text: str) -> dict[str, list[Span]]:
    """Return the pronouns of each gender."""
    by_gender: dict[str, list[Span]] = {}
    for match in _WORD.finditer(text):
        form = PRONOUNS.get(match.group().lower())
        if form is not None and form.gender in _GENDERS:
            by_gender.setdefault(form.gender, []).append(match.span())
    return by_gender


def person_probability(text: str, mutant: Mutant, people: People | None = None) -> float | None:
    """Return the least probability, from 0 to 1, that a replaced word is about people.

    None if there is no word to ask about. ``people``: those of the text.
    """
    probabilities = (_person(text, edit, people) for edit in mutant.edits)
    return min((one for one in probabilities if one is not None), default=None)


def _person(text: str, edit: Edit, people: People | None) -> float | None:
    person = _least(text, edit.attribute, edit.source, edit.spans)
    if people is None or person is None or person >= 1 - _DOUBT:
        return person
    # "He is a good man", "a Jewish lady": the encoder is less sure of some people than of others.
    said = map(people.said_of_somebody, _own(text, edit.source, edit.spans))
    return None if all(said) else person


def _own(text: str, term: Term, spans: Iterable[Span]) -> list[Span]:
    """Return the places of a term; others are words that go with it, or insertions.

    Of a headline's word that stands below, too ("SALESMAN WANTED"), only the latter.
    """
    own = [span for span in spans if fold(text[slice(*span)]) == fold(term.text)]
    return [span for span in own if not text[slice(*span)].isupper()] or own


@lru_cache(maxsize=_EDITS)
def _least(text: str, attribute: str, term: Term, spans: tuple[Span, ...]) -> float | None:
    """Return the least probability of a term's places; None if there is none to ask about."""
    places = (
        Occurrence(attribute, span, text[slice(*span)], (term,)) for span in _own(text, term, spans)
    )
    probabilities = (person_sense.person_probability(text, place) for place in places)
    return min((one for one in probabilities if one is not None), default=None)


@lru_cache(maxsize=_EDITS)
def _kinds(text: str, term: Term, spans: tuple[Span, ...]) -> dict[str, float]:
    """Return the highest probability of each kind, of a term's places."""
    readings = (person_sense.reading_at(text, span) for span in _own(text, term, spans))
    each = [reading.kinds(span) for reading, span in filter(None, readings)]
    return {kind: max((one[kind] for one in each), default=0.0) for kind in _KINDS}


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


def _log_odds(probability: float | None) -> float:
    """Return the log odds; where nothing was asked, those of a clear person."""
    clear = 1 - _DOUBT if probability is None else probability
    bounded = min(max(clear, _DOUBT), 1 - _DOUBT)
    return log(bounded / (1 - bounded))
