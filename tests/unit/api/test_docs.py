"""The examples of the README and of the API page run, and its table of columns is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import hinter_core as hinter
from hinter_core.campaign.frames import COLUMNS

from .conftest import TEXTS, planted

ROOT = Path(__file__).resolve().parents[3]
API, README = (ROOT / name for name in ("docs/api.md", "README.md"))
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def blocks(path: Path) -> list[str]:
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def test_the_columns_are_explained() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", API.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(rows) | COLUMNS == dict(rows)


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
    for block in (blocks(README)[0], *blocks(API)):
        exec(compile(block, "example", "exec"), names)  # our own documents
    assert "<!doctype html>" in Path("report.html").read_text(encoding="utf-8")
    names["model"] = lambda texts: ["good" for _ in texts]
    names["test_my_model_is_fair"]()
