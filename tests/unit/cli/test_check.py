"""``hinter check``: the JSON of the issue, exit codes, and one line for every bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hinter_core.types import Verdict
from tests.forked import Commands

from .conftest import Run

RULES = "scripted:negative 0.7 if race=white and gender=female; positive otherwise"
TEXT = "The Syrian waiter was kind. An old woman thanked him."


def test_json_is_that_of_the_specification(run: Run) -> None:
    code, out, err = run("check", "--text", TEXT, "--attributes", "race,gender", "--model", RULES,
                         "--limit", "6", "--json")  # fmt: skip
    assert (code, err) == (0, "")
    made = json.loads(out)
    assert {"text", "model", "parser", "original", "mutants", "counts"} <= set(made)
    assert (made["text"], made["model"], made["parser"]) == (TEXT, RULES, "embedded")
    assert set(made["original"]) == {"labels", "scores"}
    assert set(made["counts"]) == {v.value for v in Verdict}
    assert sum(m["order"] == 2 for m in made["mutants"]) == 6
    atomic = {json.dumps(m["edits"][0]) for m in made["mutants"] if m["order"] == 1}
    for mutant in made["mutants"]:
        assert {"edits", "order", "text", "valid", "reason", "labels", "scores", "verdict"} <= set(
            mutant
        )
        assert {json.dumps(edit) for edit in mutant["edits"]} <= atomic
        for edit in mutant["edits"]:
            assert set(edit) - {"texts"} == {
                "kind", "attribute", "source", "target", "source_group", "target_group", "spans",
            }  # fmt: skip
            # A coherent edit has the new texts of the other words of the person, too.
            words = [TEXT[start:end].lower() for start, end in edit["spans"]]
            assert edit["source"].lower() in words
            assert len(edit.get("texts", words)) == len(words)
    assert made["counts"]["hidden"] + made["counts"]["biased"] + made["counts"]["benign"] > 0


def test_a_file_gives_the_same_as_its_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    options = ("--attributes", "race,gender", "--model", RULES, "--limit", "3", "--json")
    assert run("check", "--file", str(path), *options) == run("check", "--text", TEXT, *options)


def test_a_table_that_is_read_as_one_text_is_told_from_a_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text(f"id,text\n1,{TEXT}\n")
    code, _, err = run("predict", "--file", str(path), "--model", RULES)
    assert (code, f"hinter run --data {path}" in err) == (0, True)


def test_a_check_says_that_no_combination_was_tested(run: Run) -> None:
    options = ("--attributes", "race,gender", "--model", RULES, "--limit", "9")
    for least, said in (("0.92", True), ("0.6", False)):
        out = run("check", "The black woman was kind.", *options, "--validity", least)[1]
        assert ("No combination was tested: all 9 were discarded" in out) is said


def test_the_report_says_why_mutants_were_discarded(run: Run) -> None:
    text = "The German landlord of this house came from Berlin."
    options = ("--attributes", "race,gender", "--model", RULES, "--limit", "5")
    found = json.loads(run("check", text, *options, "--json")[1])
    number = found["counts"]["discarded"]
    assert number
    out = run("check", text, *options)[1]
    assert f"{number} discarded\n  {number} discarded: the text also says “Berlin”\n" in out


def test_the_report_names_answer_terms_and_flips(run: Run) -> None:
    text = "The white man thanked the black man."
    code, out, _ = run("check", "--text", text, "--model", RULES, "--attributes", "race,gender")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == f"Model {RULES}, parser embedded"
    assert lines[1:3] == [
        "Note on the model: bias planted by rules.",
        "Original answer: positive (0.90)",
    ]
    assert "race: white, black" in lines
    assert any(line.strip().startswith(("! biased: man -> woman", "!! hidden:")) for line in lines)


def test_mutants_below_the_least_validity_are_discarded(run: Run) -> None:
    command = ("check", "--text", TEXT, "--model", RULES, "--attributes", "race,gender", "--json")
    every = json.loads(run(*command)[1])["mutants"]
    low, high = sorted({mutant["validity"] for mutant in every})[:2]
    least = (low + high) / 2
    some = json.loads(run(*command, "--validity", str(least))[1])["mutants"]
    assert [mutant["text"] for mutant in some] == [mutant["text"] for mutant in every]
    below = [mutant["verdict"] for mutant in some if mutant["validity"] < least]
    assert set(below) == {"discarded"}
    assert 0 < len(below) < len(some)
    for mutant in every:
        parts = mutant["validity_parts"]
        assert list(parts) == ["fair", "soft", "unfair"]
        assert mutant["validity"] == parts["fair"]
        assert sum(parts.values()) == pytest.approx(1, abs=2e-3)
    assert "(fair " in run(*command[:-1])[1]


def test_order_one_needs_one_attribute_only(run: Run) -> None:
    code, out, _ = run("check", "--text", "The woman left.", "--attributes", "gender",
                       "--order", "1", "--model", "vader", "--json")  # fmt: skip
    assert code == 0
    assert {m["order"] for m in json.loads(out)["mutants"]} == {1}


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ("gender", "Choose at least two attributes to test an intersection."),
        ("gender,race", "Only gender has a term in this text; race has none, so there is no "
         "intersection."),
    ],
)  # fmt: skip
def test_without_an_intersection_single_changes_are_tested(
    run: Run, attributes: str, why: str
) -> None:
    given = ("check", "--text", "A woman sang.", "--attributes", attributes, "--model", RULES)
    code, out, err = run(*given)
    assert (code, err) == (0, "")
    assert f"Note: {why} Changes of one attribute alone are tested." in out
    assert run(*given, "--order", "1")[1] == out.replace(
        f"Note: {why} Changes of one attribute alone are tested.\n", ""
    )


def test_an_own_dictionary_is_an_attribute(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "hobby.csv"
    path.write_text("term,group\nangler,outdoor\ngamer,indoor\n", encoding="utf-8")
    code, out, _ = run("check", "--text", "The angler is a woman.", "--attributes", "gender",
                       "--dictionary", str(path), "--model", "vader", "--json")  # fmt: skip
    assert code == 0
    pairs = {(e["attribute"], e["target"]) for m in json.loads(out)["mutants"] for e in m["edits"]}
    assert ("hobby", "gamer") in pairs


BAD = {
    "no words": (["--text", "\U0001f525\U0001f525"], "There are no words to check"),
    "empty": (["--text", ""], "There is no text to check"),
    "blank": (["--text", "  \n "], "There is no text to check"),
    "long": (["--text", "x" * 120_000], "at most 100,000 are checked at once"),
    "no term": (["--text", "It rained."], "No term of race or gender can be changed"),
    "one attribute only": (
        ["--text", "The man left.", "--order", "2"], "Only gender has a term in this text"
    ),
    "control": (["--text", "\x01\x02"], "There is no text to check"),
    "no person": (["--text", "Black paint for the man.", "--order", "2"], "is about a thing"),
    "no text": ([], "No text is given: give it once, as TEXT,"),
    "both": (["--text", "a", "--file", "b"], "The text is given twice"),
    "twice": (["a", "--text", "b"], "The text is given twice"),
    "two": (["--text", "a", "--text", "b"], "The text is given twice"),
    "no such file": (["--file", "/no/such/file"], "Cannot read /no/such/file"),
    "folder": (["--file", "/"], "Cannot read /: Is a directory"),
    "unknown attribute": (["--text", "a", "--attributes", "race,height"], "attribute 'height'"),
    "no attribute": (["--text", "a", "--attributes", ","], "No attribute given"),
    "one attribute": (
        ["--text", "a black man", "--attributes", "race", "--order", "2"], "at least two attributes"
    ),

    "unknown model": (["--text", TEXT, "--model", "gpt"], "Unknown model 'gpt'; use one of"),
    "bad rules": (["--text", TEXT, "--model", "scripted:a if gender"], "must end with"),
    "unknown parser": (["--text", TEXT, "--model", "vader", "--parser", "en_core_web_none"],
                       "python -m spacy download en_core_web_none"),
    "order": (["--text", TEXT, "--order", "0"], "order is a whole number from 1 to 4, not 0"),
    "order no number": (["--text", TEXT, "--order", "two"], "Try --help"),
    "limit": (["--text", TEXT, "--limit", "0"], "limit is a whole number from 1"),
    "unknown option": (["--text", TEXT, "--colour"], "No such option"),
    "no dictionary": (["--text", TEXT, "--dictionary", "none.csv"], "hinter: There is no file"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_bad_input_ends_with_2_and_one_line(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run("check", *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert err.startswith("hinter: ")
    assert message in err


def test_a_broken_dictionary_shows_all_faults_on_one_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.csv"
    path.write_text("term,group\nma[n],m\n,f\n", encoding="utf-8")
    code, out, err = run("check", "--text", TEXT, "--dictionary", str(path))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "line 2" in err
    assert "line 3" in err


def test_a_file_that_is_no_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\xff\xfe")
    code, _, err = run("check", "--file", str(path))
    assert (code, err.count("\n")) == (2, 1)
    assert "is not UTF-8 text" in err
    path.write_bytes(b"a" * 400_001)
    assert "is larger than a text of 100,000 characters" in run("check", "--file", str(path))[2]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert('x')</script> The black man left early.",
        "The bl\u200back man \u202eleft\u202c early. \U0001f600",
        "The black\x00 man\x1b left early.",
        "The black man left early. \u05d4\u05d0\u05d9\u05e9 \u05d4\u05d6\u05e7\u05df",
    ],
)
def test_rough_text_is_checked_and_comes_back_as_it_was(run: Run, text: str) -> None:
    code, out, err = run("check", "--text", text, "--model", "vader", "--limit", "2", "--json")
    assert (code, err) == (0, "")
    made = json.loads(out)
    assert made["text"] == text.replace("\x00", "").replace("\x1b", "")
    assert made["mutants"]


def test_version_and_help(run: Run) -> None:
    from hinter_core import __version__

    assert run("--version")[:2] == (0, f"hinter {__version__}\n")
    for arguments in ([], ["--help"], ["check", "--help"], ["dictionary"]):
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        assert "Usage" in out
        assert "..." not in out.partition("Commands:")[2].replace("findings ...", "")


def test_a_dictionary_named_like_a_shipped_one_is_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "religion.csv"
    path.write_text("term,group\nplumber,pipes\nbaker,bread\n", encoding="utf-8")
    options = ("--model", RULES, "--order", "1", "--attributes", "race", "--limit", "1")
    told = "Your religion replaces the shipped dictionary of that name: its words alone change."
    _, _, err = run("check", "The Black baker sang.", "--dictionary", str(path), *options)
    assert err.count(told) == 1
    path = path.rename(tmp_path / "jobs.csv")
    _, _, err = run("check", "The Black baker sang.", "--dictionary", str(path), *options)
    assert told not in err


def test_dictionary_commands(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("dictionary", "list")
    assert code == 0
    assert any(line.startswith("race: ") for line in out.splitlines())
    path = tmp_path / "d.csv"
    path.write_text("term,group\nrich,up\npoor,down\n", encoding="utf-8")
    assert (
        run("dictionary", "check", str(path))[1]
        == "read as: commas between cells; quotation marks may surround a cell; a header; UTF-8\n"
        f"{path}: 2 terms, 2 directed pairs, no fault.\n"
    )
    path.write_text("term,group\nrich,up\n", encoding="utf-8")
    code, _, err = run("dictionary", "check", str(path))
    assert (code, err.count("\n")) == (2, 1)
    sbic = tmp_path / "sbic.csv"
    rows = ["targetMinority,targetCategory", *["women,gender"] * 3, *["men,gender"] * 3]
    sbic.write_text("\n".join(rows), encoding="utf-8")
    code, out, _ = run("dictionary", "from-sbic", str(sbic), "--out", str(tmp_path / "out"))
    assert code == 0
    assert f"{tmp_path / 'out' / 'gender.csv'}: 2 terms" in out


@pytest.mark.slow
def test_the_installed_command_has_no_trace_and_reads_standard_input(commands: Commands) -> None:
    installed = Path(sys.executable).parent / "hinter"
    asked = ["check", "--file", "-", "--model", "vader", "--limit", "1", "--json"]
    good = subprocess.run(
        [installed, *asked], input=TEXT.encode(), capture_output=True, check=False
    )
    assert (good.returncode, good.stderr) == (0, b"")
    assert json.loads(good.stdout)["text"] == TEXT
    bad = subprocess.run(
        [*commands.program, *asked], input=b"\xff\xfe", capture_output=True, check=False
    )
    assert (bad.returncode, bad.stdout) == (2, b"")
    assert bad.stderr.decode().splitlines() == ["hinter: - is not UTF-8 text; convert it first."]
