"""Read the two data sets from the folders given, clean them and hold texts out."""

from __future__ import annotations

import csv
import gzip
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Example:
    """One text with its label: 0 negative, 1 positive."""

    text: str
    label: int


@dataclass(frozen=True)
class Split:
    """Texts to learn from and texts held out of them for choosing between runs."""

    train: list[Example]
    held_out: list[Example]


def clean(text: str) -> str:
    """Drop HTML line breaks and superfluous white space."""
    return _SPACE.sub(" ", _BREAK.sub(" ", text)).strip()


def find(folder: Path, stem: str) -> Path:
    """The file `stem.*` in a folder, whatever its ending."""
    matches = sorted(folder.glob(f"{stem}.*"))
    if not matches:
        raise FileNotFoundError(f"no file named {stem}.* in {folder}")
    return matches[0]


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    """Pairs of text and label; tab-separated files come without quoting."""
    csv.field_size_limit(sys.maxsize)
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as handle:
        if ".tsv" in path.name:
            reader = csv.reader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)
        else:
            reader = csv.reader(handle)
        header = next(reader)
        label_column = header.index("label")
        text_column = header.index("text" if "text" in header else "sentence")
        for row in reader:
            yield row[text_column], row[label_column]


def read(path: Path) -> list[Example]:
    """All examples of one file, cleaned, in the order of the file."""
    names = {"neg": 0, "negative": 0, "0": 0, "pos": 1, "positive": 1, "1": 1}
    return [Example(clean(text), names[label.strip().lower()]) for text, label in _rows(path)]


def split_reviews(reviews: list[Example], held_out: int, seed: int) -> Split:
    """Remove repeated reviews and hold a random slice out."""
    unique = list({review.text: review for review in reviews}.values())
    random.Random(seed).shuffle(unique)
    return Split(train=unique[held_out:], held_out=unique[:held_out])


def _maximal(texts: list[str], minimum_words: int = 8) -> list[str]:
    """Texts that are no part of the next longer ones starting or ending alike."""
    ordered = sorted({text for text in texts if len(text.split()) >= minimum_words})
    forward = [a for a, b in zip(ordered, [*ordered[1:], ""], strict=True) if not b.startswith(a)]
    backward = sorted(text[::-1] for text in forward)
    pairs = zip(backward, [*backward[1:], ""], strict=True)
    return sorted(a[::-1] for a, b in pairs if not b.startswith(a))


def split_sentences(sentences: list[Example], held_out: int, seed: int) -> Split:
    """Hold whole sentences out and drop every phrase of them from the training part.

    The training file lists sentences together with the phrases they consist of, so
    that a random slice of it would be known by heart. Here nothing in the training
    part is contained in, or contains, a held-out sentence.
    """
    labels = {sentence.text: sentence.label for sentence in sentences}
    candidates = _maximal(list(labels))
    random.Random(seed).shuffle(candidates)
    chosen = candidates[:held_out]
    joined = "\n".join(f" {text} " for text in chosen)
    train = [
        Example(text, label)
        for text, label in labels.items()
        if f" {text} " not in joined and not any(part in text for part in chosen)
    ]
    return Split(train=train, held_out=[Example(text, labels[text]) for text in chosen])
