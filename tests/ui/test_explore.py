"""The Explore tab: what a person sees of a check, a scan, the trees and the table."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

from PIL import Image
from playwright.sync_api import Locator, Route, expect

from tests.ui.conftest import open_list, turn_to

PLANTED = "The British waiter who served us remembered every order."


def _saved(explore: Any, button: str) -> str:
    with explore.page.expect_download() as waiting:
        explore.press(button)
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def test_an_example_is_seen_from_every_side(explore: Any) -> None:
    explore.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    explore.planted()
    heading = explore.page.get_by_role("heading", level=1)
    expect(heading).to_have_count(1)
    expect(heading).to_contain_text("HInter")
    expect(heading).to_contain_text("Does the answer flip only when two attributes")
    expect(explore.page_footer).to_contain_text("not about people")
    # The square: hidden bias.
    banner = explore.banner.locator(".banner")
    expect(banner).to_contain_text("Hidden intersectional bias, more than the sum.")
    expect(banner).to_contain_text(
        "The answer stays positive when race or gender changes alone, "
        "and flips to negative when both change together."
    )
    cards = explore.square.locator("article")
    expect(cards.locator("h3")).to_have_text(
        ["Original", "Race only", "Gender only", "Race \u00d7 gender"]
    )
    expect(cards.locator(".answer")).to_have_text(["positive", "positive", "positive", "negative"])
    expect(cards.nth(3).locator("del")).to_have_text(["British", "waiter"])
    expect(cards.nth(3).locator("ins")).to_have_text(["Iranian (race)", "waitress (gender)"])
    expect(cards.nth(3)).to_contain_text("the answer flips")
    expect(cards.nth(3)).to_contain_text("interaction \u22120.70")
    # What is folded is neither made nor sent. The plot, with the point where effects add up.
    expect(explore.plot).to_have_count(0)
    explore.unfold("how")
    plot = explore.plot
    expect(plot.locator(".scatterlayer .trace")).to_have_count(3)
    expect(plot.locator(".legend")).to_contain_text("if the effects just added up")
    expect(plot).to_contain_text("probability of \u201cpositive\u201d")
    # The tree of source and mutant, around the change; the whole sentence on demand.
    explore.unfold("why")
    tree = explore.trees.locator("svg")
    expect(tree).to_have_count(1)
    expect(tree.locator("title")).to_contain_text("changed sentence: The Iranian waitress")
    expect(tree.locator("desc")).to_contain_text("waiter: NN")
    expect(tree.locator("desc")).to_contain_text("waitress: NN")
    drawn = [word for word in tree.locator(".word").all_text_contents() if word != "\u2026"]
    assert drawn == ["The", "The", "British", "Iranian", "waiter", "waitress", "who", "who",
                     "served", "served", "us", "us", "remembered", "remembered"]  # fmt: skip
    explore.press_summary("The whole sentence, word by word")
    expect(explore.trees.locator(".tree-words li")).to_have_count(10)
    expect(explore.trees.locator(".tree-words li.differs ins")).to_have_text(
        ["Iranian", "waitress"]
    )
    expect(explore.trees).to_contain_text("Kept")
    # Its link is copied, and opens it again.
    explore.press("Copy link")
    expect(explore.link).to_contain_text("Copied")
    copied = explore.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{explore.url}/?#text=The+British+waiter")
    link = explore.page.get_by_role("link", name="Link to this check")
    explore.open(link.get_attribute("href"))
    expect(explore.text_box).to_have_value(PLANTED)
    expect(explore.banner).to_contain_text("Hidden intersectional bias, more than the sum.")
    expect(explore.square.locator("article").nth(3).locator("ins").first).to_contain_text("Iranian")
    # A discarded mutant shows what broke.
    explore.unfold("why")
    expect(explore.trees).to_contain_text("Kept")
    explore.example("A broken sentence")
    expect(explore.banner).to_contain_text("Discarded: this variant is no evidence.")
    expect(explore.trees.locator(".reason.lost")).to_contain_text("where the source has")
    wrong = explore.trees.locator("svg .pos.wrong")
    expect(wrong).to_have_count(2)  # of the source and of the variant
    expect(wrong.first).to_contain_text("\u2260")
    # Three attributes give the whole lattice.
    explore.example("Three at once")
    expect(explore.square.locator("article")).to_have_count(8)
    expect(explore.banner).to_contain_text("Hidden intersectional bias, more than the sum.")
    expect(explore.banner).to_contain_text("any one or two of")


def test_a_scan_is_read_by_keyboard_filtered_and_taken_along(explore: Any) -> None:
    explore.planted()
    explore.page.get_by_role("button", name="Find hidden bias").focus()
    explore.page.keyboard.press("Enter")
    expect(explore.progress).to_contain_text("complete")
    expect(explore.progress).to_contain_text(re.compile(r"[1-9]\d* hidden"))
    expect(explore.banner).to_contain_text("Hidden intersectional bias, more than the sum.")
    expect(explore.table).to_have_count(0)
    explore.page.get_by_role("button", name="All variants").focus()
    explore.page.keyboard.press("Enter")
    expect(explore.verdicts.first).to_contain_text("hidden")
    picks = explore.table.locator(".pick")
    expect(picks).to_have_count(25)
    picks.first.focus()
    explore.page.keyboard.press("ArrowDown")
    expect(picks.nth(1)).to_be_focused()
    explore.page.keyboard.press("Enter")
    expect(picks.nth(1)).to_have_attribute("aria-pressed", "true")
    changed = explore.table.locator("tr.selected td").nth(1).inner_text().split()[-1]
    expect(explore.square.locator("article").nth(1).locator("ins")).to_contain_text(changed)
    # Of several rows chosen at once, the last is shown.
    explore.page.evaluate(
        "async () => { for (const n of [3, 2, 5]) { document.querySelectorAll('#table .pick')[n]"
        ".click(); await new Promise(done => setTimeout(done, 60)); } }"
    )
    chosen = explore.table.locator("tr.selected td").nth(1).inner_text().split()[-1]
    assert chosen != changed
    expect(explore.square.locator("article").nth(1).locator("ins")).to_contain_text(chosen)
    explore.page.wait_for_function("() => !document.getElementById('table').sent")
    expect(explore.square.locator("article").nth(1).locator("ins")).to_contain_text(chosen)
    expect(picks.nth(5)).to_have_attribute("aria-pressed", "true")
    picks.nth(1).press("Enter")
    outline = picks.nth(1).evaluate("e => getComputedStyle(e).outlineStyle")
    assert outline == "solid"
    # Downloads hold the whole scan.
    value = json.loads(_saved(explore, "Download JSON"))
    assert value["model"] == "scripted:hidden-review"
    assert value["text"] == PLANTED
    hidden = value["counts"]["hidden"]
    assert hidden > 0
    first = next(m for m in value["mutants"] if m["verdict"] == "hidden")
    start, end = first["edits"][0]["spans"][0]
    assert value["text"][start:end] in ("British", "waiter")
    rows = list(csv.DictReader(_saved(explore, "Download CSV").splitlines()))
    assert len(rows) == len(value["mutants"])
    assert sum(row["verdict"] == "hidden" for row in rows) == hidden
    with explore.page.expect_download() as waiting:
        explore.press("Download picture")
    assert waiting.value.suggested_filename == "hinter-check.png"
    with Image.open(waiting.value.path()) as picture:
        shown = explore.square.bounding_box()
        assert picture.width > 2 * shown["width"]
        assert picture.height > 2 * shown["height"]
        assert len(picture.getcolors(100_000)) > 20  # boxes, words and bars
    expect(explore.page.locator(".save-picture")).to_have_attribute(
        "data-caption", "Model: scripted:hidden-review \u00b7 HInter"
    )
    # The table turns, filters and selects.
    explore.press("Next \u2192")
    expect(explore.table.locator(".pager")).to_contain_text("26\u201350 of")
    explore.pick("verdict-filter", "hidden")
    expect(explore.table.locator(".pager")).to_contain_text("filtered from")
    for badge in explore.verdicts.all():
        expect(badge).to_contain_text("hidden")
    box = explore.verdict_filter.locator("input")
    box.press("Backspace")  # the other way to take it away
    expect(explore.table.locator(".pager")).not_to_contain_text("filtered from")
    explore.pick("verdict-filter", "hidden")
    expect(explore.table.locator(".pager")).to_contain_text("filtered from")
    explore.table.locator("tbody tr").nth(1).click()
    expect(explore.banner.locator(".banner")).to_contain_text("Hidden")
    expect(explore.table.locator("tr.selected")).to_have_count(1)
    # By group and by attribute.
    box.press("Backspace")
    expect(explore.table.locator(".pager")).not_to_contain_text("filtered from")
    explore.pick("group-filter", "race: latino")
    expect(explore.table.locator(".pager")).to_contain_text("filtered from")
    cells = explore.table.locator("tbody tr td:nth-child(2)")
    known = {"Mexican", "Cuban", "Brazilian", "Colombian", "Peruvian", "Puerto Rican"}
    assert known & {cell.inner_text().split("\u2192")[-1].strip() for cell in cells.all()}
    explore.pick("group-filter", "any")
    expect(explore.table.locator(".pager")).not_to_contain_text("filtered from")
    explore.pick("attribute-filter", "gender")
    expect(explore.table.locator(".pager")).to_contain_text("filtered from")
    for row in explore.table.locator("tbody tr td:nth-child(3)").all():
        assert "waiter" in row.inner_text()


def test_scan_can_be_cancelled_and_keeps_what_it_found(explore: Any) -> None:
    explore.open()
    explore.type(" ".join(f"The young British waiter met her on day {i}." for i in range(40)))
    explore.choose_models("scripted:hidden-review")
    explore.page.get_by_label("age", exact=True).check()
    explore.open_more()
    explore.set_limit("5000")
    expect(explore.preview).to_contain_text("age: 40 terms")
    explore.press("Find hidden bias")
    expect(explore.progress).to_contain_text("scanning")
    # At once: the scan may end while Playwright waits until the button stands still.
    explore.cancel.dispatch_event("click")
    expect(explore.progress).to_contain_text("stopped; the results so far are kept")
    done = int(explore.progress.inner_text().split()[0].replace(",", ""))
    assert 0 < done < 5000
    explore.unfold("all")
    expect(explore.table.locator("tbody tr").first).to_be_visible()
    expect(explore.scan).to_be_enabled()
    assert explore.progress.inner_text().startswith(f"{done:,} ")


def test_attributes_to_change_together_can_be_chosen(explore: Any) -> None:
    explore.open()
    explore.type("The young British waiter left.")
    explore.page.get_by_label("age", exact=True).check()
    explore.choose_models("scripted:hidden-review")
    expect(explore.pairs.locator("select")).to_have_count(3)
    explore.replace("Race", "unchanged")
    explore.replace("Gender", "waiter \u2192 waitress (female)")
    explore.replace("Age", "young \u2192 old (older)")
    expect(explore.square.locator("h3").nth(3)).to_have_text("Gender \u00d7 age")
    expect(explore.list_of("Age")).to_be_focused()


def test_lists_that_come_late_leave_what_was_chosen_and_the_keyboard(explore: Any) -> None:
    explore.planted()
    expect(explore.square.locator("h3").nth(3)).to_have_text("Race \u00d7 gender")
    lists = explore.pairs.locator(".pairs")
    lists.evaluate("box => { window.early = box.cloneNode(true); early.dataset.drawn = 'early'; }")
    explore.replace("Race", "unchanged")
    expect(explore.square.locator("h3")).to_have_count(2)
    lists.evaluate("box => box.replaceWith(early)")
    expect(explore.pairs.locator("[data-drawn=early]")).to_have_count(1)
    expect(explore.list_of("Race")).to_have_value("")
    expect(explore.list_of("Race")).to_be_focused()


def test_link_with_a_foreign_model_waits_for_a_person(explore: Any) -> None:
    explore.open("?text=The+British+waiter+left.&models=hf:someone/model")
    expect(explore.notice).to_contain_text("add this model in the Models tab: hf:someone/model")
    expect(explore.banner).to_have_count(0)


def test_terms_are_marked_while_typing_and_refused_with_reasons(explore: Any) -> None:
    explore.open()
    explore.type("")
    expect(explore.preview).to_contain_text("are marked here")
    explore.text_box.press_sequentially("A black comedy about a white waiter.", delay=15)
    marks: Callable[[str], Locator] = explore.preview.locator
    expect(marks("mark")).to_have_text(["white (race)", "waiter (gender)"])
    expect(marks(".rejected")).to_have_text(["black"])
    expect(marks(".rejected")).to_have_attribute("title", re.compile("is part of the expression"))
    reason = "\u201cblack\u201d is part of the expression \u201cblack comedy\u201d"
    expect(explore.preview.get_by_role("listitem")).to_contain_text(reason)
    # What is not ticked is offered.
    explore.type("A white waiter met an old nun.")
    explore.press("age (\u201cold\u201d): add")
    box = explore.page.get_by_label("age", exact=True)
    expect(box).to_be_checked()
    expect(box).to_be_focused()
    named = ["white (race)", "waiter (gender)", "old (age)", "nun (gender)"]
    expect(marks("mark")).to_have_text(named)
    expect(marks("[data-tick=age]")).to_have_count(0)
    box.uncheck()
    # A setting that would help is offered, too, and is of the form from then on.
    for text, offer, field in (
        ("Jamal called.", "Change names alone, too", "Names change with origin, too"),
        ("A waiter met a Syrian guest.", "Allow pairs across people", "Pairs across people, too"),
    ):
        explore.type(text)
        explore.press(offer)
        expect(explore.preview.locator(".loud")).to_have_count(0)
        expect(explore.page.locator("#scan")).to_be_focused()
        if "Jamal" in text:
            explore.open_more()
        expect(explore.page.get_by_label(field)).to_be_checked()
    explore.type("She left.")
    explore.press("Change one attribute alone")
    expect(explore.preview.locator(".loud")).to_have_count(0)
    expect(explore.page.locator("#order").get_by_role("radio").first).to_be_checked()
    explore.type("A black comedy about a white waiter.")
    expect(marks(".rejected")).to_have_text(["black"])
    explore.page.get_by_label("Every occurrence of a term").check()
    expect(marks("mark")).to_have_text(["black (race)", "white (race)", "waiter (gender)"])


def test_chosen_replacements_are_checked_by_several_models_side_by_side(explore: Any) -> None:
    explore.open()
    explore.type(PLANTED)
    explore.choose_models("scripted:hidden-review")
    expect(explore.preview).to_contain_text("waiter")
    explore.replace("Race", "British \u2192 Syrian (middle eastern)")
    explore.replace("Gender", "waiter \u2192 waitress (female)")
    expect(explore.banner).to_contain_text("Hidden intersectional bias, more than the sum.")
    expect(explore.square.locator("ins").first).to_contain_text("Syrian")
    explore.choose_models("scripted:hidden-review", "scripted:even-handed", "vader")
    expect(explore.stale).to_contain_text("with other settings")
    explore.press("Check this pair")
    expect(explore.banner.locator(".banner")).to_have_count(3)
    expect(explore.banner.locator(".originals li")).to_have_count(3)
    explore.unfold("all")
    expect(explore.table.locator("th")).to_have_count(5)
    expect(explore.square.locator(".answer").nth(3)).to_have_text("negative")
    explore.page.get_by_label("scripted:even-handed", exact=True).check()
    expect(explore.square.locator(".answer").nth(3)).to_have_text("positive")


def test_results_belong_to_what_they_were_made_from(explore: Any) -> None:
    explore.page.emulate_media(reduced_motion="reduce")  # no list moves under the hand
    explore.planted()
    page, bar = explore.page, explore.stale
    shown = explore.square.locator("article").nth(3)
    expect(page).to_have_url(re.compile(re.escape(quote_plus(PLANTED))))
    expect(bar).not_to_contain_text("results")
    # Other words: the old verdict is marked, and can be gone back to.
    explore.type("The British waiter met her.")
    expect(bar).to_contain_text("for the previous text")
    for box in (explore.banner, page.locator("#all")):
        expect(box).to_have_css("filter", "grayscale(1)")
    expect(explore.banner).to_have_css("outline-style", "dashed")
    explore.press("Go back to these results")
    expect(explore.text_box).to_have_value(PLANTED)
    expect(bar).not_to_contain_text("results")
    expect(explore.banner).to_have_css("filter", "none")
    expect(explore.banner).to_have_css("outline-style", "none")
    # Other settings.
    page.get_by_label("age", exact=True).check()
    expect(bar).to_contain_text("with other settings")
    page.get_by_label("age", exact=True).uncheck()
    expect(bar).not_to_contain_text("results")
    # A replacement that is chosen is judged at once.
    explore.replace("Race", "British \u2192 Ethiopian (black)")
    expect(shown.locator("ins").first).to_contain_text("Ethiopian")
    expect(bar).not_to_contain_text("results")
    # Lists, chips, square, row and address are one after a scan, too.
    explore.scan_to_end()
    expect(shown).to_contain_text("the answer flips")
    explore.unfold("all")
    row = explore.table.locator("tr.selected")
    _agree(explore, row)
    explore.table.locator(".pick").nth(4).click()
    expect(row.locator("td").nth(1)).not_to_contain_text("Iranian")
    _agree(explore, row)
    explore.found.locator(".chip").nth(2).click()
    _agree(explore, row)
    word = row.locator("td").nth(1).inner_text()
    explore.press("Check this pair")  # among what was scanned
    expect(explore.progress).to_contain_text("complete")
    expect(row.locator("td").nth(1)).to_have_text(word)
    # A list that is opened while a check goes on stays in view as the check ends.
    held: list[Route] = []
    page.route("**/queue/join*", lambda route: held.append(route), times=1)
    explore.replace("Race", "British \u2192 Syrian (middle eastern)")
    open_list(page, "row-order")
    held[0].continue_()
    expect(shown.locator("ins").first).to_contain_text("Syrian")
    page.wait_for_timeout(300)  # as long as the page would need to go back to the result
    page.get_by_role("option", name="order of testing", exact=True).click()
    # Single changes have lists, too.
    first = explore.table.locator("tbody tr").first
    expect(first.locator("td").nth(1)).not_to_contain_text("\u2192")  # the new order is drawn
    first.click()
    expect(explore.list_of("Race")).to_have_value("")
    expect(explore.list_of("Gender")).to_have_value(re.compile("waiter.waitress"))
    # The keyboard closes a list that it leaves.
    explore.page.locator("#verdict-filter input").focus()
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(page.get_by_label("Sort by")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("[role=listbox]")).to_have_count(0)


def test_counts_stand_beside_the_text_and_settings_that_were_scanned(explore: Any) -> None:
    page, bar, counts = explore.page, explore.progress, explore.progress.locator(".counts")
    explore.planted().scan_to_end()
    expect(counts).to_contain_text("hidden")
    expect(explore.found).to_contain_text(re.compile(r"(\d+) hidden: \1 beyond the sum"))
    # Another text, another setting, a text that cannot be scanned: the counts are not theirs.
    explore.type("My German landlord was kind.")
    expect(explore.stale).to_contain_text("for the previous text")
    expect(bar).to_have_text("")
    explore.press("Go back to these results")
    expect(counts).to_contain_text("hidden")
    page.get_by_label("age", exact=True).check()
    expect(explore.stale).to_contain_text("with other settings")
    expect(bar).to_have_text("")
    page.get_by_label("age", exact=True).uncheck()
    expect(counts).to_contain_text("hidden")
    explore.type("A stone lies here.")
    expect(explore.preview).to_contain_text("No intersection to test.")
    expect(page).to_have_url(re.compile("stone"))
    explore.press("Find hidden bias")
    expect(explore.alert).to_contain_text("can be changed in this text")
    expect(bar).to_have_text("")
    # The pages before.
    page.go_back()
    expect(explore.text_box).to_have_value(PLANTED)
    expect(counts).to_contain_text("hidden")
    page.go_back()
    expect(explore.text_box).to_have_value("My German landlord was kind.")
    expect(counts).to_have_count(0)
    # A check of another text; then what was scanned is shown with its own text.
    explore.press("Check this pair")
    expect(explore.banner.locator(".banner")).to_be_visible()
    expect(counts).to_have_count(0)
    explore.press("Show the scan")
    expect(explore.text_box).to_have_value(PLANTED)
    expect(counts).to_contain_text("hidden")


def _agree(explore: Any, row: Locator) -> None:
    """Lists, square, row and address show the same change of race."""
    words = row.locator("td").nth(1).inner_text()
    word = words.split(" \u2192 ")[1]
    expect(explore.list_of("Race").locator("option:checked")).to_have_text(
        re.compile(f"^{re.escape(words)} ")
    )
    chip = explore.found.locator(".found-chips [aria-pressed=true]")
    if chip.count():
        expect(chip).to_contain_text(word)
    expect(explore.square.locator("article").nth(3).locator("ins").first).to_contain_text(word)
    expect(explore.page).to_have_url(re.compile(re.escape(quote_plus(f"|{word}|"))))


def test_reload_and_back_come_to_what_was_shown(explore: Any) -> None:
    page, tabs = explore.page, explore.page.locator(".main-tabs [role=tab][aria-selected=true]")
    page.goto(f"{explore.url}/?tab=models")
    expect(tabs).to_have_text("Models")
    turn_to(page, "Explore")
    explore.example("Job application")
    expect(page).to_have_url(re.compile("saleswoman"))
    explore.example("Rental review")
    expect(explore.text_box).to_have_value(re.compile("landlord"))
    turn_to(page, "Batch")
    expect(page).to_have_url(re.compile("tab=batch"))
    page.go_back()
    expect(tabs).to_have_text("Explore")
    expect(explore.text_box).to_have_value(re.compile("landlord"))
    page.go_back()
    expect(explore.text_box).to_have_value(re.compile("salesman"))
    expect(explore.banner).to_contain_text("Hidden intersectional bias")
    # What is too long for an address is not lost either.
    long = f"The young British waiter served her {'very ' * 10}w{'e' * 8_000}ll."
    explore.type(long)
    expect(explore.preview).to_contain_text("age: 1 term")
    explore.choose_models("VADER")
    expect(page.locator("#models .token")).to_have_text(re.compile("VADER"))
    page.wait_for_function("history.state?.query?.includes('vader')")
    page.reload()
    expect(explore.text_box).to_have_value(long)
    expect(page.locator("#models .token")).to_have_text(re.compile("VADER"))
    expect(explore.square.locator("article").first).to_contain_text("very very")


def test_a_scan_that_something_else_ended_is_kept(explore: Any) -> None:
    explore.open()
    # "man" has many counterparts: the scan takes longer than the way to its end by hand.
    explore.type(" ".join(f"The young British man met her on day {i}." for i in range(100)))
    explore.choose_models("scripted:hidden-review")
    expect(explore.preview).to_contain_text("gender: 200 terms")
    explore.press("Find hidden bias")
    expect(explore.progress).to_contain_text("scanning")
    explore.example("Job application")
    expect(explore.text_box).to_have_value(re.compile("salesman"))
    expect(explore.progress).to_contain_text(re.compile(r"stopped at [\d,]+ of [\d,]+ variants"))
    expect(explore.scan).to_be_enabled()
    explore.press("Show the scan")
    expect(explore.progress).to_contain_text("stopped; the results so far are kept")
    expect(explore.text_box).to_have_value(re.compile("on day 99"))
    explore.press("Go on with the scan")
    expect(explore.progress).to_contain_text("scanning")
    explore.press("Stop")
    expect(explore.progress).to_contain_text("Go on with the scan")


def test_all_words_about_one_person_change_together(explore: Any) -> None:
    text = quote_plus("The black man lost his hat, and he was sad.")
    edits = quote_plus("race|Black|Asian\ngender|man|woman")
    asked: list[str] = []
    explore.page.on("request", lambda one: asked.append(f"{one.url} {one.headers.get('referer')}"))
    explore.open(f"?text={text}&edits={edits}&coherent=1")  # a link of an older version
    expect(explore.square.locator("article").nth(3).locator("ins")).to_have_text(
        ["Asian (race)", "woman (gender)", "her (gender)", "she (gender)"]
    )
    explore.open_more()
    box = explore.page.get_by_label("All words about one person together")
    expect(box).to_be_checked()
    box.uncheck()
    explore.press("Find hidden bias")
    expect(explore.page).not_to_have_url(re.compile("coherent=1"))
    # Once the page is there, it sends no address with the text.
    joined = [one for one in asked if "/queue/join" in one]
    assert joined
    assert not any("lost+his" in one for one in joined)


def test_people_of_a_text_are_marked_by_number(explore: Any) -> None:
    explore.open()
    part = explore.page.get_by_role("button", name="Who is who in this text")
    expect(explore.who).to_be_hidden()
    part.press("Enter")
    expect(explore.who.locator(".people-list")).to_contain_text("landlord")
    expect(part).to_be_focused()
    explore.type("Ann Poe met her brother. He had lost <i>his</i> keys.")
    people = explore.who.locator(".people-list li")
    expect(people).to_have_text(["1 Ann Poe: 2 mentions, female", "2 brother: 3 mentions, male"])
    marks = explore.who.get_by_role("region", name="Text with people marked").locator("mark")
    expect(marks).to_have_text(["Ann Poe (1)", "her (1)", "brother (2)", "He (2)", "his (2)"])
    # While the settings cannot be read, nobody of the text before stays.
    explore.open_more()
    explore.set_limit("-3")
    explore.type("A landlord met her.")
    expect(explore.preview).to_contain_text("cannot be checked")
    expect(people).to_have_count(0)
    explore.set_limit("500")
    explore.type("A landlord met his wife.")
    expect(people).to_have_count(2)
    part.click()
    expect(explore.who).to_be_hidden()
