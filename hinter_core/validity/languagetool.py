"""Grammar checker that uses a LanguageTool server (https://languagetool.org, HTTP interface v2).

Rules about spelling, typography and style are ignored; a sentence with any other match is not
acceptable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from hinter_core.validity.base import Acceptability, Checker, CheckerError

_LANGUAGE = "en-US"
_SECONDS = 60.0
# The server's categories of rules that do not concern grammar.
_NO_GRAMMAR = {
    "TYPOS", "TYPOGRAPHY", "STYLE", "CASING", "PUNCTUATION", "REDUNDANCY", "PLAIN_ENGLISH",
    "REPETITIONS_STYLE", "WIKIPEDIA", "COLLOQUIALISMS", "GENDER_NEUTRALITY",
}  # fmt: skip


class LanguageTool:
    """Sends one request per sentence to a server, over one connection."""

    def __init__(self, address: str) -> None:
        from openai import DefaultHttpxClient  # an httpx client, whichever of its versions is used

        self.name = f"languagetool:{address}"
        self._address = address
        self._client = DefaultHttpxClient(timeout=_SECONDS)
        software = self._ask("This is a sentence.").get("software")
        version = software.get("version") if isinstance(software, dict) else None
        self.identity = f"languagetool-1-{version or 'unknown'}-{_LANGUAGE}"

    def check(self, texts: Sequence[str]) -> list[Acceptability]:
        """Judge each sentence."""
        return [_read(self._ask(text)) for text in texts]

    def _ask(self, text: str) -> dict[str, Any]:
        url = f"{self._address}/v2/check"
        try:
            answer = self._client.post(url, data={"text": text, "language": _LANGUAGE})
        except Exception as error:  # what a client raises depends on its version
            raise CheckerError(
                f"No LanguageTool server answers at {self._address} ({type(error).__name__}); "
                "start one, or check the address."
            ) from error
        if answer.status_code != 200:
            reason = " ".join(answer.text.split())[:200]
            raise CheckerError(
                f"The server at {self._address} refused a sentence with status "
                f"{answer.status_code}: {reason or 'no reason given'}."
            )
        try:
            values: dict[str, Any] = answer.json()
            if not isinstance(values["matches"], list):
                raise TypeError
        except (ValueError, TypeError, KeyError) as error:
            raise CheckerError(
                f"What answers at {self._address} is no LanguageTool server; name its address "
                "without a path, such as languagetool:http://localhost:8081."
            ) from error
        return values


def _read(answer: dict[str, Any]) -> Acceptability:
    for match in answer["matches"]:
        rule = match.get("rule") or {}
        category = (rule.get("category") or {}).get("id", "")
        if category not in _NO_GRAMMAR:
            return Acceptability(False, reason=f"{rule.get('id', '')}: {match.get('message', '')}")
    return Acceptability(True)


def load(argument: str) -> Checker:
    """Connect to the server at an address.

    Raises:
        CheckerError: an invalid address, or no LanguageTool server there.
    """
    address = argument.rstrip("/").removesuffix("/v2/check").removesuffix("/v2")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise CheckerError("Name a server: languagetool:http://localhost:8081")
    if parts.username or parts.password:
        raise CheckerError("Leave name and password out of the address; it is written to files.")
    return LanguageTool(address)
