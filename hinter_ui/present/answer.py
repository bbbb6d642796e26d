"""A model's answer to one text, and the same text asked again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from hinter_core.models.budget import Cost
from hinter_core.models.store import PredictionStore
from hinter_core.types import Prediction
from hinter_ui.present.bars import bars
from hinter_ui.present.markup import Markup, isolated, join, tag
from hinter_ui.present.models import FEW, labels
from hinter_ui.present.words import answer_of


@dataclass(frozen=True)
class Asked:
    """A model's answers to one text: the first, or several of the same question."""

    name: str
    answers: tuple[Prediction, ...]
    seen: int  # leading characters that the model saw
    length: int
    spent: Cost | None = None  # since the model was loaded, for those that answer in words

    @property
    def disagreement(self) -> float:
        """Share (0 to 1) of pairs of usable answers that name different labels."""
        named = [frozenset(a.labels) for a in self.answers if a.answered]
        pairs = list(combinations(named, 2))
        return sum(a != b for a, b in pairs) / len(pairs) if pairs else 0.0


def one(asked: Asked) -> Markup:
    """One answer with its scores and, of models that answer in words, what it said."""
    answer = asked.answers[0]
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
    return tag("article", head, _failure(answer), _said(answer),
               labels(answer.labels) if many else None, scores, _foot(asked),
               class_="card cell", role="status")  # fmt: skip


def repeated(asked: Asked) -> Markup:
    """How often the same question got which answer, and what that means for a flip."""
    tally = Counter(answer_of(answer) for answer in asked.answers)
    items = [
        tag("li", tag("strong", isolated(words)), f" {count} of {len(asked.answers)}")
        for words, count in tally.most_common()
    ]
    usable = sum(answer.answered for answer in asked.answers)
    failed = next((answer for answer in asked.answers if answer.failure), None)
    return tag(
        "article",
        tag("header", tag("h3", tag("code", isolated(asked.name)))),
        tag("ul", *items, class_="counts plain"),
        _failure(failed) if failed else None,
        tag("p", _floor(asked.disagreement, usable), class_="floor"),
        _foot(asked),
        class_="card cell",
        role="status",
    )


def _floor(share: float, usable: int) -> Markup:
    if usable < 2:
        return Markup("Too few usable answers to compare.")
    if not share:
        words = " on this text; a flip after a change is not its own unrest."
        return join([tag("strong", "It agrees with itself"), words])
    return join(
        [
            tag("strong", "It flips on itself."),
            f" Noise floor {share:.2f}: of two answers to this very text, {100 * share:.0f} % "
            "differ. A single flip of this model proves nothing; look for flips that are more "
            "frequent than that.",
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
    return tag("figure", tag("figcaption", "It said", class_="quiet"), quote, class_="reply")


def _foot(asked: Asked) -> Markup | None:
    parts = []
    if asked.seen < asked.length:
        parts.append(f"It saw the first {asked.seen:,} of {asked.length:,} characters.")
    if asked.spent is not None:
        parts.append(_spent(asked.spent))
    return tag("p", " ".join(parts), class_="foot") if parts else None


def _spent(cost: Cost) -> str:
    requests = "1 request" if cost.requests == 1 else f"{cost.requests:,} requests"
    words = f"Used since it was loaded: {requests}, {cost.prompt_tokens:,} tokens in, "
    words += f"{cost.completion_tokens:,} out"
    return f"{words}, {cost.money:.4f} at your prices." if cost.money else f"{words}."


def asked_of(store: PredictionStore, name: str, text: str, answers: Sequence[Prediction]) -> Asked:
    """What is shown of a store's answers to ``text``."""
    usage = getattr(store.model, "usage", None)
    seen = store.model.visible(text)
    return Asked(name, tuple(answers), seen, len(text), usage.spent if usage else None)
