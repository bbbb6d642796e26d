"""The page around the tabs: heading, tabs, footer, theme; and how it is served."""

import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import gradio as gr
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hinter_core.annotation.backup import Backup
from hinter_core.storage import ASSETS
from hinter_ui.annotate import events as annotate
from hinter_ui.annotate.page import LinkOfAnnotators, add_page
from hinter_ui.batch import events as batch
from hinter_ui.explore import events as explore
from hinter_ui.generate import events as generate
from hinter_ui.html.markup import Markup, join, tag
from hinter_ui.html.wording import DEFAULT, Words, attribute_styles, chosen
from hinter_ui.inside import require
from hinter_ui.learn import events as learn
from hinter_ui.learn.teachers import HANDOUTS
from hinter_ui.models import events as models
from hinter_ui.repair import events as repair
from hinter_ui.results import events as results
from hinter_ui.shared.access import Access
from hinter_ui.shared.gate import Gate, is_page
from hinter_ui.shared.library import names_kept
from hinter_ui.shared.page import Page
from hinter_ui.shared.services import Services
from hinter_ui.shared.uploads import MOST_SENT, upload_folder
from hinter_ui.shared.wiring import after_event, private

say = Words("app")

STYLES = ASSETS / "css"
CSS = tuple(STYLES / f"{name}.css" for name in ("hinter", "venn", "learn", "annotate"))
_LARGEST_MODEL = "3_000_000_000"  # bytes of a model of the Hub, where strangers may load it
_SYSTEM_FONTS = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "DejaVu Sans", "sans-serif"]

# Not in the style sheet, whose media rules gradio confines to a part of the page.
STILL = """<style>@media (prefers-reduced-motion: reduce) { *, *::before, *::after {
animation-duration: .01ms !important; animation-iteration-count: 1 !important;
transition-duration: .01ms !important; scroll-behavior: auto !important; } }</style>"""

# Addresses of the tabs, and what builds each.
TABS: dict[str, Callable[[Services], None]] = {
    "explore": explore.build, "batch": batch.build, "results": results.build,
    "generate": generate.build, "repair": repair.build, "annotate": annotate.build,
    "models": models.build, "learn": learn.build,
}  # fmt: skip

# Colours of the theme, on light and dark.
_COLOURS = {
    "body_background_fill": ("#f6f6f2", "#15161a"),
    "input_background_fill": ("#ffffff", "#1d1f25"),
    "button_primary_background_fill": ("#4338ca", "#4f46e5"),
    "button_primary_background_fill_hover": ("#3730a3", "#4338ca"),
    # The edge of a field stands out from what is around it by 3 to 1 (WCAG 2, 1.4.11).
    "input_border_color": ("#858994", "#747986"),
    "checkbox_border_color": ("#6f7380", "#b4b8c4"),
    "input_placeholder_color": ("#666a77", "#a5a9b6"),
    "block_background_fill": ("#ffffff", "#1d1f25"),
    "block_border_color": ("#deded6", "#34363f"),
    "body_text_color": ("#1c1d22", "#ececf0"),
    "body_text_color_subdued": ("#5c606d", "#a5a9b6"),
}


# The page is a tenth of its size then; streams of events are left alone.
_PACKED = Middleware(GZipMiddleware, minimum_size=10_000, compresslevel=5)


class _App(Page):
    """The app, without gradio's bar that leads from one page to another."""

    def get_config_file(self) -> Any:
        """Return what the browser is told of the app."""
        return {**super().get_config_file(), "pages": self.pages[:1]}


def build_app(services: Services) -> Page:
    """Build the whole page, with no model loaded."""
    labels = services.labels_of("app")
    # A title that annotators may read, too.
    page = _App(services, title="HInter", analytics_enabled=False)
    with page:
        names_kept()
        scripts = "page.skip page.lists page.editors page.plots page.address glossary.tips"
        labels.html("page-header", _header, scripts)
        with gr.Tabs(elem_classes="main-tabs", elem_id="rooms"):
            for address, build in TABS.items():

                def title(address: str = address) -> dict[str, str]:
                    return {"label": say(f"tabs.{address}")}

                with labels.write(gr.Tab, title, id=address, elem_id=f"room-{address}"):
                    build(services)
        labels.html("page-footer", _footer)
        labelled = [widget for found in services.labels for widget in found.texts]
        private(services.addresses.names("lang").change, _translation(services), [], labelled)
        services.addresses.read_by(page)
    add_page(page, services)
    # Room for a class that presses at once; what is heavy has a limit of its own.
    page.queue(max_size=256, default_concurrency_limit=8, api_open=False)
    # Gradio looks for events a thousand times a second, which takes an idle app a tenth of a core.
    page._queue.sleep_when_free = 0.02
    require(page)
    return page


def serve(host: str | None = None, port: int | None = None, *, warm: bool = True) -> None:
    """Serve the page until interrupted; models are loaded once it is up."""
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    # Otherwise gradio sums up all events since its start after each of them, for a page of figures
    # that is switched off below.
    os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", str(10**9))
    with upload_folder(os.environ.get("GRADIO_TEMP_DIR", "")) as folder:
        os.environ["GRADIO_TEMP_DIR"] = folder
        services = Services(Access.at(host))
        services.backup = Backup.from_environment()
        if services.backup:
            services.backup.start()
        # A thread that computes gives way to the one that answers pages after this many seconds.
        sys.setswitchinterval(0.0005)
        page = build_app(services)
        launch(page, services, host, port)
        if page.share:  # a tunnel lets strangers in, whatever the host
            services.access = replace(services.access, local=False)
        if not services.access.local:  # read by the processes of campaigns, too
            os.environ.setdefault("HINTER_LARGEST_MODEL", _LARGEST_MODEL)
        ended = threading.Event()
        try:
            _in_background(page.uploads.keep_sweeping, ended)
            if warm:
                _in_background(services.warm_up)
            page.block_thread()
        finally:
            ended.set()
            if services.backup:
                services.backup.close()


def _in_background(work: Callable[..., None], *values: Any) -> None:
    threading.Thread(target=work, args=values, daemon=True).start()


def launch(page: Page, services: Services, host: str | None, port: int | None) -> None:
    """Serve the page in threads of its own, behind the :class:`~hinter_ui.shared.gate.Gate`."""

    @asynccontextmanager
    async def behind_gate(app: Any) -> AsyncIterator[None]:
        # Outside of all that gradio adds itself, which would have the last word otherwise.
        app.middleware_stack = Gate(app.middleware_stack, services, page.uploads)
        yield

    local = services.access.local
    # uvicorn would believe what anyone on this machine says about addresses, which a tunnel or a
    # proxy repeats from strangers; the gate believes as many proxies as there are.
    os.environ["FORWARDED_ALLOW_IPS"] = ""
    gr.set_static_paths([HANDOUTS])  # served where they lie; copies are swept with the uploads
    page.launch(
        server_name=host,
        server_port=port,
        prevent_thread_lock=True,
        quiet=False,
        run_history=False,
        enable_monitoring=False,
        max_file_size="500mb" if local else "5mb",
        footer_links=["api", "settings"],
        ssr_mode=False,
        theme=theme(),
        css=attribute_styles(),
        css_paths=list(CSS),
        head=f"{STILL}<script>{services.addresses.opener}</script>",
        app_kwargs={
            "middleware": [_PACKED, Middleware(LinkOfAnnotators), Middleware(FirstScript)],
            "lifespan": behind_gate,
            "max_body_size": None if local else MOST_SENT,
        },
    )


class FirstScript:
    """Let a page begin with a script of ours; what gradio is given for its head comes later."""

    _HEAD = b"<head>"
    _CODE = f"<head><script>({after_event('page.clock')})();</script>".encode()

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        start: Message = {}

        async def with_script(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and is_page(MutableHeaders(scope=message)):
                start = message  # it tells the length of what follows
                return
            if start:
                body, headers = message.get("body", b""), MutableHeaders(scope=start)
                message["body"] = body.replace(self._HEAD, self._CODE, 1)
                if length := headers.get("content-length"):
                    longer = len(message["body"]) - len(body)
                    headers["content-length"] = str(int(length) + longer)
                await send(start)
                start = {}
            await send(message)

        await self._app(scope, receive, with_script)


def theme() -> gr.themes.Base:
    """Return the theme: indigo on off-white, with the fonts of the visitor's machine."""
    light = {name: colour for name, (colour, _) in _COLOURS.items()}
    dark = {f"{name}_dark": colour for name, (_, colour) in _COLOURS.items()}
    return gr.themes.Base(
        primary_hue=gr.themes.colors.indigo,
        neutral_hue=gr.themes.colors.gray,
        font=_SYSTEM_FONTS,
        font_mono=["ui-monospace", "DejaVu Sans Mono", "monospace"],
        radius_size=gr.themes.sizes.radius_md,
    ).set(
        **light,
        **dark,
        button_primary_text_color="#ffffff",
        input_border_width="1px",
        block_label_text_color="#4b4f5c",
        block_title_text_color="#4b4f5c",
    )


def _translation(services: Services) -> Callable[[gr.Request], Any]:
    """Return what puts the page into the language of its link."""

    def translate(request: gr.Request) -> Any:
        language = chosen(request.query_params.get("lang"))
        if language == DEFAULT:
            return gr.skip()
        updates: dict[Any, Any] = {}
        for labels in services.labels:
            updates |= labels.translated(language)
        return updates

    return translate


def _header() -> Markup:
    brand = tag("span", "HInter", class_="brand")
    dash = tag("span", " \u2014 ", class_="sr-only")
    skip = tag("a", say("skip"), href="#rooms", class_="skip")
    return join([skip, tag("h1", brand, dash, tag("span", say("question"), class_="question"))])


def _footer() -> Markup:
    return tag("footer", *(tag("p", say(f"footer.{key}")) for key in ("flip", "note", "data")))
