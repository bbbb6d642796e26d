"""Errors that a user can act on; any other error that escapes is a bug.

A message is one or two sentences: what is wrong, and what to do. The command line prints it and
exits with 2; the app shows it in a notice.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

UNANSWERED = 3  # exit code of a run that ended with mutants without a usable answer
_ALIKE = 0.7  # of two names, from which on one may be a slip of the other
INTERRUPTED = 130  # exit code of a command that was stopped


def hint(wrong: Iterable[str], known: Iterable[str], otherwise: str) -> str:
    """Return "did you mean 'order'?", or ``otherwise`` if no known name is like a wrong one."""
    names = list(known)
    alike = [near for one in wrong for near in get_close_matches(one, names, 1, _ALIKE)]
    return f"did you mean {', '.join(map(repr, alike))}?" if alike else otherwise


def listed(names: Sequence[str], last: str = "or") -> str:
    """Return ``a, b or c``, or with another ``last`` word ``a, b and c``."""
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def first_names(names: Sequence[str], most: int) -> str:
    """Return ``a, b and 7 more`` if there are more than ``most``, or else all of them."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, or else what it is."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


class HinterError(Exception):
    """Base of all errors whose message is written for the user."""


class InputError(HinterError):
    """The text or the settings given cannot be checked."""


class IntersectionError(InputError):
    """Nothing can be changed together, as ``why`` says; one attribute alone perhaps can."""

    def __init__(self, why: str, cure: str = "") -> None:
        super().__init__(why + cure)
        self.why = why


class DictionaryError(HinterError):
    """A dictionary file is broken; the message names file, line and cure."""


class ParserError(HinterError):
    """The named parser is unknown, missing or lacks a component."""


class ModelError(HinterError):
    """The named model under test is unknown, missing or cannot be used."""
