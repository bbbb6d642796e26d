"""A denial behind a letter, a number or a refusal may be a gloss; no denied label answers."""

from __future__ import annotations

import pytest

from tests.unit.models.replies.reader import FEELINGS, NO_LABEL, REFUSED, read

RANKS = ("A", "B", "C")
CHOICES = ("invite", "reject")
GLOSSED = (
    "{} - {}", "{} ({})", "{}. {}", "{}\n{}", "{}) {}", "**{}** \u2013 {}", "{}\u2014{}",
    "Answer: {} - {}", "Decision: {}. {}", "**Answer:** {} ({}).", "The answer is {} ({}).",
)  # fmt: skip
LISTED = ("{}: {}", "{} = {}", "{}, {}", "{}; {}", "Answer: {}: {}", "Rating: {}, {}.")
# Sets of labels, of which the first is denied, and denials with words of its own.
DENIED = (
    (("toxic", "ok"), ("No toxicity detected", "not offensive", "not toxic at all")),
    (("hate", "none"), ("no hateful language", "not hostile", "not hateful")),
    (("invite", "reject"), ("not recommended", "not suitable", "no invitation")),
    (("positive", "negative"), ("no evidence", "not happy", "not positive in tone")),
    (("high", "low"), ("not supported by evidence", "not serious", "not high")),
)
OF_ANY = (
    "not", "not really", "not at all", "not the answer", "not this one", "not applicable",
    "not in this text", "not if one reads on", "not supported by evidence", "not observed",
    "not recommended", "not an option", "not the best", "not enough information", "not necessary",
    "not there yet", "no evidence", "no signs of it", "not suitable, or is he?",
    "not suitable, but I may be wrong",
)  # fmt: skip


@pytest.mark.parametrize("frame", GLOSSED)
@pytest.mark.parametrize(
    ("label", "gloss", "labels"),
    [
        ("A", "very suitable", RANKS),
        ("C", "not suitable", RANKS),
        ("C", "Not suitable for the post", RANKS),
        ("B", "Not a fit", RANKS),
        ("invite", "well qualified", CHOICES),
        ("reject", "Not a fit", CHOICES),
        ("reject", "not enough experience", CHOICES),
        ("reject", "not in line with the advertisement", CHOICES),
        ("no", "not suitable", ("yes", "no")),
        ("not hate", "not hostile", ("hate", "not hate")),
    ],
)
def test_a_gloss_is_read_whether_or_not_it_denies_something(
    frame: str, label: str, gloss: str, labels: tuple[str, ...]
) -> None:
    assert read(frame.format(label, gloss), labels) == (label,)


@pytest.mark.parametrize("frame", GLOSSED + LISTED)
@pytest.mark.parametrize(("labels", "denials"), DENIED)
def test_a_denied_word_is_never_an_answer(
    frame: str, labels: tuple[str, ...], denials: tuple[str, ...]
) -> None:
    for denial in denials:
        assert read(frame.format(labels[0], denial), labels) == NO_LABEL


@pytest.mark.parametrize("frame", GLOSSED + LISTED)
@pytest.mark.parametrize("denial", OF_ANY)
def test_a_denial_of_the_label_itself_is_no_gloss(frame: str, denial: str) -> None:
    for label, labels in (("A", RANKS), ("1", ("1", "2")), ("reject", CHOICES)):
        assert read(frame.format(label, denial), labels) in (NO_LABEL, REFUSED), label


@pytest.mark.parametrize("frame", LISTED)
def test_behind_the_mark_of_a_list_nothing_is_a_gloss(frame: str) -> None:
    for label, labels in (("C", RANKS), ("1", ("1", "2")), ("reject", CHOICES)):
        assert read(frame.format(label, "not suitable"), labels) == NO_LABEL


@pytest.mark.parametrize("mark", [": ", " - ", ". ", " (", ") "])
def test_a_list_of_labels_has_no_glosses(mark: str) -> None:
    lines = [f"{label}{mark}not good" for label in RANKS]
    for between in ("\n", ". ", "; ", ", "):
        assert read(between.join(lines), RANKS) == NO_LABEL
        assert read(between.join([*lines[:2], f"C{mark}good"]), RANKS) in (NO_LABEL, ("C",))
    assert read(f"1{mark}not hate, 2{mark}mild", ("1", "2")) == NO_LABEL
    assert read("A: not good\nB: not good\nC: good", RANKS) == ("C",)
    assert read("Class: A - not good\nB - good", RANKS) == NO_LABEL


def test_a_gloss_goes_with_an_explanation_but_with_no_refusal_or_denial() -> None:
    assert read("C - not suitable. She has never worked in a shop.", RANKS) == NO_LABEL
    assert read("C - not suitable. There is no experience of a shop.", RANKS) == ("C",)
    assert read("1. not suitable", ("1", "2")) == NO_LABEL  # it begins a list
    assert read("C - not able to judge this", RANKS) == REFUSED
    assert read("C - not suitable", RANKS, cut=True) == NO_LABEL
    assert read("suitable - not suitable", ("suitable", "unsuitable")) == NO_LABEL
    assert read("anger - not a calm letter", FEELINGS, several=True) == NO_LABEL
