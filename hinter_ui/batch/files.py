"""The files of a campaign: its settings, the copies of what was uploaded, its log."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hinter_core.campaign.estimate import Forecast
from hinter_core.campaign.spec import SAMPLE, Campaign, write_campaign
from hinter_core.data.hub import on_hub
from hinter_core.errors import InputError
from hinter_core.models.budget import Cost
from hinter_core.storage import write_whole
from hinter_ui.batch.jobs import (
    BAD_INPUT,
    COMMAND,
    JobRecord,
    campaign_file,
    environment,
    log_file,
    settings_of,
)
from hinter_ui.shared.downloads import without_folder
from hinter_ui.shared.library import CampaignEntry

_LOG_TAIL = 4_000  # bytes
_UNSAFE = re.compile(r"[^\w.-]+")


def put(entry: CampaignEntry, campaign: Campaign, *, uploaded: bool) -> None:
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


def change(entry: CampaignEntry, changed: Callable[[Campaign], Campaign]) -> Campaign:
    """Change settings of a campaign, whole or not at all; returns it as it is then.

    Raises:
        InputError: its file is missing or damaged, or cannot be written.
    """
    campaign = changed(settings_of(entry))
    text = write_campaign(_with_files(campaign, lambda file: _from_folder(entry.folder, file)))
    try:
        with write_whole(campaign_file(entry)) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"The campaign cannot be kept ({error.strerror}); is the disk full?"
        ) from error
    return campaign


def portable(entry: CampaignEntry) -> str:
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


def last_words(entry: CampaignEntry, record: JobRecord) -> str:
    """Why a run ended before its time, in the words of its log."""
    try:
        with log_file(entry).open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _LOG_TAIL))
            said = said_last(log.read())
    except OSError:
        said = ""
    if said and record.code in (1, BAD_INPUT):
        folders = (entry.folder / "data", entry.folder / "dictionaries", entry.store.folder)
        return without_folder(said, *folders, entry.folder)
    return (
        f"The run ended by itself (code {record.code}), not through you; run.log in the campaign's "
        "folder has the details. Resume goes on where it stopped."
    )


def said_last(log: bytes) -> str:
    """The last message of the command line in its log, or nothing."""
    lines = reversed(log.decode("utf-8", "replace").strip().splitlines())
    found = next((line for line in lines if line.startswith("hinter: ")), "")
    return found.removeprefix("hinter: ")


def _kept(entry: CampaignEntry, upload: str, where: str) -> str:
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


_PATIENCE = 900  # seconds


def estimate(campaign: Campaign, keys: Mapping[str, str], *, own_cache: bool) -> Forecast:
    """What the campaign would do.

    Raises:
        InputError: it cannot be done; the message says why.
    """
    with TemporaryDirectory(prefix="hinter-estimate-") as folder:
        path = Path(folder) / "campaign.yaml"
        path.write_text(write_campaign(campaign), encoding="utf-8")
        cache = Path(folder) / "answers.sqlite" if own_cache else None
        try:
            done = subprocess.run(  # noqa: S603 -- ourselves, with no words of a visitor
                [*COMMAND, "run", str(path), "--estimate", "--json"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=environment(keys, cache),
                timeout=_PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise InputError(
                "This takes too long to estimate; start it with a small sample instead."
            ) from error
    said = said_last(done.stderr)
    if done.returncode == BAD_INPUT and said:
        raise InputError(said)
    if done.returncode:
        raise InputError(
            f"The estimate broke off (exit code {done.returncode}); this machine may lack memory."
        )
    return _read(json.loads(done.stdout))


def _read(values: dict[str, object]) -> Forecast:
    given: dict[str, object] = dict(values)
    mutants, costs = given.pop("mutants"), given.pop("costs")
    assert isinstance(mutants, dict)
    assert isinstance(costs, dict)
    return Forecast(
        mutants={int(order): number for order, number in mutants.items()},
        costs={name: Cost(**cost) for name, cost in costs.items()},
        **given,  # type: ignore[arg-type]  # written by ourselves a moment ago
    )
