"""The Batch tab: a campaign from its data to its end, stopped, resumed, and come back to."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.conftest import open_list
from tests.ui.test_jobs import PEOPLE, RULES

BAD = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00"
EVIL = "<img src=x onerror=window.pwned=1>"


class Batch:
    """The tab as a person uses it."""

    def __init__(self, explore: Any) -> None:
        self.explore = explore
        self.page = explore.page

    def open(self, query: str = "") -> Batch:
        self.page.goto(f"{self.explore.url}/{query}")
        if not query:
            self.page.get_by_role("tab", name="Batch").click()
            expect(self.batch_preview).to_contain_text("282 usable texts")
        return self

    def __getattr__(self, name: str) -> Locator:
        return self.page.locator("#" + name.replace("_", "-"))

    def source(self, label: str) -> None:
        self.batch_source.get_by_label(label, exact=True).check()

    def upload(self, path: Path) -> None:
        box = self.page.locator("#batch-upload")
        remove = box.get_by_role("button", name="Clear")
        if remove.count():
            remove.click()
        box.locator("input[type=file]").set_input_files(path)

    def models(self, *names: str) -> None:
        box = self.batch_models.locator("input")
        for _ in range(self.batch_models.locator(".token").count()):
            box.press("Backspace")
        for name in names:
            box.fill(name)
            box.press("Enter")
        box.press("Escape")

    def number(self, field: str, value: str) -> None:
        box = self.page.locator(f"#batch-{field} input")
        box.fill(value)
        box.press("Tab")
        expect(box).to_have_value(value)

    def start(self) -> None:
        self.page.locator("#batch-start").click()

    @property
    def told(self) -> Locator:
        return self.page.locator("#batch-told [role=alert]")

    def state(self, word: str) -> None:
        expect(self.job_title.locator(".badge")).to_have_text(word, timeout=120_000)

    @property
    def rows(self) -> Locator:
        return self.campaigns.locator("tbody tr")

    @property
    def name(self) -> str:
        expect(self.page).to_have_url(re.compile("campaign="))
        return str(self.page.url).rpartition("campaign=")[2]


@pytest.fixture
def batch(explore: Any) -> Batch:
    return Batch(explore)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    return write_people(tmp_path / "people.csv", 30)


def write_people(path: Path, number: int) -> Path:
    lines = [f'{i},"The {PEOPLE[i % 5]} was kind, said guest {i}.",{i % 2}' for i in range(number)]
    lines[4] = "4,too,many,cells"
    path.write_text("number,remark,verdict\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_sample_is_estimated_started_and_watched_to_its_end(batch: Batch) -> None:
    batch.open().models("scripted:hidden-review")
    batch.number("sample", "6")
    batch.number("limit", "4")
    batch.batch_estimate.click()
    figures = batch.batch_told.locator(".estimate")
    expect(figures).to_contain_text("6 contain terms to change")
    expect(figures).not_to_contain_text("placebo")
    expect(figures).not_to_contain_text("of order")
    mutants = figures.locator("dd strong").nth(1).inner_text()
    # Of other settings it is marked, whether or not they were unfolded before.
    marked = batch.page.locator("[data-changed]:has(> .estimate)")
    batch.number("limit", "5")
    expect(marked).to_have_count(1)
    batch.number("limit", "4")
    expect(marked).to_have_count(0)
    batch.page.locator("#batch-more button").first.click()
    one = batch.page.locator("#batch-more input[type=checkbox]").first
    for times in (1, 0):
        one.click()
        expect(marked).to_have_count(times)
    batch.start()
    expect(batch.job_title).to_contain_text("Sample texts")
    expect(batch.rows.first).to_contain_text("race and gender")
    batch.state("done")
    expect(batch.job_progress).to_contain_text(f"6 of 6 texts \u00b7 {mutants} variants")
    expect(batch.job_progress.locator("progress")).to_have_attribute("value", "6")
    expect(batch.job_progress).to_contain_text("Combined changes")
    expect(batch.job_cancel).to_have_count(0)
    expect(batch.job_resume).to_have_count(0)
    with batch.page.expect_download() as caught:
        batch.job_file.click()
    text = Path(caught.value.path()).read_text(encoding="utf-8")
    assert caught.value.suggested_filename == "campaign.yaml"
    assert "data: sample" in text
    assert "limit: 4" in text
    batch.job_close.click()
    expect(batch.job).to_be_hidden()
    expect(batch.page).not_to_have_url(re.compile("campaign="))
    # Nothing else was opened there.
    batch.page.get_by_role("tab", name="Results").click()
    expect(batch.page.locator("#results-head")).to_contain_text("sample")


def test_an_estimate_gives_way_to_a_campaign_that_is_started_meanwhile(batch: Batch) -> None:
    batch.open().models("scripted:hidden-review")
    batch.number("sample", "6")
    batch.batch_estimate.click()
    expect(batch.batch_estimate).to_be_disabled()
    batch.start()
    batch.state("done")
    expect(batch.batch_estimate).to_be_enabled()
    expect(batch.batch_told.locator(".estimate")).to_have_count(0)


def test_stopped_left_and_resumed_by_its_link(batch: Batch, tmp_path: Path) -> None:
    batch.open().source("Upload a file")
    # So many that it is not done before a hand can stop it.
    batch.upload(write_people(tmp_path / "crowd.csv", 160))
    expect(batch.batch_preview).to_contain_text("159 usable texts")
    expect(batch.batch_preview).to_contain_text("text column \u201cremark\u201d")
    expect(batch.batch_preview).to_contain_text("1 row cannot be used")
    expect(batch.batch_preview).to_contain_text("Row 5: it has 4 cells where the header has 3")
    batch.models(RULES)
    batch.number("sample", "")
    batch.number("limit", "6")
    batch.start()
    batch.state("running")
    expect(batch.job_progress).to_contain_text(re.compile("[1-9][0-9]* of 160 texts"))
    batch.job_cancel.click()
    batch.state("stopped")
    expect(batch.job_progress).to_contain_text("Press Resume to continue")
    name, page = batch.name, batch.page
    page.goto("about:blank")
    batch.open(f"?campaign={name}")
    expect(page.get_by_role("tab", name="Batch")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#batch-limit input")).to_have_value("6")  # as before, but for the file
    expect(batch.batch_models).to_contain_text(RULES)
    expect(batch.batch_preview).to_contain_text("Choose your files again")
    batch.state("stopped")
    batch.job_resume.click()
    expect(batch.job_title.locator(".badge")).to_have_text(re.compile("running|done"))
    # The page is closed while it runs, and it goes on.
    page.goto("about:blank")
    page.wait_for_timeout(3000)
    batch.open(f"?campaign={name}")
    batch.state("done")
    expect(batch.job_progress).to_contain_text("160 of 160 texts")
    expect(batch.job_progress).to_contain_text("1 row could not be used")
    found = batch.job_findings.locator("tbody tr")
    expect(found).not_to_have_count(0)
    expect(found.first).to_contain_text("positive \u2192 negative")
    # The changed sentence, with what was there before.
    expect(found.first.locator("th del")).to_have_count(2)
    expect(found.first.locator("th .term")).to_have_count(2)
    found.first.get_by_role("button", name="Open in Explore").click()
    expect(batch.explore.banner).to_contain_text("Hidden intersectional bias, more than the sum.")
    page.get_by_role("tab", name="Batch").click()
    batch.job_delete.click()
    batch.job_really.click()
    expect(batch.job).to_be_hidden()
    page.goto("about:blank")
    batch.open(f"?campaign={name}")
    expect(batch.job_title).to_contain_text("There is no such campaign")


def test_a_finished_campaign_is_asked_of_more_models_and_run_again(
    batch: Batch, tmp_path: Path
) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("".join(f"The {person} was kind.\n" for person in PEOPLE))
    batch.open().source("Upload a file")
    batch.upload(texts)
    batch.models(RULES)
    batch.number("sample", "")
    batch.page.locator("#batch-more button").first.click()
    expect(batch.page.locator("#batch-requests input")).to_be_visible()
    batch.page.wait_for_timeout(600)
    batch.number("limit", "6")
    batch.start()
    batch.state("done")
    page = batch.page
    page.locator("#job-again button").first.click()
    box = batch.job_models.locator("input")
    expect(batch.job_models.locator(".token")).to_have_count(1)
    page.wait_for_timeout(600)
    box.fill("vader")
    box.press("Enter")
    box.press("Escape")
    batch.job_go_on.click()
    expect(batch.job_title).to_contain_text("vader")
    batch.state("done")
    expect(batch.job_progress.locator(".chart-model")).to_have_count(2)
    page.locator("#job-mutants button").first.click()
    page.wait_for_timeout(600)
    with page.expect_download() as caught:
        batch.job_export.click()
    with Path(caught.value.path()).open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    hidden = [r for r in rows if "hidden" in (r[f"verdict: {RULES}"], r["verdict: vader"])]
    assert 0 < len(hidden) < len(rows)
    batch.job_hand_over.click()
    expect(batch.batch_preview).to_contain_text(f"{len(rows)} variants \u00b7 ")
    expect(batch.batch_attributes).to_be_hidden()
    name = batch.name
    batch.models("scripted:even-handed")
    batch.start()
    expect(batch.job_title).to_contain_text("hinter-mutants.csv")
    batch.state("done")
    expect(batch.job_progress).to_contain_text(f"{len(rows)} variants")
    assert batch.name != name
    # Results opens what is open here, and its own filter hands mutants over as well.
    batch.page.goto(f"{batch.explore.url}/?campaign={name}")
    batch.state("done")
    batch.job_results.click()
    expect(page.locator("#results-cards .card")).to_have_count(2)
    page.locator("#results-fold-findings .label-wrap").click()
    page.locator("#results-hand-over").click()
    expect(page.get_by_role("tab", name="Batch")).to_have_attribute("aria-selected", "true")
    expect(batch.batch_preview).to_contain_text(re.compile(r"\d+ variants? \u00b7 "))


def test_data_that_cannot_be_used_are_told_in_place_and_the_form_stays(
    batch: Batch, tmp_path: Path
) -> None:
    batch.open().source("Upload a file")
    batch.number("limit", "7")
    batch.start()
    expect(batch.told).to_contain_text("Choose a file to upload")
    files = {
        "empty.csv": (b"", "empty.csv holds no row"),
        "picture.parquet": (BAD, "picture.parquet is no Parquet file"),
        "broken.csv.gz": (b"\x1f\x8b\x08\x00broken", "broken.csv.gz cannot be read"),
        "notes.docx": (b"PK", "is of no known format"),
        "numbers.csv": (b"a,b\n,\n,\n", "has no column of texts"),
    }
    for file, (content, message) in files.items():
        path = tmp_path / file
        path.write_bytes(content)
        batch.upload(path)
        told = batch.batch_preview.get_by_role("alert")
        expect(told).to_contain_text(message)
        expect(told).not_to_contain_text("/tmp")
        batch.start()
        expect(batch.told).to_contain_text(message)
        expect(batch.told).not_to_contain_text("/tmp")
    odd = tmp_path / "odd.csv"
    odd.write_bytes(b"id,text\n1,The waiter\x92s caf\xe9\n2," + EVIL.encode() + b"\n3,\n")
    batch.upload(odd)
    expect(batch.batch_preview).to_contain_text("2 usable texts")
    expect(batch.batch_preview).to_contain_text("The waiter\u2019s caf\u00e9")
    expect(batch.batch_preview).to_contain_text(EVIL)
    expect(batch.batch_preview).to_contain_text("Row 3: there is no text")
    batch.batch_text_column.locator("input").fill("nothing")
    batch.batch_text_column.locator("input").press("Enter")
    expect(batch.batch_preview).to_contain_text("odd.csv has no column 'nothing'")
    expect(batch.page.locator("#batch-limit input")).to_have_value("7")
    assert batch.page.evaluate("window.pwned") is None


WRONG = [
    ("sample", "-3", "Maximum texts: type a whole number from 1"),
    ("limit", "0.5", "Maximum variants per text: type a whole number from 1"),
]


def test_a_prioritised_campaign_shows_its_curve_and_goes_on(batch: Batch) -> None:
    page = batch.open().page
    batch.models("scripted:hidden-review")
    page.locator("#batch-more button").first.click()
    expect(page.locator("#batch-requests input")).to_be_visible()
    page.wait_for_timeout(600)
    batch.number("sample", "8")
    batch.number("limit", "6")
    batch.number("requests", "120")
    open_list(page, "batch-prioritise")
    page.get_by_role("option", name="adaptive", exact=True).click()
    batch.start()
    batch.state("done")
    expect(batch.job_progress).to_contain_text(re.compile(r"[1-9]\d* of \d+ variants asked"))
    expect(batch.job_progress).to_contain_text(
        "The number of requests is reached; resume to ask more."
    )
    expect(batch.job_curve.locator(".js-plotly-plot .legend")).to_contain_text("at random")
    page.locator("#job-again button").first.click()
    expect(page.locator("#job-requests input")).to_have_value("120")
    page.wait_for_timeout(600)
    page.locator("#job-requests input").fill("100000")
    page.locator("#job-requests input").press("Tab")
    batch.job_go_on.click()
    expect(batch.job_progress).to_contain_text("All cases were asked.", timeout=120_000)
    batch.state("done")
    batch.job_results.click()
    page.locator("#results-fold-details .label-wrap").click()
    expect(page.locator("#results-sections")).to_contain_text("What was asked first")
    expect(page.locator("#results-sections")).to_contain_text("The audit is a random sequence")


def test_settings_that_cannot_be_used_are_named(batch: Batch) -> None:
    batch.open()
    for field, value, message in WRONG:
        old = batch.page.locator(f"#batch-{field} input").input_value()
        batch.page.locator(f"#batch-{field} input").fill(value)
        batch.page.locator(f"#batch-{field} input").press("Tab")
        batch.start()
        expect(batch.told).to_contain_text(message)
        batch.number(field, old)
    batch.batch_attributes.get_by_label("race").uncheck()
    batch.start()
    expect(batch.told).to_contain_text("Choose at least 2 attributes")
    batch.batch_attributes.get_by_label("race").check()
    batch.models("gpt-99")
    batch.start()
    expect(batch.told).to_contain_text("Unknown model 'gpt-99'")
    batch.models("openai:gpt-4o-mini")
    batch.start()
    expect(batch.told).to_contain_text("needs a key: load it in the Models tab first")
    batch.models("python:os:getcwd")
    batch.start()
    expect(batch.told).to_contain_text("on the command line only")
    batch.models()
    batch.start()
    expect(batch.told).to_contain_text("Models under test: choose at least one")


def test_a_file_of_this_machine_and_keys_alone(batch: Batch, people: Path) -> None:
    batch.open()
    keyboard = batch.page.keyboard
    batch.batch_source.get_by_label("File on this machine").focus()
    keyboard.press("Space")
    expect(batch.batch_path).to_be_visible()
    box = batch.batch_path.locator("input, textarea")
    box.focus()
    keyboard.type(str(people))
    keyboard.press("Enter")
    expect(batch.batch_preview).to_contain_text("29 usable texts")
    batch.models(RULES)
    batch.number("sample", "2")
    batch.page.locator("#batch-start").focus()
    keyboard.press("Enter")
    batch.state("done")
    expect(batch.job_title).to_contain_text("people.csv")
    batch.job_close.focus()
    keyboard.press("Enter")
    expect(batch.job).to_be_hidden()
    batch.rows.first.get_by_role("button").focus()
    keyboard.press("Enter")
    batch.state("done")
    expect(batch.job_progress).to_contain_text("2 of 2 texts")
    # The same on a phone.
    batch.page.set_viewport_size({"width": 360, "height": 780})
    expect(batch.job_progress).to_be_visible()
    assert batch.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_templates_are_uploaded_with_their_log_and_tested_by_attribute(
    batch: Batch, tmp_path: Path
) -> None:
    file, log = tmp_path / "T.jsonl", tmp_path / "T.jsonl.log"
    texts = ("«name» met «a» «occupation».", "«Pronoun:subject» left.", "«nmae» slept.")
    file.write_text("\n".join(json.dumps({"text": text}) for text in texts), encoding="utf-8")
    reasons = {"gender": "several people", "occupation": "taken", "country": "several people"}
    lines = [{"corpus": "x"}, {"row": 1, "templates": 1, "reasons": reasons}]
    log.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    batch.open()
    expect(batch.batch_classes).to_be_hidden()
    batch.source("Templates")
    expect(batch.batch_preview).not_to_contain_text("282 usable texts")  # all is drawn
    expect(batch.batch_attributes).to_be_hidden()
    expect(batch.batch_classes.get_by_role("checkbox")).to_have_count(3)
    batch.batch_templates.locator("input[type=file]").set_input_files(file)
    expect(batch.batch_preview).to_contain_text("2 usable templates")
    expect(batch.batch_preview).to_contain_text("unknown slot «nmae»")
    batch.batch_mining_log.locator("input[type=file]").set_input_files(log)
    why = batch.batch_preview.get_by_text("Why other texts became no templates")
    why.click()
    expect(batch.batch_preview.locator(".reasons li").first).to_have_text("several people: 1")
    for name in ("gender", "occupation"):
        batch.batch_classes.get_by_label(name).uncheck()
    batch.page.locator("#batch-estimate").click()
    figures = batch.page.locator("#batch-told .estimate")
    expect(figures).to_contain_text("with 1 attribute changed")
    expect(figures).not_to_contain_text("2 attributes changed")


def test_a_grammar_is_uploaded_chosen_and_tested_to_the_end(batch: Batch, tmp_path: Path) -> None:
    bad = tmp_path / "mine.yaml"
    bad.write_text("start: s\nrules:\n  s: [<who> left]\n", encoding="utf-8")
    batch.open().source("Grammar")
    expect(batch.batch_preview).not_to_contain_text("282 usable texts")  # all is drawn
    expect(batch.batch_attributes).to_be_hidden()
    batch.batch_own_grammar.locator("input[type=file]").set_input_files(bad)
    expect(batch.batch_preview.get_by_role("alert")).to_contain_text("no sensitive attribute")
    batch.batch_own_grammar.get_by_role("button", name="Clear").click()
    expect(batch.batch_preview.get_by_role("alert")).to_have_count(0)
    names = batch.batch_grammar.locator("input")
    names.fill("masked-pro")  # by keyboard
    names.press("ArrowDown")
    names.press("Enter")
    expect(batch.batch_preview).to_contain_text("208,026 different sentences")
    expect(batch.batch_preview.locator("mark.term").first).to_be_visible()
    chips = batch.batch_tested.get_by_role("checkbox")
    expect(chips.first).to_be_checked()
    batch.number("sample", "2")
    expect(batch.batch_preview).to_contain_text("Start tests 2 of these 208,026 sentences")
    batch.start()
    batch.state("done")
    expect(batch.job_title).to_contain_text("masked-pronouns")
    expect(batch.job_title.locator("code")).to_have_text("masked")
    expect(batch.job_progress).to_contain_text("2 of 2 texts")
