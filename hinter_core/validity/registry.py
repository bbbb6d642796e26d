"""Which checkers there are, and how one is named: ``KIND`` or ``KIND:ADDRESS``."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from hinter_core.validity.base import Checker, CheckerError

DEFAULT = "acceptability"
CHECKERS = {
    "acceptability": "the embedded classifier of acceptable sentences",
    "languagetool": "a LanguageTool server: languagetool:http://localhost:8081",
    "link-grammar": "Link Grammar's parser, where its command link-parser is installed",
}
_LOADERS = {
    "acceptability": "hinter_core.validity.acceptability:load",
    "languagetool": "hinter_core.validity.languagetool:load",
    "link-grammar": "hinter_core.validity.link_grammar:load",
}


def load_checker(name: str) -> Checker:
    """The checker of that name.

    Raises:
        CheckerError: there is none, or it is not installed or cannot be reached.
    """
    kind, _, argument = name.strip().partition(":")
    if kind not in _LOADERS:
        raise CheckerError(f"There is no checker '{kind}'; use {', '.join(CHECKERS)}.")
    module, _, function = _LOADERS[kind].partition(":")
    load: Callable[[str], Checker] = getattr(import_module(module), function)
    return load(argument)
