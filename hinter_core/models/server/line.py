"""The texts that wait for a server: sent as its pace allows, sent again after passing faults.

A text that waits for another try holds up no other. Replies are handed over before their place is
given to the next text, so that a process that is killed loses no more than it may have under way.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hinter_core.models.base import Remote, Replies, Reply
from hinter_core.models.server.http import NoAnswerError, ServerError, request_loop
from hinter_core.models.server.pace import BUSY, Pace, asked_wait, back_off, passing

_LONG = 0.5  # seconds in which another process may have got the answer to a text that waits
_LONGEST_NAMED = 120.0  # seconds that a server may name beside a fault
Receive = Callable[[Replies[Any]], None]


@dataclass(eq=False)
class _Order:
    """A text to ask about; ``busy_since``: when the server first had too much to do for it.

    ``added``: when it was. ``stored`` looks for a reply that somebody else got since.
    ``off``: it is not asked about again.
    """

    key: Any
    text: str
    receive: Receive
    added: float
    stored: Callable[[Any], Reply | None] | None = None
    tries: int = 0
    busy_since: float | None = None
    off: bool = False


class Line(Remote):
    """A model that asks a server; all but :meth:`send` runs in the loop of requests.

    ``restarts``: whether a server that was reached and is gone is waited for, as campaigns do.
    """

    restarts = False

    def __init__(self, pace: Pace, retries: int) -> None:
        self._pace, self._retries = pace, retries
        self._waiting: deque[_Order] = deque()
        self._later: dict[_Order, asyncio.TimerHandle] = {}  # for another try
        self._done: list[tuple[_Order, Reply]] = []
        self._tasks: dict[asyncio.Task[None], _Order] = {}
        self._taken = 0  # requests under way, and replies that are not handed over
        self._timer: asyncio.TimerHandle | None = None
        self._refusal: Exception = NoAnswerError("not asked")

    async def _ask(self, text: str) -> Reply:
        """Send one request, or raise ServerError or NoAnswerError."""
        raise NotImplementedError

    def _failure(self, text: str, error: Exception) -> Reply:
        """Make a result of such an error, or raise one that ends all."""
        raise NotImplementedError

    def _tokens(self, text: str) -> int:
        """Estimate a request's tokens."""
        raise NotImplementedError

    def send(
        self,
        orders: Sequence[tuple[Any, str]],
        receive: Receive,
        stored: Callable[[Any], Reply | None] | None = None,
    ) -> None:
        """Ask about texts; what is called back must neither block nor raise."""
        now = self._pace.clock()
        new = [_Order(key, text, receive, now, stored) for key, text in orders]
        request_loop().call_soon_threadsafe(self._add, new)

    def call_off(self, receive: Receive, *, wait: bool = False) -> None:
        """Send no more of what ``receive`` waits for; ``wait`` for what is under way."""
        # No coroutine: what is sent after this call must not be there before it.
        request_loop().call_soon_threadsafe(self._drop, receive)
        if wait:
            asyncio.run_coroutine_threadsafe(self._at_rest(receive), request_loop()).result()

    def _add(self, orders: Sequence[_Order]) -> None:
        self._waiting.extend(orders)
        self._start()

    def _drop(self, receive: Receive) -> None:
        self._waiting = deque(order for order in self._waiting if order.receive != receive)
        for order in [one for one in self._later if one.receive == receive]:
            self._later.pop(order).cancel()
        for order in self._tasks.values():
            order.off = order.off or order.receive == receive

    async def _at_rest(self, receive: Receive) -> None:
        under_way = [task for task, one in self._tasks.items() if one.receive == receive]
        if under_way:
            await asyncio.wait(under_way)

    def _start(self) -> None:
        """Send what may be sent now, and come back when more may be."""
        while self._waiting and self._taken < int(self._pace.limit):
            order, given_up = self._waiting[0], self._pace.given_up()
            known = self._stored(order)
            if known is None and not given_up and (wait := self._pace.wait()):
                if self._timer is None:
                    self._timer = asyncio.get_running_loop().call_later(wait, self._woken)
                return
            self._waiting.popleft()
            self._taken += 1
            if known is not None:
                self._hand_over(order, known)
                continue
            if given_up:
                self._end(order, self._refusal)
                continue
            began = self._pace.began(self._tokens(order.text) if self._pace.tpm else 0)
            task = asyncio.ensure_future(self._one(order, began))
            self._tasks[task] = order  # the loop itself keeps no task alive
            task.add_done_callback(self._tasks.pop)

    def _stored(self, order: _Order) -> Reply | None:
        if order.stored is None or self._pace.clock() - order.added < _LONG:
            return None
        return order.stored(order.key)

    def _woken(self) -> None:
        self._timer = None
        self._start()

    async def _one(self, order: _Order, began: float) -> None:
        order.tries += 1
        try:
            result = await self._ask(order.text)
        except (ServerError, NoAnswerError) as caught:
            error: Exception = caught
        except Exception as caught:  # noqa: BLE001 -- ends all, in the thread that waits
            self._break(order, caught)
            return
        else:
            self._pace.answered()
            self._hand_over(order, result)
            return
        wait = self._wait(order, began, error)
        if wait is None or order.off:
            self._end(order, error)
            return
        self._taken -= 1
        loop = asyncio.get_running_loop()
        self._later[order] = loop.call_later(wait, self._again, order)
        self._start()

    def _again(self, order: _Order) -> None:
        del self._later[order]
        self._waiting.appendleft(order)
        self._start()

    def _wait(self, order: _Order, began: float, error: Exception) -> float | None:
        """Return the seconds before another try of a text; None if there is none."""
        if isinstance(error, NoAnswerError):
            if error.unreachable and self.restarts:
                return self._busy(order, began, error, None)
            if error.timed_out:
                self._pace.overdue(began)
            lasting, named = error.unreachable or error.lasting, None
        else:
            assert isinstance(error, ServerError)
            named = asked_wait(error.headers)
            if error.status in BUSY and not error.lasting:
                return self._busy(order, began, error, named)
            lasting = error.lasting or not passing(error.status)
            if error.status < 500:
                self._pace.answered()
        if lasting or order.tries > self._retries or (named or 0) > _LONGEST_NAMED:
            return None
        return named or back_off(order.tries)

    def _busy(
        self, order: _Order, began: float, error: Exception, named: float | None
    ) -> float | None:
        self._refusal = error
        wait = self._pace.refused(began, named)
        if order.busy_since is None:
            order.busy_since = began
        if wait is None or not self._retries:
            return None
        late = self._pace.clock() + wait - order.busy_since > self._pace.patience
        return None if late and order.tries > self._retries else wait

    def _end(self, order: _Order, error: Exception) -> None:
        # Outside of ``except``, as the error may hold the key and must not be chained.
        try:
            result = self._failure(order.text, error)
        except Exception as last:  # noqa: BLE001 -- ends all, in the thread that waits
            self._break(order, last)
        else:
            self._hand_over(order, result)

    def _hand_over(self, order: _Order, result: Reply) -> None:
        """Hand over what comes within one turn of the loop together."""
        if not self._done:
            asyncio.get_running_loop().call_soon(self._flush)
        self._done.append((order, result))

    def _flush(self) -> None:
        done, self._done = self._done, []
        together: dict[Receive, list[tuple[Any, Reply]]] = {}
        for order, result in done:
            together.setdefault(order.receive, []).append((order.key, result))
        for receive, results in together.items():
            receive(results)
        self._taken -= len(done)
        self._start()

    def _break(self, order: _Order, error: Exception) -> None:
        """Call off all that waits, and tell everybody why."""
        if order.off:  # nobody waits for it, and the next to ask will be told by their own
            self._taken -= 1
            self._start()
            return
        left, self._waiting = [order, *self._waiting, *self._later], deque()
        while self._later:
            self._later.popitem()[1].cancel()
        self._taken -= 1
        for receive in dict.fromkeys(one.receive for one in left):
            receive(error)
