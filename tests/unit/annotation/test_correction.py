"""A campaign's rates by what people say of its mutants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import numpy
import pytest

from hinter_core.annotation.evaluation.correction import Case, corrected_rates, judged_by_people
from hinter_core.annotation.items import sample_campaign
from hinter_core.annotation.project.judging import Judging, Submission
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import AnnotationError, AnnotationItem, Project, Status
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.formats import flat_rows, plain
from hinter_core.report.model import Report, make_report
from hinter_core.report.mutants.validity import people_sections
from hinter_core.report.sections import sections
from hinter_core.validity.draw import CHOSEN, WORST

TEXTS = [
    "A tall old black man ate soup.", "The old white woman slept.", "A young black man sang.",
    "The young Syrian woman and the old man met.", "The old Syrian man read.",
]  # fmt: skip
BIASED = 'scripted:negative if "white" and "woman"; negative if "old"; positive otherwise'
NEVER = 'scripted:negative if "unicorn"; positive otherwise'


@pytest.fixture(scope="module")
def store(make: Callable[..., CampaignStore]) -> CampaignStore:
    return make(TEXTS, ["race", "gender", "age"], 2, BIASED, NEVER)


@pytest.fixture(scope="module")
def report(store: CampaignStore) -> Report:
    return make_report(store)


def judged(
    folder: Path, items: list[AnnotationItem], valid: Callable[[AnnotationItem], bool | None]
) -> AnnotationStore:
    """A project whose one annotator answers what ``valid`` says; None: not sure."""
    settings = Project("Trial", default_questions()[1], share=1.0, repeats=0.0)
    project, _ = AnnotationStore.create(folder / f"{uuid4().hex}.sqlite", settings)
    project.add(items)
    judging, (_, key) = Judging(project), project.join("Ann", "correct horse")
    words = {True: "yes", False: "no", None: "unsure"}
    while found := judging.upcoming(key, 100):
        for item in (one.item for one in found):
            answers = dict.fromkeys(("sense", "same", "grammatical"), words[valid(item)])
            judging.judge(key, Submission(item.id, 1, Status.JUDGED, answers, uuid4().hex))
    return project


def odd(item: AnnotationItem) -> bool:
    """The planted truth: every other mutant of the campaign makes sense."""
    return bool(item.origin["place"] % 2)


def test_all_judged_gives_the_truth_itself(
    store: CampaignStore, report: Report, tmp_path: Path
) -> None:
    items = sample_campaign(store, 10_000)
    found = judged_by_people(store, report, judged(tmp_path, items, odd))
    assert (found.items, found.undecided, found.foreign) == (len(items), 0, 0)
    kept = [item for item in items if item.kept]
    assert (found.kept.hits, found.kept.of) == (sum(map(odd, kept)), len(kept))
    assert found.discarded.of == len(items) - len(kept) > 0
    checked = Counter[str]()
    for line in found.lines:
        own = [
            item.verdicts[line.model]
            for item in kept
            if odd(item)
            and (
                line.name == ("atomic" if len(item.attributes) == 1 else "intersectional")
                or line.name == " \u00d7 ".join(item.attributes)
            )
        ]
        errors = sum(verdict in ("biased", "hidden") for verdict in own)
        hidden = own.count("hidden")
        assert (line.restricted_errors.hits, line.restricted_errors.of) == (errors, len(own))
        assert line.valid.hits == len(own)
        assert line.valid.of == line.errors.of
        if own:
            # Everything was judged, so the estimate is the truth, and nothing is left open.
            assert line.corrected_errors.value == pytest.approx(errors / len(own))
            if line.corrected_errors.low is not None:
                assert line.corrected_errors.low == pytest.approx(line.corrected_errors.high)
        if line.restricted_hidden is not None:
            assert (line.restricted_hidden.hits, line.restricted_hidden.of) == (hidden, errors)
            if errors:
                assert line.corrected_hidden is not None
                assert line.corrected_hidden.value == pytest.approx(hidden / errors)
                checked["hidden"] += 1
        checked[line.model] += 1
    assert checked[BIASED] >= 5
    assert checked[NEVER] >= 5
    assert checked["hidden"]


def test_a_model_without_errors_stays_without(
    store: CampaignStore, report: Report, tmp_path: Path
) -> None:
    found = judged_by_people(store, report, judged(tmp_path, sample_campaign(store, 30), odd))
    own = [line for line in found.lines if line.model == NEVER]
    assert own
    assert {line.corrected_errors.value for line in own} <= {0.0, None}
    assert {line.restricted_errors.hits for line in own} == {0}


def test_all_valid_changes_nothing(store: CampaignStore, report: Report, tmp_path: Path) -> None:
    items = sample_campaign(store, 10_000)
    found = judged_by_people(store, report, judged(tmp_path, items, lambda _: True))
    for line in found.lines:
        assert line.corrected_errors.value == pytest.approx(line.errors.share)
        assert line.restricted_errors.hits == line.errors.hits


def test_what_the_decided_strata_stand_for_is_said_and_too_little_gives_no_rate(
    store: CampaignStore, report: Report, tmp_path: Path
) -> None:
    items = sample_campaign(store, 10_000)
    kept = Counter(item.stratum for item in items if item.kept)
    (most, many), (least, few) = kept.most_common()[0], kept.most_common()[-1]
    assert 1 - many / kept.total() < 0.9 < 1 - few / kept.total()
    for left_out, number in ((most, many), (least, few)):
        project = judged(tmp_path, items, lambda i: None if i.stratum == left_out else odd(i))  # noqa: B023
        found = judged_by_people(store, report, project)
        assert (found.stood_for, found.sampled) == (kept.total() - number, kept.total())
        said = f"rest on {kept.total() - number:,} of {kept.total():,} kept mutants"
        assert said in str([section.every_sentence for section in people_sections(found)])
        given = [line.corrected_errors for line in found.lines if line.valid.of]
        if left_out == most:
            assert {one.value for one in given} == {None}
            assert all("only" in one.why for one in given)
        else:
            assert any(one.value is not None for one in given)


def test_not_sure_is_neither(store: CampaignStore, report: Report, tmp_path: Path) -> None:
    items = sample_campaign(store, 10_000)
    unsure = {item.id for item in items[::3]}
    project = judged(tmp_path, items, lambda i: None if i.id in unsure else odd(i))
    found = judged_by_people(store, report, project)
    assert found.undecided == len(unsure)
    # The owner decides one of them.
    for question in ("sense", "same", "grammatical"):
        project.adjudicate(items[0].id, question, "yes")
    assert judged_by_people(store, report, project).undecided == len(unsure) - 1


def test_projects_of_elsewhere_are_refused(
    store: CampaignStore, report: Report, make: Callable[..., CampaignStore], tmp_path: Path
) -> None:
    other = make(TEXTS[:2], ["race", "gender"], 2, NEVER)
    foreign = sample_campaign(other, 10)
    with pytest.raises(AnnotationError, match="not drawn from this campaign"):
        judged_by_people(store, report, judged(tmp_path, foreign, odd))
    plain_items = [AnnotationItem("a", "text", "source")]
    with pytest.raises(AnnotationError, match="not drawn from this campaign"):
        judged_by_people(store, report, judged(tmp_path, plain_items, lambda _: True))
    own = sample_campaign(store, 10)
    mixed = [*own, *(replace(item, id=f"x{item.id}", group="x") for item in foreign)]
    found = judged_by_people(store, report, judged(tmp_path, mixed, odd))
    assert (found.items, found.foreign) == (len(own), len(foreign))


def test_items_that_do_not_fit_are_refused(
    store: CampaignStore, report: Report, tmp_path: Path
) -> None:
    item = sample_campaign(store, 1)[0]
    for broken in (
        replace(item, kept=not item.kept),
        replace(item, origin={**item.origin, "place": 10**6}),
        replace(item, origin={"campaign": item.origin["campaign"]}),
    ):
        with pytest.raises(AnnotationError, match="does not fit"):
            judged_by_people(store, report, judged(tmp_path, [broken], lambda _: True))


def test_nothing_decided_is_said(store: CampaignStore, report: Report, tmp_path: Path) -> None:
    project = judged(tmp_path, sample_campaign(store, 5), lambda _: None)
    with pytest.raises(AnnotationError, match="Nothing is decided"):
        judged_by_people(store, report, project)


def test_the_section_and_the_values(store: CampaignStore, report: Report, tmp_path: Path) -> None:
    items = sample_campaign(store, 12)
    found = judged_by_people(store, report, judged(tmp_path, items, odd))
    section, words = people_sections(found)
    assert section.title == "Judged by people"
    assert len(section.sentences) < 4  # a page folds more, and the method must be seen
    assert len(words.in_words) == len(found.lines)
    assert len(section.rows) == len(found.lines)
    assert any("post-stratification" in sentence for sentence in section.sentences)
    assert any(sentence.startswith("Limits:") for sentence in section.sentences)
    whole = replace(report, people=found)
    assert "people" in {one.key for one in sections(whole)}
    assert "people" not in {one.key for one in sections(report)}
    assert plain(whole)["people"]["lines"][0]["corrected_errors"].keys() >= {"value", "low", "why"}


def test_the_spreadsheet_has_columns_for_it(
    store: CampaignStore, report: Report, tmp_path: Path
) -> None:
    found = judged_by_people(store, report, judged(tmp_path, sample_campaign(store, 99), odd))
    plainly, rows = flat_rows(report), flat_rows(replace(report, people=found))
    assert not any("judged" in name for name in plainly[0])
    assert len({tuple(row) for row in rows}) == 1  # the same columns in each
    by_line = {(row["model"], row["attributes"]): row for row in rows}
    for line in found.lines:
        row = by_line[line.model, line.name]
        assert row["judged valid hits"] == (line.valid.hits if line.valid.of else None)
        assert row["corrected errors share"] == line.corrected_errors.value
        assert row["corrected errors low"] == line.corrected_errors.low


@pytest.mark.slow
def test_of_a_prioritised_run_only_the_audit_counts(tmp_path: Path) -> None:
    """Among the chosen mutants all faults are invalid; a correction that counts them is wrong."""
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{text} It was day {n}.\n" for n in range(6) for text in TEXTS))
    store = CampaignStore(tmp_path / "campaign")
    run_campaign(
        Campaign(data=str(path), limit=8, shard=5, models=(BIASED,), prioritise="adaptive",
                 attributes=("race", "gender", "age"), requests=700, placebo=False),
        store,
    )  # fmt: skip
    items = sample_campaign(store, 10_000)
    chosen = {item.id for item in items if item.stratum.endswith(CHOSEN)}
    audit = [item for item in items if item.verdicts and item.kept and item.id not in chosen]
    kinds = {outcome: sum(i.verdicts[BIASED] == outcome for i in audit) for outcome in WORST[:3]}
    assert len(chosen) > len(audit) > 40
    assert kinds["biased"] >= 4

    def valid(item: AnnotationItem) -> bool:
        fault = set(item.verdicts.values()) & {"biased", "hidden"}
        return not fault if item.id in chosen else odd(item)

    report = make_report(store)
    found = judged_by_people(store, report, judged(tmp_path, items, valid))
    assert found.items == len(items)
    for line in (one for one in found.lines if one.name in ("atomic", "intersectional")):
        own = [i for i in audit if (len(i.attributes) == 1) == (line.name == "atomic") and odd(i)]
        errors = sum(item.verdicts[BIASED] != "benign" for item in own)
        assert (line.restricted_errors.hits, line.restricted_errors.of) == (errors, len(own))
        assert line.corrected_errors.value == pytest.approx(errors / len(own))
    # Both kinds are drawn alike, and asked for by the same word.
    drawn = Counter(item.stratum for item in sample_campaign(store, 60, outcomes=("biased",)))
    assert {name.rpartition(": ")[2] for name in drawn} == {"biased", f"biased{CHOSEN}"}


# A population where the truth is known: errors are less often valid sentences than others are.
POPULATION = {"benign": (3000, 0.9), "biased": (600, 0.5), "hidden": (200, 0.3)}
TRUE_ERRORS = (300 + 60) / (2700 + 300 + 60)
TRUE_HIDDEN = 60 / 360


def drawn(rng: numpy.random.Generator, many: int) -> list[Case]:
    """``many`` of each verdict, drawn without return from the population."""
    cases = []
    for verdict, (total, share) in POPULATION.items():
        valid = numpy.arange(total) < round(total * share)
        for good in rng.choice(valid, many, replace=False).tolist():
            cases.append(Case(len(cases), ("race", "gender"), verdict, good, total / many))
    return cases


def test_corrected_rates_hold_the_truth_and_the_raw_rate_does_not() -> None:
    totals = {name: total for name, (total, _) in POPULATION.items()}
    covered = numpy.zeros(2, dtype=int)
    means = numpy.zeros(2)
    for seed in range(150):
        both = corrected_rates(totals, drawn(numpy.random.default_rng(seed), 40), seed)
        for n, (one, truth) in enumerate(zip(both, (TRUE_ERRORS, TRUE_HIDDEN), strict=True)):
            assert one.value is not None
            means[n] += one.value / 150
            covered[n] += (one.low or 0) <= truth <= (one.high or 0)
    assert (covered >= 135).all(), covered  # of 150
    assert means == pytest.approx([TRUE_ERRORS, TRUE_HIDDEN], abs=0.01)
    raw = 800 / 3800
    assert abs(raw - TRUE_ERRORS) > 0.08


def test_intervals_shrink_with_more_judged_and_vanish_with_all() -> None:
    totals = {name: total for name, (total, _) in POPULATION.items()}
    rng = numpy.random.default_rng(1)
    widths = []
    for many in (20, 80, 200):
        found = corrected_rates(totals, drawn(rng, many))[0]
        widths.append((found.high or 0) - (found.low or 0))
    assert widths == sorted(widths, reverse=True)
    whole = [
        Case(n, (), verdict, n < round(total * share), 1.0)
        for verdict, (total, share) in POPULATION.items()
        for n in range(total)
    ]
    found = corrected_rates(totals, whole)[0]
    assert found.value == found.low == found.high == pytest.approx(TRUE_ERRORS)


def test_a_verdict_that_nobody_judged_leaves_no_estimate() -> None:
    cases = [Case(n, ("race",), "benign", True, 1.0) for n in range(5)]
    errors, hidden = corrected_rates({"benign": 10, "biased": 3}, cases)
    assert errors.value is None
    assert errors.why == "no biased mutant of these was judged"
    assert hidden.value is None
    none, _ = corrected_rates({"benign": 10}, cases)
    assert none.value == 0.0
    assert none.why == "no mutant has such a verdict"
    empty, _ = corrected_rates({}, [])
    assert empty.value is None
