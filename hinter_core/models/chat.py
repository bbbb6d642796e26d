"""Local chat models through their chat template: greedy answers, or labels scored in one pass.

Named ``hf-chat:ORG/NAME?prompt=sentiment``; with ``mode=score`` the labels' log-likelihoods after
the prompt are compared, so that there are scores and no answer can be unparsable. With
``mode=generate`` (the default) the model answers freely and the answer is parsed.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl

from hinter_core.errors import ModelError
from hinter_core.models.answers import parse_answer
from hinter_core.models.base import Capabilities, answer_from
from hinter_core.models.checkpoint import Checkpoint, locate, open_checkpoint
from hinter_core.models.prompts import Prompt, load_prompt
from hinter_core.types import Prediction

_MAX_NEW_TOKENS = 64


class ChatModel:
    """A causal language model with a chat template, and a prompt."""

    def __init__(self, name: str, checkpoint: Checkpoint, prompt: Prompt, score: bool) -> None:
        if not getattr(checkpoint.tokenizer, "chat_template", None):
            raise ModelError(f"Model '{name}' has no chat template; name an instruction-tuned one.")
        if score and prompt.multi_label:
            raise ModelError(f"Prompt '{prompt.name}' allows several labels; use mode=generate.")
        self.name = name
        mode = "score" if score else f"generate-m{_MAX_NEW_TOKENS}"
        self.identity = f"hf-chat-1-{checkpoint.identity}-{prompt.identity}-{mode}"
        self.capabilities = Capabilities(
            labels=prompt.labels,
            multi_label=prompt.multi_label,
            scores=score,
            window=checkpoint.window,
            device=checkpoint.device,
            costs=True,
            note=f"prompt: {prompt.title}",
        )
        self._checkpoint = checkpoint
        self._prompt = prompt
        self._score = score
        self._lock = threading.Lock()
        # What of the window the prompt itself takes, with room for the answer.
        empty = len(self._encode("")[0])
        self._taken = empty + _MAX_NEW_TOKENS

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """One answer per text, in order."""
        with self._lock:
            answer = self._scored if self._score else self._generated
            return [answer(text[: self._visible(text)]) for text in texts]

    def _encode(self, text: str) -> Any:
        ids = self._checkpoint.tokenizer.apply_chat_template(
            self._prompt.messages(text),
            add_generation_prompt=True,
            return_tensors="pt",
            return_dict=True,
        )["input_ids"]
        return ids.to(self._checkpoint.device)

    def _generated(self, text: str) -> Prediction:
        import torch

        ids = self._encode(text)
        tokenizer = self._checkpoint.tokenizer
        with torch.inference_mode():
            out = self._checkpoint.model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=_MAX_NEW_TOKENS,
                do_sample=False,
                pad_token_id=tokenizer.pad_token_id or tokenizer.eos_token_id,
            )
        answer = tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True)
        prompt = self._prompt
        return parse_answer(
            answer, prompt.labels, multi_label=prompt.multi_label, none_label=prompt.none_label
        )

    def _scored(self, text: str) -> Prediction:
        """Softmax over the labels' mean log-likelihood per token (labels differ in length)."""
        import torch

        ids = self._encode(text)
        tokenizer = self._checkpoint.tokenizer
        means = []
        for label in self._prompt.labels:
            own = tokenizer(label, add_special_tokens=False, return_tensors="pt")["input_ids"]
            own = own.to(ids.device)
            whole = torch.cat([ids, own], dim=1)
            with torch.inference_mode():
                logits = self._checkpoint.model(whole).logits[0, ids.shape[1] - 1 : -1].float()
            chosen = logits.log_softmax(-1).gather(1, own[0].unsqueeze(1))
            means.append(chosen.mean())
        row = torch.stack(means).softmax(-1).tolist()
        scores = dict(zip(self._prompt.labels, row, strict=True))
        return answer_from(scores, self.capabilities)

    def visible(self, text: str) -> int:
        """Characters that fit the window beside the prompt and the answer."""
        with self._lock:
            return self._visible(text)

    def _visible(self, text: str) -> int:
        return self._checkpoint.visible(text, less=self._taken)


def load(argument: str) -> ChatModel:
    """``hf-chat:ORG/NAME[?prompt=NAME][&mode=generate|score]``.

    Raises:
        ModelError: an unknown setting or prompt, or a checkpoint that cannot chat.
    """
    source_name, _, query = argument.partition("?")
    given = dict(parse_qsl(query))
    mode = given.get("mode", "generate")
    if unknown := sorted(set(given) - {"prompt", "mode"}):
        raise ModelError(f"Unknown setting {', '.join(unknown)}; use prompt and mode.")
    if mode not in ("generate", "score"):
        raise ModelError(f"Unknown mode '{mode}'; use generate or score.")
    prompt = load_prompt(given.get("prompt", "sentiment"))
    name = f"hf-chat:{argument}"
    source, revision, offline = locate(source_name)
    checkpoint = open_checkpoint(
        name, source, revision, auto_class="AutoModelForCausalLM", offline=offline
    )
    return ChatModel(name, checkpoint, prompt, mode == "score")
