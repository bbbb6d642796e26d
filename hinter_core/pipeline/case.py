"""Test cases (a text with its plan), their follow-ups, and results.

A batch of follow-ups may come from many test cases: distinct sentences of all of them are parsed,
and distinct texts predicted, at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

from hinter_core.errors import HinterError
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import SourceSplit, split_sentences
from hinter_core.models.base import Capabilities
from hinter_core.models.cache import KeptAnswers
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.edits import handwritten_mutant
from hinter_core.mutation.lattice import EditSet
from hinter_core.mutation.plan import Plan
from hinter_core.relations.base import Compared, NeutralFlips, NoiseFloor, Oracle, noise_floor
from hinter_core.relations.oracles import ScoreOracle
from hinter_core.relations.registry import relation_of
from hinter_core.relations.soft import why_soft
from hinter_core.relations.validity import validity_of
from hinter_core.types import (
    KEPT,
    Conformance,
    Edit,
    Failure,
    Grades,
    Layer,
    Mutant,
    Outcome,
    Prediction,
    Sentence,
    Verdict,
)

_ALONE = "HInter can change no other chosen attribute of the same people"
_OF_WHOM = "HInter does not see of whom they speak"
UNSCORED = "it has no probabilities, which the score tolerance compares"
UNSEEN = Prediction(
    failure=Failure.TOO_LONG, detail="the change lies past the part of the text that the model sees"
)


@dataclass
class TestResult:
    """A text with all its mutants, judged for one or more models.

    ``outcomes`` maps a model's name to its results, in the order of ``mutants``; ``noise`` to its
    noise floor, if the settings ask for it; ``neutral`` to its answers to neutral swaps, if they
    were made; ``identities`` to its identity; ``kept`` to its answers of earlier checks.
    """

    __test__: ClassVar[bool] = False  # not a test class of pytest

    plan: Plan
    parser: str
    originals: dict[str, Prediction]
    mutants: list[Mutant] = field(default_factory=list)
    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)
    noise: dict[str, NoiseFloor] = field(default_factory=dict)
    neutral: dict[str, NeutralFlips] = field(default_factory=dict)
    identities: dict[str, str] = field(default_factory=dict)
    kept: dict[str, KeptAnswers] = field(default_factory=dict)
    planned: int = 0
    complete: bool = False
    _places: dict[EditSet, int] = field(default_factory=dict, init=False, compare=False, repr=False)
    _placed: int = field(default=0, init=False, compare=False, repr=False)

    def counts(self, model: str, *, across_people: bool | None = None) -> dict[str, int]:
        """Count mutants by verdict, with all verdicts as keys.

        ``across_people``: only those whose changes are of different people, or only the others.
        """
        judged = self.outcomes.get(model, ())
        if across_people is not None:
            of = self.plan.across_people
            judged = [one for one in judged if bool(of(one.mutant.edits)) is across_people]
        tally = Counter(outcome.verdict for outcome in judged)
        return {verdict.value: tally[verdict] for verdict in Verdict}

    @property
    def notices(self) -> list[str]:
        """Remarks on answers of before, on the text, and on what is left out."""
        plan, tested = self.plan, sum(mutant.order > 1 for mutant in self.mutants)
        limit = None if plan.settings.order == 1 else plan.settings.limit
        notices = [f"{kept.in_words}." for kept in self.kept.values() if kept.number]
        if limit is not None and tested < plan.total:
            tried = f"{tested:,} of {plan.total:,} combinations were tested"
            notices.append(f"{tried} (limit {limit:,}).")
        return [*notices, *self.remarks]

    @property
    def remarks(self) -> list[str]:
        """Remarks about the text, and on changes that are in no combination and not tested."""
        people, told = self.plan.people, list[str]()
        whys = {
            edit.source.text: _OF_WHOM if people and people.unseen(edit) else _ALONE
            for edit in self.plan.alone
            if self.place([edit]) is None
        }
        for why in dict.fromkeys(whys.values()):
            quoted = ", ".join(f"\u201c{word}\u201d" for word in whys if whys[word] is why)
            told.append(
                f"In no combination: {quoted}. {why}. Change one attribute alone to test them."
            )
        return [*told, *self.plan.notices]

    def place(self, edits: Iterable[Edit]) -> int | None:
        """Return the place of one edit set among the mutants, if it was tested."""
        start = self._placed
        fresh = self.mutants[start:]  # a scan may add to them meanwhile
        for number, mutant in enumerate(fresh, start):
            self._places.setdefault(frozenset(mutant.edits), number)
        self._placed = start + len(fresh)
        return self._places.get(frozenset(edits))

    def find(self, model: str, edits: Iterable[Edit]) -> Outcome | None:
        """Return the outcome of one edit set, if it was tested."""
        place = self.place(edits)
        return self.outcomes[model][place] if place is not None and model in self.outcomes else None


class TestCase:
    """A plan under test. Follow-ups are judged parts before wholes; each gives an outcome.

    ``number`` tells the test cases of a batch apart. With ``forget``, verdicts and predictions of
    mutants of the settings' highest order are not remembered, as no later verdict needs them.
    """

    __test__ = False  # not a test class of pytest

    def __init__(self, plan: Plan, *, number: int = 0, forget: bool = False) -> None:
        self.plan = plan
        self.number = number
        self.relation = relation_of(plan.settings.relations)
        self._forget = forget
        self.originals: dict[str, Prediction] = {}
        self.oracles: dict[str, Oracle] = {}
        self.noise: dict[str, NoiseFloor] = {}
        self._local: dict[str, dict[EditSet, Verdict]] = {}  # by model and edits
        self._predictions: dict[str, dict[EditSet, Prediction]] = {}
        self._visible: dict[str, int] = {}  # leading characters that a model reads

    def sees(self, follow_up: FollowUp, store: PredictionStore) -> bool:
        """Whether each edit has an occurrence in the model's window, counted in the unchanged text.

        Handwritten mutants must lie wholly inside.
        """
        name, mutant = store.model.name, follow_up.mutant
        if name not in self._visible:
            self._visible[name] = store.model.visible(self.plan.text)
        visible = self._visible[name]
        if follow_up.handwritten:
            return all(splice.end <= visible for splice in mutant.splices)
        return all(min(end for _, end in edit.spans) <= visible for edit in mutant.edits)

    @cached_property
    def _split(self) -> SourceSplit:
        return SourceSplit(self.plan.text)

    def sentences_of(self, follow_up: FollowUp) -> list[Sentence]:
        """Split a mutant of this text into sentences."""
        mutant = follow_up.mutant
        if follow_up.handwritten:
            return split_sentences(mutant.text)
        return self._split.of_mutant(mutant.text, mutant.splices)

    def answer_original(self, store: PredictionStore, original: Prediction) -> None:
        """Store the model's answer to the unchanged text; repeat it if the settings say so."""
        name, repeat = store.model.name, self.plan.settings.repeat
        self.take_original(name, store.model.capabilities, original)
        if repeat and self.originals[name].answered and name not in self.noise:
            again = map(self._comparable, store.repeat(self.plan.text, repeat))
            self.noise[name] = noise_floor(self.oracles[name], original, list(again))

    def lost(self, store: PredictionStore) -> Prediction | None:
        """Return the failure of the unchanged text: no mutant can be compared, so none is asked."""
        original = self.originals.get(store.model.name)
        if original is None or original.answered:
            return None
        return Prediction(failure=original.failure, detail=original.detail)

    def take_original(self, name: str, able: Capabilities, original: Prediction) -> None:
        """Store the answer of a model of this name to the unchanged text."""
        settings = self.plan.settings
        self.originals[name] = self._comparable(original)
        oracle = self.relation.oracle(able.task, settings.tolerance)
        if settings.score_tolerance is not None:
            oracle = ScoreOracle(oracle, settings.score_tolerance, able.multi_label)
        self.oracles[name] = oracle
        self._local[name], self._predictions[name] = {}, {}

    def _comparable(self, answer: Prediction) -> Prediction:
        """Return an answer; one without scores is no usable one where they are compared."""
        if self.plan.settings.score_tolerance is None or answer.scores or not answer.answered:
            return answer
        return replace(answer, failure=Failure.UNPARSABLE, detail=UNSCORED)

    def judge(
        self,
        follow_up: FollowUp,
        name: str,
        capabilities: Capabilities,
        prediction: Prediction | None,
    ) -> Outcome:
        """Judge one mutant by a model's name; all its sub-mutants must have been judged before."""
        key, mutant = follow_up.key, follow_up.mutant
        original, predictions = self.originals[name], self._predictions[name]
        same = None
        prediction = prediction and self._comparable(prediction)
        if prediction is not None and prediction.answered and original.answered:
            same = self.oracles[name].same_answer(original, prediction, mutant)
        verdict = self.verdict(follow_up, name, same)
        effect = None
        # A discarded mutant may be asked to see its answer, which is no evidence.
        if prediction is not None and follow_up.asked:
            predictions[key] = prediction
            if original.answered:
                effect = self.oracles[name].effect(mutant, original, predictions.get, capabilities)
        if self._forgets(mutant):
            predictions.pop(key, None)
        changed = None if same is None else not same
        return Outcome(
            mutant, follow_up.conformance, follow_up.validity, prediction, verdict, changed, effect
        )

    def verdict(self, follow_up: FollowUp, name: str, same: bool | None) -> Verdict:
        """Judge one mutant by whether its answer is the ``same``, after all its sub-mutants.

        None: not both answers are usable.
        """
        key, mutant, local = follow_up.key, follow_up.mutant, self._local[name]
        before = local.get(key)
        conformance = KEPT if follow_up.asked else follow_up.conformance
        local[key] = self.relation.local_verdict(conformance, same)
        verdict = self.relation.verdict(mutant, local)
        if self._forgets(mutant):
            local.pop(key)
        elif before is not None and before is not Verdict.BENIGN:
            # By hand, edits may have several texts: all must be benign for a whole to be hidden.
            local[key] = before
        return verdict

    def _forgets(self, mutant: Mutant) -> bool:
        return self._forget and mutant.order >= self.plan.highest


@dataclass(slots=True)
class FollowUp:
    """A mutant of a test case, with its edits as a set, and the invariant's answer.

    ``handwritten``: a person wrote its text. ``ask``: models are asked even if it is discarded.
    ``graded``: its validity score, once it is known.
    """

    case: TestCase
    mutant: Mutant
    key: EditSet
    conformance: Conformance = KEPT
    handwritten: bool = False
    ask: bool = False
    graded: Grades | None = None

    @property
    def validity(self) -> Grades:
        """The validity score, computed once."""
        if self.graded is None:
            kept = self.conformance.by_invariant
            self.graded = validity_of(self.case.plan, self.mutant, kept=kept)
        return self.graded

    @property
    def asked(self) -> bool:
        """Whether models are tested on it."""
        return self.conformance.kept or self.ask


def follow_up_of(case: TestCase, edits: tuple[Edit, ...]) -> FollowUp:
    """Make the follow-up of these edits."""
    return FollowUp(case, case.plan.mutant(edits), frozenset(edits))


def handwritten_follow_up(
    case: TestCase, text: str, edits: tuple[Edit, ...], *, ask: bool
) -> FollowUp:
    """Make a follow-up whose text a person wrote."""
    mutant = handwritten_mutant(case.plan.text, text, edits)
    return FollowUp(case, mutant, frozenset(edits), handwritten=True, ask=ask)


def conform(batch: Sequence[FollowUp], store: ParseStore) -> None:
    """Compare every mutant of a batch with its source; distinct sentences are parsed at once.

    All test cases of a batch must be of one relation and one invariant.
    """
    if not batch:
        return
    try:
        conformances = _compared(batch, store)
    except (HinterError, MemoryError, OSError):
        raise  # the parser or the machine, not a text
    except Exception:  # noqa: BLE001 -- one text never ends a run
        conformances = [answer for one in batch for answer in _compared_alone(one, store)]
    for one, conformance in zip(batch, conformances, strict=True):
        one.conformance = _firm(one, conformance)
        one.conformance = _valid(one)


def _compared(batch: Sequence[FollowUp], store: ParseStore) -> Sequence[Conformance]:
    case = batch[0].case
    published = case.plan.settings.published
    pairs = [
        Compared(x.case.plan.text, x.case.plan.sentences, x.mutant, split, published)
        for x in batch
        for split in [x.case.sentences_of(x)]
    ]
    return case.relation.conform(pairs, store)


def _compared_alone(one: FollowUp, store: ParseStore) -> Sequence[Conformance]:
    """Compare one mutant of a batch that failed; discard it if it is the one that fails."""
    try:
        return _compared([one], store)
    except Exception as error:  # noqa: BLE001 -- named in its outcome
        why = f"HInter cannot compare it with its source ({type(error).__name__})"
        return [Conformance(False, Layer.SENTENCES, reason=why)]


def _firm(one: FollowUp, conformance: Conformance) -> Conformance:
    """Discard a mutant that other words of its text contradict, unless the settings keep it."""
    settings = one.case.plan.settings
    if settings.keep_soft or settings.published or one.handwritten or not conformance.kept:
        return conformance
    plan = one.case.plan
    why = why_soft(plan.text, one.mutant, plan.people if settings.coherent else None)
    return Conformance(False, Layer.SOFT, reason=why) if why else conformance


def _valid(one: FollowUp) -> Conformance:
    """Discard a mutant that is fair with a smaller probability than the settings require.

    The probability of fair is not higher for a mutant than for its parts.
    """
    least = one.case.plan.settings.least_fair
    if not least or not one.conformance.kept or one.handwritten or one.validity.fair >= least:
        return one.conformance
    why = f"its validity is {one.validity.in_words}, and a score of at least {least:g} is asked for"
    return Conformance(False, Layer.VALIDITY, reason=why)


def ask_originals(cases: Sequence[TestCase], store: PredictionStore) -> None:
    """Predict the unchanged texts of all test cases at once."""
    answers = store.predict([case.plan.text for case in cases])
    for case in cases:
        case.answer_original(store, answers[case.plan.text])


def texts_to_ask(
    batch: Iterable[FollowUp], store: PredictionStore, *, discarded: bool = False
) -> list[str]:
    """Return the texts of a batch that a model is asked about; see :func:`judge`."""
    wanted = (one for one in batch if (discarded or one.asked) and not one.case.lost(store))
    return [one.mutant.text for one in wanted if one.case.sees(one, store)]


def judge(
    batch: Sequence[FollowUp], store: PredictionStore, *, discarded: bool = False
) -> list[Outcome]:
    """Predict a batch of mutants and judge them in order; distinct texts are predicted once.

    Discarded mutants are predicted only with ``discarded``, or if a person asks for one by hand;
    their verdict stays. A mutant whose change lies past the model's window is not predicted: it
    would be benign for no good reason. Nor is one whose unchanged text has no answer, as a server
    that fails would fail again, and nothing could be compared.
    """
    predictions = store.predict(texts_to_ask(batch, store, discarded=discarded))
    model, judged = store.model, []
    for one in batch:
        queried = discarded or one.asked
        prediction = one.case.lost(store) or predictions.get(one.mutant.text, UNSEEN)
        answer = prediction if queried else None
        judged.append(one.case.judge(one, model.name, model.capabilities, answer))
    return judged
