"""What the Batch tab shows: from campaigns as they stand to updates of the widgets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gradio as gr

from hinter_core.errors import HinterError
from hinter_ui.batch import html
from hinter_ui.batch.actions import BatchActions, keep_days
from hinter_ui.batch.form import BatchForm
from hinter_ui.batch.jobs import CampaignStatus, JobState
from hinter_ui.batch.layout import BatchLayout
from hinter_ui.batch.sources import HAND, SOURCES
from hinter_ui.html import notice
from hinter_ui.html.wording import Words
from hinter_ui.shared.events import Updates
from hinter_ui.shared.library import known
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session


@dataclass
class BatchState:
    """What Batch keeps of a page: what it shows of the open campaign, part by part."""

    watched: dict[str, str] = field(default_factory=dict)


class BatchUpdates:
    """Updates of the tab's widgets, by widget; only what has changed is sent."""

    def __init__(self, services: Services, actions: BatchActions, ui: BatchLayout) -> None:
        self.services = services
        self.actions = actions
        self.ui = ui

    def exists(self, name: str) -> bool:
        """Whether there is a campaign of that name."""
        try:
            self.services.campaigns.get(name)
        except HinterError:
            return False
        return True

    def data(self, form: BatchForm) -> Updates:
        """The fields of a source."""
        fields = self.ui.fields
        shown = {s.field: name == form.source for name, s in SOURCES.items() if s.field}
        updates = {fields[name]: gr.update(visible=there) for name, there in shown.items()}
        made = gr.update(visible=not form.by_hand)
        return updates | dict.fromkeys(self.ui.making, made)

    def columns(self, form: BatchForm, seen: Any, names: tuple[str, ...], say: Words) -> Updates:
        """The preview, and a choice of columns where there is one."""
        ui = self.ui
        choices = [(say("choices.detected"), ""), *((name, name) for name in names)]
        fresh = gr.update(choices=choices, value="")
        source = SOURCES.get(form.source)
        several = source is not None and source.columns and len(names) > 1
        return {
            ui.preview: seen,
            ui.columns: gr.update(visible=several),
            ui.fields["text_column"]: fresh,
            ui.fields["label_column"]: fresh,
        }

    def by_hand(self, path: str) -> Updates:
        """The form as it runs a file of mutants."""
        return {
            self.ui.fields["source"]: gr.update(value=HAND),
            self.ui.fields[HAND]: gr.update(value=path, visible=True),
        }

    def opened(self, session: Session, name: str, kept: Any) -> Updates:
        """Another campaign is open, or none."""
        session.of(BatchState).watched.clear()
        return {self.ui.current: name} | self.watched(session, name, kept)

    def watched(self, session: Session, name: str, kept: Any) -> Updates:
        """The open campaign and the list, as they stand; the clock runs while something does."""
        ui, status, problem, say = self.ui, None, "", session.words(html.ROOM)
        shown = session.of(BatchState).watched
        if name:
            try:
                status = self.actions.status(name)
            except HinterError as error:
                problem = str(error)
        listed = self.actions.listed(known(kept))
        days = None if self.services.access.local else keep_days()
        parts = {"list": str(html.campaigns(listed, name, days, say))}
        parts |= self._job(status, problem, say)
        busy = any(one.state.busy for one in (*listed, *([status] if status else [])))
        job = ui.job
        handles = {"list": ui.table, "title": job.title, "progress": job.progress,
                   "findings": job.findings}  # fmt: skip
        updates: Updates = {
            handles[key]: value for key, value in parts.items() if shown.get(key) != value
        }
        state = problem
        if status:
            some = any(status.seen.verdicts.values())
            state = f"{status.id} {status.state} {status.can_retry} {some}"
        if shown.get("state") != state or shown.get("busy") != str(busy):
            updates |= self._actions(status, say)
            updates |= {job.box: gr.update(visible=bool(status or problem))}
            updates |= {ui.timer: gr.Timer(active=busy), job.notice: ""}
        shown.update(parts | {"state": state, "busy": str(busy)})
        # An event that changes nothing must still name one of its outputs.
        return updates or {ui.table: gr.skip()}

    def _job(self, status: CampaignStatus | None, problem: str, say: Words) -> dict[str, str]:
        if status is None:
            told = notice.error(problem, say("titles.not_shown")) if problem else ""
            return {"title": str(told), "progress": "", "findings": ""}
        seen, models = status.seen.latest, status.campaign.models
        found = html.findings(seen, models, say, busy=status.state.busy)
        return {
            "title": str(html.title(status, say)),
            "progress": str(html.progress(status, say)),
            "findings": str(found),
        }

    def _actions(self, status: CampaignStatus | None, say: Words) -> Updates:
        job = self.ui.job
        state = status.state if status else None
        there = status is not None
        done = there and bool(status and status.seen.shards_done)
        some = there and bool(status and any(status.seen.verdicts.values()))
        idle = there and not (state and state.busy)
        stopping = state is JobState.STOPPING
        shown = {
            "resume": status and status.can_resume,
            "retry": status and status.can_retry and not status.can_resume,
            "results": done or some,
            "file": there,
            "delete": idle,
            "really": False,
        }
        updates: Updates = {
            job.buttons[name]: gr.update(visible=bool(value)) for name, value in shown.items()
        }
        updates[job.buttons["cancel"]] = gr.update(
            visible=bool(state and state.busy),
            interactive=not stopping,
            value=say("stopping" if stopping else "widgets.job-cancel.value"),
        )
        updates |= {
            job.again: gr.update(visible=idle),
            job.export: gr.update(visible=bool(done or some)),
        }
        if status:
            campaign = status.campaign
            updates |= {
                job.models: gr.update(value=list(campaign.models)),
                job.requests: gr.update(value=campaign.requests or 0),
                job.budget: gr.update(value=campaign.budget or 0),
            }
        return updates
