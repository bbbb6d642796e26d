"""``hinter grammar``, and campaigns over the sentences of a grammar."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hinter_core.campaign.store import CampaignStore
from tests.unit.cli.conftest import Run

PLANTED = "scripted:negative if occupation=healthcare and gender=female; positive otherwise"
SMALL = """
about: A small one.
start: s
rules:
  s: ['The <occupation> said that <he> was <mood>.']
  mood: [tired, late, early, ready]
sensitive:
  occupation: [nurse, pilot, baker]
  gender: [{group: male, he: he}, {group: female, he: she}]
"""


@pytest.fixture
def small(tmp_path: Path) -> str:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return str(path)


def test_check_show_count_and_sample(run: Run, small: str) -> None:
    code, text, _ = run("grammar", "check", small)
    assert code == 0
    assert "no fault in 24 of 24 sentences" in text
    code, text, _ = run("grammar", "show", small)
    assert "  | The <occupation> said that <he> was <mood>." in text
    assert "  | female: <he> she" in text
    code, text, _ = run("grammar", "count", small, "--json")
    assert json.loads(text)["sentences"] == 24
    code, text, _ = run("grammar", "count", small)
    assert text == "24 sentences of 1 structures; 4 rules, 13 terminals\n"
    code, text, _ = run("grammar", "sample", small, "--sentences", "24", "--variants")
    lines = text.splitlines()
    assert len({line for line in lines if not line.startswith(" ")}) == 24
    assert sum(line.startswith("  gender: ") for line in lines) == 24
    code, text, _ = run("grammar", "show")
    assert "feelings: " in text


def test_coverage_grows_with_the_sentences(run: Run, small: str, tmp_path: Path) -> None:
    code, text, _ = run("grammar", "sample", small, "--sentences", "24", "--coverage")
    assert code == 0
    assert text == (
        "24 sentences cover 13 of 13 (100.0 %) terminals and 26 of 26 (100.0 %) pairs of words "
        "that can stand in one sentence\n"
    )
    weights = tmp_path / "weights.json"
    weights.write_text('{"occupation": {"nurse": 1}}')
    code, text, _ = run("grammar", "sample", small, "--coverage", "--sentences", "8",
                        "--weights", str(weights))  # fmt: skip
    assert "8 sentences cover 11 of 13 (84.6 %) terminals and 14 of 26" in text


FAULTY = SMALL.replace("ready]", "ready]\n  n: [tired, sad]").replace(
    "<mood>.']", "<mood>.', '<he> was <mood> and <n>.', '<he> was tired and sad.']"
) + "labels: {tired: negative, s: positive}\n"  # fmt: skip


@pytest.mark.parametrize(
    "command",
    ["grammar check", "grammar count", "grammar sample", "run --estimate --grammar",
     "run --grammar", "repair --grammar"],
)  # fmt: skip
def test_every_command_names_all_faults_of_the_sentences(
    run: Run, tmp_path: Path, command: str
) -> None:
    path, out = tmp_path / "faulty.yaml", tmp_path / "out"
    path.write_text(FAULTY, encoding="utf-8")
    more = [] if "grammar " in command else ["--out", str(out)]
    code, _, error = run(*command.split(), str(path), *more)
    assert code == 2
    assert "two ways lead to the same sentence" in error
    assert "'he was tired and sad.'" in error or "'she was tired and sad.'" in error
    assert "has the labels negative and positive, so that none counts: '" in error
    assert not out.exists()


def test_a_campaign_from_before_goes_on_with_a_faulty_grammar(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "faulty.yaml", str(tmp_path / "out")
    path.write_text(FAULTY, encoding="utf-8")
    asked = ("run", "--grammar", str(path), "--sentences", "4", "--model", PLANTED, "--out", out)
    with monkeypatch.context() as before:
        before.setattr("hinter_core.campaign.sources.grammars.require_sound", lambda *_: 0)
        assert run(*asked)[0] == 0
    assert run(*asked, "--resume")[0] == 0


def test_two_ways_to_one_sentence_are_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "double.yaml"
    path.write_text(SMALL.replace("  mood:", "  s2: ['He was <mood>.']\n  mood:").replace(
        "<mood>.']\n  s2", "<mood>.', <s2>, 'He was tired.', '<occupation>']\n  s2"
    ), encoding="utf-8")  # fmt: skip
    code, _, error = run("grammar", "check", str(path))
    assert code == 2
    assert "two ways lead to the same sentence" in error
    assert "'He was tired.'" in error


@pytest.mark.slow
def test_planted_bias_is_found_with_its_parts_and_its_absence_gives_none(
    run: Run, small: str, tmp_path: Path
) -> None:
    out = str(tmp_path / "campaign")
    code, text, error = run(
        "run", "--grammar", small, "--sentences", "24", "--model", PLANTED,
        "--model", "scripted:even-handed", "--out", out,
    )  # fmt: skip
    assert code == 0, error
    # The nurse and she are both new to 2 of 6 pairs of values, with 4 moods; all are of one model.
    assert "24 texts, 120 mutants, 8 hidden" in text
    store = CampaignStore(Path(out))
    assert store.campaign().attributes == ("occupation", "gender")
    code, text, _ = run("sql", out, "SELECT count(*) AS n FROM texts WHERE origin.name = 'small'")
    assert "24" in text
    # The same sentences come again, and no part is done twice.
    code, text, _ = run("run", "--grammar", small, "--sentences", "24", "--model", PLANTED,
                        "--model", "scripted:even-handed", "--out", out, "--resume")  # fmt: skip
    assert code == 0
    assert " 0 predictions" in text


def test_bad_input_is_told_in_one_sentence(run: Run, small: str, tmp_path: Path) -> None:
    out = str(tmp_path / "campaign")
    asked = ("run", "--grammar", small, "--out", out)
    for more, said in {
        (
            "--attributes",
            "religion,gender",
        ): "the attributes occupation, gender, not 'religion'",
        ("--data", "sample"): "Name either data or grammar: each of them gives the texts",
        ("--guide", "vader"): "do not apply to a grammar",
        ("--weights", small): "is no JSON",
    }.items():
        code, _, error = run(*asked, *more)
        assert code == 2
        assert said in error
        assert error.count("\n") == 1
    code, _, error = run("run", "--grammar", "nothing", "--out", out)
    assert "There is no grammar 'nothing'" in error
    assert not Path(out).exists()
