"""The fast path equals Algorithms 1 to 4 written plainly, on thousands of random inputs."""

from __future__ import annotations

from itertools import permutations

from hypothesis import event, given
from hypothesis import strategies as st

from benchmarks import reference
from benchmarks.reference import WordPair
from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.relations.invariant import tolerant_compare
from hinter_core.types import Outcome, Verdict
from tests.examples import examples

from .toy import ATTRIBUTES, FILLERS, SpanReplace, ToyModel, ToyParser, dictionary, split

symbols = st.lists(st.sampled_from("abc"), max_size=9)


@examples(2000)
@given(symbols, symbols)
def test_tolerant_compare_is_algorithm_4(first: list[str], second: list[str]) -> None:
    similar, differing = tolerant_compare(first, second)
    assert similar == reference.tolerant_table_comp(first, second)
    for i, j in differing:
        assert i < 0 or j < 0 or first[i] != second[j]


def some_pairs(attribute: str) -> st.SearchStrategy[list[WordPair]]:
    every = list(permutations(ATTRIBUTES[attribute], 2))
    return st.lists(st.sampled_from(every), min_size=3, max_size=9, unique=True)


words = st.sampled_from([*FILLERS, *ATTRIBUTES["race"], *ATTRIBUTES["gender"]])
people = st.tuples(*(st.sampled_from(ATTRIBUTES[a]) for a in ("race", "gender"))).map(" ".join)
parts = st.lists(people | words, min_size=1, max_size=6)
sentences = st.builds(lambda who, ws: f"So {' '.join([who, *ws])}.", people | words, parts)
texts = st.lists(sentences, min_size=1, max_size=3).map(" ".join)
worlds = st.tuples(
    texts,
    some_pairs("race"),
    some_pairs("gender"),
    st.builds(ToyParser, st.integers(0, 50), st.sampled_from([1, 2])),
    st.builds(ToyModel, st.integers(0, 50), st.sampled_from([3, 4, 6])),
)

World = tuple[str, list[WordPair], list[WordPair], ToyParser, ToyModel]


def fast(world: World, order: int) -> TestResult | None:
    text, race, gender, parser, model = world
    pipeline = Pipeline(
        [dictionary("race", race), dictionary("gender", gender)],
        ParseStore(parser),
        [PredictionStore(model)],
        Settings(order=order, literal=True),
    )
    try:
        return pipeline.check(text)
    except InputError:
        return None


def pair_of(judged: Outcome, attribute: str) -> WordPair:
    pair = next(e.change for e in judged.mutant.edits if e.attribute == attribute)
    return pair.source.text, pair.target.text


@examples(1000)
@given(worlds)
def test_intersectional_verdicts_are_those_of_algorithm_1(world: World) -> None:
    text, race, gender, parser, model = world
    pairs = {"race": race, "gender": gender}
    spans = SpanReplace()
    truth = reference.intersectional(
        [text], model.labels, pairs, "race", "gender",
        split=split, parse=parser.tree, replace=spans.replace, contains=spans.contains,
    )  # fmt: skip
    check = fast(world, 2)
    judged = [] if check is None else [j for j in check.outcomes["toy"] if j.mutant.order == 2]

    def sets(*verdicts: Verdict) -> set[tuple[str, WordPair, WordPair]]:
        return {
            (text, pair_of(j, "race"), pair_of(j, "gender"))
            for j in judged
            if j.verdict in verdicts
        }

    tested = sets(Verdict.BENIGN, Verdict.BIASED, Verdict.HIDDEN)
    assert tested == set(truth.tests)
    assert sets(Verdict.BIASED, Verdict.HIDDEN) == set(truth.errors)
    assert sets(Verdict.HIDDEN) == set(truth.hidden)
    assert len(judged) == len({j.mutant for j in judged})
    event("hidden" if truth.hidden else "biased" if truth.errors else f"tests: {bool(tested)}")


@examples(700)
@given(worlds)
def test_atomic_verdicts_are_those_of_algorithm_2(world: World) -> None:
    text, race, gender, parser, model = world
    spans = SpanReplace()
    truth = {
        attribute: set(
            reference.atomic(
                [text], model.labels, pairs,
                split=split, parse=parser.tree, replace=spans.replace, contains=spans.contains,
            )
        )
        for attribute, pairs in (("race", race), ("gender", gender))
    }  # fmt: skip
    check = fast(world, 1)
    judged = [] if check is None else check.outcomes["toy"]
    for attribute, errors in truth.items():
        biased = {
            (text, pair_of(j, attribute))
            for j in judged
            if j.verdict is Verdict.BIASED and j.mutant.edits[0].attribute == attribute
        }
        assert biased == errors


@examples(300)
@given(worlds)
def test_nothing_is_parsed_or_predicted_twice(world: World) -> None:
    text, race, gender, parser, model = world
    parses, store = ParseStore(parser), PredictionStore(model)
    dictionaries = [dictionary("race", race), dictionary("gender", gender)]
    pipeline = Pipeline(dictionaries, parses, [store], Settings(literal=True))
    try:
        check = pipeline.check(text)
    except InputError:
        return
    source = split(text)
    changed: set[str] = set()
    for mutant in check.mutants:
        parts = split(mutant.text)
        if len(parts) == len(source):
            changed |= {s for a, b in zip(source, parts, strict=True) if a != b for s in (a, b)}
    valid = {j.mutant.text for j in check.outcomes["toy"] if j.conformance.kept}
    assert parses.parsed == len(changed)
    assert store.predicted == len(valid | {text})
