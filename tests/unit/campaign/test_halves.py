"""Halves of characters (``\\ud800``) at each door: the campaign completes, and can be read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from hinter_core.campaign.findings import ExportFilter, write_mutants
from hinter_core.campaign.progress import ProgressReader
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign, from_mapping
from hinter_core.campaign.store import CampaignStore
from hinter_core.cli.options import output
from hinter_core.models import registry
from hinter_core.models.base import Capabilities, ModelUnderTest
from hinter_core.models.cache import answer_from_json, answer_to_json
from hinter_core.models.huggingface.labels import labels_of
from hinter_core.models.store import PredictionStore
from hinter_core.report.formats import markdown_of
from hinter_core.report.model import make_report
from hinter_core.report.sections import sections
from hinter_core.types import Failure, Prediction

HALF = "\ud800"
TEXT = f"The black man smiled {HALF} today."
SLOTS = f"\u00abname\u00bb smiled {HALF}\0 because \u00abpronoun:subject\u00bb won."
RULES = "scripted:bad 0.8 if gender=female; good otherwise"


def lines(path: Path, *values: object) -> str:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return str(path)


def complete(campaign: Campaign, folder: Path) -> list[tuple[Any, ...]]:
    """Run it, run it again, and read it in every way."""
    store = CampaignStore(folder)
    run_campaign(campaign, store)
    run_campaign(campaign, store)
    assert ProgressReader().look(store, campaign.models, 0.0).complete
    made = make_report(store, (), ())
    written = markdown_of("x", sections(made))
    with output(folder / "report.md") as stream:
        stream.write(written)
    written.replace("\udcff", "").encode()
    for ending in ("csv", "jsonl", "parquet"):
        write_mutants(store, folder / f"out.{ending}", ExportFilter())
    with CampaignReader(store) as reader:
        _, rows = reader.query("SELECT * FROM findings", 60)
        found = list(rows)
    assert found
    str(found).encode()
    return found


def test_in_texts_labels_and_ids(tmp_path: Path) -> None:
    data = lines(
        tmp_path / "texts.jsonl",
        {"text": TEXT, "label": f"a{HALF}", "id": HALF}, {"text": "The white man.", "label": "b"},
    )  # fmt: skip
    campaign = Campaign(data=data, attributes=("race", "gender"), models=(RULES,), limit=3)
    complete(campaign, tmp_path / "out")


@pytest.mark.parametrize(
    "more",
    [
        {}, {"label": None, "id": None, "words": None, "gender": None, "attributes": None},
        {"label": HALF, "id": HALF}, {"label": "\0", "id": "\0"}, {"label": 5, "id": ["x"]},
    ],
)  # fmt: skip
def test_in_templates(more: dict[str, object], tmp_path: Path) -> None:
    file = lines(tmp_path / "mine.jsonl", None, {"text": SLOTS, **more}, {"text": None}, [None])
    campaign = Campaign(
        templates=file, attributes=("gender",), order=1, models=(RULES,), names_per_class=2
    )
    complete(campaign, tmp_path / "out")


def test_in_mutants_by_hand(tmp_path: Path) -> None:
    file = lines(
        tmp_path / "hand.jsonl",
        {"source": TEXT, "mutant": TEXT.replace("man", "woman"), "label": HALF,
         "edits": f"gender{HALF}: man -> woman{HALF}"},
    )  # fmt: skip
    complete(Campaign(mutants=file, models=(RULES,)), tmp_path / "out")


def test_in_the_rules_of_a_model(tmp_path: Path) -> None:
    data = lines(tmp_path / "texts.jsonl", {"text": "The black man smiled."})
    model = f"scripted:bad{HALF} 0.8 if gender=female; good{HALF} otherwise"
    settings = {"data": data, "attributes": "race,gender", "models": model, "limit": 3}
    complete(from_mapping(settings, "the options"), tmp_path / "out")


class Odd(ModelUnderTest):
    """A model whose every word has half a character."""

    name = identity = "vader"
    capabilities = Capabilities(labels=("bad\ufffd", "good\ufffd"))

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        for text in texts:
            if "woman" in text:
                raise ValueError(f"no {HALF}")
        scores = {f"good{HALF}": 0.9, f"bad{HALF}": 0.1}
        return [Prediction((f"good{HALF}",), scores, reply=HALF, masks=(scores,)) for _ in texts]


def test_in_answers_and_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "build_model", lambda _: Odd())
    registry.load_model.cache_clear()
    data = lines(tmp_path / "texts.jsonl", {"text": "The black man smiled."})
    campaign = Campaign(data=data, attributes=("race", "gender"), models=("vader",), limit=3)
    answers = PredictionStore(Odd()).predict(["A man.", "A woman."])
    assert answers["A man."].labels == ("good\ufffd",)
    assert set(answers["A man."].scores) == {"good\ufffd", "bad\ufffd"}
    assert answers["A woman."].failure is Failure.ERROR
    assert answers["A woman."].detail == "ValueError: no \ufffd"
    try:
        complete(campaign, tmp_path / "out")
    finally:
        registry.load_model.cache_clear()


def test_in_what_was_stored_before() -> None:
    """A line of a journal may hold what could not be written to a table."""
    line = json.dumps({"labels": [HALF], "scores": {HALF: 1.0}, "reply": f"{HALF} \ud83d\ude00"})
    read = answer_from_json(line)
    assert read.labels == ("\ufffd",)
    assert read.reply == "\ufffd \U0001f600"
    answer_to_json(read).encode()


def test_in_the_labels_of_a_checkpoint() -> None:
    config = SimpleNamespace(id2label={0: f"a{HALF}", 1: "b"}, label2id={})
    assert labels_of("x", config, ())[0] == ("a\ufffd", "b")


def test_a_file_whose_name_is_no_text(tmp_path: Path) -> None:
    """An argument that is not UTF-8 has a half for each such byte, and finds its file again."""
    data = tmp_path / "texts\udcff.jsonl"
    lines(data, {"text": "The black man smiled."})
    campaign = Campaign(data=str(data), attributes=("race", "gender"), models=(RULES,), limit=3)
    complete(campaign, tmp_path / "out")
    assert CampaignStore(tmp_path / "out").campaign().data == str(data)


class Server(BaseHTTPRequestHandler):
    """A server whose reply, or error, has half a character."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        choice = {"index": 0, "message": {"role": "assistant", "content": f"positive {HALF}"},
                  "finish_reason": "stop"}  # fmt: skip
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m",
                "choices": [choice], "error": None}  # fmt: skip
        if "bad" in self.path:
            body = {"error": {"message": f"no {HALF}"}}
        sent = json.dumps(body).encode()
        self.send_response(400 if "bad" in self.path else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("path", ["v1", "bad/v1"])
def test_in_replies_and_errors_of_a_server(
    path: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HINTER_CACHE", str(tmp_path / "cache.sqlite"))
    data = lines(tmp_path / "texts.jsonl", {"text": "The black man smiled."})
    model = f"openai:m?base_url={address}/{path}&prompt=sentiment&retries=0&logprobs=0"
    campaign = Campaign(data=data, attributes=("race", "gender"), models=(model,), limit=3)
    complete(campaign, tmp_path / "out")
