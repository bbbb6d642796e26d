"""Ask many questions at a time from code that waits for answers one by one.

An event loop of its own runs on a thread, so that it does not matter whether the caller has one
(a notebook has).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")

Session = Callable[[], AbstractAsyncContextManager[Callable[[int], Awaitable[T]]]]


@dataclass(frozen=True, slots=True)
class _Came(Generic[T]):
    value: T


def as_they_come(session: Session[T], count: int, limit: int) -> Iterator[T]:
    """What a session's function gives for 0 to ``count - 1``, in the order in which it comes.

    At most ``limit`` calls are begun and not yet *done with*: a value is done with when the next
    one is asked for, so whoever writes each value down before that never has more than ``limit``
    to lose. The first error ends it, and so does closing the iterator: calls under way are
    cancelled.
    """
    queue: SimpleQueue[_Came[T] | BaseException | None] = SimpleQueue()
    slots = asyncio.Semaphore(limit)
    loop = asyncio.new_event_loop()

    async def one(ask: Callable[[int], Awaitable[T]], number: int) -> None:
        await slots.acquire()  # given back below
        queue.put(_Came(await ask(number)))

    async def run() -> None:
        async with session() as ask, asyncio.TaskGroup() as group:
            for number in range(count):
                group.create_task(one(ask, number))

    task = loop.create_task(run())

    def work() -> None:
        end: BaseException | None = None
        try:
            loop.run_until_complete(task)
        except BaseExceptionGroup as group:
            end = group.exceptions[0]
        except BaseException as error:  # noqa: BLE001 -- handed over to the caller's thread
            end = error
        loop.close()
        queue.put(end)

    threading.Thread(target=work, daemon=True).start()
    try:
        while isinstance(item := queue.get(), _Came):
            yield item.value
            with suppress(RuntimeError):  # the loop is closed: nothing is left to begin
                loop.call_soon_threadsafe(slots.release)
        if item is not None:
            raise item
    finally:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(task.cancel)
