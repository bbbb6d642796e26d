"""Decide what may be named and uploaded: by the machine's owner, or by strangers on a public host.

On a public host a name must not reach the server's files, addresses inside its network, its keys or
its code, and an upload must not take its memory. The owner of the machine may use its folders and
servers; Python functions stay on the command line for both, since a page can be sent by others.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from hinter_core.annotation.invitation import is_loopback
from hinter_core.errors import DictionaryError, InputError, ModelError, ParserError
from hinter_core.files.source import ENDINGS
from hinter_core.generators.grammars.reading import shipped_grammars
from hinter_core.models.prompting import shipped_prompts
from hinter_core.models.registry import (
    BACKENDS,
    NO_KEY,
    Backend,
    ModelName,
    Reads,
    kind_of,
    parse_name,
)
from hinter_core.models.server.endpoint import OPENAI_URL, bare
from hinter_core.terms.dictionary import Dictionary, load_file
from hinter_ui.environment import endpoints, is_plain, proxies
from hinter_ui.html.wording import Words, listed, translated

say = Words("shared")

# Where Ollama, and vLLM or transformers serve, listen unless told otherwise.
LOCAL_URLS = ("http://localhost:11434/v1", "http://localhost:8000/v1")
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*(@[\w./-]+)?")
_LONGEST_HUB_NAME = 300
_LONGEST_KEY = 1_000
_LONGEST_MODEL = 4_000  # characters of a name on a public host; rules are part of it
_MOST_MODELS = 6  # in one check there
MOST_READ = 12_000  # characters of a text there: the worst is read within seconds
PARSERS = ("embedded", "en_core_web_sm", "en_core_web_md", "en_core_web_lg", "en_core_web_trf")
MOST_DICTIONARIES = 6  # of one's own, in a page or a campaign
_MOST_TERMS = 600  # of a dictionary on a public host; the largest of ours has 469
_MOST_OF_DICTIONARY = 200_000  # bytes there; the largest of ours has a tenth of it
MOST_OF_GRAMMAR = 100_000  # bytes on a public host; the largest of ours has 5,270
_NO_NAME = re.compile(r"[^\w]+")  # in the name of an attribute
_LONGEST_ATTRIBUTE = 40


@dataclass(frozen=True)
class Access:
    """Rules for what names may reach; ``endpoints``: the servers that a public host may use.

    ``proxies``: how many of one's own stand before the app, whose word on addresses is believed.
    """

    local: bool = False
    endpoints: tuple[str, ...] = (OPENAI_URL,)
    proxies: int = field(default_factory=proxies)

    @classmethod
    def at(cls, host: str | None) -> Self:
        """Return the access of an app that listens on ``host`` (None: as gradio chooses).

        ``HINTER_ENDPOINTS`` names these servers, separated by commas; without it there is OpenAI.
        ``HINTER_PROXIES`` counts the proxies before the app.

        A proxy on this machine asks from loopback for strangers, so where there is one the host is
        public.

        Raises:
            InputError: one of them means nothing.
        """
        host = host or os.environ.get("GRADIO_SERVER_NAME") or "127.0.0.1"
        shared = os.environ.get("GRADIO_SHARE", "").lower() == "true"
        before = proxies()
        alone = not (shared or before or os.environ.get("SPACE_ID"))
        return cls(is_loopback(host) and alone, endpoints() or (OPENAI_URL,), before)

    def kinds(self) -> dict[str, Backend]:
        """Return the kinds of models that the app offers."""
        return {k: b for k, b in BACKENDS.items() if not b.runs_code}

    def servers(self) -> tuple[str, ...]:
        """Return the addresses to offer."""
        named = (*self.endpoints, *LOCAL_URLS) if self.local else self.endpoints
        return tuple(dict.fromkeys(named))

    def refusal(self, names: Iterable[str]) -> str:
        """Say why one of the models may not be loaded here; empty if all may be."""
        for name in names:
            try:
                self.admit(name)
            except ModelError as error:
                return translated(str(error))
        return ""

    def admit(self, name: str, key: str = "") -> ModelName:
        """Parse a model's name, if it may be loaded here.

        Raises:
            ModelError: an unknown name, or one that reaches what it must not.
        """
        if not self.local and len(name) > _LONGEST_MODEL:
            raise ModelError(say("access.model_name", n=len(name), most=_LONGEST_MODEL))
        if kind_of(name).runs_code:
            raise ModelError(say("access.kind", kind=name.strip().partition(":")[0]))
        takes_key = kind_of(name).takes_key
        if takes_key and not key:
            raise ModelError(say("access.add_first", name=name.strip()))
        parsed = parse_name(name, key=key if takes_key else "")
        if takes_key:
            self._require_server(parsed)
        if parsed.settings.get("judge"):
            self._admit_judge(parsed.settings["judge"])
        if not self.local:
            _require_nothing_of_this_machine(parsed)
        return parsed

    def by_key(self, name: str) -> ModelName | None:
        """Parse the name of a model that is asked with a key; None: another model.

        Raises:
            ModelError: its server may not be asked, which is said before a key is asked for.
        """
        return self.admit(name, NO_KEY) if kind_of(name).takes_key else None

    def admit_text(self, text: str, models: Sequence[str] = ()) -> None:
        """Require a text that a public host reads soon, and few ``models`` to ask about it.

        Raises:
            InputError: it is too long, or there are too many models.
        """
        if not self.local and len(text) > MOST_READ:
            raise InputError(say("access.text", n=len(text), most=MOST_READ))
        if not self.local and len(models) > _MOST_MODELS:
            raise InputError(say("access.models", n=len(models), most=_MOST_MODELS))

    def admit_parser(self, name: str) -> str:
        """Return the name of a parser that may be loaded here.

        Raises:
            ParserError: a public host loads a few pipelines only, never a folder or a package.
        """
        name = name.strip()
        if not self.local and name not in PARSERS:
            raise ParserError(say("access.parser", names=listed(PARSERS, "or")))
        return name

    def read_dictionary(self, file: Path) -> Dictionary:
        """Load an uploaded dictionary; its attribute is named by :func:`attribute_of`.

        Raises:
            DictionaryError: a fault, told without the file's folder; or too many terms.
        """
        if not file.name.lower().endswith(ENDINGS):
            raise DictionaryError(say("access.dictionary_file", file=file.name))
        if not self.local and file.stat().st_size > _MOST_OF_DICTIONARY:
            raise DictionaryError(
                say("access.dictionary_size", file=file.name, most=_MOST_OF_DICTIONARY // 1_000)
            )
        try:
            dictionary = load_file(file, attribute=attribute_of(file))
        except DictionaryError as error:
            raise DictionaryError(str(error).replace(str(file), file.name)) from error
        terms = len(dictionary.terms)
        if not self.local and terms > _MOST_TERMS:
            raise DictionaryError(
                say("access.dictionary_terms", file=file.name, terms=terms, most=_MOST_TERMS)
            )
        return dictionary

    def admit_grammar(self, name: str) -> str:
        """Return the name or file of a grammar that may be read here.

        Raises:
            InputError: a file that takes a host too long to read.
        """
        if not self.local and name not in shipped_grammars():
            file = Path(name)
            if file.is_file() and file.stat().st_size > MOST_OF_GRAMMAR:
                raise InputError(
                    say("access.grammar", file=file.name, most=MOST_OF_GRAMMAR // 1_000)
                )
        return name

    def _admit_judge(self, judge: str) -> None:
        if kind_of(judge).trusted_only or (
            kind_of(self.admit(judge).kind).generative and not self.local
        ):
            raise ModelError(say("access.judge", name=judge))

    def _require_server(self, name: ModelName) -> None:
        given = name.settings["base_url"]
        url = given or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
        if not self.local and bare(url) not in self.endpoints:
            server = given or say("access.default_server")
            raise ModelError(
                say("access.server", server=server, servers=listed(self.endpoints, "or"))
            )
        if given and not is_plain(given):
            raise ModelError(say("access.base_url"))


def attribute_of(file: Path) -> str:
    """Return the name of the attribute of an uploaded dictionary, which is also a file's name."""
    name = _NO_NAME.sub("-", file.stem.casefold()).strip("-")[:_LONGEST_ATTRIBUTE].rstrip("-")
    return name or "own"


def clean_key(key: str) -> str:
    """Strip a visitor's key; it may be empty.

    Raises:
        InputError: something that cannot be a key; the message does not repeat it.
    """
    key = key.strip()
    if not (key.isascii() and key.isprintable()) or " " in key or len(key) > _LONGEST_KEY:
        # Libraries repeat such a header in their errors, so it must not get that far.
        raise InputError(say("access.no_key"))
    return key


def key_or_none(key: str, *, local: bool) -> str:
    """Return the key to ask with; the owner's servers may need none.

    Raises:
        InputError: a key is needed and there is none.
    """
    if key or local:
        return key or NO_KEY
    raise InputError(say("access.key"))


def _require_nothing_of_this_machine(name: ModelName) -> None:
    """Refuse folders, prompt files and rule files of the server."""
    source = name.source
    # The same words whether it exists or not, so that nothing is told of this machine.
    plain = len(source) <= _LONGEST_HUB_NAME and _HUB_NAME.fullmatch(source)
    elsewhere = plain and ".." not in source and not Path(source).exists()
    reads = BACKENDS[name.kind].reads
    if reads is Reads.HUB and not elsewhere:
        raise ModelError(say("access.hub", name=source))
    file = reads is Reads.RULES and Path(source).suffix == ".rules"
    if file or (source and reads is Reads.ANYTHING):
        raise ModelError(say("access.rules"))
    prompt = name.settings.get("prompt")
    if prompt and prompt not in shipped_prompts():
        raise ModelError(say("access.prompt", name=prompt, names=", ".join(shipped_prompts())))
