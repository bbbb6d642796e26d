"""What a visitor asks for in the Batch tab, as one value; checked, and made into a campaign."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hinter_core.campaign.spec import CAMPAIGN_OPTIONS, Campaign, CampaignOption
from hinter_core.errors import DictionaryError, InputError, ModelError
from hinter_core.models.registry import BACKENDS
from hinter_core.terms.dictionary import load_file
from hinter_ui.batch.sources import HAND, PUBLIC_SAMPLE, SOURCES
from hinter_ui.shared.access import Access
from hinter_ui.shared.links import DEFAULT_MODEL
from hinter_ui.shared.session import Session

MOST_MODELS = 8
MOST_DICTIONARIES = 6
SEARCHED = 3  # from this order on a guide has something to search
PUBLIC_LIMIT = 100  # intersectional mutants of one text there
_NAME = re.compile(r"[\w.-]+")
# The fields that say what the data are; they come first in the form.
DATA = ("source", "upload", "path", "hub", "hand", "text_column", "label_column")
# The other fields: the settings of a campaign, without those of its data and those with one choice.
SETTINGS = {
    name: option
    for name, option in CAMPAIGN_OPTIONS.items()
    if option.part != "data" and len(option.choices) != 1
}
# What a new form holds, where it is not the setting's default.
_STARTS = {"sample": 20, "limit": 20, "shard": 4, "models": (DEFAULT_MODEL,),
           "requests": 0, "budget": 0}  # fmt: skip


def _defaults() -> dict[str, Any]:
    return {name: _STARTS.get(name, option.default) for name, option in SETTINGS.items()}


@dataclass(frozen=True)
class BatchForm:
    """The controls of the tab: where the data come from, and the ``settings`` as typed, by name."""

    source: str = "sample"
    upload: str = ""
    path: str = ""
    hub: str = ""
    hand: str = ""
    text_column: str = ""
    label_column: str = ""
    settings: Mapping[str, Any] = field(default_factory=_defaults)

    @classmethod
    def of_data(cls, *values: Any) -> BatchForm:
        """From the values of the controls that say what the data are, whatever a browser sent."""
        words: list[Any] = [str(value or "").strip() for value in values]
        return cls(**dict(zip(DATA, words, strict=True)))

    @classmethod
    def of(cls, *values: Any) -> BatchForm:
        """From the values of all controls."""
        data = cls.of_data(*values[: len(DATA)])
        return replace(data, settings=dict(zip(SETTINGS, values[len(DATA) :], strict=True)))

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
        chosen = {
            name: read_setting(option, self.settings[name])
            for name, option in SETTINGS.items()
            if not (self.by_hand and option.part == "mutants")
        }
        if not chosen["models"]:
            raise InputError("No model chosen; choose at least one.")
        if len(chosen["models"]) > MOST_MODELS:
            raise InputError(f"Choose at most {MOST_MODELS} models.")
        campaign = replace(self.data(access), **chosen)
        if not self.by_hand:
            campaign = _with_own_attributes(campaign, known)
            _require_guide(campaign, access)
        if not access.local and not _NAME.fullmatch(campaign.parser):
            raise InputError("Name a parser, such as embedded or en_core_web_sm.")
        require_one_worker(campaign)
        return campaign if access.local else self._within_public_limits(campaign)

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


def _with_own_attributes(campaign: Campaign, known: Mapping[str, Any]) -> Campaign:
    own = own_attributes(campaign.dictionaries, known)
    attributes = (*campaign.attributes, *own)
    if not set(campaign.attributes) <= set(known) or not attributes:
        raise InputError("Choose at least one attribute, and two to find intersections.")
    if campaign.order > len(attributes):
        raise InputError(
            f"Choose at least {campaign.order} attributes to change {campaign.order} of them at "
            "once, or change fewer."
        )
    return replace(campaign, attributes=attributes)


def _require_guide(campaign: Campaign, access: Access) -> None:
    if not campaign.guide:
        return
    if campaign.order < SEARCHED:
        raise InputError(
            "A guide searches mutants of three and more attributes changed at once: change "
            "three or four, or leave the guide out."
        )
    if campaign.limit is None:
        raise InputError(
            f"A guide needs a limit: fill in \u201c{SETTINGS['limit'].title}\u201d, which then "
            "counts for each number of attributes."
        )
    backend = BACKENDS.get(campaign.guide.partition(":")[0])
    if backend and backend.takes_key:
        raise ModelError(
            f"{campaign.guide} is no guide: a guide is asked a lot, so name a model that runs here."
        )
    access.admit(campaign.guide)


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


def read_setting(option: CampaignOption, value: Any) -> Any:
    """The value of a setting from its field; an empty field is the default.

    Raises:
        InputError: no number, or one out of range; the message names the field.
    """
    kind = option.type
    if kind is bool:
        return bool(value)
    if kind is tuple:
        names = [value] if isinstance(value, str) else value or ()
        return tuple(dict.fromkeys(name for name in (str(n).strip() for n in names) if name))
    if kind is str:
        return str(value or "").strip() or option.default
    # An empty field that is first seen in an accordion holds 0.
    if value in (None, "") or (value == 0 and option.default is None and option.advanced):
        return option.default
    bounded = option if option.low is not None else replace(option, low=0)
    try:
        number = kind(value)
        fits = number == float(value) and bounded.holds(number)
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        raise InputError(f"{option.title}: type {bounded.range}.")
    return number
