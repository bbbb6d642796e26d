"""Templates as the data of a campaign: the look at them, and what the form makes of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hinter_core.campaign.spec import load_campaign
from hinter_core.errors import InputError
from hinter_core.generators.templates.template import ATTRIBUTES
from hinter_ui.batch import html
from hinter_ui.batch.actions import BatchActions
from hinter_ui.batch.files import portable, put
from hinter_ui.batch.form import SETTINGS, TEMPLATES, BatchForm
from hinter_ui.shared.access import Access
from hinter_ui.shared.library import CAMPAIGNS_FOLDER
from hinter_ui.shared.services import Services


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
    shown = html.preview(seen, form.sample)
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
