"""Numbers with their uncertainty: rates, their differences, and many comparisons at once.

The formulas are those of statsmodels and scipy; this module says which one is used for what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinter_core.statistics.agreement import Coefficient
from hinter_core.statistics.rates import Difference, Rate
from hinter_core.statistics.weighted import Estimate

if TYPE_CHECKING:
    pass


if TYPE_CHECKING:
    pass


if TYPE_CHECKING:
    pass


def rate_in_words(rate: Rate) -> str:
    """``12 of 80 (15.0 %, 95 % interval 9.0 to 24.4)``."""
    if rate.share is None:
        return "no case"
    words = f"{rate.hits:,} of {rate.of:,} ({100 * rate.share:.1f} %"
    if rate.low is not None and rate.high is not None:
        words += f", 95 % interval {100 * rate.low:.1f} to {100 * rate.high:.1f}"
    return words + ")"


def difference_in_words(found: Difference) -> str:
    """``3.1 points higher (95 % interval -0.4 to 6.6)``."""
    if found.value is None:
        return "nothing to compare with"
    side = "lower" if found.value < 0 else "higher"
    words = f"{100 * abs(found.value):.1f} points {side}"
    if found.low is not None and found.high is not None:
        words += f" (95 % interval {100 * found.low:+.1f} to {100 * found.high:+.1f})"
    return words


def estimate_in_words(found: Estimate) -> str:
    """``41.0 % (95 % interval 35.2 to 47.1)``, or why there is none."""
    if found.value is None:
        return f"not known, as {found.why}"
    words = f"{100 * found.value:.1f} %"
    if found.low is not None and found.high is not None:
        words += f" (95 % interval {100 * found.low:.1f} to {100 * found.high:.1f})"
    return words


def estimate_in_short(found: Estimate) -> str:
    """``41.0 % [35.2, 47.1]`` for a table."""
    if found.value is None:
        return "\u2013"
    words = f"{100 * found.value:.1f}\u00a0%"
    if found.low is not None and found.high is not None:
        words += f" [{100 * found.low:.1f},\u00a0{100 * found.high:.1f}]"
    return words


# Landis and Koch 1977, "The measurement of observer agreement for categorical data"; the upper end
# of each is part of it.
_WORDS = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))


def coefficient_in_words(found: Coefficient) -> str:
    """``0.49 (95 % interval 0.41 to 0.57), moderate``, or why there is none."""
    if found.value is None:
        return f"not defined, as {found.why}"
    words = f"{found.value:z.2f}"
    if found.low is not None and found.high is not None:
        words += f" (95 % interval {found.low:z.2f} to {found.high:z.2f})"
    words += f", {strength(found.value)}"
    return f"{words}; no interval, as {found.why}" if found.why else words


def coefficient_in_short(found: Coefficient) -> str:
    """``0.49 [0.41, 0.57]`` for a table."""
    if found.value is None:
        return "\u2013"
    if found.low is None or found.high is None:
        return f"{found.value:z.2f}"
    return f"{found.value:z.2f} [{found.low:z.2f},\u00a0{found.high:z.2f}]"


def strength(value: float) -> str:
    """The word for a kappa (Landis and Koch 1977, page 165); they call it arbitrary themselves."""
    if value < 0:
        return "poor"
    # Rounded as it is printed, so that 0.80 is not called almost perfect for its third digit.
    shown = round(value, 2)
    return next((word for end, word in _WORDS if shown <= end), "almost perfect")


def percent(rate: Rate) -> str:
    """``15.0 % [9.0, 24.4]``, which a page breaks before the bracket only."""
    if rate.share is None:
        return "\u2013"
    share = f"{100 * rate.share:.1f}\u00a0%"
    if rate.low is None or rate.high is None:
        return share
    return f"{share} [{100 * rate.low:.1f},\u00a0{100 * rate.high:.1f}]"


def p_in_words(p: float) -> str:
    """``= 0.02`` or ``< 0.001``."""
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"
