"""What a page says of how long things are kept, which is another thing on a public host."""

from __future__ import annotations

import pytest

from hinter_core.annotation.backup import lost_at_restart
from hinter_ui.batch.html import campaigns
from hinter_ui.environment import CAMPAIGNS_FOLDER
from hinter_ui.shell import _footer


def test_the_owner_keeps_what_they_do_not_delete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert "until you delete them" in _footer(local=True)
    assert "They stay here" in campaigns([], "", None, lost=False)
    assert not lost_at_restart(CAMPAIGNS_FOLDER)


def test_a_public_host_names_its_days(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPACE_ID", raising=False)
    monkeypatch.setenv("HINTER_KEEP_DAYS", "1")
    assert "after 1 day without activity" in _footer(local=False)
    monkeypatch.setenv("HINTER_KEEP_DAYS", "30")
    words = _footer(local=False)
    assert "after 30 days without activity" in words
    assert "until you delete them" not in words
    assert "restarts" not in words
    listed = campaigns([], "", 30, lost=False)
    assert "after 30 days without activity" in listed
    assert "stay here" not in listed


def test_a_space_without_storage_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_ID", "a/b")
    monkeypatch.setenv("HINTER_DATA", "/proc/nothing")
    assert lost_at_restart(CAMPAIGNS_FOLDER)
    assert "loses its disk whenever it restarts" in _footer(local=False)
    assert "loses its disk whenever it restarts" in campaigns([], "", 7, lost=True)
