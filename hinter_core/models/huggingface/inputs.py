"""Texts to rows of token ids, made so that every kind of classification head takes them.

The heads differ in what they look at. An encoder's looks at its first token, or at all; a
decoder's at the last one that is not padding; an encoder-decoder's at the end token. So padding
goes to the right, its token is the one that the head skips, and an input to an encoder-decoder
holds its end token once, at the end. The words of special tokens in a text are words: a text under
test cannot end itself.
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
        """Set up padding, truncation and special tokens; ``encoder``: what of the model is called.

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
        # Tokenizers may offer token types to models that know none.
        called = model if encoder is None else encoder
        self._keys = set(inspect.signature(called.forward).parameters)
        self._end: int | None = None
        if getattr(model.config, "is_encoder_decoder", False):
            self._end = model.config.eos_token_id
        said = self.tokenizer("a")["input_ids"]
        self.added = int(self._end is not None and said[-1:] != [self._end])
        pad = self.tokenizer.pad_token_id
        self._first = _first_of(self.tokenizer.bos_token_id, pad)
        self._other = _first_of(self.tokenizer.unk_token_id, pad)

    def set_up(self, model: Any) -> None:
        """Let a copy of the model skip the padding: its head takes the last token that is none.

        Where the two differ, or one is missing, a batch would be answered by its padding.
        """
        for config in (model.config, model.config.get_text_config()):
            config.pad_token_id = self.tokenizer.pad_token_id
            config.use_cache = False  # no text is gone on with, so nothing need be kept

    def whole(
        self, texts: Sequence[str], limit: int | None, second: str | None = None
    ) -> list[Piece]:
        """One piece per text, cut to ``limit`` tokens; ``second`` is a sentence put beside it."""
        encoded = self.tokenizer(
            list(texts),
            None if second is None else [second] * len(texts),
            truncation=False if limit is None else "only_first",
            max_length=None if limit is None else limit - self.added,
            return_special_tokens_mask=True,
            verbose=False,
        )
        return list(self._pieces(encoded))

    def segments(self, text: str, limit: int) -> list[tuple[Piece, int]]:
        """Pieces of at most ``limit`` tokens, and where in the text each ends; none is lost."""
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
        """How many tokens of a piece are not the text's."""
        return int(self.tokenizer.num_special_tokens_to_add(pair)) + self.added

    def tensors(self, pieces: Sequence[Piece]) -> Any:
        """A padded batch on the model's device."""
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
                # What was added is looked at, and of the same type as what stands before it.
                fill = 1 if key == "attention_mask" else (values[-1] if values else 0)
                values.extend([fill] * (len(piece["input_ids"]) - len(values)))
            yield piece

    def _mend(self, ids: list[int], special: Sequence[int]) -> None:
        """Let one end token be the end's, and no input be empty."""
        if self._end is not None:
            # A tokenizer that knows pieces of words only (T5's) finds the end token in "</s>".
            for place, (token, added) in enumerate(zip(ids, special, strict=True)):
                if token == self._end and not added:
                    ids[place] = self._other
            ids.extend([self._end] * self.added)
        elif not ids:
            ids.append(self._first)


def _choose_padding(name: str, tokenizer: Any, config: Any) -> None:
    """Let the tokenizer pad with what the head skips, or else with its end token."""
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


def _first_of(*values: int | None) -> int:
    return next(value for value in values if value is not None)


Forward = Callable[[list[int]], "torch.Tensor"]

# Tokens of a batch. On one CPU core, 1,024 were the fastest (twice as fast as single texts; 8,192
# were 1.5 times as fast, since what a layer computes leaves the caches).
_TOKENS_CPU = 1024
_TOKENS = 8192


class Batches:
    """Batches of at most ``budget`` tokens, padded; an input that is longer goes alone.

    A batch that does not fit into memory is halved, and so are all that follow: what did not fit
    once would not fit again.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget

    @classmethod
    def on(cls, device: str) -> Batches:
        """Batches as large as is fast on a device."""
        return cls(_TOKENS_CPU if device == "cpu" else _TOKENS)

    def run(self, lengths: Sequence[int], forward: Forward) -> list[torch.Tensor | None]:
        """A row for each input (on the CPU, fp32), or None where it does not fit even alone."""
        rows: list[torch.Tensor | None] = [None] * len(lengths)
        # Longest first, so that memory runs short at once or not at all.
        order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
        start = 0
        while start < len(order):
            longest = max(1, lengths[order[start]])
            chosen = order[start : start + max(1, self.budget // longest)]
            found = _attempt(forward, chosen)
            if found is None and len(chosen) > 1:
                self.budget = len(chosen) // 2 * longest
                continue
            for row, i in enumerate(chosen):
                rows[i] = None if found is None else found[row]
            start += len(chosen)
        return rows


def _attempt(forward: Forward, chosen: list[int]) -> Any:
    try:
        return forward(chosen).float().cpu()
    except Exception as error:
        if not out_of_memory(error):
            raise
    # Only here, past the error, has its traceback let go of the tensors of the failed batch.
    _give_back()
    return None


def _give_back() -> None:
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
