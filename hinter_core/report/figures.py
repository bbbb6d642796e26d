"""Charts of a report as plotly's plain values: ``{"data": [...], "layout": {...}}``.

Plotly reads a few tags in its texts, so every text of a user goes through ``escape``.
"""

from __future__ import annotations

from html import escape
from typing import Any

from hinter_core.report.aggregate import NO_PART_ERRS, NO_WHOLE_ERRS, PART_ERRS, WHOLE_ERRS
from hinter_core.report.model import GroupRate, ModelReport, Overlap, Report, ReportRow
from hinter_core.report.section import joined
from hinter_core.statistics.format import percent
from hinter_core.statistics.rates import Rate
from hinter_core.types import Verdict

Figure = dict[str, Any]

# Middle tones, which stand on white and on black alike.
COLOURS = ("#5b52e0", "#0e8a9e", "#b0632a", "#8a4fbe", "#4f8a3c", "#c2416c")
_OUTCOMES = {
    Verdict.BENIGN: "#2f9461",
    Verdict.BIASED: "#d9777c",
    Verdict.HIDDEN: "#c4202f",
    Verdict.DISCARDED: "#9a9ca6",
    Verdict.UNANSWERED: "#c49a3a",
}
_SCALE = [[0, "#eef0fb"], [0.25, "#c3bff2"], [0.6, "#8a4fbe"], [1, "#8f1330"]]
GRID = "rgba(128,128,128,.25)"
_RATES = {"errors": "error rate, %", "sources": "texts with an error, %"}
BARE: dict[str, Any] = {
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "dragmode": False,
    "font": {"family": "inherit", "size": 13},
}


def bars(report: Report, rate: str = "errors") -> Figure | None:
    """Error rates with their intervals: a bar for each model and set of attributes.

    With ``sources`` as ``rate``: the share of texts with an error (HInter, Figures 4b, 5b).
    """
    data = []
    names: list[str] = []
    for place, model in enumerate(report.models):
        found = [(line.name, getattr(line, rate)) for line in _shown(model)]
        lines: list[tuple[str, Rate]] = [(name, own) for name, own in found if own.of]
        names += [name for name, _ in lines if name not in names]
        shares = [100 * (own.share or 0) for _, own in lines]
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": _short(model.model),
                "y": [escape(name) for name, _ in lines],
                "x": shares,
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [_reach(own.high, s) for (_, own), s in zip(lines, shares)],  # noqa: B905
                    "arrayminus": [-_reach(own.low, s) for (_, own), s in zip(lines, shares)],  # noqa: B905
                    "color": "#808490",
                    "thickness": 1.5,
                },
                "marker": {"color": COLOURS[place % len(COLOURS)]},
                "customdata": [f"{own.hits:,} of {own.of:,}" for _, own in lines],
                "hovertemplate": "%{y}: %{x:.1f} % (%{customdata})<extra></extra>",
            }
        )
    if not names:
        return None
    thick = max(18, 16 * len(report.models))
    layout = {
        **BARE,
        "height": 90 + 24 * (len(report.models) > 1) * len(report.models) + thick * 2 * len(names),
        "margin": {"l": 10, "r": 20, "t": 10, "b": 40},
        "barmode": "group",
        "showlegend": len(report.models) > 1,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        "xaxis": {"title": {"text": _RATES[rate]}, "rangemode": "tozero", "gridcolor": GRID,
                  "fixedrange": True, "zeroline": False},
        "yaxis": {"autorange": "reversed", "automargin": True, "fixedrange": True,
                  "type": "category", "categoryorder": "array",
                  "categoryarray": [escape(name) for name in names]},
    }  # fmt: skip
    return {"data": data, "layout": layout}


def _shown(model: ModelReport) -> list[ReportRow]:
    return [*model.lines, model.atomic, model.intersectional, *model.placebo]


def _reach(bound: float | None, share: float) -> float:
    return 0.0 if bound is None else 100 * bound - share


def _short(name: str) -> str:
    return escape(name if len(name) <= 42 else name[:41] + "\u2026")


def heat_maps(model: ModelReport) -> list[tuple[str, Figure]]:
    """For each pair of attributes, the error rates by the groups a text was turned into."""
    of: dict[tuple[str, ...], list[GroupRate]] = {}
    for group in model.groups:
        if len(group.attributes) == 2:
            of.setdefault(group.attributes, []).append(group)
    return [(joined(a), _heat_map(a, groups)) for a, groups in of.items()]


def _heat_map(attributes: tuple[str, ...], groups: list[GroupRate]) -> Figure:
    down = sorted({group.groups[0] for group in groups})
    across = sorted({group.groups[1] for group in groups})
    if len(across) > len(down):  # the longer side goes down, so that a narrow page holds it
        down, across = across, down
        attributes = attributes[::-1]
        cells = {group.groups[::-1]: group for group in groups}
    else:
        cells = {group.groups: group for group in groups}
    rates = [[_share(cells.get((y, x))) for x in across] for y in down]
    texts = [[_cell(cells.get((y, x))) for x in across] for y in down]
    trace = {
        "type": "heatmap",
        "x": list(map(escape, across)),
        "y": list(map(escape, down)),
        "z": rates,
        "zmin": 0,
        "zmax": max(1.0, *(rate for row in rates for rate in row if rate is not None)),
        "colorscale": _SCALE,
        "texttemplate": "%{z:.0f}",
        "customdata": texts,
        "hovertemplate": "%{y} \u00d7 %{x}: %{customdata}<extra></extra>",
        "hoverongaps": False,
        "xgap": 2,
        "ygap": 2,
        "colorbar": {"thickness": 10, "title": {"text": "%"}, "outlinewidth": 0},
    }
    layout = {
        **BARE,
        "height": 150 + 30 * len(down),
        "margin": {"l": 10, "r": 10, "t": 10, "b": 10},
        "xaxis": {"automargin": True, "fixedrange": True, "type": "category", "showgrid": False,
                  "title": {"text": f"turned into ({escape(attributes[1])})"}},
        "yaxis": {"automargin": True, "fixedrange": True, "type": "category", "showgrid": False,
                  "autorange": "reversed"},
    }  # fmt: skip
    return {"data": [trace], "layout": layout}


def _share(group: GroupRate | None) -> float | None:
    share = group.errors.share if group else None
    return None if share is None else 100 * share


def _cell(group: GroupRate | None) -> str:
    if group is None:
        return ""
    return f"{percent(group.errors)}, {group.errors.hits:,} of {group.errors.of:,}"


def flow(model: ModelReport) -> Figure | None:
    """From atomic and intersectional mutants to what became of them; None without mutants."""
    sides = [line for line in (model.atomic, model.intersectional) if line.mutants]
    outcomes = [v for v in _OUTCOMES if any(line.verdicts[v.value] for line in sides)]
    if not sides:
        return None
    total = sum(line.mutants for line in sides)
    names = [f"{line.name}: {line.mutants:,}" for line in sides]
    for outcome in outcomes:
        many = sum(line.verdicts[outcome.value] for line in sides)
        names.append(f"{outcome.value}: {many:,} ({100 * many / total:.1f} %)")
    links = [
        (i, len(sides) + j, line.verdicts[outcome.value], outcome)
        for i, line in enumerate(sides)
        for j, outcome in enumerate(outcomes)
        if line.verdicts[outcome.value]
    ]
    trace = {
        "type": "sankey",
        "node": {
            "label": names,
            "color": ["#7d7f95"] * len(sides) + [_OUTCOMES[o] for o in outcomes],
            "pad": 22,
            "thickness": 14,
            "line": {"width": 0},
            "hovertemplate": "%{label}<extra></extra>",
        },
        "link": {
            "source": [link[0] for link in links],
            "target": [link[1] for link in links],
            "value": [link[2] for link in links],
            "color": [_OUTCOMES[link[3]] + "66" for link in links],
            "hovertemplate": "%{source.label} \u2192 %{target.label}: %{value:,}<extra></extra>",
        },
    }
    layout = {**BARE, "height": 320, "margin": {"l": 6, "r": 6, "t": 20, "b": 20}}
    return {"data": [trace], "layout": layout}


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
