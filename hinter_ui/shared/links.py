"""The form of Explore as one value, and as a link."""

from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode

from hinter_core.campaign.settings import CAMPAIGN_OPTIONS
from hinter_core.campaign.spec import Campaign
from hinter_core.errors import InputError
from hinter_core.language.clean import whole
from hinter_core.models.registry import kind_of
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import EVEN_HANDED, SETTINGS, Settings
from hinter_core.options import ALWAYS, CampaignOption, Option
from hinter_core.relations.family import of_attribute
from hinter_core.relations.registry import RELATIONS, relation_names
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import SUBSTITUTE, Edit
from hinter_ui.html.wording import Words, translated
from hinter_ui.shared.templates import details_of, sentence_details, slotted_plan, template_of

say = Words("shared")

DEFAULT_MODEL = "embedded"
DEFAULT_PARSER = "embedded"
PARSERS = [DEFAULT_PARSER, "en_core_web_sm", "en_core_web_trf"]  # offered; others may be typed
_DIGITS = 12  # of a number in a link
LINK_LIMIT = 8_000  # characters; longer addresses are refused by servers and chats
SEPARATOR = "|"
HIGHEST = 3  # changes that Explore shows at once


@dataclass(frozen=True)
class ExploreForm(Settings):
    """The settings of a check, and the other values of Explore's controls.

    ``edits`` are keys of :func:`edit_key`. ``requests``: asked of a visitor's own API at most; 0:
    no limit. ``template``: how a text with slots is filled (:func:`details_of`,
    :func:`sentence_details`). ``threshold``: score that a label is answered from;
    0: the model's own.
    """

    limit: int | None = 500
    text: str = ""
    attributes: tuple[str, ...] = ("race", "gender")
    models: tuple[str, ...] = (DEFAULT_MODEL,)
    parser: str = DEFAULT_PARSER
    requests: int = 0
    edits: tuple[str, ...] = ()
    template: str = ""
    threshold: float = 0.0

    @classmethod
    def of(cls, *values: Any) -> Self:
        """Read the controls, whatever a browser sent: four, and those of ``FIELDS``.

        Raises:
            InputError: a number is missing or out of range.
        """
        text, attributes, models, parser, *others = values
        text = whole(text)
        read = {
            name: read_field(option, value)
            for (name, option), value in zip(FIELDS.items(), others, strict=False)
        }
        return cls(
            text=str(text or ""),
            attributes=tuple(str(a) for a in attributes or ()),
            models=tuple(dict.fromkeys(str(m).strip() for m in models or () if str(m).strip())),
            parser=str(parser or "").strip() or DEFAULT_PARSER,
            **read | {"relations": relation_names(read["relations"])},
        )

    @property
    def settings(self) -> Settings:
        """The pipeline's settings; only models that answer in words are asked again."""
        repeat = self.repeat if any(kind_of(name).generative for name in self.models) else 0
        return replace(super().settings, repeat=repeat)

    @property
    def source(self) -> Self:
        """The form without what chooses among its variants, and how their scores are read."""
        return replace(self, edits=(), limit=0, requests=0, threshold=0.0)

    def for_edits(self, edits: tuple[str, ...]) -> Self:
        """Return the form with other edits, and the order that fits them."""
        return replace(self, edits=edits, order=max(2, min(HIGHEST, len(edits))))

    def query(self, limit: int | None = LINK_LIMIT) -> str:
        """Return the query string that reopens this form; empty if it is too long."""
        always = {
            "text": self.text,
            "attributes": ",".join(self.attributes),
            "models": "\n".join(self.models),
        }
        optional = {
            "edits": "\n".join(self.edits),
            **{
                _IN_LINKS.get(name, name): _written(value)
                for name, option in LINKED.items()
                if (value := getattr(self, name)) != _unsaid(option, ())
                or (name == _VALIDITY and not self.across_people)
            },
            "parser": self.parser if self.parser != DEFAULT_PARSER else "",
            "template": self.template,
            "threshold": f"{self.threshold:g}" if self.threshold else "",
        }
        written = urlencode(always | {name: value for name, value in optional.items() if value})
        return written if limit is None or len(written) <= limit else ""

    @classmethod
    def from_query(cls, query: Mapping[str, str], limit: int | None = LINK_LIMIT) -> Self | None:
        """Return the form of a link; None where the address holds none."""
        text = query.get("text", "")
        if not text:
            return None
        form = cls(text=text[:limit])
        attributes = tuple(a.strip() for a in query.get("attributes", "").split(",") if a.strip())
        models = tuple(m.strip() for m in query.get("models", "").split("\n") if m.strip())
        said = {
            name: _said(option, query.get(_IN_LINKS.get(name, name), ""), query)
            for name, option in LINKED.items()
        }
        return replace(
            form,
            attributes=attributes[:12] or form.attributes,
            models=models[:6] or form.models,
            parser=query.get("parser", DEFAULT_PARSER) or DEFAULT_PARSER,
            edits=tuple(e for e in query.get("edits", "").split("\n") if e)[:HIGHEST],
            template=query.get("template", "")[:limit],
            threshold=_threshold(query.get("threshold", "")),
            **said,
        )


# The settings that are fields of Explore, with the bounds of a check that somebody waits for. One
# text rarely reaches its limit, so how it is drawn is none.
FIELDS: dict[str, CampaignOption] = {
    **{name: option for name, option in SETTINGS.items() if name != "balanced"},
    "order": replace(SETTINGS["order"], high=HIGHEST),
    "limit": replace(SETTINGS["limit"], default=500, high=5_000),
    "requests": replace(CAMPAIGN_OPTIONS["requests"], default=0, low=0, high=1_000_000),
}
# How many variants are shown decides none of them.
LINKED = {name: FIELDS[name] for name in FIELDS if name in SETTINGS and name != "limit"}
_IN_LINKS = {"keep_soft": "soft", "across_people": "across", "repeat": "again"}
_ALWAYS = {"invariant": EVEN_HANDED, "verbatim": True}  # what links said before they could say it
_VALIDITY = "validity"
_FIRST_LEAST = 0.5  # the least score when links could not say it


def _unsaid(option: CampaignOption, query: Container[str]) -> Any:
    """Return what a link means that does not say a setting: the value before there was one."""
    implied = option.name == _VALIDITY and "across" in query  # a score was asked for, but not said
    before = option.default if option.before is ALWAYS else option.before
    return _FIRST_LEAST if implied else _ALWAYS.get(option.name, before)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _said(option: CampaignOption, written: str, query: Container[str]) -> Any:
    """Read a setting of a link, whatever it says."""
    value: Any = written
    with suppress(ValueError):
        if option.type is bool:
            value = {"0": False, "1": True}.get(written)
        elif option.type is tuple:
            value = tuple(name for name in written.split(",") if name in RELATIONS) or None
        elif option.type in (int, float):
            value = option.type(written[:_DIGITS])
    return value if value is not None and option.allows(value) else _unsaid(option, query)


def _threshold(written: str) -> float:
    try:
        value = float(written[:_DIGITS] or 0)
    except ValueError:
        return 0.0
    return value if 0 < value < 1 else 0.0


def read_field(option: Option, value: Any) -> Any:
    """Return the value of a setting from its field; an empty field is the default.

    Raises:
        InputError: no number, one out of range, or nothing chosen; the message names the field.
    """
    kind = option.type
    if kind is bool:
        return bool(value)
    if kind is tuple:
        names = [value] if isinstance(value, str) else value or ()
        names = tuple(dict.fromkeys(name for name in (str(n).strip() for n in names) if name))
        if option.default and not names:
            raise InputError(say("form.empty", field=translated(option.title)))
        return names
    if kind is str:
        return str(value or "").strip() or option.default
    # An empty field that is first seen in an accordion holds 0.
    if value in (None, "") or (value == 0 and option.default is None and option.advanced):
        return option.default
    try:
        number = kind(value)
        fits = number == float(value) and option.holds(number)
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        raise InputError(
            say("form.number", field=translated(option.title), range=translated(option.range))
        )
    return number


def edit_key(edit: Edit) -> str:
    """Name an edit within its text: ``gender|waiter|waitress|noun-sg``.

    One that is no exchange names its relation and place, too.
    """
    source, relation = edit.source, edit.change.relation
    place = () if relation == SUBSTITUTE else (relation, str(edit.spans[0][0]))
    return SEPARATOR.join((edit.attribute, source.text, edit.target.text, source.form, *place))


def _named(plan: Plan, attribute: str, parts: Sequence[str]) -> Edit | None:
    """Return the edit that a key names: "Mr." is "Mr" where the text offers "Mr" alone."""
    made = [
        (tuple(edit_key(edit).split(SEPARATOR)[1:][: len(parts)]), edit)
        for edit in reversed(plan.edits.get(attribute, ()))  # of several, the first counts
    ]
    alike = {_without_stops(said): edit for said, edit in made}
    return dict(made).get(tuple(parts)) or alike.get(_without_stops(parts))


def _without_stops(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.removesuffix(".") for part in parts)


def find_edits(plan: Plan, keys: Sequence[str]) -> tuple[Edit, ...]:
    """Return the edits that the keys name; a key may leave out the form.

    Raises:
        InputError: the text offers no such edit, or two change the same attribute.
    """
    chosen: list[Edit] = []
    for key in keys:
        attribute, *rest = key.split(SEPARATOR)
        edit = _named(plan, attribute, rest)
        if edit is None:
            what = f"{rest[0]} \u2192 {rest[1]}" if len(rest) >= 2 else key
            raise InputError(say("form.impossible", change=what, attribute=attribute))
        chosen.append(edit)
    if len({e.attribute for e in chosen}) != len(chosen):
        raise InputError(say("form.twice"))
    if not plan.possible(chosen):
        raise InputError(say("form.overlap"))
    return tuple(chosen)


def offers(plan: Plan, attribute: str) -> list[Edit]:
    """Return the edits of an attribute in the order in which they are offered."""
    return sorted(plan.edits[attribute], key=lambda e: (e.spans, e.target.group))


def first_offers(plan: Plan, attributes: Sequence[str], most: int) -> list[tuple[Edit, ...]]:
    """Return some edits that combine, to offer first; none if only some across people do."""
    lattice = replace(plan.lattice, edits={name: offers(plan, name) for name in attributes})
    order = len(attributes)
    first = [lattice.at(order, 0)] if lattice.count(order) else []
    return list(filter(plan.possible, first + list(lattice.drawn(order, most))))


def explore_form(
    campaign: Campaign,
    known: Mapping[str, Dictionary],
    row: int,
    text: str,
    edits: tuple[Edit, ...],
    *models: str,
) -> ExploreForm:
    """Return the Explore form that shows one mutant; ``known`` are the dictionaries there.

    Raises:
        InputError: Explore cannot make this mutant.
    """
    if not campaign.source.makes:
        raise InputError(say("form.handwritten"))
    if len(edits) > HIGHEST:
        raise InputError(say("form.many", n=len(edits), most=HIGHEST))
    slotted = campaign.source.slotted
    able = campaign.attributes if slotted else known
    changed = [edit.attribute for edit in edits if of_attribute(edit)]
    if unknown := next((attribute for attribute in changed if attribute not in able), None):
        raise InputError(say("form.unknown", attribute=unknown))
    keys = tuple(edit_key(edit) for edit in edits)
    attributes = tuple(a for a in campaign.attributes if a in known)
    added = tuple(attribute for attribute in changed if attribute not in attributes)
    form = ExploreForm(
        text=text,
        attributes=(*attributes, *added),
        models=tuple(models),
        parser=campaign.parser,
        **{name: getattr(campaign, name) for name in LINKED},
    )
    return (_slotted(campaign, row, form) if slotted else form).for_edits(keys)


def _slotted(campaign: Campaign, row: int, form: ExploreForm) -> ExploreForm:
    """Return the form of a template, or of a sentence of a grammar, filled as the campaign did."""
    if campaign.grammar:
        written, details = sentence_details(campaign, row)
        other = say("form.grammar_gone", file=Path(campaign.grammar).name)
    else:
        template = template_of(campaign, row)
        written, details = template.text, details_of(campaign, template)
        other = say("form.template_filled")
    if slotted_plan(written, details, form.settings).text != form.text:
        raise InputError(other)
    return replace(form, text=written, attributes=ExploreForm().attributes, template=details)
