"""The dependency invariant: the parse of a mutant conforms to that of its source.

Source: HInter, Algorithm 3 (InvCheck) and Algorithm 4 (tolerantTableComp), as published. The
comparison answers with sentence, layer and positions rather than a bare bool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hinter_core.language.parsing import ParseStore
from hinter_core.types import KEPT, Conformance, Layer, Mismatch, Parse, Sentence


def tolerant_compare(
    first: Sequence[str], second: Sequence[str]
) -> tuple[bool, list[tuple[int, int]]]:
    """Algorithm 4: are two sequences similar within their difference in length?

    Returns the answer and the index pairs that were found to differ (-1: no item on that side).
    At line 20 the published count may fall by one when a shift on the last item has carried an
    index past its end; kept as published.
    """
    if first == second:
        return True, []
    i1 = i2 = error = shift = 0
    n1, n2 = len(first), len(second)
    limit = abs(n1 - n2)
    differing: list[tuple[int, int]] = []
    while i1 < n1 and i2 < n2:
        if first[i1] != second[i2]:
            error += 1
            differing.append((i1, i2))
            if shift < limit:
                shift += 1
                if n1 > n2:
                    i1 += 1
                elif n1 < n2:
                    i2 += 1
        i1 += 1
        i2 += 1
    error += (n1 - i1) + (n2 - i2)
    differing += [(i, -1) for i in range(i1, n1)]
    differing += [(-1, i) for i in range(i2, n2)]
    return error <= limit, differing


def check(
    source: Sequence[Sentence], mutant: Sequence[Sentence], parses: Mapping[str, Parse]
) -> Conformance:
    """Algorithm 3 on two texts already split into sentences.

    ``parses`` holds the parse of every sentence that differs. Equal sentences have equal parses,
    so lines 11-21 hold for them without looking.
    """
    if len(source) != len(mutant):  # lines 6-8
        return Conformance(
            False,
            Layer.SENTENCES,
            reason=f"it has {_count(len(mutant))} where the source has {_count(len(source))}",
        )
    for number, (left, right) in enumerate(zip(source, mutant, strict=True)):
        if left.text != right.text:
            broken = _compare(number, parses[left.text], parses[right.text])
            if broken:
                return broken
    return KEPT


def check_all(
    pairs: Sequence[tuple[Sequence[Sentence], Sequence[Sentence]]], parses: ParseStore
) -> list[Conformance]:
    """:func:`check` for each source and mutant; distinct sentences are parsed at once."""
    changed = [
        sentence.text
        for source, mutant in pairs
        if len(source) == len(mutant)
        for both in zip(source, mutant, strict=True)
        if both[0].text != both[1].text
        for sentence in both
    ]
    parsed = parses.parse(changed)
    return [check(source, mutant, parsed) for source, mutant in pairs]


def _count(number: int) -> str:
    return f"{number} sentence" + ("" if number == 1 else "s")


def _compare(number: int, source: Parse, mutant: Parse) -> Conformance | None:
    pos_similar, pos = tolerant_compare(source.tags, mutant.tags)
    dep_similar, dep = tolerant_compare(source.labels, mutant.labels)
    if pos_similar and dep_similar:
        return None
    mismatches = [
        *_mismatches(Layer.POS, source.tags, mutant.tags, pos),
        *_mismatches(Layer.DEPENDENCY, source.labels, mutant.labels, dep),
    ]
    # Lines 14-17 come before lines 18-21: the part of speech answers first.
    layer = Layer.DEPENDENCY if pos_similar else Layer.POS
    reason = _reason(layer, mismatches, mutant)
    return Conformance(False, layer, number, tuple(mismatches), reason)


def _mismatches(
    layer: Layer, source: Sequence[str], mutant: Sequence[str], pairs: Sequence[tuple[int, int]]
) -> list[Mismatch]:
    return [
        Mismatch(layer, i, j, source[i] if i >= 0 else "", mutant[j] if j >= 0 else "")
        for i, j in pairs
    ]


def _reason(layer: Layer, mismatches: Sequence[Mismatch], mutant: Parse) -> str:
    of_layer = [m for m in mismatches if m.layer is layer]
    parts = [_in_words(m, mutant) for m in of_layer[:2]]
    if len(of_layer) > 2:
        parts.append(f"{len(of_layer) - 2} more differ")
    if layer is Layer.POS:
        relations = [m for m in mismatches if m.layer is Layer.DEPENDENCY]
        if relations:
            parts.append(_in_words(relations[0], mutant))
    return "; ".join(parts)


def _in_words(mismatch: Mismatch, mutant: Parse) -> str:
    what = "" if mismatch.layer is Layer.POS else "relation "
    if mismatch.mutant_index < 0:
        return f"{what}{mismatch.source_value} is missing at the end"
    word = mutant.words[mismatch.mutant_index]
    place = f"word {mismatch.mutant_index + 1} \u201c{word}\u201d"
    if mismatch.source_index < 0:
        return f"{place} has no counterpart ({what}{mismatch.mutant_value})"
    if mismatch.layer is Layer.POS:
        return f"{place} is {mismatch.mutant_value} where the source has {mismatch.source_value}"
    return (
        f"{place} has relation {mismatch.mutant_value} where the source has {mismatch.source_value}"
    )
