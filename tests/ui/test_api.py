"""The named endpoints, called by gradio's client and by curl; all other functions are refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from hinter_core.endpoints.answers import LARGEST
from hinter_core.endpoints.tools import TOOLS
from tests.conformance.faulty_server import FaultyServer

TEXT = "The British waiter who served us remembered every order."
MODEL = "scripted:hidden-review"
DEAD = "openai:m?base_url=http://127.0.0.1:9/v1&retries=0"


@pytest.fixture(scope="module")
def client(app: Any) -> Client:
    return Client(app.url, verbose=False)


def test_the_tools_are_public_and_nothing_else(client: Client) -> None:
    described = client.view_api(return_format="dict", print_info=False)
    assert set(described["named_endpoints"]) == {f"/{tool.__name__}" for tool in TOOLS}
    assert not described["unnamed_endpoints"]
    for endpoint in described["named_endpoints"].values():
        kinds = {one["parameter_name"]: one["type"] for one in endpoint["parameters"]}
        assert {"request"}.isdisjoint(kinds)
        assert all(kind["type"] in ("string", "integer", "array") for kind in kinds.values())


def test_no_other_function_can_be_called(app: Any) -> None:
    public = json.loads(curl(f"{app.url}/config"))["dependencies"]
    assert {one["api_name"] for one in public} == {tool.__name__ for tool in TOOLS}
    config = json.loads(curl(f"{app.url}/config", "-A", "Mozilla/5.0"))
    private = [one for one in config["dependencies"] if one["api_visibility"] == "private"]
    assert len(private) > 40
    for one in private[:3]:
        for name in (str(one["api_name"] or one["id"]), f"check_{one['id']}", "check/../scan_1"):
            for door in ("call", "api", "run", "call/v2"):
                url = f"{app.url}/gradio_api/{door}/{name}"
                said = curl("--path-as-is", url, "-d", json.dumps({"data": []}))
                assert said == "There is nothing at this address."


def test_check_says_what_flips_page_by_page(client: Client) -> None:
    value = client.predict(TEXT, ["race", "gender"], MODEL, api_name="/check")
    assert (value["text"], value["model"]) == (TEXT, MODEL)
    assert value["mutants"][0]["verdict"] == "hidden"
    assert value["counts"]["hidden"] + value["counts"]["biased"] == value["total"]
    seen, cursor = list(value["mutants"]), value["next"]
    while cursor:
        more = client.predict(TEXT, ["race", "gender"], MODEL, cursor=cursor, api_name="/check")
        assert len(json.dumps(more)) <= LARGEST
        seen, cursor = [*seen, *more["mutants"]], more["next"]
    assert len(seen) == value["total"]
    assert len({row["change"] for row in seen}) == len(seen)


def test_calls_that_wait_for_a_server_hold_up_no_other(client: Client) -> None:
    waiting, go_on = threading.Semaphore(0), threading.Event()

    def reply(_text: str, _turn: int) -> str:
        waiting.release()
        assert go_on.wait(60)
        return "positive"

    with FaultyServer(reply) as server:
        model = f"openai:m?base_url={server.base_url}&labels=negative,positive"
        names = [f"{model}&max_tokens={8 + number}" for number in range(4)]
        about = (TEXT, ["race", "gender"])
        slow = [client.submit(*about, name, limit=1, api_name="/check") for name in names]
        try:
            assert all(waiting.acquire(timeout=60) for _ in slow)
            value = client.predict(TEXT, ["race", "gender"], MODEL, limit=5, api_name="/check")
            assert value["model"] == MODEL
            assert client.predict(api_name="/models")["models"]
        finally:
            go_on.set()
        assert all(job.result()["model"].startswith("openai:m") for job in slow)


def test_scan_tells_progress_and_goes_on_after_a_bad_text(client: Client) -> None:
    job = client.submit([TEXT, " ", "The old man smiled."], model=MODEL, api_name="/scan")
    value = job.result()
    first, second, third = value["texts"]
    assert first["counts"]["hidden"] > 0
    assert "There is no text to check" in second["error"]
    assert "race has none" in third["error"]


def test_mutants_need_no_model(client: Client) -> None:
    value = client.predict(TEXT, limit=10, api_name="/mutants")
    assert value["total"] == len(value["mutants"]) + (
        int(value["total"]) - int(value["next"] or value["total"])
    )
    assert value["mutants"][0]["mutant"] != TEXT


def test_models_are_named_as_the_other_tools_take_them(client: Client) -> None:
    names = [row["name"] for row in client.predict(api_name="/models")["models"]]
    assert {"embedded", "vader", MODEL} <= set(names)
    assert not [name for name in names if name.startswith("python:")]


@pytest.fixture(scope="module")
def campaign(client: Client) -> str:
    texts = [TEXT, "A kind Indian nurse helped the actress.", "The Danish policeman smiled."]
    value = client.predict(
        [MODEL, "vader"], ["race", "gender"], texts=texts, limit=5, api_name="/run"
    )
    name, end = value["campaign"], time.monotonic() + 120
    while time.monotonic() < end:
        status = client.predict(name, api_name="/status")
        if status["state"] == "done":
            assert (status["texts_done"], status["texts"]) == (3, 3)
            assert sum(status["counts"][MODEL].values()) > 0
            return str(name)
        assert status["state"] in ("waiting", "running", "not started"), status
        time.sleep(0.5)
    raise AssertionError(status)


def test_a_campaign_is_run_watched_and_read(client: Client, campaign: str) -> None:
    value = client.predict(campaign, ["benign", "biased", "hidden"], api_name="/findings")
    assert value["model"] == MODEL
    assert value["findings"][0].keys() >= {"verdict", "change", "answer", "mutant"}
    rest = client.predict(campaign, ["benign"], "vader", search="nurse", api_name="/findings")
    assert all("nurse" in row["mutant"] for row in rest["findings"])
    rates = client.predict(campaign, api_name="/report")["rates"]
    assert {row["model"] for row in rates} == {MODEL, "vader"}
    assert "intersectional" in {row["attributes"] for row in rates}


@pytest.mark.parametrize(
    ("api", "values", "said"),
    [
        ("/check", {"text": " "}, "There is no text to check"),
        ("/check", {"text": TEXT, "model": "python:os:system"}, "command line"),
        ("/check", {"text": TEXT, "model": "nope"}, "nope"),
        ("/check", {"text": TEXT, "limit": 100_000}, "limit is a whole number from 1 to 500"),
        ("/check", {"text": TEXT, "verdict": ["<b>"]}, "no verdict '<b>'; use benign"),
        ("/check", {"text": TEXT, "cursor": "x"}, "The cursor is the value `next`"),
        ("/check", {"text": TEXT, "model": DEAD}, "cannot be reached"),
        ("/status", {"campaign": "nobody-has-this-name"}, "campaign"),
        ("/findings", {"campaign": "../../etc/passwd"}, "campaign"),
        ("/run", {"data": "/etc/passwd"}, "/etc/passwd"),
        ("/run", {"models": []}, "choose at least one"),
        ("/run", {"attributes": ["shoes"]}, "attribute"),
    ],
)
def test_bad_input_is_one_sentence(
    client: Client, api: str, values: dict[str, Any], said: str
) -> None:
    with pytest.raises(AppError) as refused:
        client.predict(**values, api_name=api)
    message = str(refused.value)
    assert said in message
    assert "\n" not in message
    assert "Traceback" not in message


def curl(*arguments: str) -> str:
    program = shutil.which("curl")
    assert program, "curl is missing"
    made = subprocess.run(
        [program, "-sS", "-H", "Content-Type: application/json", *arguments],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return made.stdout


def test_curl_asks_in_two_steps(app: Any) -> None:
    asked = json.dumps({"data": [TEXT, ["race", "gender"], MODEL, 20, ["hidden"], ""]})
    event = json.loads(curl(f"{app.url}/gradio_api/call/check", "-d", asked))["event_id"]
    stream = curl("-N", f"{app.url}/gradio_api/call/check/{event}")
    assert "event: complete" in stream
    (value,) = json.loads(stream.rpartition("data: ")[2])
    assert value["model"] == MODEL
    assert len(json.dumps(value)) <= LARGEST


def test_curl_by_names_and_refusals(app: Any) -> None:
    wrong = json.dumps({"data": [TEXT, 5, MODEL, 20, ["hidden"], ""]})
    event = json.loads(curl(f"{app.url}/gradio_api/call/check", "-d", wrong))["event_id"]
    assert "attributes is a list of names, not a number." in curl(
        "-N", f"{app.url}/gradio_api/call/check/{event}"
    )
    foreign = curl(
        f"{app.url}/gradio_api/call/check", "-d", wrong, "-H", "Origin: https://a.example"
    )
    assert "another site" in foreign


def test_what_agents_are_told_has_an_argument_a_line(app: Any) -> None:
    told = json.loads(curl(f"{app.url}/gradio_api/info"))["named_endpoints"]["/check"]
    assert "whether a model's answer flips" in told["description"]
    assert all(one.get("parameter_name") for one in told["parameters"])
