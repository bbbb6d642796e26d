"""Options: a setting of a campaign, a kind of model or a data set, declared once.

The command line, files of settings, forms, links and the documentation follow from the declaration.
"""

import reprlib
from dataclasses import dataclass, field, fields
from types import NoneType, UnionType
from typing import Any, get_args, get_type_hints

from hinter_core.errors import InputError

Value = str | int | float | bool
_SHORT = reprlib.Repr()  # a value of aliases may stand for more than memory holds
_SHORT.maxlevel = 1
ALWAYS: Any = ...  # in place of ``before``: stored campaigns have always had this setting
_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def listed_names(names: str) -> tuple[str, ...]:
    """Split names separated by commas."""
    return tuple(name.strip() for name in names.split(",") if name.strip())


class Unchosen(tuple[str, ...]):
    """A default that differs from the same names set explicitly."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Option:
    """A setting by its name; values have the type of ``default`` unless ``kind`` is given.

    ``low`` and ``high``: bounds of a number. ``choices``: the allowed values (empty: any).
    ``advanced``: shown last. ``label``: name of the form's field.
    """

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    advanced: bool = False
    label: str = ""
    kind: type | None = None

    @property
    def type(self) -> type:
        """``str``, ``bool``, ``int``, ``float``, or ``tuple`` for a list of names."""
        return self.kind or type(self.default)

    @property
    def title(self) -> str:
        """The label, or else the name."""
        return self.label or self.name.replace("_", " ").capitalize().replace(" url", " URL")

    @property
    def range(self) -> str:
        """The allowed values in words: ``a whole number from 1 to 9``."""
        if self.choices:
            return " or ".join(self.choices)
        words = _KINDS.get(self.type, "a list of names")
        for word, bound in (("from", self.low), ("to", self.high)):
            if bound is not None:
                comma = "," if abs(bound) >= 10_000 else ""
                words += f" {word} {bound:{comma}.10g}"
        return words

    def holds(self, number: float) -> bool:
        """Whether a number lies between the bounds; NaN does not."""
        low = float("-inf") if self.low is None else self.low
        high = float("inf") if self.high is None else self.high
        return low <= number <= high

    def allows(self, value: object) -> bool:
        """Whether a value has the type of this setting and is among those allowed."""
        kind = self.type
        if value is None:
            return self.default is None
        if kind is tuple:
            return isinstance(value, tuple) and all(isinstance(name, str) for name in value)
        if kind is str:
            return isinstance(value, str) and value in (self.choices or (value,))
        if kind is bool or isinstance(value, bool):
            return kind is bool and isinstance(value, bool)
        return isinstance(value, (int, float) if kind is float else int) and self.holds(value)

    def read(self, value: Any, where: str = "") -> Any:
        """Return the value that a file, a command or a stored campaign gives.

        Names may be a list, or a text with commas.

        Raises:
            InputError: another type, or out of range; the message begins with ``where``.
        """
        given = value
        if self.type is tuple:
            parts = value.split(",") if isinstance(value, str) else value
            if isinstance(parts, list | tuple) and all(isinstance(part, str) for part in parts):
                value = tuple(name for part in parts if (name := part.strip()))
        if not self.allows(value):
            raise InputError(f"{where}{self.name} is {self.range}, not {_SHORT.repr(given)}.")
        return value


@dataclass(frozen=True, slots=True)
class CampaignOption(Option):
    """A setting of a campaign.

    ``identity``: whether it changes the mutants. ``part``: its subject, ``data``, ``mutants`` or
    ``run``. ``unset``: the default in words. ``each``: its name on the command line if it is
    repeated there for each value. ``before``: its value in campaigns stored before there was this
    setting; excluded from identities at this value. ``file``: it names a file. ``source``: the
    class in ``campaign/sources`` whose texts it names.
    """

    identity: bool = True
    part: str = "run"
    unset: str = ""
    each: str = ""
    before: Any = ALWAYS
    file: bool = False
    source: str = ""


def setting(default: Any, help: str, **more: Any) -> Any:
    """Declare a field of a dataclass as an option; ``more`` are further values of the option."""
    return field(default=default, metadata={"help": help, **more})


def options_of(declared: type, make: type[Option] = Option) -> dict[str, Any]:
    """Return the options of a dataclass: its fields of :func:`setting`.

    The kind is ``int`` for ``int | None``, and ``tuple`` for ``tuple[str, ...]``.
    """
    hints = get_type_hints(declared)
    options = {}
    for item in fields(declared):
        hint = hints[item.name]
        if isinstance(hint, UnionType):
            (hint,) = (part for part in get_args(hint) if part is not NoneType)
        kind = getattr(hint, "__origin__", hint)
        options[item.name] = make(item.name, item.default, kind=kind, **dict(item.metadata))
    return options
