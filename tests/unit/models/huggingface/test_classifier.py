"""What a classifier can be told: names of labels, several labels, a threshold, a number format."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.base import distance_to_threshold
from hinter_core.models.huggingface.classifier import NEAR_TIE_BFLOAT16
from hinter_core.models.registry import build_model, parse_name
from tests.conformance.tiny import make_classifier

WORDS = "the a british waiter waitress served us good bad is man woman black white".split()
RNG = random.Random(4)
TEXTS = [" ".join(RNG.choices(WORDS, k=RNG.randint(1, 20))) for _ in range(30)]


def load(path: str, query: str = "") -> Any:
    return build_model(parse_name(f"hf:{path}{query}"))


def refusal(path: str, query: str = "") -> str:
    with pytest.raises(ModelError) as caught:
        load(path, query)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_classifier(tmp_path_factory.mktemp("three"), ["LABEL_0", "LABEL_1", "LABEL_2"])


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> str:
    labels = [*(f"Article {i}" for i in range(10)), "none"]
    return make_classifier(tmp_path_factory.mktemp("articles"), labels, multi_label=True)


def test_labels_can_be_given_names_in_the_models_order(three: str) -> None:
    plain, named = load(three), load(three, "?labels=bad,so so,good")
    names = {"LABEL_0": "bad", "LABEL_1": "so so", "LABEL_2": "good"}
    assert named.capabilities.labels == tuple(names.values())
    for first, second in zip(plain.predict(TEXTS), named.predict(TEXTS), strict=True):
        assert {names[k]: v for k, v in first.scores.items()} == second.scores
        assert tuple(names[x] for x in first.labels) == second.labels
    assert plain.identity != named.identity != load(three, "?labels=good,so so,bad").identity


def test_labels_without_names_are_used_and_it_is_said_how_to_name_them(three: str) -> None:
    plain, named = load(three), load(three, "?labels=bad,so so,good")
    assert "name LABEL_0 to LABEL_2 in this order: labels=NAME,NAME" in plain.capabilities.note
    assert named.capabilities.note == ""


def test_as_many_names_as_labels_are_asked_for(three: str) -> None:
    assert "has 3 labels and labels= names 2" in refusal(three, "?labels=a,b")
    assert "LABEL_0, LABEL_1, LABEL_2" in refusal(three, "?labels=a,b")
    assert "has 3 labels and labels= names 2" in refusal(three, "?labels=a,b,a")


def test_labels_of_one_name_must_be_told_apart(tmp_path: Path) -> None:
    path = make_classifier(tmp_path / "twice", ["good", "good"])
    config = json.loads((tmp_path / "twice" / "config.json").read_text())
    assert list(config["id2label"].values()) == ["good", "good"]
    assert "name its 2 labels in their order" in refusal(path)
    assert load(path, "?labels=good,bad").capabilities.labels == ("good", "bad")


def test_the_threshold_decides_which_labels_are_named(articles: str) -> None:
    low, middle, high = (load(articles, f"?threshold={t}") for t in (0.2, 0.5, 0.999))
    assert len({low.identity, middle.identity, high.identity}) == 3
    assert middle.identity == load(articles).identity
    assert low.capabilities.threshold == 0.2
    assert low.capabilities.multi_label
    for few, some, more in zip(*(m.predict(TEXTS) for m in (high, middle, low)), strict=True):
        assert set(few.labels) <= set(some.labels) < set(more.labels)
        assert few.scores == some.scores == more.scores
        assert more.labels == tuple(x for x in more.scores if more.scores[x] >= 0.2)


def test_no_label_is_an_answer_of_a_multi_label_model(articles: str) -> None:
    answers = load(articles, "?threshold=1").predict(TEXTS)
    assert all(a.answered and a.labels == () for a in answers)


def test_one_label_is_enough_where_it_may_hold_or_not(tmp_path: Path) -> None:
    model = load(make_classifier(tmp_path / "one", ["toxic"], multi_label=True))
    assert {a.labels for a in model.predict(TEXTS)} <= {(), ("toxic",)}


def test_a_threshold_means_nothing_where_one_label_holds(three: str) -> None:
    assert "say multi=1" in refusal(three, "?threshold=0.7")
    several = load(three, "?threshold=0.7&multi=1")
    assert several.capabilities.multi_label
    assert several.identity != load(three).identity
    for answer in several.predict(TEXTS):
        assert set(answer.labels) == {x for x, s in answer.scores.items() if s >= 0.7}


def test_in_bfloat16_near_ties_alone_are_asked_in_float32(articles: str, three: str) -> None:
    import torch

    model = load(three, "?dtype=bfloat16")
    assert {p.dtype for p in model.checkpoint.model.parameters()} == {torch.bfloat16}
    assert model.capabilities.dtype == "bfloat16"
    assert "bfloat16" in model.identity
    plain = load(three)
    far = [
        t
        for t, a in zip(TEXTS, plain.predict(TEXTS), strict=True)
        if distance_to_threshold(a, plain.capabilities) > 0.2
    ]
    assert 1 < len(far) < len(TEXTS)
    own = model.predict(far)
    # The second copy of the weights is not loaded before it is needed.
    assert "exact" not in vars(model.checkpoint)
    assert [a.scores for a in own] != [a.scores for a in plain.predict(far)]
    answers = model.predict(TEXTS)
    assert {p.dtype for p in model.checkpoint.exact.parameters()} == {torch.float32}
    close = 0
    for mine, exact in zip(answers, plain.predict(TEXTS), strict=True):
        if distance_to_threshold(exact, plain.capabilities) < NEAR_TIE_BFLOAT16 / 2:
            close += 1
            assert mine.scores == pytest.approx(exact.scores, abs=1e-5)
    assert close


def test_where_the_second_copy_cannot_be_loaded_near_ties_fail_with_a_reason(
    tmp_path: Path,
) -> None:
    path = make_classifier(tmp_path / "three", ["a", "b", "c"])
    model, plain = load(path, "?dtype=bfloat16"), load(path)
    (tmp_path / "three" / "model.safetensors").unlink()
    answers = model.predict(TEXTS)
    failed = [a for a in answers if not a.answered]
    assert failed
    assert all("holds no weights" in a.detail for a in failed)
    for mine, exact in zip(answers, plain.predict(TEXTS), strict=True):
        assert mine.labels == (exact.labels if mine.answered else ())


def test_a_label_that_hangs_on_the_last_digits_is_the_same_in_any_batch(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    path = make_classifier(tmp_path / "tied", ["a", "b"])
    file = tmp_path / "tied" / "model.safetensors"
    weights = load_file(file)
    torch.manual_seed(3)
    row = weights["classifier.weight"][0]
    weights["classifier.weight"][1] = row + 2e-7 * torch.randn_like(row)
    save_file(weights, file, metadata={"format": "pt"})
    model = load(path)
    texts = [" ".join(RNG.choices(WORDS, k=RNG.randint(1, 50))) for _ in range(200)]
    alone = [model.predict([text])[0].labels for text in texts]
    assert len(set(alone)) == 2
    assert [p.labels for p in model.predict(texts)] == alone
    assert [p.labels for p in model.predict(texts[::-1])] == alone[::-1]


def test_threads_may_share_a_model(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    model = load(make_classifier(tmp_path / "short", ["a", "b"], window=16), "?pool=mean")
    texts = [" ".join(RNG.choices(WORDS, k=k)) for k in range(1, 200, 5)]
    expected = {text: model.predict([text])[0] for text in texts}

    def ask(text: str) -> bool:
        return model.predict([text])[0] == expected[text]

    # Tokenizers keep how they are to cut a text, so two threads at once would cut for each other.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            assert all(threads.map(ask, texts * 4))
    finally:
        sys.setswitchinterval(interval)
