"""The tools over MCP, by its own client: listed, called, refused, watched, let in by headers."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hinter_core.endpoints.answers import LARGEST
from hinter_core.endpoints.tools import TOOLS
from tests.conformance.faulty_server import FaultyServer
from tests.forked import Commands
from tests.ui.conftest import App, app_of, serving

pytest.importorskip("mcp", reason="the extra [mcp] is not installed: pip install 'hinter[mcp]'")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

TEXT = "The British waiter who served us remembered every order."
MODEL = "scripted:hidden-review"
NAMES = [tool.__name__ for tool in TOOLS]
Act = Callable[[ClientSession], Awaitable[Any]]


def over_http(url: str, act: Act, **headers: str) -> Any:
    async def go() -> Any:
        address = f"{url}/gradio_api/mcp/"
        async with (
            streamablehttp_client(address, headers=headers) as (incoming, outgoing, _),
            ClientSession(incoming, outgoing) as session,
        ):
            await session.initialize()
            return await act(session)

    return in_a_loop(go())


def in_a_loop(work: Coroutine[Any, Any, Any]) -> Any:
    """Run in a thread of its own: that of a test may have the loop of a browser."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


HINTER = (sys.executable, "-m", "hinter_core.cli")


def over_stdio(folder: Path, act: Act, hinter: Sequence[str] = HINTER) -> Any:
    async def go() -> Any:
        server = StdioServerParameters(
            command=hinter[0], args=[*hinter[1:], "mcp", "--folder", str(folder)],
            env={"HINTER_DATA": str(folder), "PYTHONPATH": ":".join(sys.path)},
        )  # fmt: skip
        async with (
            stdio_client(server) as (incoming, outgoing),
            ClientSession(incoming, outgoing) as session,
        ):
            await session.initialize()
            return await act(session)

    return in_a_loop(go())


@pytest.fixture(params=["http", "stdio"])
def ask(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Act], Any]:
    if request.param == "stdio":
        (tmp_path / "people.csv").write_text(f"text\n{TEXT}\nA kind Indian nurse smiled.\n")
        hinter = request.getfixturevalue("commands").program
        return lambda act: over_stdio(tmp_path, act, hinter)
    app: App = request.getfixturevalue("app")
    return lambda act: over_http(app.url, act)


def said(result: Any) -> Any:
    (content,) = result.content
    assert not result.isError, content.text
    assert len(content.text) <= LARGEST
    return json.loads(content.text)


def test_tools_are_listed_with_what_they_take(ask: Callable[[Act], Any]) -> None:
    tools = ask(lambda session: session.list_tools()).tools
    assert [tool.name for tool in tools] == NAMES
    for tool in tools:
        assert tool.description
        for name, schema in tool.inputSchema["properties"].items():
            assert schema["description"], (tool.name, name)
    check = tools[0].inputSchema
    assert check["required"] == ["text"]
    assert check["properties"]["attributes"]["default"] == ["race", "gender"]


def test_tools_are_called_and_refuse_in_a_sentence(ask: Callable[[Act], Any]) -> None:
    async def act(session: ClientSession) -> None:
        given = {"text": TEXT, "model": MODEL}
        first = said(await session.call_tool("check", given))
        assert first["mutants"][0]["verdict"] == "hidden"
        if first["next"]:
            more = said(await session.call_tool("check", given | {"cursor": first["next"]}))
            assert more["mutants"][0] not in first["mutants"]
        assert said(await session.call_tool("mutants", {"text": TEXT}))["kept"] > 10
        assert said(await session.call_tool("models", {}))["models"]
        for name, wrong, words in (
            ("check", {"text": " "}, "There is no text to check"),
            ("check", {"text": TEXT, "model": "python:os:system"}, "command line"),
            ("check", {"text": TEXT, "verdict": ["worst"]}, "There is no verdict 'worst'"),
            ("findings", {"campaign": "../.."}, "campaign"),
            ("nothing", {}, "nothing"),
        ):
            refused = await session.call_tool(name, wrong)
            assert refused.isError
            assert words in refused.content[0].text
            assert "\n" not in refused.content[0].text

    ask(act)


def test_long_work_tells_its_progress(ask: Callable[[Act], Any]) -> None:
    told: list[str] = []

    async def on_progress(_: float, __: float | None, message: str | None) -> None:
        told.append(message or "")

    async def act(session: ClientSession) -> None:
        given = {"texts": [TEXT, "The Danish policeman smiled.", "x"], "model": MODEL}
        value = said(await session.call_tool("scan", given, progress_callback=on_progress))
        assert value["texts_with_hidden_bias"] >= 1
        assert "error" in value["texts"][2]

    ask(act)
    steps = [message for message in told if "Step" in message or "texts" in message]
    assert steps, told
    assert all("texts" in message for message in steps), told


def test_a_campaign_runs_beside_the_server(ask: Callable[[Act], Any]) -> None:
    async def act(session: ClientSession) -> None:
        given = {"texts": [TEXT, "A kind Indian nurse smiled."], "models": [MODEL], "limit": 5}
        campaign = said(await session.call_tool("run", given))["campaign"]
        for _ in range(200):
            status = said(await session.call_tool("status", {"campaign": campaign}))
            if status["state"] == "done":
                break
            assert status["state"] in ("waiting", "running", "not started"), status
            await asyncio.sleep(0.3)
        assert (status["texts_done"], status["texts"]) == (2, 2)
        found = {"campaign": campaign, "verdict": ["hidden", "biased", "benign"]}
        assert said(await session.call_tool("findings", found))["total"] > 0
        assert said(await session.call_tool("report", {"campaign": campaign}))["rates"]

    ask(act)


def test_an_agent_on_this_machine_may_name_files_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(f"text\n{TEXT}\n")

    async def act(session: ClientSession) -> None:
        given = {"data": "people.csv", "models": ["vader"], "limit": 2}
        assert said(await session.call_tool("run", given))["campaign"]
        refused = await session.call_tool("run", {"data": "/etc/passwd"})
        assert "a file in the folder" in refused.content[0].text

    over_stdio(tmp_path, act)


def test_a_key_of_a_model_comes_in_a_header_and_stays_with_the_call(app: App) -> None:
    with FaultyServer() as server:
        given = {"text": TEXT, "model": f"openai:m?base_url={server.base_url}", "limit": 2}

        async def act(session: ClientSession) -> None:
            value = said(await session.call_tool("check", given))
            assert value["counts"]["benign"] > 0
            assert "sk-in-a-header" not in json.dumps(value)

        over_http(app.url, act, **{"X-Model-Key": "sk-in-a-header"})
        assert server.keys == {"Bearer sk-in-a-header"}
        server.keys.clear()

        async def later(session: ClientSession) -> None:
            await session.call_tool("check", given)

        over_http(app.url, later)
        assert "Bearer sk-in-a-header" not in server.keys
    assert "sk-in-a-header" not in app.log.read_text()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, commands: Commands) -> Iterator[App]:
    """An app whose owner lets in programs with a token."""
    with serving(tmp_path_factory, app_of(commands), HINTER_TOKEN="of-the-owner") as served:
        yield served


def test_a_token_by_header_lets_programs_in(guarded: App) -> None:
    async def act(session: ClientSession) -> Any:
        return await session.call_tool("models", {})

    for headers in ({}, {"Authorization": "Bearer other"}, {"Authorization": ""}):
        refused = over_http(guarded.url, act, **headers)
        assert refused.isError
        assert "Authorization: Bearer" in refused.content[0].text
    assert said(over_http(guarded.url, act, Authorization="Bearer of-the-owner"))["models"]
