"""Schemes of a classifier's inputs: first window, pooled segments, NLI hypotheses, hierarchical."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, Protocol

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities, answer_from
from hinter_core.models.huggingface.checkpoint import Checkpoint
from hinter_core.models.huggingface.inputs import Inputs, Piece
from hinter_core.types import Failure, Prediction

if TYPE_CHECKING:
    import torch


class Scheme(Protocol):
    """Turns texts into inputs of a model, and its rows into scores.

    ``identity`` names what determines an answer besides the weights; ``window`` is the number of
    tokens read of a text (None: all); ``note`` explains it to the user.
    """

    identity: str
    window: int | None
    note: str = ""
    inputs: Inputs
    lacking: Prediction = Prediction(failure=Failure.ERROR)

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the inputs of each text; none for one that gets the answer ``lacking``."""

    def forward(self, model: Any, batch: Any) -> torch.Tensor:
        """Compute a row per input of a batch; by default its logits."""
        logits: torch.Tensor = model(**batch).logits
        return logits

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:
        """Compute the probabilities of the labels from the rows of one text's inputs."""

    def answer(self, model: Any, rows: torch.Tensor, capabilities: Capabilities) -> Prediction:
        """Return the answer to a text from the rows of its inputs."""
        scores = self.scores(model, rows).tolist()
        return answer_from(dict(zip(capabilities.labels, scores, strict=True)), capabilities)

    def visible(self, text: str) -> int:
        """Count the leading characters of ``text`` that are read."""


def probabilities(logits: torch.Tensor, multi_label: bool) -> torch.Tensor:
    """Turn logits of labels (last axis) into probabilities, separate if ``multi_label``."""
    return logits.sigmoid() if multi_label else logits.softmax(-1)


class Whole(Scheme):
    """One input per text, cut to the window."""

    identity = "whole"

    def __init__(self, name: str, checkpoint: Checkpoint, multi_label: bool) -> None:
        self.inputs = Inputs(name, checkpoint)
        self.window = checkpoint.window
        self._checkpoint = checkpoint
        self._multi_label = multi_label

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return one input per text."""
        return [[piece] for piece in self.inputs.whole(texts, self.window)]

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 -- protocol
        """Compute the probabilities of the only input."""
        return probabilities(rows[0], self._multi_label)

    def visible(self, text: str) -> int:
        """Count the characters up to the last token that fits the window."""
        return self._checkpoint.visible(text, less=self.inputs.added)


class Pooled(Whole):
    """Segments of at most one window, whose probabilities are pooled by ``mean`` or ``max``.

    Segments have equal lengths, because a last one of a few words would count as much as a full
    one. Probabilities are pooled rather than logits: they are bounded, so one very certain segment
    cannot outvote all others, and their mean is a distribution.

    Raises:
        ModelError: a tokenizer that cannot cut texts at token boundaries.
    """

    def __init__(self, name: str, checkpoint: Checkpoint, multi_label: bool, method: str) -> None:
        super().__init__(name, checkpoint, multi_label)
        if not checkpoint.tokenizer.is_fast:
            raise ModelError(f"Model '{name}' has no fast tokenizer (tokenizer.json); leave pool.")
        self._limit = checkpoint.window
        self.window = None
        self._method = method
        self.identity = f"pool-1-{method}"
        self.note = (
            f"long texts are read in segments of up to {self._limit} tokens; scores are the "
            f"{'maximum' if method == 'max' else method} of the segments' probabilities"
        )

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the segments of each text."""
        encoded = []
        for text, piece in zip(texts, self.inputs.whole(texts, None), strict=True):
            special = self.inputs.special()
            tokens = len(piece["input_ids"]) - special
            if self._limit is None or tokens + special <= self._limit:
                encoded.append([piece])
                continue
            number = ceil(tokens / (self._limit - special))
            length = ceil(tokens / number) + special
            encoded.append([segment for segment, _ in self.inputs.segments(text, length)])
        return encoded

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 -- protocol
        """Pool the segments' probabilities."""
        each = probabilities(rows, self._multi_label)
        if self._method == "mean":
            return each.mean(0)
        best = each.amax(0)
        # The maxima of distributions add up to more than one.
        return best if self._multi_label else best / best.sum()

    def visible(self, text: str) -> int:
        """Count all characters."""
        return len(text)


class Hypotheses(Whole):
    """Zero-shot: pairs of each text with a hypothesis per label, scored by an NLI model.

    Method: Yin et al. 2019, as in transformers' zero-shot pipeline. Entailment logits are compared
    between labels, or (``multi``) with contradiction within each label. Departure: texts are cut to
    the room that the longest hypothesis leaves, so that all labels are scored on the same words.

    Raises:
        ModelError: no NLI model, or hypotheses that fill its window.
    """

    def __init__(
        self, name: str, checkpoint: Checkpoint, labels: Sequence[str], template: str, multi: bool
    ) -> None:
        by_name = {str(v).lower(): int(k) for k, v in checkpoint.model.config.id2label.items()}
        self._entailment = next((i for n, i in by_name.items() if n.startswith("entail")), -1)
        self._contradiction = next((i for n, i in by_name.items() if n.startswith("contra")), -1)
        if self._entailment < 0 or (multi and self._contradiction < 0):
            raise ModelError(
                f"Model '{name}' does not label entailment and contradiction; name an NLI model."
            )
        super().__init__(name, checkpoint, multi)
        self.identity = f"{template}-{multi}"
        self._hypotheses = [template.replace("{}", label) for label in labels]
        plain = checkpoint.tokenizer(self._hypotheses, add_special_tokens=False)
        # Tokens that are not of the text, for each hypothesis.
        self._taken = [len(ids) + self.inputs.special(pair=True) for ids in plain["input_ids"]]
        if self.window is not None and max(self._taken) >= self.window:
            raise ModelError(
                f"The window of '{name}' is {self.window} tokens, and the longest label with the "
                "template leaves no room for a text; shorten them."
            )

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return one input per label, all with the same part of the text."""
        room = None if self.window is None else self.window - max(self._taken)
        by_label = [
            self.inputs.whole(texts, None if room is None else room + taken, second=hypothesis)
            for hypothesis, taken in zip(self._hypotheses, self._taken, strict=True)
        ]
        return [list(of_text) for of_text in zip(*by_label, strict=True)]

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 -- protocol
        """Compare entailment between the labels, or with contradiction within each."""
        if self._multi_label:
            return rows[:, [self._contradiction, self._entailment]].softmax(-1)[:, 1]
        return rows[:, self._entailment].softmax(-1)

    def visible(self, text: str) -> int:
        """Count the characters that fit the window beside the longest hypothesis."""
        return self._checkpoint.visible(text, less=max(self._taken) - self.inputs.special())


SEGMENT = 128
_ENCODERS = ("bert", "roberta")
_LAYERS = 2
_POSITIONS = ".seg_pos_embeddings.weight"
# A paragraph ends at a blank line, and at a line break after the end of a sentence: facts are
# listed one per line, and wrapped lines stay together.
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*|(?<=[.!?:;)\"'\u2019\u201d])[^\S\n]*\n\s*")


def rebuild(config: Any, weights: Mapping[str, torch.Tensor]) -> Any | None:
    """Rebuild a hierarchical model from its weights (fp32, CPU); None if it is no such model.

    The ``config.json`` of such a checkpoint describes a plain classifier, and ``transformers``
    would fill most of it with random numbers. It is recognised by the names of its weights,
    rebuilt, and loaded strictly.

    Raises:
        ModelError: a hierarchical model with another encoder.
        RuntimeError: missing or unexpected weights.
    """
    import torch
    from torch import nn
    from transformers import AutoModelForSequenceClassification

    positions = next((w for k, w in weights.items() if k.endswith(_POSITIONS)), None)
    if positions is None:
        return None
    if config.model_type not in _ENCODERS:
        raise ModelError(
            f"This hierarchical checkpoint is built on {config.model_type}; only those on "
            f"{' and '.join(_ENCODERS)} can be read."
        )
    flat = AutoModelForSequenceClassification.from_config(
        config, dtype=torch.float32, trust_remote_code=False
    )
    kind, width = flat.base_model_prefix, config.hidden_size
    layer = nn.TransformerEncoderLayer(
        width,
        config.num_attention_heads,
        config.intermediate_size,
        activation=config.hidden_act,
        layer_norm_eps=config.layer_norm_eps,
        batch_first=True,
    )
    body = nn.ModuleDict(
        {
            "encoder": flat.base_model,
            "seg_pos_embeddings": nn.Embedding(*positions.shape),
            "seg_encoder": nn.TransformerEncoder(
                layer,
                _LAYERS,
                nn.LayerNorm(width, eps=config.layer_norm_eps),
                enable_nested_tensor=False,
            ),
        }
    )
    classifier: nn.Module = nn.Linear(width, config.num_labels)
    if "classifier.weight" not in weights:  # RoBERTa's two layers; dropout is for training
        classifier = nn.Sequential(nn.Linear(width, width), nn.Identity(), classifier)
    model = nn.ModuleDict({kind: body, "classifier": classifier})
    # Older versions of transformers stored the positions 0, 1, 2 ... beside the weights.
    stored = {k: w.float() for k, w in weights.items() if not k.endswith(".position_ids")}
    model.load_state_dict(stored, strict=True)
    model.config, model.body = config, body
    return model


class Hierarchical(Scheme):
    """Long documents in segments, as published with LexGLUE (Chalkidis et al. 2022).

    A document is up to 64 segments of up to 128 tokens, one per paragraph. An encoder (BERT or
    RoBERTa) gives each segment the vector of its first token; position embeddings of the segments
    are added; two transformer layers attend over the segments; their maximum, feature by feature,
    is classified.

    As in training, missing segments take part: they are rows of token 0 at position 0, and not
    masked. The position embeddings have one row per segment and one for the missing ones.
    Departure: in training, a paragraph was cut after 128 tokens; here it continues in the next
    segment, so that the beginning of a text is read without gaps.
    """

    identity = "hierarchical-1"

    def __init__(self, name: str, checkpoint: Checkpoint, multi_label: bool) -> None:
        body = checkpoint.model.body
        self.inputs = Inputs(name, checkpoint, body["encoder"])
        self._multi_label = multi_label
        self._segments = body["seg_pos_embeddings"].num_embeddings - 1
        self._length = min(SEGMENT, checkpoint.window or SEGMENT)
        self.window = self._segments * self._length
        self.note = (
            f"a hierarchical model: paragraphs are read in up to {self._segments} segments of "
            f"{self._length} tokens"
        )
        self._empty: dict[Any, torch.Tensor] = {}

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the segments of each text that are read."""
        return [[piece for piece, _ in self._read(text)[: self._segments]] for text in texts]

    def _read(self, text: str) -> list[tuple[Piece, int]]:
        """Return all segments of a text, with their ends; a text without words has one."""
        segments: list[tuple[Piece, int]] = []
        start = 0
        for stop, after in [*(m.span() for m in _PARAGRAPH.finditer(text)), (len(text),) * 2]:
            paragraph = text[start:stop]
            if paragraph.strip() or (not segments and after == len(text)):
                pieces = self.inputs.segments(paragraph, self._length)
                segments += [(piece, start + end) for piece, end in pieces]
            start = after
        return segments

    def forward(self, model: Any, batch: Any) -> torch.Tensor:
        """Compute the vectors of segments (inputs x width)."""
        vectors: torch.Tensor = model.body["encoder"](**batch)[0][:, 0]
        return vectors

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:
        """Compute the probabilities of the document's labels."""
        import torch

        body = model.body
        table = body["seg_pos_embeddings"].weight
        with torch.inference_mode():
            missing = self._missing(model).expand(self._segments - len(rows), -1)
            places = [*range(1, len(rows) + 1), *[0] * len(missing)]
            seen = torch.cat([rows.to(table), missing]) + table[places]
            document = body["seg_encoder"](seen[None]).amax(1)
            logits = model["classifier"](document)[0].float().cpu()
            return probabilities(logits, self._multi_label)

    def _missing(self, model: Any) -> torch.Tensor:
        """Compute the vector (1 x width) of a missing segment, a row of token 0."""
        import torch

        if id(model) not in self._empty:
            table = model.body["seg_pos_embeddings"].weight
            ids = torch.zeros((1, self._length), dtype=torch.long, device=table.device)
            # In training all its tokens were masked. That adds a constant to all attention logits,
            # which the softmax ignores, so no mask is equivalent.
            with torch.inference_mode():
                vector = model.body["encoder"](input_ids=ids)[0][:, 0]
            self._empty[id(model)] = vector
        return self._empty[id(model)]

    def visible(self, text: str) -> int:
        """Count the characters up to the end of the last segment that is read."""
        segments = self._read(text)
        return len(text) if len(segments) <= self._segments else segments[self._segments - 1][1]
