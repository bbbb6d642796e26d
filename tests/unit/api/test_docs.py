"""The examples of the documents run, and the reference of the API is complete and true."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import hinter_core as hinter
from scripts import render_api

from .conftest import TEXTS, planted

ROOT = Path(__file__).resolve().parents[3]
README, TUTORIAL, HOWTO = (
    ROOT / name for name in ("README.md", "docs/tutorials/python.md", "docs/howto/python.md")
)
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
CLASSES = (hinter.CheckResult, hinter.CampaignResult, hinter.ComparisonResult)


def blocks(path: Path) -> list[str]:
    return BLOCK.findall(path.read_text(encoding="utf-8"))


@pytest.mark.usefixtures("clean_seams")
def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{text},{stars}" for text, stars in zip(TEXTS, (1, 5, 1), strict=True)]
    Path("reviews.csv").write_text("review,stars\n" + "\n".join(lines) + "\n")
    names: dict[str, Any] = {
        "texts": ["The British waiter was kind."],
        "model": planted,
        "hinter": hinter,
    }
    for block in (blocks(README)[0], *blocks(TUTORIAL), *blocks(HOWTO)):
        exec(compile(block, "example", "exec"), names)  # our own documents
    assert "<!doctype html>" in Path("report.html").read_text(encoding="utf-8")
    names["model"] = lambda texts: ["good" for _ in texts]
    names["test_my_model_is_fair"]()


def columns(value: Any) -> list[str]:
    """The columns that a docstring names, with those that it abbreviates."""
    verdicts = ["benign", "biased", "hidden", "discarded", "unanswered"]
    every = list[str]()
    for name in render_api.sections(value)["Columns"]:
        if name.endswith("_*"):
            every += [name[:-1] + end for end in ("hits", "of", "share", "low", "high")]
        else:
            every += verdicts if name == "VERDICT" else [name]
    return every


def test_docstrings_name_the_columns_and_attributes(words: list[str]) -> None:
    result = hinter.run(TEXTS, [planted, "vader"], (), dictionaries=words, limit=6)
    compared = hinter.compare(result, models=result.models)
    assert len(result.groups)
    assert list(result.rates.columns) == columns(hinter.CampaignResult.rates)
    assert list(result.groups.columns) == columns(hinter.CampaignResult.groups)
    assert list(compared.rates.columns) == columns(hinter.ComparisonResult.rates)
    check = hinter.check(TEXTS[1], planted, (), dictionaries=words)
    for one in (check, result, compared):
        public = {name for name in vars(one) if not name.startswith("_")}
        known = {*render_api.sections(type(one))["Attributes"], *render_api.members(type(one))}
        assert public <= known


def test_the_reference_holds_all_that_is_public() -> None:
    named = [name for names in render_api.GROUPS.values() for name in names]
    assert sorted(named) == sorted(hinter.__all__)
    page = render_api.PAGE.read_text(encoding="utf-8")
    functions = [getattr(hinter, name) for name in named]
    functions += [*render_api.members(hinter.testing).values()]
    for value in functions:
        if inspect.isfunction(value) and value.__module__.startswith("hinter_core"):
            entries = render_api.sections(value).get("Args", inspect.signature(value).parameters)
            assert list(entries) == list(inspect.signature(value).parameters), value
    for kind in CLASSES:
        for name, member in render_api.members(kind).items():
            assert inspect.cleandoc(member.__doc__ or ""), name
            assert f"`{name}`" in page or f"#### {kind.__name__}.{name}\n" in page


class Sample:
    """A class with ``code`` of :class:`hinter_core.CheckResult`.

    Attributes:
        one: First line
            and the next, a | b.
        two_*: As before, ...
    """

    def go(self, far: int = 3, *, by: str = "foot") -> list[str]:
        """Go on.

        Raises:
            ValueError: too far.
        """
        return [by] * far


def test_a_docstring_becomes_markdown() -> None:
    assert render_api.sections(Sample) == {
        "": "A class with ``code`` of :class:`hinter_core.CheckResult`.",
        "Attributes": {"one": "First line and the next, a | b.", "two_*": "As before, ..."},
    }
    said = render_api.described(Sample)
    assert "A class with `code` of `hinter.CheckResult`." in said
    assert "| `one` | First line and the next, a \\| b |\n| `two_*` | As before, ... |" in said
    assert "`NAME_hits`" in said
    assert "| error | when |\n| --- | --- |\n| `ValueError` | too far |" in render_api.described(
        Sample.go
    )
    called = "go(\n    far: int = 3,\n    *,\n    by: str = 'foot',\n) -> list[str]"
    assert called in render_api.signature("go", Sample.go)


def test_an_outdated_reference_is_refused_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "api.md"
    page.write_text(render_api.render().replace("hinter.load", "hinter.open"), encoding="utf-8")
    monkeypatch.setattr(render_api, "PAGE", page)
    monkeypatch.setattr(sys, "argv", ["render_api.py", "--check"])
    assert render_api.main() == 1
    assert "api.md is out of date; run python scripts/render_api.py" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["render_api.py"])
    assert render_api.main() == 0
    monkeypatch.setattr(sys, "argv", ["render_api.py", "--check"])
    assert render_api.main() == 0
    assert "hinter.load(" in page.read_text(encoding="utf-8")
