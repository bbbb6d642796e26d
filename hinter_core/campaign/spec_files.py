"""Read the settings of a campaign from plain values and YAML files, and write them."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from hinter_core.campaign.spec import CAMPAIGN_OPTIONS, SAMPLE, Campaign
from hinter_core.data.hub import on_hub
from hinter_core.data.sources import from_source
from hinter_core.errors import InputError
from hinter_core.generators.grammars.reading import shipped_grammars
from hinter_core.models.registry import split_names
from hinter_core.options import CampaignOption, Unchosen
from hinter_core.storage import yaml_loader

_SHORT = reprlib.Repr()  # a value of aliases may stand for more than memory holds
_SHORT.maxlevel = 1


def from_mapping(values: Mapping[str, Any], where: str) -> Campaign:
    """Create a campaign from plain values.

    Raises:
        InputError: an unknown name or a wrong value; the message begins with ``where``.
    """
    known, values = CAMPAIGN_OPTIONS, dict(values)
    if values.pop("relation", "substitution") != "substitution":  # the only one there was
        raise InputError(f"{where}: unknown relation; write relations: and a list of names.")
    if unknown := sorted(map(str, set(values) - set(known))):
        raise InputError(f"{where}: unknown setting {', '.join(unknown)}; use {', '.join(known)}.")
    return Campaign(**{name: _read(known[name], value, where) for name, value in values.items()})


def _read(option: CampaignOption, value: Any, where: str) -> Any:
    name, kind = option.name, option.type
    if kind is tuple:
        parts = value.split(",") if isinstance(value, str) and name != "models" else value
        parts = [parts] if isinstance(parts, str) else parts
        if not isinstance(parts, list | tuple) or not all(isinstance(p, str) for p in parts):
            raise InputError(f"{where}: {name} is a list of names.")
        if name == "models":  # settings within a name may contain commas
            return tuple(one for part in parts for one in split_names(part))
        return tuple(p.strip() for p in parts if p.strip())
    if value is None and option.default is None:
        return None
    fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
    if not fits or (isinstance(value, bool) and kind is not bool):
        words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
        raise InputError(f"{where}: {name} is {words[kind]}, not {_SHORT.repr(value)}.")
    if option.low is not None and not value >= option.low:  # nan is neither
        raise InputError(f"{where}: {name} is at least {option.low}.")
    if kind is float and option.high is not None and value > option.high:
        raise InputError(f"{where}: {name} is at most {option.high:g}.")  # others are for forms
    if option.choices and value not in option.choices:
        raise InputError(
            f"{where}: {name} is {' or '.join(option.choices)}, not {_SHORT.repr(value)}."
        )
    return value


def write_campaign(campaign: Campaign) -> str:
    """Return a campaign as YAML: data, attributes, models, and changed settings."""
    import yaml

    all_of_grammar = campaign.grammar and isinstance(campaign.attributes, Unchosen)
    always = ("data", "models") if all_of_grammar else ("data", "attributes", "models")
    values = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(campaign).items()
        if name in always or value != CAMPAIGN_OPTIONS[name].default
    }
    return str(yaml.safe_dump(values, sort_keys=False, allow_unicode=True))


def load_campaign(path: Path) -> Campaign:
    """Read a campaign file; its paths are relative to its folder.

    Raises:
        InputError: no such file, no YAML, or a wrong setting.
    """
    import yaml

    try:
        values = yaml_loader(path.read_text(encoding="utf-8"), aliases=True).get_single_data()
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}. Check the path.") from error
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:  # a day that is none
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{path} is no YAML ({reason}).") from error
    if not isinstance(values, dict):
        raise InputError(f"{path} holds no settings; write lines such as 'data: reviews.csv'.")
    campaign = from_mapping(values, str(path))
    base = path.resolve().parent
    named = campaign.data in ("", SAMPLE) or on_hub(campaign.data) or from_source(campaign.data)
    shipped = campaign.grammar in ("", *shipped_grammars())
    return replace(
        campaign,
        data=campaign.data if named else str(base / campaign.data),
        mutants=campaign.mutants and str(base / campaign.mutants),
        templates=campaign.templates and str(base / campaign.templates),
        grammar=campaign.grammar if shipped else str(base / campaign.grammar),
        weights=campaign.weights and str(base / campaign.weights),
        names=campaign.names and str(base / campaign.names),
        dictionaries=tuple(str(base / path) for path in campaign.dictionaries),
    )
