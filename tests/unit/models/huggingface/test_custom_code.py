"""Code that comes with a checkpoint never runs, whatever stands on standard input."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.huggingface.checkpoint import open_checkpoint
from hinter_core.models.registry import build_model, parse_name
from tests.conformance.tiny import make_classifier
from tests.forked import Commands

pytestmark = pytest.mark.slow

NAMES = ("hf:{}", "hf-masked:{}", "hf-zero-shot:{}?labels=a,b", "hf-chat:{}?prompt=sentiment")
AUTO = (
    "AutoConfig", "AutoModel", "AutoModelForSequenceClassification", "AutoModelForMaskedLM",
    "AutoModelForCausalLM",
)  # fmt: skip


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(make_classifier(tmp_path_factory.mktemp("good"), ["no", "yes"], window=16))


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    made = Path(shutil.copytree(good, tmp_path / "model"))
    ran = tmp_path / "ran"
    code = f"open({str(ran)!r}, 'w').close()\nclass E: pass\nclass T: pass\n"
    for name in ("evil.py", "custom_generate/generate.py"):
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_text(code)
    return made


def change(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Somebody who says yes to every question; returns the questions."""
    questions: list[str] = []
    monkeypatch.setattr("builtins.input", lambda words="": questions.append(words) or "y")
    return questions


def test_yes_on_standard_input_runs_nothing(folder: Path, commands: Commands) -> None:
    change(folder / "config.json", model_type="evil", auto_map=dict.fromkeys(AUTO, "evil.E"))
    done = subprocess.run(
        [*commands.program, "predict", "--model", f"hf:{folder}", "--text", "A man."],
        input="y\n" * 9, capture_output=True, text=True,
    )  # fmt: skip
    assert not (folder.parent / "ran").exists()
    assert done.returncode == 2
    assert "code of its own (auto_map), which HInter never runs" in done.stderr
    assert "[y/N]" not in done.stdout + done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_model(name: str, folder: Path, asked: list[str]) -> None:
    change(folder / "config.json", model_type="evil", auto_map=dict.fromkeys(AUTO, "evil.E"))
    with pytest.raises(ModelError, match=r"code of its own \(auto_map\), which HInter never runs"):
        build_model(parse_name(name.format(folder)))
    assert (asked, (folder.parent / "ran").exists()) == ([], False)


def test_code_of_a_tokenizer(folder: Path, asked: list[str]) -> None:
    change(
        folder / "tokenizer_config.json",
        tokenizer_class="T", auto_map={"AutoTokenizer": ["evil.T", "evil.T"]},
    )  # fmt: skip
    model = build_model(parse_name(f"hf:{folder}"))  # by its tokenizer.json, without the code
    assert model.predict(["the man"])[0].labels
    assert (asked, (folder.parent / "ran").exists()) == ([], False)


def test_code_of_another_repository(folder: Path, asked: list[str]) -> None:
    change(folder / "config.json", model_type="evil", auto_map={"AutoConfig": "org/other--evil.E"})
    with pytest.raises(ModelError, match="never runs"):
        build_model(parse_name(f"hf:{folder}"))
    assert (asked, (folder.parent / "ran").exists()) == ([], False)


def test_a_known_architecture_loads_without_the_code_beside_it(
    folder: Path, asked: list[str]
) -> None:
    change(folder / "config.json", auto_map=dict.fromkeys(AUTO, "evil.E"))
    model = build_model(parse_name(f"hf:{folder}"))
    assert model.predict(["the man"])[0].labels
    assert (asked, (folder.parent / "ran").exists()) == ([], False)


def test_the_model_of_a_checker_and_of_training(folder: Path, asked: list[str]) -> None:
    change(folder / "config.json", model_type="evil", auto_map=dict.fromkeys(AUTO, "evil.E"))
    with pytest.raises(ModelError, match="never runs"):
        open_checkpoint("x", str(folder), "AutoModelForSequenceClassification", "bfloat16")
    assert (asked, (folder.parent / "ran").exists()) == ([], False)


@pytest.mark.parametrize("key", ["attn_implementation", "_attn_implementation"])
def test_a_kernel_of_the_hub_is_code(key: str, folder: Path) -> None:
    change(folder / "config.json", **{key: "stranger/kernel"})
    with pytest.raises(ModelError, match="asks for code of the Hub"):
        build_model(parse_name(f"hf:{folder}"))
