"""The lesson as data, and a visitor's progress through it.

``assets/lesson/lesson.toml`` holds texts, models, menus and questions; what is said about them is
in ``assets/words``. Results are not part of it: they come from the pipeline, every time.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode

from hinter_core.errors import InputError
from hinter_core.storage import ASSETS
from hinter_ui.html.glossary import entries
from hinter_ui.html.wording import DEFAULT, Words, chosen

say = Words("learn")

FOLDER = ASSETS / "lesson"
SECTIONS = ("lesson", "glossary", "teach")
LINKED = (*SECTIONS, "class")  # names of an address that ask for the tab
TRIED = ("atomic", "square")  # steps that ask for a change of words
_UNASKED = ("attribute", "broken")  # steps in which no model is asked
_TELLS = {"square": "guess"}  # steps that tell the answer to the question of another
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
        if not self.fits(words):
            raise InputError(say("errors.menus"))
        return words

    def fits(self, words: tuple[str, ...]) -> bool:
        """Whether ``words`` are one for each menu."""
        same = len(words) == len(self.menus)
        return same and all(w in m.words for w, m in zip(words, self.menus, strict=True))


@dataclass(frozen=True)
class Step:
    """A step of the lesson; with ``choices`` it asks for a guess before it shows.

    ``grammar`` is a file of the lesson whose sentences are judged as well as the texts.
    """

    key: str
    scenes: tuple[Scene, ...]
    choices: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    grammar: str = ""

    @property
    def asks(self) -> bool:
        """Whether a model answers the question that it asks."""
        return self.key not in _UNASKED

    @property
    def scene(self) -> Scene:
        """Its first text."""
        return self.scenes[0]


@cache
def load_lesson() -> tuple[Step, ...]:
    """Read all steps, in order."""
    tables = tomllib.loads((FOLDER / "lesson.toml").read_text(encoding="utf-8"))
    scenes = {key: _scene(key, table) for key, table in tables["scene"].items()}
    return tuple(
        Step(
            t["key"],
            tuple(scenes[name] for name in t["scenes"]),
            tuple(t.get("choices", ())),
            (right,) if isinstance(right := t.get("right", ()), str) else tuple(right),
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
    """State of the lesson on one page; ``code``: the class joined, ``key``: the class taught.

    ``own``: key of the class that this browser taught last.
    """

    language: str = DEFAULT
    section: str = SECTIONS[0]
    number: int = 0
    guesses: dict[str, str] = field(default_factory=dict)
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)
    entry: str = ""
    code: str = ""
    told: str = ""  # what went wrong with a class
    key: str = ""
    own: str = ""
    sure: str = ""  # what is to be pressed a second time
    revealed: frozenset[str] = frozenset()  # questions whose answer the class is shown
    again: frozenset[str] = frozenset()  # questions that the class votes on a second time
    second: set[str] = field(default_factory=set)  # questions guessed in the second vote
    page: str = ""  # address of the app, as the teacher has it open
    present: str = ""  # the question that fills the teacher's screen
    votes: bool = False  # whether the votes on it are shown

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

    def turn(self, query: str) -> None:
        """Show the part and step that an address names."""
        parts, _, code = query.removeprefix("?").partition("#")
        named = self.from_query(dict(parse_qsl(parts, keep_blank_values=True)))
        self.section, self.number, self.entry = named.section, named.number, named.entry
        if code and self.own.partition(".")[0] == code:
            self.key = self.own

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
    def held(self) -> bool:
        """Whether a class waits for its teacher to show the answer to the current step."""
        told = _TELLS.get(self.step.key, self.step.key if self.step.choices else "")
        return bool(self.code and told) and told not in self.revealed

    @property
    def waits(self) -> bool:
        """Whether there is nothing to do in the current step but to wait for the teacher."""
        return self.held and bool(self.guess or not self.step.choices)

    @property
    def open(self) -> bool:
        """Whether the current step shows its result."""
        return not self.held and bool(self.guess or not self.step.choices)

    @property
    def tried(self) -> bool:
        """Whether the words of the current step were changed, if it asks for nothing else."""
        return self.step.key not in TRIED or self.step.scene.key in self.words

    @property
    def done(self) -> set[str]:
        """Steps with a guess, those whose words were changed, and a hunt that found all."""
        steps = {step.key: step for step in load_lesson()}
        done = set(self.guesses) | {key for key in TRIED if steps[key].scene.key in self.words}
        return done | ({"hunt"} if len(self.found) == len(steps["hunt"].scenes) else set())

    def words_of(self, scene: Scene) -> tuple[str, ...]:
        """Return the words chosen in a scene."""
        return self.words.get(scene.key, scene.start)

    def start_again(self) -> None:
        """Forget what was guessed, chosen and found."""
        self.guesses, self.words, self.found, self.second = {}, {}, set(), set()

    def choose(self, data: Mapping[str, Any]) -> None:
        """Take a guess, if it is one of the current step."""
        choice = str(data.get("choice"))
        if data.get("question") == self.step.key and choice in self.step.choices:
            self.guesses[self.step.key] = choice
            if self.step.key in self.again:
                self.second.add(self.step.key)

    def progress(self) -> dict[str, Any]:
        """Return what a reload of the page brings back, as JSON."""
        return {
            "code": self.code,
            "own": self.own,
            "guesses": self.guesses,
            "second": sorted(self.second),
            "words": {key: list(words) for key, words in self.words.items()},
            "found": sorted(self.found),
        }

    def resume(self, progress: Any) -> None:
        """Take what an earlier page had reached in the same class, but for what fits no step."""
        kept: dict[str, Any] = progress if isinstance(progress, dict) else {}
        self.own = self.own or str(kept.get("own") or "")[:_LONGEST]
        if kept.get("code") != self.code:  # it may be another student's
            return

        def part(name: str, kind: type[Any]) -> Any:
            return kept[name] if isinstance(kept.get(name), kind) else kind()

        guesses, words = part("guesses", dict), part("words", dict)
        second, places = part("second", list), part("found", list)
        for step in load_lesson():
            guess = guesses.get(step.key)
            if guess in step.choices:
                self.guesses[step.key] = guess
                if step.key in second:
                    self.second.add(step.key)
            for scene in step.scenes:
                picked = words.get(scene.key)
                if isinstance(picked, list) and scene.fits(tuple(map(str, picked))):
                    self.words[scene.key] = tuple(map(str, picked))
                if scene.solution and scene.key in places:
                    self.found.add(scene.key)
