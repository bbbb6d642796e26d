"""Grammar checker that uses Link Grammar (Sleator and Temperley 1991): ``link-parser``.

A sentence with a complete linkage is acceptable. That is strict: headlines, fragments and unusual
words have none, so shares are meaningful only in comparison with one another.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence

from hinter_core.validity.base import Acceptability, Checker, CheckerError

_COMMAND = "link-parser"
_AT_ONCE = 50  # sentences per process
_EACH = 10  # seconds that a sentence may take
# No drawings, no skipped words, no guesses at misspelt words.
_OPTIONS = ("en", "-graphics=0", "-null=0", "-spell=0", "-panic=0", "-echo=1", f"-timeout={_EACH}")
# If there are many linkages, a random sample is tried; those that violate a rule do not count.
_LINKAGES = re.compile(
    r"^Found \d+ linkages? \((\d+)(?: of \d+ random linkages)? had no P\.P\. violations", re.M
)
_NONE = "No complete linkages found"
_VERSION = re.compile(r"link-grammar-(\S+)")


class LinkGrammar:
    """Judges whether a sentence has a complete linkage."""

    name = "link-grammar"

    def __init__(self, command: str) -> None:
        self._command = command
        version = _VERSION.search(_run([command, "--version"], "", _EACH))
        self.identity = f"link-grammar-1-{version[1].rstrip('.') if version else 'unknown'}"

    def check(self, texts: Sequence[str]) -> list[Acceptability]:
        """Judge each sentence; one that takes too long has no judgement."""
        judgements: list[Acceptability] = []
        for start in range(0, len(texts), _AT_ONCE):
            judgements += self._check_batch(texts[start : start + _AT_ONCE])
        return judgements

    def _check_batch(self, texts: Sequence[str]) -> list[Acceptability]:
        lines = [_line(text) for text in texts]
        sentences = "".join(f"{line}\n" for line in lines)
        output = _run([self._command, *_OPTIONS], sentences, _EACH * len(lines) + 30)
        # The output repeats each sentence before its result; a result may have two lines.
        starts, place = [], 0
        for line in lines:
            start = output.find(f"\n{line}\n", place)
            starts.append(start)
            place = place if start < 0 else start + len(line) + 1
        ends = [*starts[1:], len(output)]
        for i in range(len(ends) - 2, -1, -1):
            ends[i] = ends[i + 1] if ends[i] < 0 else ends[i]
        return [
            _judged(output[start + len(line) + 1 : end] if start >= 0 else "")
            for line, start, end in zip(lines, starts, ends, strict=True)
        ]


def _judged(output: str) -> Acceptability:
    sound = [int(number) for number in _LINKAGES.findall(output)]
    if any(sound):
        return Acceptability(True)
    if sound or _NONE in output:
        return Acceptability(False, reason="no complete linkage")
    return Acceptability(None, reason="the parser gave no verdict in time")


def _line(text: str) -> str:
    """Make one line that is neither empty nor a command of the parser."""
    return " ".join(text.split()).lstrip("!%*") or "."


def _run(command: Sequence[str], text: str, seconds: float) -> str:
    try:
        done = subprocess.run(  # noqa: S603 -- sentences go in as input, not as arguments
            command, input=text, capture_output=True, text=True, encoding="utf-8",
            errors="replace", timeout=seconds, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CheckerError(f"{_COMMAND} cannot be run ({error}).") from error
    return done.stdout + (done.stderr if "--version" in command else "")


def load() -> Checker:
    """Find the installed parser.

    Raises:
        CheckerError: it is not installed.
    """
    command = shutil.which(_COMMAND)
    if command is None:
        raise CheckerError(
            "Link Grammar is not installed: apt install link-grammar (Debian, Ubuntu) or "
            "brew install link-grammar; or use the checker acceptability."
        )
    return LinkGrammar(command)
