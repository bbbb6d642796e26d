"""Costs on the command line: a budget from options."""

from __future__ import annotations

import sys
from pathlib import Path

from hinter_core.errors import InputError
from hinter_core.language.clean import MAX_CHARACTERS
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


def read_text(text: str | None, file: Path | None) -> str:
    """``text``, or what ``file`` holds (``-``: standard input).

    Raises:
        InputError: both or neither given, or the file is missing, too large or not UTF-8.
    """
    if (text is None) == (file is None):
        raise InputError("Give the text either with --text or with --file.")
    if text is not None:
        return text
    assert file is not None
    try:
        if str(file) == "-":
            raw = sys.stdin.buffer.read()
        else:
            if file.stat().st_size > 4 * MAX_CHARACTERS:
                raise InputError(
                    f"{file} is larger than a text of {MAX_CHARACTERS:,} characters; "
                    "check a part of it."
                )
            raw = file.read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"Cannot read {file}: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 text; convert it first.") from error
