"""Mutants beside placebo mutants: sums by exchanged word are those of a plain count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

import numpy
import pytest

from hinter_core.campaign import reader
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import Attributes
from hinter_core.language.parsing import ParseStore
from hinter_core.models.registry import open_store
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.report.aggregate import count
from hinter_core.report.metrics.excess import PlaceboExcess, excess_section
from hinter_core.statistics.clustered import WordSums
from hinter_core.statistics.rates import Difference, Rate
from hinter_core.types import Outcome, Verdict

MODEL = 'scripted:negative if "woman" and "white"; negative if "stew"; positive otherwise'
NAMES = ["race", "gender", "placebo-1", "placebo-2"]
CASES = (Verdict.BENIGN, Verdict.BIASED, Verdict.HIDDEN)

Sums = tuple[Counter[str], Counter[str], list[float]]  # hits and weight by word, and what is shared


@pytest.fixture(scope="module")
def store(make: Callable[..., CampaignStore]) -> CampaignStore:
    people = ("black man", "white woman", "Syrian man", "Syrian woman and a white man", "nurse")
    texts = [f"The {who} paid for the soup that evening." for who in people]
    texts += ["The black woman was kind.", "The soup was warm that evening."]
    return make(texts, NAMES, 2, MODEL)


def attributes_of(one: Outcome) -> Attributes:
    return tuple(edit.attribute for edit in one.mutant.edits)


def words_of(one: Outcome) -> set[str]:
    pairs = (f"{edit.source.text} {edit.target.text}" for edit in one.mutant.edits)
    return {word.lower() for pair in pairs for word in pair.split()}


def summed(
    texts: dict[int, list[Outcome]], order: int, only: Attributes, hits: tuple[Verdict, ...]
) -> list[Sums]:
    """The sums of mutants and of placebo mutants, text by text and word by word."""
    found: list[Sums] = [(Counter(), Counter(), [0.0, 0.0, 0.0]) for _ in range(2)]
    for outcomes in texts.values():
        sides: list[list[Outcome]] = [[], []]
        for one in outcomes:
            neutral = {name.startswith("placebo") for name in attributes_of(one)}
            if one.verdict not in CASES or len(one.mutant.edits) != order or len(neutral) > 1:
                continue
            if neutral == {True} or not only or attributes_of(one) == only:
                sides[neutral.pop()].append(one)
        if not all(sides):
            continue
        for side, other, (by_hits, by_weight, shared) in zip(
            sides, reversed(sides), found, strict=True
        ):
            share = len(other) / (len(side) + len(other))
            own: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
            for one in side:
                for word in words_of(one):
                    own[word][0] += share * (one.verdict in hits)
                    own[word][1] += share
            for word, (hit, weight) in own.items():
                by_hits[word] += hit  # type: ignore[assignment]
                by_weight[word] += weight  # type: ignore[assignment]
                for place, value in enumerate((hit * hit, hit * weight, weight * weight)):
                    shared[place] += value
    return found


@pytest.mark.parametrize("size", [1, 40])
def test_sums_by_word_are_those_of_a_plain_count(
    store: CampaignStore, parses: ParseStore, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(reader, "CHUNK", size)
    campaign = store.campaign()
    pipeline = Pipeline(campaign.vocabulary(), parses, [open_store(MODEL)], campaign.settings)
    texts = {
        row.number: pipeline.check(row.text).outcomes[MODEL]
        for row in campaign.table().rows()
        if "paid" in row.text or "woman" in row.text
    }
    with CampaignReader(store) as opened:
        tally = count(opened).models[MODEL]
        errors, hidden = (Verdict.BIASED, Verdict.HIDDEN), (Verdict.HIDDEN,)
        for order, only in [(1, ()), (1, ("race",)), (2, ()), (2, ("gender", "race"))]:
            for name, hits in (("errors", errors), ("hidden", hidden)):
                made = tally.by_word(name, order, only)
                assert [len(side.sums) for side in made] != [0, 0]
                for side, (by_hits, by_weight, shared) in zip(
                    made, summed(texts, order, only, hits), strict=True
                ):
                    plain = [(by_hits[word], weight) for word, weight in by_weight.items()]
                    assert numpy.array(sorted(side.sums)) == pytest.approx(
                        numpy.array(sorted(plain))
                    )
                    assert side.shared == pytest.approx(tuple(shared))


def test_a_campaign_without_placebo_has_no_sums_by_word(
    make: Callable[..., CampaignStore],
) -> None:
    store = make(["The black man was kind."], ["race", "gender"], 2, MODEL)
    with CampaignReader(store) as opened:
        found = count(opened).models[MODEL].by_word("errors", 2)
    assert found == [WordSums([], (0, 0, 0))] * 2


def test_many_comparisons_with_few_placebo_cases_are_one_sentence() -> None:
    def of(name: str, cases: int) -> PlaceboExcess:
        return PlaceboExcess(name, (), 2, Rate(3, 9), Rate(0, cases), Difference(0.3, 0, 0.6, 0.1))

    assert excess_section([of("race", 1), of("age", 200)]).in_words[0] == (
        "race: 1 placebo case is too few to say how many answers flip on neutral changes."
    )
    *_, last = excess_section([of("race", 1), of("age", 200), of("gender", 0)]).in_words
    assert last.startswith("2 of 3 comparisons have fewer than 100 placebo cases, too few to say")
