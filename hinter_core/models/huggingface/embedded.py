"""The sentiment classifier that comes with HInter, computed by ONNX Runtime.

No torch is loaded for it, which takes longer to import than most checks need. ``layers.onnx`` says
how the weights in ``model.safetensors`` are used (``python -m training.sentiment.export``), so that
both formats have the same weights and one identity.
"""

import json
import os
from collections.abc import Sequence
from functools import cached_property

from hinter_core.errors import ModelError
from hinter_core.models.base import (
    Capabilities,
    ModelUnderTest,
    answer_from,
    distance_to_threshold,
)
from hinter_core.models.huggingface.checkpoint import (
    Checkpoint,
    embedded_checkpoint,
    identity_of_folder,
)
from hinter_core.models.huggingface.classifier import AUTO_CLASS, NEAR_TIE
from hinter_core.models.registry import ModelName
from hinter_core.storage import ASSETS
from hinter_core.types import Prediction

EMBEDDED = ASSETS / "models" / "sentiment"
_LAYERS = "layers.onnx"
_TOKENS = 512  # of a batch; of 128 to 4,096 the fastest on one core


class EmbeddedClassifier(ModelUnderTest):
    """The shipped checkpoint on the CPU; ``checkpoint`` is the same in torch, to train it."""

    def __init__(self, name: ModelName) -> None:
        """Load graph, weights and tokenizer.

        Raises:
            ModelError: files are missing or broken.
        """
        import onnxruntime
        from tokenizers import Tokenizer

        self.name = name.text
        self._name = name
        options = onnxruntime.SessionOptions()
        options.inter_op_num_threads = 1
        said = os.environ.get("OMP_NUM_THREADS", "")  # else half of the processors, as for torch
        half = max(1, (os.cpu_count() or 1) // 2)
        options.intra_op_num_threads = int(said) if said.isdecimal() else half
        # Threads that wait for work would otherwise keep a core busy.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            config = json.loads((EMBEDDED / "config.json").read_text(encoding="utf-8"))
            self._layers = onnxruntime.InferenceSession(
                EMBEDDED / _LAYERS, options, providers=["CPUExecutionProvider"]
            )
            self._tokenizer = Tokenizer.from_file(str(EMBEDDED / "tokenizer.json"))
        except Exception as error:  # what the readers of three formats raise
            raise ModelError(
                f"The embedded model cannot be read from {EMBEDDED} ({error}); restore or retrain "
                "it."
            ) from error
        self._tokenizer.encode_special_tokens = True  # those written in a text are plain words
        self._pad = config["pad_token_id"]
        window = config["max_position_embeddings"]
        self._tokenizer.enable_truncation(window)
        labels = tuple(config["id2label"][str(n)] for n in range(len(config["id2label"])))
        weights = identity_of_folder(EMBEDDED)
        self.identity = f"hf-2-{weights}-float32-whole-one-{labels}"
        self.capabilities = Capabilities(labels=labels, window=window, dtype="float32")

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """The same weights in torch.

        Raises:
            ModelError: torch is missing.
        """
        return embedded_checkpoint(self._name, EMBEDDED, AUTO_CLASS)

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Return predictions in order; near a tie, a text is asked alone.

        Results of a batch and of a single text differ in the last digits, and a label depends on
        the text only.
        """
        ids = [pieces.ids for pieces in self._tokenizer.encode_batch(list(texts))]
        answers: dict[int, Prediction] = {}
        order = sorted(range(len(ids)), key=lambda n: -len(ids[n]))
        while order:
            many = max(1, _TOKENS // len(ids[order[0]]))
            chosen, order = order[:many], order[many:]
            answers |= zip(chosen, self._answers([ids[n] for n in chosen]), strict=True)
        for n, answer in answers.items():
            if (distance_to_threshold(answer, self.capabilities) or 0) < NEAR_TIE:
                (answers[n],) = self._answers([ids[n]])
        return [answers[n] for n in range(len(ids))]

    def visible(self, text: str) -> int:
        """Count the leading characters that the model reads."""
        pieces = self._tokenizer.encode(text)
        return pieces.offsets[-2][1] if pieces.overflowing else len(text)

    def _answers(self, batch: Sequence[Sequence[int]]) -> list[Prediction]:
        """Compute the answers of a batch, padded to its longest text."""
        import numpy

        longest = max(map(len, batch))
        ids = numpy.full((len(batch), longest), self._pad, numpy.int64)
        mask = numpy.zeros_like(ids)
        for row, pieces in enumerate(batch):
            ids[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = 1
        (logits,) = self._layers.run(None, {"input_ids": ids, "attention_mask": mask})
        odds = numpy.exp(logits - logits.max(axis=1, keepdims=True), dtype=numpy.float64)
        labels = self.capabilities.labels
        return [
            answer_from(dict(zip(labels, row, strict=True)), self.capabilities)
            for row in (odds / odds.sum(axis=1, keepdims=True)).tolist()
        ]
