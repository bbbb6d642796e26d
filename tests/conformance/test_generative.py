"""Generative models, on this machine and behind a real server, pass what every back-end passes.

What differs from ``test_models.py``: a reply may name no label, which is a named failure, and
nothing is retrained or constructed so that it cannot happen.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.base import Generative, ModelUnderTest
from hinter_core.models.cache import PredictionCache
from hinter_core.models.registry import build_model, parse_name
from hinter_core.models.store import PredictionStore
from hinter_core.types import Failure, Prediction

from .speaking import ASK, make_speaker, served
from .test_models import ODD, random_texts
from .tiny import make_chat_model

MODELS = [
    f"hf-chat:MODEL?{ASK}",
    f"hf-chat:MODEL?{ASK}&multi=1",
    f"hf-chat:MODEL?{ASK}&mode=score",
    "hf-chat:MODEL?judge=vader&max_tokens=16",
    "hf-chat:MODEL?judge=embedded&max_tokens=16",
    f"openai:MODEL?base_url=SERVER&{ASK}",
    f"openai:MODEL?base_url=SERVER&{ASK}&multi=1",
    "openai:MODEL?base_url=SERVER&judge=vader&max_tokens=16",
]
TEXTS = [
    "The food was good.",
    "The waiter was kind and the soup was cold.",
    "A black dog barked.",
    "A white dog barked.",
    *random_texts(6),
]


@pytest.fixture(scope="session")
def speaker(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_speaker(tmp_path_factory.mktemp("speaker"))


@pytest.fixture(scope="session")
def server(speaker: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(speaker, tmp_path_factory.mktemp("server") / "home") as base_url:
        yield base_url


@pytest.fixture(scope="module", params=MODELS)
def name(request: pytest.FixtureRequest, speaker: str) -> str:
    model = request.param.replace("MODEL", speaker)
    if "SERVER" in model:
        model = model.replace("SERVER", request.getfixturevalue("server"))
    return str(model)


@pytest.fixture(scope="module")
def model(name: str) -> ModelUnderTest:
    return build_model(parse_name(name, trusted=True))


def is_usable(model: ModelUnderTest, answer: Prediction) -> bool:
    """Checks an answer; whether it is one that an oracle can compare."""
    labels = model.capabilities.labels
    if answer.failure:
        assert answer.failure is Failure.UNPARSABLE
        assert answer.detail
        return False
    assert set(answer.labels) <= set(labels)
    assert set(answer.scores) <= set(labels)
    assert all(0 <= score <= 1 for score in answer.scores.values())
    if answer.scores:
        assert sum(answer.scores.values()) == pytest.approx(1, abs=1e-4)
    if not model.capabilities.multi_label:
        assert len(answer.labels) == 1
    return True


def test_the_same_text_gets_the_same_answer_and_order_is_kept(model: ModelUnderTest) -> None:
    shuffled = random.Random(3).sample(TEXTS, len(TEXTS))
    first = dict(zip(shuffled, model.predict(shuffled), strict=True))
    assert dict(zip(TEXTS, model.predict(TEXTS), strict=True)) == first
    alone = model.predict(TEXTS[:1])[0]
    assert alone.labels == first[TEXTS[0]].labels
    assert alone.scores == pytest.approx(first[TEXTS[0]].scores, abs=1e-5)
    assert len({(p.labels, p.reply) for p in first.values()}) > 1 or "judge" in model.name
    assert any(is_usable(model, answer) for answer in first.values())


def test_a_rule_that_was_learnt_is_followed(model: ModelUnderTest) -> None:
    if "judge" in model.name:
        pytest.skip("it was taught no free answers")
    for text, answer in zip(TEXTS, model.predict(TEXTS), strict=True):
        assert answer.labels == (("yes",) if "k" in text.lower() else ("no",))


def test_no_text_no_answer(model: ModelUnderTest) -> None:
    assert model.predict([]) == []


def test_long_and_odd_texts_are_answered_or_fail_by_name(model: ModelUnderTest) -> None:
    texts = [text[:3000] for text in ODD]
    answers = model.predict(texts)
    assert len(answers) == len(texts)
    usable = [is_usable(model, answer) for answer in answers]
    assert "mode=score" not in model.name or all(usable)


def test_what_lies_past_the_visible_part_decides_nothing(model: ModelUnderTest) -> None:
    long = "the good man was seen by a woman " * 100
    seen = model.visible(long)
    assert (seen < len(long)) is (model.capabilities.window is not None)
    assert model.visible(long[:seen]) == seen
    assert [model.visible(long[:n]) for n in (0, 1, 30)] == [0, 1, 30]
    if seen < len(long):
        first, second = model.predict([long, long[:seen] + "k" * 50])
        assert first == second


@pytest.mark.parametrize("mode", ["generate", "score"])
def test_conversation_and_answer_fit_the_window_and_fill_it(speaker: str, mode: str) -> None:
    model = build_model(parse_name(f"hf-chat:{speaker}?{ASK}&mode={mode}"))
    asked, window = model._conversation, model.capabilities.window  # type: ignore[attr-defined]
    room = 8 if mode == "generate" else len("yes")
    assert window == 2048
    for text in ("the good man " * 1000, "\u4f60\u597d" * 3000):
        taken = asked.encode(asked.cut(text)).shape[1] + room
        assert window - 6 < taken <= window


def test_identity_is_stable_and_names_what_decides_a_reply(model: ModelUnderTest) -> None:
    again = build_model(parse_name(model.name, trusted=True))
    assert again.identity == model.identity
    other = build_model(parse_name(f"{model.name}&question=Well?", trusted=True))
    assert other.identity != model.identity


def test_a_store_asks_each_text_once_and_a_second_run_nothing(
    model: ModelUnderTest, tmp_path: Path
) -> None:
    store = PredictionStore(model, cache=PredictionCache(tmp_path / "cache.sqlite"))
    found = store.predict([*TEXTS, *TEXTS])
    assert store.predicted == len(set(TEXTS))
    again = PredictionStore(model, cache=PredictionCache(tmp_path / "cache.sqlite"))
    assert again.predict(TEXTS) == found
    assert again.predicted == 0


def test_usage_is_what_was_generated(model: ModelUnderTest) -> None:
    if not isinstance(model, Generative):
        pytest.skip("it generates nothing")
    before = model.usage.spent
    costs = [cost for _, _, cost in model.reply(TEXTS)]
    used = model.usage.spent - before
    assert used.requests == len(costs) == len(TEXTS)
    assert used.prompt_tokens == sum(cost.prompt_tokens for cost in costs)
    # A byte is a token for this model, and all of them get the whole text.
    assert used.prompt_tokens > sum(map(len, TEXTS))
    assert 0 < used.completion_tokens <= 16 * len(TEXTS)


def test_a_served_model_says_what_it_says_at_home(speaker: str, server: str) -> None:
    texts = [*TEXTS, *random_texts(10, seed=5)]
    home = build_model(parse_name(f"hf-chat:{speaker}?{ASK}"))
    away = build_model(parse_name(f"openai:{speaker}?base_url={server}&{ASK}", trusted=True))
    assert [p.reply for p in away.predict(texts)] == [p.reply for p in home.predict(texts)]


def test_a_served_model_of_another_name_fails_by_name(server: str) -> None:
    model = build_model(parse_name(f"openai:other?base_url={server}", trusted=True))
    answer = model.predict(["a"])[0]
    assert answer.failure is Failure.ERROR
    assert "pinned" in answer.detail


def test_labels_scored_together_score_as_each_does_alone(speaker: str) -> None:
    """The shared memory of the conversation changes nothing."""
    import torch

    name = f"hf-chat:{speaker}?labels=no,yes,not at all,k&mode=score"
    scorer = build_model(parse_name(name))
    asked, labels = scorer._conversation, scorer._labels  # type: ignore[attr-defined]
    for text in TEXTS:
        ids, means = asked.encode(text)[0], []
        for label in labels:
            whole = torch.cat([ids, torch.tensor(label)])[None]
            with torch.inference_mode():
                told = asked.checkpoint.model(whole).logits[0].log_softmax(-1)
            parts = [told[len(ids) - 1 + i, token] for i, token in enumerate(label)]
            means.append(torch.stack(parts).mean())
        expected = torch.stack(means).softmax(0).tolist()
        scores = scorer.predict([text])[0].scores
        assert list(scores.values()) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("mode", ["score", "generate"])
def test_what_all_conversations_begin_with_is_computed_once(
    speaker: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = build_model(parse_name(f"hf-chat:{speaker}?labels=no,yes&mode={mode}"))
    conversation = model._conversation  # type: ignore[attr-defined]
    asked = [conversation.encode(text).shape[1] for text in TEXTS]
    network, computed = conversation.checkpoint.model, list[int]()

    def count(_: object, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        ids = named["input_ids"] if "input_ids" in named else given[0]
        if ids.shape[0] == 1 and ids.shape[1] > 1:  # neither of labels nor of a reply
            computed.append(ids.shape[1])

    watching = network.register_forward_pre_hook(count, with_kwargs=True)
    first = model.predict(TEXTS)
    begin, *each = computed
    assert [begin + own for own in each] == asked
    assert begin > min(each)
    computed.clear()
    monkeypatch.setattr(type(conversation), "continued", lambda *_: (0, None))
    again = model.predict(TEXTS)
    assert computed == asked
    watching.remove()
    assert [one.labels for one in again] == [one.labels for one in first]
    assert [one.reply for one in again] == [one.reply for one in first]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("judge=vader&mode=score", "leave out mode=score"),
        ("judge=vader&labels=a,b", "labels of its own"),
        ("judge=nobody", "Unknown model 'nobody'"),
        ("prompt=respond", "judge=vader"),
        ("labels=a,b&multi=1&mode=score", "use mode=generate"),
        ("prompt=eurlex", "leave none for a text"),
        ("max_tokens=4000", "smaller max_tokens"),
    ],
)
def test_what_cannot_be_asked_is_refused(speaker: str, query: str, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        build_model(parse_name(f"hf-chat:{speaker}?{query}"))


def change_template(folder: Path, template: str) -> None:
    (folder / "chat_template.jinja").write_text(template)


def test_a_template_without_system_messages_gets_the_task_with_the_first_turn(
    tmp_path: Path,
) -> None:
    from .tiny import CHAT_TEMPLATE

    folder = Path(make_chat_model(tmp_path / "chat"))
    refuse = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    change_template(folder, refuse + CHAT_TEMPLATE)
    model = build_model(parse_name(f"hf-chat:{folder}?{ASK}"))
    ids = model._conversation.encode("A text.")[0]  # type: ignore[attr-defined]
    said = model._conversation.checkpoint.tokenizer.decode(ids)  # type: ignore[attr-defined]
    assert said.count("<|user|>") == 1
    assert "<|system|>" not in said
    assert said.index("You read texts") < said.index("A text.") < said.index("no or yes?")
    assert not any(p.failure is Failure.ERROR for p in model.predict(TEXTS[:2]))


def test_a_template_that_takes_nothing_is_a_clear_error(tmp_path: Path) -> None:
    folder = Path(make_chat_model(tmp_path / "chat"))
    change_template(folder, "{{ raise_exception('never') }}")
    with pytest.raises(ModelError, match=r"cannot take prompt 'own-labels'.*never"):
        build_model(parse_name(f"hf-chat:{folder}?{ASK}"))
