"""A Python function of the user as a model under test: ``python:MODULE:FUNCTION``.

The function takes a list of texts and returns one answer per text: a label, a list of labels (with
``multi=1``), or a dict from labels to scores in [0, 1]. It runs arbitrary code, so only the command
line accepts it. The module may lie in the working directory.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from inspect import getsourcefile
from pathlib import Path
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities, ModelUnderTest, answer_from
from hinter_core.models.registry import ModelName
from hinter_core.types import Prediction

_PROBE = "A person reads a book."
_HINT = "it takes a list of texts and gives one label, list of labels or dict of scores for each"

Function = Callable[[list[str]], Sequence[Any]]


class PythonModel(ModelUnderTest):
    """A model that calls a Python function."""

    def __init__(
        self, name: str, function: Function, labels: tuple[str, ...], multi: bool, identity: str
    ) -> None:
        self.name = name
        self.identity = identity
        self._function = function
        self._open = not labels  # any label is accepted
        self.capabilities = Capabilities(labels=labels, multi_label=multi, steady=False)
        (sample,) = self._call([_PROBE])
        self._answer(sample)
        self.capabilities = replace(self.capabilities, scores=isinstance(sample, Mapping))

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Return one answer per text, in order.

        Raises:
            ValueError: an answer of a wrong type, or a wrong number of answers.
        """
        return [self._answer(value) for value in self._call(list(texts))] if texts else []

    def _call(self, texts: list[str]) -> list[Any]:
        try:
            values = list(self._function(texts))
        except SystemExit as error:  # one text must not end a run over thousands
            raise RuntimeError(f"it exits: {error}") from error
        if len(values) != len(texts):
            raise ValueError(f"{len(values)} answers to {len(texts)} texts; {_HINT}")
        return values

    def _answer(self, value: Any) -> Prediction:
        labels = self.capabilities.labels
        if isinstance(value, Mapping):
            scores = {str(label): float(score) for label, score in value.items()}
            if not scores or not all(0 <= s <= 1 for s in scores.values()):
                raise ValueError(f"scores {value!r} are not probabilities of labels")
            self._check(scores)
            declared = Capabilities(
                labels=labels or tuple(scores), multi_label=self.capabilities.multi_label
            )
            return answer_from({x: scores.get(x, 0.0) for x in declared.labels}, declared)
        named = tuple(value) if isinstance(value, list | tuple | set) else (value,)
        if not all(isinstance(x, str) for x in named):
            raise ValueError(f"the answer {value!r} is no label; {_HINT}")
        if len(named) != 1 and not self.capabilities.multi_label:
            raise ValueError(f"{len(named)} labels where one is expected; set multi=1")
        self._check(named)
        return Prediction(named)

    def _check(self, given: Sequence[str] | Mapping[str, float]) -> None:
        unknown = [x for x in given if x not in self.capabilities.labels]
        if unknown and not self._open:
            raise ValueError(f"the answer has labels that were not declared: {unknown}")


def load(name: ModelName) -> PythonModel:
    """Load ``python:MODULE:FUNCTION[?labels=A,B][&multi=1]``.

    Without ``labels``, the function's attribute ``labels`` is used if it has one.

    Raises:
        ModelError: no such module or function, a function that fails on a plain sentence, or a
            caller who does not own the machine.
    """
    if not name.trusted:
        raise ModelError("A function of your own can be used on the command line only.")
    module_name, _, attribute = name.source.partition(":")
    if not module_name or not attribute:
        raise ModelError(f"'{name.text}' is not python:MODULE:FUNCTION.")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = import_module(module_name)
    except (Exception, SystemExit) as error:  # the user's module may raise anything
        raise ModelError(
            f"Module '{module_name}' cannot be imported ({type(error).__name__}: {error}); check "
            "its name and the folder you are in."
        ) from error
    function = getattr(module, attribute, None)
    if not callable(function):
        raise ModelError(f"Module '{module_name}' has no function '{attribute}'.")
    labels = name.listed("labels") or tuple(map(str, getattr(function, "labels", ())))
    several = name.settings["multi"]
    identity = f"python-2-{name.source}@{_version(module, function)}-{labels}-{several}"
    try:
        return PythonModel(name.text, function, labels, several, identity)
    except Exception as error:
        raise ModelError(
            f"{name.source} failed on a plain sentence ({type(error).__name__}: {error}); {_HINT}."
        ) from error


def _version(module: Any, function: Any) -> str:
    try:
        file = getsourcefile(function)
    except TypeError:
        file = getattr(module, "__file__", None)
    return sha256(Path(file).read_bytes()).hexdigest()[:12] if file else "unknown"
