"""``hinter annotate agreement`` and ``hinter report --humans``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from hinter_core.annotation.items import sample_campaign
from hinter_core.annotation.project.judging import Judging, Submission
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import AnnotationItem, Project, Status
from hinter_core.campaign.store import CampaignStore

from .conftest import Run

MODEL = 'scripted:negative if "white" and "woman"; positive otherwise'
TEXTS = ["The old black man was kind.", "The old and the young Syrian women ate soup."]


@pytest.fixture(scope="module")
def campaign(make: Callable[..., CampaignStore]) -> CampaignStore:
    return make(TEXTS, ["race", "gender", "age"], 2, MODEL)


def judged(path: Path, items: list[AnnotationItem]) -> str:
    settings = Project("Trial", default_questions()[1], share=1.0, repeats=0.2, gap=1)
    project, _ = AnnotationStore.create(path, settings)
    project.add(items)
    judging = Judging(project)
    for name in ("Ann", "Bob"):
        _, key = project.join(name, "correct horse")
        while found := judging.upcoming(key):
            item, showing = found[0].item, found[0].showing
            sense = "no" if name == "Bob" and item.kept is False else "yes"
            answers = {"sense": sense, "same": "yes", "grammatical": "yes"}
            judging.judge(key, Submission(item.id, showing, Status.JUDGED, answers, uuid4().hex))
    project.close()
    return str(path)


@pytest.fixture(scope="module")
def project(campaign: CampaignStore, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("project") / "trial.sqlite"
    return judged(path, sample_campaign(campaign, 100))


def test_the_terminal_says_it(run: Run, project: str) -> None:
    code, out, err = run("annotate", "agreement", project)
    assert (code, err) == (0, "")
    for words in ("Krippendorff's alpha", "Cohen's kappa", "The invariant against people"):
        assert words in out
    assert "Traceback" not in out
    assert "nan" not in out.lower().split()


def test_json_and_markdown(run: Run, project: str) -> None:
    code, out, _ = run("annotate", "agreement", project, "--json", "--question", "sense")
    found = json.loads(out)
    assert code == 0
    assert found["questions"] == ["sense"]
    assert found["annotators"] == ["Ann", "Bob"]
    assert found["scores"][0]["precision"]["share"] == 1.0
    # Ann calls all valid, Bob the kept ones: where they differ, people are undecided.
    assert found["undecided"] > 0
    assert all(one["kind"] != "question" for one in found["scores"])
    code, out, _ = run("annotate", "agreement", project, "--markdown")
    assert (code, out.splitlines()[0]) == (0, "# Judgements of Trial")


def test_bad_input_ends_in_one_line(run: Run, project: str, tmp_path: Path) -> None:
    for arguments, said in (
        ((str(tmp_path / "none"),), "does not exist"),
        ((project, "--question", "colour"), "choose one of: sense, grammatical, same"),
        ((project, "--json", "--markdown"), "Choose one"),
    ):
        code, out, err = run("annotate", "agreement", *arguments)
        assert (code, out) == (2, "")
        assert said in err
        assert len(err.splitlines()) == 1


@pytest.mark.slow
def test_a_report_with_what_people_say(
    run: Run, campaign: CampaignStore, project: str, tmp_path: Path
) -> None:
    folder = str(campaign.folder)
    code, out, err = run("report", folder, "--humans", project)
    assert (code, err) == (0, "")
    assert "Judged by people" in out
    assert "Judged by people" not in run("report", folder)[1]
    assert "## Judged by people" in run("report", folder, "--humans", project, "--markdown")[1]
    found = json.loads(run("report", folder, "--humans", project, "--json")[1])["people"]
    assert (found["annotators"], found["foreign"]) == (2, 0)
    assert found["lines"][0]["valid"]["share"] == 1.0
    assert "Judged by people" in run("report", folder, "--humans", project, "--html")[1]
    other = judged(tmp_path / "other.sqlite", [AnnotationItem("a", "A text.", "Another.")])
    code, out, err = run("report", folder, "--humans", other)
    assert (code, out) == (2, "")
    assert "not drawn from this campaign" in err
    assert len(err.splitlines()) == 1
