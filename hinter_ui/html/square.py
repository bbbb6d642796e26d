"""The intersectional square of a mutant, and the plot of its interaction.

The square has a card each for the original, the parts and the whole, with their answers: four
cards at order 2, the eight of the lattice at order 3, two for an atomic mutant.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from math import exp, log
from typing import TYPE_CHECKING, Any

from hinter_core.mutation.lattice import subsets
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestResult
from hinter_core.types import Edit, Outcome, Prediction, Splice, Verdict
from hinter_ui.html import glossary
from hinter_ui.html.marked import cut_around, spliced
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.wording import (
    SIGNS,
    Words,
    answer_of,
    capital,
    decimals,
    formatted,
    grouped,
    in_order,
    name_of,
    product,
    signed,
    term,
    translated,
)

if TYPE_CHECKING:
    from gradio.components.plot import PlotData

say = Words("check")

_MOST_BARS = 6
_LONG = 240  # characters; of longer texts, the words around the first changes are shown
_PLACES = 3
_LONGEST_REPLY = 2_000  # characters


def square(result: TestResult, judged: Outcome, model: str) -> Markup:
    """Draw all cards of one mutant for one model."""
    edits = in_order(judged.mutant.edits, result.plan.attributes)
    cards = [_original_card(result, edits, model)]
    compared = False
    for part in subsets(edits):
        outcome = result.find(model, part)
        compared |= bool(outcome and outcome.effect and outcome.effect.interaction is not None)
        whole = len(part) == len(edits)
        cards.append(_card(result, part, outcome, whole=whole, model=model))
    legend = tag("p", glossary.sentence(say, "square.legend"), class_="quiet") if compared else None
    kind = f"square order-{len(edits)}"
    heading = tag("h2", say("square.title"), class_="sr-only")
    return tag("div", heading, tag("div", *cards, class_=kind), legend, class_="square-wrap")


def original(result: TestResult, model: str) -> Markup:
    """Draw the card of the unchanged text alone."""
    card = _original_card(result, (), model)
    return tag("div", tag("div", card, class_="square order-1"), class_="square-wrap")


def _original_card(result: TestResult, edits: Sequence[Edit], model: str) -> Markup:
    text = result.plan.text
    spans = sorted((start, end, e.attribute) for e in edits for start, end in e.spans)
    terms = [Splice(a, b, text[a:b], "", 0, attribute) for a, b, attribute in spans]
    body = _text(result, terms, lambda splice: term(splice.old, splice.attribute))
    foot = tag("p", say("square.source"), class_="foot")
    return _frame(say("square.original"), body, foot, result.originals[model])


def _card(
    result: TestResult, part: Sequence[Edit], judged: Outcome | None, *, whole: bool, model: str
) -> Markup:
    names = product([name_of(edit.attribute) for edit in part])
    title = capital(say("square.only", name=capital(names)) if len(part) == 1 else names)
    if judged is None:
        foot = tag("p", say("square.untried"), class_="foot")
        return _frame(title, Markup(""), foot)
    body = _text(result, judged.mutant.splices, _mark)
    verdict = judged.verdict
    frame = verdict.value if whole or verdict in (Verdict.BIASED, Verdict.HIDDEN) else ""
    if whole:
        frame += " whole"
    foot = _foot(judged, result.originals[model], result.plan.settings)
    # The oracle says whether the answer is another one: that of a masked model, for instance, is
    # the same where another word is the likeliest by little.
    flipped = verdict in (Verdict.BIASED, Verdict.HIDDEN)
    return _frame(title, body, foot, judged.prediction, frame, flipped=flipped)


def _frame(
    title: str,
    body: Markup,
    foot: Markup,
    prediction: Prediction | None = None,
    frame: str = "",
    *,
    flipped: bool = False,
) -> Markup:
    kind = "answer flipped" if flipped else "answer"
    head = tag(
        "header", tag("h3", title), tag("span", isolated(answer_of(prediction)), class_=kind)
    )
    scores, reply = bars(prediction, flipped=flipped), _reply(prediction)
    return tag("article", head, body, scores, reply, foot, class_=f"card cell {frame}".strip())


def _reply(prediction: Prediction | None) -> Markup | None:
    """Quote a generative model's reply where it is more than the label."""
    if prediction is None or prediction.reply.strip() in ("", *prediction.labels):
        return None
    said = tag("blockquote", isolated(prediction.reply.strip()[:_LONGEST_REPLY]))
    return tag("details", tag("summary", say("square.said")), said, class_="reply")


def by_score(judged: Outcome, original: Prediction, settings: Settings) -> bool:
    """Whether the score tolerance alone makes the answer another one."""
    answer, set_to = judged.prediction, settings.score_tolerance
    same = answer is not None and set(answer.labels) == set(original.labels)
    return same and set_to is not None and judged.verdict in (Verdict.BIASED, Verdict.HIDDEN)


def _foot(judged: Outcome, original: Prediction, settings: Settings) -> Markup:
    if not judged.conformance.kept:
        reason = isolated(translated(judged.conformance.reason))
        sign = f"{SIGNS[Verdict.DISCARDED]} {say('square.discarded')}"
        return tag("p", tag("strong", sign), ": ", reason, class_="foot")
    parts: list[Markup | str] = [f"\u2713 {say('square.valid')}"]
    shift = shift_of(judged)
    match judged.verdict:
        case Verdict.UNANSWERED:
            parts.append(tag("strong", f"{SIGNS[judged.verdict]} {say('square.unanswered')}"))
        case Verdict.BENIGN:
            answer = judged.prediction
            other = answer is not None and set(answer.labels) != set(original.labels)
            same = say("square.within", most=settings.tolerance) if other else say("square.same")
            parts.append(f"{same}{shift}")
        case _:
            moved = by_score(judged, original, settings)
            words = say("square.moves", most=settings.score_tolerance) if moved else ""
            words = f"{SIGNS[judged.verdict]} {words or say('square.flips')}"
            flips = tag("strong", words, class_="alarm")
            parts.append(join([flips, shift]))
    if judged.effect and judged.effect.interaction is not None:
        parts.append(say("square.interaction", value=signed(judged.effect.interaction)))
    return tag("p", join(parts, " \u00b7 "), class_="foot")


def shift_of(judged: Outcome) -> str:
    """Write by how much the probability of the text's own label moves, or ""."""
    effect = judged.effect
    return f" ({effect.label} {signed(effect.shift)})" if effect else ""


def _text(
    result: TestResult, splices: Sequence[Splice], mark: Callable[[Splice], Markup]
) -> Markup:
    """Mark the edits of a text; a long one is cut around the first of them, and folded."""
    text = result.plan.text
    whole = spliced(text, splices, mark)
    if len(text) <= _LONG:
        return tag("p", whole, class_="mutant", dir="auto")
    shown, rest = splices[:_PLACES], splices[_PLACES:]
    stop = rest[0].start if rest else None
    part, left = cut_around(text, [(s.start, s.end, mark(s)) for s in shown], stop), len(rest)
    more = tag("span", " ", say.count("square.more", left), class_="quiet") if left else None
    full = tag("details", tag("summary", say("square.whole")), tag("p", whole, dir="auto"))
    return tag("div", tag("p", part, more, class_="mutant", dir="auto"), full)


def _mark(splice: Splice) -> Markup:
    if not splice.attribute:  # a mended article
        new = tag("ins", splice.new, class_="article")
    else:
        new = term(splice.new, splice.attribute, element="ins")
    return join([tag("del", splice.old), " ", new])


def bars(prediction: Prediction | None, *, flipped: bool = False) -> Markup | None:
    """Draw the scores of an answer as bars, the highest ones where there are many."""
    if prediction is None or not prediction.scores:
        return None
    scores = prediction.scores
    shown = list(scores)
    if len(shown) > _MOST_BARS:
        shown = sorted(shown, key=lambda x: -scores[x])[:_MOST_BARS]
    rows = []
    for label in shown:
        kind = "other" if label not in prediction.labels else "bad" if flipped else "good"
        rows.append(bar(isolated(label), scores[label], decimals(scores[label]), kind))
    if len(scores) > len(shown):
        rest = say.count("answers.lower", len(scores) - len(shown))
        rows.append(tag("li", rest, class_="quiet rest"))
    return tag("ul", *rows, class_="bars", aria_label=say("square.scores"))


def bar(label: object, share: float, value: object, kind: str = "good") -> Markup:
    """Draw one line of a bar chart: ``share`` is from 0 to 1."""
    fill = tag("span", class_=f"fill {kind}", style=f"width:{100 * share:.1f}%")
    return tag(
        "li",
        tag("span", label, class_="bar-label"),
        tag("span", fill, class_="bar", aria_hidden="true"),
        tag("span", value, class_="bar-value"),
    )


# -- the plot of an interaction -----------------------------------------------------------------

_TICKS = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
_INK = "#737886"
_MAIN = "#7068ea"
_ALARM = "#c8323f"
_EPSILON = 1e-4
_GRID = {"gridcolor": "rgba(128,128,128,.22)", "zeroline": False, "fixedrange": True}


def log_odds(p: float) -> float:
    """Return the log-odds of a probability, kept within the plot."""
    p = min(max(p, _EPSILON), 1 - _EPSILON)
    return log(p / (1 - p))


def probability(value: float) -> float:
    """Invert :func:`log_odds`."""
    return 1 / (1 + exp(-value))


def figure(result: TestResult, judged: Outcome, model: str) -> PlotData | None:
    """Plot the scores of a mutant and its parts on a log-odds scale; None where one is missing."""
    drawn = chart(result, judged, model)
    return as_plot(drawn, "hinter-interaction") if drawn else None


def as_plot(figure: Mapping[str, Any], name: str) -> PlotData:
    """Return a chart of plotly for the page; ``name``: that of its picture, without the ending."""
    from gradio.components.plot import PlotData  # a notebook shows the square without gradio

    config = {
        "toImageButtonOptions": {"filename": name, "scale": 2},
        "modeBarButtonsToRemove": ["select2d", "lasso2d"],
        "displaylogo": False,
    }
    number = grouped("1,000.5")  # of the language: its signs before decimals and thousands
    layout = {**figure["layout"], "separators": number[5] + number[1]}
    plot = json.dumps({**figure, "layout": layout, "config": config})
    return PlotData(type="plotly", plot=plot)


def chart(result: TestResult, judged: Outcome, model: str) -> dict[str, Any] | None:
    """Return this plot as plotly reads it in the page.

    Made of plain values: plotly's own classes check each of them, which takes as long as the rest
    of a check.
    """
    if judged.effect is None:
        return None
    edits = in_order(judged.mutant.edits, result.plan.attributes)
    label = judged.effect.label
    scores: dict[frozenset[Edit], float] = {frozenset(): result.originals[model].scores[label]}
    for part in subsets(edits):
        outcome = result.find(model, part)
        if outcome and outcome.prediction and label in outcome.prediction.scores:
            scores[frozenset(part)] = outcome.prediction.scores[label]
    if len(edits) == 2 and len(scores) == 4:
        return _interaction(scores, edits, label)
    return _dots(scores, edits, label)


def _interaction(
    scores: dict[frozenset[Edit], float], edits: tuple[Edit, ...], label: str
) -> dict[str, Any]:
    first, second = edits
    a, b = name_of(first.attribute), name_of(second.attribute)
    none, both = frozenset[Edit](), frozenset(edits)
    one, two = frozenset([first]), frozenset([second])
    xs = [say("plot.unchanged", name=a), say("plot.changed", name=a)]
    plain, changed = [scores[none], scores[one]], [scores[two], scores[both]]
    added = log_odds(scores[one]) + log_odds(scores[two]) - log_odds(scores[none])
    sum_of_parts = {
        "type": "scatter",
        "x": [xs[1]],
        "y": [added],
        "mode": "markers",
        "name": say("plot.added"),
        "marker": {"symbol": "diamond-open", "size": 14, "color": _INK, "line": {"width": 2}},
        "hovertemplate": f"{say('plot.added')}: {decimals(probability(added))}<extra></extra>",
    }
    lines = [
        _line(xs, plain, say("plot.unchanged", name=b), _MAIN, "circle", "solid"),
        _line(xs, changed, say("plot.changed", name=b), _ALARM, "square", "dash"),
        sum_of_parts,
    ]
    values = [log_odds(p) for p in (*plain, *changed)] + [added]
    across = {"type": "category", "range": [-0.25, 1.25], **_GRID, "showgrid": False}
    return _dressed(lines, "y", xaxis=across, yaxis=_score_axis(values, label))


def _line(
    xs: list[str], ps: list[float], name: str, colour: str, symbol: str, dash: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": xs,
        "y": [log_odds(p) for p in ps],
        "customdata": ps,
        "mode": "lines+markers",
        "name": name,
        "line": {"color": colour, "width": 2, "dash": dash},
        "marker": {"symbol": symbol, "size": 10, "color": colour},
        "hovertemplate": "%{x}, " + name + ": %{customdata:.3f}<extra></extra>",
    }


def _dots(
    scores: dict[frozenset[Edit], float], edits: tuple[Edit, ...], label: str
) -> dict[str, Any]:
    names, ps = [], []
    for part in [(), *subsets(edits)]:
        if frozenset(part) in scores:
            name = capital(product([name_of(e.attribute) for e in part]))
            names.append(name or say("square.original"))
            ps.append(scores[frozenset(part)])
    dots = {
        "type": "scatter",
        "x": [log_odds(p) for p in ps],
        "y": names,
        "customdata": ps,
        "mode": "markers",
        "marker": {"size": 12, "color": [_MAIN] * (len(ps) - 1) + [_ALARM]},
        "hovertemplate": "%{y}: %{customdata:.3f}<extra></extra>",
    }
    return _dressed(
        [dots],
        "x",
        height=110 + 30 * len(ps),
        xaxis=_score_axis([log_odds(p) for p in ps], label),
        yaxis={"type": "category", "autorange": "reversed", "automargin": True, **_GRID},
    )


def _dressed(data: list[dict[str, Any]], scale: str, **layout: Any) -> dict[str, Any]:
    """Return a plot with a line at even odds of the axis ``scale``."""
    other = "x" if scale == "y" else "y"
    even = {
        "type": "line", f"{scale}0": 0, f"{scale}1": 0, f"{other}0": 0, f"{other}1": 1,
        f"{other}ref": f"{other} domain", "line": {"color": _INK, "width": 1, "dash": "dot"},
    }  # fmt: skip
    common = {
        "height": 330,
        "margin": {"l": 60, "r": 20, "t": 16, "b": 40},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": _INK, "size": 13},
        "legend": {"orientation": "h", "y": -0.16, "x": 0},
        "showlegend": len(data) > 1,
        "dragmode": False,
        "shapes": [even],
    }
    return {"data": data, "layout": common | layout}


def _score_axis(values: list[float], label: str) -> dict[str, Any]:
    low, high = min(*values, log_odds(0.4)), max(*values, log_odds(0.6))
    room = 0.15 * (high - low)
    ticks = [p for p in _TICKS if low - room <= log_odds(p) <= high + room]
    return {
        "title": {"text": say("plot.probability", label=_plain(label))},
        "range": [low - room, high + room],
        "tickvals": [log_odds(p) for p in ticks],
        "ticktext": [formatted(p, "g") for p in ticks],
        **_GRID,
    }


def _plain(label: str) -> str:
    """Keep plotly from reading a label as one of the few HTML tags it knows."""
    return label.replace("<", "\u2039").replace(">", "\u203a")[:40]
