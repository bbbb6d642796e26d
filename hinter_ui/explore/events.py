"""The events of the Explore tab: a text is looked at, checked and scanned."""

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import gradio as gr
from gradio.events import api

from hinter_core.errors import HinterError
from hinter_core.pipeline.export import check_to_json
from hinter_ui.explore.actions import ExampleText, ExploreActions, ExploreState, load_examples
from hinter_ui.explore.html import Filter, say
from hinter_ui.explore.layout import ExploreLayout
from hinter_ui.explore.updates import ExploreUpdates, cancel_button
from hinter_ui.html import notice
from hinter_ui.html.marked import preview
from hinter_ui.html.markup import join, tag
from hinter_ui.html.wording import name_of
from hinter_ui.shared.events import TabEvents, Updates
from hinter_ui.shared.links import DEFAULT_MODEL, DEFAULT_PARSER, ExploreForm
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import TabLink, guarded, scripted
from hinter_ui.shared.wiring import say as shared

log = logging.getLogger(__name__)

_REFRESH = 0.4  # seconds between two partial tables of a scan
_JUDGING: dict[str, Any] = {"concurrency_id": "judge", "concurrency_limit": 4}


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    examples = load_examples()
    ExploreEvents(services, ExploreLayout(services, examples), examples).wire()


class ExploreEvents(TabEvents):
    """From the widgets of the tab to its actions and back."""

    room = "explore"
    options: ClassVar = {"show_progress": "full"}

    def __init__(
        self, services: Services, ui: ExploreLayout, examples: tuple[ExampleText, ...]
    ) -> None:
        super().__init__(services, ui.notice)
        self.ui = ui
        self.examples = examples
        self.actions = ExploreActions(services)
        self.updates = ExploreUpdates(ui, self.actions)

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self) -> None:
        """Connect every widget with what it does."""
        self._wire_looking()
        self._wire_judging()
        self._wire_choosing()
        self._wire_downloads()
        self.on(self.page.load, self.open_page, [], self.ui.everything, show_progress="hidden")
        self.page.unload(self.close_page)
        self.services.links["explore"] = TabLink(
            guarded(self.open_wanted, self.ui.notice),
            [*self.ui.everything, self.ui.notice],
            ("explore.arrive", "explore.reveal"),
            _JUDGING,
        )
        api(self.api_check, api_name="check", concurrency_limit=2)

    def _wire_looking(self) -> None:
        ui = self.ui
        # gradio 6.31 tells `input` of a textbox for typed characters only, not for what is pasted
        # or deleted; `change` tells all.
        events = [ui.text.change, *(widget.input for widget in (*ui.settings, ui.pair))]
        # One event for all of them: an answer to older values must not come last.
        self._swift(partial(gr.on, events), self.look, [ui.pair, *ui.form], ui.looked)
        uploaded = [ui.attributes, ui.upload_note]
        self._swift(ui.upload.upload, self.upload, [ui.upload, ui.attributes], uploaded)

    def _wire_judging(self) -> None:
        ui = self.ui

        def judge(*wiring: Any, **options: Any) -> None:
            done = self.on(*wiring, **_JUDGING | options)
            scripted(done.then, "explore.reveal")

        judge(ui.check.click, self.check_chosen, ui.form, [*ui.looked, *ui.shown, *ui.filters])
        scanned = [*ui.shown, *ui.filters, ui.scan, ui.cancel]
        judge(ui.scan.click, self.scan, ui.form, scanned, show_progress="hidden")
        for button, example in zip(ui.example_buttons, self.examples, strict=True):
            judge(button.click, self._example(example), [], ui.everything)
        self._swift(ui.cancel.click, self.cancel, [], [ui.scan, ui.cancel])

    def _wire_choosing(self) -> None:
        ui = self.ui
        # The page sends one choice at a time: gradio's "always_last" would drop the event's data.
        selected = self.on(ui.table.select, self.select, [], ui.shown, trigger_mode="multiple")
        scripted(selected.then, "page.answered", first=("table",))
        self._swift(ui.model_switch.input, self.switch_model, [ui.model_switch], ui.shown)
        # gradio tells `input` of a choice of several for what is added, not for what is taken away.
        others = [widget.input for widget in ui.filters if widget is not ui.verdict_filter]
        changed = partial(gr.on, [ui.verdict_filter.change, *others])
        self._swift(changed, self.filter, ui.filters, [ui.table])

    def _swift(self, *wiring: Any) -> None:
        """Wire an event without a progress overlay; of several while it runs, the last counts."""
        self.on(*wiring, show_progress="hidden", trigger_mode="always_last")

    def _wire_downloads(self) -> None:
        ui = self.ui
        for button, make, kind, name in (
            (ui.csv, self.csv, "text/csv", "hinter-check.csv"),
            (ui.json, self.json, "application/json", "hinter-check.json"),
        ):
            made = button.click(make, [], [ui.payload], api_visibility="private")
            scripted(made.then, "page.save", [ui.payload], (kind, name))

    # -- looking --------------------------------------------------------------------------------

    def look(self, request: gr.Request, pair: Any, *values: Any) -> Updates:
        """Highlight what counts and offer replacements."""
        session = self.session(request)
        try:
            form = ExploreForm.of(*values)
        except HinterError as error:
            failed = {self.ui.preview: notice.error(str(error))}
            return self.updates.options(None) | failed
        return self._looked(session, form, str(pair or ""))

    def _looked(self, session: Session, form: ExploreForm, pair: str = "") -> Updates:
        updates = self.updates
        if not form.text.strip():
            return updates.looked(form, tag("p", say("form.empty"), class_="quiet"), None)
        try:
            plan = self.actions.plan(session, form)
        except HinterError as error:
            return updates.looked(form, notice.error(str(error)), None)
        options = self.actions.options(plan, form, pair)
        costs = notice.costs(self.actions.costs(session, form, plan))
        return updates.looked(form, join([preview(plan), costs]), options)

    # -- judging --------------------------------------------------------------------------------

    def check_chosen(self, request: gr.Request, *values: Any) -> Updates:
        """Judge the replacements chosen."""
        return self._check(self.session(request), ExploreForm.of(*values), strict=False)

    def _check(self, session: Session, form: ExploreForm, *, strict: bool = True) -> Updates:
        ui, updates = self.ui, self.updates
        session.stop()
        try:
            check = self.actions.check(session, form, strict=strict)
        except HinterError as error:
            return self._looked(session, form) | updates.refused(str(error))
        plan = check.plan
        options = self.actions.options(plan, form)
        looked = updates.looked(form, preview(plan), options)
        done = updates.remarks(plan.notices) | {ui.progress: ""}
        fresh = updates.fresh_filter(session)
        return looked | done | fresh | updates.shown(session, with_table=True)

    def scan(self, request: gr.Request, *values: Any) -> Iterator[Updates]:
        """Judge all combinations, and show the progress."""
        ui, updates, session = self.ui, self.updates, self.session(request)
        stop, hidden = cancel_button(running=True), cancel_button(running=False)
        busy = {ui.scan: gr.update(interactive=False), ui.cancel: stop}
        idle = {ui.scan: gr.update(interactive=True), ui.cancel: hidden}
        session.check = session.of(ExploreState).selected = None
        nothing = notice.progress(0, 0, {}, say("scan.starting"))
        yield busy | {ui.notice: "", ui.progress: nothing}
        last, first = 0.0, True
        try:
            for check in self.actions.scan(session, ExploreForm.of(*values)):
                if first:
                    first = False
                    yield updates.emptied(session) | updates.remarks(check.plan.notices)
                if time.monotonic() - last > _REFRESH:
                    last = time.monotonic()
                    yield updates.partly(session, check, say("scan.running"))
            yield idle | updates.finished(session)
        except HinterError as error:
            yield idle | updates.refused(str(error))
        except Exception:
            log.exception("A scan failed.")
            yield idle | updates.refused(shared("notices.failed"))

    def cancel(self, request: gr.Request) -> Updates:
        """Ask the scan to stop after the chunk at work."""
        session, ui = self.session(request), self.ui
        if session.stop():
            return {ui.cancel: gr.update(value=say("scan.stopping"), interactive=False)}
        hidden = cancel_button(running=False)
        return {ui.scan: gr.update(interactive=True), ui.cancel: hidden}

    # -- choosing what is shown -----------------------------------------------------------------

    def select(self, event: gr.EventData, request: gr.Request) -> Updates:
        """Show a row of the table, or another page of it."""
        session = self.session(request)
        state, data = session.of(ExploreState), event._data or {}
        if "page" in data:
            state.filter = replace(state.filter, page=int(data["page"]))
            return {self.ui.table: self.actions.table(session)}
        state.selected = max(0, int(data.get("row", 0)))
        if data.get("model") in state.models:
            state.shown_model = data["model"]
        return self.updates.shown(session)

    def switch_model(self, request: gr.Request, model: str) -> Updates:
        """Show the square of another model."""
        session = self.session(request)
        state = session.of(ExploreState)
        if model in state.models:
            state.shown_model = model
        return self.updates.shown(session)

    def filter(
        self, request: gr.Request, verdicts: Any, attribute: Any, group: Any, order: Any
    ) -> Updates:
        """Filter and order the table."""
        session = self.session(request)
        state = session.of(ExploreState)
        wanted = Filter(
            tuple(verdicts or ()), str(attribute or ""), str(group or ""), str(order or "verdict")
        )
        if wanted == replace(state.filter, page=0):  # set by us, with a table of its own
            return {self.ui.notice: gr.skip()}
        state.filter = wanted
        return {self.ui.table: self.actions.table(session)}

    def csv(self, request: gr.Request) -> str:
        """Return all mutants as CSV."""
        return self.actions.csv(self.session(request))

    def json(self, request: gr.Request) -> str:
        """Return all mutants as JSON."""
        return self.actions.json(self.session(request))

    # -- opening and closing --------------------------------------------------------------------

    def _example(self, example: ExampleText) -> Callable[[gr.Request], Updates]:
        def use(request: gr.Request) -> Updates:
            """Fill in the example and check it."""
            checked = self._check(self.session(request), example.form)
            return self.updates.controls(example.form) | checked

        return use

    def open_page(self, request: gr.Request) -> Updates:
        """Check the text of a fresh page's link, or fill in the first example."""
        session = self.session(request)
        form = ExploreForm.from_query(dict(request.query_params or {}))
        if form is None:
            first = self.examples[0].form
            return self.updates.controls(first) | self._looked(session, first)
        known = {name for _, name in self.services.model_choices()}
        attributes = tuple(a for a in form.attributes if a in self.services.dictionaries())
        form = replace(form, attributes=attributes)
        filled = self.updates.controls(form)
        if set(form.models) <= known and form.parser == DEFAULT_PARSER:
            return filled | self._check(session, form)
        # A link must not make this machine fetch a model unasked.
        looked = self._looked(session, replace(form, parser=DEFAULT_PARSER))
        return filled | looked | self.updates.remarks([say("link.foreign")])

    def open_wanted(self, request: gr.Request) -> Any:
        """Fill in what another tab asks for, and check it unless that would fetch a model."""
        session = self.session(request)
        form, session.wanted = session.wanted, None
        if form is None:
            return gr.skip()
        filled = self.updates.controls(form)
        ready = all(self.services.at_hand(name, session) for name in form.models)
        if ready and form.parser == DEFAULT_PARSER:
            return filled | self._check(session, form)
        remark = self.updates.remarks([say("link.unloaded")])
        return filled | self._looked(session, form) | remark

    def close_page(self, request: gr.Request) -> None:
        """Forget the page's session and stop its scan."""
        self.services.sessions.forget(request.session_hash)

    def upload(self, request: gr.Request, path: Any, chosen: Any) -> Updates:
        """Add a visitor's dictionary to the attributes."""
        session = self.session(request)
        try:
            dictionary = self.actions.add_dictionary(session, str(path))
        except HinterError as error:
            return {self.ui.upload_note: notice.error(str(error))}
        names = list(self.services.dictionaries(session))
        words = say(
            "form.uploaded",
            name=name_of(dictionary.attribute),
            terms=len(dictionary.terms),
            pairs=dictionary.pair_count,
        )
        return {
            self.ui.attributes: gr.update(
                choices=[(name_of(n), n) for n in names],
                value=[*(chosen or []), dictionary.attribute],
            ),
            self.ui.upload_note: notice.info([words]),
        }

    def api_check(
        self, text: str, attributes: list[str], model: str = DEFAULT_MODEL
    ) -> dict[str, Any]:
        """Judge the intersectional mutants (at most 500) of a text for one model."""
        session = Session()
        try:
            form = ExploreForm(text=text, attributes=tuple(attributes), models=(model,))
            for _ in self.actions.scan(session, form):
                pass
        except HinterError as error:
            raise gr.Error(str(error), print_exception=False) from error
        assert session.check is not None
        return check_to_json(session.check, session.of(ExploreState).models[0])
