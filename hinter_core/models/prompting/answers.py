"""Parse a generative model's free answer into labels, or a failure; never guess.

An exact match comes first, then labels as whole words, longest first: "Article 10" is not "Article
1", and "Article 1 of Protocol 1" is one label. Several labels instead of one, a negated label ("not
positive") and no label are *unparsable*; "I cannot help with that" is *refused*. A model's
reasoning before its answer is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
_DETAIL = 200


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
        return _failure(Failure.UNPARSABLE, "the answer is empty")
    none = none_label if multi_label else ""
    known = {label.casefold(): label for label in (*labels, none) if label}
    exact = known.get(plain.casefold())
    named, doubt = ({exact}, "") if exact else _find(body, list(known.values()))
    if doubt:
        return _failure(Failure.UNPARSABLE, f"{doubt}: {_short(reply)}")
    if not named and _REFUSAL.search(reply):
        return _failure(Failure.REFUSED, _short(reply))
    if not named:
        return _failure(Failure.UNPARSABLE, f"it names no label: {_short(reply)}")
    if len(named) > 1 and (none in named or not multi_label):
        return _failure(Failure.UNPARSABLE, f"it names {len(named)} labels: {_short(reply)}")
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


def _failure(failure: Failure, detail: str) -> Prediction:
    return Prediction(failure=failure, detail=detail)


def _short(answer: str) -> str:
    flat = " ".join(answer.split())
    return flat if len(flat) <= _DETAIL else flat[:_DETAIL] + "\u2026"
