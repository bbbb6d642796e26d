"""The page of annotators, at the address of their link, and the calls that it makes.

It has no tabs, tagline or footer: who judges must not read what the study expects, nor be led away.
It is one small file that needs nothing of gradio, whose scripts alone take five seconds on a slow
line.
"""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from hinter_core.storage import ASSETS
from hinter_ui.annotate import annotator
from hinter_ui.annotate.endpoints import AnnotatorEndpoints, Login
from hinter_ui.html.markup import Markup
from hinter_ui.html.wording import spoken
from hinter_ui.shared.gate import path_of, visitor_of
from hinter_ui.shared.services import Services
from hinter_ui.shared.wiring import whole

_PATHS = ("/", "/judge")
_LONGEST = 1_000_000  # bytes of a call


def signs_in() -> bool:
    """Whether this is a Space on which visitors can sign in with Hugging Face."""
    return bool(os.environ.get("SPACE_ID") and os.environ.get("OAUTH_CLIENT_ID"))


class AnnotatorsPage:
    """Answer annotators' links, ``/?annotate=NAME``, and calls, ``/judge/NAME``, before gradio."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self._app = app
        self._endpoints = AnnotatorEndpoints(services, services.projects, signs_in=signs_in())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            request = Request(scope, receive)
            path = path_of(scope)
            if request.method in ("GET", "HEAD") and path in _PATHS and _is_link(scope):
                await HTMLResponse(_page(spoken()))(scope, receive, send)
                return
            if request.method == "POST" and path.startswith("/judge/"):
                with suppress(ClientDisconnect):  # nobody is left to answer
                    answer = await self._answer(path.removeprefix("/judge/"), request)
                    await JSONResponse(answer)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _answer(self, call: str, request: Request) -> Mapping[str, Any]:
        body, request_body = bytearray(), None
        async for part in request.stream():
            body += part
            if len(body) > _LONGEST:
                break
        else:
            try:
                request_body = json.loads(bytes(body))
            except (ValueError, RecursionError):
                request_body = None  # no page of ours sends it
        network = visitor_of(request).network
        return await run_in_threadpool(
            self._endpoints.answer, call, request_body, _login(request.scope), network
        )


def _is_link(scope: Scope) -> bool:
    query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    return "annotate" in query and "owner" not in query


def _login(scope: Scope) -> Login | None:
    """Return who is signed in with Hugging Face, as gradio keeps it in the session."""
    kept = scope.get("session", {}).get("oauth_info")
    if not kept or (kept.get("expires_at") or time.time()) < time.time():
        return None
    known = kept["userinfo"]
    return Login(known["name"], known["preferred_username"])


@cache
def _page(language: str) -> Markup:
    sheets = ((ASSETS / "css" / f"{name}.css").read_text("utf-8") for name in ("base", "judge"))
    # Both are files of ours, without a tag that would end them.
    return annotator.page().document(language, Markup("".join(sheets)), Markup(whole("annotate")))
