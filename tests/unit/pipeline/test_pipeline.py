"""The pipeline: counts, partial results, limits, closure, and clear refusals."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences
from hinter_core.models.base import Capabilities
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.lattice import subsets
from hinter_core.mutation.settings import PUBLISHED, Settings
from hinter_core.pipeline.case import (
    TestCase,
    TestResult,
    ask_originals,
    conform,
    follow_up_of,
    handwritten_follow_up,
    judge,
)
from hinter_core.pipeline.pipeline import Pipeline, build_pipeline, chunks, closure
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Failure, Layer, Outcome, Prediction, Verdict
from tests.conftest import MakePipeline

TEXT = "The old black man was kind. He thanked us. A white woman smiled."
RULES = "scripted:negative 0.7 if race=white and gender=female; positive otherwise"


def distinct_changed_sentences(check: TestResult) -> set[str]:
    source = [s.text for s in check.plan.sentences]
    changed = set()
    for mutant in check.mutants:
        parts = [s.text for s in split_sentences(mutant.text)]
        if len(parts) == len(source):
            changed |= {s for a, b in zip(source, parts, strict=True) if a != b for s in (a, b)}
    return changed


def test_each_sentence_is_parsed_and_each_text_predicted_once(
    race: Dictionary, gender: Dictionary, age: Dictionary, make_pipeline: MakePipeline
) -> None:
    pipeline = make_pipeline(
        [race, gender, age], RULES, order=3, invariant=PUBLISHED, across_people=True
    )
    check = pipeline.check(TEXT)
    sentences = {
        s.text for s in check.plan.sentences
    }  # all of them: whose age "old" is, may matter
    assert pipeline.parses.parsed == len(distinct_changed_sentences(check) | sentences)
    valid = {
        j.mutant.text for j in check.outcomes[pipeline.models[0].model.name] if j.conformance.kept
    }
    assert pipeline.models[0].predicted == len(valid | {TEXT})
    before = pipeline.parses.parsed, pipeline.models[0].predicted
    pipeline.check(TEXT)
    assert (pipeline.parses.parsed, pipeline.models[0].predicted) == before


def test_edits_in_different_sentences_need_no_parse_beyond_the_atomic_ones(
    race: Dictionary, gender: Dictionary, make_pipeline: MakePipeline
) -> None:
    text = "The black waiter was kind. We met a man there."
    pipeline = make_pipeline([race, gender], RULES, invariant=PUBLISHED, across_people=True)
    check = pipeline.check(text)
    assert [m.order for m in check.mutants].count(2) == 4
    assert pipeline.parses.parsed == 2 + 2 + 2  # two sources, two races, two genders


def test_the_even_handed_invariant_parses_the_source_alone(
    race: Dictionary, gender: Dictionary, age: Dictionary, make_pipeline: MakePipeline
) -> None:
    pipeline = make_pipeline([race, gender, age], RULES, order=3)
    check = pipeline.check(TEXT)
    assert check.planned > 20
    assert pipeline.parses.parsed == 3  # the sentences of the text


def test_every_part_of_a_listed_mutant_is_listed_and_once(
    race: Dictionary, gender: Dictionary, age: Dictionary, make_pipeline: MakePipeline
) -> None:
    check = make_pipeline([race, gender, age], RULES, order=3, limit=9).check(TEXT)
    listed = [frozenset(m.edits) for m in check.mutants]
    assert len(listed) == len(set(listed)) == check.planned
    for mutant in check.mutants:
        assert {frozenset(p) for p in subsets(mutant.edits)} <= set(listed)
    assert 0 < sum(m.order > 1 for m in check.mutants) <= 9
    assert any(m.order == 3 for m in check.mutants)


@pytest.mark.parametrize("limit", [1, 3, 7])
def test_limit_caps_intersectional_mutants_by_seed(
    race: Dictionary, gender: Dictionary, make_pipeline: MakePipeline, limit: int
) -> None:
    def listed(seed: int) -> list[str]:
        check = make_pipeline([race, gender], RULES, limit=limit, seed=seed).check(TEXT)
        assert sum(m.order > 1 for m in check.mutants) == limit
        return [m.text for m in check.mutants]

    assert listed(0) == listed(0)
    assert any(listed(0) != listed(seed) for seed in range(1, 5))


def test_results_come_in_the_order_of_the_mutants_for_every_model(
    race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    stores = [PredictionStore(load_model(name)) for name in (RULES, "vader")]
    check = Pipeline([race, gender], parses, stores).check(TEXT)
    for store in stores:
        assert [j.mutant for j in check.outcomes[store.model.name]] == check.mutants
    assert check.complete
    assert set(check.originals) == {RULES, "vader"}
    for name in check.outcomes:
        counts = check.counts(name)
        assert list(counts) == [v.value for v in Verdict]
        assert sum(counts.values()) == len(check.mutants)
    one = check.mutants[-1]
    assert check.find("vader", reversed(one.edits)).mutant == one  # type: ignore[union-attr]
    assert check.find("nobody", one.edits) is None


@pytest.mark.parametrize("stop_after", [0, 1, 3])
def test_cancel_keeps_what_is_judged(
    race: Dictionary, gender: Dictionary, make_pipeline: MakePipeline, stop_after: int
) -> None:
    pipeline = make_pipeline([race, gender], RULES)
    plan = pipeline.plan(TEXT)
    grown: list[TestResult] = []
    for partial in pipeline.run(plan, cancelled=lambda: len(grown) >= stop_after, chunk=4):
        grown.append(partial)
    assert len(grown) == stop_after
    for check in grown:
        assert not check.complete
        assert len(check.mutants) == 4 * stop_after == len(check.outcomes[RULES])
    whole = [m.text for m in make_pipeline([race, gender], RULES).check(TEXT).mutants]
    assert [m.text for m in grown[-1].mutants] == whole[: 4 * stop_after] if grown else True


def test_chunks_do_not_change_the_result(
    race: Dictionary, gender: Dictionary, age: Dictionary, make_pipeline: MakePipeline
) -> None:
    def verdicts(chunk: int) -> list[tuple[str, Verdict]]:
        pipeline = make_pipeline([race, gender, age], RULES, order=3)
        *_, last = pipeline.run(pipeline.plan(TEXT), chunk=chunk)
        assert last.complete
        return [(j.mutant.text, j.verdict) for j in last.outcomes[RULES]]

    assert verdicts(1) == verdicts(5) == verdicts(1000)


def test_discarded_mutants_are_not_asked(
    race: Dictionary, gender: Dictionary, make_pipeline: MakePipeline
) -> None:
    check = make_pipeline([race, gender], RULES, literal=True).check(
        "He whites out man pages, white."
    )
    discarded = [j for j in check.outcomes[RULES] if j.verdict is Verdict.DISCARDED]
    assert all(j.prediction is None and j.conformance.reason for j in discarded)
    kept = [j for j in check.outcomes[RULES] if j.verdict is not Verdict.DISCARDED]
    assert all(j.prediction is not None for j in kept)


def test_mutants_below_the_least_validity_are_discarded_and_not_asked(
    race: Dictionary, gender: Dictionary, make_pipeline: MakePipeline
) -> None:
    text = "The chess machine called the Turk won. The white man and a woman left."
    check = make_pipeline([race, gender], RULES, validity=0.0).check(text)
    every = check.outcomes[RULES]
    score = {j.mutant.text: j.validity.fair for j in every}
    least = sorted({score[j.mutant.text] for j in every if j.conformance.kept})[1]
    some = make_pipeline([race, gender], RULES, validity=least).check(text).outcomes[RULES]
    assert [j.mutant.text for j in some] == [j.mutant.text for j in every]
    low = [j for j in some if j.conformance.layer is Layer.VALIDITY]
    assert 0 < len(low) < len(some)
    assert {j.mutant.text for j in low} == {
        j.mutant.text for j in every if j.conformance.kept and score[j.mutant.text] < least
    }
    for j in low:
        assert j.verdict is Verdict.DISCARDED
        assert j.prediction is None
        assert f"a score of at least {least:g} is asked for" in j.conformance.reason
    # The score itself is the same, whatever is asked for; so parts have no less than wholes.
    assert {j.mutant.text: j.validity.fair for j in some} == score
    parts = {frozenset(j.mutant.edits): j.conformance for j in some}
    for edits, conformance in parts.items():
        if conformance.kept:
            assert all(c.layer is not Layer.VALIDITY for e, c in parts.items() if e < edits)


def test_no_validity_score_discards_a_mutant_by_hand(
    race: Dictionary, gender: Dictionary, make_pipeline: MakePipeline
) -> None:
    pipeline = make_pipeline([race, gender], RULES, validity=0.999)
    case = TestCase(pipeline.plan("The white man left."))
    edits = case.plan.chosen()[0]
    by_hand = handwritten_follow_up(case, "The black woman left.", edits, ask=False)
    made = follow_up_of(case, edits)
    for one in (by_hand, made):
        conform([one], pipeline.parses)
    assert by_hand.conformance.layer is not Layer.VALIDITY
    assert made.conformance.layer is Layer.VALIDITY


class Moody:
    """A model that fails in the ways models fail."""

    name = identity = "moody"
    capabilities = Capabilities(labels=("yes", "no"))

    def __init__(self, bad_word: str) -> None:
        self.bad_word = bad_word
        self.calls: list[list[str]] = []

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        self.calls.append(list(texts))
        if any(self.bad_word in text for text in texts):
            raise RuntimeError("out of ink")
        return [Prediction(("yes",)) for _ in texts]

    def visible(self, text: str) -> int:
        return len(text)


def test_a_text_the_model_chokes_on_is_unanswered_and_the_others_are_not(
    race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    store = PredictionStore(Moody("Syrian"))
    check = Pipeline([race, gender], parses, [store]).check("The black man was kind.")
    for judged in check.outcomes["moody"]:
        if judged.verdict is not Verdict.DISCARDED:
            lost = "Syrian" in judged.mutant.text
            assert (judged.verdict is Verdict.UNANSWERED) is lost
    failures = [
        j.prediction for j in check.outcomes["moody"] if j.prediction and j.prediction.failure
    ]
    assert failures
    assert {f.failure for f in failures} == {Failure.ERROR}
    assert {f.detail for f in failures} == {"RuntimeError: out of ink"}


def test_an_unanswered_original_leaves_nothing_to_compare(
    race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    store = PredictionStore(Moody("kind"))
    check = Pipeline([race, gender], parses, [store]).check("The black man was kind.")
    assert check.originals["moody"].failure is Failure.ERROR
    assert {j.verdict for j in check.outcomes["moody"]} <= {Verdict.UNANSWERED, Verdict.DISCARDED}


def test_what_the_model_does_not_see_is_not_mutated(
    race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    class ShortSighted(Moody):
        def visible(self, text: str) -> int:
            return text.index("woman") + len("woma")

    # The control character goes first: offsets are those of the cleaned text.
    text = "\x00The black man was kind. A white woman smiled."
    pipeline = Pipeline([race, gender], parses, [PredictionStore(ShortSighted("!"))])
    assert [o.surface for o in pipeline.plan(text).occurrences] == ["black", "man", "white"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("It rained all day.", "No term of race or gender can be changed in this text"),
        ("The man left.", "Only gender has a term in this text; race has none, so there is no"),
        ("The man painted a white door.", "\u201cwhite\u201d is about a thing"),
        ("", "There is no text to check"),
    ],
)
def test_what_cannot_be_tested_is_refused_with_a_reason(
    race: Dictionary, gender: Dictionary, parses: ParseStore, text: str, message: str
) -> None:
    pipeline = Pipeline([race, gender], parses, [PredictionStore(load_model("vader"))])
    with pytest.raises(InputError) as caught:
        pipeline.check(text)
    assert message in str(caught.value)


def test_several_attributes_that_a_text_lacks_are_named_together(
    race: Dictionary, gender: Dictionary, age: Dictionary, parses: ParseStore
) -> None:
    pipeline = Pipeline([race, gender, age], parses, [PredictionStore(load_model("vader"))])
    with pytest.raises(InputError, match="in this text; race and age have none, so there is no"):
        pipeline.check("The man left.")


def test_settings_that_no_text_satisfies_are_refused_before_anything_is_loaded(
    race: Dictionary, gender: Dictionary
) -> None:
    both = [race, gender]
    for dictionaries, models, settings, message in [
        (both, [], Settings(), "No model chosen"),
        (both, ["no-such-model"], Settings(order=0), "order is at least 1"),
        (both, ["no-such-model"], Settings(limit=0), "limit is at least 1"),
        ([race], ["no-such-model"], Settings(), "at least two attributes"),
    ]:
        with pytest.raises(InputError, match=message):
            build_pipeline(dictionaries, "no-such-parser", models, settings)


def test_too_many_combinations_ask_for_a_limit(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    text = "The old black man, a poor Polish baker, met a fat Catholic nurse."
    names = [a for a in shipped if a != "placebo"]

    def pipeline(limit: int | None) -> Pipeline:
        store = PredictionStore(load_model("vader"))
        return Pipeline(
            [shipped[a] for a in names], parses, [store], Settings(order=4, limit=limit)
        )

    with pytest.raises(InputError, match=r"has [\d,]+ combinations; give a limit"):
        pipeline(None).check(text)
    check = pipeline(30).check(text)
    assert 0 < sum(m.order > 1 for m in check.mutants) <= 30


def test_overlap_is_named_when_it_leaves_nothing(
    race: Dictionary, make_pipeline: MakePipeline
) -> None:
    twin = Dictionary("colour", race.terms)
    with pytest.raises(InputError, match="share words here, so they cannot change together"):
        make_pipeline([race, twin], "vader").check("The black waiter was kind.")


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_many_texts_are_judged_as_each_alone_with_fewer_batches(
    race: Dictionary, gender: Dictionary, parses: ParseStore, chunk: int
) -> None:
    texts = [TEXT, "The black man was kind.", "Nobody is here.", "A white woman met a black man."]
    alone, together = (
        Pipeline([race, gender], parses, [PredictionStore(load_model(RULES))]) for _ in range(2)
    )
    cases = [TestCase(together.plan(text)) for text in texts]
    (store,) = together.models
    ask_originals(cases, store)
    todo = (follow_up_of(case, e) for case in cases for e in closure(case.plan.chosen()))
    outcomes: dict[TestCase, list[Outcome]] = {case: [] for case in cases}
    for batch in chunks(todo, chunk):
        conform(batch, parses)
        for follow_up, outcome in zip(batch, judge(batch, store), strict=True):
            outcomes[follow_up.case].append(outcome)
    assert [case.plan.text for case in outcomes] == texts
    for case, found in outcomes.items():
        single = alone.judge(alone.plan(case.plan.text))
        assert found == single.outcomes[RULES]
        assert (single.planned, single.complete) == (len(found), True)
    assert store.predicted == alone.models[0].predicted
