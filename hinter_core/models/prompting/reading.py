"""Turn a generative model's reply into an answer: parse its labels, or let a judge classify it.

Sources: HInter, section 4 (prompt configuration: answers are labels); metamorphic-relation
prioritisation, section V (free answers, compared by the sentiment of the response).
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

_LEAST_MASS = 0.5  # least probability of the first token that must fall on labels
_MOST_VAGUE = 0.01  # largest probability of tokens that begin several labels, such as a lone "n"
# The last three mark blanks in vocabularies.
_AROUND = " \t\n\"'*`.,:;()[]\u2581\u0120\u010a"


class Reader(Protocol):
    """Turns raw replies into answers with these ``capabilities``.

    ``identity`` names everything that determines how a reply is parsed.
    """

    identity: str
    capabilities: Capabilities

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """Return one answer per reply, in order; failures are passed through."""
        ...


class LabelReader:
    """Parses labels of the prompt in a reply."""

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
        """Parse labels; take scores from the first token if it distinguishes the labels."""
        return [self._one(reply) for reply in replies]

    def _one(self, reply: Prediction) -> Prediction:
        if reply.failure:
            return reply
        prompt = self._prompt
        multi, none = prompt.multi_label, prompt.none_label
        answer = parse_answer(reply.reply, prompt.labels, multi_label=multi, none_label=none)
        scores: Mapping[str, float] = {}
        if reply.scores and answer.answered and not prompt.multi_label:
            scores = scores_of_first_token(reply.scores, prompt.labels)
            if scores and max(scores, key=lambda x: scores[x]) not in answer.labels:
                scores = {}  # the first token was not yet the answer
        return replace(answer, reply=reply.reply, scores=scores)


def _unasked(prompt: Prompt) -> str:
    """Return a warning if the messages omit labels, as a user's question may; else ""."""
    messages = " ".join(message["content"] for message in prompt.messages("")).casefold()
    missing = [label for label in prompt.labels if label.casefold() not in messages]
    if not missing:
        return ""
    return (
        f"; its question does not name {len(missing)} of the labels, such as {missing[0]}: write "
        "{labels} where they go"
    )


class JudgeReader:
    """Classifies free replies with another model.

    Raises:
        ModelError: no such model, or a generative one: its requests would be missing in estimates
            and budgets.
    """

    def __init__(self, judge: str, *, trusted: bool) -> None:
        from hinter_core.models.registry import is_generative, open_store

        if is_generative(judge):
            raise ModelError(
                f"'{judge}' cannot be a judge, as it answers in words itself; name a classifier, "
                "such as vader or hf:ORG/NAME."
            )
        self._store = open_store(judge, trusted=trusted)
        self.identity = f"judge-1-{self._store.model.identity}"
        capabilities = self._store.model.capabilities
        notes = (f"free answers, judged by {judge}", capabilities.note)
        self.capabilities = replace(capabilities, note="; ".join(filter(None, notes)))

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """Return the judge's answers; each distinct reply is classified once, empty ones fail."""
        texts = [without_thoughts(reply.reply).strip() for reply in replies]
        pairs = list(zip(texts, replies, strict=True))
        judged = self._store.predict([text for text, reply in pairs if text and not reply.failure])
        empty = Prediction(failure=Failure.UNPARSABLE, detail="the answer is empty")
        return [
            reply if reply.failure else replace(judged.get(text, empty), reply=reply.reply)
            for text, reply in pairs
        ]


def reader_for(name: ModelName, *, scores: bool = False) -> tuple[Prompt, Reader]:
    """Load the prompt of a model's name and the reader of its replies.

    Raises:
        ModelError: an unknown prompt or judge, or a free answer without a judge.
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
    """Compute label scores (sum 1) from the probabilities of the first answer token, or none.

    A token counts for the single label that begins with it. There are no scores if tokens that
    begin several labels have too much probability, or labels too little.
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
