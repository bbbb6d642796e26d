"""Templates as the data of a campaign: the look at them, and what the form makes of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign.spec import load_campaign
from hinter_core.errors import InputError
from hinter_core.generators.templates.template import ATTRIBUTES
from hinter_ui.batch.actions import BatchActions
from hinter_ui.batch.form import DATA, SETTINGS, TEMPLATES, BatchForm
from hinter_ui.batch.jobs import portable, put
from hinter_ui.batch.preview import preview
from hinter_ui.shared.access import Access
from hinter_ui.shared.library import CAMPAIGNS_FOLDER
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

pytestmark = pytest.mark.usefixtures("quick_campaigns")


@pytest.fixture
def form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BatchForm:
    monkeypatch.setenv(CAMPAIGNS_FOLDER, str(tmp_path / "shelf"))
    path = tmp_path / "T.jsonl"
    far = "and the road was long " * 20
    texts = [
        f"«name» <b>said</b> {far}that «pronoun:subject» is «a» «occupation».",
        "«nam» smiled.",
        *(f"«Title:Mr.» «name:family» had {n} cats." for n in range(12)),
    ]
    lines = (json.dumps({"text": text}, ensure_ascii=False) for text in texts)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return BatchForm(source=TEMPLATES, templates=str(path))


def test_ten_templates_are_shown_with_their_slots(form: BatchForm) -> None:
    seen = BatchActions(Services(Access(local=True))).preview(form)
    shown = preview(seen, form)
    assert shown.count("<tr>") == 1 + 10
    assert '<mark class="slot">pronoun:subject</mark>' in shown
    assert "<b>said</b>" not in shown
    assert "13 usable templates" in shown
    assert "gender 13" in shown
    assert "occupation 1" in shown
    assert "unknown slot" in shown
    assert len(shown) < 6_000


def test_the_form_makes_a_campaign_of_all_their_attributes(form: BatchForm) -> None:
    access = Access(local=True)
    services = Services(access)
    campaign = form.campaign(access, services.dictionaries())
    assert campaign.attributes == ATTRIBUTES
    assert campaign.templates == form.templates
    assert (campaign.dictionaries, campaign.guide) == ((), "")
    assert "names" not in SETTINGS  # a path: not for a page
    entry = services.campaigns.new()
    put(entry, campaign, uploaded=False)
    kept = load_campaign(entry.folder / "campaign.yaml")
    assert Path(kept.templates).read_text(encoding="utf-8").startswith('{"text"')
    assert Path(kept.templates).is_relative_to(entry.folder)
    assert "T.jsonl lies beside this file" in portable(entry)


def test_nothing_chosen_says_what_to_choose(form: BatchForm) -> None:
    with pytest.raises(InputError, match="Choose a file of templates"):
        BatchForm(source=TEMPLATES).campaign(Access(local=True), {})


def test_chosen_attributes_are_tested_and_estimated(form: BatchForm) -> None:
    services = Services(Access(local=True))
    actions, session = BatchActions(services), Session()
    only = replace(form, classes=("country",))
    campaign = only.campaign(services.access, services.dictionaries())
    assert campaign.attributes == ("country",)
    quick = {**form.settings, "models": ("vader",)}
    for one, orders in ((form, {1, 2}), (only, {1})):
        assert set(actions.estimate(session, replace(one, settings=quick)).mutants) == orders
    values = [getattr(only, name) for name in DATA]
    assert BatchForm.of_data(*values) == only
    none = BatchForm.of_data(*([] if name == "classes" else value for name, value in
                               zip(DATA, values, strict=True)))  # fmt: skip
    with pytest.raises(InputError, match="at least one of gender, occupation and country"):
        actions.estimate(session, none)
    with pytest.raises(InputError, match="have the attributes gender, occupation, country"):
        actions.estimate(session, replace(form, classes=("age",)))


def test_the_log_says_why_other_texts_were_refused(form: BatchForm, tmp_path: Path) -> None:
    reasons = [
        {"gender": "taken", "occupation": "several people", "country": "taken"},
        {"gender": "several people", "occupation": "<b>", "country": "the person has no name"},
        {"gender": "several people", "occupation": "<b>", "country": "several people"},
    ]
    lines = [{"corpus": "x"}, *({"row": 1, "templates": 0, "reasons": one} for one in reasons)]
    log = tmp_path / "elsewhere.log"
    log.write_text("\n".join(map(json.dumps, lines)) + "\n{", encoding="utf-8")
    actions = BatchActions(Services(Access(local=False)))
    shown = preview(actions.preview(replace(form, mining_log=str(log))), form)
    assert "gender: 1 of 3 texts became templates. Refused:" in shown
    assert "<bdi>several people</bdi>: 2" in shown
    assert "<bdi>&lt;b&gt;</bdi>: 2" in shown
    assert "became templates" not in preview(actions.preview(form), form)
    for content in ("", "{}", "[1]", "7", '{"corpus":1}\n{"reasons":{"gender":"x"},"templates":1}',
                    '{"corpus":1}\n{"reasons":[],"templates":1}', "\x00"):  # fmt: skip
        log.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=r"^elsewhere\.log is no log of mining"):
            actions.preview(replace(form, mining_log=str(log)))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is empty. hinter templates mine makes such a file of ordinary texts"),
        (" \n\n", "is empty"),
        ('{"text": "«nmae» smiled."}', "Line 1: unknown slot «nmae»"),
        ('{"text": "«name» smiled.", "attributes": ["age"]}', "Line 1: unknown class 'age'"),
        ("text,label\nThe black man was kind.,1\n", "Line 1: the line is no JSON"),
        ('{"text": "She smiled."}', "Line 1: the text has no slot"),
    ],
)
def test_files_without_a_template_are_told_in_a_sentence(
    form: BatchForm, content: str, told: str
) -> None:
    Path(form.templates).write_text(content, encoding="utf-8")
    actions = BatchActions(Services(Access(local=False)))
    for ask in (actions.preview, lambda form: actions.start(Session(), form)):
        with pytest.raises(InputError) as error:
            ask(form)
        assert told in str(error.value)
        assert str(error.value).startswith("T.jsonl ")
    assert not list((Path(form.templates).parent / "shelf").glob("*"))


def test_names_of_ones_own_are_checked_kept_and_used(form: BatchForm, tmp_path: Path) -> None:
    services = Services(Access(local=True))
    actions, names = BatchActions(services), tmp_path / "own names.csv"
    named = replace(form, names=str(names))
    lines = ["name,part,gender,country", "Ann,given,female,Eire", "Bob,given,male,Eire",
             "Cleo,given,female,Peru", "Dan,given,male,Peru", "Poe,family,,Eire",
             "Roe,family,,Peru"]  # fmt: skip
    names.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert actions.preview(named).classes is not None
    campaign = named.campaign(services.access, services.dictionaries())
    entry = services.campaigns.new()
    put(entry, campaign, uploaded=False)
    kept = load_campaign(entry.folder / "campaign.yaml")
    assert Path(kept.names).is_relative_to(entry.folder)
    assert kept.source.names().countries == ("Eire", "Peru")
    assert "names.csv lies beside this file" in portable(entry)
    few = tmp_path / "few.csv"
    few.write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    named = replace(form, names=str(few))
    with pytest.raises(InputError) as refused:
        actions.preview(named)
    assert "no two countries" in str(refused.value)
    assert str(tmp_path) not in str(refused.value)
    assert actions.preview(replace(named, classes=("gender",))).classes is not None
