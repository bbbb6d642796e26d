"""Read a generative model's reply: parse the labels it names, or let a judge classify it.

Parsing never guesses. An exact match comes first, then labels as whole words, longest first:
"Article 10" is not "Article 1", and "Article 1 of Protocol 1" is one label. Several labels instead
of one, a negated label ("not positive") and no label are *unparsable*; "I cannot help with that" is
*refused*. A model's reasoning before its answer is ignored.

Sources: HInter, section 4 (prompt configuration: answers are labels); metamorphic-relation
prioritisation, section V (free answers, compared by the sentiment of the response).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities
from hinter_core.models.prompting.prompts import Prompt, prompt_for
from hinter_core.models.registry import ModelName, is_generative, open_store
from hinter_core.types import Failure, Prediction

_THOUGHT = r"think(?:ing)?|thought|reason(?:ing)?"
# The opening mark may be missing: some chat templates put it into the prompt.
_THOUGHTS = re.compile(rf"^.*</(?:{_THOUGHT})>", re.I | re.S)
_UNFINISHED = re.compile(rf"<(?:{_THOUGHT})>.*$", re.I | re.S)
_PREFIX = re.compile(
    r"^.*\b(?:final answer|answer|label|labels)\s*(?:is|are)?\s*[:=]\s*", re.I | re.S
)
_DECORATION = " \t\r\n.\"'`*_#()[]{}\u201c\u201d\u2018\u2019"
# A negation, and up to four words between it and the label: "no violation of Article 3".
_DENIED = re.compile(
    r"\b(?:not|\w+n['\u2019]t|cannot|neither|nor|no|non|never|without|hardly|far from|"
    r"anything but|instead of|rather than)[ \t-]+(?:\w+[ \t]+){0,4}$",
    re.I,
)
# The same behind a label: "Article 3 was not violated", "positive: no".
_DENIED_AFTER = re.compile(
    r"^(?:[\"'*`]*\s*[:=(\u2013\u2014-][\s*]*(?:no|not|false)\b|"
    r"[\"'*`]*[ \t]+(?:\w+[ \t]+){0,2}(?:not|never|\w+n['\u2019]t)\b)",
    re.I,
)
_MORE_NUMBERS = re.compile(r"^\s*(?:,|/|&|and|or)\s*\d", re.I)  # "Article 3 and 8" names two
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am)? (?:sorry|afraid)|i (?:can(?:no|')t|cannot|can\u2019t|won't|will not)|"
    r"unable to|as an ai|not able to (?:help|assist|answer))\b",
    re.I,
)  # fmt: skip
_BLANKS = r"[\s_\-\u2010\u2011\u2013]+"
_DETAIL = 200  # characters of a reply in a message
_EMPTY = Prediction(failure=Failure.UNPARSABLE, detail="the answer is empty")

_LEAST_MASS = 0.5  # least probability of the first token that must fall on labels
_MOST_VAGUE = 0.01  # largest probability of tokens that begin several labels, such as a lone "n"
# The last three mark blanks in vocabularies.
_AROUND = " \t\n\"'*`.,:;()[]\u2581\u0120\u010a"


def without_thoughts(reply: str) -> str:
    """Remove the model's reasoning; "" if the reply was cut off while reasoning."""
    return _UNFINISHED.sub("", _THOUGHTS.sub("", reply, count=1), count=1)


def parse_answer(
    answer: str, labels: Sequence[str], *, multi_label: bool = False, none_label: str = ""
) -> Prediction:
    """Return the labels in ``answer``, in the order of ``labels``, or a failure.

    In multi-label tasks ``none_label`` ("None") means the empty set of labels.
    """
    reply = without_thoughts(answer)
    body = _PREFIX.sub("", reply, count=1)
    plain = body.strip(_DECORATION)
    if not plain:
        return _EMPTY
    none = none_label if multi_label else ""
    known = {label.casefold(): label for label in (*labels, none) if label}
    exact = known.get(plain.casefold())
    named, fault = ({exact}, "") if exact else _find(body, list(known.values()))
    short = " ".join(reply.split())
    short = short if len(short) <= _DETAIL else short[:_DETAIL] + "\u2026"
    if not fault and not named:
        if _REFUSAL.search(reply):
            return Prediction(failure=Failure.REFUSED, detail=short)
        fault = "it names no label"
    if not fault and len(named) > 1 and (none in named or not multi_label):
        fault = f"it names {len(named)} labels"
    if fault:
        return Prediction(failure=Failure.UNPARSABLE, detail=f"{fault}: {short}")
    return Prediction(tuple(label for label in labels if label in named))


def _find(body: str, labels: Sequence[str]) -> tuple[set[str], str]:
    """Find labels in ``body`` as whole words, longest first, and a reason to doubt them or ""."""
    places: list[tuple[str, int, int]] = []
    for label in sorted(labels, key=len, reverse=True):
        # "very negative" is also written "very-negative" and "very_negative".
        words = _BLANKS.join(re.escape(word) for word in re.split(_BLANKS, label))
        pattern = re.compile(rf"(?<![\w-]){words}(?![\w-])", re.I)
        places += [(label, *match.span()) for match in pattern.finditer(body)]
        # A shorter label inside a longer one does not match again.
        body = pattern.sub(lambda match: "\u0000" * len(match.group()), body)
    named = {label for label, _, _ in places}
    for label, start, end in places:
        if _DENIED.search(body[:start]) or _DENIED_AFTER.search(body[end:]):
            return named, "it denies a label"
        if label[-1].isdigit() and _MORE_NUMBERS.search(body[end:]):
            return named, "it lists bare numbers"
    return named, ""


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


class Reader(Protocol):
    """Turns raw replies into answers with these ``capabilities``.

    ``identity`` names everything that determines how a reply is read.
    """

    identity: str
    capabilities: Capabilities

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """Return one answer per reply, in order; failures are passed through."""


class LabelReader:
    """Parses labels of the prompt in a reply."""

    def __init__(self, prompt: Prompt, *, scores: bool = False) -> None:
        self._prompt = prompt
        self.identity = f"labels-1-{prompt.identity}"
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
        answer = parse_answer(reply.reply, labels, multi_label=multi, none_label=none)
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
        return [
            reply if reply.failure else replace(judged.get(text, _EMPTY), reply=reply.reply)
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
