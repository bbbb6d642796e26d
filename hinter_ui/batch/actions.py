"""Actions of the Batch tab, without gradio: preview data, estimate, start, watch, resume.

Faults that a visitor can mend are raised as :class:`hinter_core.errors.HinterError`.
"""

import atexit
import secrets
import shutil
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from hinter_core.campaign.findings import ExportFilter, Side, find
from hinter_core.campaign.parquet import StoreError
from hinter_core.campaign.preview import Forecast, Preview
from hinter_core.campaign.progress import CampaignProgress, ProgressReader
from hinter_core.campaign.settings import SAMPLE
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.rows import Table
from hinter_core.errors import HinterError, InputError
from hinter_core.generators.templates.corpus import read_log
from hinter_core.types import Verdict
from hinter_ui.batch.form import (
    MOST_MODELS,
    SETTINGS,
    TEMPLATES,
    BatchForm,
    admitted_keys,
    look_at,
    require_rows,
    say,
    without_folders,
)
from hinter_ui.batch.jobs import (
    CampaignStatus,
    JobRecord,
    Jobs,
    answers_so_far,
    change,
    estimate,
    last_words,
    portable,
    put,
    record_of,
    settings_of,
    write_record,
)
from hinter_ui.environment import keep_days
from hinter_ui.processes.record import RunState
from hinter_ui.shared.library import CampaignEntry, discreet, without_folder, write_for
from hinter_ui.shared.links import ExploreForm, explore_form, read_field
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import NOBODY, Session, Visitor

_DAY = 86_400.0
_LISTED = 50
_OF_A_CAMPAIGN = 1_000_000  # bytes of its tables, roughly
_LONGEST = 3600  # seconds of one run on a public host


@dataclass
class _Begun:
    """The campaign that a page began last."""

    campaign: Campaign | None = None
    entry: CampaignEntry | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class BatchActions:
    """The actions of the Batch tab; campaigns are given by their names."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._watch = ProgressReader()
        shared = not services.access.local
        self.jobs = Jobs(own_cache=shared, longest=_LONGEST if shared else None)
        atexit.register(self.jobs.close)
        self.clear_old()

    # -- before the start -----------------------------------------------------------------------

    def preview(self, form: BatchForm) -> Preview:
        """Read the first rows of the data, and what is wrong with others."""
        seen = look_at(form.data(self._services.access), self._services.access)
        if form.source == TEMPLATES and form.names:
            filled = Campaign(templates=form.templates, names=form.names, attributes=form.classes)
            with without_folders(filled):
                filled.source.tested()
        if seen.classes is not None and form.mining_log:
            log = Path(form.mining_log)
            with discreet(lambda words: without_folder(words, log.parent)):
                seen.mined = read_log(log)
        return seen

    def estimate(self, session: Session, form: BatchForm) -> Forecast:
        """Estimate a campaign; nothing is kept."""
        campaign, keys = self._checked(session, form)
        with without_folders(campaign):
            return estimate(campaign, keys, own_cache=not self._services.access.local)

    def _checked(self, session: Session, form: BatchForm) -> tuple[Campaign, dict[str, str]]:
        access = self._services.access
        campaign = form.campaign(access, self._services.dictionaries())
        models = self._services.models_named(campaign.models, session)
        campaign = replace(campaign, models=models)
        table = require_rows(campaign, access)
        # The commit and the columns found are written down, so that the file says what was tested.
        if isinstance(table, Table) and table.pinned:
            campaign = replace(campaign, data=table.pinned)
        if campaign.data and campaign.data != SAMPLE:
            columns = table.columns
            campaign = replace(
                campaign, text_column=columns.text, label_column=columns.label, id_column=columns.id
            )
        return campaign, admitted_keys(campaign.models, access, session)

    def start(self, session: Session, form: BatchForm) -> CampaignEntry:
        """Keep a new campaign and run it when its turn comes; nothing is kept if that fails.

        The same that this page began before is returned as long as it runs or waits.
        """
        campaign, keys = self._checked(session, form)
        with session.of(_Begun).lock:
            return self._begin(session, form, campaign, keys)

    def _begin(
        self, session: Session, form: BatchForm, campaign: Campaign, keys: dict[str, str]
    ) -> CampaignEntry:
        begun = session.of(_Begun)
        same = begun.entry if begun.campaign == campaign else None
        if same and same.folder.is_dir() and self.jobs.state(same).busy:
            return same
        self.clear_old()
        entry = self._services.campaigns.new()
        try:
            title = form.data(self._services.access).title
            put(entry, campaign, uploaded=form.source == "upload")
            size = sum(path.stat().st_size for path in entry.folder.rglob("*") if path.is_file())
            self._services.require_room(session, size + _OF_A_CAMPAIGN)
            title = say("sources.sample") if title == SAMPLE else title
            key = session.owned[entry.id] = secrets.token_urlsafe(16)
            record = JobRecord(title=title, created=time.time(), owner=_hashed(key))
            write_record(entry, record)
            self.jobs.start(entry, keys, owner=self._owner(session))
        except BaseException as error:
            shutil.rmtree(entry.folder, ignore_errors=True)
            session.owned.pop(entry.id, None)
            if isinstance(error, OSError):
                raise InputError(say("errors.not_saved", reason=error.strerror)) from error
            raise
        begun.campaign, begun.entry = campaign, entry
        return entry

    def _owner(self, session: Session) -> Visitor:
        if self._services.access.local:
            return NOBODY
        return session.visitor if session.visitor.names else Visitor("unknown")

    def owns(self, session: Session, record: JobRecord, name: str) -> bool:
        """Whether a visitor may change a campaign; who has its link may read it."""
        key = session.owned.get(name, "")
        mine = bool(key) and secrets.compare_digest(record.owner, _hashed(key))
        return self._services.access.local or mine

    def _owned(self, session: Session, name: str) -> CampaignEntry:
        entry = self._services.campaigns.get(name)
        if not (self._services.access.local or self.owns(session, record_of(entry), name)):
            raise InputError(say("errors.reader"))
        return entry

    # -- afterwards -----------------------------------------------------------------------------

    def resume(self, session: Session, name: str, *, retry: bool = False) -> CampaignEntry:
        """Resume a campaign; ``retry`` asks again what had no answer."""
        entry = self._owned(session, name)
        models = settings_of(entry).models
        if not retry:
            models = self._left(entry, models) or models
        keys = admitted_keys(models, self._services.access, session)
        self.jobs.start(entry, keys, retry=retry, models=models, owner=self._owner(session))
        return entry

    def go_on(
        self, session: Session, name: str, models: Sequence[str], requests: object, budget: object
    ) -> CampaignEntry:
        """Ask these models about the same mutants, within new bounds.

        Existing answers are kept, also those of models that are left out.
        """
        entry = self._owned(session, name)
        if self.jobs.state(entry).busy:
            raise InputError(say("errors.busy"))
        typed = (model.strip() for model in models)
        chosen = self._services.models_named(filter(None, typed), session)
        if not 0 < len(chosen) <= MOST_MODELS:
            raise InputError(say("errors.models", most=MOST_MODELS))
        left = self._left(entry, chosen)
        keys = admitted_keys(left, self._services.access, session)
        given = {"requests": requests, "budget": budget}
        bounds = {name: read_field(SETTINGS[name], value) for name, value in given.items()}

        change(entry, lambda campaign: replace(campaign, models=chosen, **bounds))
        if left:
            self.jobs.start(entry, keys, models=left, owner=self._owner(session))
        return entry

    def _left(self, entry: CampaignEntry, models: Sequence[str]) -> tuple[str, ...]:
        """Return the models that have not answered everything."""
        seen = self._seen(entry.store, models)
        if seen.shards is None or len(entry.store.known()) < seen.shards:
            return tuple(models)
        return tuple(m for m in models if not self._seen(entry.store, [m]).complete)

    def _seen(self, store: CampaignStore, models: Sequence[str]) -> CampaignProgress:
        try:
            return self._watch.look(store, models, 0.0, latest=False)
        except (StoreError, OSError):
            return CampaignProgress(tuple(models))  # the run itself says what is damaged

    def write(self, session: Session, name: str, verdicts: Sequence[str], folder: Path) -> Path:
        """Write mutants with these verdicts, or all, with their answers to a CSV file."""
        entry = self._services.campaigns.get(name)
        known = {verdict.value: verdict for verdict in Verdict}
        wanted = ExportFilter(verdicts=tuple(known[v] for v in verdicts if v in known))
        return write_for(session, entry.store, wanted, folder)

    def form_of_finding(
        self, session: Session, name: str, model: int, shard: int, place: int
    ) -> ExploreForm:
        """Return the Explore form that shows one mutant; ``model`` counts the campaign's models."""
        entry = self._services.campaigns.get(name)
        campaign = settings_of(entry)
        named = campaign.models[model] if 0 <= model < len(campaign.models) else ""
        record = None
        if named in entry.store.read()["models"]:
            record = find(Side(entry.store, named), shard, place)
        if record is None:
            raise InputError(say("errors.gone"))
        known = self._services.dictionaries(session)
        return explore_form(campaign, known, record.row, record.text, record.edits, named)

    def cancel(self, session: Session, name: str) -> None:
        """Stop a campaign that runs or waits."""
        self.jobs.cancel(self._owned(session, name))

    def delete(self, session: Session, name: str) -> None:
        """Delete a campaign and its files."""
        entry = self._owned(session, name)
        if self.jobs.state(entry).busy:
            raise InputError(say("errors.busy"))
        shutil.rmtree(entry.folder, ignore_errors=True)

    def status(self, name: str) -> CampaignStatus:
        """Return the status of a campaign, with its latest findings."""
        return self._status(self._services.campaigns.get(name), latest=True)

    def _status(self, entry: CampaignEntry, *, latest: bool) -> CampaignStatus:
        record, campaign = record_of(entry), settings_of(entry)
        state, problem, seen = self.jobs.state(entry), "", CampaignProgress(campaign.models)
        try:
            seen = self._watch.look(entry.store, campaign.models, record.started, latest=latest)
        except (StoreError, OSError) as error:
            # While it runs, a table may be replaced; the next look sees it.
            if not state.busy:
                problem = without_folder(str(error), entry.store.shards, entry.folder)
        if seen.complete and not state.busy:
            state = RunState.DONE  # also if a model failed that is left out now
        if state is RunState.FAILED and not problem:
            problem = last_words(entry, record)
        if state is RunState.STOPPED and record.late:
            problem = say("errors.late", minutes=_LONGEST // 60)
        answers = answers_so_far(entry) if state is RunState.RUNNING else 0
        ahead = self.jobs.ahead_of(entry)
        return CampaignStatus(entry.id, state, record, campaign, seen, problem, ahead, answers)

    def listed(self, known: Iterable[str]) -> list[CampaignStatus]:
        """List the campaigns that a visitor may see, the latest first, without damaged ones."""
        statuses = []
        for entry in self._services.campaigns.seen_by(known)[:_LISTED]:
            with suppress(HinterError):
                statuses.append(self._status(entry, latest=False))
        return sorted(statuses, key=lambda status: -status.record.created)

    def file_of(self, name: str) -> str:
        """Return the campaign file as one would write it beside the data."""
        return portable(self._services.campaigns.get(name))

    def clear_old(self) -> None:
        """Delete campaigns without activity for some days, on a public host."""
        if self._services.access.local:
            return
        campaigns = self._services.campaigns
        for path in campaigns.folder.glob("*"):
            with suppress(HinterError):
                entry = campaigns.get(path.name)
                record = record_of(entry)
                last = max(record.created, record.started, record.ended)
                if time.time() - last > keep_days() * _DAY and not self.jobs.state(entry).busy:
                    shutil.rmtree(path, ignore_errors=True)


def _hashed(key: str) -> str:
    return sha256(key.encode()).hexdigest()
