"""How a model is named: ``KIND:SOURCE?key=value&key=value``, one string everywhere.

Each kind of model declares its options once; from them a name is read, a form is drawn and help is
printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote

from hinter_core.errors import ModelError

Value = str | int | float | bool
NO_KEY = "none"  # what a server is sent that asks for no key

_WORDS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of a kind of model; the type of ``default`` is the setting's type.

    ``low`` and ``high`` bound numbers. ``choices`` are all values there are; where it is empty,
    any value is taken. ``advanced`` ones are shown last.
    """

    name: str
    default: Value
    help: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    advanced: bool = False


@dataclass(frozen=True, slots=True)
class ModelName:
    """A name taken apart; ``settings`` holds every option of the kind, defaults filled in.

    ``trusted``: the user owns the machine. ``key`` is for remote models, and is never printed.
    """

    text: str
    kind: str
    source: str
    settings: Mapping[str, Value]
    trusted: bool = False
    key: str = field(default="", repr=False)

    def string(self, option: str) -> str:
        """A text setting."""
        return str(self.settings[option])

    def whole(self, option: str) -> int:
        """A whole-number setting."""
        return int(self.settings[option])

    def number(self, option: str) -> float:
        """A number setting."""
        return float(self.settings[option])

    def flag(self, option: str) -> bool:
        """A yes-or-no setting."""
        return bool(self.settings[option])

    def listed(self, option: str) -> tuple[str, ...]:
        """A setting that lists values, separated by commas; each once, blanks cut."""
        parts = (part.strip() for part in self.string(option).split(","))
        return tuple(dict.fromkeys(part for part in parts if part))


def read_name(
    text: str, options: Sequence[Option], *, trusted: bool = False, key: str = ""
) -> ModelName:
    """Take a name apart.

    Raises:
        ModelError: an option that this kind does not have, or a value that it cannot take.
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
    """The name that reads as these values; what equals its default is left out."""
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
    if option.choices and raw not in option.choices:
        raise ModelError(f"{option.name}={raw} in '{text}': use {' or '.join(option.choices)}.")
    if isinstance(option.default, bool):
        if raw.lower() not in _WORDS:
            raise ModelError(f"{option.name}={raw} in '{text}': use 1 or 0.")
        return _WORDS[raw.lower()]
    if isinstance(option.default, str):
        return raw
    return _number(option, raw, text)


def _number(option: Option, raw: str, text: str) -> int | float:
    kind = type(option.default)
    assert kind in (int, float)
    try:
        value: int | float = int(raw) if kind is int else float(raw)
    except ValueError:
        value = float("nan")
    low = float("-inf") if option.low is None else option.low
    high = float("inf") if option.high is None else option.high
    if not low <= value <= high:
        what = "a whole number" if kind is int else "a number"
        upto = "" if option.high is None else f" to {option.high:g}"
        raise ModelError(f"{option.name}={raw} in '{text}': use {what} from {low:g}{upto}.")
    return value


_DTYPE = Option(
    "dtype",
    "float32",
    "Number format; answers near a tie in bfloat16 are asked again in float32.",
    choices=("float32", "bfloat16"),
    advanced=True,
)

CLASSIFIER = (
    Option("labels", "", "Your names for the labels in the model's order, separated by commas."),
    Option(
        "pool",
        "none",
        "Read long texts in segments of one window, and take the mean or the maximum over them.",
        choices=("none", "mean", "max"),
    ),
    Option(
        "multi",
        False,
        "Several labels may hold, or none, even where the checkpoint does not say so.",
    ),
    Option(
        "threshold",
        0.5,
        "Score from which a multi-label model names a label.",
        low=0.0,
        high=1.0,
        advanced=True,
    ),
    _DTYPE,
)

ZERO_SHOT = (
    Option("labels", "", "Your labels, separated by commas."),
    Option("template", "This text is {}.", "The hypothesis, with {} for the label."),
    Option("multi", False, "Judge each label by itself; several may hold."),
    _DTYPE,
)

_ASKED = (
    Option("prompt", "", "The name of a shipped prompt, or a TOML file of your own."),
    Option("labels", "", "Your own labels, separated by commas."),
    Option("question", "", "Your own question; {labels} stands for the labels."),
    Option("multi", False, "With your own labels: several may hold, or none."),
    Option(
        "judge", "", "A model that judges the free answer, such as vader; labels are the judge's."
    ),
)

CHAT = (
    *_ASKED,
    Option(
        "mode",
        "generate",
        "generate: the model writes an answer, which is read; score: the labels are compared in "
        "one pass.",
        choices=("generate", "score"),
    ),
    Option("max_tokens", 64, "Longest answer, in tokens.", low=1, high=4096, advanced=True),
    _DTYPE,
)

OPENAI = (
    Option("base_url", "", "The server, such as http://localhost:11434/v1; empty: OpenAI."),
    *_ASKED,
    Option("logprobs", True, "Ask for token probabilities; scores come from them."),
    Option("concurrency", 8, "Requests at a time.", low=1, high=256, advanced=True),
    Option("timeout", 60.0, "Seconds to wait for an answer.", low=0.1, high=3600, advanced=True),
    Option(
        "retries", 4, "Further tries after 429, 5xx or a time-out.", low=0, high=20, advanced=True
    ),
    Option("max_tokens", 64, "Longest answer, in tokens.", low=1, high=32768, advanced=True),
    Option("price_in", 0.0, "Price of a million prompt tokens.", low=0, high=1e6, advanced=True),
    Option("price_out", 0.0, "Price of a million answer tokens.", low=0, high=1e6, advanced=True),
)

PYTHON = (
    Option("labels", "", "The labels that the function may answer with, separated by commas."),
    Option("multi", False, "The function answers with a list of labels, or none."),
)
