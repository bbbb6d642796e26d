"""Add models, relations, metrics and sources of data under a name, for this process.

Each is a decorator, with or without arguments, and takes an object as well. A package adds to every
process by entry points: ``hinter.models``, ``hinter.relations``, ``hinter.metrics`` and
``hinter.sources``.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar, overload

from hinter_core.api.models import name_of
from hinter_core.data.hub import PRESETS
from hinter_core.errors import InputError
from hinter_core.extensions import METRICS, MODELS, RELATIONS, SOURCES, Extension, Seam
from hinter_core.models.registry import BACKENDS, DEFAULT_THRESHOLD, THRESHOLD
from hinter_core.relations import registry
from hinter_core.relations.changes.added import add_relation, follows_protocol

_RELATIONS = frozenset(registry.RELATIONS)
_SOURCES = frozenset({"hf", "sample", *PRESETS})
Given = TypeVar("Given")


@overload
def model(
    value: None = None, *, name: str = "", identity: str = "", labels: Sequence[str] = (),
    multi: bool = False, threshold: float = DEFAULT_THRESHOLD,
) -> Callable[[Given], Given]: ...  # fmt: skip
@overload
def model(
    value: Given, *, name: str = "", identity: str = "", labels: Sequence[str] = (),
    multi: bool = False, threshold: float = DEFAULT_THRESHOLD,
) -> Given: ...  # fmt: skip
def model(
    value: Any = None,
    *,
    name: str = "",
    identity: str = "",
    labels: Sequence[str] = (),
    multi: bool = False,
    threshold: float = DEFAULT_THRESHOLD,
) -> Any:
    """Add a model: a function of a list of texts, a pipeline, or a class that makes one.

    A second model of a name takes the place of the first, as a notebook runs a cell again.

    Args:
        value: The model; a class is called with what follows the colon in ``NAME:SOURCE``.
        name: By default that of the function or class.
        identity: Names the version; a campaign goes on only with models whose identity is known.
        labels: Labels in the order of the scores, if the answers do not name them.
        multi: Whether several labels may apply to one text.
        threshold: Score from which a label applies, with ``multi``.

    Raises:
        InputError: a name of HInter's own models, or none.
    """
    options = {
        "identity": identity, "labels": tuple(labels), "multi": multi,
        "threshold": THRESHOLD.read(threshold, "hinter.model: "),
    }  # fmt: skip
    return _add(MODELS, value, name, BACKENDS, options)


@overload
def relation(value: None = None, *, name: str = "") -> Callable[[Given], Given]: ...
@overload
def relation(value: Given, *, name: str = "") -> Given: ...
def relation(value: Any = None, *, name: str = "") -> Any:
    """Add a relation: a function of a text that yields texts which should get the same answer.

    Name it among the ``relations`` of a check or campaign. Its docstring says what it does.

    Raises:
        InputError: a name of HInter's own relations, or none; or no function.
    """
    if value is None:
        return lambda given: relation(given, name=name)
    _add(RELATIONS, value, name, _RELATIONS, {})
    chosen = name or name_of(value)
    registry.RELATIONS[chosen] = add_relation(Extension(chosen, value))
    return value


@overload
def metric(value: None = None, *, name: str = "", title: str = "") -> Callable[[Given], Given]: ...
@overload
def metric(value: Given, *, name: str = "", title: str = "") -> Given: ...
def metric(value: Any = None, *, name: str = "", title: str = "") -> Any:
    """Add a metric: a function of the table of a model's mutants, for every report.

    It returns a number, a mapping from names to numbers, or a Series or table of pandas. Its
    docstring explains it; ``title`` is its heading.

    Raises:
        InputError: not a name.
    """
    return _add(METRICS, value, name, (), {"title": title})


@overload
def source(value: None = None, *, name: str = "") -> Callable[[Given], Given]: ...
@overload
def source(value: Given, *, name: str = "") -> Given: ...
def source(value: Any = None, *, name: str = "") -> Any:
    """Add a source of data: a function that returns texts or rows, given as ``NAME:ARGUMENT``.

    Raises:
        InputError: a name of HInter's own sources, or none.
    """
    return _add(SOURCES, value, name, _SOURCES, {})


def _add(seam: Seam, value: Any, name: str, taken: Collection[str], options: dict[str, Any]) -> Any:
    """Add a value now, or return the decorator that does."""
    if value is None:
        return lambda given: _add(seam, given, name, taken, options)
    scores = any(hasattr(value, part) for part in ("predict", "predict_proba"))
    if not (callable(value) or scores or follows_protocol(value)):
        raise InputError(f"{value!r:.60} is no {seam.kind}; give a function.")
    chosen = name or name_of(value)
    if chosen in taken:
        raise InputError(f"HInter has a {seam.kind} '{chosen}'; choose another name.")
    seam.add(chosen, value, **options)
    return value
