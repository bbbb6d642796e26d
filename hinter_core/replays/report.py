"""The comparison of orders as sections, rows, plain values, a chart and a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hinter_core.data.tables import to_json
from hinter_core.prioritisation.metrics import Diversity
from hinter_core.replays.measures import MEASURES
from hinter_core.replays.replays import ORDERS, Replays
from hinter_core.report.figures import Band, Chart, curves
from hinter_core.report.formats import markdown_of, plain
from hinter_core.report.page.html import page_of
from hinter_core.report.section import Amount, Cell, Section, Share
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
    "area": "Area under the FDR of texts",
    "found": "Faults found",
    "sources": "FDR of texts",
}
_AT_END = ("found", "sources")
_AMOUNTS = ("first", "most")
_SCORES = {"diversity": "FDS", "levenshtein": "Distance"}
_MOST_ARMS = 100  # in tables


def replay_sections(replays: Replays) -> list[Section]:
    """Return the tables: measures by order, ranked arms, certainty, and diversity by metric."""
    written = [_measures(replays)]
    if replays.ranking:
        written.append(_ranking(replays))
    if any(order.certainty for order in replays.orders):
        written.append(_certainty(replays))
    if replays.diversity is not None:
        written.append(_diversity(replays.diversity))
    return written


def _measures(replays: Replays) -> Section:
    rows: list[list[Cell]] = []
    if replays.expected is not None and replays.settings.budget is None:
        expected = {name: Estimate(getattr(replays.expected, name)) for name in MEASURES}
        rows.append([_EXPECTED, *_cells(replays, expected), None])
    rows += [
        [one.name, *_cells(replays, one.measures), one.seconds + replays.scoring.get(one.name, 0.0)]
        for one in replays.orders
    ]
    columns = ["Order", *map(_COLUMNS.__getitem__, _shown(replays)), "Seconds to order"]
    return Section("orders", "Orders", _sentences(replays), columns, rows)


def _sentences(replays: Replays) -> list[str]:
    answered, settings = replays.answered, replays.settings
    faults, failing = int(answered.faults.sum()), len(set(answered.texts[answered.faults]))
    arms = len(replays.ranking)
    what = f"{arms} arms by {settings.arm}" if arms else "single pairs"
    seeds = f"{settings.seeds:,} {'seed' if settings.seeds == 1 else 'seeds'}"
    said = [
        f"{answered.model}: {len(answered.cases):,} pairs of {len(answered.sources):,} texts, of "
        f"which {faults:,} are faults, in {failing:,} texts; orders of {what}, {seeds}.",
        "Intervals hold the central 95 % of the seeds.",
    ]
    if settings.budget is not None:
        said.append(f"The replay stops after {settings.budget:,} pairs.")
    costs = {one.name: one.measures["most"].value for one in replays.orders}
    if replays.expected is not None:
        costs["random"] = replays.expected.most
    ours = costs.get("adaptive")
    for other in ("random", "diversity", "levenshtein"):
        theirs = costs.get(other)
        if ours is not None and theirs:
            said.append(
                f"The adaptive order finds 80 % of the faults with {100 * ours / theirs:.1f} % of "
                f"the pairs that {other} needs."
            )
    said += [f"{one.name}: {ORDERS[one.name]}." for one in replays.orders]
    return said


def _shown(replays: Replays) -> list[str]:
    """Return the measures that differ between orders: at the end of all cases, none is missing."""
    return [n for n in _COLUMNS if replays.settings.budget is not None or n not in _AT_END]


def _cells(replays: Replays, measures: Mapping[str, Estimate]) -> list[Cell]:
    shown = _shown(replays)
    return [_amount(measures[n]) if n in _AMOUNTS else measures[n] for n in shown]


def _amount(one: Estimate) -> Amount:
    return Amount(one.value, one.low, one.high, one.why)


def _ranking(replays: Replays) -> Section:
    """Return the arms, best first, with the score and place that each order gives them."""
    arms = replays.ranking
    scored, placed = arms[0].scores, arms[0].places
    columns = ["Arm", "Pairs", "Faults", "FDR", "Texts with a fault"]
    columns += [*(_SCORES[order] for order in scored), *placed]
    rows: list[list[Cell]] = [
        [
            one.name, one.pairs, one.faults, Share(one.rate), one.texts, *one.scores.values(),
            *(int(place) if place.is_integer() else f"{place:.1f}" for place in one.places.values())
        ]
        for one in arms[:_MOST_ARMS]
    ]  # fmt: skip
    said = [f"An arm has all pairs of the same {replays.settings.arm}. FDR: the share of its "
            "pairs that detect a fault."]  # fmt: skip
    if "diversity" in scored:
        said.append("FDS: the mean diversity score of its pairs.")
    if "levenshtein" in scored:
        said.append("Distance: the mean share of characters by which the texts of a pair differ.")
    if placed:
        said.append("The columns after these name an order and have the place that it gives the "
                    "arm; if an order depends on the seed, the mean place.")  # fmt: skip
    if len(arms) > _MOST_ARMS:
        said.append(f"{len(arms) - _MOST_ARMS:,} more arms follow; a file that ends in .json has "
                    "all.")  # fmt: skip
    return Section("ranking", "Ranking of arms", said, columns, rows)


def _certainty(replays: Replays) -> Section:
    limit = f"{100 * (replays.settings.below or 0):g} %"
    rows: list[list[Cell]] = []
    for one in replays.orders:
        if one.certainty is not None:
            below, above = Estimate(one.certainty.below), Estimate(one.certainty.above)
            rows.append([one.name, _amount(one.certainty.calls), below, above])
    said = [
        f"Pairs until a random fifth of the calls, kept aside, tells with 95 % confidence whether "
        f"the rate of faults among all pairs is below or above {limit}; this holds for every order "
        "and whenever one stops.",
        f"The rate is {100 * float(replays.answered.faults.mean()):.2f} %.",
    ]
    columns = ["Order", "Pairs until certain", f"Says below {limit}", f"Says above {limit}"]
    return Section("certainty", "Certainty", said, columns, rows)


def _diversity(diversity: Diversity) -> Section:
    means = diversity.scores.mean(axis=0)
    rows: list[list[Cell]] = [
        [name, float(weight), float(mean), float(column.min()), float(column.max())]
        for name, weight, mean, column in zip(
            diversity.names, diversity.weights, means, diversity.scores.T, strict=True
        )
    ]
    said = [f"The mean diversity score (FDS) of all pairs is {diversity.total.mean():.4f}."]
    return Section(
        "diversity", "Diversity", said, ["Metric", "Weight", "Mean", "Least", "Most"], rows
    )


def figures_of(replays: Replays) -> list[tuple[str, Chart]]:
    """Return the curves of faults found and of the fault detection rate by source text."""
    drawn: list[tuple[str, Chart]] = []
    expected: dict[str, ndarray] = {}
    if replays.expected is not None:
        both = replays.population.expected_curve(replays.pairs)
        expected = dict(zip(("faults", "sources"), both, strict=True))
    for name, title in (("faults", "faults found, %"), ("sources", "texts with a fault found, %")):
        lines = {
            one.name: _as_lists(getattr(one, name))
            for one in replays.orders
            if not (one.name == "random" and name in expected)
        }
        dashed = ""
        if name in expected:
            dashed, values = _EXPECTED, expected[name].tolist()
            lines[dashed] = (values, values, values)
        figure = curves(lines, replays.pairs.tolist(), "pairs asked", title, dashed)
        drawn.append((f"Curves of {title.removesuffix(', %')} by pairs asked", figure))
    by_arm = {one.name: _as_lists(one.by_arm) for one in replays.orders if one.by_arm is not None}
    if by_arm:
        title = "texts with a fault found, %"
        along = range(1, len(replays.ranking) + 1)
        figure = curves(by_arm, list(along), "arms asked", title)
        drawn.append(("Curves of texts with a fault found by arms asked", figure))
    return drawn


def _as_lists(curve: ndarray) -> Band:
    middle, low, high = curve.tolist()
    return middle, low, high


def replay_values(replays: Replays) -> dict[str, Any]:
    """Return all values as JSON can hold them (``docs/howto/prioritise.md`` names them)."""
    answered, settings = replays.answered, replays.settings
    curves_by_arm = {
        one.name: None if one.by_arm is None else one.by_arm.tolist() for one in replays.orders
    }
    return {
        "model": answered.model,
        "pairs": len(answered.cases),
        "texts": len(answered.sources),
        "faults": int(answered.faults.sum()),
        "settings": plain(settings),
        "arms": len(replays.ranking) or None,
        "ranking": [{**plain(one), "fdr": one.rate} for one in replays.ranking],
        "expected": plain(replays.expected),
        "orders": {
            one.name: {
                **{name: plain(value) for name, value in one.measures.items()},
                "seconds": one.seconds,
                "seconds to score": replays.scoring.get(one.name, 0.0),
                "certainty": plain(one.certainty),
                "faults": one.faults.tolist(),
                "sources": one.sources.tolist(),
                "sources by arm": curves_by_arm[one.name],
                "ranks": curves_by_arm[one.name],  # its name in files from before
            }
            for one in replays.orders
        },
        "at": replays.pairs.tolist(),
        "diversity": None
        if replays.diversity is None
        else dict(zip(replays.diversity.names, replays.diversity.scores.mean(axis=0).tolist(),
                      strict=True)),
    }  # fmt: skip


FORMS: dict[str, Callable[[Replays], str]] = {
    ".json": lambda found: to_json(replay_values(found), 1) + "\n",
    ".csv": lambda found: to_csv(replay_sections(found)[0]),
    ".tex": lambda found: to_latex(tables_of(replay_sections(found))),
    ".md": lambda found: markdown_of(TITLE, replay_sections(found)),
    ".html": lambda found: page_of(TITLE, replay_sections(found), {"orders": figures_of(found)}),
}
