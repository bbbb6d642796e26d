"""Store a campaign as a directory of Parquet files, each written completely, then renamed.

``campaign.json`` holds the settings and their identity. A shard of texts has two tables, and one
more per model::

    shards/00012.texts.parquet         texts with their outcomes; written last
    shards/00012.mutants.parquet       mutants as edits, with the result of the invariant
    shards/00012.answers-HASH.parquet  answers to originals and mutants, verdicts, effects

A file that exists is complete, so no other state has to be kept consistent.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from hinter_core.campaign.parquet import (
    BROKEN,
    CURE,
    StoreError,
    checked_rows,
    count_rows,
    kind_of,
    named,
    read_table,
    rows_between,
)
from hinter_core.campaign.record import is_whole
from hinter_core.campaign.running import parts
from hinter_core.campaign.running.parts import RunPart
from hinter_core.campaign.settings import CAMPAIGN_OPTIONS, settings_before
from hinter_core.campaign.spec import IDENTITY_VERSION, READABLE, VERSION, Campaign, from_mapping
from hinter_core.data.hub import as_before, moved
from hinter_core.options import CampaignOption
from hinter_core.places import RemotePath
from hinter_core.storage import write_text

SPEC = "campaign.json"
_FIRST_IDENTITY = 2  # of directories that do not name a version
_AT_ONCE = 4
_SHORT = 60  # characters of a setting in an error
TESTED = "tested"  # outcomes in the table of texts
NOTHING = "nothing to test"
UNUSABLE = "unusable"


@dataclass(frozen=True)
class CampaignStore:
    """A campaign's directory; with a ``part``, what is run and noted is of that part alone.

    Tables that are ``repeated`` count as missing, and stay until the new ones replace them.
    """

    folder: Path
    part: RunPart | None = None
    repeated: frozenset[str] = frozenset()

    @property
    def shards(self) -> Path:
        """Folder of the tables."""
        return self.folder / "shards"

    def texts(self, shard: int) -> Path:
        """Path of the texts of a shard."""
        return self.shards / f"{shard:05}.texts.parquet"

    def mutants(self, shard: int) -> Path:
        """Path of the mutants of a shard."""
        return self.shards / f"{shard:05}.mutants.parquet"

    def answers(self, shard: int, model: str) -> Path:
        """Path of a model's answers, by its identity."""
        short = sha256(model.encode()).hexdigest()[:10]
        return self.shards / f"{shard:05}.answers-{short}.parquet"

    def journal(self, model: str) -> Path:
        """Path of the journal of a prioritised run with a model, by its identity."""
        return self.folder / "priority" / f"{sha256(model.encode()).hexdigest()[:10]}.jsonl"

    def written(self) -> Written:
        """Return the tables that are written; a place is asked once for all of them."""
        paths = {path.name: path for path in self.shards.glob("*.parquet")}
        return Written(self, {n: path for n, path in paths.items() if n not in self.repeated})

    def known(self) -> list[int]:
        """Return the shards whose texts and mutants are written, in order."""
        return self.written().shards

    def open(self, campaign: Campaign) -> None:
        """Create the directory, or continue one of the same identity.

        Raises:
            StoreError: the directory holds other files or another campaign.
        """
        if self.folder.is_file():
            raise StoreError(f"{self.folder} is a file; name a directory for the campaign.")
        with self._door() if self.part else nullcontext():  # parts create one campaign
            self._open(campaign)

    @contextmanager
    def _door(self) -> Iterator[None]:
        with named(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._entered(parts.door(self.folder)):
                yield

    @contextmanager
    def _entered(self, lock: AbstractContextManager[None]) -> Iterator[None]:
        from filelock import Timeout

        with ExitStack() as stack:
            with named(self.folder):
                try:
                    stack.enter_context(lock)
                except Timeout as error:
                    raise StoreError(
                        f"Another process runs the campaign in {self.folder}, or this part of it."
                    ) from error
            yield

    def _open(self, campaign: Campaign) -> None:
        campaign = self.pinned(campaign)
        if (self.folder / SPEC).exists():
            spec = self.read()
            version = spec.get("identity_version", _FIRST_IDENTITY)
            if spec["identity"] != campaign.identity(version):
                why = moved(spec["campaign"].get("data", ""), campaign.data)
                why = why or _differences(spec, campaign)
                raise StoreError(
                    f"{self.folder} holds another campaign ({why}); leave out what differs to "
                    "continue it, or name another directory."
                )
            if len(self.known()) != (spec.get("size") or {}).get("shards"):
                campaign.source.require_same_mutants(version, self.folder)
            self._note_all({"version": VERSION})  # new tables are of this version
            return
        here = self.folder.iterdir() if self.folder.is_dir() else ()
        if any(self.part is None or path.name != ".lock" for path in here):
            raise StoreError(f"{self.folder} is not empty and no campaign; name another directory.")
        spec = {"version": VERSION, "identity": campaign.identity(), "models": {}}
        spec |= {"identity_version": IDENTITY_VERSION, "campaign": asdict(campaign)}
        with named(self.folder):
            self.shards.mkdir(parents=True, exist_ok=True)
        self.write_spec(spec)

    def pinned(self, campaign: Campaign) -> Campaign:
        """Return the campaign with its data at a fixed commit: the stored one, if any.

        A directory goes on as it began, also in settings that came later.

        Raises:
            InputError: see :func:`hinter_core.data.hub.pin`.
        """
        if (self.folder / SPEC).exists():
            noted = self.read()["campaign"]
            now = {"data": as_before(campaign.data, noted.get("data", ""))} | settings_before(noted)
            campaign = replace(campaign, shard=campaign.shard or noted["shard"], **now)
        return campaign.pinned()

    def read(self) -> dict[str, Any]:
        """Return the specification.

        Raises:
            StoreError: no campaign, a damaged one, or one of another version.
        """
        return parts.together(self._spec(), self.folder)

    def _spec(self) -> dict[str, Any]:
        """Return the specification without the notes of parts."""
        path = self.folder / SPEC
        try:
            spec = json.loads(path.read_text(encoding="utf-8"))
            version = spec["version"]
        except (FileNotFoundError, NotADirectoryError) as error:
            raise StoreError(f"{self.folder} is no campaign; there is no {SPEC}.") from error
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise StoreError(f"{path} is damaged; restore it or start a new campaign.") from error
        if version not in READABLE:
            raise StoreError(
                f"{self.folder} was written by another version ({version}; this is {VERSION}); "
                "run the campaign again in a new directory."
            )
        if not is_whole(spec):
            raise StoreError(f"{path} is damaged; restore it or start a new campaign.")
        return dict(spec)

    def campaign(self) -> Campaign:
        """Return the campaign of the directory."""
        noted = self.read()["campaign"]
        return from_mapping(settings_before(noted) | noted, str(self.folder / SPEC), stored=True)

    def write_spec(self, spec: Mapping[str, Any]) -> None:
        """Write the specification atomically."""
        with named(self.folder):
            # In ASCII, as the name of a file may hold half a character.
            write_text(self.folder / SPEC, json.dumps(spec, indent=1))

    def note(self, **values: Any) -> None:
        """Add values to the specification; it is written only if it changes.

        ``size``: total ``texts`` and ``shards``. ``scope``: by attribute, the numbers of word pairs
        and target groups in its dictionary, so that a report does not need the dictionaries, which
        may change. ``priority``: see :class:`~hinter_core.campaign.record.PriorityState`.
        """
        with self._door() if self.part else nullcontext():
            self._note_all(values)

    def _note_all(self, values: Mapping[str, Any]) -> None:
        spec = self._spec()
        if {**spec, **values} != spec:
            self.write_spec({**spec, **values})

    def own_notes(self) -> dict[str, Any]:
        """Return the ``models`` (identity and labels by name) and ``runs`` of this part, or run."""
        if self.part is None:
            spec = self._spec()
            return {"models": spec["models"], "runs": spec.get("runs", [])}
        return parts.read_notes(self._part_notes) or {"models": {}, "runs": []}

    def note_own(self, **values: Any) -> None:
        """Change the ``models`` or the ``runs`` of this part, or of the whole campaign."""
        if self.part is None:
            self._note_all(values)
            return
        with named(self.folder):
            write_text(self._part_notes, json.dumps(self.own_notes() | values, indent=1))

    @property
    def _part_notes(self) -> Path:
        assert self.part is not None
        return self.folder / parts.FOLDER / f"{self.part.name}.json"

    def scope(self) -> dict[str, tuple[int, int]]:
        """Return the stored ``scope``; empty before the first run."""
        noted = self.read().get("scope", {})
        return {name: (pairs, groups) for name, (pairs, groups) in noted.items()}

    def alone(self) -> AbstractContextManager[None]:
        """Lock the directory for one run, or the part, and remove incomplete files of a killed one.

        Raises:
            StoreError: another process runs this campaign, or this part of it.
        """
        return self._entered(parts.locked(self.folder, self.part))

    def running(self) -> bool:
        """Whether a process runs the campaign, or a part of it."""
        return parts.running(self.folder)

    def owns(self, shard: int) -> bool:
        """Whether a shard belongs to this part, or this is no part."""
        return self.part is None or self.part.has(shard)

    def unfit(self, *, ends: bool = False) -> set[Path]:
        """Return the tables that are damaged or do not fit to those of their shard's texts.

        ``ends``: read the ends of the files alone, which shows those that were cut off.
        """
        written = self.written()

        def of_shard(shard: int) -> set[Path]:
            try:
                unfit = {path for path, _ in written.unfit(shard, ends=ends)}
            except StoreError:
                return written.of_shard[shard]
            return written.of_shard[shard] if written.mutants(shard) in unfit else unfit

        with ThreadPoolExecutor(_AT_ONCE) as threads:  # which a place answers at once
            return set().union(*threads.map(of_shard, filter(self.owns, written.shards)))

    def repair(self) -> int:
        """Delete tables that are unfit; the run makes them again. Of a place, ends are read."""
        unfit = self.unfit(ends=isinstance(self.folder, RemotePath))
        for path in unfit:
            path.unlink(missing_ok=True)
        return len(unfit)

    def verify(self) -> list[str]:
        """Return the faults: tables that are unreadable, missing or do not fit together."""
        models, written, faults = self.read()["models"], self.written(), list[str]()
        for shard, paths in sorted(written.of_shard.items()):
            if not paths & {written.texts(shard)}:
                # Mutants are written ahead; a shard that has nothing else has just begun.
                if any(kind_of(path) == "answers" for path in paths):
                    faults.append(f"{self.texts(shard).name} is missing")
                continue
            try:
                faults += [why for _, why in written.unfit(shard)]
            except StoreError as error:
                faults.append(str(error).removesuffix(CURE))
                continue
            for name, model in models.items():
                if not written.answers(shard, model["identity"]):
                    path = self.answers(shard, model["identity"])
                    faults.append(f"{path.name} of {name} is missing")
        return faults


def _differences(spec: Mapping[str, Any], campaign: Campaign) -> str:
    """Say in which settings that make the mutants a campaign differs from the stored one.

    A file that has only moved is no difference.
    """
    noted = spec["campaign"]
    then = from_mapping(settings_before(noted) | noted, SPEC, stored=True)
    files = {name: getattr(campaign, name) for name, o in CAMPAIGN_OPTIONS.items() if o.file}
    here = replace(then, **files)
    if here.identity(spec.get("identity_version", _FIRST_IDENTITY)) == spec["identity"]:
        then = here
    changed = [
        f"{name}: {_short(getattr(then, name), option)} there, "
        f"{_short(getattr(campaign, name), option)} here"
        for name, option in CAMPAIGN_OPTIONS.items()
        if option.identity and getattr(then, name) != getattr(campaign, name)
    ]
    return "; ".join(changed) or "other data, word lists or parser, with the same settings"


def _short(value: Any, option: CampaignOption) -> str:
    if value in (None, "", ()):
        return "none"
    words = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    if len(words) <= _SHORT:
        return words
    return f"\u2026{words[-_SHORT:]}" if option.file else f"{words[:_SHORT]}\u2026"


@dataclass(frozen=True)
class Written:
    """The tables that were written when one looked, by name; paths as the listing gave them."""

    store: CampaignStore
    paths: Mapping[str, Path]

    @cached_property
    def shards(self) -> list[int]:
        """The shards whose texts and mutants are written, in order."""
        end = ".texts.parquet"
        return sorted(int(name.removesuffix(end)) for name in self.paths if name.endswith(end))

    @cached_property
    def of_shard(self) -> dict[int, set[Path]]:
        """All tables of each shard, also of those whose texts are not written."""
        found = defaultdict[int, set[Path]](set)
        for name, path in self.paths.items():
            found[int(name.partition(".")[0])].add(path)
        return found

    def unfit(self, shard: int, *, ends: bool = False) -> Iterator[tuple[Path, str]]:
        """Yield the tables of mutants and answers that do not fit the texts of a shard, and why.

        Raises:
            StoreError: the table of texts is damaged; with ``ends``, only as far as it is read.
        """
        texts = self.texts(shard)
        outcomes = read_table(texts, "mutants", "outcome")
        if not ends:
            checked_rows(texts)
        made = sum(outcomes["mutants"].to_pylist())
        both = made + outcomes["outcome"].to_pylist().count(TESTED)
        answers = dict.fromkeys(self.of_shard[shard] - {texts}, both)
        for path, number in (answers | {self.mutants(shard): made}).items():
            if (rows := count_rows(path, ends=ends)) is None:
                yield path, f"{path} {BROKEN}".removesuffix(CURE)
            elif rows != number:
                yield path, f"{path.name} has {rows} rows, not {number}"
            elif why := self.misplaced(shard, path):
                yield path, why

    def misplaced(self, shard: int, path: Path, rows: tuple[int, int] | None = None) -> str:
        """Say that a table is of other texts than its shard, which it was copied to; "" if not.

        ``rows``: its first and last row number, if known.

        Raises:
            StoreError: a table is missing or damaged.
        """
        texts, rows = rows_between(self.texts(shard)), rows or rows_between(path)
        if texts is None or rows is None or texts[0] <= rows[0] <= rows[1] <= texts[1]:
            return ""
        return (
            f"{path.name} is of the texts {rows[0]} to {rows[1]}, which do not fit its shard "
            f"({texts[0]} to {texts[1]})"
        )

    def require_placed(self, shard: int, path: Path, rows: tuple[int, int] | None = None) -> None:
        """Refuse a table that is of other texts than its shard (see :meth:`misplaced`).

        Raises:
            StoreError: a table is missing, damaged or of another shard.
        """
        if why := self.misplaced(shard, path, rows):
            raise StoreError(f"{why}{CURE}")

    def texts(self, shard: int) -> Path:
        """Path of the texts of a shard."""
        return self._listed(self.store.texts(shard))

    def mutants(self, shard: int) -> Path:
        """Path of the mutants of a shard."""
        return self._listed(self.store.mutants(shard))

    def answers(self, shard: int, model: str) -> Path | None:
        """Path of a model's answers, by its identity; None if there are none."""
        return self.paths.get(self.store.answers(shard, model).name)

    def has(self, shard: int, models: Iterable[str]) -> bool:
        """Whether the answers of these models, by identity, are there."""
        return all(self.answers(shard, model) for model in models)

    def _listed(self, path: Path) -> Path:
        return self.paths.get(path.name, path)
