"""A result judged at another threshold is what a model with that threshold would have given."""

from __future__ import annotations

import pytest

from hinter_core.models.base import Capabilities, answer_from
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.neutral import neutral_flips
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.pipeline.thresholds import deciding_label, judged_at
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Prediction, Verdict
from tests.conftest import MakePipeline

TEXT = "On Monday the young black man left after breakfast."
RULES = (
    "scripted:negative 0.55 if race=white and gender=female; positive 0.52 if race=white; "
    "positive 0.7 if gender=female; positive 0.9 otherwise"
)


class Marked:
    """A model of labels with a score each, all from its threshold on."""

    name = "marked"
    identity = "marked-1"

    def __init__(self, threshold: float) -> None:
        self.capabilities = Capabilities(
            labels=("harm", "praise"), multi_label=True, threshold=threshold
        )

    def predict(self, texts: list[str]) -> list[Prediction]:
        return [self._answer(text) for text in texts]

    def visible(self, text: str) -> int:
        return len(text)

    def _answer(self, text: str) -> Prediction:
        harm = 0.3 + 0.15 * ("white" in text) + 0.25 * ("woman" in text)
        scores = {"harm": harm, "praise": 0.9 - harm}
        return answer_from(scores, self.capabilities)


@pytest.mark.parametrize("threshold", [0.2, 0.35, 0.5, 0.65, 0.8])
def test_labels_with_a_threshold_each_are_judged_as_their_model_would(
    make_pipeline: MakePipeline, race: Dictionary, gender: Dictionary, threshold: float
) -> None:
    parses = make_pipeline([race, gender], RULES).parses
    results = [
        Pipeline([race, gender], parses, [PredictionStore(Marked(own))]).check(TEXT)
        for own in (0.5, threshold)
    ]
    judged = judged_at(results[0], threshold, {"marked": Marked(0.5).capabilities})
    assert judged.originals == results[1].originals
    assert judged.outcomes == results[1].outcomes
    assert judged.counts("marked") == results[1].counts("marked")


@pytest.mark.parametrize(
    ("threshold", "answers", "hidden"),
    [
        (0.5, ["positive", "positive", "positive", "negative"], True),
        (0.4, ["positive", "positive", "positive", "positive"], False),
        (0.6, ["positive", "negative", "positive", "negative"], False),
        (0.95, ["negative", "negative", "negative", "negative"], False),
    ],
)
def test_the_last_of_two_labels_is_the_answer_from_the_threshold_on(
    make_pipeline: MakePipeline, race: Dictionary, gender: Dictionary, threshold: float,
    answers: list[str], hidden: bool,
) -> None:  # fmt: skip
    pipeline = make_pipeline([race, gender], RULES)
    (store,) = pipeline.models
    found = pipeline.check(TEXT)
    asked = store.asked
    result = judged_at(found, threshold, {store.model.name: store.model.capabilities})
    assert store.asked == asked  # no model is asked
    edits = next(
        m.edits for m in result.mutants
        if {e.target.text for e in m.edits} == {"white", "woman"}
    )  # fmt: skip
    parts = {edit.attribute: (edit,) for edit in edits}
    outcomes = [result.find(store.model.name, part)
                for part in (parts["race"], parts["gender"], edits)]  # fmt: skip
    given = [result.originals[store.model.name]] + [o.prediction for o in outcomes if o]
    assert [one.labels[0] for one in given if one] == answers
    whole = outcomes[-1]
    assert whole is not None
    assert (whole.verdict is Verdict.HIDDEN) is hidden
    assert whole.effect is not None
    assert whole.effect.distance == pytest.approx(abs(0.45 - threshold))


def test_neutral_swaps_are_judged_anew_too(
    make_pipeline: MakePipeline, race: Dictionary, gender: Dictionary
) -> None:
    rules = 'scripted:negative 0.9 if "never"; positive 0.8 if "Monday"; positive 0.6 otherwise'
    pipeline = make_pipeline([race, gender], rules)
    (store,) = pipeline.models
    name, able = store.model.name, store.model.capabilities
    result = pipeline.check(TEXT)
    result.neutral = neutral_flips(pipeline, result.plan, 1)
    assert result.neutral[name].flips == 0
    assert judged_at(result, 0.7, {name: able}).neutral[name].flips > 0
    assert judged_at(result, 0.55, {name: able}).neutral[name].flips == 0


def test_a_score_tolerance_judges_at_any_threshold(
    make_pipeline: MakePipeline, race: Dictionary, gender: Dictionary
) -> None:
    rules = "scripted:positive 0.55 if race=white and gender=female; positive 0.9 otherwise"
    plain = make_pipeline([race, gender], rules)
    pipeline = Pipeline([race, gender], plain.parses, plain.models, Settings(score_tolerance=0.2))
    (store,) = pipeline.models
    name, able = store.model.name, store.model.capabilities
    result = pipeline.check(TEXT)
    result.neutral = neutral_flips(pipeline, result.plan, 1)
    assert result.counts(name)["hidden"] > 0
    for threshold in (0.5, 0.8):  # of both, all answers are positive
        again = judged_at(result, threshold, {name: able})
        assert again.outcomes == result.outcomes
        assert again.neutral == result.neutral
    assert judged_at(result, 0.3, {name: able}).counts(name) == result.counts(name)  # a label, too


def test_where_no_threshold_decides_all_stays(
    make_pipeline: MakePipeline, race: Dictionary, gender: Dictionary
) -> None:
    three = "scripted:a 0.6 if race=white; b 0.5 if gender=female; c 0.9 otherwise"
    pipeline = make_pipeline([race, gender], three)
    (store,) = pipeline.models
    result = pipeline.check(TEXT)
    assert deciding_label(result.originals[store.model.name], store.model.capabilities) is None
    again = judged_at(result, 0.99, {store.model.name: store.model.capabilities})
    assert again.outcomes == result.outcomes
    assert deciding_label(Prediction(("yes",)), Capabilities(labels=("no", "yes"))) is None
    assert deciding_label(Prediction(("yes",), {"no": 0.4, "yes": 0.6}), None) is None
