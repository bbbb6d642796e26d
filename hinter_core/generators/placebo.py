"""Placebo mutants: neutral changes that match a text's mutants in order, words and names changed.

A model that flips on any change flips more often the more words change. So each mutant has a
placebo with as many edits, and each edit exchanges as many neutral words (Tuesday for Wednesday) as
the one it stands for: words of several concepts together, if it takes that many. Where a text has
too few neutral words, fewer change. Verbs that change with a person count as words. Where an edit
changes names, its placebo changes the same ones, to others of the same gender and origin; where
both edits of a mutant change one name, so do those of its placebo, together to a third name. Words
that are inserted or deleted have neutral words inserted or deleted as their placebo, where a text
has a place for them; other edits have exchanges.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from hinter_core.mutation.edits import splices_of, splices_overlap, substitution, texts_of
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.whole_names import exchanged_names
from hinter_core.pipeline.neutral import of_one_name, renamed
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
Pool = Mapping[Size, Mapping[str, list[Edit]]]  # edits by size and attribute
_EXCHANGED = ""
_ARTICLES = frozenset({"a", "an"})  # they are adapted, not exchanged
_VARIANTS = 1_000  # of the names of a placebo
_LEAST_NAMED = 4  # different placebos of a mutant with names
_PAIRED = 2  # of them make a pair
_EITHER = 4  # draws of which the attribute that fewer have is taken
_ALONE = 0.5  # share of edits that change names alone where a text has one neutral word
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
    pool: Pool = defaultdict(lambda: defaultdict(list))
    used: Counter[str] = Counter()

    def alone(shape: Shape) -> tuple[Edit, ...]:
        kind, words, names = shape[0]
        if of_kind := others.get(kind):
            least = min(abs(words_changed(edit) - words) for edit in of_kind)
            return (rng.choice([e for e in of_kind if abs(words_changed(e) - words) == least]),)
        # Two edits of the only neutral word are no pair: some change names alone.
        only = names and len(_concepts(places, words)) == 1 and rng.random() < _ALONE
        joined = () if only else _joined_of(neutral, places, words, rng)
        if not names:
            return joined
        drawn = [renamed(neutral, joined, names, rng.randrange(_VARIANTS)) for _ in range(_EITHER)]
        return min(drawn, key=lambda made: used[made[0].attribute] if made else 0)

    for (size,), edits in _different(atomic, alone, rng, _PAIRED if higher else 1):
        pool[_made(size, edits[0])][edits[0].attribute] += edits
        used[edits[0].attribute] += 1
        yield edits
    for _, edits in _different(higher, lambda shape: _combined(neutral, pool, shape, rng), rng):
        yield edits


def _made(wanted: Size, edit: Edit) -> Size:
    """Return the size of an edit that was drawn for a size, for which words or names may lack."""
    names = tuple(one for one in wanted.names if one[0] in edit.spans)
    return Size(wanted.kind, words_changed(edit) - len(names), names)


def _concepts(places: Sequence[Place], words: int) -> set[str]:
    """Return the concepts with an edit of so few words; all if there is none."""
    every = [edit for place in places for edit in place]
    return {e.attribute for e in [e for e in every if words_changed(e) <= words] or every}


def _of_kinds(neutral: Plan) -> Mapping[str, Sequence[Edit]]:
    """Return the neutral words that can be inserted or deleted, by kind."""
    by_kind: dict[str, list[Edit]] = defaultdict(list)
    for edit in chain.from_iterable(neutral.edits.values()):
        by_kind[size_of(edit).kind].append(edit)
    by_kind.pop(_EXCHANGED, None)
    return by_kind


def _different(
    shapes: Counter[Shape],
    draw: Callable[[Shape], tuple[Edit, ...]],
    rng: random.Random,
    least: int = 1,
) -> Iterator[tuple[Shape, tuple[Edit, ...]]]:
    """Draw until there are enough of each shape, or hardly any new ones come.

    If there are too few of the most frequent shape, there are fewer of the others, too, so that
    their shares stay. ``least``: of those that change names.
    """
    seen: set[frozenset[Edit]] = set()
    share = 1.0
    for shape, number in shapes.most_common():
        wanted = int(number * share + rng.random()) if share < 1 else number
        if any(size.names for size in shape):  # else those of higher orders would have none
            wanted = max(wanted, min(number, _LEAST_NAMED), least)
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
    for edit in chain.from_iterable(neutral.edits.values()):
        if size_of(edit).kind == _EXCHANGED:
            by_spans.setdefault(edit.spans, []).append(edit)
    every = [tuple(edits) for edits in by_spans.values()]
    rng.shuffle(every)
    taken: list[Splice] = []
    free = []
    for place in every:
        splices = splices_of(neutral.text, place[0])
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


def _combined(neutral: Plan, pool: Pool, shape: Shape, rng: random.Random) -> tuple[Edit, ...]:
    """Draw edits of the pool of different attributes, and words; none if there is no such set."""
    chosen: list[Edit] = []
    of_names: list[tuple[Span, str]] = []
    for kind, words, names in shape:
        known = {edit.attribute for edit in chosen}
        free = [size for size, edits in pool.items() if not edits.keys() <= known]
        if not free:
            return ()
        nearest = min(
            free, key=lambda s: (s.kind != kind, s.names != names, abs(s.words - words), s)
        )
        others = [edits for name, edits in pool[nearest].items() if name not in known]
        chosen.append(rng.choice(rng.choices(others, [*map(len, others)])[0]))
        of_names += (one for one in nearest.names if one not in of_names)
        if not neutral.possible(chosen):
            variant = rng.randrange(_VARIANTS)
            chosen = [*of_one_name(neutral, chosen, of_names, variant)]
        if not chosen:
            return ()
    return tuple(chosen)


def _joined(neutral: Plan, edits: Sequence[Edit]) -> Edit:
    """Return one edit that does what several neutral ones do."""
    if len(edits) == 1:
        return edits[0]
    every = (s for edit in edits for s in splices_of(neutral.text, edit))
    ordered = sorted(edits, key=lambda edit: edit.spans)
    source, target = (
        Term(", ".join(words), edits[0].source.group)
        for words in ([e.source.text for e in ordered], [e.target.text for e in ordered])
    )
    return substitution(edits[0].attribute, source, target, texts_of(every))
