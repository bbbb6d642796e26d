"""The relations by name; a new one is a module beside this and a line here."""

from __future__ import annotations

from hinter_core.errors import InputError
from hinter_core.relations.base import Relation
from hinter_core.relations.substitution import SubstitutionRelation

_ALL: tuple[Relation, ...] = (SubstitutionRelation(),)
RELATIONS = {relation.name: relation for relation in _ALL}


def relation_named(name: str) -> Relation:
    """The relation of this name.

    Raises:
        InputError: there is none.
    """
    if name not in RELATIONS:
        raise InputError(f"There is no relation '{name}'; use {', '.join(RELATIONS)}.")
    return RELATIONS[name]
