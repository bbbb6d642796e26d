"""One suite that every back-end of models under test passes.

A new back-end adds a line to ``MODELS`` (and, if it needs files, to ``name_of``).
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from hinter_core.models.base import COREFERENCE, MASKED, ModelUnderTest
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.types import MASKED_PLACE, Failure, Prediction
from tests.examples import some

from .tiny import HEADS, make_classifier, make_head, make_hierarchical, make_masked

LABELS = {
    "single": ["negative", "positive"],
    "multi-class": [f"class {i}" for i in range(5)],
    "multi-label": [*(f"article {i}" for i in range(10)), "no article"],
    "hundred": [f"topic {i}" for i in range(100)],
    "nli": ["contradiction", "entailment", "neutral"],
    **{head: ["negative", "neutral", "positive"] for head in HEADS},
    "hierarchical-bert": [f"article {i}" for i in range(10)],
    "hierarchical-roberta": [f"article {i}" for i in range(10)],
}
MULTI = ("multi-label", "hundred")
RULES = "negative 0.7 if race=white and gender=female; neutral if gender; positive 0.8 otherwise"
MODELS = [
    "vader", "textblob", "embedded", f"scripted:{RULES}",
    "hf:single", "hf:multi-class", "hf:multi-label", "hf:hundred",
    "hf:roberta", "hf:gpt2", "hf:llama", "hf:bart", "hf:t5",
    "hf:hierarchical-bert", "hf:hierarchical-roberta",
    "hf:single?labels=bad,good", "hf:multi-label?threshold=0.7", "hf:multi-class?multi=1",
    "hf:multi-class?pool=mean", "hf:multi-label?pool=max", "hf:gpt2?pool=max", "hf:t5?pool=mean",
    "hf:single?dtype=bfloat16", "hf:llama?dtype=bfloat16", "hf:hierarchical-bert?dtype=bfloat16",
    "hf-zero-shot:nli?labels=good,bad,dull", "hf-zero-shot:nli?labels=good,bad&multi=1",
    "hf-zero-shot:nli?labels=good,bad&dtype=bfloat16",
    "masked", "hf-masked:masked-bert", "hf-masked:masked-roberta?words=a,b",
    'scripted-masked:her 0.8 if "woman"; his otherwise',
    "resolver:rules", 'scripted-resolver:apart if "rude"; together otherwise',
]  # fmt: skip


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("checkpoints")


def name_of(name: str, folder: Path) -> str:
    """The model's name, with the checkpoint it asks for made first."""
    if not name.startswith("hf"):
        return name
    kind, _, rest = name.partition(":")
    flavour, _, query = rest.partition("?")
    path = folder / flavour
    if not path.exists():
        if flavour in HEADS:
            make_head(path, flavour, LABELS[flavour])
        elif flavour.startswith("masked"):
            make_masked(path, flavour.partition("-")[2])
        elif flavour.startswith("hierarchical"):
            make_hierarchical(path, flavour.partition("-")[2], LABELS[flavour])
        else:
            make_classifier(path, LABELS[flavour], multi_label=flavour in MULTI)
    return f"{kind}:{path}" + (f"?{query}" if query else "")


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, checkpoints: Path) -> ModelUnderTest:
    return load_model(name_of(request.param, checkpoints))


def random_texts(number: int, seed: int = 7) -> list[str]:
    """Sentences of our own making, from 1 to 60 words."""
    words = "the man woman black white old good bad dull was very kind and not food late".split()
    rng = random.Random(seed)
    return [
        " ".join(rng.choice(words) for _ in range(rng.randint(1, 60))).capitalize() + "."
        for _ in range(number)
    ]


TEXTS = [
    "The food was good.",
    "The waiter was rude and the soup was cold.",
    "The table has four legs.",
    "A white woman smiled.",
    *random_texts(25),
]
ODD = [
    "\U0001f600\U0001f937\U0001f3fd\u200d\u2640\ufe0f",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "wo\u200bman \u202eevil\u202c",
    "e\u0301" * 20,
    "\u4f60\u597d\u3002",
    "\t\n x \n",
    "!",
    "<script>alert(1)</script>",
    "a" * 5_000,
    "the good man " * 2_000,
]


def test_name_identity_and_capabilities_are_declared(model: ModelUnderTest) -> None:
    assert model.name
    assert model.identity
    labels = model.capabilities.labels
    if model.capabilities.task != COREFERENCE:  # its labels are words of the text
        assert len(labels) == len(set(labels)) >= 2
    assert model.capabilities.window is None or model.capabilities.window > 0


def asked(model: ModelUnderTest, text: str) -> str:
    """A text that asks the model something: a masked one has a mask, early enough to be read."""
    return f"{MASKED_PLACE} {text}" if model.capabilities.task == MASKED else text


def texts_for(model: ModelUnderTest, texts: list[str] | None = None) -> list[str]:
    return [asked(model, text) for text in (TEXTS if texts is None else texts)]


def answers_agree(model: ModelUnderTest, first: Prediction, second: Prediction) -> None:
    """Labels are equal in every number format; scores are as exact as the format is."""
    assert first.labels == second.labels
    exact = 0.1 if model.capabilities.dtype == "bfloat16" else 1e-5
    assert first.scores == pytest.approx(second.scores, abs=exact)


def test_the_same_text_gets_the_same_answer(model: ModelUnderTest) -> None:
    texts = texts_for(model)
    for first, second in zip(model.predict(texts), model.predict(texts), strict=True):
        assert first == second


def test_order_is_kept_and_a_batch_answers_as_single_texts_do(model: ModelUnderTest) -> None:
    shuffled = random.Random(3).sample(texts_for(model), len(TEXTS))
    batched = dict(zip(shuffled, model.predict(shuffled), strict=True))
    for text in shuffled:
        answers_agree(model, batched[text], model.predict([text])[0])


def test_the_answers_are_not_all_alike(model: ModelUnderTest) -> None:
    """Guards this suite: a model that ignores its input would pass the tests above."""
    answers = model.predict(texts_for(model))
    assert len({(p.labels, tuple(p.scores.values()), p.clusters) for p in answers}) > 1


def check_answer(model: ModelUnderTest, text: str, answer: Prediction) -> None:
    labels, task = model.capabilities.labels, model.capabilities.task
    assert answer.answered
    if task == COREFERENCE:
        assert not answer.scores
        for cluster in answer.clusters:
            assert list(cluster) == sorted(set(cluster))
            assert all(0 <= start < end <= len(text) for start, end in cluster)
        return
    assert set(answer.labels) <= set(labels)
    assert set(answer.scores) <= set(labels)
    assert all(0 <= score <= 1 for score in answer.scores.values())
    if model.capabilities.multi_label:
        above = {x for x, s in answer.scores.items() if s >= model.capabilities.threshold}
        assert set(answer.labels) == above
        return
    assert len(answer.labels) == 1
    if task == MASKED:  # other words may stand there, too
        assert 0 < sum(answer.scores.values()) <= 1 + 1e-4
        assert answer.scores == answer.masks[0]
        assert len(answer.masks) == text.count(MASKED_PLACE)
    else:
        assert sum(answer.scores.values()) == pytest.approx(1, abs=1e-4)
    if set(answer.scores) == set(labels):
        assert answer.scores[answer.labels[0]] == max(answer.scores.values())


def test_labels_are_declared_ones_and_scores_are_probabilities(model: ModelUnderTest) -> None:
    texts = texts_for(model)
    for text, answer in zip(texts, model.predict(texts), strict=True):
        check_answer(model, text, answer)


def test_no_text_no_answer(model: ModelUnderTest) -> None:
    assert model.predict([]) == []


def test_long_and_odd_texts_are_answered(model: ModelUnderTest) -> None:
    texts = texts_for(model, ODD)
    answers = model.predict(texts)
    assert len(answers) == len(texts)
    for text, answer in zip(texts, answers, strict=True):
        check_answer(model, text, answer)


def test_visible_is_within_the_text_and_grows_with_it(model: ModelUnderTest) -> None:
    for text in [*TEXTS, *ODD]:
        assert 0 <= model.visible(text) <= len(text)
    long = "the good man was kind to a woman " * 400
    seen = [model.visible(long[:n]) for n in (1, 8, 30, 100, 600, 4_000, len(long))]
    assert seen == sorted(seen)
    assert (seen[-1] < len(long)) is (model.capabilities.window is not None)


def test_what_lies_past_the_visible_part_decides_nothing(model: ModelUnderTest) -> None:
    times = 400 if model.capabilities.window else 9
    long = asked(model, "the good man was kind to a woman " * times)
    seen = model.visible(long)
    changed = long[:seen] + " bad" * 50
    if seen < len(long):
        answers_agree(model, *model.predict([long, changed]))
    assert model.visible(long[:seen]) == seen


def test_identity_is_stable(model: ModelUnderTest) -> None:
    load_model.cache_clear()
    assert load_model(model.name).identity == model.identity


def test_a_store_asks_the_model_each_text_once(model: ModelUnderTest) -> None:
    store, texts = PredictionStore(model), texts_for(model)
    found = store.predict([*texts, *texts])
    assert store.predicted == len(set(texts))
    assert set(found) == set(texts)
    assert not any(p.failure is Failure.ERROR for p in found.values())


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("hf:single", 1_000),
        ("hf:multi-label", 500),
        ("hf:hundred", 500),
        ("hf:gpt2", 300),
        ("hf:llama?dtype=bfloat16", 300),
    ],
)
def test_batched_answers_equal_single_ones(name: str, number: int, checkpoints: Path) -> None:
    texts = random_texts(some(number), seed=11)
    hf = load_model(name_of(name, checkpoints))
    batched = hf.predict(texts)
    singles = [hf.predict([text])[0] for text in texts]
    assert [p.labels for p in batched] == [p.labels for p in singles]
    assert len({p.labels for p in batched}) > 1


@pytest.mark.parametrize("name", ["hf:single?", "hf:multi-class?multi=1&", "hf:llama?"])
def test_bfloat16_names_the_labels_of_float32(name: str, checkpoints: Path) -> None:
    texts = random_texts(some(2_000), seed=13)
    whole = load_model(name_of(name, checkpoints))
    short = load_model(name_of(f"{name}dtype=bfloat16", checkpoints))
    assert short.capabilities.dtype == "bfloat16"
    assert short.identity != whole.identity
    first, second = whole.predict(texts), short.predict(texts)
    assert [p.labels for p in first] == [p.labels for p in second]
    # Were all of them asked again in float32, this would say nothing.
    assert sum(a.scores != b.scores for a, b in zip(first, second, strict=True)) > some(400)
