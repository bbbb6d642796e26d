"""Where data lie, and how they reach a mounted bucket and come back."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from hinter_core.annotation.backup import annotations_folder
from hinter_core.mirror import Mirror
from hinter_core.models.cache import default_path
from hinter_core.storage import DATA, data_place, mirrored_folder, open_database, user_cache

OLD = ("HINTER_CAMPAIGNS", "HINTER_ANNOTATIONS", "HINTER_CLASSES", "HINTER_REPAIRS", "HINTER_CACHE")
MOUNTED = Path("/dev/shm")


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (*OLD, DATA, "SPACE_ID", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_one_setting_moves_all_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_place("campaigns", OLD[0]) == user_cache() / "campaigns"
    home = tmp_path / "data"
    home.mkdir()
    monkeypatch.setenv(DATA, str(home))
    assert data_place("campaigns", OLD[0]) == home / "campaigns"
    assert annotations_folder() == home / "annotations"
    assert default_path() == home / "predictions.sqlite"
    monkeypatch.setenv("HINTER_ANNOTATIONS", str(tmp_path / "own"))
    assert annotations_folder() == tmp_path / "own"
    assert default_path() == home / "predictions.sqlite"


def test_data_on_a_mounted_bucket_lie_on_the_local_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    if not MOUNTED.is_mount():
        pytest.skip("nothing is mounted here that can be written")
    monkeypatch.setenv(DATA, str(MOUNTED))
    assert mirrored_folder() is None  # this machine's own memory is a local disk
    assert data_place("classes", OLD[2]) == MOUNTED / "classes"
    monkeypatch.setenv("SPACE_ID", "some/space")  # whose mounts are buckets
    assert mirrored_folder() == MOUNTED
    monkeypatch.setenv(DATA, str(MOUNTED / "."))
    assert data_place("classes", OLD[2]) == user_cache() / "classes"
    assert Mirror.from_environment() is not None
    monkeypatch.delenv(DATA)
    assert mirrored_folder(MOUNTED) == MOUNTED  # where a Space has its volume
    assert mirrored_folder(user_cache()) is None


def test_files_and_databases_go_to_the_bucket_and_come_back(tmp_path: Path) -> None:
    home, bucket, again = (tmp_path / name for name in ("home", "bucket", "again"))
    bucket.mkdir()
    campaign = home / "campaigns" / "one"
    campaign.mkdir(parents=True)
    (campaign / "job.json").write_text("{}")
    (campaign / "job.json.1-2.part").write_text("half")
    (home / "unrelated.txt").write_text("not ours")
    database = open_database(home / "classes" / "classes.sqlite")
    database.execute("CREATE TABLE guess (choice)")
    database.execute("INSERT INTO guess VALUES ('a')")

    mirror = Mirror(home, bucket)
    assert mirror.copy() == ["campaigns/one/job.json", "classes/classes.sqlite"]
    assert mirror.copy() == []  # nothing changed
    database.execute("INSERT INTO guess VALUES ('b')")
    assert mirror.copy() == ["classes/classes.sqlite"]  # the log of a database counts

    restored = Mirror(again, bucket).restore()
    assert restored == ["campaigns/one/job.json", "classes/classes.sqlite"]
    with sqlite3.connect(again / "classes" / "classes.sqlite") as copy:
        assert copy.execute("SELECT count(*) FROM guess").fetchone() == (2,)
    assert {path.name for path in bucket.iterdir()} == {"campaigns", "classes"}


def test_what_is_here_is_not_overwritten_and_what_is_deleted_goes(tmp_path: Path) -> None:
    home, bucket = tmp_path / "home", tmp_path / "bucket"
    for folder, text in ((home, "newer"), (bucket, "older")):
        (folder / "repairs").mkdir(parents=True)
        (folder / "repairs" / "a.txt").write_text(text)
    mirror = Mirror(home, bucket)
    assert mirror.restore() == []
    assert (home / "repairs" / "a.txt").read_text() == "newer"
    (home / "repairs" / "a.txt").unlink()
    assert mirror.copy() == ["repairs/a.txt"]
    assert not (bucket / "repairs" / "a.txt").exists()


def test_one_file_that_cannot_be_copied_does_not_stop_the_rest(tmp_path: Path) -> None:
    home, bucket = tmp_path / "home", tmp_path / "bucket"
    (home / "campaigns").mkdir(parents=True)
    (home / "campaigns" / "a.sqlite").write_text("no database")
    (home / "campaigns" / "b.txt").write_text("b")
    bucket.mkdir()
    assert Mirror(home, bucket).copy() == ["campaigns/b.txt"]


def test_what_changed_until_the_end_is_copied(tmp_path: Path) -> None:
    home, bucket = tmp_path / "home", tmp_path / "bucket"
    bucket.mkdir()
    mirror = Mirror(home, bucket, every=3_600)
    mirror.start()
    (home / "repairs").mkdir(parents=True)
    (home / "repairs" / "late.txt").write_text("late")
    mirror.close()
    assert (bucket / "repairs" / "late.txt").read_text() == "late"
