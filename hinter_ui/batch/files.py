"""The files of a campaign in the app: its settings, copies of uploads, its record and its log."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hinter_core.campaign.progress import ANSWERED
from hinter_core.campaign.spec import Campaign, load_campaign, write_campaign
from hinter_core.errors import InputError
from hinter_core.files.source import ending_of
from hinter_core.storage import write_whole
from hinter_ui.batch.form import say
from hinter_ui.processes import record as record_files
from hinter_ui.processes.command import BAD_INPUT, end_of, last_message
from hinter_ui.processes.record import RunRecord, read_record
from hinter_ui.shared.access import attribute_of
from hinter_ui.shared.library import CampaignEntry, without_folder
from hinter_ui.shared.uploads import kept_copy


@dataclass(frozen=True, kw_only=True)
class JobRecord(RunRecord):
    """The record of a campaign's runs.

    ``owner``: a hash of the key with which it is stopped, continued and deleted.
    """

    title: str
    owner: str = ""


def campaign_file(entry: CampaignEntry) -> Path:
    """Return the path of a campaign's settings."""
    return entry.folder / "campaign.yaml"


def log_file(entry: CampaignEntry) -> Path:
    """Return the path of the last run's log."""
    return entry.folder / "run.log"


def settings_of(entry: CampaignEntry) -> Campaign:
    """Read the settings of a campaign.

    Raises:
        InputError: the file is missing or damaged.
    """
    return load_campaign(campaign_file(entry))


def record_of(entry: CampaignEntry) -> JobRecord:
    """Read the record of a campaign's runs.

    Raises:
        InputError: it is missing or damaged.
    """
    return read_record(record_file(entry), JobRecord, say("errors.damaged"))


def write_record(entry: CampaignEntry, record: JobRecord) -> None:
    """Write the record of a campaign's runs, whole or not at all."""
    record_files.write_record(record_file(entry), record)


def record_file(entry: CampaignEntry) -> Path:
    """Return the path of the record."""
    return entry.folder / "job.json"


def put(entry: CampaignEntry, campaign: Campaign, *, uploaded: bool) -> None:
    """Write a new campaign's settings, with copies of its files beside them.

    Data are copied if they were ``uploaded``, and read in place otherwise.

    Raises:
        OSError: the disk is full, or a file is gone.
    """

    def kept(setting: str, file: str) -> str:
        if setting == "data" and not uploaded:
            return file
        if setting == "dictionaries":
            name = f"{attribute_of(Path(file))}{ending_of(file)}"
            return _kept(entry, file, "dictionaries", name)
        return _kept(entry, file, "data", f"names{ending_of(file)}" if setting == "names" else "")

    campaign_file(entry).write_text(write_campaign(campaign.with_files(kept)), encoding="utf-8")


def change(entry: CampaignEntry, changed: Callable[[Campaign], Campaign]) -> None:
    """Change the settings of a campaign, whole or not at all.

    Raises:
        InputError: the file is missing or damaged, or cannot be written.
    """
    home = entry.folder.resolve()

    def within(_: str, file: str) -> str:
        path = Path(file)
        return path.relative_to(home).as_posix() if path.is_relative_to(home) else file

    text = write_campaign(changed(settings_of(entry)).with_files(within))
    try:
        with write_whole(campaign_file(entry)) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(say("errors.not_saved", reason=error.strerror)) from error


def portable(entry: CampaignEntry) -> str:
    """Return the campaign file as one would write it beside the files it names.

    Raises:
        InputError: it is missing or damaged.
    """
    moved = settings_of(entry).with_files(lambda _, file: Path(file).name)
    note = "# Run it with: hinter run THIS-FILE.yaml --out people\n"
    for name in moved.files():
        note += f"# {name} lies beside this file, or write its path below.\n"
    return note + write_campaign(moved)


def last_words(entry: CampaignEntry, record: JobRecord) -> str:
    """Return the last message of a failed run, or its exit code in words."""
    said = last_message(log_file(entry))
    if said and record.code in (1, BAD_INPUT):
        folders = (entry.folder / "data", entry.folder / "dictionaries", entry.store.folder)
        return without_folder(said, *folders, entry.folder)
    return say("errors.ended", code=record.code)


def answers_so_far(entry: CampaignEntry) -> int:
    """Return how many requests were answered while a run's first texts are tested."""
    line = end_of(log_file(entry)).decode("utf-8", "replace").rstrip().rpartition("\n")[2]
    number = line.partition(ANSWERED)[2].replace(",", "")
    return int(number) if number.isdecimal() else 0


def _kept(entry: CampaignEntry, upload: str, where: str, name: str = "") -> str:
    """Copy a file to the campaign's folder; return its path from there."""
    return f"{where}/{kept_copy(upload, entry.folder / where, name).name}"
