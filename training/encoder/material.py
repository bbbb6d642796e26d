"""All that the encoder learns from, and what is kept apart to measure it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hinter_core.language.sentences import sentence_at, split_sentences
from training.encoder import corpus
from training.encoder.corpus import Document
from training.encoder.texts import texts_of
from training.encoder.train import Settings


def material(
    options: argparse.Namespace, settings: Settings
) -> tuple[list[Document], dict[str, list[Document]]]:
    """Return what to learn from, and what is kept to measure, by name."""
    texts = texts_of(options)
    learn = list(_halved(corpus.words_read(texts, corpus.READ, settings.read_weight), apart=False))
    kept = {"reviews and court texts": list(
        _halved(corpus.words_read(texts, corpus.READ, 1.0), apart=True))}  # fmt: skip
    learn += corpus.words_read(texts, corpus.READ_REVIEWS, settings.reviews_weight)
    if corpus.READ_KINDS.exists():
        read = corpus.words_read(texts, corpus.READ_KINDS, settings.kinds_weight)
        for one in read:
            if corpus.is_dev(one.text):
                kept.setdefault(one.source, []).append(one)
            else:
                learn.append(one)
    learn += corpus.written(settings.written_weight)
    weights = {"gum": settings.gum_weight, "litbank": settings.litbank_weight}
    gum = list(corpus.treebank(options.treebanks / "gum-train.conllu.gz"))
    for one in (*gum, *corpus.litbank(options.litbank), *corpus.uner(options.uner)):
        weight = weights.get(one.source, 1.0)
        one.labels = [replace(label, weight=weight) for label in one.labels]
        if one.source == "gum" and corpus.is_dev(one.text):
            kept.setdefault("gum", []).append(one)
        else:
            learn.append(one)
    return learn, kept


def _halved(documents: Sequence[Document], apart: bool) -> Iterator[Document]:
    """Yield documents with those words whose sentence is kept apart, or the others."""
    for document in documents:
        sentences = split_sentences(document.text)
        labels = [
            label
            for label in document.labels
            if (found := sentence_at(sentences, label.span[0]))
            and corpus.is_apart(found.text) == apart
        ]
        if labels:
            yield replace(document, labels=labels)
