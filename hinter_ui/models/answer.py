"""A model's answer to one text, and the same text asked again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hinter_core.models.base import Generative
from hinter_core.models.budget import Cost, cost_in_words
from hinter_core.models.store import PredictionStore
from hinter_core.relations.noise import NoiseFloor, noise_floor
from hinter_core.types import Prediction
from hinter_ui.html.charts import bars
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.words import FEW, answer_of, labels, times


@dataclass(frozen=True)
class RepeatedAnswer:
    """A model's answer to one text, and further ones to the same question."""

    name: str
    first: Prediction
    seen: int  # leading characters that the model saw
    length: int
    spent: Cost | None = None  # since the model was loaded, for those that answer in words
    more: tuple[Prediction, ...] = ()

    @property
    def floor(self) -> NoiseFloor:
        """How often a further answer differs from the first."""
        return noise_floor(self.first, self.more)


def one(asked: RepeatedAnswer) -> Markup:
    """One answer with its scores and, of models that answer in words, what it said."""
    answer = asked.first
    many = len(answer.labels) > FEW
    words = f"{len(answer.labels)} labels" if many else answer_of(answer)
    head = tag(
        "header",
        tag("h3", tag("code", isolated(asked.name))),
        tag("span", isolated(words), class_="answer"),
    )
    scores = bars(answer)
    if answer.answered and scores is None:
        scores = tag("p", "This answer has no scores.", class_="quiet")
    return tag("div", head, _failure(answer), _said(answer),
               labels(answer.labels) if many else None, scores, _foot(asked),
               class_="card cell", role="status")  # fmt: skip


def repeated(asked: RepeatedAnswer) -> Markup:
    """How often the same question got which answer, and what that means for a flip."""
    answers = (asked.first, *asked.more)
    tally = Counter(answer_of(answer) for answer in answers)
    items = [
        tag("li", tag("strong", isolated(words)), f" {times(count)}")
        for words, count in tally.most_common()
    ]
    failed = next((answer for answer in answers if answer.failure), None)
    return tag(
        "div",
        tag("header", tag("h3", tag("code", isolated(asked.name)))),
        tag("ul", *items, class_="tally"),
        _failure(failed) if failed else None,
        tag("p", _floor(asked), class_="floor"),
        _foot(asked),
        class_="card cell",
        role="status",
    )


def _floor(asked: RepeatedAnswer) -> Markup:
    floor = asked.floor
    if not asked.first.answered or floor.rate is None:
        return Markup("Too few usable answers to compare.")
    again = f"Asked {times(floor.answered)} again, "
    if not floor.flips:
        return join([again, "it ", tag("strong", "never changed its mind"), " about this text."])
    return join(
        [
            again,
            tag("strong", f"it contradicted itself {times(floor.flips)}"),
            f": noise floor {floor.rate:.2f}. A single flip of this model proves nothing; look for "
            "flips that are more frequent than that.",
        ]
    )


def _failure(answer: Prediction) -> Markup | None:
    if not answer.failure:
        return None
    head = tag("strong", f"No usable answer ({answer.failure.value}). ")
    return tag("p", head, isolated(answer.detail), class_="notice error")


def _said(answer: Prediction) -> Markup | None:
    if not answer.reply:
        return None
    quote = tag("blockquote", answer.reply, dir="auto")
    return tag("figure", tag("figcaption", "It said", class_="quiet"), quote, class_="said")


def _foot(asked: RepeatedAnswer) -> Markup | None:
    parts = []
    if asked.seen < asked.length:
        parts.append(f"It saw the first {asked.seen:,} of {asked.length:,} characters.")
    if asked.spent is not None:
        parts.append(f"Used since it was loaded: {cost_in_words(asked.spent)}.")
    return tag("p", " ".join(parts), class_="foot") if parts else None


def asked_of(
    store: PredictionStore,
    name: str,
    text: str,
    first: Prediction,
    more: Sequence[Prediction] = (),
) -> RepeatedAnswer:
    """What is shown of a store's answers to ``text``."""
    usage = store.model.usage if isinstance(store.model, Generative) else None
    seen = store.model.visible(text)
    return RepeatedAnswer(name, first, seen, len(text), usage.spent if usage else None, tuple(more))
