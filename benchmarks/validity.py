"""Fit the validity score to blind labels, and measure it on domains that it was not fitted to.

Run by ``python -m benchmarks --validity``. ``probes/calibration_*.csv`` hold, for each mutant, its
domain, what readers said and the features of the score (``python -m benchmarks.blind join`` writes
them). The constants of :mod:`hinter_core.relations.validity` are those of the first lines. All
other lines are of predictions by fits to the other domains, also those that choose the least score
(:data:`hinter_core.mutation.plan.LEAST_FAIR`).
"""

import csv
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import log_loss, roc_auc_score

from benchmarks.person_sense import PROBES
from benchmarks.texts import LONG
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.language.sentences import split_sentences
from hinter_core.models.registry import open_store
from hinter_core.mutation.plan import Settings
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.relations.validity import (
    FEATURES,
    SOFT,
    SOFT_INTERCEPT,
    UNFAIR,
    UNFAIR_INTERCEPT,
    validity_of,
)
from hinter_core.terms.dictionary import choose

LABELS = ("fair", "soft", "unfair")
_RIDGE = 1.0  # penalty of the squared weights
_BINS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)
_LEAST = (0.0, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8)
_MOST = (1.0, 0.5, 0.3, 0.2)


class Labelled(NamedTuple):
    """Mutants, as arrays: features, label of each reader (-1: none), domain, kept, weight.

    ``weight``: how much a mutant counts where kept and discarded ones are taken together.
    """

    features: Any
    said: Any
    domain: Any
    kept: Any
    weight: Any

    def of(self, chosen: Any) -> Self:
        """Return the chosen mutants."""
        return type(self)(*(part[chosen] for part in self))

    @property
    def shares(self) -> Any:
        """By mutant, the share of readers who say each label."""
        each = np.stack([(self.said == label).sum(axis=1) for label in range(3)], axis=1)
        return each / each.sum(axis=1, keepdims=True)

    def all_say(self, label: int) -> Any:
        """By mutant, whether all readers say a label."""
        return self.shares[:, label] == 1


class Fit(NamedTuple):
    """Intercepts (2) and weights (2, features) of the log odds of soft and unfair."""

    intercepts: Any
    weights: Any

    def grades(self, features: Any) -> Any:
        """Return the probabilities (mutants, 3) of fair, soft and unfair."""
        odds = np.exp(self.intercepts + features @ self.weights.T)
        return np.column_stack([np.ones(len(odds)), odds]) / (1 + odds.sum(axis=1, keepdims=True))


SHIPPED = Fit(np.array([SOFT_INTERCEPT, UNFAIR_INTERCEPT]), np.array([SOFT, UNFAIR]))


def read(*paths: Path) -> Labelled:
    """Read labelled mutants."""
    rows: list[dict[str, str]] = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as lines:
            rows += [row for row in csv.DictReader(lines) if row.get("person") != ""]
    readers = ("reader_1", "reader_2")
    rows = [row for row in rows if any(row.get(name) in LABELS for name in readers)]
    for row in rows if "person" in rows[0] else ():  # rounds from before, which knew two grades
        row |= {"reader_1": row["reader_1"].replace("soft", "fair"),
                "reader_2": row["reader_2"].replace("soft", "fair")}  # fmt: skip
        row.setdefault("doubt", str(-float(row.get("person") or 0)))
        row.setdefault("discarded", str(float(row["kept"] == "no")))
    return Labelled(
        np.array([[float(row.get(name, 0)) for name in FEATURES] for row in rows]),
        np.array([[_code(row.get(name, "")) for name in readers] for row in rows]),
        np.array([row.get("domain") or row["data"] for row in rows]),
        np.array([row["kept"] == "yes" for row in rows]),
        np.array([float(row.get("weight", 1)) for row in rows]),
    )


def _code(label: str) -> int:
    return LABELS.index(label) if label in LABELS else -1


def fitted() -> Labelled:
    """Read the calibration rounds, to which the score is fitted."""
    return read(*sorted(PROBES.glob("calibration_*.csv")))


def fit(of: Labelled) -> Fit:
    """Fit the score: a multinomial logistic model all of whose weights are risks.

    The bounds are why this is no model of scikit-learn or statsmodels, which have none.
    """
    count, shares = len(FEATURES), of.shares

    def loss(values: Any) -> tuple[float, Any]:
        found = Fit(values[:2], values[2:].reshape(2, count))
        grades = found.grades(of.features)
        wrong = (grades - shares)[:, 1:]
        slopes = wrong.T @ of.features + _RIDGE * found.weights
        total = -(shares * np.log(grades)).sum() + _RIDGE * (found.weights**2).sum() / 2
        return total, np.concatenate([wrong.sum(axis=0), slopes.ravel()])

    start = np.zeros(2 + 2 * count)
    bounds = [(None, None)] * 2 + [(0, None)] * (2 * count)
    values = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    return Fit(values[:2], values[2:].reshape(2, count))


def without_own_domain(of: Labelled) -> tuple[Any, Any]:
    """Return grades by fits to the other domains, and the shares of labels in those."""
    grades, base = np.empty((len(of.kept), 3)), np.empty((len(of.kept), 3))
    for domain in np.unique(of.domain):
        own = of.domain == domain
        others = of.of(~own)
        grades[own], base[own] = fit(others).grades(of.features[own]), others.shares.mean(axis=0)
    return grades, base


def report() -> Iterator[str]:
    """Yield the lines of the tables."""
    of = fitted()
    found = fit(of)
    yield f"fitted to {len(of.kept)} mutants of {len(np.unique(of.domain))} domains:"
    for name, intercept, weights in zip(("SOFT", "UNFAIR"), *found, strict=True):
        named = zip(FEATURES, weights, strict=True)
        values = ", ".join(f"{feature}={w:.3f}" for feature, w in named if round(w, 3))
        yield f"{name}_INTERCEPT = {intercept:.3f}"
        yield f"{name} = _weights({values})"
    if len(np.unique(of.domain)) == 1:
        return
    grades, base = without_own_domain(of)
    yield f"log loss {_loss(of, grades)}, by the labels' shares alone {_loss(of, base)}"
    for name, chosen in (("all", np.full(len(of.kept), True)), ("kept", of.kept)):
        words = [f"{LABELS[n]} {_auc(of.of(chosen), grades[chosen], n)}" for n in (1, 2)]
        yield f"AUC of fair, {name}: against {', against '.join(words)}"
    yield from _calibration(of, grades)
    yield from _thresholds(of, grades)
    yield from cost()


def _loss(of: Labelled, grades: Any) -> str:
    codes = [(label, n) for n, row in enumerate(of.said) for label in row if label >= 0]
    return f"{log_loss(*_columns(codes, grades), labels=[0, 1, 2]):.3f}"


def _columns(codes: Sequence[tuple[int, int]], grades: Any) -> tuple[Any, Any]:
    labels, places = np.array(codes).T
    return labels, grades[places]


def _auc(of: Labelled, grades: Any, other: int) -> str:
    chosen = of.all_say(0) | of.all_say(other)
    fair = of.all_say(0)[chosen]
    return f"{roc_auc_score(fair, grades[chosen, 0]):.2f}" if len(set(fair)) == 2 else "-"


def _calibration(of: Labelled, grades: Any) -> Iterator[str]:
    yield "calibration: score, mutants, probabilities, shares of fair, soft, unfair"
    for low, high in pairwise(_BINS):
        inside = (grades[:, 0] >= low) & (grades[:, 0] < high)
        if inside.any():
            means = (grades[inside].mean(axis=0), of.shares[inside].mean(axis=0))
            parts = "   ".join(" ".join(f"{value:.2f}" for value in mean) for mean in means)
            yield f"  {low:.2f} to {high:.2f}  {inside.sum():4d}   {parts}"


def _thresholds(of: Labelled, grades: Any) -> Iterator[str]:
    yield "least fair, most unfair: still kept; of them fair, soft, unfair; of discarded fair"
    odds = grades[:, 2] / (grades[:, 0] + grades[:, 2])
    for least in _LEAST:
        for most in _MOST if least else _MOST[:1]:
            passed = of.kept & (grades[:, 0] >= least) & (odds <= most * (1 - least))
            if passed.sum() < len(passed) / 20:
                continue
            still = of.weight[passed].sum() / of.weight[of.kept].sum()
            shares = [
                np.average(of.all_say(n)[passed], weights=of.weight[passed]) for n in range(3)
            ]
            lost = np.average(of.all_say(0)[~passed], weights=of.weight[~passed])
            words = " ".join(f"{share:.1%}" for share in shares)
            yield f"  {least:.2f} {most:.2f}: {still:.0%}; {words}; {lost:.1%}"


def cost() -> Iterator[str]:
    """Yield what the score of a mutant takes beside the parse of a sentence."""
    parser = load_parser("embedded")
    pipeline = Pipeline(
        choose(["race", "gender"]), ParseStore(parser), [open_store("vader", trusted=True)],
        Settings(order=2, limit=1000),
    )  # fmt: skip
    plan = pipeline.plan(LONG)
    mutants = [plan.mutant(edits) for edits in plan.chosen()]
    sentences = list({s.text for mutant in mutants for s in split_sentences(mutant.text)})[:200]
    parser.parse(sentences[:1])
    validity_of(plan, mutants[0], kept=True)  # loads the dictionaries
    start = time.process_time()
    for mutant in mutants:
        validity_of(plan, mutant, kept=True)
    scored = (time.process_time() - start) / len(mutants)
    start = time.process_time()
    parser.parse(sentences)
    parsed = (time.process_time() - start) / len(sentences)
    yield (
        f"cost: {1e6 * scored:.0f} microseconds a mutant, {1e6 * parsed:.0f} for the parse of a "
        f"sentence ({scored / parsed:.1%})"
    )
