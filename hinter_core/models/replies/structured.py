"""Read answers that are written as JSON: a label with a reason, lists, flags or scores by label."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from hinter_core.models.replies.naming import CROSSED, NONE_WORDS, MarkedAnswer, Names

_ANSWER = frozenset(
    "label labels answer answers sentiment sentiments class classes classification "
    "classifications category categories prediction predictions result results output response "
    "verdict final decision choice selected emotion emotions topic topics tag tags intent stance "
    "polarity tone rating value conclusion judgment judgement assessment option".split()
)
_LEADING = re.compile(r"(?:final|predicted|predict|overall|assigned|best|chosen|the|my|is)[\s_-]+")
_ASIDE = frozenset(
    "reason reasons reasoning explanation rationale justification analysis thought thoughts "
    "evidence comment comments note notes confidence probability certainty text input sentence "
    "review language model id summary keywords".split()
)
_SCORES = frozenset("score scores probabilities confidences distribution flags".split())
_WORDS = {
    "true": 1.0, "yes": 1.0, "y": 1.0, "present": 1.0, "applies": 1.0,
    "false": 0.0, "no": 0.0, "n": 0.0, "absent": 0.0, "none": 0.0,
}  # fmt: skip
_NUMBER = re.compile(r"(\d{1,9}(?:\.\d{1,17})?)\s?(%?)")
_PAIR = re.compile(
    r"[\"'](\w[\w -]{0,30})[\"']\s{0,5}:\s{0,5}(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})')"
)
_LINE = re.compile(
    r"(.{1,200}?)[\"'*`]{0,3}\s?(?:[:=]|[-\u2013\u2014](?=\s))\s?[\"'*`]{0,3}([\w.%]{1,20})[\"'*`]{0,3},?\s?$"
)
_TICK = re.compile(rf"(?:[\u2705\u2611\u2713\u2714]|\[[xX\u2713\u2714]\]|{CROSSED.pattern})\ufe0f?")
_OPEN = re.compile(r"\{|\[(?![ xX]\])")  # "[x] joy" is no list
_TRIES = 32  # places where an object may begin
_LENIENT = 2_000  # characters of an object that is no JSON but YAML, such as with single quotes
_DEEP = 5
_HALF = 0.5
_TWO_WAYS = "it names labels in two ways"
_TWICE = "\0twice"


class UnclearError(Exception):
    """An object has no single reading."""


def structured(text: str, names: Names) -> tuple[list[MarkedAnswer], str]:
    """Return the answers in the objects of a text, and the text without its objects."""
    answers: list[MarkedAnswer] = []
    rest, place = [], 0
    for start, end, value in _objects(text):
        rest.append(text[place:start])
        rest.append(" " * (end - start))
        place = end
        try:
            labels = _labels(value, names, 0)
        except UnclearError as error:
            answers.append(MarkedAnswer(fault=str(error), start=start, end=end))
        else:
            if labels is not None:
                answers.append(MarkedAnswer(labels, "", start, end))
    without = "".join([*rest, text[place:]])
    return answers or _flags(without, names) or _pairs(without, names), without


def _objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yield objects and lists with their places; a list that is no JSON is a bracket."""
    decoder, place = json.JSONDecoder(object_pairs_hook=_once), 0
    for _ in range(_TRIES):
        opening = _OPEN.search(text, place)
        if opening is None:
            return
        start = opening.start()
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            value, end = _lenient(text, start)
        place = end
        if end > start + 1:
            yield start, end, value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            made[_TWICE] = key
        made[key] = value
    return made


def _lenient(text: str, start: int) -> tuple[Any, int]:
    """Read an object with single quotes, bare words or a comma too many, as YAML does."""
    end = text.rfind("}", start, start + _LENIENT) + 1
    part = text[start:end]
    if text[start] != "{" or ":" not in part or any(sign in part for sign in "&*!#"):
        return None, start + 1
    import yaml

    try:
        value = yaml.load(part, Loader=yaml.BaseLoader)  # noqa: S506 -- makes texts only
    except (yaml.YAMLError, RecursionError, ValueError):
        return None, start + 1
    return (value, end) if isinstance(value, dict) else (None, start + 1)


def _labels(value: Any, names: Names, deep: int) -> frozenset[str] | None:
    """Return the labels that a value names; None if it names none and is about something else."""
    if deep > _DEEP:
        raise UnclearError("it is nested too deeply")
    if isinstance(value, Mapping):
        return _of_object(value, names, deep)
    if isinstance(value, list):
        return _of_list(value, names, deep)
    if value is None:
        return frozenset() if names.multi else None
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if names.multi and text.strip().casefold() in ("", *NONE_WORDS):
        return frozenset()
    label = names.exact(text)
    if label is None and isinstance(value, str) and names.multi:
        parts = [names.exact(part) for part in re.split(r"[,;|\n]", text)]
        if len(parts) > 1 and all(parts):
            return frozenset(part for part in parts if part)
    return None if label is None else frozenset({label} - {names.none})


def _of_list(values: list[Any], names: Names, deep: int) -> frozenset[str] | None:
    if not values:
        return frozenset() if names.multi else None
    if all(isinstance(value, Mapping) for value in values) and (scores := _table(values, names)):
        return from_scores(scores, names)
    named = [_labels(value, names, deep + 1) for value in values]
    if all(labels is None for labels in named):
        return None
    if None in named:
        raise UnclearError("it names what is no label")
    labels = frozenset(label for one in named if one for label in one)
    if len(labels) > 1 and not names.multi:
        raise UnclearError(f"it names {len(labels)} labels")
    return labels


def _table(values: list[Any], names: Names) -> dict[str, Any]:
    """Return the scores of a list such as ``[{"label": "joy", "score": 0.9}, ...]``; or nothing."""
    scores: dict[str, Any] = {}
    for value in values:
        keys = {key: _plain(key) for key in value}
        label = next((names.exact(str(value[k])) for k, p in keys.items() if p in _ANSWER), None)
        score = next((value[k] for k, p in keys.items() if p in _SCORES | _ASIDE
                      and _number(value[k]) is not None), None)  # fmt: skip
        if label is None or score is None or label in scores:
            return {}
        scores[label] = score
    return scores if len(scores) > 1 else {}


def _of_object(value: Mapping[Any, Any], names: Names, deep: int) -> frozenset[str] | None:
    if _TWICE in value:
        raise UnclearError(f"it answers '{value[_TWICE]}' twice")
    by_label = {label: v for k, v in value.items() if (label := names.exact(str(k))) is not None}
    numbers = {label: v for label, v in by_label.items() if _number(v) is not None}
    keys = {key: _plain(str(key)) for key in value if names.exact(str(key)) not in numbers}
    said = [_labels(value[key], names, deep + 1) for key, plain in keys.items() if plain in _ANSWER]
    said = [labels for labels in said if labels is not None]
    if not said:
        said = [
            labels
            for key, plain in keys.items()
            if plain not in _ASIDE | _ANSWER | _SCORES
            and isinstance(value[key], str | list)
            and value[key]
            and (labels := _labels(value[key], names, deep + 1)) is not None
        ]
    inner = [value[key] for key, plain in keys.items() if plain in _SCORES]
    if numbers:
        said.append(from_scores(numbers, names))
    for scores in inner:
        # Labels may be numbers, as in {"score": 4}.
        more = _labels(scores, names, deep + 1) if isinstance(scores, Mapping) or not said else None
        said += [] if more is None else [more]
    if by_label and not said:
        raise UnclearError("it does not say which label holds")
    if len(set(said)) > 1:
        raise UnclearError("it contradicts itself")
    return said[0] if said else None


def from_scores(values: Mapping[str, Any], names: Names) -> frozenset[str]:
    """Return the labels that flags or scores name.

    Several labels: those that are true, or from one half on. One label: the highest, if no other
    is as high.

    Raises:
        UnclearError: no label, or no single one, comes out of them.
    """
    numbers = {
        label: _number(value) or 0.0 for label, value in values.items() if label in names.labels
    }
    if names.none in values and not numbers:
        return frozenset()
    if names.multi:
        if any(number > 1 for number in numbers.values()):
            raise UnclearError("its scores lie on no scale from 0 to 1")
        return frozenset(label for label, number in numbers.items() if number >= _HALF)
    best = max(numbers.values(), default=0.0)
    winners = [label for label, number in numbers.items() if number == best]
    if len(winners) != 1 or best <= 0 or (len(numbers) == 1 and not _HALF < best <= 1):
        raise UnclearError("its scores do not single out a label")
    return frozenset(winners)


def _number(value: Any) -> float | None:
    if isinstance(value, bool | int | float):
        number = float(value) if abs(value) < 1e300 else math.inf
        return number if math.isfinite(number) and number >= 0 else None
    if not isinstance(value, str):
        return None
    text = value.strip().casefold()
    if text in _WORDS:
        return _WORDS[text]
    match = _NUMBER.fullmatch(text)
    return None if match is None else float(match[1]) / (100 if match[2] else 1)


def _plain(key: str) -> str:
    return _LEADING.sub("", key.strip().casefold()).strip(" _-")


def _flags(text: str, names: Names) -> list[MarkedAnswer]:
    """Read lines that say of each label whether it holds: ``anger: yes``, ``| joy | no |``, marks.

    A label without a line does not hold, if lines only say of labels that they hold. A single
    line is a flag only if several labels may be given.
    """
    lines = [line for line in text.splitlines() if line.strip(" `")]
    read = [(line, _flag(line, names)) for line in lines]
    flags = [flag for _, flag in read if flag]
    values = dict(flags)
    whole = set(values) == set(names.labels)
    if not flags or not (names.multi or whole):
        return []
    if any(names.mentions(line) for line, flag in read if not flag):
        return [MarkedAnswer(fault=_TWO_WAYS, end=len(text))] if names.multi else []
    try:
        numbers = {_number(value) or 0.0 for value in values.values()}
        if len(flags) > len(values) or max(numbers) > 1 or not (whole or numbers == {1.0}):
            raise UnclearError("it does not say of each label whether it holds")
        return [MarkedAnswer(from_scores(values, names), end=len(text))]
    except UnclearError as error:
        return [MarkedAnswer(fault=str(error), end=len(text))]


def _flag(line: str, names: Names) -> tuple[str, str] | None:
    """Return the label and the flag of a line, or nothing."""
    cells = line.strip("| ").split("|")
    if match := _LINE.match(line):
        cells = [match[1], match[2]]
    elif match := _TICK.search(line):
        crossed = CROSSED.search(match.group())
        cells = [line[: match.start()] + line[match.end() :], "no" if crossed else "yes"]
    label = names.exact(cells[0]) if len(cells) == 2 else None
    said = cells[-1].strip(" *`")
    return None if label is None or _number(said) is None else (label, said)


def _pairs(text: str, names: Names) -> list[MarkedAnswer]:
    """Read what an object says of its label before it was cut off or broken."""
    said = [
        (names.exact(match[2] or match[3]), match)
        for match in list(_PAIR.finditer(text))[:_TRIES]
        if _plain(match[1]) in _ANSWER
    ]
    return [
        MarkedAnswer(frozenset({label} - {names.none}), "", *match.span())
        for label, match in said
        if label is not None
    ]
