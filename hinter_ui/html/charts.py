"""Scores as bars, and the plot of an interaction on a log-odds scale."""

from __future__ import annotations

from math import exp, log
from typing import Any

from hinter_core.mutation.lattice import subsets
from hinter_core.pipeline.case import TestResult
from hinter_core.types import Edit, Outcome, Prediction
from hinter_ui.html.markup import Markup, isolated, tag
from hinter_ui.html.wording import Words
from hinter_ui.html.words import capital, in_order, name_of, product, spoken

_MOST_BARS = 6


def bars(
    prediction: Prediction | None, *, flipped: bool = False, say: Words | None = None
) -> Markup | None:
    """The scores of an answer, the highest where there are many; nothing where there are none."""
    if prediction is None or not prediction.scores:
        return None
    scores = prediction.scores
    shown = list(scores)
    if len(shown) > _MOST_BARS:
        shown = sorted(shown, key=lambda x: -scores[x])[:_MOST_BARS]
    rows = []
    for label in shown:
        chosen = label in prediction.labels
        kind = ("bad" if flipped else "good") if chosen else "other"
        fill = tag("span", class_=f"fill {kind}", style=f"width:{100 * scores[label]:.1f}%")
        rows.append(
            tag(
                "li",
                tag("span", isolated(label), class_="bar-label"),
                tag("span", fill, class_="bar", aria_hidden="true"),
                tag("span", f"{scores[label]:.2f}", class_="bar-value"),
            )
        )
    if len(scores) > len(shown):
        rest = spoken(say).count("answers.lower", len(scores) - len(shown))
        rows.append(tag("li", rest, class_="quiet rest"))
    return tag("ul", *rows, class_="bars", aria_label=spoken(say)("square.scores"))


_TICKS = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
_INK = "#737886"
_MAIN = "#4f46e5"
_OTHER = "#0e7490"
_ALARM = "#c8323f"
_EPSILON = 1e-4
_GRID = {"gridcolor": "rgba(128,128,128,.22)", "zeroline": False, "fixedrange": True}


def log_odds(p: float) -> float:
    """Log-odds of a probability, kept within the plot."""
    p = min(max(p, _EPSILON), 1 - _EPSILON)
    return log(p / (1 - p))


def probability(value: float) -> float:
    """The inverse of :func:`log_odds`."""
    return 1 / (1 + exp(-value))


def figure(check: TestResult, judged: Outcome, model: str, say: Words | None = None) -> Any | None:
    """A plotly figure of the mutant and its parts; None where a score is missing."""
    say = spoken(say)
    edits = in_order(judged.mutant.edits, check.plan.attributes)
    if judged.effect is None:
        return None
    label = judged.effect.label
    scores: dict[frozenset[Edit], float] = {frozenset(): check.originals[model].scores[label]}
    for part in subsets(edits):
        result = check.find(model, part)
        if result and result.prediction and label in result.prediction.scores:
            scores[frozenset(part)] = result.prediction.scores[label]
    if len(edits) == 2 and len(scores) == 4:
        return _interaction(scores, edits, label, say)
    return _dots(scores, edits, label, say)


def _interaction(
    scores: dict[frozenset[Edit], float], edits: tuple[Edit, ...], label: str, say: Words
) -> Any:
    from plotly import graph_objects as go

    first, second = edits
    a, b = name_of(first.attribute, say), name_of(second.attribute, say)
    none, both = frozenset[Edit](), frozenset(edits)
    one, two = frozenset([first]), frozenset([second])
    xs = [say("plot.unchanged", name=a), say("plot.changed", name=a)]
    plain, changed = [scores[none], scores[one]], [scores[two], scores[both]]
    added = log_odds(scores[one]) + log_odds(scores[two]) - log_odds(scores[none])
    fig = go.Figure()
    fig.add_trace(_line(xs, plain, say("plot.unchanged", name=b), _MAIN, "circle", "solid"))
    fig.add_trace(_line(xs, changed, say("plot.changed", name=b), _ALARM, "square", "dash"))
    fig.add_trace(
        go.Scatter(
            x=[xs[1]],
            y=[added],
            mode="markers",
            name=say("plot.added"),
            marker={"symbol": "diamond-open", "size": 14, "color": _INK, "line": {"width": 2}},
            hovertemplate=f"{say('plot.added')}: {probability(added):.2f}<extra></extra>",
        )
    )
    values = [log_odds(p) for p in (*plain, *changed)] + [added]
    fig.add_hline(y=0, line={"color": _INK, "width": 1, "dash": "dot"})
    _dress(fig)
    fig.update_yaxes(**_score_axis(values, label, say))
    fig.update_xaxes(type="category", range=[-0.25, 1.25], **(_GRID | {"showgrid": False}))
    return fig


def _line(xs: list[str], ps: list[float], name: str, colour: str, symbol: str, dash: str) -> Any:
    from plotly import graph_objects as go

    return go.Scatter(
        x=xs,
        y=[log_odds(p) for p in ps],
        customdata=ps,
        mode="lines+markers",
        name=name,
        line={"color": colour, "width": 2, "dash": dash},
        marker={"symbol": symbol, "size": 10, "color": colour},
        hovertemplate="%{x}, " + name + ": %{customdata:.3f}<extra></extra>",
    )


def _dots(
    scores: dict[frozenset[Edit], float], edits: tuple[Edit, ...], label: str, say: Words
) -> Any:
    from plotly import graph_objects as go

    names, ps = [], []
    for part in [(), *subsets(edits)]:
        if frozenset(part) in scores:
            own = capital(product([name_of(e.attribute, say) for e in part]))
            names.append(own or say("square.original"))
            ps.append(scores[frozenset(part)])
    fig = go.Figure()
    fig.add_trace(
        go.Scatter(
            x=[log_odds(p) for p in ps],
            y=names,
            customdata=ps,
            mode="markers",
            marker={"size": 12, "color": [_MAIN] * (len(ps) - 1) + [_ALARM]},
            hovertemplate="%{y}: %{customdata:.3f}<extra></extra>",
        )
    )
    fig.add_vline(x=0, line={"color": _INK, "width": 1, "dash": "dot"})
    _dress(fig)
    fig.update_layout(height=110 + 30 * len(ps))
    fig.update_xaxes(**_score_axis([log_odds(p) for p in ps], label, say))
    fig.update_yaxes(type="category", autorange="reversed", automargin=True, **_GRID)
    return fig


def _dress(fig: Any) -> None:
    fig.update_layout(
        height=330,
        margin={"l": 60, "r": 20, "t": 16, "b": 40},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": _INK, "size": 13},
        legend={"orientation": "h", "y": -0.16, "x": 0},
        showlegend=len(fig.data) > 1,
        dragmode=False,
    )


def _score_axis(values: list[float], label: str, say: Words) -> dict[str, Any]:
    low, high = min(*values, log_odds(0.4)), max(*values, log_odds(0.6))
    room = 0.15 * (high - low)
    ticks = [p for p in _TICKS if low - room <= log_odds(p) <= high + room]
    return {
        "title": {"text": say("plot.probability", label=_plain(label))},
        "range": [low - room, high + room],
        "tickvals": [log_odds(p) for p in ticks],
        "ticktext": [f"{p:g}" for p in ticks],
        **_GRID,
    }


def _plain(label: str) -> str:
    """Plotly reads a few HTML tags in its texts; a label must not be one."""
    return label.replace("<", "\u2039").replace(">", "\u203a")[:40]
