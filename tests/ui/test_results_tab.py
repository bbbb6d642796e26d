"""The Results tab: what a person sees of a campaign, takes along, compares and opens."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Download, Locator, Route, expect

from hinter_core.campaign.findings import Side
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.compared.comparison import compare
from hinter_core.report.model import make_report
from hinter_core.report.page.opening import opening
from hinter_core.report.section import short_names
from hinter_ui.html.wording import speak
from hinter_ui.results import html as present
from hinter_ui.shared.library import CampaignEntry
from tests.ui.conftest import App, open_list

HIDDEN = "scripted:negative if race=white and gender=female; positive otherwise"
ALONE = 'scripted:negative if gender=female; <img src=x onerror=window.pwned=1> if "unicorn"; positive otherwise'  # noqa: E501
SHORT = short_names((HIDDEN, ALONE))
# A section by its name, and what fills it once it is unfolded.
FOLDS = {
    "rates": "#results-main figure",
    "findings": "#results-findings .finding-group",
    "groups": "#results-groups figure",
    "words": "#results-diagnosis section",
    "compare": "#results-compare",
    "details": "#results-sections .fold",
    "rest": "#results-ending .fold",
    "files": "#results-json",
}
TEXTS = [
    "The black man was kind.",
    "A white man left <b onclick=1>early</b>.",
    "=The black man paid for the soup on Tuesday.",
    "Nothing of the kind.",
]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> CampaignStore:
    folder = tmp_path_factory.mktemp("results")
    data = folder / "guests.csv"
    with data.open("w", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in TEXTS)])
    campaign = Campaign(data=str(data), limit=200, shard=2, models=(HIDDEN, ALONE))
    store = CampaignStore(folder / "out")
    run_campaign(campaign, store)
    return store


class Results:
    """The tab as a person uses it."""

    def __init__(self, explore: Any) -> None:
        self.explore = explore
        self.page = explore.page

    def open(self, folder: Path | str) -> Results:
        self.explore.open()
        self.tab("Results")
        self.show(folder)
        expect(self.cards).not_to_have_count(0)
        return self

    def show(self, folder: Path | str) -> None:
        box = self.path.locator("input, textarea").first
        box.fill(str(folder))
        box.press("Enter")

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).click()

    def __getattr__(self, name: str) -> Locator:
        return self.page.locator("#results-" + name.replace("_", "-"))

    @property
    def cards(self) -> Locator:
        return self.page.locator("#results-cards .decision")

    @property
    def rows(self) -> Locator:
        return self.page.locator("#results-findings .variants li")

    def unfold(self, *keys: str) -> None:
        for key in keys:
            self.page.locator(f"#results-fold-{key} .label-wrap").first.click()
            expect(self.page.locator(FOLDS[key]).first).to_be_visible()

    def fold(self, key: str) -> None:
        self.page.locator(f"#results-fold-{key} .label-wrap").first.click()
        expect(self.page.locator(FOLDS[key])).to_have_count(0)

    @property
    def told(self) -> Locator:
        return self.notice.get_by_role("alert")

    def pick(self, widget: str, option: str) -> None:
        open_list(self.page, f"results-{widget}")
        self.page.get_by_role("option", name=option, exact=True).click()

    def total(self) -> int:
        words = self.page.locator("#results-findings .number-found").inner_text()
        return int(re.search(r"([\d,]+) variants", words)[1].replace(",", ""))  # type: ignore[index]

    def download(self, kind: str) -> Download:
        with self.page.expect_download() as got:
            self.page.locator(f"#results-{kind}").click()
        return got.value


@pytest.fixture
def results(explore: Any) -> Results:
    return Results(explore)


@pytest.fixture
def shelf(app: Any, made: CampaignStore) -> Iterator[CampaignEntry]:
    """The campaign on the app's own shelf, as the Batch tab leaves it."""
    name = "a-name-nobody-guesses"
    folder = app.campaigns / name
    shutil.copytree(made.folder, folder / "campaign")
    yield CampaignEntry(name, folder)
    shutil.rmtree(folder)


def test_the_report_is_read_and_filtered(results: Results, made: CampaignStore) -> None:
    results.open(made.folder)
    report = make_report(made)
    hidden, alone = report.models
    expect(results.cards).to_have_count(2)
    line = hidden.intersectional
    for place, model in enumerate((hidden, alone)):
        (card,) = [one for one in opening(report).cards if one.model == model.model]
        shown = results.cards.nth(place)
        expect(shown.locator(".outcome")).to_have_text(card.head)
        expect(shown.locator(".rate-value").first).to_have_text(card.bars[0]["written"])
        errors = model.intersectional.errors
        expect(shown).to_contain_text(f"{errors.hits:,} of {errors.of:,} combined changes")
    # The model with hidden bias comes first, with the texts that have most of it.
    expect(results.model.locator("input")).to_have_value(SHORT[HIDDEN])
    expect(results.examples.locator(".finding")).to_have_count(min(3, len(hidden.examples)))
    # Nothing that is folded was sent.
    assert results.page.locator("#results-page figure, #results-page table").count() == 0
    results.unfold("rates", "groups", "findings")
    expect(results.page.locator("#results-main figure")).to_have_count(2)
    errors = line.errors.hits + hidden.atomic.errors.hits
    assert results.total() == errors
    results.pick("model", SHORT[ALONE])
    expect(results.examples).to_contain_text("No hidden bias was found")
    results.pick("which", "gender")
    (gender,) = [own for own in alone.lines if own.name == "gender"]
    expect(results.findings).to_contain_text(f"{gender.errors.hits} variants in ")
    box = results.page.get_by_label("Search")
    box.fill("no such word")
    expect(results.findings).to_contain_text("No variant passes this filter")
    box.fill("2")
    expect(results.findings.locator(".source")).to_have_count(1)
    expect(results.findings.locator(".source")).to_contain_text("<b onclick=1>early</b>")
    expect(results.findings.locator("b")).to_have_count(0)
    assert results.page.evaluate("window.pwned") is None


HEIGHTS = {(1240, 900): 1700, (390, 844): 1880}


@pytest.mark.parametrize(("size", "highest"), HEIGHTS.items())
def test_the_first_view_is_short(
    results: Results, made: CampaignStore, size: tuple[int, int], highest: int
) -> None:
    page = results.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    results.open(made.folder)
    expect(results.beside).to_contain_text("--fail-over 0.05")
    assert page.evaluate("document.documentElement.scrollHeight") <= highest
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    if size[0] < 720:
        for title, part in (
            ("Limit, model", results.limit),
            ("Method", results.beside.locator("pre")),
            ("more text", results.examples.locator(".finding").last),
        ):
            expect(part).to_be_hidden()
            results.explore.press_summary(title)
            expect(part).to_be_visible()
    for part in ("Limit", "Before you rely on this", "Tested on ", "hidden variants"):
        expect(
            page.locator("#results-page").get_by_text(part).filter(visible=True)
        ).not_to_have_count(0)
    # On a phone, too, nothing is wider than the page once it is unfolded.
    results.unfold("rates", "findings", "groups")
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    expect(page.locator("#results-findings table")).to_have_count(0)


def test_a_limit_decides_at_once_and_stands_in_the_command(
    results: Results, made: CampaignStore
) -> None:
    results.open(made.folder)
    box = results.limit.locator("input")
    report = make_report(made)
    for limit in ("0", "99"):
        box.fill(limit)
        box.press("Enter")
        expect(results.beside).to_contain_text(f"--fail-over {float(limit) / 100:g}")
        heads = [one.head for one in opening(report, float(limit) / 100).cards]
        expect(results.cards.locator(".outcome")).to_have_text(heads)
    with results.page.expect_download() as got:
        results.page.locator("#results-html").click()
    assert "--fail-over 0.99" in got.value.path().read_text(encoding="utf-8")


def test_each_section_has_an_address(results: Results, shelf: CampaignEntry) -> None:
    page = results.page
    page.goto(f"{results.explore.url}/?results={shelf.id}")
    expect(results.cards).to_have_count(2)
    results.unfold("groups")
    expect(page).to_have_url(re.compile(rf"results={shelf.id}&section=groups"))
    page.reload()
    expect(page.locator(FOLDS["groups"]).first).to_be_visible()
    expect(page.locator("#results-fold-groups")).to_be_in_viewport()
    expect(page.locator(FOLDS["rates"])).to_have_count(0)
    # For another model, what is unfolded is drawn anew.
    before = results.groups.inner_text()
    results.pick("model", SHORT[ALONE])
    expect(results.groups).not_to_have_text(before)


def test_nobody_has_a_campaign_and_runs_the_example(results: Results) -> None:
    page = results.page
    page.goto(f"{results.explore.url}/?tab=results")
    expect(results.empty).to_contain_text("run an example")
    results.sample.focus()
    page.keyboard.press("Enter")
    expect(results.cards).to_have_count(1, timeout=120_000)
    expect(results.cards.first).to_contain_text("embedded")
    expect(results.empty).to_be_hidden()
    expect(page).to_have_url(re.compile("results=example-"))
    expect(results.told).to_have_count(0)


def test_all_that_is_measured_of_a_model_is_said_in_german(made: CampaignStore) -> None:
    report = make_report(made)
    speak("de")
    shown = [present.cards(opening(report)), present.rates(report), present.ending(report)]
    shown += [present.details(report, model) for model in report.models]
    words = re.sub(r"<[^>]*>|scripted:.*?otherwise", " ", " ".join(shown))
    assert re.findall(r"\b(?:of|the|that|is|are|changed|mutants?|errors?)\b.{0,80}", words) == []
    groups = re.sub(r"<[^>]*>", " ", present.groups(report, report.models[0]))
    assert re.search(r"geändert zu \((?:Geschlecht|Herkunft)\)", groups)
    assert {"weiblich", "weiß"} <= set(re.findall(r"\w+", groups))
    assert re.findall(r"\b(?:female|male|white|middle-eastern|south-asian)\b", groups) == []


def test_a_finding_opens_in_explore(results: Results, made: CampaignStore) -> None:
    results.open(made.folder)
    first = results.examples.locator(".finding").first
    expect(first).to_contain_text("positive \u2192 negative")
    first.get_by_role("button").click()
    explore = results.explore
    expect(explore.banner).to_contain_text("Hidden intersectional bias, more than the sum.")
    expect(results.page.get_by_role("tab", name="Explore")).to_have_attribute(
        "aria-selected", "true"
    )
    expect(explore.text_box).to_have_value(re.compile("black man|white man"))
    expect(results.page.locator("#models .token")).to_have_count(1)
    # From the table, by keyboard: an atomic mutant.
    results.tab("Results")
    results.pick("model", SHORT[ALONE])
    results.unfold("findings")
    results.pick("which", "gender")
    expect(results.rows.first.locator(".one-change")).to_have_count(1)
    results.rows.first.get_by_role("button").focus()
    results.page.keyboard.press("Enter")
    expect(explore.banner).to_contain_text("Biased.")
    expect(explore.banner).to_contain_text("when gender changes alone")


TEMPLATE = "The elderly «noun:brother» of «name» forgot «pronoun:possessive» keys."


def test_a_finding_of_a_template_opens_with_its_slots_and_comes_back(
    results: Results, tmp_path: Path
) -> None:
    file = tmp_path / "T.jsonl"
    file.write_text(json.dumps({"text": TEMPLATE, "gender": "male"}), encoding="utf-8")
    store = CampaignStore(tmp_path / "out")
    tested = Campaign(templates=str(file), models=("scripted:screening",), limit=20)
    run_campaign(tested, store)
    results.open(store.folder)
    results.unfold("findings")
    results.pick("which", "country \u00d7 gender")
    expect(results.rows.first).to_contain_text("country")
    results.rows.first.get_by_role("button").click()
    explore = results.explore
    for _ in range(2):
        expect(explore.banner).to_contain_text("Biased, but not hidden.")
        expect(explore.text_box).to_have_value(TEMPLATE)
        expect(explore.preview.locator("mark")).to_have_count(3)
        expect(explore.preview).to_contain_text("template with 3 slots")
        expect(explore.square.locator("article")).to_have_count(4)
        expect(explore.attributes).to_be_hidden()
        expect(results.page).to_have_url(re.compile("template="))
        results.page.reload()
    expect(explore.banner).to_contain_text("Biased, but not hidden.")
    explore.press("Check this pair")
    explore.unfold("all")
    expect(explore.table.locator("tbody tr")).to_have_count(3)
    explore.type("The black man was kind.")
    expect(explore.preview).to_contain_text("race: 1 term")
    expect(explore.attributes).to_be_visible()
    explore.type(TEMPLATE)
    expect(explore.stale).to_be_empty()  # of the same filling, and of the same pair
    expect(explore.attributes).to_be_hidden()


def test_what_is_downloaded_is_whole(results: Results, made: CampaignStore) -> None:
    results.open(made.folder)
    report = make_report(made)
    results.unfold("files", "findings")
    files = {kind: results.download(kind) for kind in ("html", "md", "csv", "json")}
    assert files["html"].suggested_filename == "hinter-report.html"
    text = {kind: file.path().read_text(encoding="utf-8-sig") for kind, file in files.items()}
    assert text["html"].startswith("<!doctype html>")
    assert text["md"].startswith("# HInter report")
    lines = list(csv.DictReader(text["csv"].splitlines()))
    assert [row["attributes"] for row in lines].count("intersectional") == 2
    values = json.loads(text["json"])
    assert (
        values["models"][0]["intersectional"]["mutants"] == report.models[0].intersectional.mutants
    )
    errors = results.total()
    for _ in range(2):
        results.verdicts.locator("input").press("Backspace")
    results.page.keyboard.press("Escape")
    expect(results.rows.filter(has_text="benign")).not_to_have_count(0)
    total = results.total()
    assert total > errors
    file = results.download("findings-csv").path()
    with file.open(newline="", encoding="utf-8-sig") as opened:
        rows = list(csv.DictReader(opened))
    assert len(rows) == total == sum(line.mutants for line in report.models[0].lines)
    assert any(row["mutant"].startswith("'=The") for row in rows)
    assert not any(value.startswith("=") for row in rows for value in row.values())
    # The rest of the first text.
    group = results.findings.locator(".finding-group").first
    shown = group.locator(".variants li").count()
    more = group.locator("button.more")
    rest = int(re.search(r"\d+", more.inner_text())[0])  # type: ignore[index]
    more.click()
    expect(group.locator(".variants li")).to_have_count(shown + rest)


def test_two_models_and_two_campaigns_are_compared(
    results: Results, made: CampaignStore, tmp_path: Path
) -> None:
    results.open(made.folder)
    results.unfold("compare")
    results.compare.click()
    words = results.comparison
    expect(words).to_contain_text(f"Model A: {SHORT[HIDDEN]}. Model B: {SHORT[ALONE]}")
    expect(words).to_contain_text("(exact McNemar test of texts, p")
    quarters = words.locator(".quarter")
    expect(quarters).to_have_count(4)
    side = Side(made, HIDDEN), Side(made, ALONE)
    numbers = compare(*side).cells.values()
    said = [str(number) for number in numbers]
    for place, number in enumerate(said):
        expect(quarters.nth(place).locator("summary")).to_contain_text(f"{number} variants")
    second = words.locator(".quarter.second")
    expect(second).to_contain_text("Only model B errs")
    second.locator("summary").click()
    expect(second.locator(".finding").first).to_contain_text("Model B positive \u2192 negative")
    twin = tmp_path / "twin"
    shutil.copytree(made.folder, twin)
    box = results.other_path.locator("input, textarea").first
    box.fill(str(tmp_path))
    box.press("Enter")
    expect(results.told).to_contain_text("is no campaign")
    box.fill(str(twin))
    box.press("Enter")
    expect(results.second.locator("input")).to_have_value(SHORT[HIDDEN])
    results.compare.click()
    expect(words).to_contain_text("in twin")
    expect(words).to_contain_text("0 variants are errors of model A alone and 0 of model B alone")
    expect(words.locator(".quarter.fixed, .quarter.broken, .quarter.first .finding")).to_have_count(
        0
    )
    expect(words.locator(".quarter.first")).to_contain_text("Fixed in model B")  # the same model
    expect(results.page.locator("[data-changed]")).to_have_count(0)
    results.pick("second", SHORT[ALONE])
    expect(results.page.locator("#results-comparison [data-changed]")).to_have_count(1)
    results.compare.click()
    expect(words).to_contain_text("Only model B errs")
    expect(second.locator(".finding")).not_to_have_count(0)
    expect(results.page.locator("[data-changed]")).to_have_count(0)
    second.locator("summary").click()
    second.locator(".finding").get_by_role("button").first.click()
    expect(results.explore.banner).to_contain_text("Biased")
    expect(results.page.locator("#models .token")).to_have_count(2)


def test_what_cannot_be_read_is_said_and_what_is_in_the_making_shows_what_there_is(
    results: Results, made: CampaignStore, tmp_path: Path
) -> None:
    results.open(made.folder)
    results.show(tmp_path)
    expect(results.told).to_contain_text("is no campaign; there is no campaign.json")
    expect(results.cards).to_have_count(2)
    torn = tmp_path / "torn"
    shutil.copytree(made.folder, torn)
    next((torn / "shards").glob("*.mutants.parquet")).write_bytes(b"PAR1 torn")
    results.show(torn)
    expect(results.told).to_contain_text("is missing or damaged; resume the campaign")
    (torn / "campaign.json").write_text("{")
    results.show(torn)
    expect(results.told).to_contain_text("campaign.json is damaged")
    results.show(made.folder)
    expect(results.told).to_have_count(0)
    # A campaign in the making shows what there is.
    part = CampaignStore(tmp_path / "part")
    shutil.copytree(made.folder, part.folder)
    for path in part.shards.glob("00001.*"):
        path.unlink()
    identity = part.read()["models"][ALONE]["identity"]
    part.answers(0, identity).unlink()
    with part.alone():
        results.show(part.folder)
        expect(results.head).to_contain_text("This campaign is running")
        expect(results.head).to_contain_text(f"Answers are missing from: {SHORT[ALONE]}.")
        expect(results.beside).to_contain_text("2 of 2 texts tested")
        expect(results.cards).to_have_count(1)
    shutil.copytree(made.folder, part.folder, dirs_exist_ok=True)
    results.show(part.folder)
    expect(results.cards).to_have_count(2)
    expect(results.head).not_to_contain_text("running")


def test_the_shelf_is_offered_and_a_link_opens_it(results: Results, shelf: CampaignEntry) -> None:
    page = results.page
    results.explore.open()
    results.tab("Results")
    open_list(page, "results-campaign")
    named = page.get_by_role("option").filter(has_text="guests.csv")
    expect(named).to_have_count(1)
    page.keyboard.press("Escape")
    # What has come since the tab was opened is offered with the rest.
    later = shutil.copytree(shelf.folder, shelf.folder.with_name("another-that-has-just-begun"))
    page.evaluate("document.activeElement.blur()")
    open_list(page, "results-campaign")
    expect(named).to_have_count(2)
    named.last.click()  # the latest comes first
    expect(results.cards).to_have_count(2)
    shutil.rmtree(later)  # no sooner, as an option that goes would move the others under the click
    page.goto(f"{results.explore.url}/?results={shelf.id}")
    expect(results.cards).to_have_count(2)
    expect(page.get_by_role("tab", name="Results")).to_have_attribute("aria-selected", "true")
    page.goto(f"{results.explore.url}/?campaign={shelf.id}")  # the link of the Batch tab
    results.tab("Results")
    expect(results.cards).to_have_count(2)


def test_the_campaign_named_and_the_address_are_of_the_figures_shown(
    results: Results, app: App, shelf: CampaignEntry, made: CampaignStore, tmp_path: Path
) -> None:
    page, named = results.page, results.campaign.locator("input")
    data = tmp_path / "torn.csv"
    data.write_text("text\nThe black man was kind.\n")
    entry = app.campaigns / "another-name-nobody-guesses"
    run_campaign(
        Campaign(data=str(data), limit=9, models=(ALONE,)), CampaignStore(entry / "campaign")
    )
    page.goto(f"{results.explore.url}/?results={shelf.id}")
    expect(results.cards).to_have_count(2)
    next(entry.glob("campaign/shards/*.mutants.parquet")).write_bytes(b"PAR1 torn")
    expect(page).to_have_url(re.compile(f"results={shelf.id}"))
    whole = named.input_value()
    assert "guests.csv" in whole
    # On its way, and after it could not be opened.
    held: list[Route] = []
    open_list(page, "results-campaign")
    option = page.get_by_role("option").filter(has_text="torn.csv")
    expect(option).to_be_visible()
    page.route("**/queue/join*", lambda route: held.append(route))
    option.click()
    expect(page.locator("#results-page[data-changed]")).to_have_count(1)
    page.unroute("**/queue/join*")  # what was held goes on
    assert held
    expect(results.told).to_contain_text("is missing or damaged")
    expect(page.locator("#results-page[data-changed]")).to_have_count(0)
    expect(named).to_have_value(whole)
    expect(results.head).to_contain_text("guests.csv")
    expect(page).to_have_url(re.compile(f"results={shelf.id}"))
    # A directory has no name, nor an address.
    results.show(made.folder)
    expect(named).to_have_value("")
    expect(page).to_have_url(re.compile(r"\?tab=results"))
    shutil.rmtree(entry)


def test_words_that_change_answers_are_diagnosed_and_filter_the_findings(
    results: Results, made: CampaignStore
) -> None:
    results.open(made.folder)
    results.pick("model", SHORT[ALONE])
    expect(results.examples).to_contain_text("No hidden bias was found")
    head = results.page.locator("#results-fold-words .label-wrap")
    head.focus()
    results.page.keyboard.press("Enter")
    words = results.diagnosis.locator("section", has_text="Gender").locator("tbody tr")
    word = words.first.get_by_role("button")
    expect(word).to_be_visible()
    said = str(word.locator("bdi").inner_text())
    word.focus()
    results.page.keyboard.press("Enter")
    expect(results.search.locator("input, textarea").first).to_have_value(said)
    expect(results.which.locator("input")).to_have_value("gender")
    expect(results.rows.first).to_contain_text(said)
    results.pick("model", SHORT[HIDDEN])
    expect(results.diagnosis).to_contain_text("none stands out")
