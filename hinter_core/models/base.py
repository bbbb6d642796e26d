"""The protocol of a model under test and its declared capabilities."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar, runtime_checkable

from hinter_core.models.budget import Cost, Usage
from hinter_core.types import Prediction

K = TypeVar("K")
Reply = tuple[Prediction, Cost]
Replies = Sequence[tuple[K, Reply]] | BaseException

CLASSIFICATION = "text classification"
MASKED = "masked language modelling"
COREFERENCE = "coreference resolution"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do; the app's controls and the oracle are chosen from it.

    ``scores``: whether answers have scores (None: requested, and unknown before the first answer).
    ``window``: tokens that the model reads (None: no limit, or unknown). ``threshold``: score from
    which a multi-label model predicts a label. ``dtype``: number format of the weights.
    ``costs``: an answer costs money or minutes, so it is kept on disk. ``at_once``: all texts of a
    check are best asked together. ``steady``: the model is
    deterministic, so repeated predictions carry no information.
    """

    task: str = CLASSIFICATION
    labels: tuple[str, ...] = ()
    multi_label: bool = False
    scores: bool | None = True
    window: int | None = None
    threshold: float = 0.5
    device: str = "cpu"
    dtype: str = ""
    costs: bool = False
    at_once: bool = False
    steady: bool = True
    note: str = ""


def answer_from(scores: Mapping[str, float], capabilities: Capabilities) -> Prediction:
    """Turn scores into labels: the best one, or (multi-label) all from the threshold on."""
    if capabilities.multi_label:
        named = tuple(x for x in capabilities.labels if scores[x] >= capabilities.threshold)
        return Prediction(named, scores)
    return Prediction((max(capabilities.labels, key=lambda x: scores[x]),), scores)


def distance_to_threshold(prediction: Prediction, capabilities: Capabilities) -> float | None:
    """Return how much probability must move before the answer changes.

    Single label: half of what the best score leads the second best by, since what one label loses
    the other wins (0.59 against 0.41: 0.09). Multi-label: smallest distance to the threshold.
    None without scores.
    """
    if not prediction.scores:
        return None
    if capabilities.multi_label:
        return min(abs(p - capabilities.threshold) for p in prediction.scores.values())
    ordered = sorted(prediction.scores.values(), reverse=True)
    return (ordered[0] - ordered[1]) / 2 if len(ordered) > 1 else None


class ModelUnderTest(Protocol):
    """A classifier of texts.

    ``name`` is what the user typed; ``identity`` names everything that determines an answer.
    """

    name: str
    identity: str
    capabilities: Capabilities

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Return one prediction per text, in order; a text without usable answer is a failure."""

    def visible(self, text: str) -> int:
        """Return how many leading characters of ``text`` the model reads; by default all."""
        return len(text)


@runtime_checkable
class Generative(ModelUnderTest, Protocol):
    """A model that replies in free text; replies are stored raw and parsed afterwards.

    A reply costs money or minutes and parsing is free, so a new parser or another judge needs no
    new requests. ``reply_identity`` names everything that determines a reply; ``identity`` also
    names how it is parsed.
    """

    reply_identity: str
    usage: Usage

    def estimate(self, text: str) -> Cost:
        """Estimate the cost of one request for ``text``, from above."""

    def reply(self, texts: Sequence[str]) -> Iterator[tuple[int, Prediction, Cost]]:
        """Yield raw replies as they arrive, in any order: index of the text, reply, cost."""

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """Parse raw replies into answers; failures are passed through."""

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Request the replies to all texts and parse them; in order."""
        raw = {index: reply for index, reply, _ in self.reply(texts)}
        return self.read([raw[i] for i in range(len(texts))])


@runtime_checkable
class Remote(Generative, Protocol):
    """A generative model that answers elsewhere, while this process does other work."""

    def send(
        self,
        orders: Sequence[tuple[K, str]],
        receive: Callable[[Replies[K]], None],
        stored: Callable[[K], Reply | None] | None = None,
    ) -> None:
        """Ask about texts, each with a key, without waiting for the replies.

        ``receive`` gets keys with replies as they come, or one error instead of all that are left.
        ``stored`` looks for a reply that another process got while a text waited for its turn; the
        text is not sent then. Both are called in another thread.
        """

    def call_off(self, receive: Callable[[Replies[Any]], None], *, wait: bool = False) -> None:
        """Send no more of what ``receive`` waits for; ``wait`` for what is under way."""

    def reply(self, texts: Sequence[str]) -> Iterator[tuple[int, Prediction, Cost]]:
        """Yield replies as they come; what is not sent is called off at the end.

        Raises:
            HinterError: no request can succeed.
        """
        queue: SimpleQueue[Replies[int]] = SimpleQueue()
        receive, left = queue.put, len(texts)
        self.send(list(enumerate(texts)), receive)
        try:
            while left:
                reply_or_fault = queue.get()
                if isinstance(reply_or_fault, BaseException):
                    raise reply_or_fault
                left -= len(reply_or_fault)
                yield from ((index, *reply) for index, reply in reply_or_fault)
        finally:
            self.call_off(receive)
