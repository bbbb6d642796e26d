"""From campaigns to updates of the Batch tab's widgets."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gradio as gr

from hinter_core.annotation.backup import lost_at_restart
from hinter_core.annotation.invitation import Reached, reach
from hinter_core.campaign.preview import Preview
from hinter_core.errors import HinterError
from hinter_core.report.figures import priority_figure
from hinter_ui.batch import html
from hinter_ui.batch.actions import BatchActions
from hinter_ui.batch.form import COLUMNS, GRAMMAR, SOURCES, TEMPLATES, BatchForm, say
from hinter_ui.batch.jobs import CampaignStatus
from hinter_ui.batch.layout import BatchLayout
from hinter_ui.environment import CAMPAIGNS_FOLDER, keep_days
from hinter_ui.html import notice
from hinter_ui.html.markup import Markup
from hinter_ui.html.wording import name_of
from hinter_ui.processes.record import RunState
from hinter_ui.shared.events import Updates, visible
from hinter_ui.shared.library import known
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.widgets import drawn


@dataclass
class BatchState:
    """State of the Batch tab for a page: the open campaign, its parts shown, the previewed data.

    ``linked``: the campaign that the page's address names.
    ``settings``: of the form, as last looked at.
    ``resumed``: whether the form that the browser keeps was filled in. ``started`` campaigns, which
    take the place of an estimate. ``lock``: of what is shown. A look that began before a campaign
    was opened must not send its differences after those of the opening, or the page stays without
    the campaign.
    """

    opened: str | None = None
    linked: str = ""
    watched: dict[str, str] = field(default_factory=dict)
    seen: Preview | None = None
    settings: Mapping[str, Any] = field(default_factory=lambda: BatchForm().settings)
    resumed: bool = False
    started: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)


class BatchUpdates:
    """Updates of the tab's widgets, by widget; only what has changed is sent."""

    def __init__(self, services: Services, actions: BatchActions, ui: BatchLayout) -> None:
        self.services = services
        self.actions = actions
        self.ui = ui

    def data(self, form: BatchForm) -> Updates:
        """Show the fields of a source."""
        fields = self.ui.fields
        making, bounding, choosing = self.ui.making
        free = form.from_texts
        made = {making: free, bounding: not form.handwritten, choosing: free}
        made[self.ui.of_templates] = form.source == TEMPLATES
        made[self.ui.of_grammar] = form.source == GRAMMAR
        # The sample has no field: the setting of that name is another. A grammar has a column.
        there = [name for name in SOURCES if name not in ("sample", GRAMMAR)]
        return visible(made | {fields[name]: name == form.source for name in there})

    def tested(self, seen: Preview | None, chosen: tuple[str, ...] = ()) -> Updates:
        """Offer the attributes of a grammar, all chosen unless some are."""
        names = list(seen.grammar.sensitive) if seen and seen.grammar else []
        choices = [(name_of(name), name) for name in names]
        return {
            self.ui.fields["tested"]: gr.update(
                choices=choices, value=[name for name in names if name in chosen] or names
            )
        }

    def columns(self, form: BatchForm, seen: Any, names: tuple[str, ...]) -> Updates:
        """Show the preview, and a choice of columns where there is one."""
        ui = self.ui
        choices = [(say("choices.detected"), ""), *((name, name) for name in names)]
        source = SOURCES.get(form.source)
        several = source is not None and source.columns and len(names) > 1
        return {
            ui.preview: seen,
            ui.columns: gr.update(visible=several),
        } | {
            ui.fields[name]: gr.update(choices=choices, value=getattr(form, name))
            for name in COLUMNS
        }

    def opened(self, session: Session, name: str, kept: Any) -> Updates:
        """Open another campaign, or none."""
        state = session.of(BatchState)
        with state.lock:
            state.opened = name
            state.watched.clear()
            return {self.ui.current: name} | self.watched(session, name, kept)

    def watched(self, session: Session, name: str, kept: Any) -> Updates:
        """Bring the open campaign and the list up to date; the timer runs while something does."""
        with session.of(BatchState).lock:
            return self._changed(session, name, kept)

    def _changed(self, session: Session, name: str, kept: Any) -> Updates:
        ui, job, status, problem = self.ui, self.ui.job, None, ""
        names = _names(session, kept)
        shown = session.of(BatchState).watched
        if name:
            try:
                status = self.actions.status(name)
            except HinterError as error:
                problem = str(error)
        mine = status is not None and self.actions.owns(session, status.record, status.id)
        listed = self.actions.listed(names)
        days = None if self.services.access.local else keep_days()
        lost = lost_at_restart(CAMPAIGNS_FOLDER)
        table = html.campaigns(listed, name, days, lost=lost)
        there = reach(session.page, local=self.services.access.local)
        parts = {"list": table} | _job(status, problem, there, mine=mine)
        widgets = {"list": ui.table, "title": job.title, "progress": job.progress,
                   "findings": job.findings}  # fmt: skip
        updates: Updates = {
            widgets[key]: value for key, value in parts.items() if shown.get(key) != value
        }
        busy = any(one.state.busy for one in (*listed, *([status] if status else [])))
        state = problem
        if status:
            # Results shows it, entered by its own tab, where nothing else was opened.
            some = _has_results(status)
            session.campaign = session.campaign or (name if some else "")
            state = f"{status.id} {status.state} {status.can_retry} {some} {mine}"
        if shown.get("state") != state or shown.get("busy") != str(busy):
            updates |= self._actions(status, mine=mine)
            updates |= {job.box: gr.update(visible=bool(status or problem))}
            updates |= {ui.timer: gr.Timer(active=busy), job.notice: ""}
        priority = status.seen.priority if status else {}
        curve = repr(priority)
        if shown.get("curve") != curve:
            updates[job.curve] = drawn(
                priority_figure(priority) if priority else None, "hinter-faults"
            )
        shown.update(parts | {"state": state, "busy": str(busy), "curve": curve})
        # An event that changes nothing must still name one of its outputs.
        return updates or {ui.table: gr.skip()}

    def _actions(self, status: CampaignStatus | None, *, mine: bool) -> Updates:
        job, able, stopping = self.ui.job, dict[str, bool](), False
        updates: Updates = {}
        if status:
            campaign, busy, some = status.campaign, status.state.busy, _has_results(status)
            resume = mine and status.can_resume
            able = {
                "cancel": mine and busy, "resume": resume, "delete": mine and not busy,
                "retry": mine and status.can_retry and not resume, "results": some, "file": True,
            }  # fmt: skip
            stopping = status.state is RunState.STOPPING
            updates = {
                job.models: gr.update(value=list(campaign.models)),
                job.requests: gr.update(value=campaign.requests or 0),
                job.budget: gr.update(value=campaign.budget or 0),
            }
        names = ("resume", "retry", "results", "file", "delete", "keep", "really")
        shown: dict[Any, object] = {job.buttons[name]: able.get(name) for name in names}
        shown |= {job.again: able.get("delete"), job.export: able.get("results")}
        cancel = gr.update(
            visible=able.get("cancel", False),
            interactive=not stopping,
            value=say("stopping" if stopping else "widgets.job-cancel.value"),
        )
        return updates | visible(shown) | {job.buttons["cancel"]: cancel}


def _names(session: Session, kept: Any) -> list[str]:
    """Return the campaigns that the browser keeps, and the one whose results it opened.

    Its link may have been read before the browser keeps it.
    """
    names = known(session, kept)
    return names if session.campaign in ("", *names) else [session.campaign, *names]


def _has_results(status: CampaignStatus) -> bool:
    return bool(status.seen.shards_done or any(status.seen.verdicts.values()))


def _job(
    status: CampaignStatus | None, problem: str, there: Reached, *, mine: bool
) -> dict[str, str]:
    if status is None:
        message = notice.error(problem, say("titles.not_shown")) if problem else Markup("")
        return {"title": message, "progress": "", "findings": ""}
    latest = status.seen.latest
    return {
        "title": html.title(status, there, mine=mine),
        "progress": html.progress(status),
        "findings": html.findings(latest, status.campaign, busy=status.state.busy),
    }
