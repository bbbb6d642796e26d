"""Measure the shipped encoder: ``python -m training.encoder.measure --help``.

Kinds of words that nothing was learned from, by domain; names of people in GUM, in Universal NER
and in sentences with a first name alone; and how often each group's terms are doubted in the same
neutral sentences.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.even_handed import filled, frames
from benchmarks.person_sense import probes
from hinter_core.language.encoder import FOLDER, load_encoder
from hinter_core.language.sentences import sentence_at, split_sentences
from hinter_core.terms.names import load_names
from hinter_core.types import Span, Term
from training.encoder import corpus
from training.encoder.corpus import Document, Label, in_sentences, people
from training.encoder.material import material
from training.encoder.passages import held_name
from training.encoder.texts import add_sources, texts_of
from training.encoder.train import Settings
from training.parser.conllu import read_sentences
from training.parser.entities import entity_tags

HALF = 0.5
_TERMS, _FRAMES = 8, 5
_OTHERS = ("gum", "reviews and court texts")  # not of the domains with kinds
_PEOPLE = Path("training/parser/bias.toml")


def answered(document: Document) -> Iterator[tuple[Label, Mapping[str, float]]]:
    """Yield the labelled words with how probably they are of each kind."""
    sentences = split_sentences(document.text)
    readings = load_encoder().read(sentence.text for sentence in sentences)
    for label in document.labels:
        at = sentence_at(sentences, label.span[0])
        if at and label.span[1] <= at.end:
            span = label.span[0] - at.start, label.span[1] - at.start
            yield label, readings[at.text].kinds(span)


def of_words(documents: Iterable[Document]) -> dict[str, float]:
    """Return how right the encoder is on words: is it a person?"""
    pairs = [
        (label.person, kinds["person"])
        for document in documents
        for label, kinds in answered(document)
    ]
    person = np.array([one for one, _ in pairs])
    values = np.array([value for _, value in pairs])
    said = values > HALF
    return {
        "words": len(person),
        "people": int(person.sum()),
        "auc": round(float(roc_auc_score(person, values)), 3)
        if 0 < person.sum() < len(person)
        else 1,
        "precision": round(float((person & said).sum() / max(1, said.sum())), 3),
        "recall": round(float((person & said).sum() / max(1, person.sum())), 3),
        "same": round(float((person == said).mean()), 3),
    }


def of_names(texts: Iterable[tuple[str, Sequence[Span]]]) -> dict[str, float]:
    """Return precision and recall of whole names, in sentences read alone."""
    found = right = wanted = 0
    for text, names in texts:
        ours = set(load_encoder().read([text])[text].names)
        found, wanted = found + len(ours), wanted + len(names)
        right += len(ours & set(names))
    return {
        "names": wanted,
        "precision": round(right / max(1, found), 3),
        "recall": round(right / max(1, wanted), 3),
    }


def gum_names(path: Path) -> Iterator[tuple[str, list[Span]]]:
    """Yield the sentences of GUM with the names of people in them."""
    for sentence in read_sentences(path):
        spans, text = [], ""
        for word in sentence.words:
            spans.append((len(text), len(text) + len(word.form)))
            text += word.form + (" " if word.space else "")
        if sentence.words and "mismatch" not in sentence.meta:
            tags = entity_tags(sentence.words)
            yield text.strip(), corpus.runs(spans, tags, "PERSON")


def uner_names(path: Path) -> Iterator[tuple[str, list[Span]]]:
    """Yield the sentences of Universal NER with the names of people in them."""
    for document in corpus.uner(path, every=True):
        for sentence in split_sentences(document.text):
            inside = [
                (a - sentence.start, b - sentence.start)
                for a, b in document.names or ()
                if sentence.start <= a and b <= sentence.end
            ]
            yield sentence.text, inside


def first_names() -> dict[str, float]:
    """Return in which share of sentences with a first name alone it is found, by origin.

    ``list`` are the names of the shipped list that were kept out of training, by country.
    """
    data = tomllib.loads(_PEOPLE.read_text(encoding="utf-8"))
    texts = data["people"]["texts"]
    groups = {name: words.split() for name, words in data["groups"]["name"].items()}
    names = load_names().given
    held: dict[str, list[str]] = defaultdict(list)
    for (country, _), given in sorted(names.items()):
        held[f"list: {country or 'any'}"] += [name for name in given if held_name(name)]
    found = {}
    for group, given in {**groups, **held}.items():
        right = total = 0
        for name in given:
            for text in texts:
                at = text.index("{}")
                filling = text.replace("{}", name)
                names_read = load_encoder().read([filling])[filling].names
                right += (at, at + len(name)) in names_read
                total += 1
        found[group] = round(right / max(1, total), 3)
    return found


def doubted() -> dict[str, dict[str, float]]:
    """Return the share of each group's terms that is doubted in the same neutral sentences.

    A few terms of each form and a few sentences are asked about, drawn evenly.
    """
    found: dict[str, dict[str, float]] = {}
    for dictionary in people():
        asked, low = Counter[str](), Counter[str]()
        forms: dict[tuple[str, str], list[Term]] = defaultdict(list)
        for term in dictionary.terms:
            forms[term.group, term.form].append(term)
        for terms in forms.values():
            for term in _few(terms, _TERMS):
                for frame in _few(frames().get(term.form, ()), _FRAMES):
                    text, span = filled(frame, term.text)
                    asked[term.group] += 1
                    low[term.group] += load_encoder().read([text])[text].person(span) < HALF
        found[dictionary.attribute] = {
            group: round(low[group] / number, 4) for group, number in sorted(asked.items())
        }
    return found


def _few(every: Sequence[Any], most: int) -> Sequence[Any]:
    """Return at most so many, evenly spread."""
    return every[:: max(1, -(-len(every) // most))]


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Return all figures, for the card."""
    _, kept = material(options, Settings())
    domains = {name: of_words(documents) for name, documents in sorted(kept.items())}
    read = [d for name, documents in kept.items() if name not in _OTHERS for d in documents]
    for name in ("held", "film_held"):
        asked = [(probe.text, probe.word, probe.person) for probe in probes(name)]
        domains[f"probes: {name}"] = of_words(in_sentences(asked, 1.0, name))
    apart = corpus.words_read(texts_of(options), corpus.READ_APART, 1.0)
    domains["read after training"] = of_words(apart)
    for name in sorted({document.source for document in apart}):
        own = (document for document in apart if document.source == name)
        domains[f"read after training: {name}"] = of_words(own)
    return {
        "words": {"all domains": of_words(read), **domains},
        "names": {
            "GUM test": of_names(gum_names(options.treebanks / "gum-test.conllu.gz")),
            "UNER EWT test": of_names(uner_names(options.uner_test)),
            "first names alone": first_names(),
        },
        "doubted in neutral sentences": doubted(),
    }


def main() -> None:
    """Print the figures and write them beside the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_sources(parser)
    parser.add_argument("--uner-test", type=Path, required=True, help="its test part, to measure")
    figures = run(parser.parse_args())
    print(json.dumps(figures, indent=1))
    (FOLDER / "metrics.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
