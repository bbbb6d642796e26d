"""Models in the app, without a browser: who may name what, where keys go, what is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import HinterError, InputError, ModelError
from hinter_core.models.base import Capabilities
from hinter_core.models.registry import BACKENDS, parse_name
from hinter_core.types import Failure, Prediction
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.explore.updates import over_budget
from hinter_ui.html import notice
from hinter_ui.models import html
from hinter_ui.models.actions import (
    ModelsActions,
    addable,
    fitting,
    help_of,
    name_of,
    offered,
    sketch,
)
from hinter_ui.models.html import ModelRow, ModelState
from hinter_ui.shared.access import OPENAI_URL, Access, clean_key
from hinter_ui.shared.links import ExploreForm
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from tests.conformance.faulty_server import FaultyServer

KEY = "sk-visitor-0123456789"
PUBLIC, LOCAL = Access(), Access(local=True)


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    with FaultyServer() as running:
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache" / "predictions.sqlite"
    monkeypatch.setenv("HINTER_CACHE", str(path))
    return path


def named(server: FaultyServer, more: str = "") -> str:
    return f"openai:tiny?base_url={server.base_url}&retries=0{more}"


def loaded(actions: ModelsActions, session: Session, name: str, key: str = "") -> Any:
    load = actions.load(session, name, key)
    assert load.done.wait(60)
    return load


# -- who may name what ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "environment", "local"),
    [
        (None, {}, True),
        ("127.0.0.1", {}, True),
        ("::1", {}, True),
        ("localhost", {}, True),
        ("0.0.0.0", {}, False),
        ("192.168.1.5", {}, False),
        ("hinter.example", {}, False),
        (None, {"GRADIO_SERVER_NAME": "0.0.0.0"}, False),
        ("127.0.0.1", {"SPACE_ID": "a/b"}, False),
        ("127.0.0.1", {"GRADIO_SHARE": "True"}, False),
        ("127.0.0.1", {"HINTER_PROXIES": "1"}, False),
        ("127.0.0.1", {"HINTER_PROXIES": "0"}, True),
    ],
)
def test_a_host_is_local_when_nobody_else_reaches_it(
    host: str | None, environment: dict[str, str], local: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "GRADIO_SERVER_NAME", "SPACE_ID", "GRADIO_SHARE", "HINTER_ENDPOINTS", "HINTER_PROXIES"
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert Access.at(host).local is local


# What a stranger must not reach, with or without a key, and what the owner may.
FOR_THE_OWNER = [
    "openai:m?base_url=http://169.254.169.254/latest",
    "openai:m?base_url=http://localhost:11434/v1",
    "openai:m?prompt=/etc/passwd",
    "hf:assets/models",
    "hf-chat:assets/models",
    "hf-zero-shot:assets/models?labels=a,b",
    "hf:/etc",
    "hf:someone/../etc",
    "hf-chat:org/name?prompt=/etc/passwd",
    "hf-chat:org/name?judge=hf:/etc",
    "scripted:/etc/hinter.rules",
    "scripted:hinter.rules/",
]
FOR_NOBODY = [
    "python:os:system",
    "openai:m?judge=python:os:system",
    "hf-chat:org/name?judge=python:os:system",
    "hf-chat:org/name?judge=openai:m",
    "openai:m?base_url=https://user:word@api.openai.com/v1",
    "openai:m?base_url=https://api.openai.com/v1%3Fkey=x",
    "openai:m?base_url=file:///etc/passwd",
    "nonsense:m",
]
FOR_ALL = [
    "embedded",
    "scripted:hidden-review",
    "scripted:a if gender; b otherwise",
    "hf:org/name@v1.0",
    "hf-chat:org/name?prompt=sentiment",
    "hf-chat:org/name?judge=vader",
    "openai:m",
    f"openai:m?base_url={OPENAI_URL}/",
]


@pytest.mark.parametrize("name", FOR_THE_OWNER)
def test_this_machine_is_closed_to_strangers(name: str) -> None:
    for key in ("", KEY):
        with pytest.raises(ModelError):
            PUBLIC.admit(name, key)
    assert LOCAL.admit(name, KEY).text == name


@pytest.mark.parametrize("name", FOR_NOBODY)
@pytest.mark.parametrize("access", [PUBLIC, LOCAL], ids=["public", "local"])
def test_code_and_keys_in_names_are_closed_to_all(name: str, access: Access) -> None:
    for key in ("", KEY):
        with pytest.raises(ModelError):
            access.admit(name, key)


@pytest.mark.parametrize("name", FOR_ALL)
@pytest.mark.parametrize("access", [PUBLIC, LOCAL], ids=["public", "local"])
def test_other_names_are_open(name: str, access: Access) -> None:
    assert access.admit(name, KEY).text == name


def test_a_key_opens_no_code() -> None:
    with pytest.raises(ModelError, match="command line only"):
        parse_name("python:os:system", key=KEY)
    assert LOCAL.refusal(["vader", "embedded"]) == ""
    assert "command line only" in LOCAL.refusal(["vader", "python:models:version_a"])
    assert "python" not in PUBLIC.kinds()
    assert "python" not in LOCAL.kinds()


def test_the_machines_default_server_is_no_way_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://10.0.0.1/v1")
    with pytest.raises(ModelError, match=r"use https://api\.openai\.com/v1"):
        PUBLIC.admit("openai:m", KEY)
    monkeypatch.setenv("HINTER_ENDPOINTS", "http://10.0.0.1/v1/, https://other.example/v1")
    assert Access.at("0.0.0.0").admit("openai:m", KEY).kind == "openai"


def test_named_servers_are_all_that_strangers_may_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    base_url = next(o for o in BACKENDS["openai"].options if o.name == "base_url")
    assert offered(base_url, Access.at("0.0.0.0")) == ([("OpenAI", "")], False)
    monkeypatch.setenv("HINTER_ENDPOINTS", "https://one.example/v1")
    access = Access.at("0.0.0.0")
    assert offered(base_url, access) == ([("https://one.example/v1",) * 2], False)
    for refused in ("openai:m", f"openai:m?base_url={OPENAI_URL}"):
        with pytest.raises(ModelError, match=r"use https://one\.example/v1\."):
            access.admit(refused, KEY)
    for same in ("HTTPS://One.example/v1/", "https://one.example/v1"):
        access.admit(f"openai:m?base_url={same}", KEY)
    with pytest.raises(ModelError):
        access.admit("openai:m?base_url=https://one.example/V1", KEY)
    monkeypatch.setenv("HINTER_ENDPOINTS", f"{OPENAI_URL}, https://one.example/v1")
    assert Access.at("0.0.0.0").admit("openai:m", KEY).kind == "openai"


def test_a_public_host_offers_no_files_or_servers_that_it_refuses() -> None:
    for access in (LOCAL, PUBLIC):
        shown = [help_of(option, access) for option in BACKENDS["openai"].options]
        shown += [fitting(kind, backend.about, access) for kind, backend in BACKENDS.items()]
        for words in ("your TOML file", "http://localhost", "of a folder"):
            assert (words in " ".join(shown)) == access.local


@pytest.mark.parametrize("key", ["a b", "sk-\u00e9", "sk-1\nHost: x", "x" * 2_000])
def test_what_cannot_be_a_key_is_refused_without_repeating_it(key: str) -> None:
    with pytest.raises(InputError) as caught:
        clean_key(key)
    assert key not in str(caught.value)


# -- keys and the models asked with them -------------------------------------------------------


def test_a_session_model_is_reached_by_its_session_only(server: FaultyServer) -> None:
    services = Services(LOCAL)
    mine, other = Session(), Session()
    assert loaded(ModelsActions(services), mine, named(server), KEY).error == ""
    assert server.keys == {f"Bearer {KEY}"}
    assert services.model(named(server), mine).model.name == named(server)
    assert services.capabilities(named(server), mine) is not None
    for stranger in (other, None):
        with pytest.raises(ModelError, match="add it in the Models tab"):
            services.model(named(server), stranger)
        assert named(server) not in [name for _, name in services.model_choices(stranger)]
    assert services.loaded_model(named(server), other) is None


def test_a_key_stands_in_no_file_answer_or_error(server: FaultyServer, cache: Path) -> None:
    services, session = Services(LOCAL), Session()
    actions = ModelsActions(services)
    loaded(actions, session, named(server), KEY)
    asked = actions.ask(session, named(server), "A fine day.")
    assert asked.first.labels == ("positive",)
    echo = actions.ask(session, named(server), "A [fault:echo] text.").first
    assert (echo.reply, echo.failure) == ("", Failure.ERROR)
    kept = b"".join(path.read_bytes() for path in cache.parent.iterdir())
    assert b"openai-2-" in kept
    server.wrong_key = KEY
    error = loaded(actions, session, named(server, "&timeout=9"), KEY).error
    assert "refused the key" in error
    shown = html.table(actions.known(session)) + html.one(asked)
    for place in (repr(session), repr(session.own), error, shown, kept.decode("latin-1")):
        assert KEY not in place


def test_a_closed_page_lets_go_of_its_keys(server: FaultyServer) -> None:
    services = Services(LOCAL)
    session = services.sessions.of("page")
    loaded(ModelsActions(services), session, named(server), KEY)
    assert session.keys
    services.sessions.forget("page")
    assert not session.keys
    assert not session.own


def test_a_key_is_kept_for_its_own_server_only(server: FaultyServer) -> None:
    actions, session = ModelsActions(Services(LOCAL)), Session()
    loaded(actions, session, named(server), KEY)
    assert loaded(actions, session, named(server, "&max_tokens=9")).error == ""
    with FaultyServer() as other:
        assert loaded(actions, session, named(other)).error == ""
        assert other.keys == {"Bearer none"}
    assert server.keys == {f"Bearer {KEY}"}


def test_strangers_need_a_key_and_leave_nothing_on_disk(server: FaultyServer, cache: Path) -> None:
    services, session = Services(Access(endpoints=(OPENAI_URL, server.base_url))), Session()
    actions = ModelsActions(services)
    with pytest.raises(InputError, match="Type your key"):
        actions.load(session, named(server))
    assert loaded(actions, session, named(server), KEY).error == ""
    actions.ask(session, named(server), "A fine day.")
    assert not cache.exists()


def test_an_unreachable_server_and_a_wrong_model_are_told() -> None:
    actions, session = ModelsActions(Services(LOCAL)), Session()
    gone = "openai:tiny?base_url=http://127.0.0.1:1/v1&retries=0"
    assert "cannot be reached" in loaded(actions, session, gone).error
    assert gone not in [known.name for known in actions.known(session)]


def test_a_second_press_loads_nothing_twice(server: FaultyServer) -> None:
    actions, session = ModelsActions(Services(LOCAL)), Session()
    loads = [actions.load(session, named(server), KEY) for _ in range(5)]
    assert all(load.done.wait(60) for load in loads)
    assert sum(server.asked.values()) == len({id(load) for load in loads})
    assert loads[0] is loads[1]


def test_a_model_that_flips_on_itself_shows_its_noise_floor(server: FaultyServer) -> None:
    actions, session = ModelsActions(Services(LOCAL)), Session()
    loaded(actions, session, named(server), KEY)
    assert not actions.steady(session, named(server))
    asked = actions.again(session, named(server), "Odd [fault:flip] text.", 4)
    assert asked.first.labels == ("positive",)
    # Asked at the same time, the answers may come in any order.
    assert sorted(a.labels for a in asked.more) == [("negative",)] * 2 + [("positive",)] * 2
    assert (asked.floor.flips, asked.floor.answered) == (2, 4)
    assert "The answer changed in 2 of 4 repetitions" in html.repeated(asked)
    assert "noise floor 0.50" in html.repeated(asked)
    calm = actions.again(session, named(server), "A calm text.", 3)
    assert "The answer stayed the same" in html.repeated(calm)
    for times in (0, 21, None, 2.5, float("nan")):
        with pytest.raises(InputError, match="a whole number from 1 to 20"):
            actions.again(session, named(server), "A calm text.", times)


def test_states_follow_what_happens(server: FaultyServer) -> None:
    actions, session = ModelsActions(Services(LOCAL)), Session()

    def states() -> dict[str, ModelState]:
        return {known.name: known.state for known in actions.known(session)}

    assert set(states().values()) == {ModelState.ABSENT}
    loaded(actions, session, "vader")
    assert states()["vader"] is ModelState.READY
    loaded(actions, session, named(server), KEY)
    assert states()[named(server)] is ModelState.READY
    actions.remove(session, named(server))
    assert named(server) not in states()


# -- forms and names ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted(addable(LOCAL)))
def test_a_form_writes_the_name_of_what_is_in_it(kind: str) -> None:
    backend = BACKENDS[kind]
    defaults = [option.default for option in backend.options]
    bare = name_of(kind, backend, " org/name ", defaults)
    assert bare == f"{kind}:org/name"
    changed: list[Any] = []
    for option in backend.options:
        value: Any = option.choices[-1] if option.choices else "a, b & c?"
        if isinstance(option.default, bool):
            value = not option.default
        elif isinstance(option.default, int | float):
            value = float(option.high or 1)
        changed.append(value)
    parsed = parse_name(name_of(kind, backend, "org/name", changed), key=KEY)
    assert parsed.source == "org/name"
    assert list(parsed.settings.values()) == changed


def test_a_whole_name_may_be_pasted() -> None:
    backend = BACKENDS["openai"]
    defaults: list[Any] = [option.default for option in backend.options]
    assert name_of("openai", backend, "openai:m?retries=0", defaults) == "openai:m?retries=0"
    defaults[0] = "http://localhost:8000/v1"
    name = name_of("openai", backend, "m?retries=0", defaults)
    assert parse_name(name, key=KEY).settings["retries"] == 0
    assert parse_name(name, key=KEY).settings["base_url"] == defaults[0]


def test_a_form_says_what_is_missing_or_out_of_range() -> None:
    backend = BACKENDS["hf-chat"]
    values: list[Any] = [option.default for option in backend.options]
    assert "Enter the model to load" in sketch(PUBLIC, "hf-chat", backend, "", values)[1]
    assert sketch(PUBLIC, "hf-chat", backend, "org/name", values) == ("hf-chat:org/name", "")
    values[[option.name for option in backend.options].index("max_tokens")] = 0
    assert "from 1 to 4096" in sketch(PUBLIC, "hf-chat", backend, "org/name", values)[1]


# -- what is shown -----------------------------------------------------------------------------


def test_names_labels_and_replies_are_escaped_and_many_labels_folded() -> None:
    evil = "<img src=x onerror=alert(1)>"
    able = Capabilities(labels=(evil, *(f"topic {i}" for i in range(30))))
    shown = html.table([ModelRow(f"hf:{evil}", evil, ModelState.READY, able, added=True)])
    assert "<img" not in shown
    assert "<summary>31 labels</summary>" in shown
    said = Prediction((evil,), {evil: 0.9}, reply=evil)
    assert "<img" not in html.one(html.RepeatedAnswer(evil, said, 1, 1))
    assert "<img" not in html.repeated(html.RepeatedAnswer(evil, said, 1, 1, more=(said,)))
    assert "<img" not in html.name_line(evil, evil) + notice.working(evil, 1)


def test_a_text_without_words_is_not_asked() -> None:
    with pytest.raises(HinterError, match="There is no text"):
        ModelsActions(Services()).ask(Session(), "vader", "  ")


def test_a_scan_keeps_to_the_number_of_requests_allowed(server: FaultyServer) -> None:
    services, session, name = Services(LOCAL), Session(), named(server)
    loaded(ModelsActions(services), session, name, KEY)
    asked = sum(server.asked.values())
    form = ExploreForm(text="The British waiter was kind.", models=(name,), limit=20, requests=5)
    for _ in ExploreActions(services).scan(session, form):
        pass
    assert session.check is not None
    assert sum(server.asked.values()) - asked == 5
    left = session.check.counts(name)["unanswered"]
    assert left > 0
    assert f"so {left} variants got no answer" in over_budget(session.check, "complete")
    for _ in ExploreActions(services).scan(session, replace(form, requests=0)):
        pass
    assert session.check.counts(name)["unanswered"] == 0
    assert over_budget(session.check, "complete") == "complete"


def test_a_model_is_named_by_a_part_of_its_name_if_only_one_has_it() -> None:
    services, session = Services(Access(local=True)), Session()
    session.added.append("openai:slow?base_url=http://localhost:1/v1")
    typed = ["slow", "Embedded", "VADER", "vader", "e", "hf:slow", "nothing"]
    assert services.models_named(typed, session) == (
        session.added[0], "embedded", "vader", "e", "hf:slow", "nothing",
    )  # fmt: skip
