"""Kinds of models and their loaders, by the name used in the app, the CLI and campaigns.

A name is ``KIND`` or ``KIND:SOURCE?option=value&option=value``. Options are declared here, so that
names are parsed, forms drawn and help printed before a back-end is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from hinter_core.errors import ModelError
from hinter_core.models.base import ModelUnderTest
from hinter_core.models.budget import Budget
from hinter_core.models.cache import PredictionCache, default_path
from hinter_core.models.naming import (
    CHAT,
    CLASSIFIER,
    OPENAI,
    PYTHON,
    ZERO_SHOT,
    ModelName,
    read_name,
)
from hinter_core.models.store import CHARACTERS, PredictionStore
from hinter_core.options import Option


@dataclass(frozen=True, slots=True)
class Backend:
    """A kind of model: its loader, the placeholder of its source, its options."""

    loader: str  # dotted module, colon, function of a ModelName
    label: str
    source: str = ""
    options: tuple[Option, ...] = ()
    generative: bool = False  # replies in free text, which costs money or minutes
    trusted_only: bool = False  # uses code, addresses or keys that a visitor must not choose
    takes_key: bool = False  # open to visitors who bring a key
    about: str = ""

    def usage(self, kind: str) -> str:
        """Return the pattern of a name of this kind."""
        return f"{kind}:{self.source}" if self.source else kind


BACKENDS = {
    "embedded": Backend(
        "hinter_core.models.huggingface.classifier:load_embedded",
        "Embedded sentiment",
        about="A small sentiment classifier that comes with HInter.",
    ),
    "vader": Backend(
        "hinter_core.models.lexicon:load_vader", "VADER", about="A rule-based sentiment lexicon."
    ),
    "textblob": Backend(
        "hinter_core.models.lexicon:load_textblob",
        "TextBlob",
        about="A sentiment lexicon with averaged polarities.",
    ),
    "scripted": Backend(
        "hinter_core.models.scripted:load",
        "Scripted",
        "RULES",
        about="Bias planted by rules: to teach, to demonstrate and to test.",
    ),
    "hf": Backend(
        "hinter_core.models.huggingface.classifier:load",
        "Hugging Face classifier",
        "ORG/NAME[@revision]",
        CLASSIFIER,
        about="Any sequence classifier of the Hub or of a folder, in safetensors.",
    ),
    "hf-zero-shot": Backend(
        "hinter_core.models.huggingface.zero_shot:load",
        "Zero-shot (NLI)",
        "ORG/NAME?labels=A,B",
        ZERO_SHOT,
        about="An inference model that judges a hypothesis for each of your labels.",
    ),
    "hf-chat": Backend(
        "hinter_core.models.huggingface.chat:load",
        "Local chat model",
        "ORG/NAME?prompt=NAME",
        CHAT,
        generative=True,
        about="A language model with a chat template, on this machine.",
    ),
    "openai": Backend(
        "hinter_core.models.api.openai:load",
        "OpenAI-compatible API",
        "MODEL?base_url=URL&prompt=NAME",
        OPENAI,
        generative=True,
        trusted_only=True,
        takes_key=True,
        about="OpenAI, vLLM, Ollama, TGI, LiteLLM, transformers serve and their like.",
    ),
    "python": Backend(
        "hinter_core.models.python:load",
        "Your own Python function",
        "MODULE:FUNCTION",
        PYTHON,
        trusted_only=True,
        about="A function from a list of texts to a list of labels or scores.",
    ),
}


def parse_name(name: str, *, trusted: bool = False, key: str = "") -> ModelName:
    """Parse a model's name without loading the model.

    ``trusted``: the user owns the machine, as on the command line. ``key``: a visitor's API key;
    it admits the kinds that take one, and never those that run code.

    Raises:
        ModelError: unknown kind or option, or a kind that this caller may not use.
    """
    kind, colon, argument = name.strip().partition(":")
    backend = BACKENDS.get(kind)
    opened = backend is not None and (trusted or (key and backend.takes_key))
    if backend is not None and backend.trusted_only and not opened:
        raise ModelError(f"Models of kind '{kind}' can be used on the command line only.")
    if backend is None or (colon and not backend.source) or (argument and not backend.source):
        usages = ", ".join(b.usage(k) for k, b in BACKENDS.items())
        raise ModelError(f"Unknown model '{name}'; use one of {usages}.")
    return read_name(name, backend.options, trusted=trusted, key=key)


def split_names(names: str) -> list[str]:
    """Split a comma-separated list of names; other commas belong to a name's options.

    ``"vader,hf-zero-shot:M?labels=A,B"`` are two names.
    """
    split: list[str] = []
    for part in names.rstrip(", ").split(","):
        kind, colon, _ = part.strip().partition(":")
        backend = BACKENDS.get(kind)
        starts = backend is not None and bool(colon) == bool(backend.source)
        if starts or not split:
            split.append(part)
        else:
            split[-1] += f",{part}"
    return [name.strip() for name in split if name.strip()]


def is_generative(name: str) -> bool:
    """Whether a name is of a generative kind; the model is not loaded."""
    backend = BACKENDS.get(name.strip().partition(":")[0])
    return backend is not None and backend.generative


def build_model(name: ModelName) -> ModelUnderTest:
    """Load a model.

    Raises:
        ModelError: a missing checkpoint or library; the message says what to do.
    """
    module, _, function = BACKENDS[name.kind].loader.partition(":")
    loader: Callable[[ModelName], ModelUnderTest] = getattr(import_module(module), function)
    return loader(name)


@lru_cache(maxsize=8)
def load_model(name: str, *, trusted: bool = False) -> ModelUnderTest:
    """Load a model by its name; each name is loaded once per process.

    Raises:
        ModelError: see :func:`parse_name` and :func:`build_model`.
    """
    return build_model(parse_name(name, trusted=trusted))


def store_for(
    model: ModelUnderTest, budget: Budget | None = None, characters: int = CHARACTERS
) -> PredictionStore:
    """Create the prediction store of a model, with a cache on disk if answers cost something.

    Raises:
        CacheError: the cache on disk cannot be opened.
    """
    cache = PredictionCache(default_path()) if model.capabilities.costs else None
    return PredictionStore(model, characters, cache, budget)


def open_store(
    name: str,
    *,
    trusted: bool = False,
    budget: Budget | None = None,
    characters: int = CHARACTERS,
) -> PredictionStore:
    """Load a model by its name and create its prediction store.

    Raises:
        HinterError: see :func:`load_model` and :func:`store_for`.
    """
    return store_for(load_model(name, trusted=trusted), budget, characters)
