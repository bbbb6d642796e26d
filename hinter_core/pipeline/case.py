"""One text under test: what is known of its mutants, and the result that grows from it.

A batch of mutants may come from many trials: distinct sentences of all of them are parsed, and
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
from hinter_core.mutation.lattice import EditSet
from hinter_core.mutation.plan import Plan
from hinter_core.relations import invariant, oracle
from hinter_core.relations.noise import NoiseFloor, noise_floor
from hinter_core.types import (
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

    ``judged`` maps a model's name to its results, in the order of ``mutants``; ``noise`` to how
    often it contradicted itself, where the settings ask for that; ``identities`` to what decided
    its answers.
    """

    __test__: ClassVar[bool] = False  # no test of pytest

    plan: Plan
    parser: str
    originals: dict[str, Prediction]
    mutants: list[Mutant] = field(default_factory=list)
    judged: dict[str, list[Outcome]] = field(default_factory=dict)
    noise: dict[str, NoiseFloor] = field(default_factory=dict)
    identities: dict[str, str] = field(default_factory=dict)
    planned: int = 0
    complete: bool = False

    def counts(self, model: str) -> dict[str, int]:
        """Number of mutants by verdict, all verdicts named."""
        tally = Counter(j.verdict for j in self.judged.get(model, ()))
        return {verdict.value: tally.get(verdict, 0) for verdict in Verdict}

    def find(self, model: str, edits: Iterable[Edit]) -> Outcome | None:
        """The result for one edit set, if it was tested."""
        key = frozenset(edits)
        for judged in self.judged.get(model, ()):
            if frozenset(judged.mutant.edits) == key:
                return judged
        return None


@dataclass
class _Answers:
    """What one model said of the mutants of one text."""

    local: dict[EditSet, Verdict] = field(default_factory=dict)
    predictions: dict[EditSet, Prediction] = field(default_factory=dict)


class TestCase:
    """A plan on trial. Mutants are fed to it parts before wholes; results go to who feeds it.

    With ``forget``, only what a later verdict needs is remembered: answers to mutants below the
    highest order of the settings. ``number`` tells trials apart for who feeds them.
    """

    __test__ = False  # no test of pytest

    def __init__(self, plan: Plan, *, number: int = 0, forget: bool = False) -> None:
        self.plan = plan
        self.number = number
        self._forget = forget
        self.originals: dict[str, Prediction] = {}
        self.noise: dict[str, NoiseFloor] = {}
        self._answers: dict[str, _Answers] = {}
        self._seen: dict[str, int] = {}

    def look(self, store: PredictionStore) -> None:
        """Note how much of the text a model sees; for one that the plan was not made with."""
        self._seen[store.model.name] = store.model.visible(self.plan.text)

    def sees(self, item: FollowUp, store: PredictionStore) -> bool:
        """Whether the model sees all that the mutant changes."""
        seen = self._seen.get(store.model.name)
        return seen is None or all(splice.end <= seen for splice in item.mutant.splices)

    @cached_property
    def _split(self) -> SourceSplit:
        return SourceSplit(self.plan.text)

    def sentences_of(self, item: FollowUp) -> list[Sentence]:
        """The sentences of a mutant of this text."""
        if item.by_hand:
            return split_sentences(item.mutant.text)
        return self._split.of_mutant(item.mutant.text, item.mutant.splices)

    def answer_original(self, store: PredictionStore, original: Prediction) -> None:
        """Take in the model's answer to the unchanged text; ask it again if the settings say so."""
        name = store.model.name
        self.originals[name] = original
        self._answers[name] = _Answers()
        if self.plan.settings.repeat:
            again = store.repeat(self.plan.text, self.plan.settings.repeat)
            self.noise[name] = noise_floor(original, again)

    def judge(
        self, item: FollowUp, store: PredictionStore, prediction: Prediction | None
    ) -> Outcome:
        """The verdict on one mutant; all its sub-mutants have been judged before."""
        name, key = store.model.name, item.key
        original, known = self.originals[name], self._answers[name]
        if prediction is not None and item.asked:
            known.predictions[key] = prediction
        before = known.local.get(key)
        conformance = invariant.KEPT if item.asked else item.conformance
        known.local[key] = oracle.local_verdict(conformance, original, prediction)
        verdict = oracle.judge([item.mutant], known.local)[key]
        effect = None
        # A discarded mutant may be asked, to see what it would have said; it is no evidence.
        if original.answered and prediction is not None and item.asked:
            capabilities = store.model.capabilities
            effect = oracle.effect(item.mutant, original, known.predictions.get, capabilities)
        if self._forget and item.mutant.order >= self.plan.settings.order:
            known.local.pop(key)
            known.predictions.pop(key, None)
        elif before is not None and before is not Verdict.BENIGN:
            # By hand, edits may have several texts: all must be benign for a whole to be hidden.
            known.local[key] = before
        return Outcome(item.mutant, item.conformance, prediction, verdict, effect)


@dataclass(slots=True)
class FollowUp:
    """A mutant of a trial, with its edits as a set, and what the invariant says of it.

    ``by_hand``: its text is as a person wrote it. ``ask``: even if the invariant discards it.
    """

    trial: TestCase
    mutant: Mutant
    key: EditSet
    conformance: Conformance = invariant.KEPT
    by_hand: bool = False
    ask: bool = False

    @property
    def asked(self) -> bool:
        """Whether models are asked about it."""
        return self.conformance.kept or self.ask


def conform(items: Sequence[FollowUp], store: ParseStore) -> None:
    """Hold every mutant of a batch against its source; distinct sentences are parsed at once."""
    pairs = [(item.trial.plan.sentences, item.trial.sentences_of(item)) for item in items]
    for item, said in zip(items, invariant.check_all(pairs, store), strict=True):
        item.conformance = said


def ask_originals(trials: Sequence[TestCase], store: PredictionStore) -> None:
    """Ask a model about the unchanged texts of all trials at once."""
    answers = store.predict([trial.plan.text for trial in trials])
    for trial in trials:
        trial.answer_original(store, answers[trial.plan.text])


def judge(
    items: Sequence[FollowUp], store: PredictionStore, *, discarded: bool = False
) -> list[Outcome]:
    """Ask a model about a batch of mutants and judge them in order; distinct texts are asked once.

    Discarded mutants are not asked, as their answer could be no evidence (a person may say so of
    one by hand), unless ``discarded`` says so: then the answer is told, and the verdict stays. Nor
    is one asked whose change lies past the model's window: it would be benign for no good reason.
    """
    wanted = [item for item in items if discarded or item.asked]
    asked = [item.mutant.text for item in wanted if item.trial.sees(item, store)]
    predictions = store.predict(asked)
    return [
        item.trial.judge(
            item,
            store,
            predictions.get(item.mutant.text, _UNSEEN) if discarded or item.asked else None,
        )
        for item in items
    ]
