"""Templates and sentences of grammars as texts of Explore, and their variants as in a campaign.

What the text does not say, but decides how it is filled, stands beside it as JSON: of a template
its id, the gender of its person, its attributes, the seed and the number of names; of a sentence
the values of its sensitive words.
"""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from hinter_core.campaign.settings import CAMPAIGN_OPTIONS
from hinter_core.campaign.spec import Campaign
from hinter_core.errors import InputError
from hinter_core.generators.grammars.cases import (
    GrammarRow,
    is_sentence,
    sentence_of,
    sentence_plan,
)
from hinter_core.generators.grammars.reading import load_grammar
from hinter_core.generators.templates.filling import SAME_CLASS, TemplateValues
from hinter_core.generators.templates.template import (
    OCCUPATION,
    Template,
    TemplateTable,
    is_template,
    template_from_json,
    template_to_json,
)
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.names import load_names
from hinter_ui.html.wording import Words, translated

say = Words("shared")
_MOST_SLOTS = 300  # these take half a second at each look
_SETTINGS = ("seed", "names_per_class")


def template_of(campaign: Campaign, row: int) -> Template:
    """Return the template of a row of a campaign.

    Raises:
        InputError: the file has moved, or no longer holds it.
    """
    path = Path(campaign.templates)
    with suppress(InputError):
        row_found = next((one for one in TemplateTable(path).rows() if one.number == row), None)
        if row_found and row_found.template:
            return row_found.template
    raise InputError(say("form.template_gone", file=path.name))


def details_of(campaign: Campaign, template: Template) -> str:
    """Return what decides, beside the text of a template, how a campaign fills it."""
    attributes = [name for name in campaign.attributes if name in template.attributes]
    values = template_to_json(template) | {"attributes": attributes}
    if OCCUPATION in attributes:  # only an occupation that stays is taken from the original words
        values.pop("words", None)
    values |= {name: getattr(campaign, name) for name in _SETTINGS}
    left_out = ("text", "label")
    kept = {name: value for name, value in values.items() if name not in left_out}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def template_plan(text: str, details: str, settings: Settings) -> Plan:
    """Return a template filled with base values, and all edits of its attributes.

    A template for one attribute is tested with single changes.

    Raises:
        InputError: a slot is unknown or cannot be filled, or the details are no such JSON.
    """
    values = _read(details)
    seed, per_class = (values.pop(name, CAMPAIGN_OPTIONS[name].default) for name in _SETTINGS)
    try:
        template = template_from_json({**values, "text": text}, "1")
        if len(template.slots) > _MOST_SLOTS:
            raise InputError(say("form.template_slots", n=len(template.slots), most=_MOST_SLOTS))
        order = min(settings.order, len(template.attributes))
        settings = replace(settings, seed=seed, order=order)
        filling = TemplateValues(load_names(), per_class)
        plan = filling.plan(template, settings, template.attributes)
    except InputError as error:
        raise InputError(say("form.template", fault=translated(str(error)))) from error
    plan.edits.pop(SAME_CLASS, None)  # the placebo of campaigns
    return plan


def sentence_details(campaign: Campaign, row: int) -> tuple[str, str]:
    """Return a sentence of a campaign's grammar with its names, and the values of these.

    Raises:
        InputError: the grammar or its weights have moved, or no longer make it.
    """
    name = Path(campaign.grammar).name
    with suppress(InputError):
        rows = campaign.table().rows()
        row_found = next((one for one in rows if one.number == row), None)
        if isinstance(row_found, GrammarRow):
            grammar = load_grammar(campaign.grammar)
            text, values = sentence_of(grammar, row_found.derivation, campaign.attributes)
            return text, json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    raise InputError(say("form.grammar_gone", file=name))


def is_slotted(text: str, details: str) -> bool:
    """Whether a text is a template, or a sentence of a grammar with its names."""
    return is_template(text) or is_of_grammar(text, details)


def is_of_grammar(text: str, details: str) -> bool:
    """Whether a text has a name of the values in these details."""
    return _of_grammar(text, details) is not None


def slotted_plan(text: str, details: str, settings: Settings) -> Plan:
    """Return the plan of such a text: see :func:`template_plan` and :func:`sentence_plan`.

    Raises:
        InputError: it cannot be filled.
    """
    values = _of_grammar(text, details)
    if values is None:
        return template_plan(text, details, settings)
    try:
        plan = sentence_plan(text, values, settings)
    except InputError as error:
        raise InputError(say("form.sentence", fault=translated(str(error)))) from error
    present = sum(bool(edits) for edits in plan.edits.values())
    plan.settings = replace(settings, order=max(1, min(settings.order, present)))
    return plan


def _of_grammar(text: str, details: str) -> dict[str, Any] | None:
    """Read the values of a sentence; None: the text is none."""
    with suppress(ValueError, RecursionError, TypeError, AttributeError, LookupError):
        values = json.loads(details or "{}")
        if isinstance(values, dict) and isinstance(values.get("attributes"), dict):
            return values if is_sentence(text, values) else None
    return None


def _read(details: str) -> dict[str, Any]:
    """Read the details, whatever a link says."""
    try:
        values = json.loads(details or "{}")
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict) or not all(map(_holds, _SETTINGS, map(values.get, _SETTINGS))):
        raise InputError(say("form.template_details"))
    return values


def _holds(name: str, value: object) -> bool:
    return value is None or CAMPAIGN_OPTIONS[name].allows(value)
