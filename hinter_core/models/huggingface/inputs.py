"""Token ids for every kind of classification head, and batches of them.

An encoder's head reads the first token or all tokens, a decoder's the last one that is not padding,
an encoder-decoder's the end token. So inputs are padded on the right with the token that the head
skips, and an input to an encoder-decoder has exactly one end token, the last. Special tokens
written in a text are plain words.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hinter_core.errors import ModelError
from hinter_core.models.huggingface.checkpoint import Checkpoint, out_of_memory

if TYPE_CHECKING:
    import torch


Piece = dict[str, list[int]]


class Inputs:
    """The tokenizer of a checkpoint, set up for its head."""

    def __init__(self, name: str, checkpoint: Checkpoint, encoder: Any = None) -> None:
        """Set up padding, truncation and special tokens; ``encoder``: the part that is called.

        Raises:
            ModelError: a decoder whose tokenizer has neither padding nor end token.
        """
        self.tokenizer = checkpoint.tokenizer
        self._device = checkpoint.device
        model = checkpoint.model
        self.tokenizer.truncation_side = "right"
        self.tokenizer.split_special_tokens = True
        _choose_padding(name, self.tokenizer, model.config.get_text_config())
        self.set_up(model)
        # Tokenizers may give token types to models without them.
        called = model if encoder is None else encoder
        self._keys = set(inspect.signature(called.forward).parameters)
        self._end: int | None = None
        if getattr(model.config, "is_encoder_decoder", False):
            self._end = model.config.eos_token_id
        ids = self.tokenizer("a")["input_ids"]
        self.added = int(self._end is not None and ids[-1:] != [self._end])
        begin, unknown = self.tokenizer.bos_token_id, self.tokenizer.unk_token_id
        self._first = self.tokenizer.pad_token_id if begin is None else begin
        self._other = self.tokenizer.pad_token_id if unknown is None else unknown

    def set_up(self, model: Any) -> None:
        """Set the padding token of a model's head to the tokenizer's.

        If they differ, or one is missing, the head reads the padding of a batch.
        """
        for config in (model.config, model.config.get_text_config()):
            config.pad_token_id = self.tokenizer.pad_token_id
            config.use_cache = False  # texts are not continued

    def whole(
        self,
        texts: Sequence[str],
        limit: int | None,
        second: str | None = None,
        *,
        special_tokens: bool = False,
    ) -> list[Piece]:
        """Encode one piece per text, cut to ``limit`` tokens; ``second``: a sentence after it.

        ``special_tokens``: those written in the texts are such, and no plain words.
        """
        encoded = self.tokenizer(
            list(texts),
            None if second is None else [second] * len(texts),
            truncation=False if limit is None else "only_first",
            max_length=None if limit is None else limit - self.added,
            return_special_tokens_mask=True,
            split_special_tokens=not special_tokens,
            verbose=False,
        )
        return list(self._pieces(encoded))

    def segments(self, text: str, limit: int) -> list[tuple[Piece, int]]:
        """Split a text into pieces of up to ``limit`` tokens, each with its end in the text."""
        encoded = self.tokenizer(
            text,
            truncation=True,
            max_length=limit - self.added,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            verbose=False,
        )
        ends = [max((end for _, end in row), default=0) for row in encoded["offset_mapping"]]
        return list(zip(self._pieces(encoded), ends, strict=True))

    def special(self, pair: bool = False) -> int:
        """Count the tokens of a piece that are not of the text."""
        return int(self.tokenizer.num_special_tokens_to_add(pair)) + self.added

    def tensors(self, pieces: Sequence[Piece]) -> Any:
        """Pad pieces to a batch on the model's device."""
        rows = {key: [piece[key] for piece in pieces] for key in pieces[0]}
        return self.tokenizer.pad(
            rows, padding_side="right", return_tensors="pt", verbose=False
        ).to(self._device)

    def _pieces(self, encoded: Any) -> Iterator[Piece]:
        keys = [key for key in encoded if key in self._keys]
        for i, mask in enumerate(encoded["special_tokens_mask"]):
            piece = {key: list(encoded[key][i]) for key in keys}
            self._mend(piece["input_ids"], mask)
            for key, values in piece.items():
                # Added tokens are attended to, and get the token type of the one before.
                fill = 1 if key == "attention_mask" else (values[-1] if values else 0)
                values.extend([fill] * (len(piece["input_ids"]) - len(values)))
            yield piece

    def _mend(self, ids: list[int], special: Sequence[int]) -> None:
        """Leave one end token, the last, and no input empty."""
        if self._end is not None:
            # A subword tokenizer (T5's) encodes a written "</s>" as the end token.
            for place, (token, added) in enumerate(zip(ids, special, strict=True)):
                if token == self._end and not added:
                    ids[place] = self._other
            ids.extend([self._end] * self.added)
        elif not ids:
            ids.append(self._first)


def _choose_padding(name: str, tokenizer: Any, config: Any) -> None:
    """Choose the padding token: the one that the head skips, else the end token."""
    skipped = getattr(config, "pad_token_id", None)
    if skipped is not None and 0 <= skipped < len(tokenizer):
        tokenizer.pad_token_id = skipped
    elif tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.pad_token_id is None:
        raise ModelError(
            f"The tokenizer of '{name}' has neither a padding nor an end token; add pad_token to "
            "its tokenizer_config.json."
        )


Forward = Callable[[list[int]], "torch.Tensor"]

# Tokens of a batch. On one CPU core, 1,024 were the fastest (twice as fast as single texts; 8,192,
# too large for the caches, were 1.5 times as fast).
_TOKENS_CPU = 1024
_TOKENS = 8192


class Batches:
    """Padded batches of at most ``budget`` tokens; a longer input is a batch by itself.

    If a batch does not fit into memory, the budget is halved for it and all later ones.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget

    @classmethod
    def on(cls, device: str) -> Batches:
        """Choose the fastest size of batches for a device."""
        return cls(_TOKENS_CPU if device == "cpu" else _TOKENS)

    def run(self, lengths: Sequence[int], forward: Forward) -> list[torch.Tensor | None]:
        """Compute a row per input (CPU, fp32), or None if it does not fit into memory alone."""
        rows: list[torch.Tensor | None] = [None] * len(lengths)
        # Longest first, so that memory runs short at once or not at all.
        order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
        start = 0
        while start < len(order):
            longest = max(1, lengths[order[start]])
            chosen = order[start : start + max(1, self.budget // longest)]
            batch = _attempt(forward, chosen)
            if batch is None and len(chosen) > 1:
                self.budget = len(chosen) // 2 * longest
                continue
            for row, i in enumerate(chosen):
                rows[i] = None if batch is None else batch[row]
            start += len(chosen)
        return rows


def _attempt(forward: Forward, chosen: list[int]) -> Any:
    try:
        return forward(chosen).float().cpu()
    except Exception as error:
        if not out_of_memory(error):
            raise
    # Only after the except block, the error's traceback releases the tensors of the failed batch.
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None
