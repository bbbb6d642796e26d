"""The dependency invariant: the parse of a mutant conforms to that of its source.

Source: HInter, Algorithm 3 (InvCheck) and Algorithm 4 (tolerantTableComp), as published. The
comparison returns sentence, layer and positions rather than a bare bool.
"""

from collections.abc import Iterator, Mapping, Sequence

from hinter_core.language.parsing import ParseStore
from hinter_core.types import KEPT, Conformance, Layer, Mismatch, Parse, Sentence


def tolerant_compare(
    first: Sequence[str], second: Sequence[str]
) -> tuple[bool, list[tuple[int, int]]]:
    """Compare two sequences, tolerating their difference in length (Algorithm 4).

    Returns whether they are similar, and the pairs of indices that differ (-1: no item there). At
    line 20 the published count may fall by one if a shift on the last item has carried an index
    past its end; kept as published.
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
    """Run Algorithm 3 on two texts split into sentences.

    ``parses`` holds the parse of every sentence that differs. Equal sentences have equal parses,
    so lines 11-21 hold for them.
    """
    if len(source) != len(mutant):  # lines 6-8
        reason = f"it has {_count(len(mutant))} where the source has {_count(len(source))}"
        return Conformance(False, Layer.SENTENCES, reason=reason)
    for number, (left, right) in enumerate(zip(source, mutant, strict=True)):
        if left.text != right.text:
            broken = _compare(number, parses[left.text], parses[right.text])
            if broken:
                return broken
    return KEPT


def changed(source: Sequence[Sentence], mutant: Sequence[Sentence]) -> Iterator[str]:
    """Yield the sentences that :func:`check` compares."""
    if len(source) == len(mutant):
        for left, right in zip(source, mutant, strict=True):
            if left.text != right.text:
                yield from (left.text, right.text)


def check_all(
    pairs: Sequence[tuple[Sequence[Sentence], Sequence[Sentence]]], parses: ParseStore
) -> list[Conformance]:
    """Run :func:`check` on each source and mutant; distinct sentences are parsed in one batch."""
    parsed = parses.parse(text for pair in pairs for text in changed(*pair))
    return [check(source, mutant, parsed) for source, mutant in pairs]


def _count(number: int) -> str:
    return f"{number} sentence" + ("" if number == 1 else "s")


def _compare(number: int, source: Parse, mutant: Parse) -> Conformance | None:
    pos_similar, pos = tolerant_compare(source.tags, mutant.tags)
    dep_similar, dep = tolerant_compare(source.labels, mutant.labels)
    if pos_similar and dep_similar:
        return None
    differences = {
        layer: [
            Mismatch(layer, i, j, before[i] if i >= 0 else "", other[j] if j >= 0 else "")
            for i, j in pairs
        ]
        for layer, before, other, pairs in (
            (Layer.POS, source.tags, mutant.tags, pos),
            (Layer.DEPENDENCY, source.labels, mutant.labels, dep),
        )
    }
    # Lines 14-17 come before lines 18-21: the part of speech answers first.
    layer = Layer.DEPENDENCY if pos_similar else Layer.POS
    parts = [_in_words(mismatch, mutant) for mismatch in differences[layer][:2]]
    if len(differences[layer]) > 2:
        parts.append(f"{len(differences[layer]) - 2} more differ")
    if layer is Layer.POS:
        parts += [_in_words(mismatch, mutant) for mismatch in differences[Layer.DEPENDENCY][:1]]
    mismatches = (*differences[Layer.POS], *differences[Layer.DEPENDENCY])
    return Conformance(False, layer, number, mismatches, "; ".join(parts))


def _in_words(mismatch: Mismatch, mutant: Parse) -> str:
    relation = mismatch.layer is Layer.DEPENDENCY
    what = "relation " if relation else ""
    if mismatch.mutant_index < 0:
        return f"{what}{mismatch.source_value} is missing at the end"
    word = mutant.words[mismatch.mutant_index]
    place = f"word {mismatch.mutant_index + 1} \u201c{word}\u201d"
    if mismatch.source_index < 0:
        return f"{place} has no counterpart ({what}{mismatch.mutant_value})"
    verb = "has relation" if relation else "is"
    return f"{place} {verb} {mismatch.mutant_value} where the source has {mismatch.source_value}"
