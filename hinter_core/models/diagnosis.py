"""Why a checkpoint cannot be used: one sentence that says what is wrong, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hinter_core.models.batching import out_of_memory

_PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
_FOREIGN = (".h5", ".msgpack", ".onnx", ".gguf", ".ot")
_TOKENIZER = ("tokenizer.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model")
_NO_TOKENIZER = (
    "has no tokenizer; copy tokenizer.json and tokenizer_config.json there from the model that it "
    "was made from."
)
# Reads tensors only, and writes them under the names that they have.
CONVERT = (
    "python -c \"import torch, safetensors.torch as s; w = torch.load('{}', weights_only=True); "
    "s.save_file({{k: v.contiguous().clone() for k, v in w.items()}}, 'model.safetensors', "
    "{{'format': 'pt'}})\""
)


def why_not(
    name: str, source: str, revision: str | None, error: Exception, *, offline: bool
) -> str:
    """The sentence for an error that loading has raised."""
    files = _files(source, revision, offline=offline)
    return f"Model '{name}' " + (
        _by_error(error)
        or _by_files(files, offline and not Path(source).exists())
        or f"cannot be loaded: {_first_line(error)}. Check its name and its files; only "
        "safetensors checkpoints are read."
    )


def without_tokenizer(name: str) -> str:
    """The sentence for a tokenizer that knows no words."""
    return f"Model '{name}' {_NO_TOKENIZER}"


def without_head(name: str, config: Any) -> str:
    """The sentence for weights that lack the head that was asked for."""
    made_for = " ".join(getattr(config, "architectures", None) or ())
    hint = "name a checkpoint fine-tuned for it"
    if "CausalLM" in made_for or "LMHead" in made_for:
        hint = "it writes text; if it is tuned to follow instructions, name it as hf-chat:NAME"
    elif made_for and "Classification" not in made_for:
        hint = f"it was saved as {made_for}; {hint}"
    return f"Model '{name}' has no trained head for this task: {hint}."


def _by_error(error: Exception) -> str:
    kinds = {type(e).__name__ for e in _chain(error)}
    text = " ".join(str(e) for e in _chain(error))
    if out_of_memory(error):
        return "does not fit into memory; try dtype=bfloat16, a smaller model, or another machine."
    if "GatedRepoError" in kinds or "gated repo" in text:
        return (
            "is gated: accept its terms on its page of the Hugging Face Hub, and log in with: "
            "hf auth login"
        )
    if "SafetensorError" in kinds:
        return "has a damaged or incomplete file of weights; download it again."
    if "Unrecognized configuration class" in text:
        return "is of a kind that has no head for this task; name one fine-tuned for it."
    return ""


def _by_files(files: list[str], unreachable: bool) -> str:
    if unreachable:
        return (
            "cannot be loaded: the Hugging Face Hub cannot be reached and the model is not in the "
            "cache; check your network, or name a folder that holds it."
        )
    if not files:
        return ""
    pickled = [file for file in files if file.endswith(_PICKLED) and "training_args" not in file]
    if not any(file.endswith(".safetensors") for file in files):
        if pickled:
            return (
                f"holds only pickled weights ({pickled[0]}), which are not read as they can run "
                f"code; convert them in their folder: {CONVERT.format(pickled[0])}"
            )
        foreign = next((file for file in files if file.endswith(_FOREIGN)), "")
        found = f"weights of another format ({foreign})" if foreign else "no weights"
        return f"holds {found}; a checkpoint needs model.safetensors, as save_pretrained writes it."
    return "" if any(file in _TOKENIZER for file in files) else _NO_TOKENIZER


def _files(source: str, revision: str | None, *, offline: bool) -> list[str]:
    if Path(source).is_dir():
        return sorted(path.name for path in Path(source).iterdir())
    if offline:
        return []
    from huggingface_hub import HfApi

    try:
        return sorted(HfApi().list_repo_files(source, revision=revision))
    except Exception:  # noqa: BLE001 -- it is asked for a better message only
        return []


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0][:200] if lines else type(error).__name__).rstrip(".")
