"""Findings of grammars in Explore, without a browser: the same variants, verdicts, and links."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from urllib.parse import parse_qsl

import pytest

from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.mutation.settings import Settings
from hinter_core.types import Verdict
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.explore.html import banner
from hinter_ui.explore.state import ExploreState
from hinter_ui.html.marked import preview
from hinter_ui.html.wording import beside
from hinter_ui.results.actions import ResultsActions
from hinter_ui.shared.access import Access
from hinter_ui.shared.links import ExploreForm
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.templates import slotted_plan
from tests.ui.test_batch_grammars import OWN

PLANTED = "scripted:negative if gender=female and occupation=healthcare; positive otherwise"


def opened(folder: Path, grammar: str, model: str, sentences: int = 6) -> ResultsActions:
    settings = Campaign(
        grammar=grammar, sentences=sentences, limit=12, seed=3, models=(model,), shard=4
    )
    run_campaign(settings, CampaignStore(folder))
    return ResultsActions(Services(Access(local=True)))


@pytest.mark.parametrize(
    ("grammar", "model"),
    [
        ("sentiment-gender-occupation", PLANTED),
        ("feelings", PLANTED),
        ("masked-pronouns", "masked"),
        ("coreference-unambiguous", "resolver:rules"),
    ],
)
def test_every_finding_is_the_same_variant_with_the_same_verdict_in_explore(
    grammar: str, model: str, tmp_path: Path
) -> None:
    sentences = 12 if model == "masked" else 6  # of the first six, none is a finding
    actions, session = opened(tmp_path / "out", grammar, model, sentences), Session()
    actions.open(session, "", str(tmp_path / "out"))
    explore = ExploreActions(actions._services)
    with CampaignReader(CampaignStore(tmp_path / "out"), (model,)) as reader:
        records = [
            one for one in reader.records()
            if not any(edit.attribute.startswith("placebo") for edit in one.edits)
        ]  # fmt: skip
    drawn, many = list[MutantRecord](), Counter[tuple[str, int]]()
    for record in Random(3).sample(records, len(records)):
        many[record.verdict, record.order] += 1
        if many[record.verdict, record.order] <= 3:
            drawn.append(record)
    for record in drawn:
        form = actions.form_of_finding(session, record.shard, record.place)
        check = explore.check(session, form)
        assert check.plan.text == record.text
        selected = session.of(ExploreState).selected
        assert selected is not None
        assert check.mutants[selected].text == record.mutant
        outcome = check.outcomes[model][selected]
        assert (outcome.verdict.value, outcome.conformance.kept) == (record.verdict, record.kept)
    assert {order for _, order in many} >= {1, 2}
    # An unambiguous pronoun is resolved alike, whoever is meant.
    unambiguous = model == "resolver:rules"
    assert ({verdict for verdict, _ in many} > {"benign"}) is not unambiguous


def test_a_link_needs_no_campaign_and_marks_the_words(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text(OWN, encoding="utf-8")
    actions, session = opened(tmp_path / "out", str(own), PLANTED), Session()
    actions.open(session, "", str(tmp_path / "out"))
    with CampaignReader(CampaignStore(tmp_path / "out"), (PLANTED,)) as reader:
        hidden = next(one for one in reader.records() if one.order == 2)
    form = actions.form_of_finding(session, hidden.shard, hidden.place)
    assert form.text.startswith("The <job> said that <he> ")
    own.unlink()
    stranger, fresh = ExploreActions(Services()), Session()
    link = ExploreForm.from_query(dict(parse_qsl(form.query())))
    assert link == form
    check = stranger.check(fresh, link)
    assert check.mutants[-1].text == hidden.mutant
    seen = preview(check.plan)
    assert seen.count("<mark") == 2
    assert beside("job") in seen
    assert "sentence of the grammar mine with 2 sensitive words" in seen
    # What is typed around the names keeps their values.
    typed = replace(link, text=link.text.replace("said", "wrote"), edits=())
    assert "wrote" in stranger.check(fresh, typed).plan.text
    with pytest.raises(InputError, match=r"mine\.yaml is not where it was"):
        actions.form_of_finding(session, hidden.shard, hidden.place)


@pytest.mark.parametrize(
    "values",
    [{"job": []}, {"job": [["", {"job": "nurse"}]]}, {"job": [["", {}, ""]]}, {"job": 1},
     {"job": [["", {"job": "nurse"}, ""], ["", {"he": "pilot"}, ""]]}],
)  # fmt: skip
def test_links_with_damaged_values_are_refused(values: object) -> None:
    details = json.dumps({"attributes": values})
    plan = None
    with suppress(InputError):
        plan = slotted_plan("The <job> left.", details, Settings())
    # Either it is refused, or no sentence of a grammar but a text.
    assert plan is None or plan.text == "The <job> left."


def test_unknown_names_are_told() -> None:
    details = json.dumps({"attributes": {"job": [["", {"job": "nurse"}, ""]]}})
    with pytest.raises(InputError, match="<town> is none of its words"):
        slotted_plan("The <job> of <town> left.", details, Settings())


def test_a_masked_word_that_is_another_within_the_tolerance_is_the_same_answer() -> None:
    explore, session = ExploreActions(Services()), Session()
    form = ExploreForm(text="The white woman said that [MASK] was tired.", models=("masked",))
    form = replace(form, edits=("race|white|Black", "gender|woman|man"))
    check = explore.check(session, form)
    parts = {m.edits[0].attribute: check.outcomes["masked"][i] for i, m in enumerate(check.mutants)
             if m.order == 1}  # fmt: skip
    assert parts["race"].verdict.value == "benign"
    assert parts["race"].prediction is not None
    assert parts["race"].prediction.labels != check.originals["masked"].labels
    shown = explore.show(session)
    assert shown is not None
    assert "no word’s probability moves by more than 0.1 " in shown.square
    assert shown.square.count("answer flipped") == 2  # gender, and both
    (judged,) = [x for x in check.outcomes["masked"] if x.mutant.order == 2]
    words = str(banner(check, judged, "masked"))
    assert "a probability of the masked word moves by more than 0.1" in words
    assert "answer flips from" not in words


def test_a_shift_beyond_the_score_tolerance_is_said_where_the_label_stays() -> None:
    model = 'scripted:positive 0.55 if "Black" and "woman"; positive 0.9 otherwise'
    form = ExploreForm(text="The white man was tired.", models=(model,), score_tolerance=0.2)
    form = replace(form, edits=("race|white|Black", "gender|man|woman"))
    again = ExploreForm.from_query(dict(parse_qsl(form.query())))
    explore, session = ExploreActions(Services()), Session()
    assert again is not None
    check = explore.check(session, again)
    (judged,) = [one for one in check.outcomes[model] if one.mutant.order == 2]
    assert judged.verdict is Verdict.HIDDEN
    words = re.sub("<[^>]+>", "", str(banner(check, judged, model)))
    assert (
        "though the label stays positive, the probability of positive moves by \u22120.35" in words
    )
    assert "more than the score tolerance of 0.2" in words
    assert "The shift lies 0.15 beyond the score tolerance" in words
    shown = explore.show(session)
    assert shown is not None
    assert shown.square.count("same label, but its probability moves by more than 0.2") == 1


def test_other_clusters_are_no_flip_from_one_label_to_another() -> None:
    explore, session = ExploreActions(Services()), Session()
    model = "resolver:rules"
    edits = ("race|white|Black", "gender|man|woman")
    text = "The white man saw the pilot before he ate."
    # Edited coherently, "he" would become "she", and mean the same person as before.
    form = ExploreForm(text=text, models=(model,), edits=edits, coherent=False)
    check = explore.check(session, form)
    judged = next(x for x in check.outcomes[model] if x.mutant.edits[0].attribute == "gender")
    assert judged.verdict.value == "biased"
    words = str(banner(check, judged, model))
    assert "other words are taken for the same person or thing" in words
    assert "answer flips from" not in words
