"""The embedded network of the person sense, computed without torch."""

from __future__ import annotations

import json

import numpy
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import ModernBertConfig, ModernBertModel

from hinter_core.language.word_sense import (
    FOLDER,
    SHAPES,
    TOKENIZER,
    WINDOW,
    load_word_sense,
    pieces_at,
    shape,
)
from hinter_core.storage import ASSETS

PERSON = ("The Danish nurse who lives upstairs sold her piano.", (4, 10))
THING = ("Most of the jokes in this comedy are so British that they fall flat.", (39, 46))


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(TOKENIZER))


def test_states_are_those_of_the_transformer(tokenizer: Tokenizer) -> None:
    config = ModernBertConfig.from_pretrained(ASSETS / "models" / "masked-lm")
    config.hidden_activation = "gelu_pytorch_tanh"
    config._attn_implementation = "eager"
    encoder = ModernBertModel(config).eval()
    weights = load_file(FOLDER / "model.safetensors")
    encoder.load_state_dict(
        {n.removeprefix("encoder."): w.float() for n, w in weights.items() if "encoder." in n}
    )
    ids = tokenizer.encode(THING[0]).ids
    with torch.inference_mode():
        expected = encoder(input_ids=torch.tensor([ids])).last_hidden_state[0].numpy()
    found = load_word_sense()._states(ids)[:, : config.hidden_size]
    numpy.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_person_is_more_probable_than_a_joke() -> None:
    found = load_word_sense().probabilities([PERSON, THING, PERSON])
    assert set(found) == {PERSON, THING}
    assert 0 <= found[THING] < found[PERSON] <= 1
    assert load_word_sense().probabilities([THING]) == {THING: found[THING]}


def test_words_of_one_sentence_are_answered_as_alone() -> None:
    text = "A Danish nurse met an English sailor in an English garden."
    spans = [(2, 8), (22, 29), (43, 50)]
    together = load_word_sense().probabilities([(text, span) for span in spans])
    again = type(load_word_sense())()
    for span in spans:
        assert again.probabilities([(text, span)])[text, span] == pytest.approx(
            together[text, span], abs=1e-5
        )


def test_a_long_sentence_is_read_around_the_word(tokenizer: Tokenizer) -> None:
    text = "word " * 500 + "the old nurse " + "word " * 500
    start = text.index("nurse")
    ((ids, own),) = pieces_at(tokenizer, text, [(start, start + 5)])
    assert len(ids) == WINDOW
    assert [tokenizer.id_to_token(ids[n]) for n in own] == ["nurse"]
    assert pieces_at(tokenizer, "A nurse.", [(2, 7)])[0][1] == [2]  # after the first mark


def test_letters_around_a_word() -> None:
    found = shape('He saw "The Turk" twice.', (12, 16))
    assert len(found) == SHAPES
    assert found[:7] == (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    assert shape("TURK wins", (0, 4))[:3] == (1.0, 1.0, 1.0)


def test_the_folder_says_how_it_is_read() -> None:
    settings = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))
    assert {"layers", "heads", "rope_base", "epsilon", "settings"} <= set(settings)
