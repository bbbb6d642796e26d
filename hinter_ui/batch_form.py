"""What a visitor asks for in the Batch tab, as one value; checked, and made into a campaign."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hinter_core.campaign import SAMPLE, Campaign
from hinter_core.errors import InputError, ModelError
from hinter_core.models.registry import BACKENDS
from hinter_core.rows import Rows
from hinter_ui.forms import DEFAULT_MODEL, DEFAULT_PARSER
from hinter_ui.models_access import Access
from hinter_ui.services import Session

MOST_MODELS = 8
PUBLIC_SAMPLE = 500  # texts of one campaign on a public host
PUBLIC_LIMIT = 100  # intersectional mutants of one text there
_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class Source:
    """A place that texts come from; ``data`` makes what a campaign calls its data."""

    label: str
    data: Callable[[BatchForm], str]
    here_only: bool = False  # reaches files of this machine


def _sample(_: BatchForm) -> str:
    return SAMPLE


def _upload(form: BatchForm) -> str:
    if not form.upload:
        raise InputError("Choose a file to upload: CSV, TSV, JSONL, Parquet or text, also .gz.")
    return form.upload


def _path(form: BatchForm) -> str:
    if not form.path:
        raise InputError("Type the path of a file on this machine.")
    return str(Path(form.path).expanduser().absolute())


# Another place is one line here and its field in ``batch_layout``.
SOURCES: dict[str, Source] = {
    "sample": Source("Sample texts", _sample),
    "upload": Source("Upload a file", _upload),
    "path": Source("A file on this machine", _path, here_only=True),
}


@dataclass(frozen=True)
class BatchForm:
    """The controls of the tab, in their order; numbers as typed, None where a field is empty."""

    source: str = "sample"
    upload: str = ""
    path: str = ""
    text_column: str = ""
    label_column: str = ""
    attributes: tuple[str, ...] = ("race", "gender")
    models: tuple[str, ...] = (DEFAULT_MODEL,)
    order: int = 2
    limit: Any = 20
    sample: Any = 20
    placebo: bool = True
    atomic: bool = True
    seed: Any = 0
    stratify: bool = False
    person_sense: bool = True
    repeat: Any = 0
    parser: str = DEFAULT_PARSER
    shard: Any = 4
    workers: Any = 1
    requests: Any = None
    budget: Any = None

    @classmethod
    def of(cls, *values: Any) -> BatchForm:
        """From the values of the controls, whatever a browser sent."""
        names = list(cls.__dataclass_fields__)
        given = dict(zip(names, values, strict=True))
        for name in ("source", "upload", "path", "text_column", "label_column", "parser"):
            given[name] = str(given[name] or "").strip()
        for name in ("attributes", "models"):
            parts = (str(part).strip() for part in given[name] or ())
            given[name] = tuple(dict.fromkeys(part for part in parts if part))
        for name in ("placebo", "atomic", "stratify", "person_sense"):
            given[name] = bool(given[name])
        return cls(**given)

    def with_data_of(self, access: Access) -> str:
        """What a campaign calls its data.

        Raises:
            InputError: nothing was chosen, or it may not be reached here.
        """
        source = SOURCES.get(self.source)
        if source is None or (source.here_only and not access.local):
            raise InputError("Choose where the texts come from.")
        return source.data(self)

    def data(self, access: Access) -> Campaign:
        """A campaign of the data alone, to look at it.

        Raises:
            InputError: see :meth:`with_data_of`.
        """
        own = self.source != "sample"
        return Campaign(
            data=self.with_data_of(access),
            text_column=self.text_column if own else "",
            label_column=self.label_column if own else "",
        )

    def campaign(self, access: Access, known: Mapping[str, Any]) -> Campaign:
        """The campaign; ``known`` are the attributes there are.

        Raises:
            InputError: a setting is missing or out of range; the message names it.
        """
        if not self.attributes or not set(self.attributes) <= set(known):
            raise InputError("Choose at least one attribute, and two to find intersections.")
        order = _whole(self.order, "The number of attributes changed at once", 1, 3)
        if order > len(self.attributes):
            raise InputError(
                f"Choose at least {order} attributes to change {order} of them at once, or change "
                "fewer."
            )
        if not self.models:
            raise InputError("No model chosen; choose at least one.")
        if len(self.models) > MOST_MODELS:
            raise InputError(f"Choose at most {MOST_MODELS} models.")
        campaign = replace(
            self.data(access),
            attributes=self.attributes,
            models=self.models,
            order=order,
            limit=_open(self.limit, "At most so many mutants of a text", 100_000),
            sample=_open(self.sample, "At most so many texts", 10_000_000),
            placebo=self.placebo,
            atomic=self.atomic,
            seed=_whole(self.seed, "The seed", 0, 2**31 - 1),
            stratify=self.stratify,
            literal=not self.person_sense,
            repeat=_whole(self.repeat or 0, "Asking again", 0, 100),
            parser=self._parser(access),
            shard=_whole(self.shard, "Texts in a unit of work", 1, 1_000),
            workers=_whole(self.workers or 1, "Workers", 1, 64),
            requests=_open(self.requests, "The number of requests", 100_000_000),
            budget=_money(self.budget),
        )
        if (campaign.requests or campaign.budget) and campaign.workers > 1:
            raise InputError("A budget is kept by one worker; set Workers to 1, or spend freely.")
        return campaign if access.local else _within_public_limits(campaign)

    def _parser(self, access: Access) -> str:
        parser = self.parser or DEFAULT_PARSER
        if not access.local and not _NAME.fullmatch(parser):
            raise InputError("Name a parser, such as embedded or en_core_web_sm.")
        return parser


def _within_public_limits(campaign: Campaign) -> Campaign:
    """Refuse what this host, which is shared, does not do for one visitor."""
    if campaign.sample is None or campaign.sample > PUBLIC_SAMPLE:
        raise InputError(f"This is a shared host: test at most {PUBLIC_SAMPLE} texts at a time.")
    if campaign.limit is None or campaign.limit > PUBLIC_LIMIT:
        raise InputError(
            f"This is a shared host: test at most {PUBLIC_LIMIT} intersectional mutants of a text."
        )
    if campaign.workers > 1:
        raise InputError("This is a shared host: leave Workers at 1.")
    return campaign


def admitted_keys(campaign: Campaign, access: Access, session: Session) -> dict[str, str]:
    """The visitor's keys that the campaign's models need, by server.

    Raises:
        ModelError: a model that is unknown, may not be named here, or wants a key first.
    """
    keys = {}
    for name in campaign.models:
        backend = BACKENDS.get(name.partition(":")[0])
        if backend is None or not backend.takes_key:
            access.admit(name)
            continue
        server = access.admit(name, "-").string("base_url")
        key = session.keys.get(server, "")
        if not key:
            raise ModelError(
                f"{name} needs a key: load it in the Models tab first. The key stays with your "
                "open page, so it has to be given again after the page was closed."
            )
        keys[server] = key
    return keys


def require_rows(campaign: Campaign) -> Rows:
    """Open the data; what is told of an uploaded file names it as its owner does.

    Raises:
        InputError: it cannot be read; without the folder that it lies in here.
    """
    try:
        return campaign.table()
    except InputError as error:
        raise InputError(without_folder(str(error), Path(campaign.data).parent)) from None


def without_folder(message: str, *folders: Path) -> str:
    """A message that names files without the folders they lie in on this machine."""
    for folder in sorted(map(str, folders), key=len, reverse=True):
        if folder not in (".", "/", ""):
            message = message.replace(f"{folder}/", "").replace(f"{folder}\\", "")
    return message


def _whole(value: Any, name: str, low: int, high: int) -> int:
    try:
        number = int(value)
        fits = number == float(value) and low <= number <= high
    except (TypeError, ValueError, OverflowError):
        fits, number = False, 0
    if not fits:
        raise InputError(f"{name}: type a whole number from {low} to {high:,}.")
    return number


def _open(value: Any, name: str, high: int) -> int | None:
    """A number that may be left out: empty is no bound. Not 0, which a field makes of 0.5."""
    return None if value in (None, "") else _whole(value, name, 1, high)


def _money(value: Any) -> float | None:
    if value in (None, "", 0):
        return None
    try:
        money = float(value)
    except (TypeError, ValueError):
        money = -1.0
    if not 0 < money < 1e9:
        raise InputError("The budget is an amount of money above zero; leave it out for none.")
    return money
