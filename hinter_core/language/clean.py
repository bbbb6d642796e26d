"""Find the terms of all chosen dictionaries in one pass over a text.

The text is cut into words once; a trie over words finds, at each word, the longest term of every
attribute (multi-word terms included), so the cost grows with the text and not with the
dictionaries. Terms match whole words, whatever their case; a possessive or contracted ``'s`` stays
outside the span; ``don't`` is one word and no name; ``man-made`` and ``e-mail@man.org`` are not
about a man.

Departure: HInter's script (and line 12 of Algorithm 1) asks whether the term is a substring and
replaces one after another; we find spans first, so no replacement touches words another brought in.
"""

from __future__ import annotations

import unicodedata

from hinter_core.errors import InputError

# Characters that do not show: they may sit inside a word and must not hide it.
INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"


MAX_CHARACTERS = 100_000


def clean(text: str) -> tuple[str, list[str]]:
    """The text to check and notices about it.

    Line ends become line feeds; control characters are taken out, as a tokenizer may choke on them
    (a form feed and its like become a space). Everything else stays.

    Raises:
        InputError: empty, blank, or longer than ``MAX_CHARACTERS``.
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
