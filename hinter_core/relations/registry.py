"""The relations by name; a new one is a module beside this one and an entry here."""

from collections.abc import Iterable

from hinter_core.errors import InputError
from hinter_core.models.base import ModelUnderTest
from hinter_core.relations.base import Relation
from hinter_core.relations.substitution import SubstitutionRelation

RELATIONS: dict[str, Relation] = {"substitution": SubstitutionRelation()}


def relation_named(name: str, models: Iterable[ModelUnderTest] = ()) -> Relation:
    """Return a relation that can test these models.

    Raises:
        InputError: an unknown name, or a model with another task than the relation tests.
    """
    if name not in RELATIONS:
        raise InputError(f"There is no relation '{name}'; use {', '.join(RELATIONS)}.")
    relation = RELATIONS[name]
    for model in models:
        if model.capabilities.task != relation.task:
            raise InputError(
                f"{model.name} does {model.capabilities.task}; the relation '{name}' tests "
                f"{relation.task}. Choose another model."
            )
    return relation
