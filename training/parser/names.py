"""The training corpus of the entity recogniser: gold and silver sentences with names swapped.

People are given other first names, drawn evenly from a long list, so that a rare name is as
good a name as a frequent one; some surnames are swapped among each other.  Some titles are put
before names, and are no part of them.  Places, organisations and other words that are written as
names are given names of people, so that the words around a name count more than the name.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from spacy import util
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from training.parser.corpus import lower_cased
from training.parser.entities import TITLES
from training.parser.silver import TIMES
from training.parser.swaps import Gold, Swapper

#: Chance of a swap per first name, surname, place, organisation, and other word with a capital.
FIRST, LAST, PLACE, BODY, OTHER = 0.5, 0.3, 0.4, 0.2, 0.2
#: Chance of a title before a name.
TITLE = 0.1
_PLACES = {"GPE", "LOC", "ORG"}
_TITLES = (
    "Mr Mr. Mrs Mrs. Ms Ms. Miss Mx Dr Dr. Professor Prof. Reverend Rev. Captain Sergeant Senator "
    "Judge Sir Lady Sister Father"
).split()
_PROPER = {"NNP", "NNPS"}
_KEPT = TITLES | TIMES


@util.registry.misc("hinter.lookups_of.v1")  # type: ignore[untyped-decorator]
def lookups_of(parser: str) -> Lookups:
    """Return the lookups of a finished pipeline, whose norms its shared layers expect."""
    return Lookups().from_disk(Path(parser) / "vocab")


def _plain(word: str) -> bool:
    """Say whether a word is written as names mostly are."""
    return len(word) > 2 and word[0].isupper() and word[1:].islower() and word.isalpha()


def _spans(ents: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield first word, last word and label of each entity."""
    for start, tag in enumerate(ents):
        if tag.startswith("B-"):
            end = start
            while end + 1 < len(ents) and ents[end + 1] == f"I-{tag[2:]}":
                end += 1
            yield start, end, tag[2:]


class NameSwapper:
    """Swap the names of people, and some of places."""

    def __init__(self, seed: int, first: Sequence[str]) -> None:
        """Begin with a list of first names and no surnames."""
        self.random = random.Random(seed)
        self.first = list(first)
        self.known = frozenset(first)
        self.last: list[str] = []

    def learn(self, docs: Sequence[Doc]) -> None:
        """Collect the surnames of documents, each once; no place is a first name."""
        found = {ent[-1].text for doc in docs for ent in doc.ents
                 if ent.label_ == "PERSON" and len(ent) > 1 and _plain(ent[-1].text)}  # fmt: skip
        self.last = sorted(found | set(self.last))
        places = {ent.text for doc in docs for ent in doc.ents if ent.label_ in _PLACES}
        self.first = [name for name in self.first if name not in places]

    def _swap(self, gold: Gold, at: int, names: Sequence[str], chance: float) -> None:
        if names and self.random.random() < chance and _plain(gold.words[at]):
            gold.words[at] = self.random.choice(names)

    def _person(self, gold: Gold, start: int, end: int) -> None:
        """Give a person another name, and some a title."""
        if end > start or gold.words[start] in self.known:
            self._swap(gold, start, self.first, FIRST)
        elif end == start:
            self._swap(gold, start, self.last, LAST)
        if end > start:
            self._swap(gold, end, self.last, LAST)
        before = gold.tags[start - 1] if start else ""
        if gold.ents and before not in _PROPER and self.random.random() < TITLE:
            gold.insert(start, self.random.choice(_TITLES), "NNP", "PROPN", "nmod", start)
            gold.ents[start] = "O"

    def __call__(self, doc: Doc) -> Doc:
        """Return a changed copy of a gold document."""
        gold = Gold.of(doc)
        spans = list(_spans(gold.ents or ()))
        for at, word in enumerate(gold.ents or ()):
            if word == "O" and gold.tags[at] in _PROPER and gold.words[at] not in _KEPT:
                self._swap(gold, at, self._any(), OTHER)
        for start, end, label in reversed(spans):  # so that places hold when a title comes in
            if label == "PERSON":
                self._person(gold, start, end)
            elif label in _PLACES and start == end:
                self._swap(gold, start, self._any(), PLACE if label == "GPE" else BODY)
        return gold.doc(doc)

    def _any(self) -> Sequence[str]:
        """Return surnames or, less often, first names."""
        return self.first if self.random.random() < 0.3 else self.last


@util.registry.readers("hinter.NamedCorpus.v1")  # type: ignore[untyped-decorator]
def named_corpus(
    path: Path,
    silver: Path,
    names: Path,
    seed: int,
    swap_share: float,
    lower_share: float,
    silver_share: dict[str, float],
) -> Callable[[Language], Iterator[Example]]:
    """Read GUM and the silver sentences, shuffled, with swaps drawn anew in every epoch.

    ``silver_share`` is the share of each silver file that is read per epoch;
    ``lower_share`` the share of GUM that is lower-cased.
    """
    chance = random.Random(seed)
    swapper = Swapper(seed)
    renamer = NameSwapper(seed, Path(names).read_text(encoding="utf-8").split())
    cache: list[tuple[float, list[Doc]]] = []

    def load(nlp: Language) -> None:
        files = [(1.0, file) for file in sorted(Path(path).glob("gum*.spacy"))]
        files += [(rate, Path(silver) / f"{name}.spacy") for name, rate in silver_share.items()]
        for rate, file in files:
            docs = list(DocBin().from_disk(file).get_docs(nlp.vocab))
            renamer.learn(docs)
            cache.append((rate, docs))

    def read(nlp: Language) -> Iterator[Example]:
        if not cache:
            load(nlp)
        docs = [
            (doc, file == 0)
            for file, (rate, docs) in enumerate(cache)
            for doc in docs
            if chance.random() < rate
        ]
        chance.shuffle(docs)
        for doc, gold in docs:
            changed = swapper(doc) if chance.random() < swap_share else None
            changed = renamer(changed or doc)
            if gold and chance.random() < lower_share:
                changed = lower_cased(changed)
            yield Example(nlp.make_doc(changed.text), changed)

    return read
