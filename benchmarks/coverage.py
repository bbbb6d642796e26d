"""How often the intervals of rates and differences hold the truth, on simulated campaigns.

Run by ``python -m benchmarks --coverage [--trials N]``. A campaign is a number of texts with
mutants each, evenly or heavy-tailed (most texts have few, a few have hundreds). The texts have
error rates of their own, with a mean and a correlation within texts. Placebo mutants flip as often
as the others of their text, so that a difference other than 0 is a false alarm.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy

from hinter_core.statistics.clustered import cluster_rate, paired_difference

if TYPE_CHECKING:
    from numpy import ndarray
    from numpy.random import Generator

EVEN = 35  # mutants of each text; the mean of a heavy tail is about as high
PLACEBO = 6


class Cell(NamedTuple):
    """One kind of campaign: ``sizes`` are even, heavy-tailed or fragile (short texts err most)."""

    sizes: str
    texts: int
    rate: float
    correlation: float


TEXTS, RATES, CORRELATIONS = (12, 30, 100), (0.005, 0.02, 0.05, 0.15), (0, 0.1, 0.3)
KINDS = list(product(TEXTS, RATES, CORRELATIONS))
CELLS = [Cell(sizes, *kind) for sizes in ("even", "heavy") for kind in KINDS]
FRAGILE = [Cell("fragile", *kind) for kind in KINDS]


def _drawn(cell: Cell, rng: Generator) -> tuple[ndarray, ndarray, ndarray]:
    """Return mutants, placebo mutants and the error rate of each text."""
    mutants = numpy.full(cell.texts, EVEN)
    placebo = numpy.full(cell.texts, PLACEBO)
    if cell.sizes == "heavy":
        mutants = rng.lognormal(numpy.log(12), 1.3, cell.texts).round().clip(1, 600).astype(int)
    rates = numpy.full(cell.texts, cell.rate)
    if cell.correlation:
        size = 1 / cell.correlation - 1
        rates = rng.beta(cell.rate * size, (1 - cell.rate) * size, cell.texts)
    if cell.sizes == "fragile":
        short = rng.random(cell.texts) < 0.5
        mutants = numpy.where(short, 6, 40)
        placebo = numpy.where(short, 2 * PLACEBO, PLACEBO)
        rates = numpy.where(short, numpy.minimum(1.5 * rates, 1), rates / 2)
    return mutants, placebo, rates


def covered(cell: Cell, trials: int, seed: int = 0) -> float:
    """Return the share of campaigns whose interval holds the rate."""
    rng = numpy.random.default_rng(seed)
    held = 0
    for _ in range(trials):
        mutants, _, rates = _drawn(cell, rng)
        errors = rng.binomial(mutants, rates)
        found = cluster_rate(zip(errors.tolist(), mutants.tolist(), strict=True))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= cell.rate <= found.high
    return held / trials


def covered_difference(cell: Cell, trials: int, seed: int = 0) -> tuple[float, float]:
    """Return the shares of campaigns with an interval below 0 and above it (false alarms)."""
    rng = numpy.random.default_rng(seed)
    below = above = 0
    for _ in range(trials):
        mutants, placebo, rates = _drawn(cell, rng)
        errors, others = rng.binomial(mutants, rates), rng.binomial(placebo, rates)
        columns = (column.tolist() for column in (errors, mutants, others, placebo))
        found = paired_difference(zip(*columns, strict=True))
        assert found.low is not None
        assert found.high is not None
        below += found.high < 0
        above += found.low > 0
    return below / trials, above / trials


def report(trials: int) -> str:
    """Return both tables with a summary of each."""
    lines = ["| Texts | Rate | Correlation | Even | Heavy-tailed |", "|---:|---:|---:|---:|---:|"]
    found = {cell: covered(cell, trials) for cell in CELLS}
    for texts, rate, correlation in KINDS:
        both = (found[Cell(sizes, texts, rate, correlation)] for sizes in ("even", "heavy"))
        cells = [f"{100 * share:.1f} %" for share in both]
        lines.append(f"| {texts} | {100 * rate:g} % | {correlation:g} | {' | '.join(cells)} |")
    shares = list(found.values())
    lines += [
        "",
        f"95 % intervals of a rate hold it in {100 * min(shares):.1f} to {100 * max(shares):.1f} % "
        f"of {trials:,} campaigns of a kind, {100 * sum(shares) / len(shares):.1f} % on average.",
    ]
    alarms = {cell: covered_difference(cell, trials) for cell in (*CELLS, *FRAGILE)}
    worst = [max(alarms, key=lambda cell: alarms[cell][side]) for side in (0, 1)]
    means = [100 * sum(pair[side] for pair in alarms.values()) / len(alarms) for side in (0, 1)]
    lines += [
        "",
        "Without any bias, the interval of the excess over placebo lies",
        *(
            f"- {word} 0 in {mean:.1f} % of campaigns on average, in "
            f"{100 * alarms[cell][side]:.1f} % at most ({cell.sizes}, {cell.texts} texts, rate "
            f"{100 * cell.rate:g} %, correlation {cell.correlation:g})."
            for side, (word, mean, cell) in enumerate(
                zip(("below", "above"), means, worst, strict=True)
            )
        ),
    ]
    return "\n".join(lines)
