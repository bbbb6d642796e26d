"""The page of annotators, at the address of their link: only what they need to judge.

It has no tabs, tagline or footer: who judges must not read what the study expects, nor be led away.
"""

import os
from urllib.parse import parse_qs

import gradio as gr
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from hinter_ui.annotate.endpoints import AnnotatorEndpoints
from hinter_ui.html.markup import tag
from hinter_ui.shared.services import Services
from hinter_ui.shared.wiring import whole

_PATH = "judge"


def signs_in() -> bool:
    """Whether this is a Space on which visitors can sign in with Hugging Face."""
    return bool(os.environ.get("SPACE_ID") and os.environ.get("OAUTH_CLIENT_ID"))


def add_page(app: gr.Blocks, services: Services) -> None:
    """Add the page to the app, beside the one with the tabs."""
    endpoints = AnnotatorEndpoints(services, services.projects)
    with app.route("Judge", _PATH, show_in_navbar=False):
        gr.HTML(
            tag("div", class_="annotate-room"), elem_id="annotate-room", apply_default_css=False,
            js_on_load=whole("annotate"), server_functions=endpoints.functions(),
        )  # fmt: skip
        if signs_in():
            with gr.Column(min_width=0, elem_id="annotate-login"):
                gr.LoginButton("Sign in with Hugging Face", size="md")  # annotate.js knows it


class LinkOfAnnotators:
    """Lead a link for annotators, ``/?annotate=NAME``, to that page before any other is sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and scope["method"] == "GET":
            root, query = scope.get("root_path", ""), scope["query_string"].decode("latin-1")
            asked = parse_qs(query, keep_blank_values=True)
            if scope["path"] == f"{root}/" and "annotate" in asked and "owner" not in asked:
                # Relative, as the app may be reached by another name than its own.
                await RedirectResponse(f"{_PATH}?{query}")(scope, receive, send)
                return
        await self._app(scope, receive, send)
