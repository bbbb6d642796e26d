"""The files of a campaign on the shelf: its settings, the copies of what was uploaded, its log."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hinter_core.campaign import SAMPLE, Campaign, write_campaign
from hinter_core.errors import HinterError, InputError
from hinter_core.hub import on_hub
from hinter_core.mutant_rows import Wanted, write_mutants
from hinter_core.shards import CampaignStore
from hinter_ui.batch_sources import without_folder
from hinter_ui.campaigns import Entry
from hinter_ui.jobs import Record, campaign_file, log_file, settings_of
from hinter_ui.services import Session

_LOG_TAIL = 4_000  # bytes
_UNSAFE = re.compile(r"[^\w.-]+")


def put(entry: Entry, campaign: Campaign, *, uploaded: bool) -> None:
    """Write a new campaign's file, with copies of its mutants and dictionaries beside it.

    ``uploaded``: of its data, too.

    Raises:
        OSError: the disk is full, or a file is gone.
    """
    data = campaign.data
    kept = replace(
        campaign,
        data=_kept(entry, data, "data") if uploaded and data else data,
        mutants=_kept(entry, campaign.mutants, "data") if campaign.mutants else "",
        dictionaries=tuple(_kept(entry, own, "dictionaries") for own in campaign.dictionaries),
    )
    campaign_file(entry).write_text(write_campaign(kept), encoding="utf-8")


def change(entry: Entry, changed: Callable[[Campaign], Campaign]) -> Campaign:
    """Change settings of a campaign on the shelf, whole or not at all; returns it as it is then.

    Raises:
        InputError: its file is missing or damaged, or cannot be written.
    """
    campaign = changed(settings_of(entry))
    text = write_campaign(_with_files(campaign, lambda file: _from_folder(entry.folder, file)))
    part = campaign_file(entry).with_suffix(".part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, campaign_file(entry))
    except OSError as error:
        raise InputError(
            f"The campaign cannot be kept ({error.strerror}); is the disk full?"
        ) from error
    return campaign


def portable(entry: Entry) -> str:
    """The campaign file, as one would write it beside the files it names.

    Raises:
        InputError: it is missing or damaged.
    """
    campaign = settings_of(entry)
    moved = _with_files(campaign, lambda file: Path(file).name)
    note = "# Run it with: hinter run THIS-FILE.yaml --out people\n"
    data = "" if campaign.data == SAMPLE or on_hub(campaign.data) else moved.data
    files = [name for name in (data, moved.mutants, *moved.dictionaries) if name]
    for name in files:
        note += f"# {name} lies beside this file, or write its path below.\n"
    return note + write_campaign(moved)


def last_words(entry: Entry, record: Record) -> str:
    """Why a run ended before its time, in the words of its log."""
    try:
        with log_file(entry).open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _LOG_TAIL))
            lines = log.read().decode("utf-8", "replace").strip().splitlines()
    except OSError:
        lines = []
    said = next((line for line in reversed(lines) if line.startswith("hinter: ")), "")
    if said and record.code in (1, 2):
        folders = (entry.folder / "data", entry.folder / "dictionaries", entry.store.folder)
        return without_folder(said.removeprefix("hinter: "), *folders, entry.folder)
    return (
        f"The run ended by itself (code {record.code}), not through you; run.log in the campaign's "
        "folder has the details. Resume goes on where it stopped."
    )


def write_for(session: Session, store: CampaignStore, wanted: Wanted, folder: Path) -> Path:
    """Write mutants to a file that is deleted when the page is closed.

    Raises:
        HinterError: there are none, a table cannot be read, or the disk is full; without the
            folders of this machine.
    """
    path = session.room(folder) / "hinter-mutants.csv"
    try:
        path.parent.mkdir(parents=True)
        written = write_mutants(store, path, wanted)
    except (HinterError, OSError) as error:
        said = error.strerror or "" if isinstance(error, OSError) else str(error)
        said = without_folder(said.replace(str(store.folder), "this campaign"), path.parent)
        raise InputError(f"The mutants cannot be written: {said}") from error
    if not written:
        raise InputError("No mutant has such a verdict; choose others, or none for all.")
    return path


def _kept(entry: Entry, upload: str, where: str) -> str:
    """Copy a file to where its campaign lies; its name from there."""
    folder = entry.folder / where
    folder.mkdir(exist_ok=True)
    name = _UNSAFE.sub("_", Path(upload).name).lstrip(".")[-100:]
    shutil.copyfile(upload, folder / name)
    return f"{where}/{name}"


def _with_files(campaign: Campaign, named: Callable[[str], str]) -> Campaign:
    """The campaign with its files named otherwise; what is no file stays."""
    data = campaign.data
    return replace(
        campaign,
        data=data if data in ("", SAMPLE) or on_hub(data) else named(data),
        mutants=campaign.mutants and named(campaign.mutants),
        dictionaries=tuple(map(named, campaign.dictionaries)),
    )


def _from_folder(folder: Path, file: str) -> str:
    """A file by its path from a folder that it lies in, or as it is."""
    path, home = Path(file), folder.resolve()
    return path.relative_to(home).as_posix() if path.is_relative_to(home) else file
