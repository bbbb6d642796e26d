"""Format rates, differences, estimates and coefficients with their intervals."""

from collections.abc import Callable

from hinter_core.statistics.agreement import Coefficient
from hinter_core.statistics.rates import Difference, Estimate, Rate

NO_SIDE = "neither lower nor higher"
_NONE = "\u2013"
_Write = Callable[[float], str]
_SMALL, _NOTHING = 0.0005, 1e-9  # a share that would be written as none; what sums are off by
_figure: _Write = "{:z.2f}".format
_exact_figure: _Write = "{:z.3f}".format


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _share(value: float) -> str:
    """Format a share in percent; what is not nothing, or not all, does not read so."""
    if _NOTHING < value < _SMALL:
        return "<0.1"
    return ">99.9" if _NOTHING < 1 - value < _SMALL else _percent(value)


def _points(value: float) -> str:
    return f"{100 * value:+.1f}".replace("-", "\u2212")


def _interval(estimate: Rate | Difference | Estimate | Coefficient, write: _Write) -> str:
    """Format ``95 % interval 9.0 to 24.4``, or nothing."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"95 % interval {write(estimate.low)} to {write(estimate.high)}"


def _in_short(
    estimate: Rate | Difference | Estimate | Coefficient, value: str, write: _Write
) -> str:
    """Format ``15.0 % [9.0, 24.4]``, which a page breaks before the bracket only."""
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} [{write(estimate.low)},\u00a0{write(estimate.high)}]"


def _cell(estimate: Difference | Coefficient, write: _Write) -> str:
    value = estimate.value
    return _NONE if value is None else _in_short(estimate, write(value), write)


def _with_interval(estimate: Difference | Estimate | Coefficient, value: str, write: _Write) -> str:
    interval = _interval(estimate, write)
    return f"{value} ({interval})" if interval else value


def rate_in_words(rate: Rate) -> str:
    """Format ``12 of 80 (15.0 %, 95 % interval 9.0 to 24.4)``."""
    if rate.share is None:
        return "no case"
    parts = [f"{_share(rate.share)} %", _interval(rate, _share)]
    return f"{rate.hits:,} of {rate.of:,} ({', '.join(filter(None, parts))})"


def share_in_words(share: float | None) -> str:
    """Format ``15.0 %``."""
    return _NONE if share is None else f"{_share(share)}\u00a0%"


def counted(number: int, noun: str) -> str:
    """Format ``1 case`` or ``1,200 cases``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def hidden_in_words(hidden: Rate) -> str:
    """Say how many of some errors are hidden, to end a sentence about them."""
    if hidden.of == 1:
        return "it is hidden" if hidden.hits else "it is not hidden"
    if not hidden.hits:
        return "none of them is hidden"
    return f"of these, {rate_in_words(hidden)} are hidden"


def difference_in_words(difference: Difference) -> str:
    """Format ``3.1 points lower (95 % interval 1.4 to 4.8)``.

    The interval has the direction of the words; across zero, ``6.6 lower to 0.4 higher``.
    """
    if difference.value is None:
        return "nothing to compare with"
    side, size = "lower" if difference.value < 0 else "higher", _percent(abs(difference.value))
    words = NO_SIDE if size == "0.0" else f"{size} points {side}"
    if difference.low is None or difference.high is None:
        return words
    low, high = (round(100 * end, 1) for end in (difference.low, difference.high))
    if low < 0 < high:
        points = "points " * (words == NO_SIDE)
        ends = f"{-low:.1f} {points}lower to {high:.1f} higher"
    else:
        ends = " to ".join(f"{end:.1f}" for end in sorted((abs(low), abs(high))))
    return f"{words} (95 % interval {ends})"


def points(difference: Difference) -> str:
    """Format ``+3.1 [−0.4, +6.6]`` for a table."""
    return _cell(difference, _points)


def estimate_in_words(estimate: Estimate) -> str:
    """Format ``41.0 % (95 % interval 35.2 to 47.1)``, or why there is none."""
    if estimate.value is None:
        return f"not known, as {estimate.why}"
    return _with_interval(estimate, f"{_share(estimate.value)} %", _share)


def percent(estimate: Rate | Estimate) -> str:
    """Format ``15.0 % [9.0, 24.4]`` for a table."""
    value = estimate.share if isinstance(estimate, Rate) else estimate.value
    return _NONE if value is None else _in_short(estimate, f"{_share(value)}\u00a0%", _share)


# Landis and Koch 1977, "The measurement of observer agreement for categorical data"; upper limits,
# inclusive.
_WORDS = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))


def coefficient_in_words(coefficient: Coefficient) -> str:
    """Format ``0.494 (95 % interval 0.412 to 0.571), moderate``, or why there is none."""
    if coefficient.value is None:
        return f"not defined, as {coefficient.why}"
    words = _with_interval(coefficient, _exact_figure(coefficient.value), _exact_figure)
    words += f", {strength(coefficient.value)}"
    return f"{words}; no interval, as {coefficient.why}" if coefficient.why else words


def coefficient_in_short(coefficient: Coefficient) -> str:
    """Format ``0.49 [0.41, 0.57]`` for a table."""
    return _cell(coefficient, _figure)


def strength(value: float) -> str:
    """Name the strength of a kappa (Landis and Koch 1977, page 165, limits "arbitrary")."""
    if value < 0:
        return "poor"
    # Rounded as the limits are, so that "0.80" is never called almost perfect.
    shown = round(value, 2)
    return next((word for end, word in _WORDS if shown <= end), "almost perfect")


def p_in_words(p: float) -> str:
    """Format ``= 0.02`` or ``< 0.001``."""
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"


def p_in_short(p: float) -> str:
    """Format ``0.02`` or ``< 0.001`` for a table."""
    return p_in_words(p).removeprefix("= ")
