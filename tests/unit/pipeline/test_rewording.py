"""Paraphrases by a language model: what is taken of its replies, and what is not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign.parquet import read_table
from hinter_core.campaign.running.run import plan_run, run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.models.prompting import PARAPHRASE, load_prompt, shipped_prompts
from hinter_core.models.registry import open_store
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.pipeline.rewording import open_paraphraser, reworded
from hinter_core.relations.changes.paraphrase import CONTEXT_ATTRIBUTE
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import matcher_for
from hinter_core.types import Sentence
from tests.conformance.faulty_server import FaultyServer

TEXT = "The Lebanese man watched the movie twice. Nobody else came."
GOOD = "The Lebanese man saw that movie two times."
SAYS = {"The Lebanese man watched the movie twice.": GOOD}
BAD = [
    "",
    "The Lebanese man watched the movie twice.",  # unchanged
    "The man saw that movie two times.",  # a kept word is gone
    "The man who is Lebanese saw that movie two times.",  # the order of the kept words
    "The Lebanese man and his wife saw that movie twice.",  # others are there
    "The Lebanese man did not see that movie twice.",  # denies
    "The Lebanese man saw that movie.\nTwo times.",  # lines
    "The Lebanese man saw that movie " + "and saw it again " * 20,  # length
    "I'm sorry, I can't help with that.",
]


def named(server: FaultyServer) -> str:
    return f"openai:m?base_url={server.base_url}"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINTER_CACHE", str(tmp_path / "cache.sqlite"))


def planned(server: FaultyServer, parses: ParseStore, text: str = TEXT) -> list[str]:
    """The texts that paraphrases of the model alone make, then those with an exchange."""
    shipped = load_shipped()
    settings = Settings(relations=("substitute", "paraphrase-context"))
    own = open_store("scripted:positive otherwise")
    pipeline = Pipeline(
        [shipped["race"], shipped["gender"]],
        parses,
        [own],
        settings,
        open_paraphraser(named(server)),
    )
    plan = pipeline.plan(text)
    alone = [plan.mutant((edit,)).text for edit in plan.edits.get(CONTEXT_ATTRIBUTE, [])]
    race = next(edit for edit in plan.edits["race"] if edit.target.text == "Irish")
    both = [
        plan.mutant((race, edit)).text
        for edit in plan.edits.get(CONTEXT_ATTRIBUTE, [])
        if plan.possible((race, edit))
    ]
    return alone + both


def test_what_stands_around_is_said_otherwise_and_combines(parses: ParseStore) -> None:
    with FaultyServer(reply=lambda text, turn: SAYS.get(text, text)) as server:
        found = planned(server, parses)
        # Several are asked at once: which one arrives first is no matter.
        bodies = [body["messages"][-1]["content"] for body in server.bodies]
    assert f"{GOOD} Nobody else came." in found
    assert f"{GOOD.replace('Lebanese', 'Irish')} Nobody else came." in found
    assert sum('Keep these words: "Lebanese", "man"' in body for body in bodies) == 1


def test_each_sentence_and_all_of_them(parses: ParseStore) -> None:
    says = {**SAYS, "Nobody else came.": "Nobody else was there."}
    with FaultyServer(reply=lambda text, turn: f'"{says[text]}"') as server:
        found = planned(server, parses)
    first, second = GOOD, "Nobody else was there."
    assert f"{first} {second}" in found
    assert f"{first} Nobody else came." in found
    assert f"The Lebanese man watched the movie twice. {second}" in found


@pytest.mark.parametrize("reply", BAD)
def test_a_reply_that_changes_more_or_nothing_is_no_follow_up(
    reply: str, parses: ParseStore
) -> None:
    with FaultyServer(reply=lambda text, turn: reply) as server:
        made = planned(server, parses)
    with FaultyServer(reply=lambda text, turn: text) as server:  # rules alone
        assert made == planned(server, parses)
    assert TEXT not in made


def test_a_campaign_with_a_paraphraser(tmp_path: Path) -> None:
    data = tmp_path / "texts.txt"
    data.write_text(TEXT + "\n", encoding="utf-8")
    store = CampaignStore(tmp_path / "campaign")
    with FaultyServer(reply=lambda text, turn: SAYS.get(text, text)) as server:
        campaign = Campaign(
            data=str(data), relations=("substitute", "paraphrase-context"), limit=20,
            models=("vader",), paraphraser=named(server),
        )  # fmt: skip
        run_campaign(campaign, store)
    rows = read_table(store.mutants(0)).to_pylist()
    texts = [edit["texts"] for row in rows for edit in row["edits"] if edit["texts"]]
    assert [" saw that movie two times."] in [[t for t in own if "saw" in t] for own in texts]
    with pytest.raises(InputError, match="for the relation paraphrase-context"):
        plan_run(replace(campaign, relations=("substitute",)), CampaignStore(tmp_path / "other"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("vader", "cannot say a sentence"),
        ("openai:m?prompt=sentiment", "prompt of its own"),
        ("openai:m?base_url=http://localhost:1/v1&judge=vader", "prompt of its own"),
    ],
)
def test_models_that_are_no_paraphraser(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        open_paraphraser(name)


def test_the_examples_of_its_prompt_are_usable() -> None:
    shipped = load_shipped()
    matcher = matcher_for([shipped["race"], shipped["gender"], shipped["age"]])
    prompt = load_prompt(PARAPHRASE)
    assert len(prompt.examples) > 1
    for example in prompt.examples:
        text, _, keep = example.text.partition("\nKeep these words: ")
        spans = [(m.start(), m.end()) for word in keep.split(", ")
                 for m in [re.search(rf"\b{word[1:-1]}\b", text)] if m]  # fmt: skip
        assert len(spans) > 1
        sentence = Sentence(text, 0, len(text))
        pieces = reworded(sentence, example.answer, spans, matcher)
        assert pieces
        for start, end, new in reversed(pieces):
            text = text[:start] + new + text[end:]
        assert text == example.answer


def test_its_prompt_is_not_for_models_under_test() -> None:
    assert PARAPHRASE not in shipped_prompts()
