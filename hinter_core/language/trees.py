"""Dependency trees of parsed sentences: children, reach of subtrees, governing verbs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from hinter_core.types import Parse, Sentence, Span


@dataclass(slots=True)
class SentenceTree:
    """The tree of a sentence: ``below``: children by token; ``reach``: the ends of each subtree."""

    parse: Parse
    start: int
    below: list[list[int]] = field(default_factory=list)
    reach: list[Span] = field(default_factory=list)
    lower: list[str] = field(default_factory=list)
    phrase_of: dict[int, int] = field(default_factory=dict)
    verb_of: list[int] = field(default_factory=list)

    def children(self, token: int, *labels: str) -> list[int]:
        """Return the children of a token with one of these relations."""
        return [c for c in self.below[token] if self.parse.labels[c] in labels]

    def tells_reason(self, clause: int) -> bool:
        """Whether a clause says what somebody is known for: "known for a role as Emma"."""
        reasons = self.children(clause, "obl")
        return any(
            self.lower[case] == "for" for one in reasons for case in self.children(one, "case")
        )


@dataclass(frozen=True)
class ParsedSentence:
    """A sentence of a text with its parse."""

    sentence: Sentence
    parse: Parse

    @cached_property
    def tree(self) -> SentenceTree:
        """The tree of the sentence, for all who only read it."""
        return tree_of(self)


def tree_of(one: ParsedSentence) -> SentenceTree:
    """Return the tree of a sentence, in linear time."""
    parse = one.parse
    count = len(parse.words)
    below: list[list[int]] = [[] for _ in range(count)]
    roots: list[int] = []
    for token, head in enumerate(parse.heads):
        (roots if head == token else below[head]).append(token)
    order: list[int] = []
    stack = roots
    while stack:
        token = stack.pop()
        order.append(token)
        stack.extend(below[token])
    low, high = list(range(count)), list(range(count))
    for token in reversed(order):
        head = parse.heads[token]
        low[head] = min(low[head], low[token])
        high[head] = max(high[head], high[token])
    verb_of = list(range(count))
    for token in order:
        tag = parse.tags[token]
        verb = tag[:2] == "VB" or any(parse.labels[c] == "cop" for c in below[token])
        verb_of[token] = token if verb else verb_of[parse.heads[token]]
    reach = list(zip(low, high, strict=True))
    lower = [word.lower() for word in parse.words]
    return SentenceTree(parse, one.sentence.start, below, reach, lower, {}, verb_of)
