"""Texts with the kinds of their words, and which words are names of people."""

from __future__ import annotations

import csv
import gzip
import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.gum import GoldDocument, GoldMention, read_gum
from benchmarks.person_sense import probes
from hinter_core.language.clean import clean
from hinter_core.language.encoder import KINDS
from hinter_core.terms.dictionary import Dictionary, load_shipped
from hinter_core.terms.matching import Matcher
from hinter_core.types import Span, Term
from training.encoder.texts import joined, novels
from training.parser.conllu import read_sentences
from training.parser.entities import TITLES, entity_tags

HERE = Path(__file__).parent
READ = HERE / "words_read.csv"  # read for the probes of reviews and court texts: person or not
READ_REVIEWS = HERE / "labels.csv"  # the first words read, of reviews
READ_KINDS = HERE / "kinds_read.csv"  # read later, of fifteen other domains: which kind
READ_APART = HERE / "kinds_apart.csv"  # read after training, mostly of five new domains: to measure
WRITTEN = HERE / "written.csv"
FITTED = ("dev", "test", "fresh", "film")  # the other probes are read to measure only
NOT_PERSON = -1  # a word that is no person, of a kind that nobody said
_OF_GUM = {"organization": "organisation", "object": "thing", "substance": "thing",
           "abstract": "thing", "plant": "animal"}  # fmt: skip
_OF_LITBANK = {"PER": "person", "ORG": "organisation", "GPE": "place", "LOC": "place",
               "FAC": "place", "VEH": "thing"}  # fmt: skip
_CONTENT = ("NN", "JJ", "VBN", "VBG", "PRP", "CD")
_ENDS_PHRASE = frozenset(
    "of in with who whom whose that which to from at on and or , ; : ( by for about near upon as "
    "under between whom where when - --".split()
)
_ARTICLES = frozenset("the a an this that these those his her my your our their its".split())
_NO_NAMES = ("newsgroup", "email", "weblog")  # documents that are kept apart


@dataclass(frozen=True)
class Label:
    """A word of a text: the number of its kind, or ``NOT_PERSON``; ``terms``: its readings."""

    span: Span
    kind: int
    weight: float = 1.0
    terms: tuple[Term, ...] = ()

    @property
    def person(self) -> bool:
        """Whether it is about a person."""
        return self.kind == 0


@dataclass
class Document:
    """A text with labels. ``names``: of people, None if they are not marked in this text."""

    text: str
    labels: list[Label] = field(default_factory=list)
    names: list[Span] | None = None
    unsure: list[Span] = field(default_factory=list)  # words that may be names
    source: str = ""


def people() -> list[Dictionary]:
    """Return the shipped dictionaries but for the placebo."""
    return [d for d in load_shipped().values() if not d.placebo]


def kind_of(name: str) -> int:
    """Return the number of a kind by the name that a source has for it."""
    return KINDS.index(_OF_GUM.get(name, name))


def treebank(path: Path) -> Iterator[Document]:
    """Yield the texts of GUM: a word is of the type of the smallest mention that it belongs to."""
    tags = [tag for s in read_sentences(path) if s.words for tag in entity_tags(s.words)]
    for document in read_gum(path):
        own, tags = tags[: len(document.words)], tags[len(document.words) :]
        kinds = kinds_of(document)
        kinds |= {n: "name" for n, tag in enumerate(own) if tag.endswith("PERSON")}
        labels = [
            Label(word.span, kind_of(kinds[place]))
            for place, word in enumerate(document.words)
            if place in kinds and word.form and word.tag.startswith(_CONTENT)
        ]
        spans = [word.span for word in document.words]
        yield Document(document.text, labels, runs(spans, own, "PERSON"), source="gum")


def kinds_of(document: GoldDocument) -> dict[int, str]:
    """Return the type of the mention that a word heads, or whose head it modifies."""
    headed: dict[int, list[GoldMention]] = defaultdict(list)
    for mention in document.mentions:
        headed[document.head(mention.first, mention.last)].append(mention)
    found = {}
    for place, word in enumerate(document.words):
        around = headed.get(place) or [
            m for m in headed.get(word.head, ()) if m.first <= place <= m.last
        ]
        if around:
            found[place] = min(around, key=lambda m: m.last - m.first).kind
    return found


def runs(spans: Sequence[Span], tags: Sequence[str], label: str) -> list[Span]:
    """Return the characters from the first to the last word of each entity of a label."""
    found: list[Span] = []
    for (start, end), tag in zip(spans, tags, strict=True):
        if tag == f"B-{label}":
            found.append((start, end))
        elif tag == f"I-{label}" and found:
            found[-1] = (found[-1][0], end)
    return found


def litbank(path: Path) -> Iterator[Document]:
    """Yield the novels of LitBank to learn from.

    A word is of the type of the smallest mention around it, up to the first preposition in it.
    Words outside of all mentions have no label: generic people are not marked there.
    """
    every = list(novels(path))
    common = {row[0] for _, novel in every for rows in novel for row in rows if row[0].islower()}
    for _, sentences in every:
        parts: list[str] = []
        document = Document("", names=[], source="litbank")
        at = 0
        for rows in sentences:
            text = joined([row[0] for row in rows])
            spans = [(a + at, b + at) for a, b in aligned(text, [row[0] for row in rows])]
            _of_sentence(document, rows, spans, common)
            parts.append(text)
            at += len(text) + 1
        document.text = " ".join(parts)
        yield document


def aligned(text: str, tokens: Sequence[str]) -> list[Span]:
    """Return where tokens stand in a text that differs in blanks and quotation marks only."""
    spans, at = [], 0
    for token in tokens:
        token = '"' if token in ("``", "''") else token
        start = text.find(token, at)
        if start < 0 or start > at + 3:
            start, token = at, ""
        at = start + len(token)
        spans.append((start, at))
    return spans


def _of_sentence(
    document: Document,
    rows: Sequence[Sequence[str]],
    spans: Sequence[Span],
    common: Collection[str],
) -> None:
    """Add the labels and names of a sentence of LitBank."""
    mentions = sorted(_nested(rows), key=lambda m: m[1] - m[0], reverse=True)
    kinds: dict[int, str] = {}
    for first, last, kind in mentions:  # the smallest comes last
        words = [rows[n][0] for n in range(first, last + 1)]
        ends = next((n for n, w in enumerate(words) if n and w.lower() in _ENDS_PHRASE), len(words))
        for n in range(first, last + 1):
            kinds[n] = kind if n < first + ends else ""
        if kind == "PER":
            _name(document, words[:ends], [spans[first + n] for n in range(ends)], common)
    named = document.names or []
    for n, kind in kinds.items():
        start, end = spans[n]
        name = any(a <= start and end <= b for a, b in named)
        plain = rows[n][0][0].isalpha() and rows[n][0].lower() not in _ARTICLES
        if kind and plain and (name or spans[n] not in document.unsure):
            label = Label(spans[n], kind_of("name" if name else _OF_LITBANK[kind]))
            document.labels.append(label)


def _nested(rows: Sequence[Sequence[str]]) -> Iterator[tuple[int, int, str]]:
    for column in range(1, len(rows[0])):
        start = None
        for n, row in enumerate([*rows, ["", *[""] * len(rows[0])]]):
            tag = row[column] if column < len(row) else ""
            if start is not None and not tag.startswith("I-"):
                yield start, n - 1, rows[start][column][2:]
                start = None
            if tag.startswith("B-"):
                start = n


def _name(
    document: Document, words: Sequence[str], spans: Sequence[Span], common: Collection[str]
) -> None:
    """Add the name in a mention of a person: its last words with capitals, without titles.

    Words that are also written in lower case somewhere may be no names.
    """
    capital = [n for n, word in enumerate(words) if word[0].isupper() and word != "I"]
    named = [n for n in capital if words[n] not in TITLES]
    if (
        words[0].lower() in _ARTICLES
        or len(words) > 5
        or any(words[n].lower() in common for n in named)
    ):
        document.unsure += [spans[n] for n in capital]
    elif named and named == list(range(named[0], len(words))) and document.names is not None:
        document.names.append((spans[named[0]][0], spans[-1][1]))
    else:
        document.unsure += [spans[n] for n in named]


def uner(path: Path, every: bool = False) -> Iterator[Document]:
    """Yield the texts of Universal NER, whose names of people are marked.

    Documents that are kept apart are left out, unless ``every`` is to be measured.
    """
    name = ""
    rows: list[list[str]] = []
    document = Document("", names=[], source="uner")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for raw in lines:
            line = raw.rstrip("\n")
            if line.startswith("# newdoc id"):
                if document.text and (every or not name.startswith(_NO_NAMES)):
                    yield document
                name, document = (
                    line.split("=", 1)[1].strip(),
                    Document("", names=[], source="uner"),
                )
            elif line.startswith("# text ="):
                at = len(document.text) + 1 if document.text else 0
                document.text = f"{document.text} {line.split('=', 1)[1].strip()}".strip()
            elif line:
                rows += [line.split("\t")] if line[0].isdigit() else []
            elif rows and document.names is not None:
                spans = aligned(document.text[at:], [row[1] for row in rows])
                moved = [(a + at, b + at) for a, b in spans]
                document.names += runs(moved, [row[2] for row in rows], "PER")
                rows = []
    if document.text and (every or not name.startswith(_NO_NAMES)):
        yield document


def words_read(texts: Mapping[str, Sequence[str]], path: Path, weight: float) -> list[Document]:
    """Return the texts with words that were read: data, row, place, and what the word is."""
    labels: dict[tuple[str, int], dict[Span, int]] = defaultdict(dict)
    with path.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            place = int(line["start"]), int(line["end"])
            labels[line.get("data", "reviews"), int(line["row"])][place] = _said(line)
    matcher = Matcher(people())
    documents = []
    for (data, row), places in labels.items():
        text = texts[data][row]
        terms = {one.span: one.terms for one in reversed(matcher.find(text)[0])}
        found = [Label(s, kind, weight, terms.get(s, ())) for s, kind in places.items()]
        documents.append(Document(text, found, source=data))
    return documents


def _said(line: Mapping[str, str]) -> int:
    if "kind" in line:
        return kind_of(line["kind"])
    return 0 if line["person"] == "yes" else NOT_PERSON


def written(weight: float) -> list[Document]:
    """Return the probes that rules were fitted on, and the sentences written for this recipe."""
    asked = [(probe.text, probe.word, probe.person) for name in FITTED for probe in probes(name)]
    with WRITTEN.open(encoding="utf-8", newline="") as lines:
        asked += [(r["text"], r["word"], r["person"] == "yes") for r in csv.DictReader(lines)]
    return list(in_sentences(asked, weight, "written"))


def in_sentences(
    asked: Iterable[tuple[str, str, bool]], weight: float, source: str
) -> Iterator[Document]:
    """Yield sentences with a word of each, and whether it is a person."""
    matcher = Matcher(people())
    for sentence, word, person in asked:
        text, _ = clean(sentence)
        for found in matcher.find(text)[0]:
            if found.surface.lower() == word.lower():
                label = Label(found.span, 0 if person else NOT_PERSON, weight, found.terms)
                yield Document(text, [label], source=source)
                break


def is_apart(sentence: str) -> bool:
    """Whether a word of reviews or court texts is kept to measure, by its sentence."""
    return hashlib.sha1(sentence.encode(), usedforsecurity=False).digest()[0] % 2 == 1


def is_dev(text: str) -> bool:
    """Whether a text of the other domains is kept to measure: one in five."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).digest()[0] % 5 == 0
