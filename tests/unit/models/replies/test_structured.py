"""Answers as JSON: with a reason, as lists, flags or scores; what has no single reading is none."""

from __future__ import annotations

import pytest

from tests.unit.models.replies.reader import (
    BITS,
    FEELINGS,
    NEGATIVE,
    NO_LABEL,
    POSITIVE,
    STARS,
    Answer,
    read,
)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"label":"positive","reason":"no negative words"}', POSITIVE),
        (
            '```json\n{"reason":"nothing negative","label":"positive"}\n```\nHope that helps!',
            POSITIVE,
        ),
        (
            'Sure! {"sentiment": "Positive", "confidence": 0.93, "why": "nothing negative in it"}',
            POSITIVE,
        ),
        ("{'label': 'positive', 'reason': 'not negative'}", POSITIVE),
        ("{label: positive, reason: not negative}", POSITIVE),
        ('{"label":"positive","reason":"no negative words",}', POSITIVE),
        ('{"positive":0.9,"negative":0.1}', POSITIVE),
        ('{"positive":0.5,"negative":0.5}', NO_LABEL),
        ('{"positive":"90%","negative":"10%"}', POSITIVE),
        ('{"positive":false,"negative":true}', NEGATIVE),
        ('{"positive":true,"negative":true}', NO_LABEL),
        ('{"positive":0.3}', NO_LABEL),
        ('{"positive":0,"negative":0}', NO_LABEL),
        ('{"label":"positive","scores":{"positive":0.2,"negative":0.8}}', NO_LABEL),
        ('{"label":"positive","scores":{"positive":0.8,"negative":0.2}}', POSITIVE),
        ('[{"label":"positive","score":0.9},{"label":"negative","score":0.1}]', POSITIVE),
        ('[{"label":"positive"}]', POSITIVE),
        ('["positive"]', POSITIVE),
        ('["positive","negative"]', NO_LABEL),
        ("[]", NO_LABEL),
        ("{}", NO_LABEL),
        ('{"label":["positive"]}', POSITIVE),
        ('{"result":{"sentiment":"positive"},"text":"a negative word"}', POSITIVE),
        ('{"label":"positive"}\n{"label":"negative"}', NO_LABEL),
        ('{"label":"positive","label":"negative"}', NO_LABEL),
        ('{"label":"positive"', POSITIVE),
        ('{"label": null}', NO_LABEL),
        ('{"label":"mixed","reason":"positive and negative"}', NO_LABEL),
        ('{"predicted_label":"positive"}', POSITIVE),
        ('{"final_answer":"positive","first":"negative"}', POSITIVE),
        ('{"text":"negative","tone_of_text":"positive"}', POSITIVE),
        ("<answer></answer>", NO_LABEL),
    ],
)
def test_an_object_names_one_label(reply: str, answer: Answer) -> None:
    assert read(reply) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"label":"positive","reason":"the', POSITIVE),
        ('{"reason":"the word positive', NO_LABEL),
    ],
)
def test_an_object_that_was_cut_off(reply: str, answer: Answer) -> None:
    assert read(reply, cut=True) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"anger":1,"joy":0}', ("anger",)),
        ('{"anger":true,"joy":false,"fear":true}', ("anger", "fear")),
        ('{"anger":0,"joy":0,"fear":0}', ()),
        ('{"anger":0.9,"joy":0.2,"fear":0.6}', ("anger", "fear")),
        ('{"anger":5,"joy":1}', NO_LABEL),
        ('{"anger":"yes","joy":"no"}', ("anger",)),
        ("[]", ()),
        ('{"labels":[]}', ()),
        ('{"emotions":["joy","fear"]}', ("joy", "fear")),
        ('["joy","bliss"]', NO_LABEL),
        ("none", ()),
        ('["none"]', ()),
        ('{"labels":"joy, fear"}', ("joy", "fear")),
        ("anger: 1\njoy: 0\nfear: 0", ("anger",)),
        ("anger: no\njoy: no\nfear: no", ()),
        ("anger: 1, joy: 0", NO_LABEL),
        (
            '[{"label":"joy","score":0.9},{"label":"fear","score":0.1},{"label":"anger","score":0.1}]',
            ("joy",),
        ),
        ('[{"label":"joy"},{"label":"fear"}]', ("joy", "fear")),
        ("Emotions: joy, fear", ("joy", "fear")),
        ("I considered anger.\njoy", NO_LABEL),
        ("There is no anger.\njoy\nfear", ("joy", "fear")),
        ("<answer>joy, fear</answer>", ("joy", "fear")),
        ("The emotions are joy and fear.", ("joy", "fear")),
    ],
)
def test_flags_and_scores_of_several_labels(reply: str, answer: Answer) -> None:
    assert read(reply, FEELINGS, several=True) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"anger":1,"joy":0,"fear":0}', ("anger",)),
        ('{"anger":1,"joy":1,"fear":0}', NO_LABEL),
    ],
)
def test_flags_of_one_label(reply: str, answer: Answer) -> None:
    assert read(reply, FEELINGS) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("0.85", NO_LABEL),
        ("10", NO_LABEL),
        ("-0", NO_LABEL),
        ("- 0.5", NO_LABEL),
        ("0,85", NO_LABEL),
        ("0/1", NO_LABEL),
        ("1e0", NO_LABEL),
        ("1.0", NO_LABEL),
        ("0%", NO_LABEL),
        ("100", NO_LABEL),
        ("-1", NO_LABEL),
        ("+1", NO_LABEL),
        ("01", NO_LABEL),
        ("v1", NO_LABEL),
        (".0", NO_LABEL),
        ("0-1", NO_LABEL),
        ("1 of 3 words", NO_LABEL),
        ("There is 1 reason", NO_LABEL),
        ("In 1 sentence: kind.", NO_LABEL),
        ("0", ("0",)),
        ("1.", ("1",)),
        ("**1**", ("1",)),
        ("Label: 1", ("1",)),
        ("The answer is 1.", ("1",)),
        ("1 - hateful", ("1",)),
        ("(0)", ("0",)),
        ("Class 1: hateful.", ("1",)),
        ('{"label":1}', ("1",)),
        ('{"label":"0","confidence":0.85}', ("0",)),
        ("I'd say 1.", ("1",)),
        ("1\nThere are 0 doubts", ("1",)),
    ],
)
def test_a_digit_is_a_label_only_as_a_whole_number(reply: str, answer: Answer) -> None:
    assert read(reply, BITS) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("4", ("4",)),
        ("4/5", NO_LABEL),
        ("Rating: 4 out of 5", NO_LABEL),
        ("Rating: 4/5", NO_LABEL),
        ('{"score": 4}', ("4",)),
        ('{"rating": 4, "reason":"1 flaw"}', ("4",)),
        ("4 stars", ("4",)),
    ],
)
def test_grades(reply: str, answer: Answer) -> None:
    assert read(reply, STARS) == answer
