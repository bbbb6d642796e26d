"""The events of the Explore tab: a text is looked at, checked and scanned."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import gradio as gr

from hinter_core.errors import HinterError, InputError
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.explore.examples import ExampleText, load_examples
from hinter_ui.explore.html import Filter, say
from hinter_ui.explore.layout import ExploreLayout
from hinter_ui.explore.pairs import lower_score
from hinter_ui.explore.state import ExploreState, OfferedEdits
from hinter_ui.explore.updates import ExploreUpdates, cancel_button
from hinter_ui.html import notice
from hinter_ui.html.marked import OFFERED
from hinter_ui.html.markup import Markup, join, tag
from hinter_ui.html.wording import Words
from hinter_ui.shared.events import TabEvents, Told, Updates
from hinter_ui.shared.links import DEFAULT_PARSER, HIGHEST, ExploreForm
from hinter_ui.shared.services import SHIPPED, Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.templates import is_of_grammar
from hinter_ui.shared.wiring import TabLink, after_event, parts_of, place_in, rationed_log, scripted
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
        self.actions = services.only(ExploreActions)
        self.updates = ExploreUpdates(ui, self.actions)
        self.always = ui.standing

    # -- wiring ---------------------------------------------------------------------------------

    def standing(self, _session: Session) -> Updates:
        """Say which figures belong to what the controls say."""
        return self.updates.standing(_session)

    def wire(self) -> None:
        """Connect every widget with what it does."""
        self._wire_looking()
        self._wire_judging()
        self._wire_choosing()
        self._wire_downloads()
        loading = {"show_progress": "hidden", "js": after_event("explore.linked")}
        self.on(self.page.load, self.open_page, [self.ui.address], self.ui.everything, **loading)
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

    def _wire_looking(self) -> None:
        ui = self.ui
        # gradio 6.31 tells `input` of a textbox for typed characters only, not for what is pasted
        # or deleted, and of a choice of several not for what is typed. `change` tells all, but also
        # of what we fill in, while the rest of it is not in place yet. So the page listens itself.
        events = [ui.preview.select, *(widget.input for widget in ui.settings)]
        # One event for all of them: an answer to older values must not come last.
        looked = self._swift(partial(gr.on, events), self.look, ui.form, [*ui.looked, ui.notice])
        self._follow(looked, "draft")
        # An event of its own, as the one above drops data.
        offers = [*ui.everything, ui.notice]
        self._follow(self._swift(ui.preview.submit, self.set_offered, ui.form, offers), "draft")
        for name, fold in ui.folds.items():
            unfolded = [ui.who, ui.plot, ui.trees, ui.table]
            self.on(fold.expand, partial(self._fold, name, opens=True), ui.form, unfolded)
            self._swift(fold.collapse, partial(self._fold, name, opens=False), ui.form, [ui.who])
        added = [ui.attributes, ui.upload_note]
        self._swift(ui.upload.upload, self.upload, [ui.upload, ui.attributes], added)

    def _wire_judging(self) -> None:
        ui, shown = self.ui, {"show_progress_on": self.ui.drawn}

        def judge(*wiring: Any, **options: Any) -> None:
            done = self.on(*wiring, **_JUDGING | shown | options)
            scripted(done.then, "explore.reveal")
            self._follow(done, "new")

        judge(ui.pairs.select, self.choose_pair, ui.form, ui.judged, trigger_mode="multiple")
        scanned = [*ui.everything, ui.cancel]
        scanning = {"show_progress": "hidden", "show_progress_on": [], **_SCANNING}
        judge(ui.scan.click, self.scan, ui.form, scanned, **scanning)
        offers = partial(gr.on, [ui.stale.select, ui.progress.select])
        judge(offers, self.take_up, ui.form, scanned, trigger_mode="multiple", **scanning)
        pressed = partial(gr.on, [button.click for button in ui.example_buttons])
        judge(pressed, self.use, [], ui.everything, trigger_mode="multiple")
        self._swift(ui.cancel.click, self.cancel, [], [ui.cancel])

    def _wire_choosing(self) -> None:
        ui = self.ui
        # The page sends one choice at a time: gradio's "always_last" would drop the event's data.
        for box in (ui.table, ui.found):
            selected = self.on(
                box.select, self.select, [], [*ui.shown, ui.table], trigger_mode="multiple",
                show_progress="hidden",
            )  # fmt: skip
            scripted(selected.then, "page.answered", first=(str(box.elem_id),))
            self._follow(selected, "same")
        again = [*ui.shown, *ui.listed]
        self._swift(ui.model_switch.input, self.switch_model, [ui.model_switch], again)
        moved = self._swift(ui.threshold.input, self.judge_at, [ui.threshold], again)
        self._follow(moved, "same")
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
            (ui.csv, self.actions.csv, "text/csv", "hinter-check.csv"),
            (ui.json, self.actions.json, "application/json", "hinter-check.json"),
        ):
            made = button.click(self.served(make), [], [ui.payload], api_visibility="private")
            scripted(made.then, "page.save", [ui.payload], (kind, name))

    # -- looking --------------------------------------------------------------------------------

    def form(self, session: Session, *values: Any) -> ExploreForm:
        """Read the controls; a model may be named as it is listed.

        How a template is filled stays while its text does, and so does the pair. On a page whose
        text is still to come, that is read in its place.
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
        edits = state.controls.edits if state.controls.text == form.text else ()
        return replace(form, models=models, template=template, edits=edits)

    def look(self, session: Session, *values: Any) -> Updates:
        """Highlight what counts and offer replacements, unless we have set the controls so."""
        state = session.of(ExploreState)
        try:
            form = self.form(session, *values)
        except HinterError as error:
            state.controls = ExploreForm()
            return self.updates.unread(session, error)
        if form.source == state.controls.source == state.seen:
            return {}
        # What comes meanwhile must not take its place; a note on what was before goes.
        before, state.controls = state.controls.source, form
        looked = self._looked(session, form)
        looked |= {self.ui.notice: ""} if looked and before != form.source else {}
        named = list(form.models) != [str(model) for model in values[2] or ()]
        return looked | ({self.ui.models: gr.update(value=list(form.models))} if named else {})

    def _looked(self, session: Session, form: ExploreForm) -> Updates:
        """Say what a form offers, unless the controls say something else by then."""
        state = session.of(ExploreState)
        if not form.text.strip():
            return self._offer(session, form, tag("p", say("form.empty"), class_="quiet"), [])
        try:
            plan = self.actions.plan(session, form)
        except HinterError as error:
            same = state.controls.source == form.source
            return self._offer(session, form, notice.error(error), []) if same else {}
        if state.controls.source != form.source:
            return {}  # whatever has changed them says what they offer
        form = replace(form, edits=state.controls.edits)  # a pair was chosen meanwhile
        shown = self.actions.shown_form(session)
        if shown and shown.source == form.source:  # what was typed says the same again
            form = replace(form, edits=shown.edits)
        costs = notice.costs(self.actions.costs(session, form, plan))
        seen = join([self.updates.marked(session, form, plan), costs])
        return self._offer(session, form, seen, self.actions.offered(form, plan))

    def set_offered(self, data: Told, session: Session, *values: Any) -> Updates:
        """Set what a button beside the text offers."""
        ui, name = self.ui, data.get("set")
        if name not in OFFERED:
            return {}
        form = replace(self.form(session, *values), **{name: OFFERED[name]})
        session.of(ExploreState).controls = form
        return {ui.fields[name]: OFFERED[name], ui.notice: ""} | self._looked(session, form)

    def _offer(
        self, session: Session, form: ExploreForm, seen: Markup, choices: list[OfferedEdits]
    ) -> Updates:
        chosen = tuple(one.chosen for one in choices if one.chosen)
        state = session.of(ExploreState)
        state.controls, state.seen = replace(form, edits=chosen), form.source
        return self.updates.looked(session, form, seen, choices)

    def _fold(self, name: str, session: Session, *values: Any, opens: bool) -> Updates:
        unfolded = session.of(ExploreState).open
        (unfolded.add if opens else unfolded.discard)(name)
        if name == "people":
            return self.updates.people(session, self.form(session, *values))
        return self.updates.unfolded(session, name)

    # -- judging --------------------------------------------------------------------------------

    def choose_pair(self, data: Told, session: Session, *values: Any) -> Updates:
        """Judge the pair that was chosen; the lists that it was chosen in stay as they are."""
        edits = data.get("edits")
        session.of(ExploreState).choice = place_in(data, "choice", 0)
        form = self.form(session, *values)
        if isinstance(edits, list):
            form = replace(form, edits=tuple(str(key) for key in edits if key))
        if len(form.edits) > HIGHEST:
            raise InputError(Words("shared")("form.many", n=len(form.edits), most=HIGHEST))
        if not form.edits:
            raise InputError(say("errors.nothing"))
        shown = self._check(session, form, strict=False)
        made = self.actions.shown_form(session)
        if made and set(made.edits) == set(form.edits):
            shown.pop(self.ui.pairs, None)
        return shown

    def _check(self, session: Session, form: ExploreForm, *, strict: bool = True) -> Updates:
        updates = self.updates
        session.of(ExploreState).controls = form
        try:
            check = self.actions.check(session, form, strict=strict)
        except HinterError as error:
            return self._looked(session, form) | updates.refused(error)
        if session.result is None or session.result.answered is not check:
            return {}  # something was asked for meanwhile, which will be shown
        return self._latest(
            session, lambda: self._shown(session) | updates.remarks(check.plan.notices)
        )

    def _latest(self, session: Session, make: Callable[[], Updates]) -> Updates:
        """Return what is made, or nothing if something was asked for while it was made.

        Then it would come after the newer answer, or with what is on its way.
        """
        turn = session.turn
        made = make()
        return made if session.turn == turn else {}

    def _shown(self, session: Session) -> Updates:
        """Show the result kept, with the controls that it was made from."""
        updates, state = self.updates, session.of(ExploreState)
        check, shown = session.check, self.actions.shown_form(session)
        assert check is not None
        assert shown is not None
        looked = {}
        if state.controls.source == shown.source:  # otherwise something was typed meanwhile
            seen = updates.marked(session, shown, check.plan)
            looked = self._offer(session, shown, seen, self.actions.offered(shown, check.plan))
        fresh = updates.fresh_filter(session) | updates.listed(session)
        return looked | fresh | updates.shown(session)

    def take_up(self, data: Told, session: Session, *_: Any) -> Iterator[Updates]:
        """Go back to a result, or on with a scan."""
        ui = self.ui
        match data.get("act"):
            case "back" if self.actions.shown_form(session):
                yield self._whole(session)
            case "scan" if session.scanned:
                self.actions.show_scan(session)
                yield self._whole(session)
            case ("resume" | "lower") as act if session.scanned:
                form, lower = session.scanned.form, lower_score(session.scanned.check)
                form = form if act == "resume" or lower is None else replace(form, validity=lower)
                yield self.updates.controls(form) | {ui.notice: ""}
                yield from self._scan(session, form)

    def _whole(self, session: Session) -> Updates:
        shown = self.actions.shown_form(session)
        assert shown is not None
        session.of(ExploreState).controls = shown
        return self.updates.controls(shown) | self._shown(session) | {self.ui.notice: ""}

    def scan(self, session: Session, *values: Any) -> Iterator[Updates]:
        """Judge all combinations, and show the progress."""
        try:
            form = self.form(session, *values)
        except HinterError as error:
            yield self.updates.refused(error)
            return
        yield from self._scan(session, form)

    def _scan(self, session: Session, form: ExploreForm) -> Iterator[Updates]:
        ui, updates, state = self.ui, self.updates, session.of(ExploreState)
        state.controls = state.awaited = form
        # The button that began it stays as it is: one that is disabled would drop the focus.
        idle, busy = ({ui.cancel: cancel_button(running=running)} for running in (False, True))
        last, turn, result = 0.0, session.turn + 1, None
        try:
            yield busy | {ui.notice: ""}
            for result in self.actions.scan(session, form):
                first = state.awaited is form
                if first:
                    state.awaited = None
                    yield updates.fresh_filter(session) | updates.remarks(result.remarks)
                if time.monotonic() - last > _REFRESH and session.turn == turn:
                    yield updates.partly(session)
                    last = time.monotonic()
            ended = updates.finished(session, result) if session.turn == turn else {}
        except HinterError as error:
            ended = updates.refused(error)
        except Exception:
            log.exception("A scan failed.")
            ended = updates.refused(shared("notices.failed"))
        finally:  # also if nobody listens any more
            state.awaited = None if state.awaited is form else state.awaited
        if session.running is None:  # otherwise another scan shows its progress
            yield idle | ended

    def cancel(self, session: Session) -> Updates:
        """Ask the scan to stop after the chunk at work."""
        ui = self.ui
        if session.stop():
            return {ui.cancel: gr.update(value=say("scan.stopping"), interactive=False)}
        return {ui.cancel: cancel_button(running=False)}

    # -- choosing what is shown -----------------------------------------------------------------

    def select(self, data: Told, session: Session) -> Updates:
        """Show a variant of the list, or another page of it."""
        state = session.of(ExploreState)
        if "page" in data:
            state.filter = replace(state.filter, page=place_in(data, "page", 0))
            return {self.ui.table: self.actions.table(session)}
        state.selected, state.chosen = place_in(data, "row", 0), True
        if session.result and data.get("model") in session.result.models:
            state.shown_model = data["model"]
        return self.updates.chosen(session) | self.updates.shown(session)

    def switch_model(self, session: Session, model: str) -> Updates:
        """Show the square of another model."""
        state = session.of(ExploreState)
        if session.result and model in session.result.models:
            state.shown_model = model
        return self.updates.shown(session) | self.updates.listed(session)

    def judge_at(self, session: Session, threshold: Any) -> Updates:
        """Judge all that is shown at another threshold; the slider itself stays as it is."""
        if isinstance(threshold, int | float) and 0 < threshold < 1:
            self.actions.judge_at(session, float(threshold))
        shown = self.updates.shown(session) | self.updates.listed(session)
        shown.pop(self.ui.threshold, None)
        return shown

    def filter(
        self, session: Session, verdicts: Any, attribute: Any, group: Any, order: Any
    ) -> Updates:
        """Filter and order the table."""
        state = session.of(ExploreState)
        wanted = Filter(
            tuple(verdicts or ()), str(attribute or ""), str(group or ""), str(order or "verdict")
        )
        if wanted == replace(state.filter, page=0):  # set by us, with a table of its own
            return {}
        state.filter = wanted
        return {self.ui.table: self.actions.table(session)}

    # -- opening and closing --------------------------------------------------------------------

    def use(self, event: gr.EventData, session: Session) -> Updates:
        """Fill in the example whose button was pressed, and check it."""
        assert event.target is not None
        numbers = [b._id for b in self.ui.example_buttons]
        form = self.examples[numbers.index(event.target._id)].form
        session.of(ExploreState).opened = None
        shown = self._check(session, form)
        return self.updates.controls(form) | shown if shown else {}

    def open_page(self, session: Session, linked: Any) -> Updates:
        """Check the text of a fresh page's link, or the first example."""
        if session.of(ExploreState).controls.text.strip():
            return {}  # the page itself has asked for what it had before
        return self._open(session, ExploreForm.from_query(parts_of(linked)))

    def reopen(self, data: Told, session: Session) -> Updates:
        """Show what an address says that the page had before."""
        form = ExploreForm.from_query(parts_of(data.get("query", "")), None)
        return {self.ui.notice: ""} | self._open(session, form)

    def _open(self, session: Session, form: ExploreForm | None) -> Updates:
        first = self.examples[0].form
        session.of(ExploreState).opened = None if form else first
        form = form or first
        # At once: whichever of a fresh page and what it had before comes second then knows.
        session.of(ExploreState).controls = form
        known = {name for _, name in self.services.model_choices(session)} | SHIPPED
        foreign = [name for name in form.models if name not in known]
        attributes = tuple(a for a in form.attributes if a in self.services.dictionaries(session))
        form = replace(form, attributes=attributes)
        filled = self.updates.controls(form)
        if foreign or form.parser != DEFAULT_PARSER:
            # A link must not make this machine fetch a model unasked.
            session.of(ExploreState).controls = form = replace(form, parser=DEFAULT_PARSER)
            looked = self._looked(session, form)
            return filled | looked | self.updates.unjudged(session, form, foreign)
        turn = session.turn + 1
        with self.actions.coming(session, form):
            shown = self._check(session, form)
        if session.of(ExploreState).controls.source != form.source:
            return shown  # of what the page says now, it was typed or asked for meanwhile
        if session.turn == turn:
            return filled | shown
        if self.actions.shown_form(session):  # it was scanned before it was there
            return self._latest(session, lambda: self._whole(session))
        return filled | self._looked(session, form)

    def open_wanted(self, session: Session) -> Updates:
        """Fill in what another tab asks for, and check it unless that would fetch a model."""
        form, session.wanted = session.wanted, None
        if form is None:
            return {}
        session.of(ExploreState).shown_model = ""
        filled = self.updates.controls(form)
        ready = all(self.services.at_hand(name, session) for name in form.models)
        if ready and form.parser == DEFAULT_PARSER:
            return filled | self._check(session, form)
        session.of(ExploreState).controls = form
        return filled | self._looked(session, form) | self.updates.unjudged(session, form)

    def close_page(self, request: gr.Request) -> None:
        """Forget the page's session and stop its scan."""
        self.services.sessions.forget(request.session_hash)

    def upload(self, session: Session, path: Any, chosen: Any) -> Updates:
        """Add a visitor's dictionary to the attributes."""
        try:
            dictionary = self.actions.add_dictionary(session, str(path))
        except HinterError as error:
            return {self.ui.upload_note: notice.error(error, say("errors.upload"))}
        return self.updates.uploaded(dictionary, [*self.services.dictionaries(session)], chosen)
