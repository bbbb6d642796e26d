"""The noise floor: flips of a model on a text that nobody changed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.models.base import Capabilities
from hinter_core.models.budget import Budget, Cost
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.pipeline import Pipeline, estimate
from hinter_core.relations.base import noise_floor
from hinter_core.relations.oracles import LabelOracle
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Failure, Prediction, Verdict

TEXT = "The black man was kind."
ORACLE = LabelOracle()
YES, NO = Prediction(("yes",)), Prediction(("no",))
LOST = Prediction(failure=Failure.TIMED_OUT, detail="no answer in time")


def test_answers_that_differ_are_flips_and_failures_say_nothing() -> None:
    floor = noise_floor(ORACLE, YES, [YES, NO, LOST, NO, YES])
    assert (floor.asked, floor.answered, floor.flips) == (5, 4, 2)
    assert floor.rate == 0.5
    assert dict(floor.answers) == {("yes",): 2, ("no",): 2}


def test_without_an_answer_there_is_no_rate() -> None:
    assert noise_floor(ORACLE, YES, [LOST]).rate is None
    assert noise_floor(ORACLE, YES, []).rate is None
    assert noise_floor(ORACLE, LOST, [YES, NO]).flips == 0


class Fickle:
    """Changes its mind at every third question."""

    name = identity = "fickle"
    capabilities = Capabilities(labels=("no", "yes"), scores=False, steady=False)

    def __init__(self) -> None:
        self.questions: list[str] = []

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        answers = []
        for text in texts:
            self.questions.append(text)
            answers.append(NO if len(self.questions) % 3 == 0 else YES)
        return answers

    def visible(self, text: str) -> int:
        return len(text)


def test_a_model_that_flips_on_itself_is_reported_beside_its_verdicts(
    race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    model, text = Fickle(), TEXT
    pipeline = Pipeline([race, gender], parses, [PredictionStore(model)], Settings(repeat=6))
    check = pipeline.check(text)
    assert model.questions[:7] == [text] * 7
    floor = check.noise["fickle"]
    assert (floor.asked, floor.flips) == (6, 2)
    assert check.counts("fickle")[Verdict.BIASED] > 0


def test_an_even_handed_model_has_no_noise(
    race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    from hinter_core.models.registry import load_model

    store = PredictionStore(load_model("vader"))
    check = Pipeline([race, gender], parses, [store], Settings(repeat=4)).check(TEXT)
    assert check.noise["vader"].flips == 0
    assert check.noise["vader"].answered == 4


def test_the_estimate_is_an_upper_bound_and_counts_the_repeats(
    race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    store = PredictionStore(Fickle())
    pipeline = Pipeline([race, gender], parses, [store], Settings(repeat=3))
    plan = pipeline.plan("The black man was kind. A woman left.")
    most = estimate(plan, pipeline.models)["fickle"]
    assert store.predicted == 0
    check = pipeline.judge(plan)
    assert most == Cost(1 + len({m.text for m in check.mutants}) + 3)
    assert store.predicted <= most.requests


def test_a_budget_leaves_mutants_unanswered_by_name(
    race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    model = Fickle()
    store = PredictionStore(model, budget=Budget(requests=4))
    check = Pipeline([race, gender], parses, [store]).check(TEXT)
    assert len(model.questions) == 4
    left = [j for j in check.outcomes["fickle"] if j.verdict is Verdict.UNANSWERED]
    assert left
    assert {j.prediction.failure for j in left if j.prediction} == {Failure.OVER_BUDGET}


@pytest.mark.parametrize("repeat", [-1, 101])
def test_repeats_out_of_range_are_refused(
    repeat: int, race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    with pytest.raises(InputError, match="0 to 100"):
        Pipeline([race, gender], parses, [PredictionStore(Fickle())], Settings(repeat=repeat))
