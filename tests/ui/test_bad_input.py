"""Input that cannot be checked: a clear message in the page, no stack trace, no script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import expect

SCRIPTS = (
    "The British waiter <img src=x onerror=window.pwned=1><script>window.pwned=2</script> "
    "said ${window.pwned=3} {{constructor}} and <b>left</b>."
)


# No two neighbours have the same message, so that each is seen to be new.
NOTHING = {
    "": "There is no text to check",
    "The soup was warm and the bread was fresh.": "No term of race or gender",
    "The waiter left early.": "Only gender has a term in this text",
    "   \n\t ": "There is no text to check",
    "A black comedy about a waiter.": "is part of the expression \u201cblack comedy\u201d",
}
LONG = "x " * 500_000


def test_text_that_offers_nothing_says_why(explore: Any) -> None:
    explore.open()
    for text, message in NOTHING.items():
        explore.type(text)
        explore.press("Find hidden bias")
        expect(explore.alert).to_contain_text(message)
        expect(explore.scan).to_be_enabled()
        expect(explore.pairs.locator("select")).to_have_count(0)
    explore.type(LONG)
    explore.press("Find hidden bias")
    expect(explore.alert).to_contain_text("1,000,000 characters")
    expect(explore.page.get_by_text("Traceback")).to_have_count(0)
    # The preview says loudly that there is no intersection.
    explore.type("The waiter left early.")
    expect(explore.preview.locator(".loud")).to_contain_text("No intersection to test.")
    expect(explore.preview.locator(".loud")).to_contain_text("Only gender has a term that")


UNKNOWN = {
    "gpt-99": "Unknown model 'gpt-99'",
    "scripted:nonsense": "No rules named 'nonsense'",
    "hf:<img src=x onerror=window.pwned=1>": "<img src=x onerror=window.pwned=1>",
}


def test_settings_that_cannot_be_used_are_named(explore: Any) -> None:
    explore.open()
    for name, message in UNKNOWN.items():
        explore.choose_models(name)
        explore.press("Find hidden bias")
        expect(explore.alert).to_contain_text(message)
    assert explore.page.evaluate("window.pwned") is None
    explore.choose_models()
    explore.press("Find hidden bias")
    expect(explore.alert).to_contain_text("No model is selected")
    explore.choose_models("scripted:even-handed")
    explore.open_more()
    explore.set_limit("0")
    explore.press("Find hidden bias")
    expect(explore.alert).to_contain_text(
        "Maximum variants per text: type a whole number from 1 to 5000."
    )
    explore.set_limit("500")
    explore.parser.locator("input").fill("no_such_parser")
    explore.parser.locator("input").press("Enter")
    explore.press("Find hidden bias")
    expect(explore.alert).to_contain_text("Parser 'no_such_parser' is not installed")


def test_scripts_and_templates_show_as_text(explore: Any) -> None:
    explore.open()
    explore.type(SCRIPTS)
    explore.choose_models("scripted:hidden-review", "vader")
    expect(explore.preview).to_contain_text("<script>window.pwned=2</script>")
    explore.press("Find hidden bias")
    expect(explore.square).to_contain_text("<img src=x onerror=window.pwned=1>")
    expect(explore.square).to_contain_text("${window.pwned=3} {{constructor}}")
    expect(explore.square.locator("img, script")).to_have_count(0)
    expect(explore.progress).to_contain_text("complete")
    explore.unfold("why")
    expect(explore.trees).to_contain_text("onerror")
    assert explore.page.evaluate("window.pwned") is None


def test_odd_characters_are_checked_and_told(explore: Any) -> None:
    explore.open()
    explore.type(
        "\u202e\u05e9\u05dc\u05d5\u05dd\u202c. The Brit\u200bish wai\u00adter smiled\x07 at us, "
        "and l\u0301eft. \U0001f469\u200d\U0001f373"
    )
    explore.choose_models("scripted:hidden-review")
    explore.press("Find hidden bias")
    expect(explore.banner.locator(".banner")).to_have_count(1)
    expect(explore.notice).to_contain_text("invisible characters")


def test_own_dictionary_is_added(explore: Any, tmp_path: Path) -> None:
    own = tmp_path / "Seat Class.csv"
    own.write_text("term,group\nfirst-class,rich\neconomy-class,plain\n<b>x</b>,plain\n")
    explore.open()
    explore.open_more()
    explore.upload.locator("input[type=file]").set_input_files(own)
    expect(explore.upload_note).to_contain_text("“seat class” is added. Terms: 3; replacements: 4.")
    expect(explore.page.get_by_label("seat class", exact=True)).to_be_checked()
    explore.type("The first-class waiter smiled.")
    expect(explore.preview.locator("mark").first).to_contain_text("seat class")


def test_broken_dictionary_names_file_line_and_cure(explore: Any, tmp_path: Path) -> None:
    own = tmp_path / "mine.csv"
    own.write_text("term,group\nabc,one\nabc,one\n")
    explore.open()
    explore.open_more()
    explore.upload.locator("input[type=file]").set_input_files(own)
    expect(explore.upload_note).to_contain_text("This dictionary cannot be used.")
    expect(explore.upload_note).to_contain_text("mine.csv, line 3: duplicate 'abc'")
    expect(explore.upload_note).not_to_contain_text("/tmp")
