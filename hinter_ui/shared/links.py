"""The form of Explore as one value, and as a link."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode

from hinter_core.campaign.spec import Campaign
from hinter_core.errors import InputError
from hinter_core.language.clean import whole
from hinter_core.models.registry import is_generative
from hinter_core.mutation.plan import Plan, Settings
from hinter_core.relations.family import of_attribute
from hinter_core.relations.registry import RELATIONS, relation_names
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import SUBSTITUTE, Edit
from hinter_ui.html.wording import Words
from hinter_ui.shared.templates import details_of, sentence_details, slotted_plan, template_of

say = Words("shared")

DEFAULT_MODEL = "embedded"
DEFAULT_PARSER = "embedded"
_DIGITS = 12  # of a seed in a link
LINK_LIMIT = 8_000  # characters; longer addresses are refused by servers and chats
SEPARATOR = "|"


@dataclass(frozen=True)
class ExploreForm:
    """The values of Explore's controls; ``edits`` are keys of :func:`edit_key`.

    ``template``: how a text with slots is filled (:func:`details_of`, :func:`sentence_details`).
    """

    text: str = ""
    attributes: tuple[str, ...] = ("race", "gender")
    models: tuple[str, ...] = (DEFAULT_MODEL,)
    parser: str = DEFAULT_PARSER
    order: int = 2
    literal: bool = False
    coherent: bool = True
    keep_soft: bool = False
    across_people: bool = False
    relations: tuple[str, ...] = (SUBSTITUTE,)
    seed: int = 0  # of what relations draw; campaigns have their own
    limit: int = 500
    repeat: int = 0
    requests: int = 0  # asked of a visitor's own API at most; 0: no limit
    edits: tuple[str, ...] = ()
    template: str = ""

    @classmethod
    def of(cls, *values: Any) -> Self:
        """Read the controls, whatever a browser sent.

        Raises:
            InputError: a number is missing or out of range.
        """
        text, attributes, models, order, person_sense, coherent, soft, across, *others = values
        relations, parser, limit, repeat, requests, *edits = others
        text = whole(text)
        return cls(
            text=str(text or ""),
            attributes=tuple(str(a) for a in attributes or ()),
            models=tuple(dict.fromkeys(str(m).strip() for m in models or () if str(m).strip())),
            parser=str(parser or "").strip() or DEFAULT_PARSER,
            order=_whole(order, "order", 1, 3),
            literal=not person_sense,
            coherent=bool(coherent),
            keep_soft=bool(soft),
            across_people=bool(across),
            relations=relation_names(str(name) for name in relations or ()),
            limit=_whole(limit, "limit", 1, 5_000),
            repeat=_whole(repeat, "repeat", 0, 100),
            requests=_whole(requests, "requests", 0, 1_000_000),
            edits=tuple(str(e) for e in edits if e),
        )

    @property
    def settings(self) -> Settings:
        """The pipeline's settings; only models that answer in words are asked again."""
        repeat = self.repeat if any(map(is_generative, self.models)) else 0
        return Settings(
            self.order, self.limit, self.literal, self.seed, repeat, self.relations,
            coherent=self.coherent, keep_soft=self.keep_soft, across_people=self.across_people,
        )  # fmt: skip

    @property
    def source(self) -> Self:
        """The form without what chooses among its variants."""
        return replace(self, edits=(), limit=0, requests=0)

    def for_edits(self, edits: tuple[str, ...]) -> Self:
        """Return the form with other edits, and the order that fits them."""
        return replace(self, edits=edits, order=max(2, min(3, len(edits))))

    def query(self, limit: int | None = LINK_LIMIT) -> str:
        """Return the query string that reopens this form; empty if it is too long."""
        always = {
            "text": self.text,
            "attributes": ",".join(self.attributes),
            "models": "\n".join(self.models),
        }
        optional = {
            "edits": "\n".join(self.edits),
            "order": self.order if self.order != 2 else "",
            "literal": "1" if self.literal else "",
            "coherent": "1" if self.coherent else "",
            # Without these, a link is from before there was a choice: soft variants counted, and
            # all changes combined.
            "soft": "" if self.keep_soft else "0",
            "across": "" if self.across_people else "0",
            "relations": ",".join(self.relations) if self.relations != (SUBSTITUTE,) else "",
            "seed": self.seed or "",
            "again": self.repeat or "",
            "parser": self.parser if self.parser != DEFAULT_PARSER else "",
            "template": self.template,
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
        order, again = query.get("order", "2"), query.get("again", "0")
        named, seed = query.get("relations", "").split(","), query.get("seed", "0")
        relations = tuple(name for name in named if name in RELATIONS)
        return replace(
            form,
            attributes=attributes[:12] or form.attributes,
            models=models[:6] or form.models,
            order=int(order) if order in ("1", "2", "3") else 2,
            repeat=int(again) if again.isdecimal() and int(again) <= 100 else 0,
            literal=query.get("literal") == "1",
            coherent=query.get("coherent") == "1",
            keep_soft=query.get("soft") != "0",
            across_people=query.get("across") != "0",
            relations=relations or form.relations,
            seed=int(seed) if seed.isdecimal() and len(seed) < _DIGITS else 0,
            parser=query.get("parser", DEFAULT_PARSER) or DEFAULT_PARSER,
            edits=tuple(e for e in query.get("edits", "").split("\n") if e)[:3],
            template=query.get("template", "")[:limit],
        )


def _whole(value: Any, field: str, low: int, high: int) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = low - 1
    if not low <= number <= high:
        raise InputError(say("form.number", field=say(f"form.{field}"), low=low, high=high))
    return number


def edit_key(edit: Edit) -> str:
    """Name an edit within its text: ``gender|waiter|waitress|noun-sg``.

    One that is no exchange names its relation and place, too.
    """
    source, relation = edit.source, edit.change.relation
    own = () if relation == SUBSTITUTE else (relation, str(edit.spans[0][0]))
    return SEPARATOR.join((edit.attribute, source.text, edit.target.text, source.form, *own))


def find_edits(plan: Plan, keys: Sequence[str]) -> tuple[Edit, ...]:
    """Return the edits that the keys name; a key may leave out the form.

    Raises:
        InputError: the text offers no such edit, or two change the same attribute.
    """
    chosen: list[Edit] = []
    for key in keys:
        attribute, *rest = key.split(SEPARATOR)
        for edit in plan.edits.get(attribute, ()):
            if edit_key(edit).split(SEPARATOR)[1:][: len(rest)] == rest:
                chosen.append(edit)
                break
        else:
            what = f"{rest[0]} \u2192 {rest[1]}" if len(rest) >= 2 else key
            raise InputError(say("form.impossible", change=what, attribute=attribute))
    if len({e.attribute for e in chosen}) != len(chosen):
        raise InputError(say("form.twice"))
    if not plan.possible(chosen):
        raise InputError(say("form.overlap"))
    return tuple(chosen)


def offers(plan: Plan, attribute: str) -> list[Edit]:
    """Return the edits of an attribute in the order in which they are offered."""
    return sorted(plan.edits[attribute], key=lambda e: (e.spans, e.target.group))


def first_offer(plan: Plan, attributes: Sequence[str]) -> tuple[Edit, ...]:
    """Return edits that combine, to offer first; none if only some across people do."""
    lattice = replace(plan.lattice, edits={name: offers(plan, name) for name in attributes})
    return lattice.at(len(attributes), 0) if lattice.count(len(attributes)) else ()


_HIGHEST = 3  # changes that Explore shows at once


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
    if campaign.mutants:
        raise InputError(say("form.handwritten"))
    if len(edits) > _HIGHEST:
        raise InputError(say("form.many", n=len(edits), most=_HIGHEST))
    slotted = campaign.templates or campaign.grammar
    able = campaign.attributes if slotted else known
    changed = [edit.attribute for edit in edits if of_attribute(edit)]
    if unknown := next((attribute for attribute in changed if attribute not in able), None):
        raise InputError(say("form.unknown", attribute=unknown))
    keys = tuple(edit_key(edit) for edit in edits)
    if slotted:
        return _slotted(campaign, row, text, tuple(models)).for_edits(keys)
    attributes = tuple(a for a in campaign.attributes if a in known)
    own = tuple(attribute for attribute in changed if attribute not in attributes)
    form = ExploreForm(
        text=text,
        attributes=(*attributes, *own),
        models=tuple(models),
        parser=campaign.parser,
        literal=campaign.literal,
        coherent=campaign.coherent,
        keep_soft=campaign.keep_soft,
        across_people=campaign.across_people,
        relations=campaign.relations,
        seed=campaign.seed,
    )
    return form.for_edits(keys)


def _slotted(campaign: Campaign, row: int, text: str, models: tuple[str, ...]) -> ExploreForm:
    """Return the form of a template, or of a sentence of a grammar, filled as the campaign did."""
    if campaign.grammar:
        written, details = sentence_details(campaign, row)
        other = say("form.grammar_gone", file=Path(campaign.grammar).name)
    else:
        template = template_of(campaign, row)
        written, details = template.text, details_of(campaign, template)
        other = say("form.template_filled")
    form = ExploreForm(text=written, models=models, parser=campaign.parser, template=details)
    if slotted_plan(form.text, details, form.settings).text != text:
        raise InputError(other)
    return form
