"""The judging screen, as HTML; the page's script fills in one item after another."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hinter_core.annotation.project.types import Project, Question
from hinter_ui.annotate.join import ROOM, button, section
from hinter_ui.html.markup import Markup, isolated, tag
from hinter_ui.html.wording import Words, words_of


def screen(project: Project, name: str, instructions: str) -> Markup:
    """The judging screen without an item; the page fills it in."""
    words = words_of(project.language, ROOM)
    told = {key: words(f"screen.{key}") for key in _FOR_THE_PAGE}
    top = tag(
        "div",
        tag(
            "div",
            tag("progress", value=0, max=1, aria_label=words("screen.progress_label")),
            tag("span", class_="progress-words"),
            class_="judge-progress",
        ),
        tag("span", class_="judge-clock quiet-inline"),
        tag("span", words("screen.saved"), class_="judge-saved"),
        tag("span", isolated(name), class_="judge-name quiet-inline"),
        button("help", words("screen.help"), key="?"),
        button("leave", words("screen.leave")),
        class_="judge-top",
    )
    offline = tag(
        "div",
        tag("span", class_="offline-words"),
        " ",
        button("retry", words("screen.retry")),
        class_="notice info judge-offline",
        role="status",
        hidden=True,
    )
    comment = tag(
        "div",
        tag("label", words("screen.comment_label"), for_="annotate-comment"),
        tag(
            "textarea", id="annotate-comment", rows=2, maxlength=4000,
            aria_describedby="annotate-comment-help",
        ),
        tag("p", words("screen.comment_hint"), id="annotate-comment-help", class_="quiet"),
        class_="judge-comment",
        hidden=True,
    )  # fmt: skip
    return section(
        words,
        tag("h2", words("screen.title"), class_="sr-only"),
        top,
        tag("div", role="alert", class_="judge-notice", hidden=True),
        offline,
        tag("p", role="status", class_="sr-only", data_told=True),
        tag(
            "div",
            tag("article", class_="judge-item", tabindex="-1"),
            tag("div", _asked(project.questions), _actions(words), class_="judge-bar"),
            class_="judge-desk",
        ),
        comment,
        tag("div", class_="judge-trees", hidden=True, tabindex="-1", role="region",
            aria_label=words("screen.trees_label")),
        _help(words, project, instructions),
        kind="judge",
        words_=json.dumps(told, ensure_ascii=False),
    )  # fmt: skip


_FOR_THE_PAGE = (
    "item", "question", "progress", "minutes", "saved", "unsaved", "sending", "offline", "again",
    "loading", "working", "trees_failed",
)  # fmt: skip


def _asked(questions: Sequence[Question]) -> Markup:
    boxes = []
    for place, question in enumerate(questions):
        ident = f"annotate-help-{place}"
        answers = tag(
            "div",
            *(
                tag(
                    "button",
                    tag("kbd", answer.key.upper(), aria_hidden="true"),
                    " ",
                    tag("span", isolated(answer.label)),
                    type="button",
                    data_value=answer.value,
                    data_key=answer.key,
                    aria_pressed="false",
                    aria_keyshortcuts=answer.key,
                )
                for answer in question.answers
            ),
            class_="judge-answers",
        )
        boxes.append(
            tag(
                "fieldset",
                tag(
                    "legend",
                    tag("span", class_="question-number quiet-inline"),
                    tag("span", isolated(question.ask), class_="question-words"),
                ),
                answers,
                tag("p", isolated(question.help), id=ident, class_="quiet")
                if question.help
                else None,
                class_="judge-question",
                data_question=question.id,
                data_pair=question.pair,
                aria_describedby=ident if question.help else None,
            )
        )
    return tag("div", *boxes, class_="judge-questions")


def _actions(words: Words) -> Markup:
    keys = {"undo": "z", "skip": "s", "comment": "c", "trees": "t"}
    buttons = [
        button(name, words(f"screen.{name}"), key=key,
                aria_expanded="false" if name in ("comment", "trees") else None)
        for name, key in keys.items()
    ]  # fmt: skip
    return tag("div", *buttons, class_="judge-actions")


def _help(words: Words, project: Project, instructions: str) -> Markup:
    answers = sorted({answer.key for question in project.questions for answer in question.answers})
    rows = [
        ("  ".join(key.upper() for key in answers), "answer_key"),
        ("\u21b5", "enter_key"),
        ("\u2190 \u2192", "arrows_key"),
        *((key.upper(), f"{name}_key") for name, key in
          (("undo", "z"), ("skip", "s"), ("comment", "c"), ("trees", "t"), ("help", "?"))),
    ]  # fmt: skip
    keys = [
        part for key, name in rows
        for part in (tag("dt", tag("kbd", key)), tag("dd", words(f"help.{name}")))
    ]  # fmt: skip
    about = None
    if instructions:
        about = tag("p", isolated(instructions), class_="instructions")
    explained = [
        tag("li", tag("strong", isolated(question.ask)), " ", isolated(question.help))
        for question in project.questions if question.help
    ]  # fmt: skip
    return tag(
        "dialog",
        tag("h2", words("help.title"), id="annotate-help-title"),
        tag("h3", words("help.about")),
        about,
        tag("ul", *explained, class_="plain") if explained else None,
        tag("p", words("join.content_note"), class_="quiet"),
        tag("h3", words("help.keys")),
        tag("dl", *keys, class_="key-list"),
        tag("label", tag("input", type="checkbox", name="keys", checked=True), " ",
            words("help.use_keys")),
        tag("p", words("help.use_keys_help"), class_="quiet"),
        tag("p", button("close", words("help.close"), class_="primary")),
        class_="judge-help",
        aria_labelledby="annotate-help-title",
    )  # fmt: skip
