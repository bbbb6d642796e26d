"""Find declared labels in text: as the whole of it, or as words that are not denied."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_BETWEEN = re.compile(r"(?<=[^\W_])[\s_\-\u2010\u2011\u2013]{1,9}(?=[^\W_])")
_BULLET = re.compile(r"(?:[-*\u2022>\u2013]\s){1,4}|\d{1,2}[.)]\s(?=[^\d\s])")
CROSSED = re.compile(
    r"[\u2610\u2612\u2716-\u2718\u274c\u274e\U0001f6ab\U0001f44e]|\[ \]"
)  # not this one
_KEPT_BEFORE = "+-\u2212\u2013$\u20ac\u00a3.,~<>\u2264\u2265\u2248\u00b1"  # "-0" is not "0"
_KEPT_AFTER = "+%\u2030\u00b0?"
_MOST_AROUND = 60  # characters of decoration around a label
_WINDOW = 120  # characters beside a label that may deny it

# A negation, and up to four words between it and the label: "no violation of Article 3".
_DENIED = re.compile(
    r"\b(?:not|\w{1,12}n['\u2019]t|cannot|neither|nor|no|non|never|nothing|without|hardly|scarcely|"
    r"barely|lacks?|lacking|absence of|devoid of|free of|excluding|except(?: for)?|unlike|"
    r"unlikely(?: to be)?|rather than|instead of|far from|anything but|less)[ \t-]+"
    r"(?:\w{1,30}[ \t]+){0,4}[\"'*`\u201c\u2018(]{0,3}$"
    rf"|(?:{CROSSED.pattern})[\ufe0f\s*`]{{0,4}}$",
    re.I,
)
# The same behind a label: "Article 3 was not violated", "positive: no", "anger: 0".
_DENIED_AFTER = re.compile(
    r"(?:[\"'*`]{0,3}\s?[:=(\u2013\u2014-][\s*\"']{0,3}"
    r"(?:(?:no(?! (?:\w{1,30} ){0,2}\0)|not|false|none|absent)\b|[\u2717\u2718\u274c]|"
    r"0(?:[.,]0+)?(?![\w.,]|\s?[%/]))|"
    r"[\"'*`]{0,3}[ \t]+(?!because\b|since\b|due\b)"
    r"(?:\w{1,30}[ \t]+){0,2}(?:not|never|\w{1,12}n['\u2019]t)\b)",
    re.I,
)
_SCORED = re.compile(r"[\"'*`]{0,3}\s?[:=(]\s?[\"'*]{0,3}(\d{1,3}(?:[.,]\d{1,9})?)\s?(%?)(?![\w/])")
_MORE_NUMBERS = re.compile(r"\s?(?:,|/|&|and|or)\s?\d", re.I)  # "Article 3 and 8" names two
_QUESTION = re.compile(r"[^.!?\n]{0,80}\?")
# Where a label that is also a common word, a letter or a number stands as an answer.
_STANDS_AFTER = re.compile(
    r"(?:^|[\n:=(\[>|\"'`*\u201c\u2018]|\b(?:is|are|as|be|say|answer|label|class|category|rating|"
    r"score|option|choice|grade|level|number|choose|chose|pick|select|"
    r"(?:rate|give) (?:it|this)(?: an?)?)(?:n['\u2019]t|\b(?: not)?)\b)[ \t\"'`*(\[\u201c]{0,4}$",
    re.I,
)
_STANDS_BEFORE = re.compile(
    r"[\"'`*)\]\u201d\u2019]{0,4}[ \t]?"
    r"(?:[.,:;!)\]\n\u2013\u2014|(-]|(?!\w)[\u2190-\U0010ffff]|$|because\b|since\b|as\b|due\b|stars?\b|"
    r"to me\b)"
)
_COMMON = frozenset(
    "a an all and any as at be do for i if in is it maybe me my no none nor not of off ok on or "
    "other others so some the this to true false unclear unknown us we yes you".split()
)
_DIGITS_BEFORE = r"(?<!\d[.,:/])(?<![+\-\u2212\u2013$\u20ac\u00a3~<\u2264\u2265\u2248\u00b1^.])"
_DIGITS_AFTER = r"(?![.,:/]{0,2}\d)(?!\s?[%\u2030\u00b0])(?!\s?/\s?\d)"
NONE_WORDS = ("none", "none of these", "none of the above", "no label", "no labels", "null", "n/a")


class NamedLabel(NamedTuple):
    """A label at a place of a text; ``fault``: why it is no answer there, or ""."""

    label: str
    start: int
    end: int
    fault: str


class MarkedAnswer(NamedTuple):
    """The labels of an answer at a place of a reply, or a ``fault``; ``final``: its last word."""

    labels: frozenset[str] = frozenset()
    fault: str = ""
    start: int = 0
    end: int = 0
    final: bool = False


class Names:
    """The labels of a task; in multi-label tasks also the ``none_label``, which means no label."""

    def __init__(self, labels: Sequence[str], multi: bool, none_label: str) -> None:
        self.labels = tuple(labels)
        self.multi = multi
        self.none = none_label if multi else ""
        self._keys: dict[str, str] = {}
        known = [*labels, self.none] if self.none else list(labels)
        for make in (str.strip, _key, lambda text: _key(undecorated(text))):
            fresh: dict[str, list[str]] = {}
            for label in known:
                fresh.setdefault(make(label).casefold(), []).append(label)
            # What two labels come to have in common is a name of neither.
            self._keys |= {
                key: of[0] for key, of in fresh.items() if len(of) == 1 and key not in self._keys
            }
        self._longest = max(map(len, known), default=0) + _MOST_AROUND
        ordered = sorted(known, key=len, reverse=True)
        any_of = "|".join(f"({_words(label)})" for label in ordered)
        self._pattern = re.compile(rf"(?<![\w-])(?:{any_of})(?![\w-])", re.I)
        self._ordered = ordered

    def exact(self, text: str) -> str | None:
        """Return the label that is the whole of a text, apart from decoration."""
        if len(text) > self._longest or CROSSED.search(text):
            return None
        plain = text.strip()
        bare = undecorated(plain)
        for form in (plain.casefold(), _key(plain), _key(bare)):
            if form in self._keys:
                return self._keys[form]
        if self.multi and bare.casefold() in NONE_WORDS:
            return self.none or ""
        return None

    def begins_another(self, label: str) -> bool:
        """Whether a longer label begins with this one, so that a reply that was cut may mean it."""
        start = label.casefold()
        return any(x != label and x.casefold().startswith(start) for x in self.labels)

    def has_word(self, body: str) -> bool:
        """Whether a label is a word of a text, though perhaps none that answers; no lone letter."""
        return any(len(match.group()) > 1 for match in self._pattern.finditer(body))

    def places(self, body: str) -> list[tuple[str, int, int]]:
        """Return the words of a text that are labels, answers or not, with start and end."""
        return [
            (self._ordered[match.lastindex - 1], match.start(), match.end())
            for match in self._pattern.finditer(body)
            if match.lastindex
        ]

    def mentions(self, body: str) -> list[NamedLabel]:
        """Find labels as whole words, longest first, and what speaks against each of them."""
        named = [
            one
            for one in self.places(body)
            if one[0] == self.none or _stands(one[0], body, *one[1:])
        ]
        # A label that denies, such as "No Waivers", denies no other.
        masked = _masked(body, [(start, end) for _, start, end in named])
        return [
            NamedLabel(label, start, end, _fault(label, body, masked, start, end))
            for label, start, end in named
        ]


@lru_cache(maxsize=64)
def names_of(labels: tuple[str, ...], multi: bool, none_label: str) -> Names:
    """Return the names of a task's labels, made once."""
    return Names(labels, multi, none_label)


def undecorated(text: str) -> str:
    """Cut bullets, quotes, emphasis and punctuation around a text; signs of numbers stay."""
    text = text.strip()
    if bullet := _BULLET.match(text):
        text = text[bullet.end() :]
    start, end = 0, len(text)
    while start < end and not text[start].isalnum() and text[start] not in _KEPT_BEFORE:
        start += 1
    while end > start and not text[end - 1].isalnum() and text[end - 1] not in _KEPT_AFTER:
        end -= 1
    return text[start:end]


def scored(after: str) -> float | None:
    """Return the score that stands behind a label, as in ``positive: 0.9``; None without one."""
    match = _SCORED.match(after)
    if match is None:
        return None
    number = float(match[1].replace(",", "."))
    return number / 100 if match[2] or number > 1 else number


def _masked(body: str, spans: Sequence[tuple[int, int]]) -> str:
    parts, place = [], 0
    for start, end in spans:
        parts += [body[place:start], "\0" * (end - start)]
        place = end
    return "".join([*parts, body[place:]])


def _fault(label: str, body: str, masked: str, start: int, end: int) -> str:
    before, after = masked[max(0, start - _WINDOW) : start], masked[end : end + _WINDOW]
    if _QUESTION.match(after):
        return "it asks"
    if _DENIED.search(before) or _DENIED_AFTER.match(after):
        return "it denies a label"
    if label[-1].isdigit() and _MORE_NUMBERS.match(body, end):
        return "it lists bare numbers"
    return ""


def _stands(label: str, body: str, start: int, end: int) -> bool:
    """Whether a label that is a number, a letter or a common word stands there as an answer."""
    if not (len(label) == 1 or label.casefold() in _COMMON or label.replace(".", "").isdigit()):
        return True
    if len(label) == 1 and body[start:end] != label:
        return False
    before = body[max(0, start - 30) : start]
    return bool(_STANDS_AFTER.search(before) and _STANDS_BEFORE.match(body, end))


def _key(text: str) -> str:
    return _BETWEEN.sub(" ", text.strip()).casefold()


def _words(label: str) -> str:
    """Return a pattern of a label as whole words; a number stands alone."""
    parts = (re.escape(word) for word in _BETWEEN.split(label))
    before = _DIGITS_BEFORE if label[:1].isdigit() else ""
    after = _DIGITS_AFTER if label[-1:].isdigit() else ""
    # "very negative" is also written "very-negative" and "very_negative".
    return before + r"[\s_\-\u2010\u2011\u2013]{1,3}".join(parts) + after
