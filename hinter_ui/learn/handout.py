"""The handout of the lesson as Markdown, made from the words of the teacher's page.

``scripts/render_handouts.py`` writes it and prints it to PDF; both lie in ``assets/handouts``.
"""

from __future__ import annotations

from pathlib import Path

from hinter_core.storage import ASSETS
from hinter_ui.html.wording import Words, words_of
from hinter_ui.learn.lesson import Scene, load_lesson

FOLDER = ASSETS / "handouts"
_LINE = "_" * 88
_VERDICTS = ("benign", "biased", "hidden", "discarded")


def path_of(language: str, ending: str) -> Path:
    """Where a handout lies; ``ending`` is ``md`` or ``pdf``."""
    return FOLDER / f"hinter-lesson-{language}.{ending}"


def markdown(language: str) -> str:
    """The handout in one language."""
    say = words_of(language, "teach")
    scenes = {scene.key: scene for step in load_lesson() for scene in step.scenes}
    hunt = next(step for step in load_lesson() if step.key == "hunt")
    parts = [
        f"# {say('handout.title')}",
        say("handout.intro"),
        *_task(1, "one", say),
        f"> {scenes['review'].text}",
        *_task(2, "two", say),
        _table(
            [say("handout.two_text"), say("handout.two_guess"), say("handout.two_answer")],
            [[text, "", ""] for text in _four(scenes["both"])],
        ),
        *_task(3, "three", say),
        _verdicts(language),
        say("handout.three_ask").replace("_", "\\_"),
        *_task(4, "four", say),
        _blank(2),
        *_task(5, "five", say),
        _table(
            [say("handout.five_text"), say("handout.five_found")],
            [[scene.text, ""] for scene in hunt.scenes],
        ),
        *_task(6, "six", say),
        _blank(2),
        f"## {say('handout.talk_title')}",
        "\n".join(f"- {point}" for point in say.branch("handout.talk")),
        "---",
        say("handout.foot"),
    ]
    return "\n\n".join(parts) + "\n"


def _task(number: int, key: str, say: Words) -> tuple[str, str]:
    return f"## {number}. {say(f'handout.{key}_title')}", say(f"handout.{key}")


def _four(scene: Scene) -> list[str]:
    """The text, each change alone, and both; own texts whose words need no mending."""
    first, second = ((menu.source, menu.start) for menu in scene.menus)
    one, two = scene.text.replace(*first), scene.text.replace(*second)
    return [scene.text, one, two, one.replace(*second)]


def _verdicts(language: str) -> str:
    terms = words_of(language, "glossary").branch("terms")
    return "\n".join(f"- **{terms[key]['name']}:** {terms[key]['short']}" for key in _VERDICTS)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _blank(lines: int) -> str:
    """Lines to write on."""
    return "\n\n".join([_LINE.replace("_", "\\_")] * lines)
