"""Reading view: a text as a person reads it, with the way back to the text as it stands.

The view has *she's* for ``she&#39;s``, *black* for letters of a mathematical alphabet, and neither
tags nor emoji. Matching, senses and the parser work on the view; edits are spans of the text
itself, so the rest of a text reaches a model byte for byte. Each pattern reads a text in linear
time.
"""

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from hinter_core.language.clean import INVISIBLE
from hinter_core.types import Span

# Signs that people type for an apostrophe; the typographic one is read as it is.
ODD_APOSTROPHES = "`\u00b4\u2018\u2032\u02bc\u02b9\u201b\uff07"
_REFERENCE = re.compile(
    r"&(?:amp;)++(?![\w\#])|&(?:amp;)*+(?:\#\d{1,7};?|\#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};|nbsp\b)"
)
_APOSTROPHE = re.compile(
    rf"(?<=[^\W\d_])[{ODD_APOSTROPHES}](?=[^\W\d_])|\u00e2\u20ac[\u2122\u02dc]"
)
_FORMAT = INVISIBLE + "\u061c\u180e\u202a-\u202e\u2061-\u2064\u2066-\u2069"
_EMOJI = re.compile(
    "[\u200d\u2300-\u23ff\u2600-\u275a\u2761-\u27bf\u2b00-\u2bff\ufe00-\ufe0f\U0001f000-\U0001f12f"
    "\U0001f1e6-\U0001faff\U000e0020-\U000e007f\u20e3]++"
)
_HIDDEN = re.compile(rf"[{_FORMAT}\ufe00-\ufe0f\u0332-\u0338\u20d0-\u20e2]++")
_STYLED = re.compile(
    "[\u1d00-\u1d2b\u2100-\u214f\u249c-\u24e9\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff"
    "\U0001f130-\U0001f189\u0250-\u02af\ua730\ua731]++"
)
_LATIN = re.compile(r"LATIN (?:CAPITAL LETTER|SMALL LETTER|LETTER SMALL CAPITAL) ([A-Z])")
_TAGS = (
    "a|abbr|address|article|aside|audio|b|big|blockquote|body|br|button|caption|center|cite|code"
    "|col|dd|del|details|div|dl|dt|em|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html"
    "|i|iframe|img|input|ins|kbd|label|li|link|main|mark|meta|nav|ol|option|p|picture|pre|q|s|samp"
    "|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody"
    "|td|textarea|tfoot|th|thead|title|tr|tt|u|ul|video|wbr"
)
TAG = rf"</?(?:{_TAGS})(?=[\s/>])[^<>]*+>"
_MARKUP = re.compile(TAG, re.IGNORECASE)
# Each with the sign that ends it: behind the last one none begins, so that the search is linear.
_CLOSED = (
    (re.compile(r"<!--.*?-->", re.DOTALL), re.compile(r"-->")),
    (
        re.compile(r"<(?:script|style)\b[^<>]*+>.*?</(?:script|style)\b[^<>]*+>", re.I | re.DOTALL),
        re.compile(r"</(?:script|style)\b[^<>]*+>", re.I),
    ),
)
_BLANKS = re.compile(r"\s++")
_RUN = re.compile(r"\s\s|[^\S ]")
# What has none of these reads as it stands; most texts do.
_UNUSUAL = re.compile(
    rf"[&<>{ODD_APOSTROPHES}\u0332-\u0338\u1d00-\u200f\u2028-\U000e007f{_FORMAT}]|\u00e2\u20ac|[\u0250-\u02af]"
)


class Replaced(NamedTuple):
    """A text with replacements; ``moved``: the place of each before and after."""

    text: str
    moved: Sequence[tuple[Span, Span]]

    @property
    def turned(self) -> "Replaced":
        """The way from places before to those after; its text is not known."""
        return Replaced("", [(after, before) for before, after in self.moved])

    def span(self, start: int, end: int) -> Span:
        """Return the place before; a span that overlaps a replacement grows to cover it."""
        place = bisect_right(self.moved, start, key=_after) - 1
        if place >= 0:
            before, after = self.moved[place]
            start = before[0] if start < after[1] else before[1] + start - after[1]
        place = bisect_left(self.moved, end, key=_after) - 1
        if place >= 0:
            before, after = self.moved[place]
            end = before[1] + max(0, end - after[1])
        return start, end


def _after(moved: tuple[Span, Span]) -> int:
    return moved[1][0]


def with_pieces(text: str, pieces: Iterable[tuple[int, int, str]]) -> Replaced:
    """Replace pieces of a text, in order."""
    parts: list[str] = []
    moved: list[tuple[Span, Span]] = []
    done = length = 0
    for start, end, new in pieces:
        parts += (text[done:start], new)
        at = length + start - done
        length = at + len(new)
        moved.append(((start, end), (at, length)))
        done = end
    return Replaced("".join([*parts, text[done:]]), moved)


class Reading(NamedTuple):
    """A view of a text; ``markup``: spans of the text that are tags and comments."""

    text: str
    layers: tuple[Replaced, ...] = ()
    markup: tuple[tuple[int, int], ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the text for a span of the view, which is not empty."""
        for layer in reversed(self.layers):
            start, end = layer.span(start, end)
        return start, max(start, end)


def reading(text: str) -> Reading:
    """Return the view of a text; equal texts that were read last are not read again."""
    return _reading(text) if _UNUSUAL.search(text) else Reading(text)


@lru_cache(maxsize=256)
def _reading(text: str) -> Reading:
    view = Reading(text)
    for pieces in (_decoded, _plain_letters):
        view = with_layer(view, pieces)
    markup = list(_markup(view.text))
    spans = tuple(view.span(start, end) for start, end in markup)
    view = with_layer(view, lambda _: ((start, end, " ") for start, end in markup))
    return view._replace(markup=spans)


def without_runs(view: Reading) -> Reading:
    """Return a view whose runs of blanks are one blank, as parsers take others for words."""
    if not _RUN.search(view.text):
        return view if view.text == view.text.strip() else with_layer(view, _ends)
    return with_layer(with_layer(view, _runs), _ends)


def with_layer(view: Reading, pieces: Callable[[str], Iterator[tuple[int, int, str]]]) -> Reading:
    """Return a view in which pieces of its text are replaced."""
    layer = with_pieces(view.text, pieces(view.text))
    return Reading(layer.text, (*view.layers, layer), view.markup) if layer.moved else view


def _decoded(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield HTML references, also those that were escaped twice, with what they stand for."""
    for match in _REFERENCE.finditer(text):
        entity = match[0].replace("amp;", "")
        new = html.unescape(entity)
        if (new != entity or entity == "&") and len(new) <= 2:
            yield (*match.span(), new)


def _plain_letters(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield apostrophes, letters and emoji that are to be read in another way, in order."""
    replaced = [(*match.span(), "'") for match in _APOSTROPHE.finditer(text)]
    replaced += [(*match.span(), "") for match in _HIDDEN.finditer(text)]
    replaced += [(*match.span(), "") for match in _EMOJI.finditer(text)]
    for match in _STYLED.finditer(text):
        new = "".join(map(_plain, match.group()))
        if new != match.group():
            replaced += [(i, i + 1, _plain(c)) for i, c in enumerate(match.group(), match.start())]
    done = 0
    for start, end, new in sorted(replaced):
        if start >= done:  # a joiner is invisible and part of an emoji
            yield start, end, new
            done = end


@lru_cache(maxsize=2048)
def _plain(character: str) -> str:
    """Return the plain letter of a stylised one: fullwidth, squared, small capital."""
    plain = unicodedata.normalize("NFKC", character)
    if plain.isascii():
        return plain
    named = _LATIN.search(unicodedata.name(character, ""))
    small = named is not None and "CAPITAL LETTER" not in named.group()
    return character if named is None else named[1].lower() if small else named[1]


def _markup(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of tags, comments, scripts and style sheets, in order."""
    if "<" not in text:
        return
    spans = [match.span() for match in _MARKUP.finditer(text)]
    for whole, end in _CLOSED:
        last = max((match.end() for match in end.finditer(text)), default=0)
        spans += [match.span() for match in whole.finditer(text, 0, last)]
    done = 0
    for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= done:
            yield start, stop
            done = stop


def _runs(text: str) -> Iterator[tuple[int, int, str]]:
    return ((*m.span(), " ") for m in _BLANKS.finditer(text) if m.group() != " ")


def _ends(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the blanks around a text."""
    inside = len(text) - len(text.lstrip())
    if inside and inside < len(text):
        yield 0, inside, ""
    after = len(text.rstrip())
    if 0 < after < len(text):
        yield after, len(text), ""


def restyled(surface: str, plain: str, new: str) -> str:
    """Write ``new`` in the alphabet of ``surface``, whose letters are ``plain`` in another style.

    Returns ``new`` as it is if the alphabet has no such letter.
    """
    if surface == plain or len(surface) != len(plain):
        return new
    shifts = {
        (a.isupper(), ord(s) - ord(a)) for s, a in zip(surface, plain, strict=True) if a.isalpha()
    }
    by_case = dict(shifts)
    if not shifts or len(by_case) < len(shifts) or 0 in by_case.values():
        return new
    written = "".join(
        chr(ord(c) + by_case.get(c.isupper(), 0)) if c.isascii() and c.isalpha() else c for c in new
    )
    back = "".join(map(_plain, written))
    return written if back == new else new
