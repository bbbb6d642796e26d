"""The protocols of relations and oracles, and how often a model contradicts itself on one text."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences
from hinter_core.models.base import Capabilities
from hinter_core.mutation.edits import apply_edits
from hinter_core.mutation.lattice import EditSet
from hinter_core.mutation.plan import Plan
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Conformance, Edit, Effect, Mutant, Prediction, Sentence, Verdict


class Compared(NamedTuple):
    """A source and its sentences, one of its mutants, and the sentences of the mutant.

    ``published``: the parser is asked about every edit, as in the paper.
    """

    text: str
    source: Sequence[Sentence]
    mutant: Mutant
    sentences: Sequence[Sentence]
    published: bool = False


def part_of(pair: Compared, edits: Sequence[Edit]) -> Compared:
    """Return a source with the sub-mutant of some of its mutant's edits."""
    part = apply_edits(pair.text, edits)
    return pair._replace(mutant=part, sentences=split_sentences(part.text))


class Oracle(Protocol):
    """Compares a model's answers to a source and to its follow-ups; there is one for each task."""

    def same_answer(
        self, original: Prediction, answer: Prediction, mutant: Mutant | None = None
    ) -> bool:
        """Whether two usable answers are the same; ``mutant``: None for the same text again."""

    def effect(
        self,
        mutant: Mutant,
        original: Prediction,
        prediction_of: Callable[[EditSet], Prediction | None],
        capabilities: Capabilities,
    ) -> Effect | None:
        """Measure how far the answer moved; None if the answers do not show it."""


class Relation(Protocol):
    """A relation between a model's answers to a source and to its follow-ups.

    ``number``: as in the paper, "" if it has none. ``title``: what it does to a text, and
    ``needs``: what a text must have, in words. ``lattice``: the verdict on a follow-up needs the
    verdicts on all its parts, so these are made and judged first; otherwise only the chosen
    follow-ups are.
    """

    name: str
    number: str
    title: str
    needs: str
    lattice: bool

    def prepare(self, plan: Plan, dictionaries: Sequence[Dictionary], parses: ParseStore) -> None:
        """Put the relation's edits of a text into its plan, which has exchanges of words.

        All dictionaries are of neutral words: the plan is that of a placebo.
        """

    def require_applicable(self, plan: Plan) -> None:
        """Refuse a text that the relation does not apply to.

        Raises:
            InputError: the text has no follow-up; the message says why.
        """

    def conform(self, pairs: Sequence[Compared], parses: ParseStore) -> list[Conformance]:
        """Decide for each mutant whether it is a fair test of its source."""

    def oracle(self, task: str, tolerance: float) -> Oracle:
        """Return what compares answers of models of a task.

        ``tolerance``: by how much the probability of a masked word may move.

        Raises:
            InputError: the relation says nothing about this task.
        """

    def local_verdict(self, conformance: Conformance, same: bool | None) -> Verdict:
        """Judge a mutant without regard to its parts; ``same``: None without usable answers."""

    def verdict(self, mutant: Mutant, local: Mapping[EditSet, Verdict]) -> Verdict:
        """Judge a mutant by the local verdicts on it and on its parts."""


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """Repeated answers to an unchanged text: ``flips`` of ``answered`` differ from the first one.

    A model that flips without an edit has flips that are no bias. ``answers`` counts the label
    sets, most frequent first.
    """

    asked: int
    answered: int
    flips: int
    answers: tuple[tuple[tuple[str, ...], int], ...]

    @property
    def rate(self) -> float | None:
        """Share of usable answers that differ from the first; None without a usable one."""
        return self.flips / self.answered if self.answered else None


@dataclass(frozen=True, slots=True)
class NeutralFlips:
    """Answers to neutral swaps of a text: ``flips`` of ``answered`` differ from the original's.

    ``order``: words exchanged at once; 0 if the text has no neutral word that can be exchanged.
    ``answers``: those that count.
    """

    order: int
    answered: int = 0
    flips: int = 0
    answers: tuple[Prediction, ...] = field(default=(), compare=False, repr=False)


def noise_floor(oracle: Oracle, original: Prediction, repeats: Sequence[Prediction]) -> NoiseFloor:
    """Compare repeated answers with the first one; failed answers are left out."""
    usable = [answer for answer in repeats if answer.answered]
    flips = sum(original.answered and not oracle.same_answer(original, a) for a in usable)
    tally = Counter(tuple(sorted(answer.labels)) for answer in usable)
    return NoiseFloor(len(repeats), len(usable), flips, tuple(tally.most_common()))
