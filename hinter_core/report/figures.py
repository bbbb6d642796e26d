"""Charts of a report: the page and the app draw them without a script, plotly for notebooks.

A page thus prints as it looks, and weighs a thirtieth of one with plotly. Each chart has a
``kind``, for which ``assets/html/parts.html`` has a macro and :func:`plot` a trace: ``bars`` (rates
with intervals), ``stacks`` (shares of a whole), ``grid`` (a heat map) or ``lines`` (curves).
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from textwrap import wrap
from typing import Any

from hinter_core.campaign.record import PriorityState
from hinter_core.report.counts import (
    NO_PART_ERRS,
    NO_WHOLE,
    NO_WHOLE_ERRS,
    PART_ERRS,
    WHOLE_ERRS,
)
from hinter_core.report.metrics.groups import GroupRate
from hinter_core.report.metrics.lattice import Overlap, circles, overlap_kinds
from hinter_core.report.metrics.priority import expected_faults
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.section import ARROW, gathered, joined
from hinter_core.report.sections import lines_of
from hinter_core.statistics.format import percent
from hinter_core.statistics.rates import Rate
from hinter_core.types import Verdict

Chart = dict[str, Any]
Figure = dict[str, Any]  # of plotly: {"data": [...], "layout": {...}}
Band = tuple[Sequence[float], Sequence[float], Sequence[float]]  # mean, lower and upper end
Parts = list[tuple[str, str, int]]  # name, colour and number of each

# Middle tones: 3 to 1 and more against the page and its cards, in the light and in the dark.
COLOURS = ("#7068ea", "#0e8a9e", "#b0632a", "#8a4fbe", "#4f8a3c", "#c2416c")
_GREEN, _RED, _PINK, _BROWN, _GREY = "#2f9461", "#cc2d3d", "#d17176", "#b0632a", "#85878f"
_OUTCOMES = {
    Verdict.BENIGN: _GREEN,
    Verdict.BIASED: _PINK,
    Verdict.HIDDEN: _RED,
    Verdict.DISCARDED: _GREY,
    Verdict.UNANSWERED: "#a67f26",
}
_SLICES = {
    PART_ERRS: _PINK, NO_PART_ERRS: _RED, WHOLE_ERRS: COLOURS[1], NO_WHOLE_ERRS: _BROWN,
    NO_WHOLE: COLOURS[3],
}  # fmt: skip
_SCALE = [[0, "#eef0fb"], [0.25, "#c3bff2"], [0.6, "#8a4fbe"], [1, "#8f1330"]]
GRID = "rgba(128,128,128,.25)"
FEW = 10  # cases, below which a rate is hatched
_RATES = {"errors": "error rate, %", "sources": "texts with an error, %"}
_WIDTH, _HEIGHT = 640.0, 260.0  # of curves
_TITLE, _LINE = 70, 24  # characters of a line of a title or legend, and its pixels
_MARK = 12  # characters as wide as a mark and the gaps of an entry of a legend


def bars(report: Report, rate: str = "errors") -> Chart | None:
    """Return error rates with their intervals: a bar for each model and set of attributes.

    With ``sources`` as ``rate``: the share of texts with an error (HInter, Figures 4b, 5b).
    """
    every = [
        {line.name: value for line in lines_of(model) if (value := getattr(line, rate)).of}
        for model in report.models
    ]
    names = list(dict.fromkeys(name for rates in every for name in rates))
    if not names:
        return None
    texts = [
        {line.name: line.sources for line in lines_of(model)}
        for model in report.models
        if rate != "sources"
    ]
    top = _top(
        max(value.share or 0.0, value.high or 0.0) for rates in every for value in rates.values()
    )
    top /= 100
    models = [(_short(one.model), COLOURS[n % len(COLOURS)]) for n, one in enumerate(report.models)]
    both = list(zip(models, every, strict=True))
    rows = [
        (
            _with_number(name, every, texts),
            [bar(*model, rates[name], top) for model, rates in both if name in rates],
        )
        for name in names
    ]
    legend = models if len(models) > 1 else []
    return {"kind": "bars", "rows": rows, "legend": legend, "title": _RATES[rate]}


def bar(name: str, colour: str, rate: Rate, top: float) -> dict[str, Any]:
    """Return a rate that is drawn with its interval, in percent of the share at the ``top``."""
    share = rate.share or 0.0
    low, high = (share if end is None else end for end in (rate.low, rate.high))
    width, begin, rest = (f"{100 * end / top:.1f}%" for end in (share, low, top - high))
    return {
        "name": name, "colour": colour, "value": f"{100 * share:.1f}\u00a0%",
        "of": f"{rate.hits:,} of {rate.of:,}", "few": rate.of < FEW, "width": width, "low": begin,
        "rest": rest, "rate": rate, "percent": (100 * share, 100 * low, 100 * high),
    }  # fmt: skip


def _top(values: Iterable[float], unit: float = 100.0) -> float:
    """Return a round number that is no less than any of the values, in ``unit`` of one."""
    most = unit * max(values, default=0.0) or 1.0
    step = 10.0 ** floor(log10(most))
    return next(n * step for n in (1, 2, 2.5, 5, 10) if n * step >= most - 1e-9)


def _with_number(
    name: str, every: Sequence[Mapping[str, Rate]], texts: Sequence[Mapping[str, Rate]]
) -> str:
    """Return a label with the numbers of cases, and of their texts if given."""
    written = _number(name, every)
    if texts:
        number = _number(name, texts)
        written += " in 1 text" if number == "1" else f" in {number} texts"
    return f"{name} (n\u00a0{written})"


def _number(name: str, every: Sequence[Mapping[str, Rate]]) -> str:
    """Return the number of cases: that of all models, or the least and the most."""
    numbers = sorted({rates[name].of for rates in every if name in rates})
    least, most = numbers[0], numbers[-1]
    return f"{least:,}" if least == most else f"{least:,}\u2013{most:,}"


def _short(name: str) -> str:
    return name if len(name) <= 42 else name[:41] + "\u2026"


def heat_maps(model: ModelReport) -> list[tuple[str, Chart]]:
    """Return, for each pair of attributes, the error rates by target groups; most cases first."""
    several = (group for group in model.groups if len(group.attributes) == 2)
    pairs = gathered(several, lambda group: group.attributes)
    ordered = sorted(pairs.items(), key=lambda pair: -sum(group.errors.of for group in pair[1]))
    return [(joined(a), _heat_map(a, groups)) for a, groups in ordered]


def _heat_map(attributes: tuple[str, ...], groups: list[GroupRate]) -> Chart:
    cells = {group.groups: group for group in groups}
    down, across = (sorted({names[side] for names in cells}) for side in (0, 1))
    if len(across) > len(down):  # the longer side goes down, to fit a narrow page
        down, across, attributes = across, down, attributes[::-1]
        cells = {names[::-1]: group for names, group in cells.items()}
    top = max(1.0, *(100 * (group.errors.share or 0.0) for group in groups))
    return {
        "kind": "grid",
        "heads": across,
        "rows": [(y, [_cell(cells.get((y, x)), top) for x in across]) for y in down],
        "across": f"turned into ({attributes[1]})",
        "top": top,
    }


def _cell(group: GroupRate | None, top: float) -> dict[str, Any] | None:
    if group is None or group.errors.share is None:
        return None
    rate, share = group.errors, 100 * group.errors.share
    return {
        "value": f"{share:.0f}", "number": f"n\u00a0{rate.of:,}", "few": rate.of < FEW,
        "heat": f"{share / top:.2f}", "percent": share,
        "words": f"{percent(rate)}, {rate.hits:,} of {rate.of:,}{ARROW * bool(group.to)}{group.to}",
        "to": group.to,
    }  # fmt: skip


def flow(model: ModelReport) -> Chart | None:
    """Return the verdicts of atomic and intersectional mutants; None without mutants."""
    return _stacks(
        (line.name, [(one.value, _OUTCOMES[one], line.verdicts[one.value]) for one in _OUTCOMES])
        for line in (model.atomic, model.intersectional)
        if line.mutants
    )


_ALL = ("all", "intersectional", "atomic")


def kept_pies(model: ModelReport) -> Chart | None:
    """Return Figure 7: kept and discarded mutants; all, intersectional and atomic ones."""
    return _stacks(
        (p.name, [("kept", _GREEN, p.kept), ("discarded", _GREY, p.discarded)])
        for p in model.positives
        if p.name in _ALL and p.kept + p.discarded
    )


def error_pies(model: ModelReport) -> Chart | None:
    """Return Figure 10: intersectional errors by their parts, atomic ones by their wholes."""
    return _stacks(
        (f"{p.name} errors", [(part, _SLICES.get(part, _GREY), n) for part, n in p.slices.items()])
        for p in model.pies
        if not p.attributes
    )


def positive_bars(model: ModelReport) -> Chart | None:
    """Return Figure 8: true and false positives; None if no discarded mutant was tested."""
    positives = [p for p in model.positives if p.name in _ALL]
    if not any(p.asked for p in positives):
        return None
    return _stacks(
        (p.name, [("true positives", _RED, p.true.hits), ("false positives", _GREY, p.false.hits)])
        for p in positives
    )


def _stacks(rows: Iterable[tuple[str, Parts]]) -> Chart | None:
    made = [_stack(name, parts) for name, parts in rows]
    return {"kind": "stacks", "rows": made} if made else None


def _stack(name: str, parts: Parts) -> dict[str, Any]:
    total = sum(number for *_, number in parts)
    shown = [
        {"name": part, "colour": colour, "share": f"{100 * number / total:.1f}\u00a0%",
         "width": f"{100 * number / total:.2f}%", "number": f"{number:,}", "of": number}
        for part, colour, number in parts
        if number
    ]  # fmt: skip
    return {"name": name, "total": f"{total:,}", "parts": shown}


def curves(
    lines: Mapping[str, Band],
    along: Sequence[float],
    x_title: str,
    y_title: str,
    dashed: str = "",
    *,
    shares: bool = True,
) -> Chart:
    """Return curves of shares in percent, by name, each with its band.

    ``along``: their common x; a curve may end before. ``dashed``: the name of a curve that is drawn
    as a reference. Without ``shares`` they are of amounts.
    """
    unit = 100 if shares else 1
    drawn = []
    for place, (name, ends) in enumerate(lines.items()):
        colour = _GREY if name == dashed else COLOURS[place % len(COLOURS)]
        middle, low, high = ([round(unit * float(y), 3) for y in end] for end in ends)
        x = list(along)[: len(middle)]
        around = (x + x[::-1], high + low[::-1]) if name != dashed else None
        drawn.append((name, colour, (x, middle), around))
    every = [part for *_, curve, band in drawn for part in (curve, band) if part]
    right, top = (_top((n for part in every for n in part[side]), 1) for side in (0, 1))

    def points(part: tuple[list[float], list[float]]) -> str:
        return " ".join(
            f"{_WIDTH * x / right:.1f},{_HEIGHT * (1 - y / top):.1f}"
            for x, y in zip(*part, strict=True)
        )

    return {
        "kind": "lines",
        "bands": [(points(band), colour + "26") for _, colour, _, band in drawn if band],
        "curves": [
            (points(values), colour, name == dashed, name) for name, colour, values, _ in drawn
        ],
        "right": f"{right:,g}",
        "top": f"{top:,g}",
        "across": x_title,
        "up": y_title,
        "drawn": drawn,
        "unit": " %" if shares else "",
    }


def priority_figure(states: Mapping[str, PriorityState]) -> Chart:
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


BARE: dict[str, Any] = {
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "dragmode": False,
    "font": {"family": "system-ui, sans-serif", "size": 13},
    "margin": {"l": 10, "r": 20, "t": 10, "b": 40},
    "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
}
_NUMBERS = {"automargin": True, "fixedrange": True, "gridcolor": GRID, "rangemode": "tozero",
            "zeroline": False}  # fmt: skip
_CATEGORIES = {"automargin": True, "fixedrange": True, "type": "category"}
_DOWNWARDS = {**_CATEGORIES, "autorange": "reversed"}


def plot(chart: Chart) -> Figure:
    """Return a chart as plain values for plotly.

    Plotly interprets a few tags in texts, so all texts from data are escaped.
    """
    data, layout = {"bars": _of_bars, "stacks": _of_stacks, "grid": _of_grid, "lines": _of_lines}[
        chart["kind"]
    ](chart)
    return {"data": data, "layout": {**BARE, **layout}}


def titled(figure: Figure, title: str) -> Figure:
    """Return a figure of plotly with a title above it, in lines that fit a page."""
    lines = wrap(escape(title), _TITLE)
    layout = figure["layout"]
    names = [one.get("name", "") for one in figure["data"] if one.get("showlegend", True)]
    legend = layout.get("showlegend", len(names) > 1)
    rows = ceil(sum(len(name) + _MARK for name in names) / _TITLE) if legend else 0
    room = _LINE * (len(lines) + rows)
    shown = {"text": "<br>".join(lines), "x": 0.02, "xanchor": "left", "y": 1, "yanchor": "top",
             "yref": "container", "pad": {"t": 10}, "font": {"size": 15}}  # fmt: skip
    margin = {**layout["margin"], "t": layout["margin"]["t"] + room}
    height = layout["height"] + room
    return {**figure, "layout": {**layout, "title": shown, "margin": margin, "height": height}}


_Plot = tuple[list[dict[str, Any]], dict[str, Any]]


def _horizontal(title: str, rows: int, mode: str) -> dict[str, Any]:
    return {
        "barmode": mode,
        "height": 90 + 44 * rows,
        "xaxis": {**_NUMBERS, "title": {"text": title}},
        "yaxis": _DOWNWARDS,
    }


def _bars_of(
    every: Iterable[tuple[str, dict[str, Any]]],
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield a trace for each name and colour of bars, and its bars; each stands at a label."""
    traces = gathered(every, lambda one: (one[1]["name"], one[1]["colour"]))
    for (name, colour), placed in traces.items():
        labels = [escape(label) for label, _ in placed]
        same = {"type": "bar", "orientation": "h", "name": escape(name), "y": labels}
        yield {**same, "marker": {"color": colour}}, [shown for _, shown in placed]


def _of_bars(chart: Chart) -> _Plot:
    every = [(label, one) for label, parts in chart["rows"] for one in parts]
    data = []
    for trace, parts in _bars_of(every):
        ends = [one["percent"] for one in parts]
        trace["marker"]["pattern"] = {"shape": ["/" if one["few"] else "" for one in parts]}
        error = {
            "type": "data",
            "symmetric": False,
            "array": [high - share for share, _, high in ends],
            "arrayminus": [share - low for share, low, _ in ends],
            "color": "#808490",
            "thickness": 1.5,
        }
        more = {"x": [share for share, *_ in ends], "customdata": [one["of"] for one in parts]}
        hover = "%{y}: %{x:.1f} % (%{customdata})<extra></extra>"
        data.append({**trace, **more, "error_x": error, "hovertemplate": hover})
    layout = _horizontal(chart["title"], len(every), "group")
    order = {"categoryorder": "array", "categoryarray": [escape(one) for one, _ in chart["rows"]]}
    shown = bool(chart["legend"])
    return data, {**layout, "showlegend": shown, "yaxis": {**_DOWNWARDS, **order}}


def _of_stacks(chart: Chart) -> _Plot:
    every = [(row["name"], part) for row in chart["rows"] for part in row["parts"]]
    data = [
        {**trace, "x": [part["of"] for part in parts], "text": [part["number"] for part in parts],
         "customdata": [part["share"] for part in parts],
         "hovertemplate": "%{y}: %{x:,} (%{customdata})"}
        for trace, parts in _bars_of(every)
    ]  # fmt: skip
    return data, _horizontal("", len(chart["rows"]), "stack")


def _lines_of(cell: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{cell['percent']:.0f}", cell["number"])
    if cell["to"]:
        yield escape(ARROW.lstrip() + cell["to"])


def _of_grid(chart: Chart) -> _Plot:
    def each(part: str) -> list[list[Any]]:
        return [[cell and cell[part] for cell in cells] for _, cells in chart["rows"]]

    trace = {
        "type": "heatmap",
        "x": list(map(escape, chart["heads"])),
        "y": [escape(name) for name, _ in chart["rows"]],
        "z": each("percent"),
        "zmin": 0,
        "zmax": chart["top"],
        "colorscale": _SCALE,
        # plotly would write "null" into a cell without a case.
        "text": [
            [(one and "<br>".join(_lines_of(one))) or "" for one in cells]
            for _, cells in chart["rows"]
        ],
        "texttemplate": "%{text}",
        "customdata": each("words"),
        "hovertemplate": "%{y} \u00d7 %{x}: %{customdata}<extra></extra>",
        "hoverongaps": False,
        "xgap": 2,
        "ygap": 2,
        "colorbar": {"thickness": 10, "title": {"text": "%"}, "outlinewidth": 0},
    }
    few = [(x, y) for y, cells in enumerate(each("few")) for x, few in enumerate(cells) if few]
    return [trace], {
        "height": 150 + 40 * len(chart["rows"]),
        "shapes": _hatch(few),
        "xaxis": {**_CATEGORIES, "showgrid": False, "title": {"text": escape(chart["across"])}},
        "yaxis": {**_DOWNWARDS, "showgrid": False},
    }


def _hatch(cells: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return strokes over cells, each by its column and row, as one shape; none without cells."""
    strokes = ((-0.5, 0, 0, -0.5), (-0.5, 0.5, 0.5, -0.5), (0, 0.5, 0.5, 0))
    path = "".join(f"M{x + a},{y + b}L{x + c},{y + d}" for x, y in cells for a, b, c, d in strokes)
    line = {"color": "rgba(90,92,105,.55)", "width": 1}
    return [{"type": "path", "path": path, "line": line}] if path else []


def _of_lines(chart: Chart) -> _Plot:
    data: list[dict[str, Any]] = []
    for name, colour, (x, y), band in chart["drawn"]:
        shared = {"type": "scatter", "mode": "lines", "name": escape(name),
                  "legendgroup": escape(name)}  # fmt: skip
        if band:
            data.append(
                {**shared, "x": band[0], "y": band[1], "fill": "toself", "fillcolor": colour + "26",
                 "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
            )  # fmt: skip
        line = {"color": colour, "width": 2, "dash": "solid" if band else "dot"}
        hover = f"{escape(name)}: %{{y:.1f}}{chart['unit']} at %{{x:,}}<extra></extra>"
        data.append({**shared, "x": x, "y": y, "line": line, "hovertemplate": hover})
    titles = {"xaxis": chart["across"], "yaxis": chart["up"]}
    axes = {axis: {**_NUMBERS, "title": {"text": escape(one)}} for axis, one in titles.items()}
    return data, {"height": 420, **axes}


def venn(overlap: Overlap) -> Figure:
    """Return Figure 11 for plotly: texts with errors by one change, by several, by both."""
    # Where both circles lie, their colours mix.
    colours = {"alone": COLOURS[1], "together": COLOURS[0], "both": "#3f79c4"}
    shapes = [
        {"type": "circle", "x0": at - radius, "x1": at + radius, "y0": -radius, "y1": radius,
         "fillcolor": colours[kind], "opacity": 0.35, "line": {"color": colours[kind], "width": 2}}
        for kind, at, radius in circles(overlap)
    ]  # fmt: skip
    words = "<br>".join(
        f"<span style='color:{colours.get(kind, 'transparent')}'>\u25cf</span> {number:,} {what}"
        for kind, number, what in overlap_kinds(overlap)
        if number
    )
    below = {"x": 0.5, "y": 0, "xref": "paper", "yref": "paper", "yanchor": "top", "text": words,
             "align": "left", "showarrow": False}  # fmt: skip
    axis = {"visible": False, "fixedrange": True}
    layout = {
        "height": 330,
        "margin": {"l": 4, "r": 4, "t": 4, "b": 90},
        "shapes": shapes,
        "annotations": [below],
        "xaxis": {**axis, "range": [-2.1, 2.1]},
        "yaxis": {**axis, "range": [-1.1, 1.1], "scaleanchor": "x"},
    }
    # Empty, so that axes are drawn to scale.
    return {"data": [{"type": "scatter", "x": [], "y": []}], "layout": {**BARE, **layout}}
