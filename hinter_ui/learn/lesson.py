"""The lesson as data: its steps, and the texts under test that they show.

``assets/lesson/lesson.toml`` holds texts, models, menus and questions; what is said about them lies
in ``assets/words``. Nothing here knows a result: these come from the pipeline, every time.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hinter_core.errors import InputError
from hinter_core.storage import ASSETS

FOLDER = ASSETS / "lesson"


@dataclass(frozen=True)
class Menu:
    """Words to choose from at one place of a text; the first is the one that stands there."""

    attribute: str
    words: tuple[str, ...]
    start: str

    @property
    def source(self) -> str:
        """The word of the text."""
        return self.words[0]


@dataclass(frozen=True)
class Scene:
    """A text under test. ``shows`` are the verdicts promised for the first words, by model.

    ``solution`` are the words that reveal hidden bias, where a visitor is to find them;
    ``dictionary`` is a file of the lesson's own, in place of a shipped one.
    """

    key: str
    text: str
    attributes: tuple[str, ...]
    models: tuple[str, ...]
    menus: tuple[Menu, ...] = ()
    order: int = 2
    literal: bool = False
    dictionary: str = ""
    shows: tuple[str, ...] = ()
    solution: tuple[str, ...] = ()

    @property
    def start(self) -> tuple[str, ...]:
        """The words shown at first."""
        return tuple(menu.start for menu in self.menus)

    def checked(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """``words``, one for each menu.

        Raises:
            InputError: a word is not on its menu.
        """
        fits = len(words) == len(self.menus)
        if not fits or any(w not in m.words for w, m in zip(words, self.menus, strict=True)):
            raise InputError("Choose a word from each menu of the sentence.")
        return words


@dataclass(frozen=True)
class Step:
    """A step of the lesson; with ``choices`` it asks for a guess before it shows."""

    key: str
    scenes: tuple[Scene, ...]
    choices: tuple[str, ...] = ()
    right: str = ""

    @property
    def scene(self) -> Scene:
        """Its first text."""
        return self.scenes[0]


@cache
def load_lesson(path: Path = FOLDER / "lesson.toml") -> tuple[Step, ...]:
    """All steps in order."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    scenes = {key: _scene(key, table) for key, table in tables["scene"].items()}
    return tuple(
        Step(
            t["key"],
            tuple(scenes[name] for name in t["scenes"]),
            tuple(t.get("choices", ())),
            t.get("right", ""),
        )
        for t in tables["step"]
    )


def number_of(key: object) -> int:
    """The place of a step by its key or its number from 1; the first for anything else."""
    keys = [step.key for step in load_lesson()]
    wanted = str(key or "").strip().lower()[:40]
    if wanted in keys:
        return keys.index(wanted)
    number = int(wanted) if wanted.isascii() and wanted.isdecimal() else 1
    return number - 1 if 1 <= number <= len(keys) else 0


def questions() -> dict[str, tuple[str, ...]]:
    """The steps that ask for a guess, with what can be guessed."""
    return {step.key: step.choices for step in load_lesson() if step.choices}


def _scene(key: str, table: dict[str, object]) -> Scene:
    menus = tuple(
        Menu(menu["attribute"], tuple(menu["words"]), menu["start"])
        for menu in table.pop("menus", ())  # type: ignore[attr-defined]
    )
    rest = {name: tuple(v) if isinstance(v, list) else v for name, v in table.items()}
    return Scene(key, menus=menus, **rest)  # type: ignore[arg-type]
