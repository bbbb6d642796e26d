"""The sentence splitter on abbreviations, citations, quotes, ellipses and rough text."""

from __future__ import annotations

import pytest

from hinter_core.language.sentences import sentence_at, split_sentences


def pieces(text: str) -> list[str]:
    found = split_sentences(text)
    for sentence in found:
        assert text[sentence.start : sentence.end] == sentence.text
    return [s.text for s in found]


# "|" marks where a sentence ends.
CASES = [
    "She came.| He left.",
    "She came!| Did he leave?| Yes.",
    "She came?!| He left!!!| Good.",
    "no capitals here.| each stop still ends a sentence, e.g. this one.| yes",
    "Ann won today.| i'm glad about j. smith, etc. and the rest",
    "they rang and NOBODY came to get u.| we told j. smith of it",
    "Ann Lee won it. everyone saw approx. ten of them",
    # titles, initials, abbreviations
    "Mr. Hill met Mrs. Dale and Dr. J. R. Stone.| They talked.",
    "The Rev. Ann Field spoke.| We heard her.",
    "They sell tea, coffee, etc. and cakes.| Come in.",
    "They sell tea, coffee, etc.| The shop is small.",
    "Some fruit, e.g. Apples and pears, is cheap.| Some is not.",
    "He works for Birch Inc. in Leeds.| She works for Elm Ltd.| The pay is fair.",
    "He moved to the U.S. Army base.| She stayed.",
    "He moved to the U.S.| The car broke down.",
    "At 5 p.m. he left.| At 6 p.m.| She came back.",
    "On Jan. 5, 2010, we met.| On Sat. 7 we parted.",
    "He sat.| The sun rose.| We saw the sun.| It was warm.",
    "The answer is no.| The question was no. 5 on the list.",
    "No.| He did not.",
    "He was ill.| She left.",
    "He met Ann of Peoria, Ill. She left.",
    "Look at Fig. 2 and at Ex. B on the table.| Then decide.",
    "He picked plan B.| The rest is known.",
    "She holds a Ph.D. in law.| Her sister holds an M.A. in art.",
    # law
    "The court cited 362 U.S. 58 in its order.| The appeal failed.",
    "It relied on 79 S.Ct. 116 3 L.Ed.2d 106 here.| We do not.",
    "See Hill v. Dale, 12 F.3d 345 (2d Cir. 1994).| The judge agreed.",
    "Under Art. 6 and Sec. 12(b) of the Act, he won.| She appealed.",
    "He moved under Fed. R. Civ. P. 12(b)(6).| The motion was denied.",
    "See id. at 5.| He lost.",
    "The rule in No. 14 binds.| The rule in Nos. 15 and 16 does not.",
    # numbers
    "It cost 3.50 pounds.| Then it cost 4.",
    "Version 2.0.1 is out.| Get it at www.example.org today.",
    # ellipses
    "I thought... well, never mind.| She smiled.",
    "I thought...| She smiled.",
    "Wait\u2026 what?| No.",
    "Wait\u2026| Nothing came.",
    # quotes and brackets
    "\u201cYes.\u201d| She nodded.",
    "He said \"Stop!\" and left.| She stayed.",
    "He said: 'Go.'| Then he left.",
    "\u201cStop!\u201d she said.| He did.",
    "(He left.)| She stayed.",
    "She stayed.| (He left.)",
    "She came.| \u201cGood,\u201d he said.",
    "She came.| - He left.",
    # blank lines
    "A heading\n\n|A sentence without stop\n\n\n|And another.",
    "One line\nand the next of the same sentence.| Done.",
    "One.\n|Two.\r\n|Three.",
    # lines of forms and lists
    "Ann Lee\n|Sex: female\n|Marital status: single, two\nsisters\n|- Cook, Inn\n|\u2022 Waitress",
    "CURRICULUM\n|Ann Lee, cook in Oak.\n|Summary\n|A cook of ten years.",
    "She said to\nMary that he left.",
]  # fmt: skip


@pytest.mark.parametrize("marked", CASES)
def test_splits_where_marked(marked: str) -> None:
    expected = [part.strip() for part in marked.split("|")]
    assert pieces(marked.replace("|", "")) == expected


@pytest.mark.parametrize("mark", ["<br /><br />", "<br>", " <BR/> ", "</p><p>", "<br />\n<br />"])
def test_a_break_of_html_ends_a_sentence_and_is_in_none(mark: str) -> None:
    assert pieces(f"It was dull.{mark}Boy, was it long{mark}I left.{mark}") == [
        "It was dull.", "Boy, was it long", "I left.",
    ]  # fmt: skip
    assert pieces("a < b and <b>bold</b> p>q") == ["a < b and <b>bold</b> p>q"]


@pytest.mark.parametrize("blank", ["", " ", "\n\n", "\t \n", "<br /><br />"])
def test_blank_text_has_no_sentence(blank: str) -> None:
    assert split_sentences(blank) == []


def test_text_without_letters_is_kept() -> None:
    assert pieces("?!") == ["?!"]
    assert pieces("...") == ["..."]


def test_an_edit_inside_a_sentence_leaves_the_others_alone() -> None:
    source = "The old man left. The woman stayed. Nobody spoke."
    mutant = source.replace("old man", "African American woman")
    left, right = pieces(source), pieces(mutant)
    assert left[1:] == right[1:]
    assert left[0] != right[0]


def test_sentence_at_finds_the_home_of_a_character() -> None:
    text = "  One two.   Three four.  "
    sentences = split_sentences(text)
    homes = [sentence_at(sentences, i) for i in range(len(text))]
    for i, home in enumerate(homes):
        inside = [s for s in sentences if s.start <= i < s.end]
        assert home == (inside[0] if inside else None)
    assert sentence_at([], 0) is None


@pytest.mark.parametrize(
    "text",
    [
        "a" + " " * 90_000 + "b",
        "a" + "." * 90_000 + "b",
        "a." + ")" * 90_000 + "b",
        "a.)" * 30_000,
        "e.g. A " * 13_000,
        "a\n" + " \n" * 45_000 + "b",
        "(" * 90_000 + "a.",
        "a<br" * 30_000,
        "a<" + "p" * 90_000,
    ],
)
def test_hostile_text_is_split_at_once(text: str) -> None:
    # Each of these took minutes when the patterns could backtrack; the test would not end.
    covered = "".join(pieces(text))
    assert covered.replace(" ", "").replace("\n", "") == text.replace(" ", "").replace("\n", "")
