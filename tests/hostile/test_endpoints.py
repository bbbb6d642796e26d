"""What strangers send to the endpoints: a short answer or one sentence; nothing is asked."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hinter_core.endpoints.answers import LARGEST
from hinter_core.endpoints.stdio import OwnMachine
from hinter_core.endpoints.tools import TOOLS, Place, called, schema_of
from hinter_core.errors import HinterError
from hinter_ui.endpoints import AppPlace
from hinter_ui.shared.access import Access
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session, Visitor
from tests.hostile.corpus import FORMULAS, MARKUP, TRAVERSAL

TEXT = "The British waiter who served us remembered every order."
MODEL = "scripted:hidden-review"
BY_NAME = {tool.__name__: tool for tool in TOOLS}
WRONG: dict[str, Any] = {
    "null": None, "number": 1e308, "huge": 10**400, "negative": -1, "truth": True, "object": {},
    "nested": [[[["x"]]]], "mixed": ["race", 5, None], "empty": [], "many": ["race"] * 5_000,
    "names": [str(n) for n in range(5_000)], "fraction": 1.5, "not a number": float("nan"),
    "blank": "", "long": "x" * 200_000, "half": "\ud800", "zero": "\0", "digits": "\u0665" * 9,
}  # fmt: skip
SSRF = (
    "openai:m?base_url=http://169.254.169.254/latest", "openai:m?base_url=file:///etc/passwd",
    "openai:m?base_url=http://127.0.0.1:22/v1", "hf:../../etc/passwd", "hf:/etc/passwd",
    "python:os:system", "scripted:/etc/passwd", "hf-chat:a/b?prompt=/etc/passwd",
    "openai:m?judge=python:os:system", "hf:" + "a/" * 2_000,
)  # fmt: skip


@cache
def services() -> Services:
    return Services(Access())


def public() -> Place:
    return AppPlace(services(), Session(visitor=Visitor("203.0.113.9")), nullcontext(), "")


def own() -> Place:
    return OwnMachine(Path(), lambda *_: None)


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder to work in; no machine is asked, and nothing is written beside it."""
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    monkeypatch.setenv("HINTER_DATA", str(tmp_path / "in"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    connect = socket.socket.connect

    def no_way(this: socket.socket, address: Any) -> None:
        if this.family != socket.AF_UNIX:
            pytest.fail(f"It asks {address}.")
        connect(this, address)

    monkeypatch.setattr(socket.socket, "connect", no_way)
    yield
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def knock(place: Callable[[], Place], name: str, **given: Any) -> str:
    """Call a tool; what it answers as JSON, or the sentence with which it refuses."""
    began = time.monotonic()
    try:
        said = json.dumps(called(BY_NAME[name], place(), given), allow_nan=False)
        assert len(said) <= LARGEST, said[:300]
    except HinterError as error:
        said = str(error)
        assert said.strip()
        assert len(said) < 1_000, said[:300]
    assert time.monotonic() - began < 60
    assert "root:x:0" not in said
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize("place", [public, own])
@pytest.mark.parametrize("name", BY_NAME)
def test_wrong_kinds_of_values_are_refused(place: Callable[[], Place], name: str) -> None:
    whole = {"text": TEXT, "texts": [TEXT], "campaign": "x" * 22, "model": MODEL}
    properties = schema_of(BY_NAME[name])["properties"]
    good = {key: value for key, value in whole.items() if key in properties}
    good |= {"models": ["nobody"]} if name == "run" else {}  # so that none of these is started
    for argument in properties:
        for value in WRONG.values():
            knock(place, name, **good | {argument: value})
    assert "has no argument 'nope'" in knock(place, name, **good, nope=1)


@pytest.mark.parametrize("place", [public, own])
@pytest.mark.parametrize("case", [*MARKUP, *FORMULAS, *TRAVERSAL])
def test_texts_and_names_of_strangers(place: Callable[[], Place], case: str) -> None:
    words = {**MARKUP, **FORMULAS, **TRAVERSAL}[case]
    knock(place, "check", text=f"{TEXT} {words}", model=MODEL, limit=2)
    knock(place, "mutants", text=f"{words} {TEXT}", limit=2)
    knock(place, "scan", texts=[words, TEXT], model=MODEL, limit=2)
    for name in ("status", "findings", "report"):
        assert "campaign" in knock(place, name, campaign=words)
    knock(place, "check", text=TEXT, attributes=[words])
    assert "passwd:" not in knock(place, "run", data=words, models=[MODEL], attributes=[words])


@pytest.mark.parametrize("model", SSRF)
def test_a_model_of_a_stranger_reaches_nothing(model: str) -> None:
    for tool, given in (("check", {"text": TEXT}), ("scan", {"texts": [TEXT]})):
        said = knock(public, tool, **given, model=model)
        assert "mutants" not in said or "error" in said
    if not model.startswith("scripted:"):  # a campaign, which fails as its rules are none
        assert '"campaign"' not in knock(public, "run", models=[model])


@pytest.mark.parametrize(
    "model",
    [
        "openai:m?base_url=https://evil.example/v1",
        "openai:m?base_url=http://169.254.169.254/v1",
        "openai:m?base_url=http://127.0.0.1@evil.example/v1",
        "openai:m?base_url=http://[x/v1",
        "openai:m?judge=python:os:system",
        "openai:m?judge=openai:n?base_url=https://evil.example/v1",
        "python:os:system",
    ],
)
def test_an_agent_sends_this_machines_key_to_no_other_server(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-machine")
    for tool, given in (("check", {"text": TEXT}), ("scan", {"texts": [TEXT]})):
        said = knock(own, tool, **given, model=model)
        assert '"answer"' not in said
        assert "sk-of" not in said
    assert '"campaign"' not in knock(own, "run", models=[model])


@pytest.mark.parametrize("data", [*TRAVERSAL.values(), "hf:/etc/passwd", "hf:../x", "hf:a"])
def test_an_agent_reads_data_in_its_folder_alone(data: str, tmp_path: Path) -> None:
    said = knock(own, "run", data=data, models=["vader"])
    assert '"campaign"' not in said
    os.symlink("/etc/passwd", "inside.csv")
    assert "a file in the folder" in knock(own, "run", data="inside.csv", models=["vader"])


def test_a_long_text_of_other_characters_stays_short() -> None:
    text = f"{TEXT} " + "\U0001f600 " * 40 + f"{TEXT} " * 20
    assert '"counts"' in knock(public, "check", text=text, model=MODEL, limit=5)
    assert "characters" in knock(public, "check", text=TEXT + "x" * 20_000, model=MODEL)


def test_no_key_of_a_visitor_is_kept_or_told() -> None:
    place = AppPlace(services(), Session(), nullcontext(), "sk-of-a-visitor")
    said = knock(lambda: place, "check", text=TEXT, model=SSRF[0])
    assert "sk-of-a-visitor" not in said
    assert not place.remembers
    with pytest.raises(HinterError) as refused:
        AppPlace(services(), Session(), nullcontext(), "two words\r\nX-Other: 1")
    assert "two words" not in str(refused.value)


def test_a_campaign_of_the_app_is_opened_by_its_whole_name_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "in" / "campaigns" / ("a" * 22) / "campaign").mkdir(parents=True)
    for name in ("", ".", "*", "a" * 21, "a" * 23, "A" * 22, "a" * 22 + "/", "./" + "a" * 22):
        assert "campaign" in knock(public, "findings", campaign=name)
    assert str(tmp_path) not in knock(public, "findings", campaign="a" * 22)
