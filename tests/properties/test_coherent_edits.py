"""Algebra of coherent edits: undo, order of attributes, and parts of a mutant."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from hinter_core.generators.placebo import placebos, shape_of
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.edits import apply_edits
from hinter_core.mutation.lattice import subsets
from hinter_core.mutation.plan import Plan, Settings, make_plan
from hinter_core.terms.dictionary import choose, load_shipped, neutral_words
from hinter_core.types import Mutant

_FIRST = (
    "Anna Keller is a young German actress.",
    "The old man and his Muslim wife left on Monday.",
    "Mr. Smith met the Black waitress Mary Brown.",
    "The Irish brothers John and Paul are tall.",
    "A Jewish boy named Tom waited.",
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
        assert apply_edits(text, other, plan.sentences).text == mutant.text
    # Each part changes what it changes alone, and nothing else.
    whole = {(s.start, s.end): s.new for s in mutant.splices}
    for part in subsets(edits):
        own = {(s.start, s.end): s.new for s in plan.mutant(part).splices if s.attribute}
        assert own.items() <= whole.items()


@settings(max_examples=15, deadline=None)
@given(text=texts)
def test_placebos_change_no_more_words(text: str, parses: ParseStore) -> None:
    plan = plan_of(f"{text} On Monday it rained in the morning, and on Friday too.", parses)
    atomic = {shape_of(edits) for edits in plan.atomic()}
    most = max(words for ((_, words),) in atomic)
    neutral = make_plan(plan.text, neutral_words(), plan.settings, parses)
    for edits in placebos(neutral, Counter(shape_of(one) for one in plan.atomic()), Counter()):
        ((_, words),) = shape_of(edits)
        assert 0 < words <= max(most, 2)
