"""Models as people give them: names, functions, pipelines and other objects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from hinter_core.errors import InputError
from hinter_core.extensions import MODELS, Extension
from hinter_core.models.registry import BACKENDS, DEFAULT_THRESHOLD, split_names


@contextmanager
def named_models(
    given: Any, *, identity: str = "", labels: Sequence[str] = (), multi: bool = False,
    threshold: float = DEFAULT_THRESHOLD,
) -> Iterator[list[str]]:  # fmt: skip
    """Yield the names of models; objects have theirs as long as the context lasts.

    ``given``: a name, an object, or a list of them. The rest describes a single object.

    Raises:
        InputError: no model, or a description that does not belong to an object.
    """
    every = list(given) if isinstance(given, list | tuple) else [given]
    options: dict[str, Any] = {"identity": identity, "labels": tuple(labels), "multi": multi}
    options = {option: value for option, value in options.items() if value}
    if threshold != DEFAULT_THRESHOLD:
        options["threshold"] = threshold
    single = len(every) == 1 and not isinstance(every[0], str)
    if options and not single:
        raise InputError(
            "identity, labels, multi and threshold describe one model that is an object; of "
            "several, add each with hinter.model(MODEL, name=..., identity=...), and give the "
            "names. A name has them after a question mark, as in python:MODULE:NAME?multi=1."
        )
    names, lent = list[str](), dict[str, Extension]()
    for value in every:
        if isinstance(value, str):
            names += split_names(value)
            continue
        added = MODELS.of(value)
        if added is None or options:
            name = _free_name(added.name if added else name_of(value), lent)
            before: Mapping[str, Any] = added.options if added else {}
            added = lent[name] = Extension(name, value, {**before, **options})
        names.append(added.name)
    if not names:
        raise InputError("Name a model, such as embedded, or give a function of a list of texts.")
    with MODELS.lent(lent):
        yield names


def name_of(value: Any) -> str:
    """Return a name for an object: that of a function, or of a class."""
    name = getattr(value, "__name__", "") or type(value).__name__
    return re.sub(r"[^\w.-]", "", name).lstrip("_.-0123456789") or "model"


def _free_name(name: str, taken: Mapping[str, Any]) -> str:
    number, free = 1, name
    while free in taken or free in BACKENDS:
        number += 1
        free = f"{name}-{number}"
    return free
