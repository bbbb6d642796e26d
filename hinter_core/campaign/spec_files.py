"""Read the settings of a campaign from plain values and YAML files, and write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hinter_core.campaign.settings import CAMPAIGN_OPTIONS
from hinter_core.campaign.spec import Campaign
from hinter_core.errors import InputError
from hinter_core.models.registry import split_names
from hinter_core.options import Unchosen
from hinter_core.storage import yaml_loader


def from_mapping(values: Mapping[str, Any], where: str, *, stored: bool = False) -> Campaign:
    """Create a campaign from plain values; one that was ``stored`` is read whatever its numbers.

    Raises:
        InputError: an unknown name or a wrong value; the message begins with ``where``.
    """
    known, values = CAMPAIGN_OPTIONS, dict(values)
    if values.pop("relation", "substitution") != "substitution":  # the only one there was
        raise InputError(f"{where}: unknown relation; write relations: and a list of names.")
    if unknown := sorted(map(str, set(values) - set(known))):
        raise InputError(f"{where}: unknown setting {', '.join(unknown)}; use {', '.join(known)}.")
    if isinstance(models := values.get("models"), str | list | tuple):  # names may hold commas
        parts = [models] if isinstance(models, str) else models
        values["models"] = [name for part in parts for name in _models(part)]
    read = {}
    for name, value in values.items():
        option = replace(known[name], low=None, high=None) if stored else known[name]
        read[name] = option.read(value, f"{where}: ")
    return Campaign(**read)


def _models(part: Any) -> list[Any]:
    return split_names(part) if isinstance(part, str) else [part]


def write_campaign(campaign: Campaign) -> str:
    """Return a campaign as YAML: data, attributes, models, and changed settings."""
    import yaml

    all_of_grammar = campaign.grammar and isinstance(campaign.attributes, Unchosen)
    always = ("data", "models") if all_of_grammar else ("data", "attributes", "models")
    values = {
        name: list(value) if isinstance(value, tuple) else value
        for name, option in CAMPAIGN_OPTIONS.items()
        if (value := getattr(campaign, name)) != option.default or name in always
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
    base = path.resolve().parent
    return from_mapping(values, str(path)).with_files(lambda _, file: str(base / file))
