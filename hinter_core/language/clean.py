"""Clean texts before they are checked: line ends, control characters, length."""

import unicodedata

from hinter_core.errors import InputError

# Invisible characters may be inside a word and must not hide it.
INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
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
    kept = "".join(_without_control(c) for c in text)
    if removed := len(text) - len(kept):
        notices.append(f"{removed} control character(s) were taken out.")
    if any(c in INVISIBLE for c in kept):
        notices.append("The text contains invisible characters; they were kept.")
    if not any(c.isalnum() for c in kept):
        raise InputError("There is no text to check; type or paste a sentence about people.")
    return kept, notices


def _without_control(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs"):
        return character
    return " " if character.isspace() else ""
