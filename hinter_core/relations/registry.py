"""The relations by name; a new one is a module beside this one and an entry here."""

from collections.abc import Iterable

from hinter_core.errors import InputError
from hinter_core.models.base import ModelUnderTest
from hinter_core.mutation.plan import TOLERANCE
from hinter_core.relations.base import Relation
from hinter_core.relations.substitution import SubstitutionRelation

RELATIONS: dict[str, Relation] = {"substitution": SubstitutionRelation()}


def relation_named(name: str) -> Relation:
    """Return a relation.

    Raises:
        InputError: an unknown name.
    """
    if name not in RELATIONS:
        raise InputError(f"There is no relation '{name}'; use {', '.join(RELATIONS)}.")
    return RELATIONS[name]


def require_comparable(relation: Relation, models: Iterable[ModelUnderTest]) -> None:
    """Refuse models whose answers the relation cannot compare.

    Raises:
        InputError: the message names the model and its task.
    """
    for model in models:
        try:
            relation.oracle(model.capabilities.task, TOLERANCE)
        except InputError as error:
            raise InputError(f"{model.name}: {error}") from error
