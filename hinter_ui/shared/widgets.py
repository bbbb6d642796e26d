"""Widgets that several tabs have alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from hinter_core.options import Option
from hinter_ui.html.markup import tag
from hinter_ui.shared.scripts import on_load


def html(elem_id: str, value: str = "", script: str | None = None) -> gr.HTML:
    """HTML of ours, without gradio's prose styles; ``script`` runs once it is in the page."""
    code = on_load(script) if script else None
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
