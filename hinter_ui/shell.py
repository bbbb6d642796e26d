"""The page around the tabs: heading, tabs, footer, theme; and how it is served."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import gradio as gr

from hinter_core.annotation.backup import Backup
from hinter_core.storage import ASSETS
from hinter_ui.annotate import events as annotate
from hinter_ui.batch import events as batch
from hinter_ui.explore import events as explore
from hinter_ui.html.markup import Markup, join, tag
from hinter_ui.html.words import attribute_styles
from hinter_ui.learn import events as learn
from hinter_ui.models import events as models
from hinter_ui.results import events as results
from hinter_ui.shared.access import Access
from hinter_ui.shared.library import names_kept
from hinter_ui.shared.scripts import on_load
from hinter_ui.shared.services import Services

STYLES = ASSETS / "css"
CSS = (STYLES / "hinter.css", STYLES / "learn.css", STYLES / "annotate.css")
QUESTION = "Does the model treat the intersection differently from its parts?"
_SYSTEM_FONTS = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "DejaVu Sans", "sans-serif"]

# Not in the style sheet, whose media rules gradio confines to a part of the page.
STILL = """<style>@media (prefers-reduced-motion: reduce) { *, *::before, *::after {
animation-duration: .01ms !important; animation-iteration-count: 1 !important;
transition-duration: .01ms !important; scroll-behavior: auto !important; } }</style>"""

# Title, address, and what builds it; a new tab is one line here and one module in ``tabs``.
TABS: tuple[tuple[str, str, Callable[[Services], None]], ...] = (
    ("Explore", "explore", explore.build),
    ("Batch", "batch", batch.build),
    ("Results", "results", results.build),
    ("Annotate", "annotate", annotate.build),
    ("Models", "models", models.build),
    ("Learn", "learn", learn.build),
)


def build_app(services: Services) -> gr.Blocks:
    """The whole page, with no model loaded."""
    page = gr.Blocks(title=f"HInter: {QUESTION}", analytics_enabled=False)
    with page:
        names_kept()
        gr.HTML(
            _header(),
            elem_id="page-header",
            apply_default_css=False,
            js_on_load=on_load("page.skip", "glossary.tips"),
        )
        with gr.Tabs(elem_classes="main-tabs", elem_id="rooms"):
            for title, address, build in TABS:
                with gr.Tab(title, id=address, elem_id=f"room-{address}"):
                    build(services)
        gr.HTML(_footer(), elem_id="page-footer", apply_default_css=False)
    # Room for a class that presses at once; what is heavy has a limit of its own.
    page.queue(max_size=256, default_concurrency_limit=8)
    return page


def serve(host: str | None = None, port: int | None = None, *, warm: bool = True) -> None:
    """Serve the page until interrupted; models are loaded once it is up."""
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    services = Services(Access.at(host))
    services.backup = Backup.from_environment()
    if services.backup:
        services.backup.start()
    page = build_app(services)
    page.launch(
        server_name=host,
        server_port=port,
        prevent_thread_lock=True,
        quiet=False,
        run_history=False,
        enable_monitoring=False,
        max_file_size="500mb" if services.access.local else "5mb",
        footer_links=["api", "settings"],
        ssr_mode=False,
        theme=theme(),
        css=attribute_styles(),
        css_paths=list(CSS),
        head=STILL,
    )
    if page.share:  # a tunnel lets strangers in, whatever the host
        services.access = Access(endpoints=services.access.endpoints)
    if warm:
        threading.Thread(target=services.warm_up, name="warm-up", daemon=True).start()
    try:
        page.block_thread()
    finally:
        if services.backup:
            services.backup.close()


def theme() -> gr.themes.Base:
    """Indigo on off-white, with the fonts of the visitor's own machine."""
    return gr.themes.Base(
        primary_hue=gr.themes.colors.indigo,
        neutral_hue=gr.themes.colors.gray,
        font=_SYSTEM_FONTS,
        font_mono=["ui-monospace", "DejaVu Sans Mono", "monospace"],
        radius_size=gr.themes.sizes.radius_md,
    ).set(
        body_background_fill="#f6f6f2",
        body_background_fill_dark="#15161a",
        input_background_fill="#ffffff",
        input_background_fill_dark="#1d1f25",
        button_primary_background_fill="#4338ca",
        button_primary_background_fill_hover="#3730a3",
        button_primary_background_fill_dark="#4f46e5",
        button_primary_background_fill_hover_dark="#4338ca",
        button_primary_text_color="#ffffff",
        # The edge of a field stands out from what is around it by 3 to 1 (WCAG 2, 1.4.11).
        input_border_width="1px",
        input_border_color="#858994",
        input_border_color_dark="#747986",
        checkbox_border_color="#6f7380",
        checkbox_border_color_dark="#b4b8c4",
        input_placeholder_color="#666a77",
        input_placeholder_color_dark="#a5a9b6",
        block_background_fill="#ffffff",
        block_background_fill_dark="#1d1f25",
        block_border_color="#deded6",
        block_border_color_dark="#34363f",
        block_label_text_color="#4b4f5c",
        block_title_text_color="#4b4f5c",
        body_text_color="#1c1d22",
        body_text_color_dark="#ececf0",
        body_text_color_subdued="#5c606d",
        body_text_color_subdued_dark="#a5a9b6",
    )


def _header() -> Markup:
    brand = tag("span", "HInter", class_="brand")
    dash = tag("span", " \u2014 ", class_="sr-only")
    skip = tag("a", "Skip to the content", href="#rooms", class_="skip")
    return join([skip, tag("h1", brand, dash, tag("span", QUESTION, class_="question"))])


def _footer() -> Markup:
    return tag(
        "footer",
        tag(
            "p",
            "A flip is a finding about a model, not about people. One flip proves little: look at "
            "the mutant, its neighbours and what neutral swaps (placebo) do before you conclude.",
        ),
        tag(
            "p",
            "Content note: the word lists name groups of people, and some of the words can hurt. "
            "They are here because models meet them. Texts stay in this app\u2019s memory, which "
            "keeps the latest ones until it stops; they are not written to disk. Only campaigns "
            "and annotation projects are kept on disk with their texts, until you delete them.",
        ),
    )
