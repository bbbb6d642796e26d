"""Scores as bars: the answer's own in colour, with the number beside each."""

from __future__ import annotations

from hinter_core.types import Prediction
from hinter_ui.present.markup import Markup, isolated, tag

_MOST_BARS = 6


def bars(
    prediction: Prediction | None, *, flipped: bool = False, title: str = "Scores"
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
        rows.append(tag("li", f"and {len(scores) - len(shown)} lower ones", class_="quiet rest"))
    return tag("ul", *rows, class_="bars", aria_label=title)
