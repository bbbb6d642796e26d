"""Two sides compared: a planted difference comes out exactly, and none where there is none."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hinter_core.campaign import reader
from hinter_core.campaign.findings import Side, choose_sides
from hinter_core.campaign.parquet import StoreError, read_table
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.cli.main import cli
from hinter_core.errors import InputError
from hinter_core.report.compared.changes import write_changes
from hinter_core.report.compared.comparison import (
    BOTH,
    NEITHER,
    NEW_HIDDEN,
    ONLY_FIRST,
    ONLY_SECOND,
    Comparison,
    Contrast,
    compare,
    paired_errors,
)
from hinter_core.report.compared.sections import comparison_sections
from hinter_core.report.model import make_report
from hinter_core.statistics.rates import Rate
from hinter_core.types import Verdict

HIDDEN = 'scripted:negative if "white" and "woman"; positive otherwise'
ALONE = 'scripted:negative if "woman"; positive otherwise'
NEVER = 'scripted:negative if "unicorn"; positive otherwise'
ERRORS = (Verdict.BIASED.value, Verdict.HIDDEN.value)
CASES = (Verdict.BENIGN.value, *ERRORS)

Make = Callable[..., CampaignStore]

PEOPLE = ("black man", "white man", "old black woman", "old Syrian man", "young white woman")
TEXTS = [f"The {who} was kind on day {n}." for n in range(3) for who in PEOPLE]


@pytest.fixture(scope="module")
def store(make: Make) -> CampaignStore:
    return make(TEXTS, ["race", "gender", "age"], 3, HIDDEN, ALONE, NEVER)


def line(found: Comparison, name: str) -> Contrast:
    (one,) = [line for line in found.lines if line.name == name]
    return one


def verdicts(store: CampaignStore, model: str) -> list[tuple[Any, ...]]:
    """Row, attributes and verdict of every mutant, read plainly."""
    identity = store.read()["models"][model]["identity"]
    found = []
    for shard in store.known():
        answers = read_table(store.answers(shard, identity)).to_pylist()
        by_place = {row["mutant"]: row["verdict"] for row in answers}
        for place, mutant in enumerate(read_table(store.mutants(shard)).to_pylist()):
            attributes = tuple(edit["attribute"] for edit in mutant["edits"])
            found.append((mutant["row"], attributes, by_place[place]))
    return found


def test_one_text_counted_by_hand(make: Make) -> None:
    """Black man: together they flip for both; woman alone flips for the second only."""
    found = compare(*choose_sides(make(["The black man was kind."], ["race", "gender"], 2,
                                       HIDDEN, ALONE), None))  # fmt: skip
    assert (found.first, found.second, found.paired) == (HIDDEN, ALONE, True)
    assert (found.shared, found.mutants, found.cases) == (5, (5, 5), 5)
    figures = {
        one.name: ([rate.hits for rate in one.errors], one.errors[0].of, one.fixed, one.broken)
        for one in found.lines
    }
    assert figures == {
        "gender": ([0, 1], 1, 0, 1),
        "race": ([0, 0], 2, 0, 0),
        "gender \u00d7 race": ([1, 2], 2, 0, 1),
        "atomic": ([0, 1], 3, 0, 1),
        "intersectional": ([1, 2], 2, 0, 1),
    }
    both = line(found, "intersectional")
    assert both.hidden is not None
    assert [rate.hits for rate in both.hidden] == [1, 0]
    assert (both.texts_fixed, both.texts_broken) == (0, 0)  # the text errs on both sides
    assert found.verdicts == {
        ("hidden", "biased"): 1, ("benign", "biased"): 2, ("benign", "benign"): 2,
    }  # fmt: skip
    assert [(c["change"], len(c["edits"]), c["originals"], c["labels"]) for c in found.changes] == [
        (ONLY_SECOND, 1, [["positive"], ["positive"]], [["positive"], ["negative"]]),
        (ONLY_SECOND, 2, [["positive"], ["positive"]], [["positive"], ["negative"]]),
    ]


@pytest.mark.parametrize("names", [(HIDDEN, ALONE), (ALONE, HIDDEN), (HIDDEN, NEVER)])
def test_every_number_is_what_the_tables_hold(store: CampaignStore, names: tuple[str, str]) -> None:
    told: list[dict[str, Any]] = []
    found = compare(*choose_sides(store, None, names), told.append)
    rows = [
        (row, attributes, first, second)
        for (row, attributes, first), (_, _, second) in zip(
            verdicts(store, names[0]), verdicts(store, names[1]), strict=True
        )
    ]
    assert found.verdicts == Counter((first, second) for _, _, first, second in rows)
    cases = [row for row in rows if row[2] in CASES and row[3] in CASES]
    assert 0 < found.cases == len(cases) < len(rows) == found.shared
    errs = Counter((first in ERRORS, second in ERRORS) for _, _, first, second in cases)
    kinds = {
        ONLY_FIRST: (True, False), ONLY_SECOND: (False, True), BOTH: (True, True),
        NEITHER: (False, False),
    }  # fmt: skip
    assert found.cells == {kind: errs[sides] for kind, sides in kinds.items()}
    for one in found.alike:
        assert tuple(verdict in ERRORS for verdict in one["verdicts"]) == kinds[one["change"]]
        assert one["text"]
    shown = Counter(one["change"] for one in found.alike)
    assert set(shown) == {kind for kind in (BOTH, NEITHER) if found.cells[kind]}
    for one in found.lines:
        own = [
            (row, first in ERRORS, second in ERRORS)
            for row, attributes, first, second in cases
            if one.attributes == attributes
            or (one.name == "atomic" and len(attributes) == 1)
            or (one.name == "intersectional" and len(attributes) > 1)
        ]
        assert one.errors[0].of == one.errors[1].of == len(own)
        assert one.errors[0].hits == sum(first for _, first, _ in own)
        assert one.errors[1].hits == sum(second for _, _, second in own)
        assert one.fixed == sum(first and not second for _, first, second in own)
        assert one.broken == sum(second and not first for _, first, second in own)
        texts = [{row for row, *errs in own if errs[side]} for side in (0, 1)]
        assert (one.texts_fixed, one.texts_broken) == (
            len(texts[0] - texts[1]), len(texts[1] - texts[0]),
        )  # fmt: skip
    sums = [sum(verdict in ERRORS for verdict in side) for side in zip(*cases, strict=True)][2:]
    whole = paired_errors(*choose_sides(store, None, names))
    assert whole.value == pytest.approx((sums[1] - sums[0]) / len(cases))
    assert Counter(change["change"] for change in told if change["change"] != NEW_HIDDEN) == {
        kind: many
        for kind, many in (
            (ONLY_FIRST, sum(a in ERRORS and b not in ERRORS for _, _, a, b in cases)),
            (ONLY_SECOND, sum(b in ERRORS and a not in ERRORS for _, _, a, b in cases)),
        )
        if many
    }


def test_a_planted_difference_is_sure_and_none_is_none(store: CampaignStore) -> None:
    never = line(compare(*choose_sides(store, None, (ALONE, NEVER))), "atomic")
    assert never.fixed == never.errors[0].hits > 0
    assert (never.broken, never.errors[1].hits) == (0, 0)
    assert never.texts_fixed
    assert never.p_value == pytest.approx(min(1, 2 * 0.5**never.texts_fixed))
    assert never.difference.value == -(never.errors[0].share or 0)
    assert never.difference.high is not None
    assert never.difference.high < 0


def copied(store: CampaignStore, folder: Path) -> CampaignStore:
    shutil.copytree(store.folder, folder)
    return CampaignStore(folder)


@pytest.mark.parametrize("piece", [5, 2**16])
def test_another_directory_is_matched_by_text_and_edits(
    store: CampaignStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    """A sample in shards of another size, with attributes in another order, loses nothing."""
    monkeypatch.setattr(reader, "CHUNK", piece)
    own = store.campaign()
    other = CampaignStore(tmp_path / "other")
    names = own.attributes[::-1]
    files = own.dictionaries[::-1]
    run_campaign(
        replace(own, sample=8, shard=5, attributes=names, dictionaries=files, models=(ALONE,)),
        other,
    )
    rows = {row for row, _, _ in verdicts(other, ALONE)}
    assert 0 < len(rows) < len(TESTED_ROWS)
    for swapped in (False, True):
        stores = (other, store) if swapped else (store, other)
        models = (ALONE, HIDDEN) if swapped else (HIDDEN, ALONE)
        found = compare(*choose_sides(*stores, models))
        within = compare(*choose_sides(store, None, models))
        kept = [r for r in verdicts(store, HIDDEN) if r[0] in rows]
        assert found.paired
        assert found.shared == len(kept) == found.mutants[0 if swapped else 1]
        expected = Counter(
            (a, b)
            for (row, _, a), (_, _, b) in zip(
                verdicts(store, models[0]), verdicts(store, models[1]), strict=True
            )
            if row in rows
        )
        assert found.verdicts == expected
        assert found.cases < within.cases


TESTED_ROWS = range(1, len(TEXTS) + 1)


def test_the_same_campaign_twice_differs_in_nothing(store: CampaignStore, tmp_path: Path) -> None:
    twin = copied(store, tmp_path / "twin")
    found = compare(*choose_sides(store, twin, [HIDDEN]))
    assert found.shared == found.mutants[0] == found.mutants[1]
    assert all(a == b for a, b in found.verdicts)
    assert {(one.fixed, one.broken, one.p_value) for one in found.lines} == {(0, 0, 1.0)}
    assert {one.difference.value for one in found.lines} == {0}
    assert found.changes == []
    assert found.first.endswith(f"in {store.folder.name}")
    assert found.second.endswith("in twin")


def test_campaigns_in_folders_of_one_name_are_told_apart(
    store: CampaignStore, tmp_path: Path
) -> None:
    first, second = (copied(store, tmp_path / name / "campaign") for name in ("May", "June"))
    found = compare(*choose_sides(first, second, [HIDDEN]))
    assert (found.first, found.second) == (f"{HIDDEN} in May", f"{HIDDEN} in June")


def test_different_texts_stand_side_by_side(make: Make) -> None:
    first = make(["The black man sang.", "The white man sang."], ["race", "gender"], 2, NEVER)
    second = make(["The black man left.", "The white man left."], ["race", "gender"], 2, ALONE)
    found = compare(*choose_sides(first, second))
    assert (found.paired, found.shared, found.verdicts) == (False, 0, {})
    gender = line(found, "gender")
    assert [(rate.hits, rate.of) for rate in gender.errors] == [(0, 2), (2, 2)]
    assert (gender.difference.value, gender.fixed, gender.p_value) == (1, None, None)
    assert gender.adjusted_p_value is None
    assert gender.difference.low is not None
    words = " ".join(comparison_sections(found)[0].sentences)
    assert "may come from the texts" in words
    main = comparison_sections(
        replace(found, lines=[replace(gender, errors=(Rate(0, 9), Rate(1, 2)))])
    )
    assert main[1].rows[0][1] == "9 / 2"  # in the order of the sides


def test_few_shared_mutants_are_not_compared_alone(make: Make) -> None:
    sides = [
        make(
            ["The man sang.", *(f"The man {did} on day {n}." for n in range(24))], ["gender"], 1, m
        )
        for did, m in (("sang", NEVER), ("left", ALONE))
    ]
    found = compare(*choose_sides(*sides))
    assert 0 < found.shared < 0.05 * min(found.mutants)
    assert (found.paired, found.cases) == (False, 0)
    assert [rate.of for rate in line(found, "gender").errors] == [*found.mutants]
    words = " ".join(comparison_sections(found)[0].sentences)
    assert f"They share only {found.shared} of {found.mutants[0]} mutants" in words


def test_placebo_mutants_of_different_texts_count_as_in_their_reports(make: Make) -> None:
    """The neutral words of two campaigns may be of other kinds."""
    stores = [
        make(["The black man had soup."], ["race", "placebo-1"], 1, NEVER),
        make(["The white man left this evening."], ["race", "placebo-2"], 1, NEVER),
    ]
    placebo = line(compare(*choose_sides(*stores)), "placebo, order 1")
    for rate, store in zip(placebo.errors, stores, strict=True):
        own = make_report(store).models[0].placebo
        assert rate.of == own[0].errors.of > 0


def test_what_differs_and_what_is_missing_is_said(store: CampaignStore, tmp_path: Path) -> None:
    half = copied(store, tmp_path / "half")
    for path in half.shards.glob("00001.*"):
        path.unlink()
    other = CampaignStore(tmp_path / "other")
    run_campaign(replace(store.campaign(), limit=2, sample=3, models=(ALONE,)), other)
    said = comparison_sections(compare(*choose_sides(store, half, [ALONE])))[0].sentences
    assert said[1].startswith("The campaign of model B is incomplete: 1 of 5 shards is missing")
    assert "These settings" not in " ".join(said)
    found = compare(*choose_sides(other, store, [ALONE]))
    words = "at most 2 intersectional mutants per text, seed 0; a sample of 3 texts, seed 0"
    assert found.settings[1:] == [f"These settings are those of model A alone ({words})."]
    assert compare(*choose_sides(store, None, (HIDDEN, ALONE))).settings == []


def test_mutants_tested_on_one_side_alone_and_other_builds_are_told(
    store: CampaignStore, tmp_path: Path
) -> None:
    fewer = CampaignStore(tmp_path / "fewer")
    scores = sorted(
        row["validity"] for n in store.known() for row in read_table(store.mutants(n)).to_pylist()
    )
    middle = scores[len(scores) // 2] + 1e-4
    run_campaign(replace(store.campaign(), validity=middle, models=(ALONE,)), fewer)
    found = compare(*choose_sides(store, fewer, [ALONE]))
    many, few = (
        sum(line.errors.of for line in (one.atomic, one.intersectional, *one.placebo))
        for one in (make_report(store, [ALONE]).models[0], make_report(fewer).models[0])
    )
    assert found.tested == (many, few)
    assert many > few == found.cases
    said = " ".join(comparison_sections(found)[0].sentences)
    assert f"no figure below: {many - few} of model A, 0 of model B." in said
    assert "builds" not in said
    spec = fewer.read()
    fewer.write_spec({**spec, "runs": [{**spec["runs"][0], "build": "0123456789ab"}]})
    (build,) = make_report(store).builds
    said = compare(*choose_sides(store, fewer, [ALONE])).settings[-1]
    assert f"different builds of HInter ({build}; 0123456789ab)" in said
    before = {key: value for key, value in spec["runs"][0].items() if key != "build"}
    fewer.write_spec({**spec, "runs": [before]})
    assert "builds" not in " ".join(compare(*choose_sides(store, fewer, [ALONE])).settings)


def test_all_new_hidden_findings_are_among_the_changes(
    store: CampaignStore, make: Make, tmp_path: Path
) -> None:
    def written(first: Side, second: Side) -> list[dict[str, str]]:
        stream = io.StringIO()
        found = write_changes(first, second, stream)
        rows = list(csv.DictReader(io.StringIO(stream.getvalue())))
        shared = [
            row for row in rows if row["new hidden"] and "not compared" not in row["verdicts"]
        ]
        biased = sum(row["verdicts"] == "biased \u2192 hidden" for row in shared)
        assert found.newly_hidden == (len(shared), biased)
        return rows

    first, second = Side(store, ALONE), Side(store, HIDDEN)
    hidden = [one for one in verdicts(store, HIDDEN) if one[2] == "hidden"]
    rows = [row for row in written(first, second) if row["new hidden"]]
    assert len(rows) == len(hidden)
    (row, *_) = [row for row in rows if row["change"] == NEW_HIDDEN]
    assert (row["original of first"], row["second"]) == ("positive", "negative")
    assert "gender" in row["attributes"]
    assert "white woman" in row["changed text"]
    elsewhere = Side(make(["A black man sang."], ["race", "gender"], 2, HIDDEN, NEVER), HIDDEN)
    (row,) = [row for row in written(elsewhere, second) if row["row of second"] == "1"][:1]
    assert row["verdicts"] == "not compared \u2192 hidden"


def test_examples_that_are_hidden_come_first(store: CampaignStore) -> None:
    found = compare(*choose_sides(store, None, (HIDDEN, NEVER)))
    kinds = [one["verdicts"][0] for one in found.changes]
    assert kinds == sorted(kinds, key=lambda verdict: verdict != "hidden")
    assert "hidden" in kinds
    (section,) = [one for one in comparison_sections(found) if one.key == ONLY_FIRST]
    errors = found.cells[ONLY_FIRST]
    assert f"hidden ones first: {len(kinds)} of {errors} mutants" in section.sentences[0]


def test_what_cannot_be_compared_is_said(store: CampaignStore, make: Make, tmp_path: Path) -> None:
    def refused(words: str, *wanted: Any) -> None:
        with pytest.raises((InputError, StoreError), match=words):
            compare(*choose_sides(*wanted))

    refused("name two models", store, None)
    refused("name two models", store, None, [HIDDEN])
    refused("name two models", store, None, [HIDDEN, HIDDEN])
    refused("not 3", store, None, [HIDDEN, ALONE, NEVER])
    refused("has not tested the model nobody", store, None, [HIDDEN, "nobody"])
    refused("is no campaign", store, CampaignStore(tmp_path))
    ages = make(["The old man sang."], ["age"], 1, NEVER)
    races = make(["The black man sang."], ["race"], 1, NEVER)
    refused("nothing to compare", ages, races)
    tuesdays = make(["The old man sang on Tuesday."], ["age", "placebo-1"], 1, NEVER)
    mondays = make(["The old man sang on Tuesday."], ["race", "placebo-1"], 1, NEVER)
    refused("nothing to compare", tuesdays, mondays)
    twin = copied(store, tmp_path / "twin")
    refused("Name the models .*in Python", store, twin)
    next(twin.shards.glob("*.mutants.parquet")).write_bytes(b"PAR1 torn")
    refused("damaged", store, twin, [HIDDEN])


def test_a_model_still_asked_counts_as_far_as_it_came(store: CampaignStore, tmp_path: Path) -> None:
    twin = copied(store, tmp_path / "twin")
    identity = twin.read()["models"][ALONE]["identity"]
    whole = compare(*choose_sides(store, twin, [ALONE]))
    lost = read_table(twin.answers(0, identity), "mutant").num_rows - 3  # three texts a shard
    twin.answers(0, identity).unlink()
    part = compare(*choose_sides(store, twin, [ALONE]))
    assert part.shared == whole.shared - lost


def test_the_command_says_it_in_three_forms(store: CampaignStore, tmp_path: Path) -> None:
    def told(*more: str) -> str:
        names = ["--model", HIDDEN, "--model", ALONE]
        done = CliRunner().invoke(cli, ["compare", str(store.folder), *names, *more])
        assert done.exit_code == 0, done.output
        return done.output

    found = compare(*choose_sides(store, None, (HIDDEN, ALONE)))
    changes = tmp_path / "changes.csv"
    plain = json.loads(told("--json", "--changes", str(changes)))
    by_name = {one["name"]: one for one in plain["lines"]}
    assert by_name["intersectional"]["broken"] == line(found, "intersectional").broken
    with changes.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert Counter(row["change"] for row in rows) == {
        kind: sum(many for pair, many in found.verdicts.items()
                  if pair[good] == "benign" and pair[1 - good] in ERRORS)
        for kind, good in ((ONLY_SECOND, 0), (ONLY_FIRST, 1))
    }  # fmt: skip
    assert "| Attributes | Cases |" in told("--markdown").replace("\\", "")
    assert "(exact McNemar test of texts, p" in " ".join(told().split())


@pytest.mark.parametrize(
    ("names", "versions"),
    [
        (("hf:a/b@v1", "hf:a/b@v2"), True),
        (("hf:a/b", "hf:a/b"), True),
        (("openai:one?prompt=a", "openai:one?prompt=b"), True),
        (("hf:a/b@v1", "hf:a/c@v1"), False),
        (("embedded", "vader"), False),
    ],
)
def test_only_versions_of_one_model_mend_each_other(
    store: CampaignStore, names: tuple[str, str], versions: bool
) -> None:
    found = replace(compare(*choose_sides(store, None, (ALONE, HIDDEN))), models=names)
    assert found.versions is versions
    titles = [section.title for section in comparison_sections(found)]
    assert ("Fixed in model B" in titles) is versions
    assert ("Errors of model A alone" in titles) is not versions


def test_new_hidden_findings_stop_a_build(store: CampaignStore, make: Make) -> None:
    def told(first: str, second: str, *more: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["compare", *more, "--model", first, "--model", second])
        return done.exit_code, done.stderr

    at, hidden = str(store.folder), [one for one in verdicts(store, HIDDEN) if one[2] == "hidden"]
    code, said = told(NEVER, HIDDEN, at, "--new-hidden", "0")
    first, *shown, rest = said.splitlines()
    assert code == 1
    assert first == (
        f"hinter: Model B: {len(hidden)} hidden findings that model A does not have, 0 allowed."
    )
    assert shown[0].startswith(f"  row {hidden[0][0]}: ")
    assert "positive \u2192 negative: The " in shown[0]
    assert (len(shown), rest) == (5, f"  and {len(hidden) - 5} more; --changes lists all")
    assert told(NEVER, HIDDEN, at, "--new-hidden", str(len(hidden)))[0] == 0
    assert told(HIDDEN, NEVER, at, "--new-hidden", "0")[0] == 0
    # In another order, and with a text that the first did not have.
    other = make([*TEXTS[::-1], "A black man sang."], ["age", "gender", "race"], 3, HIDDEN)
    code, said = told(HIDDEN, HIDDEN, at, str(other.folder), "--new-hidden", "0")
    assert (code, len(said.splitlines())) == (1, 2)
    assert "1 hidden finding that model A does not have" in said
    assert "A white woman sang." in said
