"""Charts of a report as plotly's plain values: ``{"data": [...], "layout": {...}}``.

Plotly reads a few tags in its texts, so every text of a user goes through ``escape``.
"""

from __future__ import annotations

from html import escape
from typing import Any

from hinter_core.report import Group, Line, ModelReport, Report
from hinter_core.report_section import joined, percent
from hinter_core.types import Verdict

Figure = dict[str, Any]

# Middle tones, which stand on white and on black alike.
_COLOURS = ("#5b52e0", "#0e8a9e", "#b0632a", "#8a4fbe", "#4f8a3c", "#c2416c")
_OUTCOMES = {
    Verdict.BENIGN: "#2f9461",
    Verdict.BIASED: "#d9777c",
    Verdict.HIDDEN: "#c4202f",
    Verdict.DISCARDED: "#9a9ca6",
    Verdict.UNANSWERED: "#c49a3a",
}
_SCALE = [[0, "#eef0fb"], [0.25, "#c3bff2"], [0.6, "#8a4fbe"], [1, "#8f1330"]]
_GRID = "rgba(128,128,128,.25)"
_NO_TOOLS: dict[str, Any] = {
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "dragmode": False,
    "font": {"family": "inherit", "size": 13},
}


def bars(report: Report) -> Figure | None:
    """Error rates with their intervals: a bar for each model and set of attributes."""
    data = []
    names: list[str] = []
    for place, model in enumerate(report.models):
        lines = [line for line in _shown(model) if line.errors.of]
        names += [line.name for line in lines if line.name not in names]
        shares = [100 * (line.errors.share or 0) for line in lines]
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": _short(model.model),
                "y": [escape(line.name) for line in lines],
                "x": shares,
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [_reach(line.errors.high, s) for line, s in zip(lines, shares)],  # noqa: B905
                    "arrayminus": [-_reach(line.errors.low, s) for line, s in zip(lines, shares)],  # noqa: B905
                    "color": "#808490",
                    "thickness": 1.5,
                },
                "marker": {"color": _COLOURS[place % len(_COLOURS)]},
                "customdata": [f"{line.errors.hits:,} of {line.errors.of:,}" for line in lines],
                "hovertemplate": "%{y}: %{x:.1f} % (%{customdata})<extra></extra>",
            }
        )
    if not names:
        return None
    thick = max(18, 16 * len(report.models))
    layout = {
        **_NO_TOOLS,
        "height": 90 + 24 * (len(report.models) > 1) * len(report.models) + thick * 2 * len(names),
        "margin": {"l": 10, "r": 20, "t": 10, "b": 40},
        "barmode": "group",
        "showlegend": len(report.models) > 1,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        "xaxis": {"title": {"text": "error rate, %"}, "rangemode": "tozero", "gridcolor": _GRID,
                  "fixedrange": True, "zeroline": False},
        "yaxis": {"autorange": "reversed", "automargin": True, "fixedrange": True,
                  "type": "category", "categoryorder": "array",
                  "categoryarray": [escape(name) for name in names]},
    }  # fmt: skip
    return {"data": data, "layout": layout}


def _shown(model: ModelReport) -> list[Line]:
    return [*model.lines, model.intersectional, *model.placebo]


def _reach(bound: float | None, share: float) -> float:
    return 0.0 if bound is None else 100 * bound - share


def _short(name: str) -> str:
    return escape(name if len(name) <= 42 else name[:41] + "\u2026")


def heat_maps(model: ModelReport) -> list[tuple[str, Figure]]:
    """For each pair of attributes, the error rates by the groups a text was turned into."""
    of: dict[tuple[str, ...], list[Group]] = {}
    for group in model.groups:
        if len(group.attributes) == 2:
            of.setdefault(group.attributes, []).append(group)
    return [(joined(a), _heat_map(a, groups)) for a, groups in of.items()]


def _heat_map(attributes: tuple[str, ...], groups: list[Group]) -> Figure:
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
        **_NO_TOOLS,
        "height": 150 + 30 * len(down),
        "margin": {"l": 10, "r": 10, "t": 10, "b": 10},
        "xaxis": {"automargin": True, "fixedrange": True, "type": "category", "showgrid": False,
                  "title": {"text": f"turned into ({escape(attributes[1])})"}},
        "yaxis": {"automargin": True, "fixedrange": True, "type": "category", "showgrid": False,
                  "autorange": "reversed"},
    }  # fmt: skip
    return {"data": [trace], "layout": layout}


def _share(group: Group | None) -> float | None:
    share = group.errors.share if group else None
    return None if share is None else 100 * share


def _cell(group: Group | None) -> str:
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
    layout = {**_NO_TOOLS, "height": 320, "margin": {"l": 6, "r": 6, "t": 20, "b": 20}}
    return {"data": [trace], "layout": layout}
