"""Functions that the configuration names: the training corpus and the lookups."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import spacy
from spacy import util
from spacy.language import Language
from spacy.lookups import Lookups, load_lookups
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from training.parser.clauses import Cutter, verbs
from training.parser.lexicon import shared_norms
from training.parser.swaps import Gold, Swapper

#: Share of a treebank's sentences that are read per epoch, where it is not all.
RATES = {"atis": 0.35}


@util.registry.misc("hinter.identity_lookups.v1")  # type: ignore[untyped-decorator]
def identity_lookups(share_norms: bool = True) -> Lookups:
    """Return the table of norms: spaCy's spelling variants and the shared norms."""
    lookups: Lookups = load_lookups("en", ["lexeme_norm"], strict=False)
    if not lookups.has_table("lexeme_norm"):
        lookups.add_table("lexeme_norm")
    if share_norms:
        table = lookups.get_table("lexeme_norm")
        for word, norm in shared_norms().items():
            table[word] = norm
    return lookups


def blank(share_norms: bool = True) -> Language:
    """Return spaCy's English tokeniser on a vocabulary with the shared norms."""
    nlp = spacy.blank("en")
    nlp.vocab.lookups = identity_lookups(share_norms)
    return nlp


def lower_cased(doc: Doc) -> Doc:
    """Return a lower-cased copy of a gold document."""
    gold = Gold.of(doc)
    gold.words = [word.lower() for word in gold.words]
    return gold.doc(doc)


@util.registry.readers("hinter.SwappedCorpus.v1")  # type: ignore[untyped-decorator]
def swapped_corpus(
    path: Path,
    seed: int,
    swap_share: float,
    lower_share: float,
    only: str = "",
    clause_share: float = 0.0,
) -> Callable[[Language], Iterator[Example]]:
    """Read a folder of treebanks, shuffled, with swaps drawn anew in every epoch.

    ``swap_share`` is the share of sentences offered to the swapper,
    ``lower_share`` the share that is lower-cased; ``only`` narrows the treebanks; of
    ``clause_share`` of the sentences a short sentence is cut, where they have one, and read too.
    """
    chance = random.Random(seed)
    swapper = Swapper(seed)
    cache: list[tuple[float, list[Doc]]] = []

    def load(nlp: Language) -> None:
        for file in sorted(Path(path).glob(f"{only}*.spacy")):
            docs = list(DocBin().from_disk(file).get_docs(nlp.vocab))
            rate = next((r for name, r in RATES.items() if name in file.stem), 1.0)
            cache.append((rate, docs))

    def read(nlp: Language) -> Iterator[Example]:
        if not cache:
            load(nlp)
        docs = [doc for rate, docs in cache for doc in docs if chance.random() < rate]
        if clause_share:
            cutter = Cutter(chance.randrange(2**32), verbs(docs))
            cut = (cutter(doc) for doc in docs if chance.random() < clause_share)
            docs += [doc for doc in cut if doc is not None]
        chance.shuffle(docs)
        for doc in docs:
            changed = swapper(doc) if chance.random() < swap_share else None
            changed = changed or doc
            if chance.random() < lower_share:
                changed = lower_cased(changed)
            yield Example(nlp.make_doc(changed.text), changed)

    return read
