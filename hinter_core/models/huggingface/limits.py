"""Bound what a checkpoint may take in memory before its model is built.

``config.json`` alone decides how large a model is, and what its files do not hold would be filled
with random numbers. So a model may have little more than its weights fill, counted while it is
built without memory (``transformers`` builds on torch's ``meta`` device).
"""

import json
import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import isfinite, prod
from pathlib import Path
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.language.clean import values_within

# Environment variable of hosts where strangers may load models of the Hub: bytes of a model.
LARGEST = "HINTER_LARGEST_MODEL"
_COPIES = 4  # a tied table of words is built up to four times, and stored once
_SPARE_BYTES = 200_000_000  # buffers, and heads that are named later
_MODULES, _MODULES_A_TENSOR = 10_000, 50
_IN_FLOAT32 = 2  # a model stored in 16 bits takes twice its files
_CONFIG_BYTES, _FILE_BYTES = 20_000_000, 200_000_000
# Numbers for which a configuration or a tokenizer makes lists before there is a model.
_LISTED = re.compile(
    "layer|block|depth|stage|group|head|expert|label|hash|extra_ids|num_mask|offset", re.IGNORECASE
)
_MOST_LISTED, _MOST = 100_000, 2**31
_MOST_DIGITS = 18


def largest_model() -> int:
    """Return how many bytes a model of the Hub may have here; 0: any number.

    Raises:
        ModelError: the owner's setting is no number.
    """
    value = os.environ.get(LARGEST, "").strip()
    digits = value.replace("_", "")
    if value and not (digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS):
        raise ModelError(
            f"{LARGEST} is {value[:60]}, but counts the bytes of a model: a whole number such as "
            "3000000000."
        )
    return int(digits or 0)


def require_modest(name: str, path: Path) -> dict[str, Any]:
    """Read a configuration; refuse numbers that belong to no real model, and calls for code.

    Raises:
        ModelError: a number or the file is too large, or an implementation is code of the Hub.
    """
    require_size(name, path, _CONFIG_BYTES)
    settings = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(settings, dict):
        raise ModelError(f"Model '{name}' cannot be loaded: {path.name} holds no settings.")
    for key, value in values_within(settings):
        if isinstance(value, str) and key.endswith("_implementation") and "/" in value:
            raise ModelError(
                f"Model '{name}' asks for code of the Hub ({key}: {value[:60]}), which HInter "
                f"never runs; remove {key} from {path.name}, or name another checkpoint."
            )
        most = _MOST_LISTED if _LISTED.search(key) else _MOST
        number = value if isinstance(value, int | float) and "len" not in key else 0
        if isfinite(number) and abs(number) > most:
            raise ModelError(_too_large(name, f"{path.name} gives {key[:60]} as {number:.6g}"))
    return settings


def require_size(name: str, path: Path, most: int = _FILE_BYTES) -> None:
    """Refuse a file that would take gigabytes when it is read.

    Raises:
        ModelError: it is too large.
    """
    if path.stat().st_size > most:
        raise ModelError(_too_large(name, f"{path.name} has more than {most:,} bytes"))


@contextmanager
def bounded(name: str, files: Iterable[Path], item_bytes: int) -> Iterator[None]:
    """Count what a model that is built in this thread takes, against its ``files`` of weights.

    ``item_bytes``: bytes of a number in the dtype to load. A later part is refused as it is made,
    so nothing is built far beyond the limit.

    Raises:
        ModelError: more is built than the weights fill, or the owner's limit is passed.
    """
    from torch.nn.modules import module as hooks

    elements, tensors = _stored(files)
    largest = largest_model()
    if largest and elements * item_bytes > _IN_FLOAT32 * largest:
        raise ModelError(
            f"Model '{name}' takes {elements * item_bytes / 1e9:.1f} GB in memory, and one may "
            f"take up to {_IN_FLOAT32 * largest / 1e9:.1f} GB here. Choose a smaller one, or run "
            "HInter on your own machine."
        )
    most_bytes = _COPIES * elements * item_bytes + _SPARE_BYTES
    most_modules = _MODULES_A_TENSOR * tensors + _MODULES
    thread, built, modules = threading.get_ident(), 0, 0

    def add_tensor(_module: Any, _name: str, tensor: Any) -> None:
        nonlocal built
        if tensor is None or threading.get_ident() != thread:
            return
        built += tensor.numel() * tensor.element_size()
        if built > most_bytes:
            raise ModelError(_unfilled(name, f"over {built / 1e9:.1f} GB"))

    def add_module(_parent: Any, _name: str, _module: Any) -> None:
        nonlocal modules
        if threading.get_ident() != thread:
            return
        modules += 1
        if modules > most_modules:
            raise ModelError(_unfilled(name, f"over {most_modules:,} parts"))

    with (
        hooks.register_module_parameter_registration_hook(add_tensor),
        hooks.register_module_buffer_registration_hook(add_tensor),
        hooks.register_module_module_registration_hook(add_module),
    ):
        yield


def _stored(files: Iterable[Path]) -> tuple[int, int]:
    """Count the numbers and the tensors in files of weights, by their headers."""
    from safetensors import safe_open

    elements = tensors = 0
    for path in files:
        with safe_open(path, framework="pt") as file:
            for key in file.keys():  # noqa: SIM118 -- no mapping
                elements += prod(file.get_slice(key).get_shape())
                tensors += 1
    return elements, tensors


def _unfilled(name: str, what: str) -> str:
    return (
        f"Model '{name}' asks in its config.json for {what}, far more than its weights fill; check "
        "that config.json and the weights belong together, or name another checkpoint."
    )


def _too_large(name: str, what: str) -> str:
    return f"Model '{name}' cannot be loaded: {what}, as no real model does. Name another one."
