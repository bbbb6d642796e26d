"""How names, numbers and verdicts are written, the same everywhere on the page."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from hinter_core.types import Edit, Prediction, Verdict
from hinter_ui.html.markup import Markup, isolated, tag
from hinter_ui.html.wording import DEFAULT, Words, words_of

MINUS = "\u2212"
ARROW = "\u2192"
TIMES = "\u00d7"
_TEXT_STYLE = "\ufe0e"  # a sign, not an emoji

SIGNS = {
    Verdict.HIDDEN: "\u26a0" + _TEXT_STYLE,
    Verdict.BIASED: "\u25b2",
    Verdict.BENIGN: "\u2713",
    Verdict.DISCARDED: "\u2298",
    Verdict.UNANSWERED: "?",
}
# From the one that matters most to the one that matters least.
SEVERITY = (
    Verdict.HIDDEN,
    Verdict.BIASED,
    Verdict.UNANSWERED,
    Verdict.BENIGN,
    Verdict.DISCARDED,
)
_HUES = {
    "race": 36,
    "gender": 186,
    "body": 275,
    "age": 100,
    "religion": 325,
    "nationality": 215,
    "disability": 60,
    "sexual-orientation": 300,
    "occupation": 155,
    "socio-economic-status": 80,
    "placebo": 200,
}


def hue(attribute: str) -> int:
    """The colour of an attribute, as a hue; a word always stands beside it."""
    return _HUES.get(attribute, crc32(attribute.encode()) % 360)


def spoken(say: Words | None) -> Words:
    """The texts that all tabs share, in the language of a tab's texts; in English without any."""
    return words_of(say.language if say else DEFAULT, "check")


def name_of(attribute: str, say: Words | None = None) -> str:
    """The name of an attribute or group in a sentence."""
    return str(spoken(say).branch("attributes").get(attribute) or attribute.replace("-", " "))


def capital(text: str) -> str:
    """``text`` with a capital first letter, the rest unchanged."""
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str], say: Words | None = None, kind: str = "and") -> str:
    """``a, b and c``; ``kind`` may be ``or``."""
    if len(names) < 2:
        return "".join(names)
    return spoken(say)(f"lists.{kind}", first=", ".join(names[:-1]), last=names[-1])


def product(names: Sequence[str]) -> str:
    """``race × gender``."""
    return f" {TIMES} ".join(names)


def signed(value: float | None, digits: int = 2) -> str:
    """A difference with its sign; a dash where there is none."""
    if value is None:
        return "\u2013"
    rounded = round(value, digits)
    if rounded == 0:
        return f"{0:.{digits}f}"
    return f"{'+' if rounded > 0 else MINUS}{abs(rounded):.{digits}f}"


def answer_of(prediction: Prediction | None, say: Words | None = None) -> str:
    """A model's answer in words."""
    say = spoken(say)
    if prediction is None:
        return say("answers.unasked")
    if prediction.failure:
        return say("answers.failed", reason=prediction.failure.value)
    return ", ".join(prediction.labels) or say("answers.unlabelled")


def change_of(edit: Edit) -> str:
    """``waiter → waitress``."""
    return edit.in_words


def in_order(edits: Sequence[Edit], attributes: Sequence[str]) -> tuple[Edit, ...]:
    """Edits in the order in which the visitor chose the attributes."""
    return tuple(sorted(edits, key=lambda e: attributes.index(e.attribute)))


def badge(verdict: Verdict, say: Words | None = None) -> Markup:
    """The verdict as a word with its sign, on its colour."""
    word = spoken(say)(f"verdicts.{verdict.value}")
    sign = tag("span", SIGNS[verdict], aria_hidden="true", class_="sign")
    return tag("span", sign, " ", word, class_=f"badge {verdict.value}")


def term(
    text: str,
    attribute: str,
    *,
    element: str = "mark",
    label: bool = False,
    say: Words | None = None,
) -> Markup:
    """A word on the colour of its attribute, with the attribute's name as text."""
    called = name_of(attribute, say)
    name = tag("span", called, class_="term-label") if label else None
    hidden = None if label else tag("span", f" ({called})", class_="sr-only")
    return tag(element, text, name, hidden, class_="term", style=f"--h:{hue(attribute)}")


def attribute_styles() -> str:
    """CSS that gives the chips of the attributes their colours."""
    return "\n".join(
        f'.attribute-chips label:has(input[name="{attribute}"]) {{ --h: {degrees}; }}'
        for attribute, degrees in _HUES.items()
    )


FEW = 4  # labels that are shown without folding


def labels(names: Sequence[str], say: Words | None = None) -> Markup:
    """Label names, folded where they are many."""
    items = tag("ul", *(tag("li", isolated(n)) for n in names), class_="labels")
    if len(names) <= FEW:
        return items
    return tag("details", tag("summary", spoken(say).count("answers.labels", len(names))), items)
