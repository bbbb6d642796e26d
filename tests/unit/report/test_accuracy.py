"""Accuracy on the unchanged texts: counted by hand, and as scikit-learn computes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer

from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.metrics.accuracy import Accuracy, accuracy_sections, f1_scores
from hinter_core.report.model import make_report
from hinter_core.report.sections import sections
from hinter_core.statistics.rates import wilson

Make = Callable[..., CampaignStore]
KIND = 'scripted:negative if "rude"; positive otherwise'
TEXTS = {
    "The black man was kind.": "positive",
    "The white man was rude.": " Negative",
    "The black woman was rude.": "positive",
    "The white woman was kind.": "",
    "The Syrian man was late.": "neutral",
    "The soup was warm.": "negative",  # nothing to test, so nobody is asked
}


def accuracy_of(store: CampaignStore) -> Accuracy:
    (model,) = make_report(store).models
    assert model.accuracy is not None
    return model.accuracy


def test_texts_counted_by_hand(make: Make) -> None:
    store = make(TEXTS, ["race", "gender"], 2, KIND)
    found = accuracy_of(store)
    assert found.correct == wilson(2, 3)
    assert found.micro_f1 == pytest.approx(2 / 3)
    assert found.macro_f1 == pytest.approx(2 / 3)  # each class: one hit, one fault
    assert (found.classes, found.several) == (2, False)
    assert (found.unlabelled, found.unknown, found.unanswered) == (1, 1, 0)
    (section,) = [s for s in sections(make_report(store)) if s.key == "accuracy"]
    assert section.rows[0][1] == "3"
    assert "2 of 3 (66.7 %" in section.sentences[0]
    assert (
        "1 without a label, 1 with a label that the model does not have (neutral)"
        in (section.sentences[0])
    )


def test_a_text_with_discarded_mutants_alone_counts_if_it_was_asked(tmp_path: Path) -> None:
    words, data = tmp_path / "gender.csv", tmp_path / "texts.csv"
    words.write_text("term,group,form\nman,male,noun-sg\nwoman,female,noun-sg\n")
    data.write_text(
        "text,label\nThe man was kind.,positive\nThe pregnant woman was kind.,positive\n"
    )
    campaign = Campaign(
        data=str(data), attributes=("gender",), dictionaries=(str(words),), models=(KIND,), order=1,
        placebo=False, discarded=True,
    )  # fmt: skip
    store = CampaignStore(tmp_path / "out")
    run_campaign(campaign, store)
    report = make_report(store)
    assert (report.tested, report.barren) == (1, 1)
    assert accuracy_of(store).correct.of == 2
    (section,) = [s for s in sections(report) if s.key == "accuracy"]
    assert "also those whose mutants were all discarded" in section.sentences[1]


def test_several_labels_and_none(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text without a label is one to which none applies, where several may apply."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "judge_for_accuracy.py").write_text(
        "def judge(texts):\n"
        "    return [[n for n, w in (('Work, pay', 'rude'), ('Rent', ' man')) if w in t] "
        "for t in texts]\n"
    )
    texts = {
        "The black man was rude.": "Work, pay, Rent",
        "The white man was rude.": "['rent', 'work, pay']",
        "The black woman was rude.": "rent",
        "The white woman was kind.": "",
        "The Syrian man was kind.": "",
    }
    store = make(texts, ["race", "gender"], 2, "python:judge_for_accuracy:judge?multi=1")
    found = accuracy_of(store)
    assert found.several
    assert (found.correct.hits, found.correct.of, found.classes) == (3, 5, 3)


def test_labels_that_the_model_does_not_have_are_one_sentence(make: Make) -> None:
    report = make_report(make({"The black man was kind.": "1"}, ["race", "gender"], 2, KIND))
    (section,) = [s for s in sections(report) if s.key == "accuracy"]
    assert section.rows == []
    (sentence,) = section.sentences
    assert "the labels of the data (1) are not those of the model (negative, positive)" in sentence


def test_nothing_is_said_without_labels(make: Make) -> None:
    report = make_report(make(["The black man was kind."], ["race", "gender"], 2, KIND))
    assert [model.accuracy for model in report.models] == [None]
    assert "accuracy" not in {section.key for section in sections(report)}
    assert list(accuracy_sections([("a", None)])) == []


_labels = st.frozensets(st.sampled_from("abcd"), max_size=3)


@given(st.lists(st.tuples(_labels, _labels), min_size=1, max_size=12))
def test_f1_is_that_of_scikit_learn(pairs: list[tuple[frozenset[str], frozenset[str]]]) -> None:
    micro, macro, classes = f1_scores(Counter(pairs))
    no_label = any(not gold for gold, _ in pairs)
    own, answers = (
        [names or ({"none"} if no_label else names) for names in side]
        for side in zip(*pairs, strict=True)
    )
    binary = MultiLabelBinarizer().fit([*own, *answers])
    assert len(binary.classes_) == classes
    if not classes:
        assert (micro, macro) == (None, None)
        return
    truth, given_ = binary.transform(own), binary.transform(answers)
    assert micro == pytest.approx(f1_score(truth, given_, average="micro", zero_division=0))
    assert macro == pytest.approx(f1_score(truth, given_, average="macro", zero_division=0))
