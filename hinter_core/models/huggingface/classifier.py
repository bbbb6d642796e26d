"""Hugging Face classifiers as models under test: every kind of head, zero-shot.

A scheme turns texts into inputs and output rows into scores; inputs of similar length are batched.
Results of a batch and of a single input differ in the last digits, those of bfloat16 in the second
one. So answers near a tie are computed again in fp32, and then alone, and the label depends on the
text only.
"""

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities, ModelUnderTest, distance_to_threshold
from hinter_core.models.huggingface.checkpoint import Checkpoint, named_checkpoint
from hinter_core.models.huggingface.inputs import Batches, Piece
from hinter_core.models.huggingface.labels import labels_of
from hinter_core.models.huggingface.schemes import (
    Hierarchical,
    Hypotheses,
    Pooled,
    Scheme,
    Whole,
    rebuild,
)
from hinter_core.models.registry import DEFAULT_THRESHOLD, ModelName
from hinter_core.types import Failure, Prediction

AUTO_CLASS = "AutoModelForSequenceClassification"
# In probability, as :func:`distance_to_threshold`. Between a batch and a single text, differences
# of up to 1e-6 were measured. Between bfloat16 and fp32, the distance moved by up to 0.01 with the
# embedded model and by up to 0.105 with tiny random ones of six architectures (2,000 texts with
# each of 25); the largest distance with a changed label was 0.085.
NEAR_TIE = 5e-5
NEAR_TIE_BFLOAT16 = 0.125
_TOO_LARGE = (
    "the text does not fit into memory, even alone; shorten it, close other programs, or use "
    "a smaller model or a larger machine"
)


class HuggingFaceClassifier(ModelUnderTest):
    """A checkpoint that scores labels or words, with the scheme of its inputs."""

    def __init__(
        self,
        name: str,
        identity: str,
        checkpoint: Checkpoint,
        scheme: Scheme,
        capabilities: Capabilities,
    ) -> None:
        self.name = name
        self.identity = identity
        self.capabilities = replace(
            capabilities,
            window=scheme.window,
            device=checkpoint.device,
            dtype=checkpoint.dtype,
            note="; ".join(filter(None, (capabilities.note, scheme.note))),
        )
        self.checkpoint = checkpoint
        self._scheme = scheme
        self._batches = Batches.on(checkpoint.device)
        # Apart, so that whoever asks what the model would read does not wait for its answers.
        self._reading, self._answering = threading.Lock(), threading.Lock()

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Return predictions in order; a text that does not fit into memory is a failure."""
        if not texts:
            return []
        with self._reading:
            inputs = self._scheme.pieces(texts)
        with self._answering:
            answers = self._ask(self.checkpoint.model, inputs, self._batches)
            if self.checkpoint.dtype != "float32":
                self._ask_again(answers, inputs, NEAR_TIE_BFLOAT16, self._batches)
            self._ask_again(answers, inputs, NEAR_TIE, Batches(budget=1))
            return answers

    def _ask_again(
        self,
        answers: list[Prediction],
        inputs: Sequence[list[Piece]],
        near: float,
        batches: Batches,
    ) -> None:
        """Replace answers nearer to a tie than ``near`` by those of the fp32 model."""
        distances = [distance_to_threshold(answer, self.capabilities) for answer in answers]
        close = [i for i, far in enumerate(distances) if far is not None and far < near]
        if not close:
            return
        try:
            exact = self.checkpoint.exact
        except ModelError as error:
            again = [Prediction(failure=Failure.ERROR, detail=str(error)) for _ in close]
        else:
            self._scheme.inputs.set_up(exact)
            again = self._ask(exact, [inputs[i] for i in close], batches)
        for i, answer in zip(close, again, strict=True):
            answers[i] = answer

    def _ask(self, model: Any, inputs: Sequence[list[Piece]], batches: Batches) -> list[Prediction]:
        """Compute the answers of texts, each of one or more inputs."""
        import torch

        pieces = [piece for of_text in inputs for piece in of_text]

        def forward(chosen: list[int]) -> torch.Tensor:
            with torch.inference_mode():
                batch = self._scheme.inputs.tensors([pieces[i] for i in chosen])
                return self._scheme.forward(model, batch)

        rows = iter(batches.run([len(piece["input_ids"]) for piece in pieces], forward))
        answers = []
        for of_text in inputs:
            if not of_text:
                answers.append(self._scheme.lacking)
                continue
            parts = [next(rows) for _ in of_text]
            whole = [row for row in parts if row is not None]
            if len(whole) < len(parts):
                answers.append(Prediction(failure=Failure.ERROR, detail=_TOO_LARGE))
                continue
            answers.append(self._scheme.answer(model, torch.stack(whole), self.capabilities))
        return answers

    def visible(self, text: str) -> int:
        """Count the leading characters that the model reads."""
        with self._reading:
            return self._scheme.visible(text)


def load(name: ModelName) -> HuggingFaceClassifier:
    """Load ``hf:ORG/NAME[@revision]`` or ``hf:FOLDER`` with the options of its kind.

    Raises:
        ModelError: the checkpoint is missing, private, no classifier, or without safetensors; or
            the options do not fit it.
    """
    checkpoint, settings = named_checkpoint(name, AUTO_CLASS, rebuild), name.settings
    config, threshold = checkpoint.model.config, settings["threshold"]
    problem = getattr(config, "problem_type", None)
    multi = settings["multi"] or problem == "multi_label_classification"
    labels, note = labels_of(name.text, config, name.listed("labels"))
    one = len(labels) == 1
    # A head of one logit is saved as a regression, whatever it was trained for.
    if (problem == "regression" and not (one and multi)) or (len(labels) < 2 and not multi):
        hint = (
            f", or say multi=1 if the number is the logit of '{labels[0]}', which holds or not"
            if one
            else ""
        )
        raise ModelError(
            f"Model '{name.text}' gives {'a number' if labels else 'nothing'} and no choice of "
            f"labels; name a checkpoint with two labels or more{hint}."
        )
    if not multi and threshold != DEFAULT_THRESHOLD:
        raise ModelError(
            f"Model '{name.text}' names exactly one label, so there is no threshold; leave it out, "
            "or say multi=1 if several labels may hold."
        )
    scheme = _scheme(name.text, checkpoint, multi, settings["pool"])
    decides = f"several from {threshold}" if multi else "one"
    identity = f"hf-2-{checkpoint.identity}-{scheme.identity}-{decides}-{labels}"
    capabilities = Capabilities(labels=labels, multi_label=multi, threshold=threshold, note=note)
    return HuggingFaceClassifier(name.text, identity, checkpoint, scheme, capabilities)


def _scheme(name: str, checkpoint: Checkpoint, multi: bool, pool: str) -> Scheme:
    if hasattr(checkpoint.model, "body"):
        if pool != "none":
            raise ModelError(f"Model '{name}' reads long texts in segments itself; leave out pool.")
        return Hierarchical(name, checkpoint, multi)
    if pool == "none":
        return Whole(name, checkpoint, multi)
    return Pooled(name, checkpoint, multi, pool)


def load_zero_shot(name: ModelName) -> HuggingFaceClassifier:
    """Load ``hf-zero-shot:ORG/NAME?labels=a,b`` with the options of its kind.

    Raises:
        ModelError: fewer than two labels, a template without ``{}``, or no NLI model.
    """
    labels = name.listed("labels")
    template, multi = name.settings["template"], name.settings["multi"]
    if len(labels) < 2:
        raise ModelError(f"Give labels: hf-zero-shot:{name.source}?labels=positive,negative")
    if "{}" not in template:
        raise ModelError("The template needs {} where the label goes, as in 'This text is {}.'")
    checkpoint = named_checkpoint(name, AUTO_CLASS)
    scheme = Hypotheses(name.text, checkpoint, labels, template, multi)
    identity = f"zero-shot-2-{checkpoint.identity}-{scheme.identity}-{labels}"
    capabilities = Capabilities(labels=labels, multi_label=multi)
    return HuggingFaceClassifier(name.text, identity, checkpoint, scheme, capabilities)
