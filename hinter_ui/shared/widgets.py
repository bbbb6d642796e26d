"""Widgets that several tabs have alike, and widgets with texts in the visitor's language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import gradio as gr

from hinter_core.options import Option
from hinter_ui.html.markup import Markup, tag
from hinter_ui.html.wording import DEFAULT, Words, words_of
from hinter_ui.shared.scripts import on_load

Widget = TypeVar("Widget")


def html(elem_id: str, value: str = "", script: str = "") -> gr.HTML:
    """HTML of ours, without gradio's prose styles; its scripts run once it is in the page."""
    code = on_load(*script.split()) if script else None
    return gr.HTML(value, elem_id=elem_id, apply_default_css=False, js_on_load=code)


def heading(title: str, remark: str) -> gr.HTML:
    """A section's heading with a remark beside it."""
    words = tag("h2", title, " ", tag("span", remark, class_="quiet"))
    return html(f"heading-{title.split()[0].lower()}", words)


def option_field(
    option: Option,
    elem_id: str,
    *,
    info: str = "",
    value: Any = None,
    choices: Sequence[tuple[str, str]] = (),
    others: bool = False,
) -> Any:
    """The widget that fits the type of an option, with its ``value`` or else the default.

    ``choices`` (label, value) of a text option, and whether ``others`` are taken.
    """
    common: dict[str, Any] = {
        "label": option.title,
        "info": info or option.help,
        "value": option.default if value is None else value,
        "elem_id": elem_id,
    }
    if option.type is bool:
        return gr.Checkbox(**common)
    if option.type in (int, float):
        # Bounds are told and checked by us: gradio would raise before our sentence is reached.
        # Rounded, half a request would be none, and so no bound.
        whole = option.type is int and not (option.advanced and option.default is None)
        return gr.Number(precision=0 if whole else None, min_width=150, **common)
    listed = list(choices) or [(choice, choice) for choice in option.choices]
    if listed:
        return gr.Dropdown(choices=listed, allow_custom_value=others, min_width=220, **common)
    return gr.Textbox(min_width=220, **common)


class Labels:
    """The widgets of a tab that show texts of its room.

    They are made in the default language; :meth:`translated` gives them another one.
    """

    def __init__(self, room: str) -> None:
        self.room = room
        self.say = words_of(DEFAULT, room)
        self.texts: dict[Any, Callable[[Words], dict[str, Any]]] = {}

    def make(self, kind: Callable[..., Widget], key: str, **options: Any) -> Widget:
        """A widget with the texts under ``widgets: KEY:``; the key is its element id as well."""

        def texts(say: Words) -> dict[str, Any]:
            found = dict(say.branch(f"widgets.{key}"))
            if "choices" in found:
                found["choices"] = [(text, value) for value, text in found["choices"].items()]
            return found

        return self.write(kind, texts, elem_id=key, **options)

    def write(
        self, kind: Callable[..., Widget], texts: Callable[[Words], dict[str, Any]], **options: Any
    ) -> Widget:
        """A widget with the properties that a function makes of the room's texts."""
        widget = kind(**texts(self.say), **options)
        self.texts[widget] = texts
        return widget

    def heading(self, key: str) -> gr.HTML:
        """A section's title with a remark beside it, from ``headings: KEY:``."""
        return self.html(f"heading-{key}", lambda say: _heading(say, key))

    def html(self, elem_id: str, write: Callable[[Words], Markup], script: str = "") -> gr.HTML:
        """HTML that a function writes from the room's texts."""

        def make(value: Markup) -> gr.HTML:
            return html(elem_id, value, script)

        return self.write(make, lambda say: {"value": write(say)})

    def translated(self, language: str) -> dict[Any, Any]:
        """Updates that put all widgets into a language."""
        say = words_of(language, self.room)
        return {widget: gr.update(**texts(say)) for widget, texts in self.texts.items()}


def _heading(say: Words, key: str) -> Markup:
    remark = tag("span", say(f"headings.{key}.remark"), class_="quiet")
    return tag("h2", say(f"headings.{key}.title"), " ", remark)
