"""The page around the tabs: heading, tabs, footer, theme; and how it is served."""

import logging
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import gradio as gr
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from hinter_core.annotation.backup import Backup, lost_at_restart
from hinter_core.mirror import Mirror
from hinter_core.storage import ASSETS
from hinter_ui.annotate import events as annotate
from hinter_ui.annotate.page import AnnotatorsPage, signs_in
from hinter_ui.batch import events as batch
from hinter_ui.endpoints import PublicConfig, add_endpoints, serves_mcp, write_json
from hinter_ui.environment import CAMPAIGNS_FOLDER, keep_days, summary
from hinter_ui.explore import events as explore
from hinter_ui.frontend import Head
from hinter_ui.generate import events as generate
from hinter_ui.html.glossary import NEW_TAB
from hinter_ui.html.markup import Markup, join, tag
from hinter_ui.html.sections import narrow_fold
from hinter_ui.html.wording import Words, attribute_styles, languages, spoken
from hinter_ui.inside import require
from hinter_ui.learn import events as learn
from hinter_ui.learn.teachers import HANDOUTS
from hinter_ui.models import events as models
from hinter_ui.on_demand import PageOnDemand
from hinter_ui.repair import events as repair
from hinter_ui.results import events as results
from hinter_ui.shared.access import Access
from hinter_ui.shared.gate import Gate
from hinter_ui.shared.library import names_kept
from hinter_ui.shared.services import Services
from hinter_ui.shared.uploads import MOST_OF_FILE, MOST_SENT, upload_folder
from hinter_ui.shared.wiring import without_words

say = Words("app")

STYLES = ASSETS / "css"
CSS = tuple(STYLES / f"{name}.css" for name in ("base", "hinter", "drawing", "learn", "annotate"))
_LARGEST_MODEL = "3_000_000_000"  # bytes of a model of the Hub, where strangers may load it
_LAST_WORK = 8.0  # seconds; service managers kill what takes longer than ten
_SYSTEM_FONTS = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "DejaVu Sans", "sans-serif"]

# Not in the style sheet, whose media rules gradio confines to a part of the page.
STILL = """<style>@media (prefers-reduced-motion: reduce) { *, *::before, *::after {
animation-duration: .01ms !important; animation-iteration-count: 1 !important;
transition-duration: .01ms !important; scroll-behavior: auto !important; } }</style>"""

_SCRIPTS = (
    "page.skip page.language page.focus page.faults page.lists page.editors page.names page.plots "
    "page.address glossary.tips"
)

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


def build_app(services: Services) -> PageOnDemand:
    """Build the whole page, with no model loaded."""
    labels = services.labels_of("app")
    page = PageOnDemand(services, title="HInter", analytics_enabled=False, signs_in=signs_in())
    with page:
        add_endpoints(services)  # first, as gradio numbers names that are taken
        names_kept()
        labels.html("page-header", _header, _SCRIPTS)
        with gr.Tabs(elem_classes="main-tabs", elem_id="rooms") as tabs:
            for address, build in TABS.items():

                def title(address: str = address) -> dict[str, str]:
                    return {"label": say(f"tabs.{address}")}

                with labels.write(gr.Tab, title, id=address, elem_id=f"room-{address}"):
                    build(services)
        labels.html("page-footer", lambda: _footer(local=services.access.local))
        services.addresses.read_by(page)
        page.open_on_demand(tabs)
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
        mirror = Mirror.from_environment()
        if mirror:
            mirror.start()
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
        access = services.access
        line = summary(local=access.local, servers=access.servers(), before=access.proxies)
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        ended = threading.Event()
        try:
            _in_background(page.uploads.keep_sweeping, ended)
            if warm:
                _in_background(services.warm_up)
            else:
                services.ready.set()
            page.block_thread()
        finally:
            ended.set()
            services.closing.set()
            _finish(page)
            services.projects.close()
            if services.backup:
                services.backup.close()
            if mirror:
                mirror.close()


def _finish(page: PageOnDemand) -> None:
    """Let events at work end, for some seconds; new ones are refused meanwhile."""
    end = time.monotonic() + _LAST_WORK
    while any(page._queue.active_jobs) and time.monotonic() < end:
        time.sleep(0.05)


def _in_background(work: Callable[..., None], *values: Any) -> None:
    threading.Thread(target=work, args=values, daemon=True).start()


def launch(page: PageOnDemand, services: Services, host: str | None, port: int | None) -> None:
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
    logging.getLogger("uvicorn.error").addFilter(without_words)
    page.launch(
        server_name=host,
        server_port=port,
        prevent_thread_lock=True,
        quiet=False,
        _frontend=False,  # gradio would give up where its first answer takes more than 3 seconds
        run_history=False,
        enable_monitoring=False,
        max_file_size=f"{MOST_OF_FILE[local]}mb",
        footer_links=["api", "settings"],
        ssr_mode=False,
        i18n=gr.I18n(**{code: Words("app", code).branch("gradio") for code in languages()}),
        mcp_server=serves_mcp(),
        theme=theme(),
        css=attribute_styles(),
        css_paths=list(CSS),
        head=f"{STILL}<script>{services.addresses.opener(page.shown)}</script>",
        app_kwargs={
            "middleware": [
                _PACKED,
                Middleware(PublicConfig),
                Middleware(AnnotatorsPage, services=services),
                Middleware(Head, kinds=page.kinds()),
            ],
            "lifespan": behind_gate,
            "max_body_size": None if local else MOST_SENT,
        },
    )
    write_json(page)


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


def _header() -> Markup:
    brand = tag("span", "HInter", class_="brand")
    dash = tag("span", " \u2014 ", class_="sr-only")
    skip = tag("a", say("skip"), href="#rooms", class_="skip")
    others = [
        tag("a", name, href=f"?lang={code}", lang=code, hreflang=code, class_="language")
        for code, name in languages().items()
        if code != spoken()
    ]
    title = tag("h1", brand, dash, tag("span", say("question"), class_="question"))
    told = tag("p", id="page-told", role="status", class_="sr-only")
    opens = tag("p", say("new_tab"), id=NEW_TAB, hidden=True)
    return join([skip, told, opens, title, tag("nav", *others, aria_label=say("language"))])


def _footer(*, local: bool) -> Markup:
    texts = [tag("p", say(f"footer.{key}")) for key in ("flip", "note")]
    disk = say("footer.owner") if local else say.count("footer.visitor", keep_days())
    lost = f" {say('footer.lost')}" if lost_at_restart(CAMPAIGNS_FOLDER) else ""
    data = tag("p", f"{say('footer.data')} {disk}{lost}")
    kept = tag("details", tag("summary", say("footer.kept")), data)
    return tag("footer", narrow_fold(say("footer.fold")), *texts, kept)
