"""The eleven metamorphic relations: sensitive attributes change, and the answer stays.

Source: metamorphic-relation prioritisation, section V-B2 (MR1 to MR11; MR10 repeats MR8). Each
makes edits of its kind; those of different attributes combine like any others, so an added and an
exchanged attribute are a mutant of order 2 with its parts. *All* (MR2, MR5) is the combination of
the edits of each attribute.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.lattice import EditSet, proper_subsets
from hinter_core.mutation.plan import Plan, require_mutable
from hinter_core.relations import even_handed, invariant, structure, wording
from hinter_core.relations.base import Compared, Oracle, part_of
from hinter_core.relations.changes import addition, negation, paraphrase, position, removal
from hinter_core.relations.changes.phrases import SourceText, edit_of
from hinter_core.relations.oracles import oracle_for
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import (
    KEPT,
    SUBSTITUTE,
    Conformance,
    Edit,
    EditKind,
    Layer,
    Mutant,
    RejectedEdit,
    Term,
    Verdict,
)


class SubstitutionRelation:
    """HInter's relation: the dependency invariant, and equal answers.

    Sources: HInter, Algorithm 3 (invariant), Algorithm 1 (lines 19-29, intersectional) and
    Algorithm 2 (atomic), generalised from two attributes to order N: a mutant is *hidden* if it is
    biased and every proper sub-mutant is valid and benign.
    """

    name = SUBSTITUTE
    number = "MR8"
    title = "exchange a sensitive word"
    needs = "a term of a sensitive attribute"
    lattice = True

    def prepare(self, plan: Plan, dictionaries: Sequence[Dictionary], parses: ParseStore) -> None:
        """Leave the plan as it is: it has the exchanges of words."""

    def require_applicable(self, plan: Plan) -> None:
        """Refuse a plan without mutants."""
        require_mutable(plan)

    def conform(self, pairs: Sequence[Compared], parses: ParseStore) -> list[Conformance]:
        """Run the invariant on each pair, all of them published or none."""
        if pairs and pairs[0].published:
            return invariant.check_all([(pair.source, pair.sentences) for pair in pairs], parses)
        return even_handed.check_all(pairs, parses)

    def oracle(self, task: str, tolerance: float) -> Oracle:
        """Return the oracle of a task: answers stay the same."""
        return oracle_for(task, tolerance)

    def local_verdict(self, conformance: Conformance, same: bool | None) -> Verdict:
        """Judge a mutant without its sub-mutants (Algorithm 2); never ``hidden``."""
        if not conformance.kept:
            return Verdict.DISCARDED
        if same is None:
            return Verdict.UNANSWERED
        return Verdict.BENIGN if same else Verdict.BIASED

    def verdict(self, mutant: Mutant, local: Mapping[EditSet, Verdict]) -> Verdict:
        """Judge a mutant; ``hidden`` if biased with benign parts only (Algorithm 1, lines 26-29).

        A part that is missing in ``local`` was never shown benign, so the mutant is not hidden.
        """
        whole = local[frozenset(mutant.edits)]
        if whole is not Verdict.BIASED or mutant.order < 2:
            return whole
        parts = (local.get(frozenset(part)) for part in proper_subsets(mutant.edits))
        return Verdict.HIDDEN if all(part is Verdict.BENIGN for part in parts) else whole


Changes = Callable[[SourceText, str], Iterable[Edit]]
OfAll = Callable[[SourceText, str], Edit | Term]


@dataclass(frozen=True)
class Changing:
    """Specification of a relation of the family: how it makes follow-ups.

    ``number``: as in the paper, "" if it has none. ``needs``: what a text must have, in words.
    ``changes``: yields the edits of one attribute, or those ``about`` something else, which stands
    where others name their attribute; ``of_all``: returns the edit of all that an attribute says,
    made as by the relation ``single``, or a word of which it ``cannot`` be made. ``neutral``:
    yields like insertions or deletions that say nothing of people, for the placebo; without them it
    is exchanges. ``clause``: its edits bring words of their own, which go together.
    """

    number: str
    title: str
    needs: str
    changes: Changes | None = None
    of_all: OfAll | None = None
    single: str = ""
    cannot: str = ""
    neutral: Changes | None = None
    clause: bool = False
    about: str = ""


_TERM = SubstitutionRelation.needs
_OF_NONE = Changing("", "", "")  # of a relation that is none of the family
FAMILY: dict[str, Changing] = {
    removal.REMOVE_ONE: Changing(
        "MR1", "leave out one sensitive word",
        "a modifier or title, or a noun with a neutral counterpart",
        removal.removals, neutral=removal.neutral_removals,
    ),
    removal.REMOVE_ALL: Changing(
        "MR2", "leave out all sensitive words",
        "words of two attributes, all of which can be left out",
        of_all=removal.removal_of_all, single=removal.REMOVE_ONE,
        cannot="it cannot be left out", neutral=removal.neutral_removals,
    ),
    paraphrase.PARAPHRASE: Changing(
        "MR3", "say a sensitive word otherwise", f"{_TERM} with a synonym or phrase",
        paraphrase.paraphrases,
    ),
    negation.NEGATE_ONE: Changing(
        "MR4", "turn one sensitive word into its opposite", f"{_TERM} with an opposite",
        negation.negations,
    ),
    negation.NEGATE_ALL: Changing(
        "MR5", "turn all sensitive words into their opposites",
        "words of two attributes, each with an opposite",
        of_all=negation.negation_of_all, single=negation.NEGATE_ONE,
        cannot="it cannot be turned into its opposite",
    ),
    addition.ADD: Changing(
        "MR6", "add a sensitive word", "a noun for people, and an attribute that it does not say",
        addition.additions, neutral=addition.neutral_additions,
    ),
    position.SHUFFLE: Changing(
        "MR7", "move a sensitive word",
        "a sensitive adjective before a noun that a clause can follow", position.moves, clause=True,
    ),
    SUBSTITUTE: Changing(SubstitutionRelation.number, SubstitutionRelation.title, _TERM),
    paraphrase.CONTEXT: Changing(
        "MR9", "say the context otherwise", "other words with a listed synonym or a contraction",
        paraphrase.contexts, clause=True, about=paraphrase.CONTEXT_ATTRIBUTE,
    ),
    addition.APPEND: Changing(
        "MR11", "append a sentence about the writer", "an attribute that it does not say",
        addition.appended, neutral=addition.neutral_sentences, clause=True,
    ),
}  # fmt: skip
_PLACEBO = "placebo-"
_NOTHING = Term("", "not said")


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
        by_name = {d.attribute: d for d in dictionaries}
        source = SourceText(plan, by_name, parses, {a: tuple(e) for a, e in plan.edits.items()})
        if dictionaries and all(dictionary.placebo for dictionary in dictionaries):
            self._prepare_placebo(source)
            return
        if SUBSTITUTE not in self._names:
            plan.edits.clear()
            refused = plan.refused if any("negate" in name for name in self._names) else ()
            plan.refused = [
                one for one in refused if negation.negates(by_name[one.edit.attribute], one.edit)
            ]
        # What is about no attribute comes last, whatever the order of the names.
        for changing in sorted((FAMILY[name] for name in self._names), key=lambda one: one.about):
            self._prepare(source, changing)

    def _prepare(self, source: SourceText, changing: Changing) -> None:
        plan = source.plan
        if changing.about:
            plan.of_nobody.add(changing.about)
        if changing.changes is not None:
            for attribute in [changing.about] if changing.about else source.dictionaries:
                if changes := list(changing.changes(source, attribute)):
                    plan.edits.setdefault(attribute, []).extend(changes)
                    plan.attributes = tuple(dict.fromkeys((*plan.attributes, attribute)))
        if changing.of_all is not None:
            said = [name for name in source.dictionaries if source.occurrences(name)]
            each = [(name, changing.of_all(source, name)) for name in said]
            every = tuple(edit for _, edit in each if isinstance(edit, Edit))
            if len(every) == len(said) > 1 and plan.possible(every):
                plan.together.append(every)
            for name, term in each:
                if isinstance(term, Term):
                    stays = edit_of(changing.single, EditKind.DELETE, (name, term), _NOTHING, [])
                    plan.refused.append(RejectedEdit(stays, changing.cannot))

    def _prepare_placebo(self, source: SourceText) -> None:
        for name in self._names:
            neutral = FAMILY[name].neutral
            attribute = f"{_PLACEBO}{name}"
            if neutral is not None and (edits := list(neutral(source, attribute))):
                source.plan.edits[attribute] = edits

    def require_applicable(self, plan: Plan) -> None:
        """Refuse a text that none of the relations applies to; say what they need."""
        needs = "; ".join(f"{n} needs {FAMILY[n].needs}{_but(plan, n)}" for n in self._names)
        if not any(plan.edits.values()) and not plan.together:
            raise InputError(f"No relation applies to this text: {needs}.")
        if plan.settings.order > 1 and not plan.together:
            require_mutable(plan, needs)

    def conform(self, pairs: Sequence[Compared], parses: ParseStore) -> list[Conformance]:
        """Check exchanges by the invariant, and other edits by the words that they leave as is."""
        split = [_split(pair) for pair in pairs]
        exchanged = [both[0] for both in split if both[0] is not None]
        changed = [both[1] for both in split if both[1] is not None]
        exchanges = iter(super().conform(exchanged, parses)) if exchanged else iter(())
        kept = iter(_worded(changed, structure.check_all(changed, parses), parses))
        answers = []
        for exchange, other in split:
            both = [next(exchanges)] if exchange is not None else []
            both += [next(kept)] if other is not None else []
            answers.append(next((one for one in both if not one.kept), KEPT))
        return answers


def _but(plan: Plan, name: str) -> str:
    """Say for which words of a text a relation of all words cannot be made."""
    single, why = FAMILY[name].single, FAMILY[name].cannot
    of_name = (one for one in plan.refused if why and one.edit.change.relation == single)
    words = [f"\u201c{one.edit.source.text}\u201d" for one in of_name if one.reason == why]
    return f" ({', '.join(words)}: {why})" if words else ""


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
    pairs: Sequence[Compared], conformances: Sequence[Conformance], parses: ParseStore
) -> list[Conformance]:
    """Discard what was kept if its words do not go together; clauses bring their own."""
    clauses = (
        any(_changing(edit.change.relation).clause for edit in pair.mutant.edits) for pair in pairs
    )
    worded = [one.kept and not clause for clause, one in zip(clauses, conformances, strict=True)]
    reasons = iter(wording.reasons(list(compress(pairs, worded)), parses))
    return [
        Conformance(False, Layer.WORDING, reason=why) if ask and (why := next(reasons)) else one
        for ask, one in zip(worded, conformances, strict=True)
    ]


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
