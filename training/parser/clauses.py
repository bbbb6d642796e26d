"""Cut short sentences out of gold ones: clauses in the simple present, and phrases of nouns.

Treebanks hold few sentences such as "The old woman prays every day.", whose verb looks like a
noun, so that a parser takes them for a phrase. Clauses of one verb are cut from longer sentences
and told in the present; some get another verb of the treebanks. Phrases such as "The police cars
in the street." are cut as well, so that both are learned. Tags and trees stay those of the gold.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from spacy.tokens import Doc, Token

from training.parser.lexicon import terms
from training.parser.swaps import Gold

_SUBJECTS = frozenset({"NN", "NNP"})
_PERSON = frozenset({"he", "she"})
_ARTICLES = ("the", "a", "this")
_OWNERS = ("my", "your", "his", "her", "our", "their")
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_KEPT = frozenset(
    {"obj", "iobj", "compound:prt", "obl", "obl:unmarked", "advmod", "ccomp", "xcomp"}
)
_OPTIONAL = frozenset({"obl", "obl:unmarked", "advmod"})
_LOOSE = frozenset({"acl:relcl", "acl", "appos", "parataxis", "conj", "cc", "punct", "advcl"})
#: Words of a subject, of another part of a clause, and of a phrase, at most.
SUBJECT, PART, PHRASE = 5, 6, 9
#: Chances: another verb, a full stop after a clause and after a phrase, a part that may be missing.
VERB, STOP, STOP_OF_PHRASE, OPTIONAL = 0.6, 0.9, 0.6, 0.6


def third_person(lemma: str) -> str:
    """Return the form of a verb after *she* in the present."""
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in set("aeiou"):
        return lemma[:-1] + "ies"
    return {"have": "has"}.get(lemma, lemma + "s")


def verbs(docs: Sequence[Doc]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lemmas of verbs of some treebanks, and those of them that are nouns, too."""
    by_tag = {
        kind: {t.lemma_ for doc in docs for t in doc if t.tag_ in tags and t.lemma_.isalpha()}
        for kind, tags in (("verb", {"VBD", "VBZ", "VBP", "VB"}), ("noun", {"NN", "NNS"}))
    }
    found = sorted(v for v in by_tag["verb"] if v.islower() and len(v) > 2)
    return tuple(found), tuple(v for v in found if v in by_tag["noun"])


class Cutter:
    """Cuts a short sentence out of a gold one, drawn anew each time."""

    def __init__(self, seed: int, verbs: Sequence[Sequence[str]]) -> None:
        """Keep the lists of verbs that a clause may get one of."""
        self.random = random.Random(seed)
        self.persons = terms("persons", "singular") + terms("persons", "kin_singular")
        self.verbs = verbs

    def __call__(self, doc: Doc) -> Doc | None:
        """Return a clause or a phrase of a sentence, or None if it has none."""
        heads = [t for t in doc if _is_clause(t) or _is_phrase(t)]
        if not heads:
            return None
        head = self.random.choice(heads)
        return self._clause(head) if _is_clause(head) else self._phrase(head)

    def _clause(self, verb: Token) -> Doc | None:
        subject = _subject(verb)
        assert subject is not None
        kept = {verb.i, *_words(subject)}
        for part in verb.children:
            if part.i < verb.i or part.dep_ not in _KEPT:
                continue
            words = _words(part)
            if part.dep_ in _OPTIONAL and self.random.random() > OPTIONAL:
                continue
            if len(words) > PART or any(verb.doc[i].tag_ in _FINITE for i in words):
                if part.dep_ in _OPTIONAL:
                    continue
                return None
            kept |= words
        gold, places = _cut(verb.doc, kept, verb.i)
        at = places[verb.i]
        lemma = verb.lemma_
        if self.random.random() < VERB:
            lemma = self.random.choice(self.random.choice(self.verbs))
        gold.words[at], gold.tags[at] = third_person(lemma), "VBZ"
        if subject.lower_ in _PERSON:
            at += self._name(gold, places[subject.i])
        return _ended(gold, at, self.random.random() < STOP).doc(verb.doc)

    def _name(self, gold: Gold, at: int) -> int:
        """Put a noun in place of a pronoun, and return how many words were inserted."""
        word = self.random.choice((*_ARTICLES, *_OWNERS))
        gold.words[at], gold.tags[at], gold.pos[at] = self.random.choice(self.persons), "NN", "NOUN"
        kind = ("PRP$", "PRON", "nmod:poss") if word in _OWNERS else ("DT", "DET", "det")
        gold.insert(at, word if at else word.capitalize(), *kind, at)
        gold.fix_article(at + 1)
        return 1

    def _phrase(self, noun: Token) -> Doc | None:
        gold, places = _cut(noun.doc, _own(noun), noun.i)
        return _ended(gold, places[noun.i], self.random.random() < STOP_OF_PHRASE).doc(noun.doc)


def _words(token: Token) -> set[int]:
    """Return the places of a word and all below it that belongs closely to it."""
    found = {token.i}
    for child in token.children:
        if child.dep_ not in _LOOSE:
            found |= _words(child)
    return found


def _own(noun: Token) -> set[int]:
    """Return the words of a phrase without those that join it to the rest of its sentence."""
    joined = (_words(c) for c in noun.children if c.dep_ in ("case", "mark"))
    return _words(noun).difference(*joined)


def _subject(verb: Token) -> Token | None:
    return next((c for c in verb.children if c.dep_ == "nsubj" and c.i < verb.i), None)


def _is_clause(verb: Token) -> bool:
    """Say whether a verb in the past or present stands with one subject and without others."""
    if verb.tag_ not in ("VBD", "VBZ") or verb.pos_ != "VERB" or verb.lemma_ == "be":
        return False
    if any(c.dep_.startswith(("aux", "cop", "expl", "nsubj:pass")) for c in verb.children):
        return False
    subject = _subject(verb)
    if subject is None or not (subject.tag_ in _SUBJECTS or subject.lower_ in _PERSON):
        return False
    words = _words(subject)
    return (
        len(words) <= SUBJECT
        and max(words) - min(words) < len(words)
        and not any(c.dep_ in ("conj", "appos") for c in subject.children)
        and not any(verb.doc[i].tag_ in _FINITE for i in words)
    )


def _is_phrase(noun: Token) -> bool:
    """Say whether a noun in the plural stands after a noun that describes it."""
    if noun.tag_ != "NNS" or not noun.i or noun.head.i == noun.i - 1:
        return False
    before = noun.doc[noun.i - 1]
    if before.head.i != noun.i or before.dep_ != "compound" or before.tag_ != "NN":
        return False
    if any(c.dep_.startswith(("cop", "nsubj")) for c in noun.children):
        return False
    words = _own(noun)
    return (
        len(words) <= PHRASE
        and max(words) - min(words) < len(words)
        and not any(noun.doc[i].tag_ in _FINITE for i in words)
    )


def _cut(doc: Doc, kept: set[int], root: int) -> tuple[Gold, dict[int, int]]:
    """Return the annotation of some words of a sentence, and their places in it."""
    order = sorted(kept)
    places = {old: new for new, old in enumerate(order)}
    whole = Gold.of(doc)
    gold = Gold(
        [whole.words[i] for i in order],
        [whole.spaces[i] or (i + 1 not in kept) for i in order],
        [whole.tags[i] for i in order],
        [whole.pos[i] for i in order],
        [places[root if i == root else whole.heads[i]] for i in order],
        ["ROOT" if i == root else whole.deps[i] for i in order],
        None,
    )
    first = gold.words[0]
    gold.words[0] = first[0].upper() + first[1:]
    return gold, places


def _ended(gold: Gold, root: int, stop: bool) -> Gold:
    """Put a full stop at the end of a sentence."""
    gold.spaces[-1] = False
    if stop:
        gold.words.append(".")
        gold.spaces.append(False)
        gold.tags.append(".")
        gold.pos.append("PUNCT")
        gold.heads.append(root)
        gold.deps.append("punct")
    return gold
