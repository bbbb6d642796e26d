"""Measure the person sense: ``python -m training.person_sense.measure --help``.

AUC on words that nothing was fitted to: words of reviews and court texts that were read for this,
the held probes and the test part of GUM; and how often it doubts the terms of each group in the
same neutral sentences.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import bootstrap
from sklearn.metrics import roc_auc_score

from benchmarks.even_handed import filled, frames
from benchmarks.person_sense import probes
from hinter_core.language.clean import clean
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.language.word_sense import FOLDER, load_word_sense
from hinter_core.mutation.edits import apply_edits
from hinter_core.relations.validity import person_probability
from hinter_core.terms.matching import Matcher
from hinter_core.terms.senses.person_sense import read
from hinter_core.types import Edit, Pair
from training.person_sense.corpus import (
    Asked,
    in_sentence,
    is_apart,
    people,
    treebank,
    words_read,
)
from training.person_sense.texts import add_texts, texts_of

HELD = ("held", "film_held")
_HALF = 0.5  # below it, a word is doubted


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


def asked_of(words: Sequence[Asked]) -> Any:
    """Return the network's probability of each word."""
    places = [(one.text, one.span) for one in words]
    found = load_word_sense().probabilities(places)
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


def said_people(words: Sequence[Asked]) -> dict[str, Any]:
    """Return the network's answers on those words of which the rules say *person*."""
    store = ParseStore(load_parser("embedded"))
    parses = store.parse([one.text for one in words], entities=True)
    said = [one for one in words if read(parses[one.text], one.span, one.terms).terms]
    doubted = asked_of(said) < _HALF
    person = np.array([one.person > 0 for one in said])
    return {
        "not people": int((~person).sum()),
        "of them doubted": int((doubted & ~person).sum()),
        "people": int(person.sum()),
        "people doubted": int((doubted & person).sum()),
        "auc": auc(said, asked_of(said)),
    }


def by_group() -> dict[str, dict[str, float]]:
    """Return the share of each group's terms that is doubted in the same neutral sentences.

    As in the validity score: race, nationality and religion are asked about as one fixed word.
    """
    found: dict[str, dict[str, float]] = {}
    for dictionary in people():
        asked, low = Counter[str](), Counter[str]()
        for term in dictionary.terms:
            for frame in frames().get(term.form, ()):
                text, span = filled(frame, term.text)
                edit = Edit(Pair(dictionary.attribute, term, term), (span,))
                value = person_probability(text, apply_edits(text, [edit], ()))
                if value is not None:
                    asked[term.group] += 1
                    low[term.group] += value < _HALF
        found[dictionary.attribute] = {
            group: round(low[group] / number, 4) for group, number in sorted(asked.items())
        }
    return found


def run(treebanks: Path, texts: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return all figures, for the card."""
    probed, read_words = list(held()), [one for one in words_read(texts) if is_apart(one)]
    gold = list(treebank(treebanks / "gum-test.conllu.gz", 1.0))
    return {
        "words_read": auc(read_words, asked_of(read_words)),
        "held_probes": auc(probed, asked_of(probed)),
        "gum_test": auc(gold, asked_of(gold)),
        "words_read_said_people_by_the_rules": said_people(read_words),
        "held_probes_said_people_by_the_rules": said_people(probed),
        "doubted_in_neutral_sentences": by_group(),
    }


def main() -> None:
    """Print the figures and write them beside the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treebanks", type=Path, required=True, help="folder of GUM")
    add_texts(parser)
    options = parser.parse_args()
    figures = run(options.treebanks, texts_of(options))
    print(json.dumps(figures, indent=1))
    (FOLDER / "metrics.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
