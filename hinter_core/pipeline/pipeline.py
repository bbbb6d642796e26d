"""The one pipeline from a text to verdicts, whoever feeds it.

match -> mutate -> check -> ask -> judge. Mutants are made in chunks of a few hundred; within a
chunk, distinct sentences are parsed and distinct texts predicted once, in batches. Parses and
predictions are kept across chunks, texts and attribute pairs.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.budget import Budget, Cost, total
from hinter_core.models.registry import open_store
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.lattice import EditSet, subsets
from hinter_core.mutation.plan import Plan, make_plan, matcher_of
from hinter_core.mutation.settings import Settings, require_testable
from hinter_core.pipeline.case import (
    TestCase,
    TestResult,
    ask_originals,
    conform,
    follow_up_of,
    judge,
)
from hinter_core.pipeline.rewording import add_rewordings
from hinter_core.relations.registry import relation_of, require_comparable
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import Matcher
from hinter_core.types import Edit

T = TypeVar("T")

_CHUNK = 128


class Pipeline:
    """Dictionaries, a parser and models under test, ready for any number of texts.

    ``paraphraser``: a language model that says what stands around the terms in other words.
    """

    def __init__(
        self,
        dictionaries: Sequence[Dictionary],
        parses: ParseStore,
        models: Sequence[PredictionStore],
        settings: Settings | None = None,
        paraphraser: PredictionStore | None = None,
    ) -> None:
        self.settings = settings or Settings()
        require_testable(dictionaries, models, self.settings)
        self.relation = relation_of(self.settings.relations)
        require_comparable(self.relation, (store.model for store in models), self.settings)
        self.dictionaries = list(dictionaries)
        self.parses = parses
        self.models = list(models)
        self._matcher = matcher_of(self.dictionaries, self.settings)
        self._paraphraser = paraphraser

    def plan(self, text: str, *, windows: bool = True) -> Plan:
        """Find what can be mutated in ``text`` and, with ``windows``, is seen by every model."""
        visible = [store.model.visible for store in self.models] if windows else ()
        plan = plan_text(
            text, self.dictionaries, self.settings, self.parses, visible, self._matcher
        )
        if self._paraphraser is not None:
            add_rewordings(plan, self._matcher, self._paraphraser)
        return plan

    def check(self, text: str) -> TestResult:
        """Plan ``text`` and judge all chosen mutants.

        Raises:
            InputError: nothing can be mutated; the message says why.
        """
        plan = self.plan(text)
        self.relation.require_applicable(plan)
        return self.judge(plan)

    def judge(self, plan: Plan, chosen: Sequence[tuple[Edit, ...]] | None = None) -> TestResult:
        """Judge the chosen mutants of a plan; as :meth:`run`, at once."""
        *_, result = self.run(plan, chosen=chosen)
        return result

    def run(
        self,
        plan: Plan,
        *,
        chosen: Sequence[tuple[Edit, ...]] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        chunk: int = _CHUNK,
    ) -> Iterator[TestResult]:
        """Judge the chosen edit sets and all their sub-mutants, yielding after every chunk.

        The same result is yielded each time, grown; it is ``complete`` at the end. If ``cancelled``
        returns true, what is judged so far stays. A small ``chunk`` reports and can be cancelled
        sooner; a large one makes better batches.
        """
        case, started = TestCase(plan), time.time()
        sets = plan.chosen() if chosen is None else chosen
        todo = list(closure(sets) if self.relation.lattice else sets)
        for store in self.models:
            if store.model.capabilities.at_once:  # also those that will be discarded
                texts = [plan.text, *(follow_up_of(case, edits).mutant.text for edits in todo)]
                store.predict(texts, chunk=len(texts))
            ask_originals([case], store)
        result = TestResult(
            plan,
            self.parses.parser.name,
            case.originals,
            outcomes={store.model.name: [] for store in self.models},
            noise=case.noise,
            identities={store.model.name: store.model.identity for store in self.models},
            kept={store.model.name: store.kept([plan.text], started) for store in self.models},
            planned=len(todo),
        )
        for batch in chunks((follow_up_of(case, edits) for edits in todo), chunk):
            if cancelled():
                return
            conform(batch, self.parses)
            for store in self.models:
                name, outcomes = store.model.name, judge(batch, store)
                result.outcomes[name] += outcomes
                asked = [one.mutant.text for one in outcomes if one.prediction]
                result.kept[name] += store.kept(asked, started)
            result.mutants += [follow_up.mutant for follow_up in batch]
            yield result
        result.complete = True
        yield result


def plan_text(
    text: str,
    dictionaries: Sequence[Dictionary],
    settings: Settings,
    parses: ParseStore,
    visible: Sequence[Callable[[str], int]] = (),
    matcher: Matcher | None = None,
) -> Plan:
    """Plan the mutants of a text, within the ``visible`` part of each model; none is predicted."""
    matcher = matcher or matcher_of(dictionaries, settings)
    plan = make_plan(text, dictionaries, settings, parses, matcher=matcher, visible=visible)
    relation_of(settings.relations).prepare(plan, dictionaries, parses)
    return plan


def first_kept(
    plan: Plan, sets: Sequence[tuple[Edit, ...]], parses: ParseStore
) -> tuple[Edit, ...] | None:
    """Return the first of some edit sets that the invariant keeps, best with all of its parts."""
    case = TestCase(plan)
    follow_ups = {frozenset(edits): follow_up_of(case, edits) for edits in closure(sets)}
    conform(list(follow_ups.values()), parses)
    whole = [edits for edits in sets if follow_ups[frozenset(edits)].conformance.kept]
    kept = {key for key, one in follow_ups.items() if one.conformance.kept}
    in_parts = (edits for edits in whole if kept.issuperset(map(frozenset, subsets(edits))))
    return next(in_parts, whole[0] if whole else None)


def estimate(
    plan: Plan,
    stores: Sequence[PredictionStore],
    chosen: Sequence[tuple[Edit, ...]] | None = None,
) -> dict[str, Cost]:
    """Estimate the cost of judging the chosen mutants of a plan, by model.

    An upper bound, as mutants that the invariant discards are not predicted.
    """
    sets = plan.chosen() if chosen is None else chosen
    texts = {plan.text} | {plan.mutant(edits).text for edits in closure(sets)}
    again = plan.settings.repeat
    return {
        store.model.name: store.estimate(texts) + total([store.cost_of(plan.text)] * again)
        for store in stores
    }


def closure(
    chosen: Iterable[tuple[Edit, ...]], top: int | None = None
) -> Iterator[tuple[Edit, ...]]:
    """Yield the edit sets and all their sub-mutants, each once, parts before wholes.

    ``top`` promises that no set has more edits, and that none of ``top`` edits comes twice: these
    sets, nearly all of a campaign's, are then not remembered.
    """
    seen: set[EditSet] = set()
    for edits in chosen:
        for part in subsets(edits):
            if len(part) == top:
                yield part
                continue
            key = frozenset(part)
            if key not in seen:
                seen.add(key)
                yield part


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of at most ``size``."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def build_pipeline(
    dictionaries: Sequence[Dictionary],
    parser: str,
    models: Sequence[str],
    settings: Settings,
    budget: Budget | None = None,
    since: float = 0.0,
) -> Pipeline:
    """Load a parser and models by name, for a user who owns the machine.

    All models share the ``budget``; stored answers of before ``since`` are not used.

    Raises:
        HinterError: something named is unknown, missing or broken.
    """
    require_testable(dictionaries, models, settings)
    stores = [
        open_store(name, trusted=True, budget=budget, since=since) for name in dict.fromkeys(models)
    ]
    return Pipeline(dictionaries, ParseStore(load_parser(parser)), stores, settings)
