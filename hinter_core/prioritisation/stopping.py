"""When to stop, and what may be said about rates then.

An adaptive order asks what is likeliest to fail, so the rate among the cases that it asked is no
estimate of anything, and looking at it again and again until it pleases makes that worse. So a
random share of the calls is kept aside: the *audit* goes through a random sequence that was drawn
before the first verdict, in its order. Cases of it that the order asked meanwhile cost no call.

What is said of the rate uses the audit only, as far as it was gone through without a gap, by a
confidence sequence: its bounds hold for all lengths of the audit at once with the promised
probability. Therefore they hold whenever one stops, for whatever reason, and however the other
cases were chosen. It is the rate among *these* planned cases. Cases of one text are alike, which
does not matter here: the cases are fixed, and chance is only in the drawing.

Valid in any case: the faults found, and their number among those asked. Not valid under an adaptive
order: the rate among the cases asked, its interval, and rates of groups among them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, lgamma, log
from typing import TYPE_CHECKING

from hinter_core.errors import InputError
from hinter_core.prioritisation.orders import CaseOrder
from hinter_core.statistics.rates import CONFIDENCE

if TYPE_CHECKING:
    from numpy import ndarray

AUDIT = 0.2  # share of the calls that go to the audit


@dataclass
class RateSequence:
    """A confidence sequence of a rate, from cases drawn one by one at random.

    The prior-posterior ratio of a beta-binomial mixture: for every rate, the probability of what
    was seen under the mixture over that under the rate is a supermartingale that begins at 1. So it
    ever exceeds 1 / alpha with probability alpha at most (Ville 1939; without replacement:
    Waudby-Smith and Ramdas 2020). ``population``: number of cases that are drawn from without
    replacement. ``centre``: mean of the prior, near which the bounds are tightest; they hold with
    any.
    """

    population: int
    centre: float = 0.02
    faults: int = 0
    cases: int = 0

    def add(self, fault: bool) -> None:
        """Take the verdict on the next drawn case."""
        self.cases += 1
        self.faults += fault

    def excludes(self, rate: float) -> bool:
        """Whether a rate is ruled out.

        With a rate above the observed one all higher rates are, with one below it all lower.
        """
        return self._log_ratio(rate) >= -log(1 - CONFIDENCE)

    def bounds(self) -> tuple[float, float]:
        """Return the ends of the interval of rates that are not excluded."""
        if not self.cases:
            return 0.0, 1.0
        seen, number = self.faults / self.cases, self.population
        likeliest = min(max(round(seen * number), self.faults), self._most)
        low, high = self._whole_end(likeliest, self.faults), self._whole_end(likeliest, self._most)
        return low / number, high / number

    @property
    def _most(self) -> int:
        """Faults of the population if all cases that were not drawn are faults."""
        return self.population - (self.cases - self.faults)

    def _whole_end(self, inside: int, outside: int) -> int:
        """Return the last number of faults, towards one that may be excluded, that is not."""
        if not self.excludes(outside / self.population):
            return outside
        while abs(outside - inside) > 1:
            middle = (inside + outside) // 2
            excluded = self.excludes(middle / self.population)
            inside, outside = (inside, middle) if excluded else (middle, outside)
        return inside

    def _log_ratio(self, rate: float) -> float:
        """Return log(probability under the mixture / probability under the rate)."""
        faults, others = self.faults, self.cases - self.faults
        a, b = 0.5, 0.5 / self.centre - 0.5
        mixture = _log_beta(a + faults, b + others) - _log_beta(a, b)
        number, hits = self.population, round(rate * self.population)
        if hits < faults or number - hits < others:
            return inf
        known = _log_falling(hits, faults) + _log_falling(number - hits, others)
        return mixture - known + _log_falling(number, self.cases)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _log_falling(number: int, length: int) -> float:
    """Return log(number (number - 1) ...), a product of ``length`` factors."""
    return lgamma(number + 1) - lgamma(number - length + 1)


class AuditedOrder(CaseOrder):
    """An order that gives a share of its places to the audit; see the module.

    ``cases``: their number. ``rate``: the confidence sequence of the audit.

    Raises:
        InputError: a share outside 0 to 1.
    """

    def __init__(
        self, order: CaseOrder, cases: int, seed: int, share: float = AUDIT, centre: float = 0.02
    ) -> None:
        import numpy

        if not 0 < share <= 1:
            raise InputError("The audit's share of the calls must be above 0 and up to 1.")
        self._order = order
        self._share = share
        rng = numpy.random.default_rng([seed, 7])  # apart from the order's own draws
        self._sequence: list[int] = rng.permutation(cases).tolist()
        self.rate = RateSequence(cases, centre=centre)
        self.audited = 0  # calls made for the audit
        self.given = 0
        self._given: set[int] = set()
        self._known: dict[int, bool] = {}
        self._gone = 0  # places of the sequence that are known without a gap
        self._ahead = 0  # places of the sequence that were given

    def next(self, number: int) -> list[int]:
        """Return the next cases, of the audit and of the order."""
        chosen: list[int] = []
        while len(chosen) < number:
            place = self._of_audit() if self.audited < self._share * (self.given + 1) else None
            if place is None:
                place = self._of_order()
            if place is None and not chosen:  # the order waits for verdicts, or is done
                place = self._of_audit()
            if place is None:
                break
            chosen.append(place)
            self._given.add(place)
            self.given += 1
        return chosen

    def learn(self, chosen: Sequence[int], faults: Sequence[bool]) -> None:
        """Take verdicts, also on cases that were not given; go on in the audit as far as known."""
        self._given.update(map(int, chosen))
        self._known |= zip(map(int, chosen), map(bool, faults), strict=True)
        self._order.learn(chosen, faults)
        while self._gone < len(self._sequence) and self._sequence[self._gone] in self._known:
            self.rate.add(self._known[self._sequence[self._gone]])
            self._gone += 1

    @property
    def audit(self) -> list[int]:
        """The audit's cases with known verdicts, in the order drawn, up to the first gap."""
        return self._sequence[: self._gone]

    def _of_audit(self) -> int | None:
        while self._ahead < len(self._sequence):
            place = self._sequence[self._ahead]
            self._ahead += 1
            if place not in self._given:
                self.audited += 1
                return place
        return None

    def _of_order(self) -> int | None:
        while place := self._order.next(1):
            if place[0] not in self._given:
                return place[0]
        return None


@dataclass(frozen=True)
class StopBelow:
    """Stop when the rate is below a limit with 95 % confidence, or cannot be.

    Raises:
        InputError: a limit that is no rate.
    """

    limit: float

    def __post_init__(self) -> None:
        if not 0 < self.limit < 1:
            raise InputError("The limit of a rate lies between 0 and 1, such as 0.02 for 2 %.")

    def stops(self, order: AuditedOrder) -> str:
        """Return the reason to stop, as a sentence, or ""."""
        rate, percent = order.rate, f"{100 * self.limit:g} %"
        if not rate.cases or not rate.excludes(self.limit):
            return ""
        side = "below" if rate.faults < self.limit * rate.cases else "above"
        return (
            f"The rate is {side} {percent} with {100 * CONFIDENCE:g} % confidence, by "
            f"{rate.cases:,} cases of the audit with {rate.faults:,} faults."
        )


def replay(
    order: CaseOrder,
    faults: ndarray,
    budget: int | None = None,
    stop: Callable[[], object] = lambda: False,
    batch: int | None = None,
) -> list[int]:
    """Ask an order on known verdicts; return the cases in the order in which they were asked.

    ``batch``: cases that are asked before the order learns; by default as many as it gives.
    """
    replayed: list[int] = []
    most = len(faults) if budget is None else min(budget, len(faults))
    while len(replayed) < most and not stop():
        chosen = order.next(min(batch or most, most - len(replayed)))
        if not chosen:
            break
        order.learn(chosen, faults[chosen].tolist())
        replayed += chosen
    return replayed
