"""The command line as a person runs it."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from hinter_core.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """The real entry point with its arguments: exit code, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["hinter", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        code = stopped.value.code
        out, err = capfd.readouterr()
        return (0 if code is None else int(code)), out, err

    return call
