"""``scripts/install.py``: uv gets the places that pip is told of."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = ("index-url", "extra-index-url", "find-links", "cert", "no-index", "constraint")


def test_uv_is_told_where_pip_finds_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = https://packages.example/simple\n"
        "extra-index-url =\n    https://one.example/simple\n    https://two.example/simple\n"
        "find-links = /some/wheels\nquiet = 0\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    for name in PLACES:
        monkeypatch.delenv(f"PIP_{name.upper().replace('-', '_')}", raising=False)
    monkeypatch.setenv("UV_FIND_LINKS", "/uv/has/its/own")
    found = runpy.run_path(str(ROOT / "scripts" / "install.py"))["environment"]()
    assert found["UV_DEFAULT_INDEX"] == "https://packages.example/simple"
    wanted = {"https://one.example/simple", "https://two.example/simple"}
    assert wanted <= set(found["UV_INDEX"].split())  # a machine may have more of its own
    assert found["UV_FIND_LINKS"] == "/uv/has/its/own"
    assert "UV_QUIET" not in found
