"""The events of the Explore tab: a text is looked at, checked and scanned."""

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import gradio as gr

from hinter_core.errors import HinterError
from hinter_core.pipeline.export import check_to_json
from hinter_ui.explore.actions import (
    ExampleText,
    ExploreActions,
    ExploreState,
    Options,
    load_examples,
)
from hinter_ui.explore.html import Filter, say
from hinter_ui.explore.layout import ExploreLayout
from hinter_ui.explore.updates import ExploreUpdates, cancel_button
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup, join, tag
from hinter_ui.html.wording import name_of
from hinter_ui.inside import api
from hinter_ui.shared.events import TabEvents, Updates
from hinter_ui.shared.links import DEFAULT_MODEL, DEFAULT_PARSER, ExploreForm
from hinter_ui.shared.services import SHIPPED, Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.templates import is_of_grammar
from hinter_ui.shared.wiring import TabLink, place_in, rationed_log, scripted
from hinter_ui.shared.wiring import say as shared

log = rationed_log(__name__)

_REFRESH = 0.4  # seconds between two partial tables of a scan
# Scans take long, and must not stand before the checks of others.
_JUDGING: dict[str, Any] = {"concurrency_id": "judge", "concurrency_limit": 4}
_SCANNING: dict[str, Any] = {"concurrency_id": "scan", "concurrency_limit": 2}


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
        self.always = ui.standing

    # -- wiring ---------------------------------------------------------------------------------

    def standing(self, request: gr.Request) -> Updates:
        """Say which figures belong to what the controls say."""
        return self.updates.standing(self.session(request))

    def wire(self) -> None:
        """Connect every widget with what it does."""
        self._wire_looking()
        self._wire_judging()
        self._wire_choosing()
        self._wire_downloads()
        self.on(self.page.load, self.open_page, [], self.ui.everything, show_progress="hidden")
        back = self.on(
            self.ui.notice.select, self.reopen, [], self.ui.everything,
            show_progress_on=self.ui.drawn, **_JUDGING,
        )  # fmt: skip
        self._follow(back, "same")
        self.page.unload(self.close_page)
        self.services.links["explore"] = TabLink(
            self.answering(self.open_wanted),
            [*self.ui.everything, *self.always, self.ui.notice],
            (
                ("explore.arrive",),
                ("explore.reveal",),
                # Turning to the tab has made the entry of the browser's history.
                ("explore.follow", [self.ui.address], ("same",)),
            ),
            _JUDGING,
        )
        api(self.api_check, api_name="check", concurrency_limit=2)

    def _wire_looking(self) -> None:
        ui = self.ui
        # gradio 6.31 tells `input` of a textbox for typed characters only, not for what is pasted
        # or deleted, and of a choice of several not for what is typed. `change` tells all, but also
        # of what we fill in, while the rest of it is not in place yet. So the page listens itself.
        events = [ui.preview.select, *(widget.input for widget in ui.settings)]
        # One event for all of them: an answer to older values must not come last.
        looked = self._swift(partial(gr.on, events), self.look, ui.form, ui.looked)
        turned = self._swift(ui.pair.input, self.turn, [ui.pair, *ui.form], ui.looked)
        for done in (looked, turned):
            self._follow(done, "draft")
        picked = partial(gr.on, [slot.input for slot in ui.slots])
        replaced = self._swift(picked, self.replace, ui.form, [])
        self._follow(replaced, "draft")
        self.on(ui.people.expand, self.open_people, ui.form, [ui.who])
        self._swift(ui.people.collapse, self.close_people, [], [ui.who])
        added = [ui.attributes, ui.upload_note]
        self._swift(ui.upload.upload, self.upload, [ui.upload, ui.attributes], added)

    def _wire_judging(self) -> None:
        ui, shown = self.ui, {"show_progress_on": self.ui.drawn}

        def judge(*wiring: Any, **options: Any) -> None:
            done = self.on(*wiring, **_JUDGING | shown | options)
            scripted(done.then, "explore.reveal")
            self._follow(done, "new")

        judge(ui.check.click, self.check_chosen, ui.form, [*ui.looked, *ui.shown, *ui.filters])
        scanned = [*ui.everything, ui.scan, ui.cancel]
        scanning = {"show_progress": "hidden", "show_progress_on": [], **_SCANNING}
        judge(ui.scan.click, self.scan, ui.form, scanned, **scanning)
        offered = partial(gr.on, [ui.stale.select, ui.progress.select])
        judge(offered, self.offered, ui.form, scanned, trigger_mode="multiple", **scanning)
        pressed = partial(gr.on, [button.click for button in ui.example_buttons])
        judge(pressed, self.use, [], ui.everything, trigger_mode="multiple")
        self._swift(ui.cancel.click, self.cancel, [], [ui.scan, ui.cancel])

    def _wire_choosing(self) -> None:
        ui = self.ui
        # The page sends one choice at a time: gradio's "always_last" would drop the event's data.
        selected = self.on(
            ui.table.select, self.select, [], ui.shown, trigger_mode="multiple",
            show_progress_on=ui.drawn,
        )  # fmt: skip
        scripted(selected.then, "page.answered", first=("table",))
        self._follow(selected, "same")
        self._swift(ui.model_switch.input, self.switch_model, [ui.model_switch], ui.shown)
        # gradio tells `input` of a choice of several for what is added, not for what is taken away.
        others = [widget.input for widget in ui.filters if widget is not ui.verdict_filter]
        changed = partial(gr.on, [ui.verdict_filter.change, *others])
        self._swift(changed, self.filter, ui.filters, [ui.table])

    def _swift(self, *wiring: Any) -> Any:
        """Wire an event without a progress overlay; of several while it runs, the last counts."""
        return self.on(*wiring, show_progress="hidden", trigger_mode="always_last")

    def _follow(self, done: Any, how: str) -> None:
        """Let the address follow after an event: a ``new`` entry, a ``draft``, or the ``same``."""
        scripted(done.then, "explore.follow", [self.ui.address], (how,))

    def _wire_downloads(self) -> None:
        ui = self.ui
        for button, make, kind, name in (
            (ui.csv, self.csv, "text/csv", "hinter-check.csv"),
            (ui.json, self.json, "application/json", "hinter-check.json"),
        ):
            made = button.click(make, [], [ui.payload], api_visibility="private")
            scripted(made.then, "page.save", [ui.payload], (kind, name))

    # -- looking --------------------------------------------------------------------------------

    def form(self, session: Session, *values: Any) -> ExploreForm:
        """Read the controls; a model may be named as it is listed.

        How a template is filled stays while its text does. On a page whose text is still to come,
        that is read in its place.
        """
        form, state = ExploreForm.of(*values), session.of(ExploreState)
        if state.coming and not form.text.strip():
            return state.coming
        before = [state.controls, *([session.result.form] if session.result else [])]
        known = {one.text: one.template for one in before}
        # What was typed into a sentence of a grammar leaves its values.
        changed = (one.template for one in before if is_of_grammar(form.text, one.template))
        template = known.get(form.text) or next(changed, "")
        models = self.services.models_named(form.models, session)
        return replace(form, models=models, template=template)

    def look(self, request: gr.Request, *values: Any) -> Updates:
        """Highlight what counts and offer replacements, unless we have set the controls so."""
        session = self.session(request)
        state = session.of(ExploreState)
        try:
            form = self.form(session, *values)
        except HinterError as error:
            state.controls = ExploreForm()
            return self.updates.unread(session, error)
        if form.source == state.controls.source:
            return {}
        state.controls = form  # what comes meanwhile must not take its place
        looked = self._looked(session, form)
        named = list(form.models) != [str(model) for model in values[2] or ()]
        return looked | ({self.ui.models: gr.update(value=list(form.models))} if named else {})

    def turn(self, request: gr.Request, pair: Any, *values: Any) -> Updates:
        """Offer replacements of other attributes."""
        session = self.session(request)
        return self._looked(session, self.form(session, *values), str(pair or ""))

    def _looked(self, session: Session, form: ExploreForm, pair: str = "") -> Updates:
        return self._offer(session, form, *self._seen(session, form, pair))

    def _offer(
        self, session: Session, form: ExploreForm, seen: Markup, options: Options | None
    ) -> Updates:
        chosen = tuple(slot[2] for slot in options.slots) if options else ()
        session.of(ExploreState).controls = replace(form, edits=chosen)
        return self.updates.looked(session, form, seen, options)

    def _seen(
        self, session: Session, form: ExploreForm, pair: str = ""
    ) -> tuple[Markup, Options | None]:
        if not form.text.strip():
            return tag("p", say("form.empty"), class_="quiet"), None
        try:
            plan = self.actions.plan(session, form)
        except HinterError as error:
            return notice.error(error), None
        costs = notice.costs(self.actions.costs(session, form, plan))
        seen = self.updates.marked(session, form, plan)
        return join([seen, costs]), self.actions.options(plan, form, pair)

    def replace(self, request: gr.Request, *values: Any) -> Updates:
        """Mark a result that other replacements were chosen for."""
        session = self.session(request)
        session.of(ExploreState).controls = self.form(session, *values)
        return {}

    def open_people(self, request: gr.Request, *values: Any) -> Updates:
        """Show who is who in the text, from now on."""
        session = self.session(request)
        session.of(ExploreState).people_open = True
        return self.updates.people(session, self.form(session, *values))

    def close_people(self, request: gr.Request) -> Updates:
        """Look for people no more."""
        session = self.session(request)
        session.of(ExploreState).people_open = False
        return self.updates.people(session, ExploreForm())

    # -- judging --------------------------------------------------------------------------------

    def check_chosen(self, request: gr.Request, *values: Any) -> Updates:
        """Judge the replacements chosen."""
        session = self.session(request)
        return self._check(session, self.form(session, *values), strict=False)

    def _check(self, session: Session, form: ExploreForm, *, strict: bool = True) -> Updates:
        updates = self.updates
        session.of(ExploreState).controls = form
        try:
            check = self.actions.check(session, form, strict=strict)
        except HinterError as error:
            return self._looked(session, form) | updates.refused(error)
        if session.check is not check:  # something was asked for meanwhile, which will be shown
            return {}
        return self._shown(session) | updates.remarks(check.plan.notices)

    def _shown(self, session: Session) -> Updates:
        """Show the result kept, with the controls that it was made from."""
        updates, check, state = self.updates, session.check, session.of(ExploreState)
        shown = self.actions.shown_form(session)
        assert check is not None
        assert shown is not None
        looked = {}
        if state.controls.source == shown.source:  # otherwise something was typed meanwhile
            state.controls = shown
            options = self.actions.options(check.plan, shown)
            seen = updates.marked(session, shown, check.plan)
            looked = updates.looked(session, shown, seen, options)
        fresh = updates.fresh_filter(session) | updates.shown(session, with_table=True)
        return looked | fresh

    def offered(self, event: gr.EventData, request: gr.Request, *values: Any) -> Iterator[Updates]:
        """Check what the controls say, or go back to a result, or on with a scan."""
        session, ui = self.session(request), self.ui
        match (event._data or {}).get("act"):
            case "check":
                yield self.check_chosen(request, *values)
            case "back" if self.actions.shown_form(session):
                yield self._whole(session)
            case "scan" if session.scanned:
                self.actions.show_scan(session)
                yield self._whole(session)
            case "resume" if session.scanned:
                form = session.scanned.form
                yield self.updates.controls(form) | {ui.notice: ""}
                yield from self._scan(session, form)

    def _whole(self, session: Session) -> Updates:
        shown = self.actions.shown_form(session)
        assert shown is not None
        session.of(ExploreState).controls = shown
        return self.updates.controls(shown) | self._shown(session) | {self.ui.notice: ""}

    def scan(self, request: gr.Request, *values: Any) -> Iterator[Updates]:
        """Judge all combinations, and show the progress."""
        session = self.session(request)
        try:
            form = self.form(session, *values)
        except HinterError as error:
            yield self.updates.refused(error)
            return
        yield from self._scan(session, form)

    def _scan(self, session: Session, form: ExploreForm) -> Iterator[Updates]:
        ui, updates, state = self.ui, self.updates, session.of(ExploreState)
        state.controls = state.awaited = form
        idle = {ui.scan: gr.update(interactive=True), ui.cancel: cancel_button(running=False)}
        busy = {ui.scan: gr.update(interactive=False), ui.cancel: cancel_button(running=True)}
        last, turn, found = 0.0, session.turn + 1, None
        try:
            yield busy | {ui.notice: ""}
            for found in self.actions.scan(session, form):
                if state.awaited is form:
                    state.awaited = None
                    yield updates.emptied(session) | updates.remarks(found.plan.notices)
                if time.monotonic() - last > _REFRESH and session.turn == turn:
                    last = time.monotonic()
                    yield updates.partly(session)
            ended = updates.finished(session, found) if session.turn == turn else {}
        except HinterError as error:
            ended = updates.refused(error)
        except Exception:
            log.exception("A scan failed.")
            ended = updates.refused(shared("notices.failed"))
        finally:  # also if nobody listens any more
            state.awaited = None if state.awaited is form else state.awaited
        if session.running is None:  # otherwise another scan shows its progress
            yield idle | ended

    def cancel(self, request: gr.Request) -> Updates:
        """Ask the scan to stop after the chunk at work."""
        session, ui = self.session(request), self.ui
        if session.stop():
            return {ui.cancel: gr.update(value=say("scan.stopping"), interactive=False)}
        return {ui.scan: gr.update(interactive=True), ui.cancel: cancel_button(running=False)}

    # -- choosing what is shown -----------------------------------------------------------------

    def select(self, event: gr.EventData, request: gr.Request) -> Updates:
        """Show a row of the table, or another page of it."""
        session = self.session(request)
        state, data = session.of(ExploreState), event._data or {}
        if "page" in data:
            state.filter = replace(state.filter, page=place_in(data, "page", 0))
            return {self.ui.table: self.actions.table(session)}
        state.selected = place_in(data, "row", 0)
        if session.result and data.get("model") in session.result.models:
            state.shown_model = data["model"]
        chosen = self.updates.chosen(session)
        return chosen | self.updates.shown(session)

    def switch_model(self, request: gr.Request, model: str) -> Updates:
        """Show the square of another model."""
        session = self.session(request)
        state = session.of(ExploreState)
        if session.result and model in session.result.models:
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
            return {}
        state.filter = wanted
        return {self.ui.table: self.actions.table(session)}

    def csv(self, request: gr.Request) -> str:
        """Return all mutants as CSV."""
        return self.actions.csv(self.session(request))

    def json(self, request: gr.Request) -> str:
        """Return all mutants as JSON."""
        return self.actions.json(self.session(request))

    # -- opening and closing --------------------------------------------------------------------

    def use(self, event: gr.EventData, request: gr.Request) -> Updates:
        """Fill in the example whose button was pressed, and check it."""
        assert event.target is not None
        numbers = [button._id for button in self.ui.example_buttons]
        form = self.examples[numbers.index(event.target._id)].form
        return self.updates.controls(form) | self._check(self.session(request), form)

    def open_page(self, request: gr.Request) -> Updates:
        """Check the text of a fresh page's link, or fill in the first example."""
        session, first = self.session(request), self.examples[0].form
        state, untouched = session.of(ExploreState), Updates()
        if state.controls.text.strip():  # the page itself has asked for what it had before
            return untouched
        if form := ExploreForm.from_query(dict(request.query_params or {})):
            return self._open(session, form)
        with self.actions.coming(session, first):
            seen = self._seen(session, first)  # on a cold app this takes a while
        if state.controls.source != first.source:  # something was asked for meanwhile
            return untouched
        return self._late(session, first) if session.turn else self._fresh(session, *seen)

    def reopen(self, event: gr.EventData, request: gr.Request) -> Updates:
        """Show what an address says that the page had before."""
        query = dict(parse_qsl(str((event._data or {}).get("query", "")).lstrip("?")))
        opened = self._open(self.session(request), ExploreForm.from_query(query, None))
        return {self.ui.notice: ""} | opened

    def _late(self, session: Session, form: ExploreForm) -> Updates:
        """Fill in a form that was scanned before it was there."""
        if self.actions.shown_form(session):
            return self._whole(session)
        return self.updates.controls(form) | self._looked(session, form)

    def _fresh(self, session: Session, seen: Markup, options: Options | None) -> Updates:
        first, state = self.examples[0].form, session.of(ExploreState)
        state.opened, session.result = first, None
        hidden = {self.ui.results: gr.update(visible=False)}
        return self.updates.controls(first) | self._offer(session, first, seen, options) | hidden

    def _open(self, session: Session, form: ExploreForm | None) -> Updates:
        if form is None:
            return self._fresh(session, *self._seen(session, self.examples[0].form))
        known = {name for _, name in self.services.model_choices(session)} | SHIPPED
        attributes = tuple(a for a in form.attributes if a in self.services.dictionaries(session))
        form = replace(form, attributes=attributes)
        filled = self.updates.controls(form)
        if not set(form.models) <= known or form.parser != DEFAULT_PARSER:
            # A link must not make this machine fetch a model unasked.
            looked = self._looked(session, replace(form, parser=DEFAULT_PARSER))
            return filled | looked | self.updates.remarks([say("link.foreign")])
        turn = session.turn + 1
        with self.actions.coming(session, form):
            shown = self._check(session, form)
        if session.of(ExploreState).controls.source != form.source:
            return shown  # of what the page says now, it was typed or asked for meanwhile
        return filled | shown if session.turn == turn else self._late(session, form)

    def open_wanted(self, request: gr.Request) -> Updates:
        """Fill in what another tab asks for, and check it unless that would fetch a model."""
        session = self.session(request)
        form, session.wanted = session.wanted, None
        if form is None:
            return {}
        session.of(ExploreState).shown_model = ""
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
            return {self.ui.upload_note: notice.error(error, say("errors.upload"))}
        names = list(self.services.dictionaries(session))
        words = say(
            "form.uploaded", name=name_of(dictionary.attribute),
            terms=len(dictionary.terms), pairs=dictionary.pair_count,
        )  # fmt: skip
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
        assert session.result is not None
        return check_to_json(session.result.check, session.result.models[0])
