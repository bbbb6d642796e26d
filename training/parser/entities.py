"""Derive named-entity labels from the entity annotation of GUM.

GUM marks every mention (``Entity=(12-person-new-...``), named or not.  A mention
counts as named when its head is a proper noun; the name is the run of proper
nouns around that head.  Demonyms, adherents of religions and political
adjectives become ``NORP`` by a word list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from training.parser.lexicon import norp_words

_OPEN_OR_CLOSE = re.compile(r"\((\d+)-(\w+)-[^()]*?(?=[()]|$)(\))?|(\d+)\)")
_PROPER = {"NNP", "NNPS"}
_LINKS = {"of", "de", "del", "la", "von", "van", "al", "the", "&", "-", "for"}
_LOCATION_WORDS = frozenset(
    "river mountain mountains mount mt. lake ocean sea island islands street road avenue park "
    "valley bay beach coast desert peninsula canyon bridge station airport square hall tower "
    "building house church cathedral temple castle palace hotel museum stadium forest cape "
    "gulf".split()
)
_LOCATIONS = frozenset(
    "Earth Mars Moon Asia Africa Europe Antarctica North South East West Pacific Atlantic "
    "Mediterranean Everest Arctic".split()
)
_TITLES = frozenset(
    "President Secretary Minister Doctor Professor Judge Justice Captain General Senator Mr. Mrs. "
    "Ms. Dr. God Sir Madam King Queen Mom Dad Emperor Bishop Father Mother Chief Officer".split()
)


class Token(Protocol):
    """What is needed of a word; ``conllu.Word`` provides it."""

    form: str
    upos: str
    tag: str
    head: int
    dep: str
    misc: dict[str, str]


@dataclass(frozen=True)
class Mention:
    """A mention of an entity: first word, last word, entity type."""

    start: int
    end: int
    kind: str


def mentions(words: Sequence[Token]) -> list[Mention]:
    """Return the mentions of a sentence, nested ones included."""
    found: list[Mention] = []
    stack: list[tuple[str, int, str]] = []
    for i, word in enumerate(words):
        for match in _OPEN_OR_CLOSE.finditer(word.misc.get("Entity", "")):
            opened, kind, closed_at_once, closed = match.groups()
            if opened and closed_at_once:
                found.append(Mention(i, i, kind))
            elif opened:
                stack.append((opened, i, kind))
            elif closed:
                _close(stack, closed, i, found)
    return found


def _close(stack: list[tuple[str, int, str]], name: str, end: int, found: list[Mention]) -> None:
    """Close the innermost open mention with this number."""
    for position in range(len(stack) - 1, -1, -1):
        if stack[position][0] == name:
            _, start, kind = stack.pop(position)
            found.append(Mention(start, end, kind))
            return


def _head(words: Sequence[Token], mention: Mention) -> int:
    """Return the word of the mention whose head lies outside of it."""
    for i in range(mention.start, mention.end + 1):
        if not mention.start <= words[i].head <= mention.end:
            return i
    return mention.end


def _name_part(word: Token) -> bool:
    """Say whether a word can stand inside a name."""
    if word.dep == "nmod:desc":
        return False
    return word.tag in _PROPER or (word.form[:1].isupper() and word.tag in {"JJ", "NN", "CD"})


def _name(words: Sequence[Token], mention: Mention) -> tuple[int, int] | None:
    """Return the first and last word of the name in a mention, if it has one."""
    head = _head(words, mention)
    if words[head].tag not in _PROPER:
        return None
    start = end = head
    while start > mention.start and (
        _name_part(words[start - 1])
        or (words[start - 1].tag == "HYPH" and start - 2 >= mention.start)
    ):
        start -= 1
    while end < mention.end:
        ahead = end + 1
        while ahead <= mention.end and words[ahead].form.lower() in _LINKS:
            ahead += 1
        if ahead > mention.end or not _name_part(words[ahead]) or ahead - end > 3:
            break
        end = ahead
    return start, end


def _label(words: Sequence[Token], start: int, end: int, kind: str) -> str | None:
    """Turn an entity type of GUM into a label."""
    if kind == "person":
        return None if start == end and words[start].form in _TITLES else "PERSON"
    if kind == "organization":
        return "ORG"
    if kind != "place":
        return None
    first, last = words[start].form, words[end].form
    lower = {first.lower(), last.lower()}
    is_location = bool(lower & _LOCATION_WORDS) or (start == end and first in _LOCATIONS)
    return "LOC" if is_location else "GPE"


def _spans(words: Sequence[Token]) -> list[tuple[int, int, str]]:
    """Return the named spans of a sentence, longest first."""
    norp = norp_words()
    spans = [
        (i, i, "NORP")
        for i, w in enumerate(words)
        if w.form in norp and w.upos in {"ADJ", "NOUN", "PROPN"}
    ]
    for mention in mentions(words):
        name = _name(words, mention)
        label = _label(words, *name, mention.kind) if name else None
        if name and label and not (name[0] == name[1] and words[name[0]].form in norp):
            spans.append((*name, label))
    return sorted(spans, key=lambda s: (s[0] - s[1], s[0]))


def entity_tags(words: Sequence[Token]) -> list[str]:
    """Return the entity labels of a sentence as IOB tags."""
    tags = ["O"] * len(words)
    for start, end, label in _spans(words):
        if any(tag != "O" for tag in tags[start : end + 1]):
            continue
        tags[start : end + 1] = [f"B-{label}"] + [f"I-{label}"] * (end - start)
    return tags
