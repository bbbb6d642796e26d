"""The events of the Batch tab: a campaign is estimated, started, watched, and opened again."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import gradio as gr

from hinter_core.errors import HinterError
from hinter_core.generators.grammars.reading import shipped_grammars
from hinter_ui.batch import html
from hinter_ui.batch.actions import BatchActions
from hinter_ui.batch.form import (
    COLUMNS,
    DATA,
    FILES,
    GRAMMAR,
    HANDWRITTEN,
    LOOKED_AT,
    SETTINGS,
    SOURCES,
    TEMPLATES,
    BatchForm,
    say,
)
from hinter_ui.batch.layout import BatchLayout
from hinter_ui.batch.preview import preview
from hinter_ui.batch.updates import BatchState, BatchUpdates
from hinter_ui.html import notice
from hinter_ui.inside import get_upload_folder
from hinter_ui.shared.events import TabEvents, Told, Updates
from hinter_ui.shared.library import known, noted
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import Load, TabLink, after_event, attempt, place_in, scripted

_ESTIMATES = 2  # at once, for all visitors together: each loads models


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    actions = services.only(BatchActions)
    form = BatchForm()
    seen = actions.preview(form)
    ui = BatchLayout(services, lambda: preview(seen, form))
    updates = BatchUpdates(services, actions, ui)
    events = BatchEvents(updates)
    events.wire()
    JobEvents(updates).wire(events.link)


class _CampaignEvents(TabEvents):
    room = "batch"

    def __init__(self, updates: BatchUpdates, notice: Any) -> None:
        super().__init__(updates.services, notice)
        self.updates = updates
        self.actions = updates.actions
        self.ui = updates.ui

    def session(self, request: gr.Request) -> Session:
        """Return the session of the page, which knows the campaign that its address names."""
        session = super().session(request)
        linked = dict(request.query_params or {}).get("campaign", "")
        session.of(BatchState).linked = str(linked)[:64]
        return session


class BatchEvents(_CampaignEvents):
    """The form of a new campaign, and the list of all."""

    failure = "titles.not_started"

    def __init__(self, updates: BatchUpdates) -> None:
        super().__init__(updates, updates.ui.told)

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self) -> None:
        """Connect every widget with what it does."""
        ui = self.ui
        linked = self.services.addresses.names("campaign", tab="batch").change
        self.private(linked, self.open_page, [ui.kept], [*ui.watched, ui.kept])
        looked = [ui.current, ui.kept]
        drawn = {"js": after_event("page.drawn", "batch", len(looked))}
        self.private(self.tab.select, self.look, looked, ui.watched, **drawn)
        self.private(ui.timer.tick, self.look, looked, ui.watched, trigger_mode="once")
        self._wire_data()
        outputs = [ui.told, ui.estimate]
        self.on(ui.estimate.click, self.estimate, ui.form, outputs, concurrency_limit=_ESTIMATES)
        started = [ui.told, *ui.watched, ui.kept]
        begun = self.on(ui.start.click, self.start, [ui.kept, *ui.form], started)
        opened = self.private(ui.table.select, self.choose, [ui.kept], ui.watched)
        closed = self.private(ui.job.buttons["close"].click, self.close, [ui.kept], ui.watched)
        for event in (begun, opened, closed):
            scripted(event.success, "batch.opened", [ui.current])
        # Mutants of an open campaign, here or in Results, become the data of a new one.
        self.link = TabLink(
            self.served(self.run_handed_over),
            [self.tabs, *ui.of_data, ui.fields["models"]],
            (("batch.filled",),),
        )
        self.services.links["batch"] = self.link

    def _wire_data(self) -> None:
        ui, fields = self.ui, self.ui.fields
        files = {name: (fields[name].upload, fields[name].clear) for name in FILES}
        read_anew = ("upload", HANDWRITTEN, TEMPLATES, "mining_log", "names")
        fresh = [
            fields["source"].input, *chain.from_iterable(files[name] for name in read_anew),
            fields["own_grammar"].clear, fields["path"].submit, fields["path"].blur,
            fields["hub"].input,
        ]  # fmt: skip
        looked = partial(gr.on, fresh)
        data = [*(fields[name] for name in LOOKED_AT), *ui.data]
        self.private(looked, self.look_at_data, data, ui.of_data, trigger_mode="always_last")
        # A grammar of one's own takes the place of the one chosen, and the other way round.
        for used, other in (
            (fields["own_grammar"].upload, GRAMMAR),
            (fields[GRAMMAR].input, "own_grammar"),
        ):
            self.private(used, partial(self.exchange_grammar, other), data, ui.of_data)
        chosen = [fields[name].input for name in COLUMNS]
        self.private(partial(gr.on, chosen), self.look_at_columns, data, [ui.preview])
        # What a page fills in by itself changes nothing here: it may still say what was before.
        by_hand = [fields[name].input for name in LOOKED_AT if name not in ("sample", *FILES)]
        by_hand += files["dictionaries"]
        told = partial(gr.on, [fields["sample"].change, *by_hand])
        self.private(told, self.count, data, [ui.preview], trigger_mode="always_last")
        others = [box.input for name, box in fields.items() if name not in FILES]
        written = [*chain.from_iterable(files.values()), *others, fields["path"].blur]
        script = after_event("batch.noted", [*DATA, *SETTINGS], FILES)
        gr.on(written, None, ui.form, [ui.noted], js=script, api_visibility="private")
        filled = [*ui.of_data, *ui.form, ui.told]
        self.private(
            ui.noted.change, self.resume, [ui.noted], filled, js=after_event("batch.before")
        )

    # -- data -----------------------------------------------------------------------------------

    def look_at_data(self, session: Session, *values: Any) -> Iterator[Updates]:
        """Show the fields of a source and what its data look like; columns are detected anew."""
        form = _detected(BatchForm.of_look(*values))
        if form.source == "hub" and form.hub:
            working = notice.working(say("working.hub"), 0)
            yield self.updates.data(form) | {self.ui.preview: working}
        yield self._looked_at(session, form)

    def exchange_grammar(self, emptied: str, session: Session, *values: Any) -> Updates:
        """Show what a grammar makes, in whose favour the field ``emptied`` is emptied.

        This is one answer. Of several, gradio shows the last one twice, and would empty the field
        again if somebody fills it in between.
        """
        form = replace(_detected(BatchForm.of_look(*values)), **{emptied: ""})  # type: ignore[arg-type]
        shown = self._looked_at(session, form)
        field = self.ui.fields[emptied]
        return shown | {field: gr.update(**shown.get(field, {}) | {"value": None})}

    def _looked_at(
        self, session: Session, form: BatchForm, tested: tuple[str, ...] = ()
    ) -> Updates:
        """Show the data; of a grammar the attributes that are to be ``tested``, or all."""
        shown = self.updates.data(form)
        shown |= self.updates.columns(form, *self._preview(session, form))
        if form.source == GRAMMAR:
            shown |= self.updates.tested(session.of(BatchState).seen, tested)
        return shown

    def resume(self, session: Session, noted: Any) -> Updates:
        """Fill in the form as it was before the page was loaded again, once."""
        ui, fields = self.ui, self.ui.fields
        state = session.of(BatchState)
        form = None if state.resumed else BatchForm.kept(noted, self.services.access)
        state.resumed = True
        if form is None:
            return {ui.told: gr.skip()}
        _, names = self._preview(session, _detected(form))
        gone: dict[str, Any] = {one: "" for one in COLUMNS if getattr(form, one) not in names}
        form = replace(form, **gone)
        updates = self._looked_at(session, form, form.tested)
        updates |= {fields[n]: form.settings[n] for n in SETTINGS if n not in FILES}
        for name in ("source", "path", "hub", GRAMMAR):
            shown = updates.get(fields[name], {})
            updates[fields[name]] = gr.update(**shown | {"value": getattr(form, name)})
        updates[fields["classes"]] = list(form.classes)
        if any(noted.get(name) for name in FILES):
            lost = notice.info([say("files_again")])
            updates[ui.told if form.given or form.source == "sample" else ui.preview] = lost
        return updates

    def look_at_columns(self, session: Session, *values: Any) -> Updates:
        """Show the data with the columns chosen."""
        return {self.ui.preview: self._preview(session, BatchForm.of_look(*values))[0]}

    def count(self, session: Session, *values: Any) -> Updates:
        """Say how many texts will be drawn and which have words of the attributes chosen.

        Data that were read are not read again.
        """
        form, state = BatchForm.of_look(*values), session.of(BatchState)
        state.settings, seen = form.settings, state.seen
        if form.source != "sample" and not form.given:
            return {self.ui.preview: gr.skip()}
        shown = preview(seen, form) if seen else self._preview(session, form)[0]
        return {self.ui.preview: shown}

    def run_handed_over(self, session: Session) -> Updates:
        """Fill in the mutants, or the grammar, that another tab handed over."""
        form = BatchForm(settings=session.of(BatchState).settings)
        path, session.hand = session.hand, ""
        grammar, session.grammar = session.grammar, ""
        models, session.models = session.models, ()
        if grammar:
            filled = self._test_grammar(session, form, grammar)
            choices = self.services.model_choices(session)  # by their short names
            chosen = gr.update(value=list(models), choices=choices)
            return filled | ({self.ui.fields["models"]: chosen} if models else {})
        if not path:
            return {self.tabs: gr.skip()}
        session.of(BatchState).resumed = True
        filled = {
            self.ui.fields["source"]: gr.update(value=HANDWRITTEN),
            self.ui.fields[HANDWRITTEN]: gr.update(value=path, visible=True),
        }
        shown = self._looked_at(session, replace(form, source=HANDWRITTEN, hand=path))
        return shown | filled | self.show("batch")

    def _test_grammar(self, session: Session, form: BatchForm, name: str) -> Updates:
        session.of(BatchState).resumed = True  # nothing older may come over it
        of_visitor = name not in shipped_grammars()
        form, fields = replace(form, source=GRAMMAR), self.ui.fields
        form = replace(form, own_grammar=name) if of_visitor else replace(form, grammar=name)
        changed, session.changed = session.changed, ()
        filled = {
            fields["source"]: gr.update(value=GRAMMAR),
            fields[GRAMMAR]: gr.update(value=form.grammar),
            fields["own_grammar"]: gr.update(value=form.own_grammar or None),
        }
        return self._looked_at(session, form, changed) | filled | self.show("batch")

    def _preview(self, session: Session, form: BatchForm) -> tuple[Any, tuple[str, ...]]:
        state = session.of(BatchState)
        state.settings, state.seen = form.settings, None
        if form.source not in SOURCES or (form.source != "sample" and not form.given):
            return "", ()
        seen, failure = attempt(self.actions.preview, form, title=say("titles.no_data"))
        if failure:
            return failure, ()
        state.seen = seen
        return preview(seen, form), seen.names

    def estimate(self, session: Session, *values: Any) -> Iterator[Updates]:
        """Estimate the campaign, and show that it takes a while."""
        ui, state = self.ui, session.of(BatchState)
        started, words = state.started, say("working.estimate")
        load = Load(lambda: self.actions.estimate(session, BatchForm.of(*values)))
        yield {ui.told: notice.working(words, 0), ui.estimate: gr.update(interactive=False)}
        while not load.done.wait(1.0):
            if state.started == started:
                yield {ui.told: notice.working(words, load.seconds)}
        failed = load.error and notice.error(load.error, self.title)
        message = failed or html.estimate(load.result)
        shown = {ui.told: message} if state.started == started else {}
        yield {**shown, ui.estimate: gr.update(interactive=True)}

    # -- a campaign -----------------------------------------------------------------------------

    def start(self, session: Session, kept: Any, *values: Any) -> Updates:
        """Start a campaign and open it."""
        form = BatchForm.of(*values)
        entry = self.actions.start(session, form)
        session.of(BatchState).started += 1
        if form.source == GRAMMAR:
            session.tested = entry.id
        names = known(session, kept)
        if not self.services.access.local:
            names = list(dict.fromkeys([entry.id, *names]))
        kept = noted(session, names)
        opened = self.updates.opened(session, entry.id, kept)
        return {self.ui.told: "", self.ui.kept: kept} | opened

    def choose(self, data: Told, session: Session, kept: Any) -> Updates:
        """Open a campaign of the list."""
        return self.updates.opened(session, str(data.get("campaign", "")), kept)

    def close(self, session: Session, kept: Any) -> Updates:
        """Close the campaign on the page; it continues."""
        return self.updates.opened(session, "", kept)

    def look(self, session: Session, current: Any, kept: Any) -> Updates:
        """Show what has changed since the last look."""
        with session.of(BatchState).lock:
            return self.updates.watched(session, _open_in(session, current), kept)

    def open_page(self, session: Session, kept: Any) -> Updates:
        """Open the campaign of a fresh page's link."""
        names, name = known(session, kept), session.of(BatchState).linked
        if not name:
            return self.look(session, "", kept)  # a campaign may have been started meanwhile
        updates = self.updates.opened(session, name, kept)
        known_here = name in names or self.services.access.local
        if not known_here and self.services.campaigns.exists(name):
            updates |= {self.ui.kept: noted(session, [name, *names])}
        return updates


class JobEvents(_CampaignEvents):
    """The buttons of an open campaign."""

    failure = "titles.not_done"

    def __init__(self, updates: BatchUpdates) -> None:
        super().__init__(updates, updates.ui.job.notice)

    def wire(self, form: TabLink) -> None:
        """Connect the widgets; ``form`` leads to that of a new campaign."""
        ui, job, actions = self.ui, self.ui.job, self.actions
        looked, buttons = [ui.current, ui.kept], job.buttons
        for name, act in (
            ("cancel", actions.cancel),
            ("resume", actions.resume),
            ("retry", partial(actions.resume, retry=True)),
        ):
            self.private(buttons[name].click, self._acting(act), looked, ui.watched)
        settings = [*looked, job.models, job.requests, job.budget]
        self.private(job.go_on.click, self._acting(actions.go_on), settings, ui.watched)
        self.ask_first(buttons["delete"], buttons["keep"], buttons["really"])
        gone = self.on(buttons["really"].click, self.delete, looked, [*ui.watched, ui.kept])
        scripted(gone.success, "batch.opened", [ui.current])
        self.tell(gone, "gone")
        self.private(buttons["results"].click, self.see_results, [ui.current], [self.tabs])
        made = self.private(buttons["file"].click, self.file, [ui.current], [job.payload])
        named = ("application/yaml", "campaign.yaml")
        scripted(made.success, "page.save", [job.payload], named)
        chosen = [ui.current, job.verdicts]
        self.download(job.write.click, self.write, chosen, job.place)
        form.follow(self.on(job.hand_over.click, self.hand_over, chosen, []).success)
        picked = self.on(job.findings.select, self.pick, [ui.current], [self.tabs])
        self.services.links["explore"].follow(picked.then)

    def _acting(self, act: Callable[..., object]) -> Callable[..., Updates]:
        """Act on the open campaign and show its new state, whether or not that failed."""

        def run(session: Session, current: Any, kept: Any, *values: Any) -> Updates:
            name = _open_in(session, current)
            known(session, kept)
            _, failure = attempt(act, session, name, *values, title=self.title)
            return self.updates.watched(session, name, kept) | {self.notice: failure}

        return run

    def delete(self, session: Session, current: Any, kept: Any) -> Updates:
        """Delete the campaign with its data."""
        gone, names = _open_in(session, current), known(session, kept)
        self.actions.delete(session, gone)
        left = noted(session, [name for name in names if name != gone])
        return {self.ui.kept: left} | self.updates.opened(session, "", left)

    def see_results(self, session: Session, current: Any) -> Updates:
        """Switch to the tab that reports on the campaign."""
        session.campaign = _open_in(session, current)
        return self.show("results")

    def file(self, session: Session, current: Any) -> str:
        """Return the campaign file."""
        try:
            return self.actions.file_of(_open_in(session, current))
        except HinterError as error:
            raise gr.Error(str(error), print_exception=False) from error

    def write(self, session: Session, current: Any, verdicts: Any) -> Path:
        """Write a file of mutants."""
        chosen, name = [str(verdict) for verdict in verdicts or ()], _open_in(session, current)
        return self.actions.write(session, name, chosen, Path(get_upload_folder()))

    def hand_over(self, session: Session, current: Any, verdicts: Any) -> Updates:
        """Write a file of mutants for the form of a new campaign."""
        session.hand = ""
        session.hand = str(self.counted(session, self.write(session, current, verdicts)))
        return {self.notice: ""}

    def pick(self, data: Told, session: Session, current: Any) -> Updates:
        """Open a finding in Explore."""
        numbers = [place_in(data, name) for name in ("model", "shard", "place")]
        name = _open_in(session, current)
        session.wanted = self.actions.form_of_finding(session, name, *numbers)
        return self.show("explore") | {self.notice: ""}


def _detected(form: BatchForm) -> BatchForm:
    return replace(form, text_column="", label_column="", id_column="")


def _open_in(session: Session, current: Any) -> str:
    """Return the campaign that is open: what was opened last, else what the page or its link names.

    A page may show a campaign, and a hand press its buttons, before the page hears its name.
    """
    state = session.of(BatchState)
    return (str(current or "") or state.linked) if state.opened is None else state.opened
