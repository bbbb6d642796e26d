"""Masked language models: which word, at which mask, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from transformers import AutoTokenizer

from hinter_core.errors import ModelError
from hinter_core.models.base import MASKED, ModelUnderTest
from hinter_core.models.registry import load_model
from hinter_core.types import Failure
from tests.conformance.tiny import make_classifier, make_masked


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_masked(tmp_path_factory.mktemp("masked") / "bert", "bert")


@pytest.fixture(scope="module")
def model(folder: str) -> ModelUnderTest:
    return load_model(f"hf-masked:{folder}")


def test_the_scores_are_those_of_the_fill_mask_pipeline(folder: str, model: ModelUnderTest) -> None:
    from transformers import pipeline

    text = "the man served [MASK] good and the woman served [MASK] bad."
    words = len(AutoTokenizer.from_pretrained(folder))
    fill = pipeline("fill-mask", model=folder, top_k=words)
    (answer,) = model.predict([text])
    for mask, others in zip(answer.masks, fill(text), strict=True):
        expected = {other["token_str"]: other["score"] for other in others}
        assert mask == pytest.approx({word: expected[word] for word in mask}, abs=1e-6)
    assert answer.scores == answer.masks[0]
    assert answer.labels == (max(answer.masks[0], key=lambda word: answer.masks[0][word]),)


def test_a_model_is_asked_for_the_pronouns_that_it_knows(model: ModelUnderTest) -> None:
    assert model.capabilities.task == MASKED
    assert model.capabilities.labels == ("he", "she", "her", "his")
    assert load_model("masked").capabilities.labels[:3] == ("he", "she", "they")


def test_a_special_token_in_a_text_stays_words(folder: str, model: ModelUnderTest) -> None:
    plain, odd = model.predict(["the [SEP] man saw [MASK].", "the [ SEP] man saw [MASK]."])
    assert plain.masks == odd.masks
    assert model.visible("the [SEP] man saw [MASK].") == len("the [SEP] man saw [MASK].")


@pytest.mark.parametrize("text", ["no mask here", "good " * 100 + "[MASK]", "[MASK] " * 9])
def test_without_a_mask_that_is_read_there_is_no_answer(model: ModelUnderTest, text: str) -> None:
    (answer,) = model.predict([text])
    assert answer.failure is Failure.NO_MASK
    assert "write [MASK] where a word is missing, up to 8 times" in answer.detail


def test_what_fills_no_masks_is_refused_with_what_to_do(folder: str, tmp_path: Path) -> None:
    classifier = make_classifier(tmp_path / "classifier", ["a", "b"])
    with pytest.raises(ModelError, match="no trained head"):
        load_model(f"hf-masked:{classifier}")
    without = make_masked(tmp_path / "without", "bert")
    tokenizer = AutoTokenizer.from_pretrained(without)
    tokenizer.mask_token = None
    tokenizer.save_pretrained(without)
    with pytest.raises(ModelError, match="has no mask token, so it fills no masks; name a masked"):
        load_model(f"hf-masked:{without}")
    with pytest.raises(ModelError, match="writes themself in several tokens"):
        load_model(f"hf-masked:{folder}?words=he,themself")
    with pytest.raises(ModelError, match="Name two words or more"):
        load_model(f"hf-masked:{folder}?words=he")
