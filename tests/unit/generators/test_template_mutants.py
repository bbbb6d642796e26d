"""Campaigns of templates: planted bias is found, counted by class, stored and continued."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hinter_core.campaign.findings import ExportFilter, write_mutants
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import NOTHING, TESTED, UNUSABLE, CampaignStore
from hinter_core.campaign.tables import edit_from_row
from hinter_core.errors import InputError
from hinter_core.generators.templates.template import ATTRIBUTES
from hinter_core.mutation.edits import mutant_of
from hinter_core.report.model import ModelReport, make_report
from hinter_core.report.page.opening import caveats
from hinter_core.report.sections import sections
from hinter_core.terms.names import load_names
from hinter_core.types import Verdict

PLANTED = (
    "scripted:negative 0.62 if country=japan and gender=female; positive 0.66 if country=japan; "
    "positive 0.73 if gender=female; positive 0.81 otherwise"
)
ATOMIC = "scripted:negative 0.7 if gender=female; positive 0.7 otherwise"
EVEN = "scripted:even-handed"
TEXTS = [
    "«name» told us that «pronoun:subject» forgot «pronoun:possessive» keys on Monday.",
    "We asked «name:full» about the soup, and «pronoun:subject» made it «pronoun:reflexive».",
    "The «noun:actress» «name» has an old car that «pronoun:subject» likes.",
    "«Title:Mr.» «name:family» waved when I saw «pronoun:object» on Tuesday evening.",
    "«name» is «a» «occupation» in our small town, and everybody knows «pronoun:object».",
    "On Friday «a» «occupation» from the next street bought bread and tea.",
]


def campaign(folder: Path, *models: str, **settings: Any) -> Campaign:
    path = folder / "T.jsonl"
    lines = (json.dumps({"text": text}, ensure_ascii=False) for text in TEXTS)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    base = Campaign(templates=str(path), models=models, names_per_class=4, shard=2, seed=3)
    return replace(base, **settings)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> CampaignStore:
    folder = tmp_path_factory.mktemp("planted")
    store = CampaignStore(folder / "out")
    tested = campaign(folder, PLANTED, ATOMIC, EVEN, attributes=("gender", "country"))
    run_campaign(tested, store)
    return store


def of(store: CampaignStore, model: str) -> ModelReport:
    return next(one for one in make_report(store).models if one.model == model)


def test_planted_bias_of_two_attributes_is_found_as_hidden(planted: CampaignStore) -> None:
    report = of(planted, PLANTED)
    hidden = report.intersectional.verdicts[Verdict.HIDDEN.value]
    assert hidden > 0
    assert hidden == report.intersectional.errors.hits  # the bias is planted in both together
    significant = {one.groups for one in report.groups if one.hidden and one.hidden.hits}
    assert significant == {("japan", "female")}
    example = report.examples[0]
    assert {edit["attribute"] for edit in example["edits"]} == {"gender", "country"}
    mutant = mutant_of(example["text"], [edit_from_row(edit) for edit in example["edits"]])
    country = next(edit for edit in mutant.edits if edit.attribute == "country")
    assert country.target.group == "japan"
    names = load_names().given["japan", "female"] + load_names().family["japan"]
    assert any(name in mutant.text for name in names)


def test_hidden_mutants_are_exported_with_their_parts(
    planted: CampaignStore, tmp_path: Path
) -> None:
    out = tmp_path / "hidden.csv"
    wanted = ExportFilter(verdicts=(Verdict.HIDDEN,), models=(PLANTED,), limit=3)
    assert write_mutants(planted, out, wanted) >= 5
    orders = [row["edits"].count("->") for row in csv.DictReader(out.open(encoding="utf-8"))]
    assert orders.count(2) == 3
    assert orders.count(1) >= 2


def test_an_even_handed_model_has_no_error(planted: CampaignStore) -> None:
    report = of(planted, EVEN)
    assert report.intersectional.errors.hits == report.atomic.errors.hits == 0
    assert all(one.cases.hits == 0 for one in report.uncovering)


def test_uncovering_cases_are_pairs_of_classes(planted: CampaignStore) -> None:
    report = of(planted, ATOMIC)
    gender, country = report.uncovering
    assert (gender.attribute, country.attribute) == ("gender", "country")
    # Base and names of its class against those of the other; one template has one name each.
    assert gender.templates == 5
    assert gender.cases.hits == gender.cases.of
    assert gender.same.hits == 0 < gender.same.of
    assert gender.sources.hits == 5
    assert country.cases.hits == 0 < country.cases.of
    titles = {section.key: section for section in sections(make_report(planted))}
    assert titles["uncovering"].rows[0][0] == "gender"
    told = f"{ATOMIC}: gender and country together take a name that neither change alone has"
    assert any(told in one for one in caveats(make_report(planted), 0.0, []))


def test_pairs_are_counted_as_by_hand(planted: CampaignStore) -> None:
    """The sums of squares give the same numbers as going through all pairs."""
    report = of(planted, ATOMIC)
    pairs = of_countries = 0
    with CampaignReader(planted, [ATOMIC]) as reader:
        tables = reader.tables()
        rows = reader.run(
            f"SELECT row, attributes[1], edits[1].source_group, edits[1].target_group FROM "
            f"({tables.mutants}) WHERE n_edits = 1"
        )
    for number in {row for row, *_ in rows}:
        own = [row[1:] for row in rows if row[0] == number]
        genders = [one for one in own if one[0] == "gender"]
        names = [one for one in own if one[0] == "placebo-name"]
        countries = sum(one[0] == "country" for one in own)  # the base name is of none
        of_countries += countries * (countries - 1) // 2
        pairs += len(genders) * (1 + len(names)) if genders else 0
    assert [one.cases.of for one in report.uncovering] == [pairs, of_countries]


def test_all_attributes_are_the_default_and_their_combinations_are_made(tmp_path: Path) -> None:
    store = CampaignStore(tmp_path / "out")
    tested = campaign(tmp_path, EVEN, limit=30)
    assert tested.attributes == ATTRIBUTES
    run_campaign(tested, store)
    lines = {line.attributes for line in of(store, EVEN).lines}
    both = {("country", "gender"), ("country", "occupation"), ("gender", "occupation")}
    assert {tuple(sorted(one)) for one in lines if len(one) == 2} == both
    with CampaignReader(store) as reader:
        texts = reader.run(
            f"SELECT origin.kind, len(slots), text FROM ({reader.tables().texts}) ORDER BY row"
        )
    assert {kind for kind, *_ in texts} == {"template"}
    assert texts[0][1] == 3
    assert store.verify() == []


def test_another_model_is_asked_about_the_stored_mutants(tmp_path: Path) -> None:
    store = CampaignStore(tmp_path / "out")
    first = campaign(tmp_path, EVEN, attributes=("gender", "country"))
    run_campaign(first, store)
    more = run_campaign(replace(first, models=(EVEN, PLANTED)), store)
    assert more.parses == 0
    fresh = CampaignStore(tmp_path / "fresh")
    run_campaign(replace(first, models=(PLANTED,)), fresh)
    own, other = of(store, PLANTED), of(fresh, PLANTED)
    assert own.intersectional.verdicts == other.intersectional.verdicts
    assert own.intersectional.verdicts[Verdict.HIDDEN.value] > 0


def test_faulty_lines_are_kept_as_rows(tmp_path: Path) -> None:
    tested = campaign(tmp_path, EVEN, attributes=("gender",), order=1)
    with Path(tested.templates).open("a", encoding="utf-8") as file:
        file.write('{"text": "«nam» smiled."}\n{"text": "«a» «occupation» smiled."}\n')
    store = CampaignStore(tmp_path / "out")
    run_campaign(tested, store)
    report = make_report(store)
    assert "unknown slot" in report.faults[0].reason
    assert dict(report.texts) == {TESTED: 5, NOTHING: 2, UNUSABLE: 1}


def test_no_mutant_at_all_is_said_before_the_run(tmp_path: Path) -> None:
    path = tmp_path / "T.jsonl"
    path.write_text('{"text": "«Pronoun:subject» came."}\n', encoding="utf-8")
    with pytest.raises(InputError, match="is for occupation, so there is no mutant; it has temp"):
        Campaign(templates=str(path), attributes=("occupation",)).table()


def test_names_without_countries_serve_gender_only(tmp_path: Path) -> None:
    names = tmp_path / "names.csv"
    names.write_text("name,gender\nBen,male\nIda,female\n", encoding="utf-8")
    own = campaign(tmp_path, EVEN, names=str(names), attributes=("gender",))
    assert own.source.names().given["", "male"] == ("Ben",)
    with pytest.raises(InputError, match="no two countries with male and female names"):
        replace(own, attributes=("gender", "country")).source.names()


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"attributes": ("race",)}, "Templates have the attributes gender, occupation, country"),
        ({"data": "sample"}, "either data or templates: each of them gives the texts"),
        ({"guide": "vader"}, "do not apply to templates"),
        ({"window": 80}, "do not apply to templates"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    settings: dict[str, object], why: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=why):
        campaign(tmp_path, EVEN, **settings).table()


def test_templates_of_before_are_gone_on_with_only_if_they_are_complete(tmp_path: Path) -> None:
    store, tested = CampaignStore(tmp_path / "out"), campaign(tmp_path, EVEN)
    run_campaign(tested, store)
    spec = store.read()
    store.write_spec({**spec, "identity_version": 3, "identity": tested.identity(3)})
    run_campaign(replace(tested, models=(EVEN, ATOMIC)), store)  # on the same mutants
    assert len(store.read()["models"]) == 2
    for path in store.shards.glob("00001.*"):
        path.unlink()
    with pytest.raises(InputError, match="had other base names, and is not complete"):
        run_campaign(tested, store)
