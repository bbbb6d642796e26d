"""Local chat models through their chat template: greedy replies, or labels scored in one pass.

Named ``hf-chat:ORG/NAME?prompt=sentiment``. With ``mode=generate`` (the default) the model answers
freely and the reply is read (or judged, with ``judge=``). With ``mode=score`` the labels'
log-likelihoods after the prompt are compared, so that there are scores and no answer can be
unparsable.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities, ModelUnderTest, answer_from, predict_by_reply
from hinter_core.models.budget import Cost, Usage
from hinter_core.models.checkpoint import Checkpoint, locate, open_checkpoint
from hinter_core.models.naming import ModelName
from hinter_core.models.prompts import Prompt
from hinter_core.models.reading import Reader, reader_for
from hinter_core.types import Failure, Prediction


class _Asked:
    """A prompt put to a checkpoint; what both ways of answering share."""

    def __init__(self, checkpoint: Checkpoint, prompt: Prompt, room: int) -> None:
        self.checkpoint = checkpoint
        self.prompt = prompt
        self.lock = threading.Lock()
        # What of the window the prompt itself takes, with room for the answer.
        self._taken = len(self.encode("")[0]) + room

    def encode(self, text: str) -> Any:
        """Token ids (1 x tokens) of the whole conversation, on the model's device."""
        ids = self.checkpoint.tokenizer.apply_chat_template(
            self.prompt.messages(text),
            add_generation_prompt=True,
            return_tensors="pt",
            return_dict=True,
        )["input_ids"]
        return ids.to(self.checkpoint.device)

    def cut(self, text: str) -> str:
        """The part of ``text`` that fits the window beside the prompt and the answer."""
        return text[: self.checkpoint.visible(text, less=self._taken)]

    def visible(self, text: str) -> int:
        """Length of that part."""
        with self.lock:
            return len(self.cut(text))


class ChatGenerator:
    """A causal language model that answers in words, and a reader of its answers."""

    def __init__(
        self, name: str, checkpoint: Checkpoint, prompt: Prompt, reader: Reader, max_tokens: int
    ) -> None:
        self.name = name
        self.identity = f"hf-chat-2-{checkpoint.identity}-{prompt.asked}-generate-m{max_tokens}"
        self.capabilities = replace(
            reader.capabilities,
            window=checkpoint.window,
            device=checkpoint.device,
            dtype=checkpoint.dtype,
            costs=True,
        )
        self.usage = Usage()
        self._asked = _Asked(checkpoint, prompt, max_tokens)
        self._reader = reader
        self._max_tokens = max_tokens

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """One answer per text, in order."""
        return predict_by_reply(self, texts)

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """The answers in these replies."""
        return self._reader.read(replies)

    def estimate(self, text: str) -> Cost:  # noqa: ARG002 -- every text is one request
        """One request."""
        return Cost(1)

    def reply(self, texts: Sequence[str]) -> Iterator[tuple[int, Prediction, Cost]]:
        """Greedy replies, one by one."""
        import torch

        asked, tokenizer = self._asked, self._asked.checkpoint.tokenizer
        for index, text in enumerate(texts):
            with asked.lock, torch.inference_mode():
                ids = asked.encode(asked.cut(text))
                out = asked.checkpoint.model.generate(
                    ids,
                    attention_mask=torch.ones_like(ids),
                    max_new_tokens=self._max_tokens,
                    do_sample=False,
                    pad_token_id=_pad_token(tokenizer),
                )
            new = out[0, ids.shape[1] :]
            used = Cost(1, ids.shape[1], len(new))
            self.usage.add(used.prompt_tokens, used.completion_tokens)
            said = tokenizer.decode(new, skip_special_tokens=True)
            yield index, _raw(said), used

    def visible(self, text: str) -> int:
        """Characters that fit the window beside the prompt and the answer."""
        return self._asked.visible(text)


def _raw(said: str) -> Prediction:
    if said.strip():
        return Prediction(reply=said)
    return Prediction(failure=Failure.UNPARSABLE, detail="the answer is empty")


def _pad_token(tokenizer: Any) -> Any:
    pad = tokenizer.pad_token_id
    return tokenizer.eos_token_id if pad is None else pad


class ChatScorer:
    """A causal language model whose labels are compared by their likelihood after the prompt."""

    def __init__(self, name: str, checkpoint: Checkpoint, prompt: Prompt) -> None:
        if prompt.multi_label:
            raise ModelError(f"Prompt '{prompt.name}' allows several labels; use mode=generate.")
        self.name = name
        self.identity = f"hf-chat-2-{checkpoint.identity}-{prompt.identity}-score"
        self.capabilities = Capabilities(
            labels=prompt.labels,
            window=checkpoint.window,
            device=checkpoint.device,
            dtype=checkpoint.dtype,
            costs=True,
            note=f"prompt: {prompt.title}",
        )
        tokens = [checkpoint.tokenizer(x, add_special_tokens=False) for x in prompt.labels]
        self._labels: list[list[int]] = [t["input_ids"] for t in tokens]
        self._asked = _Asked(checkpoint, prompt, max(map(len, self._labels)))

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """One answer per text, in order."""
        with self._asked.lock:
            return [self._scored(self._asked.cut(text)) for text in texts]

    def _scored(self, text: str) -> Prediction:
        """Softmax over the labels' mean log-likelihood per token (labels differ in length).

        All labels go through the model in one batch; what is padded on the right is not counted.
        """
        import torch

        ids = self._asked.encode(text)[0]
        longest = max(map(len, self._labels))
        pad = _pad_token(self._asked.checkpoint.tokenizer) or 0
        tails = torch.tensor([x + [pad] * (longest - len(x)) for x in self._labels])
        counts = torch.tensor([len(x) for x in self._labels])
        tails, counts = tails.to(ids.device), counts.to(ids.device)
        batch = torch.cat([ids.expand(len(tails), -1), tails], dim=1)
        real = torch.arange(longest, device=ids.device) < counts[:, None]
        mask = torch.cat([torch.ones_like(ids).expand(len(tails), -1), real.long()], dim=1)
        with torch.inference_mode():
            out = self._asked.checkpoint.model(batch, attention_mask=mask).logits
        logits = out[:, len(ids) - 1 : -1].float().log_softmax(-1)
        chosen = logits.gather(2, tails[:, :, None])[:, :, 0]
        means = (chosen * real).sum(1) / counts
        row = means.softmax(-1).tolist()
        return answer_from(dict(zip(self.capabilities.labels, row, strict=True)), self.capabilities)

    def visible(self, text: str) -> int:
        """Characters that fit the window beside the prompt and the longest label."""
        return self._asked.visible(text)


def load(name: ModelName) -> ModelUnderTest:
    """``hf-chat:ORG/NAME`` with the options of its kind.

    Raises:
        ModelError: an unknown prompt or judge, or a checkpoint that cannot chat.
    """
    score = name.string("mode") == "score"
    if score and name.string("judge"):
        raise ModelError("A judge reads free answers; leave out mode=score, or leave out judge.")
    prompt, reader = reader_for(name)
    source, revision, offline = locate(name.source)
    checkpoint = open_checkpoint(
        name.text,
        source,
        revision,
        auto_class="AutoModelForCausalLM",
        offline=offline,
        dtype=name.string("dtype"),
    )
    if not getattr(checkpoint.tokenizer, "chat_template", None):
        raise ModelError(
            f"Model '{name.text}' has no chat template; name an instruction-tuned one."
        )
    if score:
        return ChatScorer(name.text, checkpoint, prompt)
    return ChatGenerator(name.text, checkpoint, prompt, reader, name.whole("max_tokens"))
