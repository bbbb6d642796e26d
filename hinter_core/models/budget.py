"""Cost of model requests: tokens, prices, estimates and budgets.

Prices are per million tokens in the user's currency; they are options of the model (``price_in``,
``price_out``), since a shipped price list is soon wrong.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import add, attrgetter, sub

_BYTES_PER_TOKEN = 3.0  # English runs at about 4; an estimate should not be too low
USED_UP = "the budget is used up; raise it and run again, what was answered is kept"
_ROUNDING = 1e-9  # sums of prices are not exact: ten times 0.1 must fit into 1


@dataclass(frozen=True, slots=True)
class Cost:
    """Requests, tokens and money: an upper estimate before a run, the actual count after it."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens of the prompt and of the answer."""
        return self.prompt_tokens, self.completion_tokens

    def __add__(self, other: Cost) -> Cost:
        return Cost(*map(add, _parts(self), _parts(other)))

    def __sub__(self, other: Cost) -> Cost:
        return Cost(*map(sub, _parts(self), _parts(other)))


_parts = attrgetter("requests", "prompt_tokens", "completion_tokens", "money")


def total(costs: Iterable[Cost]) -> Cost:
    """Add up costs."""
    return sum(costs, Cost())


def cost_in_words(cost: Cost) -> str:
    """Format a cost: ``12 requests, 3,400 tokens asked and 120 answered, 0.0102 in money``."""
    words = f"{cost.requests:,} request{'' if cost.requests == 1 else 's'}"
    if any(cost.tokens):
        words += f", {cost.prompt_tokens:,} tokens asked and {cost.completion_tokens:,} answered"
    if cost.money:
        words += f", {cost.money:.4f} in money"
    return words


@dataclass
class Usage:
    """Cost of a model's requests since it was loaded, at prices per million tokens.

    A request counts once, however often it was retried and even if it failed.
    """

    price_in: float = 0.0
    price_out: float = 0.0
    spent: Cost = field(default_factory=Cost)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def cost(self, prompt_tokens: int, completion_tokens: int) -> Cost:
        """Return the cost of a request with these numbers of tokens."""
        money = (prompt_tokens * self.price_in + completion_tokens * self.price_out) / 1e6
        return Cost(1, prompt_tokens, completion_tokens, money)

    def add(self, prompt_tokens: int, completion_tokens: int) -> Cost:
        """Count one request and return its cost."""
        cost = self.cost(prompt_tokens, completion_tokens)
        with self._lock:
            self.spent += cost
        return cost


def tokens_in(text: str) -> int:
    """Estimate the number of tokens of a text in any script, rather too high than too low."""
    return int(len(text.encode("utf-8", "surrogatepass")) / _BYTES_PER_TOKEN) + 1


@dataclass
class Budget:
    """Limits of a run: requests, money, or both (None: no limit).

    The estimate of a request is reserved before it is sent and replaced by its actual cost after.
    """

    requests: int | None = None
    money: float | None = None
    spent: Cost = field(default_factory=Cost)
    _held: Cost = field(default_factory=Cost, repr=False)
    _changed: threading.Condition = field(default_factory=threading.Condition, repr=False)

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.requests is not None or self.money is not None

    def room_for(self, estimate: Cost) -> bool | None:
        """Reserve an estimate; False if it does not fit, None if it may fit after others end."""
        with self._changed:
            after = self.spent + self._held + estimate
            many = self.requests is not None and after.requests > self.requests
            if many or (self.money is not None and after.money > self.money * (1 + _ROUNDING)):
                return None if self._held.requests else False
            self._held += estimate
            return True

    def hold(self, estimate: Cost, *, wait: bool = False) -> bool:
        """Reserve an estimate; False if it does not fit. ``wait``: for others to end."""
        with self._changed:
            while (room := self.room_for(estimate)) is None and wait:
                self._changed.wait()
            return bool(room)

    def settle(self, held: Cost, real: Cost) -> None:
        """Release a reservation and count the actual cost."""
        with self._changed:
            self._held -= held
            self.spent += real
            self._changed.notify_all()
