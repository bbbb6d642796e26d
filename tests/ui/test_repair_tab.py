"""The Repair tab: a classifier is trained further in a process, and measured before and after."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import expect

from hinter_core.errors import HinterError, InputError
from hinter_core.generators.grammars.reading import grammar_file
from hinter_core.models.base import Capabilities
from hinter_core.repair.examples import split_words
from hinter_core.repair.figures import Errors, Learnt, Measured, RepairResult
from hinter_core.repair.progress import Notes, Stage, write_figures
from hinter_core.repair.repair import REPAIR_OPTIONS, Repair
from hinter_core.report.section import short_names
from hinter_core.statistics.rates import Difference, wilson
from hinter_ui.processes import command
from hinter_ui.processes.record import RunState, write_record
from hinter_ui.repair import html
from hinter_ui.repair.actions import (
    FIELDS,
    REPAIRS_FOLDER,
    RepairActions,
    RepairForm,
    RepairRecord,
    RepairView,
    offered_grammars,
    out_of,
)
from hinter_ui.shared.access import Access
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from tests.conformance.tiny import make_classifier
from tests.ui.conftest import turn_to
from tests.unit.cli.test_repair import GRAMMAR, labelled

SMALL = {"epochs": 6, "sentences": 12, "rate": 0.005}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repair")
    make_classifier(folder / "tiny", ["negative", "positive"])
    (folder / "own.yaml").write_text(GRAMMAR.replace(", the]", ", french]"), encoding="utf-8")
    (folder / "texts.csv").write_text(labelled("the white woman"), encoding="utf-8")
    return folder


@pytest.fixture
def actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RepairActions]:
    monkeypatch.setenv(REPAIRS_FOLDER, str(tmp_path / "repairs"))
    made = RepairActions(Services(Access(local=True)))
    yield made
    made.repairs.close()


def form_of(files: Path, **settings: Any) -> RepairForm:
    values = [{**SMALL, **settings}.get(name, REPAIR_OPTIONS[name].default) for name in FIELDS]
    return RepairForm(
        model=f"hf:{files / 'tiny'}", own_grammar=str(files / "own.yaml"),
        data=str(files / "texts.csv"), share=10, settings=values,
    )  # fmt: skip


def until(actions: RepairActions, session: Session, *states: RunState) -> None:
    end = time.monotonic() + 120
    while actions.shown(session).state not in states:
        assert time.monotonic() < end, actions.shown(session)
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.usefixtures("quick_campaigns")
def test_a_repair_is_stopped_goes_on_and_shows_what_it_changed(
    actions: RepairActions, files: Path
) -> None:
    session = Session()
    actions.start(session, form_of(files, epochs=100))
    assert actions.shown(session).state is RunState.RUNNING
    assert "Diagnosis" in html.progress(actions.shown(session))
    with pytest.raises(InputError, match="Another repair is running"):
        actions.start(session, form_of(files))
    actions.start(session, form_of(files, epochs=100))  # pressed twice
    assert len(actions.listed()) == 1
    with pytest.raises(InputError, match="It is running"):
        actions.delete(session)
    with pytest.raises(InputError, match="not done yet"):
        actions.hand_over(session)
    actions.cancel(session)
    until(actions, session, RunState.STOPPED)
    assert "Go on" in html.progress(actions.shown(session))
    actions.resume(session)
    until(actions, session, RunState.DONE)
    status = actions.shown(session)
    assert status.figures is not None
    shown = html.figures(status)
    for words in ("words that it did not learn from", "Accuracy", "before", "after", status.model):
        assert words in shown
    labelled = sum(one.before.accuracy is not None for one in status.figures.measured)
    assert labelled == 2
    assert shown.count("rate-bar") == 2 + 4 * len(status.figures.measured) + 2 * labelled
    assert [one.id for one in actions.listed()] == [status.id]
    actions.hand_over(session)
    assert session.models == (f"hf:{files / 'tiny'}", status.model)
    # A restarted app finds it.
    again = RepairActions(Services(Access(local=True)))
    assert [one.state for one in again.listed()] == [RunState.DONE]
    actions.delete(session)
    assert actions.listed() == []


def finished(actions: RepairActions, *measured: Measured, **settings: Any) -> Session:
    """A page that shows a repair that has ended with these figures."""
    repair = Repair(**{"grammar": "feelings", "name": "repaired-embedded", **settings})
    session, name = Session(), "a-finished-repair"
    out = out_of(actions.repairs.folder / name)
    (out / "grammars").mkdir(parents=True)
    tree = yaml.safe_load(grammar_file("feelings").read_text())
    for half, part in zip(("seen", "unseen"), split_words(tree, 0), strict=True):
        (out / "grammars" / f"{half}.yaml").write_text(yaml.safe_dump(part, sort_keys=False))
    record = RepairRecord(settings=asdict(repair), created=1_700_000_000.0)
    write_record(out.parent / "job.json", record)
    model = f"hf:{out / repair.name}"
    write_figures(out, RepairResult(model, Learnt(1, 2, 3), (wilson(7, 12),) * 2, measured))
    session.of(RepairView).opened = name
    return session


def test_a_repaired_model_has_a_name_and_is_tested_with_words_that_are_new_to_it(
    actions: RepairActions,
) -> None:
    assert actions.repair_of(RepairForm(model="embedded")).name == "repaired-embedded"
    assert actions.repair_of(RepairForm(model="hf:org/m.b?labels=a")).name == "repaired-m-b"
    session = finished(actions)
    actions.hand_over(session)
    assert session.added == [actions.shown(session).model]
    assert list(short_names(session.models).values()) == ["embedded", "repaired-embedded"]
    assert Path(session.grammar).name == "unseen.yaml"
    assert session.changed == ("race", "occupation")


def test_a_repair_is_told_from_others_and_its_files_are_offered(
    actions: RepairActions, tmp_path: Path
) -> None:
    session = finished(actions, share=0.05)
    status = actions.shown(session)
    row = html.repairs([status], opened=status.id, local=True)
    for words in ("feelings", "those that come with HInter", "5\u00a0%", "2023-11-1",
                  f'data-opened="{status.id}"'):  # fmt: skip
        assert words in row
    with pytest.raises(InputError, match="cannot be read"):
        actions.written(session, "card", tmp_path / "files")
    model = Path(status.model.removeprefix("hf:"))
    model.mkdir()
    (model / "README.md").write_text("card")
    written = actions.written(session, "card", tmp_path / "files")
    assert (written.name, written.read_text()) == ("repaired-embedded-card.md", "card")


@pytest.mark.parametrize(
    ("hits", "difference", "said"),
    [
        (5, Difference(-0.2, -0.3, -0.1), "fell by 75"),
        (25, Difference(0.2, 0.1, 0.3), "rose by 25"),
        (19, Difference(-0.01, -0.04, 0.02), "no clear change"),
    ],
)
def test_a_change_of_errors_is_named_where_it_is_clear(
    hits: int, difference: Difference, said: str
) -> None:
    before, after = (
        Errors(wilson(one, 100), wilson(one, 100), hidden, (0, 0), None)
        for one, hidden in ((20, 17), (hits, 21))
    )
    words = html._fall(Measured("texts", before, after, difference)).replace("\u00a0", " ")
    assert said in words
    assert words.endswith("; hidden errors rose from 17 to 21.")


@pytest.mark.usefixtures("quick_campaigns")
def test_a_repair_that_cannot_run_says_why(actions: RepairActions, files: Path) -> None:
    session, form = Session(), form_of(files)
    actions.start(session, replace(form, own_grammar=None, grammar="legal"))
    until(actions, session, RunState.FAILED)
    told = html.progress(actions.shown(session))
    assert "The repair failed" in told
    assert "The grammar legal gives" in told
    assert not actions.shown(session).resumable


def test_a_repair_whose_process_cannot_start_says_so(
    actions: RepairActions, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "COMMAND", ("/no/such/program",))
    session = Session()
    actions.start(session, form_of(files))
    assert actions.shown(session).state is RunState.FAILED
    told = html.progress(actions.shown(session))
    assert "cannot start" in told
    assert "No such file" in told
    monkeypatch.undo()
    actions.delete(session)  # nothing is left that runs or waits


def test_what_was_running_as_the_app_ended_is_interrupted(
    actions: RepairActions, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "COMMAND", ("sh", "-c", "sleep 600"))
    session = Session()
    actions.start(session, form_of(files))
    again = RepairActions(Services(Access(local=True)))
    other = Session()
    other.of(RepairView).opened = session.of(RepairView).opened
    actions.repairs.close()
    until(actions, session, RunState.INTERRUPTED)
    assert again.shown(other).state is RunState.INTERRUPTED
    assert "before the model learnt anything" in html.progress(again.shown(other))
    trained = replace(again.shown(other), stage=Stage("training", 1, 2))
    assert "What it learnt so far is kept" in html.progress(trained)


def test_labels_that_do_not_fit_a_loaded_model_are_said_at_once(
    actions: RepairActions, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loaded(*labels: str) -> None:
        able = Capabilities(labels=labels)
        monkeypatch.setattr(actions._services, "capabilities", lambda *_: able)

    lines = (files / "texts.csv").read_text().replace("negative", "urgent")
    (files / "mails.csv").write_text(lines.replace("positive", "routine"))
    loaded("negative", "positive")
    form = replace(form_of(files), data=str(files / "mails.csv"))
    with pytest.raises(InputError, match=r"^mails\.csv has 0 of the labels negative, positive"):
        actions.start(Session(), form)
    loaded("urgent", "routine")
    with pytest.raises(InputError, match="own gives"):
        actions.start(Session(), form)
    assert actions.listed() == []


def test_a_repair_that_goes_on_says_so_until_it_notes_a_stage(
    actions: RepairActions, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "COMMAND", ("sh", "-c", "exec sleep 600"))
    session = Session()
    actions.start(session, form_of(files))
    told = html.progress(actions.shown(session))
    assert 'class="working"' in told
    assert "<progress" not in told  # nothing is counted yet
    out = out_of(actions.shown(session).folder)
    out.mkdir(exist_ok=True)
    Notes(out).note(Stage("training", 3, 10))
    actions.cancel(session)
    until(actions, session, RunState.STOPPED)
    assert actions.shown(session).resumable
    told = html.progress(actions.shown(session))
    assert "Training: 3 of 10" in told
    assert 'class="stage stopped"' in told
    assert 'class="stage now"' not in told
    actions.resume(session)
    told = html.progress(actions.shown(session))
    assert "It goes on" in told
    assert 'class="stage now"' not in told
    assert "3 of 10" not in told
    time.sleep(0.05)  # the clock of files has coarse ticks
    Notes(out).note(Stage("training", 4, 10))
    told = html.progress(actions.shown(session))
    assert "Training: 4 of 10" in told
    assert "It goes on" not in told
    assert 'class="stage now"' in told
    actions.repairs.close()
    until(actions, session, RunState.INTERRUPTED)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"model": " "}, "Name the model"),
        ({"model": "vader"}, "Only embedded and Hugging Face"),
        ({"model": "../etc"}, "Only embedded"),
        ({"own_grammar": None, "grammar": "none"}, "Choose a grammar"),
        ({"share": 11}, "Sentences of the grammar: type a number from 1 to 10"),
        ({"share": "x"}, "a number from 1 to 10"),
        ({"settings": [39]}, "Maximum texts: type a whole number from 40"),
        ({"settings": [40, "x"]}, "a whole number from 1 to 100"),
        ({"own_grammar": None, "grammar": "masked-pronouns"}, "not for classifiers"),
        ({"own_grammar": "few.yaml"}, "No attribute of the grammar has 4 values or more"),
    ],
)
def test_bad_input_is_told(
    actions: RepairActions, files: Path, changed: dict[str, Any], told: str
) -> None:
    if changed.get("own_grammar"):
        changed = {"own_grammar": str(files / changed["own_grammar"])}
        few = GRAMMAR.replace(", british, the", "").replace(", waiter, waitress", "")
        Path(changed["own_grammar"]).write_text(few)
    with pytest.raises(HinterError, match=told):
        actions.start(Session(), replace(form_of(files), **changed))
    assert actions.listed() == []


def test_a_public_host_gives_the_command_and_keeps_nothing(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(REPAIRS_FOLDER, str(tmp_path / "repairs"))
    actions, session = RepairActions(Services(Access(local=False))), Session()
    form = replace(form_of(files), model="hf:some/model", unseen=["legal"])
    words = shlex.split(actions.command(form))
    assert words[:2] == ["hinter", "repair"]
    assert {"--model=hf:some/model", "--grammar=own.yaml", "--data=texts.csv", "--unseen=legal",
            "--epochs=6", "--name=repaired-model", "--out=repair"} <= set(words)  # fmt: skip
    assert str(files) not in " ".join(words)
    for act in (lambda: actions.start(session, form), *(
        lambda act=act: act(session)
        for act in (
            actions.resume, actions.cancel, actions.delete, actions.shown, actions.hand_over,
            partial(actions.written, kind="card", folder=tmp_path),
        )
    )):  # fmt: skip
        with pytest.raises(InputError, match="does not repair models"):
            act()
    assert actions.listed() == []
    assert not (tmp_path / "repairs").exists()


def test_grammars_whose_sentences_have_labels_are_offered() -> None:
    assert {"feelings", "legal", "sentiment-race-name"} <= set(offered_grammars())
    assert not any(name.startswith(("masked", "coreference")) for name in offered_grammars())


@pytest.mark.slow
def test_a_model_is_repaired_in_the_browser_and_tested_in_batch(explore: Any, files: Path) -> None:
    page = explore.page
    page.goto(f"{explore.url}/?tab=generate")
    page.get_by_label("Rules (YAML)", exact=True).check()
    page.locator("#generate-text .cm-content").fill((files / "own.yaml").read_text())
    expect(page.locator("#generate-drawn")).to_contain_text("different sentences")
    page.locator("#generate-repair").click()
    expect(page.locator("#repair-own-grammar")).to_contain_text("grammar")
    listed, own = page.locator("#repair-grammar input"), page.locator("#repair-own-grammar")
    expect(listed).to_have_value("")
    listed.click()
    page.get_by_role("option", name="feelings").click()
    expect(own).to_contain_text("Drop File Here")
    own.locator("input[type=file]").set_input_files(str(files / "own.yaml"))
    expect(listed).to_have_value("")
    box = page.locator("#repair-model input")
    box.fill(f"hf:{files / 'tiny'}")
    box.press("Enter")
    page.locator("#repair-data input[type=file]").set_input_files(str(files / "texts.csv"))
    expect(page.locator("#repair-data").get_by_role("cell", name="texts.csv")).to_be_visible()
    page.locator("#repair-more button").first.click()
    expect(page.locator("#repair-epochs input")).to_be_visible()
    page.wait_for_timeout(600)  # as long as a hand takes: gradio mounts what an accordion holds
    for name, value in SMALL.items():
        field = page.locator(f"#repair-{name} input")
        field.fill(str(value))
        field.press("Tab")
    page.locator("#repair-show").click()
    expect(page.locator("#repair-command")).to_contain_text("hinter repair")
    share = page.locator("#repair-share input[type=number]")
    for value, shown in (("7", False), ("10", True)):
        share.fill(value)
        share.press("Tab")
        expect(page.locator("#repair-command")).to_be_visible(visible=shown)
    page.locator("#repair-start").click()
    badge = page.locator("#repair-title .badge")
    expect(badge).to_have_text("done", timeout=120_000)
    expect(page.locator("#repair-figures")).to_contain_text("words that it did not learn from")
    expect(page.locator("#repairs [data-repair]")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"[?]repair="))
    page.reload()
    expect(badge).to_have_text("done")
    with page.expect_download() as fetched:
        page.locator("#repair-card").click()
    assert fetched.value.suggested_filename == "repaired-tiny-card.md"
    page.locator("#repair-test").click()
    expect(page.locator("#batch-models .token")).to_have_count(2)
    expect(page.locator("#batch-own-grammar")).to_contain_text("unseen")
    turn_to(page, "Repair")
    page.locator("#repair-delete").click()
    page.locator("#repair-really").click()
    expect(page.locator("#repairs [data-repair]")).to_have_count(0)
