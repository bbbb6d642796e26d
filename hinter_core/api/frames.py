"""Rates and groups of a report as tables of pandas, and mutants as fairlearn reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hinter_core.campaign.frames import with_nan
from hinter_core.errors import InputError
from hinter_core.report.formats import flat_rows
from hinter_core.report.model import Report
from hinter_core.report.section import joined
from hinter_core.statistics.rates import Rate
from hinter_core.types import Verdict

if TYPE_CHECKING:
    import pandas

UNCHANGED = "unchanged"  # in place of a group


def rates_of(report: Report) -> pandas.DataFrame:
    """Return the main table of a report: counts and rates by model and attributes."""
    import pandas

    rows = [
        {name.replace(" ", "_"): value for name, value in row.items()} for row in flat_rows(report)
    ]
    return with_nan(pandas.DataFrame(rows))


def groups_of(report: Report) -> pandas.DataFrame:
    """Return the error rate of mutants changed to each group, beside the mean of all groups."""
    import pandas

    rows = [
        {
            "model": model.model,
            "attributes": joined(one.attributes),
            "group": joined(one.groups),
            **_rate("errors", one.errors),
            **_rate("hidden", one.hidden),
            "texts": one.texts,
            "mean": one.mean,
            "above": one.above,
            "p_value": one.p_value,
        }
        for model in report.models
        for one in model.groups
    ]
    columns = list(rows[0]) if rows else ["model", "group"]
    return with_nan(pandas.DataFrame(rows, columns=columns))


def _rate(name: str, rate: Rate | None) -> dict[str, Any]:
    shown = rate or Rate(0, 0)
    return {
        f"{name}_hits": shown.hits, f"{name}_of": shown.of, f"{name}_share": shown.share,
        f"{name}_low": shown.low, f"{name}_high": shown.high,
    }  # fmt: skip


def judged(mutants: pandas.DataFrame) -> pandas.DataFrame:
    """Return the mutants that were kept and answered, as was their source."""
    verdicts = (Verdict.BENIGN.value, Verdict.BIASED.value, Verdict.HIDDEN.value)
    return mutants[mutants["verdict"].isin(verdicts)]


def for_fairlearn(
    mutants: pandas.DataFrame, attributes: Sequence[str], truth: str
) -> dict[str, Any]:
    """Return the arguments of ``fairlearn.metrics.MetricFrame``, but for ``metrics``.

    A row is a mutant that was kept and answered. ``sensitive_features``: by attribute, the group
    that it was changed to. ``truth``: ``answer``, the model's answer to the unchanged text, or
    ``label``, that of the data; mutants of texts without one are left out.

    Raises:
        InputError: another ``truth``, no mutant, or none with a label.
    """
    columns = {"answer": "original_answer", "label": "label"}
    if truth not in columns:
        raise InputError(f"The truth is 'answer' or 'label', not '{truth}'.")
    rows = judged(mutants)
    if rows.empty:
        raise InputError("No mutant was kept and answered, so there is nothing to measure.")
    rows = rows[rows[columns[truth]] != ""]
    if rows.empty:
        raise InputError(
            "These texts have no labels in the data. Name their column in hinter.run (label_column="
            "NAME), or leave out truth to compare with the answers to the unchanged texts."
        )
    groups = rows[[f"{name}_to" for name in attributes]].replace("", UNCHANGED)
    groups.columns = list(attributes)
    return {
        "y_true": rows[columns[truth]],
        "y_pred": rows["answer"],
        "sensitive_features": groups,
    }
