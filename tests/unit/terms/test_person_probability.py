"""How probably replaced words are about people: even for every group, asked of the sentence."""

from __future__ import annotations

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.edits import apply_edits, handwritten_mutant
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.relations.validity import person_probability
from hinter_core.terms.dictionary import Dictionary, neutral_words
from hinter_core.terms.matching import matcher_for
from hinter_core.terms.occurrences import find_occurrences
from hinter_core.terms.senses.person_sense import person_probability as of_occurrence
from hinter_core.types import Edit, GrammaticalForm, Mutant, Pair, Term

ADJECTIVE = GrammaticalForm.ADJECTIVE
PERSON = "My neighbour, a friendly {} nurse, waved at us."
THING = "The second half is an ordinary {} comedy with tired jokes."


def mutant_of(text: str, attribute: str, word: str, form: GrammaticalForm) -> Mutant:
    start = text.index(word)
    pair = Pair(attribute, Term(word, "a", form=form), Term("other", "b", form=form))
    return apply_edits(text, [Edit(pair, ((start, start + len(word)),))])


def asked(frame: str, word: str, attribute: str = "race") -> float | None:
    text = frame.format(word)
    return person_probability(text, mutant_of(text, attribute, word, GrammaticalForm.ADJECTIVE))


def test_a_nurse_is_more_probably_a_person_than_a_comedy() -> None:
    person, thing = asked(PERSON, "British", "nationality"), asked(THING, "British", "nationality")
    assert person is not None
    assert thing is not None
    assert thing < 0.5 < person


def test_a_man_is_one_in_notes_without_verbs_too() -> None:
    for word in ("man", "woman"):
        mutant = mutant_of(f"39 y/o {word}, crush injury.", "gender", word, GrammaticalForm.NOUN_SG)
        assert person_probability("39 y/o man, crush injury.".replace("man", word), mutant) is None


def test_every_group_has_the_same_answer(shipped: dict[str, Dictionary]) -> None:
    words = {
        term.text
        for term in shipped["race"].terms
        if term.form is GrammaticalForm.ADJECTIVE and term.text[0].isupper()
    } - {"Black", "White", "Brown"}
    assert len(words) > 100
    assert len({asked(THING, word) for word in words}) == 1


def test_colours_are_asked_about_as_they_are() -> None:
    wall = "She leaned on the {} wall of the kitchen."
    assert asked(wall, "white") != asked(wall, "Danish")


def test_the_place_in_a_text_is_asked_about(shipped: dict[str, Dictionary]) -> None:
    text = f"{THING.format('Danish')} {PERSON.format('Danish')}"
    found, _ = find_occurrences(text, matcher_for([shipped["nationality"]]))
    thing, person = (of_occurrence(text, one) for one in found)
    assert thing is not None
    assert person is not None
    assert thing < 0.5 < person


def test_the_least_probable_place_counts() -> None:
    text = f"{PERSON.format('Danish')} {THING.format('Danish')}"
    spans = tuple((n, n + 6) for n in range(len(text)) if text.startswith("Danish", n))
    form = GrammaticalForm.ADJECTIVE
    pair = Pair("race", Term("Danish", "a", form=form), Term("Finnish", "b", form=form))
    assert len(spans) == 2
    both = person_probability(text, apply_edits(text, [Edit(pair, spans)]))
    assert both == pytest.approx(asked(THING, "Danish"), abs=1e-6)


def test_words_that_may_mean_anything_are_not_asked_about() -> None:
    assert asked(PERSON, "British", "seat class") is None
    assert asked(PERSON, "zorpish") is None
    assert person_probability("He left.", mutant_of(
        "He left.", "gender", "He", GrammaticalForm.PRONOUN_SUBJECT)) is None  # fmt: skip
    assert person_probability("A nurse.", handwritten_mutant("A nurse.", "A cook.", ())) is None
    assert person_probability("", Mutant((), "", ())) is None


def test_neutral_words_are_not_asked_about(parses: ParseStore) -> None:
    text = "On Tuesday, the old table was moved to the northern kitchen by hand."
    plan = make_plan(text, neutral_words(), Settings(order=1), parses)
    mutants = [plan.mutant(edits) for edits in plan.atomic()]
    assert mutants
    assert {person_probability(text, mutant) for mutant in mutants} == {None}


@pytest.mark.parametrize(
    ("text", "attribute", "word"),
    [
        ("Name: A. Low\nReligion: Muslim\nPets: none", "religion", "Muslim"),
        ("Sex: female\nHair: black", "gender", "female"),
        ("Marital status: single, Nationality: Danish", "nationality", "Danish"),
    ],
)
def test_a_field_says_its_value_of_somebody(text: str, attribute: str, word: str) -> None:
    assert person_probability(text, mutant_of(text, attribute, word, ADJECTIVE)) is None
    other = text.replace(":", "").replace(word, f"{word} tea")
    assert person_probability(other, mutant_of(other, attribute, word, ADJECTIVE)) is not None
