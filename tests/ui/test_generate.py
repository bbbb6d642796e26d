"""The Generate tab: a grammar is chosen or written, checked, drawn from, and tested in Batch."""

from __future__ import annotations

import re
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from hinter_core.errors import InputError
from hinter_core.generators.grammars.reading import shipped_grammars
from hinter_ui.generate import events
from hinter_ui.generate.actions import (
    GenerateState,
    SentenceForm,
    draw,
    examples,
    hand_over,
    text_of,
)
from hinter_ui.shared.session import Session
from tests.ui.test_batch_grammars import OWN


def test_a_grammar_shows_its_size_ten_sentences_and_variants() -> None:
    found = draw(text_of("sentiment-gender-occupation"))
    shown = events.drawn(found)
    assert "24,528 different sentences" in shown
    assert "18 rules, 107 terminals" in shown
    assert shown.count("<tr>") == 1 + 10
    assert shown.count("<li>") == len(found.variants) > 0
    again = draw(text_of("sentiment-gender-occupation"), 1)
    assert [row.text for row in again.rows] != [row.text for row in found.rows]
    assert len(draw(OWN.replace("[left, stayed, slept]", "[left, stayed]")).rows) == 8


@pytest.mark.parametrize("name", shipped_grammars())
def test_shipped_grammars_are_drawn(name: str) -> None:
    assert "variants" in events.drawn(draw(text_of(name)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (" \n", "Write rules: begin with start"),
        ("#" * 100_001, "up to 100 kB"),
        (f"{OWN}x: 1\n", "^The grammar, line 8: unknown key 'x'"),
        (f"{OWN}labels: {{left: bad, sentence: good}}\n", "^The grammar: .* labels bad and good"),
    ],
)
def test_faults_are_told(text: str, told: str, tmp_path: Path) -> None:
    session = Session()
    with pytest.raises(InputError, match=told):
        draw(text)
    with pytest.raises(InputError, match=told):
        hand_over(session, text, tmp_path)
    assert (session.grammar, list(tmp_path.iterdir())) == ("", [])
    assert text_of("../../etc/passwd") == ""


def test_a_grammar_is_handed_over_by_name_or_as_a_file_of_the_page(tmp_path: Path) -> None:
    session = Session()
    hand_over(session, text_of("legal"), tmp_path)
    assert session.grammar == "legal"
    hand_over(session, OWN, tmp_path)
    assert Path(session.grammar).read_text(encoding="utf-8") == OWN
    assert Path(session.grammar).name == "job-sex.yaml"
    session.close()
    assert not Path(session.grammar).exists()


@pytest.mark.parametrize("name", examples())
def test_an_example_makes_sentences_about_people_of_several_groups(name: str) -> None:
    found = draw(examples()[name].grammar())
    assert len(found.rows) == 10
    assert len({edit.attribute for edit in found.variants}) > 1
    assert not found.grammar.about


FORM = SentenceForm("The <person> lost <his> <thing>.", "gender (person, his): man/his, woman/her",
                    "thing: keys, hat")  # fmt: skip


@pytest.mark.parametrize(
    ("form", "sentences"),
    [
        (FORM, 4),
        (SentenceForm("<A> <age> cook slept.", "age: old, young, elderly"), 3),
        (SentenceForm("\n<A> cook slept.\n\n The <who> left. \n", "who: nun,, king , "), 3),
        (SentenceForm("The <she> left.", "sex (she, him): nun/her, king/him\nage: old", "x: y"), 2),
        (
            SentenceForm("The <who> is <mood>.", "who: nun, king", "mood: <kind>, bad\nkind: good"),
            4,
        ),
    ],
)
def test_a_form_is_written_as_a_grammar(form: SentenceForm, sentences: int) -> None:
    assert draw(form.grammar()).count == sentences


def test_words_of_one_person_agree() -> None:
    said = {row.text for row in draw(FORM.grammar()).rows}
    assert "The woman lost her hat." in said
    assert not {text for text in said if "woman lost his" in text or "man lost her" in text[:12]}


@pytest.mark.parametrize(
    ("form", "told"),
    [
        (SentenceForm(" \n"), "Write a sentence, such as"),
        (SentenceForm("The <who> left.", "nun, king"), "“nun, king” has no name"),
        (SentenceForm("The <who> left.", "gender (who, he): nun"), "“nun” should have 2 parts"),
        (SentenceForm("The <who> left.", "age: old, young"), "<who> has no list of words"),
        (SentenceForm("The cook left.", "age: old, young"), "Write one of <age>"),
        (SentenceForm("The <age left.", "age: old, young"), "stands alone"),
    ],
)
def test_a_form_with_a_fault_is_told_what_to_write(form: SentenceForm, told: str) -> None:
    with pytest.raises(InputError) as error:
        draw(form.grammar())
    assert told in str(error.value)


def test_own_words_become_sentences_and_rules(explore: Any) -> None:
    page = explore.page
    page.goto(f"{explore.url}/?tab=generate")
    drawn, people = page.locator("#generate-drawn"), page.locator("#generate-people textarea")
    expect(drawn).to_contain_text("96 different sentences")
    page.get_by_label("A doctor’s note").check()
    expect(people).to_have_value(examples()["clinic"].people)
    expect(drawn).to_contain_text("48 different sentences")
    page.locator("#generate-sentences textarea").fill("<A> <age> <person> left.")
    people.fill("age: old, young\ngender (person): king, nun\nno name")
    expect(drawn.get_by_role("alert")).to_contain_text("“no name” has no name")
    expect(page.locator("#generate-test")).to_be_disabled()
    people.fill("age: old, young\ngender (person): king, nun")
    page.locator("#generate-words textarea").fill("")
    expect(drawn).to_contain_text("4 different sentences")
    page.get_by_label("Rules (YAML)", exact=True).check()
    expect(page.locator("#generate-text .cm-content")).to_contain_text("age: [old, young]")
    expect(drawn).to_contain_text("4 different sentences")
    page.locator("#generate-test").click()
    expect(page.locator("#batch-preview")).to_contain_text("4 different sentences")


def test_what_was_written_comes_back_with_the_page_and_with_its_example(explore: Any) -> None:
    page = explore.page
    page.goto(f"{explore.url}/?tab=generate")
    drawn = page.locator("#generate-drawn")
    eight = re.compile(r"\b8 different sentences")  # those of the note are 48
    sentences = page.locator("#generate-sentences textarea")
    sentences.fill("The <race> <person> sings.")
    expect(drawn).to_contain_text(eight)
    page.get_by_label("A doctor’s note").check()
    expect(sentences).to_have_value(examples()["clinic"].sentences)
    page.get_by_label("A review").check()
    expect(sentences).to_have_value("The <race> <person> sings.")
    expect(drawn).to_contain_text(eight)
    page.reload()
    expect(sentences).to_have_value("The <race> <person> sings.")
    expect(drawn).to_contain_text(eight)
    sentences.fill(" ")  # an empty form is the example's again
    expect(drawn.get_by_role("alert")).to_contain_text("Write a sentence")
    page.get_by_label("A doctor’s note").check()
    expect(drawn).to_contain_text("48 different sentences")
    page.get_by_label("A review").check()
    expect(drawn).to_contain_text("96 different sentences")


def test_words_belong_to_the_example_whose_form_shows_them() -> None:
    review, note = list(examples())[:2]
    state, words = GenerateState(page="a"), ("The <race> <person> sings.", "", "")
    assert state.shown(None) == review
    kept = state.keep(review, "", words)
    state.start = note  # chosen; its words are not in the form yet
    assert state.shown(kept) == review
    assert state.shown(state.keep(note, "", ("A", "", ""))) == note
    late, own = state.keep(note, "", ("A", "", "")), astuple(state.form_of(review))
    state.start = review  # the answer to it came first, and then one to words of the note
    assert state.shown(late, own) == review
    assert state.shown(late, ("A", "", "")) == note
    again = GenerateState(page="b")  # the page, loaded again: its form shows the first example
    assert again.shown(state.keep(note, "", ("A", "", ""))) == review
    assert again.resume(kept)[0] == review
    assert again.form_of(review) == SentenceForm(*words)


def in_yaml(explore: Any) -> Any:
    page = explore.page
    page.goto(f"{explore.url}/?tab=generate")
    page.get_by_label("Rules (YAML)", exact=True).check()
    expect(page.locator("#generate-text .cm-content")).to_contain_text("start:")
    return page


def test_a_grammar_is_written_checked_and_handed_to_batch(explore: Any, tmp_path: Path) -> None:
    page = in_yaml(explore)
    drawn, again = page.locator("#generate-drawn"), page.locator("#generate-again")
    editor = page.locator("#generate-text .cm-content")
    expect(drawn.locator("tbody tr")).to_have_count(10)
    expect(editor).to_contain_text("start:")
    first = drawn.locator("tbody").inner_text()
    again.click()
    expect(drawn.locator("tbody")).not_to_have_text(first, use_inner_text=True)
    editor.fill(f"{OWN}x: 1\n")
    expect(drawn.get_by_role("alert")).to_contain_text("line 8: unknown key 'x'")
    expect(page.locator("#generate-test")).to_be_disabled()
    editor.fill(OWN)
    expect(drawn).to_contain_text("12 different sentences")
    expect(page.locator("#generate-grammar input")).to_have_value("")  # it is none of the list
    page.locator("#generate-changed").click()
    expect(page.locator("#generate-notice")).to_contain_text("Test sentences first")
    page.locator("#generate-test").click()
    expect(page.locator("#batch-preview")).to_contain_text("12 different sentences")
    expect(page.locator("#batch-own-grammar")).to_contain_text("job-sex")
    expect(page.locator("#batch-tested").get_by_role("checkbox").first).to_be_checked()
    # What the form holds stays, and the preview says it.
    page.locator("#batch-sample input").fill("5")
    expect(page.locator("#batch-preview")).to_contain_text("Start tests 5 of these 12 sentences")
    page.get_by_role("tab", name="Generate").click()
    page.locator("#generate-test").click()
    expect(page.locator("#batch-preview")).to_contain_text("Start tests 5 of these 12 sentences")
    page.locator("#batch-sample input").fill("20")
    listed, own = page.locator("#batch-grammar input"), tmp_path / "own.yaml"
    listed.click()
    page.get_by_role("option", name="feelings").click()
    expect(page.locator("#batch-preview")).to_contain_text("82,870 different sentences")
    own.write_text(OWN)
    page.locator("#batch-own-grammar input[type=file]").set_input_files(own)
    expect(page.locator("#batch-preview")).to_contain_text("12 different sentences")
    expect(listed).to_have_value("")
    page.locator("#batch-start").click()
    expect(page.locator("#job-title .badge")).to_have_text("done", timeout=120_000)
    page.get_by_role("tab", name="Generate").click()
    page.locator("#generate-changed").click()
    expect(page.locator("#results-diagnosis section").first).to_be_visible()


@pytest.mark.parametrize("size", [{"width": 1240, "height": 900}, {"width": 380, "height": 800}])
def test_a_grammar_is_written_and_tested_by_keyboard_alone(explore: Any, size: Any) -> None:
    explore.page.set_viewport_size(size)
    page = in_yaml(explore)
    drawn = page.locator("#generate-drawn")
    expect(drawn.locator("tbody tr")).to_have_count(10)
    keys = page.keyboard

    def reach(wanted: Any, key: str = "Tab") -> None:
        """Press a key until the focus is there."""
        for _ in range(16):
            keys.press(key)
            if wanted.evaluate("one => one === document.activeElement"):
                return
        pytest.fail(f"{key} does not reach {wanted}")

    reach(page.locator("#generate-grammar input"))
    keys.press("Control+A")
    keys.type("legal")
    keys.press("Enter")
    expect(drawn).to_contain_text("court")
    tall = page.locator("#generate-text .cm-editor").bounding_box()["height"]
    assert tall <= size["height"] * (0.5 if size["width"] < 720 else 0.8)
    editor = page.get_by_role("textbox", name="Rules (YAML): change them, or write your own")
    reach(page.locator("#generate-text .cm-content"))
    expect(editor).to_be_focused()
    keys.press("Control+A")
    keys.insert_text(f"{OWN}x: 1")
    expect(drawn.get_by_role("alert")).to_contain_text("line 8: unknown key 'x'")
    keys.press("Shift+Home")
    keys.press("Delete")
    expect(drawn).to_contain_text("12 different sentences")
    reach(page.locator("#generate-check"))
    reach(page.locator("#generate-test"))
    reach(page.locator("#generate-again"))
    first = drawn.locator("tbody").inner_text()
    keys.press("Enter")
    expect(drawn.locator("tbody")).not_to_have_text(first, use_inner_text=True)
    reach(page.locator("#generate-check"), "Shift+Tab")
    reach(editor, "Shift+Tab")
    reach(page.locator("#generate-test"))
    keys.press("Enter")
    expect(page.locator("#batch-preview")).to_contain_text("12 different sentences")
    expect(page.locator("#generate-test")).to_be_hidden()
    expect(page.locator("#batch-source input:checked")).to_be_focused()
    reach(page.locator("#batch-start"))
