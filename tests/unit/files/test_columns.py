"""The column of texts holds prose; labels, conversations and columns of 0 and 1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hinter_core.data.rows import make_row, open_table
from hinter_core.errors import InputError
from hinter_core.files.columns import Columns, find_columns, last_turn, unlabelled_in_words

PROSE = ["The clerk thanked her aunt.", "A deaf man sang to us.", "My wife was late again."]


def columns_of(**cells: list[Any]) -> Columns:
    head = [(dict(zip(cells, row, strict=True)), "") for row in zip(*cells.values(), strict=True)]
    return find_columns("a.csv", head, list(cells), Columns(""))


OTHERS: dict[str, list[Any]] = {
    "sentiment": ["an extremely negative sentiment of the highest degree"] * 3,
    "page": [f"https://example.org/a/very/long/path/that/says/nothing/{n}" for n in range(3)],
    "spans": ["[['a', 'b', 'c'], ['d', 'e', 'f'], ['g', 'h', 'i']]"] * 3,
    "record": ['{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 66666}'] * 3,
    "made_from": ["The {person} thanked {pronoun} aunt for all the kind words."] * 3,
    "pattern": ["The [OCCUPATION] thanked [PRONOUN] aunt for all the kind words."] * 3,
    "uuid": ["123e4567-e89b-12d3-a456-426614174000-and-more-of-it"] * 3,
    "at": ["2024-01-01T10:00:00.000000000+00:00 (2024-01-01)"] * 3,
    "vector": ["0.12345 0.23456 0.34567 0.45678 0.56789 0.67891"] * 3,
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("first", [True, False])
def test_the_texts_are_the_prose(other: str, first: bool) -> None:
    cells = (
        {other: OTHERS[other], "remark": PROSE}
        if first
        else {"remark": PROSE, other: OTHERS[other]}
    )
    assert columns_of(**cells).text == "remark"


@pytest.mark.parametrize("name", ["Nr.", "No.", "#", "Nummer", "case", "ref"])
def test_a_number_is_an_id_if_no_two_are_alike(name: str) -> None:
    assert columns_of(text=PROSE, **{name: ["K-1", "K-2", "K-3"]}).id == name
    assert columns_of(text=PROSE, **{name: ["1", "0", "1"]}).id == ""
    assert columns_of(text=PROSE, **{name: ["1", "", "2"]}).id == ""
    assert columns_of(text=PROSE, id=[1, 1, 1], **{name: [1, 2, 3]}).id == "id"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"my_id": ["c0", "c1", "c2"], "source": ["a", "b", "c"]}, "my_id"),
        ({"my_id": ["c0", "c1", "c1"]}, ""),
        ({"my_id": ["c0", "c1", "c2"], "thread-ID": ["1", "2", "3"]}, ""),  # either may be it
        ({"user_id": ["u0", "u1", "u2"]}, ""),
        ({"my_id": ["c0", "c1", "c2"], "index": ["5", "6", "7"]}, "my_id"),
        ({"index": ["5", "6", "7"]}, "index"),
    ],
)
def test_the_only_column_that_ends_in_id_has_ids(
    cells: dict[str, list[Any]], expected: str
) -> None:
    assert columns_of(text=PROSE, **cells).id == expected


@pytest.mark.parametrize("name", ["decision", "Is toxic?", "flag", "final_verdict", "hate speech"])
def test_a_word_of_its_name_makes_labels(name: str) -> None:
    assert columns_of(text=PROSE, **{name: ["yes", "no", "no"]}).label == name
    assert columns_of(text=PROSE, **{name: ["no", "no", "no"]}).label == ""
    assert columns_of(text=PROSE, **{name: ["0.31", "0.2", "0.07"]}).label == ""
    assert columns_of(text=PROSE, **{name: ["a", "b", "a"]}, my_decision=[1, 0, 1]).label == ""
    assert columns_of(text=PROSE, **{name: ["a", "b", "a"]}, label=[1, 0, 1]).label == "label"


def test_columns_without_labels_are_told() -> None:
    says = unlabelled_in_words(columns_of(id=["a", "b", "c"], text=PROSE, shop=[1, 2, 1]), ["shop"])
    assert says.startswith("no label column found; use --label-column NAME, or label_column=NAME")
    assert says.endswith(" (columns: shop)")
    assert unlabelled_in_words(columns_of(text=PROSE), ["text"]) == ""


def test_a_file_of_which_nothing_can_be_read_says_so() -> None:
    head: list[tuple[dict[str, Any], str]] = [({}, "it is no JSON"), ({}, "it is no object")]
    with pytest.raises(
        InputError, match=r"a\.jsonl has no row that can be read; .*: it is no JSON\."
    ):
        find_columns("a.jsonl", head, [], Columns(""))


@pytest.mark.parametrize("other", ["page", "spans", "record", "at", "vector"])
def test_without_prose_there_is_no_text(other: str) -> None:
    with pytest.raises(InputError, match=r"has no column of texts; it has .*--text-column"):
        columns_of(**{other: OTHERS[other], "label": ["1", "0", "1"]})


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("mail", ["ann@example.org", "bo@example.org", "cy@example.com"]),
        ("name", ["Anna", "Bo", "Carl"]),
        ("town", ["Leeds", "Bath", "Stoke-on-Trent"]),
        ("order", ["A-17/x", "B-18/y", "C-19/z"]),
        ("handle", ["@ann_b", "@bo", "@cy.d"]),
    ],
)
def test_single_words_are_no_texts_but_under_a_usual_name(name: str, cells: list[str]) -> None:
    with pytest.raises(InputError, match=f"no column of texts.*'{name}' holds "):
        columns_of(**{name: cells})
    assert columns_of(comment=["Great", "Slow", "Never"]).text == "comment"
    assert columns_of(motto=["Well done", "No more", "A good day"]).text == "motto"


@pytest.mark.parametrize("name", ["id", "uid", "Key"])
def test_ids_in_letters_are_no_texts(name: str) -> None:
    with pytest.raises(InputError, match=f"'{name}' holds ids"):
        columns_of(**{name: ["alpha", "beta", "gamma"]})
    assert columns_of(**{name: PROSE}).text == name


@pytest.mark.parametrize("name", ["Aktenzeichen", "case_id", "Case-Number", "Row  ID"])
def test_a_usual_name_makes_ids(name: str) -> None:
    cells = {name: ["L001", "L002", "L003"], "facts": PROSE}
    assert (columns_of(**cells).id, columns_of(**cells).text) == (name, "facts")


@pytest.mark.parametrize("other", ["page", "spans", "vector"])
def test_a_usual_name_does_not_make_a_text(other: str) -> None:
    assert columns_of(text=OTHERS[other], remark=PROSE).text == "remark"


CHATS: dict[str, Any] = {
    "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "One."},
                 {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "Two."}],
    "conversations": [{"from": "human", "value": "Two."}, {"from": "gpt", "value": "Yes."}],
    "prompt": [{"role": "user", "content": "Two."}],
    "chosen": "\n\nHuman: One.\n\nAssistant: Yes.\n\nHuman: Two.\n\nAssistant: No.",
    "dialogue": [{"role": "user", "content": [{"type": "text", "text": "Two."}]}],
    "chat": json.dumps([{"role": "user", "content": "Two."}]),
    "turns": str([{"role": "user", "content": "Two."}]),
}  # fmt: skip


@pytest.mark.parametrize("name", CHATS)
def test_the_text_of_a_conversation_is_the_last_turn_of_the_user(tmp_path: Path, name: str) -> None:
    assert last_turn(name, CHATS[name]) == "Two."
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({name: CHATS[name], "label": n}) + "\n" for n in (0, 1)))
    table = open_table(path)
    assert table.columns.text == name
    assert "last turn of the user" in table.columns.why
    assert [row.text for row in table.rows()] == ["Two.", "Two."]


def test_a_conversation_without_a_user_is_a_fault() -> None:
    row = make_row(Columns("m"), 1, {"m": [{"role": "assistant", "content": "Yes."}]})
    assert row.fault == "the conversation has no turn of a user"


def test_a_prompt_that_is_a_text_is_the_text() -> None:
    chosen = [[{"role": "user", "content": "x"}]] * 3
    assert columns_of(chosen=chosen, prompt=PROSE).text in ("prompt", "chosen")


def test_columns_of_0_and_1_are_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "id,remark,rude,vulgar,threat\n7,A man sang to us.,1,0,1\n8,My wife was late.,0,0,0\n"
        "9,The clerk left us.,0,1,0\n"
    )
    table = open_table(path)
    assert table.columns.flags == ("rude", "vulgar", "threat")
    assert [row.label for row in table.rows()] == ["rude, threat", "", "vulgar"]
    chosen = open_table(path, label="vulgar, rude")
    assert [row.label for row in chosen.rows()] == ["rude", "", "vulgar"]
    with pytest.raises(InputError, match="no column 'kind'"):
        open_table(path, label="rude,kind")


@pytest.mark.parametrize("given", ["Review Text", " Review Text ", "review text", "Review  Text"])
def test_a_column_is_found_whatever_its_blanks_and_case(given: str) -> None:
    head = [({" Review Text ": "A man.", "x": "1"}, "")]
    assert find_columns("a", head, [" Review Text ", "x"], Columns(given)).text == " Review Text "


@pytest.mark.parametrize("cells", [["5", "3.5", "1"], [5, 3, None], ["2024-01-01", "2024-02-01"]])
def test_numbers_are_no_texts_though_their_column_is_named(cells: list[Any]) -> None:
    head = [({"review": "A man.", "stars": cell}, "") for cell in cells]
    with pytest.raises(InputError, match="'stars' of a holds numbers or dates, no texts; it has r"):
        find_columns("a", head, ["review", "stars"], Columns("stars"))
