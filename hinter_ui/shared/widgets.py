"""Widgets that several tabs have alike."""

from __future__ import annotations

import gradio as gr

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
