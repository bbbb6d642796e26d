"""What a campaign is: its settings, its file, its identity."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from hinter_core.campaign.settings import CAMPAIGN_OPTIONS, SAMPLE, SAMPLE_FILE
from hinter_core.campaign.spec import Campaign, from_mapping, load_campaign, write_campaign
from hinter_core.errors import InputError

OTHER = {
    "data": "b.csv", "mutants": "own.csv", "text_column": "t", "label_column": "l",
    "id_column": "i", "sample": 5,
    "stratify": True, "seed": 1, "attributes": ("age", "gender"), "dictionaries": ("own.csv",),
    "order": 3, "guide": "vader", "limit": 9, "literal": True, "atomic": False,
    "discarded": True, "placebo": False, "repeat": 2,
    "parser": "en_core_web_sm", "shard": 4,
    "models": ("vader",), "workers": 2, "requests": 10, "budget": 1.5,
    "relations": ("add", "substitute"),
    "invariant": "published", "window": 80, "ask_again": True, "fresh": True,
    "templates": "t.jsonl", "names": "own.csv", "names_per_class": 5, "coherent": False,
    "across_people": True, "placebo_names": False, "origin_names": True,
    "grammar": "feelings", "sentences": 7, "weights": "w.json", "tolerance": 0.2,
    "paraphraser": "openai:m", "prioritise": "adaptive", "stop_at_first": True, "stop_below": 0.05,
    "validity": 0.8, "verbatim": False, "columns": ("mutant=b",), "keep_soft": True,
    "balanced": False,
    "score_tolerance": 0.2,
}  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("text\nA man.\n")
    (tmp_path / "b.csv").write_text("text\nA woman.\n")
    (tmp_path / "t.jsonl").write_text('{"text": "\u00abname\u00bb came."}\n', encoding="utf-8")
    (tmp_path / "w.json").write_text('{"occupation": {"nurse": 1}}')
    (tmp_path / "own.csv").write_text("term,group\nangler,outdoor\ngamer,indoor\n")
    return tmp_path


def test_every_setting_declares_whether_it_decides_the_result(here: Path) -> None:
    campaign = Campaign(data="a.csv")
    assert {item.name for item in fields(Campaign)} == set(OTHER) == set(CAMPAIGN_OPTIONS)
    for name, option in CAMPAIGN_OPTIONS.items():
        changed = replace(campaign, **{name: OTHER[name]})
        assert (changed.identity() != campaign.identity()) is option.identity


def test_identity_is_of_content_not_of_place(here: Path) -> None:
    campaign = Campaign(data="a.csv")
    (here / "moved.csv").write_bytes((here / "a.csv").read_bytes())
    assert Campaign(data="moved.csv").identity() == campaign.identity()
    before = campaign.identity()
    (here / "a.csv").write_text("text\nA boy.\n")
    assert campaign.identity() != before


def test_the_sample_is_data_by_name_wherever_one_stands(here: Path) -> None:
    (here / "c.yaml").write_text("data: sample\norder: 3\n")
    campaign = load_campaign(here / "c.yaml")
    assert campaign.data == SAMPLE
    assert campaign.table().source.path == SAMPLE_FILE
    (here / "copy.csv").write_bytes(SAMPLE_FILE.read_bytes())
    assert campaign.identity() == Campaign(data="copy.csv", order=3).identity()
    (here / "copy.csv").write_bytes(SAMPLE_FILE.read_bytes() + b"x,review,positive,A man.\n")
    assert campaign.identity() != Campaign(data="copy.csv", order=3).identity()


def test_a_campaign_file_is_read_and_its_paths_are_its_own(here: Path) -> None:
    (here / "sub").mkdir()
    (here / "sub" / "c.yaml").write_text(
        "data: ../a.csv\nattributes: [race, age]\norder: 2\nmodels:\n- hf-zero-shot:x?labels=a,b\n"
        "dictionaries: [../own.csv]\nbudget: 3\n"
    )
    campaign = load_campaign(here / "sub" / "c.yaml")
    assert Path(campaign.data).resolve() == here / "a.csv"
    assert campaign.models == ("hf-zero-shot:x?labels=a,b",)
    assert (campaign.attributes, campaign.budget) == (("race", "age"), 3)
    assert [d.attribute for d in campaign.vocabulary()] == ["race", "age", "own"]
    assert [row.text for row in campaign.table().rows()] == ["A man."]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "holds no settings"),
        ("- 1", "holds no settings"),
        ("a: [", "is no YAML"),
        ("data: x\norder: [1, 2\n", r"is no YAML \(line 2: did not find expected"),
        ("data: x\norder: 2: 3\n", r"is no YAML \(line 2: mapping values are not allowed"),
        ("modls: vader", r"unknown setting modls; did you mean 'models'\?"),
        ("a: " + "[" * 5000, "is no YAML"),
        ("colour: red", "unknown setting colour; use data, "),
        ("order: two", "order is a whole number from 1 to 4, not 'two'"),
        ("order: 0", "order is a whole number from 1 to 4, not 0"),
        ("validity: 1.5", "validity is a number from 0 to 1, not 1.5"),
        ("tolerance: 2", "tolerance is a number from 0 to 1, not 2"),
        ("validity: .nan", "validity is a number from 0 to 1, not nan"),
        ("order: 9", "order is a whole number from 1 to 4, not 9"),
        ("seed: -1", "seed is a whole number from 0 to 2,147,483,647, not -1"),
        ("repeat: 101", "repeat is a whole number from 0 to 100, not 101"),
        ("stop_below: -0.1", "stop_below is a number from 0 to 1, not -0.1"),
        ("invariant: odd", "invariant is even-handed or published, not 'odd'"),
        ("order: true", "order is a whole number"),
        ("literal: 1", "literal is true or false"),
        ("attributes: 3", "attributes is a list of names"),
        ("sample: 0", "sample is a whole number from 1 to 10,000,000, not 0"),
    ],
)
def test_a_file_with_a_fault_says_which(here: Path, content: str, words: str) -> None:
    (here / "c.yaml").write_text(content)
    with pytest.raises(InputError, match=words):
        load_campaign(here / "c.yaml")


def test_a_missing_file_is_named(here: Path) -> None:
    with pytest.raises(InputError, match="Cannot read"):
        load_campaign(here / "none.yaml")
    with pytest.raises(InputError, match=r"Name the data .* HInter \(sample\)"):
        Campaign().table()
    with pytest.raises(InputError, match="Cannot read"):
        Campaign(data="none.csv").identity()


def test_names_may_be_given_as_one_text() -> None:
    read = from_mapping({"attributes": "race, gender", "models": "hf-zero-shot:x?labels=a,b"}, "x")
    assert read.attributes == ("race", "gender")
    assert read.models == ("hf-zero-shot:x?labels=a,b",)


def test_models_are_a_list_or_names_with_commas() -> None:
    for given in ("vader,textblob", ["vader,textblob"], ["vader", " textblob"]):
        assert from_mapping({"models": given}, "a test").models == ("vader", "textblob")


GRAMMAR = """
start: s
rules: {s: ['The <race> <gender> of <age> was late.', 'It was late.']}
sensitive: {race: [white, black], gender: [man, woman], age: [forty, twenty]}
"""


def test_race_and_gender_can_be_chosen_among_more_attributes_of_a_grammar(here: Path) -> None:
    (here / "g.yaml").write_text(GRAMMAR)
    (here / "c.yaml").write_text("grammar: g.yaml\nattributes: [race, gender]\n")
    (here / "all.yaml").write_text("grammar: g.yaml\n")
    chosen, every = load_campaign(here / "c.yaml"), load_campaign(here / "all.yaml")
    assert chosen.pinned().attributes == ("race", "gender")
    assert every.pinned().attributes == ("race", "gender", "age")
    for campaign in (chosen, every, chosen.pinned(), every.pinned()):
        (here / "again.yaml").write_text(write_campaign(campaign))
        assert load_campaign(here / "again.yaml").pinned() == campaign.pinned()
    other = replace(Campaign(), grammar=str(here / "g.yaml"))  # as options override a file
    assert other.pinned().attributes == every.pinned().attributes


def test_attributes_of_templates_are_all_unless_some_are_chosen() -> None:
    assert Campaign(templates="t.jsonl").attributes == ("gender", "occupation", "country")
    assert replace(Campaign(), templates="t.jsonl").attributes == Campaign(templates="t").attributes
    chosen = Campaign(templates="t.jsonl", attributes=("race", "gender"))
    with pytest.raises(InputError, match="not 'race'"):
        chosen.table()
