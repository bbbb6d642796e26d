"""Names of models, ``KIND:SOURCE?option=value&option=value``: parse and write them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote

from hinter_core.errors import ModelError
from hinter_core.options import Option, Value

NO_KEY = "none"  # sent to servers that need no key

_WORDS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class ModelName:
    """A parsed name; ``settings`` holds every option of the kind, defaults filled in.

    ``trusted``: the user owns the machine. ``key``: API key of remote models, never printed.
    """

    text: str
    kind: str
    source: str
    settings: Mapping[str, Value]
    trusted: bool = False
    key: str = field(default="", repr=False)

    def string(self, option: str) -> str:
        """Return a text option."""
        return str(self.settings[option])

    def whole(self, option: str) -> int:
        """Return a whole-number option."""
        return int(self.settings[option])

    def number(self, option: str) -> float:
        """Return a number option."""
        return float(self.settings[option])

    def flag(self, option: str) -> bool:
        """Return a yes-or-no option."""
        return bool(self.settings[option])

    def listed(self, option: str) -> tuple[str, ...]:
        """Return the distinct values of a comma-separated option, stripped."""
        parts = (part.strip() for part in self.string(option).split(","))
        return tuple(dict.fromkeys(part for part in parts if part))


def read_name(
    text: str, options: Sequence[Option], *, trusted: bool = False, key: str = ""
) -> ModelName:
    """Parse a name of a kind with these options.

    Raises:
        ModelError: an unknown option, or a value that it does not allow.
    """
    kind, _, argument = text.strip().partition(":")
    source, query = argument, ""
    if options:
        source, _, query = argument.partition("?")
    # A plus is a plus, as in "C++": names are typed by hand and come from no web form.
    given = dict(parse_qsl(query.replace("+", "%2B"), keep_blank_values=True))
    known = {option.name: option for option in options}
    if unknown := sorted(set(given) - set(known)):
        raise ModelError(
            f"Unknown setting {', '.join(unknown)} in '{text}'; {kind} takes {', '.join(known)}."
        )
    settings = {
        name: _read(option, given[name], text) if name in given else option.default
        for name, option in known.items()
    }
    return ModelName(text.strip(), kind, source, settings, trusted, key)


def write_name(
    kind: str, source: str, values: Mapping[str, Value], options: Sequence[Option]
) -> str:
    """Write the name with these values; defaults are left out."""
    parts = []
    for option in options:
        value = values.get(option.name, option.default)
        if value != option.default:
            written = str(int(value)) if isinstance(value, bool) else str(value)
            parts.append(f"{option.name}={quote(written, safe=':/,.{}')}")
    name = f"{kind}:{source}" if source else kind
    return f"{name}?{'&'.join(parts)}" if parts else name


def _read(option: Option, raw: str, text: str) -> Value:
    raw = raw.strip()
    value: Value = raw
    allowed = ""
    if option.choices:
        allowed = "" if raw in option.choices else " or ".join(option.choices)
    elif option.type is bool:
        value = _WORDS.get(raw.lower(), raw)
        allowed = "1 or 0" if value is raw else ""
    elif option.type is not str:
        try:
            number = int(raw) if option.type is int else float(raw)
        except ValueError:
            number = float("nan")
        value, allowed = number, "" if option.holds(number) else option.range
    if allowed:
        raise ModelError(f"{option.name}={raw} in '{text}': use {allowed}.")
    return value
