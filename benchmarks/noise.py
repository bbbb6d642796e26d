"""What a campaign says of models without bias: noise, and bags of words near their threshold.

Run by ``python -m benchmarks --noise [--trials N]``. The mutants are those that ``hinter run``
makes of the sample, placebo included; only the answers are simulated, one model for each seed.
*Noise* flips each answer with the same chance. A *bag of words* sums random weights of words, the
same for all groups, and each text stands near the threshold, so that changing any word may flip it.
For both, an excess over placebo beyond 0 is a false alarm: 2.5 % a side are what an interval of
95 % allows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy
from scipy.sparse import csr_matrix

from hinter_core.campaign.running.run import plan_run, rows_of
from hinter_core.campaign.running.worker import load_parts
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.tables import is_placebo
from hinter_core.mutation.lattice import EditSet, proper_subsets
from hinter_core.pipeline.case import FollowUp, conform
from hinter_core.statistics.clustered import WordSums, paired_difference

_WORD = re.compile(r"\w+(?:'\w+)?")
NOISE = (0.02, 0.1)
NEAR = (0.5, 1.0)  # standard deviations of a word's weight that a text is from its threshold


@dataclass(frozen=True)
class Cases:
    """Mutants of all texts: ``words`` counts theirs, ``parts`` are rows of their sub-mutants.

    ``exchanged`` has a 1 for each word of the terms that a mutant exchanges.
    """

    words: csr_matrix
    exchanged: csr_matrix
    source: numpy.ndarray  # row of the mutant's text
    text: numpy.ndarray
    order: numpy.ndarray
    placebo: numpy.ndarray
    parts: list[tuple[int, ...]]


@cache
def cases(limit: int = 60) -> Cases:
    """Make the mutants of the sample, of two orders, as a campaign does."""
    campaign = Campaign(
        data="sample", attributes=("race", "gender", "body"), limit=limit, models=("vader",)
    )
    parts = load_parts(campaign)
    rows = list(parts.generator.plans(rows_of(plan_run(campaign))))
    made = list(parts.generator.follow_ups(parts.generator.test_cases(rows).values()))
    conform(made, parts.parses)
    vocabulary: dict[str, int] = {}
    bags: list[Counter[int]] = []

    def add(text: str) -> int:
        words = map(str.lower, _WORD.findall(text))
        bags.append(Counter(vocabulary.setdefault(word, len(vocabulary)) for word in words))
        return len(bags) - 1

    sources: dict[int, int] = {}
    rows_of_edits: dict[tuple[int, EditSet], int] = {}
    kept: list[FollowUp] = []
    found: list[tuple[int, ...]] = []
    for one in made:
        if one.conformance.kept:
            sources.setdefault(one.case.number, add(one.case.plan.text))
            rows_of_edits[one.case.number, one.key] = add(one.mutant.text)
            kept.append(one)
    for one in kept:
        inside = [
            rows_of_edits.get((one.case.number, frozenset(part)), -1)
            for part in proper_subsets(one.mutant.edits)
        ]
        found.append(tuple(inside))
    flat = [(row, word, n) for row, bag in enumerate(bags) for word, n in bag.items()]
    at, words, counts = numpy.array(flat).T
    placebo = [is_placebo(tuple(e.attribute for e in one.mutant.edits)) for one in kept]
    own = [rows_of_edits[one.case.number, one.key] for one in kept]
    order = numpy.zeros(len(bags), int)
    order[own] = [one.mutant.order for one in kept]
    text, source = numpy.full(len(bags), -1), numpy.full(len(bags), -1)
    text[own] = [one.case.number for one in kept]
    source[own] = [sources[one.case.number] for one in kept]
    neutral = numpy.zeros(len(bags), bool)
    neutral[own] = placebo
    parts_of: list[tuple[int, ...]] = [()] * len(bags)
    for row, those in zip(own, found, strict=True):
        parts_of[row] = those
    matrix = csr_matrix((counts, (at, words)), shape=(len(bags), len(vocabulary)))
    terms: dict[str, int] = {}
    exchanged = [
        (row, terms.setdefault(word, len(terms)))
        for row, one in zip(own, kept, strict=True)
        for word in {
            word.lower()
            for e in one.mutant.edits
            for word in f"{e.source.text} {e.target.text}".split()
        }
    ]
    at, words = numpy.array(exchanged).T
    of_terms = csr_matrix((numpy.ones(len(at)), (at, words)), shape=(len(bags), len(terms)))
    return Cases(matrix, of_terms, source, text, order, neutral, parts_of)


def flips(made: Cases, kind: str, strength: float, seed: int) -> numpy.ndarray:
    """Return which mutants flip the answer of a simulated model."""
    rng = numpy.random.default_rng(seed)
    rows = len(made.text)
    if kind == "noise":
        answers = rng.random(rows) < strength
        return numpy.asarray(answers != answers[made.source])
    scores = made.words @ rng.normal(size=made.words.shape[1])
    # Each text gets a threshold of its own near its score.
    threshold = scores + rng.normal(scale=strength, size=rows)
    near = threshold[made.source]
    return numpy.asarray((scores > near) != (scores[made.source] > near))


def hidden(made: Cases, flipped: numpy.ndarray) -> numpy.ndarray:
    """Return which flips no part of their mutant shows."""
    found = numpy.zeros(len(flipped), bool)
    for row in numpy.flatnonzero(flipped & (made.order > 1)):
        found[row] = all(part >= 0 and not flipped[part] for part in made.parts[row])
    return found


def alarms(made: Cases, kind: str, strength: float, trials: int) -> dict[str, tuple[int, int]]:
    """Count by hypothesis the simulated models with an excess below and above 0."""
    found: dict[str, list[int]] = {}
    mutants = made.text >= 0
    for seed in range(trials):
        flipped = flips(made, kind, strength, seed)
        outcomes = {"errors": flipped, "hidden": hidden(made, flipped)}
        for order in (1, 2):
            for name, hits in outcomes.items():
                if order == 1 and name == "hidden":
                    continue
                chosen = mutants & (made.order == order)
                difference = paired_difference(*_sums(made, chosen, hits))
                below, above = found.setdefault(f"{name}, order {order}", [0, 0])
                if difference.low is not None and difference.high is not None:
                    found[f"{name}, order {order}"] = [
                        below + (difference.high < 0), above + (difference.low > 0)
                    ]  # fmt: skip
    return {name: (below, above) for name, (below, above) in found.items()}


def _sums(
    made: Cases, chosen: numpy.ndarray, hits: numpy.ndarray
) -> tuple[list[tuple[int, int, int, int]], list[WordSums]]:
    """Return the sums by text and by exchanged word of mutants and placebo mutants."""
    texts = int(made.text.max()) + 1
    sides = [numpy.flatnonzero(chosen & side) for side in (~made.placebo, made.placebo)]
    cases = [numpy.bincount(made.text[rows], minlength=texts) for rows in sides]
    columns, words = [], []
    for rows, other, of in zip(sides, reversed(cases), cases, strict=True):
        columns += [numpy.bincount(made.text[rows], hits[rows], texts).astype(int), of]
        weight = (other / numpy.maximum(of + other, 1))[made.text[rows]]
        chosen_words = made.exchanged[rows]
        sums = [chosen_words.T @ (weight * own) for own in (hits[rows], numpy.ones(len(rows)))]
        within = csr_matrix((numpy.ones(len(rows)), (made.text[rows], range(len(rows)))))
        own_hits, own_weight = (
            (within @ chosen_words.multiply((weight * own)[:, None]).tocsr())
            for own in (hits[rows], numpy.ones(len(rows)))
        )
        shared = [
            float(one.multiply(another).sum())
            for one, another in (
                (own_hits, own_hits),
                (own_hits, own_weight),
                (own_weight, own_weight),
            )
        ]
        words.append(WordSums(list(zip(*sums, strict=True)), (shared[0], shared[1], shared[2])))
    every = [(int(a), int(n), int(b), int(m)) for a, n, b, m in zip(*columns, strict=True)]
    return every, words


def report(trials: int) -> Iterator[str]:
    """Yield the lines of the table."""
    made = cases()
    mutants = made.text >= 0
    yield (
        f"{int((mutants & ~made.placebo).sum())} mutants and "
        f"{int((mutants & made.placebo).sum())} placebo mutants of "
        f"{len(set(made.text[mutants]))} texts; {trials} models of a kind; "
        "share of them with an excess below and above 0"
    )
    kinds = [("noise", p) for p in NOISE] + [("bag of words", near) for near in NEAR]
    for kind, strength in kinds:
        for name, (below, above) in alarms(made, kind, strength, trials).items():
            yield f"  {kind} {strength:<5} {name:<16} {below / trials:6.1%} {above / trials:6.1%}"
