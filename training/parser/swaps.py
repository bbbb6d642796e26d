"""Swap and insert identity terms in gold sentences, keeping tags and trees.

Every rule replaces a word by another one of the same form, so that the gold
annotation stays true; only the insertion rules add words to the tree.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from spacy.tokens import Doc

from training.parser.lexicon import plurals, terms

ADJECTIVE_TAGS = frozenset({"JJ"})
CAPITAL_TRAITS = ("Jewish", "Islamic", "Black", "White")
_THIRD_PERSON = frozenset({"VBZ"})


@dataclass
class Gold:
    """The annotation of a sentence as parallel lists.

    ``ents`` may be missing as a whole, or be empty for words that are left open.
    """

    words: list[str]
    spaces: list[bool]
    tags: list[str]
    pos: list[str]
    heads: list[int]
    deps: list[str]
    ents: list[str] | None

    @classmethod
    def of(cls, doc: Doc) -> Gold:
        """Take the annotation out of a gold document."""
        missing = all(t.ent_iob == 0 for t in doc)
        return cls(
            [t.text for t in doc],
            [bool(t.whitespace_) for t in doc],
            [t.tag_ for t in doc],
            [t.pos_ for t in doc],
            [t.head.i for t in doc],
            [t.dep_ for t in doc],
            None
            if missing
            else [f"{t.ent_iob_}-{t.ent_type_}" if t.ent_type_ else t.ent_iob_ for t in doc],
        )

    def doc(self, like: Doc) -> Doc:
        """Build a gold document on the vocabulary of another one."""
        doc = Doc(
            like.vocab,
            words=self.words,
            spaces=self.spaces,
            tags=self.tags,
            pos=self.pos,
            heads=self.heads,
            deps=self.deps,
            ents=self.ents,
        )
        if self.ents is None:
            doc.set_ents([], missing=[doc[:]])
        return doc

    def insert(self, at: int, word: str, tag: str, pos: str, dep: str, head: int) -> None:
        """Insert a word before position ``at``; ``head`` counts before the insertion."""
        self.heads = [h + 1 if h >= at else h for h in self.heads]
        self.words.insert(at, word)
        self.spaces.insert(at, True)
        self.tags.insert(at, tag)
        self.pos.insert(at, pos)
        self.heads.insert(at, head + 1 if head >= at else head)
        self.deps.insert(at, dep)
        if self.ents is not None:
            self.ents.insert(at, "B-NORP" if word[0].isupper() else "O")

    def fix_article(self, at: int) -> None:
        """Make ``a``/``an`` before a changed word fit it."""
        if at and self.words[at - 1].lower() in {"a", "an"}:
            article = "an" if self.words[at][0].lower() in "aeiou" else "a"
            upper = self.words[at - 1][0].isupper()
            self.words[at - 1] = article.capitalize() if upper else article


@dataclass(frozen=True)
class Rule:
    """A class of words that can stand for each other under some tags."""

    sources: frozenset[str]
    targets: tuple[str, ...]
    tags: frozenset[str]
    lower: bool = False


def _rule(words: tuple[str, ...], tags: str, lower: bool = False) -> Rule:
    """Build a rule from its words and the tags, separated by spaces."""
    return Rule(frozenset(words), words, frozenset(tags.split()), lower)


def trait_words() -> tuple[str, ...]:
    """Return the lower-case identity adjectives that are one token."""
    names = (
        ("orientation", "adjective"),
        ("orientation", "adjective_more"),
        ("orientation", "both"),
        ("disability", "adjective"),
        ("disability", "adjective_more"),
        ("age", "adjective"),
        ("class", "adjective"),
        ("race", "lower"),
        ("religion", "lower_adjective"),
        ("other", "adjective"),
        ("body", "adjective"),
    )
    words = (word for section, name in names for word in terms(section, name))
    return tuple(word for word in words if "-" not in word or word == "non-binary")


def swap_rules() -> list[Rule]:
    """Return the rules of replacement, the more special ones first."""
    both = terms("demonyms", "both") + terms("religion", "both")
    adjectives = both + terms("demonyms", "adjective") + terms("religion", "adjective")
    adjectives += terms("demonyms", "rare")
    adjectives += ("Black", "White", "Brown", "Indigenous", "Aboriginal", "Roma")
    nouns = both + terms("demonyms", "noun")[1:8] + terms("religion", "noun")
    person, persons = terms("persons", "singular"), terms("persons", "plural")
    kin, kins = terms("persons", "kin_singular"), terms("persons", "kin_plural")
    names = terms("names", "female") + terms("names", "male")
    pronouns = [
        (terms("pronouns", "subject"), "PRP"),
        (terms("pronouns", "object"), "PRP"),
        (terms("pronouns", "possessive"), "PRP$"),
        (terms("pronouns", "reflexive"), "PRP"),
        (terms("pronouns", "possessive_alone"), "PRP"),
    ]
    return [
        _rule(adjectives, "JJ"),
        _rule(nouns, "NN NNP"),
        _rule(plurals(nouns), "NNS NNPS"),
        _rule(trait_words(), "JJ", lower=True),
        _rule(person, "NN", lower=True),
        _rule(persons, "NNS", lower=True),
        _rule(kin, "NN", lower=True),
        _rule(kins, "NNS", lower=True),
        _rule(terms("places", "country"), "NNP"),
        _rule(names, "NNP"),
        *(_rule(words, tag, lower=True) for words, tag in pronouns),
    ]


def _cased(word: str, like: str, lower: bool) -> str:
    """Give a word the case of the one that it replaces."""
    if len(like) > 1 and like.isupper():
        return word.upper()
    if like.islower():
        return word.lower() if lower else word
    return word[0].upper() + word[1:]


class Swapper:
    """Swap and insert identity terms at random."""

    def __init__(self, seed: int, swap: float = 0.6, insert: float = 0.15) -> None:
        """Set the chance of a swap per word and of an insertion per person noun."""
        self.random = random.Random(seed)
        self.swap_chance = swap
        self.insert_chance = insert
        self.rules = swap_rules()
        demonyms = terms("demonyms", "both") + terms("demonyms", "adjective")
        self.capital = (
            *demonyms,
            *terms("demonyms", "rare"),
            *terms("religion", "both"),
            *CAPITAL_TRAITS,
        )
        self.lower = next(r.targets for r in self.rules if "transgender" in r.targets)
        self.persons = frozenset(
            word for r in self.rules for word in r.targets if {"waiter", "waiters"} & r.sources
        )

    def _pick(self, gold: Gold, i: int) -> str | None:
        """Return a replacement of a word, or None."""
        word, tag = gold.words[i], gold.tags[i]
        for rule in self.rules:
            key = word.lower() if rule.lower else word
            if tag in rule.tags and key in rule.sources:
                return _cased(self.random.choice(rule.targets), word, rule.lower)
        return None

    def _they_fits(self, gold: Gold, i: int) -> bool:
        """Say whether ``they`` may replace a subject without a change of the verb."""
        near = [gold.heads[i]] + [j for j, h in enumerate(gold.heads) if h == gold.heads[i]]
        if gold.deps[i] not in {"nsubj", "nsubj:pass"}:
            return False
        return not any(
            gold.tags[j] in _THIRD_PERSON or gold.words[j].lower() == "was" for j in near
        )

    def swap(self, gold: Gold) -> int:
        """Replace identity terms in place and return how many."""
        changed = 0
        for i, word in enumerate(gold.words):
            if self.random.random() >= self.swap_chance:
                continue
            new = self._pick(gold, i)
            if new and word.lower() in {"he", "she"} and self._they_fits(gold, i):
                new = _cased(self.random.choice(("he", "she", "they")), word, True)
            if new and new != word:
                gold.words[i] = new
                gold.fix_article(i)
                changed += 1
        return changed

    def insert(self, gold: Gold) -> int:
        """Put identity adjectives before person nouns and return how many."""
        inserted = 0
        for i in range(len(gold.words) - 1, -1, -1):
            if gold.words[i].lower() not in self.persons or gold.tags[i] not in {"NN", "NNS"}:
                continue
            if gold.ents is not None and gold.ents[i].startswith("I-"):
                continue
            before = gold.tags[i - 1] if i else ""
            if before not in {"DT", "PRP$", "IN", "CD", "VBD", "VBZ", "VB", "VBP", "CC", ""}:
                continue
            if gold.deps[i].startswith("compound") or self.random.random() >= self.insert_chance:
                continue
            pool = self.capital if self.random.random() < 0.5 else self.lower
            gold.insert(i, self.random.choice(pool), "JJ", "ADJ", "amod", i)
            if i == 0:
                gold.words[0] = gold.words[0][0].upper() + gold.words[0][1:]
                gold.words[1] = gold.words[1].lower()
            gold.fix_article(i)
            inserted += 1
        return inserted

    def __call__(self, doc: Doc) -> Doc | None:
        """Return a changed copy of a gold document, or None if nothing fits."""
        gold = Gold.of(doc)
        if self.insert(gold) + self.swap(gold) == 0:
            return None
        return gold.doc(doc)
