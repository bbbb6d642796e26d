"""Prompts of generative models.

A prompt is a TOML file: task, question, labels, few-shot examples and answer format. It is named
by its stem in ``assets/prompts`` or by its path. The shipped ones cover the five data sets of the
HInter paper (section 4; labels of Tables 3 and 6), the user's labels, and a free answer for a
judge; their wording and examples are ours.

Replies are read by :mod:`hinter_core.models.replies`.

Sources: HInter, section 4 (prompt configuration: answers are labels); metamorphic-relation
prioritisation, section V (free answers, compared by the sentiment of the response).
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.models.registry import ModelName
from hinter_core.storage import ASSETS

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
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"Prompt file {path} cannot be read: {error}.") from error
    except (OSError, ValueError) as error:  # a null byte in a path is a ValueError
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
