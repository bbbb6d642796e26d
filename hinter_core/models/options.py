"""What each kind of model can be told, beside its source; see :class:`naming.Option`."""

from __future__ import annotations

from hinter_core.models.naming import Option

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
