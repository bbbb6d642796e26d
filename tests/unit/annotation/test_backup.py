"""Storage that lasts: copies of projects in a data set of a Hub, written by its own client."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hinter_core.annotation.backup import (
    DATASET,
    FOLDER,
    TOKEN,
    Backup,
    annotations_folder,
    lasting_warning,
)
from hinter_core.annotation.project.people import erase
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.store import AnnotationStore, opened
from hinter_core.annotation.project.types import AnnotationError, AnnotationItem, Project
from hinter_core.storage import snapshot
from tests.conformance.hub import LocalHub, ask_there

NAME, KEY = "some/judgements", "hf_of_the_test"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LocalHub]:
    local = LocalHub()
    ask_there(local.address, monkeypatch, str(tmp_path / "cache"))
    yield local
    local.close()


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (FOLDER, DATASET, TOKEN, "SPACE_ID"):
        monkeypatch.delenv(name, raising=False)


def made(folder: Path, name: str = "p") -> AnnotationStore:
    project = Project("Trial", default_questions()[1])
    store, _ = AnnotationStore.create(folder / f"{name}.sqlite", project)
    store.add([AnnotationItem("one", "A text.")])
    return store


def ids(path: Path) -> list[str]:
    with opened(path) as store:
        return [item.id for item in store.items()]


def test_projects_are_copied_when_they_change_and_come_back(hub: LocalHub, tmp_path: Path) -> None:
    store = made(tmp_path / "first")
    keeper = Backup(store.path.parent, NAME, KEY)
    assert keeper.copy() == ["p.sqlite"]
    assert NAME in hub.private
    assert keeper.copy() == []
    commits = len(hub.commits[NAME])
    store.add([AnnotationItem("two", "Another text.")])  # still in the log beside the file
    assert keeper.copy() == ["p.sqlite"]
    assert len(hub.commits[NAME]) == commits + 1
    assert list(hub.files(NAME)) == ["projects/p.sqlite"]
    other = Backup(tmp_path / "second", NAME, KEY)
    assert [path.name for path in other.restore()] == ["p.sqlite"]
    assert ids(tmp_path / "second" / "p.sqlite") == ["one", "two"]
    assert other.copy() == []
    assert other.restore() == []  # not over what is there


def test_a_project_that_was_deleted_does_not_come_back(hub: LocalHub, tmp_path: Path) -> None:
    stores = [made(tmp_path / "first", name) for name in ("p", "q")]
    keeper = Backup(tmp_path / "first", NAME, KEY)
    keeper.copy()
    stores[0].close()
    stores[0].path.unlink()
    assert keeper.copy() == []  # a file that is missing was not deleted by its owner
    assert len(hub.files(NAME)) == 2
    keeper.forget(stores[0].path)
    keeper.copy()
    assert list(hub.files(NAME)) == ["projects/q.sqlite"]
    keeper.forget(tmp_path / "first" / "never-copied.sqlite")
    keeper.copy()
    assert Backup(tmp_path / "second", NAME, KEY).restore() == [tmp_path / "second" / "q.sqlite"]


def test_in_the_background_and_at_the_end(hub: LocalHub, tmp_path: Path) -> None:
    made(tmp_path).close()
    keeper = Backup(tmp_path, NAME, KEY, every=0.05)
    keeper.start()
    for _ in range(200):
        if NAME in hub.heads and hub.files(NAME):
            break
        time.sleep(0.05)
    with opened(tmp_path / "p.sqlite") as store:
        store.add([AnnotationItem("late", "A late text.")])
    keeper.close()
    assert keeper.problem == ""
    (tmp_path / "again.sqlite").write_bytes(hub.files(NAME)["projects/p.sqlite"])
    assert ids(tmp_path / "again.sqlite") == ["one", "late"]


def test_a_copy_that_fails_is_told_and_loses_nothing(hub: LocalHub, tmp_path: Path) -> None:
    made(tmp_path).close()
    keeper = Backup(tmp_path, NAME, KEY)
    hub.sealed = True
    with pytest.raises(AnnotationError, match="that the token may write") as caught:
        keeper.copy()
    assert KEY not in str(caught.value)
    keeper.start()
    keeper.close()
    assert "what is judged stays on this machine" in keeper.problem
    hub.sealed = False
    keeper.close()
    assert keeper.problem == ""
    assert "projects/p.sqlite" in hub.files(NAME)
    assert ids(tmp_path / "p.sqlite") == ["one"]


def test_names_are_not_copied_where_all_can_read_them(hub: LocalHub, tmp_path: Path) -> None:
    hub.commit(NAME, {"README.md": b"Open."})
    made(tmp_path).close()
    with pytest.raises(AnnotationError, match="is public"):
        Backup(tmp_path, NAME, KEY).copy()
    assert list(hub.files(NAME)) == ["README.md"]


def test_no_hub_at_all(hub: LocalHub, tmp_path: Path) -> None:
    hub.close()
    keeper = Backup(tmp_path, NAME, KEY)
    with pytest.raises(AnnotationError, match="cannot be used"):
        keeper.restore()
    made(tmp_path).close()
    with pytest.raises(AnnotationError, match="cannot be used"):
        keeper.copy()


def test_a_snapshot_of_what_did_not_change_is_the_same(tmp_path: Path) -> None:
    store = made(tmp_path)
    first = snapshot(store.path)
    assert snapshot(store.path) == first
    store.change(name="Another")
    assert snapshot(store.path) != first


def test_where_projects_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert annotations_folder() == tmp_path / "hinter" / "annotations"
    assert lasting_warning(Path("/proc")) == ""  # something mounted
    monkeypatch.setenv("SPACE_ID", "some/space")
    assert "gone when it restarts" in lasting_warning(tmp_path / "no-volume")
    assert Backup.from_environment() is None
    monkeypatch.setenv(DATASET, NAME)
    assert f"{TOKEN} is not" in lasting_warning(tmp_path / "no-volume")
    monkeypatch.setenv(TOKEN, KEY)
    assert lasting_warning(tmp_path / "no-volume") == ""
    keeper = Backup.from_environment()
    assert keeper is not None
    assert keeper.folder == tmp_path / "hinter" / "annotations"
    monkeypatch.setenv(FOLDER, str(tmp_path / "own"))
    assert annotations_folder() == tmp_path / "own"


def test_a_mounted_volume_lasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    volume = Path("/dev/shm")
    if not volume.is_mount():
        pytest.skip("nothing is mounted here that can be written")
    monkeypatch.setenv("SPACE_ID", "some/space")
    assert lasting_warning(volume) == ""
    monkeypatch.setenv(DATASET, NAME)  # without a key; the volume is enough
    assert lasting_warning(volume) == ""
    monkeypatch.delenv(DATASET)
    monkeypatch.setenv(FOLDER, str(tmp_path))
    assert "gone when it restarts" in lasting_warning(volume)


@pytest.mark.parametrize("keep", [False, True])
def test_an_erased_person_is_in_no_copy(hub: LocalHub, tmp_path: Path, keep: bool) -> None:
    store = made(tmp_path / "first")
    keeper = Backup(store.path.parent, NAME, KEY)
    store.join("Zyxwv", "correct horse")
    keeper.copy()
    store.add([AnnotationItem("two", "Another text.")])
    keeper.copy()

    def copies() -> list[bytes]:
        every = [body for files in hub.commits[NAME].values() for body in files.values()]
        return [body for body in [*every, *hub.large.values()] if b"Zyxwv" in body]

    assert len(hub.commits[NAME]) > 2
    assert copies()
    erase(store, "Zyxwv", keep=keep)
    Backup(store.path.parent, NAME, KEY).copy()  # also by an app that started later
    assert not copies()
    assert list(hub.files(NAME)) == ["projects/p.sqlite"]
    commits = len(hub.commits[NAME])
    keeper.copy()
    keeper.copy()
    assert len(hub.commits[NAME]) <= commits + 1  # history is rewritten once
