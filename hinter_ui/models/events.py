"""The events of the Models tab: models are listed, loaded, removed and asked."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gradio as gr

from hinter_core.errors import HinterError
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup, tag
from hinter_ui.models import html
from hinter_ui.models.actions import ModelsActions, name_of, sketch
from hinter_ui.models.html import say
from hinter_ui.models.layout import KindForm, ModelsLayout
from hinter_ui.shared.events import TabEvents, Told, Updates, visible
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import Load, attempt

_TICK = 1.0  # seconds between two signs of life while a model is loaded
_FIRST_TICK = 0.2
_SLOW = 16  # a load or an answer waits for a download or a server, not for other visitors


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    ModelsEvents(services, ModelsLayout(services)).wire()


class ModelsEvents(TabEvents):
    """From the widgets of the tab to its actions and back."""

    room = "models"

    def __init__(self, services: Services, ui: ModelsLayout) -> None:
        super().__init__(services, ui.status)
        self.ui = ui
        self.actions = ModelsActions(services)
        # Other tabs' choices of models.
        self.pickers = [
            block
            for block in self.page.blocks.values()
            if isinstance(block, gr.Dropdown) and block.elem_id in ("models", "batch-models")
        ]

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self) -> None:
        """Connect every widget with what it does."""
        ui = self.ui
        lists = [ui.table, ui.model, *self.pickers]
        self.private(self.tab.select, self.look, [], [ui.table])
        self.private(self.page.load, self.look, [], [ui.table])
        boxes = [form.box for form in ui.forms]
        self.private(ui.kind.input, self.choose_kind, [ui.kind], boxes)
        for form in ui.forms:
            self._wire_form(form, lists)
        acted = [*lists, ui.status, ui.again_row]
        self.private(
            ui.table.select, self.act, [], acted, trigger_mode="multiple", concurrency_limit=_SLOW
        )
        tried = [ui.answer, ui.table, ui.again_row]
        inputs = [ui.model, ui.text]
        self.private(ui.ask.click, self.ask, inputs, tried, concurrency_limit=_SLOW)
        self.private(
            ui.again.click, self.again, [*inputs, ui.times], tried, concurrency_limit=_SLOW
        )
        self.private(ui.model.change, self.choose_model, [ui.model], [ui.again_row])

    def _wire_form(self, form: KindForm, lists: list[Any]) -> None:
        ui = self.ui
        changed = partial(gr.on, [field.change for field in form.fields])
        self.private(changed, partial(self._sketch, form), form.fields, [form.name])
        key = [form.key] if form.key else []
        self.private(
            form.load.click,
            partial(self._load, form),
            [*key, *form.fields],
            [*lists, ui.again_row, form.load, form.status, *key],
            concurrency_id="load",
            concurrency_limit=_SLOW,
        )

    # -- what there is --------------------------------------------------------------------------

    def look(self, session: Session) -> Any:
        """Bring the table up to date."""
        return self._table(session)

    def choose_kind(self, kind: str) -> Updates:
        """Show the fields of a kind."""
        return visible({form.box: form.kind == kind for form in self.ui.forms})

    def choose_model(self, session: Session, name: Any) -> Any:
        """Offer to ask again unless the model always answers the same."""
        return self._again_row(session, str(name or ""))

    # -- updates of the widgets ------------------------------------------------------------------

    def _table(self, session: Session) -> Markup:
        return html.table(self.actions.known(session))

    def _lists(self, session: Session, chosen: str = "") -> Updates:
        """Update all lists of models; what is chosen stays."""
        choices = self.services.model_choices(session)
        updates: Updates = {picker: gr.update(choices=choices) for picker in self.pickers}
        updates[self.ui.table] = self._table(session)
        updates[self.ui.model] = gr.update(choices=choices)
        if chosen:
            updates[self.ui.model] = gr.update(choices=choices, value=chosen)
            updates[self.ui.again_row] = self._again_row(session, chosen)
        return updates

    def _again_row(self, session: Session, name: str) -> Any:
        """Show the way to ask again unless the model always answers the same."""
        return gr.update(visible=not self.actions.steady(session, name))

    def _loaded(self, session: Session, name: str, work: Load[str]) -> Updates:
        """Update the lists after a load; a model that is ready is chosen to be tried."""
        return self._lists(session, "" if work.error else name)

    # -- loading --------------------------------------------------------------------------------

    def _sketch(self, form: KindForm, _session: Session, source: Any, *values: Any) -> Any:
        return html.name_line(
            *sketch(self.services.access, form.kind, form.backend, source, values)
        )

    def _load(self, form: KindForm, session: Session, *given: Any) -> Iterator[Updates]:
        key, fields = (str(given[0] or ""), given[1:]) if form.key else ("", given)
        emptied = {form.key: ""} if form.key else {}
        try:
            name = name_of(form.kind, form.backend, fields[0], fields[1:])
            work = self.actions.load(session, name, key)
        except HinterError as error:
            yield emptied | {form.status: notice.error(str(error), say("status.unloaded"))}
            return
        words = say("status.loading", name=name)
        busy = gr.update(value=say("form.loading"), interactive=False)
        line = notice.working(words, 0)
        yield emptied | self._lists(session) | {form.status: line, form.load: busy}
        for seconds in _ticks(work):
            yield {form.status: notice.working(words, seconds)}
        idle = gr.update(value=say("form.load"), interactive=True)
        updates = {form.load: idle, form.status: loaded(name, work)}
        yield updates | self._loaded(session, name, work)

    def act(self, data: Told, session: Session) -> Iterator[Updates]:
        """Act on a button of the table."""
        ui, name = self.ui, str(data.get("model", ""))
        match data.get("act"):
            case "try":
                yield self._lists(session, name) | {ui.status: ""}
            case "remove":
                self.actions.remove(session, name)
                yield self._lists(session) | {ui.status: ""}
            case "load":
                try:
                    work = self.actions.load(session, name)
                except HinterError as error:
                    title = say("status.unloaded")
                    yield {ui.status: notice.error(str(error), title)}
                    return
                yield self._lists(session) | {ui.status: ""}
                work.done.wait()
                yield self._loaded(session, name, work)

    # -- asking ---------------------------------------------------------------------------------

    def ask(self, session: Session, name: Any, text: Any) -> Iterator[Updates]:
        """Ask once."""
        yield from self._asking(
            session, name, lambda one: html.one(self.actions.ask(session, one, str(text)))
        )

    def again(self, session: Session, name: Any, text: Any, times: Any) -> Iterator[Updates]:
        """Ask about the same text several times."""
        ask = partial(self.actions.again, session, text=str(text), times=times)
        yield from self._asking(session, name, lambda one: html.repeated(ask(one)))

    def _asking(self, session: Session, given: Any, ask: Callable[[str], Any]) -> Iterator[Updates]:
        ui, name = self.ui, str(given or "")
        yield {ui.answer: notice.working(say("status.asking", name=name), 0)}
        message, failure = attempt(ask, name, title=say("status.unasked"))
        yield {
            ui.answer: failure or tag("div", message, data_older=say("try.older")),
            ui.table: self._table(session),
            ui.again_row: self._again_row(session, name),
        }


def _ticks(work: Load[str]) -> Iterator[int]:
    """Yield the seconds gone by, about once a second, until the work is done."""
    pause = _FIRST_TICK
    while not work.done.wait(pause):
        pause = _TICK
        yield work.seconds


def loaded(name: str, work: Load[str]) -> Markup:
    """Say whether a load succeeded."""
    if work.error:
        return notice.error(work.error, say("status.unloaded"))
    words = say("status.ready", name=name)
    return notice.info([words, work.result] if work.result else [words])
