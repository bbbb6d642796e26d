"""Models on a GPU that a ZeroGPU Space is lent for seconds; everywhere else nothing of this acts.

There the platform's package, which must be imported before torch, makes torch believe in a GPU: a
model is put on it at once, and only a decorated function, run in a fork, may compute with it. All
other models stay on the CPU. This follows the package's source; it was not run on such a Space.
"""

import os
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import replace
from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

from hinter_core.errors import HinterError, ModelError
from hinter_core.models.base import ModelUnderTest
from hinter_core.types import Prediction

SETTING = "SPACES_ZERO_GPU"  # set by the platform

_spaces: Any = None  # the platform's package, which elsewhere would do nothing
if os.environ.get(SETTING, "").lower() in ("1", "t", "true"):
    with suppress(ImportError):
        _spaces = import_module("spaces")

_START, _TEXT, _LONGEST = 5.0, 0.02, 60.0  # seconds: to begin, for a text, and at most
_MARKUP = re.compile(r"<[^>]*>")
_models: WeakValueDictionary[str, ModelUnderTest] = WeakValueDictionary()
_loading: ContextVar[bool] = ContextVar("loading for a lent GPU", default=False)


def is_lent() -> bool:
    """Whether this is a Space that is lent a GPU."""
    return _spaces is not None


def may_use_cuda() -> bool:
    """Whether the model that is loaded now may be put on a GPU, if there is one."""
    return _loading.get() or not is_lent()


def seconds_for(name: str, texts: Sequence[str]) -> float:
    """Return for how long the GPU is asked for; shorter requests are served sooner."""
    del name
    return min(_LONGEST, _START + _TEXT * len(texts))


def answers_on_gpu(name: str, texts: list[str]) -> list[Prediction]:
    """Answer texts by the model of that name; both ways as values that can be pickled."""
    return (_models.get(name) or _load(name)).predict(texts)


if _spaces is not None:
    answers_on_gpu = _spaces.GPU(duration=seconds_for)(answers_on_gpu)


def _load(name: str) -> ModelUnderTest:
    """Load a model for the GPU; in a fork from before it was first loaded, once more."""
    from hinter_core.models.registry import build_model, parse_name

    token = _loading.set(True)
    try:
        return build_model(parse_name(name))
    finally:
        _loading.reset(token)


class LentModel(ModelUnderTest):
    """A model whose answers cost a visitor's GPU minutes, so that all texts are asked at once."""

    def __init__(self, name: str) -> None:
        self._model = _models[name] = _load(name)
        self.name, self.identity = self._model.name, self._model.identity
        self.capabilities = replace(self._model.capabilities, costs=True, at_once=True)
        self._lock = threading.Lock()

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Return predictions in order, by one request for the GPU.

        Raises:
            ModelError: the GPU is not lent; the message says how many seconds are left.
        """
        try:
            with self._lock:
                return answers_on_gpu(self.name, list(texts))
        except HinterError:
            raise
        except Exception as error:
            # The platform's own error has the reason, and links to its shop.
            said = _MARKUP.sub("", str(getattr(error, "message", error))).strip()
            raise ModelError(
                f"The GPU was not lent ({said[:300] or type(error).__name__}); try again later, or "
                "choose a model that comes with HInter."
            ) from error

    def visible(self, text: str) -> int:
        """Return how many leading characters of ``text`` the model reads."""
        return self._model.visible(text)
