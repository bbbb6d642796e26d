"""One text under test: what is known of its mutants, and the result that grows from it.

A batch of mutants may come from many test cases: distinct sentences of all of them are parsed, and
distinct texts predicted, at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import SourceSplit, split_sentences
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.difference import handwritten_mutant
from hinter_core.mutation.lattice import EditSet
from hinter_core.mutation.plan import Plan
from hinter_core.relations.base import Compared, NoiseFloor, noise_floor
from hinter_core.relations.registry import relation_named
from hinter_core.types import (
    KEPT,
    Conformance,
    Edit,
    Failure,
    Mutant,
    Outcome,
    Prediction,
    Sentence,
    Verdict,
)

_UNSEEN = Prediction(
    failure=Failure.TOO_LONG, detail="the change lies past the part of the text that the model sees"
)


@dataclass
class TestResult:
    """A text with all its mutants, judged for one or more models.

    ``outcomes`` maps a model's name to its results, in the order of ``mutants``; ``noise`` to how
    often it contradicted itself, where the settings ask for that; ``identities`` to what decided
    its answers.
    """

    __test__: ClassVar[bool] = False  # no test of pytest

    plan: Plan
    parser: str
    originals: dict[str, Prediction]
    mutants: list[Mutant] = field(default_factory=list)
    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)
    noise: dict[str, NoiseFloor] = field(default_factory=dict)
    identities: dict[str, str] = field(default_factory=dict)
    planned: int = 0
    complete: bool = False

    def counts(self, model: str) -> dict[str, int]:
        """Number of mutants by verdict, all verdicts named."""
        tally = Counter(j.verdict for j in self.outcomes.get(model, ()))
        return {verdict.value: tally.get(verdict, 0) for verdict in Verdict}

    def find(self, model: str, edits: Iterable[Edit]) -> Outcome | None:
        """The result for one edit set, if it was tested."""
        key = frozenset(edits)
        for outcome in self.outcomes.get(model, ()):
            if frozenset(outcome.mutant.edits) == key:
                return outcome
        return None


@dataclass
class _Answers:
    """What one model said of the mutants of one text."""

    local: dict[EditSet, Verdict] = field(default_factory=dict)
    predictions: dict[EditSet, Prediction] = field(default_factory=dict)


class TestCase:
    """A plan under test. Follow-ups are judged parts before wholes; each gives an outcome.

    With ``forget``, only what a later verdict needs is remembered: answers to mutants below the
    highest order of the settings. ``number`` tells the test cases of a batch apart.
    """

    __test__ = False  # no test of pytest

    def __init__(self, plan: Plan, *, number: int = 0, forget: bool = False) -> None:
        self.plan = plan
        self.number = number
        self.relation = relation_named(plan.settings.relation)
        self._forget = forget
        self.originals: dict[str, Prediction] = {}
        self.noise: dict[str, NoiseFloor] = {}
        self._answers: dict[str, _Answers] = {}
        self._seen: dict[str, int] = {}

    def look(self, store: PredictionStore) -> None:
        """Note how much of the text a model sees; for one that the plan was not made with."""
        self._seen[store.model.name] = store.model.visible(self.plan.text)

    def sees(self, follow_up: FollowUp, store: PredictionStore) -> bool:
        """Whether the model sees all that the mutant changes."""
        seen = self._seen.get(store.model.name)
        return seen is None or all(splice.end <= seen for splice in follow_up.mutant.splices)

    @cached_property
    def _split(self) -> SourceSplit:
        return SourceSplit(self.plan.text)

    def sentences_of(self, follow_up: FollowUp) -> list[Sentence]:
        """The sentences of a mutant of this text."""
        mutant = follow_up.mutant
        if follow_up.by_hand:
            return split_sentences(mutant.text)
        return self._split.of_mutant(mutant.text, mutant.splices)

    def answer_original(self, store: PredictionStore, original: Prediction) -> None:
        """Take in the model's answer to the unchanged text; ask it again if the settings say so."""
        name = store.model.name
        self.originals[name] = original
        self._answers[name] = _Answers()
        if self.plan.settings.repeat:
            again = store.repeat(self.plan.text, self.plan.settings.repeat)
            self.noise[name] = noise_floor(self.relation, original, again)

    def judge(
        self, follow_up: FollowUp, store: PredictionStore, prediction: Prediction | None
    ) -> Outcome:
        """The verdict on one mutant; all its sub-mutants have been judged before."""
        name, key, mutant = store.model.name, follow_up.key, follow_up.mutant
        original, known, relation = self.originals[name], self._answers[name], self.relation
        if prediction is not None and follow_up.asked:
            known.predictions[key] = prediction
        before = known.local.get(key)
        conformance = KEPT if follow_up.asked else follow_up.conformance
        known.local[key] = relation.local_verdict(conformance, original, prediction)
        verdict = relation.verdict(mutant, known.local)
        effect = None
        # A discarded mutant may be asked, to see what it would have said; it is no evidence.
        if original.answered and prediction is not None and follow_up.asked:
            capabilities = store.model.capabilities
            effect = relation.effect(mutant, original, known.predictions.get, capabilities)
        if self._forget and mutant.order >= self.plan.settings.order:
            known.local.pop(key)
            known.predictions.pop(key, None)
        elif before is not None and before is not Verdict.BENIGN:
            # By hand, edits may have several texts: all must be benign for a whole to be hidden.
            known.local[key] = before
        return Outcome(mutant, follow_up.conformance, prediction, verdict, effect)


@dataclass(slots=True)
class FollowUp:
    """A mutant of a test case, with its edits as a set, and what the invariant says of it.

    ``by_hand``: its text is as a person wrote it. ``ask``: even if the invariant discards it.
    """

    case: TestCase
    mutant: Mutant
    key: EditSet
    conformance: Conformance = KEPT
    by_hand: bool = False
    ask: bool = False

    @property
    def asked(self) -> bool:
        """Whether models are asked about it."""
        return self.conformance.kept or self.ask


def follow_up_of(case: TestCase, edits: tuple[Edit, ...]) -> FollowUp:
    """The follow-up that these edits make."""
    return FollowUp(case, case.plan.mutant(edits), frozenset(edits))


def handwritten_follow_up(
    case: TestCase, text: str, edits: tuple[Edit, ...], *, ask: bool
) -> FollowUp:
    """A follow-up as a person wrote it."""
    mutant = handwritten_mutant(case.plan.text, text, edits)
    return FollowUp(case, mutant, frozenset(edits), by_hand=True, ask=ask)


def conform(batch: Sequence[FollowUp], store: ParseStore) -> None:
    """Hold every mutant of a batch against its source; distinct sentences are parsed at once.

    All test cases of a batch are of one relation.
    """
    if not batch:
        return
    pairs = [
        Compared(one.case.plan.sentences, one.mutant, one.case.sentences_of(one)) for one in batch
    ]
    conformances = batch[0].case.relation.conform(pairs, store)
    for one, conformance in zip(batch, conformances, strict=True):
        one.conformance = conformance


def ask_originals(cases: Sequence[TestCase], store: PredictionStore) -> None:
    """Ask a model about the unchanged texts of all test cases at once."""
    answers = store.predict([case.plan.text for case in cases])
    for case in cases:
        case.answer_original(store, answers[case.plan.text])


def judge(
    batch: Sequence[FollowUp], store: PredictionStore, *, discarded: bool = False
) -> list[Outcome]:
    """Ask a model about a batch of mutants and judge them in order; distinct texts are asked once.

    Discarded mutants are not asked, as their answer could be no evidence (a person may say so of
    one by hand), unless ``discarded`` says so: then the answer is told, and the verdict stays. Nor
    is one asked whose change lies past the model's window: it would be benign for no good reason.
    """
    wanted = [one for one in batch if discarded or one.asked]
    predictions = store.predict([one.mutant.text for one in wanted if one.case.sees(one, store)])
    return [
        one.case.judge(
            one,
            store,
            predictions.get(one.mutant.text, _UNSEEN) if discarded or one.asked else None,
        )
        for one in batch
    ]
