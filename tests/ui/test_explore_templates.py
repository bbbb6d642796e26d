"""Templates in Explore, without a browser: findings of campaigns, links, and what is typed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from hinter_core.campaign.findings import FindingFilter
from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.mutation.edits import mutant_of
from hinter_core.mutation.settings import Settings
from hinter_core.types import Mutant
from hinter_ui.annotate.actions import AnnotateActions, ProjectForm
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.explore.state import ExploreState
from hinter_ui.html.marked import differences, preview
from hinter_ui.html.wording import beside
from hinter_ui.results.actions import ResultsActions, ResultsState
from hinter_ui.shared.access import Access
from hinter_ui.shared.library import Annotations
from hinter_ui.shared.links import ExploreForm
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.templates import template_plan

PLANTED = (
    "scripted:negative 0.62 if country=china and gender=female; positive 0.66 if country=china; "
    "positive 0.73 if gender=female; positive 0.81 otherwise"
)
TEXT = "«name:full» <b>told</b> us that «pronoun:subject» is «a» «occupation»."
TEMPLATES = [
    {"text": TEXT, "gender": "male"},
    {"text": "The «nuon:actress» left."},
    {
        "id": "third",
        "text": "«Title:Mr.» «name:family» waved at «a» «occupation» when I saw «pronoun:object».",
        "attributes": ["gender", "country"],
        "words": ["Mr.", "Poe", "a", "Painter", "him"],
    },
    {"text": "«name» forgot «pronoun:possessive» keys; ««so what»."},
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> CampaignStore:
    folder = tmp_path_factory.mktemp("filled")
    file = folder / "T.jsonl"
    lines = (json.dumps(values, ensure_ascii=False) for values in TEMPLATES)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = Campaign(
        templates=str(file), models=(PLANTED,), names_per_class=3, seed=7, shard=2, limit=40
    )
    run_campaign(settings, CampaignStore(folder / "out"))
    return CampaignStore(folder / "out")


@pytest.fixture
def results(store: CampaignStore) -> tuple[ResultsActions, Session]:
    actions, session = ResultsActions(Services(Access(local=True))), Session()
    actions.open(session, "", str(store.folder)).wanted = FindingFilter()
    return actions, session


def records(store: CampaignStore) -> Iterator[MutantRecord]:
    with CampaignReader(store, (PLANTED,)) as reader:
        for record in reader.records():
            if not any(edit.attribute.startswith("placebo") for edit in record.edits):
                yield record


def shown(session: Session) -> Mutant:
    selected = session.of(ExploreState).selected
    assert session.check is not None
    assert selected is not None
    return session.check.mutants[selected]


def test_every_finding_is_the_same_variant_with_the_same_verdict_in_explore(
    store: CampaignStore, results: tuple[ResultsActions, Session]
) -> None:
    actions, session = results
    explore = ExploreActions(actions._services)
    verdicts, orders = set(), set()
    for number, record in enumerate(records(store)):
        if number % 9 and record.verdict != "hidden":
            continue
        form = actions.form_of_finding(session, record.shard, record.place)
        check = explore.check(session, form)
        assert check.plan.text == record.text
        assert shown(session).text == record.mutant
        outcome = check.outcomes[PLANTED][check.mutants.index(shown(session))]
        assert outcome.verdict.value == record.verdict
        assert outcome.conformance.reason == record.reason
        verdicts.add(record.verdict)
        orders.add((record.row, record.order))
    assert {"hidden", "benign"} <= verdicts
    assert orders >= {(1, 1), (1, 2), (3, 1), (3, 2), (4, 1), (4, 2)}


def test_a_link_brings_a_finding_back_without_the_campaign(
    store: CampaignStore, results: tuple[ResultsActions, Session]
) -> None:
    actions, session = results
    hidden = next(one for one in records(store) if one.verdict == "hidden")
    form = actions.form_of_finding(session, hidden.shard, hidden.place)
    stranger, fresh = ExploreActions(Services()), Session()
    explore = ExploreActions(actions._services)
    explore.check(session, form)
    query = explore.link(session)
    assert 0 < len(query) < 1_000
    opened = ExploreForm.from_query(dict(parse_qsl(query)))
    assert opened is not None
    assert opened == explore.shown_form(session)
    stranger.check(fresh, opened)
    assert shown(fresh).text == hidden.mutant
    assert stranger.link(fresh) == query
    assert stranger.change(fresh) == "text"  # its page has not said yet what it was given
    fresh.of(ExploreState).controls = opened
    assert stranger.change(fresh) == ""


def test_its_slots_are_marked_and_its_variants_can_be_chosen_and_scanned(
    store: CampaignStore, results: tuple[ResultsActions, Session]
) -> None:
    actions, session = results
    record = next(one for one in records(store) if one.row == 1 and one.order == 2)
    form = actions.form_of_finding(session, record.shard, record.place)
    explore = ExploreActions(actions._services)
    plan = explore.plan(session, form)
    seen = preview(plan)
    assert seen.count("<mark") == 4
    assert beside("pronoun") + "</mark>" in seen
    assert "&lt;b&gt;told&lt;/b&gt;" in seen
    assert "template with 4 slots" in seen
    choices = explore.offered(form, plan)
    assert [one.attribute for one in choices] == ["gender", "occupation", "country"]
    assert {one.chosen for one in choices if one.chosen} == set(form.edits)
    for _ in explore.scan(session, replace(form, limit=30)):
        pass
    assert session.check is not None
    assert session.check.complete
    assert sum(mutant.order == 2 for mutant in session.check.mutants) == 30
    session.of(ExploreState).open.add("people")
    assert plan.text.split()[0] in (explore.people(session, form) or "")


def test_a_typed_template_is_filled_and_faults_are_told() -> None:
    explore, session = ExploreActions(Services()), Session()
    for text, order in ((TEXT, 2), ("«Pronoun:subject» smiled.", 1)):
        check = explore.check(session, ExploreForm(text=text, attributes=("age",)))
        assert "«" not in check.plan.text
        assert shown(session).order == order
    only = explore.plan(session, ExploreForm(text="«Pronoun:subject» smiled."))
    assert "nothing but gender" in preview(only)
    for text, fault in (
        (TEXT + " «nmae»", "unknown slot «nmae»"),
        (TEXT + " «name", "a slot is not closed"),
        (TEXT * 90, "360 slots, and Explore fills up to 300"),
    ):
        with pytest.raises(InputError, match=f"cannot be filled: .*{fault}"):
            explore.plan(session, ExploreForm(text=text))


def test_guillemets_alone_make_no_template() -> None:
    explore, text = ExploreActions(Services()), "Der «schwarze» Mann: «a» black man said «no»."
    plan = explore.plan(Session(), ExploreForm(text=text))
    assert plan.text == text
    assert not plan.slots
    assert set(plan.edits) == {"race", "gender"}


@pytest.mark.parametrize(
    "details",
    ["{", "[]", "[" * 9_000, '{"seed":true}', '{"seed":9999999999}', '{"names_per_class":0}',
     '{"names_per_class":1e9}', '{"seed":"0"}'],
)  # fmt: skip
def test_links_with_other_details_are_refused(details: str) -> None:
    with pytest.raises(InputError, match="does not say how its template is filled"):
        template_plan(TEXT, details, Settings())


@pytest.mark.parametrize("details", ['{"gender":"x"}', '{"words":["a"]}', '{"attributes":["age"]}'])
def test_links_with_values_that_do_not_fit_say_which(details: str) -> None:
    with pytest.raises(
        InputError, match=r"cannot be filled: (gender is|words holds|unknown class)"
    ):
        template_plan(TEXT, details, Settings())


def test_a_file_that_moved_or_changed_is_told(
    store: CampaignStore, results: tuple[ResultsActions, Session], tmp_path: Path
) -> None:
    actions, session = results
    record = next(records(store))
    reading = session.of(ResultsState).reading
    assert reading is not None
    report = reading.report
    other = tmp_path / "T.jsonl"
    reading.report = replace(report, campaign=replace(report.campaign, templates=str(other)))
    with pytest.raises(InputError, match=r"T\.jsonl, is not where it was") as told:
        actions.form_of_finding(session, record.shard, record.place)
    assert str(tmp_path) not in str(told.value)
    other.write_text('{"text": "«name» smiled."}\n', encoding="utf-8")
    with pytest.raises(InputError, match="cannot make the same variant"):
        actions.form_of_finding(session, record.shard, record.place)
    reading.report = replace(report, campaign=replace(report.campaign, seed=8))
    with pytest.raises(InputError, match="cannot make the same variant"):
        actions.form_of_finding(session, record.shard, record.place)


def test_people_judge_variants_of_templates_from_a_campaign_and_from_explore(
    store: CampaignStore, results: tuple[ResultsActions, Session], tmp_path: Path
) -> None:
    actions, session = results
    owner = AnnotateActions(actions._services, Annotations(tmp_path, lambda: True))
    record = next(one for one in records(store) if one.verdict == "hidden")
    explore = ExploreActions(actions._services)
    explore.check(session, actions.form_of_finding(session, record.shard, record.place))
    form = ProjectForm(name="Filled", many=60, directory=str(store.folder))
    found = set()
    for source in ("directory", "check"):
        made = owner.make(session, replace(form, source=source))
        assert made.done.items == (60 if source == "directory" else 3)
        for item in owner.projects.judging(made.id).store.items():
            assert "«name" not in item.mutant
            old, new = differences(item.source, item.mutant, item.edits)
            assert any(piece.changed for piece in old)
            assert "".join(piece.text for piece in new) == item.mutant
            assert mutant_of(item.source, item.edits).text == item.mutant
            found.update(item.attributes)
    assert found == {"gender", "occupation", "country"}
