"""A report as plain values: everything for JSON, the main lines for a spreadsheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from hinter_core.report import Report
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
            rows.append(row)
    return rows


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
