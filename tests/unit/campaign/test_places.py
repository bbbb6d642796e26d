"""A campaign is the same wherever it lies: on a disk, in memory, or on an S3 server.

The cases of an S3 server run if ``HINTER_MOTO`` names the command ``moto_server``; ``pip install
"moto[server]"`` in an environment of its own makes it. The refusals of S3 are those of a small
server here, read by the real client.
"""

from __future__ import annotations

import os
import random
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path

import httpx2
import psutil
import pytest
from filelock import Timeout

import hinter_core as hinter
from hinter_core.campaign.findings import choose_sides
from hinter_core.campaign.listing import COMPLETE, RUNNING, campaigns_in
from hinter_core.campaign.parquet import StoreError
from hinter_core.campaign.progress import ProgressReader, missing_in_words
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running import locks
from hinter_core.campaign.running.journal import Asked, Journal
from hinter_core.campaign.running.parts import RunPart
from hinter_core.campaign.running.run import RunProgress, run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import HinterError, InputError
from hinter_core.places import PlaceError, RemotePath, place_of
from hinter_core.report import kept
from hinter_core.report.compared.comparison import compare
from hinter_core.report.model import make_report
from hinter_core.storage import write_whole
from hinter_core.types import Failure, Prediction
from tests.forked import Commands
from tests.unit.campaign.test_run import OTHER, PLAIN, RULES, tables, write_texts

MOTO = os.environ.get("HINTER_MOTO")
KINDS = ["disk", "memory", "s3"]
NUMBERS = count()
EXPIRES = 0.6


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of an S3 server with the bucket ``tests``."""
    if not MOTO:
        pytest.skip("HINTER_MOTO names no S3 server: see the first lines of the file")
    process = subprocess.Popen(
        [MOTO, "-H", "127.0.0.1", "-p", "0"], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    told = next(line for line in process.stderr if "Running on" in line)
    threading.Thread(target=process.stderr.read, daemon=True).start()
    address = told.split()[-1]
    httpx2.put(f"{address}/tests").raise_for_status()
    yield address
    process.kill()
    process.wait()


@pytest.fixture
def s3(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The bucket, with the environment that leads there."""
    reach(server, monkeypatch)
    return "s3://tests"


def reach(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "anyone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "known-to-nobody")


@pytest.fixture(params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder that is not there yet, on each kind of place."""
    number = next(NUMBERS)
    if request.param == "s3":
        return RemotePath(f"{request.getfixturevalue('s3')}/{number}/campaign")
    if request.param == "memory":
        return RemotePath(f"mock://memory/{number}/campaign")
    whole = tmp_path / "campaign"
    whole.mkdir()
    return whole


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    data = write_texts(tmp_path_factory.mktemp("data") / "texts.csv", 9)
    return Campaign(data=str(data), limit=6, shard=4, models=(RULES,), **PLAIN)


def put(path: Path, text: str) -> Path:
    with write_whole(path) as part:
        part.write_text(text, encoding="utf-8")
    return path


# Files


def test_files_are_written_listed_and_deleted(folder: Path) -> None:
    deep = folder / "inner"
    if not isinstance(folder, RemotePath):
        deep.mkdir()
    one, two = put(folder / "one.txt", "first"), put(deep / "two.json", "second")
    assert (one.read_text(), two.read_bytes()) == ("first", b"second")
    assert (one.exists(), one.is_file(), one.is_dir()) == (True, True, False)
    assert deep.is_dir()
    assert {path.name for path in folder.iterdir()} == {"one.txt", "inner"}
    assert [path.name for path in folder.glob("*.txt")] == ["one.txt"]
    assert [path.relative_to(folder).as_posix() for path in folder.rglob("*.json")] == [
        "inner/two.json"
    ]
    assert one.stat().st_size == 5
    before = one.stat().st_mtime_ns
    put(one, "of another length")
    assert one.read_text() == "of another length"
    assert one.stat().st_mtime_ns != before
    with pytest.raises(OSError, match="not empty"):
        folder.rmdir()
    one.unlink()
    one.unlink(missing_ok=True)
    assert not one.exists()
    with pytest.raises(FileNotFoundError):
        one.unlink()
    with pytest.raises(FileNotFoundError):
        one.read_text()
    two.unlink()
    deep.rmdir()
    folder.rmdir()
    assert not folder.exists()


def test_a_file_that_fails_to_be_written_leaves_the_one_before(folder: Path) -> None:
    path = put(folder / "one.txt", "first")
    for error in (ValueError, KeyboardInterrupt):
        with suppress(error), write_whole(path) as part:
            part.write_text("half")
            raise error
    with pytest.raises(FileNotFoundError), write_whole(folder / "new.txt"):
        pass
    assert path.read_text() == "first"
    assert [path.name for path in folder.iterdir()] == ["one.txt"]


def test_a_place_is_no_local_path() -> None:
    place = place_of("s3://bucket/some/folder")
    assert (str(place / "x.json"), place.name) == ("s3://bucket/some/folder/x.json", "folder")
    for use in (os.stat, os.listdir, open, Path.touch, Path.write_text):
        with pytest.raises(TypeError):
            use(place)  # type: ignore[operator]
    assert place_of(Path("s3://bucket/some/folder")) == place
    for local in ("campaign", "/tmp/x", "./s3", "C:/campaign", "~/x"):
        assert not isinstance(place_of(local), RemotePath)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("ftp://host/folder", "ftp:// is no place"),
        ("gs://bucket/folder", "or s3://BUCKET/FOLDER"),
        ("file:///tmp/x", "file:// is no place"),
        ("hf://buckets/me/mine", "hf buckets sync"),
        ("s3://", "s3://BUCKET/FOLDER"),
        ("s3://key:secret@bucket/x", "AWS_SECRET_ACCESS_KEY"),
    ],
)
def test_what_is_no_place_is_refused_in_one_line(written: str, said: str) -> None:
    for use in (place_of, hinter.load):
        with pytest.raises(InputError) as caught:
            use(written)
        assert said in str(caught.value)
        assert "secret@" not in str(caught.value)


# Locks


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "RENEWED", 0.05)
    monkeypatch.setattr(locks, "EXPIRES", EXPIRES)


def test_one_at_a_time_holds_a_lock(folder: Path) -> None:
    inside, most = [0], [0]
    guard = threading.Lock()

    def take(_: int) -> None:
        with locks.locked(folder / ".lock", 60):
            with guard:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            assert locks.held(folder / ".lock")
            with guard:
                inside[0] -= 1

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(take, range(8)))
    assert most == [1]
    assert not locks.held(folder / ".lock")


def test_a_lock_that_is_held_is_refused_and_given_back(folder: Path) -> None:
    lock = folder / ".lock"
    for _ in range(2):
        with locks.locked(lock), pytest.raises(Timeout), locks.locked(lock):
            pass
    with pytest.raises(KeyError), locks.locked(lock):
        raise KeyError
    with locks.locked(lock):
        pass


@pytest.mark.usefixtures("soon")
def test_the_lock_of_another_machine_is_free_once_it_is_not_renewed(folder: Path) -> None:
    if not isinstance(folder, RemotePath):
        pytest.skip("the lock of a disk is the kernel's")
    lock = folder / ".lock"
    other, ended = lock / "000000000000-1-1-other", threading.Event()
    other.put(b".")
    renewing = threading.Thread(target=locks._renew, args=(other, ended))
    renewing.start()
    assert locks.held(lock)
    with pytest.raises(Timeout), locks.locked(lock):
        pass
    ended.set()
    renewing.join()
    began = time.monotonic()
    with locks.locked(lock):
        assert not other.exists()
    assert time.monotonic() - began > EXPIRES / 2


def test_the_lock_of_a_process_that_has_ended_is_free_at_once(folder: Path) -> None:
    if not isinstance(folder, RemotePath):
        pytest.skip("the lock of a disk is the kernel's")
    ended = subprocess.Popen(["true"])
    names = [f"{locks._machine()}-{ended.pid}-{int(time.time())}-ended"]
    names.append(f"{locks._machine()}-{os.getppid()}-1-of-an-older-process")
    names.append(f"{locks._machine()}-{os.getpid()}-1-given-up")
    ended.wait()
    for name in names:
        (folder / ".lock" / name).put(b".")
    assert not locks.held(folder / ".lock")
    with locks.locked(folder / ".lock"):
        pass
    alive = f"{locks._machine()}-{os.getppid()}-{int(psutil.Process(os.getppid()).create_time())}-x"
    (folder / ".lock" / alive).put(b".")
    with pytest.raises(Timeout), locks.locked(folder / ".lock"):
        pass


# Campaigns


def same(folder: Path, reference: Path) -> None:
    assert tables(folder) == tables(reference)
    store = CampaignStore(folder)
    assert store.verify() == []
    assert missing_in_words(store) == ""
    assert not store.running()


def test_a_campaign_is_run_read_and_reported(
    folder: Path, campaign: Campaign, reference: Path
) -> None:
    store = CampaignStore(folder)
    states: list[str] = []

    def look(_: RunProgress) -> None:
        states.extend(one.state for one in campaigns_in(folder.parent) if one.path == str(folder))

    run_campaign(campaign, store, on_progress=look)
    same(folder, reference)
    assert states == [RUNNING] * 3
    assert [one.state for one in campaigns_in(folder.parent)] == [COMPLETE]
    seen = ProgressReader().look(store, campaign.models, 0.0)
    assert (seen.complete, seen.texts) == (True, 9)
    with CampaignReader(store) as reader:
        assert len(list(reader.records())) == seen.mutants
        columns, rows = reader.query("SELECT count(*) AS n FROM findings", 60)
        assert (columns, list(rows)) == (["n"], [(seen.mutants,)])
        with pytest.raises(InputError, match="disabled"):
            reader.query(f"SELECT * FROM read_text('{folder}/campaign.json')", 60)
    report = make_report(store)
    expected = make_report(CampaignStore(reference))
    assert (report.models, report.texts) == (expected.models, expected.texts)
    for sides in ((store, CampaignStore(reference)), (CampaignStore(reference), store)):
        compared = compare(*choose_sides(*sides))
        assert (compared.changes, len(compared.alike) > 0) == ([], True)
    key = kept.key_of(store)
    kept.keep(store, key, report)
    found = kept.read(store, key)
    assert found is not None
    assert found.texts == report.texts
    assert kept.key_of(store) == key


def test_parts_together_are_one_run(folder: Path, campaign: Campaign, reference: Path) -> None:
    for number in (2, 1):
        store = CampaignStore(folder, RunPart(number, 2))
        run_campaign(campaign, store)
        assert ("of the parts 1/2" in missing_in_words(store)) is (number == 2)
    same(folder, reference)


def test_a_second_model_and_failures_are_asked_later(
    folder: Path, campaign: Campaign, tmp_path: Path
) -> None:
    both = replace(campaign, models=(RULES, OTHER))
    run_campaign(campaign, CampaignStore(folder))
    done = run_campaign(both, CampaignStore(folder))
    assert done.parses == 0
    run_campaign(both, CampaignStore(tmp_path / "whole"))
    assert tables(folder) == tables(tmp_path / "whole")
    damaged = next(iter(sorted(CampaignStore(folder).shards.glob("*.mutants.parquet"))))
    put(damaged, "no table")
    with pytest.raises(StoreError, match="damaged"):
        make_report(CampaignStore(folder))
    assert run_campaign(both, CampaignStore(folder)).repaired == 4
    assert tables(folder) == tables(tmp_path / "whole")


def test_one_run_at_a_time_and_no_other_campaign(folder: Path, campaign: Campaign) -> None:
    store = CampaignStore(folder)
    run_campaign(campaign, store)
    with store.alone(), pytest.raises(StoreError, match="Another process"):
        run_campaign(campaign, store)
    with pytest.raises(StoreError, match="another campaign"):
        run_campaign(replace(campaign, seed=3), store)
    other = folder.parent / "other"
    if not isinstance(other, RemotePath):
        other.mkdir()
    put(other / "note.txt", "mine")
    with pytest.raises(StoreError, match="not empty"):
        run_campaign(campaign, CampaignStore(other))
    refused = folder.parent / "refused"
    with pytest.raises(HinterError, match="no_such"):
        run_campaign(replace(campaign, models=("python:no_such:model",)), CampaignStore(refused))
    assert not refused.exists()


class Killed(BaseException):
    """No handler of errors catches it."""


@pytest.mark.parametrize("seed", range(3))
def test_whatever_write_a_run_ends_at_it_goes_on_to_equal_tables(
    campaign: Campaign, reference: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stops before or after each write, and what it holds is given back by nobody."""
    rng, whole = random.Random(seed), RemotePath.put
    place = RemotePath(f"mock://memory/{next(NUMBERS)}/campaign")
    left = [0]

    def write(path: RemotePath, content: object) -> None:
        left[0] -= 1
        if left[0] == 0 and rng.random() < 0.5:
            raise Killed
        whole(path, content)
        if left[0] <= 0:
            raise Killed

    def unlink(path: RemotePath, missing_ok: bool = False) -> None:
        if left[0] <= 0:
            raise Killed
        kept_unlink(path, missing_ok)

    kept_unlink = RemotePath.unlink
    for _ in range(4):
        left[0] = rng.randint(1, 12)
        with monkeypatch.context() as patch:
            patch.setattr(RemotePath, "put", write)
            patch.setattr(RemotePath, "unlink", unlink)
            try:
                run_campaign(campaign, CampaignStore(place))
            except Killed:
                locks._ours.clear()  # as those of a process that is gone
    run_campaign(campaign, CampaignStore(place))
    same(place, reference)


def test_the_journal_of_a_prioritised_run_keeps_every_answer(folder: Path) -> None:
    path = folder / "priority" / "model.jsonl"
    answers = {Asked(True, number): Prediction(labels=(str(number),)) for number in range(5)}
    with Journal(path) as journal:
        for number, (key, answer) in enumerate(answers.items()):
            journal.add([(key, answer)])
            assert len(Journal(path).known) == number + 1
        journal.add([])
    with Journal(path) as journal:
        journal.add([(Asked(False, 1), Prediction(failure=Failure.REFUSED))])
    assert list(path.parent.iterdir()) == [path]  # and not a file for each batch
    assert len(Journal(path).known) == 6
    assert Journal(path).forget_failures()
    assert Journal(path).known == answers
    assert [file.name for file in path.parent.iterdir()] == ["model.jsonl"]


def test_a_prioritised_run_is_interrupted_and_ends_the_same(
    folder: Path, campaign: Campaign, tmp_path: Path
) -> None:
    chosen = replace(campaign, prioritise="adaptive")
    run_campaign(chosen, CampaignStore(tmp_path / "whole"))
    states = count()
    run_campaign(chosen, CampaignStore(folder), cancelled=lambda: next(states) > 4)
    done = run_campaign(chosen, CampaignStore(folder))
    assert done.complete
    assert tables(folder) == tables(tmp_path / "whole")


# S3


def test_the_command_line_takes_a_url(
    s3: str, campaign: Campaign, reference: Path, commands: Commands
) -> None:
    url = f"{s3}/{next(NUMBERS)}/campaign"
    options = ["--data", campaign.data, "--limit", "6", "--shard", "4", "--model", RULES]
    options += ["--no-atomic", "--no-placebo", "--out", url]
    for part in ("1/2", "2/2"):
        done = commands.run("run", *options, "--part", part)
        assert done.code == 0, done.err
    same(RemotePath(url), reference)
    refused = commands.run("run", *options[:-1], "s4://bucket/folder")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "s4:// is no place" in refused.err
    assert "add --resume" in commands.run("run", *options).err
    assert commands.run("run", *options, "--resume").code == 0
    for command in ("verify", "report", "mutants", "list"):
        assert commands.run(command, url).code == 0, command
    assert str(hinter.load(url)) == str(hinter.load(reference)).replace(str(reference), url)


def test_a_run_that_is_killed_on_s3_goes_on(
    s3: str, campaign: Campaign, reference: Path, commands: Commands
) -> None:
    place = RemotePath(f"{s3}/{next(NUMBERS)}/campaign")
    command = [
        "run", "--data", campaign.data, "--limit", "6", "--model", RULES, "--shard", "4",
        "--no-atomic", "--no-placebo", "--out", str(place), "--resume",
    ]  # fmt: skip
    shards = CampaignStore(place).shards
    for number in range(1, 8, 3):
        process = commands.start(*command)
        while len(list(shards.iterdir())) < number:
            assert psutil.pid_exists(process)
        commands.kill(process)
    done = commands.run(*command)
    assert done.code == 0, done.err
    same(place, reference)


class Link:
    """Passes connections on to a server, until it is cut."""

    def __init__(self, address: str) -> None:
        host, _, port = address.removeprefix("http://").partition(":")
        self._there, self._cut = (host, int(port)), False
        self._open: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self, now: bool = True) -> None:
        self._cut = now
        for one in self._open if now else ():
            with closing(one), suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        while True:
            here, _ = self._door.accept()
            if self._cut:
                here.close()
                continue
            there = socket.create_connection(self._there)
            self._open += [here, there]
            for one, other in ((here, there), (there, here)):
                threading.Thread(target=_pass, args=(one, other), daemon=True).start()


def _pass(one: socket.socket, other: socket.socket) -> None:
    try:
        while held := one.recv(65536):
            other.sendall(held)
        other.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def test_a_place_that_goes_away_loses_nothing(
    server: str, campaign: Campaign, reference: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    httpx2.put(f"{server}/far").raise_for_status()
    link = Link(server)
    reach(link.address, monkeypatch)
    place = RemotePath("s3://far/campaign")
    with pytest.raises(PlaceError, match="s3://far cannot be reached"):
        run_campaign(campaign, CampaignStore(place), on_progress=lambda _: link.cut())
    link.cut(False)
    assert CampaignStore(place).known() == [0]
    with CampaignReader(CampaignStore(place)) as reader:
        reader.check([0])
        sql = f"SELECT count(*) FROM ({reader.tables().answers})"
        link.cut()
        with pytest.raises(PlaceError):  # not that a table is damaged
            reader.run(sql)
        link.cut(False)
    done = run_campaign(campaign, CampaignStore(place))
    assert (done.repaired, done.shards) == (0, 3)
    same(place, reference)


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int, str], None]]:
    """A server that answers everything with a status and an error code of S3."""
    answer = [(200, "")]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, code = answer[0]
            body = f"<Error><Code>{code}</Code><Message>No.</Message></Error>".encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_PUT = do_HEAD = do_POST = do_DELETE = do_GET

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    reach(f"http://127.0.0.1:{server.server_port}", monkeypatch)
    yield lambda status, code: answer.__setitem__(0, (status, code))
    server.shutdown()


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (403, "AccessDenied", "AWS_ACCESS_KEY_ID"),
        (403, "InvalidAccessKeyId", "AWS_PROFILE"),
        (403, "SignatureDoesNotMatch", "refuses access"),
        (400, "ExpiredToken", "refuses access"),
        (404, "NoSuchBucket", "There is no bucket s3://refused"),
    ],
)
def test_what_s3_refuses_is_said_in_one_sentence(
    refusing: Callable[[int, str], None], campaign: Campaign, status: int, code: str, said: str
) -> None:
    refusing(status, code)
    store = CampaignStore(RemotePath(f"s3://refused{next(NUMBERS)}/campaign"))
    with pytest.raises(PlaceError) as caught:
        run_campaign(campaign, store)
    assert said in str(caught.value)
    assert "AWS Error" not in str(caught.value)
    with pytest.raises(HinterError):
        make_report(store)


def test_a_server_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        reach(f"http://127.0.0.1:{door.getsockname()[1]}", monkeypatch)
    monkeypatch.setenv("AWS_REGION", "us-east-1")  # or the server is asked for it
    with pytest.raises(PlaceError, match="cannot be reached"):
        CampaignStore(RemotePath("s3://gone/campaign")).read()


@pytest.mark.parametrize(
    "written",
    ["s3://bucket/x/../y", "s3://bucket/./y", "s3://../x", "s3://a b/x", "s3://b?key=hush/x"],
)
def test_what_is_no_folder_of_a_bucket_is_refused(written: str) -> None:
    with pytest.raises(InputError) as caught:
        place_of(written)
    assert "hush" not in str(caught.value)
