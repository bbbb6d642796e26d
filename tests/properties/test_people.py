"""Whom the mutants of a text are about: for any text with some people in it."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.lattice import proper_subsets
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import Dictionary, choose
from tests.examples import examples

WHO = [
    "a young Black woman",
    "the German man",
    "an old Muslim man",
    "She",
    "the Asian women",
    "her",
]
DO = ["met", "is", "laughed at", "was not", "thanked", "who was", "and", ", a friend of"]
END = [". ", "! ", ", and ", "\n\n", " because of "]
CLAUSE = st.tuples(*map(st.sampled_from, (WHO, DO, WHO, END)))
TEXTS = st.lists(CLAUSE, min_size=1, max_size=3).map(
    lambda parts: "".join(f"{a} {b} {c}{d}" for a, b, c, d in parts)
)
ATTRIBUTES = st.permutations(["race", "gender", "age", "religion"])
FEW = 3  # edits of a term that are looked at


def plan_of(text: str, dictionaries: list[Dictionary], parses: ParseStore, across: bool) -> Plan:
    plan = make_plan(text, dictionaries, Settings(order=3, across_people=across), parses)
    for attribute, edits in plan.edits.items():
        by_spans = {}
        for edit in edits:
            by_spans.setdefault(edit.spans, []).append(edit)
        plan.edits[attribute] = [edit for own in by_spans.values() for edit in own[:FEW]]
    return plan


@examples(120)
@given(text=TEXTS, names=ATTRIBUTES)
def test_mutants_of_one_person_are_a_part_of_the_lattice(
    text: str, names: list[str], shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    dictionaries = choose(names, shipped)
    one, whole = (plan_of(text, dictionaries, parses, way) for way in (False, True))
    mine, every = list(one.lattice.every()), list(whole.lattice.every())
    assert one.total == len(list(one.each())) == len(list(filter(one.possible, mine)))
    assert whole.total == len(list(whole.each()))
    assert set(mine) == {edits for edits in every if not whole.across_people(edits)}
    assert one.people is not None
    for edits in mine:
        shared = frozenset.intersection(*map(one.people.of_edit, edits))
        assert shared
        for part in proper_subsets(edits):
            assert shared <= frozenset.intersection(*map(one.people.of_edit, part))
            assert len(part) < 2 or part in mine


@examples(120)
@given(text=TEXTS, names=ATTRIBUTES)
def test_the_order_of_attributes_does_not_matter(
    text: str, names: list[str], shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    mine, usual = (
        plan_of(text, choose(own, shipped), parses, False) for own in (names, sorted(names))
    )
    assert list(mine.each()) == list(usual.each())
    assert mine.totals == usual.totals


@examples(120)
@given(text=TEXTS, limit=st.integers(1, 40), seed=st.integers(0, 9))
def test_a_sample_is_of_one_person_too(
    text: str, limit: int, seed: int, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    chosen = Settings(limit=limit, seed=seed)
    plan = make_plan(text, choose(["race", "gender"], shipped), chosen, parses)
    sample = plan.chosen()
    assert len(sample) == len(set(sample)) <= limit
    assert not any(map(plan.across_people, sample))
    possible = [
        edits
        for edits in product(*(plan.edits.get(a, []) for a in ("gender", "race")))
        if plan.combines(edits)
    ]
    assert len(sample) == min(limit, len(possible))
