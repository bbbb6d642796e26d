"""Texts per second in batches against one at a time, and the memory that each way takes.

Every way runs in a process of its own, so that the peak is its own; a row holds both ways of one
run, and their ratio.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import texts
from hinter_core.models.huggingface.embedded import EMBEDDED
from hinter_core.models.registry import load_model

_NUMBER = 256
_LABELS = 100
_MIB = 2**20


def sample(number: int) -> list[str]:
    """Cuts of 5 to 150 words from the texts to time with; the same ones every time."""
    words = " ".join((*texts.SHORT, texts.LONG)).split()
    rng = random.Random(5)
    lengths = [rng.randint(5, 150) for _ in range(number)]
    starts = [rng.randrange(len(words) - length) for length in lengths]
    return [" ".join(words[s : s + n]) for s, n in zip(starts, lengths, strict=True)]


def make_multi_label(folder: Path) -> str:
    """The name of a small BERT with many labels and random weights, written to ``folder``."""
    import transformers

    transformers.utils.logging.disable_progress_bar()
    tokenizer = transformers.AutoTokenizer.from_pretrained(EMBEDDED, trust_remote_code=False)
    tokenizer.save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=512,
        num_labels=_LABELS,
        problem_type="multi_label_classification",
        pad_token_id=tokenizer.pad_token_id,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return f"hf:{folder}"


def measure(name: str, batched: bool) -> dict[str, object]:
    """Time and peak memory of one way, in this process."""
    import resource

    import torch

    model, asked = load_model(name), sample(_NUMBER)
    model.predict(asked[:2])
    start = time.perf_counter()
    if batched:
        model.predict(asked)
    else:
        for text in asked:
            model.predict([text])
    took = time.perf_counter() - start
    # Kilobytes on Linux, bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    on_gpu = torch.cuda.max_memory_allocated() if torch.cuda.is_available() else 0
    return {
        "rate": len(asked) / took,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / _MIB,
        "gpu": on_gpu / _MIB,
        "device": model.capabilities.device,
    }


def row(label: str, name: str) -> None:
    """Print both ways of one model."""
    found = []
    for way in ("single", "batched"):
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.throughput", name, way],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        found.append(json.loads(done.stdout.splitlines()[-1]))
    single, batched = found
    gpu = f"  GPU {single['gpu']:.0f} and {batched['gpu']:.0f} MiB" if batched["gpu"] else ""
    print(
        f"{label:<22} {batched['device']:<5} {single['rate']:>8.0f} {batched['rate']:>8.0f} "
        f"{batched['rate'] / single['rate']:>6.1f}x {single['memory']:>10.0f} "
        f"{batched['memory']:>10.0f}{gpu}",
        flush=True,
    )


def table() -> None:
    """Print a row for each model; where there is a GPU, it is used."""
    print(f"{_NUMBER} texts of 5 to 150 words       texts/s                  peak memory (MiB)")
    print("model                  on      single  batched   ratio     single    batched")
    row("embedded", "embedded")
    row("the same in torch", f"hf:{EMBEDDED}")
    with tempfile.TemporaryDirectory() as folder:
        row(f"BERT, {_LABELS} labels", make_multi_label(Path(folder)))


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2] == "batched")))
