"""Lines and fields of charts stand out from what is behind them by 3 to 1 (WCAG 2, 1.4.11)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hinter_core.report import figures
from hinter_ui.html import square
from hinter_ui.shell import STYLES, theme

# Tints of a scale or of a stream between two fields, and lines that help to read; numbers stand
# beside all of them.
_HELP = {figures.GRID, *(colour for _, colour in figures._SCALE)}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def colours_of(module: Any) -> set[str]:
    """All solid colours that a module names."""
    with open(module.__file__, encoding="utf-8") as code:
        return set(re.findall(r'"(#[0-9a-f]{6})"', code.read())) - _HELP


def test_black_on_white_is_21_to_1() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("dark", ["", "_dark"])
def test_numbers_of_a_heat_map_stand_out_from_each_tint(dark: str) -> None:
    """By 4.5 to 1 (WCAG 2, 1.4.3)."""
    drawing = (STYLES / "drawing.css").read_text(encoding="utf-8")
    rule = re.search(r"\.heat \{.*?(#\w{6}) calc\(var\(--heat\) \* (\d+)%", drawing)
    assert rule
    look, share = theme(), int(rule[2]) / 100
    ink = getattr(look, f"body_text_color{dark}")
    card = getattr(look, f"block_background_fill{dark}")
    for heat in range(11):
        part = share * heat / 10
        assert contrast(ink, _mixed(rule[1], card, part)) >= 4.5, heat


def _mixed(one: str, other: str, part: float) -> str:
    pairs = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(a * part + b * (1 - part)):02x}" for a, b in pairs)


@pytest.mark.parametrize("module", [figures, square])
def test_lines_of_plots_stand_out_in_the_light_and_in_the_dark(module: Any) -> None:
    drawn, look = colours_of(module), theme()
    behind = [
        getattr(look, f"{place}_background_fill{dark}")
        for place in ("body", "block")
        for dark in ("", "_dark")
    ]
    assert len(drawn) > 2
    faint = {
        (colour, ground): round(contrast(colour, ground), 2)
        for colour in drawn
        for ground in behind
        if contrast(colour, ground) < 3
    }
    assert faint == {}
