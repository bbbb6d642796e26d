"""Names of models, ``KIND:SOURCE?key=value&key=value``, and the options of each kind.

Each kind declares its options once; names, forms and help follow from them.
"""

from __future__ import annotations

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
    if option.choices and raw not in option.choices:
        raise ModelError(f"{option.name}={raw} in '{text}': use {' or '.join(option.choices)}.")
    if option.type is bool:
        if raw.lower() not in _WORDS:
            raise ModelError(f"{option.name}={raw} in '{text}': use 1 or 0.")
        return _WORDS[raw.lower()]
    if option.type is str:
        return raw
    return _number(option, raw, text)


def _number(option: Option, raw: str, text: str) -> int | float:
    try:
        value: int | float = int(raw) if option.type is int else float(raw)
    except ValueError:
        value = float("nan")
    if not option.holds(value):
        raise ModelError(f"{option.name}={raw} in '{text}': use {option.range}.")
    return value


_DTYPE = Option(
    "dtype",
    "float32",
    "Number format; bfloat16 answers near a tie are computed again in float32.",
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
        "Several labels may apply, or none, even if the checkpoint does not say so.",
    ),
    Option(
        "threshold",
        0.5,
        "Score from which a multi-label model predicts a label.",
        low=0.0,
        high=1.0,
        advanced=True,
    ),
    _DTYPE,
)

ZERO_SHOT = (
    Option("labels", "", "Your labels, separated by commas."),
    Option("template", "This text is {}.", "The hypothesis, with {} for the label."),
    Option("multi", False, "Judge each label separately; several may apply."),
    _DTYPE,
)

_ASKED = (
    Option("prompt", "", "The name of a shipped prompt, or your TOML file."),
    Option("labels", "", "Your labels, separated by commas."),
    Option("question", "", "Your question; {labels} is replaced by the labels."),
    Option("multi", False, "With your labels: several may apply, or none."),
    Option(
        "judge", "", "A model that classifies the free answer, such as vader; gives the labels."
    ),
)

CHAT = (
    *_ASKED,
    Option(
        "mode",
        "generate",
        "generate: the model writes an answer, which is parsed; score: the labels' likelihoods "
        "are compared.",
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
    Option("labels", "", "The labels that the function may return, separated by commas."),
    Option("multi", False, "The function returns a list of labels, possibly empty."),
)
