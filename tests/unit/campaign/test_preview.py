"""A look at a data set: what is read, and what cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinter_core.campaign.preview import labels_in_words, preview, preview_in_words
from hinter_core.campaign.spec import Campaign
from hinter_core.data.rows import open_given
from hinter_core.errors import InputError
from hinter_core.extensions import SOURCES, Extension
from hinter_core.files.columns import Columns

ROUGH = (
    b"id;opinion;stars\n1;The man, who left, was kind.;pos\n1;A caf\xe9 owner left.;neg\n"
    b'3\n4;"She stayed.;pos\n5;x;neg\n'
)


def test_it_says_what_is_read_and_what_is_no_use(tmp_path: Path) -> None:
    path = tmp_path / "rough.csv"
    path.write_bytes(ROUGH)
    seen = preview(Campaign(data=str(path), label_column="stars"), rows=2)
    assert seen.names == ("id", "opinion", "stars")
    assert (seen.chosen, seen.found) == (Columns("opinion", "stars", "id"), ("opinion", "id"))
    assert (seen.count, seen.looked_at, seen.complete) == (5, 5, True)
    assert [row.text for row in seen.rows] == [
        "The man, who left, was kind.",
        "A caf\xe9 owner left.",
    ]
    assert seen.labels == {"pos": 2, "neg": 2}
    assert (seen.repeated, seen.unusable) == (1, 1)
    assert [row.number for row in seen.faults] == [3]  # an open quotation mark takes in no rows
    words = "\n".join(preview_in_words(seen))
    assert "5 rows; WINDOWS-1252" in words
    assert "UTF-8" not in words
    assert "texts from 'opinion' (detected), labels from 'stars', ids from 'id' (detected)" in words
    assert "id of an earlier row: 1" in words
    assert "row 3: it has 1 cells where the header has 3" in words


def test_rows_unlike_the_others_are_told(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    german = "Ich bin eine Frau und wohne nicht in der Stadt, aber das ist f\u00fcr mich gut."
    path.write_bytes(f"text\nA man.\n{german}\n".encode() + b"A caf\xe9 owner left.\n")
    seen = preview(Campaign(data=str(path)))
    assert (seen.encoding, seen.mended, seen.foreign, seen.unusable) == ("utf-8", 1, 1, 0)
    words = preview_in_words(seen)
    assert "not UTF-8, read as Windows-1252: 1" in words
    assert "not English, it seems, and not changed: 1" in words
    assert not preview(Campaign(data=str(path), literal=True)).foreign


def test_labels_that_differ_in_capitals_alone_are_told(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("text,label\nA man.,pos\nA woman.,POS\nA boy.,neg\nA girl.,pos\n")
    told = "The labels 'pos', 'POS' differ in capitals alone; each is a label."
    assert told in preview_in_words(preview(Campaign(data=str(path))))


def test_of_a_long_file_only_the_beginning_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("A man.\n" * 30)
    seen = preview(Campaign(data=str(path)), rows=1, most=20)
    assert (seen.count, seen.looked_at, seen.complete) == (None, 20, False)
    assert "more than 20 rows, of which the first 20 were read" in preview_in_words(seen)[0]
    whole = preview(Campaign(data=str(path)), most=30)
    assert (whole.count, whole.complete) == (30, True)


def test_texts_that_are_not_english_are_counted_as_explore_says(tmp_path: Path) -> None:
    texts = [
        "Die Frau an der Kasse war sehr unfreundlich.",
        "Qu\u00e9 verg\u00fcenza, la chica negra ten\u00eda raz\u00f3n.",
        "Black women, young men.",  # no small word, but words of attributes
        "The soup was cold.",
        "meh",
    ]
    (tmp_path / "a.txt").write_text("\n".join(texts))
    campaign = Campaign(data=str(tmp_path / "a.txt"))
    assert preview(campaign).foreign == 2
    assert "not English, it seems, and not changed: 2" in preview_in_words(preview(campaign))


def test_numbers_of_years_and_marks_of_sex_count_as_words(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("34 y/o F, no pain.\nA 61-year-old nurse left.\nRain fell.")
    campaign = Campaign(data=str(tmp_path / "a.txt"))
    assert preview(campaign).words_by_attribute == {"age": 2, "gender": 1, "occupation": 1}


def test_utf_16_is_read_and_named(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes("text\nEin M\u00e4dchen \u4f60.\n".encode("utf-16"))
    seen = preview(Campaign(data=str(path)))
    assert (seen.encoding, seen.rows[0].text) == ("utf-16", "Ein M\u00e4dchen \u4f60.")


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        preview(Campaign(data=str(tmp_path / "none.csv")))


def test_labels_are_read_where_rows_are_held_and_no_source_is_started_again() -> None:
    rows, started = [("She left.", "pos"), ("He left.", "Pos")], list[int]()

    def slow() -> list[tuple[str, str]]:
        started.append(1)
        return rows

    with SOURCES.lent({"slow": Extension("slow", slow), "held": Extension("held", rows)}):
        assert len(labels_in_words(open_given("held"))) == 1
        table = open_given("slow")
        number = len(started)
        assert labels_in_words(table) == []
        assert len(started) == number
