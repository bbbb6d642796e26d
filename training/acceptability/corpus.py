"""Read judged sentences (CoLA) and gold sentences (treebanks) from files given by path."""

from __future__ import annotations

import csv
import gzip
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from training.parser.conllu import read_sentences, to_doc
from training.parser.swaps import Swapper

_LENGTHS = range(3, 41)  # words
_ENDS = (".", "!", "?")


@dataclass(frozen=True)
class Example:
    """A sentence; ``wrong``: spans of characters known to be at fault, if it is not acceptable."""

    text: str
    acceptable: bool
    wrong: tuple[tuple[int, int], ...] = ()
    located: bool = False  # whether ``wrong`` is known


@dataclass
class Gold:
    """A gold sentence as words with their Penn tags; a space follows a word or does not."""

    words: list[str]
    tags: list[str]
    spaces: list[bool]
    wrong: set[int] = field(default_factory=set)

    def example(self) -> Example:
        """As text, with the spans of the words at fault."""
        text, spans = "", []
        for i, word in enumerate(self.words):
            shown = word[:1].upper() + word[1:] if i == 0 else word
            if i in self.wrong:
                spans.append((len(text), len(text) + len(shown)))
            text += shown + (" " if self.spaces[i] else "")
        return Example(text.strip(), not self.wrong, tuple(spans), located=True)

    def copy(self) -> Gold:
        """Another one, free to change."""
        return Gold(list(self.words), list(self.tags), list(self.spaces), set(self.wrong))


def read_cola(path: Path) -> list[Example]:
    """Sentences of one CoLA file: source, 1 or 0, the author's mark, sentence; no header."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Example(row[3].strip(), row[1] == "1") for row in rows]


def read_gold(folder: Path, part: str, *, swapped: int | None = None) -> list[Gold]:
    """Whole sentences of the EWT and GUM treebanks; ``part``: train, dev or test.

    With ``swapped`` as a seed, a second copy of those sentences in which words for people can be
    exchanged for others of the same form, so that such words are no sign of an error.
    """
    found = []
    swapper = Swapper(swapped) if swapped is not None else None
    for name in ("ewt", "gum"):
        for doc in _docs(folder / f"{name}-{part}.conllu.gz"):
            found.append(_gold(doc))
            changed = swapper(doc) if swapper else None
            if changed is not None:
                found.append(_gold(changed))
    return found


def _docs(path: Path) -> Iterator[Doc]:
    vocab = Vocab()
    for sentence in read_sentences(path):
        whole = sentence.words and "mismatch" not in sentence.meta
        if whole and len(sentence.words) in _LENGTHS and sentence.words[-1].form in _ENDS:
            yield to_doc(vocab, sentence)


def _gold(doc: Doc) -> Gold:
    return Gold([t.text for t in doc], [t.tag_ for t in doc], [bool(t.whitespace_) for t in doc])


def hold_out(examples: list[Example], many: int, seed: int) -> tuple[list[Example], list[Example]]:
    """Examples to learn from, and some held out."""
    shuffled = list(examples)
    random.Random(seed).shuffle(shuffled)
    return shuffled[many:], shuffled[:many]
