"""The probe: the one pipeline from a text to verdicts, whoever feeds it.

match -> mutate -> check -> ask -> judge. Mutants are made in chunks of a few hundred; within a
chunk, distinct sentences are parsed and distinct texts predicted once, in batches; what was parsed
or predicted before is kept across chunks, texts and attribute pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from hinter_core import invariant, oracle
from hinter_core.dictionary import Dictionary
from hinter_core.lattice import EditSet, subsets
from hinter_core.matching import Matcher
from hinter_core.models.budget import Budget, Cost, total
from hinter_core.models.registry import open_store
from hinter_core.models.store import PredictionStore
from hinter_core.noise import NoiseFloor, noise_floor
from hinter_core.parsing import ParseStore, load_parser
from hinter_core.planning import Plan, Settings, make_plan
from hinter_core.sentences import split_sentences
from hinter_core.soundness import require_mutable, require_sound
from hinter_core.types import (
    Conformance,
    Edit,
    Judged,
    Mutant,
    Prediction,
    Verdict,
)

_CHUNK = 128


@dataclass
class Check:
    """A text with all its mutants, judged for one or more models.

    ``judged`` maps a model's name to its results, in the order of ``mutants``; ``noise`` to how
    often it contradicted itself, where the settings ask for that.
    """

    plan: Plan
    parser: str
    originals: dict[str, Prediction]
    mutants: list[Mutant] = field(default_factory=list)
    judged: dict[str, list[Judged]] = field(default_factory=dict)
    noise: dict[str, NoiseFloor] = field(default_factory=dict)
    identities: dict[str, str] = field(default_factory=dict)  # what decided each model's answers
    planned: int = 0
    complete: bool = False

    def counts(self, model: str) -> dict[str, int]:
        """Number of mutants by verdict, all verdicts named."""
        tally = Counter(j.verdict for j in self.judged.get(model, ()))
        return {verdict.value: tally.get(verdict, 0) for verdict in Verdict}

    def find(self, model: str, edits: Iterable[Edit]) -> Judged | None:
        """The result for one edit set, if it was tested."""
        key = frozenset(edits)
        for judged in self.judged.get(model, ()):
            if frozenset(judged.mutant.edits) == key:
                return judged
        return None


class Probe:
    """Dictionaries, a parser and models under test, ready for any number of texts."""

    def __init__(
        self,
        dictionaries: Sequence[Dictionary],
        parses: ParseStore,
        models: Sequence[PredictionStore],
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings or Settings()
        require_sound(dictionaries, models, self.settings)
        self.dictionaries = list(dictionaries)
        self.parses = parses
        self.models = list(models)
        self._matcher = Matcher(self.dictionaries)

    def plan(self, text: str) -> Plan:
        """What can be mutated in ``text`` and is seen by every model.

        Raises:
            InputError: see :func:`hinter_core.planning.make_plan`.
        """
        return make_plan(
            text,
            self.dictionaries,
            self.settings,
            self.parses,
            matcher=self._matcher,
            visible=[store.model.visible for store in self.models],
        )

    def check(self, text: str) -> Check:
        """Plan ``text`` and judge all chosen mutants.

        Raises:
            InputError: nothing can be mutated; the message says why.
        """
        plan = self.plan(text)
        require_mutable(plan)
        return self.judge(plan)

    def judge(self, plan: Plan) -> Check:
        """Judge all chosen mutants of a plan, to the end."""
        result = Check(plan, self.parses.parser.name, {})
        for partial in self.run(plan):
            result = partial
        return result

    def run(
        self,
        plan: Plan,
        *,
        chosen: Sequence[tuple[Edit, ...]] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        chunk: int = _CHUNK,
    ) -> Iterator[Check]:
        """Judge the chosen edit sets and all their sub-mutants, yielding after every chunk.

        The same :class:`Check` is yielded each time, grown; it is ``complete`` at the end. When
        ``cancelled`` answers true, what is judged so far stays. A small ``chunk`` reports and can
        be cancelled sooner; a large one makes better batches.
        """
        todo = plan.chosen() if chosen is None else list(chosen)
        check = Check(plan, self.parses.parser.name, {})
        for store in self.models:
            self._ask_original(check, store)
        state = _State(plan)
        batches = list(_chunks(_closure(todo), chunk))
        check.planned = sum(len(batch) for batch in batches)
        for batch in batches:
            if cancelled():
                return
            mutants = [plan.mutant(edits) for edits in batch]
            self._conform(state, mutants)
            for store in self.models:
                self._judge(check, state, store, mutants)
            check.mutants += mutants
            yield check
        check.complete = True
        yield check

    def _ask_original(self, check: Check, store: PredictionStore) -> None:
        name, text = store.model.name, check.plan.text
        original = check.originals[name] = store.predict([text])[text]
        check.judged[name] = []
        check.identities[name] = store.model.identity
        if self.settings.repeat:
            again = store.repeat(text, self.settings.repeat)
            check.noise[name] = noise_floor(original, again)

    def estimate(self, plan: Plan) -> dict[str, Cost]:
        """What judging ``plan`` asks of each model at most; see :func:`estimate`."""
        return estimate(plan, self.models)

    def _conform(self, state: _State, mutants: Sequence[Mutant]) -> None:
        source = state.plan.sentences
        split = [split_sentences(mutant.text) for mutant in mutants]
        changed: list[str] = []
        for sentences in split:
            if len(sentences) == len(source):
                for left, right in zip(source, sentences, strict=True):
                    if left.text != right.text:
                        changed += (left.text, right.text)
        parses = self.parses.parse(changed)
        for mutant, sentences in zip(mutants, split, strict=True):
            state.conformance[frozenset(mutant.edits)] = invariant.check(source, sentences, parses)

    def _judge(
        self, check: Check, state: _State, store: PredictionStore, mutants: Sequence[Mutant]
    ) -> None:
        name = store.model.name
        original = check.originals[name]
        local = state.local.setdefault(name, {})
        answers = state.answers.setdefault(name, {})
        # Discarded mutants are not asked: their answer could be no evidence.
        valid = [m for m in mutants if state.conformance[frozenset(m.edits)].kept]
        predictions = store.predict([m.text for m in valid])
        answers.update((frozenset(m.edits), predictions[m.text]) for m in valid)
        for mutant in mutants:
            key = frozenset(mutant.edits)
            local[key] = oracle.local_verdict(state.conformance[key], original, answers.get(key))
        # Sub-mutants come first in the closure, so all that a mutant needs is judged by now.
        verdicts = oracle.judge(mutants, local)
        for mutant in mutants:
            key = frozenset(mutant.edits)
            effect = None
            if original.answered and key in answers:
                effect = oracle.effect(mutant, original, answers.get, store.model.capabilities)
            check.judged[name].append(
                Judged(mutant, state.conformance[key], answers.get(key), verdicts[key], effect)
            )


def estimate(plan: Plan, stores: Sequence[PredictionStore]) -> dict[str, Cost]:
    """What judging a plan would ask of each model at most, by its name.

    It is an upper bound: mutants that the invariant discards will not be asked.
    """
    texts = {plan.text} | {plan.mutant(edits).text for edits in _closure(plan.chosen())}
    again = plan.settings.repeat
    return {
        store.model.name: store.estimate(texts) + total([store.cost_of(plan.text)] * again)
        for store in stores
    }


@dataclass
class _State:
    plan: Plan
    conformance: dict[EditSet, Conformance] = field(default_factory=dict)
    local: dict[str, dict[EditSet, Verdict]] = field(default_factory=dict)
    answers: dict[str, dict[EditSet, Prediction]] = field(default_factory=dict)


def _closure(chosen: Iterable[tuple[Edit, ...]]) -> Iterator[tuple[Edit, ...]]:
    """The edit sets and all their sub-mutants, each once, parts before wholes."""
    seen: set[EditSet] = set()
    for edits in chosen:
        for part in subsets(edits):
            key = frozenset(part)
            if key not in seen:
                seen.add(key)
                yield part


def _chunks(items: Iterable[tuple[Edit, ...]], size: int) -> Iterator[list[tuple[Edit, ...]]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def build_probe(
    dictionaries: Sequence[Dictionary],
    parser: str,
    models: Sequence[str],
    settings: Settings,
    budget: Budget | None = None,
) -> Probe:
    """Load a parser and models by name and build a probe, for a user who owns the machine.

    All models share the ``budget``.

    Raises:
        HinterError: something named is unknown, missing or broken.
    """
    require_sound(dictionaries, models, settings)
    stores = [open_store(name, trusted=True, budget=budget) for name in dict.fromkeys(models)]
    return Probe(dictionaries, ParseStore(load_parser(parser)), stores, settings)
