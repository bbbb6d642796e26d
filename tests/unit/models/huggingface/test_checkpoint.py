"""Opening checkpoints: what is refused, and with which words; windows; identity."""

from __future__ import annotations

import json
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from huggingface_hub import constants
from safetensors.torch import load_file, save_file

from hinter_core.errors import ModelError
from hinter_core.language.parsing import IMPORTING
from hinter_core.models.huggingface import checkpoint
from hinter_core.models.huggingface.limits import LARGEST
from hinter_core.models.registry import build_model, parse_name
from tests.conformance.hub import LocalHub, ask_there
from tests.conformance.tiny import make_chat_model, make_classifier, make_head


def load(path: str) -> Any:
    """A fresh model, past the registry's memory."""
    return build_model(parse_name(f"hf:{path}"))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(make_classifier(tmp_path_factory.mktemp("good"), ["no", "yes"], window=16))


@pytest.fixture
def copy(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "copy"))


def refusal(path: Path | str) -> str:
    with pytest.raises(ModelError) as caught:
        load(str(path))
    message = str(caught.value)
    assert "\n" not in message
    return message


def change_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps({**config, **changes}))


def test_torch_is_waited_for_while_spacy_is_imported_without_it(good: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        with IMPORTING:
            loading = pool.submit(load, str(good))
            with pytest.raises(TimeoutError):
                loading.result(0.3)
        assert loading.result(60).capabilities.labels == ("no", "yes")


def test_a_good_checkpoint_is_loaded_in_fp32(good: Path) -> None:
    import torch

    model = load(str(good))
    assert model.name == f"hf:{good}"
    assert model.capabilities.labels == ("no", "yes")
    assert model.capabilities.window == 16
    assert {p.dtype for p in model.checkpoint.model.parameters()} == {torch.float32}


def test_identity_names_the_weights(good: Path, copy: Path, tmp_path: Path) -> None:
    other = Path(make_classifier(tmp_path / "other", ["no", "yes"], window=32))
    assert load(str(copy)).identity.split("@")[1] == load(str(good)).identity.split("@")[1]
    assert load(str(other)).identity.split("@")[1] != load(str(good)).identity.split("@")[1]


def test_identity_names_what_else_decides_an_answer(copy: Path) -> None:
    first = load(str(copy)).identity
    (copy / "README.md").write_text("what is not read")
    assert load(str(copy)).identity == first
    (copy / "chat_template.jinja").write_text("{{ messages }}")
    second = load(str(copy)).identity
    path = copy / "tokenizer_config.json"
    path.write_text(path.read_text().replace('"model_max_length": 16', '"model_max_length": 8'))
    assert len({first, second, load(str(copy)).identity}) == 3


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert "Name a checkpoint" in refusal("")
    (tmp_path / "empty").mkdir()
    assert "holds no config.json" in refusal(tmp_path / "empty")


def test_a_folder_may_stand_under_home(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert load(f"~/{copy.name}").identity == load(str(copy)).identity


def test_pickled_weights_are_never_read_and_how_to_convert_them_is_said(
    copy: Path, good: Path
) -> None:
    import torch

    weights = load_file(copy / "model.safetensors")
    (copy / "model.safetensors").unlink()
    torch.save(weights, copy / "pytorch_model.bin")
    (copy / "training_args.bin").touch()
    message = refusal(copy)
    assert "holds only pickled weights (pytorch_model.bin)" in message
    assert "not read as they can run code; convert them" in message
    command = shlex.split(message[message.index("python -c") :])
    subprocess.run([sys.executable, *command[1:]], cwd=copy, check=True)
    assert load(str(copy)).predict(["the man"]) == load(str(good)).predict(["the man"])


def test_a_checkpoint_without_weights_is_named(copy: Path) -> None:
    (copy / "model.safetensors").rename(copy / "tf_model.h5")
    assert "holds weights of another format (tf_model.h5)" in refusal(copy)
    (copy / "tf_model.h5").unlink()
    assert "holds no weights; a checkpoint needs model.safetensors" in refusal(copy)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_damaged_weights_are_a_clear_error(copy: Path, share: float) -> None:
    content = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(content[: int(len(content) * share)])
    assert "damaged or incomplete file of weights; download it again" in refusal(copy)


@pytest.mark.parametrize("kind", ["bert", "roberta", "gpt2", "llama", "t5"])
def test_a_folder_without_tokenizer_is_named(kind: str, tmp_path: Path) -> None:
    """transformers would make one that knows no word, for most kinds."""
    folder = tmp_path / kind
    if kind == "bert":
        make_classifier(folder, ["no", "yes"])
    else:
        make_head(folder, kind, ["no", "yes"])
    for file in folder.glob("tokenizer*"):
        file.unlink()
    message = refusal(folder)
    assert "has no tokenizer; copy tokenizer.json and tokenizer_config.json there" in message


def test_a_damaged_tokenizer_or_config_is_a_clear_error(copy: Path) -> None:
    (copy / "tokenizer.json").write_text("{")
    assert "cannot be loaded" in refusal(copy)
    (copy / "config.json").write_text("{")
    assert "cannot be loaded" in refusal(copy)


def test_a_model_without_a_trained_head_is_no_classifier(copy: Path) -> None:
    weights = load_file(copy / "model.safetensors")
    kept = {k: v for k, v in weights.items() if not k.startswith("classifier")}
    save_file(kept, copy / "model.safetensors", metadata={"format": "pt"})
    assert "has no trained head for this task: name a checkpoint fine-tuned for it" in refusal(copy)


def test_a_model_that_writes_is_no_classifier(tmp_path: Path) -> None:
    message = refusal(make_chat_model(tmp_path / "chat"))
    assert "it writes text; if it is tuned to follow instructions, name it as hf-chat:" in message


def test_a_model_of_another_task_is_no_classifier(copy: Path) -> None:
    change_config(copy, architectures=["BertForMaskedLM"])
    weights = load_file(copy / "model.safetensors")
    kept = {k: v for k, v in weights.items() if not k.startswith("classifier")}
    save_file(kept, copy / "model.safetensors", metadata={"format": "pt"})
    assert "it was saved as BertForMaskedLM; name a checkpoint" in refusal(copy)
    change_config(copy, model_type="vit", architectures=["ViTModel"])
    assert "is of a kind that has no head for this task" in refusal(copy)


def test_one_label_or_a_number_is_no_classification(copy: Path, tmp_path: Path) -> None:
    single = make_classifier(tmp_path / "one", ["score"])
    assert "gives a number and no choice of labels; name a checkpoint with two" in refusal(single)
    change_config(copy, problem_type="regression")
    assert "no choice of labels" in refusal(copy)


class Hub(BaseHTTPRequestHandler):
    """Answers as the Hugging Face Hub does for a gated model and for all that are not there."""

    def do_GET(self) -> None:
        if self.path.startswith("/api/models/some/gated"):
            body = b'{"id": "some/gated", "sha": "%s", "siblings": []}' % (b"a" * 40)
            return self.answer(200, body)
        if self.path.startswith("/some/gated/"):
            return self.answer(403, b"", "GatedRepo")
        if self.path.startswith("/api/models/some/open/revision/nowhere"):
            return self.answer(404, b"", "RevisionNotFound")
        return self.answer(401, b"", "RepoNotFound")

    do_HEAD = do_GET

    def answer(self, status: int, body: bytes, code: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if code:
            self.send_header("X-Error-Code", code)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Lets the client ask another address than the Hub's, with an empty cache."""
    from huggingface_hub import constants

    def use(address: str) -> None:
        monkeypatch.setattr(constants, "ENDPOINT", address)
        template = f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    use(f"http://127.0.0.1:{server.server_port}")
    yield use
    server.shutdown()
    server.server_close()


def test_a_missing_private_or_gated_model_is_a_clear_error(hub: Callable[[str], None]) -> None:
    for name in ("some/missing", "some/open@nowhere", "not a name", "a/b/c"):
        message = refusal(name)
        assert f"There is no model '{name.partition('@')[0]}' that you may read" in message
        assert "hf auth login" in message
    assert "is gated: accept its terms on its page" in refusal("some/gated")


def test_without_network_a_model_that_is_not_in_the_cache_is_a_clear_error(
    hub: Callable[[str], None],
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        hub(f"http://127.0.0.1:{free.getsockname()[1]}")
        message = refusal("some/model")
    assert "the Hugging Face Hub cannot be reached and the model is not in the cache" in message
    assert "check your network, or name a folder" in message


class TestSizes:
    """A host that strangers use takes models of the Hub up to a size."""

    @pytest.fixture
    def small(self, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
        made = LocalHub()
        ask_there(made.address, monkeypatch, str(tmp_path / "cache"))
        monkeypatch.setattr("transformers.utils.hub._hf_api", None)  # asks where it first asked
        files = {path.name: path.read_bytes() for path in good.iterdir()}
        made.commit("some/model", files | {"flax_model.msgpack": b"x" * 500_000})
        yield made
        made.close()

    def test_one_that_fits_is_loaded(
        self, small: LocalHub, good: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(LARGEST, "200_000")
        model = load("some/model")
        assert model.predict(["good"])[0].labels == load(str(good)).predict(["good"])[0].labels
        assert small.heads["some/model"] in model.identity

    def test_without_network_it_is_the_same_model(
        self, small: LocalHub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv(LARGEST, raising=False)
        first = load("some/model")
        assert load("some/model@main").identity == first.identity
        small.close()
        # In a process of its own: the libraries remember in this one what the Hub has said.
        code = f"""
import pytest
from hinter_core.models.registry import build_model, parse_name
from tests.conformance.hub import ask_there
with pytest.MonkeyPatch.context() as patch:
    ask_there({small.address!r}, patch, {str(constants.HF_HUB_CACHE)!r})
    model = build_model(parse_name("hf:some/model"))
    print(model.identity, *model.predict(["good"])[0].labels, sep="\\n")
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        said = [first.identity, *first.predict(["good"])[0].labels]
        assert done.stdout.splitlines()[-len(said) :] == said, done.stderr

    def test_one_that_is_too_large_is_not_downloaded(
        self, small: LocalHub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        size = sum(len(body) for name, body in small.files("some/model").items()
                   if not name.endswith(".msgpack"))  # fmt: skip
        monkeypatch.setenv(LARGEST, str(size))
        with pytest.raises(ModelError, match=r"has 0\.0 GB, and one may have up to 0\.0 GB here"):
            load("some/model")
        assert not [path for path in small.asked if "/resolve/" in path]
        monkeypatch.setenv(LARGEST, str(size + 1))
        load("some/model")

    def test_the_disk_is_not_filled(self, small: LocalHub, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(LARGEST, "3_000_000_000")
        monkeypatch.setattr(checkpoint, "_SPARE", 10**18)
        with pytest.raises(ModelError, match="There is no room for model 'hf:some/model' here"):
            load("some/model")
        assert not [path for path in small.asked if "/resolve/" in path]

    def test_on_the_owners_machine_sizes_are_their_own(
        self, small: LocalHub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv(LARGEST, raising=False)
        monkeypatch.setattr(checkpoint, "_SPARE", 10**18)
        load("some/model")


def test_the_window_ends_after_the_last_token_that_fits(good: Path) -> None:
    model = load(str(good))
    text = "the man . " * 30
    seen = model.visible(text)
    # 16 tokens, two of them special: 14 words of three a sentence.
    assert text[:seen].split() == text.split()[:14]
    assert model.visible("the man") == len("the man")
    assert model.visible("man" * 3) == 9
    assert model.visible("") == 0


def test_the_label_that_ties_is_the_same_in_a_batch(good: Path) -> None:
    model = load(str(good))
    texts = [f"{'the good ' * n}man" for n in range(12)]
    batched = model.predict(texts)
    assert [p.labels for p in batched] == [model.predict([t])[0].labels for t in texts]
