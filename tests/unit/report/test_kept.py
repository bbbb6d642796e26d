"""A report is computed once, and never kept beyond what it was computed from."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest

from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import HinterError
from hinter_core.report import kept, model
from hinter_core.report.model import Report, make_report

MODEL = 'scripted:negative if "white" and "woman"; positive otherwise'
TEXTS = ["The black man was kind.", "The short white man was kind.", ""]


@pytest.fixture(scope="module")
def made(make: Callable[..., CampaignStore]) -> Path:
    return make(TEXTS, ["race", "gender"], 2, MODEL).folder


@pytest.fixture
def store(made: Path, tmp_path: Path) -> CampaignStore:
    """A copy of one campaign, of which no report is kept."""
    return CampaignStore(Path(shutil.copytree(made, tmp_path / "campaign")))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The campaigns that were counted."""
    asked: list[str] = []
    count = model.count

    def noted(reader: object, *more: object) -> object:
        asked.append("counted")
        return count(reader, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(model, "count", noted)
    return asked


def test_a_report_is_computed_once_and_says_the_same(
    store: CampaignStore, counted: list[str]
) -> None:
    first = make_report(store)
    assert make_report(store) == first
    assert make_report(CampaignStore(store.folder)) == first
    assert counted == ["counted"]
    assert store.verify() == []
    # A part of it is another report.
    assert make_report(store, attributes=("race",)) != first
    assert make_report(store, models=[MODEL]).models == first.models
    assert len(counted) == 3


def _turn(store: CampaignStore) -> None:
    """Rewrite a table with other answers, of the same size and time as far as a writer can."""
    (path,) = store.shards.glob("*.answers-*.parquet")
    times = path.stat()
    table = pyarrow.parquet.read_table(path)
    at = table.schema.get_field_index("verdict")
    other = ["benign" if v == "hidden" else v for v in table["verdict"].to_pylist()]
    table = table.set_column(at, table.schema.field(at), [other])
    pyarrow.parquet.write_table(table, path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _note(store: CampaignStore) -> None:
    store.note(runs=[{"finished": "2031-01-01", "hinter": "9"}])


def _grow(store: CampaignStore) -> None:
    shutil.copy(next(store.shards.glob("*.answers-*")), store.shards / "notes.txt")


@pytest.mark.parametrize("change", [_turn, _note, _grow])
def test_what_it_was_computed_from_changes(
    store: CampaignStore, counted: list[str], change: Callable[[CampaignStore], None]
) -> None:
    before = make_report(store)
    change(store)
    after = make_report(store)
    assert len(counted) == 2
    assert (after == before) is (change is _grow)


def test_another_program_computes_it_again(
    store: CampaignStore, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_report(store)
    monkeypatch.setattr(kept, "_PROGRAM", "later")
    make_report(store)
    monkeypatch.setattr(kept, "VERSION", 99)
    make_report(store)
    assert len(counted) == 3


def test_a_damaged_one_is_computed_again(store: CampaignStore, counted: list[str]) -> None:
    first = make_report(store)
    packed = [gzip.compress(text, mtime=0) for text in (b"[1", b"[]", b'{"key": "x"}')]
    for number, content in enumerate((b"", b"no gzip", *packed), start=2):
        (store.folder / kept.NAME).write_bytes(content)
        assert make_report(store) == first
        assert make_report(store) == first  # and kept again
        assert len(counted) == number, content


def test_a_file_names_no_other_class(store: CampaignStore, tmp_path: Path) -> None:
    make_report(store)
    key = kept.key_of(store)
    for kind in ("pathlib:Path", "hinter_core.report.kept:keep", "os:system"):
        told = {"key": key, "report": {kind: [str(tmp_path)]}}
        with gzip.open(store.folder / kept.NAME, "wt") as file:
            json.dump(told, file)
        assert kept.read(store, key) is None, kind
    assert isinstance(make_report(store), Report)


def test_an_unfinished_or_running_campaign_keeps_none(
    store: CampaignStore, counted: list[str]
) -> None:
    with store.alone():
        make_report(store)
    assert not (store.folder / kept.NAME).exists()
    size = store.read()["size"]
    store.note(size={**size, "shards": size["shards"] + 1})
    make_report(store)
    assert not (store.folder / kept.NAME).exists()
    assert len(counted) == 2


def test_a_directory_that_cannot_be_written_is_read(
    store: CampaignStore, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> object:
        raise PermissionError(13, "read-only", str(path))

    monkeypatch.setattr(kept, "write_whole", refuse)
    assert make_report(store) == make_report(store)
    assert [path.name for path in store.folder.iterdir() if "report" in path.name] == []
    assert len(counted) == 2


def test_a_kept_report_hides_no_damage(store: CampaignStore) -> None:
    make_report(store)
    next(store.shards.glob("*.mutants.parquet")).write_bytes(b"PAR1 torn")
    with pytest.raises(HinterError, match="damaged"):
        make_report(store)
