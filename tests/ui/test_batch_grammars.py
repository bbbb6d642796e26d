"""Grammars as the data of a campaign: the look at them, and what the form makes of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign.spec import load_campaign
from hinter_core.errors import InputError
from hinter_core.generators.grammars.reading import load_grammar
from hinter_ui.batch.actions import BatchActions
from hinter_ui.batch.form import DATA, GRAMMAR, BatchForm
from hinter_ui.batch.jobs import portable, put
from hinter_ui.batch.preview import preview
from hinter_ui.html.wording import beside
from hinter_ui.shared.access import Access
from hinter_ui.shared.library import CAMPAIGNS_FOLDER
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

OWN = """\
start: sentence
rules:
  sentence: [The <job> said that <he> <felt>.]
  felt: [left, stayed, slept]
sensitive:
  job: [nurse, pilot]
  sex: [{group: male, he: he}, {group: female, he: she}]
"""


@pytest.fixture
def actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BatchActions:
    monkeypatch.setenv(CAMPAIGNS_FOLDER, str(tmp_path / "shelf"))
    return BatchActions(Services(Access(local=False)))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(OWN, encoding="utf-8")
    return path


def form_of(name: str, **more: object) -> BatchForm:
    tested = tuple(load_grammar(name).sensitive)
    if Path(name).suffix:
        return BatchForm(source=GRAMMAR, own_grammar=name, tested=tested)
    return BatchForm(source=GRAMMAR, grammar=name, tested=tested)


def test_ten_sentences_are_shown_with_their_slots_and_the_exact_number(
    actions: BatchActions,
) -> None:
    form = form_of("sentiment-gender-occupation")
    seen = actions.preview(form)
    shown = preview(seen, form)
    assert shown.count("<tr>") == 1 + 10
    assert "24,528 different sentences" in shown
    assert "18 rules, 107 terminals" in shown
    assert "for classifiers, such as embedded" in shown
    assert "Start tests 20 of these 24,528 sentences" in shown
    assert beside("occupation") + "</mark>" in shown
    assert '<mark class="slot" title=' in shown


def test_the_form_makes_a_campaign_for_a_model_of_the_grammars_task(actions: BatchActions) -> None:
    access = Access(local=False)
    form = form_of("masked-pronouns")
    campaign = form.campaign(access, {})
    assert (campaign.grammar, campaign.sentences, campaign.sample) == ("masked-pronouns", 20, None)
    assert campaign.models == ("masked",)
    assert campaign.attributes == form.tested
    chosen = replace(form, settings={**form.settings, "models": ("vader",)})
    assert chosen.campaign(access, {}).models == ("vader",)
    with pytest.raises(InputError, match=r"masked-pronouns is for .*, and vader does .*Choose ano"):
        actions.estimate(Session(), chosen)
    values = [getattr(form, name) for name in DATA]
    assert BatchForm.of_data(*values) == form


def test_a_grammar_of_ones_own_is_kept_with_its_campaign(
    actions: BatchActions, own: Path, tmp_path: Path
) -> None:
    form = form_of(str(own))
    seen = actions.preview(form)
    assert "12 different sentences" in preview(seen, form)
    campaign = form.campaign(Access(local=False), {})
    assert campaign.sentences == 12  # all, since 20 are more
    entry = Services(Access(local=False)).campaigns.new()
    put(entry, campaign, uploaded=False)
    own.unlink()
    kept = load_campaign(entry.folder / "campaign.yaml")
    assert Path(kept.grammar).read_text(encoding="utf-8") == OWN
    assert "mine.yaml lies beside this file" in portable(entry)
    shipped = form_of("feelings").campaign(Access(local=False), {})
    other = Services(Access(local=False)).campaigns.new()
    put(other, shipped, uploaded=False)
    assert load_campaign(other.folder / "campaign.yaml").grammar == "feelings"
    assert "lies beside" not in portable(other)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("start: s\nrules:\n  s: [<who> left]\nsensitive: {who: [a, b]}\nx: 1\n",
         "^mine.yaml, line 5: unknown key 'x'"),
        ("start: s\nrules: {s: [<who> ran, <who> <v>], v: [ran, sat]}\nsensitive: {who: [a, b]}\n",
         "^mine.yaml: two ways lead to the same sentence"),
        ("start: [", "^mine.yaml, line 2: not YAML"),
        ("#" * 100_001, "^mine.yaml has more than 100 kB"),
    ],
)  # fmt: skip
def test_faults_are_told_with_their_line(
    actions: BatchActions, own: Path, text: str, told: str
) -> None:
    own.write_text(text, encoding="utf-8")
    form = BatchForm(source=GRAMMAR, own_grammar=str(own), tested=("who",))
    for ask in (actions.preview, lambda form: actions.start(Session(), form)):
        with pytest.raises(InputError, match=told):
            ask(form)


def test_what_was_not_chosen_or_may_not_be_named(actions: BatchActions, own: Path) -> None:
    for name in ("", str(own), "../grammars/feelings"):  # no paths from a page
        with pytest.raises(InputError, match="Choose a grammar, or a YAML file"):
            actions.preview(BatchForm(source=GRAMMAR, grammar=name))
    with pytest.raises(InputError, match="at least one attribute of the grammar"):
        actions.start(Session(), replace(form_of("feelings"), tested=()))
    many = form_of("feelings")
    many = replace(many, settings={**many.settings, "sample": 501})
    with pytest.raises(InputError, match="at most 500 texts"):
        actions.start(Session(), many)
