"""Read CoNLL-U treebanks into spaCy documents, one sentence per document.

The gold document keeps the treebank's own words, so that multi-word tokens
such as ``don't`` are already split.  spaCy's tokeniser is applied to the raw
text later, by ``Example``, which aligns the two tokenisations.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from training.parser.entities import entity_tags

#: Relation names of older releases, mapped to those of the newer treebanks.
RELATIONS = {
    "obl:tmod": "obl:unmarked",
    "obl:npmod": "obl:unmarked",
    "nmod:tmod": "nmod:unmarked",
    "nmod:npmod": "nmod:unmarked",
    "flat:foreign": "flat",
}
#: Odd part-of-speech tags, mapped to the tag set of the larger treebanks.
TAGS = {'"': "''", "X": "FW", "_": ""}

_NO_SPACE_BEFORE = re.compile(r"^([.,;:?!)%\]]|'s|'S|n't|'m|'re|'ve|'ll|'d|'|N'T|n’t|’\w+)$")


@dataclass
class Word:
    """One syntactic word of a sentence."""

    form: str
    upos: str
    tag: str
    head: int
    dep: str
    misc: dict[str, str]
    space: bool = True
    lemma: str = ""


@dataclass
class Sentence:
    """One sentence with the comments that came before it."""

    meta: dict[str, str] = field(default_factory=dict)
    words: list[Word] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The raw text, rebuilt from the words and the spaces after them."""
        return "".join(w.form + (" " if w.space else "") for w in self.words).strip()


def _misc(column: str) -> dict[str, str]:
    """Split the tenth column into its features."""
    if column == "_":
        return {}
    return dict(part.partition("=")[::2] for part in column.split("|"))


def _word(columns: list[str]) -> Word:
    """Build a word from the ten columns of a line."""
    misc = _misc(columns[9])
    return Word(
        form=columns[1].replace(" ", "\u00a0"),
        upos=columns[3],
        tag=TAGS.get(columns[4], columns[4]),
        head=int(columns[6]) - 1,
        dep=RELATIONS.get(columns[7], columns[7]),
        misc=misc,
        space=misc.get("SpaceAfter") != "No",
        lemma=columns[2],
    )


def _join_range(sentence: Sentence, pending: tuple[int, int, str, bool]) -> None:
    """Give the words of a multi-word token the spacing of its surface form."""
    first, last, surface, space = pending
    words = sentence.words[first - 1 : last]
    for word in words[:-1]:
        word.space = False
    words[-1].space = space
    if "".join(w.form for w in words) != surface:
        sentence.meta["mismatch"] = surface


def _parse_block(lines: list[str]) -> Sentence:
    """Turn the lines of one sentence into a ``Sentence``."""
    sentence = Sentence()
    ranges: list[tuple[int, int, str, bool]] = []
    for line in lines:
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            sentence.meta[key.strip()] = value.strip()
            continue
        columns = line.split("\t")
        if "-" in columns[0]:
            first, last = (int(n) for n in columns[0].split("-"))
            space = _misc(columns[9]).get("SpaceAfter") != "No"
            ranges.append((first, last, columns[1], space))
        elif "." not in columns[0]:
            sentence.words.append(_word(columns))
    for pending in ranges:
        _join_range(sentence, pending)
    return sentence


def _blocks(path: Path) -> Iterator[list[str]]:
    """Yield the lines of each sentence of a plain or gzipped file."""
    opener = gzip.open if path.suffix == ".gz" else open
    block: list[str] = []
    with opener(path, "rt", encoding="utf-8") as stream:
        for raw in stream:
            line = str(raw).rstrip("\n")
            if line:
                block.append(line)
            elif block:
                yield block
                block = []
    if block:
        yield block


def _detokenise(sentence: Sentence) -> None:
    """Remove the spaces of a treebank that was stored in tokenised form."""
    for word, after in zip(sentence.words, sentence.words[1:], strict=False):
        if _NO_SPACE_BEFORE.match(after.form):
            word.space = False


def read_sentences(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a treebank file.

    A file in which no word says ``SpaceAfter=No`` was stored in tokenised form
    and gets plausible spacing; a file without tags in its fifth column has them
    left empty, which spaCy reads as missing.
    """
    sentences = [_parse_block(block) for block in _blocks(path)]
    if all(word.space for s in sentences for word in s.words):
        for sentence in sentences:
            _detokenise(sentence)
    yield from sentences


def to_doc(vocab: Vocab, sentence: Sentence, entities: bool = False) -> Doc:
    """Build the gold document of a sentence.

    Without ``entities`` the entity annotation is marked as missing, so that the
    entity recogniser neither learns from the sentence nor is scored on it.
    """
    words = sentence.words
    heads = [i if w.head < 0 else w.head for i, w in enumerate(words)]
    tags = entity_tags(words) if entities else None
    doc = Doc(
        vocab,
        words=[w.form for w in words],
        spaces=[w.space for w in words[:-1]] + [False],
        tags=[w.tag for w in words],
        pos=[w.upos for w in words],
        lemmas=[w.lemma for w in words],
        heads=heads,
        deps=["ROOT" if w.dep == "root" else w.dep for w in words],
        ents=tags,
    )
    if tags is None:
        doc.set_ents([], missing=[doc[:]])
    return doc


def read_docs(path: Path, vocab: Vocab, entities: bool = False) -> list[Doc]:
    """Read a treebank file into gold documents, leaving out odd sentences."""
    return [
        to_doc(vocab, sentence, entities)
        for sentence in read_sentences(path)
        if sentence.words and "mismatch" not in sentence.meta
    ]
