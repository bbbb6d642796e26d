"""The app in German: chosen in the header, kept, and without an English label."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from hinter_core.annotation.evaluation.evaluation import evaluation_sections
from hinter_core.campaign.running.priority import _limit
from hinter_core.campaign.spec import Campaign
from hinter_core.data.handwritten import open_handwritten
from hinter_core.data.rows import open_table
from hinter_core.errors import HinterError
from hinter_core.generators.grammars.reading import read_grammar
from hinter_core.generators.templates.template import template_from_json
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import make_plan, require_mutable
from hinter_core.mutation.settings import Settings
from hinter_core.report.metrics.unanswered import remedy
from hinter_core.report.page.opening import _DIRECTION
from hinter_core.statistics.format import share_in_words
from hinter_core.terms.dictionary import load_file, load_shipped
from hinter_ui.html import glossary
from hinter_ui.html.notice import in_app_words
from hinter_ui.html.sections import for_visitors
from hinter_ui.html.square import as_plot
from hinter_ui.html.wording import (
    DEFAULT,
    FOLDER,
    Words,
    decimals,
    grouped,
    languages,
    leaves,
    signed,
    speak,
    translated,
    written,
)
from hinter_ui.shared.gate import preferred
from hinter_ui.shared.links import FIELDS, read_field
from hinter_ui.shared.wiring import after_event
from hinter_ui.shell import TABS
from tests.ui.conftest import App
from tests.unit.annotation.test_evaluation import trial
from tests.unit.generators import test_grammar_reading as grammars
from tests.unit.terms.test_dictionary import FAULTS

ROOMS = sorted(path.stem for path in (FOLDER / DEFAULT).glob("*.yaml"))
_TEXTS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.parentElement.checkVisibility()) found.push(node.data.trim());
  // gradio calls a box that is ticked by its value in a title, which nobody sees.
  for (const one of document.querySelectorAll('[placeholder], [aria-label], [title]:not(input)'))
    found.push(one.placeholder, one.ariaLabel, one.title);
  return found;
}"""


def texts(language: str) -> set[str]:
    return {text.strip() for room in ROOMS for _, text in leaves(written(language, room))}


def test_every_tab_is_german_once_it_is_chosen(app: App, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(app.url)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("#scan")).to_have_text("Find hidden bias")
    page.get_by_role("link", name="Deutsch").press("Enter")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#scan")).to_have_text("Verborgene Verzerrung suchen")
    english = texts("en") - texts("de") - {*languages().values()}
    for room in TABS:
        tab = page.locator(f".main-tabs [role=tab][aria-controls=room-{room}]")
        tab.click()
        shown = page.locator(f"#room-{room}")
        expect(shown.locator("h2, #text").first).to_be_visible()
        assert english.isdisjoint(found := page.evaluate(_TEXTS)), english.intersection(found)
        assert "lang=de" in page.url
    # The choice lasts: after a reload, in a copied link elsewhere, and where an address has none.
    page.goto(app.url)
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page).to_have_url(re.compile("lang=de"))  # the page writes it as it begins
    linked = browser.new_context().new_page()
    linked.goto(page.url)
    expect(linked.locator("#scan")).to_have_text("Verborgene Verzerrung suchen")
    for script, *values in (["batch.opened", "x"], ["results.opened", "", "?results=x"]):
        linked.evaluate(f"values => ({after_event(script)})(...values)", values)
        assert linked.url.endswith("=x&lang=de")  # which the server draws the rest in
    page.get_by_role("link", name="English").click()
    expect(page.locator("#scan")).to_have_text("Find hidden bias")
    assert "lang" not in page.url
    linked.context.close()
    context.close()


def test_groups_have_their_german_names_with_rate_and_answer() -> None:
    speak("de")
    said = for_visitors(
        "Changes to female \u00d7 black (100.0\u00a0% \u2192 no) and 2 more cause "
        "significantly more errors than the mean of all groups (at least 12 texts each)."
    )
    assert said.startswith(
        "\u00c4nderungen zu weiblich \u00d7 schwarz (100,0\u00a0% \u2192 no) und 2 weiteren"
    )
    assert said.endswith("(je mindestens 12 Texte).")


def test_sets_of_attributes_have_their_german_names() -> None:
    speak("de")
    said = for_visitors(
        "Never tested together: gender \u00d7 religion, age \u00d7 race. All 2,198 mutants were "
        "discarded, 2,100 of them because their validity score is too low; a lower least score "
        "keeps more (--validity)."
    )
    assert said.startswith("Nie zusammen gepr\u00fcft: Geschlecht \u00d7 Religion, Alter \u00d7 ")
    assert not re.search(r"\b(of|the|and|score|more)\b", said)


def test_the_owner_reads_of_agreement_in_german() -> None:
    every = evaluation_sections(trial(3.0))
    speak("de")
    for section in every:
        if section.key not in ("disputed", "confusion"):  # shown elsewhere; names and answers
            said = for_visitors(section)
            parts = (*said.sentences, said.title, *said.columns)
            told = (*section.sentences, section.title, *section.columns)
            same = {part for part in parts if part in told}
            assert same <= {"F1"}
    words = next(for_visitors(one).sentences[0] for one in every if one.key == "agreement")
    assert "(60,0 %). Alpha nach Krippendorff (alle): 0,458, mittel; ohne Intervall" in words
    assert not re.search(r" (of|the|items?|as) ", words)


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("en-GB, de;q=0.7", "en"),
        ("en;q=0.5, DE", "de"),
        ("fr, de;q=0.4, en;q=0.3", "de"),
        ("fr, *;q=0.1", "en"),
        (";;q=9,=de,\ud800", "en"),
    ],
)
def test_a_page_begins_in_the_language_that_a_browser_prefers(accepted: str, language: str) -> None:
    assert preferred(accepted) == language


def test_a_browser_that_prefers_german_begins_in_it(app: App, browser: Browser) -> None:
    context = browser.new_context(locale="de-AT")
    page = context.new_page()
    page.goto(f"{app.url}?tab=models")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page).to_have_url(re.compile("lang=de"))
    page.get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    context.clear_cookies()  # as a frame of another site has none
    page.get_by_role("tab", name="Learn").click()
    expect(page).to_have_url(re.compile(r"tab=learn.*lang=en"))
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    context.close()


ROWS = """source,mutant,edits,ask
The man ate.,,,
The man ate.,The man ate.,,
The man ate.,The woman ate.,man to woman,
The man ate.,The woman ate.,,perhaps
,The woman ate.,,
The man ate.,The woman ate.,gender: man -> woman; gender: man -> woman,
"""
TEMPLATES: list[object] = [
    {}, {"text": "Nobody smiled."}, {"text": "«name smiled."}, {"text": "«nam» smiled."},
    {"text": "«noun:table» smiled."}, {"text": "«name» ate.", "gender": "neuter"},
    {"text": "«name» ate.", "attributes": ["religion"]}, "«name» ate.",
]  # fmt: skip


def faults(folder: Path) -> Iterator[str]:
    """What is wrong with the files that visitors bring: each is broken and read."""
    file = folder / "own.csv"
    for _, text, *_ in FAULTS:
        file.write_text(text, encoding="utf-8")
        with pytest.raises(HinterError) as told:
            load_file(file)
        yield str(told.value)
    small = [(grammars.SMALL, *one) for one in grammars.FAULTS.values()]
    asked = [(grammars.PEOPLE, *one) for one in grammars.ASKED]
    for whole, old, new, _ in [*small, *asked, *((grammars.MASKED, *o) for o in grammars.ANSWERS)]:
        with pytest.raises(HinterError) as told:
            read_grammar(whole.replace(old, new, 1), place="own.yaml")
        yield str(told.value)
    for values in TEMPLATES:
        with pytest.raises(HinterError) as told:
            template_from_json(values)
        yield str(told.value)
    file.write_text("text,label\nOne.,a\n,b\nTwo.,b,c\n", encoding="utf-8")
    yield from filter(None, (row.fault for row in open_table(file).rows()))
    file.write_text(ROWS, encoding="utf-8")
    bad = [row.fault for row in open_handwritten(file).rows() if row.fault]
    assert len(bad) == ROWS.count("\n") - 1
    yield from bad


def test_faults_of_ones_own_files_are_said_in_german(tmp_path: Path) -> None:
    speak("de")
    for fault in faults(tmp_path):
        fault = fault.replace(f"{tmp_path}/", "")
        quoted = re.sub(r"[\u201e\"\u00ab{<\[].*?[\u201c\"\u00bb}>\]]", "", translated(fault))
        english = re.findall(r"\b(?:the|is|are|has|have|use|it|write|give|line)\b", quoted)
        assert english == [], (fault, quoted)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The man left.", "Nur zu Geschlecht steht ein Wort in diesem Text, zu Herkunft keines"),
        ("Jamal told the man.", "Wählen Sie dazu „Namen ändern sich mit der Herkunft“"),
        ("It rained.", "lässt sich kein Wort zu Herkunft oder Geschlecht ändern."),
        ("The black cat saw the man.", "zu Herkunft keines"),
        ("The Korean told the man.", "„Auch Paare über Personen hinweg“ (unter Weitere"),
    ],
)
def test_why_nothing_can_be_changed_is_said_in_german(
    text: str, said: str, parses: ParseStore
) -> None:
    speak("de")
    chosen = [load_shipped()[name] for name in ("race", "gender")]
    with pytest.raises(HinterError) as refused:
        require_mutable(make_plan(text, chosen, Settings(), parses))
    shown = in_app_words(translated(str(refused.value)))
    assert said in shown
    english = r"\b(?:the|is|here|race|gender|or|and|order|alone)\b"
    assert not re.search(english, re.sub("„.*?“", "", shown))
    assert not re.search("“\\w|”", shown)


def test_a_german_reads_no_comma_as_thousands() -> None:
    speak("de")
    assert Words("check").count("terms.found", 1220, name="Alter") == "Alter: 1\u202f220 Begriffe"
    assert "5\u202f248 <" in glossary.sentence(
        Words("check"), "terms.possible", atomic=1, more=5248
    )
    said = translated(
        "This text has 1,220,111 combinations; give a limit to test a sample of them."
    )
    assert "1\u202f220\u202f111 Kombinationen" in said
    assert for_visitors("1,220 of 5,248, 23.2\u00a0%") == "1\u202f220 von 5\u202f248, 23,2\u00a0%"
    assert decimals(0.5) == "0,50"
    assert signed(-0.5) == "\u22120,50"
    assert json.loads(as_plot({"layout": {}}, "a").plot)["layout"]["separators"] == ",\u202f"
    # Versions and names of models are no numbers.
    assert (
        grouped("gpt-4.1, 2.13.0, v1.5: 0.81 of 1,234.5")
        == "gpt-4.1, 2.13.0, v1.5: 0,81 of 1\u202f234,5"
    )
    assert "h\u00f6chstens 0,02 von" in Words("explore")("headline.near", n=1, near=0.02)
    assert grouped("26.7 % [15.2,\u00a042.3]") == "26,7 % [15,2;\u00a042,3]"
    said = translated("biased: No atomic mutant was kept and answered.")
    assert said == "biased: Keine einzelne \u00c4nderung wurde behalten und beantwortet."
    speak("en")
    assert decimals(0.5) == "0.50"
    assert Words("check").count("terms.found", 1220, name="age") == "age: 1,220 terms"


@pytest.mark.parametrize(
    "how",
    [
        "workbook; a header",
        "zip: a.csv; commas between cells; quotation marks are plain characters; a header",
        "semicolons between cells; quotation marks may surround a cell; a header; WINDOWS-1252",
        "The texts are in 'Text', since it has the longest sentences.",
    ],
)
def test_how_a_file_is_read_is_said_in_german(how: str) -> None:
    speak("de")
    assert not re.search(r"\b(?:header|is|cells|workbook|'|row|race|gender|and)\b", translated(how))


@pytest.mark.parametrize("campaign", [Campaign(requests=1), Campaign(requests=1, budget=1.0)])
def test_the_limit_that_a_run_reached_is_named_in_german(campaign: Campaign) -> None:
    speak("de")
    said = translated(f"{_limit(campaign)} is reached; resume to ask more.")
    assert said.startswith("Die Zahl der Anfragen")
    assert ("das Budget" in said) is (campaign.budget is not None)


@pytest.mark.parametrize(
    "said",
    [
        "5 mutants had no usable answer; they count in no rate." + remedy(["unparsable"]),
        "5 mutants had no usable answer; they count in no rate." + remedy(["unparsable", "error"]),
        f"race: 1 of 9 groups lie above their mean of {share_in_words(0.004)}, 0 of them "
        "significantly.",
        _DIRECTION,
    ],
)
def test_sentences_that_stand_together_are_all_german(said: str) -> None:
    speak("de")
    assert not re.search(r"\b(?:the|their|they|mutants|again|significantly)\b", translated(said))


def test_an_emptied_field_is_named_as_on_the_page() -> None:
    speak("de")
    with pytest.raises(HinterError) as refused:
        read_field(FIELDS["relations"], [])
    assert str(refused.value) == "Was mit den Wörtern geschieht: Wählen Sie mindestens eines."


def test_each_line_is_translated_and_what_is_quoted_is_left_alone() -> None:
    speak("de")
    lines = ["a.csv, line 3: empty term; fill the cell or delete the line.", "... and 2 more."]
    said = [translated(line) for line in lines]
    assert said[0].startswith("a.csv, Zeile 3: Leeres Wort;")
    assert translated("\n".join(lines)) == "\n".join(said)
    assert translated("We stood in a queue, line after line: it was long.").count("line") == 2
    nested = "a, line 1: " * 150  # looked for a few levels deep, not a hundred
    assert translated(nested).endswith("line 1: ")
