import pytest

from hinter_core.models.answers import parse_answer
from hinter_core.models.prompts import load_prompt, shipped_prompts
from hinter_core.types import Failure

ARTICLES = ("Article 1", "Article 10", "Article 14", "Article 1 of Protocol 1")


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("positive", "positive"),
        ("  **Positive**.\n", "positive"),
        ("Answer: negative", "negative"),
        ("The sentiment of this text is positive.", "positive"),
        ("Reasoning: it drags.\nFinal answer: Negative", "negative"),
    ],
)
def test_one_label_is_read(answer: str, label: str) -> None:
    assert parse_answer(answer, ("negative", "positive")).labels == (label,)


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ("", Failure.UNPARSABLE),
        ("...", Failure.UNPARSABLE),
        ("positive or negative, hard to say", Failure.UNPARSABLE),
        ("It is not positive.", Failure.UNPARSABLE),
        ("It is positively dreadful", Failure.UNPARSABLE),
        ("I'm sorry, but I can't help with that.", Failure.REFUSED),
        ("I cannot judge this text.", Failure.REFUSED),
    ],
)
def test_no_guess(answer: str, failure: Failure) -> None:
    assert parse_answer(answer, ("negative", "positive")).failure is failure


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        ("Article 10", ("Article 10",)),
        ("Article 1 of Protocol 1", ("Article 1 of Protocol 1",)),
        ("Answer: Article 14, Article 1 of Protocol 1", ("Article 14", "Article 1 of Protocol 1")),
        ("article 1, article 1 OF protocol 1", ("Article 1", "Article 1 of Protocol 1")),
        ("None", ()),
        ("Answer: none.", ()),
    ],
)
def test_several_labels_longest_first(answer: str, labels: tuple[str, ...]) -> None:
    answered = parse_answer(answer, ARTICLES, multi_label=True, none_label="None")
    assert answered.answered
    assert answered.labels == labels


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
