"""Projects for annotators, and their pages."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from playwright.sync_api import Locator, Page, expect

from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.store import AnnotationStore, opened
from hinter_core.annotation.project.types import AnnotationItem, Judgement, Project

PASS = "a long enough phrase"


def pairs(many: int, **more: object) -> list[AnnotationItem]:
    return [
        AnnotationItem(f"i{n}", f"The British waiter number {n} was kind.",
             f"The Syrian waiter number {n} was kind.", ("race",), **more)  # type: ignore[arg-type]
        for n in range(many)
    ]  # fmt: skip


class Made:
    """A project in the app's folder."""

    def __init__(self, folder: Path, items: list[AnnotationItem], **settings: object) -> None:
        language = str(settings.get("language", "en"))
        instructions, asked = default_questions(language)
        # Three questions about a pair that is shown at once, unless a test is about their order.
        named = {one.id: replace(one, ask_if=()) for one in asked}
        if settings.pop("as_shipped", False):
            questions = asked
        else:
            questions = tuple(named[one] for one in ("sense", "same", "grammatical"))
            settings = {"alone": False} | settings
        own = {"share": 1.0, "repeats": 0.0} | settings
        project = Project(f"Trial {uuid4().hex[:6]}", questions, instructions, **own)  # type: ignore[arg-type]
        self.name, self.id = project.name, uuid4().hex
        self.path = folder / f"{self.id}.sqlite"
        store, self.key = AnnotationStore.create(self.path, project)
        store.add(items)
        store.close()

    def judged(self) -> list[Judgement]:
        with opened(self.path) as store:
            return list(store.judgements())

    def change(self, **settings: object) -> None:
        with opened(self.path) as store:
            store.change(**settings)


class Judge:
    """An annotator's page, used by keyboard."""

    def __init__(self, page: Page, url: str, patience: float) -> None:
        self.page = page
        self.url = url
        page.set_default_timeout(patience)

    def visit(self, project: Made) -> Judge:
        self.page.goto(f"{self.url}/?annotate={project.id}")
        expect(self.page.locator(".judge-room")).to_be_visible()
        return self

    def join(self, project: Made, name: str, phrase: str = PASS) -> Judge:
        self.visit(project)
        self.page.locator("[name=name]").focus()
        self.type_in(name, phrase)
        expect(self.text).to_be_visible()
        return self

    def type_in(self, name: str, phrase: str) -> None:
        keyboard = self.page.keyboard
        keyboard.press("Control+a")
        keyboard.type(name)
        keyboard.press("Tab")
        keyboard.press("Control+a")
        keyboard.type(phrase)
        keyboard.press("Enter")

    @property
    def text(self) -> Locator:
        return self.page.locator(".judge-text.mutant .judge-words, .judge-text.alone .judge-words")

    @property
    def saved(self) -> Locator:
        return self.page.locator(".judge-saved")

    @property
    def told(self) -> Locator:
        return self.page.locator(".judge-notice")

    @property
    def progress(self) -> Locator:
        return self.page.locator(".progress-words")

    @property
    def number(self) -> int:
        return int(re.search(r"number (\d+)", self.text.inner_text())[1])  # type: ignore[index]

    def press(self, keys: str) -> None:
        for key in keys:
            self.ready()
            self.page.keyboard.press(key)

    def ready(self) -> None:
        """Wait until the text that is shown takes answers."""
        self.page.wait_for_selector(".annotate-room:not([data-ready=no])")

    def judge(self, keys: str) -> int:
        """Answer the text that is shown, and wait for the next; returns its number."""
        number = self.number
        self.press(keys)
        self.page.wait_for_function(
            "number => { const room = document.querySelector('.judge-text.mutant');"
            "return !room || !room.textContent.includes(`number ${number} `); }",
            arg=number,
        )
        return number

    def all_saved(self) -> None:
        expect(self.saved).to_have_attribute("data-open", "0")
