"""Local chat models, ``hf-chat:ORG/NAME?prompt=sentiment``, prompted with their chat template.

With ``mode=generate`` (the default) the model replies greedily and the reply is parsed (or judged,
with ``judge=``). With ``mode=score`` the log-likelihoods of the labels after the prompt are
compared: there are scores, and no answer is unparsable.
"""

import threading
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from inspect import signature
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities, Generative, ModelUnderTest, answer_from
from hinter_core.models.budget import Cost, Usage
from hinter_core.models.huggingface.checkpoint import Checkpoint, named_checkpoint
from hinter_core.models.huggingface.rendering import ChatTemplate
from hinter_core.models.prompting import Prompt
from hinter_core.models.registry import ModelName
from hinter_core.models.replies.readers import LabelReader, Reader, reader_for
from hinter_core.models.replies.reading import EMPTY
from hinter_core.types import Prediction

_SINGLE_STEPS = 8  # characters that are left out one by one
_LEAST_ROOM = 16  # the fewest tokens of the window that a prompt must leave for a text
_LEAST_SHARED = 8  # tokens that are worth being kept


class _Conversation:
    """A prompt with the chat template of a checkpoint; ``room``: tokens reserved for the answer.

    Raises:
        ModelError: the prompt leaves no room for a text, or the chat template cannot take it.
    """

    def __init__(self, checkpoint: Checkpoint, prompt: Prompt, room: int) -> None:
        self.checkpoint = checkpoint
        self.prompt = prompt
        self.lock = threading.Lock()
        self._system = True  # whether the chat template knows system messages
        self._room = room
        # For templates that know it; a label needs no reasoning.
        self._template = ChatTemplate(checkpoint.tokenizer, {"enable_thinking": False})
        try:
            try:
                empty = self.encode("")
            except TimeoutError:
                raise
            except Exception:  # noqa: BLE001 -- a template raises what it likes
                self._system = False
                empty = self.encode("")
        except Exception as error:
            raise ModelError(
                f"The model's chat template cannot take prompt '{prompt.name}': {error}."
            ) from error
        self._taken = empty.shape[1] + room  # tokens of the window without the text
        window = checkpoint.window
        if window is not None and self._taken + _LEAST_ROOM > window:
            raise ModelError(
                f"Prompt '{prompt.name}' and its answer take {self._taken} of the model's {window} "
                "tokens and leave none for a text; take a shorter prompt, or a smaller max_tokens."
            )

    def encode(self, text: str) -> Any:
        """Return token ids (1 x tokens) of the whole conversation, on the model's device."""
        messages = self.prompt.messages(text)
        if not self._system and messages[0]["role"] == "system":
            system, first, *rest = messages
            messages = [{**first, "content": f"{system['content']}\n\n{first['content']}"}, *rest]
        ids = self.checkpoint.tokenizer(
            self._template.render(messages), add_special_tokens=False, return_tensors="pt"
        )["input_ids"]
        return ids.to(self.checkpoint.device)

    def continued(self, ids: Any) -> tuple[int, Any]:
        """Return how many tokens of a conversation are computed, and their key-value cache.

        What all conversations begin with is computed once: most of the tokens of a short text.
        """
        begin, memory = self._shared
        length = begin.shape[1]
        # The last token is computed, as it predicts the next; and a text may join the token before.
        if memory is None or ids.shape[1] <= length or not begin.equal(ids[:, :length]):
            return 0, None
        return length, deepcopy(memory)

    @cached_property
    def _shared(self) -> tuple[Any, Any]:
        """Tokens with which conversations begin, and their cache; none if it cannot be copied."""
        import torch
        from transformers.cache_utils import DynamicCache, DynamicLayer

        one, other = self.encode("a"), self.encode("The 7.")
        shortest = min(one.shape[1], other.shape[1])
        differ = (one[0, :shortest] != other[0, :shortest]).nonzero()
        begin = one[:, : int(differ[0]) if len(differ) else shortest]
        if begin.shape[1] < _LEAST_SHARED:
            return begin, None
        with torch.inference_mode():
            memory = self.checkpoint.model(begin, use_cache=True).past_key_values
        plain = isinstance(memory, DynamicCache) and all(
            type(layer) is DynamicLayer for layer in memory.layers
        )
        return begin, memory if plain else None

    def cut(self, text: str) -> str:
        """Cut ``text`` to what fits the window beside the prompt and the answer."""
        window = self.checkpoint.window
        seen = text[: self.checkpoint.visible(text, less=self._taken)]
        # A character of several tokens may lie across the end of the window. A template that says
        # a text several times needs larger steps.
        tries = 0
        while window is not None and seen and len(seen) < len(text):
            if self.encode(seen).shape[1] + self._room <= window:
                break
            tries += 1
            seen = seen[: -(1 << max(0, tries - _SINGLE_STEPS))]
        return seen

    def visible(self, text: str) -> int:
        with self.lock:
            return len(self.cut(text))


class ChatGenerator(Generative):
    """A causal language model that replies in free text, and a reader of its replies."""

    def __init__(
        self, name: str, checkpoint: Checkpoint, prompt: Prompt, reader: Reader, max_tokens: int
    ) -> None:
        self.name = name
        self.reply_identity = (
            f"hf-chat-2-{checkpoint.identity}-{prompt.request_identity}-generate-m{max_tokens}"
        )
        self.identity = f"{self.reply_identity}-{reader.identity}"
        self.capabilities = replace(
            reader.capabilities,
            window=checkpoint.window,
            device=checkpoint.device,
            dtype=checkpoint.dtype,
            costs=True,
        )
        self.usage = Usage()
        self._conversation = _Conversation(checkpoint, prompt, max_tokens)
        self._reader = reader
        self._max_tokens = max_tokens

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """Parse replies into answers."""
        return self._reader.read(replies)

    def estimate(self, text: str) -> Cost:  # noqa: ARG002 -- every text is one request
        """Count one request."""
        return Cost(1)

    def reply(self, texts: Sequence[str]) -> Iterator[tuple[int, Prediction, Cost]]:
        """Yield greedy replies one by one."""
        import torch

        chat, checkpoint = self._conversation, self._conversation.checkpoint
        for index, text in enumerate(texts):
            with chat.lock, torch.inference_mode():
                ids = chat.encode(chat.cut(text))
                out = checkpoint.model.generate(
                    ids,
                    attention_mask=torch.ones_like(ids),
                    past_key_values=chat.continued(ids)[1],
                    max_new_tokens=self._max_tokens,
                    do_sample=False,
                    num_beams=1,  # a checkpoint's own settings may ask for any number
                    num_return_sequences=1,
                    pad_token_id=_pad_token(checkpoint.tokenizer),
                )
            new = out[0, ids.shape[1] :]
            said = checkpoint.tokenizer.decode(new, skip_special_tokens=True)
            # A model that has finished says so with a last token of its own.
            cut = len(new) >= self._max_tokens and int(new[-1]) not in _last_tokens(checkpoint)
            reply = Prediction(reply=said, cut=cut) if said.strip() else EMPTY
            yield index, reply, self.usage.add(ids.shape[1], len(new))

    def visible(self, text: str) -> int:
        """Count the characters that fit the window beside the prompt and the answer."""
        return self._conversation.visible(text)


def _last_tokens(checkpoint: Checkpoint) -> set[int]:
    """Return the tokens with which the model ends an answer."""
    config = getattr(checkpoint.model, "generation_config", None)
    ids: set[Any] = set()
    for tokens in (getattr(config, "eos_token_id", None), checkpoint.tokenizer.eos_token_id):
        ids.update(tokens if isinstance(tokens, list | tuple) else [tokens])
    return ids


def _pad_token(tokenizer: Any) -> Any:
    pad = tokenizer.pad_token_id
    return tokenizer.eos_token_id if pad is None else pad


class ChatScorer(ModelUnderTest):
    """A causal language model that compares the likelihoods of the labels after the prompt."""

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
            note=LabelReader(prompt).capabilities.note,
        )
        tokens = [checkpoint.tokenizer(x, add_special_tokens=False) for x in prompt.labels]
        self._labels: list[list[int]] = [t["input_ids"] for t in tokens]
        self._conversation = _Conversation(checkpoint, prompt, max(map(len, self._labels)))
        # Logits over a vocabulary are large; only those of the last token are needed.
        known = signature(checkpoint.model.forward).parameters
        self._last = {"logits_to_keep": 1} if "logits_to_keep" in known else {}

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Return one answer per text, in order."""
        with self._conversation.lock:
            return [self._scored(self._conversation.cut(text)) for text in texts]

    def _scored(self, text: str) -> Prediction:
        """Softmax over the labels' mean log-likelihood per token (labels differ in length).

        The conversation is computed once, from where it differs from others; then all labels,
        padded on the right to one batch, reuse its key-value cache.
        """
        import torch

        checkpoint, labels = self._conversation.checkpoint, self._labels
        model, ids = checkpoint.model, self._conversation.encode(text)
        longest = max(map(len, labels))
        pad = _pad_token(checkpoint.tokenizer) or 0
        tails = torch.tensor([x + [pad] * (longest - len(x)) for x in labels], device=ids.device)
        counts = torch.tensor([len(x) for x in labels], device=ids.device)
        with torch.inference_mode():
            known, memory = self._conversation.continued(ids)
            prompt = model(ids[:, known:], past_key_values=memory, use_cache=True, **self._last)
            logits = prompt.logits[:, -1:].expand(len(labels), -1, -1)
            if longest > 1:
                memory = prompt.past_key_values
                memory.batch_repeat_interleave(len(labels))
                rest = model(tails[:, :-1], past_key_values=memory).logits
                logits = torch.cat([logits, rest], dim=1)
        chosen = logits.float().log_softmax(-1).gather(2, tails[:, :, None])[:, :, 0]
        real = torch.arange(longest, device=ids.device) < counts[:, None]
        means = (chosen * real).sum(1) / counts
        row = means.softmax(-1).tolist()
        return answer_from(dict(zip(self.capabilities.labels, row, strict=True)), self.capabilities)

    def visible(self, text: str) -> int:
        """Count the characters that fit the window beside the prompt and the longest label."""
        return self._conversation.visible(text)


def load(name: ModelName) -> ModelUnderTest:
    """Load ``hf-chat:ORG/NAME`` with the options of its kind.

    Raises:
        ModelError: an unknown prompt or judge, or a checkpoint without chat template.
    """
    score = name.settings["mode"] == "score"
    if score and name.settings["judge"]:
        raise ModelError("A judge reads free answers; leave out mode=score, or leave out judge.")
    prompt, reader = reader_for(name)
    checkpoint = named_checkpoint(name, "AutoModelForCausalLM")
    if not getattr(checkpoint.tokenizer, "chat_template", None):
        raise ModelError(
            f"Model '{name.text}' has no chat template; name an instruction-tuned one."
        )
    if score:
        return ChatScorer(name.text, checkpoint, prompt)
    return ChatGenerator(name.text, checkpoint, prompt, reader, name.settings["max_tokens"])
