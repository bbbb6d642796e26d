"""``hinter repair``: from a model with a planted bias to one without, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import is_placebo
from hinter_core.repair.repair import topmost
from hinter_core.repair.texts import folded, matcher
from tests.conformance.tiny import make_classifier
from tests.unit.cli.conftest import Run

GRAMMAR = """
about: Waiters.
start: s
rules:
  s: [<bad>, <good>]
  bad: ['the <race> <gender> served us bad .', 'this <race> <gender> is bad .']
  good: ['the <race> <gender> served us good .', 'this <race> <gender> is good .']
sensitive:
  race: [black, white, british, the]
  gender: [man, woman, waiter, waitress]
labels: {bad: negative, good: positive}
"""


# More sentences, and an attribute of two values, which stay in both halves.
LARGE = (
    GRAMMAR.replace(", the]", ", french]\n  age: [young, old]")
    .replace("<race>", "<age> <race>")
    .replace("bad .'", "bad <when> .'")
    .replace("good .'", "good <when> .'")
    .replace("sensitive:", "  when: [today, now, again, twice, outside, there]\nsensitive:")
)
KEPT = {"black", "french", "man", "waitress"}  # of the grammar, with seed 0


def labelled(*people: str) -> str:
    """Texts with labels, about these people in turn."""
    lines = ["text,label"]
    for number in range(60):
        word, label = ("good", "positive") if number % 2 else ("bad", "negative")
        lines.append(f"{people[number % len(people)]} served us {word} {number} .,{label}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def asked(tmp_path: Path) -> list[str]:
    make_classifier(tmp_path / "tiny", ["negative", "positive"])
    (tmp_path / "grammar.yaml").write_text(GRAMMAR.replace(", the]", ", french]"), encoding="utf-8")
    (tmp_path / "texts.csv").write_text(labelled("the white woman"), encoding="utf-8")
    return [
        "repair", "--model", f"hf:{tmp_path / 'tiny'}", "--grammar", str(tmp_path / "grammar.yaml"),
        "--data", str(tmp_path / "texts.csv"), "--out", str(tmp_path / "repair"),
        "--share", "0.3", "--sentences", "12", "--rate", "0.005",
        "--epochs", "20", "--attributes", "race,gender",
    ]  # fmt: skip


def test_a_repair_is_measured_on_what_it_did_not_learn_and_goes_on_where_it_was(
    run: Run, asked: list[str], tmp_path: Path
) -> None:
    (tmp_path / "grammar.yaml").write_text(LARGE, encoding="utf-8")
    # Every sixth text has words that are kept for the test, and some are repeated.
    texts = labelled(*["the white woman"] * 5, "The black-haired man")
    again = texts.replace("the white", "The  White").splitlines()[1:8]
    (tmp_path / "texts.csv").write_text("\n".join([texts.rstrip(), *again]), encoding="utf-8")
    code, text, error = run(*asked, "--json")
    assert code == 0, error
    found = json.loads(text)
    assert [one["name"] for one in found["measured"]] == ["seen words", "unseen words", "texts"]
    before, after = found["accuracy"]
    assert before["of"] == after["of"] == 12
    assert after["share"] > before["share"]
    examples = (tmp_path / "repair" / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    counted = found["examples"]
    assert len(examples) == counted["texts"] + counted["sentences"]
    assert (counted["repeats"], counted["texts"] + counted["held_out"]) == (7, 48)
    assert (counted["held_out"] > 4, counted["with_kept"]) == (True, 0)
    # No text that is tested was learnt from, and no word.
    tested = (tmp_path / "repair" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in examples]
    learnt = {folded(text) for one in records for text in (one["text"], *one["variants"])}
    assert learnt.isdisjoint(folded(json.loads(line)["text"]) for line in tested)
    assert not any(matcher(KEPT).search(text) for text in learnt)
    assert not counted["in_test"]
    # Nor a text of the grammar's tests; and the unseen words are changed alone.
    for name in ("seen-words", "unseen-words-alone"):
        with CampaignReader(CampaignStore(tmp_path / "repair" / "measured" / name)) as reader:
            mutants = list(reader.records())
        assert mutants
        assert learnt.isdisjoint(folded(text) for one in mutants for text in (one.text, one.mutant))
    changed = [edit for one in mutants for edit in one.edits if not is_placebo((edit.attribute,))]
    assert {edit.attribute for edit in changed} == {"race", "gender"}
    assert {edit.change.target.text for edit in changed} == KEPT
    card = (tmp_path / "repair" / "model" / "README.md").read_text(encoding="utf-8")
    assert "| seed" in card
    assert "Before and after" in card
    assert str(tmp_path) not in card
    assert "# hf:tiny, repaired" in card
    assert "licence of hf:tiny applies to these weights, too; its card names it" in card
    # Done again, nothing is done: the same figures, and the same weights.
    weights = tmp_path / "repair" / "model" / "model.safetensors"
    written = weights.stat().st_mtime_ns
    code, again, _ = run(*asked, "--json")
    assert json.loads(again) == found
    assert weights.stat().st_mtime_ns == written
    code, _, error = run(*asked, "--seed", "9")
    assert code == 2
    assert "holds another repair" in error


def test_a_sweep_repairs_once_for_each_share_and_number_of_words(
    run: Run, asked: list[str], tmp_path: Path
) -> None:
    few = [*asked, "--epochs", "1", "--sentences", "10", "--sweep", "0.2", "--tops", "1,2"]
    code, text, error = run(*few, "--json")
    assert code == 0, error
    rows = json.loads(text)
    seen = [row for row in rows if row["Measured on"] == "seen words"]
    shares = ["0 (before)", "20\u00a0%", "mean", "median"]
    if not seen[0]["Errors"]:
        shares = shares[:2]
    assert [(row["Top"], row["Share"]) for row in seen] == [(t, s) for t in (1, 2) for s in shares]
    assert seen[0]["Errors"] == seen[len(shares)]["Errors"]  # one model before, one test
    folders = sorted(path.name for path in (tmp_path / "repair").iterdir())
    assert folders == ["top-1-share-0.2", "top-2-share-0.2"]
    for folder in folders:
        texts = (tmp_path / "repair" / folder / "examples.jsonl").read_text(encoding="utf-8")
        assert texts.count("\n") > 48
    code, text, error = run(*few, "--tops", "1")  # nothing is done again
    assert code == 0, error
    assert "Errors by what was learnt from" in text


def test_examples_are_written_for_a_model_that_is_trained_elsewhere(
    run: Run, asked: list[str], tmp_path: Path
) -> None:
    model = 'scripted:negative if "bad"; positive otherwise'
    (tmp_path / "texts.csv").write_text(labelled("the black man"), encoding="utf-8")
    code, text, error = run(*asked, "--model", model, "--examples-only")
    assert code == 0, error
    out, said = tmp_path / "repair", " ".join(text.split())
    assert "No word changed an answer in the half that it learns from" in said
    assert "examples.csv: 48 texts, 14 sentences," in said
    assert "48 have words that were kept for the test" in said
    assert f"--grammar {out / 'grammars' / 'unseen.yaml'} --attributes race,gender " in said
    with (out / "examples.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(row["label"] == ("negative" if "bad" in row["text"] else "positive") for row in rows)
    examples = [json.loads(line) for line in (out / "examples.jsonl").read_text().splitlines()]
    learnt = [text for one in examples for text in (one["text"], *one["variants"])]
    assert [row["text"] for row in rows] == learnt
    assert not (out / "model").exists()


MODEL = """
SILENT = "nothing"

def answer(texts):
    return [None if SILENT in t else "negative" if "bad" in t else "positive" for t in texts]
"""


def test_examples_without_a_label_are_written_with_the_models_answer(
    run: Run, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop_model.py").write_text(MODEL)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "grammar.yaml").write_text(
        GRAMMAR.replace(", the]", ", french]").replace("<good>]", "<good>, <fact>]")
        .replace("sensitive:", "  fact: ['the <race> <gender> paid us .']\nsensitive:")
        .replace("positive}", "positive, fact: neutral}")
    )  # fmt: skip
    lines = labelled("the white woman").splitlines()
    more = [f"the white woman paid {number} .," for number in range(40)]
    (tmp_path / "texts.csv").write_text("\n".join([*lines, *more]))
    model = "python:shop_model:answer?labels=negative,positive"
    code, _, error = run(*asked, "--model", model, "--examples-only")
    assert code == 0, error
    path = tmp_path / "repair" / "examples.csv"
    rows = list(csv.DictReader(path.open(encoding="utf-8", newline="")))
    assert sum("paid" in row["text"] for row in rows) > 40
    assert all(row["label"] == ("negative" if "bad" in row["text"] else "positive") for row in rows)
    # Examples of an earlier version have targets of zeros.
    examples = path.with_suffix(".jsonl")
    examples.write_text(examples.read_text().replace("[0.0, 1.0]", "[0.0, 0.0]"))
    assert run(*asked, "--model", model, "--examples-only")[0] == 0
    assert list(csv.DictReader(path.open(encoding="utf-8", newline=""))) == rows
    # What the model no longer answers is left out, and counted.
    monkeypatch.setattr("shop_model.SILENT", "paid")
    code, text, error = run(*asked, "--model", model, "--examples-only")
    assert code == 0, error
    assert "have no label and the model did not answer them: " in " ".join(text.split())
    rows = list(csv.DictReader(path.open(encoding="utf-8", newline="")))
    assert rows
    assert not any("paid" in row["text"] for row in rows)


def test_the_topmost_words_are_counted_over_all_lists() -> None:
    weights = {"job": {"nurse": 0.9, "cook": 0.2}, "person": {"she": 0.5, "he": 0.2}}
    assert topmost(weights, 1) == {"job": {"nurse": 0.9}}
    assert topmost(weights, 3) == {"job": {"nurse": 0.9, "cook": 0.2}, "person": {"she": 0.5}}
    assert topmost(weights, 9) == weights


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--sweep", "0.01,much"), "--sweep takes numbers with commas between them, not '0.01,m"),
        (("--sweep", "0.01,7"), "--share is a number from 0.001 to 1, not 7"),
        (("--tops", "5"), "--tops belongs to --sweep"),
        (("--sweep", "0.01", "--tops", "-1"), "--top is a whole number from 0 to 10,000, not -1"),
        (("--model", "vader"), "vader cannot be trained here; name embedded"),
        (("--model", "masked"), "masked cannot be trained here"),
        (("--model", "masked", "--examples-only"), "masked has no labels of which a text has one"),
        (("--sweep", "0.01", "--examples-only"), "--sweep trains models; leave it out"),
        (("--grammar", "coreference-unambiguous"), "gives colleague, occupation, and the model"),
        (("--grammar", "nothing"), "There is no grammar 'nothing'"),
        (("--epochs", "0"), "--epochs is a whole number from 1 to 100, not 0"),
        (("--name", "../x"), "--name takes letters, digits, - and _, not '../x'"),
        (("--name", "measured"), "--name takes letters"),
        (("--share", "2"), "--share is a number from 0.001 to 1, not 2"),
    ],
)
def test_bad_input_is_told_in_one_sentence(
    run: Run, asked: list[str], tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    code, _, error = run(*asked, *more)
    assert code == 2
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "repair").exists()  # the name is free for the right command


def test_data_of_one_class_or_too_few_are_refused(
    run: Run, asked: list[str], tmp_path: Path
) -> None:
    texts = tmp_path / "texts.csv"
    lines = texts.read_text(encoding="utf-8").splitlines()
    texts.write_text("\n".join([lines[0], *lines[1::2]]), encoding="utf-8")
    code, _, error = run(*asked)
    assert (code, "has 1 of the labels negative, positive (it has negative)" in error) == (2, True)
    texts.write_text("\n".join(lines[:11]), encoding="utf-8")
    code, _, error = run(*asked, "--out", str(tmp_path / "other"))
    assert (code, "has 10 different texts, and a repair needs 40 or more" in error) == (2, True)


def test_a_grammar_of_few_values_is_refused_and_leaves_no_folder(
    run: Run, asked: list[str], tmp_path: Path
) -> None:
    few = GRAMMAR.replace(", british, the", "").replace(", waiter, waitress", "")
    (tmp_path / "grammar.yaml").write_text(few, encoding="utf-8")
    code, _, error = run(*asked)
    assert (code, "No attribute of the grammar has 4 values or more" in error) == (2, True)
    assert not (tmp_path / "repair").exists()
