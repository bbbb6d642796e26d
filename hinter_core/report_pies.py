"""Charts of HInter's Figures 7, 8, 10 and 11 as plotly's plain values."""

from __future__ import annotations

from html import escape
from typing import Any

from hinter_core.report import ModelReport, Overlap
from hinter_core.report_figures import BARE, COLOURS, GRID, Figure
from hinter_core.report_section import joined
from hinter_core.tally_parts import NO_PART_ERRS, NO_WHOLE_ERRS, PART_ERRS, WHOLE_ERRS

_TRUE, _FALSE = "#c4202f", "#9a9ca6"
_KEPT = "#2f9461"
_SLICES = {
    PART_ERRS: "#d9777c", NO_PART_ERRS: "#c4202f", WHOLE_ERRS: "#d9777c", NO_WHOLE_ERRS: "#b0632a",
}  # fmt: skip
_OTHER = "#9a9ca6"
_ALL = ("all", "intersectional", "atomic")


def kept_pies(model: ModelReport) -> Figure | None:
    """Figure 7: kept and discarded mutants, of all, of intersectional and of atomic ones."""
    found = [p for p in model.positives if p.name in _ALL and p.kept + p.discarded]
    parts = [(p.name, {"kept": p.kept, "discarded": p.discarded}) for p in found]
    return _pies(parts, {"kept": _KEPT, "discarded": _FALSE})


def error_pies(model: ModelReport) -> Figure | None:
    """Figure 10: intersectional errors by their parts, atomic ones by their wholes."""
    return _pies([(f"{p.name} errors", p.slices) for p in model.pies if not p.attributes], _SLICES)


def _pies(parts: list[tuple[str, dict[str, int]]], colours: dict[str, str]) -> Figure | None:
    if not parts:
        return None
    width = 1 / len(parts)
    data, notes = [], []
    for place, (name, slices) in enumerate(parts):
        middle = (place + 0.5) * width
        data.append(
            {
                "type": "pie",
                "name": name,
                "labels": list(slices),
                "values": list(slices.values()),
                "hole": 0.45,
                "sort": False,
                "domain": {"x": [middle - 0.46 * width, middle + 0.46 * width], "y": [0, 0.9]},
                "marker": {"colors": [colours.get(part, _OTHER) for part in slices]},
                "textinfo": "percent",
                "textposition": "inside",
                "hovertemplate": "%{label}: %{value:,} (%{percent})<extra></extra>",
            }
        )
        total = sum(slices.values())
        notes.append(
            {"text": f"{escape(name)}: {total:,}", "x": middle, "y": 1.0, "xref": "paper",
             "yref": "paper", "xanchor": "center", "yanchor": "bottom", "showarrow": False}
        )  # fmt: skip
    layout = {
        **BARE,
        "height": 320,
        "margin": {"l": 6, "r": 6, "t": 34, "b": 6},
        "annotations": notes,
        "legend": {"orientation": "h", "y": -0.04, "yanchor": "top", "x": 0.5, "xanchor": "center"},
    }
    return {"data": data, "layout": layout}


def positive_bars(model: ModelReport) -> Figure | None:
    """Figure 8: true and false positives; None where no discarded mutant was asked."""
    found = [p for p in model.positives if p.name in _ALL]
    if not any(p.asked for p in found):
        return None
    names = [escape(p.name) for p in found]
    data: list[dict[str, Any]] = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": names,
            "x": values,
            "text": [f"{value:,}" for value in values],
            "marker": {"color": colour},
            "hovertemplate": f"%{{y}}: %{{x:,}} {name}<extra></extra>",
        }
        for name, values, colour in (
            ("true positives", [p.true.hits for p in found], _TRUE),
            ("false positives", [p.false.hits for p in found], _FALSE),
        )
    ]
    layout = {
        **BARE,
        "height": 110 + 44 * len(found),
        "barmode": "stack",
        "margin": {"l": 10, "r": 20, "t": 10, "b": 40},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        "xaxis": {"title": {"text": "errors"}, "rangemode": "tozero", "gridcolor": GRID,
                  "fixedrange": True, "zeroline": False},
        "yaxis": {"autorange": "reversed", "automargin": True, "fixedrange": True,
                  "type": "category"},
    }  # fmt: skip
    return {"data": data, "layout": layout}


def venns(model: ModelReport) -> list[tuple[str, Figure]]:
    """Figure 11: texts that err by one change, by changes together, by both, for each set."""
    return [(joined(overlap.attributes), _venn(overlap)) for overlap in model.overlaps]


def _venn(overlap: Overlap) -> Figure:
    circles = [
        {"type": "circle", "xref": "x", "yref": "y", "x0": x, "x1": x + 2, "y0": 0, "y1": 2,
         "fillcolor": colour, "opacity": 0.35, "line": {"color": colour, "width": 2}}
        for x, colour in ((0.0, COLOURS[1]), (1.2, COLOURS[0]))
    ]  # fmt: skip
    said = [
        (0.6, 1, f"{overlap.only_atomic:,}"),
        (1.6, 1, f"{overlap.both:,}"),
        (2.6, 1, f"{overlap.only_together:,}"),
        (0.6, 2.15, "one changes"),
        (2.6, 2.15, "all change"),
        (1.6, -0.25, f"neither: {overlap.neither:,}"),
    ]
    axis = {"visible": False, "fixedrange": True}
    layout = {
        **BARE,
        "height": 230,
        "margin": {"l": 4, "r": 4, "t": 4, "b": 4},
        "shapes": circles,
        "annotations": [
            {"x": x, "y": y, "text": text, "showarrow": False, "xref": "x", "yref": "y"}
            for x, y, text in said
        ],
        "xaxis": {**axis, "range": [-0.3, 3.5]},
        "yaxis": {**axis, "range": [-0.5, 2.4], "scaleanchor": "x"},
    }
    # A trace of nothing, so that axes are drawn to scale.
    return {"data": [{"type": "scatter", "x": [], "y": []}], "layout": layout}
