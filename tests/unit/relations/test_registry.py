"""A second relation: a module and a line of the registry, and the pipeline tests it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.models.registry import open_store
from hinter_core.mutation.lattice import EditSet
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.export import check_to_rows
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.relations.base import Compared, Oracle
from hinter_core.relations.family import SubstitutionRelation
from hinter_core.relations.oracles import LabelOracle
from hinter_core.relations.registry import RELATIONS, relation_of
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import (
    KEPT,
    Change,
    Conformance,
    Edit,
    EditKind,
    Mutant,
    Prediction,
    Term,
    Verdict,
)

TEXT = "The black man was kind."
RULES = "scripted:bad 0.6 if race=white; good 0.9 if gender=female; good 0.8 otherwise"


class ScoreOracle(LabelOracle):
    """No score moves by more than 0.05."""

    def same_answer(
        self, original: Prediction, answer: Prediction, mutant: Mutant | None = None
    ) -> bool:
        return all(abs(answer.scores[x] - p) <= 0.05 for x, p in original.scores.items())


class ScoreRelation(SubstitutionRelation):
    """Each follow-up is judged by itself, by its scores."""

    name = "score"
    number = ""
    title = "compare scores"
    lattice = False

    def oracle(self, task: str, tolerance: float) -> Oracle:
        return ScoreOracle()

    def verdict(self, mutant: Mutant, local: Mapping[EditSet, Verdict]) -> Verdict:
        return local[frozenset(mutant.edits)]


def test_a_second_relation_judges_by_its_rule_and_needs_no_parts(
    race: Dictionary, gender: Dictionary, parses: ParseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RELATIONS, "score", ScoreRelation())
    found = {}
    for name in ("substitute", "score"):
        pipeline = Pipeline(
            [race, gender], parses, [open_store(RULES)], Settings(relations=(name,))
        )
        result = pipeline.check(TEXT)
        found[name] = {outcome.mutant.text: outcome.verdict for outcome in result.outcomes[RULES]}
        orders = {mutant.order for mutant in result.mutants}
        assert orders == ({1, 2} if relation_of([name]).lattice else {2})
    syrian = "The Syrian woman was kind."
    assert found["substitute"][syrian] is Verdict.BENIGN  # the label stays
    assert found["score"][syrian] is Verdict.BIASED  # its score does not


class NegationRelation(SubstitutionRelation):
    """A negated text may have another label; what was inserted is no fault of the tree."""

    name = "negation"

    def conform(self, pairs: Sequence[Compared], parses: ParseStore) -> list[Conformance]:
        plain = super().conform(pairs, parses)
        negated = [any(s.attribute == "negation" for s in p.mutant.splices) for p in pairs]
        return [KEPT if new else old for new, old in zip(negated, plain, strict=True)]


def test_inserted_words_are_tested_alone_and_with_substitutions(
    race: Dictionary, parses: ParseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RELATIONS, "negation", NegationRelation())
    rules = 'scripted:bad if "not" and race=white; good otherwise'
    settings = Settings(relations=("negation",))
    pipeline = Pipeline([race, Dictionary("negation", ())], parses, [open_store(rules)], settings)
    plan, place = pipeline.plan(TEXT), TEXT.index("kind")
    change = Change(EditKind.INSERT, "negation", Term("", ""), Term("not", "negated"), ("not ",))
    plan.edits["negation"] = [Edit(change, ((place, place),))]
    result = pipeline.judge(plan)
    assert {outcome.mutant.text: outcome.verdict for outcome in result.outcomes[rules]} == {
        "The white man was kind.": Verdict.BENIGN,
        "The Syrian man was kind.": Verdict.BENIGN,
        "The black man was not kind.": Verdict.BENIGN,
        "The white man was not kind.": Verdict.HIDDEN,
        "The Syrian man was not kind.": Verdict.BENIGN,
    }
    (row, *_) = check_to_rows(result)
    assert row["negation"] in ("", "nothing \u2192 not")


def test_what_does_not_fit_is_refused(
    race: Dictionary, gender: Dictionary, parses: ParseStore
) -> None:
    with pytest.raises(InputError, match="no relation 'steady'; use remove-one"):
        Pipeline([race, gender], parses, [open_store(RULES)], Settings(relations=("steady",)))
    store = open_store(RULES)
    store.model.capabilities = replace(store.model.capabilities, task="translation")
    with pytest.raises(InputError, match="No answers of the task 'translation' can be compared"):
        Pipeline([race, gender], parses, [store])
