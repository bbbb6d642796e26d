"""The form of a new campaign: where its texts come from, its settings, and their checks."""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, Self, cast

from hinter_core.campaign.preview import MOST, Preview, preview
from hinter_core.campaign.settings import CAMPAIGN_OPTIONS, SAMPLE
from hinter_core.campaign.spec import Campaign
from hinter_core.data.hub import PREFIX, PRESETS, on_hub, read_hub_name
from hinter_core.data.rows import Rows
from hinter_core.errors import InputError, ModelError
from hinter_core.generators.grammars.reading import load_grammar, shipped_grammars
from hinter_core.generators.grammars.sampling import Sentences
from hinter_core.generators.templates.template import ATTRIBUTES
from hinter_core.models.registry import kind_of
from hinter_core.relations.registry import relation_names
from hinter_ui.html.wording import Words, translated
from hinter_ui.shared.access import MOST_DICTIONARIES, Access
from hinter_ui.shared.library import discreet, without_folder
from hinter_ui.shared.links import DEFAULT_MODEL, read_field
from hinter_ui.shared.session import Session

say = Words("batch")

MOST_MODELS = 8
SEARCHED = 3  # from this order on a guide has something to search
_SENTENCES = CAMPAIGN_OPTIONS["sentences"].default
PUBLIC_SAMPLE = 500  # texts of one campaign on a public host
PUBLIC_LIMIT = 100  # intersectional mutants of one text there
PUBLIC_ROWS = 100_000  # rows of a data set of the Hub there
_MOST_OF_HUB = 200  # rows looked at: each comes over the network
_ROWS = 12  # asked for, so that some usable ones are among them
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def hub_choices() -> list[tuple[str, str]]:
    """Return (words, name) of every data set of the Hub that is offered."""
    return [(translated(f"{name}: {preset.about}"), name) for name, preset in PRESETS.items()]


@dataclass(frozen=True)
class DataSource:
    """A place that texts come from; but for the sample, a field of its name says which.

    ``setting``: that of the campaign which names it. ``columns``: its columns can be chosen;
    ``here_only``: it reaches files of this machine. ``applies``: the settings of mutants that
    apply (None: all).
    """

    setting: str = "data"
    columns: bool = False
    here_only: bool = False
    applies: frozenset[str] | None = None


HANDWRITTEN, TEMPLATES, GRAMMAR = "hand", "templates", "grammar"
# Attributes of templates and grammars have a field of their own; so has the number of sentences.
_OF_GRAMMARS = frozenset({"limit", "atomic", "placebo"})
_OF_TEMPLATES = _OF_GRAMMARS | {"sample", "stratify", "names_per_class"}
SOURCES = {
    "sample": DataSource(),
    "upload": DataSource(columns=True),
    "path": DataSource(columns=True, here_only=True),
    "hub": DataSource(columns=True),
    HANDWRITTEN: DataSource("mutants", applies=frozenset()),
    TEMPLATES: DataSource("templates", applies=_OF_TEMPLATES),
    GRAMMAR: DataSource("grammar", applies=_OF_GRAMMARS),
}
COLUMNS = ("text_column", "label_column", "id_column")
# The settings that the look at the data depends on, too.
LOOKED_AT = ("sample", "attributes", "order", "relations", "dictionaries", "origin_names")
# Visitors' texts go to the models under test and to no other server.
_COMMAND_LINE_ALONE = "paraphraser"
# The other fields: the settings of a campaign, without those of its data and those with one choice.
SETTINGS = {
    name: option
    for name, option in CAMPAIGN_OPTIONS.items()
    if option.part != "data" and len(option.choices) != 1 and name != _COMMAND_LINE_ALONE
}
FILES = ("upload", HANDWRITTEN, TEMPLATES, "mining_log", "names", "own_grammar", "dictionaries")
# What a new form holds, where it is not the setting's default.
_STARTS = {"sample": 20, "limit": 20, "models": (DEFAULT_MODEL,),
           "requests": 0, "budget": 0}  # fmt: skip


def _defaults() -> dict[str, Any]:
    return {name: _STARTS.get(name, option.default) for name, option in SETTINGS.items()}


@dataclass(frozen=True)
class BatchForm:
    """The values of the form: where the data come from, and the ``settings`` as typed, by name.

    ``mining_log``: the log beside a file of templates. ``classes``: their attributes to test.
    ``names``: a file of names that fill them.
    ``grammar``: the name of one that comes with HInter; ``own_grammar``: a file that is used in its
    place. ``tested``: attributes of the grammar.
    """

    source: str = "sample"
    upload: str = ""
    path: str = ""
    hub: str = ""
    hand: str = ""
    templates: str = ""
    mining_log: str = ""
    classes: tuple[str, ...] = ATTRIBUTES
    names: str = ""
    grammar: str = ""
    own_grammar: str = ""
    tested: tuple[str, ...] = ()
    text_column: str = ""
    label_column: str = ""
    id_column: str = ""
    settings: Mapping[str, Any] = field(default_factory=_defaults)

    @classmethod
    def of_data(cls, *values: Any) -> Self:
        """Read the controls that say what the data are, whatever a browser sent."""
        given = dict(zip(DATA, values, strict=True))
        classes, tested = (
            tuple(str(name) for name in given.pop(several) or ())
            for several in ("classes", "tested")
        )
        words: dict[str, Any] = {name: str(one or "").strip() for name, one in given.items()}
        return cls(**words, classes=classes, tested=tested)

    @classmethod
    def of_look(cls, *values: Any) -> Self:
        """Read these, after the controls of ``LOOKED_AT``."""
        form = cls.of_data(*values[len(LOOKED_AT) :])
        looked_at = dict(zip(LOOKED_AT, values[: len(LOOKED_AT)], strict=True))
        return replace(form, settings={**form.settings, **looked_at})

    @classmethod
    def of(cls, *values: Any) -> Self:
        """Read all controls."""
        data = cls.of_data(*values[: len(DATA)])
        return replace(data, settings=dict(zip(SETTINGS, values[len(DATA) :], strict=True)))

    @classmethod
    def kept(cls, kept: Any, access: Access) -> Self | None:
        """Read what a browser kept of the form, without its files; None if it kept nothing."""
        if not isinstance(kept, dict) or not kept:
            return None
        given = {**kept, **dict.fromkeys(FILES)}
        source = SOURCES.get(str(given.get("source")))
        if source is None or (source.here_only and not access.local):
            given["source"] = "sample"
        settings = _defaults()
        for name in SETTINGS.keys() & given.keys():
            with suppress(InputError):
                read_field(SETTINGS[name], given[name])
                settings[name] = given[name]
        return replace(cls.of_data(*(given.get(name) for name in DATA)), settings=settings)

    @property
    def sample(self) -> int | None:
        """The number of texts to draw; None: all, or no number."""
        try:
            return cast("int | None", read_field(SETTINGS["sample"], self.settings["sample"]))
        except InputError:
            return None

    @property
    def handwritten(self) -> bool:
        """Whether mutants are given and none are made."""
        return self.source == HANDWRITTEN

    @property
    def from_texts(self) -> bool:
        """Whether mutants are made of texts, not of templates, of a grammar or by hand."""
        source = SOURCES.get(self.source)
        return source is not None and source.setting == "data"

    @property
    def given(self) -> str:
        """The file, path or name of the source; the sample needs none."""
        if self.source == GRAMMAR and self.own_grammar:
            return self.own_grammar
        return str(getattr(self, self.source)) if self.source in SOURCES.keys() - {"sample"} else ""

    def data(self, access: Access) -> Campaign:
        """Return a campaign of the data alone.

        Raises:
            InputError: nothing was chosen, or it may not be reached here.
        """
        source, given = SOURCES.get(self.source), self.given
        if source is None or (source.here_only and not access.local):
            raise InputError(say("errors.no_source"))
        if self.source == "sample":
            return Campaign(data=SAMPLE)
        if not given:
            button = say("widgets.job-export.value")
            raise InputError(say(f"errors.no_{self.source}", button=button))
        more: dict[str, Any] = {}
        if source.columns:
            more = {name: getattr(self, name) for name in COLUMNS}
        if self.source == TEMPLATES:
            more = {"names": self.names}
        elif self.source == GRAMMAR:
            if not self.own_grammar and given not in shipped_grammars():
                raise InputError(say("errors.no_grammar"))
            given, more = access.admit_grammar(given), {"sentences": 1}
        elif self.source == "path":
            given = str(Path(given).expanduser().absolute())
        elif self.source == "hub":
            given = _of_hub(given, access)
        return Campaign(**more | {source.setting: given})

    def campaign(self, access: Access, known: Mapping[str, Any]) -> Campaign:
        """Return the campaign; ``known`` are the attributes that come with HInter.

        Raises:
            HinterError: a setting is missing or out of range; the message names it.
        """
        chosen = {
            name: read_field(option, self.settings[name])
            for name, option in SETTINGS.items()
            if option.part != "mutants" or self._applies(name)
        }
        if not 0 < len(chosen["models"]) <= MOST_MODELS:
            raise InputError(say("errors.models", most=MOST_MODELS))
        of_source = {TEMPLATES: ("classes", self.classes), GRAMMAR: ("tested", self.tested)}
        if self.source in of_source:
            which, attributes = of_source[self.source]
            if not attributes:
                raise InputError(say(f"errors.{which}"))
            chosen |= {"attributes": attributes, "order": min(2, len(attributes))}
        campaign = replace(self.data(access), **chosen)
        if self.source == GRAMMAR:
            most = read_field(SETTINGS["sample"], self.settings["sample"])
            campaign = _of_grammar(campaign, most)
        if self.from_texts:
            campaign = _with_own_attributes(campaign, known, access)
            _require_guide(campaign, access)
        relation_names(campaign.relations)
        access.admit_parser(campaign.parser)
        if not access.local:
            self._require_public_limits(campaign)
        return campaign

    def _applies(self, name: str) -> bool:
        source = SOURCES.get(self.source)
        return source is None or source.applies is None or name in source.applies

    def _require_public_limits(self, campaign: Campaign) -> None:
        """Refuse what this host, which is shared, does not do for one visitor."""
        limit = campaign.limit
        if campaign.workers > 1:
            raise InputError(say("errors.shared_workers"))
        if self.handwritten:
            return  # its rows are counted when they are read
        texts = campaign.sentences if campaign.grammar else campaign.sample
        if texts is None or texts > PUBLIC_SAMPLE:
            raise InputError(say("errors.shared_sample", most=PUBLIC_SAMPLE))
        if limit is None or limit > PUBLIC_LIMIT:
            raise InputError(say("errors.shared_limit", most=PUBLIC_LIMIT))


# The fields that say what the data are; they come first in the form.
*DATA, _ = (one.name for one in fields(BatchForm))


def _of_grammar(campaign: Campaign, most: int | None) -> Campaign:
    """Cap the sample at the number of the grammar's sentences, and choose a model of its task."""
    with without_folders(campaign):
        campaign.source.require_sound()
        there = Sentences(load_grammar(campaign.grammar)).count
        return replace(campaign.pinned(), sentences=min(most or _SENTENCES, there))


def _of_hub(given: str, access: Access) -> str:
    data = given if on_hub(given) else f"{PREFIX}{given}"
    name = read_hub_name(data)
    # A folder of that name on this machine would be read in its place; the words are the same
    # whether there is one or not.
    plain = access.local or (_HUB_NAME.fullmatch(name.repo) and ".." not in name.repo)
    if not plain or Path(name.repo).exists():
        raise InputError(say("errors.hub_name", name=given))
    return data


def _with_own_attributes(campaign: Campaign, known: Mapping[str, Any], access: Access) -> Campaign:
    added = own_attributes(campaign.dictionaries, known, access)
    attributes = (*campaign.attributes, *added)
    if not set(campaign.attributes) <= set(known) or not attributes:
        raise InputError(say("errors.attributes"))
    if campaign.order > len(attributes):
        raise InputError(say("errors.order", order=campaign.order))
    return replace(campaign, attributes=attributes)


def _require_guide(campaign: Campaign, access: Access) -> None:
    if not campaign.guide:
        return
    if campaign.order < SEARCHED:
        raise InputError(say("errors.guide_order"))
    if campaign.limit is None:
        raise InputError(say("errors.guide_limit", field=translated(SETTINGS["limit"].title)))
    if kind_of(campaign.guide).takes_key:
        raise ModelError(say("errors.guide", name=campaign.guide))
    access.admit(campaign.guide)


def own_attributes(
    files: Sequence[str], known: Mapping[str, Any], access: Access
) -> tuple[str, ...]:
    """Read a visitor's dictionaries and return their attributes, one a file.

    Raises:
        HinterError: too many files, a fault in one, told without its folder, or a name twice.
    """
    if len(files) > MOST_DICTIONARIES:
        raise InputError(say("errors.dictionaries", most=MOST_DICTIONARIES))
    names: list[str] = []
    for path in map(Path, files):
        name = access.read_dictionary(path).attribute
        if name in known or name in names:
            raise InputError(say("errors.dictionary_name", name=name, file=path.name))
        names.append(name)
    return tuple(names)


def admitted_keys(models: Sequence[str], access: Access, session: Session) -> dict[str, str]:
    """Return the visitor's keys that these models need, by server.

    Raises:
        ModelError: a model that is unknown, may not be named here, or needs a key first.
    """
    keys = {}
    for name in models:
        asked = access.by_key(name)
        if asked is None:
            access.admit(name)
            continue
        server = asked.settings["base_url"]
        keys[server] = session.keys.get(server, "")
        if not keys[server]:
            raise ModelError(say("errors.key", name=name))
    return keys


def require_rows(campaign: Campaign, access: Access) -> Rows:
    """Open the data of a campaign.

    Raises:
        InputError: it cannot be read, or is too large for a shared host.
    """
    with without_folders(campaign):
        table = campaign.table()
        # There is no sample of mutants by hand: these are to be tested, and no others.
        few = islice(table.rows(), PUBLIC_SAMPLE + 1) if campaign.mutants else ()
        if not access.local and sum(1 for _ in few) > PUBLIC_SAMPLE:
            raise InputError(say("errors.shared_variants", most=PUBLIC_SAMPLE))
        _require_a_text(table)
    too_large = (table.count or PUBLIC_ROWS + 1) > PUBLIC_ROWS
    if on_hub(campaign.data) and not access.local and too_large:
        case = "unknown" if table.count is None else "larger"
        raise InputError(say(f"errors.shared_rows.{case}", most=PUBLIC_ROWS))
    return table


def _require_a_text(table: Rows) -> None:
    """Refuse data if all rows of the preview are unusable."""
    first, number = None, 0
    for row in islice(table.rows(), MOST):
        if not row.fault:
            return
        first, number = first or row, number + 1
    if first is not None and number < MOST:
        why = translated(first.fault)
        raise InputError(say("errors.no_text", n=number, row=first.number, reason=why))


def look_at(campaign: Campaign, access: Access) -> Preview:
    """Read the first rows of the data; raises like :func:`require_rows`."""
    remote = on_hub(campaign.data)
    if remote and not access.local:
        require_rows(campaign, access)
    with without_folders(campaign):
        if campaign.grammar:
            campaign.source.require_sound()
            grammar = load_grammar(campaign.grammar)
            few = min(_ROWS, Sentences(grammar).count)
            return preview(replace(campaign, sentences=few), rows=_ROWS, most=few)
        return preview(campaign, rows=_ROWS, most=_MOST_OF_HUB if remote else MOST)


def without_folders(campaign: Campaign) -> AbstractContextManager[None]:
    """Name the campaign's files in errors without the folders they lie in on this machine."""
    parents = [Path(file).parent for file in campaign.files()]
    return discreet(lambda words: without_folder(words, *parents))
