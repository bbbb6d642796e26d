"""Errors that a user can act on; any other error that escapes is a bug.

A message is one or two sentences: what is wrong, and what to do. The command line prints it and
exits with 2; the app shows it in a notice.
"""

UNANSWERED = 3  # exit code of a run that ended with mutants without a usable answer
INTERRUPTED = 130  # exit code of a command that was stopped


class HinterError(Exception):
    """Base of all errors whose message is written for the user."""


class InputError(HinterError):
    """The text or the settings given cannot be checked."""


class DictionaryError(HinterError):
    """A dictionary file is broken; the message names file, line and cure."""


class ParserError(HinterError):
    """The named parser is unknown, missing or lacks a component."""


class ModelError(HinterError):
    """The named model under test is unknown, missing or cannot be used."""
