"""Planning: what a text offers to be tested, before anything is asked of a model.

A plan holds the sentences, the occurrences that count and those that do not, and the lattice of
mutants. Asking is a separate step (:mod:`hinter_core.pipeline.pipeline`), so that a budget, a
search or a person can choose among what is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from hinter_core.errors import InputError
from hinter_core.language.clean import clean
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import sentence_at, split_sentences
from hinter_core.mutation.edits import assemble, edits_for, splices_of, splices_overlap
from hinter_core.mutation.lattice import Lattice
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import Matcher
from hinter_core.terms.person_sense import read
from hinter_core.types import (
    ROW,
    Edit,
    Mutant,
    Occurrence,
    Origin,
    RejectedOccurrence,
    Sentence,
    Slot,
    Splice,
)


@dataclass(frozen=True)
class Settings:
    """What decides which mutants a text has, and what is asked of a model.

    ``order`` is the highest order; ``limit`` caps intersectional mutants (a seeded sample);
    ``literal`` is the paper's mode, where every occurrence of a term counts; ``repeat`` is how
    often the original is asked again (see :mod:`hinter_core.relations.base`); ``relation`` is the
    one that is tested, by name (see :mod:`hinter_core.relations.registry`).
    """

    order: int = 2
    limit: int | None = None
    literal: bool = False
    seed: int = 0
    repeat: int = 0
    relation: str = "substitution"


@dataclass
class Plan:
    """Everything known of a text before a model is asked.

    ``origin`` says where the text comes from, ``slots`` what was filled in to make it.
    """

    text: str
    attributes: tuple[str, ...]
    settings: Settings
    sentences: list[Sentence]
    occurrences: list[Occurrence]
    rejected: list[RejectedOccurrence]
    edits: dict[str, list[Edit]]
    notices: list[str] = field(default_factory=list)
    origin: Origin = ROW
    slots: tuple[Slot, ...] = ()
    _splices: dict[Edit, tuple[Splice, ...]] = field(default_factory=dict)
    _chosen: list[tuple[Edit, ...]] | None = None

    @classmethod
    def of_text(
        cls,
        text: str,
        settings: Settings,
        attributes: tuple[str, ...] = (),
        *,
        origin: Origin = ROW,
        slots: tuple[Slot, ...] = (),
    ) -> Plan:
        """A plan without edits, for a text whose mutants are known from elsewhere."""
        sentences = split_sentences(text)
        return cls(text, attributes, settings, sentences, [], [], {}, origin=origin, slots=slots)

    @property
    def missing(self) -> list[str]:
        """Attributes without a term that counts."""
        return [a for a in self.attributes if not self.edits.get(a)]

    @property
    def lattice(self) -> Lattice:
        """All combinations of the edits."""
        return Lattice({a: e for a, e in self.edits.items() if e}, self.settings.order)

    @property
    def totals(self) -> list[int]:
        """Numbers of possible mutants of order 2 and so on (overlapping ones included)."""
        lattice = self.lattice
        return [lattice.count(order) for order in range(2, self.settings.order + 1)]

    @property
    def total(self) -> int:
        """Number of possible intersectional mutants (overlapping ones included)."""
        return sum(self.totals)

    def mutant(self, edits: Sequence[Edit]) -> Mutant:
        """The mutant of these edits."""
        return assemble(self.text, edits, (s for e in edits for s in self._of(e)))

    def possible(self, edits: Sequence[Edit]) -> bool:
        """Whether the edits touch different words."""
        return len(edits) < 2 or not splices_overlap(s for e in edits for s in self._of(e))

    def _of(self, edit: Edit) -> tuple[Splice, ...]:
        if edit not in self._splices:
            self._splices[edit] = splices_of(self.text, edit, self.sentences)
        return self._splices[edit]

    def each(self) -> Iterator[tuple[Edit, ...]]:
        """What :meth:`chosen` lists, one by one; without a limit, nothing of it is kept."""
        if self.settings.limit is None and self.settings.order > 1:
            return self.lattice.every(self.possible)
        return iter(self.chosen())

    def atomic(self) -> Iterator[tuple[Edit, ...]]:
        """The edit sets of all atomic mutants."""
        return ((edit,) for edits in self.edits.values() for edit in edits)

    def chosen(self) -> list[tuple[Edit, ...]]:
        """Edit sets to test, by the settings: intersectional ones (or atomic, at order 1)."""
        if self._chosen is None:
            if self.settings.order == 1:
                self._chosen = list(self.atomic())
            else:
                limit, seed = self.settings.limit, self.settings.seed
                self._chosen = self.lattice.intersectional(limit, seed, self.possible)
        return self._chosen


def make_plan(
    text: str,
    dictionaries: Sequence[Dictionary],
    settings: Settings,
    parses: ParseStore,
    *,
    matcher: Matcher | None = None,
    visible: Sequence[Callable[[str], int]] = (),
) -> Plan:
    """Find what can be mutated in ``text``.

    ``visible`` tells, for each model, how many leading characters of the cleaned text it sees;
    terms that one of them does not see do not count. ``matcher`` may be given when the same
    dictionaries serve many texts.

    Raises:
        InputError: the text is empty, blank or too long.
    """
    text, notices = clean(text)
    sentences = split_sentences(text)
    occurrences, rejected = (matcher or Matcher(dictionaries)).find(text)
    seen = min((sees(text) for sees in visible), default=len(text))
    occurrences, unseen = _within_window(occurrences, seen)
    rejected += unseen
    if settings.literal:
        kept = occurrences
    else:
        kept, no_person = _with_sense(occurrences, sentences, parses)
        rejected += no_person
    pairs = {d.attribute: dict(d.pairs_from) for d in dictionaries}
    return Plan(
        text=text,
        attributes=tuple(d.attribute for d in dictionaries),
        settings=settings,
        sentences=sentences,
        occurrences=kept,
        rejected=sorted(rejected, key=lambda r: r.occurrence.span),
        edits=edits_for(kept, pairs),
        notices=notices,
    )


def _within_window(
    occurrences: Sequence[Occurrence], visible: int
) -> tuple[list[Occurrence], list[RejectedOccurrence]]:
    inside = [o for o in occurrences if o.span[1] <= visible]
    reason = "past the part of the text that the model sees"
    outside = [RejectedOccurrence(o, reason) for o in occurrences if o.span[1] > visible]
    return inside, outside


def _with_sense(
    occurrences: Sequence[Occurrence], sentences: Sequence[Sentence], parses: ParseStore
) -> tuple[list[Occurrence], list[RejectedOccurrence]]:
    """Keep the readings that the parse allows (form and person sense)."""
    home: list[Sentence | None] = []
    for occurrence in occurrences:
        start, end = occurrence.span
        sentence = sentence_at(sentences, start)
        home.append(sentence if sentence and end <= sentence.end else None)
    parsed = parses.parse([s.text for s in home if s], entities=True)
    kept: list[Occurrence] = []
    refused: list[RejectedOccurrence] = []
    for occurrence, sentence in zip(occurrences, home, strict=True):
        if sentence is None:
            refused.append(RejectedOccurrence(occurrence, "it spans two sentences"))
            continue
        start, end = (x - sentence.start for x in occurrence.span)
        reading = read(parsed[sentence.text], (start, end), occurrence.terms)
        if reading.terms:
            kept.append(
                Occurrence(occurrence.attribute, occurrence.span, occurrence.surface, reading.terms)
            )
        else:
            refused.append(RejectedOccurrence(occurrence, reading.reason))
    return kept, refused


_MAX_REPEAT = 100
_MAX_UNLIMITED = 500_000  # combinations that are listed in memory


def require_testable(
    dictionaries: Sequence[Dictionary], models: Sequence[object], settings: Settings
) -> None:
    """Refuse settings that no text could satisfy.

    Raises:
        InputError: no model, too few attributes, or an order, limit or repeat out of range.
    """
    if not models:
        raise InputError("No model chosen; name at least one model under test.")
    if settings.order < 1:
        raise InputError("The order is at least 1 (1: atomic, 2: two attributes at once).")
    if settings.limit is not None and settings.limit < 1:
        raise InputError("The limit is at least 1 mutant.")
    if not 0 <= settings.repeat <= _MAX_REPEAT:
        raise InputError(f"Ask the original again from 0 to {_MAX_REPEAT} times.")
    if len(dictionaries) < min(settings.order, 2):
        raise InputError("Choose at least two attributes to test an intersection (or order 1).")


def require_mutable(plan: Plan) -> None:
    """Refuse a plan without mutants, saying why.

    Raises:
        InputError: no term counts, or too few attributes are present for an intersection.
    """
    present = [a for a in plan.attributes if plan.edits.get(a)]
    need = 1 if plan.settings.order == 1 else 2
    why = _why_missing(plan)
    if not present:
        raise InputError(f"No term of {_listed(plan.attributes)} can be changed in this text{why}.")
    if len(present) < need:
        raise InputError(
            f"Only {present[0]} has a term in this text; {_listed(plan.missing)} has none, so "
            f"there is no intersection{why}. Choose another attribute, or order 1."
        )
    if plan.settings.limit is None and plan.total > _MAX_UNLIMITED:
        raise InputError(
            f"This text has {plan.total:,} combinations; give a limit to test a sample of them."
        )
    if need == 2 and next(plan.each(), None) is None:
        raise InputError(
            f"The terms of {_listed(present)} are the same words here, so they cannot change "
            "together. Choose another attribute."
        )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _why_missing(plan: Plan) -> str:
    missing = set(plan.missing)
    refused = [r for r in plan.rejected if r.occurrence.attribute in missing]
    if not refused:
        return ""
    words = "; ".join(f"\u201c{r.occurrence.surface}\u201d {r.reason}" for r in refused[:3])
    return f" ({words})"
