"""Format rates, differences, estimates and coefficients with their intervals."""

from __future__ import annotations

from hinter_core.statistics.agreement import Coefficient
from hinter_core.statistics.rates import Difference, Rate
from hinter_core.statistics.weighted import Estimate


def rate_in_words(rate: Rate) -> str:
    """Format ``12 of 80 (15.0 %, 95 % interval 9.0 to 24.4)``."""
    if rate.share is None:
        return "no case"
    words = f"{rate.hits:,} of {rate.of:,} ({100 * rate.share:.1f} %"
    if rate.low is not None and rate.high is not None:
        words += f", 95 % interval {100 * rate.low:.1f} to {100 * rate.high:.1f}"
    return words + ")"


def difference_in_words(difference: Difference) -> str:
    """Format ``3.1 points higher (95 % interval -0.4 to 6.6)``."""
    if difference.value is None:
        return "nothing to compare with"
    side = "lower" if difference.value < 0 else "higher"
    words = f"{100 * abs(difference.value):.1f} points {side}"
    if difference.low is not None and difference.high is not None:
        words += f" (95 % interval {100 * difference.low:+.1f} to {100 * difference.high:+.1f})"
    return words


def estimate_in_words(estimate: Estimate) -> str:
    """Format ``41.0 % (95 % interval 35.2 to 47.1)``, or the reason for a missing value."""
    if estimate.value is None:
        return f"not known, as {estimate.why}"
    words = f"{100 * estimate.value:.1f} %"
    if estimate.low is not None and estimate.high is not None:
        words += f" (95 % interval {100 * estimate.low:.1f} to {100 * estimate.high:.1f})"
    return words


def estimate_in_short(estimate: Estimate) -> str:
    """Format ``41.0 % [35.2, 47.1]`` for a table."""
    return _percent(estimate.value, estimate.low, estimate.high)


def percent(rate: Rate) -> str:
    """Format ``15.0 % [9.0, 24.4]`` for a table."""
    return _percent(rate.share, rate.low, rate.high)


def _percent(value: float | None, low: float | None, high: float | None) -> str:
    """Format a share; no-break spaces allow a line break before the bracket only."""
    if value is None:
        return "\u2013"
    words = f"{100 * value:.1f}\u00a0%"
    if low is None or high is None:
        return words
    return f"{words} [{100 * low:.1f},\u00a0{100 * high:.1f}]"


# Landis and Koch 1977, "The measurement of observer agreement for categorical data"; upper limits,
# inclusive.
_WORDS = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))


def coefficient_in_words(coefficient: Coefficient) -> str:
    """Format ``0.49 (95 % interval 0.41 to 0.57), moderate``, or why there is no value."""
    value, low, high, why = coefficient.value, coefficient.low, coefficient.high, coefficient.why
    if value is None:
        return f"not defined, as {why}"
    words = f"{value:z.2f}"
    if low is not None and high is not None:
        words += f" (95 % interval {low:z.2f} to {high:z.2f})"
    words += f", {strength(value)}"
    return f"{words}; no interval, as {why}" if why else words


def coefficient_in_short(coefficient: Coefficient) -> str:
    """Format ``0.49 [0.41, 0.57]`` for a table."""
    value, low, high = coefficient.value, coefficient.low, coefficient.high
    if value is None:
        return "\u2013"
    if low is None or high is None:
        return f"{value:z.2f}"
    return f"{value:z.2f} [{low:z.2f},\u00a0{high:z.2f}]"


def strength(value: float) -> str:
    """Name the strength of a kappa (Landis and Koch 1977, page 165, limits "arbitrary")."""
    if value < 0:
        return "poor"
    # Rounded as printed, so that "0.80" is never called almost perfect.
    shown = round(value, 2)
    return next((word for end, word in _WORDS if shown <= end), "almost perfect")


def p_in_words(p: float) -> str:
    """Format ``= 0.02`` or ``< 0.001``."""
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"
