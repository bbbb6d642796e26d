"""Algebra of coherent edits: undo, order of attributes, and parts of a mutant."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from hinter_core.generators.placebo import placebos, shape_of
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.edits import apply_edits
from hinter_core.mutation.lattice import proper_subsets, subsets
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.pipeline import closure
from hinter_core.terms.dictionary import choose, load_shipped, neutral_words
from hinter_core.types import Mutant

_FIRST = (
    "Anna Keller is a young German actress.",
    "The old man and his Muslim wife left on Monday.",
    "Mr. Smith met the Black waitress Mary Brown.",
    "The Irish brothers John and Paul are tall.",
    "A Jewish boy named Tom waited.",
    "Jean-Luc Roux, a tall Muslim actor, met Anna Roux.",
    "The old women and Mary Ann Hill, an Irish widow, left.",
)
_SECOND = (
    "She said that her hat was new.",
    "He hurt himself, and he walks slowly.",
    "Anna laughed at him.",
    "Is he rich? It is his.",
    "They were tired on Tuesday.",
)
_CHOSEN = ("race", "gender", "age", "religion")
texts = st.builds(
    lambda one, two: f"{one} {two}", st.sampled_from(_FIRST), st.sampled_from(_SECOND)
)


def plan_of(text: str, parses: ParseStore) -> Plan:
    return make_plan(text, choose(list(_CHOSEN), load_shipped()), Settings(order=3), parses)


def undone(mutant: Mutant) -> str:
    text = mutant.text
    for splice in sorted(mutant.splices, key=lambda one: -one.at):
        text = text[: splice.at] + splice.old + text[splice.at + len(splice.new) :]
    return text


@settings(max_examples=25, deadline=None)
@given(text=texts, data=st.data())
def test_coherent_mutants_are_undone_and_have_no_order(
    text: str, data: st.DataObject, parses: ParseStore
) -> None:
    plan = plan_of(text, parses)
    chosen = list(plan.atomic()) + [edits for edits in plan.chosen() if len(edits) > 1]
    edits = data.draw(st.sampled_from(chosen))
    mutant = plan.mutant(edits)
    assert mutant.text != text
    assert undone(mutant) == text
    for other in permutations(edits):
        assert apply_edits(text, other).text == mutant.text
    # Each part changes what it changes alone, and nothing else.
    whole = {(s.start, s.end): s.new for s in mutant.splices}
    for part in subsets(edits):
        own = {(s.start, s.end): s.new for s in plan.mutant(part).splices if s.attribute}
        assert own.items() <= whole.items()


@settings(max_examples=15, deadline=None)
@given(text=texts, names=st.booleans())
def test_placebos_change_no_more_words_and_the_same_names(
    text: str, names: bool, parses: ParseStore
) -> None:
    plan = plan_of(f"{text} On Monday it rained in the morning, and on Friday too.", parses)
    seen = plan.text if names else ""
    atomic = Counter(shape_of(one, seen) for one in plan.atomic())
    most = max(size.words for (size,) in atomic)
    named = {size.names for (size,) in atomic}
    neutral = make_plan(plan.text, neutral_words(), plan.settings, parses)
    found = set()
    for edits in placebos(neutral, atomic, Counter()):
        (size,) = shape_of(edits, seen)
        assert 0 < size.words <= max(most, 2)
        assert size.names in named
        found.add(size.names)
        assert undone(neutral.mutant(edits)) == plan.text
    assert found == named  # every name that mutants change is changed by placebos


@settings(max_examples=15, deadline=None)
@given(text=texts, data=st.data())
def test_hidden_parts_are_mutants_of_their_own(
    text: str, data: st.DataObject, parses: ParseStore
) -> None:
    """What a hidden verdict needs: every part of a mutant is made, and less than the whole."""
    plan = plan_of(text, parses)
    higher = [edits for edits in plan.chosen() if len(edits) > 1]
    if not higher:
        return
    edits = data.draw(st.sampled_from(higher))
    every = {frozenset(one) for one in closure([edits], plan.settings.order)}
    assert every == {frozenset(part) for part in [*proper_subsets(edits), edits]}
    texts = {plan.mutant(part).text for part in [*proper_subsets(edits), edits]}
    assert len(texts) == len(every)
    assert text not in texts


@settings(max_examples=15, deadline=None)
@given(text=texts, names=st.permutations(_CHOSEN))
def test_the_order_of_attributes_does_not_matter(
    text: str, names: list[str], parses: ParseStore
) -> None:
    def made(attributes: list[str]) -> list[str]:
        words = choose(attributes, load_shipped())
        plan = make_plan(text, words, Settings(order=2), parses)
        return [plan.mutant(edits).text for edits in (*plan.chosen(), *plan.atomic())]

    assert sorted(made(names)) == sorted(made(sorted(_CHOSEN)))
