"""HInter's Algorithms 1 to 4, line by line: slow on purpose, and the truth the fast path must meet.

Source: HInter, section 3 (Algorithms 1-4). Numbers in comments are lines of the paper. One text is
asked at a time, every sentence is parsed each time it is looked at, and nothing is remembered.

``M``, ``parse``, ``replace`` and ``contains`` are given by the caller, so that both readings of
lines 13-17 can be run: the paper's literal one, where the second replacement works on the text that
the first has made (:func:`sequential_replace`), and replacement of spans of the source at once.
The fast path departs from the literal one on purpose (the second replacement must not touch words
that the first brought in); tests that ask for equal results give the reference a span replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

WordPair = tuple[str, str]
Labels = frozenset[str]
Outcome = Callable[[str], Labels]
Tree = tuple[Sequence[str], Sequence[str]]  # tags, relations
Split = Callable[[str], Sequence[str]]
ParseSentence = Callable[[str], Tree]
InvCheck = Callable[[str, str, Split, ParseSentence], bool]
Contains = Callable[[str, WordPair], bool]
# The text with these pairs applied; None where they touch the same words (no mutant).
Replace = Callable[[str, Sequence[WordPair]], str | None]


def tolerant_table_comp(s1: Sequence[str], s2: Sequence[str]) -> bool:
    """Algorithm 4."""
    is1 = 0  # 2
    is2 = 0  # 3
    st1 = len(s1)  # 4
    st2 = len(s2)  # 5
    error_limit = abs(st1 - st2)  # 6
    error = 0  # 7
    shift = 0  # 8
    while is1 < st1 and is2 < st2:  # 9
        if s1[is1] != s2[is2]:  # 10
            error = error + 1  # 11
            if shift < error_limit:  # 12
                shift = shift + 1  # 13
                if st1 > st2:  # 14
                    is1 = is1 + 1  # 15
                elif st1 < st2:  # 16
                    is2 = is2 + 1  # 17
        is1 = is1 + 1  # 18
        is2 = is2 + 1  # 19
    error = error + (st1 - is1) + (st2 - is2)  # 20
    return error <= error_limit  # 21


def inv_check(c: str, m: str, split: Split, parse: ParseSentence) -> bool:
    """Algorithm 3."""
    cs, ms = split(c), split(m)  # 4
    if len(cs) != len(ms):  # 6
        return False  # 8
    for i in range(len(cs)):  # 9
        cdt_pos, cdt_dep = parse(cs[i])  # 11
        mdt_pos, mdt_dep = parse(ms[i])  # 12
        if not tolerant_table_comp(cdt_pos, mdt_pos):  # 14, 16
            return False  # 17
        if not tolerant_table_comp(cdt_dep, mdt_dep):  # 18, 20
            return False  # 21
    return True  # 22


def inv_check_changed(c: str, m: str, split: Split, parse: ParseSentence) -> bool:
    """Algorithm 3 without lines 11-21 for equal sentences; a fairer opponent in timings."""
    cs, ms = split(c), split(m)
    if len(cs) != len(ms):
        return False
    unequal = [(a, b) for a, b in zip(cs, ms, strict=True) if a != b]
    return all(inv_check(a, b, lambda s: [s], parse) for a, b in unequal)


@dataclass
class Lists:
    """What Algorithm 1 returns: tests, intersectional bias and hidden bias, as (c, p1, p2)."""

    tests: list[tuple[str, WordPair, WordPair]] = field(default_factory=list)
    errors: list[tuple[str, WordPair, WordPair]] = field(default_factory=list)
    hidden: list[tuple[str, WordPair, WordPair]] = field(default_factory=list)


def intersectional(
    dataset: Iterable[str],
    model: Outcome,
    pairs: Mapping[str, Sequence[WordPair]],
    s1: str,
    s2: str,
    *,
    split: Split,
    parse: ParseSentence,
    replace: Replace,
    contains: Contains,
    check: InvCheck = inv_check,
) -> Lists:
    """Algorithm 1."""
    found = Lists()  # 4
    for c in dataset:  # 6
        o_c = model(c)  # 7
        pairs1, pairs2 = pairs[s1], pairs[s2]  # 8
        for p1 in pairs1:  # 10
            for p2 in pairs2:  # 11
                if contains(c, p1) and contains(c, p2):  # 12
                    t1 = replace(c, [p1])  # 13
                    t2 = replace(c, [p2])  # 15
                    m = replace(c, [p1, p2])  # 17
                    if t1 is None or t2 is None or m is None:
                        continue  # departure: overlapping words make no mutant
                    if check(c, m, split, parse):  # 19
                        found.tests.append((c, p1, p2))  # 21
                        if model(m) != o_c:  # 22
                            found.errors.append((c, p1, p2))  # 24
                            if (
                                check(c, t1, split, parse)  # 26
                                and check(c, t2, split, parse)  # 27
                                and model(t1) == o_c == model(t2)  # 28
                            ):
                                found.hidden.append((c, p1, p2))  # 29
    return found  # 30


def atomic(
    dataset: Iterable[str],
    model: Outcome,
    pairs: Sequence[WordPair],
    *,
    split: Split,
    parse: ParseSentence,
    replace: Replace,
    contains: Contains,
) -> list[tuple[str, WordPair]]:
    """Algorithm 2."""
    errors = []
    for c in dataset:  # 1
        o_c = model(c)  # 2
        for p in pairs:  # 3
            if contains(c, p):  # 4
                m = replace(c, [p])  # 5
                if m is None:
                    continue
                # Lines 6-7 split both texts; Algorithm 3 does that itself.
                if model(m) != o_c and inv_check(c, m, split, parse):  # 8
                    errors.append((c, p))  # 9
    return errors  # 10


def sequential_replace(text: str, pairs: Sequence[WordPair]) -> str:
    """Lines 13-17 to the letter: substrings, one pair after the other."""
    for source, target in pairs:
        text = text.replace(source, target)
    return text


def literal_contains(text: str, pair: WordPair) -> bool:
    """Line 12 to the letter: is the source term a substring?"""
    return pair[0] in text
