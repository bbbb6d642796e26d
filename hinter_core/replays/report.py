"""The comparison of orders as sections, rows, plain values, a chart and a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hinter_core.data.tables import to_json
from hinter_core.prioritisation.metrics import Diversity
from hinter_core.replays.measures import MEASURES
from hinter_core.replays.replays import ORDERS, Replays
from hinter_core.report.figures import Chart, curves
from hinter_core.report.formats import markdown_of, plain
from hinter_core.report.page.html import page_of
from hinter_core.report.section import Amount, Cell, Section
from hinter_core.report.tables import tables_of, to_csv, to_latex
from hinter_core.statistics.rates import Estimate

if TYPE_CHECKING:
    from numpy import ndarray

TITLE = "HInter: orders of test cases"
_EXPECTED = "random (expected)"
_COLUMNS = {
    "first": "Pairs to the first fault",
    "most": "Pairs to 80 % of the faults",
    "apfd": "APFD",
    "apfd_sources": "APFD of texts",
    "area": "Area under the FDR",
    "found": "Faults found",
    "sources": "FDR (texts)",
}
_AT_END = ("found", "sources")
_AMOUNTS = ("first", "most")


def replay_sections(found: Replays) -> list[Section]:
    """Return the tables: measures by order, certainty, and the diversity by metric."""
    written = [_measures(found)]
    if any(order.certainty for order in found.orders):
        written.append(_certainty(found))
    if found.diversity is not None:
        written.append(_diversity(found.diversity))
    return written


def _measures(found: Replays) -> Section:
    rows: list[list[Cell]] = []
    if found.expected is not None and found.settings.budget is None:
        expected = {name: Estimate(getattr(found.expected, name)) for name in MEASURES}
        rows.append([_EXPECTED, *_cells(found, expected), None])
    rows += [
        [one.name, *_cells(found, one.measures), one.seconds + found.scoring.get(one.name, 0.0)]
        for one in found.orders
    ]
    columns = ["Order", *map(_COLUMNS.__getitem__, _shown(found)), "Seconds to order"]
    return Section("orders", "Orders", _sentences(found), columns, rows)


def _sentences(found: Replays) -> list[str]:
    answered, settings = found.answered, found.settings
    faults, failing = int(answered.faults.sum()), len(set(answered.texts[answered.faults]))
    what = f"{found.arms} arms by {settings.arm}" if found.arms else "single pairs"
    seeds = f"{settings.seeds:,} {'seed' if settings.seeds == 1 else 'seeds'}"
    said = [
        f"{answered.model}: {len(answered.cases):,} pairs of {len(answered.sources):,} texts, of "
        f"which {faults:,} are faults, in {failing:,} texts; orders of {what}, {seeds}.",
        "Intervals hold the central 95 % of the seeds.",
    ]
    if settings.budget is not None:
        said.append(f"The replay stops after {settings.budget:,} pairs.")
    costs = {one.name: one.measures["most"].value for one in found.orders}
    if found.expected is not None:
        costs["random"] = found.expected.most
    ours = costs.get("adaptive")
    for other in ("random", "diversity", "levenshtein"):
        theirs = costs.get(other)
        if ours is not None and theirs:
            said.append(
                f"The adaptive order finds 80 % of the faults with {100 * ours / theirs:.1f} % of "
                f"the pairs that {other} needs."
            )
    said += [f"{one.name}: {ORDERS[one.name]}." for one in found.orders]
    return said


def _shown(found: Replays) -> list[str]:
    """Return the measures that differ between orders: at the end of all cases, none is missing."""
    return [n for n in _COLUMNS if found.settings.budget is not None or n not in _AT_END]


def _cells(found: Replays, measures: Mapping[str, Estimate]) -> list[Cell]:
    cells: list[Cell] = []
    for name in _shown(found):
        one = measures[name]
        amount = Amount(one.value, one.low, one.high, one.why)
        cells.append(amount if name in _AMOUNTS else one)
    return cells


def _certainty(found: Replays) -> Section:
    limit = f"{100 * (found.settings.below or 0):g} %"
    rows: list[list[Cell]] = []
    for one in found.orders:
        if one.certainty is not None:
            calls = one.certainty.calls
            amount = Amount(calls.value, calls.low, calls.high, calls.why)
            rows.append(
                [one.name, amount, Estimate(one.certainty.below), Estimate(one.certainty.above)]
            )
    said = [
        f"Pairs until a random fifth of the calls, kept aside, tells with 95 % confidence whether "
        f"the rate of faults among all pairs is below or above {limit}; this holds for every order "
        "and whenever one stops.",
        f"The rate is {100 * float(found.answered.faults.mean()):.2f} %.",
    ]
    columns = ["Order", "Pairs until certain", f"Says below {limit}", f"Says above {limit}"]
    return Section("certainty", "Certainty", said, columns, rows)


def _diversity(found: Diversity) -> Section:
    means = found.scores.mean(axis=0)
    rows: list[list[Cell]] = [
        [name, float(weight), float(mean), float(column.min()), float(column.max())]
        for name, weight, mean, column in zip(
            found.names, found.weights, means, found.scores.T, strict=True
        )
    ]
    said = [f"The mean diversity score (FDS) of all pairs is {found.total.mean():.4f}."]
    return Section(
        "diversity", "Diversity", said, ["Metric", "Weight", "Mean", "Least", "Most"], rows
    )


def figures_of(found: Replays) -> list[tuple[str, Chart]]:
    """Return the curves of faults found and of the fault detection rate by source text."""
    drawn: list[tuple[str, Chart]] = []
    expected: dict[str, ndarray] = {}
    if found.expected is not None:
        both = found.population.expected_curve(found.pairs)
        expected = dict(zip(("faults", "sources"), both, strict=True))
    for name, title in (("faults", "faults found, %"), ("sources", "texts with a fault found, %")):
        lines = {
            one.name: _as_lists(getattr(one, name))
            for one in found.orders
            if not (one.name == "random" and name in expected)
        }
        dashed = ""
        if name in expected:
            dashed, own = _EXPECTED, expected[name].tolist()
            lines[dashed] = (own, own, own)
        figure = curves(lines, found.pairs.tolist(), "pairs asked", title, dashed)
        drawn.append((f"Curves of {title.removesuffix(', %')} by pairs asked", figure))
    ranks = {one.name: _as_lists(one.ranks) for one in found.orders if one.ranks is not None}
    if ranks:
        title = "texts with a fault found, %"
        along = range(1, (found.arms or 0) + 1)
        figure = curves(ranks, list(along), "arms asked", title)
        drawn.append(("Curves of texts with a fault found by arms asked", figure))
    return drawn


def _as_lists(curve: ndarray) -> tuple[Sequence[float], Sequence[float], Sequence[float]]:
    middle, low, high = curve.tolist()
    return middle, low, high


def replay_values(found: Replays) -> dict[str, Any]:
    """Return all values as JSON can hold them."""
    answered, settings = found.answered, found.settings
    return {
        "model": answered.model,
        "pairs": len(answered.cases),
        "texts": len(answered.sources),
        "faults": int(answered.faults.sum()),
        "settings": plain(settings),
        "arms": found.arms,
        "expected": plain(found.expected),
        "orders": {
            one.name: {
                **{name: plain(value) for name, value in one.measures.items()},
                "seconds": one.seconds,
                "seconds to score": found.scoring.get(one.name, 0.0),
                "certainty": plain(one.certainty),
                "faults": one.faults.tolist(),
                "sources": one.sources.tolist(),
                "ranks": None if one.ranks is None else one.ranks.tolist(),
            }
            for one in found.orders
        },
        "at": found.pairs.tolist(),
        "diversity": None
        if found.diversity is None
        else dict(zip(found.diversity.names, found.diversity.scores.mean(axis=0).tolist(),
                      strict=True)),
    }  # fmt: skip


FORMS: dict[str, Callable[[Replays], str]] = {
    ".json": lambda found: to_json(replay_values(found), 1) + "\n",
    ".csv": lambda found: to_csv(replay_sections(found)[0]),
    ".tex": lambda found: to_latex(tables_of(replay_sections(found))),
    ".md": lambda found: markdown_of(TITLE, replay_sections(found)),
    ".html": lambda found: page_of(TITLE, replay_sections(found), {"orders": figures_of(found)}),
}
