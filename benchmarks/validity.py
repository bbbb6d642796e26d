"""Fit the validity score to blind labels, and measure it on domains that it was not fitted to.

Run by ``python -m benchmarks --validity``. ``probes/calibration_*.csv`` hold, for each mutant, its
domain, what readers said and the features of the score (``python -m benchmarks.blind join`` writes
them). The constants of :mod:`hinter_core.relations.validity` are those of the first lines. All
other lines are of predictions by fits to the other domains, also those that choose the least score
(:data:`hinter_core.mutation.settings.LEAST_FAIR`).
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
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.relations.validity import (
    DISCARDED,
    FEATURES,
    SOFT,
    SOFT_INTERCEPT,
    UNFAIR,
    UNFAIR_INTERCEPT,
    validity_of,
)
from hinter_core.terms.dictionary import choose
from hinter_core.types import Layer

LABELS = ("fair", "soft", "unfair")
_RIDGE = 6.0  # penalty of the squared weights; chosen on domains left out in turn
_LEAST_UNIT = 0.2  # so that a kind that few words have gets no weight without measure
_READERS = ("reader_1", "reader_2")
_CONFORMS = (Layer.SOFT, Layer.VALIDITY)  # what may be wrong of a mutant that the invariant keeps
_BINS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)
_LEAST = (0.0, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8)
_MOST = (1.0, 0.2)


class Labelled(NamedTuple):
    """Mutants, as arrays: label of each reader (-1: none), domain, kept by whom, weight.

    ``edits`` has the features of all their edits, ``own`` the number of the mutant of each.
    ``kept``: by the invariant and all else; ``discarded``: by the invariant. ``weight``: how much a
    mutant counts where kept and discarded ones are taken together.
    """

    edits: Any
    own: Any
    said: Any
    domain: Any
    kept: Any
    discarded: Any
    weight: Any

    def of(self, chosen: Any) -> Self:
        """Return the chosen mutants."""
        edits, number = chosen[self.own], np.cumsum(chosen) - 1
        rest = (part[chosen] for part in self[2:])
        return type(self)(self.edits[edits], number[self.own[edits]], *rest)

    @property
    def shares(self) -> Any:
        """By mutant, the share of readers who say each label."""
        each = np.stack([(self.said == label).sum(axis=1) for label in range(3)], axis=1)
        return each / each.sum(axis=1, keepdims=True)

    def all_say(self, label: int) -> Any:
        """By mutant, whether all readers say a label."""
        return self.shares[:, label] == 1


class Fit(NamedTuple):
    """Intercepts (2), weights (2, features) and discards (2) of log odds of soft and of unfair."""

    intercepts: Any
    weights: Any
    discarded: Any

    def odds(self, of: Labelled) -> tuple[Any, Any]:
        """Return the odds (edits, 2) that each edit adds, and those of the mutants (mutants, 2)."""
        each = np.exp(self.intercepts + of.edits @ self.weights.T)
        whole = _sums(each, of.own, len(of.kept))
        return each, whole * np.exp(np.outer(of.discarded, self.discarded))

    def grades(self, of: Labelled) -> Any:
        """Return the probabilities (mutants, 3) of fair, soft and unfair."""
        _, odds = self.odds(of)
        return np.column_stack([np.ones(len(odds)), odds]) / (1 + odds.sum(axis=1, keepdims=True))


SHIPPED = Fit(*map(np.array, ((SOFT_INTERCEPT, UNFAIR_INTERCEPT), (SOFT, UNFAIR), DISCARDED)))


def read(*paths: Path) -> Labelled:
    """Read labelled mutants; each of their edits has a row."""
    rows: list[dict[str, str]] = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as lines:
            rows += csv.DictReader(lines)
    rows = [row for row in rows if any(row.get(name) in LABELS for name in _READERS)]
    number = {ident: n for n, ident in enumerate(dict.fromkeys(row["id"] for row in rows))}
    own = [number[row["id"]] for row in rows]
    first = [own.index(n) for n in range(len(number))]
    mutants = [rows[n] for n in first]
    return Labelled(
        np.array([[float(row[name]) for name in FEATURES] for row in rows]),
        np.array(own),
        np.array([[_code(row.get(name, "")) for name in _READERS] for row in mutants]),
        np.array([row["domain"] for row in mutants]),
        np.array([row["kept"] == "yes" for row in mutants]),
        np.array([float(row["kept"] == "no" and row["layer"] not in _CONFORMS) for row in mutants]),
        np.array([float(row["weight"]) for row in mutants]),
    )


def _code(label: str) -> int:
    return LABELS.index(label) if label in LABELS else -1


def fitted() -> Labelled:
    """Read the calibration rounds, to which the score is fitted."""
    return read(*sorted(PROBES.glob("calibration_*.csv")))


def fit(of: Labelled) -> Fit:
    """Fit the score: a log-linear model of odds that add up over the edits of a mutant.

    That sum is why this is no model of scikit-learn or statsmodels. The penalty takes the features
    in units of their standard deviation.
    """
    unit = np.maximum(of.edits.std(axis=0), _LEAST_UNIT)
    scaled, count, shares = of._replace(edits=of.edits / unit), len(FEATURES), of.shares

    def unpacked(values: Any) -> Fit:
        return Fit(values[:2], values[2:-2].reshape(2, count), values[-2:])

    def loss(values: Any) -> tuple[float, Any]:
        found = unpacked(values)
        each, whole = found.odds(scaled)
        total = 1 + whole.sum(axis=1, keepdims=True)
        wrong = whole / total - shares[:, 1:]
        fair = -(shares[:, :1] * np.log(1 / total)).sum()
        value = fair - (shares[:, 1:] * np.log(whole / total)).sum()
        by_edit = wrong[of.own] * each / _sums(each, of.own, len(wrong))[of.own]
        slopes = by_edit.T @ scaled.edits + _RIDGE * found.weights
        discards = wrong.T @ of.discarded + _RIDGE * found.discarded
        penalty = _RIDGE * ((found.weights**2).sum() + (found.discarded**2).sum()) / 2
        return value + penalty, np.concatenate([by_edit.sum(axis=0), slopes.ravel(), discards])

    bounds = [(None, None)] * (2 + 2 * count) + [(0, None)] * 2
    start = np.concatenate([[-2.0, -2.5], np.zeros(2 * count + 2)])
    found = unpacked(minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x)
    return found._replace(weights=found.weights / unit)


def _sums(each: Any, own: Any, number: int) -> Any:
    return np.stack([np.bincount(own, column, number) for column in each.T], axis=1)


def without_own_domain(of: Labelled) -> tuple[Any, Any]:
    """Return grades by fits to the other domains, and the shares of labels in those."""
    grades, base = np.empty((len(of.kept), 3)), np.empty((len(of.kept), 3))
    for domain in np.unique(of.domain):
        own = of.domain == domain
        others = of.of(~own)
        grades[own], base[own] = fit(others).grades(of.of(own)), others.shares.mean(axis=0)
    return grades, base


def report() -> Iterator[str]:
    """Yield the lines of the tables."""
    of = fitted()
    found = fit(of)
    yield f"fitted to {len(of.kept)} mutants of {len(np.unique(of.domain))} domains:"
    for name, intercept, weights in zip(("SOFT", "UNFAIR"), *found[:2], strict=True):
        named = zip(FEATURES, weights, strict=True)
        values = ", ".join(f"{feature}={w:.3f}" for feature, w in named if round(w, 3))
        yield f"{name}_INTERCEPT = {intercept:.3f}"
        yield f"{name} = _weights({values})"
    yield f"DISCARDED = ({', '.join(f'{value:.3f}' for value in found.discarded)})"
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
