"""Open a Hugging Face checkpoint: safetensors only, no remote code, fixed dtype, clear errors.

``transformers`` would load weights in the checkpoint's dtype and fill a missing head with random
numbers, so the dtype is always given and a missing head is refused.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from hinter_core.errors import ModelError, first_line
from hinter_core.language.parsing import IMPORTING
from hinter_core.models.huggingface.labels import named_by_label2id
from hinter_core.models.huggingface.lent import may_use_cuda
from hinter_core.models.huggingface.limits import (
    bounded,
    largest_model,
    require_modest,
    require_size,
)
from hinter_core.models.registry import ModelName

# Builds a model from its configuration and its weights by name; None: an unknown architecture.
Rebuild = Callable[[Any, Mapping[str, Any]], Any | None]
_NO_LIMIT = 1_000_000
_SPARE = 2_000_000_000  # bytes that stay free on the disk there
_ADAPTER = "adapter_config.json"
_HASHED_BYTES = 64 * 2**20
# Weights, settings, vocabularies and templates; other files of training do not matter.
_DECIDING = {".safetensors", ".json", ".jinja", ".txt", ".model"}
_PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
_FOREIGN = (".h5", ".msgpack", ".onnx", ".gguf", ".ot")
_TOKENIZER = ("tokenizer.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model")
_TOKENIZER_CONFIG = "tokenizer_config.json"
_NO_TOKENIZER = (
    "has no tokenizer; copy tokenizer.json and tokenizer_config.json there from the model that it "
    "was made from."
)
# Reads tensors only, and writes them under the same names.
_CONVERT = (
    "python -c \"import torch, safetensors.torch as s; w = torch.load('{}', weights_only=True); "
    "s.save_file({{k: v.contiguous().clone() for k, v in w.items()}}, 'model.safetensors', "
    "{{'format': 'pt'}})\""
)
# Messages of torch's allocators for CPU (Linux, Windows, oneDNN) and MPS; CUDA has an error class.
_OUT_OF_MEMORY = (
    "can't allocate memory", "not enough memory", "out of memory",
    "could not create a memory object",
)  # fmt: skip


@dataclass(frozen=True)
class Checkpoint:
    """A tokenizer and a model on a device; ``identity`` names the weights and their dtype.

    ``window``: longest input in tokens, special ones included (None: no known limit).
    """

    tokenizer: Any
    model: Any
    device: str
    window: int | None
    identity: str
    dtype: str
    load: Callable[[str], Any]  # the same weights in another dtype

    @cached_property
    def exact(self) -> Any:
        """Return the model in fp32: itself, or a second copy that is loaded at first use.

        Raises:
            ModelError: the copy cannot be loaded, for example for lack of memory.
        """
        return self.model if self.dtype == "float32" else self.load("float32")

    def visible(self, text: str, less: int = 0, *, special_tokens: bool = False) -> int:
        """Count the characters of ``text`` that fit the window less ``less`` tokens.

        ``special_tokens``: those written in the text are such, and no plain words.
        """
        if self.window is None or not self.tokenizer.is_fast:
            return len(text)
        window = max(1, self.window - less)
        # One pass without truncation gives the number of tokens and where they end.
        encoded = self.tokenizer(
            text,
            return_offsets_mapping=True,
            split_special_tokens=not special_tokens,
            verbose=False,
        )
        offsets = encoded["offset_mapping"]
        if len(offsets) <= window:
            return len(text)
        special: int = self.tokenizer.num_special_tokens_to_add()
        ends: list[int] = [end for start, end in offsets if end > start]
        return ends[min(len(ends), max(1, window - special)) - 1] if ends else len(text)


@runtime_checkable
class HasCheckpoint(Protocol):
    """A model that has a checkpoint, so that it can be trained further."""

    checkpoint: Checkpoint


def named_checkpoint(
    name: ModelName, auto_class: str, rebuild: Rebuild | None = None
) -> Checkpoint:
    """Open the checkpoint of a name's source and ``dtype``."""
    return open_checkpoint(name.text, name.source, auto_class, name.settings["dtype"], rebuild)


def embedded_checkpoint(name: ModelName, folder: Path, auto_class: str) -> Checkpoint:
    """Open a checkpoint that comes with HInter.

    Raises:
        ModelError: its files are missing or broken.
    """
    if not (folder / "config.json").exists():
        raise ModelError(f"The embedded model is missing from {folder}; restore or retrain it.")
    return open_checkpoint(name.text, str(folder), auto_class)


def open_checkpoint(
    name: str, source: str, auto_class: str, dtype: str = "float32", rebuild: Rebuild | None = None
) -> Checkpoint:
    """Load tokenizer and model of ``ORG/NAME[@revision]`` or of a folder.

    ``name``: for messages. ``auto_class``: the class of transformers to use. ``rebuild`` may build
    the model if weights for that class are missing.

    Raises:
        ModelError: missing library, model, weights or head; the message says what to do.
    """
    try:
        with IMPORTING:
            import torch
            from transformers.utils import logging
    except ImportError as error:
        raise ModelError(
            f"Model '{name}' needs torch and transformers: pip install torch transformers"
        ) from error
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    device = "mps" if torch.backends.mps.is_available() else "cpu"
    if may_use_cuda() and torch.cuda.is_available():
        device = "cuda"
    if device == "cpu" and "OMP_NUM_THREADS" not in os.environ:
        # Threads that wait for one another spin. With two busy cores, two threads took 4 to 20
        # times as long as one; with idle ones they gain little on models of this size.
        torch.set_num_threads(max(1, (os.cpu_count() or 1) // 2))
    origin = _Origin(name, source, auto_class, device, rebuild)
    model, tokenizer = origin.load(dtype), origin.tokenizer()
    # Without tokenizer files, transformers makes one with special tokens only.
    if len(set(tokenizer.get_vocab()) - set(tokenizer.all_special_tokens)) < 2:
        raise ModelError(f"Model '{name}' {_NO_TOKENIZER}")
    identity = f"{origin.identity}-{dtype}"
    window = _window(tokenizer, model)
    return Checkpoint(tokenizer, model, device, window, identity, dtype, origin.load)


class _Origin:
    """Where a model is loaded from, also again in another dtype.

    Raises:
        ModelError: an empty name, a folder without checkpoint, or a model the Hub does not give.
    """

    def __init__(
        self, name: str, source: str, auto_class: str, device: str, rebuild: Rebuild | None
    ) -> None:
        if not source:
            raise ModelError("Name a checkpoint: ORG/NAME on the Hugging Face Hub, or a folder.")
        self._name, self._auto_class, self._device = name, auto_class, device
        self._rebuild = rebuild
        folder = Path(os.path.expanduser(source))
        self._revision: str | None = None
        self._commit: str | None = None  # that the Hub told
        if folder.exists():
            _refuse_adapter(name, [path.name for path in folder.iterdir()], folder)
            if not (folder / "config.json").is_file():
                raise ModelError(f"{source} holds no config.json; name the folder of a checkpoint.")
            self.source, self._offline = str(folder), True
        else:
            self.source, _, revision = source.partition("@")
            self._revision = revision or None
            self._offline = not self._reachable()

    def _reachable(self) -> bool:
        """Whether the Hub is reachable; checked first, since downloads retry for a minute."""
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError
        from huggingface_hub.errors import RevisionNotFoundError as NoRevisionError

        most = largest_model()
        try:
            info = HfApi().model_info(
                self.source, revision=self._revision, timeout=10, files_metadata=most > 0
            )
        except (RepositoryNotFoundError, NoRevisionError, HFValidationError) as error:
            raise ModelError(
                f"There is no model '{self.source}' that you may read; check the name (ORG/NAME or "
                "a folder) and, for a private or gated model, log in with: hf auth login"
            ) from error
        except Exception:  # noqa: BLE001 -- whatever the reason, the cache may have the model
            return False
        self._commit = info.sha
        _refuse_adapter(self._name, [file.rfilename for file in info.siblings or ()])
        if most:
            self._revision = info.sha  # what is loaded is what was looked at
            _require_room(self._name, info.siblings or (), most)
        return True

    @property
    def _there(self) -> dict[str, Any]:
        """The revision to read, and whether only from this machine."""
        return {"revision": self._revision, "local_files_only": self._offline}

    def _file(self, name: str) -> Path | None:
        """Return a file of the checkpoint, from the folder, the cache or the Hub, if it is there.

        Raises:
            OSError: the Hub does not give it.
        """
        from transformers.utils import cached_file

        path = cached_file(
            self.source, name, _raise_exceptions_for_missing_entries=False, **self._there
        )
        return Path(path) if path else None

    def tokenizer(self) -> Any:
        import transformers

        with self.explained():
            for path in filter(None, map(self._file, (*_TOKENIZER, _TOKENIZER_CONFIG))):
                require_size(self._name, path)
                if path.name == _TOKENIZER_CONFIG:
                    require_modest(self._name, path)
            return transformers.AutoTokenizer.from_pretrained(
                self.source, trust_remote_code=False, **self._there
            )

    @property
    def identity(self) -> str:
        """The commit of the Hub, or the files of a folder."""
        if Path(self.source).is_dir():
            return identity_of_folder(Path(self.source))
        if self._commit:
            return f"{self.source}@{self._commit}"
        config = self._file("config.json")
        assert config is not None  # it was loaded
        return f"{self.source}@{config.parent.name}"  # its folder in the cache

    def load(self, dtype: str) -> Any:
        """Load the model on its device."""
        import torch
        import transformers
        from safetensors.torch import load_file

        number = getattr(torch, dtype)
        with self.explained():
            config = self._file("config.json")
            settings = require_modest(self._name, config) if config else {}
            weights = self._weight_files()
            with bounded(self._name, weights, number.itemsize):
                model, report = getattr(transformers, self._auto_class).from_pretrained(
                    self.source,
                    use_safetensors=True,
                    dtype=number,
                    output_loading_info=True,
                    trust_remote_code=False,
                    **self._there,
                    **named_by_label2id(settings),
                )
            # A later copy must have the same weights, even if the branch has changed. Not before:
            # what is loaded by its commit is not found by name without a network.
            self._revision = self._commit or self._revision
            if report["missing_keys"]:
                config, model = model.config, None
                if self._rebuild is not None:
                    stored = chain.from_iterable(load_file(path).items() for path in weights)
                    model = self._rebuild(config, dict(stored))
                if model is None:
                    raise ModelError(f"Model '{self._name}' {_without_head(config)}")
            return model.to(device=self._device, dtype=number).eval()

    def _weight_files(self) -> list[Path]:
        """Return the files of the weights: one, or the shards of an index; [] if there are none."""
        names = {"model.safetensors"}
        if index := self._file("model.safetensors.index.json"):
            names = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        return [path for name in sorted(names) if (path := self._file(name))]

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn every error into a ModelError that says in one sentence what to do."""
        try:
            yield
        except ModelError:
            raise
        except Exception as error:  # a damaged file raises what its reader raises
            unknown = (
                f"cannot be loaded: {first_line(error)[:200].rstrip('.')}. Check its name and its "
                "files; only safetensors checkpoints are read."
            )
            why = _by_error(error) or self._by_files() or unknown
            raise ModelError(f"Model '{self._name}' {why}") from error

    def _by_files(self) -> str:
        """Explain an error by the files that are there; "" if they are fine or unknown."""
        if Path(self.source).is_dir():
            files = sorted(path.name for path in Path(self.source).iterdir())
        elif self._offline:
            return (
                "cannot be loaded: the Hugging Face Hub cannot be reached and the model is not in "
                "the cache; check your network, or name a folder that holds it."
            )
        else:
            from huggingface_hub import HfApi

            try:
                files = sorted(HfApi().list_repo_files(self.source, revision=self._revision))
            except Exception:  # noqa: BLE001 -- the list only makes the message better
                return ""
        if any(file.endswith(".safetensors") for file in files):
            return "" if any(file in _TOKENIZER for file in files) else _NO_TOKENIZER
        pickled = [f for f in files if f.endswith(_PICKLED) and "training_args" not in f]
        if pickled:
            return (
                f"holds only pickled weights ({pickled[0]}), which are not read as they can run "
                f"code; convert them in their folder: {_CONVERT.format(pickled[0])}"
            )
        foreign = next((file for file in files if file.endswith(_FOREIGN)), "")
        what = f"weights of another format ({foreign})" if foreign else "no weights"
        return f"holds {what}; a checkpoint needs model.safetensors, as save_pretrained writes it."


def _refuse_adapter(name: str, files: Iterable[str], folder: Path | None = None) -> None:
    """Refuse an adapter of PEFT, which holds the changes to another model's weights only."""
    if _ADAPTER not in files:
        return
    base = "the model that it was made for"
    if folder is not None:
        with suppress(OSError, ValueError, AttributeError):
            settings = json.loads((folder / _ADAPTER).read_text(encoding="utf-8"))
            base = str(settings.get("base_model_name_or_path") or base)[:200]
    raise ModelError(
        f"Model '{name}' is an adapter ({_ADAPTER}) of {base}; merge both with peft "
        "(merge_and_unload), save the result with save_pretrained, and name that folder."
    )


def _require_room(name: str, files: Iterable[Any], most: int) -> None:
    """Refuse what would be downloaded if it is too large, or leaves no room on the disk."""
    from huggingface_hub import constants

    wanted = [file for file in files if Path(file.rfilename).suffix in _DECIDING]
    size = sum(most if file.size is None else file.size for file in wanted)
    if size >= most:
        raise ModelError(
            f"Model '{name}' has {size / 1e9:.1f} GB, and one may have up to {most / 1e9:.1f} GB "
            "here. Choose a smaller one, or run HInter on your own machine."
        )
    Path(constants.HF_HUB_CACHE).mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(constants.HF_HUB_CACHE).free < size + _SPARE:
        raise ModelError(
            f"There is no room for model '{name}' here. Choose a smaller one, or run HInter on "
            "your own machine."
        )


def _by_error(error: BaseException) -> str:
    if out_of_memory(error):
        return "does not fit into memory; try dtype=bfloat16, a smaller model, or another machine."
    chain = [error]
    while cause := chain[-1].__cause__ or chain[-1].__context__:
        chain.append(cause)
    kinds, text = {type(e).__name__ for e in chain}, " ".join(map(str, chain))
    if "GatedRepoError" in kinds or "gated repo" in text:
        return (
            "is gated: accept its terms on its page of the Hugging Face Hub, and log in with: "
            "hf auth login"
        )
    if "trust_remote_code" in text:  # what transformers says of code that it does not run
        return (
            "needs code of its own (auto_map), which HInter never runs; name a checkpoint whose "
            "architecture is part of transformers."
        )
    if "SafetensorError" in kinds:
        return "has a damaged or incomplete file of weights; download it again."
    if "Unrecognized configuration class" in text:
        return "is of a kind that has no head for this task; name one fine-tuned for it."
    return ""


def _without_head(config: Any) -> str:
    made_for = " ".join(getattr(config, "architectures", None) or ())
    hint = "name a checkpoint fine-tuned for it"
    if "CausalLM" in made_for or "LMHead" in made_for:
        hint = "it writes text; if it is tuned to follow instructions, name it as hf-chat:NAME"
    elif made_for and "Classification" not in made_for:
        hint = f"it was saved as {made_for}; {hint}"
    return f"has no trained head for this task: {hint}."


def _window(tokenizer: Any, model: Any) -> int | None:
    """Return the smallest limit of the tokenizer and the model's positions."""
    limits = [tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None)]
    for name, module in model.named_modules():
        # RoBERTa's positions begin after the padding row, so a table of 514 holds 512 tokens.
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            limits.append(module.num_embeddings - padding - 1)
    real = [int(n) for n in limits if n and 0 < n < _NO_LIMIT]
    return min(real) if real else None


def identity_of_folder(folder: Path) -> str:
    """Return the identity of a checkpoint in a folder, by its files."""
    # A folder may be renamed or retrained in place, so its files identify it: small ones by
    # content, large ones by size and time. The tokenizer, its chat template and the generation
    # settings determine an answer as well as the weights.
    digest = sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix not in _DECIDING or not path.is_file():
            continue
        stat = path.stat()
        small = stat.st_size < _HASHED_BYTES
        digest.update(f"{path.name} {stat.st_size} ".encode())
        digest.update(path.read_bytes() if small else str(stat.st_mtime_ns).encode())
    return f"local@{digest.hexdigest()[:12]}"


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out."""
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(s in str(error).lower() for s in _OUT_OF_MEMORY)
