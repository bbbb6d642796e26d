"""Templates as texts of Explore: filled as a campaign fills them, and their variants.

What the text does not say, but decides how it is filled, stands beside it as JSON: the template's
id, the gender of its person, its attributes, the seed and the number of names.
"""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from hinter_core.campaign.spec import CAMPAIGN_OPTIONS, Campaign
from hinter_core.errors import InputError
from hinter_core.generators.templates.filling import SAME_CLASS, TemplateValues
from hinter_core.generators.templates.table import TemplateRow, TemplateTable
from hinter_core.generators.templates.template import (
    OCCUPATION,
    Template,
    template_from_json,
    template_to_json,
)
from hinter_core.mutation.plan import Plan, Settings
from hinter_core.terms.names import load_names
from hinter_ui.html.wording import Words

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
        found = next((one for one in TemplateTable(path).rows() if one.number == row), None)
        if isinstance(found, TemplateRow) and found.template is not None:
            return found.template
    raise InputError(say("form.template_gone", file=path.name))


def details_of(campaign: Campaign, template: Template) -> str:
    """Return what decides, beside the text of a template, how a campaign fills it."""
    own = [name for name in campaign.attributes if name in template.attributes]
    values = template_to_json(template) | {"attributes": own}
    if OCCUPATION in own:  # only an occupation that stays is taken from the original words
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
        raise InputError(say("form.template", fault=error)) from error
    plan.edits.pop(SAME_CLASS, None)  # the placebo of campaigns
    return plan


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
    return value is None or (type(value) is int and CAMPAIGN_OPTIONS[name].holds(value))
