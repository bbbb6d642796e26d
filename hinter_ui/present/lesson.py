"""The lesson's frame: its steps, what a step says and asks, its menus, and the way on."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from urllib.parse import urlencode

from hinter_ui.lesson import Menu, Scene, Step
from hinter_ui.present.glossary import linked
from hinter_ui.present.markup import Markup, join, tag
from hinter_ui.present.words import hue, name_in
from hinter_ui.wording import DEFAULT, Words, languages, words_of

SECTIONS = ("lesson", "glossary", "teach")


def head(section: str, say: Words) -> Markup:
    """The parts of the tab, and the choice of a language."""
    buttons = [
        tag("button", say(f"ui.{name}"), type="button", class_="learn-part", data_act="section",
            data_section=name, aria_current="page" if name == section else None)
        for name in SECTIONS
    ]  # fmt: skip
    options = [
        tag("option", name, value=code, lang=code, selected=code == say.language)
        for code, name in languages().items()
    ]
    choice = tag(
        "label",
        tag("span", say("ui.language")),
        tag("select", *options, data_act="language", class_="learn-language"),
    )
    parts = tag("nav", *buttons, aria_label=say("ui.sections"))
    return tag("div", parts, choice, class_="learn-head", lang=say.language)


def steps(lesson: Sequence[Step], current: int, done: Collection[str], say: Words) -> Markup:
    """How far one is, and a button for every step."""
    items = []
    for number, step in enumerate(lesson):
        mark = "\u2713" if step.key in done else str(number + 1)
        spoken = tag("span", f", {say('ui.guessed')}", class_="sr-only")
        button = tag(
            "button",
            tag("span", mark, class_="dot", aria_hidden="true"),
            tag("span", say(f"steps.{step.key}.name"), class_="step-name"),
            spoken if step.key in done else None,
            type="button",
            data_act="step",
            data_step=step.key,
            title=say(f"steps.{step.key}.name"),
            aria_current="step" if number == current else None,
        )
        items.append(tag("li", button, class_="done" if step.key in done else None))
    return tag(
        "nav",
        tag("ol", *items),
        class_="lesson-steps",
        aria_label=say("ui.steps"),
        lang=say.language,
    )


def opening(step: Step, number: int, total: int, evidence: Markup, asked: Markup,
            say: Words) -> Markup:  # fmt: skip
    """A step up to its question: heading, a few sentences, what is known, what is asked."""
    told = [tag("p", linked(text, say.language)) for text in say.branch(f"steps.{step.key}.lead")]
    return tag(
        "section",
        tag("p", say("ui.step", number=number + 1, total=total), class_="step-count"),
        tag("h2", say(f"steps.{step.key}.title"), tabindex="-1"),
        _note(say) if number == 0 else None,
        tag("div", *told[:1], evidence if step.key == "attribute" else None, *told[1:],
            class_="lead"),
        evidence if step.key != "attribute" else None,
        asked,
        lang=say.language,
        class_="step",
    )  # fmt: skip


def _note(say: Words) -> Markup:
    summary = tag("summary", say("note.title"))
    return tag("details", summary, tag("p", say("note.text")), class_="content-note", open=True)


def question(step: Step, guess: str, code: str, say: Words) -> Markup:
    """A guess to be made before anything is shown; ``code`` is that of the class joined."""
    if not step.choices:
        return Markup("")
    key = f"steps.{step.key}"
    buttons = [
        tag("button", say(f"{key}.choices.{choice}"), type="button", class_="choice",
            data_act="guess", data_question=step.key, data_choice=choice, data_code=code or None,
            data_lang=say.language, aria_pressed="true" if choice == guess else "false")
        for choice in step.choices
    ]  # fmt: skip
    told = None
    if code:
        told = tag("p", class_="class-told quiet", role="status", data_failed=say("join.unsent"))
    return tag(
        "fieldset",
        tag("legend", say(f"{key}.question")),
        tag("p", say("ui.before"), class_="quiet"),
        tag("div", *buttons, class_="choices"),
        told,
        class_="guess",
    )


def reply(step: Step, guess: str, say: Words) -> Markup:
    """What is said to a guess."""
    key = f"steps.{step.key}"
    right = guess == step.right
    sign = tag("span", "\u2713 " if right else "\u2192 ", aria_hidden="true", class_="sign")
    yours = say("ui.your_guess", guess=say(f"{key}.choices.{guess}"))
    words = tag("span", linked(say(f"{key}.replies.{guess}"), say.language))
    return tag("p", sign, tag("strong", f"{yours}. "), words,
               class_="reply-to right" if right else "reply-to")  # fmt: skip


def after(step: Step, say: Words) -> Markup:
    """What a step says in the end."""
    told = [tag("p", linked(text, say.language)) for text in say.branch(f"steps.{step.key}.after")]
    return tag("div", *told, class_="lead after")


def foot(lesson: Sequence[Step], current: int, query: str, say: Words) -> Markup:
    """The way back and on, and a link to the step."""

    def turn(name: str, to: int, kind: str) -> Markup:
        there = lesson[to % len(lesson)]
        shown = tag("span", say(f"ui.{name}"))
        where = tag("span", say(f"steps.{there.key}.name"), class_="where")
        return tag("button", shown, where, type="button", class_=f"turn {kind}", data_act="step",
                   data_step=there.key)  # fmt: skip

    last = current == len(lesson) - 1
    back = turn("back", current - 1, "back") if current else tag("span")
    on = turn("again", 0, "again") if last else turn("next", current + 1, "next")
    link = tag("a", say("ui.link"), href=query, class_="share")
    copy = tag("button", say("ui.copy"), type="button", class_="copy-link",
               data_copied=say("ui.copied"), data_uncopied=say("ui.uncopied"))  # fmt: skip
    return tag(
        "div",
        tag("div", back, on, class_="turns"),
        tag("p", link, copy, class_="share-line"),
        class_="lesson-foot",
        lang=say.language,
    )


def query_of(step: Step, language: str, code: str = "") -> str:
    """The address of a step within the app."""
    items = {"lesson": step.key}
    if language != DEFAULT:
        items["lang"] = language
    if code:
        items["class"] = code
    return f"?{urlencode(items)}"


def sentence(scene: Scene, words: Sequence[str], place: int, say: Words) -> Markup:
    """A text with a menu in place of each word that can be chosen."""
    check = words_of(say.language, "check")
    parts: list[object] = []
    rest = scene.text
    spots = sorted(
        (found.start(), found.end(), menu, word)
        for menu, word in zip(scene.menus, words, strict=True)
        if (found := re.search(rf"\b{re.escape(menu.source)}\b", scene.text))
    )
    end = 0
    for start, stop, menu, word in spots:
        parts += [rest[end:start], _menu(menu, word, place, say, check)]
        end = stop
    parts.append(rest[end:])
    return tag("p", join(parts), class_="sentence", lang="en")


def _menu(menu: Menu, word: str, place: int, say: Words, check: Words) -> Markup:
    options = [tag("option", w, value=w, selected=w == word) for w in menu.words]
    label = say("ui.words", attribute=name_in(menu.attribute, check))
    return tag("select", *options, class_="word-menu", data_act="word", data_place=place,
               aria_label=label, style=f"--h:{hue(menu.attribute)}")  # fmt: skip


def case(key: str, menus: Markup, say: Words) -> Markup:
    """A sentence of the hunt with what it is, and a hint."""
    hint = tag("details", tag("summary", say("steps.hunt.hint")),
               tag("p", say(f"steps.hunt.hints.{key}")), class_="hint")  # fmt: skip
    told = linked(say(f"steps.hunt.{key}"), say.language)
    return tag("div", tag("p", told, class_="quiet"), menus, hint, lang=say.language)


def joining(code: str, told: str, say: Words) -> Markup:
    """A place to join a class, or word of the class one is in; ``told`` is what went wrong."""
    wrong = tag("p", told, class_="notice error", role="alert") if told else None
    if code:
        words = tag("p", say("join.joined", code=code))
        leave = tag("button", say("join.leave"), type="button", class_="act", data_act="leave")
        return tag("div", wrong, words, leave, class_="join joined", lang=say.language)
    box = tag("input", type="text", class_="join-code", maxlength=9, autocomplete="off",
              autocapitalize="characters", spellcheck="false")  # fmt: skip
    label = tag("label", tag("span", say("join.label")), box)
    button = tag("button", say("join.button"), type="button", class_="act", data_act="join")
    summary = tag("summary", say("join.title"))
    fold = tag("details", summary, tag("div", label, button), open=bool(told))
    return tag("div", wrong, fold, class_="join", lang=say.language)
