"""Costs on the command line: a budget from options."""

from __future__ import annotations

from hinter_core.errors import InputError
from hinter_core.models.budget import Budget
from hinter_core.models.registry import parse_name


def budget_of(model: str, requests: int | None, money: float | None) -> Budget | None:
    """The budget that the options set; None where they set none.

    Raises:
        InputError: a budget below zero, or of money for a model without a price.
    """
    if requests is None and money is None:
        return None
    # Written so that what is no number ("nan") is refused, too.
    if (requests is not None and requests < 1) or (money is not None and not money > 0):
        raise InputError("A budget is above zero; leave it out for none.")
    if money is not None:
        settings = parse_name(model, trusted=True).settings
        if not settings.get("price_in") and not settings.get("price_out"):
            raise InputError(
                "A budget of money needs prices: add price_in=...&price_out=... (for a million "
                "tokens) to an openai: model, or set --requests."
            )
    return Budget(requests, money)
