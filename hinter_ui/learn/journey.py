"""Where a visitor of the lesson is: language, step, guesses, words chosen, class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hinter_ui.html.glossary import entries
from hinter_ui.html.wording import DEFAULT, Words, chosen, words_of
from hinter_ui.learn.html import SECTIONS
from hinter_ui.learn.lesson import Scene, Step, load_lesson, number_of

_LONGEST = 80  # characters of a code or key in a link


@dataclass
class Journey:
    """One page's way through the lesson. ``code`` is the class joined, ``key`` the one taught."""

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
    sure: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Journey:
        """The journey that a link asks for, whatever it says."""
        journey = cls(language=chosen(query.get("lang")))
        journey.number = number_of(query.get("lesson"))
        if "glossary" in query:
            journey.section = "glossary"
            wanted = query["glossary"][:_LONGEST].lower()
            journey.entry = wanted if wanted in entries() else ""
        elif "teach" in query:
            journey.section = "teach"
            journey.key = query["teach"][:_LONGEST]
        return journey

    @staticmethod
    def wanted(query: Mapping[str, str]) -> bool:
        """Whether a link asks for this tab."""
        return any(name in query for name in ("lesson", "glossary", "teach", "class"))

    @property
    def step(self) -> Step:
        """The current step."""
        return load_lesson()[self.number]

    @property
    def guess(self) -> str:
        """The guess of the current step; empty where none was made."""
        return self.guesses.get(self.step.key, "")

    @property
    def open(self) -> bool:
        """Whether the current step shows what came of it."""
        return not self.step.choices or bool(self.guess)

    @property
    def say(self) -> Words:
        """The lesson's texts."""
        return words_of(self.language, "learn")

    @property
    def teach(self) -> Words:
        """The texts of the teacher's page."""
        return words_of(self.language, "teach")

    @property
    def done(self) -> set[str]:
        """Steps with a guess, and those without a question that were seen."""
        asked = {step.key for step in load_lesson() if step.choices}
        hunt = next(step for step in load_lesson() if step.key == "hunt")
        done = set(self.guesses) | (self.seen - asked - {hunt.key})
        return done | ({hunt.key} if len(self.found) == len(hunt.scenes) else set())

    def words_of(self, scene: Scene) -> tuple[str, ...]:
        """The words chosen in a scene."""
        return self.words.get(scene.key, scene.start)

    def choose(self, data: Mapping[str, Any]) -> None:
        """Take a guess, if it is one of the current step."""
        choice = str(data.get("choice"))
        if data.get("question") == self.step.key and choice in self.step.choices:
            self.guesses[self.step.key] = choice
