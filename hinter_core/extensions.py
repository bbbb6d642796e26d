"""What other packages and scripts add by name: models, relations, metrics and sources of data.

A decorator adds to one process. An entry point of an installed package, in the group
``hinter.models`` and its like, adds to all of them, and is imported by the first use of its name.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from hinter_core.errors import InputError

_NAME = re.compile(r"[A-Za-z][\w.-]*")


@dataclass(frozen=True, eq=False)
class Extension:
    """A value that was added under a name.

    ``options``: those of its decorator. ``package``: name and version of the package whose entry
    point it is; "" for what this process added.
    """

    name: str
    value: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    package: str = ""

    @property
    def about(self) -> str:
        """The first line of its docstring."""
        lines = (getattr(self.value, "__doc__", None) or "").strip().splitlines()
        return lines[0] if lines else ""


class Seam:
    """One kind of extension, such as ``model``; its entry points are in ``hinter.models``."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.group = f"hinter.{kind}s"
        self._added: dict[str, Extension] = {}

    def add(self, name: str, value: Any, **options: Any) -> None:
        """Add a value for this process, in place of an earlier one of that name.

        Raises:
            InputError: not a name.
        """
        if not _NAME.fullmatch(name):
            raise InputError(
                f"'{name}' is no name of a {self.kind}; use letters, digits, '-', '_' and '.', "
                "and begin with a letter."
            )
        self._added[name] = Extension(name, value, options)

    @contextmanager
    def lent(self, values: Mapping[str, Extension]) -> Iterator[None]:
        """Add values for as long as the context lasts."""
        before = dict(self._added)
        self._added.update(values)
        try:
            yield
        finally:
            self._added = before

    def names(self) -> list[str]:
        """Return all names, without importing a package."""
        return [*dict.fromkeys((*_entry_points(self.group), *self._added))]

    def find(self, name: str) -> Extension | None:
        """Return the extension of a name; None without one.

        Raises:
            InputError: its package cannot be imported.
        """
        if name not in self._added and (entry := _entry_points(self.group).get(name)):
            self._added[name] = self._loaded(entry)
        return self._added.get(name)

    def every(self) -> list[Extension]:
        """Return all extensions; see :meth:`find`."""
        return [extension for name in self.names() if (extension := self.find(name))]

    def of(self, value: Any) -> Extension | None:
        """Return the extension of a value that was added; None if it was not."""
        return next((one for one in self._added.values() if one.value is value), None)

    def _loaded(self, entry: EntryPoint) -> Extension:
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        try:
            value = entry.load()
        except Exception as error:  # the package of somebody else may raise anything
            raise InputError(
                f"The {self.kind} '{entry.name}' of the package {package} cannot be imported "
                f"({type(error).__name__}: {error}); mend or uninstall the package."
            ) from error
        known = self.of(value) or Extension(entry.name, value)
        self._added.pop(known.name, None)  # a decorator has added it, with its options
        return replace(known, name=entry.name, package=package)


@cache
def _entry_points(group: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=group)}


MODELS, RELATIONS, METRICS, SOURCES = map(Seam, ("model", "relation", "metric", "source"))
