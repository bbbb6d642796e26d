"""Names of a checkpoint's labels: from either mapping, never from a contradiction, with commas."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.registry import build_model, parse_name
from tests.conformance.tiny import make_classifier

NAMES = ("calm", "cross", "glad")


@pytest.fixture(scope="module")
def moods(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_classifier(tmp_path_factory.mktemp("moods"), list(NAMES))


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_classifier(tmp_path_factory.mktemp("single"), ["rude"])


def load(path: object, query: str = "") -> Any:
    return build_model(parse_name(f"hf:{path}{query}"))


def refusal(path: object, query: str = "") -> str:
    with pytest.raises(ModelError) as caught:
        load(path, query)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def changed(folder: str, to: Path, **changes: object) -> Path:
    shutil.copytree(folder, to, dirs_exist_ok=True)
    path = to / "config.json"
    config = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in config.items() if value is not None}))
    return to


UNNAMED = {str(i): f"LABEL_{i}" for i in range(3)}


@pytest.mark.parametrize("by_place", [None, {}, UNNAMED])
def test_names_of_label2id_alone_are_used(moods: str, tmp_path: Path, by_place: object) -> None:
    path = changed(moods, tmp_path / "x", id2label=by_place)
    assert load(path).capabilities.labels == NAMES
    texts = ["a good man", "a bad woman"]
    assert load(path).predict(texts) == load(moods).predict(texts)


@pytest.mark.parametrize(
    "by_name", [{"calm": 1, "cross": 0, "glad": 2}, {"calm": 0, "glad": 1}, {"glad": 0}]
)
def test_a_contradiction_is_told_and_can_be_settled(
    moods: str, tmp_path: Path, by_name: dict[str, int]
) -> None:
    path = changed(moods, tmp_path / "x", label2id=by_name)
    words = refusal(path)
    assert "contradicts itself" in words
    assert "by label2id" in words
    assert load(path, "?labels=a,b,c").capabilities.labels == ("a", "b", "c")


@pytest.mark.parametrize(
    "by_name", [None, {}, {"LABEL_0": 0, "LABEL_1": 1, "LABEL_2": 2}, {"CALM": 2}, ["calm"]]
)
def test_what_label2id_leaves_open_contradicts_nothing(
    moods: str, tmp_path: Path, by_name: object
) -> None:
    assert load(changed(moods, tmp_path / "x", label2id=by_name)).capabilities.labels == NAMES


@pytest.mark.parametrize("by_name", [{"a": 0, "b": 5, "c": 2}, {"a": 0, "b": "1", "c": 2}])
def test_a_label2id_with_gaps_names_nothing(moods: str, tmp_path: Path, by_name: object) -> None:
    path = changed(moods, tmp_path / "x", id2label=UNNAMED, label2id=by_name)
    assert load(path).capabilities.labels == tuple(UNNAMED.values())


@pytest.mark.parametrize("problem", [None, "regression"])
def test_one_logit_is_a_label_that_holds_or_not_if_it_is_said(
    single: str, tmp_path: Path, problem: str | None
) -> None:
    path = changed(single, tmp_path / "x", problem_type=problem)
    assert "or say multi=1 if the number is the logit of 'rude'" in refusal(path)
    model = load(path, "?multi=1")
    (answer,) = model.predict(["a bad man"])
    assert model.capabilities.labels == ("rude",)
    assert answer.labels == (("rude",) if answer.scores["rude"] >= 0.5 else ())


@pytest.mark.parametrize("whole", [True, False])
def test_an_adapter_is_to_be_merged(moods: str, tmp_path: Path, whole: bool) -> None:
    folder = tmp_path / "adapter"
    if whole:
        shutil.copytree(moods, folder)
    folder.mkdir(exist_ok=True)
    (folder / "adapter_config.json").write_text(
        json.dumps({"peft_type": "LORA", "base_model_name_or_path": "some/base"})
    )
    assert "is an adapter (adapter_config.json) of some/base; merge both" in refusal(folder)
    (folder / "adapter_config.json").write_text("[]")
    assert "of the model that it was made for; merge both" in refusal(folder)


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        ("calm%2C quiet,cross,glad", ("calm, quiet", "cross", "glad")),
        ("a%2cb,c%2C%2Cd,e", ("a,b", "c,,d", "e")),
        (r"a\, b,c,d", ("a, b", "c", "d")),
        ("a%2C,b%20c,%64", ("a,", "b c", "d")),
    ],
)
def test_a_comma_may_belong_to_a_label(moods: str, query: str, labels: tuple[str, ...]) -> None:
    assert load(moods, f"?labels={query}").capabilities.labels == labels
    zero_shot = parse_name(f"hf-zero-shot:x?labels={query}&template=A%2C {{}}")
    assert zero_shot.listed("labels") == labels
    assert zero_shot.settings["template"] == "A, {}"  # no list: a comma is a comma
