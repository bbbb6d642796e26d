"""What a visitor asks for in the Batch tab, as one value; checked, and made into a campaign."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hinter_core.campaign.spec import Campaign
from hinter_core.errors import DictionaryError, InputError, ModelError
from hinter_core.models.registry import BACKENDS
from hinter_core.terms.dictionary import load_file
from hinter_ui.batch.sources import HAND, PUBLIC_SAMPLE, SOURCES
from hinter_ui.shared.access import Access
from hinter_ui.shared.links import DEFAULT_MODEL, DEFAULT_PARSER
from hinter_ui.shared.session import Session

MOST_MODELS = 8
MOST_DICTIONARIES = 6
HIGHEST = 4  # attributes changed at once
SEARCHED = 3  # from this order on a guide has something to search
PUBLIC_LIMIT = 100  # intersectional mutants of one text there
_NAME = re.compile(r"[\w.-]+")
# The fields that say what the data are; they come first in the form.
DATA = ("source", "upload", "path", "hub", "hand", "text_column", "label_column")
_WORDS = (*DATA, "guide", "parser")
_LISTS = ("attributes", "models", "dictionaries")
_SWITCHES = ("placebo", "atomic", "stratify", "person_sense", "discarded")


@dataclass(frozen=True)
class BatchForm:
    """The controls of the tab, in their order; numbers as typed, None where a field is empty."""

    source: str = "sample"
    upload: str = ""
    path: str = ""
    hub: str = ""
    hand: str = ""
    text_column: str = ""
    label_column: str = ""
    attributes: tuple[str, ...] = ("race", "gender")
    models: tuple[str, ...] = (DEFAULT_MODEL,)
    order: int = 2
    limit: Any = 20
    sample: Any = 20
    dictionaries: tuple[str, ...] = ()
    guide: str = ""
    placebo: bool = True
    atomic: bool = True
    discarded: bool = False
    seed: Any = 0
    stratify: bool = False
    person_sense: bool = True
    repeat: Any = 0
    parser: str = DEFAULT_PARSER
    shard: Any = 4
    workers: Any = 1
    requests: Any = 0
    budget: Any = 0

    @classmethod
    def of(cls, *values: Any) -> BatchForm:
        """From the values of the controls, whatever a browser sent."""
        names = list(cls.__dataclass_fields__)
        given = dict(zip(names, values, strict=True))
        for name in _WORDS:
            given[name] = str(given[name] or "").strip()
        for name in _LISTS:
            value = given[name]
            parts = (
                str(part).strip() for part in ([value] if isinstance(value, str) else value or ())
            )
            given[name] = tuple(dict.fromkeys(part for part in parts if part))
        for name in _SWITCHES:
            given[name] = bool(given[name])
        return cls(**given)

    @property
    def by_hand(self) -> bool:
        """Whether mutants are given and none are made."""
        return self.source == HAND

    def data(self, access: Access) -> Campaign:
        """A campaign of the data alone, to look at it.

        Raises:
            InputError: nothing was chosen, or it may not be reached here.
        """
        source = SOURCES.get(self.source)
        if source is None or (source.here_only and not access.local):
            raise InputError("Choose where the texts come from.")
        return replace(
            source.campaign(getattr(self, source.field) if source.field else "", access),
            text_column=self.text_column if source.columns else "",
            label_column=self.label_column if source.columns else "",
        )

    def campaign(self, access: Access, known: Mapping[str, Any]) -> Campaign:
        """The campaign; ``known`` are the attributes that come with HInter.

        Raises:
            HinterError: a setting is missing or out of range; the message names it.
        """
        if not self.models:
            raise InputError("No model chosen; choose at least one.")
        if len(self.models) > MOST_MODELS:
            raise InputError(f"Choose at most {MOST_MODELS} models.")
        base = self.data(access)
        if not self.by_hand:
            base = self._with_mutants(base, access, known)
        campaign = replace(
            base,
            models=self.models,
            seed=_whole(self.seed, "The seed", 0, 2**31 - 1),
            repeat=_whole(self.repeat or 0, "Asking again", 0, 100),
            parser=self._parser(access),
            shard=_whole(self.shard, "Texts in a unit of work", 1, 1_000),
            workers=_whole(self.workers or 1, "Workers", 1, 64),
            requests=requests_of(self.requests),
            budget=money_of(self.budget),
            discarded=self.discarded,
        )
        require_one_worker(campaign)
        return campaign if access.local else self._within_public_limits(campaign)

    def _with_mutants(self, base: Campaign, access: Access, known: Mapping[str, Any]) -> Campaign:
        """With the settings that say which mutants are made."""
        own = own_attributes(self.dictionaries, known)
        if not set(self.attributes) <= set(known) or not (self.attributes or own):
            raise InputError("Choose at least one attribute, and two to find intersections.")
        order = _whole(self.order, "The number of attributes changed at once", 1, HIGHEST)
        if order > len(self.attributes) + len(own):
            raise InputError(
                f"Choose at least {order} attributes to change {order} of them at once, or change "
                "fewer."
            )
        limit = _open(self.limit, "At most so many mutants of a text", 100_000)
        return replace(
            base,
            attributes=(*self.attributes, *own),
            dictionaries=self.dictionaries,
            sample=_open(self.sample, "At most so many texts", 10_000_000),
            stratify=self.stratify,
            order=order,
            limit=limit,
            guide=self._guide(access, order, limit),
            placebo=self.placebo,
            atomic=self.atomic,
            literal=not self.person_sense,
        )

    def _guide(self, access: Access, order: int, limit: int | None) -> str:
        if not self.guide:
            return ""
        if order < SEARCHED:
            raise InputError(
                "A guide searches mutants of three and more attributes changed at once: change "
                "three or four, or leave the guide out."
            )
        if limit is None:
            raise InputError(
                "A guide needs a limit: fill in \u201cAt most so many mutants of a text\u201d, "
                "which then counts for each number of attributes."
            )
        backend = BACKENDS.get(self.guide.partition(":")[0])
        if backend and backend.takes_key:
            raise ModelError(
                f"{self.guide} is no guide: a guide is asked a lot, so name a model that runs here."
            )
        access.admit(self.guide)
        return self.guide

    def _parser(self, access: Access) -> str:
        parser = self.parser or DEFAULT_PARSER
        if not access.local and not _NAME.fullmatch(parser):
            raise InputError("Name a parser, such as embedded or en_core_web_sm.")
        return parser

    def _within_public_limits(self, campaign: Campaign) -> Campaign:
        """Refuse what this host, which is shared, does not do for one visitor."""
        here, limit = "This is a shared host:", campaign.limit
        if campaign.workers > 1:
            raise InputError(f"{here} leave Workers at 1.")
        if self.by_hand:
            return campaign  # its rows are counted when they are read
        if campaign.sample is None or campaign.sample > PUBLIC_SAMPLE:
            raise InputError(f"{here} test at most {PUBLIC_SAMPLE} texts at a time.")
        if limit is None or limit > PUBLIC_LIMIT:
            raise InputError(
                f"{here} test at most {PUBLIC_LIMIT} intersectional mutants of a text."
            )
        return campaign


def own_attributes(files: Sequence[str], known: Mapping[str, Any]) -> tuple[str, ...]:
    """The attributes of a visitor's dictionaries, one a file, after each was read.

    Raises:
        HinterError: a fault in a file, told without the folder it lies in here; a name twice.
    """
    if len(files) > MOST_DICTIONARIES:
        raise InputError(f"Add at most {MOST_DICTIONARIES} dictionaries.")
    names: list[str] = []
    for file in files:
        path = Path(file)
        try:
            name = load_file(path).attribute
        except DictionaryError as error:
            raise DictionaryError(str(error).replace(str(path), path.name)) from error
        if name in known or name in names:
            raise InputError(
                f"There is an attribute \u201c{name}\u201d already; give the file {path.name} "
                "another name, which becomes the attribute\u2019s."
            )
        names.append(name)
    return tuple(names)


def require_one_worker(campaign: Campaign) -> None:
    """Refuse a budget that several processes would have to keep together.

    Raises:
        InputError: there is one, and more than one worker.
    """
    if (campaign.requests or campaign.budget) and campaign.workers > 1:
        raise InputError("A budget is kept by one worker; set Workers to 1, or spend freely.")


def admitted_keys(models: Sequence[str], access: Access, session: Session) -> dict[str, str]:
    """The visitor's keys that these models need, by server.

    Raises:
        ModelError: a model that is unknown, may not be named here, or wants a key first.
    """
    keys = {}
    for name in models:
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


def requests_of(value: Any) -> int | None:
    """The most requests, as typed; None for no bound, which 0 stands for.

    Raises:
        InputError: no whole number.
    """
    # An empty field that is first seen in an accordion holds 0.
    return _open(value or None, "The number of requests", 100_000_000)


def money_of(value: Any) -> float | None:
    """The budget, as typed; None for no bound.

    Raises:
        InputError: no amount above zero.
    """
    if value in (None, "", 0):
        return None
    try:
        money = float(value)
    except (TypeError, ValueError):
        money = -1.0
    if not 0 < money < 1e9:
        raise InputError("The budget is an amount of money above zero; leave it out for none.")
    return money
