"""Functions of the server that annotators' pages may call.

Each takes one JSON object and returns one; all but joining need the key that joining gave. Errors
come back as ``{"error": {"code", "message"}}`` in the project's language. The calls bypass
gradio, so that a judgement is on disk within one short request.
"""

import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from hinter_core.annotation.project.judging import Judging, Submission
from hinter_core.annotation.project.store import AnnotationStore, now
from hinter_core.annotation.project.types import (
    FIRST,
    AccessError,
    AnnotationError,
    Assignment,
    Status,
)
from hinter_core.errors import HinterError
from hinter_core.language.clean import whole
from hinter_ui.annotate import annotator
from hinter_ui.annotate.annotator import say
from hinter_ui.html.trees import pair_trees
from hinter_ui.html.wording import DEFAULT, speak
from hinter_ui.shared.library import Annotations
from hinter_ui.shared.links import DEFAULT_PARSER
from hinter_ui.shared.services import Services
from hinter_ui.shared.wiring import place_in, rationed_log

log = rationed_log(__name__)

_AHEAD = 16  # items on a page: the current one, and those for a lost connection
_MOST_SENT = 25  # judgements in one call
# Sending these again would not help.
_REFUSED = {"gone", "not-given", "comment", "answers", "key", "seconds", "twice"}
_CODES = _REFUSED | {
    "no-project", "closed", "signed-out", "name", "short", "taken", "slow", "consent",
}  # fmt: skip
_FROM_LINK = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")  # about who comes from a service
_LONGEST_ENTRY = 100  # characters

_MINUTE, _DAY = 60.0, 86_400.0  # seconds
# Wrong ones in a minute: of a network for a name and for all of a project; and of all networks
# together for a name, which one visitor alone cannot reach, so that nobody locks out another.
_NAME_TRIES, _PROJECT_TRIES, _ALL_TRIES = 5, 30, 60

Answer = dict[str, Any]


class Login(NamedTuple):
    """Who is signed in with Hugging Face."""

    name: str
    username: str


class Throttle:
    """Limits wrong pass-phrases within a minute, by network, name and project.

    A try counts from its beginning, so that parallel ones are limited, too.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: list[tuple[_Try, float]] = []
        self._lock = threading.Lock()

    def begin(self, project: str, name: str, network: str) -> bool:
        """Return whether one more try is allowed; it counts as wrong until :meth:`right`."""
        with self._lock:
            now = self._clock()
            self._tries = [one for one in self._tries if one[1] > now - _MINUTE]
            attempt = _try(project, name, network)
            here = [tried for tried, _ in self._tries if tried.project == project]
            allowed = (
                here.count(attempt) < _NAME_TRIES
                and sum(tried.network == attempt.network for tried in here) < _PROJECT_TRIES
                and sum(tried.name == attempt.name for tried in here) < _ALL_TRIES
            )
            if allowed:
                self._tries.append((attempt, now))
            return allowed

    def right(self, project: str, name: str, network: str) -> None:
        """Do not count the latest try of a name from a network, as it was right."""
        with self._lock:
            attempts = [one for one in self._tries if one[0] == _try(project, name, network)]
            if attempts:
                self._tries.remove(attempts[-1])


class _Try(NamedTuple):
    project: str
    name: str
    network: str


def _try(project: str, name: str, network: str) -> _Try:
    return _Try(project, " ".join(name.split()).casefold(), network)


class AnnotatorEndpoints:
    """The calls with which annotators join, get items and submit judgements."""

    def __init__(
        self, services: Services, projects: Annotations, *, signs_in: bool = False
    ) -> None:
        self.services = services
        self.projects = projects
        self.signs_in = signs_in
        self.throttle = Throttle()

    def answer(self, call: str, body: Any, login: Login | None, network: str) -> Answer:
        """Answer a call of a page by its name; ``network``: where it comes from."""
        acts: dict[str, Callable[[Judging, Mapping[str, Any]], Answer]] = {
            "enter": partial(self._enter, login=login), "work": self._work, "trees": self._trees,
            "join": partial(self._join, login=login, network=network), "leave": self._leave,
        }  # fmt: skip
        if call not in acts:
            return {"error": _words(AnnotationError("", "failed"))}
        return self._safe(acts[call], body)

    def _safe(self, act: Callable[[Judging, Mapping[str, Any]], Answer], body: Any) -> Answer:
        """Return the answer of an act, or its error in the project's language."""
        speak(DEFAULT, say.room)
        try:
            if not isinstance(body, dict):
                raise AnnotationError("", "failed")  # not logged: no page of ours sends it
            judging = self.projects.judging(_text(body, "project"))
            speak(judging.store.project().language, say.room)
            return act(judging, body)
        except HinterError as error:
            return {"error": _words(error)}
        except Exception:
            log.exception("A call of an annotator's page failed.")
            return {"error": _words(AnnotationError("", "failed"))}

    # -- coming and going -----------------------------------------------------------------------

    def _enter(self, judging: Judging, body: Mapping[str, Any], login: Login | None) -> Answer:
        project, key = judging.store.project(), _text(body, "key")
        if body.get("preview") is True:
            return self._previewed(self.projects.owned(_text(body, "project"), key).store)
        if not key and project.closed:
            return {"html": annotator.ending("closed")}
        if not key:
            return {"html": annotator.page().join_form(project, login, self.signs_in)}
        person = judging.store.whose(key)
        return self._seated(judging.store, person.name, judging.store.entry(key))

    def _previewed(self, store: AnnotationStore) -> Answer:
        """Return what an annotator sees of the first texts, for the owner; nothing is stored."""
        project, first = store.project(), islice(store.items(), _AHEAD)
        items = [annotator.item(Assignment(one, FIRST), project) for one in first]
        end = annotator.ending("done", len(items), 0, project.completion)
        opening = annotator.page().join_form(project)
        return self._seated(store, "", {}) | {"items": items, "end": end, "opening": opening}

    def _join(
        self,
        judging: Judging,
        body: Mapping[str, Any],
        login: Login | None,
        network: str,
    ) -> Answer:
        store, project, place = judging.store, judging.store.project(), _text(body, "project")
        if project.consent and body.get("consent") is not True:
            raise AccessError("There is no consent.", "consent")
        given = body.get("entry")
        entry = {
            name: _text(given, name)[:_LONGEST_ENTRY]
            for name in _FROM_LINK
            if isinstance(given, dict) and _text(given, name)
        }
        if project.consent:
            entry["consent"] = now()
        if body.get("login") is True and login is not None:
            person, key = store.join_by_login(login.name, f"hf:{login.username}")
            return self._seated(store, person.name, store.entry(key, **entry)) | {"key": key}
        name = _text(body, "name")[:200]
        guess = place, name, network
        if not self.throttle.begin(*guess):
            raise AccessError("There were too many wrong tries; wait a minute.", "slow")
        try:
            person, key = store.join(name, _text(body, "phrase")[:1000])
        except AccessError as error:
            if error.code != "taken":  # nothing was guessed
                self.throttle.right(*guess)
            raise
        self.throttle.right(*guess)
        return self._seated(store, person.name, store.entry(key, **entry)) | {"key": key}

    def _seated(self, store: AnnotationStore, name: str, entry: Mapping[str, str]) -> Answer:
        project = store.project()
        drill = [] if "practised" in entry else annotator.practice(project)
        return {"html": annotator.screen(project, name), "name": name, "practice": drill}

    def _leave(self, judging: Judging, body: Mapping[str, Any]) -> Answer:
        judging.store.leave(_text(body, "key"))
        return {"html": annotator.ending("left")}

    # -- at work --------------------------------------------------------------------------------

    def _work(self, judging: Judging, body: Mapping[str, Any]) -> Answer:
        """Store judgements in their order, and return the next items.

        ``done``: what need not be sent again; with an error, what was refused for good. Of items
        that the page ``held`` before, only the names are returned.
        """
        key, project = _text(body, "key"), judging.store.project()
        judging.store.whose(key)
        sent = body.get("sent")
        done: list[Answer] = []
        for one in (sent if isinstance(sent, list) else [])[:_MOST_SENT]:
            if not isinstance(one, dict):
                continue
            try:
                self._take(judging, key, one)
                done.append({"id": _text(one, "id")})
            except AnnotationError as error:
                if error.code == "closed":
                    return self._closed(judging, key, done)
                if error.code not in _REFUSED:
                    raise
                done.append({"id": _text(one, "id"), "error": _words(error)})
        if judging.store.project().closed:
            return self._closed(judging, key, done)
        held = body.get("held")
        there = {str(one) for one in held} if isinstance(held, list) else set()
        items = [
            _named(one) if _place(one) in there else annotator.item(one, project)
            for one in judging.upcoming(key, _AHEAD)
        ]
        progress = judging.progress(key)
        answer: Answer = {
            "done": done,
            "items": items,
            "progress": {"judged": progress.judged, "skipped": progress.skipped,
                         "left": progress.left, "seconds": progress.seconds},
        }  # fmt: skip
        if not items:
            code = _earned(judging, key)
            owed = bool(project.completion) and not code
            texts = progress.judged - progress.again
            answer["end"] = annotator.ending(
                "done", texts, progress.skipped, code, owed=owed, again=progress.again
            )
        return answer

    def _closed(self, judging: Judging, key: str, done: list[Answer]) -> Answer:
        end = annotator.ending("closed", code=_earned(judging, key))
        return {"done": done, "items": [], "closed": end}

    def _take(self, judging: Judging, key: str, one: Mapping[str, Any]) -> None:
        kind, ident = _text(one, "kind"), _text(one, "id")
        showing = place_in(one, "showing", 0)
        if kind == "undo":
            of = (_text(one, "item"), showing) if one.get("item") else None
            judging.undo(key, ident[:100], of)
        elif kind == "again":
            judging.return_skipped(key)
        elif kind == "practised":
            judging.store.entry(key, practised=now())
        else:
            status = Status.JUDGED if kind == "judged" else Status.SKIPPED
            answers, seconds = one.get("answers"), one.get("seconds")
            plain = answers if isinstance(answers, dict) else {}
            said = Submission(
                _text(one, "item"), showing, status,
                {name: _text(plain, name) for name in plain}, ident,
                _text(one, "comment"), _seconds(seconds),
            )  # fmt: skip
            judging.judge(key, said, once=True)

    def _trees(self, judging: Judging, body: Mapping[str, Any]) -> Answer:
        item = judging.given(_text(body, "key"), _text(body, "item"))
        if judging.store.project().blind:
            raise AnnotationError("", "failed")  # no page of ours asks for them
        return {"html": pair_trees(item, self.services.parses(DEFAULT_PARSER))}


def _earned(judging: Judging, key: str) -> str:
    """Return the code of a person who has done enough for it, or ""."""
    return judging.store.project().completion if judging.finished(key) else ""


def _named(one: Assignment) -> Answer:
    return {"item": one.item.id, "showing": one.showing}


def _place(one: Assignment) -> str:
    """Return the name by which a page says that it holds an assignment."""
    return f"{one.showing} {one.item.id}"


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    return whole(value) if isinstance(value, str) else ""


def _seconds(value: object) -> float:
    """Return how long a judgement took, up to a day, whatever a page sent."""
    number = value if isinstance(value, int | float) and value >= 0 else 0.0
    return float(min(number, _DAY))


def _words(error: HinterError) -> Answer:
    code = error.code if isinstance(error, AnnotationError) and error.code in _CODES else "failed"
    message = say(f"errors.{code.replace('-', '_')}")
    if code == "failed" and str(error):
        log.warning("An annotator's page was told that something failed: %s", error)
    answer: Answer = {"code": code, "message": message}
    if code == "no-project":
        answer["html"] = annotator.page().problem(message)
    return answer
