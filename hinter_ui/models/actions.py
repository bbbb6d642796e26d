"""What the Models tab does, without its widgets: list, name, load, ask.

Faults that a visitor can mend are raised as :class:`hinter_core.errors.HinterError`. A visitor's
key is in a session's memory only.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hinter_core.errors import HinterError, InputError
from hinter_core.language.clean import clean
from hinter_core.models.prompting import shipped_prompts
from hinter_core.models.registry import BACKENDS, Backend, ModelName, write_name
from hinter_core.models.server.endpoint import OPENAI_URL
from hinter_core.models.store import PredictionStore
from hinter_core.options import Option, Value
from hinter_ui.html.wording import translated
from hinter_ui.models.html import ModelRow, ModelState, RepeatedAnswer, asked_of, say
from hinter_ui.shared.access import Access, clean_key, key_or_none
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import Load

# What a source looks like; any other is taken too.
EXAMPLES = {
    "scripted": "negative 0.8 if race=black and gender=female; positive otherwise",
    "hf": "distilbert/distilbert-base-uncased-finetuned-sst-2-english",
    "hf-zero-shot": "facebook/bart-large-mnli",
    "hf-chat": "Qwen/Qwen2.5-0.5B-Instruct",
    "openai": "gpt-4o-mini",
}
_NARROWER = ("hf", "hf-masked", "prompt", "base_url")  # kinds and options; see fitting
_ANY_KEY = "-"  # a name is looked at before its key is typed


def addable(access: Access) -> dict[str, Backend]:
    """Return the kinds with something to choose, so that a visitor can add models of them."""
    return {kind: b for kind, b in access.kinds().items() if b.source}


def offered(option: Option, access: Access) -> tuple[list[tuple[str, str]], bool]:
    """Return choices (label, value) for a text option, and whether others are taken."""
    names: Sequence[str]
    match option.name:
        case "prompt":
            names, others = tuple(shipped_prompts()), access.local
        case "judge":
            names, others = ("vader", "textblob", "embedded"), True
        case "base_url":
            names, others = [url for url in access.servers() if url != OPENAI_URL], access.local
            if not access.local and OPENAI_URL not in access.endpoints:
                return [(name, name) for name in names], others
        case _:
            return [], False
    return [(say(f"form.choices.{option.name}"), ""), *((n, n) for n in names)], others


def fitting(key: str, words: str, access: Access) -> str:
    """Translate words of the core; a public host has others where those offer files or servers."""
    if access.local or key not in _NARROWER:
        return translated(words)
    return say(f"form.public.{key}")


def help_of(option: Option, access: Access) -> str:
    """Describe an option, and the range of its numbers."""
    if option.low is None or option.high is None:
        return fitting(option.name, option.help, access)
    return say("form.range", help=translated(option.help), low=option.low, high=option.high)


def name_of(kind: str, backend: Backend, source: Any, values: Sequence[Any]) -> str:
    """Return the name for the fields of a kind; ``values`` are in the order of its options.

    A whole name may be pasted as the source; its settings override the fields.
    """
    written = "; ".join(line.strip() for line in str(source or "").splitlines() if line.strip())
    written = written.removeprefix(f"{kind}:")
    options = backend.options
    given = {o.name: _value(o, v) for o, v in zip(options, values, strict=True)}
    if not options:
        return write_name(kind, written, given, options)
    written, _, settings = written.partition("?")
    name = write_name(kind, written, given, options)
    if not settings:
        return name
    return f"{name}{'&' if '?' in name else '?'}{settings}"


def _value(option: Option, given: Any) -> Value:
    default: Value = option.default
    if given is None:
        return default
    if option.type is bool:
        return bool(given)
    if option.type is int and isinstance(given, float) and given.is_integer():
        return int(given)
    if option.type is str:
        return str(given).strip()
    return given if isinstance(given, int | float) else str(given)


def sketch(
    access: Access, kind: str, backend: Backend, source: Any, values: Sequence[Any]
) -> tuple[str, str]:
    """Return the name so far, and what is wrong with it, if anything can be seen yet."""
    name = name_of(kind, backend, source, values)
    if not str(source or "").strip():
        example = EXAMPLES.get(kind, backend.source)
        return backend.usage(kind), say("form.example", example=example)
    try:
        access.admit(name, _ANY_KEY)
    except HinterError as error:
        return name, translated(str(error))
    return name, ""


MOST_REPEATS = 20
_MOST_ADDED = 12
_FIRST_QUESTION = "The table stands by the window."


@dataclass
class ModelsState:
    """What Models keeps of a page: the last attempt to load each model."""

    loads: dict[str, Load[str]] = field(default_factory=dict)


class ModelsActions:
    """The actions of the Models tab."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = threading.Lock()
        self._shipped = {name for _, name in services.model_choices()}

    def known(self, session: Session) -> list[ModelRow]:
        """List the models that come with HInter, and those that the visitor added."""
        return [
            self._describe(session, label, name)
            for label, name in self._services.model_choices(session)
        ]

    def _describe(self, session: Session, label: str, name: str) -> ModelRow:
        services = self._services
        able = services.capabilities(name, session)
        load = session.of(ModelsState).loads.get(name)
        error = ""
        if (load and load.running) or services.loading(name):
            state = ModelState.LOADING
        elif able:
            state = ModelState.READY
        elif load and load.error:
            state, error = ModelState.FAILED, load.error
        else:
            state = ModelState.ABSENT
        if name not in self._shipped:
            label = BACKENDS[name.partition(":")[0]].label
        on_disk = services.access.local
        return ModelRow(name, label, state, able, on_disk, error, name not in self._shipped)

    def load(self, session: Session, name: str, key: str = "") -> Load[str]:
        """Start to load a model; a second press joins the first."""
        name = name.strip()
        parsed, key = self._admitted(session, name, key)
        loads = session.of(ModelsState).loads
        with self._lock:
            running = loads.get(name)
            if running and running.running:
                return running
            load = Load(lambda: self._load(session, parsed, key))
            loads[name] = load
            while len(loads) > 2 * _MOST_ADDED:
                loads.pop(next(iter(loads)))
            return load

    def _admitted(self, session: Session, name: str, key: str) -> tuple[ModelName, str]:
        access = self._services.access
        backend = access.kinds().get(name.partition(":")[0])
        if backend is None or not backend.takes_key:
            return access.admit(name), ""
        given = clean_key(key)
        # What the name says is checked before a key is asked for.
        parsed = access.admit(name, given or "-")
        kept = session.keys.get(parsed.settings["base_url"], "")
        return parsed, key_or_none(given or kept, local=access.local)

    def _load(self, session: Session, name: ModelName, key: str) -> str:
        remark = ""
        if key:
            store = self._services.open_store(name.text, key)
            remark = _first_answer(store)
            session.keep(name.text, store)
            session.keys[name.settings["base_url"]] = key
        else:
            self._services.model(name.text, session)
        if name.text not in self._shipped:
            others = [n for n in session.added if n != name.text]
            session.added = [*others, name.text][-_MOST_ADDED:]
        return remark

    def remove(self, session: Session, name: str) -> None:
        """Remove a model that the visitor added."""
        session.added = [n for n in session.added if n != name]
        session.own.pop(name, None)
        session.of(ModelsState).loads.pop(name, None)

    def steady(self, session: Session, name: str) -> bool:
        """Whether the model always gives the same answer, as far as is known."""
        able = self._services.capabilities(name, session)
        return able is None or able.steady

    def ask(self, session: Session, name: str, text: str) -> RepeatedAnswer:
        """Ask a model about a text; the model is loaded if need be."""
        self._services.access.admit_text(text)
        text, _ = clean(text)
        store = self._services.model(name, session)
        return asked_of(store, name, text, store.predict([text])[text])

    def again(self, session: Session, name: str, text: str, times: object) -> RepeatedAnswer:
        """Ask a model about a text, and repeat the question ``times``."""
        self._services.access.admit_text(text)
        text, _ = clean(text)
        number = times if isinstance(times, int | float) else 0
        if not 1 <= number <= MOST_REPEATS or number != int(number):
            raise InputError(say("status.times", most=MOST_REPEATS))
        store = self._services.model(name, session)
        first = store.predict([text])[text]
        return asked_of(store, name, text, first, store.repeat(text, int(number)))


def _first_answer(store: PredictionStore) -> str:
    """Ask one short question, since only that shows whether server, model and key are right.

    The model is asked itself, not its store: a kept answer would prove nothing.
    """
    answer = store.model.predict([_FIRST_QUESTION])[0]
    if answer.answered:
        return ""
    return say("status.remark", reason=translated(answer.detail))
