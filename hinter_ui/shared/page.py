"""The page as gradio runs it: what its events bring, and what they answer."""

import html
import random
from collections.abc import Callable, Sequence
from copy import copy
from enum import Enum
from types import SimpleNamespace
from typing import Any

import gradio as gr

from hinter_core.errors import HinterError
from hinter_core.language.clean import whole_values
from hinter_ui.html.wording import Words, speak, translated
from hinter_ui.inside import (
    Block,
    BlocksConfig,
    Event,
    EventQueue,
    Queue,
    convert_component_dict_to_list,
)
from hinter_ui.shared.gate import language_of, visitor_of
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Visitor
from hinter_ui.shared.uploads import Uploads
from hinter_ui.shared.wiring import rationed_log

log = rationed_log(__name__)
say = Words("shared")

_LONGEST = 300  # characters of a refusal that gradio words
# Events on a public host, of a browser and of its network, which may be that of a whole class.
_AT_WORK = 4, 12
_WAITING = 32, 100


class _Widgets(BlocksConfig):
    """The widgets of a page; each visitor has a copy, as events may change them."""

    def __copy__(self) -> BlocksConfig:
        widgets = _WidgetsOfVisitor(self.root_block)
        vars(widgets).update(vars(super().__copy__()))  # type: ignore[no-untyped-call]
        return widgets


class _WidgetsOfVisitor(BlocksConfig):
    @staticmethod
    def config_for_block(*_: Any, **__: Any) -> dict[str, Any]:
        """Describe nothing.

        gradio describes each widget for each visitor and after each change (0.1 s and 0.8 MB for
        a visitor of a page like ours), only to make the deep links that :class:`Gate` refuses.
        """
        return {}


class TurnsQueue(Queue):
    """gradio's queue, in which visitors of a public host take turns.

    One visitor never has all places of a kind of event: a browser has half of them and its network
    all but one. Whose network has least at work goes first.
    """

    local: Callable[[], bool]

    @classmethod
    def of(cls, queue: Queue, local: Callable[[], bool]) -> "TurnsQueue":
        """Return a queue with the settings of another, which is not yet in use."""
        turns = cls.__new__(cls)
        vars(turns).update(vars(queue), local=local)
        return turns

    async def push(self, body: Any, request: Any, username: str | None) -> Any:
        """Queue an event, unless its visitor has reached the limit of queued events."""
        if not self.local():
            queues = self.event_queue_per_concurrency_id.values()
            mine = _shares([event for queue in queues for event in queue.queue], request)
            if any(number >= most for number, most in zip(mine, _WAITING, strict=True)):
                return False, say("gate.waiting"), "queue_full"
        return await super().push(body, request, username)

    def get_events(self) -> tuple[list[Event], bool, str] | None:
        """Return the event that begins next; none of our events is run in batches."""
        if self.local():
            return super().get_events()
        running = [event for job in self.active_jobs for event in job or ()]
        groups = list(self.event_queue_per_concurrency_id.items())
        random.shuffle(groups)
        for name, group in groups:
            if event := _next(group, running):
                group.queue.remove(event)
                return [event], False, name
        return None


def _next(group: EventQueue, running: Sequence[Event]) -> Event | None:
    """Return the next event, if a worker is free for it."""
    places = group.concurrency_limit or _AT_WORK[1]
    if group.current_concurrency >= places:
        return None
    beside = [event for event in running if event.concurrency_id == group.concurrency_id]
    most = (max(1, places // 2), max(1, places - 1), *_AT_WORK)
    first: dict[Visitor, Event] = {}
    for event in group.queue:
        first.setdefault(visitor_of(event.request), event)
    fewest: tuple[int, Event] | None = None
    for event in first.values():
        shares = (*_shares(beside, event.request), *_shares(running, event.request))
        if all(map(int.__lt__, shares, most)) and (fewest is None or shares[-1] < fewest[0]):
            fewest = shares[-1], event
    return fewest[1] if fewest else None


def _shares(events: Sequence[Event], request: Any) -> tuple[int, int]:
    """Count the events of the browser that sends a request, and of its network."""
    visitor = visitor_of(request)
    near = [one for event in events if (one := visitor_of(event.request)).shares(visitor)]
    return sum(one == visitor for one in near), len(near)


class PlainError(gr.Error):
    """An error that a program is told in plain words; no page shows it."""

    def __init__(self, error: HinterError) -> None:
        super().__init__(" ".join(str(error).split()), print_exception=False)


class Page(gr.Blocks):
    """The page: its events accept uploads only of existing files, and log refusals briefly.

    gradio itself prints a trace for every value that does not fit, so that a stranger fills the
    disk with them. And it does much for each widget of an event that no page of ours needs; with
    fifty visitors, that was more work than their checks.
    """

    def __init__(self, services: Services, **options: Any) -> None:
        self._local = lambda: services.access.local
        super().__init__(**options)
        widgets = _Widgets(self)
        vars(widgets).update(vars(self.default_config))
        self.default_config = widgets
        self.uploads = Uploads(services.sessions, self._local)

    def queue(self, *args: Any, **named: Any) -> "Page":
        """Set up the queue of events, in which visitors take turns."""
        super().queue(*args, **named)
        self._queue = TurnsQueue.of(self._queue, self._local)
        return self

    async def preprocess_data(
        self, block_fn: Any, inputs: Any, state: Any, *args: Any, **named: Any
    ) -> Any:
        """Read the values of an event's widgets, and refuse those that do not fit.

        gradio reads each in a thread of its own, which takes longer than a short event where many
        threads are at work. Only files need one.
        """
        try:
            inputs = whole_values(inputs)  # an event with half a character could never be sent
            if not state or not block_fn.preprocess or any(map(_has_files, block_fn.inputs)):
                return await super().preprocess_data(block_fn, inputs, state, *args, **named)
            unread = copy(block_fn)
            unread.preprocess = False
            values = await super().preprocess_data(unread, inputs, state, *args, **named)
            return [
                value if widget.stateful else state[widget._id].preprocess(value)
                for widget, value in zip(block_fn.inputs, values, strict=True)
            ]
        except gr.Error:
            raise
        except Exception as error:
            raise _told(say("gate.value")) from error

    async def postprocess_data(self, block_fn: Any, predictions: Any, state: Any) -> list[Any]:
        """Put what an event answers into its widgets.

        gradio makes each widget of the event anew, also those that stay as they are, and has each
        value written in a thread of its own. It numbers a new widget anew, too, and then keeps one
        more of it for each later event that reads it.
        """
        if not state or not block_fn.postprocess or block_fn.is_validator_function:
            return await super().postprocess_data(block_fn, predictions, state)
        widgets = block_fn.outputs
        return [
            await self._written(block_fn, widget, answer, state)
            for widget, answer in zip(widgets, _answers(widgets, predictions), strict=True)
        ]

    async def _written(self, block_fn: Any, widget: Any, answer: Any, state: Any) -> Any:
        if isinstance(answer, dict) and answer == gr.skip():
            return None if widget.stateful else answer
        one = copy(block_fn)
        one.outputs = [widget]
        if not (widget.stateful or _is_change(answer)):
            answer, one.postprocess = state[widget._id].postprocess(answer), False
        [written] = await super().postprocess_data(one, answer, state)
        if kept := state.blocks_config.blocks.get(widget._id):
            kept._id = widget._id
        return written

    async def process_api(
        self, block_fn: Any, inputs: Any, *args: Any, **named: Any
    ) -> dict[str, Any]:
        """Process an event in its page's language; the page keeps the uploads among the values."""
        speak(language_of(named.get("request")))
        try:
            if named.get("iterator") is None:
                visitor = visitor_of(named.get("request"))
                self.uploads.hold(named.get("session_hash"), inputs, visitor)
            return await super().process_api(block_fn, inputs, *args, **named)
        except PlainError:
            raise
        except gr.Error as error:
            raise _told(error.message, error.title, error.duration) from error
        except HinterError as error:
            raise _told(str(error)) from error
        except Exception as error:
            log.exception("An event failed.")
            raise _told(say("gate.failed")) from error


def _answers(widgets: list[Any], predictions: Any) -> Any:
    """Return an answer for each widget; an event may name some, or have none for all."""
    if isinstance(predictions, dict) and predictions == gr.skip():
        return [gr.skip() for _ in widgets]
    if isinstance(predictions, dict) and predictions:
        predictions = convert_component_dict_to_list(widgets, predictions)
    return predictions if len(widgets) > 1 else [predictions][: len(widgets)]


def _is_change(answer: Any) -> bool:
    """Whether an answer is no value: ``gr.update``, a widget, or gradio's sign of an end."""
    update = isinstance(answer, dict) and "__type__" in answer
    return update or isinstance(answer, Block | SimpleNamespace | Enum)


def _has_files(widget: Any) -> bool:
    return getattr(widget, "data_model", None) is not None


def _told(message: object, title: str = "Error", duration: float | None = 10) -> gr.Error:
    # A toast of gradio's shows HTML.
    words = html.escape(translated(str(message))[:_LONGEST], quote=False)
    return gr.Error(words, duration=duration, title=title, print_exception=False)
