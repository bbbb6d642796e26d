"""A truth that was planted comes out exactly; where none was planted, none is found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Outcome, Parse, Verdict


class AgreeableParser:
    """Tags every word alike, so that the invariant keeps each one-word swap."""

    name = identity = "agreeable"

    def parse(self, sentences: Sequence[str], *, entities: bool = False) -> list[Parse]:
        found = []
        for sentence in sentences:
            words = tuple(m.group() for m in re.finditer(r"\S+", sentence))
            spans = tuple(m.span() for m in re.finditer(r"\S+", sentence))
            n = len(words)
            found.append(Parse(words, ("X",) * n, ("dep",) * n, (0,) * n, spans, ("",) * n))
        return found


def run(text: str, dictionaries: Sequence[Dictionary], rules: str, order: int) -> TestResult:
    pipeline = Pipeline(
        dictionaries,
        ParseStore(AgreeableParser()),
        [PredictionStore(load_model(f"scripted:{rules}"))],
        Settings(order=order, literal=True),
    )
    return pipeline.check(text)


def judged(check: TestResult) -> list[Outcome]:
    (results,) = check.outcomes.values()
    return results


def tally(check: TestResult, order: int) -> dict[str, int]:
    counts = Counter(j.verdict.value for j in judged(check) if j.mutant.order == order)
    return dict(counts)


# black -> white, Syrian; man -> woman, person; old -> young: 2 + 2 + 1 atomic mutants,
# 4 + 2 + 2 pairs, 4 triples.
TEXT = "The old black man was kind. We thanked the man."


@pytest.mark.parametrize(
    ("rules", "atomic", "pairs"),
    [
        # Only both together: one pair of four is hidden.
        ("no if race=white and gender=female; yes otherwise",
         {"benign": 4}, {"hidden": 1, "benign": 3}),
        # One attribute alone: every pair that holds it is biased, none hidden.
        ("no if gender=female; yes otherwise",
         {"biased": 1, "benign": 3}, {"biased": 2, "benign": 2}),
        # Either one: atomic bias on both sides, three pairs biased.
        ("no if race=white; no if gender=female; yes otherwise",
         {"biased": 2, "benign": 2}, {"biased": 3, "benign": 1}),
        # They cancel out: atomic bias without intersectional bias.
        ("yes if race=white and gender=female; no if race=white; no if gender=female;"
         "yes otherwise", {"biased": 2, "benign": 2}, {"biased": 2, "benign": 2}),
        # A group that is always there.
        ("no if not gender; yes otherwise", {"benign": 4}, {"benign": 4}),
    ],
)  # fmt: skip
def test_order_two_counts(
    race: Dictionary, gender: Dictionary, rules: str, atomic: dict[str, int], pairs: dict[str, int]
) -> None:
    check = run(TEXT, [race, gender], rules, 2)
    assert tally(check, 1) == atomic
    assert tally(check, 2) == pairs


def test_order_three_counts(race: Dictionary, gender: Dictionary, age: Dictionary) -> None:
    rules = "no if race=white and gender=female and age=young; yes otherwise"
    check = run(TEXT, [race, gender, age], rules, 3)
    assert tally(check, 1) == {"benign": 5}
    assert tally(check, 2) == {"benign": 8}
    assert tally(check, 3) == {"hidden": 1, "benign": 3}
    (hidden,) = [j for j in judged(check) if j.verdict is Verdict.HIDDEN]
    assert hidden.mutant.text == "The young white woman was kind. We thanked the woman."
    assert {e.target.text for e in hidden.mutant.edits} == {"white", "woman", "young"}


def test_a_hidden_pair_inside_a_triple_unhides_the_triple(
    race: Dictionary, gender: Dictionary, age: Dictionary
) -> None:
    check = run(TEXT, [race, gender, age], "no if race=white and gender=female; yes otherwise", 3)
    assert tally(check, 2) == {"hidden": 1, "benign": 7}
    assert tally(check, 3) == {"biased": 1, "benign": 3}


def test_the_effects_of_planted_scores_are_exact(race: Dictionary, gender: Dictionary) -> None:
    rules = "no 0.7 if race=white and gender=female; yes 0.6 if race=white; yes 0.8 otherwise"
    check = run(TEXT, [race, gender], rules, 2)
    (hidden,) = [j for j in judged(check) if j.verdict is Verdict.HIDDEN]
    assert hidden.effect is not None
    assert hidden.effect.label == "yes"
    assert hidden.effect.shift == pytest.approx(0.3 - 0.8)
    # log-odds: 0.3/0.7 - 0.6/0.4 - 0.8/0.2 + 0.8/0.2
    assert hidden.effect.interaction == pytest.approx(-1.252763, abs=1e-5)


TEXTS = [
    "The British waiter remembered every order, and the old man thanked her.",
    "A young Syrian woman rents the flat; her landlord forgot the repairs.",
    "The elderly Catholic nurse helped a young blind man. He was grateful.",
]


@pytest.mark.parametrize("text", TEXTS)
def test_an_even_handed_model_shows_no_bias_with_real_parts(
    text: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    store = PredictionStore(load_model("scripted:even-handed"))
    check = Pipeline(list(shipped.values()), parses, [store], Settings(limit=150)).check(text)
    counts = check.counts("scripted:even-handed")
    assert counts["biased"] == counts["hidden"] == counts["unanswered"] == 0
    assert counts["benign"] > 50


@pytest.mark.parametrize("text", TEXTS)
def test_planted_bias_is_found_wherever_a_valid_mutant_shows_it(
    text: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    """With embedded parser and shipped dictionaries, texts and validity decide the verdicts."""
    name = "scripted:no 0.7 if race=white and gender=female; yes otherwise"
    model = load_model(name)
    dictionaries = [shipped["race"], shipped["gender"], shipped["age"]]
    settings = Settings(order=3, limit=250, seed=4)
    check = Pipeline(dictionaries, parses, [PredictionStore(model)], settings).check(text)
    answer = {j.mutant.text: model.predict([j.mutant.text])[0].labels for j in check.outcomes[name]}
    original = model.predict([text])[0].labels
    local: dict[frozenset[object], Verdict] = {}
    for j in check.outcomes[name]:
        key = frozenset(j.mutant.edits)
        if not j.conformance.kept:
            local[key] = Verdict.DISCARDED
        else:
            same = answer[j.mutant.text] == original
            local[key] = Verdict.BENIGN if same else Verdict.BIASED
    for j in check.outcomes[name]:
        key = frozenset(j.mutant.edits)
        parts = [v for k, v in local.items() if k < key]
        hidden = local[key] is Verdict.BIASED and len(key) > 1 and set(parts) == {Verdict.BENIGN}
        assert j.verdict is (Verdict.HIDDEN if hidden else local[key])
