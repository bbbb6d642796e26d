"""The Batch tab: a whole data set, estimated, started, watched, and come back to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder

from hinter_core.campaign.estimate import Forecast
from hinter_core.errors import HinterError
from hinter_ui.batch import html
from hinter_ui.batch.actions import BatchActions
from hinter_ui.batch.form import BatchForm
from hinter_ui.batch.layout import lay_out
from hinter_ui.batch.sources import HAND, SOURCES
from hinter_ui.batch.updates import BatchUpdates
from hinter_ui.html import notice
from hinter_ui.html.wording import DEFAULT, Words, words_of
from hinter_ui.shared.background import Load
from hinter_ui.shared.events import TabEvents, Updates
from hinter_ui.shared.library import known
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import TabLink, attempt, private, scripted

say = words_of(DEFAULT, html.ROOM)

_ESTIMATES = 2  # at once, for all visitors together: each loads models


def build(services: Services) -> None:
    """Build the tab inside the current ``gr.Tab`` and wire it."""
    actions = BatchActions(services)
    ui = lay_out(services, html.preview(actions.preview(BatchForm()), say))
    updates = BatchUpdates(services, actions, ui)
    events = BatchEvents(services, actions, updates)
    events.wire()
    JobEvents(services, actions, updates).wire(events.link)


class BatchEvents(TabEvents):
    """The form of a new campaign, and the list of all."""

    title = say("titles.not_started")

    def __init__(self, services: Services, actions: BatchActions, updates: BatchUpdates) -> None:
        super().__init__(services, updates.ui.told)
        self.actions = actions
        self.updates = updates
        self.ui = updates.ui

    # -- wiring ---------------------------------------------------------------------------------

    def wire(self) -> None:
        """Connect every widget with what it does."""
        ui = self.ui
        private(self.page.load, self.open_page, [ui.kept], [self.tabs, *ui.watched, ui.kept])
        looked = [ui.current, ui.kept]
        private(self.tab.select, self.look, looked, ui.watched)
        private(ui.timer.tick, self.look, looked, ui.watched, trigger_mode="once")
        self._wire_data()
        self.on(
            ui.estimate.click,
            self.estimate,
            ui.form,
            [ui.told, ui.estimate],
            concurrency_limit=_ESTIMATES,
        )
        started = [ui.told, *ui.watched, ui.kept]
        begun = self.on(ui.start.click, self.start, [ui.kept, *ui.form], started)
        opened = private(ui.table.select, self.choose, [ui.kept], ui.watched)
        closed = private(ui.job.buttons["close"].click, self.close, [ui.kept], ui.watched)
        for event in (begun, opened, closed):
            scripted(event.success, "batch.opened", [ui.current])
        # Mutants of an open campaign, here or in Results, become the data of a new one.
        outputs = [self.tabs, *ui.of_data]
        self.link = TabLink(self.run_by_hand, outputs, ("batch.filled",))
        self.services.links["batch"] = self.link

    def _wire_data(self) -> None:
        ui, fields = self.ui, self.ui.fields
        files = [event for name in ("upload", HAND) for event in (
            fields[name].upload, fields[name].clear)]  # fmt: skip
        typed = [fields["path"].submit, fields["path"].blur, fields["hub"].input]
        fresh = [fields["source"].input, *files, *typed]
        options = {"trigger_mode": "always_last"}
        private(partial(gr.on, fresh), self.look_at_data, ui.data, ui.of_data, **options)
        chosen = [fields["text_column"].input, fields["label_column"].input]
        private(partial(gr.on, chosen), self.look_at_columns, ui.data, [ui.preview], **options)

    def say(self, request: gr.Request) -> Words:
        """The texts of the tab in the visitor's language."""
        return self.session(request).words(html.ROOM)

    # -- data -----------------------------------------------------------------------------------

    def look_at_data(self, request: gr.Request, *values: Any) -> Iterator[Updates]:
        """Show the fields of a source and what its data look like; columns are found anew."""
        form = replace(BatchForm.of_data(*values), text_column="", label_column="")
        fields, say = self.updates.data(form), self.say(request)
        if form.source == "hub" and form.hub:
            yield fields | {self.ui.preview: notice.working(say("working.hub"), 0)}
        yield fields | self.updates.columns(form, *self._preview(form, say), say)

    def run_by_hand(self, request: gr.Request) -> Updates:
        """Fill in the mutants that were handed over."""
        session = self.session(request)
        path, session.hand = session.hand, ""
        if not path:
            return {self.tabs: gr.skip()}
        form, say = BatchForm(source=HAND, hand=path), self.say(request)
        updates = self.updates.data(form) | self.updates.by_hand(path)
        updates |= self.updates.columns(form, *self._preview(form, say), say)
        return updates | self.show("batch")

    def look_at_columns(self, request: gr.Request, *values: Any) -> Updates:
        """Show the data with the columns chosen."""
        form = BatchForm.of_data(*values)
        return {self.ui.preview: self._preview(form, self.say(request))[0]}

    def _preview(self, form: BatchForm, say: Words) -> tuple[Any, tuple[str, ...]]:
        source = SOURCES.get(form.source)
        if source is None or (source.field and not getattr(form, source.field)):
            return "", ()
        seen, failure = attempt(self.actions.preview, form, title=say("titles.no_data"))
        return (failure, ()) if failure else (html.preview(seen, say), seen.names)

    def estimate(self, request: gr.Request, *values: Any) -> Iterator[Updates]:
        """What a campaign would do, told once a few texts were tried."""
        ui, session, found = self.ui, self.session(request), list[Forecast]()

        def work() -> str:
            found.append(self.actions.estimate(session, BatchForm.of(*values)))
            return ""

        load = Load(work)
        busy = gr.update(interactive=False)
        say = self.say(request)
        words = say("working.estimate")
        yield {ui.told: notice.working(words, 0), ui.estimate: busy}
        while not load.done.wait(1.0):
            yield {ui.told: notice.working(words, load.seconds)}
        failure = notice.error(load.error, self.title) if load.error else ""
        told = failure or html.estimate(found[0], say)
        yield {ui.told: told, ui.estimate: gr.update(interactive=True)}

    # -- a campaign -----------------------------------------------------------------------------

    def start(self, request: gr.Request, kept: Any, *values: Any) -> Updates:
        """Start a campaign and look at it."""
        session = self.session(request)
        entry = self.actions.start(session, BatchForm.of(*values))
        names = known(kept)
        if not self.services.access.local:
            names = [entry.id, *names]
        return {self.ui.told: "", self.ui.kept: names} | self.updates.opened(
            session, entry.id, names
        )

    def choose(self, event: gr.EventData, request: gr.Request, kept: Any) -> Updates:
        """A campaign of the list."""
        data: dict[str, Any] = event._data or {}
        return self.updates.opened(self.session(request), str(data.get("campaign", "")), kept)

    def close(self, request: gr.Request, kept: Any) -> Updates:
        """Look at no campaign any more; it goes on."""
        return self.updates.opened(self.session(request), "", kept)

    def look(self, request: gr.Request, current: Any, kept: Any) -> Updates:
        """What has changed since the last look."""
        return self.updates.watched(self.session(request), str(current or ""), kept)

    def open_page(self, request: gr.Request, kept: Any) -> Updates:
        """A fresh page: the campaign of its link, if it has one."""
        session = self.session(request)
        name = str(dict(request.query_params or {}).get("campaign", ""))[:64]
        if not name:
            return self.updates.watched(session, "", kept)
        names = known(kept)
        updates = self.updates.opened(session, name, names) | self.show("batch")
        if self.updates.exists(name) and name not in names and not self.services.access.local:
            updates |= {self.ui.kept: [name, *names]}
        return updates


class JobEvents(TabEvents):
    """An open campaign: its buttons, and what they show."""

    title = say("titles.not_done")

    def __init__(self, services: Services, actions: BatchActions, updates: BatchUpdates) -> None:
        super().__init__(services, updates.ui.job.notice)
        self.actions = actions
        self.updates = updates
        self.ui = updates.ui

    def wire(self, form: TabLink) -> None:
        """Connect the widgets; ``form`` leads to that of a new campaign."""
        ui, job = self.ui, self.ui.job
        looked, buttons = [ui.current, ui.kept], self.ui.job.buttons
        for name, act in (("cancel", self.cancel), ("resume", self.resume), ("retry", self.retry)):
            private(buttons[name].click, self._acting(act), looked, ui.watched)
        settings = [*looked, job.models, job.requests, job.budget]
        private(job.go_on.click, self._acting(self.actions.go_on), settings, ui.watched)
        private(buttons["delete"].click, self.ask_first, [], [buttons["delete"], buttons["really"]])
        gone = self.on(buttons["really"].click, self.delete, looked, [*ui.watched, ui.kept])
        scripted(gone.success, "batch.opened", [ui.current])
        private(buttons["results"].click, self.see_results, [ui.current], [self.tabs])
        made = private(buttons["file"].click, self.file, [ui.current], [job.payload])
        named = ("application/yaml", "campaign.yaml")
        scripted(made.success, "page.save", [job.payload], named)
        chosen = [ui.current, job.verdicts]
        self.download(job.write.click, self.write, chosen, job.place)
        form.follow(self.on(job.hand_over.click, self.hand_over, chosen, []).success)
        picked = self.on(job.findings.select, self.pick, [ui.current], [self.tabs])
        self.services.links["explore"].follow(picked.then)

    def _acting(self, act: Callable[..., object]) -> Callable[..., Updates]:
        # Not wrapped: gradio would read the signature of ``act`` and leave out the request.
        def run(request: gr.Request, current: Any, kept: Any, *values: Any) -> Updates:
            session = self.session(request)
            _, failure = attempt(act, session, str(current), *values, title=self.title)
            updates = self.updates.watched(session, str(current), kept)
            return updates | {self.notice: failure}

        return run

    def cancel(self, _: Session, name: str) -> None:
        """Stop the campaign."""
        self.actions.cancel(name)

    def resume(self, session: Session, name: str) -> None:
        """Go on with the campaign."""
        self.actions.resume(session, name)

    def retry(self, session: Session, name: str) -> None:
        """Ask again what had no answer."""
        self.actions.resume(session, name, retry=True)

    def ask_first(self) -> Updates:
        """Deleting takes a second press."""
        buttons = self.ui.job.buttons
        return {
            buttons["delete"]: gr.update(visible=False),
            buttons["really"]: gr.update(visible=True),
        }

    def delete(self, request: gr.Request, current: Any, kept: Any) -> Updates:
        """Delete the campaign with its data."""
        self.actions.delete(str(current))
        names = [name for name in known(kept) if name != current]
        return {self.ui.kept: names} | self.updates.opened(self.session(request), "", names)

    def see_results(self, request: gr.Request, current: Any) -> Updates:
        """Go on to the tab that reports on the campaign."""
        self.session(request).campaign = str(current)
        return self.show("results")

    def file(self, current: Any) -> str:
        """The campaign file."""
        try:
            return self.actions.file_of(str(current))
        except HinterError as error:
            raise gr.Error(str(error), print_exception=False) from error

    def write(self, request: gr.Request, current: Any, verdicts: Any) -> Path:
        """Make a file of mutants."""
        chosen = [str(verdict) for verdict in verdicts or ()]
        folder = Path(get_upload_folder())
        return self.actions.write(self.session(request), str(current), chosen, folder)

    def hand_over(self, request: gr.Request, current: Any, verdicts: Any) -> Updates:
        """Make a file of mutants for the form below."""
        session = self.session(request)
        session.hand = ""
        session.hand = str(self.write(request, current, verdicts))
        return {self.notice: ""}

    def pick(self, event: gr.EventData, request: gr.Request, current: Any) -> Updates:
        """A finding to open in Explore."""
        session, data = self.session(request), event._data or {}
        numbers = [_number(data.get(name)) for name in ("model", "shard", "place")]
        session.wanted = self.actions.form_of_finding(session, str(current), *numbers)
        return self.show("explore") | {self.notice: ""}


def _number(value: Any) -> int:
    """A whole number that a page sent; -1 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else -1
