"""Placebo mutants: neutral words, matched in order and in words changed."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from hinter_core.generators.placebo import Shape, Size, placebos, shape_of, words_changed
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.edits import as_written
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.relations.base import Compared
from hinter_core.relations.even_handed import check_all
from hinter_core.terms.dictionary import by_concept, choose, load_shipped
from hinter_core.terms.names import name_usage
from hinter_core.types import Change, Edit, EditKind, GrammaticalForm, Pair, Term

TEXT = (
    "On Tuesday the buyer quickly began to read a large report about the movie, and in March she "
    "usually bought an advertisement for nine dollars."
)


def neutral(parses: ParseStore, text: str = TEXT) -> Plan:
    return make_plan(text, by_concept(load_shipped()["placebo"]), Settings(order=3), parses)


def exchanged(*words: int) -> Shape:
    return tuple(Size("", number) for number in words)


def test_there_are_as_many_of_each_shape_as_the_text_has_words_for(parses: ParseStore) -> None:
    plan = neutral(parses)
    atomic = Counter({exchanged(1): 6, exchanged(2): 3})
    higher = Counter({exchanged(1, 1): 5, exchanged(1, 2): 4})
    made = list(placebos(plan, atomic, higher))
    found = Counter(shape_of(edits) for edits in made)
    assert found == atomic + higher
    assert len({frozenset(edits) for edits in made}) == len(made)
    pool = {edits[0] for edits in made if len(edits) == 1}
    for edits in made:
        assert set(edits) <= pool  # parts are among the atomic ones
        assert plan.possible(edits)
        assert len({edit.attribute for edit in edits}) == len(edits)
        assert all(edit.attribute.startswith("placebo-") for edit in edits)


def test_one_edit_of_several_words_changes_them_all(parses: ParseStore) -> None:
    plan = neutral(parses)
    for (edit,) in placebos(plan, Counter({exchanged(3): 4}), Counter()):
        mutant = plan.mutant([edit])
        changed = [splice for splice in mutant.splices if splice.attribute]
        assert edit.change.kind is EditKind.SUBSTITUTE
        assert sum(len(splice.new.split()) for splice in changed) == 3
        assert mutant.text != plan.text
        pair = Compared(plan.text, plan.sentences, mutant, neutral(parses, mutant.text).sentences)
        assert check_all([pair], parses)[0].kept


def test_the_shares_of_shapes_stay_where_words_are_few(parses: ParseStore) -> None:
    plan = neutral(parses, "We met on Tuesday, and it was quickly done.")
    atomic, higher = {exchanged(1): 400, exchanged(2): 40}, {exchanged(1, 1): 400}
    made = list(placebos(plan, Counter(atomic), Counter(higher)))
    found = Counter(shape_of(edits) for edits in made)
    assert 0 < found[exchanged(1)] < 40
    assert found[exchanged(2)] <= 1 + found[exchanged(1)] // 5


def test_a_text_without_neutral_words_has_none(parses: ParseStore) -> None:
    plan = neutral(parses, "She wept.")
    assert not list(placebos(plan, Counter({exchanged(1): 3}), Counter({exchanged(1, 1): 3})))


@pytest.mark.parametrize(
    ("person", "places"),
    [
        ("Anna Keller is an actress. Anna's dog barked.", 2),
        ("Hans-Peter Moser, a waiter, smiled at his wife.", 1),
        ("Lewis' wife left. Lewis is a waiter.", 2),
        ("MARK HILL IS A WAITER. MARK SMILED.", 2),
    ],
)
def test_a_placebo_changes_the_names_to_others_alike(
    person: str, places: int, parses: ParseStore
) -> None:
    text = f"{person} On Tuesday the buyer quickly began to read, and in March it usually rained."
    plan = make_plan(text, choose(["gender"], load_shipped()), Settings(1), parses)
    usage = name_usage()
    named = Counter(shape for e in plan.atomic() if (shape := shape_of(e, text))[0].names)
    assert {len(size.names) for (size,) in named} == {places}
    found = list(placebos(neutral(parses, text), named, Counter()))
    assert found
    for edits in found:
        mutant = neutral(parses, text).mutant(edits)
        assert shape_of(edits, text) in named
        changed = {s.start: (s.old, s.new) for s in mutant.splices if s.attribute}
        for (start, _), gender in shape_of(edits, text)[0].names:
            old, new = (re.sub(r"['\u2019]s?$", "", word) for word in changed[start])
            assert old != new
            assert old.isupper() is new.isupper()
            assert usage.gender(new) == usage.gender(old) == gender
            assert usage.country(new) == usage.country(old)
            assert new not in text
            (edit,) = edits  # its label names all that changed
            assert old in edit.source.text.split(", ")
            assert new.title() in edit.target.text.title().split(", ")
        pair = Compared(text, plan.sentences, mutant, neutral(parses, mutant.text).sentences)
        assert check_all([pair], parses)[0].kept


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Anne Baker is a good teacher.", {"name"}),
        ("Ms. Carrie Cooper came on Monday.", {"name", "weekday"}),
    ],
)
def test_one_name_that_changes_twice_has_a_placebo_that_changes_once(
    text: str, kinds: set[str], parses: ParseStore
) -> None:
    settings = Settings(2, origin_names=True)
    both = make_plan(text, choose(["gender", "race"], load_shipped()), settings, parses)
    atomic, higher = (
        Counter(shape_of(edits, text) for edits in every)
        for every in (both.atomic(), (e for e in both.each() if len(e) > 1))
    )
    plan, usage = neutral(parses, text), name_usage()
    made = list(placebos(plan, atomic, higher))
    pairs = [edits for edits in made if len(edits) == 2]
    parts = {edits[0] for edits in made if len(edits) == 1}
    assert len(pairs) > higher.total() // 2 > 0
    found = set()
    for edits in pairs:
        assert set(edits) <= parts  # of a hidden one, both are tested
        old, new = text.split(), plan.mutant(edits).text.split()
        swapped = [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]
        ((was, becomes),) = [pair for pair in swapped if usage.gender(pair[0])]
        assert becomes in usage.alike(was, "female")
        assert all(becomes not in plan.mutant([edit]).text for edit in edits)  # a third name
        assert all(was in edit.source.text for edit in edits)
        assert all(becomes in edit.target.text for edit in as_written(edits))
        found |= {edit.attribute.split("-")[-1] for edit in edits}
    assert found == kinds


def test_names_alike_are_of_one_origin_and_gender() -> None:
    usage = name_usage()
    lists: dict[str, set[str]] = {}
    for (origin, _), names in usage.given.items():
        for name in names:
            lists.setdefault(name, set()).add(origin)
    for name, origin in usage.origins.items():
        for other in usage.alike(name, gender := usage.gender(name)):
            assert usage.gender(other) == gender
            assert lists.get(other, {""}) == {origin}
            assert other.lower() != name.lower()
    assert len(usage.alike("Matthew", "male")) > 200
    assert {"Kwame", "Musa", "Menachem", "Maksim", "Diego"}.isdisjoint(
        usage.alike("Matthew", "male")
    )
    assert not usage.alike("Jaziel", "male")  # whose origin no list knows
    assert "Pedro" in usage.alike("Diego", "male")  # on the list of no country, too


def test_surnames_that_are_given_names_stay() -> None:
    text = "Mr. Brett Cooper came on Monday."
    edit = Edit(
        Change(EditKind.SUBSTITUTE, "race", Term("a", "a"), Term("b", "b"), ("Jalen", "Jackson")),
        ((4, 9), (10, 16)),
    )
    assert shape_of([edit], text) == (Size("", 1, (((4, 9), "male"),)),)


def test_without_names_they_are_words(parses: ParseStore) -> None:
    text = "Anna Keller is an actress. Anna's dog barked."
    plan = make_plan(text, choose(["gender"], load_shipped()), Settings(1), parses)
    edits = next(iter(plan.atomic()))
    assert shape_of(edits) == (Size("", 3),)
    assert shape_of(edits, text) == (Size("", 1, (((0, 4), "female"), ((27, 31), "female"))),)


def test_the_longer_of_two_terms_counts_in_all_places() -> None:
    long = Term("nonbinary person", "x", GrammaticalForm.NOUN_SG)
    man = Term("man", "y", GrammaticalForm.NOUN_SG)
    assert words_changed(Edit(Pair("gender", man, long), ((0, 3), (9, 12)))) == 4
