"""Where a campaign's texts may come from: the sample, a file, the Hub, or handwritten mutants."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hinter_core.campaign.preview import MOST, Preview, preview
from hinter_core.campaign.spec import SAMPLE, Campaign
from hinter_core.data.hub import PREFIX, PRESETS, on_hub, read_hub_name
from hinter_core.data.rows import Rows
from hinter_core.errors import InputError
from hinter_ui.html.wording import DEFAULT, words_of
from hinter_ui.shared.access import Access
from hinter_ui.shared.downloads import discreet, without_folder

say = words_of(DEFAULT, "batch")

HAND = "hand"
PUBLIC_SAMPLE = 500  # texts of one campaign on a public host
PUBLIC_ROWS = 100_000  # rows of a data set of the Hub on a public host
_MOST_OF_HUB = 200  # rows looked at: each comes over the network
_ROWS = 12  # asked for, so that some usable ones are among them
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class DataSource:
    """A place that texts come from.

    ``campaign`` makes a campaign of these texts alone, from the value of the form's ``field`` that
    names it. ``columns``: whether its columns can be chosen, ``here_only``: it reaches files of
    this machine.
    """

    campaign: Callable[[str, Access], Campaign]
    field: str = ""
    columns: bool = False
    here_only: bool = False


def _sample(_: str, __: Access) -> Campaign:
    return Campaign(data=SAMPLE)


def _upload(file: str, _: Access) -> Campaign:
    if not file:
        raise InputError(say("errors.no_upload"))
    return Campaign(data=file)


def _path(path: str, _: Access) -> Campaign:
    if not path:
        raise InputError(say("errors.no_path"))
    return Campaign(data=str(Path(path).expanduser().absolute()))


def _hub(given: str, access: Access) -> Campaign:
    if not given:
        raise InputError(say("errors.no_hub"))
    data = given if on_hub(given) else f"{PREFIX}{given}"
    name = read_hub_name(data)
    # A folder of that name on this machine would be read in its place; the words are the same
    # whether there is one or not.
    plain = access.local or (_HUB_NAME.fullmatch(name.repo) and ".." not in name.repo)
    if not plain or Path(name.repo).exists():
        raise InputError(say("errors.hub_name", name=given))
    return Campaign(data=data)


def _hand(file: str, _: Access) -> Campaign:
    if not file:
        raise InputError(say("errors.no_hand", button=say("widgets.job-export.value")))
    return Campaign(mutants=file)


# Another place is one line here and its field in the form and its layout.
SOURCES: dict[str, DataSource] = {
    "sample": DataSource(_sample),
    "upload": DataSource(_upload, "upload", columns=True),
    "path": DataSource(_path, "path", columns=True, here_only=True),
    "hub": DataSource(_hub, "hub", columns=True),
    HAND: DataSource(_hand, HAND),
}
# (what is told, name) of data sets that have a name of their own.
HUB_CHOICES = [(f"{name}: {preset.about}", name) for name, preset in PRESETS.items()]


def require_rows(campaign: Campaign, access: Access) -> Rows:
    """Open the data; what is told of an uploaded file names it as its owner does.

    Raises:
        InputError: it cannot be read, or is too large for a shared host.
    """
    with without_folders(campaign):
        table = campaign.table()
        if campaign.mutants and not access.local:
            _require_few(table)
    if (
        on_hub(campaign.data)
        and not access.local
        and (table.count or PUBLIC_ROWS + 1) > PUBLIC_ROWS
    ):
        case = "unknown" if table.count is None else "larger"
        raise InputError(say(f"errors.shared_rows.{case}", most=PUBLIC_ROWS))
    return table


def _require_few(table: Rows) -> None:
    # There is no sample of handwritten mutants: these are to be tested, and no others.
    if sum(1 for _ in islice(table.rows(), PUBLIC_SAMPLE + 1)) > PUBLIC_SAMPLE:
        raise InputError(say("errors.shared_variants", most=PUBLIC_SAMPLE))


def look_at(campaign: Campaign, access: Access) -> Preview:
    """The data at a glance.

    Raises:
        InputError: see :func:`require_rows`.
    """
    remote = on_hub(campaign.data)
    if remote and not access.local:
        require_rows(campaign, access)
    with without_folders(campaign):
        return preview(campaign, rows=_ROWS, most=_MOST_OF_HUB if remote else MOST)


def without_folders(campaign: Campaign) -> AbstractContextManager[None]:
    """Errors that name the campaign's files without the folders they lie in on this machine."""
    files = [campaign.mutants, *campaign.dictionaries]
    if not on_hub(campaign.data) and campaign.data != SAMPLE:
        files.append(campaign.data)
    parents = [Path(file).parent for file in files if file]
    return discreet(lambda words: without_folder(words, *parents))
