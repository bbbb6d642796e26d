"""Mark people's names in text without entity annotation, as further lessons for the recogniser.

A full name is a run of proper nouns: one whose words a treebank joins as ``flat``, or, in
reviews, two or three that begin with a known first name.  Its parts are names wherever they
stand alone in the same document.  Countries and peoples come from word lists.  All other
words with a capital are left open (missing); the rest is no name.  Sentences without a
person are kept, too, lest the recogniser expect one everywhere.
"""

from __future__ import annotations

import csv
import gzip
import random
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc, DocBin

from training.parser.bias import TEMPLATES
from training.parser.conllu import read_sentences
from training.parser.entities import TITLES
from training.parser.lexicon import norp_words, terms
from training.parser.vectors import review_texts

#: Reviews that are searched for names, and sentences that are kept of them.
REVIEWS = 4_000
SENTENCES = 12_000
#: Births in a name's best year from which it counts as a sign of a person's name.
CUE_BIRTHS = 200
#: Births in a name's best year from which people in training may be given it.
SWAP_BIRTHS = 50
#: Share of lower-case uses from which a word is mostly no name (*Star*, *Summer*, *Hope*).
COMMON = 0.1
#: Share of the sentences without a person that is kept, in treebanks and in reviews.
OTHERS = {"treebanks": 0.25, "reviews": 0.12}
_WORD = re.compile(r"[A-Z][^\W\d_]+(?:['’-][A-Z]?[^\W\d_]+)*$|[A-Z]\.$")
_PLACES = frozenset(
    "America Paris London Dallas Austin Virginia Georgia Carolina Dakota Florida Houston Phoenix "
    "Vegas Brooklyn Chelsea Holland India Asia Africa Jordan Chad Al San Santa Los Las New El Sri "
    "Hong Puerto Rio Da Tan Bien Saint St. North South East West".split()
) | frozenset(terms("places", "country"))
_PROPER = frozenset({"NNP", "NNPS"})
_PIECE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass
class Text:
    """A tagged sentence; ``full`` holds the first and last word of each full name."""

    words: list[str]
    spaces: list[bool]
    tags: list[str]
    full: list[tuple[int, int]]


def first_names(path: Path, births: int) -> set[str]:
    """Read a table of name, sex, births in the best year; return the names above a number."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as stream:
        rows = csv.reader(str(line) for line in stream)
        return {row[0] for row in rows if row[2].isdigit() and int(row[2]) >= births}


def unseen_names() -> set[str]:
    """Return the first names that measure what the parser makes of names it never saw."""
    with TEMPLATES.open("rb") as stream:
        groups: dict[str, dict[str, str]] = tomllib.load(stream)["groups"]
    return set(groups["name"]["unseen"].split())


def common_words(texts: Iterable[str]) -> set[str]:
    """Return the words, written as names, that are often written in lower case."""
    counts = Counter(word for text in texts for word in re.findall(r"[^\W\d_]+", text))
    return {
        word.title()
        for word, count in counts.items()
        if word.islower() and count > COMMON * (count + counts[word.title()])
    }


def _flat_names(words: Sequence[str], heads: Sequence[int], deps: Sequence[str],
                tags: Sequence[str]) -> list[tuple[int, int]]:  # fmt: skip
    """Return the runs of proper nouns that a treebank joins as one name."""
    found = []
    for first, word in enumerate(words):
        last = first
        while last + 1 < len(words) and heads[last + 1] == first and deps[last + 1] == "flat":
            last += 1
        if last > first and word not in _PLACES and "al" not in words[first].lower().split("-"):
            while first < last and words[first] in TITLES:
                first += 1
            if all(tags[i] == "NNP" and _WORD.match(words[i]) for i in (first, last)):
                found.append((first, last))
    return found


def treebank_documents(path: Path) -> Iterator[list[Text]]:
    """Yield the documents of a treebank with full names by its relations."""
    document: list[Text] = []
    for sentence in read_sentences(path):
        if "newdoc id" in sentence.meta and document:
            yield document
            document = []
        if not sentence.words or "mismatch" in sentence.meta:
            continue
        words = [w.form for w in sentence.words]
        heads, deps = [w.head for w in sentence.words], [w.dep for w in sentence.words]
        tags = [w.tag for w in sentence.words]
        spaces = [w.space for w in sentence.words[:-1]] + [False]
        document.append(Text(words, spaces, tags, _flat_names(words, heads, deps, tags)))
    yield document


def _runs(doc: Doc) -> Iterator[tuple[int, int]]:
    """Yield the first and last word of each run of proper nouns."""
    first = None
    for i in range(len(doc) + 1):
        proper = i < len(doc) and doc[i].tag_ in _PROPER
        if proper and first is None:
            first = i
        elif not proper and first is not None:
            yield first, i - 1
            first = None


def review_documents(
    nlp: Language, reviews: Iterable[Path], known: set[str]
) -> Iterator[list[Text]]:
    """Yield reviews, tagged by the finished parser, with full names by their first names."""
    texts = list(islice(review_texts(reviews), REVIEWS))
    common = common_words(texts)
    cues = known - common - _PLACES
    pieces = [
        (piece.strip(), number)
        for number, text in enumerate(texts)
        for piece in _PIECE.split(text)
        if 20 < len(piece) < 400
    ]
    document: list[Text] = []
    current = 0
    with nlp.select_pipes(enable=["tok2vec", "tagger"]):
        for doc, number in nlp.pipe(pieces, as_tuples=True, batch_size=256):
            if number != current:
                yield document
                document, current = [], number
            document.append(_review_sentence(doc, cues, common))
    yield document


def _review_sentence(doc: Doc, cues: set[str], common: set[str]) -> Text:
    """Find the full names of a review's sentence."""
    full = []
    for start, last in _runs(doc):
        first = start
        while first < last and doc[first].text in TITLES:
            first += 1
        run = doc[first : last + 1]
        names = all(_WORD.match(t.text) and t.tag_ == "NNP" for t in run)
        if names and 2 <= len(run) <= 3 and run[0].text in cues and run[-1].text not in common:
            full.append((first, last))
    words, spaces = [t.text for t in doc], [bool(t.whitespace_) for t in doc]
    return Text(words, spaces, [t.tag_ for t in doc], full)


def _tags(text: Text, parts: set[str]) -> list[str]:
    """Return IOB tags; words that may or may not be names are left open."""
    words = text.words
    tags = [
        ""
        if (tag in _PROPER or (i and word[:1].isupper() and word != "I")) and word not in TIMES
        else "O"
        for i, (word, tag) in enumerate(zip(words, text.tags, strict=True))
    ]
    for first, last in text.full:
        tags[first : last + 1] = ["B-PERSON"] + ["I-PERSON"] * (last - first)
    for i, word in enumerate(words):
        beside = words[i - 1 : i] + words[i + 1 : i + 2]
        capital = text.tags[max(0, i - 1)] in _PROPER and i > 0 and words[i - 1] not in TITLES
        alone = not capital and not any(t in _PROPER for t in text.tags[i + 1 : i + 2])
        if tags[i].endswith("PERSON") or "-" in beside:
            continue
        if word in norp_words() and text.tags[i] in {"JJ", *_PROPER}:
            tags[i] = "B-NORP"
        elif text.tags[i] == "NNP" and alone and word in _COUNTRIES:
            tags[i] = "B-GPE"
        elif text.tags[i] == "NNP" and alone and word in parts:
            tags[i] = "B-PERSON"
    return tags


_COUNTRIES = frozenset(terms("places", "country")) | frozenset(
    "England Britain Scotland Wales America London Hollywood California".split()
)
TIMES = frozenset(
    "January February March April May June July August September October November December "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Christmas Easter Halloween".split()
)


def silver_docs(
    nlp: Language, documents: Iterable[list[Text]], common: set[str], others: float
) -> Iterator[Doc]:
    """Yield sentences with a person's name, and a share of others; open words are missing."""
    chance = random.Random(0)
    for document in documents:
        parts = {
            text.words[i] for text in document for first, last in text.full for i in (first, last)
        }
        parts = {part for part in parts if len(part) > 2 and part not in common}
        for text in document:
            tags = _tags(text, parts)
            if "B-PERSON" in tags or chance.random() < others:
                yield Doc(nlp.vocab, words=text.words, spaces=text.spaces, tags=text.tags,
                          pos=["X"] * len(tags), heads=list(range(len(tags))),
                          deps=["dep"] * len(tags), ents=tags)  # fmt: skip


def write_silver(
    nlp: Language, treebanks: Iterable[Path], reviews: Sequence[Path], names: Path, work: Path
) -> None:
    """Write the marked sentences under ``work``."""
    known = first_names(names, CUE_BIRTHS)
    common = common_words(islice(review_texts(reviews), REVIEWS))
    (work / "silver").mkdir(exist_ok=True)
    given = first_names(names, SWAP_BIRTHS) | {*terms("names", "female"), *terms("names", "male")}
    given -= unseen_names() | _PLACES | _COUNTRIES | TIMES | common
    (work / "silver" / "names.txt").write_text("\n".join(sorted(given)) + "\n", encoding="utf-8")
    trees = (document for path in treebanks for document in treebank_documents(path))
    DocBin(docs=silver_docs(nlp, trees, common, OTHERS["treebanks"])).to_disk(
        work / "silver" / "treebanks.spacy"
    )
    found = silver_docs(nlp, review_documents(nlp, reviews, known), common, OTHERS["reviews"])
    DocBin(docs=islice(found, SENTENCES)).to_disk(work / "silver" / "reviews.spacy")
