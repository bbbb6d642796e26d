"""A fall or a rise of errors is claimed where it is more than chance, and what was left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy
import pytest
from numpy import ndarray
from numpy.random import Generator

from hinter_core.data.rows import Row
from hinter_core.models.base import Capabilities
from hinter_core.models.huggingface.embedded import EMBEDDED
from hinter_core.repair.card import licence_in, sections_of, write_card
from hinter_core.repair.figures import Errors, Learnt, Measured, RepairResult, accuracy_of
from hinter_core.repair.progress import figures_in, write_figures
from hinter_core.repair.sweep import sweep_section
from hinter_core.statistics.clustered import paired_difference
from hinter_core.statistics.rates import Difference, Rate, wilson
from hinter_core.types import Prediction

NOTHING = Rate(0, 0)
FALL, RISE = Difference(-0.2, -0.3, -0.1), Difference(0.2, 0.1, 0.3)
UNSURE = Difference(-0.01, -0.04, 0.02)


def errors(single: int, combined: int, of: int = 100) -> Errors:
    return Errors(wilson(single, of), wilson(combined, of), 0, (0, 0), None)


def sentences(learnt: Learnt, *measured: Measured) -> list[str]:
    (section,) = sections_of(RepairResult("m", learnt, (wilson(1, 2), wilson(1, 2)), measured))
    return section.sentences


@pytest.mark.parametrize(
    ("before", "after", "difference", "said"),
    [
        (errors(20, 20), errors(19, 20), UNSURE, "no clear change"),
        (errors(20, 20), errors(5, 5), UNSURE, "no clear change"),
        (errors(0, 0), errors(0, 2), UNSURE, "no clear change"),
        (errors(20, 20), errors(5, 5), Difference(-0.15), "no clear change"),  # of one text
        (errors(20, 20), errors(5, 20), FALL, "fell by 38"),
        (errors(20, 20), errors(20, 50), RISE, "rose by 75"),
        (errors(0, 0), errors(0, 0), Difference(0.0, -0.1, 0.1), "was no error, before or after"),
        (errors(0, 0), errors(40, 0), RISE, "was no error before, and"),
        (errors(20, 20), errors(5, 5), None, "before and 5.0"),  # of an earlier version
        (Errors(wilson(20, 100), NOTHING, 0, (0, 0), None),
         Errors(wilson(2, 100), NOTHING, 0, (0, 0), None), FALL, "fell by 90"),
        (Errors(NOTHING, NOTHING, 0, (0, 0), None),
         Errors(NOTHING, NOTHING, 0, (0, 0), None), Difference(None), "othing was tested"),
    ],
)  # fmt: skip
def test_a_change_is_named_where_it_is_clear(
    before: Errors, after: Errors, difference: Difference | None, said: str
) -> None:
    one = Measured("texts", before, after, difference)
    words = sentences(Learnt(), one)[-1]
    assert said.replace(" ", "\u00a0") in words.replace(" ", "\u00a0")
    claimed = any(verb in words for verb in ("fell", "rose"))
    assert claimed == (difference in (FALL, RISE) and bool(before.share))


def test_hidden_errors_that_rose_stand_beside_the_fall_of_all() -> None:
    before, after = errors(20, 20), errors(5, 20)
    words = sentences(Learnt(), Measured("texts", before, replace(after, hidden=4), FALL))[-1]
    assert "fell by 38" in words
    assert words.endswith("; hidden errors rose from 0 to 4.")
    words = sentences(Learnt(), Measured("texts", replace(before, hidden=4), after, FALL))[-1]
    assert "hidden" not in words


@pytest.mark.parametrize(
    ("texts", "right", "said"),
    [  # right before and after
        (12, (7, 7), "neither lower nor higher (95 % interval"),
        (12, (7, 8), "8.3 points higher (95 % interval 36.9 lower to 53.5 higher), too few"),
        (400, (300, 298), ", no clear change."),
        (400, (300, 200), "25.0 points lower (95 % interval 20."),
    ],
)
def test_accuracy_is_said_to_hold_where_the_texts_can_tell(
    texts: int, right: tuple[int, int], said: str
) -> None:
    rows = [Row(n, str(n), f"text {n}", "good") for n in range(texts)]
    accuracy, change = accuracy_of(rows, [Answers(number) for number in right])
    assert [rate.hits for rate in accuracy] == list(right)
    (section,) = sections_of(RepairResult("m", Learnt(), accuracy, [], change))
    assert said in section.sentences[-1]
    few = texts == 12
    assert section.sentences[-1].endswith("too few texts to tell.") == few


@dataclass
class Answers:
    """A model that answers the first texts rightly."""

    right: int
    name = identity = "answers"
    capabilities = Capabilities(labels=("good", "bad"))

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        rights = [int(text.split()[1]) < self.right for text in texts]
        return [Prediction(("good" if right else "bad",)) for right in rights]


def test_a_card_names_the_licence_of_the_model_and_no_folder(tmp_path: Path) -> None:
    assert licence_in(EMBEDDED) == "apache-2.0"
    assert licence_in(tmp_path) == ""
    result = RepairResult("m", Learnt(), (wilson(7, 12), wilson(8, 12)), [])
    (tmp_path / "my.yaml").touch()
    settings = {"model": "hf:org/name", "grammar": str(tmp_path / "my.yaml"), "seed": 3}
    write_card(tmp_path, settings, result, "apache-2.0")
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert licence_in(tmp_path) == "apache-2.0"
    for words in ("# hf:org/name, repaired", "too: apache-2.0.", "| my.yaml |"):
        assert words in card
    assert str(tmp_path) not in card


def test_a_sweep_has_accuracy_before_and_its_number_of_texts() -> None:
    one = Measured("texts", errors(20, 20), errors(5, 5), FALL)
    result = RepairResult("m", Learnt(), (wilson(7, 12), wilson(8, 12)), [one])
    section = sweep_section({(0, 0.1): result})
    rows = [dict(zip(section.columns, row, strict=True)) for row in section.rows]
    told = [(row["Share"], row["Accuracy"][:6], row["Texts of accuracy"]) for row in rows[:2]]
    assert told == [("0 (before)", "58.3\u00a0%", "12"), ("10\u00a0%", "66.7\u00a0%", "12")]


KINDS: dict[str, Callable[[Generator, int], ndarray]] = {  # error rates of texts
    "texts that differ": lambda rng, n: rng.beta(0.5, 4.5, n),
    "all or none of a text": lambda rng, n: (rng.random(n) < 0.1).astype(float),
    "rare errors": lambda rng, n: rng.beta(0.05, 4.95, n),
    "independent mutants": lambda _, n: numpy.full(n, 0.1),
    "many errors": lambda rng, n: rng.beta(2, 2, n),
}


def measured(rng: Generator, sizes: ndarray, first: ndarray, second: ndarray) -> Measured:
    """Two models on the mutants of some texts, with their error rates by text."""
    before, after = (rng.binomial(sizes, rates).tolist() for rates in (first, second))
    of = sizes.tolist()
    sums = (Errors(Rate(sum(hits), sum(of)), NOTHING, 0, (0, 0), None) for hits in (before, after))
    return Measured("texts", *sums, paired_difference(zip(after, of, before, of, strict=True)))


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_change_is_seldom_claimed_between_equal_models(kind: str) -> None:
    """In 6 % at most, with few texts or many, and hard ones of one model or of both."""
    rng, claimed, runs = numpy.random.default_rng(1), 0, 600
    for number in range(runs):
        texts = (60, 200)[number % 2]
        sizes, one = rng.integers(1, 29, texts), KINDS[kind](rng, texts)
        other = one if number % 4 > 1 else KINDS[kind](rng, texts)
        claimed += measured(rng, sizes, one, other).change in ("less", "more", "new")
    assert claimed / runs <= 0.06


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_large_fall_is_claimed(kind: str) -> None:
    rng = numpy.random.default_rng(1)
    for _ in range(20):
        rates = numpy.maximum(KINDS[kind](rng, 200), 0.1)
        one = measured(rng, rng.integers(1, 29, 200), rates, rates * 0.2)
        assert one.change == "less"


def test_what_was_left_out_and_what_the_diagnosis_found_is_said() -> None:
    one = Learnt(240, 24, 496, repeats=42, held_out=7, with_kept=3, errors=0, mutants=812)
    text = " ".join(sentences(one))
    assert "learnt from 240 texts, 24 sentences, 496 variants" in text
    assert "found 0 errors among 812 mutants" in text
    assert "No word changed an answer in the half that it learns from" in text
    assert "try another --seed" in text
    assert "repeat another text: 42." in text
    assert "have words kept for the test: 7." in text
    assert "3 have words that were kept for the test" in text
    text = " ".join(sentences(Learnt(errors=5, mutants=812)))
    assert not any(words in text for words in ("--seed", "repeat", "kept"))


def test_figures_are_read_again_and_so_are_those_from_before(tmp_path: Path) -> None:
    one = Measured("texts", errors(20, 20), errors(5, 5), FALL)
    accuracy = wilson(1, 2), wilson(1, 2)
    result = RepairResult("m", Learnt(1, 2, 3, errors=0), accuracy, [one], UNSURE)
    write_figures(tmp_path, result)
    assert figures_in(tmp_path) == result
    path = tmp_path / "figures.json"
    old = json.loads(path.read_text())
    old["examples"] = {"texts": 1, "sentences": 2}
    del old["measured"][0]["difference"], old["accuracy_change"]
    path.write_text(json.dumps(old))
    read = figures_in(tmp_path)
    assert read is not None
    assert (read.examples, read.measured[0].change) == (Learnt(1, 2), "unsaid")
    assert read.accuracy_said == "unsaid"
