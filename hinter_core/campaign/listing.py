"""List the campaigns in a folder, from what their directories say of themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hinter_core.campaign.parquet import CURE
from hinter_core.campaign.progress import unanswered
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import SPEC, CampaignStore
from hinter_core.errors import HinterError, InputError

_DEEP = 3  # levels of folders that are looked into

RUNNING, COMPLETE, PARTIAL, DAMAGED = "running", "complete", "incomplete", "damaged"


@dataclass(frozen=True)
class CampaignSummary:
    """A campaign's directory.

    ``title``: short name of the data. ``texts``: of the data, None until known; ``done``: texts
    that all ``models`` answered. ``last_run``: when it last began, in ISO 8601, or "".
    ``unanswered``: mutants without a usable answer, over all models. ``fault``: what
    is damaged.
    """

    path: str
    state: str
    identity: str = ""
    title: str = ""
    data: str = ""
    attributes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    done: int = 0
    texts: int | None = None
    mutants: int = 0
    last_run: str = ""
    unanswered: int = 0
    fault: str = ""

    @property
    def state_in_words(self) -> str:
        """The state, with the number of mutants that have no usable answer."""
        return f"{self.state}, {self.unanswered:,} unanswered" if self.unanswered else self.state


def campaigns_in(folder: Path) -> Iterator[CampaignSummary]:
    """Yield the campaigns in a folder and the folders in it, sorted by path.

    Raises:
        InputError: there is no such folder.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; name one that holds campaigns.")
    for path in _directories(folder, _DEEP):
        try:
            yield _summary(CampaignStore(path))
        except HinterError as error:
            yield CampaignSummary(str(path), DAMAGED, fault=str(error))


def _directories(folder: Path, deep: int) -> Iterator[Path]:
    if (folder / SPEC).is_file():
        yield folder
        return
    try:
        inside = sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:  # not ours to read
        return
    for path in inside if deep else ():
        if not path.is_symlink() and not path.name.startswith("."):
            yield from _directories(path, deep - 1)


def _summary(store: CampaignStore) -> CampaignSummary:
    spec, campaign = store.read(), store.campaign()
    known = [model["identity"] for model in spec["models"].values()]
    with CampaignReader(store, ()) as reader:
        whole = [shard for shard in reader.shards if reader.written.has(shard, known)]
        ((mutants,),) = reader.run(
            f"SELECT coalesce(sum(mutants), 0)::BIGINT FROM ({reader.tables().texts})"
        )
        ((done,),) = reader.run(f"SELECT count(*) FROM ({reader.tables(whole).texts})")
    size, runs = spec.get("size", {}), spec.get("runs", [])
    running = store.running()
    unfit = set() if running else {path.name for path in store.unfit(ends=True)}
    complete = bool(known) and done == size.get("texts")
    state = RUNNING if running else DAMAGED if unfit else COMPLETE if complete else PARTIAL
    fault = f"{min(unfit)} is damaged or does not fit its shard{CURE}" if unfit else ""
    return CampaignSummary(
        str(store.folder),
        state,
        spec["identity"],
        campaign.title,
        campaign.source.name,
        campaign.attributes,
        tuple(spec["models"]),
        done,
        size.get("texts"),
        mutants,
        runs[-1]["started"] if runs else "",
        sum(reason.mutants for reason in unanswered(store)),
        fault,
    )
