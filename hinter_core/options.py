"""Options: a setting of a campaign, a kind of model or a data set, declared once.

The command line, files of settings, forms and the documentation follow from the declaration.
"""

from dataclasses import dataclass, fields
from types import NoneType, UnionType
from typing import Any, get_args, get_type_hints

Value = str | int | float | bool


class Unchosen(tuple[str, ...]):
    """Names that nobody chose: a default, which else equals the same names when chosen."""

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
        """The allowed numbers in words: ``a whole number from 1 to 9``."""
        words = "a whole number" if self.type is int else "a number"
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


@dataclass(frozen=True, slots=True)
class CampaignOption(Option):
    """A setting of a campaign.

    ``identity``: whether it changes the mutants. ``part``: its subject, ``data``, ``mutants`` or
    ``run``. ``unset``: the default in words. ``each``: its name on the command line if it is
    repeated there for each value. ``high`` and, without ``low``, 0 are bounds of forms only.
    ``before``: its value in campaigns stored before there was this setting; excluded from
    identities at this value. ``among``: the names of which a list has some.
    """

    identity: bool = True
    part: str = "run"
    unset: str = ""
    each: str = ""
    before: str | tuple[str, ...] | None = None
    among: tuple[str, ...] = ()


def options_of(declared: type, make: type[Option] = Option) -> dict[str, Any]:
    """Return the options of a dataclass; a field's metadata are the arguments of ``make``.

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
