"""Options: a setting of a campaign, a kind of model or a data set, declared once.

From the declaration follow the command line, files of settings, forms and the documentation.
"""

from dataclasses import dataclass, fields
from types import NoneType, UnionType
from typing import Any, get_args, get_type_hints

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Option:
    """A setting by its name; values have the type of ``default`` where no ``kind`` is given.

    ``low`` and ``high`` bound numbers. ``choices`` are all values there are; where it is empty,
    any value is taken. ``advanced`` ones are shown last. ``label`` names the field of a form.
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
        """The label, or the name in its place."""
        return self.label or self.name.replace("_", " ").capitalize().replace(" url", " URL")

    @property
    def range(self) -> str:
        """The values that a number may have, in words: ``a whole number from 1 to 9``."""
        what = "a whole number" if self.type is int else "a number"
        low = "" if self.low is None else f" from {_written(self.low)}"
        return f"{what}{low}" + ("" if self.high is None else f" to {_written(self.high)}")

    def holds(self, number: float) -> bool:
        """Whether a number lies between the bounds; NaN does not."""
        low = float("-inf") if self.low is None else self.low
        high = float("inf") if self.high is None else self.high
        return low <= number <= high


def _written(number: float) -> str:
    return f"{number:,.10g}" if abs(number) >= 10_000 else f"{number:.10g}"


def options_of(declared: type, make: type[Option] = Option) -> dict[str, Any]:
    """The options of a dataclass: a field's metadata are the arguments of ``make``.

    A field that may be ``None`` has no bound, or all there is, where nothing is given.
    """
    hints = get_type_hints(declared)
    return {
        item.name: make(
            item.name, item.default, kind=_kind(hints[item.name]), **dict(item.metadata)
        )
        for item in fields(declared)
    }


def _kind(hint: Any) -> type:
    """The type of a field's values: ``int`` of ``int | None``, ``tuple`` of ``tuple[str, ...]``."""
    if isinstance(hint, UnionType):
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    kind: type = getattr(hint, "__origin__", hint)
    return kind
