"""How a generative model's reply becomes an answer: its labels are read, or a judge is asked.

Sources: HInter, section 4 (prompt configuration: answers are labels); metamorphic-relation
prioritisation, section V (the model answers freely, the sentiment of the response is compared).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities
from hinter_core.models.naming import ModelName
from hinter_core.models.prompting.answers import parse_answer, without_thoughts
from hinter_core.models.prompting.prompts import Prompt, prompt_for
from hinter_core.types import Failure, Prediction

_LEAST_MASS = 0.5  # of the first token's probability that labels must cover for scores to count
_MOST_VAGUE = 0.01  # of it that may lie on tokens which begin several labels, such as a lone "n"
# The last three stand for blanks in vocabularies.
_AROUND = " \t\n\"'*`.,:;()[]\u2581\u0120\u010a"


class Reader(Protocol):
    """Reads raw replies; ``capabilities`` are those of the answers.

    ``identity`` names everything that decides how a reply is read.
    """

    identity: str
    capabilities: Capabilities

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """One answer per reply, in order; a failure stays what it is."""
        ...


class LabelReader:
    """The reply names labels of the prompt."""

    def __init__(self, prompt: Prompt, *, scores: bool = False) -> None:
        self._prompt = prompt
        self.identity = f"labels-1-{prompt.identity}"
        self.capabilities = Capabilities(
            labels=prompt.labels,
            multi_label=prompt.multi_label,
            scores=scores and not prompt.multi_label,
            note=f"prompt: {prompt.title}{_unasked(prompt)}",
        )

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """Labels by :func:`parse_answer`; scores from first tokens that tell labels apart."""
        return [self._one(reply) for reply in replies]

    def _one(self, reply: Prediction) -> Prediction:
        if reply.failure:
            return reply
        prompt = self._prompt
        answer = parse_answer(
            reply.reply,
            prompt.labels,
            multi_label=prompt.multi_label,
            none_label=prompt.none_label,
        )
        scores: Mapping[str, float] = {}
        if reply.scores and answer.answered and not prompt.multi_label:
            scores = scores_of_first_token(reply.scores, prompt.labels)
            if scores and max(scores, key=lambda x: scores[x]) not in answer.labels:
                scores = {}  # the first token was not yet the answer
        return replace(answer, reply=reply.reply, scores=scores)


def _unasked(prompt: Prompt) -> str:
    """A warning where the model is never told its labels; the user's own question may omit them."""
    asked = " ".join(message["content"] for message in prompt.messages("")).casefold()
    missing = [label for label in prompt.labels if label.casefold() not in asked]
    if not missing:
        return ""
    return (
        f"; its question does not name {len(missing)} of the labels, such as {missing[0]}: write "
        "{labels} where they go"
    )


class JudgeReader:
    """The reply is free; another model under test judges it, and its answer is compared."""

    def __init__(self, judge: str, *, trusted: bool) -> None:
        """Load the judge.

        Raises:
            ModelError: no such model, or one that answers in words itself: its requests would
                stand in no estimate and no budget.
        """
        from hinter_core.models.registry import is_generative, open_store

        if is_generative(judge):
            raise ModelError(
                f"'{judge}' cannot be a judge, as it answers in words itself; name a classifier, "
                "such as vader or hf:ORG/NAME."
            )
        self._store = open_store(judge, trusted=trusted)
        self.identity = f"judge-1-{self._store.model.identity}"
        own = self._store.model.capabilities
        notes = (f"free answers, judged by {judge}", own.note)
        self.capabilities = replace(own, note="; ".join(filter(None, notes)))

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """The judge's answers, each distinct reply judged once; an empty one cannot be."""
        said = [without_thoughts(reply.reply).strip() for reply in replies]
        asked = [text for text, reply in zip(said, replies, strict=True) if not reply.failure]
        judged = self._store.predict([text for text in asked if text])
        empty = Prediction(failure=Failure.UNPARSABLE, detail="the answer is empty")
        return [
            reply if reply.failure else replace(judged.get(text, empty), reply=reply.reply)
            for text, reply in zip(said, replies, strict=True)
        ]


def reader_for(name: ModelName, *, scores: bool = False) -> tuple[Prompt, Reader]:
    """The prompt that a name asks with, and who reads the replies.

    Raises:
        ModelError: an unknown prompt or judge, or a free answer that nobody judges.
    """
    judge = name.string("judge")
    prompt = prompt_for(name, free=bool(judge))
    if judge:
        return prompt, JudgeReader(judge, trusted=name.trusted)
    if not prompt.labels:
        raise ModelError(
            f"Prompt '{prompt.name}' asks for a free answer; name who judges it, as in judge=vader."
        )
    return prompt, LabelReader(prompt, scores=scores)


def scores_of_first_token(
    tokens: Mapping[str, float], labels: Sequence[str]
) -> Mapping[str, float]:
    """Probabilities of labels from those of the first answer token (in [0, 1]); may be empty.

    A token counts for the one label that begins with it. Where tokens that begin several labels
    weigh, or labels have too little probability, there are no scores. What labels have is shared
    out, so that the scores sum to one.
    """
    mass = dict.fromkeys(labels, 0.0)
    vague = 0.0
    for token, probability in tokens.items():
        start = token.strip(_AROUND).casefold()
        fits = [label for label in labels if start and label.casefold().startswith(start)]
        if len(fits) == 1:
            mass[fits[0]] += probability
        elif fits:
            vague += probability
    covered = sum(mass.values())
    if covered < _LEAST_MASS or vague > _MOST_VAGUE:
        return {}
    return {label: share / covered for label, share in mass.items()}
