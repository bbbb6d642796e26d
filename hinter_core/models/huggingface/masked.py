"""Masked language models: how probable words are in the place of ``[MASK]``.

Source: Astraea, Table I and Figure 6. A model is asked for a few words, by default pronouns; the
label of its answer is the most probable of them at the first mask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hinter_core.errors import ModelError
from hinter_core.models.base import MASKED, Capabilities
from hinter_core.models.huggingface.checkpoint import (
    Checkpoint,
    embedded_checkpoint,
    named_checkpoint,
)
from hinter_core.models.huggingface.classifier import HuggingFaceClassifier
from hinter_core.models.huggingface.inputs import Piece
from hinter_core.models.huggingface.schemes import Whole
from hinter_core.models.registry import ModelName
from hinter_core.storage import ASSETS
from hinter_core.types import MASKED_PLACE, Failure, Prediction

if TYPE_CHECKING:
    import torch

EMBEDDED = ASSETS / "models" / "masked-lm"
_AUTO_CLASS = "AutoModelForMaskedLM"
_PRONOUNS = tuple("he she they him her them his their himself herself themselves".split())
_MOST = 8  # masks in a text


class MaskedWords(Whole):
    """One input per text; its row has the probabilities of the words at each mask.

    Raises:
        ModelError: a model without a mask token, or fewer than two words that are tokens of it.
    """

    def __init__(self, name: str, checkpoint: Checkpoint, words: Sequence[str]) -> None:
        tokenizer = checkpoint.tokenizer
        if tokenizer.mask_token_id is None:
            raise ModelError(
                f"Model '{name}' has no mask token, so it fills no masks; name a masked language "
                "model, such as a BERT or RoBERTa."
            )
        super().__init__(name, checkpoint, multi_label=False)
        tokens = {word: _tokens(tokenizer, word) for word in words or _PRONOUNS}
        if unknown := [word for word in words if not tokens[word]]:
            raise ModelError(
                f"Model '{name}' writes {', '.join(unknown)} in several tokens, and a mask stands "
                "for one; leave out what it does not know as a whole."
            )
        self.words = tuple(word for word, ids in tokens.items() if ids)
        if len(self.words) < 2:
            raise ModelError(f"Name two words or more that '{name}' is asked for: words=his,her")
        self.identity = f"masked-1-{self.words}"
        self._ids = [tokens[word] for word in self.words]
        self._mask: int = tokenizer.mask_token_id
        special = {MASKED_PLACE, *tokenizer.all_special_tokens}
        self._special = re.compile(f"({'|'.join(map(re.escape, sorted(special)))})")
        self.lacking = Prediction(
            failure=Failure.NO_MASK,
            detail=f"write {MASKED_PLACE} where a word is missing, up to {_MOST} times, in the "
            "part of the text that the model reads",
        )

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return one input per text; none for a text without a mask, or with one out of reach."""
        encoded = []
        for text in texts:
            written = "".join(new for _, new in self._parts(text))
            (piece,) = self.inputs.whole([written], self.window, special_tokens=True)
            fits = 0 < text.count(MASKED_PLACE) == piece["input_ids"].count(self._mask) <= _MOST
            encoded.append([piece] if fits else [])
        return encoded

    def _parts(self, text: str) -> Iterator[tuple[str, str]]:
        """Split a text into parts, each as it is and as the tokenizer is to read it.

        A special token that the text itself writes stays words.
        """
        for part in self._special.split(text):
            new = part
            if part == MASKED_PLACE:
                new = self.inputs.tokenizer.mask_token
            elif self._special.fullmatch(part):
                new = f"{part[:1]} {part[1:]}"
            yield part, new

    def visible(self, text: str) -> int:
        """Count the characters up to the last token that fits the window."""
        parts = list(self._parts(text))
        written = "".join(new for _, new in parts)
        seen, before, after = self._checkpoint.visible(written, special_tokens=True), 0, 0
        for part, new in parts:
            if seen < after + len(new):
                return before + (seen - after if part == new else 0)
            before, after = before + len(part), after + len(new)
        return before

    def forward(self, model: Any, batch: Any) -> torch.Tensor:
        """Compute the probabilities of the words at each mask of a batch; NaN after the last."""
        import torch

        logits = model(**batch).logits
        masked = batch["input_ids"] == self._mask
        rows = torch.full((len(masked), _MOST, len(self._ids)), torch.nan, device=logits.device)
        row, token = masked.nonzero(as_tuple=True)
        place = (masked.cumsum(-1) - 1)[row, token]
        probabilities = logits[row, token].float().softmax(-1)
        rows[row, place] = torch.stack([probabilities[:, ids].sum(-1) for ids in self._ids], dim=-1)
        return rows

    def answer(self, model: Any, rows: torch.Tensor, capabilities: Capabilities) -> Prediction:  # noqa: ARG002 -- protocol
        """Return the probabilities at each mask, and the likeliest word at the first one."""
        known = rows[0][~rows[0].isnan().any(-1)]
        masks = tuple(dict(zip(self.words, row, strict=True)) for row in known.tolist())
        first = masks[0]
        return Prediction((max(first, key=lambda word: first[word]),), first, masks=masks)


def _tokens(tokenizer: Any, word: str) -> list[int]:
    """Return the tokens that are this word alone, also with a capital or after a blank."""
    forms = {word, word[:1].upper() + word[1:]}
    ids = set()
    for form in (*forms, *(f" {form}" for form in forms)):
        tokens = tokenizer(form, add_special_tokens=False)["input_ids"]
        if len(tokens) == 1 and tokens[0] != tokenizer.unk_token_id:
            ids.add(tokens[0])
    return sorted(ids)


def load_embedded(name: ModelName) -> HuggingFaceClassifier:
    """Load the shipped masked language model."""
    return _model(name.text, embedded_checkpoint(name, EMBEDDED, _AUTO_CLASS), ())


def load(name: ModelName) -> HuggingFaceClassifier:
    """Load ``hf-masked:ORG/NAME[@revision]`` or ``hf-masked:FOLDER`` with the options of its kind.

    Raises:
        ModelError: the checkpoint is missing, private, fills no masks, or has no safetensors; or it
            does not know a word.
    """
    return _model(name.text, named_checkpoint(name, _AUTO_CLASS), name.listed("words"))


def _model(name: str, checkpoint: Checkpoint, words: Sequence[str]) -> HuggingFaceClassifier:
    scheme = MaskedWords(name, checkpoint, words)
    identity = f"{checkpoint.identity}-{scheme.identity}"
    capabilities = Capabilities(task=MASKED, labels=scheme.words)
    return HuggingFaceClassifier(name, identity, checkpoint, scheme, capabilities)
