"""Uploads: what may come, whose it is, and that it goes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import InputError
from hinter_ui.shared import uploads as module
from hinter_ui.shared.session import NOBODY, Sessions, Visitor
from hinter_ui.shared.uploads import Uploads, upload_folder
from tests.ui.conftest import App, Clock, Explore

MB = 1_000_000


@pytest.fixture
def sessions() -> Sessions:
    return Sessions()


@pytest.fixture
def uploads(
    sessions: Sessions, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Uploads:
    folder = tmp_path / "hinter-uploads-mine"
    folder.mkdir()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(folder))
    return Uploads(sessions, lambda: False, clock)


def file(uploads: Uploads, clock: Clock, name: str = "a/terms.csv") -> Path:
    path = uploads.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("term,group\n")
    for each in (path, path.parent):
        os.utime(each, (clock.now, clock.now))
    return path


def value(path: object) -> dict[str, Any]:
    return {"path": str(path), "meta": {"_type": "gradio.FileData"}}


def test_a_page_holds_what_its_events_use_and_takes_it_along(
    uploads: Uploads, sessions: Sessions, clock: Clock
) -> None:
    mine, both = file(uploads, clock), file(uploads, clock, "b/both.csv")
    uploads.hold("mine", [1, [value(mine)], {"deep": value(both)}])
    uploads.hold("other", [value(both), "text", None])
    sessions.forget("mine")
    assert not mine.exists()
    assert both.exists()  # another page has uploaded the same
    sessions.forget("other")
    assert not both.exists()


def test_without_a_file_nothing_is_kept_of_a_page(uploads: Uploads, sessions: Sessions) -> None:
    uploads.hold("a stranger", ["text", {"path": "/etc/passwd"}, {"meta": 5}])
    assert sessions.held() == set()
    assert not sessions._kept


def test_what_is_no_upload_or_gone_is_refused(uploads: Uploads, clock: Clock) -> None:
    there = file(uploads, clock)
    others: list[Any] = [
        "/etc/passwd", "https://example.org/terms.csv", "http://127.0.0.1/x", uploads.folder,
        f"{uploads.folder}/../secret", f"{there}x", "", None, 5, "\0", "x" * 9_999, [there],
    ]  # fmt: skip
    (uploads.folder.parent / "secret").write_text("x")
    (uploads.folder / "link").symlink_to("/etc/passwd")
    for path in [*others, uploads.folder / "link"]:
        with pytest.raises(InputError, match="no longer on this server"):
            uploads.hold("page", [{**value(path), "path": path}])


def test_what_no_page_holds_goes_by_age(uploads: Uploads, clock: Clock) -> None:
    held, lost = file(uploads, clock), file(uploads, clock, "b/lost.csv")
    uploads.hold("page", [value(held)])
    killed = uploads.folder.parent / "hinter-uploads-killed"
    foreign = uploads.folder.parent / "something-else"
    for folder in (killed, foreign):
        folder.mkdir()
        os.utime(folder, (clock.now, clock.now))
    clock.now += module._LEFT - 1
    uploads.sweep()
    assert lost.exists()
    clock.now += 2
    young = file(uploads, clock, "c/young.csv")
    uploads.sweep()
    assert (held.exists(), lost.exists(), young.exists()) == (True, False, True)
    assert (killed.exists(), foreign.exists(), uploads.folder.exists()) == (False, True, True)
    os.utime(lost.parent, (0, 0))  # changed when the file in it went
    uploads.sweep()
    assert not lost.parent.exists()


def test_a_download_stays_as_long_as_its_page(
    uploads: Uploads, sessions: Sessions, clock: Clock
) -> None:
    folder = sessions.of("page").new_folder(uploads.folder)
    made = file(uploads, clock, f"{folder.name}/report.html")
    clock.now += 10 * module._LEFT
    uploads.sweep()
    assert made.exists()
    sessions.forget("page")
    assert not folder.exists()


def test_a_public_host_takes_so_much_of_one_visitor(uploads: Uploads, clock: Clock) -> None:
    assert uploads.refusal(Visitor("1.2.3.4"), None)[0] == 411
    assert uploads.refusal(Visitor("1.2.3.4"), 20 * MB + 1)[0] == 413
    for _ in range(2):
        assert uploads.refusal(Visitor("1.2.3.4"), 20 * MB) == (200, "")
    status, words = uploads.refusal(Visitor("1.2.3.4"), 11 * MB)
    assert (status, "50 MB within an hour" in words) == (413, True)
    assert uploads.refusal(Visitor("5.6.7.8"), 11 * MB) == (200, "")
    clock.now += module._LEFT + 1
    assert uploads.refusal(Visitor("1.2.3.4"), 11 * MB) == (200, "")
    assert list(uploads._sent._used) == ["network 1.2.3.4"]


def test_neither_another_network_nor_another_browser_brings_more(uploads: Uploads) -> None:
    for _ in range(2):
        assert uploads.refusal(Visitor("1.2.3.4", "a"), 20 * MB)[0] == 200
    for same in (Visitor("1.2.3.4"), Visitor("1.2.3.4", "b"), Visitor("5.6.7.8", "a")):
        assert uploads.refusal(same, 20 * MB)[0] == 413
    assert uploads.refusal(Visitor("5.6.7.8", "b"), 20 * MB)[0] == 200
    assert uploads.refusal(NOBODY, 40 * MB)[0] == 413  # of one request


def test_a_public_host_keeps_so_much_of_all(
    uploads: Uploads, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_ALL", 50_000)
    assert uploads.refusal(Visitor("1.2.3.4"), 40_000)[0] == 200
    file(uploads, clock).write_text("x" * 20_000)
    assert uploads.refusal(Visitor("1.2.3.4"), 40_000)[0] == 507
    assert uploads.refusal(Visitor("1.2.3.4"), 20_000)[0] == 200


def test_the_owner_of_the_machine_uploads_as_they_like(sessions: Sessions, tmp_path: Path) -> None:
    mine = Uploads(sessions, lambda: True)
    assert mine.refusal(NOBODY, None) == mine.refusal(NOBODY, 400 * MB) == (200, "")


def test_the_folder_of_a_run_goes_with_it(tmp_path: Path) -> None:
    with upload_folder(str(tmp_path / "new")) as folder:
        (Path(folder) / "a").mkdir()
        assert Path(folder).stat().st_mode & 0o077 == 0  # for nobody else of the machine
    assert list((tmp_path / "new").iterdir()) == []


def test_an_upload_is_deleted_when_the_page_is_closed(
    explore: Explore, app: App, tmp_path: Path
) -> None:
    own = tmp_path / "Weather.csv"
    own.write_text("term,group\nsunny-minded,sun\nrainy-minded,rain\n")

    def there() -> list[Path]:
        return list(app.uploads.rglob("Weather.csv"))

    explore.open()
    explore.open_more()
    explore.upload.locator("input[type=file]").set_input_files(own)
    explore.page.get_by_label("weather", exact=True).wait_for()
    assert [path.read_bytes() for path in there()] == [own.read_bytes()]
    explore.page.goto("about:blank")
    for _ in range(300):
        if not there():
            break
        explore.page.wait_for_timeout(100)
    assert there() == []
