"""The texts of a tab in the visitor's language, kept apart from the code.

They lie in ``assets/words/LANGUAGE/ROOM.yaml`` as nested mappings; ``words("join.title")`` is the
text under ``join: title:``. A text that counts has the forms ``one`` and ``other``; its numbers
are written as ``{n:,}``. A language may lack a room, which then speaks the default language. A room
that it has holds the same keys and ``{placeholders}`` as the default one's (``tests/architecture``
checks that), so that no page mixes two languages. A new language is a folder with a
``language.yaml`` (its name for itself) and the rooms that are translated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from hinter_core.storage import ASSETS

FOLDER = ASSETS / "words"
DEFAULT = "en"


class Words:
    """The texts of one room in one language."""

    def __init__(self, language: str, tree: Mapping[str, Any]) -> None:
        self.language = language
        self._tree = tree

    def __call__(self, key: str, /, **values: object) -> str:
        """The text under a dotted key, its placeholders filled.

        Raises:
            KeyError: there is no such text; a mistake in the code.
        """
        found = self.branch(key)
        if not isinstance(found, str):
            raise KeyError(f"'{key}' is not a text.")
        return found.format(**values) if values else found

    def count(self, key: str, number: float, /, **values: object) -> str:
        """The text under ``key.one`` for 1, under ``key.other`` for any other number, as ``{n}``.

        Raises:
            KeyError: there is no such text; a mistake in the code.
        """
        return self(f"{key}.{'one' if number == 1 else 'other'}", n=number, **values)

    def branch(self, key: str) -> Any:
        """What lies under a dotted key: a text, a list or a mapping.

        Raises:
            KeyError: there is nothing; a mistake in the code.
        """
        found: Any = self._tree
        for part in key.split("."):
            found = found[part]
        return found

    def texts(self) -> Iterator[tuple[str, str]]:
        """All texts by dotted key; items of lists by their number."""
        yield from _leaves(self._tree, "")


@cache
def words_of(language: str, room: str) -> Words:
    """The texts of a room, read once; of the default language where the wanted one lacks the room.

    Raises:
        OSError: there is no such room; a mistake in the code.
    """
    import yaml

    language = language if language in languages(room) else DEFAULT
    path = FOLDER / language / f"{room}.yaml"
    return Words(language, yaml.safe_load(path.read_text(encoding="utf-8")))


@cache
def languages(room: str = "language") -> dict[str, str]:
    """Codes and own names of the languages that have a room; the default language first."""
    import yaml

    found = {}
    for path in sorted(FOLDER.glob(f"*/{room}.yaml")):
        named = (path.parent / "language.yaml").read_text(encoding="utf-8")
        found[path.parent.name] = str(yaml.safe_load(named)["name"])
    return {DEFAULT: found.pop(DEFAULT)} | found


def chosen(wanted: object) -> str:
    """The code of a language, whatever a browser or a link sent."""
    code = str(wanted or "")[:16].lower().partition("-")[0]
    return code if code in languages() else DEFAULT


def _leaves(tree: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(tree, Mapping):
        for name, branch in tree.items():
            yield from _leaves(branch, f"{key}.{name}" if key else str(name))
    elif isinstance(tree, list):
        for place, branch in enumerate(tree):
            yield from _leaves(branch, f"{key}.{place}")
    else:
        yield key, str(tree)
