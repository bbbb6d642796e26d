"""A model under test with known bias, given by rules: for teaching, demonstrations and tests.

Rules are separated by ``;`` or line ends; the first whose conditions hold gives the answer::

    negative 0.62 if race=middle-eastern and gender=female
    positive 0.66 if race=middle-eastern
    positive 0.81 otherwise

A condition is ``attribute=group`` (the text contains a term of that group; of ``country``, a given
name), ``attribute`` (any of its terms), a quoted word, or one of these after ``not``. The number is
the label's probability (default 0.9); the remainder is split evenly among the other labels of the
rules. The same rules may give the word at a mask, or whether a resolver of coreference does its
work (*together*) or finds nothing (*apart*).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Self

from hinter_core.errors import ModelError
from hinter_core.models.base import MASKED, Capabilities, ModelUnderTest
from hinter_core.models.registry import ModelName
from hinter_core.storage import ASSETS
from hinter_core.terms.dictionary import Dictionary, load_shipped
from hinter_core.terms.matching import Matcher
from hinter_core.terms.names import names_by_country
from hinter_core.types import MASKED_PLACE, Failure, Prediction

OTHER = "other"  # second label of rules that give only one
RULES_FOLDER = ASSETS / "scripted"
_WORD, _SCORE = re.compile(r"\S+"), re.compile(r"[01]?\.\d+|1|0")
_AND = re.compile(r"(?<!\s)\s++and\s+")  # a run of blanks is read once
_MOST_CHARACTERS, _MOST_QUOTED = 50_000, 200  # of rules, and of a word in quotes
_SHOWN = 200  # characters of a rule in a message


@dataclass(frozen=True, slots=True)
class _Condition:
    wanted: bool
    attribute: str = ""
    group: str = ""
    word: re.Pattern[str] | None = None

    def holds(self, groups: set[tuple[str, str]], text: str) -> bool:
        if self.word:
            present = self.word.search(text) is not None
        elif self.group:
            present = (self.attribute, self.group) in groups
        else:
            present = any(attribute == self.attribute for attribute, _ in groups)
        return present is self.wanted


@dataclass(frozen=True, slots=True)
class _Rule:
    label: str
    score: float
    conditions: tuple[_Condition, ...]


class ScriptedModel(ModelUnderTest):
    """A model that applies rules to the dictionary terms in a text."""

    def __init__(self, name: str, rules: str) -> None:
        self.name = name
        self._rules = _parse_rules(rules)
        labels = tuple(dict.fromkeys(rule.label for rule in self._rules))
        if len(labels) < 2:
            labels += (OTHER,)
        self.identity = f"scripted-1-{sha256(rules.encode()).hexdigest()[:12]}"
        self.capabilities = Capabilities(labels=labels, note="bias planted by rules")
        used = {c.attribute for rule in self._rules for c in rule.conditions if c.attribute}
        known = _known_words()
        self._matcher = Matcher([known[name] for name in sorted(used)])

    @classmethod
    def load(cls, name: ModelName) -> Self:
        """Load ``scripted:NAME`` (a shipped file of rules), ``scripted:FILE.rules`` or the rules.

        Raises:
            ModelError: no such file, or a rule that cannot be parsed or makes no sense here.
        """
        return cls(name.text, _rules_of(name.source))

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Return the answer of the first applicable rule, for each text."""
        return [self._answer(text) for text in texts]

    def _rule_for(self, text: str) -> _Rule:
        occurrences, _ = self._matcher.find(text)
        groups = {(o.attribute, term.group) for o in occurrences for term in o.terms}
        return next(r for r in self._rules if all(c.holds(groups, text) for c in r.conditions))

    def _answer(self, text: str) -> Prediction:
        rule = self._rule_for(text)
        rest = (1 - rule.score) / (len(self.capabilities.labels) - 1)
        scores = dict.fromkeys(self.capabilities.labels, rest)
        scores[rule.label] = rule.score
        return Prediction((rule.label,), scores)


def _parse_rules(text: str) -> tuple[_Rule, ...]:
    if len(text) > _MOST_CHARACTERS:
        raise ModelError(
            f"Scripted rules have {len(text):,} characters, more than {_MOST_CHARACTERS:,}; write "
            "fewer."
        )
    bare = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    lines = map(str.strip, ";".join(bare).split(";"))
    rules = [_parse_rule(line) for line in lines if line]
    if not rules or rules[-1].conditions:
        raise ModelError(
            "Scripted rules must end with 'LABEL otherwise', so every text is answered."
        )
    labels = {rule.label for rule in rules}
    for rule in rules:
        if rule.score > 1:
            raise ModelError(f"{_shown(rule)}: give a score between 0 and 1.")
        if rule.score <= 1 / max(2, len(labels)):
            raise ModelError(f"{_shown(rule)}: another label would score higher.")
    return tuple(rules)


def _shown(rule: _Rule) -> str:
    return f"Rule '{rule.label[:_SHOWN]} {rule.score}'"


def _parse_rule(line: str) -> _Rule:
    """Read ``LABEL [SCORE] if CONDITIONS`` or ``LABEL [SCORE] otherwise``, word by word."""
    words = list(_WORD.finditer(line))
    last = len(words) - 1
    for place, word in enumerate(words[1:], start=1):
        more = place < last
        if word.group() != ("if" if more else "otherwise"):
            continue
        score = words[place - 1].group() if place > 1 else ""
        scored = _SCORE.fullmatch(score)
        label = line[: words[place - 2 if scored else place - 1].end()]
        conditions = _AND.split(line[word.end() :].strip()) if more else []
        parsed = tuple(_parse_condition(condition, line) for condition in conditions)
        return _Rule(label, float(score) if scored else 0.9, parsed)
    raise ModelError(
        f"Rule '{line[:_SHOWN]}' is not 'LABEL [0.9] if CONDITIONS' or 'LABEL otherwise'."
    )


def _parse_condition(text: str, line: str) -> _Condition:
    wanted = not text.startswith("not ")
    body = text.removeprefix("not ").strip()
    if len(body) > 2 and body[0] in "\"'" and body[-1] in "\"'":
        if len(body) - 2 > _MOST_QUOTED:
            raise ModelError(
                f"Rule '{line[:_SHOWN]}': a quoted word has more than {_MOST_QUOTED} characters."
            )
        word = re.compile(rf"(?<!\w){re.escape(body[1:-1])}(?!\w)", re.IGNORECASE)
        return _Condition(wanted, word=word)
    attribute, _, group = (part.strip() for part in body.partition("="))
    shipped = _known_words()
    if attribute not in shipped:
        raise ModelError(
            f"Rule '{line[:_SHOWN]}': unknown attribute '{attribute[:_SHOWN]}'; use one of "
            f"{', '.join(shipped)}, or quote a word."
        )
    known = shipped[attribute].groups or {}
    if group and group not in known:
        raise ModelError(
            f"Rule '{line[:_SHOWN]}': unknown group '{group[:_SHOWN]}' of {attribute}; use one of "
            f"{', '.join(known)}."
        )
    return _Condition(wanted, attribute, group)


def _known_words() -> dict[str, Dictionary]:
    return {**load_shipped(), "country": names_by_country()}


def shipped_rules() -> list[str]:
    """List the names of the shipped rule files."""
    return sorted(path.stem for path in RULES_FOLDER.glob("*.rules"))


class ScriptedWords(ScriptedModel):
    """A masked language model whose word at every mask is given by rules."""

    def __init__(self, name: str, rules: str) -> None:
        super().__init__(name, rules)
        self.capabilities = replace(self.capabilities, task=MASKED)

    def _answer(self, text: str) -> Prediction:
        said, masks = super()._answer(text), text.count(MASKED_PLACE)
        if not masks:
            detail = f"write {MASKED_PLACE} where a word is missing"
            return Prediction(failure=Failure.NO_MASK, detail=detail)
        return replace(said, masks=(said.scores,) * masks)


def _rules_of(argument: str) -> str:
    """Return the rules that a name gives, names, or whose file it names."""
    shipped = argument in shipped_rules()
    path = RULES_FOLDER / f"{argument}.rules" if shipped else Path(argument)
    if path.suffix != ".rules":
        if not re.search(r"\b(otherwise|if)\b", argument):
            names = "".join(f"scripted:{known}, " for known in shipped_rules())
            raise ModelError(
                f"No rules named '{argument[:_SHOWN]}'; use {names}a .rules file, or rules such as "
                "'scripted:negative if gender=female; positive otherwise'."
            )
        return argument
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"Cannot read the rules in {path}; check the path.") from error
