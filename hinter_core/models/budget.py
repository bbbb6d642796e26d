"""What asking a model costs: tokens and requests used, prices, an estimate, and a budget.

Prices are per million tokens in whatever currency the user counts; they are given with the model
(``price_in``, ``price_out``), since a price list shipped with a program is soon wrong.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

_BYTES_PER_TOKEN = 3.0  # English runs at about 4; an estimate should not be too low
_ROUNDING = 1e-9  # sums of prices are not exact: ten times 0.1 must fit into 1


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a million tokens, of the prompt and of the answer."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


@dataclass(frozen=True, slots=True)
class Cost:
    """Requests, tokens and money; an upper estimate before a run, a count after it."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.money + other.money,
        )

    def __sub__(self, other: Cost) -> Cost:
        return self + Cost(
            -other.requests, -other.prompt_tokens, -other.completion_tokens, -other.money
        )


def total(costs: Iterable[Cost]) -> Cost:
    """The sum of costs."""
    return sum(costs, Cost())


def cost_in_words(cost: Cost) -> str:
    """``12 requests, 3,400 tokens asked and 120 answered, 0.0102 in money``."""
    words = f"{cost.requests:,} request{'' if cost.requests == 1 else 's'}"
    if cost.prompt_tokens or cost.completion_tokens:
        words += f", {cost.prompt_tokens:,} tokens asked and {cost.completion_tokens:,} answered"
    if cost.money:
        words += f", {cost.money:.4f} in money"
    return words


@dataclass
class Usage:
    """What a model has used since it was loaded.

    A request counts once however often it was retried, and counts when it failed, too.
    """

    price: Price = field(default_factory=Price)
    spent: Cost = field(default_factory=Cost)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, prompt_tokens: int, completion_tokens: int) -> Cost:
        """Count one request, and say what it cost."""
        money = self.price.of(prompt_tokens, completion_tokens)
        cost = Cost(1, prompt_tokens, completion_tokens, money)
        with self._lock:
            self.spent += cost
        return cost


def tokens_in(text: str) -> int:
    """A guess at the number of tokens, rather too high than too low, in any script."""
    return int(len(text.encode("utf-8", "surrogatepass")) / _BYTES_PER_TOKEN) + 1


@dataclass
class Budget:
    """What a run may use: requests, money, or both (None: no limit).

    Before a text is asked its estimate is held back; once it is answered, what it really cost
    counts.
    """

    requests: int | None = None
    money: float | None = None
    spent: Cost = field(default_factory=Cost)
    _held: Cost = field(default_factory=Cost, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def hold(self, estimate: Cost) -> bool:
        """Hold back the estimate; false when it does not fit any more."""
        with self._lock:
            after = self.spent + self._held + estimate
            if self.requests is not None and after.requests > self.requests:
                return False
            if self.money is not None and after.money > self.money * (1 + _ROUNDING):
                return False
            self._held += estimate
            return True

    def settle(self, held: Cost, real: Cost) -> None:
        """Give back what was held and count what was used."""
        with self._lock:
            self._held -= held
            self.spent += real
