"""The protocol of a model under test and its declared capabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hinter_core.models.budget import Cost, Usage
from hinter_core.types import Prediction


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do; controls are drawn and oracles chosen from this.

    ``window`` is the number of tokens the model sees (None: no limit, or not known).
    ``threshold`` is the score from which a multi-label model names a label. ``dtype`` is the number
    format of the weights. ``costs``: an answer costs money or minutes, so it is kept on disk.
    ``steady``: the same text always gets the same answer, so that asking again says nothing.
    """

    task: str = "text classification"
    labels: tuple[str, ...] = ()
    multi_label: bool = False
    scores: bool = True
    window: int | None = None
    threshold: float = 0.5
    device: str = "cpu"
    dtype: str = ""
    costs: bool = False
    steady: bool = True
    note: str = ""


def answer_from(scores: Mapping[str, float], capabilities: Capabilities) -> Prediction:
    """The labels that scores stand for: the best one, or all from the threshold on."""
    if capabilities.multi_label:
        named = tuple(x for x in capabilities.labels if scores[x] >= capabilities.threshold)
        return Prediction(named, scores)
    return Prediction((max(capabilities.labels, key=lambda x: scores[x]),), scores)


def margin(prediction: Prediction, capabilities: Capabilities) -> float | None:
    """Distance of an answer from its decision boundary, in probability.

    Single label: best score less second best. Multi-label: least distance to the threshold.
    """
    if not prediction.scores:
        return None
    if capabilities.multi_label:
        return min(abs(p - capabilities.threshold) for p in prediction.scores.values())
    ordered = sorted(prediction.scores.values(), reverse=True)
    return ordered[0] - ordered[1] if len(ordered) > 1 else None


class ModelUnderTest(Protocol):
    """A classifier of texts.

    ``name`` is what the user typed, ``identity`` names everything that decides an answer.
    """

    name: str
    identity: str
    capabilities: Capabilities

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """One prediction per text, in order; a text without usable answer becomes a failure."""
        ...

    def visible(self, text: str) -> int:
        """How many leading characters of ``text`` the model sees."""
        ...


@runtime_checkable
class Generative(Protocol):
    """A model that answers in words: its replies are kept as they come, and read afterwards.

    A reply costs money or minutes, reading it costs nothing; so a better reader, or another judge,
    asks nothing again. ``reply_identity`` names everything that decides a reply; the
    model's ``identity`` names how it is read, too.
    """

    reply_identity: str
    usage: Usage

    def estimate(self, text: str) -> Cost:
        """What asking ``text`` costs at most, roughly."""
        ...

    def reply(self, texts: Sequence[str]) -> Iterator[tuple[int, Prediction, Cost]]:
        """Raw replies as they come, in any order: index of the text, reply, what it cost."""
        ...

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """The answers that raw replies stand for; failures stay what they are."""
        ...


def predict_by_reply(model: Generative, texts: Sequence[str]) -> list[Prediction]:
    """``predict`` of a generative model: ask, then read; in order."""
    raw = {index: reply for index, reply, _ in model.reply(texts)}
    return model.read([raw[i] for i in range(len(texts))])
