"""The text that a command works on, from an option, a file or standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from hinter_core.errors import InputError
from hinter_core.planning import MAX_CHARACTERS


def read_text(text: str | None, file: Path | None) -> str:
    """``text``, or what ``file`` holds (``-``: standard input).

    Raises:
        InputError: both or neither given, or the file is missing, too large or not UTF-8.
    """
    if (text is None) == (file is None):
        raise InputError("Give the text either with --text or with --file.")
    if text is not None:
        return text
    assert file is not None
    try:
        if str(file) == "-":
            raw = sys.stdin.buffer.read()
        else:
            if file.stat().st_size > 4 * MAX_CHARACTERS:
                raise InputError(
                    f"{file} is larger than a text of {MAX_CHARACTERS:,} characters; "
                    "check a part of it."
                )
            raw = file.read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"Cannot read {file}: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 text; convert it first.") from error
