"""Measure the person sense: ``python -m training.person_sense.measure --help``.

AUC on words that nothing was fitted to: the held probes and the test part of GUM; and how often it
objects to each group of terms in the same neutral sentences.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import bootstrap
from sklearn.metrics import roc_auc_score

from benchmarks.even_handed import filled, frames
from benchmarks.person_sense import probes
from hinter_core.language.clean import clean
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.mutation.coherent import PRONOUN_FORMS
from hinter_core.terms.matching import Matcher
from hinter_core.terms.person_sense import read
from hinter_core.types import GrammaticalForm, Term
from training.person_sense.corpus import Asked, in_sentence, people, treebank
from training.person_sense.reading import Place, WordSense, load_word_sense

# Terms that the network is not asked about.
LEFT_TO_RULES = PRONOUN_FORMS | {GrammaticalForm.ANY, GrammaticalForm.PREP_PHRASE}
HELD = ("held", "film_held")
_ATTRIBUTES = ("race", "gender", "nationality", "religion")


def held() -> Iterator[Asked]:
    """Yield the words of the held probes."""
    matcher = Matcher(people())
    for name in HELD:
        for probe in probes(name):
            text, _ = clean(probe.text)
            for occurrence in matcher.find(text)[0]:
                if occurrence.surface.lower() == probe.word.lower():
                    yield from in_sentence(text, occurrence, float(probe.person), 1.0)
                    break


def asked_of(network: WordSense, words: Sequence[Asked]) -> Any:
    """Return the network's probability of each word."""
    places = [(one.text, one.span) for one in words]
    found = network.probabilities(places)
    return np.array([found[place] for place in places])


def auc(words: Sequence[Asked], values: Any) -> dict[str, float]:
    """Return the area under the curve with its 95 % interval, over words."""
    person = np.array([one.person for one in words])
    ends = bootstrap(
        (person, values), _auc, paired=True, vectorized=False, method="percentile",
        n_resamples=999, rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    return {
        "words": len(words),
        "auc": round(float(roc_auc_score(person, values)), 3),
        "low": round(float(ends.low), 3),
        "high": round(float(ends.high), 3),
    }


def _auc(person: Any, values: Any) -> float:
    return 0.5 if len(set(person)) < 2 else float(roc_auc_score(person, values))


def vetoes(network: WordSense) -> dict[str, Any]:
    """Return what the network changes of the rules' answers on the held probes."""
    store = ParseStore(load_parser("embedded"))
    words = list(held())
    parses = store.parse([one.text for one in words], entities=True)
    readings = {one: read(parses[one.text], one.span, one.terms).terms for one in words}
    parsed = {one: terms[0] for one, terms in readings.items() if terms}
    said = [one for one in words if one in parsed and parsed[one].form not in LEFT_TO_RULES]
    least = [network.least(parsed[one].sense) for one in said]
    low = asked_of(network, said) < np.array(least)
    person = np.array([one.person > 0 for one in said])
    return {
        "said person": len(said),
        "not people": int((~person).sum()),
        "of them vetoed": int((low & ~person).sum()),
        "people vetoed": int((low & person).sum()),
        "auc among them": auc(said, asked_of(network, said)),
    }


def by_group(network: WordSense) -> dict[str, dict[str, float]]:
    """Return how often each group's terms are vetoed in the same neutral sentences."""
    found: dict[str, dict[str, float]] = {}
    for dictionary in people():
        if dictionary.attribute not in _ATTRIBUTES:
            continue
        places: dict[Place, Term] = {}
        for term in dictionary.terms:
            if term.form in LEFT_TO_RULES:
                continue
            for frame in frames().get(term.form, ()):
                places[filled(frame, term.text)] = term
        values = network.probabilities(places)
        asked, low = Counter(term.group for term in places.values()), Counter[str]()
        for place, term in places.items():
            low[term.group] += values[place] < network.least(term.sense)
        found[dictionary.attribute] = {
            group: round(low[group] / number, 4) for group, number in sorted(asked.items())
        }
    return found


def run(network: WordSense, treebanks: Path) -> dict[str, Any]:
    """Return all figures, for the card."""
    probed = list(held())
    gold = list(treebank(treebanks / "gum-test.conllu.gz", 1.0))
    return {
        "held_probes": auc(probed, asked_of(network, probed)),
        "gum_test": auc(gold, asked_of(network, gold)),
        "vetoes_on_held_probes": vetoes(network),
        "vetoed_in_neutral_sentences": by_group(network),
    }


def main() -> None:
    """Print the figures and write them beside the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treebanks", type=Path, required=True, help="folder of GUM")
    parser.add_argument("--model", type=Path, required=True, help="folder of the trained network")
    given = parser.parse_args()
    figures = run(load_word_sense(given.model), given.treebanks)
    print(json.dumps(figures, indent=1))
    (given.model / "metrics.json").write_text(
        json.dumps(figures, indent=2) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
