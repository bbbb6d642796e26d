"""Build small word vectors on plain text by counting neighbours.

For every word, the words one and two places to the left and to the right are
counted separately, weighted by positive pointwise mutual information and reduced
by a truncated singular value decomposition.  Keeping the places apart makes words
similar that can stand in the same place of a sentence, which is what a tagger and
a parser need.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import svds
from spacy.language import Language
from spacy.vectors import Vectors

from training.parser.conllu import read_sentences

WIDTH = 128
ROWS = 19_000
CONTEXTS = 5_000
OFFSETS = (1, -1, 2, -2)
_BREAK = re.compile(r"<br\s*/?>")


def _rows(path: Path) -> Iterator[str]:
    """Yield the texts of a table (.csv, .tsv with a header) or of a text file."""
    opener = gzip.open if path.suffix == ".gz" else open
    name = path.name.removesuffix(".gz")
    with opener(path, "rt", encoding="utf-8", newline="") as stream:
        lines = (str(line) for line in stream)
        if name.endswith(".csv"):
            table = csv.reader(lines)
        elif name.endswith(".tsv"):
            table = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        else:
            yield from lines
            return
        header = next(table)
        column = next(i for i, title in enumerate(header) if title in {"text", "sentence"})
        yield from (row[column] for row in table if len(row) > column)


def review_texts(paths: Iterable[Path]) -> Iterator[str]:
    """Yield the review texts of the given files without markup."""
    for path in paths:
        for text in _rows(path):
            yield _BREAK.sub("\n", text)


def token_lists(
    nlp: Language, reviews: Iterable[Path], treebanks: Iterable[Path], repeat: int = 3
) -> list[list[str]]:
    """Tokenise all texts into norms; treebank sentences count ``repeat`` times."""
    lists = [
        [token.norm_ for token in nlp.make_doc(text) if not token.is_space]
        for text in review_texts(reviews)
    ]
    for path in treebanks:
        for sentence in read_sentences(path):
            norms = [token.norm_ for token in nlp.make_doc(sentence.text)]
            lists.extend([norms] * repeat)
    return lists


def _flat(texts: list[list[str]], index: dict[str, int]) -> NDArray[np.int64]:
    """Lay all texts end to end as word numbers, with gaps between them."""
    gap = max(OFFSETS)
    numbers: list[int] = []
    for text in texts:
        numbers.extend(index.get(word, -1) for word in text)
        numbers.extend([-1] * gap)
    return np.array(numbers, dtype=np.int64)


def _mutual_information(flat: NDArray[np.int64], offset: int, words: int) -> sparse.coo_matrix:
    """Return the positive mutual information of words and their neighbours at an offset."""
    ahead = offset > 0
    left, right = flat[: -abs(offset)], flat[abs(offset) :]
    word, context = (left, right) if ahead else (right, left)
    known = (word >= 0) & (context >= 0) & (context < CONTEXTS)
    ones = np.ones(int(known.sum()), dtype=np.float64)
    counts = sparse.coo_matrix((ones, (word[known], context[known])), shape=(words, CONTEXTS))
    counts = counts.tocsr().tocoo()
    word_sum = np.asarray(counts.tocsr().sum(axis=1)).ravel()
    context_sum = np.asarray(counts.tocsr().sum(axis=0)).ravel() ** 0.75
    ratio = counts.data * context_sum.sum() / (word_sum[counts.row] * context_sum[counts.col])
    value = np.log(ratio)
    keep = value > 0
    return sparse.coo_matrix(
        (value[keep], (counts.row[keep], counts.col[keep])), shape=counts.shape
    )


def build_vectors(nlp: Language, texts: list[list[str]], seed: int) -> Vectors:
    """Build vectors of the most frequent ``ROWS`` norms, keyed by norm."""
    counter = Counter(word for text in texts for word in text)
    words = [word for word, _ in sorted(counter.items(), key=lambda item: (-item[1], item[0]))]
    words = words[:ROWS]
    flat = _flat(texts, {word: i for i, word in enumerate(words)})
    blocks = [_mutual_information(flat, offset, len(words)) for offset in OFFSETS]
    matrix = sparse.hstack(blocks).tocsr().astype(np.float32)
    left, values, _ = svds(matrix, k=WIDTH, random_state=seed)
    data = (left * np.sqrt(values))[:, ::-1].astype(np.float32)
    data = data / (np.linalg.norm(data, axis=1, keepdims=True) + 1e-8)
    keys = [nlp.vocab.strings.add(word) for word in words]
    return Vectors(
        strings=nlp.vocab.strings, data=np.ascontiguousarray(data), keys=keys, attr="NORM"
    )
