"""Placebo mutants: neutral changes that match a text's mutants in order, words and names changed.

A model that flips on any change flips more often the more words change. So each mutant has a
placebo with as many edits, and each edit exchanges as many neutral words (Tuesday for Wednesday) as
the one it stands for: words of several concepts together, if it takes that many. Where a text has
too few neutral words, fewer change. Verbs that change with a person count as words. Where an edit
changes names, its placebo changes the same ones, to others of the same gender and origin. Words
that are inserted or deleted have neutral words inserted or deleted as their placebo, where a text
has a place for them; other edits have exchanges.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from hinter_core.mutation.edits import splices_of, splices_overlap
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.whole_names import exchanged_names
from hinter_core.pipeline.neutral import renamed
from hinter_core.types import Change, Edit, EditKind, Span, Splice, Term

Place = tuple[Edit, ...]  # the edits that exchange all occurrences of a neutral word


class Size(NamedTuple):
    """Size of an edit; ``kind``: "insert", "append", "delete" or "".

    ``words``: those that it changes, without ``names``: the places of names, with their gender.
    """

    kind: str
    words: int
    names: tuple[tuple[Span, str], ...] = ()


Shape = tuple[Size, ...]  # sizes of the edits of a mutant, in order
_EXCHANGED = ""
_ARTICLES = frozenset({"a", "an"})  # they are adapted, not exchanged
_VARIANTS = 1_000  # of the names of a placebo
_LEAST_NAMED = 2  # different placebos of a mutant with names
_IN_VAIN = 60  # draws without a new placebo after which there are no more


def words_changed(edit: Edit) -> int:
    """Return the number of words that an edit exchanges, in all its places.

    Of *man* and *nonbinary person*, the longer one counts.
    """
    if edit.change.kind is EditKind.DELETE:
        return len(edit.source.text.split())
    if isinstance(edit.change, Change):
        return sum(len(text.split()) for text in edit.change.texts if text.lower() not in _ARTICLES)
    words = max(len(edit.source.text.split()), len(edit.target.text.split()))
    return len(edit.spans) * words


@lru_cache(maxsize=4096)
def size_of(edit: Edit, text: str = "") -> Size:
    """Return the size of an edit; given its ``text``, names are counted apart from other words."""
    kind = edit.change.kind
    kept = edit.change.relation if kind is EditKind.INSERT else kind.value
    kind_of = kept if kind in (EditKind.INSERT, EditKind.DELETE) else _EXCHANGED
    names = exchanged_names(text, edit) if text else ()
    return Size(kind_of, words_changed(edit) - len(names), names)


def shape_of(edits: Sequence[Edit], text: str = "") -> Shape:
    """Return the shape of a mutant; given its ``text``, names are counted apart."""
    return tuple(sorted(size_of(edit, text) for edit in edits))


def placebos(
    neutral: Plan, atomic: Counter[Shape], higher: Counter[Shape]
) -> Iterator[tuple[Edit, ...]]:
    """Yield different placebo mutants, as many of each shape as there are others, if possible.

    ``neutral``: the plan of the text with the neutral dictionaries, one attribute a concept.
    ``atomic`` and ``higher``: how many mutants of order 1 and of higher orders have each shape. The
    edits of higher ones are among the atomic ones, as they are in the text's other mutants.
    """
    rng = random.Random(neutral.settings.seed)
    places = _places(neutral, rng)
    others = _of_kinds(neutral)
    pool: dict[Size, list[Edit]] = defaultdict(list)

    def alone(shape: Shape) -> tuple[Edit, ...]:
        kind, words, names = shape[0]
        if of_kind := others.get(kind):
            least = min(abs(words_changed(edit) - words) for edit in of_kind)
            return (rng.choice([e for e in of_kind if abs(words_changed(e) - words) == least]),)
        joined = _joined_of(neutral, places, words, rng)
        return renamed(neutral, joined, names, rng.randrange(_VARIANTS)) if names else joined

    for (size,), edits in _different(atomic, alone, rng):
        pool[size] += edits
        yield edits
    for _, edits in _different(higher, lambda shape: _combined(neutral, pool, shape, rng), rng):
        yield edits


def _of_kinds(neutral: Plan) -> Mapping[str, Sequence[Edit]]:
    """Return the neutral words that can be inserted or deleted, by kind."""
    by_kind: dict[str, list[Edit]] = defaultdict(list)
    for edits in neutral.edits.values():
        for edit in edits:
            by_kind[size_of(edit).kind].append(edit)
    by_kind.pop(_EXCHANGED, None)
    return by_kind


def _different(
    shapes: Counter[Shape], draw: Callable[[Shape], tuple[Edit, ...]], rng: random.Random
) -> Iterator[tuple[Shape, tuple[Edit, ...]]]:
    """Draw until there are enough of each shape, or hardly any new ones come.

    If there are too few of the most frequent shape, there are fewer of the others, too, so that
    their shares stay.
    """
    seen: set[frozenset[Edit]] = set()
    share = 1.0
    for shape, number in shapes.most_common():
        wanted = int(number * share + rng.random()) if share < 1 else number
        if any(size.names for size in shape):  # else those of higher orders would have none
            wanted = max(wanted, min(number, _LEAST_NAMED))
        missed = distinct = 0
        while distinct < wanted and missed < _IN_VAIN:
            edits = draw(shape)
            if edits and frozenset(edits) not in seen:
                seen.add(frozenset(edits))
                distinct, missed = distinct + 1, 0
                yield shape, edits
            else:
                missed += 1
        share = min(share, distinct / number) if distinct else share


def _places(neutral: Plan, rng: random.Random) -> list[Place]:
    """Return neutral words that do not touch each other."""
    by_spans: dict[tuple[Span, ...], list[Edit]] = {}
    for edits in neutral.edits.values():
        for edit in edits:
            if size_of(edit).kind == _EXCHANGED:
                by_spans.setdefault(edit.spans, []).append(edit)
    every = [tuple(edits) for edits in by_spans.values()]
    rng.shuffle(every)
    taken: list[Splice] = []
    free = []
    for place in every:
        splices = splices_of(neutral.text, place[0], neutral.sentences)
        if not splices_overlap([*taken, *splices]):
            taken += splices
            free.append(place)
    return free


def _joined_of(
    neutral: Plan, places: Sequence[Place], words: int, rng: random.Random
) -> tuple[Edit, ...]:
    """Draw one edit that exchanges about as many words."""
    chosen: list[Edit] = []
    left = words
    for place in rng.sample(places, len(places)):
        edit = rng.choice(place)
        if words_changed(edit) <= left:
            chosen.append(edit)
            left -= words_changed(edit)
    if not chosen:  # each is longer
        chosen = [rng.choice(place) for place in rng.sample(places, min(1, len(places)))]
    return (_joined(neutral, chosen),) if chosen and neutral.possible(chosen) else ()


def _combined(
    neutral: Plan, pool: Mapping[Size, Sequence[Edit]], shape: Shape, rng: random.Random
) -> tuple[Edit, ...]:
    """Draw edits of the pool that touch different words; none if there is no such set."""
    chosen: list[Edit] = []
    for kind, words, names in shape:
        if not pool:
            return ()
        nearest = min(
            pool, key=lambda s: (s.kind != kind, s.names != names, abs(s.words - words), s)
        )
        edit = rng.choice(pool[nearest])
        together = [*chosen, edit]
        concepts = {one.attribute for one in together}
        if len(concepts) < len(together) or not neutral.possible(together):
            return ()
        chosen.append(edit)
    return tuple(chosen)


def _joined(neutral: Plan, edits: Sequence[Edit]) -> Edit:
    """Return one edit that does what several neutral ones do."""
    if len(edits) == 1:
        return edits[0]
    every = (s for edit in edits for s in splices_of(neutral.text, edit, neutral.sentences))
    splices = sorted(every, key=lambda splice: splice.start)
    ordered = sorted(edits, key=lambda edit: edit.spans)
    source, target = (
        Term(", ".join(words), edits[0].source.group)
        for words in ([e.source.text for e in ordered], [e.target.text for e in ordered])
    )
    texts = tuple(splice.new for splice in splices)
    change = Change(EditKind.SUBSTITUTE, edits[0].attribute, source, target, texts)
    return Edit(change, tuple((splice.start, splice.end) for splice in splices))
