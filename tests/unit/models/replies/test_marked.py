"""Answers that are marked or named in words; doubts, denials, cuts and refusals are none."""

from __future__ import annotations

import pytest

from tests.unit.models.replies.reader import (
    FEELINGS,
    LETTERS,
    NEGATIVE,
    NO_LABEL,
    POSITIVE,
    REFUSED,
    YES_NO,
    Answer,
    read,
)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("The text is not negative.\n<answer>positive</answer>", POSITIVE),
        ("<answer>positive</answer> <answer>negative</answer>", NO_LABEL),
        ("<answer>positive</answer> Wait, actually it is negative.", NO_LABEL),
        ("The answer is \\boxed{positive}. It's not negative", POSITIVE),
        ("$\\boxed{\\text{positive}}$ rather than negative", POSITIVE),
        ("My verdict: [[positive]], since nothing negative", POSITIVE),
        ("Classification: positive\nExplanation: no negative words were used.", POSITIVE),
        ("**Reasoning:** not negative\n\n**Sentiment:** positive", POSITIVE),
        ("**Sentiment**: positive\n**Reason**: the word negative isn't there", POSITIVE),
        ("### Sentiment\npositive\n### Explanation\nNothing negative", POSITIVE),
        ("Sentiment: negative\nWait, I misread. Sentiment: positive", NO_LABEL),
        ("Sentiment: negative at first.\nFinal answer: positive", POSITIVE),
        ("Step 1: the label negative is not right.\nTherefore, the label is positive", POSITIVE),
        ("Label: [positive]", POSITIVE),
        ("Label = 'positive'", POSITIVE),
        ("Sentiment \u2192 positive", POSITIVE),
        ("Answer: positive or negative", NO_LABEL),
        ("Answer: not positive", NO_LABEL),
        ("Sentiment: positive\nFinal answer: not positive", NO_LABEL),
        ("Labels: positive, negative\nAnswer: negative", NEGATIVE),
        ("Possible labels: positive, negative\nAnswer: negative", NEGATIVE),
        ("positive\n\nThere is not one negative word.", POSITIVE),
        ("positive\n\nThe critic makes a negative remark about the bread.", POSITIVE),
        ("negative\nWait, it is positive.", NO_LABEL),
        ("It might be negative at first sight.\npositive", POSITIVE),
        ("positive\nnegative", NO_LABEL),
        ("Positive. Nothing negative here.", POSITIVE),
        ("I thought about negative. Positive.", POSITIVE),
        ("Positive. Not.", NO_LABEL),
        ("Output: positive\n\nText: The room was cold.\nOutput: negative", NO_LABEL),
        ("> positive", POSITIVE),
        ("\u2705 Positive", POSITIVE),
        ("positive \ud83d\ude0a", POSITIVE),
        ("- **Positive**", POSITIVE),
        ("'positive'.", POSITIVE),
        ("Sentiment: Positive (95%)", POSITIVE),
        ("positive (0.95)", POSITIVE),
        ("positive: 0.1", NO_LABEL),
        ("The overall sentiment of this text is positive because it is not negative.", POSITIVE),
        ("Do you want me to call it positive?", NO_LABEL),
        ("positive?", NO_LABEL),
        ("Is it negative? No, it is positive.", POSITIVE),
        ("positive<|im_end|>\n<|im_start|>user\nnegative", POSITIVE),
        ("<|im_start|>assistant\npositive<|im_end|>", POSITIVE),
        ("positive</s>", POSITIVE),
        ("<start_of_turn>model\npositive<end_of_turn>", POSITIVE),
        ("positive<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nnegative", POSITIVE),
        ("It is neither.", NO_LABEL),
        ("less positive than it seems", NO_LABEL),
        ("It lacks anything positive.", NO_LABEL),
        ("The label is positive.", POSITIVE),
        ("The label could be negative, but the label is positive.", POSITIVE),
        ("I'd go with positive.", POSITIVE),
        ("It's positive, though some would say negative.", NO_LABEL),
        ("Sentiment: positive\nSubjectivity: high\nNegative words: none", POSITIVE),
        ("Let's analyze.\n1. kind -> positive\n2. rude -> negative\nOverall: positive", POSITIVE),
        (
            "Let's see.\n1. kind -> positive\n2. rude -> negative\n\nAll in all, it is positive.",
            NO_LABEL,
        ),
        ("positive/negative", NO_LABEL),
        ("positive|negative", NO_LABEL),
        ("The text conveys a *positive* sentiment", POSITIVE),
        ("Not negative.\nSentiment: Positive\n\nLet me know if you need anything else!", POSITIVE),
        ("Sentiment: Positive\n\nLet me know if you'd like the negative aspects listed.", POSITIVE),
        ("assistantpositive", NO_LABEL),
        ("assistant\n\npositive", POSITIVE),
        ("assistant: positive", POSITIVE),
        ('{"label":"positive"}\n\nExplanation: actually some could say negative', NO_LABEL),
        ("```\npositive\n```", POSITIVE),
        ('```json\n{\n  "sentiment": "positive"\n}\n```', POSITIVE),
        ("<label>positive</label>", POSITIVE),
        ("<sentiment>positive</sentiment><reason>not negative</reason>", POSITIVE),
        ('<response>{"label":"positive"}</response>', POSITIVE),
        ("<|assistant|>positive<|end|>", POSITIVE),
        ("positive<|endoftext|>Human: negative", POSITIVE),
        ("Final answer: \\boxed{positive}", POSITIVE),
        ("#### positive", POSITIVE),
        ("The final answer is: positive", POSITIVE),
        ("label: positive\nconfidence: high\nreason: despite the negative word", POSITIVE),
        ("sentiment: positive\nreasoning: negative", POSITIVE),
        ("Text: The room was negative.\nSentiment: positive", POSITIVE),
        (
            "Reasoning: the user wants positive or negative. The text is kind, hence positive.",
            NO_LABEL,
        ),
        ('{"reasoning":"could be negative","sentiment":"positive"}', POSITIVE),
        ('<tool_call>{"name":"classify","arguments":{"label":"positive"}}</tool_call>', NO_LABEL),
        ('{"name":"classify","arguments":{"label":"positive"}}', NO_LABEL),
        ("null", NO_LABEL),
        ("N/A", NO_LABEL),
    ],
)
def test_a_marked_answer_counts_if_all_marks_agree(reply: str, answer: Answer) -> None:
    assert read(reply) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Emotions:\n- anger\n- joy", ("anger", "joy")),
        ("Emotions: anger\njoy", ("anger", "joy")),
        ("**Labels:**\n\n1. anger\n2. joy", ("anger", "joy")),
        ("Answer:\nanger\njoy\n\nExplanation: no fear.", ("anger", "joy")),
    ],
)
def test_several_labels_are_a_list(reply: str, answer: Answer) -> None:
    assert read(reply, FEELINGS, several=True) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Let me think. The word kind is positive but the", NO_LABEL),
        ("positive", POSITIVE),
        ("The answer is positive", NO_LABEL),
        ("Answer: positive", NO_LABEL),
        ("Answer: positive\nBecause the", POSITIVE),
        ("<answer>positive</answer> as", POSITIVE),
        ("<answer>positive", NO_LABEL),
        ("It could be\npositive", NO_LABEL),
        ("positive\nThe text", POSITIVE),
    ],
)
def test_a_reply_that_was_cut_off_counts_if_its_answer_is_complete(
    reply: str, answer: Answer
) -> None:
    assert read(reply, cut=True) == answer


@pytest.mark.parametrize("labels", [("Article 1", "Article 10"), ("very", "very bad")])
def test_a_label_that_begins_another_may_be_cut_off(labels: tuple[str, ...]) -> None:
    assert read(labels[0], labels, cut=True) == NO_LABEL
    assert read(labels[0], labels) == labels[:1]
    assert read(labels[1], labels, cut=True) == labels[1:]


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("I must decline to answer.", REFUSED),
        ("I can't assist with that.", REFUSED),
        ("I cannot help with this request.", REFUSED),
        ("I'm sorry, but I can't classify this as positive or negative.", REFUSED),
        ("I won't label this text positive.", REFUSED),
        ("I'm not able to judge whether this is positive or negative.", REFUSED),
        ("As an AI, I have no opinion.", REFUSED),
        ("I refuse to rate it positive.", REFUSED),
        ("This request violates the content policy.", REFUSED),
        ("I'd rather not say.", REFUSED),
        ("I am not comfortable labelling this.", REFUSED),
        ("I respectfully decline.", REFUSED),
        ("We cannot provide a rating.", REFUSED),
        ("Sorry, I can't comply.", REFUSED),
        ("I\u2019m unable to assist.", REFUSED),
        ("I apologize, but no.", REFUSED),
        ("Unfortunately, I am unable to evaluate this text.", REFUSED),
        ("I will not answer that.", REFUSED),
        ("I cannot fulfill this request.", REFUSED),
        ("I do not feel comfortable answering this.", REFUSED),
        ("I'm sorry to hear that. The text is negative.", NEGATIVE),
        ("I can't say more; Answer: negative.", NEGATIVE),
    ],
)
def test_who_declines_has_not_answered(reply: str, answer: Answer) -> None:
    assert read(reply) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("A clerk was kind", NO_LABEL),
        ("B", ("B",)),
        ("B) rude", ("B",)),
        ("The answer is B.", ("B",)),
        ("B. The text is rude", ("B",)),
        ("Option A", ("A",)),
        ("I think it is a bad text", NO_LABEL),
    ],
)
def test_a_letter_is_no_article(reply: str, answer: Answer) -> None:
    assert read(reply, LETTERS) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("No, there is nothing.", ("no",)),
        ("There is no hate here.", NO_LABEL),
        ("Yes.", ("yes",)),
        ("Yes, it is.", ("yes",)),
        ("No.", ("no",)),
        ("It is no joke. yes", ("yes",)),
        ("Answer: no", ("no",)),
        ("I have no idea.", NO_LABEL),
    ],
)
def test_yes_and_no_are_also_common_words(reply: str, answer: Answer) -> None:
    assert read(reply, YES_NO) == answer


@pytest.mark.parametrize(
    ("reply", "labels", "answer"),
    [
        ("[Reasoning]", ("reasoning", "other thing"), ("reasoning",)),
        ("hate", ("hate", "no hate"), ("hate",)),
        ("no hate", ("hate", "no hate"), ("no hate",)),
        ("not hate", ("hate", "no hate"), NO_LABEL),
        ("There is no hate.", ("hate", "no hate"), ("no hate",)),
        ("non-toxic", ("toxic", "non-toxic"), ("non-toxic",)),
        ('{"toxic":0,"non-toxic":1}', ("toxic", "non-toxic"), ("non-toxic",)),
        ("very positive", ("positive", "very positive"), ("very positive",)),
        ("Sentiment: very positive", ("positive", "very positive"), ("very positive",)),
        (
            "entailment\n\nThe premise contradicts nothing; no contradiction.",
            ("entailment", "contradiction", "neutral"),
            ("entailment",),
        ),
        ("World", ("World", "Sports", "Business", "Sci/Tech"), ("World",)),
        ("Sci/Tech", ("World", "Sports", "Business", "Sci/Tech"), ("Sci/Tech",)),
        ("Category: Sci/Tech", ("World", "Sports", "Business", "Sci/Tech"), ("Sci/Tech",)),
        ("C++", ("C++", "C"), ("C++",)),
        ("The language is C++.", ("C++", "C"), ("C++",)),
        ("LABEL_1", ("LABEL_0", "LABEL_1"), ("LABEL_1",)),
        ("label 1", ("LABEL_0", "LABEL_1"), ("LABEL_1",)),
    ],
)
def test_labels_of_many_kinds(reply: str, labels: tuple[str, ...], answer: Answer) -> None:
    assert read(reply, labels) == answer
