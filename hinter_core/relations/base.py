"""The protocol of a metamorphic relation: which follow-ups conform, and what an answer means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.models.base import Capabilities, ModelUnderTest
from hinter_core.mutation.lattice import EditSet
from hinter_core.mutation.plan import Plan
from hinter_core.types import Conformance, Effect, Mutant, Prediction, Sentence, Verdict


class Compared(NamedTuple):
    """The sentences of a source, one of its mutants, and the sentences of the mutant."""

    source: Sequence[Sentence]
    mutant: Mutant
    sentences: Sequence[Sentence]


class Relation(Protocol):
    """A relation between the answers to a source and to its follow-ups.

    ``task`` is what a model must do (see :class:`hinter_core.models.base.Capabilities`).
    ``lattice``: the verdict on a follow-up needs those on all its parts, so these are made and
    judged before it; without it, only the chosen follow-ups are.
    """

    name: str
    task: str
    lattice: bool

    def require_applicable(self, plan: Plan) -> None:
        """Refuse a text that the relation does not apply to.

        Raises:
            InputError: it has no follow-up; the message says why.
        """

    def conform(self, pairs: Sequence[Compared], parses: ParseStore) -> list[Conformance]:
        """Whether each mutant is a fair test of its source; a batch is parsed at once."""
        ...

    def same_answer(self, original: Prediction, answer: Prediction) -> bool:
        """Whether the relation holds between two usable answers."""
        ...

    def local_verdict(
        self, conformance: Conformance, original: Prediction, answer: Prediction | None
    ) -> Verdict:
        """The verdict on one mutant without its parts."""
        ...

    def verdict(self, mutant: Mutant, local: Mapping[EditSet, Verdict]) -> Verdict:
        """The verdict on a mutant by the local ones on it and on its parts."""
        ...

    def effect(
        self,
        mutant: Mutant,
        original: Prediction,
        prediction_of: Callable[[EditSet], Prediction | None],
        capabilities: Capabilities,
    ) -> Effect | None:
        """How far the answer moved; None where the answers do not say."""
        ...


def require_task(relation: Relation, models: Iterable[ModelUnderTest]) -> None:
    """Refuse a model that does another task than the relation tests.

    Raises:
        InputError: there is one.
    """
    for model in models:
        if model.capabilities.task != relation.task:
            raise InputError(
                f"{model.name} does {model.capabilities.task}; the relation '{relation.name}' "
                f"tests {relation.task}. Choose another model."
            )
