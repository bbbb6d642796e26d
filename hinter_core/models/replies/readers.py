"""Readers of replies: labels are parsed, or another model judges a free answer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities
from hinter_core.models.prompting import Prompt, prompt_for
from hinter_core.models.registry import ModelName, kind_of, open_store
from hinter_core.models.replies.reading import EMPTY, ONLY_REASONING, answer_of, parse_answer
from hinter_core.types import Prediction

_LEAST_MASS = 0.5  # least probability of the first token that must fall on labels
_MOST_VAGUE = 0.01  # largest probability of tokens that begin several labels, such as a lone "n"
# The last three mark blanks in vocabularies.
_AROUND = " \t\n\"'*`.,:;()[]\u2581\u0120\u010a"


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


class LabelReader:
    """Parses labels of the prompt in a reply."""

    def __init__(self, prompt: Prompt, *, scores: bool = False) -> None:
        self._prompt = prompt
        self.identity = f"labels-2-{prompt.identity}"
        note = f"prompt: {prompt.title}"
        messages = " ".join(message["content"] for message in prompt.messages("")).casefold()
        missing = [label for label in prompt.labels if label.casefold() not in messages]
        if missing:  # as in a user's question
            note += (
                f"; its question does not name {len(missing)} of the labels, such as "
                f"{missing[0]}: write {{labels}} where they go"
            )
        self.capabilities = Capabilities(
            labels=prompt.labels,
            multi_label=prompt.multi_label,
            scores=scores and not prompt.multi_label,
            note=note,
        )

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """Parse labels; take scores from the first token if it distinguishes the labels."""
        return [reply if reply.failure else self._one(reply) for reply in replies]

    def _one(self, reply: Prediction) -> Prediction:
        labels, multi = self._prompt.labels, self._prompt.multi_label
        none = self._prompt.none_label
        answer = parse_answer(
            reply.reply, labels, multi_label=multi, none_label=none, cut=reply.cut
        )
        scores: Mapping[str, float] = {}
        if reply.scores and answer.answered and not multi:
            scores = scores_of_first_token(reply.scores, labels)
            if scores and max(scores, key=scores.__getitem__) not in answer.labels:
                scores = {}  # the first token was not yet the answer
        return replace(answer, reply=reply.reply, scores=scores)


class JudgeReader:
    """Classifies free replies with another model.

    Raises:
        ModelError: no such model, or a generative one: its requests would be missing in estimates
            and budgets.
    """

    def __init__(self, judge: str, *, trusted: bool) -> None:
        if kind_of(judge).generative:
            raise ModelError(
                f"'{judge}' cannot be a judge, as it answers in words itself; name a classifier, "
                "such as vader or hf:ORG/NAME."
            )
        self._store = open_store(judge, trusted=trusted)
        self.identity = f"judge-2-{self._store.model.identity}"
        capabilities = self._store.model.capabilities
        notes = (f"free answers, judged by {judge}", capabilities.note)
        self.capabilities = replace(capabilities, note="; ".join(filter(None, notes)))

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """Return the judge's answers; each distinct reply is classified once, empty ones fail."""
        said = [answer_of(reply.reply) for reply in replies]
        texts = ["" if one.unfinished else one.text.strip() for one in said]
        pairs = list(zip(texts, replies, strict=True))
        lacking = [ONLY_REASONING if one.reasoned else EMPTY for one in said]
        judged = self._store.predict([text for text, reply in pairs if text and not reply.failure])
        return [
            reply if reply.failure else replace(judged.get(text, nothing), reply=reply.reply)
            for (text, reply), nothing in zip(pairs, lacking, strict=True)
        ]


# ``identity``: names everything that determines how a reply is read.
Reader = LabelReader | JudgeReader


def reader_for(name: ModelName, *, scores: bool = False) -> tuple[Prompt, Reader]:
    """Load the prompt of a model's name and the reader of its replies.

    Raises:
        ModelError: an unknown prompt or judge, or a free answer without a judge.
    """
    judge = name.settings["judge"]
    prompt = prompt_for(name, free=bool(judge))
    if judge:
        return prompt, JudgeReader(judge, trusted=name.trusted)
    if not prompt.labels:
        raise ModelError(
            f"Prompt '{prompt.name}' asks for a free answer; name who judges it, as in judge=vader."
        )
    return prompt, LabelReader(prompt, scores=scores)
