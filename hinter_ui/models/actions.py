"""What the Models tab does, without its widgets: list, name, load, ask.

Faults that a visitor can mend are raised as :class:`hinter_core.errors.HinterError`. A visitor's
key is in a session's memory only.
"""

import threading
from dataclasses import dataclass, field

from hinter_core.errors import InputError
from hinter_core.language.clean import clean
from hinter_core.models.registry import BACKENDS, ModelName
from hinter_core.models.store import PredictionStore
from hinter_ui.html.wording import translated
from hinter_ui.models.html import ModelRow, ModelState, RepeatedAnswer, asked_of, say
from hinter_ui.shared.access import clean_key, key_or_none
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import Load

MOST_REPEATS = 20
_MOST_ADDED = 12
_FIRST_QUESTION = "The table stands by the window."


@dataclass
class ModelsState:
    """What Models keeps of a page: the last attempt to load each model."""

    loads: dict[str, Load] = field(default_factory=dict)


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

    def load(self, session: Session, name: str, key: str = "") -> Load:
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
