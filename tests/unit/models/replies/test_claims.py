"""Sentences of clear shapes are answers; doubts, conditions and longer noun phrases are none."""

from __future__ import annotations

import pytest

from hinter_core.models.replies.reading import parse_answer
from tests.unit.models.replies.reader import (
    FEELINGS,
    NEGATIVE,
    NO_LABEL,
    POSITIVE,
    REFUSED,
    STARS,
    Answer,
    read,
)


@pytest.mark.parametrize(
    "reply",
    [
        "Nothing about this is positive.",
        "None of those words are positive.",
        "Few would call it positive.",
        "It fails to sound positive.",
        "It only pretends to be positive.",
        "This is a positive feedback loop.",
        "The false positive rate is high.",
        "To call it positive, I would need more.",
        "Tell me more before I say positive.",
        "Either it is positive",
        "Perhaps positive.",
        "Positive, maybe.",
        "I do not believe it is positive.",
        "I doubt the sentiment is positive.",
        "I don't think the sentiment is positive.",
        "I question whether the label is positive.",
        "It's a stretch to say the sentiment is positive.",
        "It is wrong to say that this is positive.",
        "It isn't clear that the answer is positive.",
        "It would be positive if the cook were kind.",
        "If the tone is warm, the label is positive.",
        "It is positive only if he smiles.",
        "They say it is positive.",
        "The opposite is positive.",
        "For example, the label is positive.",
        "Answer: maybe positive",
        "Labels:\npositive\nnegative\nThat is all.",
        "| Option |\n|---|\n| negative |\n| positive |",
        "| 1 | positive |\n| 2 | negative |",
        "\u274c positive",
        "\U0001f44e positive",
        "[ ] positive",
    ],
)
def test_a_doubt_is_no_answer(reply: str) -> None:
    assert read(reply) == NO_LABEL


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("I'd call this positive.", POSITIVE),
        ("I think the sentiment is positive.", POSITIVE),
        ("Overall, I would rate it negative.", NEGATIVE),
        ("The tone of the review is clearly positive.", POSITIVE),
        ("This letter has an overall negative tone.", NEGATIVE),
        ("Based on the words used, it is positive.", POSITIVE),
        ("The answer should be positive.", POSITIVE),
        ("La respuesta es positive.", POSITIVE),
        ("It is positive.\nIt is not negative.", POSITIVE),
        ("Negative (no positive remarks at all)", NEGATIVE),
        ("positive [nothing negative]", POSITIVE),
        ("Positive, as nothing negative is said.", POSITIVE),
        ("negative because the cook is never positive", NEGATIVE),
        ("positive (no)", NO_LABEL),
        ("\u2705 positive\n\u274c negative", POSITIVE),
        ("| positive | no |\n| negative | yes |", NEGATIVE),
        ("I cannot tell whether it is positive.", REFUSED),
        ("I can\u2019t say if it's negative or positive.", REFUSED),
        ("We can't decide which is right, positive or negative.", REFUSED),
        ("<|think|>so negative<|end|><|begin|>assistant<|content|>positive<|end|>", POSITIVE),
        ("<|begin|>assistant<|content|>negative<|end|>", NEGATIVE),
        ("<|begin|>assistant<|think|>it is positive", NO_LABEL),
    ],
)
def test_a_sentence_of_a_clear_shape_is_an_answer(reply: str, answer: Answer) -> None:
    assert read(reply) == answer


@pytest.mark.parametrize(
    ("reply", "labels", "answer"),
    [
        ("It is false to call it true.", ("true", "false"), NO_LABEL),
        ("It is true that some of it is false.", ("true", "false"), NO_LABEL),
        ("Label: not hate speech", ("hate", "not_hate"), NO_LABEL),
        ("It is hate mail.", ("hate", "not_hate"), NO_LABEL),
        ("The post is not hate.", ("hate", "not_hate"), ("not_hate",)),
        ("4 stars", STARS, ("4",)),
        ("I'd rate this 2.", STARS, ("2",)),
        ("I'd give it 5 stars.", STARS, ("5",)),
        ("I would rate it a 3.", STARS, ("3",)),
        ("3 to 4 stars", STARS, NO_LABEL),
        ("4 stars out of 10", STARS, NO_LABEL),
        ("almost 4 stars", STARS, NO_LABEL),
        ("I would rate it 4 or 5.", STARS, NO_LABEL),
    ],
)
def test_claims_of_labels_that_are_common_words(
    reply: str, labels: tuple[str, ...], answer: Answer
) -> None:
    assert read(reply, labels) == answer


CHOICES = ("invite", "reject")
DOUBTS = (
    "depending on references", "assuming he can work", "could be wrong", "might be sarcastic",
    "said nobody ever", "cannot be justified", "is ruled out", "never mind",
)  # fmt: skip


@pytest.mark.parametrize("doubt", DOUBTS)
@pytest.mark.parametrize("frame", ["{}, {}", "{} - {}", "{}: {}.", "{}. {}", "Answer: {} ({})"])
def test_what_makes_a_claim_depend_or_takes_it_back(frame: str, doubt: str) -> None:
    assert read(frame.format("invite", doubt), CHOICES) == NO_LABEL


@pytest.mark.parametrize("verb", ["determine", "assess", "decide", "provide an assessment"])
def test_what_cannot_be_judged_is_no_answer(verb: str) -> None:
    for frame in ("invite: {}", "invite - {}", "invite, {}", "Answer: invite ({})", "invite\n{}"):
        found = read(frame.format(f"unable to {verb}"), CHOICES)
        assert found in (REFUSED, NO_LABEL), frame


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("reject because she isn't qualified", ("reject",)),
        ("Reject. No experience of the trade.", ("reject",)),
        ("Reject (she isn't qualified)", ("reject",)),
        ("invite: not supported. Reject.", ("reject",)),
        ("invite: not possible\nreject: certain", ("reject",)),
        ("Invite. No invitation is due.", NO_LABEL),
        ("Invite. No.", NO_LABEL),
        ("Invite. No signs of it.", NO_LABEL),
        ("invite) not worth inviting", NO_LABEL),
        ("Decision: invite. Not this time.", NO_LABEL),
    ],
)
def test_a_label_that_is_denied_counts_for_none(reply: str, answer: Answer) -> None:
    assert read(reply, CHOICES) == answer


POSTS = ("ok", "toxic")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("OK! I can help. This is toxic.", ("toxic",)),
        ("Ok. Let me think about it. It is toxic.", ("toxic",)),
        ("OK! Here is my answer: toxic", ("toxic",)),
        ("This post reads as **toxic** to me.", ("toxic",)),
        ("This post reads as **ok** to me.", ("ok",)),
        ("I would say it is ok \U0001f602", ("ok",)),
        ("OK. The post is friendly.", ("ok",)),
        ("OK", ("ok",)),
        ("OK. This is toxic.", "it gives two answers"),
        ("This is toxic. OK!", "it gives two answers"),
        ("OK! Somebody is insulted, so I would say that it sounds toxic.", "it gives two answers"),
        ("OK! I can help with that.", "it names no label"),
        ("This is not ok.", "it denies a label"),
        ("This isn't ok.", "it denies a label"),
        ("This reads as not toxic to me.", "it denies a label"),
        ("Sure, ok: it's fine", "it names a label without a clear claim"),
    ],
)
def test_an_ordinary_word_as_a_label(reply: str, answer: str | tuple[str, ...]) -> None:
    found = parse_answer(reply, POSTS)
    assert (found.detail.split(":")[0] if found.failure else found.labels) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (
            "| feeling | there |\n|---|---|\n| anger | yes |\n| joy | no |\n| fear | no |",
            ("anger",),
        ),
        ("anger | \u2705\njoy | \u274c\nfear | \u2705", ("anger", "fear")),
        ("- \u2705 anger\n- \u274c joy\n- \u274c fear", ("anger",)),
        ("anger \u2714\ufe0f\njoy \u2716\ufe0f\nfear \u2716\ufe0f", ("anger",)),
        ("- [x] anger\n- [ ] joy\n- [ ] fear", ("anger",)),
        ("[ ] anger\n[ ] joy\n[ ] fear", ()),
        ("Feelings:\n\u2705 anger\n\u274c joy\n\u274c fear", ("anger",)),
        ("Here they are:\n\n**anger**: no\n**joy**: yes\n**fear**: no", ("joy",)),
        ("Anger - yes\nJoy - no\nFear - no", ("anger",)),
        ("\u2705 anger", ("anger",)),
        ("anger: no", NO_LABEL),
        ("\u274c joy", NO_LABEL),
        ("anger: no\njoy: yes", NO_LABEL),
        ("anger: yes\nanger: no\njoy: no\nfear: no", NO_LABEL),
        ("anger: high\njoy: low\nfear: low", NO_LABEL),
        ("| anger | maybe |\n| joy | no |\n| fear | no |", NO_LABEL),
        ("\u2705 anger, \u274c joy, \u274c fear", NO_LABEL),
        ("Found: anger\nLacking: joy, fear", NO_LABEL),
        ("\u2796 anger\n\u2795 joy", NO_LABEL),
        ("anger: [x]\njoy: [ ]\nfear: [ ]", ("anger",)),
        ("Feelings: \u2705 anger \u274c joy", NO_LABEL),
        ("\u2705 anger\n\u274c joy\nfear is unclear", NO_LABEL),
        ("It might be anger, possibly fear.", NO_LABEL),
        ("I wonder about anger and fear.", NO_LABEL),
        ("The note expresses anger and fear.", ("anger", "fear")),
        ("Anger and fear, because there is no joy.", ("anger", "fear")),
        ("None of these emotions apply.", ()),
        ("None of this is clear.", NO_LABEL),
    ],
)
def test_lines_and_sentences_about_several_labels(reply: str, answer: Answer) -> None:
    assert read(reply, FEELINGS, several=True) == answer
