"""What programs call of the app, over gradio's API and MCP: the tools, within the app's limits."""

import inspect
import json
import os
import secrets
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import gradio as gr
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import hinter_core as hinter
from hinter_core.api.checking import CheckResult
from hinter_core.api.results import CampaignResult
from hinter_core.campaign.settings import SAMPLE
from hinter_core.endpoints.tools import (
    TOOLS,
    CampaignState,
    NewCampaign,
    Table,
    called,
    check,
    mutants,
    scan,
)
from hinter_core.errors import HinterError, InputError
from hinter_core.models.registry import NO_KEY
from hinter_ui.batch.actions import BatchActions
from hinter_ui.batch.form import BatchForm
from hinter_ui.environment import TOKEN
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.html.wording import Words
from hinter_ui.inside import api
from hinter_ui.shared.access import clean_key
from hinter_ui.shared.gate import visitor_of
from hinter_ui.shared.library import discreet, without_folder
from hinter_ui.shared.links import ExploreForm
from hinter_ui.shared.page import PlainError
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

if TYPE_CHECKING:
    import pandas

say = Words("shared")

Turn = AbstractContextManager[Any]

KEY_HEADER = "x-model-key"
_COMPUTING = 2  # texts judged by models of this process at a time
# Calls at work at a time; those of visitors take turns. A call about a text may wait for a server,
# and one that looks something up must not stand behind those.
_ABOUT_TEXTS: dict[str, Any] = {"concurrency_id": "programs", "concurrency_limit": 8}
_LOOKED_UP: dict[str, Any] = {"concurrency_id": "lookups", "concurrency_limit": 4}


def add_endpoints(services: Services) -> None:
    """Add the tools to the page that is being built; no other function of it can be called."""
    computing = threading.BoundedSemaphore(_COMPUTING)
    for tool in TOOLS:
        places = _ABOUT_TEXTS if tool in (check, scan, mutants) else _LOOKED_UP
        api(_endpoint(tool, services, computing), api_name=tool.__name__, **places)


def serves_mcp() -> bool:
    """Whether the tools are served over MCP, too: if its package is installed, unless told not."""
    return os.environ.get("GRADIO_MCP_SERVER", "true").lower() == "true" and bool(find_spec("mcp"))


def write_json(page: gr.Blocks) -> None:
    """Let MCP answer in JSON, where gradio writes what Python prints of a value."""
    if server := page.mcp_server_obj:
        write = server.postprocess_output_data

        def written(data: Any, root_url: str) -> Any:
            texts = [json.dumps(value, ensure_ascii=False) for value in data]
            return write(texts, root_url)

        server.postprocess_output_data = written  # type: ignore[method-assign]


class PublicConfig:
    """Tell programs of the tools alone.

    Their client fails at events whose widgets are told of later.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        agent = Headers(scope=scope).get("user-agent", "") if scope["type"] == "http" else ""
        if scope["type"] != "http" or not scope["path"].endswith("/config") or "Mozilla" in agent:
            await self._app(scope, receive, send)
            return
        start: Message = {}
        parts: list[bytes] = []

        async def shortened(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            parts.append(message.get("body", b""))
            if message.get("more_body"):
                return
            body = b"".join(parts)
            if start["status"] == 200:
                config = json.loads(body)
                events = [
                    one for one in config["dependencies"] if one["api_visibility"] == "public"
                ]
                body = json.dumps(config | {"dependencies": events}).encode()
                MutableHeaders(scope=start)["content-length"] = str(len(body))
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, shortened)


def _endpoint(
    tool: Callable[..., dict[str, Any]], services: Services, computing: Turn
) -> Callable[..., Any]:
    """Return a function that gradio can call, with the arguments and words of a tool."""
    (_, *parameters) = inspect.signature(tool).parameters.values()
    names = [one.name for one in parameters]

    def call(request: gr.Request, *values: Any) -> dict[str, Any]:
        try:
            _require_token(request)
            with _session(request) as session:
                place = AppPlace(services, session, computing, request.headers.get(KEY_HEADER, ""))
                with discreet(place.discreet):  # tables are read after a campaign is opened
                    return called(tool, place, dict(zip(names, values, strict=True)))
        except HinterError as error:
            raise PlainError(error) from error

    parameter = inspect.Parameter(
        "request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=gr.Request
    )
    vars(call)["__signature__"] = inspect.Signature(
        [parameter, *parameters], return_annotation=dict[str, Any]
    )
    call.__annotations__ = {"request": gr.Request} | {p.name: p.annotation for p in parameters}
    call.__name__ = call.__qualname__ = tool.__name__
    call.__doc__ = tool.__doc__
    return call


def _require_token(request: gr.Request) -> None:
    if wanted := os.environ.get(TOKEN):
        sent = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not secrets.compare_digest(sent.encode(), wanted.encode()):
            raise InputError(say("endpoints.token"))


@contextmanager
def _session(request: gr.Request) -> Any:
    """Yield a session for one call, of which nothing is kept."""
    session = Session(visitor=visitor_of(request))
    try:
        yield session
    finally:
        session.close()


class AppPlace:
    """The place of a call to the app; ``key`` is the visitor's, for models of a server.

    ``computing`` is held while models of this process are asked, not while a server is.
    """

    def __init__(self, services: Services, session: Session, computing: Turn, key: str) -> None:
        self._services, self._session, self._computing = services, session, computing
        self._key = clean_key(key)
        self.remembers = not self._key
        self._folders: list[Path] = []  # of campaigns that were opened
        self._texts = 0, 0  # done and in all, in a call about several

    def discreet(self, words: str) -> str:
        """Return a message without the folders of this machine."""
        return without_folder(words, *self._folders)

    def check(self, text: str, attributes: tuple[str, ...], model: str, limit: int) -> CheckResult:
        """Judge all mutants of a text, up to the limit."""
        actions = self._services.only(ExploreActions)
        turn = self._computing
        if self._services.access.by_key(model):
            turn = nullcontext()
            self._session.keep(model, self._services.open_store(model, self._given()))
        form = ExploreForm(text=text, attributes=attributes, models=(model,), limit=limit)
        with turn:
            for partial in actions.scan(self._session, form):
                self.progress(len(partial.mutants), max(limit, len(partial.mutants)), "mutants")
        assert self._session.result is not None
        return CheckResult(self._session.result.check, self._services.model(model, self._session))

    def _given(self) -> str:
        """Return the key of the call; the owner's servers may need none.

        Raises:
            InputError: there is none, and a server needs one.
        """
        if not (self._key or self._services.access.local):
            raise InputError(say("endpoints.key"))
        return self._key or NO_KEY

    def mutants(self, text: str, attributes: tuple[str, ...], limit: int) -> "pandas.DataFrame":
        """Return all mutants of a text, up to the limit."""
        self._services.access.admit_text(text)
        with self._computing:
            return hinter.mutants(text, attributes, limit=limit)

    def models(self) -> Table:
        """Return the names of models, and the forms of those that name more."""
        shipped = [{"name": name, "about": label} for label, name in self._services.model_choices()]
        there = {row["name"] for row in shipped}
        kinds = self._services.access.kinds().items()
        named = [{"name": one.usage(kind), "about": one.about} for kind, one in kinds]
        return [*shipped, *(row for row in named if row["name"] not in there)]

    def start(self, wanted: NewCampaign) -> str:
        """Start a campaign as Batch does, within the limits of this host."""
        actions = self._services.only(BatchActions)
        for model in wanted.models:
            if name := self._services.access.by_key(model):
                self._session.keys[name.settings["base_url"]] = self._given()
        with TemporaryDirectory(prefix="hinter-texts-") as folder:
            form = _form(wanted, Path(folder))
            return actions.start(self._session, form).id

    def state(self, campaign: str) -> CampaignState:
        """Return how far a campaign is."""
        status = self._services.only(BatchActions).status(campaign)
        return CampaignState(status.state.value, status.seen, status.problem, status.seconds_left)

    def open(self, campaign: str) -> CampaignResult:
        """Open the results of a campaign."""
        entry = self._services.campaigns.get(campaign)
        self._folders += [entry.store.folder, entry.folder]
        with discreet(self.discreet):
            return hinter.load(entry.store.folder)

    def progress(self, done: int, of: int, what: str) -> None:
        """Tell the caller how far a call is.

        Gradio sends the last message of each tenth of a second: what is told of the mutants of
        one text names the number of texts too.
        """
        if what == "texts":
            self._texts = done, of
        elif self._texts[1]:
            what = f"texts ({done} of {of} mutants of the next one)"
            done, of = self._texts
        gr.Progress()((done, of), desc=what)


def _form(wanted: NewCampaign, folder: Path) -> BatchForm:
    """Return the form of Batch that starts such a campaign; it copies the texts."""
    form = BatchForm()
    settings = {**form.settings, **wanted.settings}
    if wanted.texts:
        upload = str(wanted.write_texts(folder))
        return BatchForm(source="upload", upload=upload, settings=settings)
    if wanted.data == SAMPLE:
        return BatchForm(settings=settings)
    return BatchForm(source="hub", hub=wanted.data, settings=settings)
