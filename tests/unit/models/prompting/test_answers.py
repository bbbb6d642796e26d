"""Free answers: what is read, what is refused, and that nothing is guessed."""

from __future__ import annotations

import pytest

from hinter_core.models.prompting.answers import parse_answer, without_thoughts
from hinter_core.models.prompting.prompts import Prompt, load_prompt, shipped_prompts
from hinter_core.types import Failure

SENTIMENT = ("negative", "positive")
ARTICLES = ("Article 1", "Article 10", "Article 14", "Article 1 of Protocol 1")
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
        ('{"positive": 0.9, "negative": 0.1}', Failure.UNPARSABLE),
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
        ("<THINK>x</THINK> <think>It may be", " "),
        ("a < b and <b>negative</b>", "a < b and <b>negative</b>"),
    ],
)
def test_thoughts_are_no_answer(reply: str, rest: str) -> None:
    assert without_thoughts(reply) == rest
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
