"""The grammar checkers by name, ``KIND`` or ``KIND:ADDRESS``."""

from __future__ import annotations

from importlib import import_module

from hinter_core.validity.base import Checker, CheckerError

DEFAULT = "acceptability"
CHECKERS = {
    "acceptability": "the embedded classifier of acceptable sentences",
    "languagetool": "a LanguageTool server: languagetool:http://localhost:8081",
    "link-grammar": "Link Grammar's parser, where its command link-parser is installed",
}


def load_checker(name: str) -> Checker:
    """Load a checker by its name.

    Raises:
        CheckerError: unknown, not installed, or not reachable.
    """
    kind, _, address = name.strip().partition(":")
    if kind not in CHECKERS:
        raise CheckerError(f"There is no checker '{kind}'; use {', '.join(CHECKERS)}.")
    module = import_module(f"hinter_core.validity.{kind.replace('-', '_')}")
    if kind != "languagetool" and address:
        raise CheckerError(f"The checker {kind} takes no address; leave out what follows it.")
    checker: Checker = module.load(address) if kind == "languagetool" else module.load()
    return checker
