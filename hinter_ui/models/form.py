"""From the fields of a kind of model to a name, and what is wrong with it."""

from collections.abc import Sequence
from typing import Any

from hinter_core.errors import HinterError
from hinter_core.models.prompting import shipped_prompts
from hinter_core.models.registry import Backend, write_name
from hinter_core.models.server.endpoint import OPENAI_URL
from hinter_core.options import Option, Value
from hinter_ui.html.wording import Words, translated
from hinter_ui.shared.access import Access

say = Words("models")

# What a source looks like; any other is taken too.
EXAMPLES = {
    "scripted": "negative 0.8 if race=black and gender=female; positive otherwise",
    "hf": "distilbert/distilbert-base-uncased-finetuned-sst-2-english",
    "hf-zero-shot": "facebook/bart-large-mnli",
    "hf-chat": "Qwen/Qwen2.5-0.5B-Instruct",
    "openai": "gpt-4o-mini",
}
_NARROWER = ("hf", "hf-masked", "prompt", "base_url")  # kinds and options; see fitting
_ANY_KEY = "-"  # a name is looked at before its key is typed


def addable(access: Access) -> dict[str, Backend]:
    """Return the kinds with something to choose, so that a visitor can add models of them."""
    return {kind: b for kind, b in access.kinds().items() if b.source}


def offered(option: Option, access: Access) -> tuple[list[tuple[str, str]], bool]:
    """Return choices (label, value) for a text option, and whether others are taken."""
    names: Sequence[str]
    match option.name:
        case "prompt":
            names, others = tuple(shipped_prompts()), access.local
        case "judge":
            names, others = ("vader", "textblob", "embedded"), True
        case "base_url":
            names, others = [url for url in access.servers() if url != OPENAI_URL], access.local
            if not access.local and OPENAI_URL not in access.endpoints:
                return [(name, name) for name in names], others
        case _:
            return [], False
    return [(say(f"form.choices.{option.name}"), ""), *((n, n) for n in names)], others


def fitting(key: str, words: str, access: Access) -> str:
    """Translate words of the core; a public host has others where those offer files or servers."""
    if access.local or key not in _NARROWER:
        return translated(words)
    return say(f"form.public.{key}")


def help_of(option: Option, access: Access) -> str:
    """Describe an option, and the range of its numbers."""
    if option.low is None or option.high is None:
        return fitting(option.name, option.help, access)
    return say("form.range", help=translated(option.help), low=option.low, high=option.high)


def name_of(kind: str, backend: Backend, source: Any, values: Sequence[Any]) -> str:
    """Return the name for the fields of a kind; ``values`` are in the order of its options.

    A whole name may be pasted as the source; its settings override the fields.
    """
    written = "; ".join(line.strip() for line in str(source or "").splitlines() if line.strip())
    written = written.removeprefix(f"{kind}:")
    options = backend.options
    given = {o.name: _value(o, v) for o, v in zip(options, values, strict=True)}
    if not options:
        return write_name(kind, written, given, options)
    written, _, settings = written.partition("?")
    name = write_name(kind, written, given, options)
    if not settings:
        return name
    return f"{name}{'&' if '?' in name else '?'}{settings}"


def _value(option: Option, given: Any) -> Value:
    default: Value = option.default
    if given is None:
        return default
    if option.type is bool:
        return bool(given)
    if option.type is int and isinstance(given, float) and given.is_integer():
        return int(given)
    if option.type is str:
        return str(given).strip()
    return given if isinstance(given, int | float) else str(given)


def sketch(
    access: Access, kind: str, backend: Backend, source: Any, values: Sequence[Any]
) -> tuple[str, str]:
    """Return the name so far, and what is wrong with it, if anything can be seen yet."""
    name = name_of(kind, backend, source, values)
    if not str(source or "").strip():
        example = EXAMPLES.get(kind, backend.source)
        return backend.usage(kind), say("form.example", example=example)
    try:
        access.admit(name, _ANY_KEY)
    except HinterError as error:
        return name, translated(str(error))
    return name, ""
