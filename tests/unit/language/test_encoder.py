"""The encoder of sentences: kinds of words, names, and the same answer for every people."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hinter_core.language.encoder import (
    FOLDER,
    KINDS,
    fix_peoples,
    load_encoder,
    named,
    read_text,
    styles,
)
from hinter_core.language.parsing import load_parser
from hinter_core.language.reading.view import Replaced
from hinter_core.types import Span
from training.encoder.peoples import peoples

PEOPLES = {
    "dane": "Italian",
    "danes": "Italians",
    "danish": "Italian",
    "african american": "Italian",
}


def kind(text: str, word: str) -> str:
    kinds = load_encoder().read([text])[text].kinds(place(text, word))
    assert set(kinds) == set(KINDS)
    assert sum(kinds.values()) == pytest.approx(1)
    return max(kinds, key=lambda name: kinds[name])


def place(text: str, word: str) -> Span:
    found = re.search(rf"\b{word}\b", text)
    assert found
    return found.span()


def names(text: str) -> list[str]:
    return [text[start:end] for start, end in load_encoder().read([text])[text].names]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("The Danish nurse who lives upstairs sold her piano.", "Danish"),
        ("A blind man asked the way to the harbour.", "blind"),
        ("Her mother is Muslim and her father is a Buddhist.", "Buddhist"),
        ("The young farmer wept when the cow died.", "young"),
        ("Two Chinese were waiting at the bus stop.", "Chinese"),
    ],
)
def test_words_about_people_are_persons(text: str, word: str) -> None:
    assert kind(text, word) == "person"


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("This humour is so British that nobody else laughed.", "British", "thing"),
        ("The songs were very French.", "French", "thing"),
        ("She poured black coffee into the cups.", "black", "thing"),
        ("He learned Spanish in two years and writes it well.", "Spanish", "language"),
        ("They bought an old house near the river.", "old", "place"),
        ("Jack Black and Mary Baker sang together.", "Black", "name"),
    ],
)
def test_other_words_are_of_their_kind(text: str, word: str, expected: str) -> None:
    assert kind(text, word) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yesterday Oluwaseun and her brother came to dinner.", ["Oluwaseun"]),
        ("Mr. Whitcombe thanked Dr. Amara Nwosu for the letter.", ["Whitcombe", "Amara Nwosu"]),
        ("The train to Rotterdam left at nine.", []),
        ("My friend Siobhan O'Malley works at the bank.", ["Siobhan O'Malley"]),
    ],
)
def test_names_of_people_are_found_without_titles(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_names_are_the_people_of_a_parse() -> None:
    text = "My friend Nkechi works at the bank in Rotterdam."
    (parse,) = load_parser("embedded").parse([text], entities=True)
    said = {w for w, e in zip(parse.words, parse.entities, strict=True) if e == "PERSON"}
    assert said == {"Nkechi"}
    (plain,) = load_parser("embedded").parse([text])
    assert not any(plain.entities)


def test_the_answer_is_the_same_for_every_people() -> None:
    sentence = "The {} who moved in next door speaks little and laughs a lot."
    words = ["German", "Nigerian", "Muslim", "Sikh", "Korean", "Jew", "African American"]
    texts = [sentence.format(word) for word in words]
    found = load_encoder().read(texts)
    spans = [place(text, word) for text, word in zip(texts, words, strict=True)]
    answers = {found[text].person(span) for text, span in zip(texts, spans, strict=True)}
    assert len(answers) == 1
    assert answers.pop() > 0.5


def test_every_word_for_a_people_has_its_fixed_word() -> None:
    written = json.loads((FOLDER / "peoples.json").read_text(encoding="utf-8"))
    assert written == peoples(), "run python -m training.encoder.peoples"
    assert set(written.values()) == {"Italian", "Italians"}


def test_a_sentence_is_read_once_and_alone() -> None:
    encoder = load_encoder()
    texts = ["A tall woman came in.", "It rained all day."]
    both = encoder.read(texts)
    again = encoder.read(texts[:1])
    assert again[texts[0]] is both[texts[0]]


def test_long_and_empty_sentences_are_read() -> None:
    long = "The old teacher sang, " * 200 + "and left."
    found = load_encoder().read([long, "", "?! \u2026"])
    assert found[long].person((len(long) - 40, len(long) - 33)) >= 0
    assert found[""].names == ()
    assert sum(found[""].kinds((0, 0)).values()) == pytest.approx(1)


def test_every_file_of_the_model_is_small() -> None:
    assert all(path.stat().st_size < 10 * 2**20 for path in FOLDER.iterdir())


def test_no_torch_is_loaded_for_it() -> None:
    code = (
        "import sys; from hinter_core.language.encoder import load_encoder; "
        "load_encoder().read(['A man.']); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_fixed_words_keep_their_way_back() -> None:
    text = "The Danish cook met African-American sailors and two Danes."
    fixed = fix_peoples(text, PEOPLES)
    assert fixed.text == "The Italian cook met Italian sailors and two Italians."
    for word in ("Danish", "cook", "African-American", "sailors", "Danes"):
        span = place(text, word)
        assert fixed.span(*fixed.turned.span(*span)) == span
    assert fix_peoples("No people here.", PEOPLES) == Replaced("No people here.", [])


def test_styles_tell_how_words_are_written() -> None:
    text = "It was NASA. \u201cOld McDonald sings 7 songs.\u201d"
    words = [m.span() for m in re.finditer(r"\w+|[^\w\s]", text)]
    assert styles(text, words) == [5, 1, 3, 0, 0, 5, 4, 1, 0, 1, 0, 0]


def test_words_of_a_name_are_taken_whole() -> None:
    text = "J. R. Oyelaran-Ross met Bo's aunt, Ann d'Arc, at bo@example.org."
    words = [m.span() for m in re.finditer(r"\w+|[^\w\s]", text)]
    sure = {"J", "R", "Oyelaran", "Ross", "Bo", "Ann", "d", "Arc", "bo", "example"}
    chances = [0.9 if text[start:end] in sure else 0.2 for start, end in words]
    found = [text[start:end] for start, end in named(text, words, chances)]
    assert found == ["J. R. Oyelaran-Ross", "Bo", "Ann d'Arc"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Omar rose early and ate.", ["Omar"]),
        ("Anna von Hohenberg sang.", ["Anna von Hohenberg"]),
        ("omar rose early.", ["omar rose early"]),
    ],
)
def test_words_in_lower_case_end_no_name(text: str, expected: list[str]) -> None:
    words = [m.span() for m in re.finditer(r"\w+", text)]
    found = named(text, words, [0.9] * 3 + [0.1] * (len(words) - 3))
    assert [text[start:end] for start, end in found] == expected


@pytest.mark.parametrize("text", [
    "Metformin was stopped, and he felt better.",
    "Troponin was negative, and he was discharged.",
    "Prednisone was started; he felt better.",
    "Lisinopril was stopped because she was coughing.",
    "Creatinine is up; he was seen by a doctor.",
])  # fmt: skip
def test_a_capital_that_opens_a_sentence_makes_no_name(text: str) -> None:
    reading = read_text([text])[text]
    assert reading.names == ()
    assert reading.kinds(place(text, text.split()[0]))["person"] < 0.1


@pytest.mark.parametrize(("text", "name"), [
    ("Brynhildur walked home.", "Brynhildur"),
    ("Thjodhild was tired, so she slept.", "Thjodhild"),
    ("Rose was stopped, and she felt better.", "Rose"),
    ("Mr. Heathcliff and I agree.", "Heathcliff"),
    ("Name: Li Wei\nNationality: Chinese", "Li Wei"),
])  # fmt: skip
def test_a_name_that_opens_a_sentence_stays_one(text: str, name: str) -> None:
    assert name in [text[start:end] for start, end in read_text([text])[text].names]


def test_a_full_name_elsewhere_makes_a_name_of_a_surname() -> None:
    alone, full = "Roe also directed it.", "Jane Roe wrote it."
    assert read_text([alone])[alone].kinds((0, 3))["name"] < 0.1
    assert read_text([full, alone])[alone].kinds((0, 3))["name"] > 0.5
    more = ["We asked Roe.", "They saw Roe there."]
    assert read_text([*more, alone])[alone].kinds((0, 3))["name"] > 0.5


def test_packages_that_compute_models_report_nothing(tmp_path: Path) -> None:
    code = (
        "import os\n"
        "from hinter_core.language.encoder import Encoder\n"
        "from hinter_core.models.registry import load_model\n"
        "Encoder().read(['Ada slept.'])\n"
        "load_model('embedded').predict(['Ada slept.'])\n"
        "from huggingface_hub import constants\n"
        "print(constants.HF_HUB_DISABLE_TELEMETRY)"
    )
    reports = {"ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY"}
    fresh = {name: value for name, value in os.environ.items() if name not in reports}
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    said = subprocess.check_output([sys.executable, "-c", code], env=fresh | home, text=True)
    assert said.split() == ["True"]
    assert not list(tmp_path.rglob("*onnxruntime*"))
