"""The lattice: numbering, subsets, and samples that keep to a limit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import prod

import pytest

from hinter_core.mutation.lattice import Lattice, proper_subsets, subsets
from hinter_core.types import Edit, Pair, Term


def edit(attribute: str, number: int) -> Edit:
    pair = Pair(attribute, Term(f"{attribute}{number}", "s"), Term(f"{attribute}{number}!", "t"))
    return Edit(pair, ((number, number + 1),))


def lattice(order: int, **sizes: int) -> Lattice:
    return Lattice({a: [edit(a, i) for i in range(n)] for a, n in sizes.items()}, order)


def intersectional_parts(chosen: list[tuple[Edit, ...]]) -> set[frozenset[Edit]]:
    return {frozenset(p) for edits in chosen for p in subsets(edits) if len(p) > 1}


def test_subsets_come_parts_first() -> None:
    edits = [edit("a", 0), edit("b", 0), edit("c", 0)]
    assert [len(s) for s in subsets(edits)] == [1, 1, 1, 2, 2, 2, 3]
    assert [len(s) for s in proper_subsets(edits)] == [1, 1, 1, 2, 2, 2]
    assert list(proper_subsets(edits[:1])) == []


def test_every_combination_has_one_number() -> None:
    made = lattice(3, a=2, b=3, c=4)
    for order in (1, 2, 3):
        count = sum(prod(len(made.edits[a]) for a in names) for names in combinations("abc", order))
        assert made.count(order) == count
        combos = {frozenset(made.at(order, i)) for i in range(count)}
        assert len(combos) == count
        assert all(len({e.attribute for e in combo}) == order for combo in combos)
        with pytest.raises(IndexError):
            made.at(order, count)


def test_every_combination_comes_in_the_order_of_its_number() -> None:
    made = lattice(3, b=3, a=2, c=4)
    numbered = [made.at(k, i) for k in (2, 3) for i in range(made.count(k))]
    assert list(made.every()) == numbered
    assert list(made.every(lambda edits: len(edits) == 3)) == numbered[-24:]


def test_without_a_limit_all_orders_from_two_are_listed() -> None:
    made = lattice(3, a=2, b=3, c=4)
    assert len(made.intersectional()) == (6 + 8 + 12) + 24
    assert len(lattice(2, a=2, b=3, c=4).intersectional()) == 26
    assert lattice(2, a=3).intersectional() == []
    assert len(lattice(9, a=2, b=2).intersectional()) == 4


@pytest.mark.parametrize("limit", [1, 2, 5, 17, 49])
def test_a_limit_caps_the_sample_and_is_reached_at_order_two(limit: int) -> None:
    made = lattice(2, a=7, b=7)
    chosen = made.intersectional(limit, seed=3)
    assert len(chosen) == limit == len(set(chosen))
    assert chosen == made.intersectional(limit, seed=3)
    every = made.intersectional()
    assert [every.index(c) for c in chosen] == sorted(every.index(c) for c in chosen)


def test_seeds_differ_and_a_large_limit_takes_all() -> None:
    made = lattice(2, a=9, b=9)
    assert made.intersectional(10, seed=1) != made.intersectional(10, seed=2)
    assert made.intersectional(500, seed=1) == made.intersectional()


@pytest.mark.parametrize("limit", [1, 3, 4, 10, 60])
def test_a_limit_counts_the_intersectional_parts_of_higher_orders(limit: int) -> None:
    chosen = lattice(3, a=6, b=6, c=6).intersectional(limit, seed=5)
    assert chosen
    assert len(intersectional_parts(chosen)) <= limit
    assert (max(len(c) for c in chosen) == 3) is (limit >= 4)


def test_a_sample_skips_what_overlaps_and_still_fills_the_limit() -> None:
    made = lattice(2, a=10, b=10)
    same = made.intersectional(10, 1, lambda edits: edits[0].spans == edits[1].spans)
    assert len(same) == 10  # the ten on the diagonal, among a hundred
    assert made.intersectional(5, 1, lambda _: False) == []


def test_a_sample_of_astronomically_many_is_drawn_at_once() -> None:
    made = lattice(11, **dict.fromkeys("abcdefghijk", 90))
    assert made.count(11) > 2**63
    chosen = made.intersectional(3000, seed=1)
    assert 0 < len(intersectional_parts(chosen)) <= 3000


def grouped(order: int, **sizes: tuple[int, ...]) -> Lattice:
    """Attributes with groups of so many words each."""

    def edits(attribute: str, groups: tuple[int, ...]) -> list[Edit]:
        words = [group for group, many in enumerate(groups) for _ in range(many)]
        source = Term("x", "s")
        return [
            Edit(Pair(attribute, source, Term(f"{attribute}{n}", f"g{group}")), ((n, n + 1),))
            for n, group in enumerate(words)
        ]

    return Lattice({a: edits(a, groups) for a, groups in sizes.items()}, order)


def test_groups_take_turns_however_many_words_they_have() -> None:
    made = grouped(2, a=(1, 1, 98), b=(2, 2, 50))
    pairs: Counter[tuple[str, ...]] = Counter()
    sets = set()
    for text in map(str, range(300)):
        chosen = made.intersectional(3, 1, groups_of=text)
        assert chosen == made.intersectional(3, 1, groups_of=text)
        for attribute in (0, 1):
            assert {edits[attribute].target.group for edits in chosen} == {"g0", "g1", "g2"}
        pairs.update(tuple(e.target.group for e in edits) for edits in chosen)
        sets.add(tuple(chosen))
    assert all(70 <= many <= 130 for many in pairs.values())
    assert len(pairs) == 9
    assert len(sets) > 250  # texts alike differ in what is drawn
    plain = made.intersectional(300, 1)
    assert Counter(edits[0].target.group for edits in plain)["g2"] > 270


def test_attributes_take_turns_and_the_rest_fills_the_limit() -> None:
    made = grouped(2, a=(2, 2), b=(2, 2), c=(40, 40, 40))
    chosen = made.intersectional(9, 4, groups_of="")
    assert Counter("".join(e.attribute for e in edits) for edits in chosen) == {
        "ab": 3, "ac": 3, "bc": 3,
    }  # fmt: skip
    every = made.intersectional()
    assert chosen == sorted(chosen, key=every.index)
    assert len(set(made.intersectional(900, 4, groups_of=""))) == 900
    assert len(made.intersectional(70, 4, lambda e: e[0].spans == e[1].spans, groups_of="")) == 12
    triples = replace(made, order=3).intersectional(40, 4, groups_of="")
    assert len(intersectional_parts(triples)) == 40


def test_groups_that_nobody_has_together_are_passed() -> None:
    made = shared(grouped(2, a=(1, 1), b=(1, 1)), {0: {0}, 1: {1}})
    assert made.count(2) == 2  # the first of each, the second of each
    assert len(made.intersectional(1, 0, groups_of="")) == 1
    wide = replace(made, edits={**made.edits, "c": grouped(1, c=(5, 5)).edits["c"]})
    for edits in wide.intersectional(5, 0, groups_of=""):
        one, two = (e.target.group for e in edits)
        assert edits[1].attribute == "c" or one == two


def shared(made: Lattice, people: dict[int, set[int]]) -> Lattice:
    """Let the edits with a number be of some people."""
    return replace(made, persons=lambda e: frozenset(people.get(e.spans[0][0], ())))


def test_edits_combine_if_one_person_is_changed_by_all() -> None:
    people = {0: {1}, 1: {2}, 2: {1, 2}, 3: {3}}
    made = shared(lattice(3, a=4, b=4, c=4), people)

    def of_one(edits: tuple[Edit, ...]) -> bool:
        return bool(set.intersection(*(people[e.spans[0][0]] for e in edits)))

    for order in (1, 2, 3):
        whole = lattice(3, a=4, b=4, c=4)
        every = {whole.at(order, number) for number in range(whole.count(order))}
        mine = [made.at(order, number) for number in range(made.count(order))]
        assert len(mine) == len(set(mine))
        assert set(mine) == {edits for edits in every if of_one(edits)}
    assert list(made.every()) == [made.at(k, n) for k in (2, 3) for n in range(made.count(k))]
    with pytest.raises(IndexError):
        made.at(2, made.count(2))
    paired = {edit for number in range(made.count(2)) for edit in made.at(2, number)}
    singles = {made.at(1, number)[0] for number in range(made.count(1))}
    assert set(made.alone()) == singles - paired


def test_who_has_one_attribute_is_alone() -> None:
    made = shared(lattice(2, a=3, b=1), {0: {1}, 1: {2}, 2: {1, 2}})
    assert [edit.spans[0][0] for edit in made.alone()] == [1]


def test_what_is_of_nobody_combines_with_everybody() -> None:
    made = shared(lattice(3, a=2, b=2, c=1), {0: set(), 1: {5}})
    assert made.count(2) == 4 + 2 + 2
    assert made.count(3) == 4
    assert shared(lattice(3, a=1, b=2, c=3), {0: set(), 1: {1}, 2: {2}}).count(3) == 5


def test_a_sample_of_one_person_fills_its_limit_among_few_possible() -> None:
    made = shared(lattice(2, a=300, b=300), {n: {n // 2} for n in range(300)})
    assert made.count(2) == 300 * 2
    chosen = made.intersectional(50, seed=2)
    assert len(set(chosen)) == 50
    assert all(one.spans[0][0] // 2 == two.spans[0][0] // 2 for one, two in chosen)


def test_counts_of_one_person_list_no_combination() -> None:
    asked: list[Edit] = []
    plain = lattice(9, **dict.fromkeys("abcdefghi", 60))
    made = replace(plain, persons=lambda e: asked.append(e) or frozenset({e.spans[0][0] % 2}))
    assert made.count(9) == 2 * 30**9
    assert len(made.intersectional(20, seed=1)) > 0
    assert len(asked) == 9 * 60
