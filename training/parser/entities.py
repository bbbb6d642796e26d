"""Derive named-entity labels from the entity annotation of GUM.

GUM marks every mention (``Entity=(12-person-new-...``), named or not.  A mention
counts as named when its head is a proper noun; the name is the run of proper
nouns around that head.  A person may also be named after a description ("actor
Dennis Hopper"); titles, offices, peoples and what follows "of" are no part of a
person's name.  Demonyms, adherents of religions and political adjectives become
``NORP`` by a word list.
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
#: Links that lead from a person to another entity: "Claudia Mo of the Civic Party".
_OTHER_ENTITY = {"of", "for", "&"}
#: Relations of a name to the description before it: "actor Dennis Hopper".
_AFTER_DESCRIPTION = {"flat", "appos"}
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
#: Titles and offices, which are no part of a name.
TITLES = frozenset(
    """President Vice Prime Deputy Chief Acting Secretary Undersecretary Minister Premier Doctor
    Professor Judge Justice Captain General Major Colonel Lieutenant Sergeant Admiral Commander
    Senator Senators Congressman Congressmen Congresswoman Representative Ambassador Governor Mayor
    Sheriff Inspector Attorney Solicitor Counsel Speaker Chair Chairman Director Manager Officer
    CEO Spokesperson Member Members Fellow Founder Founders Architect Poet Mr. Mrs. Ms. Dr. Prof.
    Mr Mrs Ms Dr Prof Mister Miss Sir Madam Madame Mlle. Mom Mum Dad Daddy Father Mother Brother
    Sister God Lord Lords Lady Dame King Queen Prince Princess Regent Duke Earl Count Baron Emperor
    Empress Tsar Tsars Shah Pope Bishop Reverend Rev. Saint St. Psalmist Protector Newcomer Man
    People Devil Anonymous""".split()
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


def _described(words: Sequence[Token], mention: Mention, head: int) -> int | None:
    """Return where a name begins right after the common noun that describes its person."""
    after = head + 1
    if mention.kind != "person" or after > mention.end:
        return None
    named = any(
        word.head == head and word.dep in _AFTER_DESCRIPTION and word.tag in _PROPER
        for word in words[after : mention.end + 1]
    )
    return after if named and words[after].tag in _PROPER else None


def _name(words: Sequence[Token], mention: Mention) -> tuple[int, int] | None:
    """Return the first and last word of the name in a mention, if it has one."""
    head = _head(words, mention)
    if words[head].tag in _PROPER:
        start, end = _run(words, mention, head)
    elif (after := _described(words, mention, head)) is not None:
        start, end = _run(words, Mention(after, mention.end, mention.kind), after)
    else:
        return None
    return _without_titles(words, start, end) if mention.kind == "person" else (start, end)


def _run(words: Sequence[Token], mention: Mention, head: int) -> tuple[int, int]:
    """Return the first and last proper noun around the head of a name."""
    links = _LINKS - _OTHER_ENTITY if mention.kind == "person" else _LINKS
    start = end = head
    while start > mention.start and (
        _name_part(words[start - 1])
        or (words[start - 1].tag == "HYPH" and start - 2 >= mention.start)
    ):
        start -= 1
    while end < mention.end:
        ahead = end + 1
        while ahead <= mention.end and words[ahead].form.lower() in links:
            ahead += 1
        if ahead > mention.end or not _name_part(words[ahead]) or ahead - end > 3:
            break
        end = ahead
    return start, end


def _without_titles(words: Sequence[Token], start: int, end: int) -> tuple[int, int] | None:
    """Return what follows the last title of a person; None if that is no single person's name."""
    titles = [i for i in range(start, end) if words[i].form in TITLES]
    start = titles[-1] + 1 if titles else start
    while start < end and words[start].tag == "HYPH":
        start += 1
    group = any(words[i].tag == "NNPS" for i in (start, end))
    article = start == end and start > 0 and words[start - 1].dep == "det"
    if group or article or words[end].form in TITLES:
        return None
    return start, end


def _label(words: Sequence[Token], start: int, end: int, kind: str) -> str | None:
    """Turn an entity type of GUM into a label."""
    if kind == "person":
        return "PERSON"
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
