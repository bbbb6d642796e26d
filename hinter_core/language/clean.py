"""Clean texts before they are checked: line ends, control characters, length."""

import re
from collections.abc import Iterator
from typing import Any

from hinter_core.errors import InputError

# Invisible characters may be inside a word and must not hide it.
INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
# What a terminal obeys; JSON escapes the first of them itself.
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_JOINERS = "\u200c\u200d"  # within words and emoji
_CONTROL = re.compile(r"[^\n\t -~\xa0-\ud7ff\ue000-\U0010ffff]")
MAX_CHARACTERS = 100_000


def clean(text: str) -> tuple[str, list[str]]:
    """Clean a text; return it with notices for the user.

    Line ends become line feeds. Control characters are removed, as tokenizers may fail on them
    (those that are white space become a space).

    Raises:
        InputError: a text without letters or digits, or longer than ``MAX_CHARACTERS``.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"The text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are checked at "
            "once. Paste a part of it."
        )
    notices = []
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = without_controls(text)
    if removed := len(text) - len(kept):
        notices.append(f"{removed} control character(s) were taken out.")
    if any(c in INVISIBLE for c in kept):
        notices.append("The text contains invisible characters; they were kept.")
    if not any(c.isalnum() for c in kept):
        what = "are no words" if kept.strip() else "is no text"
        raise InputError(f"There {what} to check; type or paste a sentence about people.")
    return kept, notices


def without_controls(text: str) -> str:
    """Remove control characters and halves of characters; those that are blank become a space."""
    return _CONTROL.sub(lambda one: " " if one[0].isspace() else "", text)


def printable(text: str, keep: str = "") -> str:
    """Replace what a terminal obeys instead of showing by blanks; ``keep``: not these.

    These are control characters, half characters and marks that turn the direction of letters.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _JOINERS or c in keep else " " for c in text)


def whole(text: str) -> str:
    """Join halves of characters (surrogates) that make one; those left alone become U+FFFD.

    JSON and arguments may hold halves, which no file, database or event can take.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def whole_values(tree: Any) -> Any:
    """Return JSON values with whole characters in all texts and keys; tuples become lists."""
    if isinstance(tree, str):
        return whole(tree)
    if isinstance(tree, list | tuple):
        return [whole_values(value) for value in tree]
    if isinstance(tree, dict):
        return {whole_values(key): whole_values(value) for key, value in tree.items()}
    return tree


def values_within(tree: Any) -> Iterator[tuple[str, Any]]:
    """Yield a JSON value and all within it, each with the key that it stands under."""
    found = [("", tree)]
    for key, value in found:  # which grows meanwhile
        yield key, value
        if isinstance(value, dict):
            found += value.items()
        elif isinstance(value, list):
            found += ((key, one) for one in value)
