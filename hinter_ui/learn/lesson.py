"""The lesson as data, and a visitor's progress through it.

``assets/lesson/lesson.toml`` holds texts, models, menus and questions; what is said about them is
in ``assets/words``. Results are not part of it: they come from the pipeline, every time.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode

from hinter_core.errors import InputError
from hinter_core.storage import ASSETS
from hinter_ui.html.glossary import entries
from hinter_ui.html.wording import DEFAULT, Words, chosen

say = Words("learn")

FOLDER = ASSETS / "lesson"
SECTIONS = ("lesson", "glossary", "teach")
LINKED = (*SECTIONS, "class")  # names of an address that ask for the tab
_LONGEST = 80  # characters of a code or key in a link


@dataclass(frozen=True)
class Menu:
    """Words to choose from at one place of a text; the first is the original."""

    attribute: str
    words: tuple[str, ...]
    start: str

    @property
    def source(self) -> str:
        """The word of the text."""
        return self.words[0]


@dataclass(frozen=True)
class Scene:
    """A text under test; ``shows`` are the verdicts promised for the first words, by model.

    ``solution`` are the words that reveal hidden bias where a visitor is to find them;
    ``dictionary`` is a file of the lesson in place of a shipped one.
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
        """Return ``words`` if they are one for each menu.

        Raises:
            InputError: a word is not on its menu.
        """
        fits = len(words) == len(self.menus)
        if not fits or any(w not in m.words for w, m in zip(words, self.menus, strict=True)):
            raise InputError(say("errors.menus"))
        return words


@dataclass(frozen=True)
class Step:
    """A step of the lesson; with ``choices`` it asks for a guess before it shows.

    ``grammar`` is a file of the lesson whose sentences are judged as well as the texts.
    """

    key: str
    scenes: tuple[Scene, ...]
    choices: tuple[str, ...] = ()
    right: str = ""
    grammar: str = ""

    @property
    def scene(self) -> Scene:
        """Its first text."""
        return self.scenes[0]


@cache
def load_lesson(path: Path = FOLDER / "lesson.toml") -> tuple[Step, ...]:
    """Read all steps, in order."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    scenes = {key: _scene(key, table) for key, table in tables["scene"].items()}
    return tuple(
        Step(
            t["key"],
            tuple(scenes[name] for name in t["scenes"]),
            tuple(t.get("choices", ())),
            t.get("right", ""),
            t.get("grammar", ""),
        )
        for t in tables["step"]
    )


def number_of(key: object) -> int:
    """Return the place of a step from its key or its number from 1; the first by default."""
    keys = [step.key for step in load_lesson()]
    wanted = str(key or "").strip().lower()[:40]
    if wanted in keys:
        return keys.index(wanted)
    number = int(wanted) if wanted.isascii() and wanted.isdecimal() else 1
    return number - 1 if 1 <= number <= len(keys) else 0


def questions() -> dict[str, tuple[str, ...]]:
    """Return the choices of the steps that ask for a guess."""
    return {step.key: step.choices for step in load_lesson() if step.choices}


def _scene(key: str, table: dict[str, object]) -> Scene:
    menus = tuple(
        Menu(menu["attribute"], tuple(menu["words"]), menu["start"])
        for menu in table.pop("menus", ())  # type: ignore[attr-defined]
    )
    rest = {name: tuple(v) if isinstance(v, list) else v for name, v in table.items()}
    return Scene(key, menus=menus, **rest)  # type: ignore[arg-type]


def query_of(step: Step, code: str = "", language: str = "") -> str:
    """Return the address of a step, in the language spoken unless one is given."""
    language = language or say.language
    items = {"lesson": step.key}
    if language != DEFAULT:
        items["lang"] = language
    if code:
        items["class"] = code
    return f"?{urlencode(items)}"


@dataclass
class Journey:
    """State of the lesson on one page; ``code``: the class joined, ``key``: the class taught."""

    language: str = DEFAULT
    section: str = SECTIONS[0]
    number: int = 0
    guesses: dict[str, str] = field(default_factory=dict)
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    entry: str = ""
    code: str = ""
    told: str = ""  # what went wrong with a class
    key: str = ""
    sure: str = ""  # what is to be pressed a second time
    answers: bool = False  # whether the chart of the class shows which choice is right

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """Return the journey that a link names; unknown values are ignored."""
        journey = cls(language=chosen(query.get("lang")), number=number_of(query.get("lesson")))
        if "glossary" in query:
            journey.section = "glossary"
            wanted = query["glossary"][:_LONGEST].lower()
            journey.entry = wanted if wanted in entries() else ""
        elif "teach" in query:
            journey.section = "teach"
            journey.key = (query["teach"] or query.get("key", ""))[:_LONGEST]
        return journey

    @staticmethod
    def wanted(query: Mapping[str, str]) -> bool:
        """Whether a link asks for this tab."""
        return any(name in query for name in LINKED)

    @property
    def step(self) -> Step:
        """The current step."""
        return load_lesson()[self.number]

    @property
    def guess(self) -> str:
        """The guess of the current step; empty where there is none."""
        return self.guesses.get(self.step.key, "")

    @property
    def open(self) -> bool:
        """Whether the current step shows its result."""
        return not self.step.choices or bool(self.guess)

    @property
    def done(self) -> set[str]:
        """Steps with a guess, and those without a question that were seen."""
        asked = {step.key for step in load_lesson() if step.choices}
        hunt = next(step for step in load_lesson() if step.key == "hunt")
        done = set(self.guesses) | (self.seen - asked - {hunt.key})
        return done | ({hunt.key} if len(self.found) == len(hunt.scenes) else set())

    def words_of(self, scene: Scene) -> tuple[str, ...]:
        """Return the words chosen in a scene."""
        return self.words.get(scene.key, scene.start)

    def choose(self, data: Mapping[str, Any]) -> None:
        """Take a guess, if it is one of the current step."""
        choice = str(data.get("choice"))
        if data.get("question") == self.step.key and choice in self.step.choices:
            self.guesses[self.step.key] = choice
