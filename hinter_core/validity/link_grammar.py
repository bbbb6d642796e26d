"""Link Grammar (Sleator and Temperley 1991): acceptable is what its parser links as a whole.

It is strict: headlines, fragments and unusual words have no complete linkage either, so its shares
say most beside one another. Runs the command ``link-parser``; many sentences to one process.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence

from hinter_core.validity.base import Acceptability, Checker, CheckerError

_COMMAND = "link-parser"
_AT_ONCE = 50  # sentences to a process
_EACH = 10  # seconds that a sentence may take
# Plain verdicts: no drawing, no words left out, no guesses at misspelt words.
_OPTIONS = ("en", "-graphics=0", "-null=0", "-spell=0", "-panic=0", "-echo=1", f"-timeout={_EACH}")
# Linkages are tried at random where there are many; those that violate a rule do not count.
_LINKAGES = re.compile(
    r"^Found \d+ linkages? \((\d+)(?: of \d+ random linkages)? had no P\.P\. violations", re.M
)
_NONE = "No complete linkages found"
_VERSION = re.compile(r"link-grammar-(\S+)")


class LinkGrammar:
    """Judges by whether there is a complete linkage."""

    name = "link-grammar"

    def __init__(self, command: str) -> None:
        self._command = command
        found = _VERSION.search(_run([command, "--version"], "", _EACH))
        self.identity = f"link-grammar-1-{found[1].rstrip('.') if found else 'unknown'}"

    def check(self, texts: Sequence[str]) -> list[Acceptability]:
        """Judge each sentence; one that takes too long has no judgement."""
        found: list[Acceptability] = []
        for start in range(0, len(texts), _AT_ONCE):
            found += self._some(texts[start : start + _AT_ONCE])
        return found

    def _some(self, texts: Sequence[str]) -> list[Acceptability]:
        lines = [_line(text) for text in texts]
        given = "".join(f"{line}\n" for line in lines)
        said = _run([self._command, *_OPTIONS], given, _EACH * len(lines) + 30)
        # Each sentence is repeated, and what is said of it follows; a sentence may have two lines.
        starts, place = [], 0
        for line in lines:
            found = said.find(f"\n{line}\n", place)
            starts.append(found)
            place = place if found < 0 else found + len(line) + 1
        ends = [*starts[1:], len(said)]
        for i in range(len(ends) - 2, -1, -1):
            ends[i] = ends[i + 1] if ends[i] < 0 else ends[i]
        return [
            _judged(said[start + len(line) + 1 : end] if start >= 0 else "")
            for line, start, end in zip(lines, starts, ends, strict=True)
        ]


def _judged(said: str) -> Acceptability:
    sound = [int(found) for found in _LINKAGES.findall(said)]
    if any(sound):
        return Acceptability(True)
    if sound or _NONE in said:
        return Acceptability(False, reason="no complete linkage")
    return Acceptability(None, reason="the parser gave no verdict in time")


def _line(text: str) -> str:
    """One line that is no command of the parser's own; never empty."""
    return " ".join(text.split()).lstrip("!%*") or "."


def _run(command: Sequence[str], given: str, seconds: float) -> str:
    try:
        done = subprocess.run(  # noqa: S603 -- sentences go in as input, not as arguments
            command, input=given, capture_output=True, text=True, encoding="utf-8",
            errors="replace", timeout=seconds, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CheckerError(f"{_COMMAND} cannot be run ({error}).") from error
    return done.stdout + (done.stderr if "--version" in command else "")


def load(argument: str = "") -> Checker:
    """The installed parser.

    Raises:
        CheckerError: it is not installed.
    """
    if argument:
        raise CheckerError("The checker link-grammar takes no address; leave out what follows it.")
    command = shutil.which(_COMMAND)
    if command is None:
        raise CheckerError(
            "Link Grammar is not installed: apt install link-grammar (Debian, Ubuntu) or "
            "brew install link-grammar; or use the checker acceptability."
        )
    return LinkGrammar(command)
