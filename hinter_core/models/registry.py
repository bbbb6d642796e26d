"""Models by name: one string names a model in the app, on the command line and in a campaign.

A name is ``KIND`` or ``KIND:ARGUMENT``. A back-end is imported when its first model is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from hinter_core.errors import ModelError
from hinter_core.models.base import ModelUnderTest, PredictionStore
from hinter_core.models.cache import PredictionCache, default_path


@dataclass(frozen=True, slots=True)
class Backend:
    """A kind of model: where its loader lies and how its name is written."""

    loader: str  # dotted module, colon, function
    usage: str
    label: str
    trusted_only: bool = False  # reaches addresses and keys that a stranger must not choose


BACKENDS = {
    "embedded": Backend(
        "hinter_core.models.huggingface:load_embedded", "embedded", "Embedded sentiment"
    ),
    "vader": Backend("hinter_core.models.lexicon:load_vader", "vader", "VADER"),
    "textblob": Backend("hinter_core.models.lexicon:load_textblob", "textblob", "TextBlob"),
    "scripted": Backend("hinter_core.models.scripted:load", "scripted:RULES", "Scripted"),
    "openai": Backend(
        "hinter_core.models.openai_api:load",
        "openai:MODEL?base_url=URL&prompt=NAME",
        "OpenAI-compatible API",
        trusted_only=True,
    ),
    "hf": Backend("hinter_core.models.huggingface:load", "hf:ORG/NAME", "Hugging Face"),
    "hf-chat": Backend(
        "hinter_core.models.chat:load", "hf-chat:ORG/NAME?prompt=NAME", "Chat model"
    ),
    "hf-zero-shot": Backend(
        "hinter_core.models.zero_shot:load", "hf-zero-shot:ORG/NAME?labels=A,B", "Zero-shot (NLI)"
    ),
}


@lru_cache(maxsize=8)
def load_model(name: str, *, trusted: bool = False) -> ModelUnderTest:
    """Load a model under test by its name; each name is loaded once per process.

    ``trusted`` is for callers whose user owns the machine, such as the command line.

    Raises:
        ModelError: unknown kind, missing checkpoint or library; the message says what to do.
    """
    kind, _, argument = name.strip().partition(":")
    backend = BACKENDS.get(kind)
    if backend is not None and backend.trusted_only and not trusted:
        raise ModelError(f"Models of kind '{kind}' can be used on the command line only.")
    if backend is None or (argument and ":" not in backend.usage):
        usages = ", ".join(b.usage for b in BACKENDS.values())
        raise ModelError(f"Unknown model '{name}'; use one of {usages}.")
    module, _, function = backend.loader.partition(":")
    loader: Callable[[str], ModelUnderTest] = getattr(import_module(module), function)
    return loader(argument)


def open_store(name: str, *, trusted: bool = False) -> PredictionStore:
    """A store that asks the named model each text once; answers that cost are kept on disk too.

    Raises:
        HinterError: see :func:`load_model`; or the cache on disk cannot be opened.
    """
    model = load_model(name, trusted=trusted)
    cache = PredictionCache(default_path()) if model.capabilities.costs else None
    return PredictionStore(model, cache=cache)
