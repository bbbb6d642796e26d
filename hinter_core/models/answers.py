"""Read a generative model's free answer as labels, or as a named failure; never guess.

Exact first; then labels as whole words, longest first, so that "Article 10" is not "Article 1" and
"Article 1 of Protocol 1" is one label. Several labels where one is asked for, a denied label ("not
positive"), and no label at all are *unparsable*; "I cannot help with that" is *refused*.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hinter_core.types import Failure, Prediction

_PREFIX = re.compile(
    r"^.*?\b(?:final answer|answer|label|labels)\s*(?:is|are)?\s*[:=]\s*", re.I | re.S
)
_DECORATION = " \t\r\n.\"'`*_#()[]{}\u201c\u201d\u2018\u2019"
_DENIED = re.compile(
    r"\b(?:not|isn't|isn\u2019t|neither|nor|no|never|rather than|hardly)\s+(?:\w+\s+)?$", re.I
)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am)? (?:sorry|afraid)|i (?:can(?:no|')t|cannot|can\u2019t|won't|will not)|"
    r"unable to|as an ai|not able to (?:help|assist|answer))\b",
    re.I,
)  # fmt: skip
_DETAIL = 200


def parse_answer(
    answer: str, labels: Sequence[str], *, multi_label: bool = False, none_label: str = ""
) -> Prediction:
    """The labels that ``answer`` names, in the order of ``labels``.

    For multi-label tasks ``none_label`` ("None") stands for the empty answer.
    """
    body = _PREFIX.sub("", answer, count=1) if _PREFIX.match(answer) else answer
    plain = body.strip(_DECORATION)
    if not plain:
        return _failure(Failure.UNPARSABLE, "the answer is empty")
    known = {label.casefold(): label for label in labels}
    if plain.casefold() in known:
        return Prediction((known[plain.casefold()],))
    if multi_label and none_label and plain.casefold() == none_label.casefold():
        return Prediction(())
    found, denied = _find(body, labels)
    if denied:
        return _failure(Failure.UNPARSABLE, f"it denies a label: {_short(answer)}")
    if not found:
        if _REFUSAL.search(answer):
            return _failure(Failure.REFUSED, _short(answer))
        return _failure(Failure.UNPARSABLE, f"it names no label: {_short(answer)}")
    if len(found) > 1 and not multi_label:
        return _failure(Failure.UNPARSABLE, f"it names {len(found)} labels: {_short(answer)}")
    return Prediction(tuple(label for label in labels if label in found))


def _find(body: str, labels: Sequence[str]) -> tuple[set[str], bool]:
    """Labels in ``body`` as whole words, longest first, and whether one of them is denied."""
    found: set[str] = set()
    denied = False
    for label in sorted(labels, key=len, reverse=True):
        words = r"\s+".join(re.escape(word) for word in label.split())
        pattern = re.compile(rf"(?<![\w-]){words}(?![\w-])", re.I)
        for match in pattern.finditer(body):
            denied = denied or _DENIED.search(body[: match.start()]) is not None
            found.add(label)
        # What a longer label has taken, a shorter one inside it does not take again.
        body = pattern.sub(lambda match: "\u0000" * len(match.group()), body)
    return found, denied


def _failure(failure: Failure, detail: str) -> Prediction:
    return Prediction(failure=failure, detail=detail)


def _short(answer: str) -> str:
    flat = " ".join(answer.split())
    return flat if len(flat) <= _DETAIL else flat[:_DETAIL] + "\u2026"
