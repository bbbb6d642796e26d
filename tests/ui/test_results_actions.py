"""The Results tab without its page: who may open what, and what a stranger is told."""

from __future__ import annotations

import csv
import re
import shutil
from codecs import BOM_UTF8
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Event
from types import SimpleNamespace
from typing import Any, cast
from zipfile import ZipFile

import gradio as gr
import pytest

from hinter_core.campaign.progress import ProgressReader, Reason
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import HinterError, InputError
from hinter_core.report.gate import decide
from hinter_core.report.metrics.excess import PlaceboExcess
from hinter_core.report.metrics.unanswered import failures_section
from hinter_core.report.model import Report, make_report
from hinter_core.report.section import Section, short_names
from hinter_core.statistics.rates import Difference, Rate
from hinter_core.types import Failure, Verdict
from hinter_ui.batch.html import findings as latest
from hinter_ui.html.sections import for_visitors
from hinter_ui.html.wording import speak
from hinter_ui.results import actions as module
from hinter_ui.results import html
from hinter_ui.results.actions import EXAMPLE, ResultsActions, ResultsState
from hinter_ui.results.diagnosis import diagnosis
from hinter_ui.results.updates import ResultsUpdates
from hinter_ui.shared.access import Access
from hinter_ui.shared.library import CAMPAIGNS_FOLDER
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shell import build_app

MINE, OTHERS = "mine-0123456789abcdef", "others-0123456789abcdef"
BY_HAND = 'scripted:negative if "aunt"; positive otherwise'
MODEL = "scripted:negative if race=white and gender=female; positive otherwise"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> CampaignStore:
    folder = tmp_path_factory.mktemp("actions")
    data = folder / "people.csv"
    with data.open("w", newline="") as file:
        csv.writer(file).writerows([["text"], ["The black man was kind."]])
    store = CampaignStore(folder / "out")
    run_campaign(Campaign(data=str(data), limit=100, models=(MODEL,)), store)
    return store


@pytest.fixture
def shelf(made: CampaignStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CAMPAIGNS_FOLDER, str(tmp_path / "shelf"))
    for name in (MINE, OTHERS):
        shutil.copytree(made.folder, tmp_path / "shelf" / name / "campaign")
    return tmp_path / "shelf"


def actions(*, local: bool) -> ResultsActions:
    return ResultsActions(Services(Access(local=local)))


def test_a_public_host_shows_only_what_a_browser_names(shelf: Path) -> None:
    assert shelf.is_dir()
    stranger, owner = actions(local=False), actions(local=True)
    assert stranger._services.campaigns.offered([]) == []
    assert [name for _, name in stranger._services.campaigns.offered([MINE, "../" + OTHERS])] == [
        MINE
    ]
    assert {name for _, name in owner._services.campaigns.offered([])} == {MINE, OTHERS}


def test_two_campaigns_of_the_shelf_are_compared_without_the_names_of_their_folders(
    shelf: Path, made: CampaignStore
) -> None:
    ours, session = actions(local=True), Session()
    ours.open(session, MINE, "")
    found, short = ours.compare(session, OTHERS, "", [MODEL, MODEL]), short_names([MODEL])[MODEL]
    assert (found.first, found.second) == (
        f"{short} in the open campaign", f"{short} in the other campaign",
    )  # fmt: skip
    found = ours.compare(session, "", str(made.folder), [MODEL, MODEL])
    assert (found.first, found.second) == (f"{short} in campaign", f"{short} in out")
    assert str(shelf) not in str(html.comparison(found))


def test_a_public_host_opens_no_path_and_names_none(shelf: Path, made: CampaignStore) -> None:
    stranger, session = actions(local=False), Session()
    for path in (made.folder, shelf / OTHERS / "campaign", "/"):
        with pytest.raises(InputError, match="on your own machine only"):
            stranger.open(session, "", str(path))
        with pytest.raises(InputError, match="on your own machine only"):
            stranger.models_of("", str(path))
    with pytest.raises(InputError, match="no such campaign"):
        stranger.open(session, "../" + OTHERS)
    assert session.of(ResultsState).reading is None
    assert stranger.open(session, MINE).model == MODEL
    with pytest.raises(InputError, match="on your own machine only"):
        stranger.compare(session, "", str(made.folder), [MODEL, MODEL])
    next((shelf / MINE / "campaign" / "shards").glob("*.mutants.parquet")).write_bytes(b"torn")
    with pytest.raises(HinterError, match="missing or damaged") as told:
        stranger.open(session, MINE)
    assert str(shelf) not in str(told.value)
    assert session.of(ResultsState).reading is not None  # what was shown stays
    with pytest.raises(HinterError, match="missing or damaged") as told:
        actions(local=True).open(session, MINE)
    assert str(shelf) in str(told.value)


def test_a_finding_becomes_a_form(shelf: Path) -> None:
    assert shelf.is_dir()
    owner, session = actions(local=True), Session()
    reading = owner.open(session, MINE)
    groups, total, number = owner.findings(reading)
    shown = [one for _, own in groups for one in own]
    assert total == len(groups) > 0
    assert number == sum(group.mutants for group, _ in groups) >= len(shown)
    first = shown[0]
    form = owner.form_of_finding(session, first.shard, first.place)
    assert (form.text, form.models, len(form.edits)) == (first.text, (MODEL,), len(first.edits))
    assert owner.form_of_example(session, 0).edits
    reading.attributes = next(group.attributes for group, _ in groups if group.hidden)
    (line,) = [one for one in owner.first_view(reading).clusters if one["row"] == first.row]
    assert tuple(line["attributes"]) == reading.attributes
    hidden = sum(group.hidden for group, _ in groups if group.attributes == reading.attributes)
    assert owner.first_view(reading).hidden.startswith(f"Hidden mutants: {hidden}, in ")
    assert owner.form_of_example(session, 0).edits
    reading.attributes = reading.attributes[:1]
    assert owner.first_view(reading).hidden == "A change of one attribute is never hidden."
    for shard, place in ((0, 10**6), (9, 0), (0, -1)):
        with pytest.raises(InputError, match="no longer exists"):
            owner.form_of_finding(session, shard, place)
    for number in (-1, 99):
        with pytest.raises(InputError, match="no longer exists"):
            owner.form_of_example(session, number)
        with pytest.raises(InputError, match="no longer exists"):
            owner.form_of_change(session, number)


def test_mutants_by_hand_are_shown_as_they_stand_and_not_sent_to_explore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CAMPAIGNS_FOLDER, str(tmp_path / "shelf"))
    written = tmp_path / "mutants.csv"
    source = "The black man was kind."
    rows = [
        ("The white man was kind.", "race: black -> white"),
        ("The black woman was kind.", "gender: man -> woman"),
        ("The white aunt was kind.", "race: black -> white; gender: man -> woman"),
    ]
    with written.open("w", newline="") as file:
        lines = ((source, *row) for row in rows)
        csv.writer(file).writerows([["source", "mutant", "edits"], *lines])
    store = CampaignStore(tmp_path / "shelf" / MINE / "campaign")
    run_campaign(Campaign(mutants=str(written), models=(BY_HAND,)), store)
    owner, session = actions(local=True), Session()
    reading = owner.open(session, MINE)
    groups, _, _ = owner.findings(reading)
    group, own = groups[0]
    (aunt,) = [one for one in own if one.mutant == "The white aunt was kind."]
    shown = [
        html.examples(owner.first_view(reading)),
        html.findings([(group, [aunt])], 1, 1, 0, 20),
        latest(
            ProgressReader().look(store, [BY_HAND], 0.0).latest,
            Campaign(mutants=str(written), models=(BY_HAND,)),
            busy=False,
        ),
    ]
    for page in shown:
        assert "<del>black man</del> <ins>white aunt</ins>" in page
        assert "Open in Explore" not in page


def test_files_go_when_the_page_closes(shelf: Path, tmp_path: Path) -> None:
    assert shelf.is_dir()
    owner, session = actions(local=True), Session()
    with pytest.raises(InputError, match="Open a campaign first"):
        owner.write(session, "csv", tmp_path)
    owner.open(session, MINE)
    tables = owner.write(session, "tables", tmp_path / "files")
    with ZipFile(tables) as zipped:
        assert {"main.csv", "main.tex", "flow.csv"} <= set(zipped.namelist())
        assert zipped.read("main.tex").startswith(b"% Needs")
        assert zipped.read("main.csv").startswith(BOM_UTF8)
    kinds = ("html", "md", "csv", "json", "findings-csv", "md")
    paths = [owner.write(session, kind, tmp_path / "files") for kind in kinds]
    assert [path.exists() for path in paths] == [False, *[True] * 5]  # the latest five are kept
    marked = [path.read_bytes().startswith(BOM_UTF8) for path in paths[1:]]
    assert marked == [kind.endswith("csv") for kind in kinds[1:]]
    assert len({path.parent.name for path in paths}) == 6
    session.close()
    assert not any(path.parent.exists() for path in paths)


def test_a_report_to_print_is_in_the_language_of_the_page(shelf: Path, tmp_path: Path) -> None:
    assert shelf.is_dir()
    owner, session = actions(local=True), Session()
    owner.open(session, MINE)
    pages = []
    for language in ("en", "de"):
        speak(language)
        pages.append(owner.write(session, "html", tmp_path).read_text(encoding="utf-8"))
        assert f'<html lang="{language}">' in pages[-1]
    shown = re.compile(r">([^<>{}]*[a-z]{3}[^<>{}]*)<")
    english, german = (
        {text.strip() for text in shown.findall(page[page.index("<body>") : page.index("<script")])}
        for page in pages
    )
    # What stays: texts, words and models of the campaign, and words that are the same in both.
    words = re.compile(r"\b(the|of|and|is|are|with|not|one|no|each|mutants?|error|row|group)\b")
    kept = {text for text in english & german if words.search(text)}
    assert len(german) > 50
    values = re.findall(r'rate-value">([^<]+)<', pages[1])
    assert values
    assert not [value for value in values if "." in value]
    cells = re.findall(r"<td[^>]*><bdi>([^<]+%[^<]*)</bdi>", pages[1])
    assert cells
    assert not [cell for cell in cells if re.search(r"\d\.\d", cell)]
    assert kept <= {one for one in kept if "man was kind" in one or one.startswith(MODEL[:8])}


def test_the_words_that_change_answers_lead_to_their_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CAMPAIGNS_FOLDER, str(tmp_path / "shelf"))
    model = 'scripted:negative if "nurse"; positive otherwise'
    store = CampaignStore(tmp_path / "shelf" / MINE / "campaign")
    run_campaign(
        Campaign(grammar="sentiment-gender-occupation", sentences=12, limit=4, models=(model,)),
        store,
    )
    owner, session = actions(local=True), Session()
    with pytest.raises(InputError, match="Open a campaign first"):
        owner.show_word(session, 0)
    reading = owner.open(session, MINE)
    assert reading.diagnosis == []  # until it is asked for
    owner.diagnose(reading)
    found = reading.diagnosis
    assert [one.word for one in found if one.stands_out] == ["nurse"]
    shown = diagnosis(found, reading.pairs, reading.model)
    assert "nurse stands out by changing the answer" in shown
    assert "none stands out" in shown  # of genders
    number = next(i for i, one in enumerate(found) if one.stands_out)
    assert f'data-word="{number}"' in shown
    owner.show_word(session, number)
    assert reading.filter.attributes == ("occupation",)
    groups, _, total = owner.findings(reading)
    assert total == found[number].rate.hits
    shown_edits = [edit for _, own in groups for mutant in own for edit in mutant.edits]
    assert all("nurse" in (edit.source.text, edit.target.text) for edit in shown_edits)
    with pytest.raises(InputError, match="no longer exists"):
        owner.show_word(session, len(found))
    evil = replace(found[number], word="<b>", attribute="<i>")
    assert "<b>" not in diagnosis([evil], [], "<u>")
    assert "vader" in diagnosis([], [], "vader")


def test_a_pair_of_words_shows_its_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CAMPAIGNS_FOLDER, str(tmp_path / "shelf"))
    model = "scripted:negative if gender=female and occupation=healthcare; positive otherwise"
    store = CampaignStore(tmp_path / "shelf" / MINE / "campaign")
    run_campaign(
        Campaign(grammar="sentiment-gender-occupation", sentences=40, limit=30, models=(model,)),
        store,
    )
    owner, session = actions(local=True), Session()
    reading = owner.open(session, MINE)
    owner.diagnose(reading)
    (found,) = reading.pairs
    named = [number for number, pair in enumerate(found.pairs) if pair.stands_out]
    assert {found.pairs[number].words[0] for number in named} == {"she"}
    shown = diagnosis(reading.diagnosis, reading.pairs, reading.model)
    assert "together they flip the answer" in shown
    assert f'data-pair="{named[0]}"' in shown
    owner.show_pair(session, named[0])
    groups, _, total = owner.findings(reading)
    pair = found.pairs[named[0]]
    assert total == pair.both.hits
    for mutant in (one for _, own in groups for one in own):
        assert {edit.target.text for edit in mutant.edits} == set(pair.words)
    with pytest.raises(InputError, match="no longer exists"):
        owner.show_pair(session, len(found.pairs))


def test_an_answer_that_brings_nothing_leaves_a_newer_notice(made: CampaignStore) -> None:
    # The tab asks when it is selected, and when its filters have been filled in: both may be
    # answered after what was asked for next.
    page = build_app(Services(Access(local=True)))
    own = {fn.fn.__qualname__: fn for fn in page.fns.values() if fn.fn}
    request = gr.Request(session_hash="page", query_params={}, headers={}, client=None)

    def ask(name: str, *values: object) -> dict[str, object]:
        event = own[f"ResultsEvents.{name}"]
        answers = event.fn(request, *values)  # type: ignore[misc]
        return {widget.elem_id: answer for widget, answer in answers.items()}

    ask("look", [])
    shown = ask("open", [], "", str(made.folder))
    assert (shown["results-notice"], "results-cards" in shown) == ("", True)
    assert "results-path" not in shown  # there, the next one may be being typed
    assert "is no campaign" in str(ask("open", [], "", str(made.folder.parent))["results-notice"])
    nothing = {"results-notice": gr.skip()}
    assert ask("look", []) == nothing
    assert ask("filter", ["hidden", "biased"], "", "", 0.0, "hidden") == nothing
    # What does bring something takes the notice away.
    assert ask("filter", ["hidden"], "", "", 0.0, "hidden")["results-notice"] == ""
    with made.alone():
        assert "is running" in str(ask("look", [])["results-head"])
    assert ask("look", [])["results-notice"] == ""


def test_a_tab_that_was_drawn_for_long_brings_no_former_campaign_back(
    made: CampaignStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = build_app(Services(Access(local=True)))
    own = {fn.fn.__qualname__: fn for fn in page.fns.values() if fn.fn}
    request = gr.Request(session_hash="page", query_params={}, headers={}, client=None)
    next_one = tmp_path / "next"
    shutil.copytree(made.folder, next_one)
    (next_one / "report.json.gz").unlink(missing_ok=True)
    begun, going_on = Event(), Event()

    def ask(name: str, *values: object) -> dict[str, object]:
        event = own[f"ResultsEvents.{name}"]
        answers = event.fn(request, *values)  # type: ignore[misc]
        return {widget.elem_id: answer for widget, answer in answers.items()}

    def report_slowly(store: CampaignStore) -> Report:
        begun.set()
        assert going_on.wait(60)
        return make_report(store)

    ask("open", [], "", str(made.folder))
    monkeypatch.setattr(module, "make_report", report_slowly)
    with ThreadPoolExecutor(2) as pool:
        opening = pool.submit(ask, "open", [], "", str(next_one))
        assert begun.wait(60)
        looking = pool.submit(ask, "look", [])
        with pytest.raises(TimeoutError):
            looking.result(0.3)  # it waits for what is being opened
        going_on.set()
        opened, looked = opening.result(60), looking.result(60)
    assert opened["results-notice"] == ""
    assert str(made.folder) not in str(looked)
    assert looked == {"results-notice": gr.skip()} or looked["results-path"] == str(next_one)
    assert ask("look", []) == {"results-notice": gr.skip()}


def test_a_campaign_that_two_events_open_is_opened_once(
    made: CampaignStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The page opens what its link names, and so does the tab as it is selected: what is unfolded
    # after the first answer stays with the second.
    owner, session = actions(local=True), Session()
    both, made_of = Barrier(2), []

    def report_slowly(store: CampaignStore) -> Report:
        both.wait(60)
        made_of.append(store)
        return make_report(store)

    monkeypatch.setattr(module, "make_report", report_slowly)
    with ThreadPoolExecutor(2) as pool:
        opened = [pool.submit(owner.open, session, "", str(made.folder)) for _ in "12"]
        both.wait(60)
        first, second = (one.result(60) for one in opened)
    assert first is second is session.of(ResultsState).reading
    assert len(made_of) == 1


def test_the_example_campaign_is_run_once_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CAMPAIGNS_FOLDER, str(tmp_path / "shelf"))
    small = replace(EXAMPLE, sample=4, limit=6, models=("scripted:screening",))
    monkeypatch.setattr("hinter_ui.results.actions.EXAMPLE", small)
    runs: list[Campaign] = []

    def run(campaign: Campaign, store: CampaignStore) -> object:
        runs.append(campaign)
        return run_campaign(campaign, store)

    monkeypatch.setattr("hinter_ui.results.actions.run_campaign", run)
    stranger, owner = actions(local=False), actions(local=True)
    name = stranger.example()
    assert owner.example() == name
    assert len(runs) == 1
    reading = stranger.open(Session(), name)
    assert reading.report.texts["tested"] > 0
    assert reading.model == "scripted:screening"
    # Of other settings or word lists it is another one.
    monkeypatch.setattr("hinter_ui.results.actions.EXAMPLE", replace(small, seed=1))
    assert owner.example() != name


def test_a_public_host_names_no_folder_in_the_command(shelf: Path) -> None:
    assert shelf.is_dir()
    for local, words in ((False, "hinter report FOLDER "), (True, f"hinter report {shelf}")):
        one = actions(local=local)
        reading = one.open(Session(), MINE)
        assert one.first_view(reading).command.startswith(words)


def test_what_researchers_say_is_said_in_the_words_of_the_app() -> None:
    say = for_visitors
    assert say("Atomic mutants and placebo mutants") == "Single changes and neutral swaps"
    assert say("intersectional errors of 3 mutants") == "errors of combined changes of 3 variants"
    assert say("placebo, order 2") == "neutral swaps, order 2"
    assert say("immutants placebos") == "immutants placebos"  # no parts of words
    assert say("hf:mutant/placebo: 3 mutants", ["hf:mutant/placebo"]) == (
        "hf:mutant/placebo: 3 variants"
    )
    lost = Reason(MODEL, Failure.ERROR.value, "", 1)
    assert "Retry missing" in "".join(say(failures_section([lost])).sentences)
    lost = Reason(MODEL, Failure.UNPARSABLE.value, "it names no label: Hm.", 1)
    unread = "".join(say(failures_section([lost])).sentences)
    assert "Kept replies are read again by \u201cRetry missing answers\u201d" in unread
    assert "Let the question ask for the label alone" in unread
    assert say("with discarded: true (--discarded; in Python, discarded=True) does").startswith(
        "with \u201cTest discarded variants, too\u201d"
    )
    excess = PlaceboExcess("order 2", (), 2, Rate(3, 9), Rate(0, 9), Difference(0.3, 0, 0.6, 0.1))
    errors = SimpleNamespace(errors=Rate(3, 9), verdicts={Verdict.UNANSWERED: 0})
    few = cast(
        "Any", SimpleNamespace(model=MODEL, intersectional=errors, excess=[excess], groups=[])
    )
    why = decide(few, 0.05).why
    assert "--gate-on rate" in why
    assert say(why).endswith("(a day and a meal) or given names.")
    section = Section("atomic", "Mutants", ["placebo"], ["Mutants"], [["atomic", Rate(1, 2)]])
    told = say(section)
    assert (told.title, told.columns) == ("Variants", ["Variants"])
    assert told.rows == [["single changes", "50.0\u00a0%"]]
    speak("de")
    groups = Section("every-group", "Groups", [], ["Attributes", "Changed to"], [["all", "Fail"]])
    assert say(groups).cells == [["alle", "Fail"]]  # what comes from data stays


def test_sides_keep_the_order_of_the_campaign_whichever_model_is_open() -> None:
    updates = ResultsUpdates(cast("Any", SimpleNamespace(first="A", second="B")), cast("Any", None))

    def sides(model: str, mine: list[str], other: list[str] | None = None) -> list[Any]:
        reading = cast("Any", SimpleNamespace(model=model))
        shown: Any = updates.sides(reading, mine, mine if other is None else other)
        return [shown[side]["value"] for side in "AB"]

    assert sides("b", ["a", "b"]) == sides("a", ["a", "b"]) == ["a", "b"]
    assert sides("c", ["a", "b", "c"]) == ["a", "c"]
    assert sides("a", ["a"]) == ["a", None]
    assert sides("b", ["a", "b"], ["c", "b"]) == ["b", "b"]
    assert sides("b", ["a", "b"], ["c"]) == ["b", "c"]
