"""Agreement of verbs with a pronoun that changes: "he walks" to "they walk", and the other way."""

from __future__ import annotations

from collections.abc import Iterator

from hinter_core.language.trees import SUBJECTS, SentenceTree
from hinter_core.storage import shipped_words
from hinter_core.types import Span

_AUXILIARIES = ("aux", "aux:pass", "cop")
_RELATIVES = ("WP", "WDT")
_FINITE = ("VBZ", "VBP", "VBD")
_NOT_FINITE = ("VB", "VBG", "VBN")
_OF_NOUNS = ("det", "amod", "nmod:poss", "nummod", "case", "compound")
_PLURAL = {
    "is": "are", "was": "were", "has": "have", "does": "do", "aches": "ache", "focuses": "focus",
}  # fmt: skip
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does", "'re": "'s", "'ve": "'s"}
_ASKING = frozenset({*_PLURAL, *_SINGULAR} - {"aches", "focuses", "'re", "'ve"})
_SIBILANT = ("sses", "shes", "ches", "xes", "zzes", "oes")
_CLAUSES = 12  # coordinated verbs of one subject


def verbs_for(tree: SentenceTree, subject: int, *, plural: bool) -> Iterator[tuple[Span, str]]:
    """Yield what the verbs of a subject become, in lower case, with the places in the text.

    ``subject``: token of a pronoun that becomes *they*, or that was it.
    """
    labels, heads = tree.parse.labels, tree.parse.heads
    for clause in tree.children(subject, "acl:relcl"):
        for relative in tree.children(clause, *SUBJECTS):
            if tree.parse.tags[relative] in _RELATIVES:
                yield from _clauses(tree, clause, plural)
    if (asking := _asking(tree, subject)) is not None:
        yield from _inflection(tree, asking, plural)
    elif labels[subject] in SUBJECTS and not tree.children(subject, "conj"):
        yield from _clauses(tree, heads[subject], plural, subject)


def _clauses(
    tree: SentenceTree, verb: int, plural: bool, subject: int = -1
) -> Iterator[tuple[Span, str]]:
    """Yield the verbs of a clause and of those that are joined to it and share its subject."""
    todo, seen = [verb], 0
    while todo and seen < _CLAUSES:
        verb, seen = todo.pop(), seen + 1
        # An auxiliary is before its verb; the first one agrees.
        beside = tree.children(verb, *_AUXILIARIES)
        # "The truth is he left": the verb of another subject is before this one.
        others = [n for n in tree.children(verb, *SUBJECTS) if n < subject]
        beside = [n for n in beside if not any(other < n < subject for other in others)]
        finite = min(beside) if beside else verb
        yield from _inflection(tree, finite, plural)
        todo += [c for c in _joined(tree, verb) if _same_subject(tree, c)]


def _asking(tree: SentenceTree, subject: int) -> int | None:
    """Return the verb of a tag question: "isn't he?"."""
    verb = subject - 1
    while verb > 0 and tree.lower[verb].replace("\u2019", "'") in ("n't", "not"):
        verb -= 1
    ends = (*tree.parse.tags[subject + 1 :], ".")[0] in (",", ".")
    asks = verb > 0 and tree.lower[verb] in _ASKING and tree.lower[verb - 1] in (",", "-", "\u2013")
    return verb if ends and asks else None


def _inflection(tree: SentenceTree, verb: int, plural: bool) -> Iterator[tuple[Span, str]]:
    new = _inflected(tree, verb, plural)
    if new and new != tree.lower[verb]:
        yield tree.place(verb), new


def _joined(tree: SentenceTree, verb: int) -> Iterator[int]:
    """Yield the verbs that are joined to a verb: "sings and dances", "wants to sing and dances"."""
    yield from tree.children(verb, "conj")
    for below in tree.children(verb, "xcomp", "ccomp", "advcl"):
        # No finite verb is joined to an infinitive or a participle.
        if tree.parse.tags[below] in _NOT_FINITE and not tree.children(below, *SUBJECTS):
            yield from (c for c in tree.children(below, "conj") if _tag(tree, c) in _FINITE)


def _same_subject(tree: SentenceTree, verb: int) -> bool:
    """Whether a joined verb has no subject of its own, and none stands before it."""
    tags = tree.parse.tags
    finite = min([*tree.children(verb, *_AUXILIARIES), verb])
    # Behind the verb, a noun is a misread predicate: "and is a practising Muslim".
    subjects = tree.children(verb, *SUBJECTS)
    if any(one < finite or tags[one] == "PRP" for one in subjects):
        return False
    before = finite - 1
    while before > 0 and tags[before][:2] == "RB":
        before -= 1
    return tags[before] in ("CC", ",") or tags[before][:2] == "VB"


def _tag(tree: SentenceTree, token: int) -> str:
    """Return the tag of a verb, also of one that was taken for a noun: "cheats and kills"."""
    tag, joined = tree.parse.tags[token], tree.parse.labels[token] == "conj"
    if tag not in ("NN", "NNS") or not joined or tree.children(token, *_OF_NOUNS):
        return tag
    above = _tag(tree, tree.parse.heads[token])
    if tag == "NNS":
        return "VBZ" if above[:2] == "VB" else tag
    return above if above == "VBP" else tag


def _inflected(tree: SentenceTree, token: int, plural: bool) -> str:
    """Return the other number of a finite verb; "" if it has one form for both."""
    word, tag = tree.lower[token].replace("\u2019", "'"), _tag(tree, token)
    if plural:
        if word in ("'s", "s"):  # "she's", "shes"
            return word[:-1] + ("ve" if _of_have(tree, token) else "re")
        if word in _ASKING or tag == "VBZ":
            return _PLURAL.get(word) or _base(word)
        return ""
    if word in _SINGULAR and tag != "VB":
        return _SINGULAR[word]
    return _third(word) if tag == "VBP" and word != "ai" else ""  # "ain't" is of all persons


def _of_have(tree: SentenceTree, token: int) -> bool:
    """Whether 's is *has*: "he's been ill", "she's lost her keys", and not "she's given a book"."""
    parse, head = tree.parse, tree.parse.heads[token]
    after = range(token + 1, head + 1)
    verb = next((one for one in after if parse.tags[one][:2] == "VB"), head)
    if tree.lower[verb] in shipped_words("grammar")["perfect"]:
        return True
    if parse.tags[verb] not in ("VBN", "VBD", "VB"):
        return False  # "he's being told"
    given = tree.lower[verb] in shipped_words("grammar")["of_two_objects"]
    own = bool(tree.children(verb, "obj")) and not given
    return parse.labels[token] == "aux" or own


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
