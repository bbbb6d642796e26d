"""The relations by name: those of the family, and any that judges otherwise, by an entry here."""

from collections.abc import Iterable

from hinter_core.errors import InputError
from hinter_core.extensions import RELATIONS as ADDED
from hinter_core.models.base import CLASSIFICATION, ModelUnderTest
from hinter_core.mutation.settings import Settings
from hinter_core.relations.base import Relation
from hinter_core.relations.changes.added import add_relation
from hinter_core.relations.family import FAMILY, FamilyRelation, SubstitutionRelation
from hinter_core.types import SUBSTITUTE

RELATIONS: dict[str, Relation] = {
    name: SubstitutionRelation() if name == SUBSTITUTE else FamilyRelation(name) for name in FAMILY
}


def full_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of relations, each once; the paper's numbers (MR1 to MR11) are names, too."""
    numbers = {one.number.lower(): name for name, one in RELATIONS.items() if one.number}
    numbers["mr10"] = SUBSTITUTE  # the paper's text of MR10 is that of MR8
    return tuple(dict.fromkeys(numbers.get(name.lower(), name) for name in names))


def relation_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return :func:`full_names` of relations that are known in this process.

    Raises:
        InputError: an unknown name, or none.
    """
    known = full_names(names)
    for name in known:
        if name not in every_relation(name):
            every = ", ".join(every_relation())
            raise InputError(
                f"There is no relation '{name}'; use {every}, or MR1 to MR11. One of your own is "
                "there once hinter.relation has added it, or its package is installed."
            )
    if not known:
        raise InputError(f"Name a relation: {', '.join(RELATIONS)}.")
    return known


def every_relation(name: str = "") -> dict[str, Relation]:
    """Return the relations with those that were added; with a name, look for that alone."""
    for other in [name] if name in RELATIONS else ADDED.names():
        if other not in RELATIONS and name in ("", other) and (added := ADDED.find(other)):
            RELATIONS[other] = add_relation(added)
    return RELATIONS


def relation_of(names: Iterable[str]) -> Relation:
    """Return the relation of a name; of several names, the one that combines their edits.

    Raises:
        InputError: an unknown name, none, or several that do not combine.
    """
    known = relation_names(names)
    if len(known) == 1:
        return RELATIONS[known[0]]
    if alone := next((name for name in known if name not in FAMILY), None):
        raise InputError(f"The relation '{alone}' does not combine with others; name it alone.")
    return FamilyRelation(*known)


def require_comparable(
    relation: Relation, models: Iterable[ModelUnderTest], settings: Settings
) -> None:
    """Refuse models of tasks that the relation has no oracle for, or without asked-for scores.

    Raises:
        InputError: the message names the model.
    """
    for model in models:
        able = model.capabilities
        try:
            relation.oracle(able.task, settings.tolerance)
        except InputError as error:
            raise InputError(f"{model.name}: {error}") from error
        scored = able.task == CLASSIFICATION and able.scores is not False
        if settings.score_tolerance is not None and not scored:
            raise InputError(
                f"{model.name} gives no probabilities of labels, which the score tolerance "
                "compares. Leave it out, or choose a model that gives them."
            )
