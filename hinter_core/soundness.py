"""What can be tested: settings and plans that no check could satisfy are refused, saying why."""

from __future__ import annotations

from collections.abc import Sequence

from hinter_core.dictionary import Dictionary
from hinter_core.errors import InputError
from hinter_core.planning import Plan, Settings

_MAX_REPEAT = 100
_MAX_UNLIMITED = 500_000  # combinations that are listed in memory


def require_sound(
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
