"""Swap neutral words of a text, to see how easily its answer flips without any bias."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from zlib import crc32

from hinter_core.models.store import PredictionStore
from hinter_core.mutation.edits import rewritten, splices_of, texts_of
from hinter_core.mutation.lattice import EditSet
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.whole_names import exchanged_names, other_names
from hinter_core.options import Option
from hinter_core.pipeline.case import (
    FollowUp,
    TestCase,
    ask_originals,
    conform,
    follow_up_of,
    judge,
)
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.relations.base import NeutralFlips
from hinter_core.terms.dictionary import neutral_words
from hinter_core.types import Change, Edit, EditKind, Span, Term, Verdict

SWAPS = 12
NEUTRAL = Option(
    "neutral", SWAPS,
    "Number of neutral swaps to try, which show how easily the answer flips; 0: none.",
    low=0, high=1_000,
)  # fmt: skip
_DRAWN = 4  # times as many as wanted, as some are discarded
_COUNTED = (Verdict.BIASED, Verdict.HIDDEN, Verdict.BENIGN)
NAMES = ("placebo-name", "placebo-other-name")  # attributes of edits of names alone
_TRIES = 20  # per swap, as some touch the same words


def neutral_flips(
    pipeline: Pipeline,
    tested: Plan,
    order: int,
    swaps: int = SWAPS,
    models: Sequence[PredictionStore] | None = None,
) -> dict[str, NeutralFlips]:
    """Exchange ``order`` neutral words at once, up to ``swaps`` times; return flips by model.

    Swaps that the invariant discards are drawn anew; if it discards all, or the text has fewer
    neutral words, fewer words are exchanged at once. If it has none, and names change in the plan
    ``tested``, they are exchanged for others that say the same of a person. Swaps that a model does
    not answer do not count. ``models``: all of the pipeline unless given.
    """
    stores = pipeline.models if models is None else models
    if not stores:
        return {}
    settings = replace(pipeline.settings, order=order, repeat=0, limit=None)
    neutral = Pipeline(neutral_words(), pipeline.parses, stores, settings)
    plan = neutral.plan(tested.text)
    case, kept, size = TestCase(plan), list[FollowUp](), 0
    words = sum(map(bool, plan.edits.values()))
    names = [] if words else _of_names(plan, [*chain.from_iterable(tested.edits.values())], swaps)
    for size in range(min(order, words or bool(names)), 0, -1):
        swapped = names or _sampled(plan, size, _DRAWN * swaps)
        drawn = [follow_up_of(case, edits) for edits in swapped]
        conform(drawn, pipeline.parses)
        kept = [one for one in drawn if one.conformance and one.conformance.kept][:swaps]
        if kept:
            break
    by_model = {}
    for store in stores:
        ask_originals([case], store)
        judged = [one for one in judge(kept, store) if one.verdict in _COUNTED]
        flips = sum(one.verdict is not Verdict.BENIGN for one in judged)
        answers = tuple(one.prediction for one in judged if one.prediction)
        by_model[store.model.name] = NeutralFlips(size if kept else 0, len(judged), flips, answers)
    return by_model


def _sampled(plan: Plan, order: int, number: int) -> list[tuple[Edit, ...]]:
    """Draw distinct sets of ``order`` edits of different words, with the plan's seed."""
    names = [name for name, edits in plan.edits.items() if edits]
    rng = random.Random(plan.settings.seed)
    sampled: dict[EditSet, tuple[Edit, ...]] = {}
    for _ in range(_TRIES * number):
        chosen = sorted(rng.sample(range(len(names)), order))
        edits = tuple(rng.choice(plan.edits[names[place]]) for place in chosen)
        if plan.possible(edits):
            sampled.setdefault(frozenset(edits), edits)
        if len(sampled) == number:
            break
    return list(sampled.values())


def _of_names(neutral: Plan, edits: Sequence[Edit], number: int) -> list[tuple[Edit, ...]]:
    """Return different changes of the names that edits change, to others that say the same.

    ``neutral``: a plan of the text. There are at most ``number`` for each edit.
    """
    every = {exchanged_names(neutral.text, edit) for edit in edits} - {()}
    made = (renamed(neutral, (), names, n) for names in sorted(every) for n in range(number))
    return [*dict.fromkeys(filter(None, made))]


def renamed(
    neutral: Plan, edits: tuple[Edit, ...], names: Sequence[tuple[Span, str]], variant: int
) -> tuple[Edit, ...]:
    """Return one edit that changes names, too; without other names, the edits as they are.

    Its terms are all that it exchanges. Names alone are of one of two attributes, so that two such
    edits can be combined.
    """
    new = other_names(neutral.text, names, variant)
    if not new:
        return edits
    swaps = dict.fromkeys((neutral.text[slice(*span)], new[span]) for span, _ in names)
    words = [", ".join(swapped) for swapped in zip(*swaps, strict=True)]
    texts: dict[Span, str] = {}
    attribute, groups = NAMES[crc32(words[1].encode()) % 2], ("variant-1", "variant-2")
    if edits:
        texts = texts_of(splices_of(neutral.text, edits[0]))
        change = edits[0].change
        terms = (change.source, change.target)
        words = [f"{term.text}, {word}" for term, word in zip(terms, words, strict=True)]
        attribute, groups = change.attribute, (change.source.group, change.target.group)
    source, target = map(Term, words, groups)
    edit = Edit(Change(EditKind.SUBSTITUTE, attribute, source, target), ())
    made = rewritten(neutral.text, edit, new | texts)
    return (made,) if made else ()


def of_one_name(
    neutral: Plan, edits: Sequence[Edit], names: Sequence[tuple[Span, str]], variant: int
) -> tuple[Edit, ...]:
    """Return two edits of the same names that know a third one for both; none if there is none.

    Who changes gender and origin of one name puts one name in its place; so does its placebo.
    """
    if len(edits) != 2:
        return ()
    other, both = sorted(edits, key=lambda edit: len(edit.spans))
    places = {span for span, _ in names}
    shared = {*other.spans} & {*both.spans}
    kept = [one for one in names if one[0] in both.spans]
    new = other_names(neutral.text, kept, variant) if shared and shared <= places else {}
    if not new or not isinstance(both.change, Change) or not isinstance(other.change, Change):
        return ()
    texts = dict(zip(both.spans, both.change.texts, strict=True))
    said = {*both.change.texts, *other.change.texts}
    if said.intersection(new.values()):
        return ()
    joint = ((other.target.text, tuple((texts | new)[span] for span in both.spans)),)
    joined = (other, replace(both, change=replace(both.change, joint=joint)))
    return joined if neutral.possible(joined) else ()
