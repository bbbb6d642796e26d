"""Invariant of insertions, deletions, moves and rewritings: the part of the tree that must stay.

The words that no edit touches keep their part of speech, and their relation but for as many words
as were touched: an added adjective may attach its neighbour elsewhere. Sentences that were appended
are not compared. Departure from HInter, Algorithm 3, which knows exchanges only: there, a follow-up
with one word more is compared word by word from the left.

Even-handed as well: a term that was added or removed is parsed as another of its form that every
parser knows, so that the answer does not depend on the group (``relations/even_handed.py``).
"""

from collections.abc import Iterator, Mapping, Sequence

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.edits import article_for
from hinter_core.relations.base import Compared, part_of
from hinter_core.types import (
    KEPT,
    Change,
    Conformance,
    Edit,
    EditKind,
    GrammaticalForm,
    Layer,
    Mismatch,
    Parse,
    Sentence,
    Span,
    Splice,
)

# By whether the word sounds like one with a vowel, and whether it is written with a capital.
_KNOWN = {
    (False, True): "Danish", (True, True): "English", (False, False): "young", (True, False): "old",
}  # fmt: skip
_SAME_TAGS = (frozenset({"NN", "NNP"}), frozenset({"NNS", "NNPS"}), frozenset({"VB", "VBP"}))

Token = tuple[str, str]  # tag and relation


def check_all(pairs: Sequence[Compared], parses: ParseStore) -> list[Conformance]:
    """Compare mutants with their sources by the words that no edit touches."""
    shown = [_with_known_words(pair) for pair in pairs]
    parsed = parses.parse({s.text for pair in shown for side in _changed(pair) for s in side})
    return [_compare(pair, parsed) for pair in shown]


def _with_known_words(pair: Compared) -> Compared:
    """Return the pair with a common adjective in place of each that is inserted."""
    edits = [_known(edit) for edit in pair.mutant.edits]
    if pair.published or edits == list(pair.mutant.edits):
        return pair
    return part_of(pair, edits)


def _known(edit: Edit) -> Edit:
    change = edit.change
    adjective = change.target.form is GrammaticalForm.ADJECTIVE
    if not isinstance(change, Change) or change.kind is not EditKind.INSERT or not adjective:
        return edit
    word = change.target.text
    common = _KNOWN[article_for(word) == "an", word[:1].isupper()]
    texts = tuple(text.replace(word, common) for text in change.texts)
    return Edit(
        Change(change.kind, change.attribute, change.source, change.target, texts), edit.spans
    )


def _changed(pair: Compared) -> tuple[list[Sentence], list[Sentence]]:
    """Return the sentences of the source that the mutant has not, and the other way round."""
    source, mutant = ({s.text for s in side} for side in (pair.source, pair.sentences))
    return (
        [s for s in pair.source if s.text not in mutant],
        [s for s in pair.sentences if s.text not in source],
    )


def _compare(pair: Compared, parsed: Mapping[str, Parse]) -> Conformance:
    source, mutant = _changed(pair)
    after = dict(_tokens(mutant, parsed))
    splices = pair.mutant.splices
    lost: dict[Layer, list[Mismatch]] = {Layer.POS: [], Layer.DEPENDENCY: []}
    for number, (span, (tag, label)) in enumerate(_tokens(source, parsed)):
        place = _moved(span, splices)
        if place is None:
            continue
        other = after.get(place)
        if other is None:
            why = f"\u201c{pair.text[slice(*span)]}\u201d is no longer a word of its own"
            return Conformance(False, Layer.SENTENCES, reason=why)
        if not _alike(tag, other[0]):
            lost[Layer.POS].append(Mismatch(Layer.POS, number, number, tag, other[0]))
        if label != other[1]:
            lost[Layer.DEPENDENCY].append(
                Mismatch(Layer.DEPENDENCY, number, number, label, other[1])
            )
    touched = (max(len(one.old.split()), len(one.new.split())) for one in splices if one.attribute)
    return _answer(lost, sum(touched))


def _answer(lost: Mapping[Layer, Sequence[Mismatch]], touched: int) -> Conformance:
    for layer, allowed in ((Layer.POS, 0), (Layer.DEPENDENCY, touched)):
        if len(lost[layer]) > allowed:
            first = lost[layer][0]
            why = (
                f"a word that stays is {first.mutant_value} where it was {first.source_value}"
                if layer is Layer.POS
                else f"{len(lost[layer])} words that stay have another relation"
            )
            return Conformance(False, layer, mismatches=tuple(lost[layer]), reason=why)
    return KEPT


def _alike(first: str, second: str) -> bool:
    return first == second or any({first, second} <= tags for tags in _SAME_TAGS)


def _tokens(
    sentences: Sequence[Sentence], parsed: Mapping[str, Parse]
) -> Iterator[tuple[Span, Token]]:
    for sentence in sentences:
        parse = parsed[sentence.text]
        for (start, end), tag, label in zip(parse.spans, parse.tags, parse.labels, strict=True):
            yield (start + sentence.start, end + sentence.start), (tag, label)


def _moved(span: Span, splices: Sequence[Splice]) -> Span | None:
    """Return where a span of the source lies in the mutant; None if an edit touches it."""
    longer = 0
    for splice in splices:
        if splice.start < span[1] and splice.end > span[0]:
            return None
        if splice.end <= span[0]:
            longer += len(splice.new) - (splice.end - splice.start)
    return span[0] + longer, span[1] + longer
