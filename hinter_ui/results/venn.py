"""Two overlapping circles: texts that err by a single change, by changes together, by both."""

from __future__ import annotations

from math import acos, pi, sqrt

from hinter_core.report.model import Overlap
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import Words
from hinter_ui.html.words import name_of, product

_WIDE, _HIGH, _MOST = 320, 150, 58.0  # pixels; the larger circle's radius


def venn(overlap: Overlap, say: Words) -> Markup:
    """Circles whose areas, and whose overlap's, are in the ratio of the numbers."""
    alone = overlap.only_atomic + overlap.both
    together = overlap.only_together + overlap.both
    total = alone + overlap.only_together + overlap.neither
    name = product([name_of(attribute, say) for attribute in overlap.attributes])
    kinds = {
        "alone": overlap.only_atomic,
        "both": overlap.both,
        "together": overlap.only_together,
        "neither": overlap.neither,
    }
    words = say.count("overlaps.summary", total, **kinds)
    drawn = _circles(alone, together, overlap.both, words) if alone + together else None
    items = [
        tag("li", tag("span", class_=f"dot {kind}", aria_hidden="true"),
            tag("strong", f"{number:,}"), " ", say(f"overlaps.{kind}"))
        for kind, number in kinds.items()
    ]  # fmt: skip
    texts = say.count("overlaps.texts", total)
    title = tag("h4", name, tag("span", f" {texts}", class_="quiet-inline"))
    return tag("div", title, drawn, tag("ul", *items, class_="legend"), class_="venn")


def _circles(alone: int, together: int, both: int, words: str) -> Markup:
    scale = _MOST / sqrt(max(alone, together))
    first, second = scale * sqrt(alone), scale * sqrt(together)
    shared = pi * scale * scale * both
    apart = distance(first, second, shared)
    width = first + apart + second if apart > abs(first - second) else 2 * max(first, second)
    left = (_WIDE - width) / 2
    x = left + first if first + apart >= second else left + second - apart
    circles = [
        tag("circle", cx=f"{at:.1f}", cy=_HIGH / 2, r=f"{radius:.1f}", class_=kind)
        for at, radius, kind in ((x, first, "alone"), (x + apart, second, "together"))
        if radius
    ]
    box = f"0 0 {_WIDE} {_HIGH}"
    return tag("svg", *circles, viewBox=box, role="img", aria_label=words)


def distance(first: float, second: float, shared: float) -> float:
    """How far apart two circles of these radii lie, to share this area."""
    low, high = abs(first - second), first + second
    for _ in range(50):
        middle = (low + high) / 2
        if _shared(first, second, middle) > shared:
            low = middle
        else:
            high = middle
    return high if shared <= 0 else (low + high) / 2


def _shared(a: float, b: float, d: float) -> float:
    """The area that two circles share."""
    if d >= a + b:
        return 0.0
    if d <= abs(a - b):
        return pi * min(a, b) ** 2
    angle_a = acos(_within((d * d + a * a - b * b) / (2 * d * a)))
    angle_b = acos(_within((d * d + b * b - a * a) / (2 * d * b)))
    kite = (-d + a + b) * (d + a - b) * (d - a + b) * (d + a + b)
    return a * a * angle_a + b * b * angle_b - sqrt(max(0.0, kite)) / 2


def _within(value: float) -> float:
    return min(1.0, max(-1.0, value))
