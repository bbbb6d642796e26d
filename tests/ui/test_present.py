"""What is rendered of answers, without a browser: noise, replies, costs; escaped once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.base import Capabilities, ModelUnderTest
from hinter_core.models.budget import Cost
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Settings
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.report.section import Section
from hinter_core.terms.dictionary import load_shipped
from hinter_core.types import Prediction
from hinter_ui.explore.html import banner
from hinter_ui.html.notice import costs
from hinter_ui.html.sections import folded
from hinter_ui.html.square import square

TEXT = "The black man was kind."
SAID = "I would say <b>yes</b>, on the whole."


class Talker:
    """Says more than a label, and changes its mind about the original when asked again."""

    name = identity = "talker"
    capabilities = Capabilities(labels=("no", "yes"), scores=False, steady=False)

    def __init__(self) -> None:
        self.asked = 0

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        first, self.asked = self.asked + 1, self.asked + len(texts)
        turns = range(first, self.asked + 1)
        return [Prediction(("no" if turn == 3 else "yes",), reply=SAID) for turn in turns]

    def visible(self, text: str) -> int:
        return len(text)


def checked(repeat: int, model: ModelUnderTest | None = None) -> TestResult:
    shipped = load_shipped()
    parses = ParseStore(load_parser("embedded"))
    settings = Settings(limit=1, repeat=repeat)
    stores = [PredictionStore(model or Talker())]
    return Pipeline([shipped["race"], shipped["gender"]], parses, stores, settings).check(TEXT)


@pytest.mark.parametrize(
    ("repeat", "words"),
    [
        (0, ""),
        (1, "The original text was repeated 1 time; the answer never changed."),
        (3, "repeated 3 times, and 1 of these answers differed: a flip may be noise."),
    ],
)
def test_the_noise_floor_stands_beside_the_verdict(repeat: int, words: str) -> None:
    check = checked(repeat)
    shown = str(banner(check, check.outcomes["talker"][-1], "talker", named=False))
    assert words in shown
    assert ("The original text was repeated" in shown) is bool(words)


def test_what_a_model_said_can_be_read_and_is_escaped() -> None:
    check = checked(0)
    shown = str(square(check, check.outcomes["talker"][-1], "talker"))
    assert "the model’s reply" in shown
    assert "&lt;b&gt;yes&lt;/b&gt;, on the whole." in shown
    assert "<b>" not in shown


def test_what_there_is_to_say_of_a_model_stands_beside_the_verdict() -> None:
    check = checked(0)
    judged = check.outcomes["talker"][-1]
    shown = str(banner(check, judged, "talker", named=False, note="labels <without> names"))
    assert "About this model: " in shown
    assert "labels &lt;without&gt; names" in shown
    assert "About this model" not in str(banner(check, judged, "talker", named=False))


def test_an_interaction_is_explained_where_there_is_one() -> None:
    check = checked(0)
    assert "Interaction:" not in str(square(check, check.outcomes["talker"][-1], "talker"))
    check = checked(0, load_model("vader"))
    judged = next(j for j in check.outcomes["vader"] if j.mutant.order == 2 and j.effect)
    assert "Interaction:" in str(square(check, judged, "vader"))


def test_costs_are_said_before_a_scan() -> None:
    shown = str(costs({"openai:<x>": Cost(1200, 50_000, 9_000, 1.25)}))
    assert "openai:&lt;x&gt;" in shown
    assert "1,200 requests, 50,000 tokens asked and 9,000 answered, 1.2500 in money" in shown
    assert str(costs({})) == ""


def test_many_tables_of_one_kind_fold_into_one_card() -> None:
    rows = [["Ann: yes", "1"]]
    alike = [Section("confusion", f"q, {n}", ["Words."], ["", "Bo: yes"], rows) for n in range(3)]
    shown = str(folded([Section("agreement", "Agreement", ["Said."]), *alike]))
    assert shown.count("<section") == 2
    assert shown.count("<table") == 3
    assert "3 tables" in shown
