"""The search for mutants of high order: it finds what a sample of the same size does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp
from pathlib import Path

import pytest

from hinter_core.campaign.parquet import read_table
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.models.base import Capabilities
from hinter_core.models.python import PythonModel
from hinter_core.models.registry import open_store
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.lattice import subsets
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.pipeline.prioritise import Search
from hinter_core.report.model import make_report
from hinter_core.report.sections import sections
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import GrammaticalForm, Sense, Term, Verdict

TEXT = "The old black man was kind to the nurse."
RACES = ["black", "white", "Syrian", "Kenyan", "Korean", "Danish", "Chilean"]
AGES = ["old", "young", "elderly", "youthful"]
PEOPLE = ["man", "woman", "person", "boy", "girl"]
# What each word takes from the log-odds of a positive answer; the text alone has 3.
WEIGHTS = {"Syrian": 1.2, "Kenyan": 1.0, "Chilean": 0.4, "youthful": 1.2, "young": 0.3,
           "girl": 0.9, "woman": 0.8, "boy": 0.2}  # fmt: skip


def answers(texts: Sequence[str], several: bool = False) -> list[dict[str, float]]:
    """A model whose bias adds up: each word pushes, and only three together turn the answer."""
    levels = [3.0 - sum(w for word, w in WEIGHTS.items() if word in text) for text in texts]
    return [
        {"positive": 1 / (1 + exp(-level)), "negative": 0.1 if several else 1 / (1 + exp(level))}
        for level in levels
    ]


def dictionaries() -> list[Dictionary]:
    kinds = (("race", RACES, GrammaticalForm.ADJECTIVE), ("age", AGES, GrammaticalForm.ADJECTIVE),
             ("gender", PEOPLE, GrammaticalForm.NOUN_SG))  # fmt: skip
    return [
        Dictionary(name, tuple(Term(w, w.lower(), form, "c", Sense.PERSON) for w in words))
        for name, words, form in kinds
    ]


def guide(several: bool = False) -> PredictionStore:
    def function(texts: list[str]) -> list[dict[str, float]]:
        return answers(texts, several)

    wanted = Capabilities(labels=("positive", "negative"), multi_label=several)
    return PredictionStore(PythonModel("weighed", function, wanted, "weighed"))


def hidden(check: TestResult, order: int) -> set[frozenset[object]]:
    return {
        frozenset(judged.mutant.edits)
        for judged in check.outcomes["weighed"]
        if judged.verdict is Verdict.HIDDEN and judged.mutant.order == order
    }


@pytest.fixture(scope="module")
def everything(parses: ParseStore) -> TestResult:
    return Pipeline(dictionaries(), parses, [guide()], Settings(order=3)).check(TEXT)


def searched(parses: ParseStore, limit: int, several: bool = False) -> TestResult:
    store, settings = guide(several), Settings(order=3, limit=limit)
    pipeline = Pipeline(dictionaries(), parses, [store], settings)
    plan = pipeline.plan(TEXT)
    found = Search(parses, store, settings).chosen(plan)
    assert max(sum(len(e) == k for e in found) for k in (2, 3)) <= limit
    *_, check = pipeline.run(plan, chosen=found)
    return check


def test_what_adds_up_is_found_first(everything: TestResult, parses: ParseStore) -> None:
    planted = hidden(everything, 3)
    assert len(planted) >= 3
    assert not hidden(everything, 2)
    limit = len(planted)
    assert hidden(searched(parses, limit), 3) == planted
    # A sample of as many finds fewer of them.
    sample = Settings(order=3, limit=3 * limit)
    drawn = Pipeline(dictionaries(), parses, [guide()], sample).check(TEXT)
    assert len(hidden(drawn, 3)) < limit


def test_several_labels_are_searched_alike(everything: TestResult, parses: ParseStore) -> None:
    planted = hidden(everything, 3)
    assert hidden(searched(parses, len(planted), several=True), 3) == planted


def test_a_mutant_with_a_part_that_errs_is_passed_over(
    parses: ParseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(WEIGHTS, "Syrian", 3.5)
    check = searched(parses, 40)
    whole = {m.edits for m in check.mutants if m.order == 3}
    assert whole
    assert all(e.target.text != "Syrian" for edits in whole for e in edits)


def test_parts_come_before_wholes_and_none_twice(parses: ParseStore) -> None:
    edits = [frozenset(m.edits) for m in searched(parses, 7).mutants]
    assert len(edits) == len(set(edits))
    for place, key in enumerate(edits):
        assert all(frozenset(p) in edits[: place + 1] for p in subsets(tuple(key)))


@pytest.mark.parametrize(
    ("model", "settings", "words"),
    [
        ("vader", Settings(order=3), "limit"),
        ("vader", Settings(order=2, limit=5), "order of 3"),
        ("openai:m?base_url=http://127.0.0.1:9/v1", Settings(order=3, limit=5), "guide"),
    ],
)
def test_a_guide_that_cannot_guide_is_refused(
    model: str, settings: Settings, words: str, parses: ParseStore
) -> None:
    with pytest.raises(InputError, match=words):
        Search(parses, open_store(model, trusted=True), settings)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    data = tmp_path_factory.mktemp("search") / "texts.txt"
    data.write_text(
        "The old black woman with the limp was kind to him.\nA young man left.\nThe blind old "
        "Syrian man sang.\n"
    )
    return Campaign(
        data=str(data), attributes=("race", "gender", "body", "age"), order=3, limit=4,
        guide="vader", models=("scripted:even-handed",), shard=2, atomic=False,
    )  # fmt: skip


@pytest.mark.slow
def test_a_campaign_is_guided_and_says_so(campaign: Campaign, tmp_path: Path) -> None:
    whole, pieces = CampaignStore(tmp_path / "whole"), CampaignStore(tmp_path / "pieces")
    run_campaign(campaign, whole)
    seen: list[int] = []
    run_campaign(
        campaign,
        pieces,
        on_progress=lambda p: seen.append(p.shards),
        cancelled=lambda: len(seen) == 1,
    )
    run_campaign(campaign, pieces)
    for shard in whole.known():
        mutants = read_table(whole.mutants(shard))
        assert mutants.equals(read_table(pieces.mutants(shard)))
        placebo = [e[0]["attribute"].startswith("placebo") for e in mutants["edits"].to_pylist()]
        lines = list(zip(mutants["row"].to_pylist(), mutants["order"].to_pylist(), placebo))  # noqa: B905
        for row in {row for row, *_ in lines}:
            assert sum(line == (row, 3, False) for line in lines) <= 4
    report = make_report(whole)
    reach = {r.order: (r.tested, r.possible) for r in report.reach}
    assert 0 < reach[3][0] < reach[3][1]
    (section,) = [s for s in sections(report) if s.key == "reach"]
    assert "vader" in " ".join(section.sentences)
    assert replace(campaign, guide="").identity() != campaign.identity()
