"""Kinds of models, their options and loaders, by the name used in the app, the CLI and campaigns.

A name is ``KIND`` or ``KIND:SOURCE?option=value&option=value``. Options are declared here, so that
names are parsed, forms drawn and help printed before a back-end is imported.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache, partial
from importlib import import_module
from operator import attrgetter
from pathlib import PurePath
from typing import Any
from urllib.parse import parse_qsl, quote

from hinter_core.errors import InputError, ModelError, hint
from hinter_core.extensions import MODELS, Extension
from hinter_core.language.clean import whole
from hinter_core.models.base import Capabilities, ModelUnderTest
from hinter_core.models.budget import Budget
from hinter_core.models.cache import PredictionCache, default_path
from hinter_core.models.store import CHARACTERS, PredictionStore
from hinter_core.options import Option, Value

NO_KEY = "none"  # sent to servers that need no key

_LISTS = {"labels", "words"}  # options with values that are separated by commas
_COMMA = re.compile(r"(?<!\\),")
_WRITTEN_COMMA = re.compile(r"%2c", re.I)
_WORDS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}

_advanced = partial(Option, advanced=True)
_several = partial(Option, "multi", False, label="Several labels may apply")
DEFAULT_THRESHOLD = Capabilities().threshold
THRESHOLD = _advanced(
    "threshold", DEFAULT_THRESHOLD, "Score from which a multi-label model predicts a label.",
    low=0.0, high=1.0,
)  # fmt: skip
_DTYPE = _advanced(
    "dtype", "float32", "Number format; bfloat16 answers near a tie are computed again in float32.",
    choices=("float32", "bfloat16"),
)  # fmt: skip
_CLASSIFIER = (
    Option("labels", "", "Your names for the labels in the model's order, separated by commas."),
    Option(
        "pool", "none", choices=("none", "mean", "max"),
        help="Read long texts in segments of one window, and take the mean or the maximum over "
        "them.",
    ),
    _several("Several may apply, or none, even if the checkpoint does not say so."),
    THRESHOLD,
    _DTYPE,
)  # fmt: skip
_ZERO_SHOT = (
    Option("labels", "", "Your labels, separated by commas."),
    Option("template", "This text is {}.", "The hypothesis, with {} for the label."),
    _several("Judge each label separately; several may apply."),
    _DTYPE,
)
_MASKED = (
    Option(
        "words", "", "Words that may stand at the mask, separated by commas; by default pronouns."
    ),
    _DTYPE,
)
_PROMPTED = (
    Option("prompt", "", "The name of a shipped prompt, or your TOML file."),
    Option("labels", "", "Your labels, separated by commas."),
    Option("question", "", "Your question; {labels} is replaced by the labels."),
    _several("With your labels: several may apply, or none."),
    Option(
        "judge", "", "A model that classifies the free answer, such as vader; gives the labels."
    ),
)
_CHAT = (
    *_PROMPTED,
    Option(
        "mode", "generate", choices=("generate", "score"),
        help="generate: the model writes an answer, which is parsed; score: the labels' "
        "likelihoods are compared.",
    ),
    _advanced("max_tokens", 64, "Longest answer, in tokens.", low=1, high=4096),
    _DTYPE,
)  # fmt: skip
_OPENAI = (
    Option("base_url", "", "The server, such as http://localhost:11434/v1; empty: OpenAI."),
    *_PROMPTED,
    Option("logprobs", True, "Ask for token probabilities; scores come from them."),
    _advanced("concurrency", 8, "Requests at a time, at most.", low=1, high=256),
    _advanced("timeout", 60.0, "Seconds to wait for an answer.", low=0.1, high=3600),
    _advanced("retries", 4, "Further tries after 5xx or a time-out.", low=0, high=20),
    _advanced(
        "patience", 180.0, "Seconds to wait for a server that has too much to do (429, 503).",
        low=0, high=86400,
    ),
    _advanced("rpm", 0, "Requests a minute; 0: no limit.", low=0, high=10**7),
    _advanced("tpm", 0, "Tokens a minute; 0: no limit.", low=0, high=10**10),
    _advanced("max_tokens", 64, "Longest answer, in tokens.", low=1, high=32768),
    _advanced("price_in", 0.0, "Price of a million prompt tokens.", low=0, high=1e6),
    _advanced("price_out", 0.0, "Price of a million answer tokens.", low=0, high=1e6),
    _advanced(
        "reasoning_effort", "default", "How long a reasoning model thinks; default: unsaid.",
        choices=("default", "none", "minimal", "low", "medium", "high", "xhigh"),
    ),
    _advanced("api_version", "", "For Azure: its api-version; MODEL is the deployment."),
    _advanced("headers", "", 'Further headers as JSON, such as {"X-Title": "audit"}; no keys.'),
    _advanced("extra_body", "", 'Further fields of a request as JSON, such as {"top_k": 1}.'),
)  # fmt: skip
_PYTHON = (
    Option("labels", "", "The labels that the function may return, separated by commas."),
    _several("The function returns a list of labels, possibly empty, or a score for each."),
    THRESHOLD,
    Option(
        "identity",
        "",
        "Version of the model, to be changed with its weights; without it, the code (not the "
        "files that it loads) and the answers to a few sentences tell whether it is the same.",
    ),
)


class Reads(StrEnum):
    """What a loader may read where the source of a name says so."""

    NOTHING = "nothing"
    HUB = "a model of the Hub, or a folder of this machine"
    RULES = "a file that ends in .rules"
    ANYTHING = "anything of this machine"


@dataclass(frozen=True, slots=True)
class Backend:
    """A kind of model: its loader, the placeholder of its source, its options."""

    loader: str  # module in ``hinter_core.models``, colon, function of a ModelName
    label: str
    about: str
    source: str = ""
    options: tuple[Option, ...] = ()
    generative: bool = False  # replies in free text, which costs money or minutes
    trusted_only: bool = False  # uses code, addresses or keys that a visitor must not choose
    takes_key: bool = False  # open to visitors who bring a key
    reads: Reads = Reads.ANYTHING  # which a public host refuses
    light: bool = False  # many may be kept in memory

    @property
    def runs_code(self) -> bool:
        """Whether code of its user runs, which no key admits."""
        return self.trusted_only and not self.takes_key

    def usage(self, kind: str) -> str:
        """Return the pattern of a name of this kind."""
        return f"{kind}:{self.source}" if self.source else kind


_scripted = partial(Backend, source="RULES", reads=Reads.RULES, light=True)
BACKENDS = {
    "embedded": Backend(
        "huggingface.embedded:EmbeddedClassifier", "Embedded sentiment",
        "A small sentiment classifier that comes with HInter.", light=True,
    ),
    "masked": Backend(
        "huggingface.masked:load_embedded", "Embedded masked model",
        "A small model that comes with HInter and says which pronoun fits [MASK].",
    ),
    "resolver": Backend(
        "coreference:load", "Coreference",
        "Which words stand for the same person: the rules that come with HInter, or a package that "
        "you have installed (fastcoref, maverick).",
        "rules", reads=Reads.NOTHING,
    ),
    "vader": Backend(
        "lexicon:load_vader", "VADER", "A rule-based sentiment lexicon.", light=True,
    ),
    "textblob": Backend(
        "lexicon:load_textblob", "TextBlob", "A sentiment lexicon with averaged polarities.",
        light=True,
    ),
    "scripted": _scripted(
        "scripted:ScriptedModel.load", "Scripted",
        "Bias planted by rules: to teach, to demonstrate and to test.",
    ),
    "scripted-masked": _scripted(
        "scripted:ScriptedWords.load", "Scripted words at a mask",
        "Rules that give the word at [MASK], such as: her 0.8 if \"nurse\"; his otherwise.",
    ),
    "scripted-resolver": _scripted(
        "coreference:ScriptedResolver.load", "Scripted coreference",
        "Rules that give \"together\" or \"apart\"; apart: no words stand for the same person.",
    ),
    "hf": Backend(
        "huggingface.classifier:load", "Hugging Face classifier",
        "Any sequence classifier of the Hub or of a folder, in safetensors.",
        "ORG/NAME[@revision]", _CLASSIFIER, reads=Reads.HUB,
    ),
    "hf-masked": Backend(
        "huggingface.masked:load", "Masked language model",
        "Any model of the Hub or of a folder that fills [MASK], in safetensors.",
        "ORG/NAME[@revision]", _MASKED, reads=Reads.HUB,
    ),
    "hf-zero-shot": Backend(
        "huggingface.classifier:load_zero_shot", "Zero-shot (NLI)",
        "An inference model that judges a hypothesis for each of your labels.",
        "ORG/NAME?labels=A,B", _ZERO_SHOT, reads=Reads.HUB,
    ),
    "hf-chat": Backend(
        "huggingface.chat:load", "Local chat model",
        "A language model with a chat template, on this machine.",
        "ORG/NAME?prompt=NAME", _CHAT, generative=True, reads=Reads.HUB,
    ),
    "openai": Backend(
        "server.openai:OpenAIModel", "OpenAI-compatible API",
        "OpenAI, vLLM, Ollama, TGI, LiteLLM, transformers serve and their like.",
        "MODEL?base_url=URL&prompt=NAME", _OPENAI,
        generative=True, trusted_only=True, takes_key=True, reads=Reads.NOTHING,
    ),
    "python": Backend(
        "python:load", "Your own Python function",
        "A function from a list of texts to a list of labels or scores.",
        "MODULE:FUNCTION", _PYTHON, trusted_only=True,
    ),
}  # fmt: skip
_OTHER = Backend("", "", "")


def every_backend() -> dict[str, Backend]:
    """Return all kinds of models, also those that were added, which never replace HInter's."""
    about = f"Added as a {MODELS.group} extension."
    return BACKENDS | {
        kind: Backend("python:load_added", kind, about, trusted_only=True)
        for kind in MODELS.names()
        if kind not in BACKENDS
    }


@dataclass(frozen=True, slots=True)
class ModelName:
    """A parsed name; ``settings`` holds every option of the kind by its type, defaults filled in.

    ``trusted``: the user owns the machine. ``key``: API key of remote models, never printed.
    """

    text: str
    kind: str
    source: str
    settings: Mapping[str, Any]
    trusted: bool = False
    key: str = field(default="", repr=False)

    def listed(self, option: str) -> tuple[str, ...]:
        r"""Return the distinct values of a comma-separated option, stripped.

        A comma within a value is written ``%2C`` in a name, and ``\,`` in a form.
        """
        parts = (part.replace("\\,", ",").strip() for part in _COMMA.split(self.settings[option]))
        return tuple(dict.fromkeys(part for part in parts if part))


def parse_name(name: str, *, trusted: bool = False, key: str = "") -> ModelName:
    """Parse a model's name without loading the model.

    ``trusted``: the user owns the machine, as on the command line. ``key``: a visitor's API key;
    it admits the kinds that take one, and never those that run code.

    Raises:
        ModelError: unknown kind or option, or a kind that this caller may not use.
    """
    name = whole(name)
    kind, colon, _ = name.strip().partition(":")
    backend = every_backend().get(kind)
    if backend and backend.trusted_only and not (trusted or (key and backend.takes_key)):
        raise ModelError(f"Models of kind '{kind}' can be used on the command line only.")
    if backend is None or (colon and kind in BACKENDS and not backend.source):
        usages = ", ".join(b.usage(k) for k, b in every_backend().items())
        meant = hint([kind], every_backend(), f"use one of {usages}.")
        if trusted and (PurePath(name).suffix[1:].isalpha() or "//" in name):
            meant = (
                "a file or an address is no name of a model. Write a module that loads it, such as "
                f"mymodel.py with 'import joblib' and 'model = joblib.load({name!r})', or with a "
                "function that takes a list of texts and asks the server; then name it "
                "python:mymodel:model (docs/howto/own-model.md)."
            )
        raise ModelError(f"Unknown model '{name}'; {meant}")
    return read_name(name, backend.options, trusted=trusted, key=key)


def require_prices(models: Iterable[str], money: float | None) -> None:
    """Refuse a budget of money that would limit nothing.

    Raises:
        InputError: no model has a price.
        ModelError: see :func:`parse_name`.
    """
    named = [parse_name(name, trusted=True).settings for name in models]
    if money is not None and not any(one.get("price_in") or one.get("price_out") for one in named):
        raise InputError(
            "A budget of money needs prices: add price_in=...&price_out=... (per million tokens) "
            "to an openai: model, or limit the requests."
        )


def read_name(
    text: str, options: Sequence[Option], *, trusted: bool = False, key: str = ""
) -> ModelName:
    """Parse a name of a kind with these options.

    Raises:
        ModelError: an unknown option, or a value that it does not allow.
    """
    text = whole(text)
    kind, _, argument = text.strip().partition(":")
    source, query = argument, ""
    if options:
        source, _, query = argument.partition("?")
    # A plus is a plus, as in "C++": names are typed by hand and come from no web form.
    query = query.replace("+", "%2B")
    given = dict(parse_qsl(query, keep_blank_values=True))
    # Of lists, a comma that was written as such separates, and %2C belongs to a value.
    lists = dict(parse_qsl(_WRITTEN_COMMA.sub("%5C%2C", query), keep_blank_values=True))
    given |= {name: lists[name] for name in _LISTS & lists.keys()}
    known = {option.name: option for option in options}
    if unknown := sorted(set(given) - set(known)):
        raise ModelError(
            f"Unknown setting {', '.join(unknown)} in '{text}'; {kind} takes {', '.join(known)}."
        )
    settings = {
        name: _read(option, given[name], text) if name in given else option.default
        for name, option in known.items()
    }
    return ModelName(text.strip(), kind, source, settings, trusted, key)


def write_name(
    kind: str, source: str, values: Mapping[str, Value], options: Sequence[Option]
) -> str:
    """Write the name with these values; defaults are left out."""
    parts = []
    for option in options:
        value = values.get(option.name, option.default)
        if value != option.default:
            written = str(int(value)) if isinstance(value, bool) else str(value)
            parts.append(f"{option.name}={quote(written, safe=':/,.{}')}")
    name = f"{kind}:{source}" if source else kind
    return f"{name}?{'&'.join(parts)}" if parts else name


def _read(option: Option, raw: str, text: str) -> Value:
    raw = raw.strip()
    value: Value = _WORDS.get(raw.lower(), raw) if option.type is bool else raw
    if option.type in (int, float):
        with suppress(ValueError):
            value = option.type(raw)
    if not option.allows(value):
        allowed = "1 or 0" if option.type is bool else option.range
        raise ModelError(f"{option.name}={raw} in '{text}': use {allowed}.")
    return value


def split_names(names: str) -> list[str]:
    """Split a comma-separated list of names; other commas belong to a name's options.

    ``"vader,hf-zero-shot:M?labels=A,B"`` are two names.
    """
    split: list[list[str]] = []
    for part in whole(names).rstrip(", ").split(","):
        kind, colon, _ = part.strip().partition(":")
        backend = every_backend().get(kind)
        starts = backend is not None and (
            kind not in BACKENDS or bool(colon) == bool(backend.source)
        )
        if starts or not split:
            split.append([])
        split[-1].append(part)
    joined = (",".join(parts).strip() for parts in split)
    return [name for name in joined if name]


def kind_of(name: str) -> Backend:
    """Return the kind of a name without loading the model.

    Nothing holds of a kind that is not HInter's own.
    """
    return BACKENDS.get(name.strip().partition(":")[0], _OTHER)


def added_model(name: str) -> Extension | None:
    """Return the model that was added and that a name names; None if it is of HInter's own."""
    kind = name.strip().partition(":")[0]
    return None if kind in BACKENDS else MODELS.find(kind)


def build_model(name: ModelName) -> ModelUnderTest:
    """Load a model.

    Raises:
        HinterError: a missing checkpoint or library; the message says what to do.
    """
    module, _, function = every_backend()[name.kind].loader.partition(":")
    load = attrgetter(function)(import_module(f"hinter_core.models.{module}"))
    model: ModelUnderTest = load(name)
    return model


@lru_cache(maxsize=8)
def load_model(name: str, *, trusted: bool = False) -> ModelUnderTest:
    """Load a model by its name; each name is loaded once per process."""
    return build_model(parse_name(name, trusted=trusted))


def store_for(
    model: ModelUnderTest,
    budget: Budget | None = None,
    characters: int = CHARACTERS,
    ask_again: bool = False,
    since: float = 0.0,
) -> PredictionStore:
    """Create the prediction store of a model, with a cache on disk if answers cost something.

    Raises:
        CacheError: the cache on disk cannot be opened.
    """
    cache = PredictionCache(default_path()) if model.capabilities.costs else None
    return PredictionStore(model, characters, cache, budget, ask_again, since)


def open_store(
    name: str,
    *,
    trusted: bool = False,
    budget: Budget | None = None,
    characters: int = CHARACTERS,
    ask_again: bool = False,
    since: float = 0.0,
) -> PredictionStore:
    """Load a model by its name and create its prediction store."""
    parsed = parse_name(name, trusted=trusted)
    # What this process added may be another object under the same name the next time.
    added = added_model(name)
    model = (
        build_model(parsed) if added and not added.package else load_model(name, trusted=trusted)
    )
    return store_for(model, budget, characters, ask_again, since)
