"""Deterministic, rule-based sentence splitter.

The invariant compares texts sentence by sentence (Algorithm 3, line 4). A statistical splitter may
split a mutant and its source differently for no grammatical reason. With rules an edit affects only
its sentence. They cover abbreviations, initials, ellipses, quotes, decimals and legal citations
("362 U.S. 58").
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hinter_core.storage import shipped_words
from hinter_core.types import Sentence, Splice

_BOUNDARY = re.compile(
    r"""
    (?P<stop>(?<![.!?\u2026])[.!?\u2026]++)    # one or more stops (possessive: linear time)
    # closing quotes and brackets belong to the sentence
    (?P<close>(?:["'\u2019\u201d)\]\u00bb]|&(?:quot|apos|rdquo|rsquo|raquo|\#3[49]);)*+)
    (?P<gap>\s+|$)
    # A blank line always ends a sentence, and so does a break or paragraph of HTML.
    | (?P<para>\n\s*\n\s*|(?:</?(?:br|p)\s{0,2}/?>\s*)+)
    | (?P<line>\n[ \t]*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A line that is an item of a list or a field of a form: "- Foreman", "Marital status: single".
_ITEM = re.compile(
    r"[ \t]*(?:[-*\u2022\u2023\u2013\u25aa\u25e6\u00b7]\s+"
    r"|[A-Z][\w/]{0,20}(?: [\w/]{1,20}){0,2}:\s)"
)
_HEADING = re.compile(r"\s*[A-Z][^\W\d]{2,}\s*")
_NUMBERED = re.compile(r"\d|(?:[B-HJ-Z]|[IVXLC]{2,})\b(?!['\u2019])")
_LAST_WORD = re.compile(r"[^\s(\[\"'\u201c\u2018]+$")
# "269 Va. 262", "227 Cal. App. 3d 692": volume, reporter, page.
_REPORTER = re.compile(r"\b\d+\s+(?:[A-Z][\w.'\u2019]{0,7}\s?){1,4}$")
_CITED = re.compile(r"\d|[A-Z][\w'\u2019]{0,5}\.")
_YEAR_IN_BRACKETS = re.compile(r"\d{4}\)")
_STRESSED = re.compile(r"\b[A-Z]{3,}\b(?!$)")
_OPENERS = "\"'\u201c\u2018([\u00ab-\u2013\u2014*"
_LOOK = 80  # characters examined before and after a stop, for linear time


def split_sentences(text: str) -> list[Sentence]:
    """Split ``text`` into sentences, stripped slices of it that cover all but blanks and breaks.

    Breaks are ``<br />`` and ``<p>``, which many sets of reviews have for lines and paragraphs.
    """
    return SourceSplit(text).sentences


@lru_cache(maxsize=16)
def sentences_of(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text; they are kept for the texts that were asked about last."""
    return tuple(split_sentences(text))


class SourceSplit:
    """The sentences of a source, from which those of its mutants are derived incrementally.

    Whether a sentence ends depends on ``_LOOK`` characters around. So sentences well before a
    splice are unchanged, and so are those after the first common boundary behind it.
    """

    def __init__(self, text: str) -> None:
        self.sentences: list[Sentence] = []
        self._cuts = [0]  # where sentences may begin
        self._before = [0]  # sentences before each such place
        for end, after in _boundaries(text, 0):
            _append(self.sentences, text, self._cuts[-1], end)
            self._cuts.append(after)
            self._before.append(len(self.sentences))
        _append(self.sentences, text, self._cuts[-1], len(text))
        self._place = {cut: i for i, cut in enumerate(self._cuts)}

    def of_mutant(self, mutant: str, splices: Sequence[Splice]) -> list[Sentence]:
        """Split a mutant made by these splices (in order), as :func:`split_sentences` does."""
        if not splices:
            return self.sentences
        last = splices[-1]
        shift = last.at + len(last.new) - last.end
        cut = max(0, bisect_right(self._cuts, splices[0].start - _LOOK) - 1)
        sentences, start = self.sentences[: self._before[cut]], self._cuts[cut]
        for end, after in _boundaries(mutant, start):
            _append(sentences, mutant, start, end)
            start = after
            if after - shift >= last.end and after - shift in self._place:
                rest = self.sentences[self._before[self._place[after - shift]] :]
                return sentences + [Sentence(s.text, s.start + shift, s.end + shift) for s in rest]
        _append(sentences, mutant, start, len(mutant))
        return sentences


def _boundaries(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the ends of sentences after ``start``, each with the begin of the next sentence."""
    for match in _BOUNDARY.finditer(text, start):
        line = match.group("line") is not None
        if match.group("para") is not None or (line and _ends_line(text, start, match)):
            yield match.start(), match.end()
        elif not line and _ends_sentence(text, start, match):
            yield match.end("close"), match.end()
        else:
            continue
        start = match.end()


def sentence_at(sentences: Sequence[Sentence], position: int) -> Sentence | None:
    """Return the sentence that contains the character at ``position``."""
    index = bisect_right(sentences, position, key=lambda s: s.start) - 1
    if index >= 0 and position < sentences[index].end:
        return sentences[index]
    return None


def _append(sentences: list[Sentence], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        begin = start + len(piece) - len(piece.lstrip())
        sentences.append(Sentence(stripped, begin, begin + len(stripped)))


def _ends_line(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a line is a heading or an item of its own, or an item follows."""
    following = text[match.end() : match.end() + _LOOK]
    if _ITEM.match(following):
        return True
    line = text[max(start, text.rfind("\n", start, match.start())) : match.start()]
    heading = line.isupper() or _HEADING.fullmatch(line) is not None
    begins = following[:1].isupper() and not following.partition("\n")[0].isupper()
    return begins and (heading or _ITEM.match(text, start) is not None)


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    end = match.end()
    stop, following = match.group("stop"), text[end : end + _LOOK].lstrip(_OPENERS + " ")
    if not following:
        return True
    first = following[0]
    if "!" in stop or "?" in stop:
        # "Stop!" she said -- a quotation continues in lower case.
        return not (match.group("close") and first.islower())
    if stop != ".":
        # An ellipsis ends a sentence unless a lower-case letter follows.
        return not first.islower()
    before = text[max(start, match.start() - _LOOK) : match.start()]
    begin = text[start : min(start + _LOOK, match.start())]
    if first.islower() and not _without_capitals(begin, before, following):
        return False
    return not _is_abbreviation(before, following)


def _without_capitals(begin: str, before: str, following: str) -> bool:
    """Whether a text begins no sentence with a capital: "she won. i'm happy", "they ran. we lost".

    An initial is left out: "j. smith"; "u" is *you*.
    """
    begin, before = (_STRESSED.sub("", part) for part in (begin, before))  # "and NOBODY came"
    small = begin.islower() and before.islower() and not re.search(r"(?<!\w)[^\Wu]$", before)
    return small or _first_word(following) == "i"


def _is_abbreviation(before: str, following: str) -> bool:
    if _YEAR_IN_BRACKETS.match(following):
        return True  # "(D. Conn. 2004)"
    if _CITED.match(following) and _REPORTER.search(before[-40:]):
        return True
    last, words = _LAST_WORD.search(before), shipped_words("abbreviations")
    if not last:
        return False
    word = last.group()
    lower = word.lower()
    if len(word) == 1 and word.isalpha() and word.isupper() and word != "I":
        return not _starts(following)  # an initial: J. Smith; not "Plan B. The"
    if lower in words["also_words"]:
        return _NUMBERED.match(following) is not None
    if word in words["with_capital"]:
        return False
    if lower in words["abbreviations"]:
        return lower not in words["may_end"] or not _starts(following)
    # Reporters and acronyms such as "S.D.N.Y." or "F.2d": letters joined by inner stops.
    return bool(re.fullmatch(r"(?:[A-Za-z]\w{0,4}\.)+\w{1,4}", word)) and (
        following[0].isdigit() or not _starts(following)
    )


def _starts(following: str) -> bool:
    """Whether a word that begins sentences follows with its capital."""
    known = _first_word(following) in shipped_words("abbreviations")["starters"]
    return known and not following[0].islower()


def _first_word(following: str) -> str:
    match = re.match(r"\w+", following)
    return match.group().lower() if match else ""
