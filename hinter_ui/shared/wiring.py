"""Connect events with what they do: privately, guarded, with failures shown in a notice.

Functions of ``assets/js`` for the page are named by file and function: ``batch.opened`` is the
function ``opened`` of ``batch.js``. A file holds the functions of one tab, ``page.js`` those of
several. Each begins in the first column, ends with a brace there, and calls none of the others,
since it is put on the page alone. No text of a visitor becomes part of a script. ``annotate.js`` is
the exception: the whole page of an annotator.
"""

import json
import logging
import re
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cache, partial, wraps
from inspect import isgeneratorfunction
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl

import gradio as gr

from hinter_core.errors import HinterError
from hinter_core.storage import ASSETS
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup
from hinter_ui.html.wording import Words

T = TypeVar("T")
say = Words("check")
_FURTHEST = 10**9
_CHAIN = 8  # faults behind one that are logged
_ENTRIES = frozenset({"input", "change", "submit", "blur"})


def place_in(data: Mapping[str, Any] | None, name: str, default: int = -1) -> int:
    """Read an index, such as that of a row, from the data of an event; else ``default``."""
    value = (data or {}).get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        return default
    return value if 0 <= value <= _FURTHEST else default


class Rationed:
    """Allow something ``most`` times within ``seconds``."""

    def __init__(
        self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._times: deque[float] = deque(maxlen=most)
        self._seconds = seconds
        self._clock = clock

    def take(self) -> bool:
        """Whether it is allowed now; it is counted then."""
        now, times = self._clock(), self._times
        if len(times) == times.maxlen and times[0] > now - self._seconds:
            return False
        times.append(now)
        return True


TRACES = Rationed(10, 600.0)  # faults that are logged whole; strangers can bring about many


def without_words(record: logging.LogRecord) -> bool:
    """Log where a fault was and of which kind; its message may hold a text or a key."""
    error, parts = record.exc_info[1] if record.exc_info else None, list[str]()
    while error and len(parts) < _CHAIN:
        lines = "".join(traceback.format_tb(error.__traceback__))
        parts.insert(0, f"Traceback:\n{lines}{type(error).__name__}")
        error = error.__cause__ or error.__context__
    if parts:
        record.exc_text, record.exc_info = "\n".join(parts), None
    return True


def rationed_log(name: str) -> logging.Logger:
    """Return the log of a module for what strangers can bring about."""
    log = logging.getLogger(name)
    log.addFilter(lambda _: TRACES.take())
    log.addFilter(without_words)
    return log


log = rationed_log(__name__)


def private(
    event: Callable[..., Any],
    act: Callable[..., Any],
    inputs: list[Any],
    outputs: list[Any],
    **options: Any,
) -> Any:
    """Wire one event that is not part of the public API, without a progress overlay.

    ``act`` is called with the inputs' values, after the request if it names one.
    """
    settings = {
        "api_visibility": "private", "concurrency_limit": 8, "show_progress": "hidden",
    } | options  # fmt: skip
    if _typed(event):
        # Otherwise gradio drops what is typed or chosen while an earlier choice is worked on.
        settings.setdefault("trigger_mode", "always_last")
    if settings["show_progress"] == "hidden":
        # The page keeps the progress of every output up to date at each step of every event, by a
        # copy of all that the output holds, though nothing of it is shown.
        settings.setdefault("show_progress_on", [])
    return event(_in_one_context(act), inputs, outputs, **settings)


def _typed(event: Callable[..., Any]) -> bool:
    """Whether an event, or each of several, is a choice or an entry: the last one counts."""
    each = event.args[0] if isinstance(event, partial) and event.func is gr.on else [event]
    return all(getattr(one, "event_name", "") in _ENTRIES for one in each)


def _in_one_context(act: Callable[..., Any]) -> Callable[..., Any]:
    """Keep what a generator sets, such as the language, for its later steps.

    gradio runs each step in a thread and a context of its own.
    """
    if not isgeneratorfunction(act):
        return act

    @wraps(act)
    def run(*values: Any) -> Iterator[Any]:
        context, steps, ended = copy_context(), act(*values), object()
        while (step := context.run(next, steps, ended)) is not ended:
            yield step

    return run


def scripted(
    event: Callable[..., Any], script: str, inputs: Sequence[Any] = (), first: Sequence[Any] = ()
) -> Any:
    """Run a function of ``assets/js`` in the page alone, with ``first`` and the inputs' values."""
    code = after_event(script, *first)
    return event(None, list(inputs), None, js=code, api_visibility="private")


class Addresses:
    """Handlers that run when a page loads, if its URL has the parameters that they read.

    The cost of an event grows with the number of its outputs, whether or not they change.
    """

    def __init__(self) -> None:
        self._boxes: dict[gr.HTML, tuple[str, ...]] = {}
        self._tabs: dict[str, str] = {"tab": "", "lang": ""}

    def names(self, *names: str, tab: str = "") -> gr.HTML:
        """Return what changes on a fresh page whose address has one of these ``names``.

        Its value is their part of the query, and as ``key`` the fragment, which browsers send to no
        server. A page with one of the names begins in the ``tab`` of this id; a name that is also
        asked for without a tab begins none.
        """
        # Never in the page, and in no tab: gradio tells of its change all the same.
        box = gr.HTML("", visible=False, render=False)
        self._boxes[box] = names
        for name in names:
            self._tabs[name] = tab and self._tabs.get(name, tab)
        return box

    def read_by(self, page: gr.Blocks) -> None:
        """Wire the handlers to the load of the page, after all other events."""
        for box in self._boxes:
            box.render()  # type: ignore[no-untyped-call]
        code = after_event("page.addressed", *map(list, self._boxes.values()))
        page.load(None, None, list(self._boxes), js=code, api_visibility="private")

    def opener(self, shown: Mapping[str, Sequence[str]]) -> str:
        """Code for the head of the page: it begins in the tab of its address, not in the first.

        ``shown`` are the ids of what each tab shows at first.
        """
        return f"({after_event('page.begin', self._tabs, shown)})();"


def page_address(request: gr.Request) -> str:
    """Return the address at which the browser has the app open, without its query."""
    return str(request.headers.get("referer") or "").partition("?")[0]


def parts_of(linked: Any) -> dict[str, str]:
    """Read the value of :meth:`Addresses.names`."""
    return dict(parse_qsl(str(linked or "").lstrip("?"), keep_blank_values=True))


@dataclass(frozen=True)
class TabLink:
    """What other tabs may start in a tab: a function of the request, and the widgets it updates.

    ``scripts`` run in the page afterwards, one after another: the arguments of :func:`scripted`
    after the event. ``options`` are those of the event.
    """

    act: Callable[..., Any]
    outputs: list[Any]
    scripts: tuple[tuple[Any, ...], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def follow(self, event: Callable[..., Any]) -> None:
        """Go there after another tab's event: ``event`` is its ``then`` or ``success``."""
        step = private(event, self.act, [], self.outputs, **self.options)
        for script in self.scripts:
            step = scripted(step.then, *script)


def attempt(
    act: Callable[..., Any], *values: Any, title: str | Callable[[], str] = ""
) -> tuple[Any, Markup]:
    """Return what ``act`` gives and an empty notice, or None and the notice of its failure.

    A ``title`` that is called is in the language that ``act`` has set.
    """
    fault: str | HinterError
    try:
        return act(*values), Markup("")
    except HinterError as error:
        fault = error
    except Exception:
        log.exception("An event of the page failed.")
        fault = say("notices.failed")
    head = title() if callable(title) else title
    return None, notice.error(fault, head or None)


class Load(Generic[T]):
    """Work of a while, such as loading a model, in a thread.

    Once ``done`` is set, there is a ``result``; or ``error`` is a sentence, as it failed.
    """

    result: T

    def __init__(self, work: Callable[[], T]) -> None:
        self.done = threading.Event()
        self.error = ""
        self._started = time.monotonic()
        arguments = (self._run, work)
        run = copy_context().run  # errors are in the visitor's language
        threading.Thread(target=run, args=arguments, name="load", daemon=True).start()

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self.result = work()
        except HinterError as error:
            self.error = str(error)
        except Exception:
            log.exception("A model could not be loaded.")
            self.error = say("notices.load_failed")
        finally:
            self.done.set()

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return not self.done.is_set()

    @property
    def seconds(self) -> int:
        """Seconds since the start."""
        return int(time.monotonic() - self._started)


_FOLDER = ASSETS / "js"
_FUNCTION = re.compile(r"^(?:async )?function (\w+)\(.*?^}$", re.DOTALL | re.MULTILINE)


def on_load(*names: str) -> str:
    """Write code for ``gr.HTML(js_on_load=...)``: calls with its element, trigger and server."""
    return "\n".join(f"({_source(name)})(element, trigger, server);" for name in names)


def after_event(name: str, *first: Any) -> str:
    """Write code for the ``js`` of an event: a call with ``first`` and the inputs' values."""
    if not first:
        return _source(name)
    return f"(...values) => ({_source(name)})({', '.join(map(json.dumps, first))}, ...values)"


@cache
def whole(file: str) -> str:
    """Return a whole file of ``assets/js``."""
    return (_FOLDER / f"{file}.js").read_text(encoding="utf-8")


def _source(name: str) -> str:
    file, _, function = name.partition(".")
    return {match[1]: match[0] for match in _FUNCTION.finditer(whole(file))}[function]
