"""Write the network for ONNX Runtime, in eight bits a number and files of less than 10 MiB."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import nn

from training.encoder.network import Network
from training.encoder.peoples import write_peoples
from training.encoder.train import Settings

_FILES = 2  # of the embeddings of pieces
_OPSET = 17


class _Layers(nn.Module):  # type: ignore[misc]  # torch is not typed here
    """The network from the embeddings of pieces on."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, pieces: torch.Tensor, styles: torch.Tensor) -> torch.Tensor:
        return self.network.computed(pieces, styles)


def write(
    network: Network, tokenizer: Tokenizer, peoples: Mapping[str, str], out: Path,
    settings: Settings,
) -> None:  # fmt: skip
    """Write layers, embeddings of pieces, vocabulary, fixed words and the recipe's numbers."""
    out.mkdir(parents=True, exist_ok=True)
    example = torch.zeros((1, 8, network.shape.width)), torch.zeros((1, 8), dtype=torch.long)
    axes = {name: {1: "length"} for name in ("pieces", "styles", "logits")}
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "layers.onnx"
        torch.onnx.export(
            _Layers(network.eval()), example, str(whole), input_names=["pieces", "styles"],
            output_names=["logits"], dynamic_axes=axes, opset_version=_OPSET, dynamo=False,
        )  # fmt: skip
        # Seven bits, since sums of two products of eight overflow on machines without VNNI.
        quantize_dynamic(
            whole, out / "layers.onnx", per_channel=True, reduce_range=True,
            weight_type=QuantType.QInt8,
        )  # fmt: skip
    for n, part in enumerate(quantised(network.pieces.weight.detach()), 1):
        save_file(part, out / f"pieces-{n}.safetensors")
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    (out / "settings.json").write_text(json.dumps(settings.as_dict(), indent=2) + "\n")
    write_peoples(peoples, out)


def quantised(pieces: torch.Tensor) -> list[dict[str, torch.Tensor]]:
    """Return embeddings as whole numbers of eight bits, with a scale for each row."""
    found = []
    for part in pieces.split((len(pieces) + _FILES - 1) // _FILES):
        scales = part.abs().amax(dim=1).clamp(min=1e-8) / 127
        values = (part / scales[:, None]).round().to(torch.int8).contiguous()
        found.append({"values": values, "scales": scales.contiguous()})
    return found
