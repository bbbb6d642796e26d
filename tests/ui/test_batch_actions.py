"""The Batch tab without a browser: who sees what, what a shared host refuses, what is kept."""

from __future__ import annotations

import csv
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import gradio as gr
import pytest
from markupsafe import Markup

from hinter_core.annotation.invitation import Reached
from hinter_core.campaign.preview import preview as look
from hinter_core.campaign.progress import TOGETHER
from hinter_core.campaign.spec import Campaign
from hinter_core.errors import HinterError, InputError
from hinter_core.models.cache import KeptAnswers
from hinter_core.terms.dictionary import load_shipped
from hinter_ui.batch import html
from hinter_ui.batch.actions import BatchActions
from hinter_ui.batch.events import BatchEvents, JobEvents
from hinter_ui.batch.form import SETTINGS, BatchForm
from hinter_ui.batch.jobs import campaign_file, log_file, record_of, settings_of, write_record
from hinter_ui.batch.layout import BatchLayout
from hinter_ui.batch.preview import preview
from hinter_ui.batch.updates import BatchUpdates
from hinter_ui.environment import KEEP
from hinter_ui.html.wording import speak
from hinter_ui.processes.record import RunState
from hinter_ui.shared.access import Access
from hinter_ui.shared.library import CAMPAIGNS_FOLDER, known, names_kept, noted
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from tests.conformance.faulty_server import FaultyServer
from tests.conformance.hub import LocalHub, ask_there, parquet
from tests.ui.test_jobs import KEY, PEOPLE, RULES, until

HERE = Reached("", network=False, alone=False)

pytestmark = pytest.mark.usefixtures("quick_campaigns")


def filled(form: BatchForm, **changes: object) -> BatchForm:
    """The form with other values in some of its fields."""
    settings = {name: changes.pop(name) for name in tuple(changes) if name in SETTINGS}
    return replace(form, settings={**form.settings, **settings}, **changes)  # type: ignore[arg-type]


SMALL = filled(BatchForm(), models=(RULES,), sample=2, limit=3, atomic=False, placebo=False)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CAMPAIGNS_FOLDER, str(tmp_path / "shelf"))
    monkeypatch.setenv("HINTER_CACHE", str(tmp_path / "shared.sqlite"))
    return tmp_path / "shelf"


def desk_at(access: Access) -> Iterator[BatchActions]:
    actions = BatchActions(Services(access))
    yield actions
    actions.jobs.close()


@pytest.fixture
def local() -> Iterator[BatchActions]:
    yield from desk_at(Access(local=True))


@pytest.fixture
def public() -> Iterator[BatchActions]:
    yield from desk_at(Access())


def test_a_shared_host_lists_to_a_visitor_what_their_browser_keeps(
    public: BatchActions, local: BatchActions
) -> None:
    session = Session()
    mine, other = public.start(Session(), SMALL), public.start(session, SMALL)
    assert [s.id for s in public.listed([])] == []
    assert [s.id for s in public.listed([mine.id, "../../etc", "x" * 20])] == [mine.id]
    assert {s.id for s in local.listed([])} == {mine.id, other.id}
    assert public.status(other.id).id == other.id  # whoever has the link has the key
    until(lambda: public.jobs.state(other) is RunState.DONE)
    public.delete(session, other.id)
    assert not other.folder.exists()
    with pytest.raises(InputError, match="no such campaign"):
        public.status(other.id)
    until(lambda: not public.jobs.state(mine).busy)


def test_who_has_the_link_reads_and_only_the_owner_changes(
    public: BatchActions, local: BatchActions
) -> None:
    owner, reader = Session(), Session()
    entry = public.start(owner, SMALL)
    changes: list[Callable[[Session], object]] = [
        lambda who: public.cancel(who, entry.id),
        lambda who: public.resume(who, entry.id),
        lambda who: public.resume(who, entry.id, retry=True),
        lambda who: public.go_on(who, entry.id, ["vader"], None, None),
        lambda who: public.delete(who, entry.id),
    ]
    key = owner.owned[entry.id]
    for wrong in ("", "x" * 22, key[:-1], key + "A", "\x00", record_of(entry).owner):
        reader.owned = {entry.id: wrong} if wrong else {}
        for change in changes:
            with pytest.raises(InputError, match="Only the browser that started this campaign"):
                change(reader)
    until(lambda: public.jobs.state(entry) is RunState.DONE)
    assert public.status(entry.id).state is RunState.DONE
    assert key not in campaign_file(entry).read_text() + (entry.folder / "job.json").read_text()
    # The browser keeps the key for later pages; what it sends may be anything.
    kept = noted(owner, [entry.id])
    page = Session()
    assert known(page, [*kept, 5, None, "x y z", f"{entry.id}x"])[0] == entry.id
    public.go_on(page, entry.id, [RULES, "vader"], None, None)
    until(lambda: not public.jobs.state(entry).busy)
    public.delete(page, entry.id)
    assert not entry.folder.exists()
    # One from before there were keys is read by all, and is the machine's owner's.
    old = public.start(owner, SMALL)
    until(lambda: public.jobs.state(old) is RunState.DONE)
    write_record(old, replace(record_of(old), owner=""))
    assert public.status(old.id).state is RunState.DONE
    for session in (owner, Session()):
        with pytest.raises(InputError, match="Only the browser"):
            public.delete(session, old.id)
    local.delete(Session(), old.id)
    assert not old.folder.exists()


def test_campaigns_count_against_what_a_visitor_may_store(
    public: BatchActions, folder: Path
) -> None:
    session = Session()
    public._services.require_room(session, 200_000_000 - 500_000)
    with pytest.raises(InputError, match="more than 200 MB within an hour"):
        public.start(session, SMALL)
    assert not list((folder / "shelf").glob("*"))
    assert not session.owned


def test_a_page_keeps_so_many_keys() -> None:
    session = Session()
    for number in range(20):
        known(session, [f"{'n' * 16}{number}-{i} {'k' * 22}" for i in range(80)])
    assert len(session.owned) == 100


def test_a_reader_is_offered_no_button_that_changes(public: BatchActions) -> None:
    owner = Session()
    entry = public.start(owner, SMALL)
    until(lambda: public.jobs.state(entry) is RunState.DONE)
    with gr.Blocks():
        names_kept()
        services = Services(Access())
        updates = BatchUpdates(services, public, BatchLayout(services, lambda: Markup("")))
    job = updates.ui.job
    for session, mine in ((owner, True), (Session(), False)):
        shown = updates.opened(session, entry.id, [entry.id])
        assert shown[job.buttons["delete"]]["visible"] is mine
        assert shown[job.again]["visible"] is mine
        assert shown[job.buttons["file"]]["visible"]
        assert ("reading a shared campaign" in str(shown[job.title])) is not mine


def test_a_campaign_whose_results_are_open_is_listed_before_the_browser_keeps_it(
    public: BatchActions,
) -> None:
    entry = public.start(Session(), SMALL)
    with gr.Blocks():
        names_kept()
        services = Services(Access())
        updates = BatchUpdates(services, public, BatchLayout(services, lambda: Markup("")))
    table, visitor, stranger = updates.ui.table, Session(), Session()
    visitor.campaign = entry.id
    assert entry.id in str(updates.watched(visitor, "", [])[table])
    assert entry.id not in str(updates.watched(stranger, "", [])[table])
    until(lambda: not public.jobs.state(entry).busy)


def test_a_look_that_began_before_a_start_is_told_before_it(
    public: BatchActions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its differences would hide what was started, and stop the timer."""
    entry = public.start(Session(), SMALL)
    with gr.Blocks():
        names_kept()
        services = Services(Access())
        with gr.Tabs(), gr.Tab():
            updates = BatchUpdates(services, public, BatchLayout(services, lambda: Markup("")))
            events, acting = BatchEvents(updates), JobEvents(updates)
    visitor, order = Session(), list[str]()
    looking, listed = threading.Event(), public.listed

    def slowly(names: Sequence[str]) -> object:
        if not names:
            looking.set()
            time.sleep(0.2)
        order.append("opened" if names else "looked")
        return listed(names)

    monkeypatch.setattr(public, "listed", slowly)
    with ThreadPoolExecutor() as pool:
        look = pool.submit(events.look, visitor, "", [])
        assert looking.wait(20)
        shown = updates.opened(visitor, entry.id, [entry.id])
        look.result()
    assert order == ["looked", "opened"]
    assert entry.id in str(shown[updates.ui.table])
    # Nor does an empty address that is read late close it.
    late = events.open_page(visitor, [entry.id])
    assert late.get(updates.ui.job.box, {"visible": True})["visible"]
    # A button that is pressed before the page hears what is open acts on that, or on its link.
    pressed: list[str] = []
    press = acting._acting(lambda session, name: pressed.append(name))
    linked = gr.Request(headers={}, query_params={"campaign": entry.id})
    for page in (visitor, acting.session(linked)):
        told = press(page, "", [entry.id])
        assert told.get(updates.ui.job.box, {"visible": True})["visible"]
    assert pressed == [entry.id, entry.id]
    until(lambda: not public.jobs.state(entry).busy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "path", "path": "/etc/passwd"}, "Choose where the texts come from"),
        (
            {"source": "hub", "hub": "/etc"},
            "not the name of a data set on the Hub. Type it as",
        ),
        ({"source": "hub", "hub": "hf:assets/samples"}, "not the name of a data set on the Hub"),
        (
            {"source": "hub", "hub": "hf:a/.."},
            "not the name of a data set on the Hub. Type it as",
        ),
        (
            {"guide": "python:os:getcwd", "order": 3, "attributes": ("race", "gender", "body")},
            "on the command line only",
        ),
        ({"sample": None}, "shared host: test at most 500 texts"),
        ({"sample": 501}, "shared host: test at most 500 texts"),
        ({"limit": None}, "shared host: test at most 100 intersectional mutants"),
        ({"workers": 2}, "shared host: leave Workers at 1"),
        ({"parser": "/etc"}, "This page loads the parser"),
        ({"models": ("hf:../etc",)}, "name a model of the Hugging Face Hub"),
        ({"models": ("python:os:getcwd",)}, "on the command line only"),
        ({"models": ("openai:x?base_url=http://10.0.0.1/v1",)}, "may not ask"),
    ],
)
def test_a_shared_host_refuses(
    public: BatchActions, folder: Path, change: dict[str, object], message: str
) -> None:
    form = filled(SMALL, **change)
    for act in (public.start, public.estimate):
        with pytest.raises(HinterError, match=message):
            act(Session(), form)
    assert not folder.exists()


def test_a_shared_host_deletes_what_nothing_happens_to(
    public: BatchActions, local: BatchActions, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, fresh = (public.start(Session(), SMALL) for _ in range(2))
    until(lambda: public.jobs.state(fresh) is RunState.DONE)
    monkeypatch.setenv(KEEP, "2")
    record, days = record_of(old), 3 * 86_400
    write_record(old, replace(record, created=record.created - days, started=record.started - days,
                              ended=record.ended - days))  # fmt: skip
    local.clear_old()
    assert old.folder.exists()
    public.clear_old()
    assert not old.folder.exists()
    assert fresh.folder.exists()


def test_a_key_is_asked_for_used_and_kept_in_memory_only(local: BatchActions, folder: Path) -> None:
    with FaultyServer() as server:
        form = filled(SMALL, models=(f"openai:tiny?base_url={server.base_url}&retries=0",))
        with pytest.raises(HinterError, match="needs a key: load it in the Models tab"):
            local.start(Session(), form)
        session = Session(keys={server.base_url: KEY})
        seen = local.estimate(session, form)
        (cost,) = seen.costs.values()
        assert cost.requests > 0
        assert not server.asked
        entry = local.start(session, form)
        until(lambda: not local.jobs.state(entry).busy)
        status = local.status(entry.id)
        assert status.state is RunState.DONE, log_file(entry).read_text()
        assert server.keys == {f"Bearer {KEY}"}
        with pytest.raises(HinterError, match="needs a key"):
            local.resume(Session(), entry.id)
    places = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    shown = "".join(map(str, (html.title(status, HERE), html.progress(status)))).encode()
    assert len(places) > 5
    assert not [place[:80] for place in (*places, shown) if KEY.encode() in place]


def test_an_upload_is_kept_with_its_campaign(local: BatchActions, tmp_path: Path) -> None:
    upload = tmp_path / "people \u00fc 1.csv"
    upload.write_text("number,remark\n1,The black man was kind.\n2,\n", encoding="utf-8")
    form = filled(SMALL, source="upload", upload=str(upload), sample=None)
    entry = local.start(Session(), form)
    upload.unlink()
    until(lambda: not local.jobs.state(entry).busy)
    status = local.status(entry.id)
    assert status.state is RunState.DONE
    assert status.seen.outcomes == {"tested": 1, "unusable": 1}
    assert "earlier checks" not in html.progress(status)
    status.seen.kept = KeptAnswers(4, 0.0)
    assert "4 answers are from earlier checks or campaigns, the oldest" in html.progress(status)
    assert status.record.title == "people \u00fc 1.csv"
    assert status.campaign.text_column == "remark"
    told = local.file_of(entry.id)
    assert "data: people_\u00fc_1.csv" in told
    assert str(tmp_path) not in told
    assert str(tmp_path) not in campaign_file(entry).read_text(encoding="utf-8")


def test_what_breaks_is_told_and_others_are_still_listed(local: BatchActions, folder: Path) -> None:
    good, lost, broken = (local.start(Session(), SMALL) for _ in range(3))
    until(lambda: not any(local.jobs.state(entry).busy for entry in (good, lost, broken)))
    (lost.folder / "job.json").write_text("{")
    (broken.store.folder / "campaign.json").write_text("{")
    assert [s.id for s in local.listed([])] == [broken.id, good.id]
    assert "campaign.json is damaged" in local.status(broken.id).problem
    assert str(folder) not in local.status(broken.id).problem
    with pytest.raises(InputError, match="notes of this campaign are damaged"):
        local.status(lost.id)
    local.resume(Session(), broken.id)
    until(lambda: local.jobs.state(broken) is RunState.FAILED)
    problem = local.status(broken.id).problem
    assert "damaged" in problem
    assert str(folder) not in problem


def test_rate_and_time_left_come_from_this_run_alone(local: BatchActions) -> None:
    entry = local.start(Session(), SMALL)
    until(lambda: local.jobs.state(entry) is RunState.DONE)
    record = record_of(entry)
    assert local.status(entry.id).seen.since[0] == 2
    for path in entry.store.shards.iterdir():
        os.utime(path, (record.started - 60, record.started - 60))
    write_record(entry, replace(record, started=time.time(), ended=0.0))
    status = local.status(entry.id)
    assert status.seen.since == (0, 0)
    assert status.seconds_left is None


def test_a_data_set_of_the_hub_is_tested_at_its_commit(
    local: BatchActions, public: BatchActions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = LocalHub()
    monkeypatch.setenv("HF_ENDPOINT", hub.address)  # for the process of the campaign
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    ask_there(hub.address, monkeypatch, str(tmp_path / "hf"))
    texts = [f"The {PEOPLE[i % 5]} was kind, said guest {i}." for i in range(6)]
    files = {"test.parquet": parquet(remark=texts, verdict=["good"] * 6, seat=list("abcdef"))}
    sha = hub.commit("some/people", files)
    form = filled(SMALL, source="hub", hub="some/people", label_column="verdict", id_column="seat")
    seen = local.preview(form)
    assert (seen.looked_at, seen.labels["good"], seen.rows[0].id) == (6, 6, "a")
    with pytest.raises(InputError, match="no data set 'some/none'"):
        local.preview(filled(form, hub="hf:some/none"))
    # Nobody has counted these rows, and there may be any number of them.
    with pytest.raises(InputError, match=r"at most 100,000 rows \(this one does not say"):
        public.start(Session(), form)
    entry = local.start(Session(), form)
    hub.commit("some/people", {"test.parquet": parquet(remark=["Other."], verdict=["bad"])})
    until(lambda: not local.jobs.state(entry).busy)
    status = local.status(entry.id)
    assert status.state is RunState.DONE, log_file(entry).read_text()
    assert status.record.title == "hf:some/people"
    named = f"hf:some/people?split=test&revision={sha}"
    assert (status.campaign.data, status.campaign.text_column) == (named, "remark")
    assert status.seen.outcomes == {"tested": 2}
    assert f"data: {named}" in local.file_of(entry.id)
    assert "lies beside" not in local.file_of(entry.id)
    hub.close()


def test_mutants_by_hand_come_from_one_campaign_and_make_another(
    local: BatchActions, tmp_path: Path
) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("".join(f"The {person} was kind.\n" for person in PEOPLE))
    form = filled(SMALL, source="upload", upload=str(texts), sample=None, limit=6, atomic=True)
    first = local.start(Session(), form)
    until(lambda: not local.jobs.state(first).busy)
    found = local.status(first.id).seen.hidden()
    session = Session()
    path = local.write(session, first.id, ["hidden"], tmp_path)
    rows = list(csv.DictReader(path.open(encoding="utf-8-sig")))
    hidden = [row for row in rows if row[f"verdict: {RULES}"] == "hidden"]
    assert len(hidden) == found > 0
    assert all(row["verdict: " + RULES] == "benign" for row in rows if row not in hidden)
    with pytest.raises(InputError, match="No variant has such a verdict"):
        local.write(session, first.id, ["unanswered"], tmp_path)
    form = filled(SMALL, source="hand", hand=str(path), models=(RULES, "vader"), sample=1)
    seen = local.preview(form)
    assert seen.mutants == len(rows)
    second = local.start(session, form)
    session.close()
    assert not path.exists()
    until(lambda: not local.jobs.state(second).busy)
    status = local.status(second.id)
    assert status.state is RunState.DONE, log_file(second).read_text()
    assert status.seen.mutants == len(rows)  # all of them: a sample is of texts alone
    assert status.seen.verdicts[RULES][TOGETHER, "hidden"] == found
    told = local.file_of(second.id)
    assert "mutants: hinter-mutants.csv" in told
    assert "hinter-mutants.csv lies beside" in told
    assert "variants from a file" in html.title(status, HERE)
    assert "hf jobs" not in html.title(status, HERE)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SPACE_ID", "org/name")
        assert "hf.co/spaces/org/name" in html.title(status, HERE)
    with pytest.raises(InputError, match="Explore makes its own"):
        local.form_of_finding(session, second.id, 0, 0, 0)


def test_a_dictionary_of_ones_own_goes_with_its_campaign(
    local: BatchActions, tmp_path: Path
) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("The black plumber was kind.\n")
    own = tmp_path / "My craft.csv"
    own.write_text("term,group\nplumber,pipes\nbaker,bread\n")
    form = filled(SMALL, source="upload", upload=str(texts), attributes=("race",),
                   dictionaries=(str(own),), sample=None)  # fmt: skip
    entry = local.start(Session(), form)
    for path in (own, texts):
        path.unlink()
    until(lambda: not local.jobs.state(entry).busy)
    status = local.status(entry.id)
    assert status.state is RunState.DONE, log_file(entry).read_text()
    assert status.campaign.attributes == ("race", "my-craft")
    assert status.seen.mutants > 0
    assert "dictionaries:\n- my-craft.csv" in local.file_of(entry.id)
    for name, content, message in (
        ("bad.csv", "term,group\na\n", "bad.csv, line 2"),
        ("gender.csv", "term,group\nplumber,pipes\nbaker,bread\n", "\u201cgender\u201d already"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(HinterError, match=message) as caught:
            local.start(Session(), filled(form, dictionaries=(str(tmp_path / name),)))
        assert str(tmp_path) not in str(caught.value)
    alike = tmp_path / "my_craft.csv", tmp_path / "my  craft.csv", tmp_path / "my craft.csv"
    for path in alike:
        path.write_text("term,group\nplumber,pipes\nbaker,bread\n")
    with pytest.raises(HinterError, match="\u201cmy-craft\u201d already"):
        local.start(Session(), filled(form, dictionaries=tuple(map(str, alike))))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"order": 2}, "change three or four, or leave the guide out"),
        ({"limit": None}, "A guide needs a limit"),
        ({"guide": "openai:gpt-4o-mini"}, "a guide is asked a lot"),
        ({"guide": "nobody"}, "Unknown model 'nobody'"),
        ({"order": 4}, "Choose at least 4 attributes"),
        ({"order": 5}, "a whole number from 1 to 4"),
    ],
)
def test_a_guide_is_for_what_it_can_search(
    local: BatchActions, folder: Path, change: dict[str, object], message: str
) -> None:
    form = filled(SMALL, attributes=("race", "gender", "body"), order=3, guide="embedded")
    assert form.campaign(Access(local=True), load_shipped()).guide == "embedded"
    with pytest.raises(HinterError, match=message):
        local.start(Session(), filled(form, **change))
    assert not folder.exists()


def test_another_model_is_asked_about_the_same_mutants(local: BatchActions) -> None:
    entry = local.start(Session(), SMALL)
    until(lambda: local.jobs.state(entry) is RunState.DONE)
    before = {path: path.stat().st_mtime_ns for path in entry.store.shards.iterdir()}
    local.go_on(Session(), entry.id, [RULES, "vader"], 70, None)
    with pytest.raises(InputError, match="Stop it first"):
        local.go_on(Session(), entry.id, ["vader"], None, None)
    until(lambda: local.jobs.state(entry) is RunState.DONE)
    status = local.status(entry.id)
    assert (status.campaign.models, status.campaign.requests) == ((RULES, "vader"), 70)
    assert set(status.seen.verdicts) == {RULES, "vader"}
    assert all(status.seen.verdicts.values())
    assert {p: p.stat().st_mtime_ns for p in before} == before
    # A model that cannot be had leaves the others' answers as they are, and can be taken out.
    local.go_on(Session(), entry.id, [RULES, "hf:no/such-model-anywhere-0"], 0, 2.5)
    until(lambda: not local.jobs.state(entry).busy)
    assert local.status(entry.id).state is RunState.FAILED
    local.go_on(Session(), entry.id, [RULES], None, None)
    status = local.status(entry.id)
    assert (status.state, status.campaign.budget) == (RunState.DONE, None)
    for models, requests, message in (
        ([], None, "at least one model"),
        (["openai:gpt-4o-mini"], None, "needs a key"),
        ([RULES], 0.5, "Maximum requests: type a whole number"),
    ):
        with pytest.raises(HinterError, match=message):
            local.go_on(Session(), entry.id, models, requests, None)
    assert str(entry.folder) not in campaign_file(entry).read_text(encoding="utf-8")


def test_the_same_campaign_is_begun_once(local: BatchActions, tmp_path: Path) -> None:
    session = Session()
    form = filled(SMALL, sample=50, limit=20)
    with ThreadPoolExecutor(4) as pool:
        begun = list(pool.map(lambda _: local.start(session, form).id, range(4)))
    assert len(set(begun)) == 1
    other = local.start(session, filled(form, limit=19))
    assert other.id != begun[0]
    for status in local.listed([]):
        local.cancel(session, status.id)
    until(lambda: not any(status.state.busy for status in local.listed([])))
    assert local.start(session, filled(form, limit=19)).id not in (*begun, other.id)


def test_a_model_may_be_typed_as_it_is_listed(local: BatchActions) -> None:
    entry = local.start(Session(), filled(SMALL, models=("vader", "VADER", "Embedded Sentiment")))
    assert settings_of(entry).models == ("vader", "embedded")
    until(lambda: not local.jobs.state(entry).busy)
    entry = local.go_on(Session(), entry.id, ["vader", " textblob "], 0, 0)
    assert settings_of(entry).models == ("vader", "textblob")


def test_data_without_a_usable_text_are_refused(local: BatchActions, tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("text,label\n,good\n   ,bad\n", encoding="utf-8")
    form = filled(SMALL, source="path", path=str(path))
    for act in (local.start, local.estimate):
        with pytest.raises(InputError, match=r"None of the 2 rows can be used\. Row 1: "):
            act(Session(), form)
    shown = str(preview(local.preview(form), form))
    assert "Nothing can be tested" in shown
    assert "others" not in shown
    assert local.listed([]) == []


def test_a_reload_brings_the_form_back_whatever_the_browser_kept() -> None:
    local, public = Access(local=True), Access()
    for nothing in (None, {}, [], "source"):
        assert BatchForm.kept(nothing, local) is None
    kept = {"source": "path", "path": "/a.csv", "upload": True, "sample": 33, "limit": "many",
            "models": ["vader"], "id_column": "case", "no such": 1}  # fmt: skip
    form = BatchForm.kept(kept, local)
    assert form is not None
    assert (form.source, form.path, form.upload, form.id_column) == ("path", "/a.csv", "", "case")
    assert (form.sample, form.settings["models"]) == (33, ["vader"])
    assert form.settings["limit"] == BatchForm().settings["limit"]
    there = BatchForm.kept(kept, public)
    assert there is not None
    assert there.source == "sample"  # a path is for the owner of the machine


def test_how_many_texts_are_tested_is_said_before(local: BatchActions, tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    rows = [f"The British waiter left {i}." if i % 5 else "" for i in range(10)]
    path.write_text("text\n" + "".join(f'"{row}"\n' for row in [*rows, "Rain fell."]))
    form = filled(SMALL, source="path", path=str(path), sample=4)
    seen = local.preview(form)
    shown = str(preview(seen, form))
    assert "Start tests 4 of these 11 rows, drawn at random; those among them that" in shown
    assert SETTINGS["sample"].title in shown
    for sample in (None, 11):
        assert "Start tests" not in preview(seen, filled(form, sample=sample))
    told = str(html.estimate(local.estimate(Session(), filled(form, sample=None))))
    assert "8 contain terms to change, 2 cannot be used" in told


def test_words_of_the_chosen_attributes_are_counted_before(
    local: BatchActions, tmp_path: Path
) -> None:
    path = tmp_path / "texts.csv"
    texts = ("A woman left.", "An old man and his wife left.", "A Muslim left.", "Rain fell.")
    path.write_text("text\n" + "\n".join(texts))
    form = filled(SMALL, source="path", path=str(path), attributes=["race", "gender"])
    seen = local.preview(form)
    assert seen.words_by_attribute == {"gender": 2, "age": 1, "religion": 1}
    assert seen.together(("gender", "age")) == 1
    shown = preview(seen, form)
    assert "race <strong>0</strong>" in shown
    assert '<button type="button" data-tick="age">age 1</button>' in shown
    assert "so no combined change is tested" in shown
    assert "tick “Names change with origin, too”" in shown
    for other in (filled(form, attributes=["age", "gender"]), filled(form, order=1)):
        assert "is tested" not in preview(seen, other)
    assert "so nothing is tested" in preview(seen, filled(form, order=1, attributes=["race"]))
    assert "names are not counted here" in preview(seen, filled(form, origin_names=True))


def test_the_command_for_hf_jobs_is_taken_by_its_client(tmp_path: Path) -> None:
    words = shlex.split(html.on_jobs("some one/bias", "first", asks_server=True))
    at = words.index("-v")
    told = subprocess.run(
        [Path(sys.executable).with_name(words[0]), *words[1:3], "--dry-run", *words[3:]],
        cwd=tmp_path, capture_output=True, text=True, check=True,
        env={**os.environ, "OPENAI_API_KEY": KEY, "HF_HUB_OFFLINE": "1"},
    ).stdout  # fmt: skip
    assert words[at + 1] == ".:/in"
    assert "hf.co/spaces/some one/bias" in told
    assert "run /in/campaign.yaml --out /tmp/first" in told
    assert KEY not in told


def test_labels_that_differ_in_capitals_alone_are_told(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("text,label\nA man.,pos\nA woman.,POS\n")
    seen = look(Campaign(data=str(path)))
    assert "differ in capitals alone; each is a label." in preview(seen, BatchForm())
    speak("de")
    assert "unterscheiden sich nur in der Gro\u00dfschreibung" in preview(seen, BatchForm())
