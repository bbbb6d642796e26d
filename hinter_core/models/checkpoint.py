"""Open a Hugging Face checkpoint: safetensors only, no remote code, fp32, one clear error.

Shared by all back-ends that run a local transformer. ``transformers`` would load weights in the
checkpoint's own dtype and fill a missing head with random numbers; both would make answers that
mean nothing, so dtype is fixed and a missing head refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from hinter_core.errors import ModelError

_NO_LIMIT = 1_000_000
_HASHED_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Checkpoint:
    """A tokenizer and a model on their device; ``identity`` names the weights and their dtype."""

    tokenizer: Any
    model: Any
    device: str
    window: int | None
    identity: str
    dtype: str = "float32"

    def visible(self, text: str, less: int = 0) -> int:
        """Characters of ``text`` up to the last token that fits the window, ``less`` tokens."""
        if self.window is None or not self.tokenizer.is_fast:
            return len(text)
        window = max(1, self.window - less)
        # One pass without truncation tells both how many tokens there are and where they end.
        encoded = self.tokenizer(text, return_offsets_mapping=True, verbose=False)
        offsets = encoded["offset_mapping"]
        if len(offsets) <= window:
            return len(text)
        special: int = self.tokenizer.num_special_tokens_to_add()
        ends: list[int] = [end for start, end in offsets if end > start]
        return ends[min(len(ends), max(1, window - special)) - 1] if ends else len(text)


def locate(argument: str) -> tuple[str, str | None, bool]:
    """Source, revision, and whether to stay offline, for ``ORG/NAME[@revision]`` or a path.

    Raises:
        ModelError: nothing named, a folder without checkpoint, or a model the Hub does not give.
    """
    if not argument:
        raise ModelError("Name a checkpoint: ORG/NAME on the Hugging Face Hub, or a folder.")
    if Path(argument).exists():
        if not (Path(argument) / "config.json").is_file():
            raise ModelError(f"{argument} holds no config.json; name the folder of a checkpoint.")
        return argument, None, True
    source, _, revision = argument.partition("@")
    return source, revision or None, not _reachable(source, revision or None)


def _reachable(source: str, revision: str | None) -> bool:
    """Whether the Hub answers and has this model; asked first, since downloads retry for a minute.

    Raises:
        ModelError: the Hub answers that there is no such model, or that it is closed to you.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError
    from huggingface_hub.errors import RevisionNotFoundError as NoRevisionError

    try:
        HfApi().model_info(source, revision=revision, timeout=10)
    except (RepositoryNotFoundError, NoRevisionError, HFValidationError) as error:
        raise ModelError(
            f"There is no model '{source}' that you may read; check the name (ORG/NAME or a "
            "folder) and, for a private or gated model, log in with: hf auth login"
        ) from error
    except Exception:  # noqa: BLE001 -- whatever keeps us from the Hub, the cache may have it
        return False
    return True


def open_checkpoint(
    name: str,
    source: str,
    revision: str | None,
    *,
    auto_class: str,
    offline: bool,
    dtype: str = "float32",
) -> Checkpoint:
    """Load tokenizer and model; ``auto_class`` names the transformers class to load with.

    Raises:
        ModelError: missing library, weights or head; the message says what to do.
    """
    try:
        import torch
        import transformers
        from transformers.utils import logging
    except ImportError as error:
        raise ModelError(
            f"Model '{name}' needs torch and transformers: pip install torch transformers"
        ) from error
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    where = {"revision": revision, "local_files_only": offline}
    try:
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(source, **where)
        loaded: Any = getattr(transformers, auto_class).from_pretrained(
            source,
            use_safetensors=True,
            dtype=getattr(torch, dtype),
            output_loading_info=True,
            **where,
        )
    except Exception as error:  # a damaged file raises what its reader raises
        raise ModelError(_why(name, source, error, offline)) from error
    model, report = loaded
    if report["missing_keys"]:
        raise ModelError(
            f"Model '{name}' has no trained head for this task; name a fine-tuned checkpoint."
        )
    device = _best_device(torch)
    if device == "cpu":
        _leave_cores_free(torch)
    model.to(device).eval()
    return Checkpoint(
        tokenizer,
        model,
        device,
        _window(tokenizer, model.config),
        f"{_identity(source, model)}-{dtype}",
        dtype,
    )


def _why(name: str, source: str, error: Exception, offline: bool) -> str:
    first = str(error).strip().splitlines()[0][:200] if str(error).strip() else "no details"
    if offline and not Path(source).exists():
        first = "the Hugging Face Hub cannot be reached and the model is not in the cache"
    return (
        f"Model '{name}' cannot be loaded: {first.rstrip('.')}. Check the name and your network; "
        "only safetensors checkpoints are read."
    )


def _best_device(torch: Any) -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _leave_cores_free(torch: Any) -> None:
    """Use half of the cores, unless the user has set ``OMP_NUM_THREADS``.

    Threads that wait for one another spin. With two busy cores, two threads took 4 to 20 times as
    long as one; with idle ones they gain little on models of this size.
    """
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(max(1, (os.cpu_count() or 1) // 2))


def _window(tokenizer: Any, config: Any) -> int | None:
    limits = [tokenizer.model_max_length, getattr(config, "max_position_embeddings", None)]
    real = [int(n) for n in limits if n and 0 < n < _NO_LIMIT]
    return min(real) if real else None


def _identity(source: str, model: Any) -> str:
    commit = getattr(model.config, "_commit_hash", None)
    if commit is not None:
        return f"{source}@{commit}"
    # A local folder may be retrained in place: its weights name its state, by content while they
    # are small and by size and time when reading them would take long.
    digest = sha256()
    for path in sorted(Path(source).glob("*.safetensors")):
        stat = path.stat()
        small = stat.st_size < _HASHED_BYTES
        digest.update(path.read_bytes() if small else f"{stat.st_size} {stat.st_mtime_ns}".encode())
    return f"{Path(source).resolve().name}@{digest.hexdigest()[:12]}"


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Indices in batches of similar length, longest first, at most ``budget`` tokens padded."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size
