"""How a tab connects an event with what it does: privately, guarded, failures told in a notice."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from inspect import isgeneratorfunction
from typing import Any

from hinter_core.errors import HinterError
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup
from hinter_ui.html.wording import DEFAULT, words_of
from hinter_ui.shared.scripts import after_event

log = logging.getLogger(__name__)

FAILED = words_of(DEFAULT, "check")("notices.failed")


def private(
    event: Callable[..., Any],
    act: Callable[..., Any] | None,
    inputs: list[Any],
    outputs: list[Any],
    **options: Any,
) -> Any:
    """Wire one event that is no part of the public API; without a progress overlay.

    ``act`` is called with the inputs' values, after the request if it names one.
    """
    settings = {
        "api_visibility": "private",
        "concurrency_limit": 8,
        "show_progress": "hidden",
    } | options
    if settings["show_progress"] == "hidden" and outputs:
        # The page keeps the progress of every output up to date, each time by a search of the
        # whole page for it, though nothing of it is shown: one output is enough.
        settings.setdefault("show_progress_on", outputs[:1])
    return event(act, inputs, outputs, **settings)


def scripted(
    event: Callable[..., Any], script: str, inputs: Sequence[Any] = (), first: Sequence[str] = ()
) -> Any:
    """Run a function of ``assets/js`` in the page alone, with ``first`` and the inputs' values."""
    code = after_event(script, *first)
    return event(None, list(inputs), None, js=code, api_visibility="private")


@dataclass(frozen=True)
class TabLink:
    """What a tab lets others do in it: a function of the request, and the widgets it updates.

    ``scripts`` run in the page afterwards, one after another; ``options`` are those of the event.
    """

    act: Callable[..., Any]
    outputs: list[Any]
    scripts: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def follow(self, event: Callable[..., Any]) -> None:
        """Go there once another tab's event is over: ``event`` is its ``then`` or ``success``."""
        step = private(event, self.act, [], self.outputs, **self.options)
        for script in self.scripts:
            step = scripted(step.then, script)


def attempt(act: Callable[..., Any], *values: Any, title: str = "") -> tuple[Any, Markup]:
    """What ``act`` gives, and the notice of why it failed: one of the two is empty."""
    try:
        return act(*values), Markup("")
    except HinterError as error:
        message = str(error)
    except Exception:
        log.exception("An event of the page failed.")
        message = FAILED
    return None, notice.error(message, title) if title else notice.error(message)


def guarded(act: Callable[..., Any], place: Any, title: str = "") -> Callable[..., Any]:
    """``act``, whose failures are shown in the widget ``place``; what is on the page stays.

    A generator guards itself and is left alone.
    """
    if isgeneratorfunction(act):
        return act

    @wraps(act)
    def run(*values: Any) -> Any:
        result, failure = attempt(act, *values, title=title)
        return {place: failure} if failure else result

    return run
