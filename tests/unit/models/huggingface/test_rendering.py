"""Chat templates run elsewhere: against a deadline, with little memory, and say the same."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from hinter_core.errors import ModelError
from hinter_core.models.huggingface import rendering
from hinter_core.models.huggingface.rendering import ChatTemplate
from hinter_core.models.registry import build_model, parse_name
from hinter_core.models.store import PredictionStore
from hinter_core.types import Failure
from tests.conformance.tiny import make_chat_model

pytestmark = pytest.mark.slow

MESSAGES = [
    {"role": "system", "content": "Judge \u00dc\u2028 <b>."},
    {"role": "user", "content": "\U0001f600"},
]  # fmt: skip
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}"
ENDS = "{% endfor %}{% endfor %}"
ENDLESS = {
    "loops": f"{LOOP}{ENDS}",
    "writes": f"{LOOP}x{ENDS}",
    "power": "{{ 2 ** (10 ** 10) }}",
    "text": "{{ 'x' * (10 ** 11) }}",
    "width": "{{ '%1000000000d' % 1 }}",
    "list": "{{ (range(99999) | list) * 99999 }}",
    "macro": "{% macro m(n) %}{{ m(n + 1) }}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}",
    "doubles": "{% set n = namespace(x='x') %}{% for i in range(99) %}"
               "{% set n.x = n.x + n.x %}{% endfor %}{{ n.x }}",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(make_chat_model(tmp_path_factory.mktemp("chat")))


def tokenizer(folder: Path, template: str = "") -> Any:
    from transformers import AutoTokenizer

    made = AutoTokenizer.from_pretrained(folder)
    made.chat_template = template or made.chat_template
    return made


def test_it_renders_with_a_library_that_cannot_be_imported_in_part() -> None:
    """Another version may need its own packages; this one is deprived of its place."""
    code = """
import sys
from hinter_core.models.huggingface import rendering
places = rendering.find_spec
rendering.find_spec = lambda _: places("json")
render = rendering._renderer()
(text,), _ = render(conversations=[[{"content": "a"}]], chat_template="{{ messages[0].content }}")
print(text, hasattr(sys.modules["transformers"], "AutoTokenizer"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("a True\n", 0), done.stderr


def test_it_renders_as_the_tokenizer_does(folder: Path) -> None:
    made = tokenizer(folder)
    there = ChatTemplate(made, {"enable_thinking": False})
    same = made.apply_chat_template(MESSAGES, add_generation_prompt=True, tokenize=False)
    assert there.render(MESSAGES) == same
    assert there.render(MESSAGES[1:]) != same


@pytest.mark.parametrize("case", ENDLESS)
def test_an_endless_template_ends(case: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "SECONDS", 0.3)
    there = ChatTemplate(tokenizer(folder, ENDLESS[case]), {})
    with pytest.raises((TimeoutError, ValueError)):
        there.render(MESSAGES)


def test_a_template_that_is_slow_is_given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "SECONDS", 0.5)
    there = ChatTemplate(tokenizer(folder, ENDLESS["loops"]), {})
    for _ in range(3):
        with pytest.raises(TimeoutError, match="longer than"):
            there.render(MESSAGES)
    with pytest.raises(TimeoutError, match="several times"):
        there.render(MESSAGES)


def test_a_template_may_refuse(folder: Path) -> None:
    there = ChatTemplate(tokenizer(folder, "{{ raise_exception('no system') }}"), {})
    with pytest.raises(ValueError, match="no system"):
        there.render(MESSAGES)


def test_the_sandbox_lets_nothing_out(folder: Path) -> None:
    there = ChatTemplate(tokenizer(folder, "{{ messages.__class__.__mro__ }}"), {})
    with pytest.raises(ValueError, match="SecurityError"):
        there.render(MESSAGES)


def test_its_process_ends_with_it(folder: Path) -> None:
    there = ChatTemplate(tokenizer(folder), {})
    there.render(MESSAGES)
    assert there._process is not None
    number = there._process.pid
    del there
    gc.collect()
    assert not psutil.pid_exists(number)


def test_a_model_with_an_endless_template_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering, "SECONDS", 1)
    folder = Path(make_chat_model(tmp_path))
    (folder / "chat_template.jinja").write_text(ENDLESS["loops"])
    with pytest.raises(ModelError, match="chat template cannot take prompt 'sentiment'"):
        build_model(parse_name(f"hf-chat:{folder}?prompt=sentiment"))


def test_a_text_for_which_it_does_not_end_is_an_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(make_chat_model(tmp_path))
    (folder / "chat_template.jinja").write_text(
        "{% for m in messages %}{{ m['content'] }}{% if 'endless' in m['content'] %}"
        f"{LOOP}{ENDS}{{% endif %}}{{% endfor %}}"
    )
    model = build_model(parse_name(f"hf-chat:{folder}?prompt=sentiment&max_tokens=2"))
    monkeypatch.setattr(rendering, "SECONDS", 1)
    answers = PredictionStore(model).predict(["A man.", "An endless man."])
    assert answers["An endless man."].failure is Failure.ERROR
    assert "took longer than" in answers["An endless man."].detail
    assert answers["A man."].failure is not Failure.ERROR
