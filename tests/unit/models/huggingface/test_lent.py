"""A model that a GPU is lent to: asked once a check, with what the platform says when it refuses.

No such Space is here: the decorated function runs in this process, as it does wherever no GPU is
lent.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from hinter_core.errors import ModelError
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.huggingface import lent
from hinter_core.models.registry import build_model, parse_name
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.terms.dictionary import load_shipped
from hinter_core.types import Prediction
from tests.conformance.tiny import make_classifier

pytestmark = pytest.mark.slow

TEXT = "The British waiter served us."


@pytest.fixture(scope="module")
def name(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"hf:{make_classifier(tmp_path_factory.mktemp('lent'), ['bad', 'good'])}"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The texts of each request for the GPU."""
    requests: list[list[str]] = []
    real = lent.answers_on_gpu

    def answers(name: str, texts: list[str]) -> list[Prediction]:
        requests.append(texts)
        return real(name, texts)

    monkeypatch.setattr(lent, "answers_on_gpu", answers)
    return requests


def test_a_check_asks_for_the_gpu_once(name: str, asked: list[list[str]]) -> None:
    known = load_shipped()
    settings = Settings(limit=60, validity=0.0)
    dictionaries = [known["race"], known["gender"]]

    def counts(model: object) -> dict[str, int]:
        parses = ParseStore(load_parser())
        pipeline = Pipeline(dictionaries, parses, [PredictionStore(model)], settings)  # type: ignore[arg-type]
        result = list(pipeline.run(pipeline.plan(TEXT), chunk=8))[-1]
        assert len(result.mutants) > 16  # several chunks
        return result.counts(name)

    found = counts(lent.LentModel(name))
    assert len(asked) == 1
    assert TEXT in asked[0]
    assert found == counts(build_model(parse_name(name)))


def test_what_is_sent_can_be_pickled_and_names_a_model_only(name: str) -> None:
    assert pickle.loads(pickle.dumps(lent.answers_on_gpu)) is lent.answers_on_gpu
    model = lent.LentModel(name)
    (answer,) = model.predict([TEXT])
    assert pickle.loads(pickle.dumps(answer)) == answer
    assert model.capabilities.costs
    # In a fork from before the model was loaded.
    lent._models.clear()
    assert lent.answers_on_gpu(name, [TEXT]) == [answer]


def test_a_refusal_says_what_is_left_and_asks_no_more(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, requests = PredictionStore(lent.LentModel(name)), []

    class Refused(Exception):
        message = "You have exceeded your quota (60s requested vs. 12s left). <a href='x'>Pay</a>"

    def refuse(name: str, texts: list[str]) -> list[Prediction]:
        requests.append(name)
        raise Refused

    monkeypatch.setattr(lent, "answers_on_gpu", refuse)
    with pytest.raises(ModelError, match=r"60s requested vs. 12s left\). Pay\); try again") as told:
        store.predict([TEXT, "Another text.", "A third."])
    assert "<" not in str(told.value)
    assert len(requests) == 1


def test_longer_work_asks_for_longer() -> None:
    few, many = (lent.seconds_for("m", ["x"] * n) for n in (10, 1_000))
    assert few < many < lent.seconds_for("m", ["x"] * 10**6) <= 60


@pytest.mark.parametrize("setting", ["", "false", "true"])
def test_it_has_no_effect_elsewhere(setting: str) -> None:
    """Without the platform's package, or its setting, nothing is imported and CUDA may be used."""
    if setting == "true":
        try:
            import spaces  # noqa: F401
        except ImportError:
            pass
        else:
            pytest.skip("the platform's package is here, which needs its device")
    code = (
        "import sys; from hinter_core.models.huggingface import lent;"
        "assert not lent.is_lent() and lent.may_use_cuda();"
        "assert not {'spaces', 'torch', 'gradio'} & set(sys.modules)"
    )
    environment = {lent.SETTING: setting, "PYTHONPATH": str(Path(__file__).resolve().parents[4])}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
