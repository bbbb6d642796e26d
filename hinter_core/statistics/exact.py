"""Exact one-sided tests of few cases, without a model of how they are spread."""

from collections import Counter
from collections.abc import Sequence
from statistics import median


def excess_of_hits(hits: int, chances: Sequence[float]) -> float:
    """Return the probability of ``hits`` or more, if each case hits with its own chance.

    The sum is Poisson-binomial; its distribution is the inverse Fourier transform of its
    characteristic function (Hong 2013), here a product over distinct chances.
    """
    from numpy import arange, exp, fft, pi

    size = len(chances) + 1
    turns = exp(2j * pi * arange(size) / size)
    product = turns**0
    for chance, number in Counter(chances).items():
        product *= (1 - chance + chance * turns) ** number
    probabilities = (fft.fft(product) / size).real.clip(0.0)
    return min(1.0, float(probabilities[hits:].sum()))


def higher_values(own: Sequence[float], others: Sequence[float]) -> float:
    """Return the p-value of ``own`` values lying above the median of all more often than others.

    Mood's median test by the hypergeometric distribution (Brown and Mood 1951). With ties, as of
    many texts without any error, what counts is to lie above them.
    """
    from scipy.stats import hypergeom

    if not own or not others:
        return 1.0
    middle = median([*own, *others])
    above = [sum(value > middle for value in values) for values in (own, others)]
    return float(hypergeom.sf(above[0] - 1, len(own) + len(others), sum(above), len(own)))
