"""The audit's bounds hold under optional stopping and adaptive orders; naive ones do not."""

from __future__ import annotations

import numpy
import pytest

from benchmarks.prioritisation import coverage, false_claims
from hinter_core.errors import InputError
from hinter_core.prioritisation.orders import FixedOrder, random_order
from hinter_core.prioritisation.stopping import (
    AuditedOrder,
    RateSequence,
    StopBelow,
    replay,
)


def test_the_ratio_has_mean_1_at_most() -> None:
    """Over all sequences of draws from 7 cases with 3 faults, in every step."""
    for length in range(1, 6):
        total = 0.0
        for code in range(2**length):
            drawn = [bool(code >> i & 1) for i in range(length)]
            chance, left, hits = 1.0, 7, 3
            sequence = RateSequence(7, centre=0.3)
            for fault in drawn:
                share = max(hits, 0) / left
                chance *= share if fault else 1 - share
                left, hits = left - 1, hits - fault
                sequence.add(fault)
            if chance > 0:
                total += chance * numpy.exp(sequence._log_ratio(3 / 7))
        # Sequences that the rate forbids count for the mixture only.
        assert total <= 1 + 1e-9
        if length <= 3:
            assert total == pytest.approx(1)


def test_bounds_by_hand() -> None:
    sequence = RateSequence(100, centre=0.1)
    assert sequence.bounds() == (0, 1)
    for _ in range(100):
        sequence.add(False)
    assert sequence.bounds() == (0, 0)  # all were drawn


def test_whole_bounds_are_the_last_numbers_that_are_not_excluded() -> None:
    sequence = RateSequence(60, centre=0.1)
    for fault in [False, True, False, False] * 5:
        sequence.add(fault)
    low, high = sequence.bounds()
    kept = [hits for hits in range(61) if not sequence.excludes(hits / 60)]
    assert (round(low * 60), round(high * 60)) == (kept[0], kept[-1])


def test_the_audit_is_a_random_sequence_without_gaps() -> None:
    faults = numpy.arange(40) % 4 == 0
    order = AuditedOrder(FixedOrder(range(40)), 40, 3, share=0.25)
    asked = []
    while chosen := order.next(8):
        order.learn(chosen, faults[chosen].tolist())
        asked += chosen
        known = [place in asked for place in order._sequence]
        gone = known.index(False) if False in known else 40
        assert order.rate.cases == gone
        assert order.rate.faults == faults[order._sequence[:gone]].sum()
        # Known cases were skipped, and a quarter of the calls is made for the audit.
        assert order.audited <= 0.25 * len(asked) + 1
    assert len(asked) == 40


def test_rules() -> None:
    faults = numpy.zeros(400, dtype=bool)
    faults[30] = True

    def stop(rule: StopBelow, share: float = 0.2) -> tuple[int, str]:
        order = AuditedOrder(FixedOrder(range(400)), 400, 0, share=share)
        asked = replay(order, faults, stop=lambda: bool(rule.stops(order)), batch=1)
        return len(asked), rule.stops(order)

    number, reason = stop(StopBelow(0.05), share=1)
    assert 59 < number < 200  # 59 cases without a fault suffice if one looks once
    assert reason.startswith("The rate is below 5 % with 95 % confidence, by ")
    faults[:] = True
    assert " above 5 % " in stop(StopBelow(0.05))[1]


@pytest.mark.parametrize(
    "bad",
    [
        lambda: StopBelow(0),
        lambda: StopBelow(1.5),
        lambda: AuditedOrder(FixedOrder(()), 1, 0, share=0),
    ],
)
def test_bad_rules_are_refused(bad: object) -> None:
    with pytest.raises(InputError, match=r"\."):
        bad()  # type: ignore[operator]


@pytest.mark.slow
def test_what_is_said_with_certainty_holds_in_simulation() -> None:
    """A fast version of ``python -m benchmarks --stopping``."""
    claims = false_claims(30, texts=15, each=20)
    assert claims["audit, adaptive"] <= 0.1
    assert claims["audit, worst order"] <= 0.1
    assert claims["naive, worst order"] == 1
    held = coverage(20, texts=10, each=20)
    assert held["audit, adaptive"] >= 0.85
    assert held["naive, adaptive"] <= 0.2


@pytest.mark.parametrize("told", [True, False])
def test_verdicts_that_nobody_drew_do_not_bias_the_audit(told: bool) -> None:
    """Parts of what is asked are asked, too; here they are chosen by their verdicts, at worst."""
    number, hits, runs = 300, 12, 400
    claims, rates = 0, []
    for seed in range(runs):
        rng = numpy.random.default_rng(seed)
        faults = numpy.zeros(number, dtype=bool)
        faults[rng.permutation(number)[:hits]] = True
        order = AuditedOrder(random_order(number, seed), number, seed, centre=0.04)
        extra, known, first = numpy.flatnonzero(faults == told).tolist(), set[int](), 0.0
        claimed = False
        while chosen := order.next(8):
            beside = [place for place in extra if place not in known and place not in chosen][:4]
            known.update(chosen, beside)
            order.learn([*chosen, *beside], faults[[*chosen, *beside]].tolist())
            claimed |= order.rate.excludes(hits / number)
            if not first and order.rate.cases >= 60:
                first = order.rate.faults / order.rate.cases
        assert order.rate.cases == number
        claims += claimed
        rates.append(first)
    assert claims / runs < 0.05 + 2 * (0.05 * 0.95 / runs) ** 0.5
    error = 2.6 * float(numpy.std(rates)) / runs**0.5
    if not told:  # known faults are passed at once, and a look soon after sees more of them
        assert abs(float(numpy.mean(rates)) - hits / number) < error + 0.003


def test_what_waits_for_verdicts_loses_no_place_of_the_audit() -> None:
    class Waiting(FixedOrder):
        def next(self, number: int) -> list[int]:
            return []

    order = AuditedOrder(Waiting([]), 20, 0)
    given: list[int] = []
    while chosen := order.next(3):
        given += chosen
        order.learn(chosen, [False] * len(chosen))
    assert sorted(given) == list(range(20))
    assert order.audit == given
