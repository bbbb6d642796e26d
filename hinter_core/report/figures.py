"""Charts of a report as plain values for plotly: ``{"data": [...], "layout": {...}}``.

Plotly interprets a few tags in texts, so all texts from data are escaped.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hinter_core.campaign.record import PriorityState
from hinter_core.report.counts import NO_PART_ERRS, NO_WHOLE_ERRS, PART_ERRS, WHOLE_ERRS
from hinter_core.report.metrics.groups import GroupRate, by_attributes
from hinter_core.report.metrics.lattice import Overlap, circles, overlap_kinds
from hinter_core.report.metrics.priority import expected_faults
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.section import joined
from hinter_core.report.sections import lines_of
from hinter_core.statistics.format import percent
from hinter_core.statistics.rates import Rate
from hinter_core.types import Verdict

Figure = dict[str, Any]

# Middle tones, legible on white and on black.
COLOURS = ("#5b52e0", "#0e8a9e", "#b0632a", "#8a4fbe", "#4f8a3c", "#c2416c")
_GREEN, _RED, _PINK, _BROWN, _GREY = "#2f9461", "#c4202f", "#d9777c", "#b0632a", "#9a9ca6"
_OUTCOMES = {
    Verdict.BENIGN: _GREEN,
    Verdict.BIASED: _PINK,
    Verdict.HIDDEN: _RED,
    Verdict.DISCARDED: _GREY,
    Verdict.UNANSWERED: "#c49a3a",
}
_SLICES = {
    PART_ERRS: _PINK, NO_PART_ERRS: _RED, WHOLE_ERRS: _PINK, NO_WHOLE_ERRS: _BROWN,
}  # fmt: skip
_SCALE = [[0, "#eef0fb"], [0.25, "#c3bff2"], [0.6, "#8a4fbe"], [1, "#8f1330"]]
GRID = "rgba(128,128,128,.25)"
FEW = 10  # cases, below which a rate is hatched
_RATES = {"errors": "error rate, %", "sources": "texts with an error, %"}
BARE: dict[str, Any] = {
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "dragmode": False,
    "font": {"family": "inherit", "size": 13},
}
_CATEGORIES = {"automargin": True, "fixedrange": True, "type": "category"}
_DOWNWARDS = {**_CATEGORIES, "autorange": "reversed"}
_LEGEND_ABOVE = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}
_LEGEND_BELOW = {"orientation": "h", "x": 0.5, "xanchor": "center", "y": -0.04, "yanchor": "top"}


def _figure(
    data: list[dict[str, Any]], height: int, margin: tuple[int, int, int, int], **layout: Any
) -> Figure:
    """Return a figure; ``margin``: left, right, top and bottom."""
    margins = dict(zip("lrtb", margin, strict=True))
    return {"data": data, "layout": {**BARE, "height": height, "margin": margins, **layout}}


def _horizontal_bars(data: list[dict[str, Any]], height: int, title: str, **layout: Any) -> Figure:
    """Return a chart of horizontal bars."""
    x = {"title": {"text": title}, "rangemode": "tozero", "gridcolor": GRID, "fixedrange": True,
         "zeroline": False}  # fmt: skip
    shared = {"legend": _LEGEND_ABOVE, "xaxis": x, "yaxis": _DOWNWARDS}
    return _figure(data, height, (10, 20, 10, 40), **{**shared, **layout})


def bars(report: Report, rate: str = "errors") -> Figure | None:
    """Return error rates with their intervals: a bar for each model and set of attributes.

    With ``sources`` as ``rate``: the share of texts with an error (HInter, Figures 4b, 5b).
    """
    data = []
    every = [
        {line.name: own for line in lines_of(model) if (own := getattr(line, rate)).of}
        for model in report.models
    ]
    names = list(dict.fromkeys(name for rates in every for name in rates))
    labels = {name: _with_number(name, every) for name in names}
    for place, (model, rates) in enumerate(zip(report.models, every, strict=True)):
        shares = {name: 100 * own.share for name, own in rates.items() if own.share is not None}
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": _short(model.model),
                "y": [labels[name] for name in shares],
                "x": list(shares.values()),
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [_reach(rates[name].high, share) for name, share in shares.items()],
                    "arrayminus": [
                        -_reach(rates[name].low, share) for name, share in shares.items()
                    ],
                    "color": "#808490",
                    "thickness": 1.5,
                },
                "marker": {
                    "color": COLOURS[place % len(COLOURS)],
                    "pattern": {"shape": ["/" if rates[name].of < FEW else "" for name in shares]},
                },
                "customdata": [f"{rates[name].hits:,} of {rates[name].of:,}" for name in shares],
                "hovertemplate": "%{y}: %{x:.1f} % (%{customdata})<extra></extra>",
            }
        )
    if not names:
        return None
    several, thick = len(report.models) > 1, max(18, 16 * len(report.models))
    return _horizontal_bars(
        data,
        90 + 24 * several * len(report.models) + thick * 2 * len(names),
        _RATES[rate],
        barmode="group",
        showlegend=several,
        yaxis={**_DOWNWARDS, "categoryorder": "array", "categoryarray": list(labels.values())},
    )


def _with_number(name: str, every: Sequence[Mapping[str, Rate]]) -> str:
    """Return a label with the number of cases: that of all models, or the least and the most."""
    numbers = sorted({rates[name].of for rates in every if name in rates})
    least, most = numbers[0], numbers[-1]
    written = f"{least:,}" if least == most else f"{least:,}\u2013{most:,}"
    return f"{escape(name)} (n\u00a0{written})"


def _reach(bound: float | None, share: float) -> float:
    return 0.0 if bound is None else 100 * bound - share


def _short(name: str) -> str:
    return escape(name if len(name) <= 42 else name[:41] + "\u2026")


def heat_maps(model: ModelReport) -> list[tuple[str, Figure]]:
    """Return, for each pair of attributes, the error rates by target groups; most cases first."""
    pairs = by_attributes(group for group in model.groups if len(group.attributes) == 2)
    ordered = sorted(pairs.items(), key=lambda pair: -sum(group.errors.of for group in pair[1]))
    return [(joined(a), _heat_map(a, groups)) for a, groups in ordered]


def _heat_map(attributes: tuple[str, ...], groups: list[GroupRate]) -> Figure:
    down = sorted({group.groups[0] for group in groups})
    across = sorted({group.groups[1] for group in groups})
    cells = {group.groups: group for group in groups}
    if len(across) > len(down):  # the longer side goes down, to fit a narrow page
        down, across, attributes = across, down, attributes[::-1]
        cells = {group.groups[::-1]: group for group in groups}
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
        "text": [[_number(cells.get((y, x))) for x in across] for y in down],
        "texttemplate": "%{z:.0f}<br>%{text}",
        "customdata": texts,
        "hovertemplate": "%{y} \u00d7 %{x}: %{customdata}<extra></extra>",
        "hoverongaps": False,
        "xgap": 2,
        "ygap": 2,
        "colorbar": {"thickness": 10, "title": {"text": "%"}, "outlinewidth": 0},
    }
    title = {"text": f"turned into ({escape(attributes[1])})"}
    return _figure(
        [trace],
        150 + 40 * len(down),
        (10, 10, 10, 10),
        shapes=_hatch(
            [
                (column, row)
                for row, y in enumerate(down)
                for column, x in enumerate(across)
                if (cell := cells.get((y, x))) and cell.errors.of < FEW
            ]
        ),
        xaxis={**_CATEGORIES, "showgrid": False, "title": title},
        yaxis={**_DOWNWARDS, "showgrid": False},
    )


def _hatch(cells: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return strokes over cells, each by its column and row, as one shape; none without cells."""
    strokes = ((-0.5, 0, 0, -0.5), (-0.5, 0.5, 0.5, -0.5), (0, 0.5, 0.5, 0))
    path = "".join(f"M{x + a},{y + b}L{x + c},{y + d}" for x, y in cells for a, b, c, d in strokes)
    line = {"color": "rgba(90,92,105,.55)", "width": 1}
    return [{"type": "path", "path": path, "line": line}] if path else []


def _number(group: GroupRate | None) -> str:
    return f"n\u00a0{group.errors.of:,}" if group else ""


def _share(group: GroupRate | None) -> float | None:
    share = group.errors.share if group else None
    return None if share is None else 100 * share


def _cell(group: GroupRate | None) -> str:
    if group is None:
        return ""
    return f"{percent(group.errors)}, {group.errors.hits:,} of {group.errors.of:,}"


def flow(model: ModelReport) -> Figure | None:
    """Return the flow from atomic and intersectional mutants to verdicts; None without mutants."""
    sides = [line for line in (model.atomic, model.intersectional) if line.mutants]
    outcomes = [v for v in _OUTCOMES if any(line.verdicts[v.value] for line in sides)]
    if not sides:
        return None
    total = sum(line.mutants for line in sides)
    names = [f"{line.name}: {line.mutants:,}" for line in sides]
    for outcome in outcomes:
        number = sum(line.verdicts[outcome.value] for line in sides)
        names.append(f"{outcome.value}: {number:,} ({100 * number / total:.1f} %)")
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
    return _figure([trace], 320, (6, 6, 20, 20))


_ALL = ("all", "intersectional", "atomic")


def kept_pies(model: ModelReport) -> Figure | None:
    """Return Figure 7: kept and discarded mutants; all, intersectional and atomic ones."""
    positives = [p for p in model.positives if p.name in _ALL and p.kept + p.discarded]
    parts = [(p.name, {"kept": p.kept, "discarded": p.discarded}) for p in positives]
    return _pies(parts, {"kept": _GREEN, "discarded": _GREY})


def error_pies(model: ModelReport) -> Figure | None:
    """Return Figure 10: intersectional errors by their parts, atomic ones by their wholes."""
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
                "marker": {"colors": [colours.get(part, _GREY) for part in slices]},
                "textinfo": "percent",
                "textposition": "inside",
                "hovertemplate": "%{label}: %{value:,} (%{percent})<extra></extra>",
            }
        )
        notes.append(
            {"text": f"{escape(name)}: {sum(slices.values()):,}", "x": middle, "y": 1.0,
             "xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom",
             "showarrow": False}
        )  # fmt: skip
    return _figure(data, 320, (6, 6, 34, 6), annotations=notes, legend=_LEGEND_BELOW)


def positive_bars(model: ModelReport) -> Figure | None:
    """Return Figure 8: true and false positives; None if no discarded mutant was tested."""
    positives = [p for p in model.positives if p.name in _ALL]
    if not any(p.asked for p in positives):
        return None
    names = [escape(p.name) for p in positives]
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
            ("true positives", [p.true.hits for p in positives], _RED),
            ("false positives", [p.false.hits for p in positives], _GREY),
        )
    ]
    return _horizontal_bars(data, 110 + 44 * len(positives), "errors", barmode="stack")


def venns(model: ModelReport) -> list[tuple[str, Figure]]:
    """Return Figure 11 for each set: texts with errors by one change, by several, by both."""
    return [(joined(overlap.attributes), _venn(overlap)) for overlap in model.overlaps]


def _venn(overlap: Overlap) -> Figure:
    colours = {"alone": COLOURS[1], "together": COLOURS[0]}
    shapes = [
        {"type": "circle", "x0": at - radius, "x1": at + radius, "y0": -radius, "y1": radius,
         "fillcolor": colours[kind], "opacity": 0.35, "line": {"color": colours[kind], "width": 2}}
        for kind, at, radius in circles(overlap)
    ]  # fmt: skip
    words = "<br>".join(
        f"<span style='color:{colours.get(kind, 'transparent')}'>\u25cf</span> {number:,} {what}"
        for kind, number, what in overlap_kinds(overlap)
    )
    axis = {"visible": False, "fixedrange": True}
    return _figure(
        [{"type": "scatter", "x": [], "y": []}],  # empty, so that axes are drawn to scale
        330,
        (4, 4, 4, 90),
        shapes=shapes,
        annotations=[
            {"x": 0.5, "y": 0, "xref": "paper", "yref": "paper", "yanchor": "top", "text": words,
             "align": "left", "showarrow": False}
        ],
        xaxis={**axis, "range": [-2.1, 2.1]},
        yaxis={**axis, "range": [-1.1, 1.1], "scaleanchor": "x"},
    )  # fmt: skip


def curves(
    lines: Mapping[str, tuple[Sequence[float], Sequence[float], Sequence[float]]],
    along: Sequence[float],
    x_title: str,
    y_title: str,
    dashed: str = "",
    *,
    shares: bool = True,
) -> Figure:
    """Return curves of shares in percent, by name: mean, lower and upper end of a band.

    ``along``: their common x; a curve may end before. ``dashed``: the name of a curve that is drawn
    as a reference. Without ``shares`` they are of amounts.
    """
    written, unit = (_percent, " %") if shares else (_amounts, "")
    data: list[dict[str, Any]] = []
    for place, (name, (middle, low, high)) in enumerate(lines.items()):
        colour = _GREY if name == dashed else COLOURS[place % len(COLOURS)]
        x = list(along)[: len(middle)]
        shared = {"type": "scatter", "mode": "lines", "legendgroup": escape(name)}
        if name != dashed:
            data.append(
                {
                    **shared,
                    "x": x + x[::-1],
                    "y": written([*high, *list(low)[::-1]]),
                    "fill": "toself",
                    "fillcolor": colour + "26",
                    "line": {"width": 0},
                    "hoverinfo": "skip",
                    "showlegend": False,
                }
            )
        data.append(
            {
                **shared,
                "name": escape(name),
                "x": x,
                "y": written(middle),
                "line": {"color": colour, "width": 2, "dash": "dot" if name == dashed else "solid"},
                "hovertemplate": f"{escape(name)}: %{{y:.1f}}{unit} at %{{x:,}}<extra></extra>",
            }
        )
    axis = {"gridcolor": GRID, "fixedrange": True, "zeroline": False, "automargin": True}
    return _figure(
        data,
        420,
        (10, 20, 10, 40),
        legend=_LEGEND_ABOVE,
        xaxis={**axis, "title": {"text": escape(x_title)}, "rangemode": "tozero"},
        yaxis={**axis, "title": {"text": escape(y_title)}, "rangemode": "tozero"},
    )


def priority_figure(states: Mapping[str, PriorityState]) -> Figure:
    """Return each model's curve of faults by cases tested, with the expectation of a random order.

    One model has a band around the expectation.
    """
    along = sorted({cases for state in states.values() for cases, _ in state.curve} | {0})
    lines = {}
    for model, state in states.items():
        tested = [cases for cases in along if cases <= state.asked]
        faults_found = [float(faults) for faults in _steps(state, tested)]
        name = f"{model}, {state.order}" if len(states) > 1 else state.order
        lines[name] = (faults_found, faults_found, faults_found)
        expected = [one for one in (expected_faults(state, cases) for cases in tested) if one]
        if len(expected) == len(tested):
            middle, low, high = (list(one) for one in zip(*expected, strict=True))
            alone = len(states) == 1
            name = "at random, as expected" if alone else f"{model}, at random"
            lines[name] = (middle, low, high) if alone else (middle, middle, middle)
    return curves(lines, along, "cases asked", "changed answers found", shares=False)


def _steps(state: PriorityState, along: Sequence[int]) -> list[int]:
    """Return the number of faults at each number of cases."""
    cases = [0, *(number for number, _ in state.curve)]
    faults = [0, *(number for _, number in state.curve)]
    return [faults[bisect_right(cases, number) - 1] for number in along]


def _percent(shares: Sequence[float]) -> list[float]:
    return [round(100 * float(share), 3) for share in shares]


def _amounts(values: Sequence[float]) -> list[float]:
    return [round(float(value), 3) for value in values]


def every_figure(report: Report, model: ModelReport) -> dict[str, Figure]:
    """Return all charts that a report has of a model, and of all models, by name."""
    drawn = {
        "errors": bars(report),
        "texts with errors": bars(report, "sources"),
        "verdicts": flow(model),
        "kept": kept_pies(model),
        "true and false positives": positive_bars(model),
        "errors by parts": error_pies(model),
        **{f"groups of {name}": figure for name, figure in heat_maps(model)},
        **{f"errors by {name}": figure for name, figure in venns(model)},
        "priority": priority_figure({model.model: model.priority}) if model.priority else None,
    }
    return {name: figure for name, figure in drawn.items() if figure is not None}
