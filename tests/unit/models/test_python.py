"""A user's own function as a model: what it may give, and how it fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.python import PythonModel
from hinter_core.models.registry import build_model, parse_name
from hinter_core.models.store import PredictionStore
from hinter_core.types import Failure

SOURCE = """
import functools
import sys

def label(texts):
    return ["good" if "kind" in text else "bad" for text in texts]

def stream(texts):
    yield from label(texts)

def several(texts):
    return [[word for word in ("kind", "rude") if word in text] for text in texts]

def scored(texts):
    kind, rude = {"good": 0.7, "bad": 0.3}, {"good": 0.25, "bad": 0.75}
    return [kind if "kind" in text else rude for text in texts]

def toxic(texts):
    return [{"toxicity": 0.7, "insult": 0.6} for _ in texts]

def toxic_later(texts):
    least = {"toxicity": 0.03, "insult": 0.01}
    return [least if "gnu" in text else {"toxicity": 0.95, "insult": 0.05} for text in texts]

def own(texts):
    return label(texts)

own.labels = ["bad", "good", "ugly"]

def few(texts):
    return label(texts)[:-1]

def one(texts):
    return "good"

def few_later(texts):
    return label(texts) if "person" in texts[0] else ["good"]

def number(texts):
    return [1 for _ in texts]

def decimal(texts):
    return [0.3 for _ in texts]

def nothing(texts):
    return None

def percent(texts):
    return [{"good": 70, "bad": 30} for _ in texts]

def nan(texts):
    return [{"good": float("nan")} for _ in texts]

def numbers_in_list(texts):
    return [[1, 2] for _ in texts]

def surprise(texts):
    return ["odd" if "zebra" in text else "good" for text in texts]

def fails(texts):
    raise RuntimeError("no weights here")

def leaves(texts):
    sys.exit("gone")

def fails_later(texts):
    if any("gnu" in text for text in texts):
        sys.exit("gone")
    if any("zebra" in text for text in texts):
        raise RuntimeError("zebras are too hard")
    return label(texts)

class Callable:
    def __call__(self, texts):
        return label(texts)

instance = Callable()
partial = functools.partial(label)
constant = 5
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module in the folder that the command is run in; a fresh name for each test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    name = f"own_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(SOURCE)
    yield name
    sys.modules.pop(name, None)


def load(name: str) -> PythonModel:
    model = build_model(parse_name(f"python:{name}", trusted=True))
    assert isinstance(model, PythonModel)
    return model


KIND, RUDE = "A kind man.", "A rude man."


@pytest.mark.parametrize("function", ["label", "stream", "instance", "partial"])
def test_a_label_for_each_text(module: str, function: str) -> None:
    model = load(f"{module}:{function}?labels=bad,good")
    assert [p.labels for p in model.predict([KIND, RUDE])] == [("good",), ("bad",)]
    assert model.capabilities.labels == ("bad", "good")
    assert not model.capabilities.scores
    assert model.predict([]) == []
    assert model.visible(KIND) == len(KIND)


def test_a_list_of_labels_or_none(module: str) -> None:
    model = load(f"{module}:several?labels=kind,rude&multi=1")
    found = model.predict([KIND, RUDE, "kind and rude", "A man."])
    assert [p.labels for p in found] == [("kind",), ("rude",), ("kind", "rude"), ()]
    assert all(p.answered for p in found)
    assert model.capabilities.multi_label


def test_scores_of_labels(module: str) -> None:
    model = load(f"{module}:scored?labels=bad,good,ugly")
    kind, rude = model.predict([KIND, RUDE])
    assert (kind.labels, dict(kind.scores)) == (("good",), {"bad": 0.3, "good": 0.7, "ugly": 0.0})
    assert rude.labels == ("bad",)
    assert model.capabilities.scores
    several = load(f"{module}:scored?labels=bad,good&multi=1")
    assert [p.labels for p in several.predict([KIND, RUDE])] == [("good",), ("bad",)]


def test_scores_that_are_no_distribution_want_several_labels(module: str) -> None:
    for end in ("", "?labels=toxicity,insult"):
        with pytest.raises(ModelError, match=r"add up to 1\.3, not 1; .*multi=1 .*multi=True"):
            load(f"{module}:toxic{end}")
    assert load(f"{module}:toxic?labels=toxicity,insult&multi=1").predict([KIND])[0].labels == (
        "toxicity", "insult",
    )  # fmt: skip
    late = PredictionStore(load(f"{module}:toxic_later"))
    found = late.predict([KIND, "A rude gnu."])
    assert found[KIND].labels == ("toxicity",)
    assert "add up to 0.04" in found["A rude gnu."].detail


def test_a_threshold_of_several_labels(module: str) -> None:
    name = f"{module}:toxic?labels=toxicity,insult&multi=1"
    high, low = load(f"{name}&threshold=0.65"), load(name)
    assert [one.predict([KIND])[0].labels for one in (high, low)] == [
        ("toxicity",), ("toxicity", "insult")
    ]  # fmt: skip
    assert high.capabilities.threshold == 0.65
    assert high.identity != low.identity == load(f"{name}&threshold=0.5").identity
    with pytest.raises(ModelError, match="names exactly one label, so there is no threshold"):
        load(f"{module}:scored?threshold=0.3")
    with pytest.raises(ModelError, match="returns labels, no scores, so there is no threshold"):
        load(f"{module}:several?labels=kind,rude&multi=1&threshold=0.3")


def test_labels_may_be_the_functions_own_or_unknown(module: str) -> None:
    assert load(f"{module}:own").capabilities.labels == ("bad", "good", "ugly")
    assert load(f"{module}:own?labels=good,bad").capabilities.labels == ("good", "bad")
    unknown = load(f"{module}:label")
    assert unknown.capabilities.labels == ()
    assert unknown.predict([KIND])[0].labels == ("good",)


def test_identity_follows_the_source(module: str, tmp_path: Path) -> None:
    first = load(f"{module}:label").identity
    assert load(f"{module}:label").identity == first
    assert load(f"{module}:label?labels=bad,good").identity != first
    assert load(f"{module}:label?multi=1").identity != first
    path = tmp_path / f"{module}.py"
    path.write_text(path.read_text() + "\nimport beside_it.words\n")
    changed = load(f"{module}:label").identity
    assert changed != first
    words = tmp_path / "beside_it" / "words.py"
    words.parent.mkdir()
    words.write_text("WORDS = 1\n")
    beside = load(f"{module}:label").identity
    assert beside != changed
    words.write_text("WORDS = 2\n")
    assert load(f"{module}:label").identity != beside
    named = load(f"{module}:label?identity=v1")
    path.write_text(path.read_text() + "\n# changed again\n")
    assert load(f"{module}:label?identity=v1").identity == named.identity
    assert named.probe is None
    with pytest.raises(ModelError, match="failed on a plain sentence"):
        load("os.path:basename")  # of a module of Python itself that has no file


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("few", "3 answers to 4 texts"),
        ("one", "it returns one text, 'good', not a list of answers"),
        ("decimal", "the answer 0.3 is a number, of no label"),
        ("nothing", "TypeError"),
        ("fails", "RuntimeError: no weights here"),
        ("leaves", "it exits: gone"),
        ("constant", "no function 'constant'"),
        ("missing", "no function 'missing'"),
        ("percent", "not probabilities"),
        ("nan", "not probabilities"),
        ("numbers_in_list", "multi=1"),
        ("label?labels=up,down", "not declared"),
        ("several?labels=kind,rude", "multi=1"),
    ],
)
def test_a_function_of_another_shape_is_refused_when_loaded(
    module: str, function: str, says: str
) -> None:
    with pytest.raises(ModelError, match=says) as caught:
        load(f"{module}:{function}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("surprise?labels=good,bad", "labels that were not declared: ['odd']"),
        ("fails_later", "zebras are too hard"),
    ],
)
def test_one_bad_text_spoils_no_other(module: str, function: str, says: str) -> None:
    found = PredictionStore(load(f"{module}:{function}")).predict([KIND, "A zebra.", RUDE])
    assert found["A zebra."].failure is Failure.ERROR
    assert says in found["A zebra."].detail
    assert found[KIND].labels == ("good",)
    assert found[RUDE].answered


def test_a_function_that_exits_ends_no_run(module: str) -> None:
    found = PredictionStore(load(f"{module}:fails_later")).predict([KIND, "A gnu."])
    assert "it exits: gone" in found["A gnu."].detail
    assert found[KIND].labels == ("good",)


def test_too_few_answers_are_no_answers(module: str) -> None:
    store = PredictionStore(load(f"{module}:few_later"))
    found = store.predict([KIND, "A kind woman."])
    # Asked one by one it gives one for each.
    assert [p.labels for p in found.values()] == [("good",), ("good",)]
    with pytest.raises(ValueError, match="1 answers to 2 texts"):
        store.model.predict([KIND, RUDE])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("import no_such_library", "ModuleNotFoundError"),
        ("raise ValueError('no licence')", "no licence"),
        ("import sys; sys.exit('bye')", "SystemExit: bye"),
        ("def f(:", "SyntaxError"),
    ],
)
def test_a_module_that_raises_is_a_clear_error(
    module: str, tmp_path: Path, line: str, says: str
) -> None:
    (tmp_path / f"{module}.py").write_text(line)
    with pytest.raises(ModelError, match=says):
        load(f"{module}:label")


@pytest.mark.parametrize("name", ["", "json", "json:", ":loads"])
def test_module_and_function_are_both_named(name: str) -> None:
    with pytest.raises(ModelError, match="MODULE:FUNCTION"):
        load(name)


def test_a_module_that_is_not_there_is_a_clear_error(module: str) -> None:
    with pytest.raises(ModelError, match="the folder you are in"):
        load(f"{module}_not:label")


def test_code_is_closed_to_the_app(module: str) -> None:
    with pytest.raises(ModelError, match="command line only"):
        parse_name(f"python:{module}:label")
    # A visitor's key opens remote models, not this machine.
    with pytest.raises(ModelError, match="command line only"):
        build_model(parse_name(f"python:{module}:label", key="sk-visitor"))
    assert module not in sys.modules
