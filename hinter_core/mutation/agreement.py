"""Agreement of verbs with a pronoun that changes: "he walks" to "they walk", and the other way."""

from __future__ import annotations

from collections.abc import Iterator

from hinter_core.language.trees import SentenceTree
from hinter_core.types import Span

_SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:outer")
_AUXILIARIES = ("aux", "aux:pass", "cop")
_RELATIVES = ("WP", "WDT")
_PLURAL = {
    "is": "are", "was": "were", "has": "have", "does": "do", "aches": "ache", "focuses": "focus",
}  # fmt: skip
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does", "'re": "'s", "'ve": "'s"}
_SIBILANT = ("sses", "shes", "ches", "xes", "zzes", "oes")
_CLAUSES = 12  # coordinated verbs of one subject


def verbs_for(tree: SentenceTree, subject: int, *, plural: bool) -> Iterator[tuple[Span, str]]:
    """Yield what the verbs of a subject become, with the places in the text.

    ``subject``: token of a pronoun that becomes *they*, or that was it.
    """
    labels, heads = tree.parse.labels, tree.parse.heads
    for clause in tree.children(subject, "acl:relcl"):
        for relative in tree.children(clause, *_SUBJECTS):
            if tree.parse.tags[relative] in _RELATIVES:
                yield from _clauses(tree, clause, plural)
    if labels[subject] in _SUBJECTS and not tree.children(subject, "conj"):
        yield from _clauses(tree, heads[subject], plural)


def _clauses(tree: SentenceTree, verb: int, plural: bool) -> Iterator[tuple[Span, str]]:
    """Yield the verbs of a clause and of those that are joined to it and share its subject."""
    todo, seen = [verb], 0
    while todo and seen < _CLAUSES:
        verb, seen = todo.pop(), seen + 1
        # An auxiliary is before its verb; the first one agrees.
        beside = tree.children(verb, *_AUXILIARIES)
        finite = min(beside) if beside else verb
        word, tag = tree.lower[finite], tree.parse.tags[finite]
        new = _inflected(tree, finite, word, tag, plural)
        if new and new != word:
            start, end = tree.parse.spans[finite]
            written = tree.parse.words[finite]
            if written.isupper() and len(written) > 1:
                new = new.upper()
            elif written[:1].isupper():
                new = new.capitalize()
            yield (tree.start + start, tree.start + end), new
        todo += [c for c in tree.children(verb, "conj") if _same_subject(tree, c)]


def _same_subject(tree: SentenceTree, verb: int) -> bool:
    """Whether a joined verb has no subject of its own, and none stands before it."""
    if tree.children(verb, *_SUBJECTS):
        return False
    tags = tree.parse.tags
    before = min([*tree.children(verb, *_AUXILIARIES), verb]) - 1
    while before > 0 and tags[before][:2] == "RB":
        before -= 1
    return tags[before] in ("CC", ",") or tags[before][:2] == "VB"


def _inflected(tree: SentenceTree, token: int, word: str, tag: str, plural: bool) -> str:
    """Return the other number of a finite verb; "" if it has one form for both."""
    word = word.replace("\u2019", "'")
    if plural:
        if word == "'s":
            label, head = tree.parse.labels[token], tree.parse.heads[token]
            return "'ve" if label == "aux" and tree.parse.tags[head] == "VBN" else "'re"
        if word == "was" or tag == "VBZ":
            return _PLURAL.get(word) or _base(word)
        return ""
    if word in _SINGULAR and tag != "VB":
        return _SINGULAR[word]
    return _third(word) if tag == "VBP" and word != "ai" else ""  # "ain't" is of all persons


def _base(word: str) -> str:
    """Return the plain form of a verb: "carries" to "carry"."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(_SIBILANT):
        return word[:-2]
    return word[:-1] if word.endswith("s") else ""


def _third(word: str) -> str:
    """Return the third person of a plain form: "carry" to "carries"."""
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{word}s"
