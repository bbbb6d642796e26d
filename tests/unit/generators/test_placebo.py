"""Placebo mutants: neutral words, matched in order and in words changed."""

from __future__ import annotations

from collections import Counter

from hinter_core.generators.placebo import Shape, placebos, shape_of, words_changed
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import Plan, Settings, make_plan
from hinter_core.relations.base import Compared
from hinter_core.relations.even_handed import check_all
from hinter_core.terms.dictionary import by_concept, load_shipped
from hinter_core.types import Edit, EditKind, GrammaticalForm, Pair, Term

TEXT = (
    "On Tuesday the buyer quickly began to read a large report about the movie, and in March she "
    "usually bought an advertisement for nine dollars."
)


def neutral(parses: ParseStore, text: str = TEXT) -> Plan:
    return make_plan(text, by_concept(load_shipped()["placebo"]), Settings(order=3), parses)


def exchanged(*words: int) -> Shape:
    return tuple(("", number) for number in words)


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


def test_the_longer_of_two_terms_counts_in_all_places() -> None:
    long = Term("nonbinary person", "x", GrammaticalForm.NOUN_SG)
    man = Term("man", "y", GrammaticalForm.NOUN_SG)
    assert words_changed(Edit(Pair("gender", man, long), ((0, 3), (9, 12)))) == 4
