"""Fit the validity score to blind labels, and measure it on others.

Run by ``python -m benchmarks --validity``. The rounds in ``probes/blind_*.csv`` hold, for each
mutant, what two readers said (see :mod:`benchmarks.blind`) and the features of its words, where its
text could be found again (film reviews). The coefficients of
:mod:`hinter_core.relations.validity` are those fitted to the rounds ``FITTED``; the later ones were
not fitted to. A mutant counts as unfair if a reader says so.
"""

import csv
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.stats import bootstrap
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from benchmarks.person_sense import PROBES
from benchmarks.texts import LONG
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.language.sentences import split_sentences
from hinter_core.models.registry import open_store
from hinter_core.mutation.plan import Settings
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.relations.validity import (
    INTERCEPT,
    STRUCTURE,
    WEIGHTS,
    WordFeatures,
    validity_of,
)
from hinter_core.terms.dictionary import choose

FITTED = (1, 2, 3, 4, 5, 6)
_BINS = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)


class Round(NamedTuple):
    """Labelled mutants: features of words, kept by the invariant, fair (arrays)."""

    words: Any
    kept: Any
    fair: Any

    def of(self, chosen: Any) -> Self:
        """Return the chosen mutants."""
        return type(self)(*(part[chosen] for part in self))


class Fit(NamedTuple):
    """Coefficients of the score."""

    structure: float
    intercept: float
    weights: tuple[float, ...]

    def scores(self, of: Round) -> Any:
        """Return the scores of a round."""
        words = 1 / (1 + np.exp(-(self.intercept + of.words @ np.array(self.weights))))
        return words * np.where(of.kept, 1.0, self.structure)


SHIPPED = Fit(STRUCTURE, INTERCEPT, tuple(WEIGHTS))


def read(number: int) -> Round:
    """Read one round of labels."""
    with (PROBES / f"blind_{number}.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["person"]]
    return Round(
        np.array([[float(row[name]) for name in WordFeatures._fields] for row in rows]),
        np.array([row["kept"] == "yes" for row in rows]),
        np.array(["unfair" not in (row["reader_1"], row["reader_2"]) for row in rows]),
    )


def fit(rounds: Sequence[Round]) -> Fit:
    """Fit the score to labelled mutants."""
    words, kept, fair = (np.concatenate(part) for part in zip(*rounds, strict=True))
    model = LogisticRegression().fit(words[kept], fair[kept])
    return Fit(
        float(fair[~kept].mean()), float(model.intercept_[0]), tuple(map(float, model.coef_[0]))
    )


def report() -> Iterator[str]:
    """Yield the lines of the tables."""
    numbers = sorted(int(path.stem.rpartition("_")[2]) for path in PROBES.glob("blind_*.csv"))
    rounds = {number: read(number) for number in numbers}
    found = fit([rounds[number] for number in FITTED])
    yield (
        f"fitted to rounds {FITTED}: structure {found.structure:.3f}, intercept "
        f"{found.intercept:.3f}, "
        + ", ".join(
            f"{n} {w:.3f}" for n, w in zip(WordFeatures._fields, found.weights, strict=True)
        )
    )
    yield "AUC of fair against unfair, on rounds not fitted to:  all    kept only   yes/no alone"
    for number in numbers:
        others = [rounds[n] for n in FITTED if n != number]
        made = fit(others) if number in FITTED else SHIPPED
        yield f"round {number}: {_aucs(made, rounds[number])}"
    last = rounds[numbers[-1]]
    scores = SHIPPED.scores(last)
    yield f"reliability on round {numbers[-1]}: score, mutants, mean score, fair"
    for low, high in pairwise(_BINS):
        inside = (scores >= low) & (scores < high)
        if inside.any():
            hits, cases = int(last.fair[inside].sum()), int(inside.sum())
            ends = proportion_confint(hits, cases, method="wilson")
            yield (
                f"  {low:.2f} to {high:.2f}  {cases:4d}  {scores[inside].mean():.2f}  "
                f"{hits / cases:.2f} [{ends[0]:.2f}, {ends[1]:.2f}]"
            )
    yield from cost()


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
    validity_of(plan.text, mutants[0], kept=True)  # loads the dictionaries
    start = time.process_time()
    for mutant in mutants:
        validity_of(plan.text, mutant, kept=True)
    scored = (time.process_time() - start) / len(mutants)
    start = time.process_time()
    parser.parse(sentences)
    parsed = (time.process_time() - start) / len(sentences)
    yield (
        f"cost: {1e6 * scored:.0f} microseconds a mutant, {1e6 * parsed:.0f} for the parse of a "
        f"sentence ({scored / parsed:.1%})"
    )


def _aucs(found: Fit, of: Round) -> str:
    scores = found.scores(of)
    kept = of.of(of.kept)
    return "   ".join(
        _auc(fair, values)
        for fair, values in (
            (of.fair, scores),
            (kept.fair, found.scores(kept)),
            (of.fair, of.kept.astype(float)),
        )
    )


def _auc(fair: Any, scores: Any) -> str:
    ends = bootstrap(
        (fair, scores), _auc_of, paired=True, vectorized=False, method="percentile",
        n_resamples=999, rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    return f"{roc_auc_score(fair, scores):.2f} [{ends.low:.2f}, {ends.high:.2f}]"


def _auc_of(fair: Any, scores: Any) -> float:
    return 0.5 if fair.all() or not fair.any() else float(roc_auc_score(fair, scores))
