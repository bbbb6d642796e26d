"""Prompts of generative models, and the reading of their replies.

A prompt is a TOML file: task, question, labels, few-shot examples and answer format. It is named
by its stem in ``assets/prompts`` or by its path. The shipped ones cover the five data sets of the
HInter paper (section 4; labels of Tables 3 and 6), the user's labels, and a free answer for a
judge; their wording and examples are ours.

A reply is parsed for the labels it names, or classified by a judge. Parsing never guesses. An exact
match comes first, then labels as whole words, longest first: "Article 10" is not "Article 1", and
"Article 1 of Protocol 1" is one label. Several labels instead of one, a negated label ("not
positive") and no label are *unparsable*; "I cannot help with that" is *refused*. A model's
reasoning before its answer is ignored.

Sources: HInter, section 4 (prompt configuration: answers are labels); metamorphic-relation
prioritisation, section V (free answers, compared by the sentiment of the response).
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities
from hinter_core.models.registry import ModelName, is_generative, open_store
from hinter_core.storage import ASSETS
from hinter_core.types import Failure, Prediction

DEFAULT = "sentiment"
OWN_LABELS = ("own-labels", "own-labels-several")  # one label; any number of labels
FREE = "respond"
PARAPHRASE = "paraphrase"  # not for models under test
_FIELDS = set("title system question labels multi_label none_label examples".split())
FOLDER = ASSETS / "prompts"


@dataclass(frozen=True, slots=True)
class FewShot:
    """An example text with its answer."""

    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages around a text for a generative model, and the labels that it may answer with.

    Without labels the answer is free text for a judge.
    """

    name: str
    title: str
    system: str
    question: str
    labels: tuple[str, ...]
    multi_label: bool
    none_label: str
    examples: tuple[FewShot, ...]

    @property
    def identity(self) -> str:
        """Hash everything that determines the messages and the parsing of answers."""
        parts = (self.system, self.question, self.labels, self.multi_label, self.none_label)
        return sha256(repr((parts, self.examples)).encode()).hexdigest()[:12]

    @property
    def request_identity(self) -> str:
        """Hash the messages only, without what determines the parsing."""
        return sha256(repr(self.messages("")).encode()).hexdigest()[:12]

    def messages(self, text: str) -> list[dict[str, str]]:
        """Return chat messages: the task, the examples as turns, the text with the question."""
        turns = [{"role": "system", "content": self.system}] if self.system else []
        for example in self.examples:
            turns.append({"role": "user", "content": self._ask(example.text)})
            turns.append({"role": "assistant", "content": example.answer})
        turns.append({"role": "user", "content": self._ask(text)})
        return turns

    def _ask(self, text: str) -> str:
        question = self.question.replace("{labels}", ", ".join(self.labels))
        return f"Text:\n{text}\n\n{question}" if question else text


def shipped_prompts() -> list[str]:
    """List the names of the shipped prompts for models under test."""
    return sorted(path.stem for path in FOLDER.glob("*.toml") if path.stem != PARAPHRASE)


@lru_cache(maxsize=32)
def load_prompt(name: str) -> Prompt:
    """Load a prompt by its shipped name or its path.

    Raises:
        ModelError: no such prompt, or a file with a missing or wrong field.
    """
    shipped = name in (PARAPHRASE, *shipped_prompts())
    path = FOLDER / f"{name}.toml" if shipped else Path(name)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # a null byte in a path is a ValueError
        if isinstance(error, tomllib.TOMLDecodeError | UnicodeDecodeError):
            raise ModelError(f"Prompt file {path} cannot be read: {error}.") from error
        names = ", ".join(shipped_prompts())
        raise ModelError(f"No prompt '{name}'; use one of {names}, or a TOML file.") from error
    try:
        return _from_table(path.stem, table)
    except (KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            f"Prompt file {path} lacks or misuses a field ({error}); it needs system, question "
            "and labels, and may have title, multi_label, none_label and examples with text and "
            "answer."
        ) from error


def prompt_for(name: ModelName, *, free: bool = False) -> Prompt:
    """Load the prompt of a model's name, with the user's labels and question in it.

    ``free``: a judge classifies the answer, so that the prompt needs no labels.

    Raises:
        ModelError: see :func:`load_prompt`; or no labels, or fewer than two.
    """
    labels, question = name.listed("labels"), name.settings["question"]
    several = name.settings["multi"]
    if free and labels:
        raise ModelError("A judge answers with labels of its own; leave out labels, or judge.")
    default = FREE if free else OWN_LABELS[several] if labels else DEFAULT
    prompt = load_prompt(name.settings["prompt"] or default)
    if labels:
        _require_labels(name.text, labels)
        none = prompt.none_label or "None" if several else ""
        # The prompt's examples answer with its labels, which are replaced.
        prompt = replace(prompt, labels=labels, multi_label=several, none_label=none, examples=())
    elif several or prompt.name in OWN_LABELS:
        raise ModelError(f"Give your labels with '{name.text}': labels=complaint,praise,question")
    return replace(prompt, question=question) if question else prompt


def _require_labels(name: str, labels: Sequence[str]) -> None:
    texts = [label.strip().casefold() for label in labels if isinstance(label, str)]
    if len(labels) < 2 or len(texts) < len(labels) or not all(texts):
        raise ModelError(f"'{name}' needs at least two labels, each a non-empty text.")
    if len(set(texts)) < len(texts):
        raise ModelError(f"'{name}' has labels that differ only in capitals; rename one.")


def _from_table(name: str, table: dict[str, Any]) -> Prompt:
    if unknown := sorted(set(table) - _FIELDS):
        raise KeyError(f"unknown field {', '.join(unknown)}")
    labels = table["labels"]
    if not isinstance(labels, list):
        raise TypeError("labels is no list")
    if labels:
        _require_labels(name, labels)
    return Prompt(
        name=name,
        title=_text(table, "title", name),
        system=_text(table, "system").strip(),
        question=_text(table, "question").strip(),
        labels=tuple(labels),
        multi_label=bool(table.get("multi_label", False)),
        none_label=_text(table, "none_label", ""),
        examples=tuple(
            FewShot(_text(example, "text"), _text(example, "answer"))
            for example in table.get("examples", ())
        ),
    )


def _text(table: dict[str, Any], field: str, default: str | None = None) -> str:
    value = table[field] if default is None else table.get(field, default)
    if not isinstance(value, str):
        raise TypeError(f"{field} is no text")
    return value


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


def refuses(reply: str) -> bool:
    """Whether a reply declines to answer."""
    return bool(_REFUSAL.search(reply))


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
        if refuses(reply):
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
    judge = name.settings["judge"]
    prompt = prompt_for(name, free=bool(judge))
    if judge:
        return prompt, JudgeReader(judge, trusted=name.trusted)
    if not prompt.labels:
        raise ModelError(
            f"Prompt '{prompt.name}' asks for a free answer; name who judges it, as in judge=vader."
        )
    return prompt, LabelReader(prompt, scores=scores)
