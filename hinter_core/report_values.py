"""A report as plain values: everything for JSON, the main lines for a spreadsheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from hinter_core.report import ModelReport, Report
from hinter_core.report_section import joined
from hinter_core.report_tables import lines_of
from hinter_core.statistics import Rate


def flat_rows(report: Report) -> list[dict[str, Any]]:
    """The main lines, one flat row each, for a spreadsheet."""
    rows = []
    for model in report.models:
        for line in lines_of(model):
            row: dict[str, Any] = {"model": model.model, "attributes": line.name}
            row |= {"order": line.order, "mutants": line.mutants, **line.verdicts}
            for name in ("errors", "hidden", "discarded", "sources", "hidden_sources"):
                rate = getattr(line, name) or Rate(0, 0)
                row[f"{name} hits"] = rate.hits if rate.of else None
                row[f"{name} of"] = rate.of or None
                row |= {f"{name} share": rate.share, f"{name} low": rate.low}
                row[f"{name} high"] = rate.high
            row |= _positive_columns(model, line.name)
            rows.append(row | _people_columns(report, model.model, line.name))
    return rows


def _positive_columns(model: ModelReport, name: str) -> dict[str, Any]:
    """True and false positives; empty where no discarded mutant was asked."""
    found = next((p for p in model.positives if p.name == name and p.asked), None)
    return {
        "discarded asked": found.false.of if found else None,
        "true positives": found.true.hits if found else None,
        "false positives": found.false.hits if found else None,
        "false share": found.fake.share if found else None,
    }


def _people_columns(report: Report, model: str, name: str) -> dict[str, Any]:
    """What people say, in columns of their own; none where no project was given."""
    if report.people is None:
        return {}
    lines = report.people.lines
    found = next((line for line in lines if (line.model, line.name) == (model, name)), None)
    row: dict[str, Any] = {}
    for title, rate in (
        ("judged valid", found.valid if found else None),
        ("restricted errors", found.restricted_errors if found else None),
        ("restricted hidden", found.restricted_hidden if found else None),
    ):
        row[f"{title} hits"] = rate.hits if rate and rate.of else None
        row[f"{title} of"] = rate.of if rate and rate.of else None
    for title, one in (
        ("corrected errors", found.corrected_errors if found else None),
        ("corrected hidden", found.corrected_hidden if found else None),
    ):
        row[f"{title} share"] = one.value if one else None
        row |= {
            f"{title} low": one.low if one else None,
            f"{title} high": one.high if one else None,
        }
    return row


def plain(value: Any) -> Any:
    """A report, or a part of it, as what JSON can hold.

    Rates get their ``share``; keys that are no text are joined with ``" × "``, True as ``1``.
    """
    if isinstance(value, Rate):
        return {**asdict(value), "share": value.share}
    if is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {_key(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def _key(key: Any) -> str:
    if isinstance(key, tuple):
        return joined(tuple(str(int(k)) if isinstance(k, bool) else str(k) for k in key))
    return str(key)
