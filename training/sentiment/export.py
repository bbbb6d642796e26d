"""Write the graph of the classifier for ONNX Runtime: ``python -m training.sentiment.export DIR``.

``layers.onnx`` names the weights by their places in ``model.safetensors`` and holds none itself.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import onnx
import torch
from torch import nn
from transformers import AutoModelForSequenceClassification, ModernBertForSequenceClassification

_WEIGHTS = "model.safetensors"
_OPSET = 17
_LENGTH = 8  # bytes of the number of bytes of the header


class _Logits(nn.Module):  # type: ignore[misc]  # torch is not typed here
    def __init__(self, model: ModernBertForSequenceClassification) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(input_ids=input_ids, attention_mask=attention_mask).logits
        return logits


def write(folder: Path) -> None:
    """Write the graph beside the weights of a finished folder.

    Raises:
        ValueError: the graph needs a number that is not among the weights.
    """
    model = AutoModelForSequenceClassification.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", trust_remote_code=False
    )
    mask = torch.ones((2, 9), dtype=torch.long)
    mask[1, 6:] = 0
    axes = {name: {0: "texts", 1: "length"} for name in ("input_ids", "attention_mask")}
    whole = io.BytesIO()
    # Constants are not folded, so that the weights stay as they are in their file.
    torch.onnx.export(
        _Logits(model.eval()), (torch.ones_like(mask), mask), whole, input_names=list(axes),
        output_names=["logits"], dynamic_axes={**axes, "logits": {0: "texts"}},
        opset_version=_OPSET, do_constant_folding=False, dynamo=False,
    )  # fmt: skip
    graph = onnx.load_from_string(whole.getvalue())
    raw = (folder / _WEIGHTS).read_bytes()
    begin = _LENGTH + int.from_bytes(raw[:_LENGTH], "little")
    header = json.loads(raw[_LENGTH:begin])
    header.pop("__metadata__", None)
    places = [[begin + end for end in tensor["data_offsets"]] for tensor in header.values()]
    by_content = {raw[start:end]: (start, end - start) for start, end in places}
    for tensor in graph.graph.initializer:
        if tensor.raw_data not in by_content:
            raise ValueError(f"{tensor.name} is no tensor of {_WEIGHTS}.")
        start, length = by_content[tensor.raw_data]
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in (("location", _WEIGHTS), ("offset", start), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))
    (folder / "layers.onnx").write_bytes(graph.SerializeToString())


if __name__ == "__main__":
    write(Path(sys.argv[1]))
