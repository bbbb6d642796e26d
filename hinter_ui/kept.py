"""What a browser keeps of its visitor's campaigns: their names, and nothing else."""

from __future__ import annotations

from typing import Any

import gradio as gr

KEY = "hinter-campaigns"  # in the browser's storage
_MOST = 50


def names_kept() -> gr.BrowserState:
    """The state of the page that is being built.

    Made outside the tabs: what lies in a tab is neither read nor written before it is opened.
    """
    # Every visitor's page has this word: it keeps the browser's note readable, not secret.
    return gr.BrowserState([], storage_key=KEY, secret="hinter")  # noqa: S106


def find_kept(page: gr.Blocks) -> gr.BrowserState:
    """The state of a page, which all of its tabs share."""
    return next(
        block
        for block in page.blocks.values()
        if isinstance(block, gr.BrowserState) and block.storage_key == KEY
    )


def known(kept: Any) -> list[str]:
    """The names of campaigns, whatever a browser sent."""
    names = kept if isinstance(kept, list) else []
    return [name for name in names if isinstance(name, str)][:_MOST]
