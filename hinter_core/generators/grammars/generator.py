"""Follow-ups of a grammar's sentences: each value exchanged, their combinations, their placebo."""

from collections.abc import Iterable

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.generators.base import FilledMutants
from hinter_core.generators.grammars import grammar as grammars
from hinter_core.generators.grammars.cases import GrammarRow, plan_of
from hinter_core.generators.grammars.grammar import Grammar
from hinter_core.models.base import CLASSIFICATION, COREFERENCE, MASKED, ModelUnderTest
from hinter_core.mutation.plan import Plan


class GrammarMutants(FilledMutants[Grammar]):
    """Makes the mutants of sentences of a grammar."""

    def _plan(self, row: Row) -> Plan:
        assert isinstance(row, GrammarRow)
        return plan_of(self._source, row.derivation, self._settings, self._attributes)

    def _require(self, plan: Plan, row: Row) -> None:  # noqa: ARG002 -- as of others
        present = [name for name in self._attributes if plan.edits.get(name)]
        if len(present) < min(2, self._settings.order):
            raise InputError(
                f"The sentence says {present[0] if present else 'none'} of "
                f"{', '.join(self._attributes)} only; it has no combination."
            )


# The task of models, and one that comes with HInter, by the task of a grammar.
_TASKS = {
    grammars.CLASSIFICATION: (CLASSIFICATION, "embedded"),
    grammars.MASKED: (MASKED, "masked"),
    grammars.COREFERENCE: (COREFERENCE, "resolver:rules"),
}


def usual_model(grammar: Grammar) -> str:
    """Return the embedded model of the grammar's task."""
    return _TASKS[grammar.task][1]


def require_answers(grammar: Grammar, models: Iterable[ModelUnderTest]) -> None:
    """Refuse models that do not do what a grammar is for.

    Raises:
        InputError: the message names the model, and one that would do.
    """
    task, usual = _TASKS[grammar.task]
    words = [word for answer in grammar.answers.values() for word in answer]
    for model in models:
        able = model.capabilities
        if able.task != task:
            raise InputError(
                f"The grammar {grammar.name} is for {task}, and {model.name} does {able.task}. "
                f"Choose another model, such as {usual}."
            )
        if not set(words) <= set(able.labels):
            raise InputError(
                f"The grammar {grammar.name} asks for {', '.join(words)} in place of [MASK], and "
                f"{model.name} for {', '.join(able.labels)}. Choose another model, or name the "
                f"words: hf-masked:ORG/NAME?words={','.join(words)}"
            )
