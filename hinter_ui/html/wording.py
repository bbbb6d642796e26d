"""The app's texts by language, and how names, numbers and verdicts are written in them.

Texts are nested mappings in ``assets/words/LANGUAGE/ROOM.yaml``; ``words("join.title")`` is the
text under ``join: title:``. A text that depends on a number has the forms ``one`` and ``other``;
numbers are written as ``{n:,}``. A room or text that a language lacks is shown in English. A
shipped language has the same keys and ``{placeholders}`` as English in each of its rooms
(``tests/architecture`` checks that). A new language is a folder with a ``language.yaml`` (its own
name) and the translated rooms.

:func:`speak` sets the language for everything that is written for one event of a page.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache, lru_cache
from string import Formatter
from typing import Any
from zlib import crc32

import yaml

from hinter_core.relations.base import Relation
from hinter_core.relations.registry import RELATIONS
from hinter_core.storage import ASSETS
from hinter_core.terms.dictionary import load_shipped
from hinter_core.types import Edit, HiddenGrade, Prediction, Verdict
from hinter_ui.html.markup import Markup, isolated, join, tag

FOLDER = ASSETS / "words"
DEFAULT = "en"
_NUMBER = r"\d[\d,]*"
_HOLE = re.compile(r"\{\w+\}")
_GLUED = re.compile(r"[a-z).]$")  # before what may be missing in a sentence
_BRACKETED = re.compile(r" \((.+)\)", re.DOTALL)
_FIGURE = re.compile(r"(?<![\w.,/-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w/]|[.,]\d)")
_INTERVAL = re.compile(r"\[([^\[\],]*\d),(\s[^\[\],]*\d)\]")
_QUOTED = re.compile("\u201c([^\u201c\u201d\u201e]*)\u201d")
_LISTED = re.compile("(, | and | or | \u00d7 )")
_LONGEST = 2_000  # characters of a text that is looked for in the catalogue
_MOST_LINES = 12
_spoken: ContextVar[str] = ContextVar("language", default=DEFAULT)


class Words:
    """The texts of one room, in a fixed ``language`` or else in the one that is spoken now."""

    def __init__(self, room: str, language: str = "") -> None:
        self.room = room
        self._fixed = language

    @property
    def language(self) -> str:
        """The language of the texts: English where the wanted one lacks the room."""
        wanted = self._fixed or _spoken.get()
        return wanted if wanted in languages(self.room) else DEFAULT

    def __call__(self, key: str, /, **values: object) -> str:
        """The text under a dotted key, its placeholders filled."""
        text = self.branch(key)
        if not isinstance(text, str):
            raise KeyError(f"'{key}' is not a text.")
        return _Spoken(self.language).vformat(text, (), values) if values else text

    def count(self, key: str, number: float, /, **values: object) -> str:
        """The text under ``key.one`` for 1, under ``key.other`` for other numbers, as ``{n}``."""
        return self(f"{key}.{'one' if number == 1 else 'other'}", n=number, **values)

    def branch(self, key: str) -> Any:
        """What is under a dotted key: a text, a list or a mapping."""
        tree: Any = _tree(self.language, self.room)
        for part in key.split("."):
            tree = tree[part]
        return tree

    def texts(self) -> Iterator[tuple[str, str]]:
        """All texts by dotted key; items of lists by their number."""
        yield from leaves(_tree(self.language, self.room))


class _Spoken(Formatter):
    """Fill texts with numbers as a language writes them."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, form: str) -> str:
        return formatted(value, form, self._language)


def formatted(value: object, form: str, language: str = "") -> str:
    """Format a value, a number in the language spoken unless one is given."""
    said = format(value, form)
    return grouped(said, language) if "," in form or form[-1:] in ("f", "g") else said


def grouped(text: str, language: str = "") -> str:
    """Write the numbers in a text as a language does: "1,234.5 [9.0, 24.4]" with commas."""
    sign = _thousands(language or _spoken.get())
    if sign == ",":
        return text
    swapped = str.maketrans({",": sign, ".": ","})
    apart = _INTERVAL.sub(r"[\1;\2]", text)
    return _FIGURE.sub(lambda match: match[0].translate(swapped), apart)


def numeral(value: float) -> str:
    """Write a number in the language spoken."""
    return formatted(value, ",")


def decimals(value: float) -> str:
    """Write a number with two decimals in the language spoken."""
    return formatted(value, ".2f")


def quoted(text: str, language: str = "") -> str:
    """Put a text in the quotation marks of the language spoken, or of one given."""
    return Words("language", language)("quoted", text=text)


@cache
def _thousands(language: str) -> str:
    return str(Words("language", language).branch("thousand"))[1:-3]


def speak(language: str, room: str = "language") -> None:
    """Write everything in this language until the event ends; in English where it lacks ``room``.

    The language is that of the current context (:mod:`contextvars`), so visitors do not share it.
    """
    _spoken.set(language if language in languages(room) else DEFAULT)


def spoken() -> str:
    """Return the code of the language that is spoken now."""
    return _spoken.get()


def address(query: str) -> str:
    """Return the address of a query within the app, in the language spoken."""
    return f"?{query}" + ("" if spoken() == DEFAULT else f"&lang={spoken()}")


def address_of_check(query: str) -> str:
    """Return the address of a check, which stands where browsers send it to no server."""
    return ("?" if spoken() == DEFAULT else f"?lang={spoken()}") + f"#{query}"


def written(language: str, room: str) -> Mapping[str, Any]:
    """The texts of a room that a language has itself."""
    path = FOLDER / language / f"{room}.yaml"
    tree: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    return tree


def translated(text: str, *, figures: bool = True) -> str:
    """Return an English text of the core library in the language spoken, if that has it.

    Several lines, such as the faults of a file, are looked for one by one. ``figures``: numbers are
    written as the language does.
    """
    if len(text) > _LONGEST:
        return text
    lines = text.split("\n")
    if 1 < len(lines) <= _MOST_LINES:
        said = [_translated(line, _spoken.get(), figures) for line in lines]
        if all(map(str.__ne__, lines, said)):
            return "\n".join(said)
    return _translated(text, _spoken.get(), figures)


@lru_cache(4_096)
def _translated(text: str, language: str, figures: bool, depth: int = 3) -> str:
    """Translate a text, and so many times what stands in its placeholders."""
    for known, other in _core(language) if depth else ():
        if match := known.fullmatch(text):
            values = match.groupdict().items()
            said = {
                name: _part(name, value, language, figures, depth - 1) for name, value in values
            }
            return _QUOTED.sub(lambda m: quoted(m[1], language), other.format(**said))
    return text


def _part(name: str, value: str, language: str, figures: bool, depth: int) -> str:
    """Translate what stands for a placeholder; groups and attributes are named as on the page."""
    if name == "groups":
        return group_name(value, language)
    if name == "model":  # it may be called "biased"
        return value
    if name.startswith("attributes"):
        words = Words("check", language)
        names = words.branch("attributes") | {
            f" {last} ": words(f"lists.{last}", first="", last="") for last in ("and", "or")
        }
        return "".join(names.get(one, one) for one in _LISTED.split(value))
    if bracketed := _BRACKETED.fullmatch(value):  # reasons
        reasons = [_translated(one, language, figures, depth) for one in bracketed[1].split("; ")]
        return f" ({'; '.join(reasons)})"
    if _FIGURE.fullmatch(value):
        return grouped(value, language) if figures else value
    begin = " " * value.startswith(" ")
    return begin + _translated(value.removeprefix(begin), language, figures, depth)


@cache
def _core(language: str) -> list[tuple[re.Pattern[str], str]]:
    texts = _core_texts(language)
    most_said_first = sorted(texts, key=lambda text: -len(_HOLE.sub("", text)))
    return [(_pattern(text), texts[text]) for text in most_said_first]


def _core_texts(language: str) -> dict[str, str]:
    """Read ``core/*.yaml`` of a language: texts of the core library, of which parts may vary."""
    texts: dict[str, str] = {}
    for path in sorted((FOLDER / language / "core").glob("*.yaml")):
        texts |= yaml.safe_load(path.read_text(encoding="utf-8"))
    return texts


@cache
def _vocabulary() -> tuple[re.Pattern[str], Mapping[str, str]]:
    written = (FOLDER / "vocabulary.yaml").read_text(encoding="utf-8")
    pairs: dict[str, str] = dict(yaml.safe_load(written))
    longest = sorted(pairs, key=len, reverse=True)
    return re.compile(rf"\b({'|'.join(map(re.escape, longest))})(?![\w=])", re.IGNORECASE), pairs


def in_visitors_words(text: str) -> str:
    """Say in the words of the app what the core says in those of the papers, in English."""
    words, pairs = _vocabulary()

    def other(match: re.Match[str]) -> str:
        new = pairs[match[0].lower()]
        return new[:1].upper() + new[1:] if match[0][0].isupper() else new

    return words.sub(other, text)


def _pattern(text: str) -> re.Pattern[str]:
    """Return what matches a text whatever its ``{placeholders}`` stand for; ``{line}`` is a number.

    One right after a word or a full stop may stand for nothing. A placeholder ends where what
    follows it is found first: with a second try for each, a text of a visitor could keep the app
    busy for minutes.
    """
    (first, name), *rest = [(literal, hole) for literal, hole, _, _ in Formatter().parse(text)]
    pattern, least = re.escape(first), _least(first)
    for literal, following in [*rest, ("", None)]:
        after = re.escape(literal)
        hole = f"(?P<{name}>{_NUMBER if name == 'line' else least}){after}" if name else after
        pattern += f"(?>{hole})" if name and following else hole
        name, least = following, _least(literal)
    return re.compile(pattern, re.DOTALL)


def _least(before: str) -> str:
    return ".*?" if _GLUED.search(before) else ".+?"


@cache
def _tree(language: str, room: str) -> Mapping[str, Any]:
    """The texts of a room in a language, laid over the English ones."""
    tree: Mapping[str, Any] = _laid(written(DEFAULT, room), written(language, room))
    return tree


def _laid(below: Any, above: Any) -> Any:
    """Lay one tree over another: what is missing or of another kind shows through."""
    if isinstance(below, Mapping):
        given = above if isinstance(above, Mapping) else {}
        return {key: _laid(value, given.get(key)) for key, value in below.items()}
    if isinstance(below, list):
        return above if isinstance(above, list) and len(above) == len(below) else below
    return above if isinstance(above, str) else below


@cache
def languages(room: str = "language") -> dict[str, str]:
    """Codes and own names of the languages that have a room; English first."""
    titles = {}
    for path in sorted(FOLDER.glob(f"*/{room}.yaml")):
        named = (path.parent / "language.yaml").read_text(encoding="utf-8")
        titles[path.parent.name] = str(yaml.safe_load(named)["name"])
    return {DEFAULT: titles.pop(DEFAULT)} | titles


def chosen(wanted: object) -> str:
    """The code of a language, whatever a browser or a link sent."""
    code = str(wanted or "")[:16].lower().partition("-")[0]
    return code if code in languages() else DEFAULT


def leaves(tree: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts of a tree by dotted key; items of lists by their number."""
    if isinstance(tree, Mapping):
        for name, branch in tree.items():
            yield from leaves(branch, f"{key}.{name}" if key else str(name))
    elif isinstance(tree, list):
        for place, branch in enumerate(tree):
            yield from leaves(branch, f"{key}.{place}")
    else:
        yield key, str(tree)


# -- names, numbers and verdicts ----------------------------------------------------------------

say = Words("check")

MINUS = "\u2212"
ARROW = "\u2192"
TIMES = "\u00d7"
_JOINED = re.compile(rf"(, | ?[{TIMES}{ARROW}] ?| \([^()]*\))")  # what stands between groups
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
    Verdict.HIDDEN, Verdict.BIASED, Verdict.UNANSWERED, Verdict.BENIGN, Verdict.DISCARDED,
)  # fmt: skip
_HUES = {
    "race": 36, "gender": 186, "body": 275, "age": 100, "religion": 325, "nationality": 215,
    "disability": 60, "sexual-orientation": 300, "occupation": 155, "socio-economic-status": 80,
    "political-views": 250, "migration": 345, "marital-status": 12, "language": 130, "placebo": 200,
}  # fmt: skip
FEW = 4  # labels that are shown without folding


def hue(attribute: str) -> int:
    """Return the colour of an attribute as a hue; a word always stands beside it."""
    return _HUES.get(attribute, crc32(attribute.encode()) % 360)


def name_of(attribute: str) -> str:
    """Return the name of an attribute as a sentence uses it."""
    return str(say.branch("attributes").get(attribute) or attribute.replace("-", " "))


def group_name(group: str, language: str = "") -> str:
    """Return the name of a group, or each of several with what joins them."""
    known = Words("groups", language).branch("names")
    parts = _JOINED.split(group)
    return "".join(str(known.get(part) or part.replace("-", " ")) for part in parts)


def capital(text: str) -> str:
    """Write the first letter as a capital."""
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str], kind: str = "and") -> str:
    """Join names as ``a, b and c``, or with ``kind="or"`` as ``a, b or c``."""
    if len(names) < 2:
        return "".join(names)
    return say(f"lists.{kind}", first=", ".join(names[:-1]), last=names[-1])


def product(names: Sequence[str]) -> str:
    """Join names as ``race × gender``."""
    return f" {TIMES} ".join(names)


def signed(value: float | None) -> str:
    """Write a difference with its sign, and None as a dash."""
    if value is None:
        return "\u2013"
    rounded = round(value, 2)
    sign = "" if rounded == 0 else "+" if rounded > 0 else MINUS
    return f"{sign}{decimals(abs(rounded))}"


def answer_of(prediction: Prediction | None) -> str:
    """Return a model's answer in words."""
    if prediction is None:
        return say("answers.unasked")
    if prediction.failure:
        return say("answers.failed", reason=translated(prediction.failure.value))
    return ", ".join(prediction.labels) or say("answers.unlabelled")


def in_order(edits: Sequence[Edit], attributes: Sequence[str]) -> tuple[Edit, ...]:
    """Sort edits by the order in which the visitor chose the attributes."""
    return tuple(sorted(edits, key=lambda e: attributes.index(e.attribute)))


def verdict_name(verdict: Verdict, *, neutral: bool = False) -> str:
    """Return the word for a verdict; that of a neutral swap says nothing of bias."""
    of_neutral = say.branch("neutral_verdicts") if neutral else {}
    return str(of_neutral.get(verdict.value) or say(f"verdicts.{verdict.value}"))


def verdict_choices() -> list[tuple[str, str]]:
    """Return (word, value) of every verdict."""
    return [(verdict_name(verdict), verdict.value) for verdict in Verdict]


def relation_choices() -> list[tuple[str, str]]:
    """Return (words, name) of every metamorphic relation; its own title where none is written."""
    written = say.branch("relations")
    names = sorted(RELATIONS, key=[*written, *RELATIONS].index)
    return [(written.get(name) or _title(RELATIONS[name]), name) for name in names]


def _title(relation: Relation) -> str:
    return f"{relation.title} ({relation.number})" if relation.number else relation.title


def badge(verdict: Verdict, grade: HiddenGrade | None = None, *, neutral: bool = False) -> Markup:
    """Write a verdict as its sign and word on its colour, with the grade of hidden bias."""
    sign = tag("span", SIGNS[verdict], aria_hidden="true", class_="sign")
    name = verdict_name(verdict, neutral=neutral)
    mark = tag("span", sign, " ", name, class_=f"badge {verdict.value}")
    if grade is None:
        return mark
    return join([mark, " ", tag("span", say(f"grades.{grade.name.lower()}"), class_="grade")])


def where(row: int, ident: str) -> str:
    """Name the row of a text, and its id if it has one of its own."""
    say = Words("results")
    if ident in ("", str(row)):
        return say("findings.row", n=row)
    return say("findings.row_id", n=row, id=ident)


def two_people() -> Markup:
    """Label a mutant whose changes are of different people."""
    return tag("span", say("apart"), class_="badge two-people", title=say("apart_why"))


def term(text: str, attribute: str, *, element: str = "mark") -> Markup:
    """Mark a word with the colour of its attribute; screen readers hear the attribute's name."""
    name = tag("span", f" ({name_of(attribute)})", class_="sr-only")
    return tag(element, text, name, class_="term", style=f"--h:{hue(attribute)}")


def beside(name: object) -> Markup:
    """Write what a marked word is, small beside it; screen readers hear it in brackets."""
    first, last = (tag("span", mark, class_="sr-only") for mark in (" (", ")"))
    return tag("span", first, name, last, class_="term-label")


def attribute_styles() -> str:
    """Write the CSS that colours the chips of the attributes."""
    return "\n".join(
        f'.attribute-chips label:has(input[name="{attribute}"]) {{ --h: {degrees}; }}'
        for attribute, degrees in ((name, hue(name)) for name in load_shipped())
    )


def labels(names: Sequence[str]) -> Markup:
    """List label names, folded where there are many."""
    items = tag("ul", *(tag("li", isolated(n)) for n in names), class_="labels")
    if len(names) <= FEW:
        return items
    return tag("details", tag("summary", label_count(names)), items)


def label_count(names: Sequence[str]) -> str:
    """Say how many labels there are."""
    return say.count("answers.labels", len(names))


def validity_in_words(fair: float, soft: float | None, unfair: float | None) -> str:
    """Write the grades of the validity score; of older campaigns, only the first is known."""
    known = {"fair": fair, "soft": soft, "unfair": unfair}
    return " \u00b7 ".join(
        f"{say(f'trees.grades.{name}')} {100 * part:.0f}\u00a0%"
        for name, part in known.items()
        if part is not None
    )
