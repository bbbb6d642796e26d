"""The endpoints over stdio, for an agent on the same machine: ``hinter mcp``."""

import json
import logging
import os
import re
import secrets
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hinter_core import __version__
from hinter_core.annotation.invitation import is_loopback
from hinter_core.campaign.progress import ProgressReader
from hinter_core.campaign.settings import SAMPLE
from hinter_core.campaign.spec import Campaign, write_campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.endpoints.answers import short
from hinter_core.endpoints.tools import (
    TOOLS,
    CampaignState,
    NewCampaign,
    Table,
    called,
    described,
    schema_of,
)
from hinter_core.errors import HinterError, InputError
from hinter_core.models.registry import every_backend, kind_of, parse_name
from hinter_core.models.scripted import shipped_rules
from hinter_core.models.server.endpoint import OPENAI_URL, bare
from hinter_core.storage import data_place, make_private

if TYPE_CHECKING:
    import pandas

    from hinter_core.api.checking import CheckResult
    from hinter_core.api.results import CampaignResult

_ID = re.compile(r"[A-Za-z0-9_-]{16,64}")
_HUB = re.compile(r"hf:[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*([?@:].*)?")
_AT_ONCE = 2  # campaigns
ABOUT = (
    "HInter exposes intersectional bias of text classifiers and language models: it changes the "
    "words about a person in a text, one and several at once, and sees whether the answer flips. "
    "A flip is a finding about a model in one text, not yet a rate: run a campaign for that."
)


class OwnMachine:
    """The place of a user who started the server; files are read in ``folder`` alone.

    An agent may repeat what a text has told it, so it names no Python function to run.
    """

    remembers = True

    def __init__(self, folder: Path, tell: Callable[[int, int, str], None]) -> None:
        self._folder = folder.resolve()
        self.progress = tell

    def check(
        self, text: str, attributes: tuple[str, ...], model: str, limit: int
    ) -> "CheckResult":
        """Judge all mutants of a text, up to the limit."""
        import hinter_core as hinter

        return hinter.check(text, _admitted(model), attributes, limit=limit)

    def mutants(self, text: str, attributes: tuple[str, ...], limit: int) -> "pandas.DataFrame":
        """Return all mutants of a text, up to the limit."""
        import hinter_core as hinter

        return hinter.mutants(text, attributes, limit=limit)

    def models(self) -> Table:
        """Return the names of models, and the forms of those that name more."""
        kinds = {kind: one for kind, one in every_backend().items() if not kind_of(kind).runs_code}
        rules = [
            {"name": f"scripted:{one}", "about": "Rules of HInter."} for one in shipped_rules()
        ]
        named = [{"name": one.usage(kind), "about": one.about} for kind, one in kinds.items()]
        return [*named, *rules]

    def start(self, wanted: NewCampaign) -> str:
        """Start a campaign in a process of its own; return its name."""
        if sum(process.poll() is None for process in _processes.values()) >= _AT_ONCE:
            raise InputError(f"{_AT_ONCE} campaigns run already; wait until one is done.")
        name = secrets.token_urlsafe(16)
        folder = _campaigns() / name
        campaign = Campaign(
            data=self._data(wanted, folder),
            shard=4,
            **wanted.settings | {"models": tuple(map(_admitted, wanted.models))},
        )
        try:
            make_private(folder)
            if wanted.texts:
                wanted.write_texts(folder)
            (folder / "campaign.yaml").write_text(write_campaign(campaign), encoding="utf-8")
            with (folder / "run.log").open("wb") as log:
                _processes[name] = subprocess.Popen(  # noqa: S603 -- ourselves, without a shell
                    [sys.executable, "-m", "hinter_core.cli", "run", str(folder / "campaign.yaml"),
                     "--out", str(folder / "campaign")],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                )  # fmt: skip
        except OSError as error:
            raise InputError(
                f"Cannot write {folder} ({error.strerror}); let HINTER_DATA name another folder."
            ) from error
        return name

    def _data(self, wanted: NewCampaign, folder: Path) -> str:
        if wanted.texts:
            return str(folder / "texts.jsonl")
        if wanted.data == SAMPLE or _HUB.fullmatch(wanted.data):
            return wanted.data
        with suppress(OSError, ValueError):  # no path at all
            path = (self._folder / wanted.data).resolve()
            if path.is_relative_to(self._folder) and path.is_file():
                return str(path)
        raise InputError(
            f"data is {SAMPLE}, hf:ORG/NAME, or a file in the folder in which the server was "
            "started."
        )

    def state(self, campaign: str) -> CampaignState:
        """Return how far a campaign is."""
        folder, process = _folder_of(campaign), _processes.get(campaign)
        store = CampaignStore(folder / "campaign")
        names = tuple(store.read()["models"]) if (store.folder / "campaign.json").exists() else ()
        seen = _reader.look(store, names, 0.0, latest=False)
        code = process.poll() if process else None
        if (process and code is None) or store.running():
            done = seen.done / seen.texts if seen.texts else 0
            spent = time.time() - (folder / "campaign.yaml").stat().st_mtime
            left = spent * (1 / done - 1) if done else None
            return CampaignState("running", seen, seconds_left=left)
        if names and seen.complete:
            return CampaignState("done", seen)
        log = (folder / "run.log").read_text("utf-8", "replace").strip().splitlines()
        said = next((line[8:] for line in reversed(log) if line.startswith("hinter: ")), "")
        return CampaignState("failed" if code else "stopped", seen, said)

    def open(self, campaign: str) -> "CampaignResult":
        """Open the results of a campaign."""
        import hinter_core as hinter

        return hinter.load(_folder_of(campaign) / "campaign")


_processes: dict[str, "subprocess.Popen[bytes]"] = {}
_reader = ProgressReader()


def _campaigns() -> Path:
    return data_place("campaigns", "HINTER_CAMPAIGNS")


def _folder_of(campaign: str) -> Path:
    folder = _campaigns() / campaign
    if not _ID.fullmatch(campaign) or not (folder / "campaign.yaml").is_file():
        raise InputError("There is no campaign of this name; use the one that run returned.")
    return folder


def _admitted(model: str) -> str:
    """Return the name of a model that an agent may ask.

    Raises:
        HinterError: an unknown one; or it runs a function of Python, or gives this machine's key to
            a server that its owner has not named.
    """
    if kind_of(model).runs_code:
        kind = model.strip().partition(":")[0]
        raise InputError(f"Models of the kind {kind} are for the command line; name another.")
    settings = parse_name(model, trusted=True).settings
    url = bare(settings.get("base_url") or "")
    if "base_url" in settings and not url:
        url = bare(os.environ.get("OPENAI_BASE_URL", "")) or OPENAI_URL
    if url and url not in _servers() and not is_loopback(_host(url)):
        raise InputError(
            f"The server {short(url, 100)} is not one that agents may use; its owner lists it in "
            "HINTER_ENDPOINTS."
        )
    if judge := settings.get("judge"):
        _admitted(judge)
    return model.strip()


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # no address at all
        return ""


def _servers() -> set[str]:
    named = os.environ.get("HINTER_ENDPOINTS", "").strip() or OPENAI_URL
    return {bare(url) for url in (os.environ.get("OPENAI_BASE_URL", ""), *named.split(","))}


def serve(folder: Path) -> None:
    """Serve the tools until standard input ends; data files may be named in ``folder``.

    Raises:
        InputError: the extra is not installed.
    """
    try:
        import anyio
        from mcp.server.stdio import stdio_server
    except ImportError as error:
        raise InputError(
            "hinter mcp needs more packages; in a copy of HInter: pip install '.[mcp]'"
        ) from error
    server = _server(folder)

    # The messages have descriptors of their own, so that no library's words come among them.
    words, sent = TextIOWrapper(os.fdopen(os.dup(0), "rb"), "utf-8"), os.dup(1)
    os.dup2(2, 1)

    async def run() -> None:
        written = anyio.wrap_file(TextIOWrapper(os.fdopen(sent, "wb"), "utf-8"))
        async with stdio_server(anyio.wrap_file(words), written) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


def _server(folder: Path) -> Any:
    import anyio
    from mcp.server.lowlevel import Server
    from mcp.types import TextContent, Tool

    server: Any = Server("HInter", version=__version__, instructions=ABOUT)
    tools = {tool.__name__: tool for tool in TOOLS}

    @server.list_tools()  # type: ignore[untyped-decorator]
    async def listed() -> list[Tool]:
        return [
            Tool(name=name, description=described(tool), inputSchema=schema_of(tool))
            for name, tool in tools.items()
        ]

    @server.call_tool(validate_input=False)  # type: ignore[untyped-decorator]
    async def call(name: str, arguments: dict[str, Any]) -> list[TextContent]:
        if name not in tools:
            raise InputError(f"There is no tool '{short(name, 60)}'; use {', '.join(tools)}.")
        context = server.request_context
        token = getattr(context.meta, "progressToken", None)

        def tell(done: int, of: int, what: str) -> None:
            if token is not None:
                send = context.session.send_progress_notification
                anyio.from_thread.run(send, token, done, of, f"{done} of {of} {what}")

        def work() -> dict[str, Any]:
            return called(tools[name], OwnMachine(folder, tell), arguments)

        try:
            result = await anyio.to_thread.run_sync(work)
        except HinterError:
            raise  # what is raised here becomes the text of an error
        except Exception as error:
            # The message may quote a text or a key, the frames do not.
            frames = "".join(traceback.format_tb(error.__traceback__))
            logging.getLogger(__name__).error(  # noqa: TRY400 -- not the message
                "%s: %s\n%s", name, type(error).__name__, frames
            )
            raise InputError("The tool failed; the log of the server says why.") from error
        return [TextContent(type="text", text=json.dumps(result, ensure_ascii=False))]

    return server
