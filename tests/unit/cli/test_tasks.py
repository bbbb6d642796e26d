"""Campaigns of masked words and of coreference, from grammars and from rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hinter_core.campaign.store import CampaignStore
from hinter_core.report.model import make_report
from tests.unit.cli.conftest import Run

MASKED = """
about: A masked pronoun.
task: masked
start: s
answers: {male: [his], female: [her]}
rules:
  s: ['The <nationality> <occupation> <did> <mask> <thing>.']
  did: [sold, lost]
  thing: [bicycle, coat, notebook]
sensitive:
  nationality: [Kenyan, Polish, Danish]
  occupation: [nurse, pilot, baker]
"""
COREFERENCE = """
about: One pronoun.
task: coreference
start: s
pronouns: [he]
antecedents: [occupation, thing]
rules:
  s: ['The <occupation> said that <he> was <mood> because of the <thing>.']
  mood: [tired, late]
  thing: [noise, weather]
sensitive:
  gender: [{group: male, he: he}, {group: female, he: she}]
  occupation: [nurse, pilot, baker]
labels: {s: occupation}
"""
# Alone, neither word moves a probability by more than 0.1.
PLANTED_WORD = (
    'scripted-masked:her 0.8 if "nurse" and "Kenyan"; his 0.55 if "nurse"; his 0.55 if "Kenyan"; '
    "his 0.6 otherwise"
)
EVEN_WORD = 'scripted-masked:his 0.6 if "sold"; her 0.7 otherwise'
PLANTED_LINK = 'scripted-resolver:apart if "nurse" and "she"; together otherwise'
EVEN_LINK = "scripted-resolver:together otherwise"


def written(folder: Path, text: str) -> str:
    path = folder / "grammar.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def hidden_words(run: Run, out: str, model: str) -> set[tuple[str, ...]]:
    code, text, error = run(
        "sql", out, "--json",
        "SELECT model, list_sort(list_transform(m.edits, lambda e: e.target)) AS words "
        "FROM findings f JOIN mutants m USING (shard, place) WHERE f.verdict = 'hidden'",
    )  # fmt: skip
    assert code == 0, error
    return {tuple(row["words"]) for row in json.loads(text) if row["model"] == model}


@pytest.mark.slow
def test_a_planted_word_at_a_mask_is_found_with_its_parts_and_none_where_none_is(
    run: Run, tmp_path: Path
) -> None:
    out = str(tmp_path / "campaign")
    code, text, error = run(
        "run", "--grammar", written(tmp_path, MASKED), "--sentences", "54", "--out", out,
        "--model", PLANTED_WORD, "--model", EVEN_WORD,
    )  # fmt: skip
    assert code == 0, error
    assert "54 texts" in text
    found = hidden_words(run, out, PLANTED_WORD)
    # From "the Danish pilot" both words are new; other sources have one of them already.
    assert found == {("Kenyan", "nurse")}
    assert hidden_words(run, out, EVEN_WORD) == set()
    code, text, _ = run("sql", out, "--json", "SELECT model, count(*) AS n FROM answers "
                        "WHERE changed GROUP BY model")  # fmt: skip
    assert [row["model"] for row in json.loads(text)] == [PLANTED_WORD]
    assert CampaignStore(Path(out)).read()["models"][EVEN_WORD]["task"] == (
        "masked language modelling"
    )


@pytest.mark.slow
def test_a_planted_gap_in_coreference_is_found_and_counted(run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "campaign")
    code, _, error = run(
        "run", "--grammar", written(tmp_path, COREFERENCE), "--sentences", "24", "--out", out,
        "--model", PLANTED_LINK, "--model", EVEN_LINK,
    )  # fmt: skip
    assert code == 0, error
    assert hidden_words(run, out, PLANTED_LINK) == {("nurse", "she")}
    assert hidden_words(run, out, EVEN_LINK) == set()
    right = {one.model: one.accuracy for one in make_report(CampaignStore(Path(out))).models}
    even, planted = right[EVEN_LINK], right[PLANTED_LINK]
    assert even is not None
    assert planted is not None
    assert (even.correct.hits, even.correct.of) == (24, 24)
    # A sixth of the sentences has the nurse and she.
    assert (planted.correct.hits, planted.correct.of) == (20, 24)


@pytest.mark.slow
def test_the_tolerance_decides_and_is_part_of_what_a_campaign_is(run: Run, tmp_path: Path) -> None:
    grammar, counted = written(tmp_path, MASKED), {}
    for tolerance in ("0.01", "0.1", "0.9"):
        out = str(tmp_path / tolerance)
        code, _, error = run("run", "--grammar", grammar, "--sentences", "54", "--out", out,
                             "--model", PLANTED_WORD, "--tolerance", tolerance)  # fmt: skip
        assert code == 0, error
        code, text, _ = run("sql", out, "--json", "SELECT count(*) AS n FROM answers WHERE changed")
        counted[tolerance] = json.loads(text)[0]["n"]
    assert counted["0.01"] > counted["0.1"] > counted["0.9"] == 0


@pytest.mark.slow
def test_rows_with_masks_are_tested_by_the_embedded_model(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "own.csv"
    data.write_text(
        "text\nThe Danish man lost [MASK] coat on the old bus.\nThe black woman left.\n",
        encoding="utf-8",
    )
    out = str(tmp_path / "campaign")
    code, _, error = run("run", "--data", str(data), "--model", "masked", "--out", out,
                         "--limit", "5")  # fmt: skip
    assert code == 0, error
    code, text, _ = run("sql", out, "--json", "SELECT row, outcome, detail FROM texts ORDER BY row")
    # A text without a mask asks nothing; the run goes on.
    tested, unmasked = json.loads(text)
    assert (tested["outcome"], unmasked["outcome"]) == ("tested", "unusable")
    assert "the text has no [MASK]" in unmasked["detail"]


def test_texts_without_any_mask_are_refused_for_masked_models(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "own.csv"
    data.write_text("text\nThe Danish man left.\n", encoding="utf-8")
    out = tmp_path / "campaign"
    code, _, error = run("run", "--data", str(data), "--model", EVEN_WORD, "--out", str(out))
    assert code == 2
    assert "no text has it. Write [MASK] in the texts" in error
    assert not out.exists()


def test_asking_again_is_not_advised_where_a_text_has_no_mask(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "own.csv"
    data.write_text("text\nThe Danish man lost [MASK] coat.\nThe Danish man left.\n")
    out = str(tmp_path / "campaign")
    code, text, _ = run("run", "--data", str(data), "--model", EVEN_WORD, "--out", out,
                        "--model", "scripted:good otherwise", "--limit", "2", "--order", "1",
                        "--attributes", "gender")  # fmt: skip
    assert code == 3
    assert "A text without [MASK] stays without an answer" in text
    assert "--retry-failed" not in text + run("report", out)[1]


NURSE = 'scripted-masked:her 0.8 if "nurse"; her 0.52 if "sold"; his 0.6 otherwise'


@pytest.mark.slow
def test_a_word_whose_scores_lie_apart_is_a_violation_of_group_fairness(
    run: Run, tmp_path: Path
) -> None:
    """The worked figures: 0.8 for the nurse, 0.52 or 0.4 by the verb for all others."""
    out = str(tmp_path / "campaign")
    grammar = MASKED.replace("[nurse, pilot, baker]", "[nurse, pilot, baker, cook, farmer]")
    code, _, error = run("run", "--grammar", written(tmp_path, grammar), "--sentences", "90",
                         "--model", NURSE, "--model", EVEN_WORD, "--out", out)  # fmt: skip
    assert code == 0, error
    by_model = {one.model: one.word_scores for one in make_report(CampaignStore(Path(out))).models}
    assert [x for x in by_model[EVEN_WORD] if x.violation] == []
    found = {(x.attribute, x.word): x for x in by_model[NURSE]}
    # Of two labels that mirror each other, one is told.
    assert {x.label for x in by_model[NURSE]} == {"his"}
    assert {key for key, x in found.items() if x.violation} == {("occupation", "nurse")}
    nurse, baker = found["occupation", "nurse"], found["occupation", "baker"]
    assert (nurse.texts, baker.texts) == (90, 90)
    assert nurse.score == pytest.approx(0.2)
    assert baker.score == pytest.approx((0.48 + 0.6) / 2)
    assert nurse.difference.value == pytest.approx(0.8 * (0.2 - 0.54), abs=1e-6)
    assert baker.difference.value == pytest.approx(-0.2 * (0.2 - 0.54), abs=1e-6)
    code, text, _ = run("report", out)
    assert "occupation, his: of 5 words, these lie apart from the others: nurse." in text


def test_a_model_of_another_task_is_refused_by_name(run: Run, tmp_path: Path) -> None:
    out, grammar = str(tmp_path / "campaign"), written(tmp_path, MASKED)
    code, _, error = run("run", "--grammar", grammar, "--model", "vader", "--sentences", "10",
                         "--out", out)  # fmt: skip
    assert code == 2
    assert "is for masked language modelling, and vader does text classification" in error
    assert "such as masked" in error
    rules = 'scripted-masked:ours 0.9 if "nurse"; theirs otherwise'
    code, _, error = run("run", "--grammar", grammar, "--model", rules, "--sentences", "10",
                         "--out", out)  # fmt: skip
    assert code == 2
    assert "asks for his, her in place of [MASK]" in error
    rules = 'scripted-resolver:apart if "nurse"; joined otherwise'
    code, _, error = run("run", "--data", "sample", "--model", rules, "--out", f"{out}-2")
    assert code == 2
    assert "Rules of coreference give together or apart, nothing else." in error


def test_without_a_model_the_embedded_one_of_the_task_is_tested(run: Run, tmp_path: Path) -> None:
    for text, model in ((MASKED, "masked"), (COREFERENCE, "resolver:rules")):
        code, shown, error = run("run", "--grammar", written(tmp_path, text), "--sentences", "4",
                                 "--out", str(tmp_path / "x"), "--estimate", "--json")  # fmt: skip
        assert code == 0, error
        assert list(json.loads(shown)["unseen"]) == [model]
