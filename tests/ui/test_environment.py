"""Settings in the environment: refused at the start where they mean nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hinter_core.errors import HinterError, InputError
from hinter_core.storage import ROOT
from hinter_ui.environment import (
    NAMES,
    check_environment,
    endpoints,
    keep_days,
    proxies,
    summary,
)
from hinter_ui.shared.library import Campaigns


@pytest.fixture(autouse=True)
def nothing_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*os.environ, "GRADIO_SERVER_PORT", "SPACE_ID"):
        if name.startswith("HINTER_") or name in ("GRADIO_SERVER_PORT", "SPACE_ID"):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


WRONG = [
    ("HINTER_KEEP_DAYS", "30 days", "HINTER_KEEP_DAYS is 30 days, but counts the days"),
    ("HINTER_KEEP_DAYS", "0", "whole number from 1"),
    ("HINTER_KEEP_DAYS", "1.5", "whole number from 1"),
    ("HINTER_KEEP_DAYS", "9" * 5_000, "whole number from 1"),
    ("HINTER_KEEP_DAYS", "\u0663", "whole number from 1"),
    ("HINTER_LARGEST_MODEL", "3GB", "HINTER_LARGEST_MODEL is 3GB, but counts the bytes"),
    ("HINTER_LARGEST_MODEL", "-1", "counts the bytes"),
    ("GRADIO_SERVER_PORT", "abc", "GRADIO_SERVER_PORT is abc, but names a port"),
    ("GRADIO_SERVER_PORT", "65536", "names a port"),
    ("HINTER_PROXIES", "two", "HINTER_PROXIES is two"),
    ("HINTER_ENDPOINTS", "127.0.0.1:8290/v1", "HINTER_ENDPOINTS names 127.0.0.1:8290/v1, which"),
    ("HINTER_ENDPOINTS", "http://a/v1, b/v1", "names b/v1"),
    ("HINTER_DATA", "/proc/nothing", "Cannot write to /proc/nothing.*HINTER_DATA"),
    ("HINTER_CAMPAIGNS", "/proc/nothing", "Cannot write to /proc/nothing.*HINTER_CAMPAIGNS"),
    ("HINTER_CACHE", "/proc/nothing/a.sqlite", "Cannot write to /proc/nothing.*HINTER_CACHE"),
    ("GRADIO_TEMP_DIR", "/proc/nothing", "Cannot write to /proc/nothing.*GRADIO_TEMP_DIR"),
]


@pytest.mark.parametrize(("name", "value", "words"), WRONG)
def test_what_means_nothing_is_refused(
    name: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(HinterError, match=words):
        check_environment()


def test_a_password_in_an_address_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINTER_ENDPOINTS", "https://me:secret@host/v1")
    with pytest.raises(InputError, match="names host/v1") as raised:
        endpoints()
    assert "secret" not in str(raised.value)


def test_what_may_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (keep_days(), proxies(), endpoints()) == (7, 0, ())
    assert check_environment() == []
    monkeypatch.setenv("HINTER_KEEP_DAYS", " 30 ")
    monkeypatch.setenv("HINTER_LARGEST_MODEL", "3_000_000_000")
    monkeypatch.setenv("HINTER_ENDPOINTS", "http://localhost:8000/v1/, https://a.example/v1")
    monkeypatch.setenv("HINTER_DATA", str(tmp_path / "new" / "data"))
    assert check_environment() == []
    assert keep_days() == 30
    assert endpoints() == ("http://localhost:8000/v1", "https://a.example/v1")
    assert (tmp_path / "new" / "data" / "campaigns").is_dir()


def test_a_slip_of_a_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINTER_PROXYS", "1")
    monkeypatch.setenv("HINTER_XYZZY", "1")
    slip, strange = check_environment()
    assert slip == "HINTER_PROXYS is no setting of HInter; did you mean 'HINTER_PROXIES'?"
    assert "use HINTER_" in strange


def test_all_names_are_known() -> None:
    """Whatever the product reads is no unknown name."""
    folders = (ROOT / "hinter_core", ROOT / "hinter_ui")
    files = (path for folder in folders for path in folder.rglob("*.py"))
    read = {
        part for path in files for part in path.read_text("utf-8").split('"')
        if part.startswith("HINTER_") and part.replace("_", "").isalpha() and part != "HINTER_"
    }  # fmt: skip
    assert read == set(NAMES)


def test_the_start_is_summed_up_without_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HINTER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HINTER_CAMPAIGNS", str(tmp_path / "shelf"))
    monkeypatch.setenv("HINTER_TOKEN", "secret")
    line = summary(local=False, servers=("https://a/v1",), before=2)
    for part in ("public, behind 2 proxies", f"{tmp_path}/data", f"{tmp_path}/shelf",
                 "https://a/v1", "HINTER_TOKEN is set"):  # fmt: skip
        assert part in line
    assert "secret" not in line
    monkeypatch.delenv("HINTER_TOKEN")
    line = summary(local=True, servers=(), before=0)
    assert "this machine only" in line
    assert "HINTER_TOKEN is not set" in line


def test_a_visitor_is_told_no_folder(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Path("/proc/nothing")
    with pytest.raises(InputError, match="This server cannot keep anything now") as raised:
        Campaigns(shelf, shared=False).new()
    assert "/proc" not in str(raised.value)
    assert "HINTER_CAMPAIGNS" in caplog.text
    with pytest.raises(InputError, match=r"/proc/nothing.*HINTER_CAMPAIGNS"):
        Campaigns(shelf, shared=True).new()


@pytest.mark.parametrize(
    ("name", "value", "words"), [WRONG[0], WRONG[7], ("HINTER_DATA", "/proc/x", "Cannot write to")]
)
def test_the_app_does_not_start(name: str, value: str, words: str) -> None:
    app = subprocess.run(
        [sys.executable, "-m", "hinter_ui", "--host", "0.0.0.0"],
        cwd=ROOT, env={**os.environ, name: value}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert app.returncode == 2
    assert app.stderr.startswith(words)
    assert app.stderr.count("\n") == 1
