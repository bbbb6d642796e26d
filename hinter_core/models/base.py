"""The protocol of a model under test, its declared capabilities, and the prediction store."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hinter_core.errors import HinterError
from hinter_core.models.cache import PASSING, PredictionCache
from hinter_core.types import Failure, Prediction


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do; controls are drawn and oracles chosen from this.

    ``window`` is the number of tokens the model sees (None: no limit). ``threshold`` is the score
    from which a multi-label model names a label. ``costs``: an answer costs money or
    minutes, so it is kept on disk.
    """

    task: str = "text classification"
    labels: tuple[str, ...] = ()
    multi_label: bool = False
    scores: bool = True
    window: int | None = None
    threshold: float = 0.5
    device: str = "cpu"
    costs: bool = False
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
class Streaming(Protocol):
    """A model that hands over each answer as it comes, with the index of its text."""

    def stream(self, texts: Sequence[str]) -> Iterator[tuple[int, Prediction]]:
        """All answers, in any order."""
        ...


class PredictionStore:
    """Asks a model each distinct text once and keeps the answer (least recently used go first).

    With a ``cache`` on disk, an answer is written there before it is used, and what another run
    paid for is not asked again. ``predicted`` counts texts handed to the model, ``asked`` all texts
    asked for.
    """

    def __init__(
        self,
        model: ModelUnderTest,
        capacity: int = 200_000,
        cache: PredictionCache | None = None,
    ) -> None:
        self.model = model
        self._cache = cache
        self.predicted = 0
        self.asked = 0
        self._capacity = capacity
        self._kept: OrderedDict[str, Prediction] = OrderedDict()
        self._lock = threading.RLock()

    def predict(
        self,
        texts: Iterable[str],
        *,
        chunk: int = 64,
        after_chunk: Callable[[int], None] | None = None,
    ) -> dict[str, Prediction]:
        """Predictions by text. What is not kept is asked in chunks, longest first.

        ``after_chunk`` is told how many new texts are done; it may raise to stop, and what was
        answered until then is kept. A chunk that fails as a whole is asked one by one, so that
        one bad text does not spoil the others.
        """
        wanted = list(texts)
        with self._lock:
            self.asked += len(wanted)
            found = {t: self._kept[t] for t in dict.fromkeys(wanted) if t in self._kept}
            for text in found:
                self._kept.move_to_end(text)
            if self._cache is not None:
                unknown = [t for t in dict.fromkeys(wanted) if t not in found]
                found.update(self._cache.get(self.model.identity, unknown))
                self._kept.update(found)
            missing = sorted({t for t in wanted if t not in found}, key=lambda t: (-len(t), t))
            for start in range(0, len(missing), chunk):
                found.update(self._ask(missing[start : start + chunk]))
                if after_chunk:
                    after_chunk(min(start + chunk, len(missing)))
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)
            return found

    def _ask(self, texts: list[str]) -> dict[str, Prediction]:
        self.predicted += len(texts)
        try:
            return self._answers(texts)
        except HinterError:
            raise
        except Exception as error:  # noqa: BLE001 -- any fault of a model is an outcome
            if len(texts) == 1:
                detail = f"{type(error).__name__}: {error}"[:300]
                return {texts[0]: Prediction(failure=Failure.ERROR, detail=detail)}
            # What a stream answered before it broke is kept, and not asked (or paid for) again.
            fresh = {text: self._kept[text] for text in texts if text in self._kept}
            left = [text for text in texts if text not in fresh]
            self.predicted -= len(left)
            for text in left:
                fresh.update(self._ask([text]))
            return fresh

    def _answers(self, texts: list[str]) -> dict[str, Prediction]:
        if not isinstance(self.model, Streaming):
            answers = dict(zip(texts, self.model.predict(texts), strict=True))
            self._keep(answers)
            return answers
        fresh: dict[str, Prediction] = {}
        for index, answer in self.model.stream(texts):
            # Kept one by one: an answer that cost money outlives whatever happens next.
            fresh[texts[index]] = answer
            self._keep({texts[index]: answer})
        return fresh

    def _keep(self, answers: dict[str, Prediction]) -> None:
        if self._cache is not None:
            self._cache.put(self.model.identity, answers)
        self._kept.update((t, a) for t, a in answers.items() if a.failure not in PASSING)
