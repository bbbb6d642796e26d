"""Rates by relation: they are those of the tables, and a planted relation stands out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.relations.changes.phrases import SourceText, edit_of
from hinter_core.relations.family import FAMILY, Changing, FamilyRelation, beside
from hinter_core.relations.registry import RELATIONS
from hinter_core.report.model import make_report
from hinter_core.report.sections import sections
from hinter_core.types import Edit, EditKind, GrammaticalForm, Term

# Answers otherwise where one of two groups is said; no text says any.
BIASED = "scripted:bad if race=black; bad if race=white; good otherwise"
EVEN = "scripted:good otherwise"
TEXTS = [
    f"On {day} the {adjective} waiter brought {food} to the table."
    for day in ("Monday", "Tuesday")
    for adjective in ("busy", "cheerful", "new")
    for food in ("soup", "bread", "salad")
]
TESTED = ("add", "append", "remove-one", "substitute")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., CampaignStore]:
    folder = tmp_path_factory.mktemp("relations")

    def run(name: str, *models: str, texts: list[str] = TEXTS, **settings: object) -> CampaignStore:
        (folder / f"{name}.txt").write_text("\n".join(texts), encoding="utf-8")
        campaign = Campaign(
            data=str(folder / f"{name}.txt"), attributes=("race", "gender"), models=models,
            limit=20, shard=6,
        )  # fmt: skip
        store = CampaignStore(Path(folder / name))
        run_campaign(replace(campaign, **({"relations": TESTED} | settings)), store)  # type: ignore[arg-type]
        return store

    return run


def test_rates_are_those_of_the_tables_and_the_planted_relation_stands_out(
    ran: Callable[..., CampaignStore],
) -> None:
    store = ran("one", BIASED, EVEN)
    report = make_report(store)
    biased, even = report.models
    with CampaignReader(store) as reader:
        tables = reader.tables(models=(BIASED,))
        counted = {
            (relation, order): (errors, cases)
            for relation, order, errors, cases in reader.run(
                "SELECT m.relation, m.n_edits, count_if(verdict IN ('biased', 'hidden')), "
                "count_if(verdict IN ('biased', 'hidden', 'benign')) FROM "
                f"({tables.mutants}) m JOIN ({tables.answers}) a USING (shard, place) "
                "WHERE NOT starts_with(attributes[1], 'placebo') GROUP BY ALL"
            )
        }
    found = {(one.relation, one.order): one for one in biased.relations}
    assert {key: (one.errors.hits, one.errors.of) for key, one in found.items()} == counted
    added, exchanged = found["add", 1], found["substitute", 1]
    assert added.errors.hits > 0 == exchanged.errors.hits
    assert added.placebo is not None
    assert added.excess is not None
    assert added.placebo.hits == 0 < added.placebo.of
    assert added.excess.low is not None
    assert added.excess.low > 0
    assert all(one.errors.hits == 0 for one in even.relations)
    text, _ = (section for section in sections(report) if section.key == "relations")
    assert any(sentence.startswith("add: ") for sentence in text.in_words)


def test_another_model_on_stored_mutants_is_judged_as_in_one_run(
    ran: Callable[..., CampaignStore],
) -> None:
    texts = [f"On Monday we met a young Asian {who}." for who in ("actress", "waiter", "widow")]
    model = 'scripted:bad if not "young" and not "Asian" and "performer"; good otherwise'

    def run(name: str, *models: str) -> CampaignStore:
        attributes = ("age", "race", "gender")
        return ran(name, *models, texts=texts, relations=("remove-all",), order=2,
                   attributes=attributes)  # fmt: skip

    both, later = run("both", model, EVEN), run("later", EVEN)
    run_campaign(replace(later.campaign(), models=(model,)), later)
    verdicts = []
    for store in (both, later):
        with CampaignReader(store) as reader:
            tables = reader.tables(models=(model,))
            rows = reader.run(f"SELECT row, verdict FROM ({tables.answers})")
            verdicts.append(Counter(rows))
    assert verdicts[0] == verdicts[1]
    assert verdicts[0][1, "hidden"] == 1  # of three changes, though the order is two


def test_a_campaign_of_exchanges_has_no_such_section(ran: Callable[..., CampaignStore]) -> None:
    report = make_report(ran("plain", EVEN, relations=("substitute",)))
    assert report.models[0].relations == []
    assert "relations" not in {section.key for section in sections(report)}


def greetings(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Greet a person of one of two groups at the end of the text."""
    for word in ("Dutch", "Danish"):
        yield greeting(source, attribute, word)


def neutral_greetings(source: SourceText, attribute: str) -> Iterator[Edit]:
    for word in ("tall", "busy"):
        yield greeting(source, attribute, word)


def greeting(source: SourceText, attribute: str, word: str) -> Edit:
    said, end = Term(word, word.lower(), GrammaticalForm.ADJECTIVE), len(source.text)
    pieces = [(end, end, f" Greet the {word} cook.")]
    return edit_of("greet", EditKind.INSERT, (attribute, Term("", "not said")), said, pieces)


def test_a_new_relation_of_the_family_has_its_own_placebo_beside_it(
    ran: Callable[..., CampaignStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    new = Changing("", "greet somebody", "an end", greetings, neutral=neutral_greetings)
    monkeypatch.setitem(FAMILY, "greet", new)
    monkeypatch.setitem(RELATIONS, "greet", FamilyRelation("greet"))
    model = 'scripted:bad if "Danish"; good otherwise'
    (model_report,) = make_report(ran("new", model, relations=("greet",), order=1)).models
    (greeted,) = model_report.relations
    assert greeted.relation == "greet"
    assert greeted.errors.of == 2 * greeted.errors.hits > 0
    assert greeted.placebo is not None
    assert greeted.placebo.hits == 0 < greeted.placebo.of


def test_what_changes_all_stands_beside_what_changes_one() -> None:
    assert {name: beside(name) for name in (*FAMILY, "by hand")} == {
        "add": "add", "append": "append", "remove-one": "remove-one", "remove-all": "remove-one",
    } | dict.fromkeys(
        ("paraphrase-attribute", "negate-one", "negate-all", "shuffle", "substitute",
         "paraphrase-context", "by hand"),
        "substitute",
    )  # fmt: skip
