"""What the Batch tab does, without its widgets: look at data, estimate, start, watch, go on.

Every method takes values and gives values; faults a visitor can mend are raised as
:class:`hinter_core.errors.HinterError`.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from hinter_core.campaign import Campaign, write_campaign
from hinter_core.errors import HinterError, InputError
from hinter_core.forecast import Forecast
from hinter_core.rows import Columns, Row
from hinter_core.shards import StoreError
from hinter_core.types import Failure
from hinter_ui.batch_estimate import estimate
from hinter_ui.batch_form import BatchForm, admitted_keys, require_rows, without_folder
from hinter_ui.batch_watch import Seen, Watch
from hinter_ui.campaigns import Campaigns, Entry
from hinter_ui.jobs import (
    Jobs,
    Record,
    State,
    campaign_file,
    log_file,
    record_of,
    settings_of,
    write_record,
)
from hinter_ui.services import Services, Session

KEEP = "HINTER_KEEP_DAYS"
_KEEP_DAYS = 7.0  # on a public host
_LOOKED_AT = 20_000  # rows
_ROWS, _FAULTS = 5, 5
_DAY = 86_400.0
_LISTED = 50
_LOG_TAIL = 4_000  # bytes
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class Preview:
    """Data at a glance; ``whole``: all rows were looked at, and not only the first ones."""

    names: tuple[str, ...]
    columns: Columns
    rows: list[Row]
    number: int
    faults: list[Row]
    faulty: int
    whole: bool


@dataclass(frozen=True)
class Standing:
    """A campaign as it stands; ``problem`` is why its last run failed, or it cannot be read."""

    id: str
    state: State
    record: Record
    campaign: Campaign
    seen: Seen = field(default_factory=Seen)
    problem: str = ""
    ahead: int = 0

    @property
    def rate(self) -> float:
        """Texts a second in this run; 0 while that is not known."""
        seconds = (self.record.ended or time.time()) - self.record.started
        return self.seen.since[0] / seconds if self.record.started and seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long it may still take; None while that is not known."""
        if self.seen.texts is None or not self.rate:
            return None
        return (self.seen.texts - self.seen.done) / self.rate

    @property
    def can_retry(self) -> bool:
        """Whether asking again may help: what was too long for a model stays so."""
        hopeless = self.seen.failures[Failure.TOO_LONG.value]
        return not self.state.busy and self.seen.failed > hopeless

    @property
    def can_resume(self) -> bool:
        """Whether there is something left to do."""
        return not self.state.busy and self.state is not State.DONE


class BatchDesk:
    """The actions of the Batch tab."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._watch = Watch()
        self.jobs = Jobs(own_cache=not services.access.local)
        atexit.register(self.jobs.close)
        self.clear_old()

    @property
    def campaigns(self) -> Campaigns:
        """The shelf, as open as the app is now: a tunnel may have let strangers in."""
        return Campaigns.at_home(shared=self._services.access.local)

    # -- before the start -----------------------------------------------------------------------

    def preview(self, form: BatchForm) -> Preview:
        """The first rows of the data, and what is wrong with others.

        Raises:
            InputError: the data cannot be read.
        """
        campaign = form.data(self._services.access)
        table = require_rows(campaign)
        rows: list[Row] = []
        faults: list[Row] = []
        number = faulty = 0
        try:
            for row in islice(table.rows(), _LOOKED_AT + 1):
                if number == _LOOKED_AT:
                    return Preview(
                        tuple(table.names), table.columns, rows, number, faults, faulty, whole=False
                    )
                number += 1
                if row.fault:
                    faulty += 1
                    faults += [row] if len(faults) < _FAULTS else []
                elif len(rows) < _ROWS:
                    rows.append(row)
        except InputError as error:
            raise InputError(without_folder(str(error), Path(campaign.data).parent)) from None
        return Preview(tuple(table.names), table.columns, rows, number, faults, faulty, whole=True)

    def estimate(self, session: Session, form: BatchForm) -> Forecast:
        """What a campaign would do; nothing is kept of it.

        Raises:
            HinterError: it cannot be done.
        """
        campaign, keys = self._checked(session, form)
        try:
            return estimate(campaign, keys, own_cache=not self._services.access.local)
        except InputError as error:
            raise InputError(without_folder(str(error), Path(campaign.data).parent)) from None

    def _checked(self, session: Session, form: BatchForm) -> tuple[Campaign, dict[str, str]]:
        access = self._services.access
        campaign = form.campaign(access, self._services.dictionaries())
        table = require_rows(campaign)
        # The columns found are written down, so that the file says what was tested.
        if form.source != "sample":
            columns = table.columns
            campaign = replace(
                campaign,
                text_column=columns.text,
                label_column=columns.label,
                id_column=columns.id,
            )
        return campaign, admitted_keys(campaign, access, session)

    def start(self, session: Session, form: BatchForm) -> Entry:
        """Put a campaign on the shelf and let it run, or wait for its turn.

        Raises:
            HinterError: it cannot be done; nothing was kept.
        """
        campaign, keys = self._checked(session, form)
        self.clear_old()
        entry = self.campaigns.new()
        try:
            title = "Sample texts" if form.source == "sample" else Path(campaign.data).name
            if form.source == "upload":
                campaign = replace(campaign, data=_kept(entry, Path(campaign.data)))
            text = write_campaign(campaign)
            campaign_file(entry).write_text(text, encoding="utf-8")
            write_record(entry, Record(title, time.time()))
            self.jobs.start(entry, keys)
        except BaseException as error:
            shutil.rmtree(entry.folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise InputError(
                    f"The campaign cannot be kept ({error.strerror}); is the disk full?"
                ) from error
            raise
        return entry

    # -- afterwards -----------------------------------------------------------------------------

    def resume(self, session: Session, name: str, *, retry: bool = False) -> Entry:
        """Go on with a campaign; ``retry``: ask again what had no answer.

        Raises:
            HinterError: there is no such campaign, it runs already, or a key is missing.
        """
        entry = self.campaigns.get(name)
        campaign = settings_of(entry)
        self.jobs.start(entry, admitted_keys(campaign, self._services.access, session), retry=retry)
        return entry

    def cancel(self, name: str) -> None:
        """Stop a campaign that runs or waits.

        Raises:
            InputError: there is no such campaign.
        """
        self.jobs.cancel(self.campaigns.get(name))

    def delete(self, name: str) -> None:
        """Delete a campaign with all that belongs to it.

        Raises:
            InputError: there is no such campaign, or it runs.
        """
        entry = self.campaigns.get(name)
        if self.jobs.state(entry).busy:
            raise InputError("This campaign runs or waits; stop it first.")
        shutil.rmtree(entry.folder, ignore_errors=True)

    def standing(self, name: str, *, latest: bool = True) -> Standing:
        """How a campaign stands now.

        Raises:
            InputError: there is no such campaign, or its notes are damaged.
        """
        return self._standing(self.campaigns.get(name), latest=latest)

    def _standing(self, entry: Entry, *, latest: bool) -> Standing:
        record, campaign = record_of(entry), settings_of(entry)
        state, problem, seen = self.jobs.state(entry), "", Seen(campaign.models)
        try:
            seen = self._watch.look(entry.store, campaign.models, record.started, latest=latest)
        except (StoreError, OSError) as error:
            # While it runs a table may be made anew under one's eyes; the next look sees it.
            if not state.busy:
                problem = without_folder(str(error), entry.store.shards, entry.folder)
        if state is State.INTERRUPTED and seen.complete:
            state = State.DONE
        if state is State.FAILED and not problem:
            problem = _last_words(entry, record)
        return Standing(entry.id, state, record, campaign, seen, problem, self.jobs.ahead_of(entry))

    def listed(self, known: Iterable[str]) -> list[Standing]:
        """The campaigns that a visitor may see, the latest first; damaged ones are left out."""
        found = []
        for entry in self.campaigns.seen_by(known)[:_LISTED]:
            try:
                found.append(self._standing(entry, latest=False))
            except HinterError:
                continue
        return sorted(found, key=lambda standing: -standing.record.created)

    def file_of(self, name: str) -> str:
        """The campaign file, as one would write it beside the data.

        Raises:
            InputError: there is no such campaign.
        """
        campaign = settings_of(self.campaigns.get(name))
        moved = replace(campaign, data=Path(campaign.data).name)
        note = "# Run it with: hinter run THIS-FILE.yaml --out people\n"
        if campaign.data != "sample":
            note += f"# {moved.data} lies beside this file, or write its path below.\n"
        return note + write_campaign(moved)

    def clear_old(self) -> None:
        """On a public host, delete campaigns that nothing has happened to for some days."""
        if self._services.access.local:
            return
        shelf = self.campaigns
        for path in shelf.folder.glob("*"):
            try:
                entry = shelf.get(path.name)
                record = record_of(entry)
                last = max(record.created, record.started, record.ended)
                if time.time() - last > keep_days() * _DAY and not self.jobs.state(entry).busy:
                    shutil.rmtree(path, ignore_errors=True)
            except HinterError:
                continue


def keep_days() -> float:
    """How long a public host keeps a campaign; ``HINTER_KEEP_DAYS`` says otherwise."""
    try:
        return float(os.environ.get(KEEP, _KEEP_DAYS))
    except ValueError:
        return _KEEP_DAYS


def _kept(entry: Entry, upload: Path) -> str:
    """Copy an upload to where its campaign lies; its name from there."""
    folder = entry.folder / "data"
    folder.mkdir()
    name = _UNSAFE.sub("_", upload.name).lstrip(".")[-100:]
    shutil.copyfile(upload, folder / name)
    return f"data/{name}"


def _last_words(entry: Entry, record: Record) -> str:
    """Why a run ended before its time, in the words of its log."""
    try:
        with log_file(entry).open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _LOG_TAIL))
            lines = log.read().decode("utf-8", "replace").strip().splitlines()
    except OSError:
        lines = []
    said = next((line for line in reversed(lines) if line.startswith("hinter: ")), "")
    if said and record.code in (1, 2):
        return without_folder(
            said.removeprefix("hinter: "), entry.folder / "data", entry.store.folder, entry.folder
        )
    return (
        f"The run ended by itself (code {record.code}), not through you; run.log in the campaign's "
        "folder has the details. Resume goes on where it stopped."
    )
