"""Words that change answers more often than others stand out, and only those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.campaign.findings import AND, OR, FindingFilter, Side
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.generators.grammars.reading import load_grammar
from hinter_core.generators.grammars.sampling import Sentences
from hinter_core.report.metrics.diagnosis import (
    ANOMALY,
    WordRate,
    _Case,
    anomaly_indices,
    diagnose,
    judged,
    judged_context,
    weights_of,
)
from hinter_core.report.metrics.interactions import interactions
from hinter_core.report.model import make_report
from hinter_core.statistics.rates import wilson
from tests.findings import many

GRAMMAR = """
start: sentence
rules:
  sentence:
    - <When> the <who> smiled.
    - The <who> smiled <when>.
  when: [yesterday, last night, on Friday]
sensitive:
  who: [nurse, clerk, cook]
"""


def test_words_that_begin_a_sentence_are_those_of_their_list(tmp_path: Path) -> None:
    path = tmp_path / "days.yaml"
    path.write_text(GRAMMAR, encoding="utf-8")
    rules = 'scripted:bad if "yesterday" and "cook"; good otherwise'
    campaign = Campaign(grammar=str(path), sentences=18, models=(rules,), order=1, placebo=False)
    store = CampaignStore(tmp_path / "out")
    run_campaign(campaign, store)
    with CampaignReader(store) as reader:
        found = diagnose(reader, rules)
    words = {one.word for one in found if one.attribute == "when"}
    assert words == {"yesterday", "last night", "on Friday"}
    changed = {one.word: one for one in found if one.attribute == "who"}
    assert changed["cook"].answers == (("bad", changed["cook"].rate.hits),)
    assert {name for name, _ in changed["nurse"].answers} == {"good"}  # the better side
    weights = weights_of(found, smooth=1)
    assert Sentences(load_grammar(str(path)), weights).count == 18  # each is a word of the grammar


def test_spellings_of_one_word_are_one_word(tmp_path: Path) -> None:
    words = {
        "age": ["old,old", "fiftysomething,middle", "fifty-something,middle"],
        "gender": ["man,male", "non-binary person,other", "nonbinary person,other"],
    }
    for name, lines in words.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["term,group", *lines]), "utf-8")
    texts = [f"The old man had soup on day {n}." for n in range(6)]
    (tmp_path / "texts.csv").write_text("\n".join(["text", *texts]), "utf-8")
    rules = 'scripted:bad if "person"; good otherwise'
    campaign = Campaign(
        data=str(tmp_path / "texts.csv"), attributes=("age", "gender"), models=(rules,),
        dictionaries=tuple(str(tmp_path / f"{name}.csv") for name in words), placebo=False,
    )  # fmt: skip
    store = CampaignStore(tmp_path / "out")
    run_campaign(campaign, store)
    side = Side(store, rules)
    with CampaignReader(store) as reader:
        found = {one.word: one for one in diagnose(reader, rules)}
        (together,) = interactions(reader, rules)
    assert found.keys() == {"old", "fifty-something", "man", "non-binary person"}
    other = found["non-binary person"]
    assert (other.rate.hits, other.rate.of) == (12, 12)
    assert other.rate.low == found["man"].rate.low < 0.7  # of 6 texts, and not of 12 cases
    (model,) = make_report(store).models
    for of in (model.words, model.directions):
        assert [one.errors for one in of if one.attribute == "gender"] == [other.rate]
    (pair,) = together.pairs
    assert (pair.words, pair.texts, pair.both.of) == (
        ("fifty-something", "non-binary person"),
        6,
        24,
    )
    everywhere = FindingFilter(search=OR.join(other.spellings), attributes=("gender",))
    assert many(side, everywhere) == 12
    assert many(side, replace(everywhere, search="non-binary person / no such word")) == 6
    search = AND.join(OR.join(of) for of in pair.spellings)
    assert many(side, FindingFilter(search=search)) == 24
    (model,) = make_report(store).models
    (changed,) = model.metrics["words"]
    assert (changed.source, changed.target) == ("man", "non-binary person")
    assert (changed.errors.hits, changed.errors.of) == (12, 12)
    assert changed.errors.low == wilson(6, 6).low


def test_an_index_is_the_distance_in_scaled_deviations() -> None:
    # Median 3; deviations 2, 1, 0, 1, 97: their median is 1.
    found = anomaly_indices({"a": 1, "b": 2, "c": 3, "d": 4, "e": 100})
    assert found["c"] == 0
    assert found["d"] == pytest.approx(1 / 1.4826, abs=1e-4)
    assert found["e"] == pytest.approx(97 / 1.4826, abs=1e-2)
    assert anomaly_indices({"a": 0, "b": 0, "c": 0.5}) == {"a": 0, "b": 0, "c": inf}
    assert anomaly_indices({}) == {}


@given(st.dictionaries(st.text(), st.floats(0, 1), min_size=1), st.floats(0.1, 2))
def test_indices_do_not_depend_on_the_scale(shares: dict[str, float], scale: float) -> None:
    found = anomaly_indices(shares)
    again = anomaly_indices({word: share * scale for word, share in shares.items()})
    for word, index in found.items():
        if abs(index) < 1e6:
            assert again[word] == pytest.approx(index, rel=1e-6, abs=1e-6)
    ordered = sorted(shares, key=lambda word: shares[word])
    assert [found[word] for word in ordered] == sorted(found.values())


def cases_of(word: str, changed: int, texts: int) -> list[_Case]:
    """Return changes of a word to ten others, changed in some texts, beside texts without it."""
    others = [f"other {number}" for number in range(10)]
    own = [
        _Case("x", word, other, row, int(row < changed), 1)
        for row in range(texts)
        for other in others
    ]
    rest = [
        _Case("x", old, new, 100 + row, 0, 1) for row in range(40) for old, new in pairwise(others)
    ]
    return own + rest


@pytest.mark.parametrize(
    ("changed", "texts", "stands_out"),
    [(2, 2, False), (2, 5, False), (1, 30, False), (4, 4, False), (4, 5, True), (10, 30, True)],
)
def test_a_word_of_few_texts_does_not_stand_out(changed: int, texts: int, stands_out: bool) -> None:
    found = {one.word: one for one in judged(cases_of("nurse", changed, texts))}
    nurse = found.pop("nurse")
    assert (nurse.stands_out, nurse.too_few) == (stands_out, not stands_out)
    assert not any(one.stands_out for one in found.values())


def test_the_index_that_decides_is_that_without_words_that_stand_out_more() -> None:
    """Two words flip all texts and one flips a fifth, so that the first two widen the spread."""
    strong, weak = {"a", "b"}, "c"
    cases = [
        _Case("x", old, new, row, int(bool({old, new} & strong) or (weak == new and row < 20)), 1)
        for row in range(100)
        for old in ["abcde"[row % 5]]
        for new in "abcde"
        if new != old
    ]
    found = {one.word: one for one in judged(cases)}
    assert found["c"].index < ANOMALY < found["c"].remaining
    assert {word for word, one in found.items() if one.stands_out} == {"a", "b", "c"}
    for one in judged(cases + cases_of("nurse", 2, 2)):
        assert (one.stands_out or one.too_few) == (one.remaining > ANOMALY)


def test_a_word_that_differs_by_chance_does_not_stand_out() -> None:
    # Three words of one text in five, one of two in five: above by the index alone.
    cases = [
        _Case("x", word, "other", 10 * number + row, int(row < hits), 1)
        for number, (word, hits) in enumerate({"a": 1, "b": 1, "c": 1, "d": 2}.items())
        for row in range(5)
    ]
    found = {one.word: one for one in judged(cases)}
    assert found["d"].index == inf
    assert not found["d"].stands_out
    assert found["d"].too_few


WORDS = [f"word {number}" for number in range(12)]
PLACES = ["hall", "market", "station", "museum", "park", "library"]

Flips = Callable[[Random, int, str, str, str], bool]  # of row, old word, new word, place


def simulated(seed: int, flips: Flips, texts: int = 60) -> tuple[set[str], set[str]]:
    """Return the sensitive and the context words that stand out in a simulated campaign."""
    rng = Random(seed)
    cases: list[_Case] = []
    lists: dict[str, dict[str, set[int]]] = {"place": {}, "state": {}}
    for row in range(texts):
        old, place = rng.choice(WORDS), rng.choice(PLACES)
        lists["place"].setdefault(place, set()).add(row)
        lists["state"].setdefault(rng.choice(["glad", "sad", "tired", "calm"]), set()).add(row)
        cases += [
            _Case("work", old, new, row, int(flips(rng, row, old, new, place)), 1)
            for new in WORDS
            if new != old
        ]
    found = judged(cases)
    causes = {(one.attribute, one.word) for one in found if one.stands_out}
    found += judged_context(lists, cases, causes)

    def odd(context: bool) -> set[str]:
        return {one.word for one in found if one.stands_out and one.context is context}

    return odd(False), odd(True)


def _any(share: float) -> Flips:
    return lambda rng, *_: rng.random() < share


def _by_text(rng: Random, row: int, *_: str) -> bool:
    return rng.random() < Random(row).random() ** 3  # some texts lie near the boundary


@pytest.mark.parametrize("flips", [_any(0.02), _any(0.2), _any(0.5), _by_text])
def test_where_nothing_is_planted_hardly_a_campaign_names_a_word(flips: Flips) -> None:
    found = [simulated(seed, flips) for seed in range(100)]
    assert sum(bool(sensitive) for sensitive, _ in found) <= 7
    assert sum(bool(context) for _, context in found) <= 7


def test_a_planted_word_is_named_first_and_no_word_around_it() -> None:
    found = [
        simulated(seed, lambda rng, _, old, new, place: "word 3" in (old, new))
        for seed in range(50)
    ]
    assert [sensitive for sensitive, _ in found] == [{"word 3"}] * 50
    assert sum(bool(context) for _, context in found) == 0


def test_a_word_around_the_changed_ones_is_named_as_such() -> None:
    found = [
        simulated(seed, lambda rng, _, old, new, place: place == "park" and rng.random() < 0.3)
        for seed in range(50)
    ]
    assert sum(context == {"park"} for _, context in found) >= 48
    assert sum(bool(sensitive) for sensitive, _ in found) <= 4


GUESTS = """
start: s
rules:
  s:
    - The <work> told <a> <guest> at the <place> that <he> was late.
    - When <he> came to the <place>, the <work> met the <guest>.
    - In the <place>, the <work> thanked the <guest>; <he> smiled.
  guest: [farmer, cook, baker, singer, driver, painter]
  place: [hall, station, car park, market]
sensitive:
  work: [nurse, pilot, clerk, tailor, lawyer, editor, plumber, waiter]
  gender: [{group: male, he: he}, {group: female, he: she}]
"""


# What each model's words are said to do: those that are exchanged, and those around them.
NAMED: dict[str, tuple[set[str], set[str]]] = {
    'negative if "nurse"; positive otherwise': ({"nurse"}, set()),
    'negative if "nurse"; negative if "she"; positive otherwise': ({"nurse"}, set()),
    'negative if "nurse" and "she"; positive otherwise': ({"nurse"}, set()),
    'negative if "car park"; positive otherwise': (set(), set()),
    'negative if "car park" and "she"; positive otherwise': (set(), {"car park"}),
    'negative if "cook" and "she"; positive otherwise': (set(), {"cook"}),
    'negative if "farmer"; negative if "hall"; positive otherwise': (set(), set()),
    "positive otherwise": (set(), set()),
}


@pytest.fixture(scope="module", params=range(3))
def of_guests(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[WordRate]]:
    """The words of one campaign, by the rules of its models."""
    names = [f"scripted:{rules}" for rules in NAMED]
    folder = tmp_path_factory.mktemp("guests")
    return dict(zip(NAMED, diagnosed(folder, GUESTS, names, request.param), strict=True))


@pytest.mark.parametrize("rules", NAMED)
def test_only_what_is_exchanged_is_said_to_change_answers(
    rules: str, of_guests: dict[str, list[WordRate]]
) -> None:
    found, (changing, around) = of_guests[rules], NAMED[rules]
    assert {one.word for one in found if one.stands_out and not one.context} == changing
    assert {one.word for one in found if one.stands_out and one.context} == around
    assert {one.attribute for one in found if one.context} == {"guest", "place"}
    if changing:
        assert {found[0].word, *(one.word for one in found if one.attribute == "work")} > changing
        assert next(one for one in found if one.attribute == "work").word in changing


def diagnosed(folder: Path, grammar: str, models: Sequence[str], seed: int) -> list[list[WordRate]]:
    path = folder / "grammar.yaml"
    path.write_text(grammar, encoding="utf-8")
    campaign = Campaign(
        grammar=str(path), sentences=70, seed=seed, models=tuple(models), order=1,
        placebo=False,
    )  # fmt: skip
    store = CampaignStore(folder / "campaign")
    run_campaign(campaign, store)
    with CampaignReader(store) as reader:
        return [diagnose(reader, model) for model in models]


def test_an_attribute_that_is_not_tested_is_context(tmp_path: Path) -> None:
    path = tmp_path / "grammar.yaml"
    path.write_text(GUESTS, encoding="utf-8")
    model = 'scripted:negative if "nurse" and "she"; positive otherwise'
    campaign = Campaign(
        grammar=str(path), sentences=70, attributes=("gender",), models=(model,), order=1,
        placebo=False,
    )  # fmt: skip
    store = CampaignStore(tmp_path / "campaign")
    run_campaign(campaign, store)
    with CampaignReader(store) as reader:
        found = diagnose(reader, model)
    assert {(one.word, one.context) for one in found if one.stands_out} == {("nurse", True)}
