"""Who may name which model: the owner of this machine, or a stranger on a public host.

On a public host a name must not reach the server's own files, addresses inside its network, its
keys or its code. The owner at their own machine may use folders and servers of their own; Python
functions stay on the command line for both, since a page can be sent by others.
"""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from hinter_core.errors import InputError, ModelError
from hinter_core.models.prompting.prompts import shipped_prompts
from hinter_core.models.registry import (
    BACKENDS,
    NO_KEY,
    Backend,
    ModelName,
    is_generative,
    parse_name,
)

OPENAI_URL = "https://api.openai.com/v1"
# Where Ollama, and vLLM or transformers serve, listen unless told otherwise.
LOCAL_URLS = ("http://localhost:11434/v1", "http://localhost:8000/v1")
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*(@[\w./-]+)?")
_LONGEST_HUB_NAME = 300
_LONGEST_KEY = 1_000


@dataclass(frozen=True)
class Access:
    """What names may reach; ``endpoints`` are the servers that a public host may ask."""

    local: bool = False
    endpoints: tuple[str, ...] = (OPENAI_URL,)

    @classmethod
    def at(cls, host: str | None) -> Access:
        """The access of an app that listens on ``host`` (None: as gradio chooses).

        ``HINTER_ENDPOINTS`` names further servers, separated by commas.
        """
        host = host or os.environ.get("GRADIO_SERVER_NAME") or "127.0.0.1"
        shared = os.environ.get("GRADIO_SHARE", "").lower() == "true"
        local = _is_loopback(host) and not shared and not os.environ.get("SPACE_ID")
        more = os.environ.get("HINTER_ENDPOINTS", "").split(",")
        urls = (OPENAI_URL, *(_bare(url) for url in more if url.strip()))
        return cls(local, tuple(dict.fromkeys(urls)))

    def kinds(self) -> dict[str, Backend]:
        """The kinds of models that the app offers."""
        return {k: b for k, b in BACKENDS.items() if b.takes_key or not b.trusted_only}

    def servers(self) -> tuple[str, ...]:
        """Addresses to offer."""
        return (*self.endpoints, *LOCAL_URLS) if self.local else self.endpoints

    def admit(self, name: str, key: str = "") -> ModelName:
        """A model's name taken apart, if it may be loaded here.

        Raises:
            ModelError: an unknown name, or one that reaches what it must not.
        """
        kind = name.strip().partition(":")[0]
        backend = BACKENDS.get(kind)
        if backend and kind not in self.kinds():
            raise ModelError(f"Models of kind '{kind}' can be used on the command line only.")
        takes_key = backend is not None and backend.takes_key
        if takes_key and not key:
            raise ModelError(
                f"'{name.strip()}' is asked through a server that you name; add it in the Models "
                "tab, where it stays with your open page."
            )
        parsed = parse_name(name, key=key if takes_key else "")
        if takes_key:
            self._require_server(parsed)
        if parsed.settings.get("judge"):
            self._admit_judge(parsed.string("judge"))
        if not self.local:
            _require_nothing_of_this_machine(parsed)
        return parsed

    def _admit_judge(self, judge: str) -> None:
        backend = BACKENDS.get(judge.strip().partition(":")[0])
        if backend and backend.trusted_only:
            raise ModelError(f"'{judge}' cannot be a judge here; name one such as vader.")
        inner = self.admit(judge)
        if not self.local and is_generative(inner.kind):
            raise ModelError(f"'{judge}' cannot be a judge here; name one such as vader.")

    def _require_server(self, name: ModelName) -> None:
        given = name.string("base_url")
        url = given or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
        if not self.local and _bare(url) not in self.endpoints:
            named = " or ".join(self.endpoints)
            raise ModelError(f"This page may not ask {given or 'the default server'}; use {named}.")
        if given and not _is_plain(given):
            raise ModelError(
                "base_url is an address such as http://localhost:8000/v1, without a user, a key "
                "or a question mark in it."
            )


def clean_key(key: str) -> str:
    """A visitor's key without blanks around it; empty where there is none.

    Raises:
        InputError: something that cannot be a key; the message does not repeat it.
    """
    key = key.strip()
    if not (key.isascii() and key.isprintable()) or " " in key or len(key) > _LONGEST_KEY:
        # Libraries repeat such a header in their errors, so it must not get that far.
        raise InputError("This is no key: it holds blanks or characters that no key has.")
    return key


def key_or_none(key: str, *, local: bool) -> str:
    """The key to ask with; the owner's own servers may want none.

    Raises:
        InputError: a key is needed and there is none.
    """
    if key or local:
        return key or NO_KEY
    raise InputError("Type your key for this server; it stays in this app\u2019s memory only.")


def _require_nothing_of_this_machine(name: ModelName) -> None:
    """Refuse names that stand for files of the server.

    Raises:
        ModelError: a folder, a prompt file or a rule file.
    """
    source = name.source
    # The same words whether it exists or not: what lies on this machine is not told.
    plain = len(source) <= _LONGEST_HUB_NAME and _HUB_NAME.fullmatch(source)
    elsewhere = plain and ".." not in source and not Path(source).exists()
    if name.kind.startswith("hf") and not elsewhere:
        raise ModelError(f"'{source}': name a model of the Hugging Face Hub as ORG/NAME.")
    if name.kind == "scripted" and Path(source).suffix == ".rules":
        raise ModelError("Rule files cannot be named here; write the rules themselves.")
    prompt = name.settings.get("prompt")
    if prompt and prompt not in shipped_prompts():
        raise ModelError(f"No prompt '{prompt}'; use one of {', '.join(shipped_prompts())}.")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _bare(url: str) -> str:
    return url.strip().rstrip("/")


def _is_plain(url: str) -> bool:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 -- reading it checks it
    except ValueError:
        return False
    beyond = parts.username or parts.password or parts.query or parts.fragment
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not beyond
