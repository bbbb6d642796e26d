"""Numbers of a report: planted truths come out exactly, and nothing where nothing was planted."""

from __future__ import annotations

import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import hinter_core as hinter
from hinter_core.campaign import reader
from hinter_core.campaign.parquet import StoreError, read_table
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import is_placebo
from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.models.registry import open_store
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.report.aggregate import count
from hinter_core.report.compared.campaigns import campaigns_sections, total
from hinter_core.report.formats import plain
from hinter_core.report.metrics.groups import ALPHA, FEWEST_TEXTS, AnswerChange, GroupRate
from hinter_core.report.model import ModelReport, Report, make_report
from hinter_core.report.mutants.coverage import Reach
from hinter_core.report.page.opening import Opening, opening
from hinter_core.report.sections import line_in_words, same_in_words, sections
from hinter_core.statistics.clustered import cluster_rate, one_sided_test
from hinter_core.statistics.rates import Rate, benjamini_hochberg
from hinter_core.types import Outcome, Pair, Verdict

HIDDEN = 'scripted:negative if "white" and "woman"; positive otherwise'
ALONE = 'scripted:negative if "woman"; positive otherwise'
THREE = 'scripted:negative if "young" and "Syrian" and "woman"; positive otherwise'
NEVER = 'scripted:negative if "unicorn"; positive otherwise'
BRITTLE = 'scripted:negative if "stew"; positive otherwise'
MODELS = (HIDDEN, ALONE, THREE, NEVER, BRITTLE)

Make = Callable[..., CampaignStore]


@pytest.fixture(scope="module")
def small(make: Make) -> Report:
    texts = ["The black man was kind.", "The white man was kind.", "", "The soup was warm."]
    return make_report(make(texts, ["race", "gender"], 2, HIDDEN, NEVER))


def texts_of_people(many: int) -> list[str]:
    rng = random.Random(7)
    people = [
        "black man",
        "white woman",
        "old Syrian man",
        "old black man",
        "young white man",
        "old woman",
        "nurse",
    ]
    ends = [
        "was kind.",
        "left early. Nobody saw it.",
        "paid for the soup.",
        "ate soup that evening.",
    ]
    return [f"The {rng.choice(people)} {rng.choice(ends)}" for _ in range(many)]


@pytest.fixture(scope="module")
def store(make: Make) -> CampaignStore:
    texts = [*texts_of_people(24), "", "The soup was warm."]
    return make(texts, ["race", "gender", "age"], 3, *MODELS)


@pytest.fixture(scope="module")
def report(store: CampaignStore) -> Report:
    return make_report(store)


@pytest.fixture(scope="module")
def truth(store: CampaignStore, parses: ParseStore) -> dict[str, list[tuple[int, list[Outcome]]]]:
    """By model, the first row of each text and its mutants as the pipeline judges them."""
    campaign = store.campaign()
    models = [open_store(name) for name in campaign.models]
    pipeline = Pipeline(campaign.vocabulary(), parses, models, campaign.settings)
    found: dict[str, list[tuple[int, list[Outcome]]]] = defaultdict(list)
    rows: dict[str, int] = {}
    for row in campaign.table().rows():
        try:
            check = pipeline.check(row.text)
        except InputError:
            continue
        first = rows.setdefault(row.text, row.number)  # alike texts count as one
        for model, judged in check.outcomes.items():
            found[model].append((first, judged))
    return found


def attributes_of(judged: Outcome) -> tuple[str, ...]:
    return tuple(edit.attribute for edit in judged.mutant.edits)


def is_case(judged: Outcome) -> bool:
    return judged.verdict in (Verdict.BENIGN, Verdict.BIASED, Verdict.HIDDEN)


def is_error(judged: Outcome) -> bool:
    return judged.verdict in (Verdict.BIASED, Verdict.HIDDEN)


def named(report: Report, name: str) -> ModelReport:
    (model,) = [model for model in report.models if model.model == name]
    return model


def test_combinations_of_word_pairs_are_counted_once(make: Make) -> None:
    """Man to woman with two changes of black, in two texts; of 2 and 6 pairs."""
    texts = ["The black man was kind.", "The black man was late.", "The white man was late."]
    (*alone, together) = make_report(make(texts, ["race", "gender"], 2, NEVER)).coverage
    assert [one.combinations for one in alone] == [None, None]
    assert together.combinations == (4, 12)
    assert together.groups == (3, 6)


def test_replacements_are_counted_by_place(make: Make) -> None:
    report = make_report(make(["The man saw the black man."], ["race", "gender"], 2, NEVER))
    (model,) = report.models
    rows = {line.name: (line.mutants, line.replacements) for line in model.lines}
    # The one word of gender stands at two places; race has two other words.
    assert rows == {"gender": (1, 2), "race": (2, 2), "gender \u00d7 race": (2, 6)}
    assert (model.atomic.replacements, model.intersectional.replacements) == (4, 6)
    (flow,) = [s for s in sections(report) if s.key == "flow"]
    assert [row[-1] for row in flow.rows] == ["4", "6"]


def with_discarded(report: Report) -> Report:
    lossy = [
        replace(one, atomic=replace(one.atomic, verdicts=one.atomic.verdicts | {"discarded": 2}))
        for one in report.models
    ]
    return replace(report, models=lossy)


def test_a_least_validity_is_named_where_one_was_set(small: Report) -> None:
    def words(validity: float, report: Report = small) -> str:
        report = replace(report, campaign=replace(small.campaign, validity=validity))
        return next(s for s in sections(report) if s.key == "flow").sentences[0]

    lossy = with_discarded(small)
    assert "none was discarded. " in words(0.8)  # without a reason
    assert "validity" not in words(0.0, lossy)
    assert "contradict it or its validity score is below 0.8." in words(0.8, lossy)


def test_a_report_says_what_a_literal_campaign_did(small: Report) -> None:
    report = replace(with_discarded(small), campaign=replace(small.campaign, literal=True))
    written = {one.key: " ".join(one.sentences) for one in sections(report)}
    assert "Settings other than the default (literal mode, " in written["overview"]
    assert "discarded: a sentence parses differently after the change. " in written["flow"]
    values = plain(report)["campaign"]
    assert (values["coherent"], values["validity"], values["invariant"]) == (False, 0, "published")
    first = opening(report)
    assert any("may be of two people" in one for one in first.caveats)
    assert not any("is of one person" in one for one in first.caveats)
    assert "literal mode" in first.method[1]


def test_a_sum_of_several_campaigns_says_which_settings_differ(small: Report) -> None:
    def differ(**settings: Any) -> str:
        other = replace(small, identity="other", campaign=replace(small.campaign, **settings))
        found = campaigns_sections(total([(Path("a"), small), (Path("b"), other)]))[0].sentences
        return " ".join(one for one in found if one.startswith("Totals mix different tests"))

    title, words = small.campaign.title, differ(literal=True)
    assert f"{title} (a): these at their default. " in words
    assert f"{title} (b): literal mode, " in words
    assert "no least validity score" not in words  # of both
    more = differ(order=3, limit=60)
    assert f"(a): {', '.join(sorted(small.campaign.attributes))}, up to order 2" in more
    assert ", up to order 3; at most 60 intersectional mutants per text, seed " in more
    assert differ(workers=2) == ""
    given = differ(data="", mutants="mutants.csv", attributes=())
    assert "race, up to order 2; " in given
    assert "mutants.csv: handwritten mutants." in given
    assert "at their default" not in given


def test_a_sentence_of_a_line_is_one_a_person_would_write(small: Report) -> None:
    line = replace(small.models[0].intersectional, hidden=Rate(0, 3), grades={})
    assert "changed the answer; none of them is hidden. " in line_in_words(line)
    placebo = replace(line, name="placebo, order 2")
    assert " placebo mutants of order 2 changed the answer" in line_in_words(placebo)
    none = replace(placebo, errors=Rate(0, 0))
    assert line_in_words(none).startswith("No placebo mutant of order 2 was kept")


def test_a_truth_table_gives_shares_within_each_outcome(small: Report) -> None:
    (section,) = [s for s in sections(replace(small, models=small.models[:1])) if s.key == "truth"]
    rows = {tuple(row[1:4]): row[4:] for row in section.rows}
    assert rows["benign", "benign", "benign"] == ["1", "25.00\u00a0%", "33.33\u00a0%"]
    assert rows["benign", "bias", "benign"] == ["2", "50.00\u00a0%", "66.67\u00a0%"]
    assert rows["bias", "benign", "benign"] == ["1", "25.00\u00a0%", "100.00\u00a0%"]
    pairs = small.models[0].with_metrics(truths=small.models[0].truths * 2)
    (section,) = [s for s in sections(replace(small, models=[pairs])) if s.key == "truth"]
    sums = [row[1:] for row in section.rows if row[0] == "all pairs"]
    assert sums[1] == ["benign", "one of them", "", "4", "50.00\u00a0%", "66.67\u00a0%"]
    assert sums[-1] == ["bias", "benign", "benign", "2", "25.00\u00a0%", "100.00\u00a0%"]
    assert all(row[-3] != "0" for row in section.rows)  # they fill pages
    (one,) = small.models[0].truths
    partly = small.models[0].with_metrics(truths=[replace(one, unknown=3)])
    (section,) = [s for s in sections(replace(small, models=[partly])) if s.key == "truth"]
    assert section.sentences[1].startswith("3 of 7 cases are in no row")


def test_alike_texts_are_one_text_for_an_interval(make: Make) -> None:
    texts = ["The black man was kind.", "The Syrian man left.", "The white man sang."]
    once, often = (
        make_report(make(many, ["race", "gender"], 2, HIDDEN)) for many in (texts, texts * 5)
    )
    assert (once.alike, often.alike) == (0, 12)
    one, five = (report.models[0].intersectional for report in (once, often))
    assert (five.errors.hits, five.errors.of) == (5 * one.errors.hits, 5 * one.errors.of)
    assert None not in (one.errors.low, one.errors.high, five.errors.low, five.errors.high)
    assert five.errors.high - five.errors.low > 0.95 * (one.errors.high - one.errors.low)
    assert five.sources == one.sources
    assert "12 texts repeat an earlier one" in " ".join(sections(often)[0].sentences)


def test_two_texts_counted_by_hand(small: Report) -> None:
    """Black man: white and woman together flip. White man: woman flips, and keeps flipping."""
    model = named(small, HIDDEN)
    by_name = {line.name: line for line in [*model.lines, model.atomic, model.intersectional]}
    figures = {
        name: (line.mutants, line.errors.hits, line.sources.hits, line.sources.of)
        for name, line in by_name.items()
    }
    assert figures == {
        "race": (4, 0, 0, 2),
        "gender": (2, 1, 1, 2),
        "gender \u00d7 race": (4, 1, 1, 2),
        "atomic": (6, 1, 1, 2),
        "intersectional": (4, 1, 1, 2),
    }
    together = by_name["gender \u00d7 race"]
    assert together.hidden is not None
    assert (together.hidden.hits, together.hidden.of) == (1, 1)
    assert together.discarded.hits == 0
    assert [t.rows for t in model.truths] == [
        {(True, False, False): 1, (False, False, False): 1, (False, True, False): 2}
    ]
    assert (model.truths[0].only_whole, model.truths[0].only_part) == (1, 2)
    (overlap,) = model.overlaps
    assert (overlap.only_atomic, overlap.both, overlap.only_together, overlap.neither) == (
        1,
        0,
        1,
        0,
    )
    assert model.answers == [AnswerChange("positive", "negative", 1, 1, 1)]
    (word,) = model.words
    assert (word.source, word.target, word.errors.hits, word.errors.of) == ("man", "woman", 1, 2)
    (direction,) = model.directions
    assert (direction.source, direction.target) == ("male", "female")
    (example,) = model.examples
    assert (example["row"], example["original"], example["labels"]) == (
        1,
        ["positive"],
        ["negative"],
    )
    assert [(e["source"], e["target"]) for e in example["edits"]] == [
        ("man", "woman"), ("black", "white"),
    ]  # fmt: skip


def test_groups_by_hand(small: Report) -> None:
    """Women: white 1 of 1, Syrian 0 of 2, black 0 of 1; their mean is a third."""
    groups = [g for g in named(small, HIDDEN).groups if len(g.attributes) == 2]
    assert {g.groups: (g.errors.hits, g.errors.of, g.above) for g in groups} == {
        ("female", "dark"): (0, 1, False),
        ("female", "light"): (1, 1, True),
        ("female", "syrian"): (0, 2, False),
    }
    assert [g.mean for g in groups] == pytest.approx([1 / 3] * 3)
    assert {g.groups: g.to for g in groups}[("female", "light")] == "negative"


def test_rows_that_gave_nothing_are_named(small: Report) -> None:
    assert small.texts == {"tested": 2, "unusable": 1, "nothing to test": 1}
    assert [(fault.row, fault.reason) for fault in small.faults] == [(3, "there is no text")]
    assert [idle.row for idle in small.idle] == [4]


def test_coverage_by_hand(small: Report) -> None:
    """Six directed race pairs, two of gender; met: from black and from white, from man."""
    found = {c.attributes: (c.pairs, c.groups) for c in small.coverage}
    assert found[("race",)] == ({"race": (4, 4, 6)}, (3, 3))
    assert found[("gender",)] == ({"gender": (1, 1, 2)}, (1, 2))
    assert found[("gender", "race")] == ({"gender": (1, 1, 2), "race": (4, 4, 6)}, (3, 6))


@pytest.mark.parametrize("name", MODELS)
def test_every_line_is_what_the_probe_counts(
    report: Report, truth: dict[str, list[tuple[int, list[Outcome]]]], name: str
) -> None:
    model, every = named(report, name), truth[name]
    sets = {attributes_of(j) for _, judged in every for j in judged}
    assert len(sets) == 7
    assert {line.attributes for line in model.lines} == sets
    lines = [(line, {line.attributes}) for line in model.lines]
    lines.append((model.atomic, {s for s in sets if len(s) == 1}))
    lines.append((model.intersectional, {s for s in sets if len(s) > 1}))
    for line, own in lines:
        mutants = [(row, j) for row, judged in every for j in judged if attributes_of(j) in own]
        counted = Counter(j.verdict.value for _, j in mutants)
        assert line.verdicts == {v.value: counted[v.value] for v in Verdict}
        assert line.mutants == len(mutants)
        assert line.errors.hits == sum(is_error(j) for _, j in mutants)
        assert line.errors.of == sum(is_case(j) for _, j in mutants)
        assert (line.discarded.hits, line.discarded.of) == (counted["discarded"], len(mutants))
        assert line.sources.hits == len({row for row, j in mutants if is_error(j)})
        assert line.sources.of == len({row for row, j in mutants if is_case(j)})
        if line.hidden is not None:
            assert (line.hidden.hits, line.hidden.of) == (counted["hidden"], line.errors.hits)
            assert line.hidden_sources is not None
            grades = Counter(j.grade or "" for _, j in mutants if j.verdict is Verdict.HIDDEN)
            assert line.grades == grades
            hidden = {row for row, j in mutants if j.verdict is Verdict.HIDDEN}
            assert line.hidden_sources.hits == len(hidden)


@pytest.mark.parametrize("name", MODELS)
def test_tables_are_what_the_probe_counts(
    report: Report, truth: dict[str, list[tuple[int, list[Outcome]]]], name: str
) -> None:
    model, every = named(report, name), truth[name]
    rows: dict[tuple[str, ...], Counter[tuple[bool, ...]]] = defaultdict(Counter)
    unknown: Counter[tuple[str, ...]] = Counter()
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[bool]] = defaultdict(list)
    hidden: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    explained: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    changes: dict[tuple[str, str, str], dict[int, list[bool]]]
    texts: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[int, list[bool]]]
    changes, texts = (defaultdict(lambda: defaultdict(list)) for _ in range(2))
    for row, judged in every:
        known = {frozenset(j.mutant.edits): j for j in judged}
        for j in filter(is_case, judged):
            edits = j.mutant.edits
            targets = tuple(edit.target.group for edit in edits)
            groups[attributes_of(j), targets].append(is_error(j))
            hidden[attributes_of(j), targets] += j.verdict is Verdict.HIDDEN
            texts[attributes_of(j), targets][row].append(is_error(j))
            if len(edits) == 1:
                pair = edits[0].change
                for field in ("text", "group"):
                    old, new = (getattr(term, field) for term in (pair.source, pair.target))
                    changes[pair.attribute, old, new][row].append(is_error(j))
            parts = [known[frozenset([edit])] for edit in edits]
            if len(edits) > 1 and any(is_case(part) and is_error(part) for part in parts):
                explained[attributes_of(j), targets] += is_error(j)
            if len(edits) == 2:
                if all(map(is_case, parts)):
                    flips = (is_error(j), *map(is_error, parts))
                    rows[attributes_of(j)][flips] += 1
                else:
                    unknown[attributes_of(j)] += 1
    assert {t.attributes: t.rows for t in model.truths} == rows
    assert {t.attributes: t.unknown for t in model.truths} == {a: unknown[a] for a in rows}
    assert {(g.attributes, g.groups): (g.errors.hits, g.errors.of) for g in model.groups} == {
        key: (sum(flips), len(flips)) for key, flips in groups.items()
    }
    p_values = []
    for group in model.groups:
        mean = fmean(fmean(f) for (of, _), f in groups.items() if of == group.attributes)
        assert group.mean == pytest.approx(mean)
        every = texts[group.attributes, group.groups].values()
        sums = [(sum(flips), len(flips)) for flips in every]
        assert (group.texts, group.errors) == (len(sums), cluster_rate(sums))
        enough = len(sums) >= FEWEST_TEXTS
        p_values.append(one_sided_test(sums, group.mean) if enough else 1.0)
        assert group.explained == explained[group.attributes, group.groups]
        assert group.above is (fmean(groups[group.attributes, group.groups]) > mean)
        if len(group.attributes) > 1:
            assert group.hidden
            assert group.hidden.hits == hidden[group.attributes, group.groups]
            assert group.hidden.of == group.errors.of
        else:
            assert group.hidden is group.hidden_p_value is None
    assert [group.p_value for group in model.groups] == pytest.approx(benjamini_hochberg(p_values))
    assert [group.raw_p_value for group in model.groups] == pytest.approx(p_values)
    assert {group.tested for group in model.groups} == {len(p_values)}
    assert all(0 <= group.effective <= group.errors.of + 1e-9 for group in model.groups)
    assert all((g.hidden_mean is None) is (len(g.attributes) == 1) for g in model.groups)
    clustered = {
        key: cluster_rate([(sum(flips), len(flips)) for flips in rows.values()])
        for key, rows in changes.items()
    }
    assert {
        (w.attribute, w.source, w.target): w.errors for w in [*model.words, *model.directions]
    } == {key: rate for key, rate in clustered.items() if rate.hits}


def test_coverage_is_what_the_probe_meets(
    report: Report, truth: dict[str, list[tuple[int, list[Outcome]]]]
) -> None:
    made: dict[tuple[tuple[str, ...], str], set[Pair]] = defaultdict(set)
    kept: dict[tuple[tuple[str, ...], str], set[Pair]] = defaultdict(set)
    for _, judged in truth[NEVER]:
        for j in judged:
            for edit in j.mutant.edits:
                made[attributes_of(j), edit.attribute].add(edit.change)
                if j.conformance.kept:
                    kept[attributes_of(j), edit.attribute].add(edit.change)
    assert sum(map(len, kept.values())) < sum(map(len, made.values()))
    found = {
        (coverage.attributes, attribute): counts[:2]
        for coverage in report.coverage
        for attribute, counts in coverage.pairs.items()
    }
    assert found == {key: (len(pairs), len(kept[key])) for key, pairs in made.items()}


def test_planted_bias_shows_where_it_was_planted_and_nowhere_else(report: Report) -> None:
    hidden, alone, three = (named(report, name) for name in (HIDDEN, ALONE, THREE))
    assert {line.name for line in hidden.lines if line.hidden and line.hidden.hits} == {
        "gender \u00d7 race"
    }
    assert alone.atomic.errors.hits > 0
    assert alone.intersectional.hidden is not None
    assert alone.intersectional.hidden.hits == 0
    assert all(t.only_whole == t.only_part == 0 for t in alone.truths)
    at_three = {
        line.name for line in three.lines
        if line.order == 3 and line.hidden and line.hidden.hits
    }  # fmt: skip
    assert at_three == {"age \u00d7 gender \u00d7 race"}
    assert {example["attributes"] for example in three.examples} >= {("age", "gender", "race")}


def test_nothing_is_found_where_nothing_was_planted(report: Report) -> None:
    model = named(report, NEVER)
    for line in [*model.lines, model.atomic, model.intersectional]:
        assert line.errors.hits == line.sources.hits == 0
        assert line.errors.of > 0
        assert line.errors.high is not None  # nothing found is no proof of nothing
        assert line.errors.high > 0
    assert not any(group.above for group in model.groups)
    assert {group.p_value for group in model.groups} == {1.0}
    assert all(set(t.rows) == {(False, False, False)} for t in model.truths)
    assert (model.words, model.directions, model.examples, model.failures) == ([], [], [], {})


def test_a_group_beyond_chance_is_told_from_one_above_the_mean(make: Make) -> None:
    texts = [f"The black man was kind on day {n}." for n in range(30)]
    found = make_report(make(texts, ["race", "gender"], 2, HIDDEN))

    def of(name: str) -> GroupRate:
        (group,) = [g for g in found.models[0].groups if g.groups == ("female", name)]
        return group

    assert (of("light").errors.hits, of("light").errors.of, of("light").mean) == (30, 30, 0.5)
    # The least p-value, 1/2 ** 30, is adjusted to itself times the number of groups.
    assert len(found.models[0].groups) == 5
    assert of("light").p_value == pytest.approx(5 * 0.5**30)
    assert of("syrian").p_value == 1
    few = make_report(make(texts[: FEWEST_TEXTS - 1], ["race", "gender"], 2, HIDDEN))
    assert {g.p_value for g in few.models[0].groups} == {1.0}


def test_a_planted_pair_of_groups_is_told_from_those_that_a_part_explains(make: Make) -> None:
    """Syrian people are refused whatever else they are: that is no intersectional bias."""
    texts = [f"The young black man was kind on day {n}." for n in range(30)]
    rules = 'scripted:negative if "white" and "woman"; negative if "Syrian"; positive otherwise'
    report = make_report(make(texts, ["race", "gender", "age"], 2, rules))
    (model,) = report.models
    sure = {g.groups for g in model.groups if len(g.groups) == 2 and g.p_value < ALPHA}
    assert sure == {("older", "syrian")}
    assert {g.by_parts for g in model.groups if g.groups in sure} == {True}
    strict = [g.groups for g in model.groups if g.hidden_p_value and g.hidden_p_value < ALPHA]
    assert strict == [("female", "light")]
    (section,) = [s for s in sections(report) if s.key == "groups"]
    assert "hidden bias, which no part explains, is significantly" in " ".join(section.in_words)


def test_mutants_of_one_text_are_one_piece_of_evidence(make: Make) -> None:
    """All mutants of one text into white women are errors, but no other text was turned so."""
    texts = ["The black man met a black man, a man and a Syrian man.", "The soup was warm."]
    (model,) = make_report(make(texts, ["race", "gender"], 2, HIDDEN)).models
    (group,) = [g for g in model.groups if g.groups == ("female", "light")]
    assert group.errors.hits > 1
    assert (group.texts, group.above, group.p_value) == (1, True, 1)
    assert group.errors.low is None


def test_placebo_mutants_have_lines_of_their_own(make: Make) -> None:
    people = ("black man", "white woman", "Syrian man")
    texts = [f"The {who} paid for the soup that evening." for who in people]
    names = ["race", "gender", "placebo-1", "placebo-2"]
    with_placebo = make_report(make(texts, names, 2, BRITTLE, HIDDEN))
    without = make_report(make(texts, ["race", "gender"], 2, BRITTLE, HIDDEN))
    for name in (BRITTLE, HIDDEN):
        own, other = named(with_placebo, name), named(without, name)
        assert own.atomic.errors == other.atomic.errors
        assert own.intersectional == other.intersectional
        assert (own.lines, own.truths, own.groups) == (other.lines, other.truths, other.groups)
        assert own.words == other.words
    brittle = named(with_placebo, BRITTLE)
    lines = {line.name: line for line in brittle.placebo}
    assert lines["placebo, order 1"].errors.hits == len(texts)
    assert lines["placebo, order 1"].errors.of == 2 * len(texts)
    assert lines["placebo, order 2"].errors.hits == len(texts)
    assert lines["placebo-1 \u00d7 race"].mutants > 0
    excess = {one.name: one for one in brittle.excess}
    assert list(excess) == ["order 1", "gender", "race", "gender \u00d7 race"]
    assert {excess[name].difference.value for name in ("order 1", "gender", "race")} == {-0.5}
    both = excess["gender \u00d7 race"]
    assert (both.order, both.difference.value, both.few) == (2, -1, True)
    # The stew flips alone: nothing is hidden, in mutants as in placebo mutants.
    assert both.hidden_difference
    assert both.hidden_difference.value == 0
    hidden = {one.name: one for one in named(with_placebo, HIDDEN).excess}["gender \u00d7 race"]
    assert hidden.hidden
    assert hidden.hidden_difference
    assert hidden.hidden_difference.value == pytest.approx(hidden.hidden.share)
    assert named(without, BRITTLE).excess == []


def test_chunks_of_any_size_add_up_to_the_same(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    store = make([*texts_of_people(11), ""], ["race", "gender", "age"], 3, HIDDEN, THREE)
    whole, chunks = make_report(store), []
    for size in (1, 40, 90):
        monkeypatch.setattr(reader, "CHUNK", size)
        assert make_report(store) == whole
        with CampaignReader(store) as read:
            chunks.append(len(list(read.chunks())))
    assert chunks == [4, 3, 2]


def test_a_model_that_was_not_asked_everything_counts_what_it_was_asked(
    store: CampaignStore, tmp_path: Path
) -> None:
    copy = CampaignStore(shutil.copytree(store.folder, tmp_path / "copy"))
    identity = copy.read()["models"][ALONE]["identity"]
    copy.answers(1, identity).unlink()
    (path := copy.answers(2, identity)).unlink()
    with CampaignReader(store) as whole, CampaignReader(copy) as part:
        models, asked = count(whole).models, count(part).models
        assert asked[HIDDEN].verdicts == models[HIDDEN].verdicts
        answers = "SELECT row, labels FROM unchanged WHERE model = $model"
        every, own = (
            dict(one.run(answers, model=counted[ALONE].number))
            for one, counted in ((whole, models), (part, asked))
        )
    assert own
    assert not own.keys() & {4, 5, 6, 7, 8, 9}
    assert own == {row: labels for row, labels in every.items() if row in own}
    counted = [sum(map(Counter.total, one[ALONE].verdicts.values())) for one in (asked, models)]
    assert 0 < counted[0] < counted[1]
    other = read_table(copy.answers(3, identity))
    for fewer in (other.slice(0, 9), pyarrow.concat_tables([other] * 9)):
        pyarrow.parquet.write_table(fewer, path)
        with pytest.raises(StoreError, match="do not fit"):
            make_report(copy)
    path.write_bytes(b"PAR1")
    with pytest.raises(StoreError, match="damaged"):
        make_report(copy)


def test_a_report_counts_mutants_with_the_same_text(tmp_path: Path) -> None:
    names = ["race", "nationality", "gender"]
    hinter.run(["The Polish man sang."], NEVER, names, limit=20, out=tmp_path / "out")
    made = CampaignStore(tmp_path / "out")
    with CampaignReader(made) as read:
        records = [one for one in read.records() if one.kept]
        texts = {(one.row, one.mutant) for one in records}
    assert not any(is_placebo(one.attributes) for one in records)
    report = make_report(made)
    assert report.same == (len(records) - len(texts), len(records))
    assert report.same[0] > 0
    assert any("the same text as another one" in one for one in opening(report).caveats)
    assert plain(report)["same"] == list(report.same)
    limit = "With at most 20 per text, 5 of 200 intersectional mutants (2.5\u00a0%) were made."
    few = replace(report, reach=[Reach(2, 5, 200)])
    for one, said in ((few, True), (replace(report, reach=[Reach(2, 5, 5)]), False)):
        for shown in (sections(one)[0].sentences, opening(one).caveats):
            assert any(words.startswith(limit) for words in shown) is said
    assert same_in_words(report).endswith("attributes (Polish: race and nationality). Each counts "
                                          "in the rates.")  # fmt: skip
    other = replace(report, same=(1, 9), campaign=replace(report.campaign, attributes=("race",)))
    one = "1 of 9 kept mutants has the same text as another one, since a word can belong to two "
    assert same_in_words(other) == f"{one}attributes. Each counts in the rates."


def test_a_change_at_the_begin_of_a_text_makes_another_text(tmp_path: Path) -> None:
    names = ["race", "nationality", "gender"]
    hinter.run(["72-year-old Polish woman sings."], NEVER, ["age", *names], out=tmp_path / "out")
    made = CampaignStore(tmp_path / "out")
    with CampaignReader(made) as read:
        texts = [one.mutant for one in read.records() if one.kept]
    assert make_report(made).same == (len(texts) - len(set(texts)), len(texts))


def test_texts_whose_mutants_were_all_discarded_are_not_tested(tmp_path: Path) -> None:
    texts = ["A black man sang.", "The woman gave birth to a black girl."]
    best = [hinter.mutants(text, limit=50)["validity"].max() for text in texts]
    made = hinter.run(texts, NEVER, limit=50, validity=sum(best) / 2, out=tmp_path / "out")
    report = make_report(made.store)
    assert (report.texts["tested"], report.tested, report.barren) == (2, 1, 1)
    tested = "Of 2 texts, 1 were tested, 1 had discarded mutants alone, 0 had nothing to test"
    assert any(tested in one for one in sections(report)[0].sentences)
    assert "1 of 2 texts tested, 1 with discarded mutants alone" in opening(report).method[0]
    made_with = f"Build of HInter: {report.builds[0]}; content of the data: {report.content[:16]}."
    assert made_with in opening(report).method
    assert made_with not in opening(replace(report, builds=[], content="")).method
    assert make_report(made.store, attributes=("race",)).barren == 0  # of other mutants


def test_a_report_names_attributes_of_which_no_text_has_words(make: Make) -> None:
    def first_view(text: str) -> Opening:
        report = make_report(make([text], ["race", "gender", "age"], 2, NEVER))
        return opening(replace(report, campaign=replace(report.campaign, atomic=True)))

    some, none = first_view("The black man sang."), first_view("The soup was warm.")
    assert "No text has words of age that can be changed." in some.caveats
    assert "No text has words of race, gender or age that can be changed." in none.cards[0].words
    assert not any("0 of 0" in one for one in none.cards[0].words)


def test_the_first_examples_are_of_different_texts(make: Make) -> None:
    model = 'scripted:negative if "white" and "woman"; negative if "young" and "woman"; positive'
    texts = ["The old black man sang.", "The old Syrian man sang."]
    report = make_report(make(texts, ["race", "gender", "age"], 2, f"{model} otherwise"))
    assert [one["row"] for one in report.models[0].examples] == [1, 2, 1, 2]
    assert [one["row"] for one in opening(report).clusters] == [1, 2]
