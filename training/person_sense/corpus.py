"""Words in sentences, and whether they are about a person there."""

from __future__ import annotations

import csv
import hashlib
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.gum import GoldDocument, GoldMention, read_gum
from benchmarks.person_sense import probes
from hinter_core.data.rows import open_table
from hinter_core.errors import InputError
from hinter_core.language.clean import clean
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.language.sentences import sentence_at, split_sentences
from hinter_core.terms.dictionary import Dictionary, load_shipped
from hinter_core.terms.matching import Matcher
from hinter_core.terms.senses.person_sense import read
from hinter_core.types import GrammaticalForm, Occurrence, Span, Term

FITTED = ("dev", "test", "fresh", "film")  # the other probes are read to measure only
LABELS = Path(__file__).with_name("labels.csv")
WORDS_READ = Path(__file__).with_name("words_read.csv")
WRITTEN = Path(__file__).with_name("written.csv")
_CONTENT = ("NN", "JJ", "VBN", "VBG")
_PROPER = ("NNP", "NNPS")
LONGEST = 600  # characters of a sentence
_OF_A_TEXT = 5  # words that a teacher is asked about


@dataclass(frozen=True)
class Asked:
    """A word of a sentence. ``person``: 1 if it is about a person. ``terms``: its readings."""

    text: str
    span: Span
    person: float
    weight: float
    terms: tuple[Term, ...] = ()


def people() -> list[Dictionary]:
    """Return the shipped dictionaries but for the placebo."""
    return [d for d in load_shipped().values() if not d.placebo]


def treebank(path: Path, weight: float) -> Iterator[Asked]:
    """Yield the common nouns and adjectives of GUM: the smallest mention around them has a type.

    Names of people are left out: a word for a people in one (*Jack White*) is not about its people.
    """
    for document in read_gum(path):
        sentences = split_sentences(document.text)
        kinds = kinds_of(document)
        for place, word in enumerate(document.words):
            kind = kinds.get(place)
            if not kind or not word.form or not word.tag.startswith(_CONTENT):
                continue
            if kind == "person" and word.tag in _PROPER:
                continue
            sentence = sentence_at(sentences, word.span[0])
            if sentence and word.span[1] <= sentence.end:
                span = word.span[0] - sentence.start, word.span[1] - sentence.start
                yield Asked(sentence.text, span, float(kind == "person"), weight)


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


def written(weight: float) -> Iterator[Asked]:
    """Yield the probes that rules were fitted on, and the sentences written for this recipe."""
    matcher = Matcher(people())
    found = [(probe.text, probe.word, probe.person) for name in FITTED for probe in probes(name)]
    with WRITTEN.open(encoding="utf-8", newline="") as lines:
        found += [(r["text"], r["word"], r["person"] == "yes") for r in csv.DictReader(lines)]
    for sentence, word, person in found:
        text, _ = clean(sentence)
        for occurrence in matcher.find(text)[0]:
            if occurrence.surface.lower() == word.lower():
                yield from in_sentence(text, occurrence, float(person), weight)
                break


def in_sentence(text: str, occurrence: Occurrence, person: float, weight: float) -> Iterator[Asked]:
    """Yield the occurrence in its sentence, unless it spans two."""
    sentence = sentence_at(split_sentences(text), occurrence.span[0])
    if sentence and occurrence.span[1] <= sentence.end:
        span = occurrence.span[0] - sentence.start, occurrence.span[1] - sentence.start
        yield Asked(sentence.text, span, person, weight, occurrence.terms)


def read_texts(path: Path) -> list[str]:
    """Read the texts of a table, in the order of the file."""
    texts = []
    for row in open_table(path).rows():
        if row.text:
            try:
                texts.append(clean(row.text)[0])
            except InputError:  # too long; the places of the others stay
                texts.append("")
    return texts


def judged(texts: Sequence[str], weight: float) -> Iterator[Asked]:
    """Yield the words of reviews that were read for this: row, place and label are in a file."""
    matcher = Matcher(people())
    labels: dict[int, dict[Span, bool]] = defaultdict(dict)
    with LABELS.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            place = int(line["start"]), int(line["end"])
            labels[int(line["row"])][place] = line["person"] == "yes"
    for row, places in labels.items():
        yield from _labelled(texts[row], places, matcher, weight)


def words_read(texts: Mapping[str, Sequence[str]], weight: float = 1.0) -> Iterator[Asked]:
    """Yield the words of reviews and court texts that were read later.

    The file has the name of the data, row, place and label.
    """
    matcher = Matcher(people())
    labels: dict[tuple[str, int], dict[Span, bool]] = defaultdict(dict)
    with WORDS_READ.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            place = int(line["start"]), int(line["end"])
            labels[line["data"], int(line["row"])][place] = line["person"] == "yes"
    for (data, row), places in labels.items():
        yield from _labelled(texts[data][row], places, matcher, weight)


def is_apart(one: Asked) -> bool:
    """Whether a word that was read is kept to measure: rules and networks learn from the others."""
    return hashlib.sha1(one.text.encode(), usedforsecurity=False).digest()[0] % 2 == 1


def _labelled(
    text: str, places: Mapping[Span, bool], matcher: Matcher, weight: float
) -> Iterator[Asked]:
    """Yield the words of a text that have labels, each once."""
    known = set(places)
    for occurrence in matcher.find(text)[0]:
        if occurrence.span in known:
            known.remove(occurrence.span)
            yield from in_sentence(text, occurrence, float(places[occurrence.span]), weight)


def guessed(texts: Iterable[str], most: int, weight: float, seed: int) -> Iterator[Asked]:
    """Yield words of reviews with what the rules say: many, and not always right."""
    chance = random.Random(seed)
    store = ParseStore(load_parser("embedded"), 500_000)
    matcher = Matcher(people())
    chosen = [text for text in texts if text]
    chance.shuffle(chosen)
    made = 0
    for text in chosen:
        found: Mapping[Span, Occurrence] = {o.span: o for o in matcher.find(text)[0]}
        asked = list(_asked_about(text, found.values(), 0.0, weight))
        parses = store.parse([one.text for one in asked], entities=True)
        for one in asked:
            said = bool(read(parses[one.text], one.span, one.terms).terms)
            yield Asked(one.text, one.span, float(said), weight, one.terms)
        made += len(asked)
        if made >= most:
            return


def unread(texts: Iterable[str], most: int, weight: float, seed: int) -> Iterator[Asked]:
    """Yield words of texts that nobody read, a few of a text; what they are is not known."""
    chance = random.Random(seed)
    matcher = Matcher(people())
    chosen = [text for text in texts if text]
    chance.shuffle(chosen)
    made = 0
    for text in chosen:
        found = list(_asked_about(text, matcher.find(text)[0], 0.5, weight))
        found = chance.sample(found, min(_OF_A_TEXT, len(found)))
        yield from found
        made += len(found)
        if made >= most:
            return


def _asked_about(
    text: str, occurrences: Iterable[Occurrence], person: float, weight: float
) -> Iterator[Asked]:
    """Yield the words of a text that are asked about, less those of very long sentences."""
    for occurrence in occurrences:
        if not all(is_plain(term) for term in occurrence.terms):
            for one in in_sentence(text, occurrence, person, weight):
                if len(one.text) <= LONGEST:
                    yield one


def is_plain(term: Term) -> bool:
    """Whether a reading of a word is not asked about: a pronoun or a phrase."""
    return term.form is GrammaticalForm.ANY or term.form.is_pronoun
