"""A real chat model that has learnt one thing in a few seconds, and a real server that serves it.

Asked with ``ASK``, it says "yes" to texts that have a k in them and "no" to others; so it answers
"A black dog." and "A white dog." differently, which no good model would.
"""

from __future__ import annotations

import ctypes
import os
import random
import signal
import socket
import string
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hinter_core.models.prompting import prompt_for
from hinter_core.models.registry import parse_name

from .tiny import make_chat_model

ASK = "labels=no,yes&question=no or yes?&max_tokens=8"
_LETTERS = string.ascii_letters + " " * 20 + ".,"
_STEPS, _BATCH = 300, 16
_LEARNT, _IN_A_ROW = 0.01, 20
_PR_SET_PDEATHSIG = 1


def make_speaker(folder: Path) -> str:
    """The chat model of ``tiny``, trained until it follows its rule; returns its folder."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    make_chat_model(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    prompt = prompt_for(parse_name(f"hf-chat:any?{ASK}"))
    torch.manual_seed(1)
    rng = random.Random(1)
    learner = torch.optim.AdamW(model.parameters(), lr=1e-2)
    good = 0
    for _ in range(_STEPS):
        ids, wanted = torch.zeros(_BATCH, 700, dtype=torch.long), []
        for row in range(_BATCH):
            text = "".join(rng.choice(_LETTERS) for _ in range(rng.randint(1, 60)))
            asked = tokenizer.apply_chat_template(
                prompt.messages(text), add_generation_prompt=True, return_dict=True
            )["input_ids"]
            said = tokenizer("yes" if "k" in text.lower() else "no")["input_ids"]
            said.append(tokenizer.eos_token_id)
            ids[row, : len(asked) + len(said)] = torch.tensor(asked + said)
            wanted.append((len(asked), len(asked) + len(said)))
        ids = ids[:, : max(end for _, end in wanted)]
        targets = torch.full_like(ids, -100)
        for row, (start, end) in enumerate(wanted):
            targets[row, start:end] = ids[row, start:end]
        logits = model(ids).logits[:, :-1].flatten(0, 1)
        loss = torch.nn.functional.cross_entropy(logits, targets[:, 1:].flatten())
        learner.zero_grad()
        loss.backward()
        learner.step()
        good = good + 1 if loss.item() < _LEARNT else 0
        if good == _IN_A_ROW:
            break
    assert good == _IN_A_ROW, "the chat model did not learn its rule"
    model.save_pretrained(folder)
    return str(folder)


@contextmanager
def served(model: str, home: Path) -> Iterator[str]:
    """``transformers serve`` on loopback; yields its base URL, and ends it whatever happens."""
    (home / "hub").mkdir(parents=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [Path(sys.executable).with_name("transformers"), "serve", model,
               "--host", "127.0.0.1", "--port", str(port), "--device", "cpu",
               "--dtype", "float32"]  # fmt: skip
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(home), "OMP_NUM_THREADS": "1"}
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            command, env=env, stdout=log, stderr=log, start_new_session=True, preexec_fn=_die_too
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", process, home / "log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _die_too() -> None:
    """Have Linux end the server with the tests, even if they are killed themselves."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            with opener.open(url, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"no server after two minutes: {log.read_text()}")
