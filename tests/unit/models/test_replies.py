"""Replies: labels are parsed and never guessed, scores shared out, or a judge is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.cache import PredictionCache
from hinter_core.models.prompting import Prompt, load_prompt, shipped_prompts
from hinter_core.models.registry import build_model, parse_name
from hinter_core.models.replies.readers import (
    JudgeReader,
    LabelReader,
    reader_for,
    scores_of_first_token,
)
from hinter_core.models.replies.reading import answer_of, parse_answer
from hinter_core.models.store import PredictionStore
from hinter_core.types import Failure, Prediction
from tests.conformance.faulty_server import FaultyServer

SENTIMENT = ("negative", "positive")
ARTICLES = ("Article 1", "Article 10", "Article 14", "Article 1 of Protocol 1")
LABELS = ("negative", "neutral", "positive")
TOXICITY = ("toxic", "non-toxic", "very toxic")


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("positive", "positive"),
        ("  **Positive**.\n", "positive"),
        ("Answer: negative", "negative"),
        ("**Answer:** negative", "negative"),
        ("The sentiment of this text is positive.", "positive"),
        ("Reasoning: it drags.\nFinal answer: Negative", "negative"),
        ("Possible answers: positive, negative.\nAnswer: negative", "negative"),
        ('{"label": "positive", "confidence": 0.9}', "positive"),
        ('```json\n["negative"]\n```', "negative"),
        ("No, negative.", "negative"),
        ("POSITIVE!", "positive"),
        ("- positive", "positive"),
    ],
)
def test_one_label_is_read(answer: str, label: str) -> None:
    assert parse_answer(answer, SENTIMENT).labels == (label,)


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ("", Failure.UNPARSABLE),
        ("...", Failure.UNPARSABLE),
        ("positive or negative, hard to say", Failure.UNPARSABLE),
        ('{"positive": 0.5, "negative": 0.5}', Failure.UNPARSABLE),
        ("It is positively dreadful", Failure.UNPARSABLE),
        ("Es tut mir leid, das kann ich nicht.", Failure.UNPARSABLE),
        ("\u7533\u3057\u8a33\u3042\u308a\u307e\u305b\u3093", Failure.UNPARSABLE),
        ("I'm sorry, but I can't help with that.", Failure.REFUSED),
        ("I cannot judge this text.", Failure.REFUSED),
        ("I\u2019m unable to assist.", Failure.REFUSED),
    ],
)
def test_no_guess(answer: str, failure: Failure) -> None:
    assert parse_answer(answer, SENTIMENT).failure is failure


@pytest.mark.parametrize(
    "answer",
    [
        "It is not positive.",
        "It isn't at all positive",
        "I cannot call this positive.",
        "I don't think that it is positive",
        "positive, not negative",
        "far from positive",
        "Positive: no",
        '"positive": false',
        "**positive** (not really)",
        "Positive does not fit.",
        "Negative it is not",
        "neither positive nor negative",
    ],
)
def test_a_denied_label_is_no_label(answer: str) -> None:
    answered = parse_answer(answer, SENTIMENT)
    assert answered.failure is Failure.UNPARSABLE
    assert answered.detail.startswith("it denies a label")


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        ("Article 10", ("Article 10",)),
        ("Article 1 of Protocol 1", ("Article 1 of Protocol 1",)),
        ("Answer: Article 14, Article 1 of Protocol 1", ("Article 14", "Article 1 of Protocol 1")),
        ("article 1, article 1 OF protocol 1", ("Article 1", "Article 1 of Protocol 1")),
        ('["Article 14", "Article 10"]', ("Article 10", "Article 14")),
        ("- Article 10\n- **Article 14**", ("Article 10", "Article 14")),
        ("Article 10 was violated.", ("Article 10",)),
        ("None", ()),
        ("Answer: none.", ()),
        ("None of these articles.", ()),
    ],
)
def test_several_labels_longest_first(answer: str, labels: tuple[str, ...]) -> None:
    answered = parse_answer(answer, ARTICLES, multi_label=True, none_label="None")
    assert answered.answered
    assert answered.labels == labels


@pytest.mark.parametrize(
    "answer",
    [
        "Article 10, but there was no violation of Article 14",
        "Article 14 was not violated; Article 10 was",
        "Article 10: yes\nArticle 14: no",
        "None, Article 10",
        "None of Article 10, Article 14",
        "Article 10 and 14",
        "Articles 10 and 14",
        "Article 2",
        "",
    ],
)
def test_several_labels_are_not_guessed_either(answer: str) -> None:
    answered = parse_answer(answer, ARTICLES, multi_label=True, none_label="None")
    assert answered.failure is Failure.UNPARSABLE
    assert answered.labels == ()


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("toxic", "toxic"),
        ("Non-toxic.", "non-toxic"),
        ("The text is non toxic", "non-toxic"),
        ("it is NON_TOXIC", "non-toxic"),
        ("non\u2011toxic", "non-toxic"),
        ("This is very-toxic", "very toxic"),
        ("this is very  toxic", "very toxic"),
        ("nontoxic", None),
        ("toxic-ish", None),
        ("semi-toxic", None),
    ],
)
def test_hyphens(answer: str, label: str | None) -> None:
    answered = parse_answer(answer, TOXICITY)
    assert answered.labels == ((label,) if label else ())
    assert answered.answered is (label is not None)


def test_a_denying_label_denies_no_other() -> None:
    labels = ("No Waivers", "Intellectual Property")
    said = parse_answer("No Waivers\nIntellectual Property", labels, multi_label=True)
    assert said.labels == labels
    assert parse_answer("not toxic", ("toxic", "not toxic")).labels == ("not toxic",)


@pytest.mark.parametrize(
    ("reply", "rest"),
    [
        ("<think>Not positive, or is it?</think>\nnegative", "\nnegative"),
        ("Is it positive? No.</think>negative", "negative"),
        ("<thinking>a</thinking><thinking>b</thinking>negative", "negative"),
        ("negative", "negative"),
        ("<think>It may be negative, but", ""),
        ("<THINK>x</THINK> <think>It may be", ""),
        ("a < b and <b>negative</b>", "a < b and <b>negative</b>"),
    ],
)
def test_thoughts_are_no_answer(reply: str, rest: str) -> None:
    assert answer_of(reply).text == rest
    expected = ("negative",) if "negative" in rest else ()
    assert parse_answer(reply, SENTIMENT).labels == expected


@pytest.mark.parametrize("name", shipped_prompts())
def test_every_example_of_a_shipped_prompt_is_parsed(name: str) -> None:
    prompt = load_prompt(name)
    for example in prompt.examples:
        answered = parse_answer(
            example.answer,
            prompt.labels,
            multi_label=prompt.multi_label,
            none_label=prompt.none_label,
        )
        assert answered.answered
        assert answered.labels or example.answer == prompt.none_label


LABELLED = [load_prompt(name) for name in shipped_prompts() if load_prompt(name).labels]


@pytest.mark.parametrize("frame", ["{}", "**{}**", "Answer: {}.", "The label is '{}'"])
@pytest.mark.parametrize("prompt", LABELLED, ids=lambda p: p.name)
def test_every_shipped_label_is_read_as_itself(prompt: Prompt, frame: str) -> None:
    for label in prompt.labels:
        assert parse_answer(frame.format(label), prompt.labels).labels == (label,)


@pytest.mark.parametrize(
    ("tokens", "scores"),
    [
        ({"positive": 0.6, "negative": 0.2}, {"positive": 0.75, "negative": 0.25, "neutral": 0}),
        ({" pos": 0.5, "\u0120Pos": 0.3, "\u2581neg": 0.2}, {"positive": 0.8, "negative": 0.2}),
        ({'"positive': 0.5, "**neg": 0.5}, {"positive": 0.5, "negative": 0.5}),
        ({"positive.": 1.0}, {"positive": 1}),
        # What begins two labels is passed over while it weighs nothing.
        ({"positive": 0.9, "ne": 0.005, "n": 0.004}, {"positive": 1}),
        ({"positive": 0.9, "ne": 0.05}, {}),
        ({"ne": 1.0}, {}),
        ({"The": 0.6, "positive": 0.4}, {}),
        ({"positively": 1.0}, {}),
        ({"": 1.0, " ": 1.0, "\n": 1.0}, {}),
        ({}, {}),
    ],
)
def test_a_first_token_counts_for_the_label_that_it_begins(
    tokens: dict[str, float], scores: dict[str, float]
) -> None:
    found = scores_of_first_token(tokens, LABELS)
    if not scores:
        assert found == {}
        return
    assert set(found) == set(LABELS)
    assert dict(found) == pytest.approx({**dict.fromkeys(LABELS, 0.0), **scores})


def reply(said: str, **scores: float) -> Prediction:
    return Prediction(reply=said, scores=scores)


def test_labels_are_read_with_scores_that_agree() -> None:
    reader = LabelReader(load_prompt("sentiment"), scores=True)
    assert reader.capabilities.labels == ("negative", "positive")
    assert reader.capabilities.scores
    good, disagrees, vague, lost = reader.read(
        [
            reply("Positive.", positive=0.6, negative=0.2),
            reply("Positive.", negative=0.6, positive=0.2),
            reply("Hm, hard to say.", positive=0.6, negative=0.2),
            Prediction(failure=Failure.TIMED_OUT, detail="no answer in time"),
        ]
    )
    assert good.labels == ("positive",)
    assert dict(good.scores) == pytest.approx({"positive": 0.75, "negative": 0.25})
    assert good.reply == "Positive."
    assert (disagrees.labels, dict(disagrees.scores)) == (("positive",), {})
    assert vague.failure is Failure.UNPARSABLE
    assert vague.reply == "Hm, hard to say."
    assert not vague.scores
    assert lost == Prediction(failure=Failure.TIMED_OUT, detail="no answer in time")


def test_several_labels_have_no_scores() -> None:
    reader = LabelReader(load_prompt("ecthr-articles"), scores=True)
    assert not reader.capabilities.scores
    assert reader.capabilities.multi_label
    read = reader.read([reply("Article 6, Article 8", Article=1.0), reply("None")])
    assert [r.labels for r in read] == [("Article 6", "Article 8"), ()]
    assert not read[0].scores


class CountingJudge(JudgeReader):
    """VADER, real, through the real registry; its store counts."""

    @property
    def judged(self) -> int:
        return self._store.predicted


def test_a_judge_is_asked_each_distinct_reply_once() -> None:
    reader = CountingJudge("vader", trusted=False)
    lost = Prediction(failure=Failure.REFUSED, detail="no")
    replies = [
        reply("I love it."),
        reply("I hate it."),
        reply("I love it."),
        lost,
        reply("I love it.\n"),
    ]
    read = reader.read(replies)
    assert [r.labels for r in read] == [
        ("positive",),
        ("negative",),
        ("positive",),
        (),
        ("positive",),
    ]
    assert read[3] == lost
    assert [r.reply for r in read] == [r.reply for r in replies]
    assert reader.judged == 2
    reader.read(replies)
    assert reader.judged == 2
    assert reader.capabilities.labels == ("negative", "neutral", "positive")
    assert "vader" in reader.capabilities.note


def test_a_judge_reads_no_thoughts_and_nothing_empty() -> None:
    reader = CountingJudge("vader", trusted=False)
    loud, mute = reader.read(
        [reply("<think>I hate it, awful.</think>A lovely day."), reply("<think>Awful, I hate")]
    )
    assert loud.labels == ("positive",)
    assert mute.failure is Failure.UNPARSABLE
    assert reader.judged == 1


def test_who_reads_follows_from_the_name() -> None:
    name = parse_name("hf-chat:any?judge=vader")
    prompt, reader = reader_for(name)
    assert (prompt.name, type(reader)) == ("respond", JudgeReader)
    prompt, reader = reader_for(parse_name("hf-chat:any?prompt=scotus"))
    assert (prompt.name, type(reader)) == ("scotus", LabelReader)
    assert reader.capabilities.labels == prompt.labels
    with pytest.raises(ModelError, match="judge=vader"):
        reader_for(parse_name("hf-chat:any?prompt=respond"))
    with pytest.raises(ModelError, match="Unknown model"):
        reader_for(parse_name("hf-chat:any?judge=who"))
    # Its requests would stand in no estimate and no budget.
    for judge in ("hf-chat:org/name", "openai:tiny"):
        with pytest.raises(ModelError, match="cannot be a judge, as it answers in words itself"):
            reader_for(parse_name(f"hf-chat:any?judge={judge}", trusted=True))
    # A judge is no way around what is closed to a stranger.
    with pytest.raises(ModelError, match="command line"):
        reader_for(parse_name("hf-chat:any?judge=python:os:listdir"))


def test_labels_that_the_model_is_never_told_are_named() -> None:
    def note(query: str) -> str:
        return reader_for(parse_name(f"hf-chat:any?labels=warm,cold&{query}"))[1].capabilities.note

    assert note("question=Is it warm?").endswith(
        "its question does not name 1 of the labels, such as cold: write {labels} where they go"
    )
    assert note("question=Is it {labels}?") == note("") == "prompt: Your own labels"


@pytest.mark.slow
def test_another_judge_asks_the_generator_nothing_again(tmp_path: Path) -> None:
    def says(text: str, turn: int) -> str:
        return "A lovely, lovely day." if "good" in text else "An awful day, I hate it."

    texts = ["A good man.", "A bad man.", "Another good man."]
    judges = ("vader", "embedded", "scripted:odd if race; even otherwise")
    answers: dict[str, Any] = {}
    with FaultyServer(reply=says) as server:
        identities = set()
        for judge in judges:
            name = f"openai:tiny?base_url={server.base_url}&judge={judge}"
            store = PredictionStore(
                build_model(parse_name(name, trusted=True)),
                cache=PredictionCache(tmp_path / "cache.sqlite"),
            )
            identities.add(store.model.identity)
            answers[judge] = store.predict(texts)
            assert set(store.model.capabilities.labels) >= {
                label for answer in answers[judge].values() for label in answer.labels
            }
        assert server.asked == dict.fromkeys(texts, 1)
    # The replies are the same, the answers are not: a campaign files them by identity.
    assert len(identities) == len(judges)
    assert [answers["vader"][t].labels[0] for t in texts] == ["positive", "negative", "positive"]
    assert [answers["embedded"][t].labels[0] for t in texts] == ["positive", "negative", "positive"]
    assert {a.labels for a in answers["scripted:odd if race; even otherwise"].values()} == {
        ("even",)
    }


def test_a_better_reader_asks_nothing_again_either(tmp_path: Path) -> None:
    with FaultyServer(reply=lambda text, turn: "Well: positive or negative?") as server:
        name = f"openai:tiny?base_url={server.base_url}"
        model = build_model(parse_name(name, trusted=True))
        cache = PredictionCache(tmp_path / "cache.sqlite")
        assert PredictionStore(model, cache=cache).predict(["a"])["a"].failure
        raw = cache.get(model.reply_identity, ["a"])["a"][0]
        assert (raw.reply, raw.failure, raw.labels) == ("Well: positive or negative?", None, ())
        PredictionStore(model, cache=cache).predict(["a"])
        assert server.asked["a"] == 1
