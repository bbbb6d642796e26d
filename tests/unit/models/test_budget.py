"""Prices, costs and tokens."""

from __future__ import annotations

import threading

import pytest

from hinter_core.models.budget import Budget, Cost, Usage, tokens_in, total


def test_a_price_is_of_a_million_tokens() -> None:
    usage = Usage(price_in=3, price_out=15)
    assert usage.cost(1_000_000, 0).money == 3
    assert usage.cost(1_000, 2_000).money == pytest.approx(0.033)
    assert Usage().cost(10**9, 10**9).money == 0


def test_costs_add_up() -> None:
    one, two = Cost(1, 10, 2, 0.5), Cost(2, 5, 1, 0.25)
    assert one + two == Cost(3, 15, 3, 0.75)
    assert one + two - two == one
    assert total([]) == Cost()
    assert total([one, two, two]) == Cost(5, 20, 4, 1.0)


def test_usage_counts_from_many_threads() -> None:
    usage = Usage(1e6, 0)

    def work() -> None:
        for _ in range(200):
            assert usage.add(2, 1) == Cost(1, 2, 1, 2.0)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert usage.spent == Cost(1600, 3200, 1600, 3200.0)


@pytest.mark.parametrize("text", ["", "a", "A short sentence.", "\u4f60\u597d" * 5, "\ud800"])
def test_tokens_are_counted_in_any_script(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert size / 3 <= tokens_in(text) <= size / 3 + 1


def test_a_budget_without_limits_allows_everything() -> None:
    budget = Budget()
    assert budget.hold(Cost(10**9, money=1e12))


def test_what_is_held_counts_until_it_is_settled() -> None:
    budget = Budget(requests=2, money=1.0)
    assert budget.hold(Cost(1, money=0.6))
    assert not budget.hold(Cost(1, money=0.6))
    budget.settle(Cost(1, money=0.6), Cost(1, money=0.1))
    assert budget.hold(Cost(1, money=0.6))
    assert not budget.hold(Cost(1, money=0.1))  # a third request
    assert budget.spent == Cost(1, money=0.1)


def test_ten_times_a_tenth_fits_into_one() -> None:
    budget = Budget(money=0.3)
    for _ in range(3):
        assert budget.hold(Cost(1, money=0.1))
    assert not budget.hold(Cost(1, money=0.1))
