"""The eleven metamorphic relations: sensitive attributes change, and the answer stays.

Source: metamorphic-relation prioritisation, section V-B2 (MR1 to MR11; MR10 repeats MR8). Each
makes edits of its kind; those of different attributes combine like any others, so an added and an
exchanged attribute are a mutant of order 2 with its parts. *All* (MR2, MR5) is the combination of
the edits of each attribute.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import Plan, require_mutable
from hinter_core.relations import structure, wording
from hinter_core.relations.base import Compared, part_of
from hinter_core.relations.changes.addition import (
    ADD,
    APPEND,
    additions,
    appended,
    neutral_additions,
    neutral_sentences,
)
from hinter_core.relations.changes.negation import (
    NEGATE_ALL,
    NEGATE_ONE,
    negation_of_all,
    negations,
)
from hinter_core.relations.changes.paraphrase import (
    CONTEXT,
    CONTEXT_ATTRIBUTE,
    PARAPHRASE,
    contexts,
    paraphrases,
)
from hinter_core.relations.changes.phrases import SourceText
from hinter_core.relations.changes.position import SHUFFLE, moves
from hinter_core.relations.changes.removal import (
    REMOVE_ALL,
    REMOVE_ONE,
    neutral_removals,
    removal_of_all,
    removals,
)
from hinter_core.relations.substitution import SubstitutionRelation
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import KEPT, SUBSTITUTE, Conformance, Edit, EditKind, Layer

Changes = Callable[[SourceText, str], Iterable[Edit]]
OfAll = Callable[[SourceText, str], Edit | None]


@dataclass(frozen=True)
class Changing:
    """Specification of a relation of the family: how it makes follow-ups.

    ``number``: as in the paper, "" if it has none. ``needs``: what a text must have, in words.
    ``changes``: yields the edits of one attribute, or those ``about`` something else, which stands
    where others name their attribute; ``of_all``: returns the edit of all that an attribute says,
    made as by the relation ``single``. ``neutral``: yields like insertions or deletions that say
    nothing of people, for the placebo; without them it is exchanges. ``clause``: its edits bring
    words of their own, which go together.
    """

    number: str
    title: str
    needs: str
    changes: Changes | None = None
    of_all: OfAll | None = None
    single: str = ""
    neutral: Changes | None = None
    clause: bool = False
    about: str = ""


_TERM = SubstitutionRelation.needs
_OF_NONE = Changing("", "", "")  # of a relation that is none of the family
FAMILY: dict[str, Changing] = {
    REMOVE_ONE: Changing(
        "MR1", "leave out one sensitive word",
        "a modifier or title, or a noun with a neutral counterpart",
        removals, neutral=neutral_removals,
    ),
    REMOVE_ALL: Changing(
        "MR2", "leave out all sensitive words",
        "words of two attributes, each of which can be left out",
        of_all=removal_of_all, single=REMOVE_ONE, neutral=neutral_removals,
    ),
    PARAPHRASE: Changing(
        "MR3", "say a sensitive word otherwise", f"{_TERM} with a synonym or phrase", paraphrases
    ),
    NEGATE_ONE: Changing(
        "MR4", "turn one sensitive word into its opposite", f"{_TERM} with an opposite", negations
    ),
    NEGATE_ALL: Changing(
        "MR5", "turn all sensitive words into their opposites",
        "words of two attributes, each with an opposite",
        of_all=negation_of_all, single=NEGATE_ONE,
    ),
    ADD: Changing(
        "MR6", "add a sensitive word", "a noun for people, and an attribute that it does not say",
        additions, neutral=neutral_additions,
    ),
    SHUFFLE: Changing(
        "MR7", "move a sensitive word",
        "a sensitive adjective before a noun that a clause can follow", moves, clause=True,
    ),
    SUBSTITUTE: Changing(SubstitutionRelation.number, SubstitutionRelation.title, _TERM),
    CONTEXT: Changing(
        "MR9", "say the context otherwise", "other words with a listed synonym or a contraction",
        contexts, clause=True, about=CONTEXT_ATTRIBUTE,
    ),
    APPEND: Changing(
        "MR11", "append a sentence about the writer", "an attribute that it does not say",
        appended, neutral=neutral_sentences, clause=True,
    ),
}  # fmt: skip
_PLACEBO = "placebo-"


class FamilyRelation(SubstitutionRelation):
    """One relation of the family, or several whose edits combine."""

    def __init__(self, *names: str) -> None:
        changes = [FAMILY[name] for name in names]
        self.name = " + ".join(names)
        self.number = " + ".join(one.number for one in changes if one.number)
        self.title = " + ".join(one.title for one in changes)
        self.needs = "; ".join(one.needs for one in changes)
        self._names = names

    def prepare(self, plan: Plan, dictionaries: Sequence[Dictionary], parses: ParseStore) -> None:
        """Put the edits of all relations into the plan, in place of exchanges alone.

        The plan of a placebo keeps its neutral exchanges and gets neutral words that are added or
        left out.
        """
        source = SourceText(plan, {d.attribute: d for d in dictionaries}, parses)
        if dictionaries and all(dictionary.placebo for dictionary in dictionaries):
            self._prepare_placebo(source)
            return
        if SUBSTITUTE not in self._names:
            plan.edits.clear()
        # What is about no attribute comes last, whatever the order of the names.
        for changing in sorted((FAMILY[name] for name in self._names), key=lambda one: one.about):
            self._prepare(source, changing)

    def _prepare(self, source: SourceText, changing: Changing) -> None:
        plan = source.plan
        if changing.about:
            plan.of_nobody.add(changing.about)
        if changing.changes is not None:
            for attribute in [changing.about] if changing.about else source.dictionaries:
                if found := list(changing.changes(source, attribute)):
                    plan.edits.setdefault(attribute, []).extend(found)
                    plan.attributes = tuple(dict.fromkeys((*plan.attributes, attribute)))
        if changing.of_all is not None:
            said = [name for name in source.dictionaries if source.occurrences(name)]
            each = [changing.of_all(source, attribute) for attribute in said]
            every = tuple(edit for edit in each if edit is not None)
            if len(every) == len(said) > 1 and plan.possible(every):
                plan.together.append(every)

    def _prepare_placebo(self, source: SourceText) -> None:
        for name in self._names:
            neutral = FAMILY[name].neutral
            attribute = f"{_PLACEBO}{name}"
            if neutral is not None and (edits := list(neutral(source, attribute))):
                source.plan.edits[attribute] = edits

    def require_applicable(self, plan: Plan) -> None:
        """Refuse a text that none of the relations applies to; say what they need."""
        needs = "; ".join(f"{name} needs {FAMILY[name].needs}" for name in self._names)
        if not any(plan.edits.values()) and not plan.together:
            raise InputError(f"No relation applies to this text: {needs}.")
        if plan.settings.order > 1 and not plan.together:
            require_mutable(plan, needs)

    def conform(self, pairs: Sequence[Compared], parses: ParseStore) -> list[Conformance]:
        """Check exchanges by the invariant, and other edits by the words that they leave as is."""
        split = [_split(pair) for pair in pairs]
        exchanged = [both[0] for both in split if both[0] is not None]
        changed = [both[1] for both in split if both[1] is not None]
        found = iter(super().conform(exchanged, parses)) if exchanged else iter(())
        kept = iter(_worded(changed, structure.check_all(changed, parses), parses))
        answers = []
        for own, other in split:
            both = [next(found)] if own is not None else []
            both += [next(kept)] if other is not None else []
            answers.append(next((one for one in both if not one.kept), KEPT))
        return answers


def _split(pair: Compared) -> tuple[Compared | None, Compared | None]:
    """Divide a mutant into its exchanges and its other edits; None for a part without edits."""
    exchanged = [
        e for e in pair.mutant.edits if e.change.kind is EditKind.SUBSTITUTE or not e.spans
    ]
    others = [edit for edit in pair.mutant.edits if edit not in exchanged]
    if not others or not exchanged:
        return (None, pair) if others else (pair, None)
    return part_of(pair, exchanged), part_of(pair, others)


def _worded(
    pairs: Sequence[Compared], found: Sequence[Conformance], parses: ParseStore
) -> list[Conformance]:
    """Discard what was kept if its words do not go together; clauses bring their own."""
    asked = [one.kept and not _brings_clause(pair) for pair, one in zip(pairs, found, strict=True)]
    reasons = iter(wording.reasons(list(compress(pairs, asked)), parses))
    return [
        Conformance(False, Layer.WORDING, reason=why) if ask and (why := next(reasons)) else one
        for ask, one in zip(asked, found, strict=True)
    ]


def _brings_clause(pair: Compared) -> bool:
    return any(_changing(edit.change.relation).clause for edit in pair.mutant.edits)


def _changing(relation: str) -> Changing:
    return FAMILY.get(relation, _OF_NONE)


def of_attribute(edit: Edit) -> bool:
    """Return whether an edit changes what a text says of an attribute."""
    return not _changing(edit.change.relation).about


def relation_name(edits: Sequence[Edit], together: Sequence[tuple[Edit, ...]]) -> str:
    """Return the relation of a mutant, or of several edits their relations with " + ".

    ``together``: the combinations that change all that a text says (MR2, MR5).
    """
    names = list(dict.fromkeys(edit.change.relation for edit in edits))
    if len(edits) > 1 and any(set(edits) == set(every) for every in together):
        names = [next((name for name, one in FAMILY.items() if one.single == names[0]), names[0])]
    return " + ".join(sorted(names))


def beside(name: str) -> str:
    """Name the relation that supplies this one's placebo; by default substitution."""
    changing = _changing(name)
    return changing.single or name if changing.neutral else SUBSTITUTE
