"""Metrics that others add to every report of a campaign.

A metric is a function of the table of a model's mutants, without placebo, with the columns of
:data:`hinter_core.campaign.frames.COLUMNS`. It returns a number, a mapping from names to numbers
(also a Series of pandas), or a table of pandas, with its index unless that only numbers the rows.
"""

import reprlib
from collections.abc import Mapping, Sequence
from typing import Any

from hinter_core.campaign.findings import FindingFilter
from hinter_core.campaign.frames import mutants_of_campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import TIMES, Attributes
from hinter_core.errors import InputError
from hinter_core.extensions import METRICS, Extension
from hinter_core.report.section import Cell, Section


def added_sections(store: CampaignStore, models: Sequence[str], only: Attributes) -> list[Section]:
    """Return the section of each added metric for each model.

    ``only``: mutants that change other attributes are left out; empty: none is.
    """
    added = METRICS.every()
    sections = []
    for model in models if added else ():
        mutants = mutants_of_campaign(store, [model], FindingFilter(), rates=True)
        if only:
            changed = mutants["attributes"].str.split(TIMES)
            mutants = mutants[[set(only).issuperset(names) for names in changed]]
        sections += [_section(metric, mutants, model) for metric in added]
    return sections


def _section(metric: Extension, mutants: Any, model: str) -> Section:
    title = str(metric.options.get("title") or metric.name.replace("_", " ").capitalize())
    columns, cells = list[str](), list[list[Cell]]()
    why = "No mutant has an answer." if mutants.empty else ""
    try:
        if not why:
            columns, cells = _table(title, metric.value(mutants.copy()))
    except InputError as error:
        why = str(error)
    except Exception as error:  # noqa: BLE001 -- a metric of somebody else ends no report
        of = f" of the package {metric.package}" if metric.package else ""
        why = (
            f"The metric {metric.name}{of} could not be computed ({type(error).__name__}: {error})."
        )
    about = list(filter(None, [metric.about, why]))
    return Section(f"added-{metric.name}", title, about, columns, cells, model=model)


def _table(title: str, value: Any) -> tuple[list[str], list[list[Cell]]]:
    if hasattr(value, "columns") and hasattr(value, "itertuples"):  # a table of pandas
        numbered = value.index.names == [None] and value.index.inferred_type == "integer"
        levels = 0 if numbered else value.index.nlevels
        names = [*([name or "" for name in value.index.names] if levels else []), *value.columns]
        keys = ((key if levels > 1 else (key,))[:levels] for key in value.index)
        rows = zip(keys, value.itertuples(index=False, name=None), strict=True)
        return list(map(_name, names)), [list(map(_cell, [*key, *row])) for key, row in rows]
    if isinstance(value, Mapping) or hasattr(value, "to_dict"):  # or a Series of pandas
        return ["Name", "Value"], [[_name(key), _cell(one)] for key, one in value.items()]
    cell = _cell(value) if getattr(value, "size", 1) == 1 else str(value)  # of an array, too
    if isinstance(cell, str) and not isinstance(value, bool):
        raise InputError(
            f"It returned {reprlib.repr(value)}, which is no number, no mapping from names to "
            "numbers, and no Series or table of pandas."
        )
    return [title], [[cell]]


def _name(key: Any) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _cell(value: Any) -> Cell:
    plain = value.item() if hasattr(value, "item") else value
    if plain is None or plain != plain:  # NaN
        return None
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    return plain if isinstance(plain, int | float | str) else str(plain)
