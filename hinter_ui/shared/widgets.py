"""The widgets of the Explore tab: what stands where, and nothing of what it does."""

from __future__ import annotations

import gradio as gr

from hinter_ui.html.markup import tag


def html(elem_id: str, value: str = "", script: str | None = None) -> gr.HTML:
    """HTML of ours, without gradio's prose styles; ``script`` runs once it is in the page."""
    return gr.HTML(value, elem_id=elem_id, apply_default_css=False, js_on_load=script)


def heading(title: str, remark: str) -> gr.HTML:
    """A section's heading with a remark beside it."""
    words = tag("h2", title, " ", tag("span", remark, class_="quiet"))
    return html(f"heading-{title.split()[0].lower()}", words)
